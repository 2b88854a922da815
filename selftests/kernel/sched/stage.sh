#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A transaction belongs to its socket and its gate, and no other sees it.
# runs: 6.1-icount 6.12-normal
# timeout: 60
. /liquid/lib/guest.sh
start
make_pair
make_gate
make_dests 2

table lqa lqva <<'END'
open one | begin sched{frame_ns=1000000 frames=2} | ok
fill it | entries entries{entry{run=2 dest=0}} | ok
END
table lqa lqva <<'END'
a closed socket took its transaction with it | commit base_time=+1000000 | ENOENT
END
refuse "nothing waits" gate admin.frames
table lqa lqva <<'END'
open one | begin sched{frame_ns=1000000 frames=2} | ok
fill it | entries entries{entry{run=2 dest=0}} | ok
begin again: the earlier one is forgotten | begin sched{frame_ns=2000000 frames=1} | ok
so it is empty | commit base_time=+1000000 | EINVAL
fill the new one | entries entries{entry{run=1 dest=1}} | ok
end it | abort | ok
it is gone | commit base_time=+1000000 | ENOENT
open a third | begin sched{frame_ns=3000000 frames=1} | ok
fill the third | entries entries{entry{run=1 dest=1}} | ok
commit it | commit base_time=+1000000 | ok
a committed one is gone as well | commit base_time=+1000000 replace | ENOENT
END

# A socket that holds a transaction while the gate, or the device, goes away.
mkfifo "$TESTDIR/fifo"
hold()
{
	background "$TESTDIR/held" in-ns lqa sh -c "exec wire script lqva <$TESTDIR/fifo"
	exec 9>"$TESTDIR/fifo"
	echo "open | begin sched{frame_ns=1000000 frames=100000} | ok" >&9
	echo "fill | fill-entries 90000 2 | ok" >&9
	await grep -q "ok fill" "$TESTDIR/held"
}
hold
check "a gate goes with a transaction open" in_ns lqa wire del lqva
make_gate
make_dests 2
echo "a transaction does not outlive its gate | commit base_time=+1000000 | ENOENT" >&9
exec 9>&-
wait "$pid"
check "a transaction does not outlive its gate" grep -q "ok a transaction does not" "$TESTDIR/held"
hold
check "a device goes with a transaction open" ip -n lqa link del lqva
echo "and not its device | commit base_time=+1000000 | ENODEV |" >&9
exec 9>&-
wait "$pid"
check "a transaction does not outlive its device" grep -q "ok and not its device" "$TESTDIR/held"
cp "$TESTDIR/held" "$LOG"
ip netns del lqb
ip netns del lqa
make_pair
make_gate
make_dests 2
hold
check "a namespace goes with a transaction open" ip netns del lqa
exec 9>&-
wait "$pid"
finish

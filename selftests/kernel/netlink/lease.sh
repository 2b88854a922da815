#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A gate whose lease is not renewed opens: on time, without traffic too, and loses nothing.
# modes: icount
# timeout: 120
# cross: s390x
. /liquid/lib/guest.sh
start
make_pair
make_gate
make_dests 3

# lease NS RUN:DEST...: a schedule with a lease, in frames of 10 s, in force in a moment
lease()
{
	ns=$1
	shift
	push +$((5 * MS)) "frame_ns=10000000000 frames=$#" "replace lease_ns=$ns" "$@"
}

# When the gate's lease ends, by CLOCK_TAI
lease_end()
{
	gate state.now state.lease_left_ns >"$TESTDIR/end" || return
	echo $(($(sed -n 1p "$TESTDIR/end") + $(sed -n 2p "$TESTDIR/end")))
}

# When the first packet of a capture left
first_time()
{
	od -An -t d8 -j "${2:-0}" -N 8 "$1" | tr -d ' '
}

table lqa lqva <<END
no lease yet | renew | ENOENT | \
	the gate has no lease, or it has expired: push a schedule with a lease
open one | begin sched{frame_ns=1000000 frames=2} | ok
fill it | entries entries{entry{run=2 dest=0}} | ok
a lease of nothing | commit base_time=+1000000000 lease_ns=0 | ERANGE | \
	lease out of range: use 1 ms to 7 days
a lease that is too short | commit base_time=+1000000000 lease_ns=999999 | ERANGE | \
	lease out of range: use 1 ms to 7 days
a lease beyond all time | commit base_time=+1000000000 lease_ns=0xffffffffffffffff | ERANGE | \
	lease out of range: use 1 ms to 7 days
a lease that is too long | commit base_time=+1000000000 lease_ns=604800000000001 | ERANGE | \
	lease out of range: use 1 ms to 7 days
a lease is no option of a transaction | \
	begin lease_ns=1000000000 sched{frame_ns=1000000 frames=2} | EINVAL |
a refused commit gives no lease | renew | ENOENT |
the longest lease | commit base_time=+100000000000 lease_ns=604800000000000 | ok
another length | renew lease_ns=60000000000 | ok
a length out of range | renew lease_ns=1 | ERANGE | lease out of range: use 1 ms to 7 days
END
compare "the gate shows its lease" "$(gate state.lease_ns)" = 60000000000
compare "the gate shows the rest of the lease" "$(gate state.lease_left_ns)" -le 60000000000
compare "a lease may expire before its schedule is in force" "$(gate state.mode)" = 0
table lqa lqva <<'END'
a short one | renew lease_ns=20000000 | ok
END
sleep 0.2
refuse "after the lease the schedule no longer waits" gate admin.frames
refuse "after the lease the gate has none" gate state.lease_ns
compare "a lease that has expired is counted" "$(gate stats.lease_expired)" = 1
table lqa lqva <<END
what has expired cannot be renewed | renew | ENOENT | \
	the gate has no lease, or it has expired: push a schedule with a lease
END

# Without traffic no one but the lease's own timer can open it.
need lease $((300 * MS * SCALE)) 1:0
end=$(lease_end)
sleep 0.05
compare "without traffic: it gates as long as the lease lasts" "$(gate state.mode)" = 1
clockset until $((end + MS))
compare "without traffic: then it is open" "$(gate state.mode)" = 0
refuse "without traffic: no schedule is left" gate oper.frames
compare "without traffic: that is counted" "$(gate stats.lease_expired)" = 2

# What waits leaves when the lease ends, not before and not much later, and all of it: the
# schedule's first frame, of 10 s, is that of another destination.
need lease $((400 * MS * SCALE)) 1:2 1:0
sleep 0.02
end=$(lease_end)
tap_start "$TESTDIR/cap" 60 lqa:lqva
background "$TESTDIR/blast" blast udp --size 1000 --bytes 20000 --rate 8000000 --limit 20 \
	--linger $((1000 * SCALE)) \
	lqa@10.0.0.1 -- lqb@10.0.0.2
sleep 0.1
compare "with traffic: packets wait for their frame" "$(gate state.qlen)" -gt 10
wait "$pid"
compare "with traffic: all of them arrive" $? = 0
tap_stop
left=$(first_time "$TESTDIR/cap")
echo "# the first left $((left - end)) ns after the lease's end"
compare "with traffic: none before the lease is over" "$left" -ge "$end"
compare "with traffic: at once then" $((left - end)) -le $((5 * SLACK))
compare "with traffic: that is counted" "$(gate stats.lease_expired)" = 3
compare "with traffic: nothing was dropped" \
	"$(gate stats.drop_limit)$(gate stats.drop_deleted)" = 00

# Renewed in time it stays, for longer than the lease.
need lease $((200 * MS * SCALE)) 1:0 1:1
for _ in 1 2 3 4 5 6 7 8; do
	sleep "$(awk "BEGIN { print 0.08 * $SCALE }")"
	in_ns lqa liquid-nl renew lqva || break
done >"$TESTDIR/renewed" 2>&1
compare "renewed: no word" "$(wc -c <"$TESTDIR/renewed")" = 0
compare "renewed: it still gates" "$(gate state.mode)" = 1
compare "renewed: nothing has expired" "$(gate stats.lease_expired)" = 3
check "renewed for longer" in_ns lqa liquid-nl renew lqva --lease 30s
in_ns lqa liquid-nl show lqva >"$TESTDIR/shown" 2>&1
check "shown" grep '^  lease  30 *s, 29.* left$' "$TESTDIR/shown"
in_ns lqa liquid-nl show lqva --json >"$TESTDIR/shown" 2>&1
check "shown as JSON" grep '"lease_ns": 30000000000' "$TESTDIR/shown"
clockset step 1000
sleep 0.1
compare "a step of the clock does not end a lease" "$(gate stats.lease_expired)" = 3
clockset step -1000
need lease $((50 * MS * SCALE)) 1:0
push 0 "frame_ns=$MS frames=2" replace 1:0 1:1 >"$LOG"
refuse "a commit without a lease ends that of the one before" gate state.lease_ns
need lease $((50 * MS * SCALE)) 1:0
table lqa lqva <<'END'
clear | clear | ok
END
refuse "clear ends a lease" gate state.lease_ns
sleep "$(awk "BEGIN { print 0.1 * $SCALE }")"
compare "of two leases that are renewed neither expires" "$(gate stats.lease_expired)" = 3
finish

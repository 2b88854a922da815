#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# trap 07: the largest table and the longest schedule go up and come back whole.
# modes: icount
# timeout: 120
. /liquid/lib/guest.sh
start
make_pair
make_gate

cat >"$TESTDIR/fill" <<'END'
trap 07: 65,536 destinations go up | fill-dests 65536 10.1.0.0 | ok
trap 07: a cycle of 1,048,576 frames is begun | begin sched{frame_ns=10000 frames=1048576} | ok
trap 07: every frame is an entry of its own | fill-entries 1048576 65536 | ok
trap 07: it is committed | commit base_time=+1000000000000 | ok
END
table lqa lqva <"$TESTDIR/fill"
in_ns lqa wire count lqva >"$TESTDIR/count"
compare "trap 07: all destinations come back" "$(cut -d' ' -f1 "$TESTDIR/count")" = 65536
compare "trap 07: in many messages" "$(cut -d' ' -f2 "$TESTDIR/count")" -gt 1
compare "the gate counts the same" "$(gate state.dests)" = 65536
in_ns lqa wire cycle lqva 65536 >"$TESTDIR/cycle"
compare "trap 07: all frames come back, in order" "$(cut -d' ' -f1 "$TESTDIR/cycle")" = 1048576
compare "trap 07: in many messages" "$(cut -d' ' -f2 "$TESTDIR/cycle")" -gt 100
compare "every destination has its frames" "$(gate admin.dests)" = 65536
compare "a destination in the middle comes back by its key" \
	"$(in_ns lqa wire dest lqva 40000 key.ipv4)" = 0a019c40
compare "the last of 65536 destinations is there" \
	"$(in_ns lqa wire dest lqva 65535 key.ipv4)" = 0a01ffff

# The table must not change a dump that is read: it is reported, or it is consistent.
(for i in 1 2 3 4 5 6 7 8; do
	echo "change | dest-set dests{dest{id=$i key{ipv4=10.9.0.$i}}} | ok"
done) >"$TESTDIR/changes"
background "$TESTDIR/change.out" in-ns lqa sh -c "exec wire script lqva <$TESTDIR/changes"
in_ns lqa wire count lqva >"$TESTDIR/count" 2>&1
wait "$pid"
check "the table changes while it is read" test "$(grep -c '^ok' "$TESTDIR/change.out")" = 8
compare "no destination is lost in a dump" "$(cut -d' ' -f1 "$TESTDIR/count")" = 65536
table lqa lqva <<'END'
clear | clear | ok
all destinations go at once | dest-del all | ok
END
compare "no destination is left after the clearing" \
	"$(in_ns lqa wire count lqva | cut -d' ' -f1)" = 0
finish

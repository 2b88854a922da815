#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Schedules begin on time, end when they are said to, and what follows is as asked.
# kernels: 5.10 6.1 6.1-rt newest 6.1-debug
# modes: icount
# timeout: 60
. /liquid/lib/guest.sh
start
make_pair
make_gate
make_dests 2

[ $DEBUG = 0 ] || SCALE=$((4 * SCALE))
FRAME=$((4 * SCALE * MS))
# Until a schedule's start, for the programs that look at it before
LEAD=$((400 * MS))
[ $DEBUG = 0 ] || LEAD=$((2500 * MS))
ends()
{
	# 1,000 bytes a ms to each, from before the schedule's start until after its end
	background "$TESTDIR/blast" blast udp --size 1000 \
		--bytes $((1000 * (LEAD / MS + 300 + 120 * SCALE))) \
		--rate 8000000 --limit 20 --lossy lqa@10.0.0.1 -- lqb@10.0.0.2 lqb@10.0.0.3
}

base=$(($(now) + LEAD))
need push $base "frame_ns=$FRAME guard_ns=$((FRAME / 20)) frames=2 cycles=10 then=0" "" 1:0 1:1
compare "before its base time a schedule waits" "$(gate admin.base_time)" = $base
compare "before the base time the gate is open" "$(gate state.mode)" = 0
in_ns lqa wire plan lqva admin >"$TESTDIR/plan"
tap_start "$TESTDIR/cap" 60 lqa:lqva
ends
clockset until $((base + FRAME))
compare "at its base time it is in force" "$(gate state.mode)" = 1
compare "the schedule started at its base time" "$(gate oper.start_time)" = $base
refuse "nothing waits any more" gate admin.base_time
wait "$pid"
compare "then open: everything arrives" $? = 0
compare "then open: the gate says so" "$(gate state.mode)" = 0
tap_stop
judge_capture "then open: gated as long as it lasted" "$TESTDIR/cap" --plan 0 "$TESTDIR/plan"
compare "then open: ungated before and after" "$(field ungated "$TESTDIR/verdict")" -gt 100

base=$(($(now) + LEAD))
need push $base "frame_ns=$FRAME guard_ns=$((FRAME / 20)) frames=2 cycles=10 then=1" "" 1:0 1:1
in_ns lqa wire plan lqva admin >"$TESTDIR/plan"
tap_start "$TESTDIR/cap" 60 lqa:lqva
ends
clockset until $((base + 30 * FRAME))
compare "then hold: the gate says so" "$(gate state.mode)" = 2
compare "then hold: packets wait" "$(gate state.qlen)" -gt 0
kill "$pid"
wait "$pid"
tap_stop
judge_capture "then hold: nothing leaves after the end" "$TESTDIR/cap" --plan 0 "$TESTDIR/plan"
in_ns lqa wire script lqva >"$LOG" <<'END'
clear | clear | ok
END
sleep 0.2
compare "clear opens it" "$(gate state.mode)$(gate state.qlen)" = 00

# A base time that is past: the next boundary of its cycle.
base=$(($(now) - 1000000 * MS - 12345))
need push $base "frame_ns=$FRAME frames=5" "" 1:0 3:1 1:-
await gate oper.start_time
start=$(gate oper.start_time)
compare "a past base time: it starts on a boundary of its cycle" \
	$(((start - base) % (5 * FRAME))) = 0
compare "a past base time: and not before it was pushed" $((start - base)) -gt $((1000000 * MS))
compare "a past base time: it is in force" "$(gate state.mode)" = 1
compare "the frame is what the clock says" "$(gate state.frame)" -lt 5
# trap 15: a base time long ago, a product that would not fit into 64 bits
in_ns lqa wire script lqva >"$TESTDIR/old" <<'END'
begin | begin sched{frame_ns=10000 frames=1048576} | ok
fill | entries entries{entry{run=1048575 dest=0} entry{run=1}} | ok
commit | commit base_time=0 | ok
END
check "trap 15: a base time at the epoch is taken" test "$(grep -c ^ok "$TESTDIR/old")" = 3
compare "trap 15: its start is less than a cycle away" \
	$(($(gate admin.start_time 2>/dev/null || gate oper.start_time) - $(now))) \
	-lt $((10486 * MS))
finish

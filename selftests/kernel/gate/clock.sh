#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The clock steps: nothing is replayed, nothing freezes, the frames are those of the new time.
# kernels: 5.10 6.1 6.1-rt newest 6.1-debug
# modes: icount
# timeout: 120
. /liquid/lib/guest.sh
start
make_pair
make_gate
make_dests 3

FRAME=$((2 * SCALE * MS))
need push +$((10 * MS)) "frame_ns=$FRAME guard_ns=$((FRAME / 20)) frames=4" "" 1:0 1:1 1:2 1:-
sleep 0.1
plan "$TESTDIR/plan"
tap_start "$TESTDIR/cap" 100 lqa:lqva

# step NAME SECONDS: under traffic, for as long as 20 cycles
step()
{
	background "$TESTDIR/blast" blast udp --bytes 100000 --rate $((8000000 / SCALE)) \
		--limit 60 \
		lqa@10.0.0.1 -- lqb@10.0.0.2 lqb@10.0.0.3 lqb@10.0.0.4
	sleep 0.03
	before=$(gate stats.clock_steps)
	missed=$(gate stats.frames_missed)
	up=$(cut -d' ' -f1 /proc/uptime | tr -d .)
	clockset step "$2"
	wait "$pid"
	compare "$1 loses nothing" $? = 0
	cp "$TESTDIR/blast" "$LOG"
	took=$(($(cut -d' ' -f1 /proc/uptime | tr -d .) - up))
	compare "$1 delays nothing: all is there after at most ${SCALE}00 cs" $took \
		-lt $((100 * SCALE))
	compare "$1 is noticed" "$(gate stats.clock_steps)" -gt "$before"
	compare "$1 replays nothing: frames missed" $(($(gate stats.frames_missed) - missed)) \
		-lt $((5 * SCALE))
	compare "the gate is still gated" "$(gate state.mode)" = 1
}

step "trap 02: a clock step of +600 s" 600
step "trap 03: a clock step of -600 s" -600
step "trap 03: a clock step to before the schedule's start" -600
step "trap 02: and back" 600
before=$(gate stats.clock_steps)
clockset tai 36
sleep 0.1
compare "the TAI offset is reported as it is" "$(gate state.tai_offset)" = 36
clockset tai 37
tap_stop
# The stamps in the capture are CLOCK_REALTIME as it was, and 37 s throughout.
judge_capture "trap 02, 03: all packets are in frames of the time that the clock showed" \
	"$TESTDIR/cap" --plan 0 "$TESTDIR/plan" --always

# A schedule that waits for a base time that a step passes by.
base=$(($(now) + 300000 * MS))
need push $base "frame_ns=$FRAME frames=2 " "" 1:0 1:-
clockset step 600
blast udp --bytes 3000 lqa@10.0.0.1 -- lqb@10.0.0.2 >"$LOG" 2>&1
compare "a step beyond the base time puts the schedule in force" "$(gate oper.base_time)" = $base
clockset step -600
finish

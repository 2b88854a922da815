#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# trap 04: a schedule is replaced under traffic, and no gate is open meanwhile.
# modes: icount
# timeout: 90
. /liquid/lib/guest.sh
start
make_pair
make_gate
make_dests 4

FRAME=$((2 * SCALE * MS))
need push +$((10 * MS)) "frame_ns=$FRAME guard_ns=$((FRAME / 20)) frames=4" "" 1:0 1:1 1:2 1:3
sleep 0.1
plan "$TESTDIR/plan0"
plans="--plan 0 $TESTDIR/plan0"
tap_start "$TESTDIR/cap" 80 lqa:lqva
background "$TESTDIR/blast" blast udp --bytes 400000 --rate $((4000000 / SCALE)) --limit 60 \
	lqa@10.0.0.1 -- lqb@10.0.0.2 lqb@10.0.0.3 lqb@10.0.0.4 lqb@10.0.0.5
blast=$pid
# Other orders, other frame lengths, other phases; a base time inside a frame of the old one.
round=1
for shape in "3 1:3 1:2 1:1 1:0" "5 1:0 2:1 1:2 1:3 1:-" "2 1:2 1:0 1:3 1:1 3:-" \
	"4 2:0 2:1 2:2 2:3"; do
	length=${shape%% *}
	# shellcheck disable=SC2086
	set -- ${shape#* }
	frames=0
	for run; do
		frames=$((frames + ${run%:*}))
	done
	need push +$((30 * SCALE * MS + 12345)) \
		"frame_ns=$((length * SCALE * MS)) guard_ns=$((SCALE * MS / 10)) frames=$frames" \
		"" "$@"
	in_ns lqa wire plan lqva admin >"$TESTDIR/plan$round"
	plans="$plans --plan 0 $TESTDIR/plan$round"
	clockset until $(($(gate admin.start_time) + 20 * SCALE * MS))
	round=$((round + 1))
done
wait "$blast"
compare "trap 04: a schedule replaced under traffic loses nothing" $? = 0
sed 's/^/# /' "$TESTDIR/blast"
tap_stop
compare "all replacing schedules came into force" "$(gate stats.swaps)" = 5
# shellcheck disable=SC2086
judge_capture "trap 04: no packet outside the old or the new schedule's frames" \
	"$TESTDIR/cap" $plans

# One that waits is replaced by another before it starts.
need push +$((5000 * MS)) "frame_ns=$FRAME frames=1" "" 1:0
need push +$((50 * MS)) "frame_ns=$FRAME frames=3" replace 1:0 1:1 1:-
sleep 0.2
compare "the one that replaced the waiting one is in force" "$(gate oper.frames)" = 3

# A destination that the new schedule has no frames for is unscheduled from then on.
need push +$((20 * MS)) "frame_ns=$FRAME frames=2" "" 1:0 1:-
blast udp --lossy --linger 1 --bytes 20000 lqa@10.0.0.1 -- lqb@10.0.0.3 >"$LOG" 2>&1
sleep 0.3
compare "packets of a destination that lost its frames leave as unscheduled ones" \
	"$(gate state.qlen)" = 0
compare "they are counted so, or left before" \
	$(($(gate stats.unsched_packets) + $(in_ns lqa wire dest lqva 1 stats.packets))) -ge 20
finish

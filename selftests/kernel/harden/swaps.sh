#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Thousands of schedules follow one another under load, and no packet leaves outside its frame.
#
# All of them open the same frames, in three forms: a cycle of four frames, one of eight, and
# one of frames of half the length. So one plan judges every packet, and a swap that opened the
# gate, lost the frame or shifted the phase would show. Half of them are of a device that uses
# one TX queue, half of one that uses four.
# modes: icount
# runs: 6.1-icount newest-icount 6.1-rt-icount
# timeout: 300
. /liquid/lib/guest.sh
start
make_pair 4
SWAPS=1000
case ${LIQUID_KERNEL:-} in
*-debug | newest) SWAPS=5000 ;;
esac
US=1000
FRAME=$((400 * US * (1 + 9 * DEBUG)))
GUARD=$((10 * US * (1 + 9 * DEBUG)))
base=$(($(now) - 1000 * FRAME))

# swap FRAME_NS FRAMES RUN:DEST...: a line of three requests, and the time in which it comes into
# force, a cycle at most
swap()
{
	echo "begin | begin sched{frame_ns=$1 guard_ns=$GUARD frames=$2} | ok"
	shift 2
	echo "entries | entries entries{$(entries "$@")} | ok"
	echo "commit | commit base_time=$base | ok"
	echo "sleep | sleep $((8 * FRAME)) | ok"
}

{
	swap "$FRAME" 4 1:0 1:1 1:2 1:-
	swap "$FRAME" 8 1:0 1:1 1:2 1:- 1:0 1:1 1:2 1:-
	swap $((FRAME / 2)) 8 2:0 2:1 2:2 2:-
} >"$TESTDIR/three"
head -n 4 "$TESTDIR/three" >"$TESTDIR/first"
for _ in $(seq $((SWAPS / 3))); do
	cat "$TESTDIR/three"
done >"$TESTDIR/swaps"

# swaps_under_load QUEUES
swaps_under_load()
{
	queues="$1 TX queues"
	need in_ns lqa ethtool -L lqva tx "$1"
	make_gate limit_packets=500
	make_dests 3
	in_ns lqa wire script lqva <"$TESTDIR/first" >"$LOG" 2>&1
	compare "$queues: the first schedule is in force" "$(gate stats.swaps)" = 1
	plan "$TESTDIR/plan"
	tap_start "$TESTDIR/cap" 290 lqa:lqva
	background "$TESTDIR/blast" blast udp --send-only --bytes 1000000000 \
		--rate $((4000000 / SCALE)) --limit 280 \
		lqa@10.0.0.1 -- lqb@10.0.0.2 lqb@10.0.0.3 lqb@10.0.0.4
	blast=$pid
	sleep 0.1
	in_ns lqa wire script lqva <"$TESTDIR/swaps" >"$TESTDIR/out" 2>&1
	swaps=$(gate stats.swaps)
	kill "$blast"
	wait "$blast" 2>/dev/null
	sleep 0.1
	tap_stop
	compare "$queues: no request for a schedule was refused" \
		"$(grep -c '^not ok' "$TESTDIR/out")" = 0
	compare "$queues: each came into force" "$swaps" = $((SWAPS / 3 * 3 + 1))
	judge_capture "$queues: $SWAPS swaps: every packet in its frame" "$TESTDIR/cap" \
		--plan 0 "$TESTDIR/plan" --always
	compare "$queues: there were more packets than swaps" \
		"$(field scheduled "$TESTDIR/verdict")" -gt "$SWAPS"
	compare "$queues: packets left in most swaps, at full frames" \
		"$(gate stats.frames_used)" -gt "$SWAPS"
	compare "$queues: the swaps made no packet late" "$(gate stats.late)" = 0
	need in_ns lqa wire del lqva
}

swaps_under_load 1
swaps_under_load 4
finish

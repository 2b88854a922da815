#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A processor is taken away: also the one that holds the gate's timer, while the gate sleeps.
# modes: normal
# runs: 6.1-normal
# timeout: 120
. /liquid/lib/guest.sh
start
CPU=/sys/devices/system/cpu/cpu1/online
[ -e $CPU ] || skip_all "a single processor, or none that can be taken away"
make_pair 4
need in_ns lqa ethtool -L lqva tx 1
make_gate
make_dests 2
trap 'echo 1 >$CPU; cleanup' EXIT

# The gate's timer: the processors that hold one
timers()
{
	awk '/^cpu: / { cpu = $2 } /qdisc_watchdog/ { print cpu }' /proc/timer_list
}

# Frames of a second, so that the gate sleeps for long: four on a debug kernel, which may take one
# for a few commands. A packet for destination 1 comes at the begin of a frame of destination 0, by
# processor 1.
FRAME=$((1000 * MS * (DEBUG ? 4 : 1)))
base=$(($(now) + 50 * MS))
need push $base "frame_ns=$FRAME guard_ns=$((10 * MS)) frames=2" "" 1:0 1:1
held=0
moved=0
in_time=0
for _ in 1 2 3; do
	at=$(((($(now) - base) / (2 * FRAME) + 1) * 2 * FRAME + base))
	clockset until $((at + FRAME / 10))
	before=$(in_ns lqa wire dest lqva 1 stats.packets)
	in_ns lqa taskset 2 pkt lqva --dst 10.0.0.3 udp
	[ "$(timers | head -n 1)" = 1 ] && held=$((held + 1))
	echo 0 >$CPU
	[ "$(timers | head -n 1)" = 0 ] && moved=$((moved + 1))
	waits=$(in_ns lqa wire dest lqva 1 stats.packets)
	clockset until $((at + FRAME * 19 / 10))
	[ "$waits" = "$before" ] &&
		[ "$(in_ns lqa wire dest lqva 1 stats.packets)" = $((before + 1)) ] &&
		in_time=$((in_time + 1))
	echo 1 >$CPU
done
echo "# held $held moved $moved in time $in_time of 3"
compare "the timer was on the processor that went" "$held" -ge 2
compare "it moved to the other" "$moved" -ge 2
compare "each packet left in its frame all the same" "$in_time" -ge 2
compare "no packet is left" "$(gate state.qlen)" = 0

# Under load, with queues for each of four TX queues
need in_ns lqa wire del lqva
need in_ns lqa ethtool -L lqva tx 4
make_gate
make_dests 2
need push +$((5 * MS)) "frame_ns=$((2 * MS)) guard_ns=50000 frames=4" "replace" 1:0 1:- 1:1 1:-
plan "$TESTDIR/plan"
tap_start "$TESTDIR/cap" 90 lqa:lqva
background "$TESTDIR/blast" blast udp --bytes 400000 --rate 1000000 --limit 60 lqa@10.0.0.1 -- \
	lqb@10.0.0.2 lqb@10.0.0.3
blasting=$pid
flips=0
for _ in $(seq 20); do
	echo 0 >$CPU && sleep 0.05 && echo 1 >$CPU && sleep 0.05 && flips=$((flips + 1))
done
wait "$blasting"
tap_stop
# The order is judged where the gate releases. Where they arrive, 1 of 800 came in another order in
# a run whose releases were in order: as dev_cpu_dead() reads, the core puts what a dying processor
# has received behind what another has received since.
sed 's/^/# /' "$TESTDIR/blast"
compare "all is received while a processor comes and goes" \
	"$(field received "$TESTDIR/blast")" = "$(field sent "$TESTDIR/blast")"
for what in lost doubled corrupt unsent; do
	compare "none is $what" "$(field $what "$TESTDIR/blast")" = 0
done
judge_capture "each destination's packets leave in order, and in their frames" "$TESTDIR/cap" \
	--plan 0 "$TESTDIR/plan"
compare "it came and went 20 times" "$flips" = 20
compare "no queue holds packets afterwards" "$(gate state.qlen)" = 0
finish

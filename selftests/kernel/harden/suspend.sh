#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The machine is suspended: afterwards frames are those of the clock, which has gone on, and a lease
# that has ended meanwhile is over at once.
#
# The kernel takes all steps but the last (/sys/power/pm_test): devices, processors and timekeeping
# are suspended, and it resumes after a while.
# modes: normal
# runs: 6.1-normal
# timeout: 120
. /liquid/lib/guest.sh
start
grep -qs core /sys/power/pm_test || skip_all "this kernel cannot be suspended in a test"
make_pair
make_gate
make_dests 3
FRAME=$((4 * MS * SCALE))

# suspend SECONDS
suspend()
{
	echo core >/sys/power/pm_test
	echo "$1" >/sys/module/suspend/parameters/pm_test_delay
	echo mem >/sys/power/state
}

# ns of the clock that is stopped meanwhile
monotonic()
{
	sed -n 's/^now at \([0-9]*\) nsecs/\1/p' /proc/timer_list
}

load_it()
{
	need blast udp --bytes 60000 --rate $((8000000 / SCALE)) --limit 60 --port "$1" \
		lqa@10.0.0.1 -- lqb@10.0.0.2 lqb@10.0.0.3 lqb@10.0.0.4
}

need push 0 "frame_ns=$FRAME guard_ns=$((FRAME / 20)) frames=4" "lease_ns=$((120000 * MS))" \
	1:0 1:1 1:2 1:-
sleep 0.1
plan "$TESTDIR/plan"
tap_start "$TESTDIR/cap" 100 lqa:lqva
load_it 6000
steps=$(gate stats.clock_steps)
tai=$(now)
mono=$(monotonic)
need suspend 3
tai=$(($(now) - tai))
mono=$(($(monotonic) - mono))
echo "# while it was suspended CLOCK_TAI went on by $((tai / MS)) ms, the other by $((mono / MS))"
compare "the machine was suspended" $((tai - mono)) -gt $((1500 * MS))
load_it 7000
tap_stop
judge_capture "before and after, all packets are in frames" "$TESTDIR/cap" --plan 0 \
	"$TESTDIR/plan" --always
compare "the gate has noticed the step of the clock" "$(gate stats.clock_steps)" -gt "$steps"
compare "TAI - UTC is kept" "$(gate state.tai_offset)" = 37
compare "a long lease goes on" "$(gate state.mode) $(gate stats.lease_expired)" = "1 0"

need push 0 "frame_ns=$FRAME frames=2" "replace lease_ns=$((3000 * MS))" 1:0 1:1
suspend 5
compare "one that has ended meanwhile is over at once" \
	"$(gate state.mode) $(gate stats.lease_expired)" = "0 1"
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Where there is no memory to tell an event, who listens is told that one was lost.
# modes: normal
# kernels: 6.1-debug
# timeout: 120
. /liquid/lib/guest.sh
. /liquid/lib/notify.sh
start
FAULTS=/sys/kernel/debug/failslab
[ -e $FAULTS ] || skip_all "the kernel cannot make allocations fail (CONFIG_FAILSLAB)"
make_pair
make_gate
make_dests 2

# Do the work items' allocations fail ($1: 100), or not (0)?
starve()
{
	for kthread in $(pidof kthreadd) \
		$(ps -o pid,comm | sed -n 's/^ *\([0-9]*\) kworker.*/\1/p'); do
		echo 1 >/proc/"$kthread"/make-it-fail
	done 2>/dev/null
	echo "$1" >$FAULTS/probability
}

need sh -c "echo Y >$FAULTS/task-filter"
need sh -c "echo N >$FAULTS/ignore-gfp-wait"
need sh -c "echo 0 >$FAULTS/verbose"
need sh -c "echo -1 >$FAULTS/times"
need in_ns lqa liquid-nl show lqva --json
listen "$TESTDIR/told" lqa --json
need push +$((3600000 * MS)) "frame_ns=$MS frames=2" "" 1:0 1:1
told "with memory: the event" "$TESTDIR/told" '"kind":"committed"' 1
starve 100
need push +$((3600000 * MS)) "frame_ns=$MS frames=3" replace 1:0 1:1 1:-
told "without: that something was lost" "$TESTDIR/told" '^{"kind":"lost"}$' 1
starve 0
compare "a listener without memory receives nothing else" "$(wc -l <"$TESTDIR/told")" = 2
compare "the gate does not mind" "$(gate admin.frames)" = 3
need push +$((3600000 * MS)) "frame_ns=$MS frames=2" replace 1:0 1:1
told "with memory again: what comes then" "$TESTDIR/told" '"kind":"committed"' 2
need sh -c "echo N >$FAULTS/task-filter"
finish

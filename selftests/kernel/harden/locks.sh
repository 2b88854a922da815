#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Who only reads, and who closes a socket, disturbs no one: a dump takes the root lock a few times a
# message, a socket without a transaction takes no lock, and one with a transaction waits for no one
# who fills a large schedule.
# modes: icount
# runs: 6.1-icount
# timeout: 60
. /liquid/lib/guest.sh
start
TRACE=/sys/kernel/tracing
[ -e $TRACE/kprobe_events ] || skip_all "no kprobes in this kernel"
make_pair
make_gate
table lqa lqva <<'END'
640 destinations | fill-dests 640 10.1.0.0 | ok
END
lock=$(sed -n 's/^\([0-9a-f]*\) . liquid_stage_lock\t.*/\1/p' /proc/kallsyms)
need test "$lock"
echo 0 >$TRACE/events/enable
need sh -c "echo 'p:liquid_stop liquid_pass_stop' >$TRACE/kprobe_events"
# With lockdep the function has another name.
enter=$(sed -n 's/^.* T \(mutex_lock\|mutex_lock_nested\)$/\1/p' /proc/kallsyms | tail -n 1)
need sh -c "echo 'p:liquid_mutex $enter lock=%di:u64' >>$TRACE/kprobe_events"
need sh -c "echo 'p:liquid_unlock mutex_unlock lock=%di:u64' >>$TRACE/kprobe_events"
for event in liquid_mutex liquid_unlock; do
	echo "lock == 0x$lock" >$TRACE/events/kprobes/$event/filter
done

# hits EVENT COMMAND...: how often the kernel came by during the command; sets hits
hits()
{
	event=$1
	shift
	echo >$TRACE/trace
	echo 1 >$TRACE/events/kprobes/"$event"/enable
	"$@" >"$LOG" 2>&1
	echo 0 >$TRACE/events/kprobes/"$event"/enable
	hits=$(grep -c "$event:" $TRACE/trace)
}

hits liquid_stop in_ns lqa wire count lqva
compare "a dump has all destinations" "$(cut -d' ' -f1 "$LOG")" = 640
compare "and stops the short path" "$hits" -gt 0
compare "at most three times a message, not once a destination" "$hits" \
	-le $((3 * ($(cut -d' ' -f2 "$LOG") + 1)))
compare "64 destinations are one message" "$(cut -d' ' -f2 "$LOG")" -le 20
hits liquid_mutex in_ns lqa wire get lqva
compare "a socket that has only read is closed without a lock" "$hits" = 0
echo "begin | begin sched{frame_ns=1000000 frames=1} | ok" >"$TESTDIR/begin"
hits liquid_mutex in_ns lqa sh -c "wire script lqva <$TESTDIR/begin"
compare "one with a transaction takes it twice: to open that, and to drop it" "$hits" = 2

# held: the longest time for which the mutex was held, in us
held()
{
	sed -n 's/^.* \([0-9]*\)\.\([0-9]*\): \(liquid_mutex\|liquid_unlock\): .*/\1\2 \3/p' \
		$TRACE/trace | awk '
		$2 == "liquid_mutex" { from = $1 }
		$2 == "liquid_unlock" && $1 - from > most { most = $1 - from }
		END { print most + 0 }'
}

FRAMES=1048576
echo 1 >$TRACE/events/kprobes/liquid_unlock/enable
hits liquid_mutex push +$((100 * MS)) "frame_ns=$MS frames=$FRAMES" "" $FRAMES:-
compare "a schedule of $FRAMES frames: it is taken for begin, entries and commit" \
	"$hits" -ge 5
echo "# held for $(held) us at most"
compare "never while frames are filled or sorted" "$(held)" -lt $((DEBUG ? 1000 : 20))
echo 0 >$TRACE/events/enable
echo >$TRACE/kprobe_events
finish

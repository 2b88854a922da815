# SPDX-License-Identifier: GPL-2.0-only
# The gate's tracepoints, for tests that look at what is charged, and when.
# shellcheck shell=dash

TRACE=/sys/kernel/tracing
[ -e $TRACE/trace_clock ] || TRACE=/sys/kernel/debug/tracing

# trace_start EVENT...: stamps are CLOCK_MONOTONIC, as the gate's own times are
trace_start()
{
	echo mono >$TRACE/trace_clock
	echo 0 >$TRACE/events/enable
	echo >$TRACE/trace
	for event; do
		need sh -c "echo 1 >$TRACE/events/$event/enable"
	done
}

# trace_stop FILE
trace_stop()
{
	echo 0 >$TRACE/events/enable
	grep -v '^#' $TRACE/trace >"$1"
}

# charges FILE: wire time, ns, charged to each released packet but the first, which had an idle wire
charges()
{
	sed -n 's/.* liquid_dequeue: .* vfinish=\([0-9]*\)$/\1/p' "$1" |
		awk 'NR > 1 { print $1 - last } { last = $1 }'
}

# releases FILE DEST: "US LENGTH" of each packet that was released to DEST (-1: of no destination)
releases()
{
	release="liquid_dequeue: .* dest=$2 len"
	sed -n "s/^.* \([0-9]*\)\.\([0-9]*\): $release=\([0-9]*\) .*/\1\2 \3/p" "$1"
}

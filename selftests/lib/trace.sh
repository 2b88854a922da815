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

# trace_packets EVENT...: the gates' releases, and what the driver gets, for "released". It tells
# packets by their addresses, of which the guest prints no hashes, since it has too little entropy.
# Kernels before 5.12 print neither; without the hashes, 6.1 prints no names of devices. Beats tell
# when the host takes a processor away; a deterministic guest has none.
trace_packets()
{
	heartbeat=
	echo ready >"$TESTDIR/heartbeat"
	if [ "${LIQUID_ICOUNT:-0}" = 0 ]; then
		background "$TESTDIR/heartbeat" heartbeat 1000000
		heartbeat=$pid
		await grep -q ready "$TESTDIR/heartbeat" || need false
	fi
	need sh -c "echo 8192 >$TRACE/buffer_size_kb"
	[ ! -e $TRACE/options/hash-ptr ] || need sh -c "echo 0 >$TRACE/options/hash-ptr"
	# The names of tasks are not needed, and to stop recording them changes the code of the
	# scheduler: an emulated processor has been seen to stay in it for ever, with its lock held.
	need sh -c "echo 0 >$TRACE/options/record-cmd"
	trace_start liquid/liquid_dequeue net/net_dev_start_xmit "$@"
}

# trace_stop FILE
trace_stop()
{
	echo 0 >$TRACE/events/enable
	grep -v '^#' $TRACE/trace >"$1"
	[ ! -e $TRACE/options/hash-ptr ] || echo 1 >$TRACE/options/hash-ptr
}

# trace_packets_stop: writes trace and heartbeat
trace_packets_stop()
{
	trace_stop "$TESTDIR/trace"
	[ -z "$heartbeat" ] || kill "$heartbeat"
	[ -z "$heartbeat" ] || wait "$heartbeat" 2>/dev/null
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

# SPDX-License-Identifier: GPL-2.0-only
# How long the functions take that run under a gate's lock; after trace.sh. An instruction takes
# 1 ns in a deterministic guest.
# shellcheck shell=dash disable=SC2034

# us that a visit may take
MOST=50

can_time()
{
	grep -qw function_graph $TRACE/available_tracers
}

# Functions that run under the lock from beginning to end
visits_start()
{
	trace_start
	echo >$TRACE/set_ftrace_filter
	for function in liquid_dequeue_slow liquid_enqueue_slow liquid_delete_visit \
		liquid_gate_purge liquid_gate_check liquid_sched_drop liquid_dests_visit \
		liquid_snapshot_visit; do
		need sh -c "echo $function >>$TRACE/set_ftrace_filter"
	done
	need sh -c "echo 1 >$TRACE/options/funcgraph-tail"
	need sh -c "echo function_graph >$TRACE/current_tracer"
}

# visits_find: stop, and set longest, in us
visits_find()
{
	cp $TRACE/trace "$TESTDIR/visits"
	echo nop >$TRACE/current_tracer
	sed -n 's/^.* \([0-9]*\.[0-9]*\) us .* \(liquid_[a-z_]*\).*/\2 \1/p' \
		"$TESTDIR/visits" | sort -k 2 -n >"$TESTDIR/times"
	longest=$(tail -n 1 "$TESTDIR/times" | sed 's/.* //; s/\..*//')
}

# visits_stop NAME FUNCTION FEWEST: visits of FUNCTION, and the longest of all, in us
visits_stop()
{
	visits_find
	echo "# $1: $(grep -c . "$TESTDIR/times") visits," \
		"the longest $(tail -n 1 "$TESTDIR/times") us"
	compare "$1: visits of $2" "$(grep -c "^$2 " "$TESTDIR/times")" -ge "$3"
	compare "$1: no visit takes more than $MOST us" "${longest:-999}" -lt $MOST
}

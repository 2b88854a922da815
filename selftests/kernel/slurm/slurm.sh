#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Jobs of a real Slurm on four nodes of liquid_lab: what they exchange is gated, from its first
# packet to its last; jobs that share links are not both gated. Nothing is left of them.
# adds: slurm
# modes: long
# One kernel, for the time that it takes.
# kernels: 6.1
# timeout: 200
set -u

. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/slurm.sh
host_has slurmctld

BYTES=200000
# half a second of work and three of rest, say
LONG="--rounds 8 --pause 500 --bytes $BYTES"

# The links of each path, by hand: the nodes 1 and 2 are on one leaf, 3 and 4 on the other.
paths()
{
	for s in $NODES; do
		for d in $NODES; do
			[ "$s" = "$d" ] && continue
			up=$(((s + 1) / 2))
			down=$(((d + 1) / 2))
			[ $up = $down ] && trunk= || trunk="up$up down$down"
			echo "$((s - 1)) 10.9.0.$d out$s $trunk in$d"
		done
	done
}

# The schedule of each node as the kernel has it, before it is in force
plans()
{
	PLANS=
	for n in $NODES; do
		need in_ns h$n sh -c "wire plan h$n admin >$TESTDIR/plan.$n"
		PLANS="$PLANS --plan $((n - 1)) $TESTDIR/plan.$n"
	done
}

# Each number of a kind that the judge has found: found KEY
found()
{
	sed -n "s/.* $1=\([0-9]*\).*/\1/p" "$TESTDIR/verdict" | sort -un | tr '\n' ' '
}

fabric_start
make_cluster
make_conf
slurm_start

# ---- all that leaves the nodes' ports is captured ----
paths >"$TESTDIR/paths"
tap_start "$TESTDIR/cap" 100 h1:h1 h2:h2 h3:h3 h4:h4
submit first 'h[1-4]' "$CLUSTER/exchange --bytes $BYTES"
await_that "a job is gated" is_state "$job" gated
plans
await_that "it ends" slurm_state "$job" COMPLETED
compare "its four ranks have what was sent to them" "$(exchanged first $BYTES)" = 4
await_nothing "a job"
tap_stop
# One processor does the fabric's work for all four nodes between the gate's look at the clock and
# the tap's.
judge_capture "every packet of its exchange left in its frame, and none met another on a link" \
	"$TESTDIR/cap" --slack 100000 --path "$TESTDIR/paths" $PLANS
compare "none left before there was a schedule" "$(found ungated)" = "0 "
compare "each node's exchange is in the capture" "$(found bytes | cut -d' ' -f1)" -gt $((3 * BYTES))
compare "no packet was late" "$(count_all stats.late)" = 0
compare "its end is noted" "$(state_of "$job")" = ended

# The judge is not blind: what a job without gates sends is not in those frames.
tap_start "$TESTDIR/cap" 100 h1:h1 h2:h2 h3:h3 h4:h4
submit plain 'h[1-4]' "$CLUSTER/exchange --bytes $BYTES" -p other
await_that "a job of a partition without traffic runs, ungated" slurm_state "$job" COMPLETED
await_nothing "an ungated job"
tap_stop
compare "no one gates for it" "$(gating "$job")" = 0
refuse "its packets are not in the frames of the first job" judge "$TESTDIR/cap" \
	--slack $SLACK $PLANS

# ---- one after the other ----
submit one 'h[1-4]' "$CLUSTER/exchange --bytes $BYTES"
one=$job
submit two 'h[1-4]' "$CLUSTER/exchange --bytes $BYTES"
await_that "of two jobs for all nodes one is gated" is_state "$one" gated
compare "while the other waits for nodes" "$(slurm_state "$job" PENDING)" = PENDING
await_that "then the other is gated" is_state "$job" gated
await_that "and ends" slurm_state "$job" COMPLETED
compare "all nodes gated for the first job" "$(gating "$one")" = 4
compare "all nodes gated for the other job" "$(gating "$job")" = 4
compare "all ranks of both have what was sent to them" \
	"$(exchanged one $BYTES)$(exchanged two $BYTES)" = 44
await_nothing "two jobs"

# ---- two at once ----
submit near 'h[1-2]' "$CLUSTER/exchange $LONG"
near=$job
submit far 'h[3-4]' "$CLUSTER/exchange $LONG"
both()
{
	is_state "$near" gated && is_state "$job" gated && [ "$(schedules | wc -l)" = 4 ]
}
await_that "two jobs that share no link are gated at once" both
await_that "both end: one" slurm_state "$near" COMPLETED
await_that "both end: the other" slurm_state "$job" COMPLETED
await_nothing "two jobs at once"

submit left h1,h3 "$CLUSTER/exchange $LONG"
left=$job
await_that "a job across the spine is gated" is_state "$left" gated
submit right h2,h4 "$CLUSTER/exchange --rounds 2 --bytes $BYTES"
await_that "another that would share its links ends" slurm_state "$job" COMPLETED
check "the reason is reported why it is not gated" \
	grep "^job $job: not gated: it shares link .* with job $left" "$CLUSTER/said"
compare "a job that is not gated has run" "$(exchanged right $((2 * BYTES)))" = 2
compare "the first one gates all the while" "$(is_state "$left" gated)" = gated
await_that "and ends" slurm_state "$left" COMPLETED
compare "the job that gates has all that was sent to it" "$(exchanged left $((8 * BYTES)))" = 2
await_nothing "two jobs that share links"
slurm_finish

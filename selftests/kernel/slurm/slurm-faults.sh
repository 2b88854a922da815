#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Jobs of a real Slurm that go wrong: cancelled, a slurmd killed, a prologue that fails or is late,
# a clock that nothing disciplines. All nodes of a job gate or none does, and nothing is left.
# slurm-ends.sh has other faults.
# adds: slurm
# modes: icount
# One kernel each for this and slurm.sh, for the time that they take.
# kernels: 6.12
# timeout: 280
set -u

. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/slurm.sh
. /liquid/lib/slurm-faults.sh
host_has slurmctld

faults_start

gated_job cancelled "$ENDLESS"
need scancel "$job"
await_nothing cancelled
compare "cancelled: its end is noted" "$(state_of "$job")" = ended

gated_job killed "$ENDLESS"
need kill -KILL "$(cat "$CLUSTER/slurmd.h2.pid")"
await_that "a slurmd is killed: Slurm gives up the job" slurm_state "$job" NODE_FAIL
await_that "its tasks end, also where nobody ends them" no_process 'alltoall.--ma[p]'
await_that "no gate is left closed, also where no epilogue runs" no_schedule
start_slurmd 2
await_nothing "a slurmd was killed, and is there again"

echo "exit 1" >"$CLUSTER/hook/prolog.h3"
submit broken 'h[1-4]' "$SHORT"
await_that "a prologue fails on one node: it is drained" drained h3
need scancel "$job"
rm "$CLUSTER/hook/prolog.h3"
await_nothing "a prologue has failed on one node"
compare "no node gates" "$(gating "$job")" = 0

echo "sleep 12" >"$CLUSTER/hook/prolog.h3"
ungated_job late "3 of 4 nodes were ready in time"
rm "$CLUSTER/hook/prolog.h3"

kill "$clock"
wait "$clock" 2>/dev/null
need clockset step 0
ungated_job unsynchronised "STA_UNSYNC"
need clockset sync 20
keep_clock

faults_finish

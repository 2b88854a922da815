#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Jobs of a real Slurm that go wrong: cancelled, also before their base time, a slurmd killed, a
# prologue that fails or is late, a clock that nothing disciplines or of a wrong offset of TAI,
# epilogues that do not run, nobody who learns of the end. All nodes of a job gate or none does, and
# nothing is left. selftests/host/job/slurm.sh has such jobs with gates of a dry run.
# adds: slurm
# modes: long
# kernels: 6.1
# timeout: 560
set -u

. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/slurm.sh
host_has slurmctld

# Two rounds and three seconds between them; and one that somebody must end
SHORT="$CLUSTER/exchange --rounds 2 --pause 3000 --bytes 50000"
ENDLESS="$CLUSTER/exchange --rounds 1000 --pause 2000 --bytes 50000"

runs()
{
	! no_process 'alltoall.--ma[p]'
}

# A job of all nodes that is gated, and whose tasks run. gated_job NAME COMMAND OPTION...
gated_job()
{
	what=$1
	command=$2
	shift 2
	submit "$what" 'h[1-4]' "$command" "$@"
	await_that "$what: it is gated" is_state "$job" gated
	await_that "$what: it runs" runs
}

# A job that has run without any gate, because of what its prologues said. ungated_job NAME WORDS
ungated_job()
{
	submit "$1" 'h[1-4]' "$SHORT"
	await_that "$1: the job runs" slurm_state "$job" COMPLETED
	compare "$1: all ranks have what was sent to them" "$(exchanged "$1" 100000)" = 4
	compare "$1: no node gates" "$(gating "$job")" = 0
	check "$1: it is told why" grep "$2" "$CLUSTER/said"
	await_nothing "$1"
}

# Processes that keep gates for a job's life
staying()
{
	grep -la 'liquid-nl.job.read[y]' /proc/[0-9]*/cmdline 2>/dev/null | cut -d/ -f3
}

fabric_start
make_cluster
make_conf
slurm_start

gated_job cancelled "$ENDLESS"
need scancel "$job"
await_nothing cancelled
compare "cancelled: its end is noted" "$(state_of "$job")" = ended

gated_job killed "$ENDLESS"
need kill -KILL "$(cat "$CLUSTER/slurmd.h2.pid")"
await_that "a slurmd is killed: Slurm gives up the job" slurm_state "$job" NODE_FAIL
await_that "its tasks end, also where no one ends them" no_process 'alltoall.--ma[p]'
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

submit early 'h[1-4]' "$ENDLESS"
await_that "cancelled before its base time: it is agreed on" is_state "$job" gated
need scancel "$job"
await_nothing "cancelled before its base time"

touch "$CLUSTER/hook/no-epilog"
gated_job forgotten "$SHORT"
await_that "no epilogue: the job ends" slurm_state "$job" COMPLETED
await_nothing "no epilogue ever runs"
compare "no epilogue: who stays has opened the gates, not their lease" \
	"$(count_all stats.lease_expired)" = 0

# Nobody is there either who would learn of the end.
gated_job abandoned "$SHORT"
for process in $(staying); do
	need kill -KILL "$process"
done
await_that "no epilogue, and nobody stays: the job ends" slurm_state "$job" COMPLETED
await_nothing "no epilogue, and nobody stays"
compare "the gates have opened for their lease" "$(count_all stats.lease_expired)" = 4

# Not even the controller notes the end: then the job's time limit is what ends it.
touch "$CLUSTER/hook/no-end"
gated_job unnoticed "$SHORT" -t 1
await_that "its end is noted nowhere: the job ends" slurm_state "$job" COMPLETED
compare "its gates are renewed" "$(schedules | wc -l)" = 4
sleep 80
await_nothing "a job whose end is noted nowhere"
compare "its time was over" "$(state_of "$job") $(count_all stats.lease_expired)" = "ended 4"
rm "$CLUSTER/hook/no-end" "$CLUSTER/hook/no-epilog"

echo "tai-offset 36" >>"$CLUSTER/etc.4/liquid.conf"
ungated_job tai "TAI - UTC offset is 37 s, and .tai-offset. of .* is 36 s"
sed -i '/^tai-offset/d' "$CLUSTER/etc.4/liquid.conf"

gated_job last "$SHORT"
await_that "after all that a job is gated, and ends" slurm_state "$job" COMPLETED
compare "the job after all faults has what was sent" "$(exchanged last 100000)" = 4
await_nothing last
slurm_finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Jobs of a real Slurm that go wrong, beside slurm-faults.sh: cancelled before their base time,
# epilogues that do not run, nobody who learns of the end, a wrong offset of TAI. All nodes of a job
# gate or none does, and nothing is left.
# adds: slurm
# modes: long
# kernels: 6.1
# timeout: 280
set -u

. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/slurm.sh
. /liquid/lib/slurm-faults.sh
host_has slurmctld

# Processes that keep gates for a job's life
staying()
{
	grep -la 'liquid-nl.job.read[y]' /proc/[0-9]*/cmdline 2>/dev/null | cut -d/ -f3
}

faults_start

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

faults_finish

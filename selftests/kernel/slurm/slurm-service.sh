#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Jobs of a real Slurm whose nodes agree by the service on the controller, over the network that
# Slurm has: nodes have neither store nor fabric. Also jobs of several parts and runs: each array
# task and each component of a heterogeneous job is its own job, a requeued one a new run.
# adds: slurm
# modes: long
# kernels: 6.1
# timeout: 400
set -u

. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/slurm.sh
host_has slurmctld unmunge

BYTES=50000
LONG="$CLUSTER/exchange --rounds 1000 --pause 2000 --bytes $BYTES"
SHORT="$CLUSTER/exchange --rounds 2 --pause 1000 --bytes $BYTES"
# that starts heterogeneous jobs
SCHEDULER="sched/backfill
SchedulerParameters=bf_interval=1"

# What each task knows, to its own file; then it exchanges
make_know()
{
	cat >"$CLUSTER/know" <<-END
	#!/bin/sh
	name="\$SLURM_JOB_ID@\$SLURMD_NODENAME"
	ls "/run/liquid-jobs/\$name" "/run/liquid-jobs/\$name@plan" >"$CLUSTER/know.\$name" 2>&1
	head -n 1 "/run/liquid-jobs/\$name@plan" >>"$CLUSTER/know.\$name" 2>&1
	exec $CLUSTER/exchange "\$@"
	END
	chmod +x "$CLUSTER/know"
}

fabric_start
make_cluster
make_conf
for n in $NODES; do
	rm "$CLUSTER/etc.$n/fabric" "$CLUSTER/etc.$n/addresses"
	# a task asks for its peers' addresses there
	cp "$TESTDIR/addresses" "$CLUSTER/map"
done
slurm_start
sed -i "s|/etc/liquid/addresses|$CLUSTER/map|" "$CLUSTER/exchange"
make_know

# ---- a job ----

submit first 'h[1-4]' "$CLUSTER/know --bytes $BYTES"
first=$job
await_that "a job is gated" is_state "$job" gated
await_that "it ends" slurm_state "$job" COMPLETED
compare "its four ranks have what was sent to them" "$(exchanged first $BYTES)" = 4
compare "all of its nodes gated" "$(gating "$job")" = 4
compare "no packet was late" "$(count_all stats.late)" = 0
check "the service has told both decisions" \
	grep "round $first-1: all 4 nodes gate" "$CLUSTER/served"
compare "each task had the notice of its node, and its plan" \
	"$(cat "$CLUSTER"/know."$first"@h? | grep -c '^liquid-plan 1$')" = 4
await_nothing "a job"
compare "its end is noted" "$(state_of "$first")" = ended
compare "and nothing is left of notices" "$(find /run/liquid-jobs -type f | wc -l)" = 0

# ---- an array ----

submit array 'h[1-4]' "$SHORT" --array=0-1
await_that "an array's first task is gated" is_state "$((job + 1))" gated
await_that "an array ends" sh -c "[ -z \"\$(squeue -h -j $job 2>/dev/null)\" ]"
await_nothing "an array"
liquid-nl job status >"$TESTDIR/status"
compare "each of its tasks was its own job" \
	"$(grep -cE "^job ($job|$((job + 1))): ended, round ($job|$((job + 1)))-1," \
	"$TESTDIR/status")" = 2
compare "and all nodes have gated for both" "$(gating "$job")$(gating $((job + 1)))" = 44

# sent_by JOB: of all pairs of nodes, those whose bytes in the report are those of one job: two
# rounds and their headers, and acknowledgements of as much
sent_by()
{
	liquid-nl job report "$1" --json | tr -d ' \n' | grep -oE '"dests":\[[^]]*' |
		grep -oE '"bytes":[0-9]+' |
		awk -F : -v least=$((2 * BYTES)) -v most=$((5 * BYTES / 2)) \
			'$2 >= least && $2 <= most { count++ } END { print count + 0 }'
}
compare "the report of each has its own traffic, on gates that have counted others'" \
	"$(sent_by "$job") $(sent_by $((job + 1)))" = "12 12"

# ---- a heterogeneous job ----

cat >"$CLUSTER/het.job" <<END
#!/bin/sh
srun --het-group=0,1 sh -c '
	liquid-nl job status --node "\$SLURMD_NODENAME" >$CLUSTER/het.\$SLURMD_NODENAME; sleep 3'
END
need sbatch --parsable -p gated -J het -o "$CLUSTER/het.out" -w 'h[1-2]' --ntasks-per-node=1 : \
	-p gated -w 'h[3-4]' --ntasks-per-node=1 "$CLUSTER/het.job"
job=$(cat "$LOG")
await_that "both components of a heterogeneous job are gated: one" is_state "$job" gated
await_that "and the other" is_state "$((job + 1))" gated
await_that "it ends" sh -c "[ -z \"\$(squeue -h -j $job,$((job + 1)) 2>/dev/null)\" ]"
await_nothing "a heterogeneous job"
cat "$CLUSTER"/het.h? >"$TESTDIR/het"
compare "each task is informed of its component: the first one" \
	"$(head -n 2 "$TESTDIR/het" | grep -c "^job $job: gated, round $job-1,")" = 2
compare "each task is informed of its component: the other" \
	"$(tail -n 2 "$TESTDIR/het" |
		grep -c "^job $((job + 1)): gated, round $((job + 1))-1,")" = 2
compare "each component's nodes have gated for it" "$(gating "$job")$(gating $((job + 1)))" = 22

# ---- a requeued job ----

submit again 'h[1-4]' "$LONG" --requeue
await_that "a job is gated for the first time" is_state "$job" gated
cp "$TESTDIR/store/rounds/$job-1/release.json" "$TESTDIR/before"
need scontrol requeue "$job"
await_that "requeued, its first run is over" is_state "$job" ended
await_nothing "a requeued job"
# slurmd distinguishes a new run from the old one by seconds: in the same one it runs no prologue.
sleep 2
need scontrol update JobId="$job" StartTime=now
await_that "it is gated anew" is_state "$job" gated
compare "by a separate round" \
	"$(liquid-nl job status "$job" | grep -c "^job $job: gated, round $job-2,")" = 1
all_again()
{
	[ "$(gating "$job")" = 8 ]
}
await_that "on all nodes" all_again
refuse "whose verdict is not the old one" \
	cmp "$TESTDIR/before" "$TESTDIR/store/rounds/$job-2/release.json"

# ---- more time ----

need scontrol update JobId="$job" TimeLimit=90
compare "a job that is given more time stays gated" "$(state_of "$job")" = gated
need scancel "$job"
await_nothing "a job that was cancelled"
compare "and its end is noted" "$(state_of "$job")" = ended

# ---- a clock that is set ----

# Between the two decisions, or after them, an hour back: time limits are not the clock's, so no
# prologue waits for that hour, and no gate stays closed for it.
step_when_released()
{
	[ -e "$TESTDIR/store/rounds/$job-1/release.json" ] && clockset step -3600
}
submit stepped 'h[1-4]' "$SHORT"
await_that "the clock is set back by an hour once a round is released" step_when_released
await_that "the job runs all the same" slurm_state "$job" COMPLETED
compare "all ranks have what was sent to them" "$(exchanged stepped $((2 * BYTES)))" = 4
await_nothing "a job whose clock was set"
need clockset step 3600
need clockset sync 20
submit right 'h[1-4]' "$SHORT"
await_that "when the clock is right again a job is gated" is_state "$job" gated
await_that "and ends well" slurm_state "$job" COMPLETED
await_nothing "a job after it"

# ---- the service ----

kill -KILL "$(cat "$CLUSTER/serve.pid")"
submit without 'h[1-4]' "$SHORT"
await_that "without the service a job runs" slurm_state "$job" COMPLETED
compare "ungated" "$(gating "$job")" = 0
compare "all ranks have what was sent to them" "$(exchanged without $((2 * BYTES)))" = 4
check "and the reason is reported" grep "the service control does not answer" "$CLUSTER/said"
await_nothing "a job without the service"
serve
submit back 'h[1-4]' "$SHORT"
await_that "when it is back a job is gated" is_state "$job" gated
await_that "and ends" slurm_state "$job" COMPLETED
await_nothing "the last job"
slurm_finish

# SPDX-License-Identifier: GPL-2.0-only
# Jobs of all nodes of a Slurm that go wrong. After slurm.sh.
# shellcheck shell=dash

# Two rounds and three seconds between them; and one that somebody must end
SHORT="$CLUSTER/exchange --rounds 2 --pause 3000 --bytes 50000"
ENDLESS="$CLUSTER/exchange --rounds 1000 --pause 2000 --bytes 50000"

runs()
{
	! no_process 'alltoall.--ma[p]'
}

faults_start()
{
	fabric_start
	make_cluster
	make_conf
	slurm_start
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

# The cluster works after all faults, and ends.
faults_finish()
{
	gated_job last "$SHORT"
	await_that "after all that a job is gated, and ends" slurm_state "$job" COMPLETED
	compare "the job after all faults has what was sent" "$(exchanged last 100000)" = 4
	await_nothing last
	slurm_finish
}

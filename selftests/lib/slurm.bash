# SPDX-License-Identifier: GPL-2.0-only
# A Slurm of the test's own; after cli.bash and serve.bash.
# shellcheck shell=bash disable=SC2154

# contained SECONDS: daemons that do not end when they are told to end with the test, also where it
# is killed; mounts are the test's own.
contained()
{
	if [ -z "${LIQUID_CONTAINED:-}" ]; then
		cd / && rmdir "$work"
		exec "$here/contain" "$1" /dev/null "$here/host/job/${0##*/}"
	fi
	for program in slurmctld slurmd srun munged setpriv; do
		command -v $program >/dev/null && [ "$(id -u)" = 0 ] &&
			id munge slurm >/dev/null 2>&1 ||
			skip_all "Slurm, munge, their users or root is missing ($program)"
	done
	tr '\0' ' ' </proc/1/cmdline | grep -q '/contain inside ' ||
		skip_all "mounts are not its own"
	mount -t tmpfs -o mode=755 tmpfs /run
	trap stop_slurm EXIT
	trap 'exit 1' INT TERM
	chmod 755 "$work"
}

# The nodes first: a slurmd does not end before its controller has heard of its last epilogue.
stop_slurm()
{
	nodes=$(cat "$work"/slurmd.*.pid 2>/dev/null)
	# shellcheck disable=SC2086 # one word per process
	[ -z "$nodes" ] || kill $nodes 2>/dev/null
	within 5 nodes_ended
	end_work
	rm -rf "$work"
}
nodes_ended()
{
	for node in $nodes; do
		[ ! -e "/proc/$node" ] || return 1
	done
}

# write_slurm_conf ADDRESS PORT [LINE...]: slurm.conf of a controller there
write_slurm_conf()
{
	install -d -o slurm state log run
	cat >slurm.conf <<-END
		ClusterName=liquid
		SlurmctldHost=$(hostname -s)($1)
		SlurmUser=slurm
		SlurmdUser=root
		AuthType=auth/munge
		AuthInfo=socket=$work/munge/socket
		CredType=cred/munge
		SlurmctldPort=$2
		StateSaveLocation=$work/state
		SlurmctldPidFile=$work/run/slurmctld.pid
		SlurmctldLogFile=$work/log/slurmctld.log
		SlurmdSpoolDir=$work/spool.%n
		SlurmdPidFile=$work/slurmd.%n.pid
		SlurmdLogFile=$work/log/slurmd.%n.log
		ProctrackType=proctrack/pgid
		TaskPlugin=task/none
		JobAcctGatherType=jobacct_gather/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core
		MpiDefault=none
		ReturnToService=2
		SlurmdParameters=config_overrides
	END
	printf '%s\n' "${@:3}" >>slurm.conf
	export SLURM_CONF=$work/slurm.conf
}

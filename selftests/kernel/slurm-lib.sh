# SPDX-License-Identifier: GPL-2.0-only
# A cluster with a real Slurm in one guest; after lib.sh and fabric-lib.sh.
# shellcheck shell=dash
#
# slurmctld runs in the first namespace, slurmd of node hN in the namespaces of hN: network, in which
# are its port of liquid_fabric (10.9.0.N, the exchange) and a cable to the controller's bridge
# (10.77.0.N, Slurm's own packets); mounts, of which /etc/liquid is its own; host name.

PATH=$PATH:/usr/sbin
CLUSTER=$TESTDIR/cluster
NODES="1 2 3 4"
RATE=50M
FRAME=20ms

# Everything of Slurm's that the test starts, by its process ids in files
slurm_stop()
{
	for file in "$CLUSTER"/*.pid; do
		[ -e "$file" ] && kill -KILL "$(cat "$file")" 2>/dev/null
	done
	rm -f "$CLUSTER"/*.pid
}

slurm_finish()
{
	trap - EXIT
	slurm_stop
	await no_process slurm munged
	check "no process of Slurm's is left" no_process slurm munged
	fabric_down
	fabric_finish
}

# Is there none whose command line has one of these words in it? What there is, is printed.
no_process()
{
	for dir in /proc/[0-9]*; do
		line=$(tr '\0' ' ' <"$dir/cmdline" 2>/dev/null) || continue
		for word; do
			case "$line" in
			# the test itself
			*/slurm*.sh*) ;;
			*"$word"*) echo "${dir#/proc/}: $line"; return 1 ;;
			esac
		done
	done
}

# ---- networks ----

make_control()
{
	load veth bridge
	need ip link add lqctl type bridge
	need ip addr add 10.77.0.254/24 dev lqctl
	need ip link set lqctl up
	for n in $NODES; do
		need ip link add lqc$n type veth peer name lqctl netns h$n
		need ip link set lqc$n master lqctl up
		need ip -n h$n addr add 10.77.0.$n/24 dev lqctl
		need ip -n h$n link set lqctl up
		need ip -n h$n link set lo up
	done
}

# Two leaves with two nodes each, and one spine: jobs of two nodes share no link within a leaf.
make_cluster()
{
	need liquid-nl fabric make leaf-spine leaves=2 hosts=2 spines=1 -o "$FABRIC"
	need liquid-nl fabric make leaf-spine leaves=2 hosts=2 spines=2 -o "$TESTDIR/other"
	fabric_up --rate $RATE
	mkdir -p "$CLUSTER"
	chmod 755 "$TESTDIR"
	for n in $NODES; do
		# nobody solicits routers here
		in_ns h$n sysctl -q -w net.ipv6.conf.all.disable_ipv6=1
		echo "h$n 10.9.0.$n"
		need in_ns h$n liquid-nl attach h$n --rate $RATE
	done >"$TESTDIR/addresses"
	make_control
}

# What is the same on all nodes; make_conf LINE...
make_conf()
{
	cat >"$TESTDIR/conf" <<-END
	fabric /etc/liquid/fabric
	addresses /etc/liquid/addresses
	store $TESTDIR/store
	frame-time $FRAME
	clock refuse
	clock-error 1ms
	deadline 10s
	lead 2s
	traffic exchange alltoall
	partition gated exchange
	END
	for n in $NODES; do
		echo "device h$n h$n"
	done >>"$TESTDIR/conf"
	for line; do
		echo "$line"
	done >>"$TESTDIR/conf"
	for who in controller $NODES; do
		mkdir -p "$CLUSTER/etc.$who"
		cp "$TESTDIR/conf" "$CLUSTER/etc.$who/liquid.conf"
		cp "$FABRIC" "$TESTDIR/addresses" "$CLUSTER/etc.$who/"
	done
	mkdir -p /etc/liquid
	cp "$CLUSTER"/etc.controller/* /etc/liquid/
}

# ---- Slurm ----

slurm_conf()
{
	cat <<-END
	ClusterName=liquid
	SlurmctldHost=control(10.77.0.254)
	SlurmUser=root
	SlurmdUser=root
	AuthType=auth/munge
	AuthInfo=socket=$CLUSTER/munge/socket
	CredType=cred/munge
	StateSaveLocation=$CLUSTER/state
	SlurmctldPidFile=$CLUSTER/slurmctld.pid
	SlurmctldLogFile=$CLUSTER/slurmctld.log
	SlurmdSpoolDir=$CLUSTER/spool.%n
	SlurmdPidFile=$CLUSTER/slurmd.%n.pid
	SlurmdLogFile=$CLUSTER/slurmd.%n.log
	ProctrackType=proctrack/pgid
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	SchedulerType=sched/builtin
	SelectType=select/cons_tres
	SelectTypeParameters=CR_Core
	MpiDefault=none
	ReturnToService=2
	PrologFlags=Alloc
	PrologEpilogTimeout=30
	SlurmdTimeout=10
	KillWait=2
	Prolog=$CLUSTER/prolog.d/*
	Epilog=$CLUSTER/epilog.d/*
	PrologSlurmctld=/etc/slurm/liquid/prolog-slurmctld
	EpilogSlurmctld=/etc/slurm/liquid/epilog-slurmctld
	SlurmdParameters=config_overrides
	END
	for n in $NODES; do
		echo "NodeName=h$n NodeAddr=10.77.0.$n CPUs=1 RealMemory=100 State=UNKNOWN"
	done
	echo "PartitionName=gated Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
	echo "PartitionName=other Nodes=ALL MaxTime=INFINITE State=UP"
}

# Before and after the project's own scripts an operator may have others: here, to go wrong.
make_hooks()
{
	mkdir -p "$CLUSTER/prolog.d" "$CLUSTER/epilog.d" "$CLUSTER/hook"
	cat >"$CLUSTER/prolog.d/10-hook" <<-END
	#!/bin/sh
	[ ! -e "$CLUSTER/hook/prolog.\$SLURMD_NODENAME" ] || . "$CLUSTER/hook/prolog.\$SLURMD_NODENAME"
	END
	cat >"$CLUSTER/prolog.d/50-liquid" <<-END
	#!/bin/sh
	exec >>$CLUSTER/said 2>&1
	exec /etc/slurm/liquid/prolog
	END
	cat >"$CLUSTER/epilog.d/50-liquid" <<-END
	#!/bin/sh
	exec >>$CLUSTER/said 2>&1
	[ ! -e "$CLUSTER/hook/no-epilog" ] || exit 0
	exec /etc/slurm/liquid/epilog
	END
	chmod +x "$CLUSTER"/*.d/*
}

# A task of a job that exchanges: with those on the job's other nodes
make_task()
{
	cat >"$CLUSTER/exchange" <<-'END'
	#!/bin/sh
	exec alltoall --map /etc/liquid/addresses --self "$SLURMD_NODENAME" "$@" \
		$(scontrol show hostnames "$SLURM_JOB_NODELIST")
	END
	chmod +x "$CLUSTER/exchange"
}

start_munge()
{
	mkdir -p "$CLUSTER/munge"
	chmod 755 "$CLUSTER/munge"
	head -c 1024 /dev/urandom >"$CLUSTER/munge/key"
	chmod 400 "$CLUSTER/munge/key"
	need munged --force --key-file "$CLUSTER/munge/key" --socket "$CLUSTER/munge/socket" \
		--pid-file "$CLUSTER/munged.pid" --log-file "$CLUSTER/munge/log" \
		--seed-file "$CLUSTER/munge/seed"
}

# start_slurmd N
start_slurmd()
{
	need nsenter --net=/run/netns/h$1 unshare --mount --uts sh -c \
		"mount --bind $CLUSTER/etc.$1 /etc/liquid && hostname h$1 && slurmd -N h$1"
}

# As a daemon that disciplines the clock would, every second
keep_clock()
{
	background "$TESTDIR/clock" sh -c "while sleep 1; do clockset sync 20; done"
	clock=$pid
	clockset sync 20
}

slurm_start()
{
	keep_clock
	hostname control
	mkdir -p "$CLUSTER/state"
	# Nothing is confined here, and version 2 would want to be mounted all the same.
	echo CgroupPlugin=cgroup/v1 >"$CLUSTER/cgroup.conf"
	slurm_conf >"$CLUSTER/slurm.conf"
	export SLURM_CONF="$CLUSTER/slurm.conf"
	make_hooks
	make_task
	start_munge
	trap 'slurm_stop; cleanup' EXIT
	need slurmctld
	for n in $NODES; do
		mkdir -p "$CLUSTER/spool.h$n"
		start_slurmd $n
	done
	await_nodes
}

idle()
{
	[ "$(sinfo -h -p gated -t idle -o %D)" = 4 ]
}

await_nodes()
{
	await idle || await idle || await idle
}

# ---- jobs ----

# Sets job to its id. submit NAME NODES COMMAND, of which each node runs a task, OPTION...
submit()
{
	printf '#!/bin/sh\nsrun %s\n' "$3" >"$CLUSTER/$1.job"
	name=$1
	nodes=$2
	shift 3
	sbatch --parsable -p gated -J "$name" -o "$CLUSTER/$name.out" -w "$nodes" \
		--ntasks-per-node=1 "$@" "$CLUSTER/$name.job" >"$TESTDIR/id" 2>"$LOG" ||
		need false
	job=$(cat "$TESTDIR/id")
}

state_of()
{
	liquid-nl job status | sed -n "s/^job $1: \([a-z]*\).*/\1/p"
}

# is_state JOB STATE: as liquid-nl job status tells it
is_state()
{
	state_of "$1"
	[ "$(state_of "$1")" = "$2" ]
}

# slurm_state JOB STATE: as Slurm does
slurm_state()
{
	scontrol show job "$1" | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p'
	scontrol show job "$1" | grep -q "JobState=$2"
}

# What Slurm, the scripts and the job said of late
said()
{
	tail -n 20 "$CLUSTER/said" "$CLUSTER"/*.out "$CLUSTER/slurmctld.log" 2>/dev/null
	scontrol show nodes | grep -E 'NodeName|State=|Reason'
}

# await_that NAME COMMAND...: it comes true within half a minute
await_that()
{
	that=$1
	shift
	if await "$@" || await "$@" || await "$@"; then
		ok "$that"
	else
		{ "$@"; said; } >"$LOG" 2>&1
		not_ok "$that"
	fi
}

# Nodes with a schedule in force or waiting, packets that wait, and what runs that jobs have started
schedules()
{
	for n in $NODES; do
		in_ns h$n liquid-nl show h$n | grep -Eq '^  (oper|admin) ' && echo h$n
	done
}

waiting()
{
	for n in $NODES; do
		in_ns h$n wire get h$n state.qlen
	done | grep -v '^0$'
}

# The sum of a counter over all gates
count_all()
{
	for n in $NODES; do
		in_ns h$n wire get h$n "$1"
	done | awk '{ sum += $1 } END { print sum }'
}

nothing_left()
{
	! schedules && ! waiting && no_process "liquid-nl job" alltoall slurmstepd
}

# After a job, whatever it came to
await_nothing()
{
	await_that "$1: no schedule, no queue and no process is left" nothing_left
	for n in $NODES; do
		scontrol update nodename=h$n state=resume 2>/dev/null
	done
	await_nodes
}

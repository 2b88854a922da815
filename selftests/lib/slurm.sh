# SPDX-License-Identifier: GPL-2.0-only
# A cluster with a real Slurm in one guest; after guest.sh and lab.sh.
# shellcheck shell=dash
#
# slurmctld runs in the first namespace, slurmd of node hN in the namespaces of hN: network, in
# which are its port of liquid_lab (10.9.0.N, the exchange) and a cable to the controller's bridge
# (10.77.0.N, Slurm's own packets); mounts, of which /etc/liquid is its own; host name. slurmctld is
# a user without privileges, who owns the store of jobs.

PATH=$PATH:/usr/sbin
CLUSTER=$TESTDIR/cluster
NODES="1 2 3 4"
RATE=50M
FRAME=20ms
# Names of nodes except for their number, and of the controller; users; the socket of munge; lines
# of slurm.conf for the project's scripts
HOST=h
CONTROL=control
SLURM_USER=nobody
MUNGE=$CLUSTER/munge/socket
SCRIPTS="PrologFlags=Alloc
PrologEpilogTimeout=30
Prolog=$CLUSTER/prolog.d/*
Epilog=$CLUSTER/epilog.d/*
PrologSlurmctld=/etc/slurm/liquid/prolog-slurmctld
EpilogSlurmctld=$CLUSTER/epilog-slurmctld"
PARTITION=gated
job=	# that submit() has given last

# host_has PROGRAM...: the image has what the host had when it was made; else the test is skipped
host_has()
{
	for program; do
		command -v "$program" >/dev/null ||
			skip_all "$program is missing on the host (make deps)"
	done
}

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
	await no_process 'slurm[cds]' 'munge[d]'
	check "no process of Slurm's is left" no_process 'slurm[cds]' 'munge[d]'
	fabric_down
	fabric_finish
}

# Is there none whose command line has one of these patterns? What there is, is printed. Patterns do
# not match themselves.
no_process()
{
	found=
	for pattern; do
		found="$found $(grep -la "$pattern" /proc/[0-9]*/cmdline 2>/dev/null)"
	done
	for file in $found; do
		echo "$file: $(tr '\0' ' ' 2>/dev/null <"$file")"
	done
	# shellcheck disable=SC2086
	[ -z "$(echo $found)" ]
}

# ---- networks ----

make_control()
{
	load veth bridge
	need ip link add lqctl type bridge
	need ip addr add 10.77.0.254/24 dev lqctl
	need ip link set lqctl up
	for n in $NODES; do
		need ip link add lqc$n type veth peer name lqctl netns $HOST$n
		need ip link set lqc$n master lqctl up
		need ip -n $HOST$n addr add 10.77.0.$n/24 dev lqctl
		need ip -n $HOST$n link set lqctl up
		need ip -n $HOST$n link set lo up
	done
}

# The service, which is not a process of a job
serve()
{
	{
		echo "10.77.0.254 control"
		for n in $NODES; do
			echo "10.77.0.$n h$n"
		done
	} >/etc/hosts
	liquid-nl job serve --config /etc/liquid/liquid.conf >>"$CLUSTER/served" 2>&1 &
	echo $! >"$CLUSTER/serve.pid"
	await grep -q "serves at control" "$CLUSTER/served"
}

# Two leaves with two nodes each, and one spine: jobs of two nodes share no link within a leaf.
make_cluster()
{
	need liquid fabric make leaf-spine leaves=2 hosts=2 spines=1 -o "$FABRIC"
	need liquid fabric make leaf-spine leaves=2 hosts=2 spines=2 -o "$TESTDIR/other"
	fabric_up --rate $RATE
	mkdir -p "$CLUSTER"
	chmod 755 / "$TESTDIR"
	for n in $NODES; do
		# nothing solicits routers here
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
	agree service control
	store $TESTDIR/store
	munge-socket $MUNGE
	user nobody
	frame-time $FRAME
	link-rate $RATE
	clock refuse
	clock-error 1ms
	deadline 10s
	lead 2s
	lease 15s
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
	mkdir -p /etc/liquid "$TESTDIR/store"
	chown nobody "$TESTDIR/store"
	cp "$CLUSTER"/etc.controller/* /etc/liquid/
}

# ---- Slurm ----

slurm_conf()
{
	cat <<-END
	ClusterName=liquid
	SlurmctldHost=$CONTROL(10.77.0.254)
	SlurmUser=$SLURM_USER
	SlurmdUser=root
	AuthType=auth/munge
	AuthInfo=socket=$MUNGE
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
	SchedulerType=${SCHEDULER:-sched/builtin}
	SelectType=select/cons_tres
	SelectTypeParameters=CR_Core
	MpiDefault=none
	ReturnToService=2
	SlurmdTimeout=10
	KillWait=2
	JobRequeue=0
	SlurmdParameters=config_overrides
	$SCRIPTS
	END
	for n in $NODES; do
		echo "NodeName=$HOST$n NodeAddr=10.77.0.$n CPUs=1 RealMemory=100 State=UNKNOWN"
	done
	echo "PartitionName=$PARTITION Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
	echo "PartitionName=other Nodes=ALL MaxTime=INFINITE State=UP"
}

# Beside the project's own script an operator may have others: here, one to go wrong. Slurm runs
# them in reverse order, and no more once one has failed.
make_hooks()
{
	mkdir -p "$CLUSTER/prolog.d" "$CLUSTER/epilog.d" "$CLUSTER/hook"
	cat >"$CLUSTER/prolog.d/90-hook" <<-END
	#!/bin/sh
	hook=$CLUSTER/hook/prolog.\$SLURMD_NODENAME
	[ ! -e "\$hook" ] || . "\$hook"
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
	cat >"$CLUSTER/epilog-slurmctld" <<-END
	#!/bin/sh
	[ ! -e "$CLUSTER/hook/no-end" ] || exit 0
	exec /etc/slurm/liquid/epilog-slurmctld
	END
	chmod +x "$CLUSTER"/*.d/* "$CLUSTER/epilog-slurmctld"
}

# A task of a job that exchanges: with those on the job's other nodes. The job lasts until the last
# acknowledgements have had their frames, because the gate opens at its end.
make_task()
{
	cat >"$CLUSTER/exchange" <<-'END'
	#!/bin/sh
	alltoall --map /etc/liquid/addresses --self "$SLURMD_NODENAME" "$@" \
		$(scontrol show hostnames "$SLURM_JOB_NODELIST")
	status=$?
	sleep 1
	exit $status
	END
	chmod +x "$CLUSTER/exchange"
}

start_munge()
{
	mkdir -p "$CLUSTER/munge"
	chmod 755 "$CLUSTER/munge"
	head -c 1024 /dev/urandom >"$CLUSTER/munge/key"
	chmod 400 "$CLUSTER/munge/key"
	need munged --force --key-file "$CLUSTER/munge/key" --socket "$MUNGE" \
		--pid-file "$CLUSTER/munged.pid" --log-file "$CLUSTER/munge/log" \
		--seed-file "$CLUSTER/munge/seed"
}

# on_node N COMMAND...: with its network, its host name, its /etc/liquid and other mounts
NODE_MOUNTS=
on_node()
{
	nsenter --net=/run/netns/$HOST$1 unshare --mount --uts sh -c \
		"mount --bind $CLUSTER/etc.$1 /etc/liquid && $NODE_MOUNTS hostname $HOST$1 &&
		shift && \"\$@\"" sh "$@"
}

start_slurmd()
{
	need on_node $1 slurmd -N $HOST$1
}

# As a daemon that disciplines the clock would, every second
keep_clock()
{
	background "$TESTDIR/clock" sh -c "while sleep 1; do clockset sync 20; done"
	clock=$pid
	clockset sync 20
}

# What its daemons read, and where they write
slurm_files()
{
	mkdir -p "$CLUSTER/state"
	touch "$CLUSTER/slurmctld.pid" "$CLUSTER/slurmctld.log"
	chown $SLURM_USER "$CLUSTER/state" "$CLUSTER/slurmctld.pid" "$CLUSTER/slurmctld.log"
	# Nothing is confined here, and version 2 would want to be mounted all the same.
	echo CgroupPlugin=cgroup/v1 >"$CLUSTER/cgroup.conf"
	slurm_conf >"$CLUSTER/slurm.conf"
	export SLURM_CONF="$CLUSTER/slurm.conf"
	# where what slurmctld calls looks for it
	cp "$SLURM_CONF" /etc/slurm/slurm.conf
	for n in $NODES; do
		mkdir -p "$CLUSTER/spool.$HOST$n"
	done
}

slurm_start()
{
	# As after a boot: a job of a test before may have had the same number, and no epilogue.
	rm -rf /run/liquid-jobs
	keep_clock
	hostname $CONTROL
	make_hooks
	slurm_files
	make_task
	start_munge
	trap 'slurm_stop; cleanup' EXIT
	serve
	need slurmctld
	for n in $NODES; do
		start_slurmd $n
	done
	await_that "four nodes of a real Slurm are idle" idle
}

idle()
{
	# `sinfo -t idle` would count those with an epilogue still to come
	[ "$(sinfo -h -N -p $PARTITION -o %T | grep -cx idle)" = 4 ]
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
	state=$(state_of "$1")
	echo "$state"
	[ "$state" = "$2" ]
}

# slurm_state JOB STATE: as Slurm does
slurm_state()
{
	state=$(scontrol show job "$1" | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p')
	echo "$state"
	[ "$state" = "$2" ]
}

# How many ranks of a job have all that the others sent: exchanged NAME BYTES
exchanged()
{
	grep -c ": $2 bytes from each" "$CLUSTER/$1.out"
}

# Nodes whose prologue says that they gate: gating JOB
gating()
{
	grep -c "^job $1: node .* gates by schedule" "$CLUSTER/said"
}

drained()
{
	scontrol show node "$1" | grep 'State=.*DRAIN'
}

# What Slurm, the scripts and the job said of late
said()
{
	tail -n 20 "$CLUSTER/said" "$CLUSTER"/*.out "$CLUSTER"/slurmctld.log \
		"$CLUSTER"/slurmd.*1.log 2>/dev/null
	scontrol show nodes | grep -E 'NodeName|State=|Reason'
}

# await_that NAME COMMAND...: it comes true within a minute. To ask is much work, to wait is none.
await_that()
{
	that=$1
	shift
	for _ in $(seq 150); do
		if "$@" >"$LOG" 2>&1; then
			ok "$that"
			return
		fi
		sleep 0.4
	done
	said >>"$LOG" 2>&1
	not_ok "$that"
}

# Nodes with a schedule in force or waiting, packets that wait, and what runs that jobs have started
schedules()
{
	for n in $NODES; do
		in_ns h$n liquid-nl show h$n | grep -Eq '^  (oper|admin) ' && echo h$n
	done | grep .
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

no_schedule()
{
	! schedules
}

nothing_left()
{
	no_schedule && ! waiting && no_process 'liquid-nl.job.read[y]' 'alltoal[l]' 'slurmste[p]d'
}

# After a job, whatever it came to
await_nothing()
{
	await_that "$1: no schedule, no queue and no process is left" nothing_left
	for n in $NODES; do
		scontrol show node h$n | grep -Eq 'State=.*(DOWN|DRAIN)' &&
			scontrol update nodename=h$n state=resume
	done
	await_that "$1: the nodes are idle" idle
}

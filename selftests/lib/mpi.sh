# SPDX-License-Identifier: GPL-2.0-only
# What tests and experiments with Open MPI share: nodes that mpirun reaches, and their gates; after
# guest.sh and lab.sh.
#
# Node hK is a namespace with its port of the fabric (10.9.0.K) and a management network
# beside it (10.8.0.K), by which processes are started, as clusters have both.
# shellcheck shell=dash

MANAGEMENT=10.8.0.0/24
DATA=10.9.0.0/24

# One of $NODES, the numbers of nodes. TCP knows no shorter cycle than its retransmission
# timeout, buffers hold what arrives in a frame, and the window outlives the cycle.
mpi_node()
{
	need ip link add "m$1" type veth peer name mgmt netns "h$1"
	need ip link set "m$1" master lqmgmt up
	need ip -n "h$1" addr add "10.8.0.$1/24" dev mgmt
	need ip -n "h$1" link set mgmt up
	need ip -n "h$1" link set lo up
	need ip -n "h$1" route replace $DATA dev "h$1" rto_min 2s
	need ip netns exec "h$1" sysctl -qw net.ipv4.tcp_slow_start_after_idle=0 \
		net.ipv4.tcp_rmem="4096 4000000 8000000" net.ipv4.tcp_wmem="4096 4000000 8000000"
	# no queue drops what waits for long, as fq_codel does
	need tc -n "h$1" qdisc replace dev "h$1" root pfifo limit 10000
	echo "10.8.0.$1 h$1" >>/etc/hosts
	echo "h$1 10.9.0.$1" >>"$TESTDIR/map"
	MPI_HOSTS=$MPI_HOSTS${MPI_HOSTS:+,}h$1:$TASKS
}

# As a list for liquid-nl
mpi_hosts()
{
	echo "h[$(echo "$NODES" | tr ' ' ',')]"
}

# mpi_nodes OPTION...: the fabric up, with the management network beside it
mpi_nodes()
{
	load bridge veth ipv6
	# pages are freed in small runs: else for milliseconds without interrupts, hence without
	# timers
	sysctl -qw vm.percpu_pagelist_high_fraction=100000
	need liquid-lab up "$FABRIC" --netns --addr $DATA --ports "$(mpi_hosts)" --tx-queues 2 "$@"
	need ip link add lqmgmt type bridge
	need ip link set lqmgmt up
	need ip addr add 10.8.0.254/24 dev lqmgmt
	echo 10.8.0.254 head >>/etc/hosts
	hostname head
	MPI_HOSTS=
	for n in $NODES; do
		mpi_node "$n"
	done
	cat >"$TESTDIR/rsh" <<-'END'
		#!/bin/sh
		# a shell on another node, as ssh has one
		host=$1
		shift
		exec nsenter --net=/run/netns/"$host" unshare --uts sh -c "hostname $host; $*"
	END
	chmod +x "$TESTDIR/rsh"
}

# mpi ALGORITHM PROGRAM...: ranks on all nodes. A rank that waits naps (mpi-alltoall.c), and
# messages go out at once, without asking the receiver first, which would take a cycle each way.
mpi()
{
	algorithm=$1
	shift
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout "$LIMIT" mpirun.openmpi \
		--host "$MPI_HOSTS" -n $(($(echo "$NODES" | wc -w) * TASKS)) --bind-to none \
		--mca plm_rsh_agent "$TESTDIR/rsh" \
		--mca oob_tcp_if_include $MANAGEMENT --mca pml ob1 --mca btl self,tcp \
		--mca btl_tcp_if_include $DATA --mca btl_tcp_eager_limit $((BYTES + 4096)) \
		--mca btl_tcp_rndv_eager_limit $((BYTES + 4096)) \
		--mca btl_tcp_max_send_size $((BYTES + 4096)) --mca mpi_yield_when_idle 1 \
		--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_alltoall_algorithm \
		"$algorithm" "$@"
}

# The script $TESTDIR/gates: every node gated by the schedule, from one base time on
mpi_gates()
{
	cat >"$TESTDIR/gates" <<-END
		#!/bin/sh
		set -e
		for n in $NODES; do
			nsenter --net=/run/netns/h\$n liquid-nl attach h\$n --replace
		done
		base=\$((\$(wire now) + 300000000))
		for n in $NODES; do
			nsenter --net=/run/netns/h\$n liquid-nl push h\$n \\
				--schedule $TESTDIR/schedule --node h\$n --addr-map $TESTDIR/map \\
				--frame-time $FRAME --guard $GUARD --hops 1 --base-time \$base
		done
		clockset until \$base
	END
	chmod +x "$TESTDIR/gates"
}

# The sum of a counter over all gates
mpi_gate_sum()
{
	for n in $NODES; do
		ip netns exec "h$n" wire get "h$n" "stats.$1"
	done | awk '{ sum += $1 } END { print sum + 0 }'
}

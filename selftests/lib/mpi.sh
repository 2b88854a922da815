# SPDX-License-Identifier: GPL-2.0-only
# What tests and experiments with Open MPI share: nodes that mpirun reaches, and their gates; after
# guest.sh and lab.sh.
#
# Node hK is a namespace with its port of the fabric (10.9.0.K) and a management network
# next to it (10.8.0.K), by which processes are started, as clusters have both.
# shellcheck shell=dash

MANAGEMENT=10.8.0.0/24
DATA=10.9.0.0/24

# One of $NODES, the numbers of nodes. TCP is set as `push` advises: it waits for an acknowledgement
# for longer than a cycle, and its windows hold a message of three frames from the start on.
mpi_node()
{
	need ip link add "m$1" type veth peer name mgmt netns "h$1"
	need ip link set "m$1" master lqmgmt up
	need ip -n "h$1" addr add "10.8.0.$1/24" dev mgmt
	need ip -n "h$1" link set mgmt up
	need ip -n "h$1" link set lo up
	need ip -n "h$1" route replace $DATA dev "h$1" rto_min $RTO_MIN initcwnd 100 initrwnd 120
	need in-ns "h$1" sysctl -qw net.ipv4.tcp_slow_start_after_idle=0 \
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

# mpi_nodes OPTION...: the fabric up, with the management network next to it
mpi_nodes()
{
	load bridge veth ipv6
	# pages are freed in small runs: else for milliseconds without interrupts, hence without
	# timers
	sysctl -qw vm.percpu_pagelist_high_fraction=100000
	# All nodes share one kernel, and its memory for TCP: without enough of it, receivers drop
	# data that have arrived. 390 MiB.
	sysctl -qw net.ipv4.tcp_mem="100000 100000 100000"
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

# Take both networks down. The management network goes by name: connections that end slowly keep the
# nodes' namespaces, and their ends of it would be in the way of the next test.
mpi_down()
{
	for n in $NODES; do
		need ip link del "m$n"
	done
	need ip link del lqmgmt
	fabric_down
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
				--frame-time $FRAME --guard $GUARD --hops 1 \\
				--max-packet $((MTU + 14)) --base-time \$base
		done
		clockset until \$base
	END
	chmod +x "$TESTDIR/gates"
}

# The sum of a counter over all gates
mpi_gate_sum()
{
	for n in $NODES; do
		in-ns "h$n" wire get "h$n" "stats.$1"
	done | awk '{ sum += $1 } END { print sum + 0 }'
}

# The sum of a counter of TCP, as in /proc/net/netstat, over all nodes; empty if there is none
mpi_tcp_sum()
{
	for n in $NODES; do
		in-ns "h$n" cat /proc/net/netstat
	done | awk -v name="$1" '
		column { sum += $column; found = 1; column = 0; next }
		$1 == "TcpExt:" { for (i = 2; i <= NF; i++) if ($i == name) column = i }
		END { if (found) print sum }'
}

# mpi_share ROW: share of the liquid throughput in a row of $TESTDIR/rows, in thousandths
mpi_share()
{
	echo $((IDEAL_MS * MS * 1000 / $(field ns "$TESTDIR/rows" "$1")))
}

# mpi_exchange: the alltoall of $BYTES on $FABRIC three times: on fresh connections, again on the
# same, and behind gates. Sets cold, warm and gated, shares in thousandths.
mpi_exchange()
{
	check "the schedule of mpi:alltoall is made" liquid solve "$FABRIC" --link-rate $RATE \
		--traffic mpi:alltoall --tasks-per-node $TASKS -o "$TESTDIR/schedule"
	compare "the schedule of the MPI exchange is liquid" \
		"$(grep -c '"certificate":"liquid"' "$TESTDIR/schedule")" = 1
	duration=$(sed -n 's/.*"duration":\([0-9]*\).*/\1/p' "$TESTDIR/schedule" | head -n 1)
	# what the bottleneck links need for the bytes alone
	IDEAL_MS=$((duration * EXCHANGES * BYTES * 8 / (RATE / 1000)))
	mpi_nodes --rate $RATE --mtu $MTU --switching cut-through --buffer 72000
	mpi_gates
	# 1: every message at once, as the gates want it
	check "ranks on all nodes exchange, twice without gates and then with" mpi 1 \
		mpi-alltoall $BYTES $EXCHANGES true "$TESTDIR/gates >$TESTDIR/gates.log 2>&1"
	cp "$LOG" "$TESTDIR/mpi"
	sed 's/^/# /' "$TESTDIR/mpi"
	[ "$failures" = 0 ] || sed 's/^/# /' "$TESTDIR/gates.log"
	grep '^ranks=' "$TESTDIR/mpi" >"$TESTDIR/rows"
	compare "the exchange was measured three times" "$(wc -l <"$TESTDIR/rows")" = 3
	for row in 1 2 3; do
		compare "every word is right, exchange $row" \
			"$(field wrong "$TESTDIR/rows" $row)" = 0
	done
	cold=$(mpi_share 1)
	warm=$(mpi_share 2)
	gated=$(mpi_share 3)
	echo "# ideal $IDEAL_MS ms; thousandths of the liquid throughput: without gates $cold," \
		"again $warm, with gates $gated"
}

# mpi_accounts: what the gates and the fabric say of the exchange
mpi_accounts()
{
	compare "data went in the frames" "$(mpi_gate_sum unsched_bytes)" -lt 10000
	compare "acknowledgements did not go beside them" "$(mpi_gate_sum control_packets)" -lt 1000
	compare "some were replaced by newer ones" "$(mpi_gate_sum acks_thinned)" -gt 0
	compare "no packet of the MPI exchange was late" "$(mpi_gate_sum late)" = 0
	for reason in limit total_limit horizon too_big policy deleted split; do
		mpi_gate_sum drop_$reason
	done >"$TESTDIR/drops"
	compare "no gate dropped a packet" "$(grep -vc '^0$' "$TESTDIR/drops")" = 0
	compare "no receiver dropped data for want of memory" \
		"$(mpi_tcp_sum TCPRcvQDrop) $(mpi_tcp_sum OfoPruned)" = "0 0"
	compare "the fabric dropped no packet" "$(($(fabric_sum drop_full) +
		$(fabric_sum drop_deadlock) + $(fabric_sum drop_too_big)))" = 0
	check "every packet is accounted for" fabric_conserves
}

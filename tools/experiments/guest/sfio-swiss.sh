#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Figure 21 of the thesis: striped files on Swiss-T1, a compute rank and a listener on each node.
#
#	tools/guest/run --kernel 6.1 --icount --memory 10000 --timeout 14000 \
#		tools/experiments/guest/sfio-swiss.sh
#
# 8, 16 and 32 nodes; links of 86 MB/s, 50 times as slow; wormhole switching; TCP; units of 200
# bytes; disks in memory. A node has one link in and one out, for its compute rank and its listener.
# So acknowledgements, answers and tokens take the same links as data, and with gates wait for the
# frames of their own destinations. The compute ranks write at once, each its part of the file: in
# round-robin order, to all listeners at once, and behind gates; and they read it. Shares are of the
# time that the busiest link needs for the bytes of the user that leave their node.
# modes: icount
# kernels: 6.1
# adds: openmpi
# timeout: 3000
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/mpi.sh
[ ! -e /liquid/no-openmpi ] || skip_all "$(cat /liquid/no-openmpi)"

TASKS=2
RATE=13760000
MTU=65520
RTO_MIN=10s
LIMIT=1000
# a request of GRAIN bytes is a packet of TCP, and a packet a frame
GRAIN=65200
PACKET_NS=$(((MTU + 14 + 24) * 8 * 1000000000 / RATE))
GUARD=150us
FRAME=$((PACKET_NS + 550000))
EAGER=700000

# Hosts that send and receive: t1 and r1 are two sides of one node.
swiss()
{
	need liquid fabric make swiss-t1 -o "$TESTDIR/swiss"
	sed 's/\<[tr]\([0-9[]\)/h\1/g; s/^hosts .*/hosts h[1-32]/' "$TESTDIR/swiss" >"$FABRIC"
	need liquid solve "$FABRIC" --senders "$(mpi_hosts)" --receivers "$(mpi_hosts)" \
		--link-rate $RATE -o "$TESTDIR/schedule"
	duration=$(sed -n 's/.*"duration":\([0-9]*\).*/\1/p' "$TESTDIR/schedule" | head -n 1)
	length=$(sed -n 's/.*"length":\([0-9]*\).*/\1/p' "$TESTDIR/schedule" | head -n 1)
}

# write ORDER BUFFER: MB/s that compute ranks on all nodes write, and read
write()
{
	name=
	for n in $NODES; do
		name="${name}h$n/tmp/$n;"
	done
	bytes=$((members * ROUNDS * GRAIN))
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout $LIMIT mpirun.openmpi \
		--host "$MPI_HOSTS" -n $((2 * members)) --bind-to none \
		--mca plm_rsh_agent "$TESTDIR/rsh" -x LIQUID_SFIO_LISTENERS=node \
		-x LIQUID_SFIO_FABRIC="$FABRIC" -x LIQUID_SFIO_ORDER="$1" \
		-x LIQUID_SFIO_BUFFER="$2" -x LIQUID_SFIO_TIMEOUT=600 \
		--mca oob_tcp_if_include $MANAGEMENT --mca pml ob1 --mca btl self,tcp \
		--mca btl_tcp_if_include $DATA --mca btl_tcp_eager_limit $EAGER \
		--mca btl_tcp_rndv_eager_limit $EAGER --mca btl_tcp_max_send_size $EAGER \
		--mca mpi_yield_when_idle 1 \
		sfio-bench single "$name" 200 $bytes $bytes 1 >"$LOG" 2>&1
	awk '$1 == "single" { print $4, $5 }' "$LOG"
}

# share MB/s: in thousandths; MB/s are those of all bytes, also to the own node
share()
{
	awk -v speed="${1:-0}" -v n=$members -v bytes=$((ROUNDS * GRAIN)) -v duration="$duration" \
		-v rate=$RATE 'BEGIN {
			time = speed ? n * n * bytes / speed / 1e6 : 1e9
			print int(1000 * duration * bytes * 8 / rate / time)
		}'
}

# row ORDER BUFFER: sets result
row()
{
	order=$1
	[ "$1" != gated ] || order=none
	before=$(cut -d' ' -f1 /proc/uptime)
	speed=$(write $order "$2")
	result=$(share "${speed% *}")
	[ -n "$speed" ] || sed 's/^/# /' "$LOG"
	echo "# $members nodes, $1: ${speed:-no} MB/s, $result of 1000 of the liquid throughput;" \
		"read: $(share "${speed#* }"); $before to $(cut -d' ' -f1 /proc/uptime) s"
	grep -v '^single' "$LOG" | head -n 5 | sed 's/^/# /'
	drops=$(($(fabric_sum drop_full) + $(fabric_sum drop_deadlock)))
	echo "# $drops packets dropped by the fabric, $(mpi_tcp_sum TCPTimeouts) timeouts of TCP"
}

gates_on()
{
	for n in $NODES; do
		need ip netns exec "h$n" liquid-nl attach "h$n" --replace \
			--rate $RATE
	done
	base=$(($(wire now) + 300000000))
	for n in $NODES; do
		need ip netns exec "h$n" liquid-nl push "h$n" --schedule "$TESTDIR/schedule" \
			--node "h$n" --addr-map "$TESTDIR/addresses" --frame-time ${FRAME}ns \
			--guard $GUARD --hops 1 --max-packet $((MTU + 14)) --base-time $base
	done
	clockset until $base
}

# nodes LIST: Swiss-T1 with these nodes
nodes()
{
	NODES=$1
	members=$(echo "$NODES" | wc -w)
	swiss
	rm -f "$TESTDIR/map"
	: >"$TESTDIR/addresses"
	mpi_nodes --rate $RATE --mtu $MTU --switching wormhole --worm 131146
	# the fabric gives addresses in turn, whatever the hosts' numbers are
	for n in $NODES; do
		echo "h$n 10.9.0.$(($(wc -l <"$TESTDIR/addresses") + 1))" >>"$TESTDIR/addresses"
	done
	ROUNDS=10
	row round-robin 524288
	round_robin=$result
	row none 524288
	# the last answer comes up to a cycle after the last frame
	ROUNDS=40
	gates_on
	row gated $((GRAIN + 100))
	for name in late late_data unsched_bytes acks_thinned control_packets; do
		echo "# gates: $name $(mpi_gate_sum $name 2>/dev/null)"
	done
	ip netns exec h1 liquid-nl stats h1 | grep -v ': 0$' | sed 's/^/# /'
	compare "$members nodes: the schedule has 0.95 of the liquid throughput" "$result" -ge 950
	[ $members -lt 16 ] || compare "$members nodes: that is 1.6 times what round-robin has" \
		$((result * 10)) -ge $((round_robin * 16))
	mpi_down
}

fabric_start
for nodes in 8 16 32; do
	nodes "$(seq -s ' ' 1 $((32 / nodes)) 32)"
done
fabric_finish

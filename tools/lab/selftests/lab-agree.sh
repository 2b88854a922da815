#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The simulator predicts what the driver does within 1 %: the papers' network and all of Swiss-T1.
#
# Pairwise by sockets, with random pauses between messages that the driver and the simulator
# share. The pauses are long compared with the time in which a program wakes up, so the order of
# messages is certain. Liquid schedules by gates. A datagram of 12,434 bytes is 12,500 on the wire.
# kernels: 6.1
# modes: icount
# timeout: 600
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
fabric_start
load ipv6 af_packet

BYTES=12434
WIRE=12500
RATE=1000000
MESSAGE=100000000	# ns
THINK=30000000
MARGIN=2000000	# one processor opens all gates of a frame, one after the other

# The kernel collects the pages of freed packets and returns thousands of them at once, with
# interrupts off for up to milliseconds. A sender due in that time is late: so return few at once.
free_pages_at_once()
{
	echo "$1" >/proc/sys/vm/percpu_pagelist_high_fraction
}

# All senders in one namespace, all receivers in another, every neighbour known. network NODES
network()
{
	echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
	need ip netns add tx
	need ip netns add rx
	for n in $(seq "$1"); do
		need ip link set "t$n" netns tx
		need ip link set "r$n" netns rx
		echo "link set r$n mtu 65535 up
			addr add 10.2.0.$n/32 dev r$n" >>"$TESTDIR/rx"
		echo "link set t$n mtu 65535 up
			addr add 10.1.0.$n/32 dev t$n
			route add 10.2.0.0/16 dev t$n src 10.1.0.$n metric $n" >>"$TESTDIR/tx"
	done
	ip -n rx -o link | awk -v nodes="$1" '$2 ~ /^r/ {
		to = $2
		gsub(/[^0-9]/, "", to)
		for (n = 1; n <= nodes; n++)
			print "neigh replace 10.2.0." to " lladdr " $(NF - 2) " dev t" n
	}' >"$TESTDIR/neigh"
	need ip -n rx -batch "$TESTDIR/rx"
	need ip -n tx -batch "$TESTDIR/tx"
	need ip -n tx -batch "$TESTDIR/neigh"
	rm "$TESTDIR/rx" "$TESTDIR/tx"
}

no_network()
{
	fabric_down
	ip netns del tx
	ip netns del rx
}

# up NAME NODES OPTION...: the fabric $TESTDIR/NAME
up()
{
	name=$1
	nodes=$2
	shift 2
	need liquid-lab up "$TESTDIR/$name" --rate $RATE --mtu 65535 "$@"
	network "$nodes"
}

# predicted OPTION...: the simulator's time in ns
predicted()
{
	liquid simulate "$TESTDIR/$name" --rate $RATE --message $WIRE --packet $WIRE \
		--switching wormhole --queues fifo-speedup --hop-latency 0 --lanes 1 --json "$@" |
		sed -n 's/^  "time_ns": \([0-9]*\),*$/\1/p'
}

# exchange OPTION...: sets $TESTDIR/said
exchange()
{
	turns "$@" --bytes $BYTES "$nodes" >"$TESTDIR/said" 2>"$LOG" && return
	{
		cat "$TESTDIR/said"
		liquid-lab stats
		in_ns tx liquid-nl stats t1
	} >>"$LOG" 2>&1
	not_ok "set up: not all arrived"
	finish
}

# within NAME: compares the time that turns measured with the predicted one
within()
{
	said=$(field ns "$TESTDIR/said")
	echo "# $1: driver ${said:-nothing} ns, simulator ${told:-nothing} ns"
	off=100000
	if [ "${said:-0}" -gt 0 ] && [ "${told:-0}" -gt 0 ]; then
		off=$(((said - told) * 100000 / told))
	fi
	compare "$1: off by ${off#-} in 100,000, less than 1,000" "${off#-}" -lt 1000
}

# pairwise NAME CYCLES SEED [OPTION of simulate]...
pairwise()
{
	title=$1
	cycles=$2
	seed=$3
	shift 3
	exchange --think $THINK --seed "$seed" --cycles "$cycles"
	told=$(predicted --order pairwise --jitter uniform:$THINK --seed "$seed" \
		--cycles "$cycles" "$@")
	within "$title"
}

push_to()
{
	to=$1
	shift
	need in_ns tx liquid-nl push "t$to" --schedule "$TESTDIR/schedule" --node "t$to" \
		--addr-map "$TESTDIR/map" --hops 1 --max-packet 12474 "$@"
}

# Gates that release nothing before the base time. gated NAME CYCLES GUARD_NS
gated()
{
	frame=$((MESSAGE + $3 + MARGIN))
	need liquid solve "$TESTDIR/$name" --link-rate $RATE -o "$TESTDIR/schedule"
	for n in $(seq "$nodes"); do
		echo "r$n 10.2.0.$n"
	done >"$TESTDIR/map"
	for n in $(seq "$nodes"); do
		need in_ns tx liquid-nl attach "t$n" --rate $RATE --overhead 24 --limit 100000 \
			--limit-bytes 1G --dest-limit 1000 --dest-limit-bytes 64M --horizon 100s
		push_to "$n" --frame-time 10us --guard 0 --base-time +20ms --cycles 1 --then hold
	done
	clockset until $(($(wire now) + 50000000))
	base=$(($(wire now) + 2000000000 + 100000000 * nodes))
	for n in $(seq "$nodes"); do
		push_to "$n" --frame-time ${frame}ns --guard "$3ns" --base-time $base
	done
	exchange --all --at $base --cycles "$2"
	told=$(predicted --schedule "$TESTDIR/schedule" --cycles "$2" --frame-time ${frame}ns \
		--guard "$3ns")
	within "$1"
}

need free_pages_at_once 100000
need liquid fabric make papers-5x5 -o "$TESTDIR/papers"
need liquid fabric make swiss-t1 -o "$TESTDIR/swiss"

up papers 5
pairwise "papers' network, pairwise" 3 1
pairwise "papers' network, pairwise, other pauses" 3 2
gated "papers' network, liquid schedule by gates" 3 2000000
no_network
up papers 5 --switching cut-through --buffer 25000 --hop-latency 50us
pairwise "papers' network, cut-through" 3 3 --switching cut-through --buffer 25000 \
	--hop-latency 50us
no_network
up papers 5 --switching packet --buffer 100000
pairwise "papers' network, store and forward" 3 4 --switching packet --buffer 100000
no_network

up swiss 32
pairwise "whole Swiss-T1, pairwise" 1 5
gated "whole Swiss-T1, liquid schedule by gates" 1 2000000
no_network
up swiss 32 --switching cut-through --queues voq --buffer 25000
pairwise "whole Swiss-T1, virtual output queues" 1 5 --switching cut-through --queues voq \
	--buffer 25000
fifo=$(predicted --order pairwise --jitter uniform:$THINK --seed 5 --switching cut-through \
	--buffer 25000)
compare "with FIFOs it would have taken 1 % longer" $((${fifo:-0} * 100)) -gt $((told * 101))
no_network
need free_pages_at_once 0	# as it was
fabric_finish

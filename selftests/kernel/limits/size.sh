#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What a packet is charged is what it will take on the wire: tags, tunnels and every segment's
# headers.
# kernels: 6.1
# modes: icount
# timeout: 60
. /liquid/lib/guest.sh
. /liquid/lib/trace.sh
start
make_pair
load 8021q vxlan
need in_ns lqa ethtool -K lqva tx on sg on tso on gso on
# At 10 Mbit/s a byte takes 800 ns, and the wire is busy while a program sends a few packets. One
# frame a cycle, which outlasts the test: what is sent leaves at once or when the wire is free.
make_gate ahead_ns=10000000
need in_ns lqa wire change lqva rate_bps=10000000
set_dests "dest{id=0 key{ipv4=10.0.0.2} key{ipv4=10.0.0.3}}"
need push +$MS "frame_ns=10000000000 frames=1" "" 1:0
sleep 0.05

# charged NAME NS COMMAND...: sends at least two packets at once, of which each is charged NS
charged()
{
	name=$1
	wanted=$2
	shift 2
	trace_start liquid/liquid_dequeue
	need in_ns lqa "$@"
	sleep 0.05
	trace_stop "$TESTDIR/trace"
	compare "$name" "$(charges "$TESTDIR/trace" | sort -u | tr '\n' ' ')" = "$wanted "
}

charged "a datagram and the bytes between packets" $(((142 + 24) * 800)) \
	pkt lqva --dst 10.0.0.2 --count 3 udp
charged "packets of two sizes in turn, each its own" "$(((142 + 24) * 800)) $(((154 + 24) * 800))" \
	pkt lqva --dst 10.0.0.2 --count 3 udp data
charged "a GSO packet: headers and gaps of each of its segments" $((10 * (54 + 1446 + 24) * 800)) \
	gso lqva --dst 10.0.0.2 --count 3
charged "a GSO packet of one segment" $(((54 + 700 + 24) * 800)) \
	gso lqva --dst 10.0.0.2 --count 3 --segs 1 --mss 700

# 5,966 bytes behind the header of IP: four fragments of 1,480 and one of 46
charged "a datagram in fragments: headers and gaps of each" \
	$(((4 * (34 + 1480 + 24) + 34 + 46 + 24) * 800)) \
	pkt lqva --dst 10.0.0.2 --count 3 --gso 1480 jumbo

need in_ns lqa tc qdisc change dev lqva root stab overhead 100 linklayer ethernet liquid
check "tc gives the gate a size table" sh -c "in-ns lqa tc -d qdisc show dev lqva |
	grep -q 'overhead 100'"
charged "a datagram, whatever tc's size table says" $(((142 + 24) * 800)) \
	pkt lqva --dst 10.0.0.2 --count 3 udp
charged "a GSO packet, whatever tc's size table says" $((10 * (54 + 1446 + 24) * 800)) \
	gso lqva --dst 10.0.0.2 --count 3
need in_ns lqa tc qdisc change dev lqva root liquid

if ip -n lqa link add link lqva name lqva.7 type vlan id 7 2>"$LOG"; then
	need ip -n lqa link set lqva.7 up
	check "the device puts tags in itself" sh -c "in-ns lqa ethtool -k lqva |
		grep -q 'tx-vlan-offload: on'"
	charged "a tag that the device will put in" $(((142 + 4 + 24) * 800)) \
		pkt lqva.7 --dst 10.0.0.2 --count 3 udp
	charged "a tag in each segment of a GSO packet" $((10 * (54 + 4 + 1446 + 24) * 800)) \
		gso lqva.7 --dst 10.0.0.2 --count 3
else
	skip "tags" "no VLAN in this kernel"
fi

# 50 bytes of Ethernet, IP, UDP and VXLAN around each segment
if ip -n lqa link add lqvx type vxlan id 5 remote 10.0.0.3 dstport 4789 dev lqva 2>"$LOG"; then
	need ip -n lqa link set lqvx up
	charged "the outer and inner headers of each segment in a tunnel" \
		$((10 * (54 + 50 + 1396 + 24) * 800)) gso lqvx --dst 10.9.0.2 --count 3 --mss 1396
else
	skip "tunnels" "no VXLAN in this kernel"
fi
finish

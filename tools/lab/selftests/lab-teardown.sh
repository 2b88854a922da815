#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Ports, namespaces, fabrics and the module can be taken away under traffic.
# runs: 6.1-normal 6.12-normal 6.12-icount
# timeout: 200
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
fabric_start
load ipv6
fabric_file a,b,c,d s1,s2 <<'END'
link a s1
link s1 a
  to a
link b s1
link s1 b
  to b
link c s2
link s2 c
  to c
link d s2
link s2 d
  to d
link s1 s2
  to c,d
link s2 s1
  to a,b
END

sent_by_a()
{
	ip netns exec a cat /sys/class/net/a/statistics/tx_packets
}

flows()
{
	[ "$(sent_by_a)" -gt "$sent" ]
}

# A slow kernel takes a while to start a program: without packets there is nothing to test.
traffic()
{
	sent=$(sent_by_a)
	background "$TESTDIR/blast" blast udp --send-only --bytes 100000000 --rate 3000000 --limit "$1" \
		a@10.9.0.1 b@10.9.0.2 c@10.9.0.3 -- a@10.9.0.1 c@10.9.0.3 d@10.9.0.4
	blast=$pid
	await flows || need false
	sleep 0.2
}

hush()
{
	kill "$blast" 2>/dev/null
	wait "$blast" 2>/dev/null
}

drained()
{
	[ "$(fabric_sum in_flight)" = 0 ]
}

# A port has something to lose when more is sent than its link takes: a slow kernel sends little.
RATE=2M
[ $DEBUG = 0 ] || RATE=1M
is_full()
{
	ip netns exec a tc -s qdisc show dev a | grep -q 'backlog [1-9]'
}

for switching in wormhole cut-through packet; do
	fabric_up --rate $RATE --switching $switching --buffer 20000 --queues 3 --hop-latency 100us --ring 16
	traffic 60
	check "$switching: more is sent than a link takes" await is_full
	for port in a c d b; do
		ip -n $port link set dev $port down && sleep 0.05 && ip -n $port link set dev $port up ||
			echo "$port"
	done >"$TESTDIR/rounds" 2>&1
	compare "$switching: ports go down and up under traffic" "$(wc -c <"$TESTDIR/rounds")" = 0
	hush
	# A debug kernel may have nothing under way in the moment in which a port goes down.
	[ $DEBUG = 1 ] ||
		compare "$switching: what went down lost its packets" \
			"$(fabric_sum drop_down)" -gt 0
	compare "$switching: what came to a port that was down was dropped" "$(fabric_sum drop_peer_down)" -gt 0
	check "$switching: the fabric comes to rest" await drained
	check "$switching: every packet is accounted for" fabric_conserves
	for port in a b c d; do
		# What waits there for an address would come once that is known, among the packets below.
		ip -n $port neigh flush dev $port
		for peer in a b c d; do
			[ $port = $peer ] || ip -n $port neigh replace "10.9.0.$(printf %d "'$peer" |
				awk '{ print $1 - 96 }')" \
				lladdr "$(ip netns exec $peer cat /sys/class/net/$peer/address)" dev $port
		done
	done
	check "$switching: and carries traffic again" blast udp --rate 200000 --bytes 10000 --lossy \
		a@10.9.0.1 b@10.9.0.2 -- c@10.9.0.3 d@10.9.0.4
	compare "$switching: which arrives" "$(field received "$LOG")" = 40000
	traffic 60
	check "$switching: a port is deleted under traffic" ip -n d link del dev d
	hush
	traffic 60
	check "$switching: the fabric is removed under traffic" liquid-lab down
	hush
	compare "$switching: with the namespaces that were made for it" "$(ip netns list | wc -l)" = 0
done

# A namespace with a port in it goes; the other ports live on.
fabric_up --rate 10M
traffic 60
hush
need ip netns del c
gone()
{
	before=$(fabric_sum drop_peer_down)
	ip netns exec a blast udp --send-only --linger 1 --bytes 3000 -@10.9.0.1 -- -@10.9.0.3
	[ "$(fabric_sum drop_peer_down)" -gt "$before" ]
}
check "a namespace goes: its port too, packets to it are dropped and counted" await gone
await drained
check "the others carry on" blast udp --bytes 5000 --rate 500000 a@10.9.0.1 -- d@10.9.0.4
fabric_down

# How many ports each port's namespace has.
ports_left()
{
	for ns in a b c d; do
		printf '%s ' "$(ip -n $ns -o link show | grep -c ": $ns:")"
	done
}

# Of the namespace that made the fabric: the fabric goes, wherever its ports are.
need ip netns add owner
# Not by ip netns exec: what it runs makes namespaces that nobody else can enter.
need nsenter --net=/run/netns/owner liquid-lab up "$FABRIC" --rate 10M --netns --addr 10.9.0.0/24
traffic 60
compare "a fabric is seen from where it was made" "$(ip netns exec owner liquid-lab stats | grep -c '^lab')" = 1
compare "and from nowhere else" "$(liquid-lab stats | wc -l)" = 0
hush
compare "its ports are in namespaces of their own" "$(ports_left)" = "1 1 1 1 "
need ip netns del owner
no_port()
{
	[ "$(ports_left)" = "0 0 0 0 " ]
}
check "its namespace goes: all its ports do" await no_port
for ns in a b c d; do
	ip netns del $ns
done

# The module goes under traffic, and comes again.
for round in 1 2 3; do
	fabric_up --rate 10M --hop-latency 1ms
	traffic 60
	rmmod liquid_lab || echo "round $round"
	hush
	ip -all netns delete
	insmod /liquid/liquid_lab.ko || echo "round $round"
done >"$TESTDIR/rounds" 2>&1
compare "the module is unloaded under traffic, and loaded again" "$(wc -c <"$TESTDIR/rounds")" = 0
fabric_up --rate 10M
check "and works" blast udp --bytes 5000 --rate 500000 a@10.9.0.1 -- d@10.9.0.4
fabric_down
fabric_finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Ports, namespaces, fabrics and the module can be removed under traffic.
# runs: 6.1-normal 6.12-icount
# timeout: 200
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
fabric_start
load ipv6
{
	cables a:s1 b:s1 c:s2 d:s2
	cat <<'END'
link s1 s2
  to c,d
link s2 s1
  to a,b
END
} | fabric_file a,b,c,d s1,s2

sent_by_a()
{
	ip netns exec a cat /sys/class/net/a/statistics/tx_packets
}

flows()
{
	[ "$(sent_by_a)" -gt "$sent" ]
}

# A slow kernel takes a while to start a program, and without packets the test shows nothing.
traffic()
{
	sent=$(sent_by_a)
	background "$TESTDIR/blast" blast udp --send-only --bytes 100000000 --rate 3000000 \
		--limit "$1" a@10.9.0.1 b@10.9.0.2 c@10.9.0.3 -- a@10.9.0.1 c@10.9.0.3 d@10.9.0.4
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

# A port that goes down drops packets only if more was sent than its link takes. A slow kernel sends
# little.
RATE=2M
[ $DEBUG = 0 ] || RATE=1M
is_full()
{
	in-ns a tc -s qdisc show dev a | grep -q 'backlog [1-9]'
}

down_and_up()
{
	for port in a c d b; do
		ip -n $port link set dev $port down && sleep 0.05 &&
			ip -n $port link set dev $port up || echo "$port"
	done
}

for switching in wormhole cut-through "cut-through --queues voq" packet; do
	# shellcheck disable=SC2086 # an option more
	fabric_up --rate $RATE --switching $switching --buffer 20000 --tx-queues 3 \
		--hop-latency 100us --ring 16
	traffic 60
	check "$switching: more is sent than a link takes" await is_full
	# In the moment when a port goes down, it may have no packet on its way.
	for _ in 1 2 3 4 5; do
		down_and_up
		[ "$(fabric_sum drop_down)" = 0 ] || break
	done >"$TESTDIR/rounds" 2>&1
	compare "$switching: ports go down and up under traffic" "$(wc -c <"$TESTDIR/rounds")" = 0
	hush
	# On a debug kernel no packet may be on its way when a port goes down.
	[ $DEBUG = 1 ] ||
		compare "$switching: a port that goes down drops its packets" \
			"$(fabric_sum drop_down)" -gt 0
	compare "$switching: packets to a port that is down are dropped" \
		"$(fabric_sum drop_peer_down)" -gt 0
	check "$switching: the fabric comes to rest" await drained
	check "$switching: every packet is accounted for" fabric_conserves
	for port in a b c d; do
		# Packets that wait for an address would be sent among those below once it is known.
		ip -n $port neigh flush dev $port
		for peer in a:1 b:2 c:3 d:4; do
			mac=$(ip netns exec ${peer%:*} cat /sys/class/net/${peer%:*}/address)
			[ $port = ${peer%:*} ] || ip -n $port neigh replace \
				10.9.0.${peer#*:} lladdr "$mac" dev $port
		done
	done
	check "$switching: ports that came up again carry traffic" \
		blast udp --rate 200000 --bytes 10000 --lossy \
		a@10.9.0.1 b@10.9.0.2 -- c@10.9.0.3 d@10.9.0.4
	compare "$switching: all traffic arrives after ports came up again" \
		"$(field received "$LOG")" = 40000
	traffic 60
	check "$switching: a port is deleted under traffic" ip -n d link del dev d
	hush
	traffic 60
	check "$switching: the fabric is removed under traffic" liquid-lab down
	hush
	compare "$switching: the fabric's namespaces are removed with it" \
		"$(ip netns list | wc -l)" = 0
done

# A namespace with a port in it is deleted; the other ports continue.
fabric_up --rate 10M
traffic 60
hush
need ip netns del c
gone()
{
	before=$(fabric_sum drop_peer_down)
	in-ns a blast udp --send-only --linger 1 --bytes 3000 -@10.9.0.1 -- -@10.9.0.3
	[ "$(fabric_sum drop_peer_down)" -gt "$before" ]
}
check "a namespace is deleted: packets to its port are dropped and counted" await gone
await drained
check "a namespace is deleted: the other ports carry traffic" \
	blast udp --bytes 5000 --rate 500000 a@10.9.0.1 -- d@10.9.0.4
fabric_down

# Number of ports in the namespace of each port
ports_left()
{
	for ns in a b c d; do
		printf '%s ' "$(ip -n $ns -o link show | grep -c ": $ns:")"
	done
}

# The namespace in which the fabric was made is deleted: the fabric goes, wherever its ports are.
need ip netns add owner
# Not by ip netns exec: namespaces made by its commands cannot be entered from outside.
need nsenter --net=/run/netns/owner liquid-lab up "$FABRIC" --rate 10M --netns --addr 10.9.0.0/24
traffic 60
compare "a fabric is seen in the namespace in which it was made" \
	"$(in-ns owner liquid-lab stats | grep -c '^lab')" = 1
compare "a fabric is not seen in another namespace" "$(liquid-lab stats | wc -l)" = 0
hush
compare "a fabric's ports are in their own namespaces" "$(ports_left)" = "1 1 1 1 "
need ip netns del owner
no_port()
{
	[ "$(ports_left)" = "0 0 0 0 " ]
}
check "a fabric's namespace is deleted: all its ports go" await no_port
for ns in a b c d; do
	ip netns del $ns
done

# The module is unloaded under traffic, and loaded again.
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
check "the module that was loaded again carries traffic" \
	blast udp --bytes 5000 --rate 500000 a@10.9.0.1 -- d@10.9.0.4
fabric_down

fabric_finish

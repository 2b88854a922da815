#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# trap 09: time synchronisation and the packets that keep a network alive pass closed gates.
# kernels: 5.10 6.1 6.1-rt newest 6.1-debug
# modes: icount
# timeout: 90
. /liquid/lib/guest.sh
start
make_pair
make_gate horizon_ms=0
# Everything on this device is for destination 0, by address or by Ethernet address, and its gate
# is closed for good: what passes has passed as control.
KEYS="dest{id=0 key{ipv4=10.0.0.2} key{ipv6=fd00::2}
	key{ether=020000000002}}"
set_dests "$KEYS"
need push +$((20 * MS)) "frame_ns=1000000 frames=1 cycles=1 then=1" "" 1:0
sleep 0.1
compare "the gate is closed" "$(gate state.mode)" = 2

inject()
{
	in_ns lqa pkt lqva --dst 10.0.0.2 --dst fd00::2 "$@"
	sleep 0.02
}

# Sets waiting and passed to those of the last packet; both come in one message.
count_one()
{
	before=$(gate state.qlen stats.control_packets)
	inject "$@"
	grown=$(differences "$before" "$(gate state.qlen stats.control_packets)")
	waiting=${grown% *}
	passed=${grown#* }
	for kind; do :; done
}

passes()
{
	count_one "$@"
	compare "trap 09: $kind passes" $passed = 1
	compare "trap 09: $kind does not wait" $waiting = 0
}

waits()
{
	count_one "$@"
	compare "$kind waits" $waiting = 1
	compare "$kind does not pass" $passed = 0
}

for kind in arp ptp ptp-event ptp-general ptp-event6 dhcp-server dhcp-client dhcp6-server \
	dhcp6-client nd-rs nd-ra nd-ns nd-na nd-redirect syn syn-ack syn6 roce-ack \
	roce-atomic-ack roce-cnp lldp lacp eapol stp igmp igmp-plain mld-query mld-report mld-done \
	mld2-report bfd bfd-echo bfd-multihop bfd-lag bfd6 bfd-255 vrrp vrrp6; do
	passes "$kind"
done
for kind in arp ptp-event stp lacp igmp mld2-report bfd; do
	passes --vlan 5 $kind
done
for kind in ack ack6 fin rst data fin6 data6 roce-send roce-read-response udp udp6 ping6 fragment \
	unknown near-lldp near-lacp near-eapol near-stp snap near-igmp igmp6 near-mld near-nd \
	near-mld2 near-mld2b near-bfd near-bfd-echo near-bfd-multihop near-bfd-lag near-bfd6 \
	tcp-bfd near-vrrp \
	near-vrrp6 bfd-256 long-bfd long-bfd-echo long-bfd-multihop long-bfd-lag long-bfd6; do
	waits "$kind"
done
waits --vlan 5 near-stp
waits --vlan 5 long-bfd
# Short, except for the wire several: BFD is never cut.
waits --gso 50 bfd

# The user's own rules
table lqa lqva <<END
rules of the user | \
	gate-set gate{bypass{rule{ethertype=34997} rule{l4proto=17 port_min=4001 port_max=4001} \
	rule{l4proto=58}}} | ok
END
passes unknown
passes udp
passes udp6
passes ping6
waits data
table lqa lqva <<'END'
the rules go | gate-set gate{bypass{}} | ok
END
waits udp

# Headers that lie are not counted as control packets, and hurt no one.
before=$(gate stats.control_packets)
for kind in ip-1 ip-19 ip-20 ip-33 ip6-39 ip6-40 ihl-4 ihl-15; do
	in_ns lqa pkt lqva --dst 10.0.0.2 --dst fd00::2 --count 3 $kind
done
sleep 0.05
compare "malformed headers do not pass" "$(gate stats.control_packets)" = "$before"

# Where everything else is dropped a bond and its switch still hear from each other.
in_ns lqa wire del lqva
make_gate policy=3
for kind in lldp lacp eapol stp igmp mld2-report bfd vrrp; do
	before=$(gate stats.control_packets)
	dropped=$(gate stats.drop_policy)
	inject "$kind"
	compare "policy drop: $kind passes" \
		"$(($(gate stats.control_packets) - before)) \
$(($(gate stats.drop_policy) - dropped))" = "1 0"
done
for kind in near-lldp near-lacp near-eapol near-stp snap near-igmp near-mld2 near-bfd near-vrrp; do
	dropped=$(gate stats.drop_policy)
	inject "$kind"
	compare "policy drop: $kind is dropped" "$(($(gate stats.drop_policy) - dropped))" = 1
done

# The bypass has a budget: it cannot fill the wire. 2 % of 100 Mbit/s are 250 kB/s.
in_ns lqa wire del lqva
make_gate horizon_ms=0
set_dests "$KEYS"
need push +$MS "frame_ns=10000000 frames=2" "" 1:0 1:-
sleep 0.1
before=$(gate stats.control_bytes)
from=$(now)
in_ns lqa pkt lqva --dst 10.0.0.2 --count 1500 roce-ack
in_ns lqa pkt lqva --dst 10.0.0.2 --count 1500 lldp
sleep 0.3
passed=$(($(gate stats.control_bytes) - before))
took=$((($(now) - from) / MS))
compare "trap 09: the bypass keeps to its budget" $passed -le $((took * 250 * 3 / 2 + 3000))
compare "trap 09: and still lets through" $passed -gt 1000

# What any user can send uses up its part of the budget, for 10 s, and waits. What none can send
# has a queue and its own part. A debug kernel starts some thirty programs in that time.
used_up()
{
	in_ns lqa wire del lqva
	make_gate horizon_ms=0 control=1
	set_dests "$KEYS"
	need push +$MS "frame_ns=10000000000 frames=2" "" 1:0 1:-
	sleep 0.05
	in_ns lqa pkt lqva --dst 10.0.0.2 --count 1000 roce-ack
	compare "the users' queue waits" "$(gate state.control_qlen)" -gt 200
}

used_up
for kind in arp ptp nd-rs nd-ra nd-ns nd-na nd-redirect lldp lacp eapol stp igmp igmp-plain \
	mld-query mld-report mld-done mld2-report vrrp vrrp6; do
	passes "$kind"
done
passes --vlan 5 lacp
passes --priority 7 bfd
passes --priority 7 ptp-event
used_up
for kind in ptp-event ptp-general ptp-event6 dhcp-server dhcp-client dhcp6-server dhcp6-client \
	syn syn-ack syn6; do
	waits "$kind"
done
used_up
for kind in roce-ack roce-atomic-ack roce-cnp bfd bfd-echo bfd-multihop bfd-lag bfd6; do
	waits "$kind"
done
waits --priority 6 bfd
table lqa lqva <<END
a rule of the user | gate-set gate{bypass{rule{ethertype=34997}}} | ok
END
waits unknown
finish

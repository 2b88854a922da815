#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid matrix: what flows and packets add up to, and a schedule for it. Packets are real ones.
#
# timeout: 120

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

echo "TAP version 13"
cat >addresses <<'END'
h2 10.1.0.2 fd00::2
h1 10.1.0.1 fd00::1 02:00:00:00:00:01
h3 10.1.0.3
END

# ---- conntrack: as /proc/net/nf_conntrack and conntrack(8) write it ----

acct="packets=10 bytes"
cat >table <<END
ipv4     2 tcp      6 431999 ESTABLISHED \
src=10.1.0.1 dst=10.1.0.2 sport=4 dport=5 $acct=1000 \
src=10.1.0.2 dst=10.1.0.1 sport=5 dport=4 $acct=70 [ASSURED] mark=0 zone=0 use=2
ipv4     2 udp      17 29 \
src=10.1.0.1 dst=10.1.0.2 sport=6 dport=7 $acct=500 [UNREPLIED] \
src=10.1.0.2 dst=10.1.0.1 sport=7 dport=6 packets=0 bytes=0 mark=0 use=2
ipv6     10 tcp      6 12 TIME_WAIT \
src=fd00:0:0::0002 dst=fd00::1 sport=4 dport=5 $acct=4 \
src=fd00::1 dst=fd00::2 sport=5 dport=4 $acct=9 [ASSURED] mark=0 use=2

tcp      6 20 TIME_WAIT \
src=10.1.0.3 dst=10.9.9.9 sport=4 dport=5 $acct=30 \
src=10.1.0.1 dst=192.168.7.7 sport=5 dport=4 $acct=40 [ASSURED] mark=0 use=1
icmp     1 29 \
src=10.1.0.3 dst=8.8.8.8 type=8 code=0 id=1 $acct=84 \
src=8.8.8.8 dst=10.1.0.3 type=0 code=0 id=1 $acct=16 mark=0 use=1
tcp      6 300 ESTABLISHED \
src=10.1.0.3 dst=10.1.0.1 sport=1 dport=2 \
src=10.1.0.1 dst=10.1.0.3 sport=2 dport=1 [ASSURED] mark=0 use=1
udp      17 20 \
src=10.1.0.3 dst=10.1.0.3 sport=1 dport=2 $acct=99 \
src=10.1.0.3 dst=10.1.0.3 sport=2 dport=1 $acct=98 mark=0 use=1
END
prints 0 "*note: 100 bytes from or to other addresses are left out, besides 1653 between the hosts
*note: no bytes are known of 1 flows: they began before net.netfilter.nf_conntrack_acct was 1
# bytes from each host, a row, to each: --traffic matrix:FILE --hosts h1,h2,h3
0,1509,40
74,0,0
30,0,0" matrix --from conntrack --addresses addresses --hosts 'h[1-3]' table
cat >events <<END
    [NEW] udp 17 30 \
src=10.1.0.1 dst=10.1.0.2 sport=1 dport=2 [UNREPLIED] \
src=10.1.0.2 dst=10.1.0.1 sport=2 dport=1
 [UPDATE] udp 17 30 \
src=10.1.0.1 dst=10.1.0.2 sport=1 dport=2 $acct=6 \
src=10.1.0.2 dst=10.1.0.1 sport=2 dport=1 $acct=6
[1795427876.129031]	[DESTROY] udp 17 \
src=10.1.0.1 dst=10.1.0.2 sport=1 dport=2 $acct=2000 \
src=10.1.0.2 dst=10.1.0.1 sport=2 dport=1 $acct=60
END
prints 0 "# *--hosts h2,h1,h3
0,60,0
2000,0,0
0,0,0" matrix --from conntrack --addresses addresses events

# ---- several inputs ----

prints 0 "*
0,74
2000,0" matrix --from conntrack --addresses addresses --hosts h2,h1 table events
prints 0 "*
0,134
3509,0" matrix --from conntrack --addresses addresses --hosts h2,h1 --sum table events
prints 0 '*"bytes": ?
    ?
      0,
      60
    ],
    ?
      2000,
      0
    ]
  ],
  "left_out": 0,
  "unmeasured": 0
}' matrix --from conntrack --addresses addresses --hosts h2,h1 --json events

# ---- packets ----

# a number as four bytes
little()
{
	printf "$(printf '\\x%02x' "$1")\0\0\0"
}

# raw LINK HEADER: a file of one packet of 60 bytes of UDP over IPv4, from h1 to h2
raw()
{
	printf '\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\0\0\4\0'
	little "$1"
	printf '\0\0\0\0\0\0\0\0'
	little $((20 + ${#2} / 4))
	little $((60 + ${#2} / 4))
	# shellcheck disable=SC2059 # bytes
	printf "$2"
	printf '\x45\0\0\x3c\0\0\0\0\x40\x11\0\0\x0a\1\0\1\x0a\1\0\2'
}
ether='\x02\x00\x00\x00\x00\x02\x02\x00\x00\x00\x00\x01'
raw 101 '' >one
prints 0 "*
0,0
60,0" matrix --from pcap --addresses addresses --hosts h2,h1 one
raw 1 "$ether\x88\xa8\x00\x05\x81\x00\x00\x06\x08\x00" >tagged
prints 0 "*
0,0
60,0" matrix --from pcap --addresses addresses --hosts h2,h1 tagged
raw 1 "$ether\x08\x06" >arp
prints 0 "*nothing was sent between the hosts
*
0,0
0,0" matrix --from pcap --addresses addresses --hosts h2,h1 arp
raw 105 '' >wireless
prints 1 "*wireless: only packets of Ethernet, of Linux's device 'any' and of raw IP are read" \
	matrix --from pcap --addresses addresses wireless
head -c 50 one >cut
prints 1 "*cut: packet 1: cut off" matrix --from pcap --addresses addresses cut
printf '\n\r\r\n and more that is no capture' >ng
prints 1 "*ng: a capture in pcapng's form*" matrix --from pcap --addresses addresses ng
prints 1 "*table: no capture*" matrix --from pcap --addresses addresses table

# An own network of one host with two addresses: 3 datagrams of 1000 bytes, and an answer to each
cat >measure <<'END'
ip link set lo up && ip addr add 10.1.0.1/32 dev lo && ip addr add 10.1.0.2/32 dev lo &&
	ip route replace local 10.1.0.2 dev lo table local src 10.1.0.1 || exit 4
tcpdump -q -U -i "$1" -s 96 -w "$2" 2>"$2.log" &
for _ in $(seq 100); do
	grep -q listening "$2.log" && break
	sleep 0.05
done
for _ in 1 2 3; do
	head -c 1000 /dev/zero >/dev/udp/10.1.0.2/9
done
for _ in $(seq 100); do
	tcpdump -nn -r "$2" udp 2>/dev/null | grep -c 'length 1000' | grep -q 3 && break
	sleep 0.05
done
kill $! && wait
END
for device in lo any; do
	if command -v tcpdump >/dev/null && unshare -n true 2>/dev/null &&
		timeout 30 unshare -n bash ./measure $device $device.pcap; then
		answers=$(tcpdump -nn -v -r $device.pcap icmp 2>/dev/null |
			sed -n 's/.*proto ICMP.*length \([0-9]*\)).*/\1/p' | paste -sd+ | bc)
		prints 0 "*
0,3084
$answers,0" matrix --from pcap --addresses addresses --hosts h1,h2 $device.pcap
	else
		echo "ok $((count += 1)) # SKIP no capture here"
	fi
done

# ---- a schedule for it ----

prints 0 "" matrix --from conntrack --addresses addresses --hosts 'h[1-3]' -o bytes events
prints 0 "" fabric make leaf-spine leaves=2 hosts=2 spines=1 -o fabric
prints 0 "*" solve fabric --traffic matrix:bytes --hosts 'h[1-3]' --unit-bytes 500
grep -q '^transfers *5$' text
ok "four units one way, and one the other"

# ---- refusals ----

refuses()
{
	printf '%s\n' "$2" >wrong
	prints 1 "liquid: wrong:1: $1" matrix --from conntrack --addresses addresses wrong
}
flow="src=10.1.0.1 dst=10.1.0.2 bytes=5 src=10.1.0.2 dst=10.1.0.1"
refuses "expected a flow: 'src=' of both directions" "conntrack v1.4.7"
refuses "no address after 'src='" "src=10.1.0.300 dst=1.2.3.4 bytes=5"
refuses "a third 'src='" "$flow bytes=6 src=10.1.0.3"
refuses "'bytes=' without a 'src=' before" "bytes=6 $flow"
refuses "'bytes=' without a 'src=' before" "$flow bytes=6 bytes=7"
refuses "no number after 'bytes='" "$flow bytes=-6"
refuses "no number after 'bytes='" "$flow bytes=18446744073709551616"
printf '%s bytes=18446744073709551615\n' "$flow" "$flow" >wrong
prints 1 "liquid: wrong:2: more than 2^64 bytes in all" matrix --from conntrack \
	--addresses addresses wrong
head -n 1 wrong >most
prints 1 "liquid: most: more than 2^64 bytes between two hosts" matrix --from conntrack \
	--addresses addresses --sum most most
prints 0 "*" matrix --from conntrack --addresses addresses most most
prints 1 "*host 'h4' has no address in addresses" matrix --from conntrack --addresses addresses \
	--hosts 'h[3-4]' table
prints 1 "*host 'h1' is named twice" matrix --from conntrack --addresses addresses \
	--hosts h1,h2,h1 table
echo 'h9 10.1.0.1' | cat addresses - >double
prints 1 "*double:4: address 10.1.0.1 is given to*" matrix --from conntrack --addresses double table
prints 2 "*missing --from conntrack or --from pcap*" matrix --addresses addresses table
prints 2 "*--json prints; it goes without --output*" matrix --from pcap --addresses addresses \
	--json -o out one
finish

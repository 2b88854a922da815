#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The kernel's connection tracking, as a matrix, next to the packets themselves.
# kernels: 6.1
# runs: 6.1-normal
# modes: normal
# timeout: 100
. /liquid/lib/guest.sh
start
make_pair
load sch_ingress act_ct cls_matchall nf_conntrack
need in_ns lqa sysctl -q -w net.netfilter.nf_conntrack_acct=1
need tc -n lqa qdisc add dev lqva clsact
for side in ingress egress; do
	need tc -n lqa filter add dev lqva $side matchall action ct commit
done
printf 'a 10.0.0.1\nb 10.0.0.2\nc 10.0.0.3\n' >"$TESTDIR/addresses"
in-ns lqa tcpdump -Z root -i lqva -s 96 -U -w "$TESTDIR/packets" ip \
	>"$TESTDIR/tcpdump" 2>&1 &
capture=$!

await grep -q listening "$TESTDIR/tcpdump" || cat "$TESTDIR/tcpdump"

need in_ns lqa ping -c 3 -i 0.1 -s 1000 10.0.0.2
need in_ns lqa ping -c 2 -i 0.1 -s 1400 10.0.0.3
sleep 1
kill $capture
wait $capture
in_ns lqa cat /proc/net/nf_conntrack >"$TESTDIR/flows"

# measure SOURCE FILE: the matrix on one line
measure()
{
	liquid matrix --from "$1" --addresses "$TESTDIR/addresses" --hosts 'a,b,c' "$2" |
		grep -v '^#' | tr '\n' ' '
}
tracked=$(measure conntrack "$TESTDIR/flows")
captured=$(measure pcap "$TESTDIR/packets")
compare "connections count the bytes of their packets: $captured" "$tracked" = "$captured"
compare "three of 1028 bytes to b, two of 1428 to c, and as many back" "$tracked" = \
	"0,3084,2856 3084,0,0 2856,0,0 "
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What may send past a gate and can be seen on its device: show lists it, attach notes it.
# kernels: 6.1 6.12
# runs: 6.1-icount 6.12-normal
# timeout: 60
. /liquid/lib/guest.sh
start
make_pair
load bonding macvlan 8021q vxlan dummy
in_ns lqa liquid-nl attach lqva --rate 100M >"$TESTDIR/said" 2>&1
compare "a plain device: attach has no note" "$(grep -c note "$TESTDIR/said")" = 0
compare "nothing leads past its gate" "$(gate state.leaks)" = 0
in_ns lqa liquid-nl show lqva >"$TESTDIR/said"
refuse "show lists nothing" grep -q leak "$TESTDIR/said"

gone()
{
	[ "$(gate state.leaks)" = 0 ]
}

# holds NAME KIND BIT TEXT: while KIND is on the device it is seen
holds()
{
	background "$TESTDIR/$2" in-ns lqa pastgate lqva "$2"
	holder=$pid
	await grep -q ready "$TESTDIR/$2"
	compare "$1 is seen" "$(gate state.leaks)" = "$3"
	in_ns lqa liquid-nl show lqva >"$TESTDIR/said"
	check "show lists $1" grep -q "^  leak   $4\$" "$TESTDIR/said"
	need in_ns lqa wire del lqva
	in_ns lqa liquid-nl attach lqva --rate 100M >"$TESTDIR/said" 2>&1
	check "attach notes $1" grep -q "note: $4" "$TESTDIR/said"
	kill "$holder"
	wait "$holder" 2>/dev/null
	await gone
	compare "$1 is not seen when it has gone" "$(gate state.leaks)" = 0
}

holds "an XDP program" xdp 2 "an XDP program may send past the gate"
holds "an AF_XDP socket" xsk 4 "AF_XDP sockets send past the gate"

# stacked NAME DEV: a gate on DEV is one on a device that sends through another
stacked()
{
	need in_ns lqb ip link set "$2" up
	in_ns lqb liquid-nl attach "$2" --rate 100M >"$TESTDIR/said" 2>&1
	check "attach notes that $1 sends through others" grep -q \
		"note: the device sends through others, which have no frames: attach gates there" \
		"$TESTDIR/said"
	compare "$1 is seen" $(($(in_ns lqb wire get "$2" state.leaks) & 1)) = 1
	in_ns lqb liquid-nl show "$2" >"$TESTDIR/said"
	check "show lists it for $1" grep -q "^  leak   sends through other devices" "$TESTDIR/said"
	need in_ns lqb ip link del "$2"
}

need in_ns lqb ip link add link lqvb name lqmac type macvlan
stacked "a macvlan" lqmac
need in_ns lqb ip link add link lqvb name lqvlan type vlan id 7
stacked "a VLAN" lqvlan
need in_ns lqb ip link add lqdummy type dummy
need in_ns lqb ip link add lqbond type bond
need in_ns lqb ip link set lqdummy master lqbond
stacked "a bond" lqbond

need in_ns lqb ip link add lqtunnel type vxlan id 7 remote 10.0.0.1 dstport 4789
stacked "a tunnel without its own device" lqtunnel

# A bond that is empty claims the IPsec offload that its devices might have.
need in_ns lqb ip link add lqempty type bond mode active-backup
in_ns lqb ethtool -K lqempty esp-hw-offload on >/dev/null 2>&1
need in_ns lqb wire add lqempty rate_bps=100000000
compare "an offload that is on is seen" "$(in_ns lqb wire get lqempty state.leaks)" = 8
need in_ns lqb ip link add lqplain type dummy
need in_ns lqb wire add lqplain rate_bps=100000000
compare "a device without offloads has none" "$(in_ns lqb wire get lqplain state.leaks)" = 0
finish

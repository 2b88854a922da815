#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The part of traffics in the guest for soft-RoCE: run patterns of Swiss-T1 by RDMA writes with
# packets of 4 KiB.
# timeout: 3000
set -eu

. /liquid/swiss-t1-rows.sh
MTU=4500

# soft-RoCE devices work only in the initial namespace, so all addresses are local. Rules by output
# device still route packets for a local address over the fabric.
within()
{
	shift
	"$@"
}

address()
{
	case $1 in
	t*) echo "10.1.0.${1#t}" ;;
	r*) echo "10.2.0.${1#r}" ;;
	esac
}

make_network()
{
	liquid-nl fabric make swiss-t1 -o $fabric
	liquid-lab up $fabric --rate "$RATE" --mtu $MTU \
		--worm "$WORM" $FABRIC_OPTIONS >$work/log 2>&1 ||
		die "no fabric: $(cat $work/log)"
	for n in $(seq 32); do
		echo "r$n 10.2.0.$n"
	done >$work/map
}

# join DEVICE PEERS NETWORK TABLE: set up address, routes and soft-RoCE of DEVICE
join()
{
	echo 1 >"/proc/sys/net/ipv4/conf/$1/accept_local"
	echo 0 >"/proc/sys/net/ipv4/conf/$1/rp_filter"
	ip link set "$1" mtu $MTU up
	tc qdisc replace dev "$1" root pfifo limit 10000
	ip addr add "$(address "$1")/32" dev "$1"
	for peer in $nodes; do
		ip neigh replace "$(address "$2$peer")" lladdr \
			"$(cat "/sys/class/net/$2$peer/address")" dev "$1"
	done
	ip route add "$3" dev "$1" src "$(address "$1")" table "$4"
	ip rule add pref 10 iif "$1" lookup local
	ip rule add pref 20 oif "$1" lookup "$4"
	rdma link add "r$1" type rxe netdev "$1" || die "no soft-RoCE on $1"
}

join_all()
{
	modprobe crc32_generic
	modprobe ib_uverbs
	modprobe rdma_rxe
	echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter
	ip rule add pref 30 lookup local
	ip rule del pref 0
	for n in $nodes; do
		join "t$n" r 10.2.0.0/16 $((100 + n))
		join "r$n" t 10.1.0.0/16 $((200 + n))
	done
}

leave_all()
{
	for n in $nodes; do
		rdma link del "rt$n"
		rdma link del "rr$n"
		ip addr flush dev "t$n"
		ip addr flush dev "r$n"
	done
	ip rule add pref 0 lookup local
	while ip rule del pref 10 2>/dev/null || ip rule del pref 20 2>/dev/null; do
		:
	done
	ip rule del pref 30
}

row_extras()
{
	cat /sys/class/infiniband/rt*/ports/1/hw_counters/retry_rnr_exceeded_err \
		/sys/class/infiniband/rt*/ports/1/hw_counters/completer_retry_err |
		awk '{ n += $1 } END { print "retransmitted=" n + 0 }'
}

run_orders()
{
	join_all
	run_program pairwise verbs --message "$MESSAGE" --at "$(soon 0)" --cycles 1
	base=$(later 50)
	push_all "$base"
	run_program gated verbs --message "$MESSAGE" --at "$base" --cycles "$CYCLES"
	detach_all
	leave_all
}

set_up
each_pattern run_orders

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# All of Swiss-T1, 64 ports in 64 namespaces: up, in use, down; what a port shows; large packets.
# runs: 6.1-icount 6.12-normal
# timeout: 200
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
fabric_start
load ipv6 af_packet
FABRIC=$TESTDIR/swiss
need liquid fabric make swiss-t1 -o "$FABRIC"
uptime_ms()
{
	cut -d' ' -f1 /proc/uptime | tr -d .
}
before=$(uptime_ms)
fabric_up --rate 100M --unrouted free --mtu 65535 --tx-queues 2 --name swiss
took=$((($(uptime_ms) - before) * 10))
echo "# up in $took ms"
if [ "${LIQUID_ICOUNT:-0}" = 1 ] && [ $DEBUG = 0 ]; then
	compare "64 ports come up within five seconds" $took -lt 5000
fi
compare "64 namespaces" "$(ip netns list | wc -l)" = 64
compare "the tool tells who has which address" "$(tail -n 1 "$LOG")" = "r32 10.9.0.64"
compare "every sender reaches every receiver" \
	"$(liquid-lab stats --json | grep -c '"n_paths": 1024')" = 1
check "datagrams of 65,507 bytes arrive" \
	blast udp --size 65507 --bytes 655070 --rate 5000000 \
	t1@10.9.0.1 t2@10.9.0.2 t32@10.9.0.32 -- r1@10.9.0.33 r32@10.9.0.64
compare "datagrams of 65,507 bytes arrive in one packet each" \
	"$(fabric_sum rx_packets)" = "$(field packets "$LOG")"
check "TCP works where only one way has links" blast tcp --bytes 200000 \
	t1@10.9.0.1 t9@10.9.0.9 -- r32@10.9.0.64 r17@10.9.0.49
compare "TCP: the way back does not use the fabric" "$(fabric_sum free_rx_packets)" -gt 10
compare "nothing was dropped" "$(liquid-lab stats --json | grep '"drop_' | grep -vc ': 0,*$')" = 0
check "every packet is accounted for" fabric_conserves

# What a port shows.
in_t1()
{
	ip netns exec t1 "$@" >"$LOG" 2>&1
}
in_t1 ethtool t1
compare "ethtool: the link's rate" "$(grep -c 'Speed: 100Mb/s' "$LOG")" = 1
in_t1 ethtool -i t1
compare "ethtool: the driver" "$(grep -c 'driver: liquid_lab' "$LOG")" = 1
compare "a port has two TX queues" \
	"$(ip netns exec t1 sh -c 'ls -d /sys/class/net/t1/queues/tx-*' | wc -l)" = 2
compare "the kernel's own counters of a port agree" \
	"$(ip netns exec t1 cat /sys/class/net/t1/statistics/tx_packets)" \
	-ge "$(fabric_count ports t1 tx_packets)"
check "liquid-nl attaches a gate without --rate" ip netns exec t1 liquid-nl attach t1

# ARP goes outside of the fabric.
need ip -n t3 neigh flush all
need ip -n t3 neigh del 10.9.0.33 dev t3
check "neighbours are found" ip netns exec t3 ping -c 1 -W 5 10.9.0.33

before=$(uptime_ms)
fabric_down
echo "# down in $((($(uptime_ms) - before) * 10)) ms"
compare "liquid-lab down leaves no namespace behind" "$(ip netns list | wc -l)" = 0

# Some of the ports, by their own names, here.
check "ports with their own names" liquid-lab up "$FABRIC" --rate 2.5G --name part \
	--ports 't1=lqt1,t[2-3],r[1-2],r32=lqr32' --switching packet
compare "liquid-lab up --ports makes six ports" \
	"$(ip -o link show type liquid_lab 2>/dev/null | wc -l)" = 6
compare "ports have the names that were given" \
	"$(ip -o link show | grep -c ': lqt1:\|: lqr32:\|: t2:')" = 3
compare "a fabric of six ports has only the paths between them" \
	"$(liquid-lab stats part --json | grep -c '"n_paths": 9')" = 1
check "liquid-lab stats prints links by load" sh -c "liquid-lab stats part | grep -q 2.5"
refuse "liquid-lab stats refuses a fabric that does not exist" liquid-lab stats swiss
refuse "liquid-lab down refuses a fabric that does not exist" liquid-lab down swiss
check "liquid-lab down by name" liquid-lab down part

# The example of liquid-lab(8)
need liquid fabric make papers-5x5 -o "$TESTDIR/papers"
need liquid-lab up "$TESTDIR/papers" --rate 100M --unrouted free --netns --addr 10.9.0.0/24
compare "the sixth address is r1's" "$(sed -n 6p "$LOG")" = "r1 10.9.0.6"
check "t1 reaches r1" ip netns exec t1 ping -c 3 10.9.0.6
check "liquid-lab stats" liquid-lab stats
check "liquid-lab down removes all" liquid-lab down
fabric_finish

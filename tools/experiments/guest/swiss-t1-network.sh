# SPDX-License-Identifier: GPL-2.0-only
# Swiss-T1 in a guest: 32 nodes on liquid_lab, and their gates; for chapter-3 and the demo.
#
# Scripts that source this define $work, $number and die(). /liquid/parameters has rates and times,
# $nodes are the nodes that take part, $push has the options of liquid-nl push for all of them.
# shellcheck shell=sh disable=SC2086,SC2154

fabric=$work/fabric
MTU=65535

within()
{
	space=$1
	shift
	nsenter --net=/run/netns/"$space" "$@"
}

# All senders are in one namespace, all receivers in another, with static neighbours. A worm is a
# message. Receivers have no links to the senders and need none.
make_network()
{
	ip netns add tx
	ip netns add rx
	# Avoid router solicitations from 64 devices to 63 others each.
	for space in tx rx; do
		within $space sysctl -qw net.ipv6.conf.all.disable_ipv6=1 \
			net.ipv6.conf.default.disable_ipv6=1
	done
	sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
	liquid fabric make swiss-t1 -o $fabric
	liquid-lab up $fabric --rate "$RATE" --mtu $MTU --worm "$WORM" >$work/log 2>&1 ||
		die "no fabric: $(cat $work/log)"
	: >$work/tx
	: >$work/rx
	for n in $(seq 32); do
		ip link set "t$n" netns tx
		ip link set "r$n" netns rx
		echo "link set r$n mtu $MTU up
			addr add 10.2.0.$n/32 dev r$n" >>$work/rx
		echo "link set t$n mtu $MTU up
			addr add 10.1.0.$n/32 dev t$n
			route add 10.2.0.0/16 dev t$n src 10.1.0.$n metric $n" >>$work/tx
		echo "r$n 10.2.0.$n"
	done >$work/map
	ip -n rx -o link | awk '$2 ~ /^r/ {
		to = $2
		gsub(/[^0-9]/, "", to)
		for (n = 1; n <= 32; n++)
			print "neigh replace 10.2.0." to " lladdr " $(NF - 2) " dev t" n
	}' >$work/neigh
	ip -n rx -batch $work/rx || die "addresses of receivers"
	ip -n tx -batch $work/tx || die "addresses of senders"
	ip -n tx -batch $work/neigh || die "neighbours"
}

# Print the number of packets that gates have dropped or sent late.
gate_faults()
{
	within tx liquid-nl stats --json | awk -F: '
		/"(drop[a-z_]*|late)"/ { gsub(/[ ,]/, "", $2); sum += $2 } END { print sum + 0 }'
}

# Print the number of packets that the fabric has dropped.
fabric_drops()
{
	within tx cat /proc/net/dev | awk '/^ *t[0-9]+:/ { sum += $13 } END { print sum + 0 }'
}

# Attach gates that stay closed until the base time $1, with an error of the clock for each node.
push_all()
{
	for n in $nodes; do
		within tx liquid-nl attach "t$n" --replace --rate ${RATE} --overhead 24 --mpu 0 \
			--limit 100000 --limit-bytes 1G --dest-limit 1000 --dest-limit-bytes 64M \
			--horizon 0
		within tx liquid-nl push "t$n" $push --frame-time 10us --guard 0 --node "t$n" \
			--base-time +20ms --cycles 1 --then hold
	done >$work/log 2>&1 || die "gates: $(tail -n 3 $work/log)"
	clockset until $(($(wire now) + 50000000))
	for n in $nodes; do
		# A constant error of up to $ERROR, the same in each run
		error=$((((n * 7919 + number * 104729) % 2001 - 1000) * ERROR / 1000))
		within tx liquid-nl push "t$n" $push --frame-time ${FRAME}ns --guard ${GUARD}ns \
			--node "t$n" --base-time $(($1 + error))
	done >$work/log 2>&1 || die "schedules: $(tail -n 3 $work/log)"
}

# soon NS: print a base time in 1 s + NS. Half a second is enough to open and fill the sockets.
soon()
{
	echo $(($(wire now) + 1000000000 + $1))
}

# Set up clock, modules and network. Pages are freed in small batches: by default the kernel
# collects as many as a zone's low watermark and frees them all at once, with interrupts off, so
# that timers are milliseconds late.
set_up()
{
	sysctl -qw vm.percpu_pagelist_high_fraction=100000
	clockset tai 37
	clockset sync 1 2>/dev/null || :
	insmod /liquid/liquid_lab.ko
	insmod /liquid/liquid.ko
	modprobe ipv6 2>/dev/null || :
	make_network
}

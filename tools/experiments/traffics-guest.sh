#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The guest's part of traffics: patterns of Swiss-T1 over TCP with packets of 9,000 bytes.
#
# Prints TAP, and a line `row NUMBER ORDER KEY=VALUE...` a run. The host has put /liquid/parameters
# and /liquid/patterns beside it.
# timeout: 3000
set -eu

. /liquid/parameters
PATH=/liquid:$PATH
work=/tmp/experiment
mkdir -p $work
. /liquid/swiss-t1-network.sh
MTU=9000
echo "TAP version 13"
count=0

die()
{
	echo "# $*"
	echo "not ok $((count + 1)) - $*"
	echo "1..$((count + 1))"
	exit 1
}

# A cycle is longer than TCP waits for an acknowledgement by default; a window as long as a message
# from the start, which outlives the cycle; acknowledgements at once, and beside the fabric, where the
# receivers have no links of their own; and memory for all sockets' buffers, without which TCP drops.
tune_tcp()
{
	sysctl -qw net.ipv4.tcp_mem="200000 250000 300000"
	within tx sysctl -qw net.ipv4.tcp_slow_start_after_idle=0
	: >$work/tx
	: >$work/rx
	for n in $(seq 32); do
		echo "route replace 10.2.0.0/16 dev t$n src 10.1.0.$n metric $n rto_min 30s initcwnd 40" >>$work/tx
		echo "route add 10.1.0.0/16 dev r$n src 10.2.0.$n metric $n quickack 1 initrwnd 60" >>$work/rx
	done
	ip -n tx -o link | awk '$2 ~ /^t/ {
		to = $2
		gsub(/[^0-9]/, "", to)
		for (n = 1; n <= 32; n++)
			print "neigh replace 10.1.0." to " lladdr " $(NF - 2) " dev r" n
	}' >>$work/rx
	# no queue drops what waits for long, as fq_codel does
	for n in $(seq 32); do
		tc -n tx qdisc replace dev "t$n" root pfifo limit 10000
	done
	ip -n tx -batch $work/tx || die "routes of senders"
	ip -n rx -batch $work/rx || die "routes of receivers"
}

# run ORDER BASE [OPTION]...: the exchange, and its row
run()
{
	order=$1
	base=$2
	shift 2
	drops=$(fabric_drops)
	# shellcheck disable=SC2086 # a number a word
	if streams "$order" --message "$MESSAGE" --at "$base" --limit 1000 "$@" $nodes \
		>$work/streams 2>$work/log; then
		verdict=ok
	else
		verdict="not ok"
	fi
	count=$((count + 1))
	faults=0
	[ "$order" != gated ] || faults=$(gate_faults)
	echo "row $number $order length=$length $(cat $work/streams $work/log) faults=$faults" \
		"drops=$(($(fabric_drops) - drops))"
	echo "$verdict $count - pattern $number, $order"
}

set_up
tune_tcp
while IFS=, read -r number _ _ _ list; do
	nodes=$(echo "$list" | tr ';' ' ')
	all=$(echo "$list" | tr ';' ',')
	liquid-nl solve $fabric --senders "t[$all]" --receivers "r[$all]" -o $work/schedule >$work/log ||
		die "solve: $(cat $work/log)"
	length=$(grep -o '"length": *[0-9]*' $work/schedule | head -n 1 | tr -dc 0-9)
	push="--schedule $work/schedule --addr-map $work/map --hops 1 --max-packet $MTU"
	run round-robin "$(soon 0)" --cycles 1
	# shellcheck disable=SC2086
	base=$(soon $((50000000 * $(echo $nodes | wc -w))))
	push_all "$base"
	run gated "$base" --cycles "$CYCLES"
	detach_all
	echo "done $number"
done </liquid/patterns
echo "1..$count"

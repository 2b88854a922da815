#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The guest's part of swiss-t1: each pattern by real sockets over liquid_fabric, without and with gates.
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
echo "TAP version 13"
count=0

die()
{
	echo "# $*"
	echo "not ok $((count + 1)) - $*"
	echo "1..$((count + 1))"
	exit 1
}

# run ORDER BASE [OPTION]...: the exchange, and its row
run()
{
	order=$1
	base=$2
	shift 2
	drops=$(fabric_drops)
	# shellcheck disable=SC2086 # a number a word
	if exchange "$order" --datagrams "$DATAGRAMS" --at "$base" --seed "$number" \
		--limit 1000 "$@" $nodes >$work/exchange 2>$work/log; then
		verdict=ok
	else
		verdict="not ok"
	fi
	count=$((count + 1))
	faults=0
	[ "$order" != gated ] || faults=$(gate_faults)
	echo "row $number $order length=$length $(cat $work/exchange $work/log) faults=$faults" \
		"drops=$(($(fabric_drops) - drops))"
	echo "$verdict $count - pattern $number, $order"
}

set_up
while IFS=, read -r number _ _ duration list; do
	nodes=$(echo "$list" | tr ';' ' ')
	all=$(echo "$list" | tr ';' ',')
	liquid-nl solve $fabric --senders "t[$all]" --receivers "r[$all]" -o $work/schedule >$work/log ||
		die "solve: $(cat $work/log)"
	length=$(grep -o '"length": *[0-9]*' $work/schedule | head -n 1 | tr -dc 0-9)
	push="--schedule $work/schedule --addr-map $work/map --hops 1 --max-packet $MTU"
	run round-robin "$(soon 0)" --cycles 1
	run random "$(soon 0)" --cycles 1
	# shellcheck disable=SC2086
	base=$(soon $((20000000 * $(echo $nodes | wc -w))))
	push_all "$base"
	run gated "$base" --cycles "$CYCLES" --frame "$FRAME" --datagram "$DATAGRAM"
	detach_all
	echo "done $number"
done </liquid/patterns
echo "1..$count"

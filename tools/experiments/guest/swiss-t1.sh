#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The part of chapter-3 in the guest: run patterns of Swiss-T1 with sockets over liquid_lab, without
# and with gates, one by one.
#
# Prints TAP, and a line `row NUMBER ORDER KEY=VALUE...` for each run. /liquid/parameters has rates
# and times, /liquid/patterns the patterns.
# timeout: 3000
# shellcheck disable=SC2086,SC2153,SC2154
set -eu

. /liquid/parameters
PATH=/liquid:$PATH
work=/tmp/experiment
count=0
mkdir -p $work
. /liquid/swiss-t1-network.sh

die()
{
	echo "# $*"
	echo "not ok $((count + 1)) - $*"
	echo "1..$((count + 1))"
	exit 1
}

detach_all()
{
	for n in $nodes; do
		within tx liquid-nl detach "t$n"
	done >$work/log 2>&1 || die "detach: $(cat $work/log)"
}

# run ORDER BASE [OPTION]...: an exchange in that order, and its row
run()
{
	order=$1
	base=$2
	shift 2
	drops=$(fabric_drops)
	verdict=ok
	# shellcheck disable=SC2086 # a number a word
	exchange "$order" --limit 1000 --datagrams "$DATAGRAMS" --seed "$number" --at "$base" "$@" \
		$nodes >$work/said 2>$work/log || verdict="not ok"
	count=$((count + 1))
	faults=0
	[ "$order" != gated ] || faults=$(gate_faults)
	# shellcheck disable=SC2046 # words
	echo "row $number $order length=$length $(cat $work/said $work/log)" \
		"faults=$faults drops=$(($(fabric_drops) - drops))"
	echo "$verdict $count - pattern $number, $order"
}

run_pattern()
{
	nodes=$(echo "$1" | tr ';' ' ')
	all=$(echo "$1" | tr ';' ',')
	liquid solve $fabric --senders "t[$all]" --receivers "r[$all]" -o $work/schedule \
		>$work/log || die "solve: $(cat $work/log)"
	length=$(grep -o '"length": *[0-9]*' $work/schedule | head -n 1 | tr -dc 0-9)
	push="--schedule $work/schedule --addr-map $work/map --hops 1 --max-packet $MTU"
	push="$push --unit-rate $RATE"
	run pairwise "$(soon 0)" --cycles 1
	run random "$(soon 0)" --cycles 1
	base=$(soon $((20000000 * $(echo "$nodes" | wc -w))))
	push_all "$base"
	run gated "$base" --cycles "$CYCLES" --frame "$FRAME" --datagram "$DATAGRAM"
	detach_all
	echo "done $number"
}

set_up
echo "TAP version 13"
while IFS=, read -r number _ _ _ list; do
	run_pattern "$list"
done </liquid/patterns
echo "1..$count"

# SPDX-License-Identifier: GPL-2.0-only
# Common parts of the guests of swiss-t1 and traffics: run patterns of Swiss-T1 one by one.
#
# Prints TAP, and a line `row NUMBER ORDER KEY=VALUE...` for each run. Reads /liquid/parameters and
# /liquid/patterns. Scripts that source this may replace functions of swiss-t1-network.sh.
# shellcheck shell=sh disable=SC2154

. /liquid/parameters
PATH=/liquid:$PATH
work=/tmp/experiment
mkdir -p $work
. /liquid/swiss-t1-network.sh
count=0

die()
{
	echo "# $*"
	echo "not ok $((count + 1)) - $*"
	echo "1..$((count + 1))"
	exit 1
}

# Print more KEY=VALUE for a row.
row_extras()
{
	:
}

# run_program ORDER PROGRAM [OPTION]...: run an exchange in that order, and print its row
run_program()
{
	order=$1
	program=$2
	shift 2
	drops=$(fabric_drops)
	# shellcheck disable=SC2086 # a number a word
	if "$program" "$order" --limit 1000 "$@" $nodes >$work/said 2>$work/log; then
		verdict=ok
	else
		verdict="not ok"
	fi
	count=$((count + 1))
	faults=0
	[ "$order" != gated ] || faults=$(gate_faults)
	# shellcheck disable=SC2046 # words, or none
	echo "row $number $order length=$length $(cat $work/said $work/log)" $(row_extras) \
		"faults=$faults drops=$(($(fabric_drops) - drops))"
	echo "$verdict $count - pattern $number, $order"
}

# later MS: print a base time like soon(), plus MS for each node
later()
{
	# shellcheck disable=SC2086
	soon $(($1 * 1000000 * $(echo $nodes | wc -w)))
}

# each_pattern COMMAND...: run it for each pattern, with $number, $nodes, $length and $push set
each_pattern()
{
	echo "TAP version 13"
	while IFS=, read -r number _ _ _ list; do
		nodes=$(echo "$list" | tr ';' ' ')
		all=$(echo "$list" | tr ';' ',')
		liquid-nl solve $fabric --senders "t[$all]" --receivers "r[$all]" \
			-o $work/schedule \
			>$work/log || die "solve: $(cat $work/log)"
		length=$(grep -o '"length": *[0-9]*' $work/schedule | head -n 1 | tr -dc 0-9)
		push="--schedule $work/schedule --addr-map $work/map --hops 1"
		push="$push --max-packet $MTU --unit-rate $RATE"
		"$@"
		echo "done $number"
	done </liquid/patterns
	echo "1..$count"
}

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The part of the demo in the guest: an all-to-all on Swiss-T1 without gates, then with gates.
# Prints TAP and rows of results.
# timeout: 900
set -eu

. /liquid/parameters
PATH=/liquid:$PATH
work=/tmp/demo
mkdir -p $work
. /liquid/swiss-t1-network.sh
nodes=$(seq 32)
number=1
push="--schedule /liquid/schedule.json --addr-map $work/map --hops 1 --max-packet $MTU"
push="$push --unit-rate $RATE"
count=0

echo "TAP version 13"
echo "1..3"

verdict()
{
	count=$((count + 1))
	echo "$1 $count - $2"
}

die()
{
	echo "# $*"
	verdict "not ok" "$*"
	exit 1
}

# exchange_all ORDER BASE [OPTION]...: print lines `at ns=... arrived=...`, then the row of results
exchange_all()
{
	order=$1
	base=$2
	shift 2
	echo "begin $order"
	# shellcheck disable=SC2086 # a number a word
	{ exchange "$order" --cycles "$CYCLES" --datagrams "$DATAGRAMS" --at "$base" \
		--tell 500000000 "$@" $nodes || echo failed; } 2>&1 | tee $work/exchange.$order
	if grep -q '^failed' $work/exchange.$order; then
		verdict "not ok" "all datagrams have arrived, $order"
	else
		verdict ok "all datagrams have arrived, $order"
	fi
	echo "row $order $(grep '^nodes=' $work/exchange.$order)"
}

echo "# 32 nodes, each a sender and a receiver on their own links: 64 net devices on liquid_lab"
set_up
echo "# all-to-all, pairwise: a sender gives its next message when the last one is through"
exchange_all pairwise "$(soon 0)"

echo "# gates on the 32 senders, the schedule pushed to each"
base=$(soon 1000000000)
push_all "$base"
within tx liquid-nl show t1 | sed 's/^/#   /'
echo "# the same messages, each in its frame"
exchange_all gated "$base" --frame "$FRAME" --datagram "$DATAGRAM"

late=0
for n in $nodes; do
	within tx liquid-nl stats "t$n" --json >$work/stats
	set -- $(sed -n "s/^sender node=$n messages=\([0-9]*\) outside=\([0-9]*\)/\1 \2/p" \
		$work/exchange.gated)
	of_gate=$(sed -n 's/.*"late": *\([0-9]*\).*/\1/p' $work/stats | head -n 1)
	packets=$(sed -n 's/.*"packets": *\([0-9]*\).*/\1/p' $work/stats | head -n 1)
	late=$((late + of_gate + $2))
	echo "row host name=t$n packets=$packets messages=$1 outside=$2 late=$of_gate"
done
if [ $late = 0 ]; then
	verdict ok "every message was in its frame"
else
	verdict "not ok" "every message was in its frame"
fi

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A cable of a gated job is cut: the exchange loses what crosses it, and nothing else. The fabric
# gets routes around it, on which the schedule is void: job sweep opens the gates, and job reroute
# pushes one that is liquid there. Without a change, job reroute changes nothing.
# adds: munge
# modes: icount
# runs: 6.1-icount
# timeout: 200
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/job.sh
fabric_start
load ipv6 af_packet
clockset sync 20

NAMESPACE=h
RATE=20000000
FRAME=20000000
SIZE=1472	# with 66 bytes more it is on the wire
DATAGRAMS=320	# ten frames of 32
HOSTS='h1@10.9.0.1 h2@10.9.0.2 h3@10.9.0.3 h4@10.9.0.4'

# The spines of the routes to each host: before the cut, and around it
BEFORE='spine1 spine2 spine1 spine2'
AROUND='spine2 spine2 spine2 spine2'

leaf_of()
{
	echo leaf$((($1 + 1) / 2))
}

# trunk LEAF SPINE WAYS: both directions of a cable
trunk()
{
	up=
	down=
	n=0
	for way in $3; do
		n=$((n + 1))
		[ "$way" = "$2" ] || continue
		if [ "$(leaf_of $n)" = "$1" ]; then
			down=$down,h$n
		else
			up=$up,h$n
		fi
	done
	echo "link $1 $2"
	[ -z "$up" ] || echo "  to ${up#,}"
	echo "link $2 $1"
	[ -z "$down" ] || echo "  to ${down#,}"
}

# tree FILE WAYS [CUT]: two leaves with two hosts each, two spines, without the cable CUT
tree()
{
	cables h1:leaf1 h2:leaf1 h3:leaf2 h4:leaf2 >"$TESTDIR/links"
	for leaf in leaf1 leaf2; do
		for spine in spine1 spine2; do
			[ "$leaf-$spine" = "${3:-}" ] || trunk $leaf $spine "$2"
		done
	done >>"$TESTDIR/links"
	FABRIC=$1 fabric_file h1,h2,h3,h4 leaf1,leaf2,spine1,spine2 <"$TESTDIR/links"
}

# paths WAYS: the links of each path, for the judge
paths()
{
	for from in $NODES; do
		to=0
		for way in $1; do
			to=$((to + 1))
			out=$(leaf_of $from)
			in=$(leaf_of $to)
			[ $from != $to ] || continue
			printf '%s 10.9.0.%s h%s>' $((from - 1)) $to $from
			[ "$out" = "$in" ] || printf '%s %s>%s %s>' "$out" "$out" "$way" "$way"
			printf '%s %s>h%s\n' "$in" "$in" $to
		done
	done
}

# exchange [OPTION...]: of all with all; sets lost, and waits: how often packets met on a link
exchange()
{
	before_lost=$(fabric_sum drop_link_down)
	before_waits=$(fabric_sum waits)
	# shellcheck disable=SC2086 # words
	blast udp --limit 60 --size $SIZE --bytes $((DATAGRAMS * SIZE)) "$@" $HOSTS -- \
		$HOSTS >"$TESTDIR/exchange" 2>&1
	status=$?
	lost=$(($(fabric_sum drop_link_down) - before_lost))
	waits=$(($(fabric_sum waits) - before_waits))
	sed 's/^/# /' "$TESTDIR/exchange"
}

# runs_liquid NAME WAYS DURATION: the exchange loses nothing, no two packets meet on a link, all are
# in their frames, and it takes as long as the duration says
runs_liquid()
{
	plans=
	for n in $NODES; do
		need in_ns h$n sh -c "wire plan lqv >$TESTDIR/plan.$n"
		plans="$plans --plan $((n - 1)) $TESTDIR/plan.$n"
	done
	paths "$2" >"$TESTDIR/paths"
	tap_start "$TESTDIR/cap" 60 h1:lqv h2:lqv h3:lqv h4:lqv
	exchange
	tap_stop
	compare "$1: everything arrives, nothing is lost" "$status $lost" = "0 0"
	compare "$1: no two packets meet on a link" "$waits" = 0
	# shellcheck disable=SC2086 # words
	judge_capture "$1: every packet in its frame, no two transfers of a frame on one link" \
		"$TESTDIR/cap" --path "$TESTDIR/paths" $plans
	if [ $DEBUG = 1 ]; then
		skip "$1: 0.90 of the liquid throughput" "a debug kernel is slow"
		return
	fi
	ms=$(field ms "$TESTDIR/exchange")
	compare "$1: 0.90 of the liquid throughput" \
		$(($3 * DATAGRAMS * (SIZE + 66) * 8 * 1000 / (RATE / 1000) / ms)) -ge 900
}

# verdict FABRIC ROUND: the file of what verify says of the round's schedule
verdict()
{
	liquid verify "$TESTDIR/$1" "$TESTDIR/store/rounds/all-$2/schedule.json" \
		>"$TESTDIR/verdict.$1.$2" 2>&1
	echo "$TESTDIR/verdict.$1.$2"
}

tree "$TESTDIR/before" "$BEFORE"
tree "$TESTDIR/around" "$AROUND" leaf1-spine1
need liquid-lab up "$TESTDIR/before" --netns --ports h1=lqv,h2=lqv,h3=lqv,h4=lqv \
	--addr 10.9.0.0/24 --rate $RATE --switching cut-through
cp "$LOG" "$TESTDIR/addresses"
for n in $NODES; do
	need in_ns h$n sysctl -qw net.ipv6.conf.all.disable_ipv6=1
	need in_ns h$n liquid-nl attach lqv --rate $RATE
done
cp "$TESTDIR/before" "$TESTDIR/fabric"
start_service
conf "$TESTDIR/before" | sed "s/^frame-time.*/frame-time ${FRAME}ns/; s/^guard.*/guard 200us/
	s/^link-rate.*/link-rate $RATE/" >"$TESTDIR/conf"
job all 1 2 3 4
all_done
compare "the job is gated" "$(gated)" = 4
sleep 3
await in_force 1 || await in_force 1
check "by a schedule of three frames, which is liquid" \
	grep "in 3 frames, liquid" "$(verdict before 1)"
runs_liquid "before" "$BEFORE" 3

# h1 and h2 send to h3 over it, h3 and h4 to h1.
need liquid-lab link down 'leaf1>spine1' 'spine1>leaf1'
exchange --lossy --linger 200 --verbose
compare "a cable is cut: all of four transfers is lost" "$lost" = $((4 * DATAGRAMS))
compare "those that cross it" "$(sed -n 's/^flow \(..\) \(..\) .* received 0$/\1>\2/p' \
	"$TESTDIR/exchange" | tr '\n' ' ')" = "h1>h3 h2>h3 h3>h1 h4>h1 "
compare "all of the others arrives" \
	"$(grep -c "^flow .* received $((DATAGRAMS * SIZE))$" "$TESTDIR/exchange")" = 8

need liquid-lab reroute "$TESTDIR/around"
exchange
compare "routes around it: everything arrives" "$status $lost" = "0 0"
compare "but packets of the old schedule meet" "$waits" -gt 0
refuse "its schedule is void" \
	liquid verify "$TESTDIR/around" "$TESTDIR/store/rounds/all-1/schedule.json"
check "since it is of other routes" grep "was made for another fabric" "$(verdict around 1)"
check "and it is said what meets where" \
	grep "link leaf1>spine2 carries 2 transfers, its capacity is 1" "$(verdict around 1)"

# A sweep finds that, and the nodes open their gates.
need liquid-nl job sweep all --fabric "$TESTDIR/around" --config "$TESTDIR/conf"
cp "$LOG" "$TESTDIR/sweep"
check "a sweep makes the job void" \
	grep "^job all: round all-1 is void: routes have changed: 4 of 12 pairs" "$TESTDIR/sweep"
opened()
{
	[ "$(gated)" = 0 ]
}
await opened || await opened
compare "and all gates open" "$(gated)" = 0
exchange
compare "the exchange goes on ungated" "$status $lost" = "0 0"

# One reading decides: between two of them a node may get the schedule that waits for its base time.
swapped()
{
	bases >"$TESTDIR/bases"
	[ "$(wc -l <"$TESTDIR/bases")" = 1 ] && [ "$(cat "$TESTDIR/bases")" != "$before" ]
}

# reroute: with the fabric as it is, and wait until its schedule is in force
reroute()
{
	before=$(bases)
	need liquid-nl job reroute all --fabric "$TESTDIR/around" --config "$TESTDIR/conf"
	sleep 5		# a look takes more of the processor than the wait
	await swapped || await swapped || await swapped
	clockset until $(($(cat "$TESTDIR/bases") + FRAME))
}

reroute
check "job reroute: a schedule of four frames, liquid on the new routes" \
	grep "in 4 frames, liquid" "$(verdict around 2)"
runs_liquid "after" "$AROUND" 4

# frames ROUND: the schedule, without what says for which fabric it is
frames()
{
	sed 's/^.*"frames"://' "$TESTDIR/store/rounds/all-$1/schedule.json" >"$TESTDIR/frames.$1"
}

reroute
need liquid-nl job status all --json --config "$TESTDIR/conf"
compare "job reroute without a change: no transfer moves" \
	"$(sed -n 's/.*"\(kept\|moved\)": \([0-9]*\).*/\1 \2/p' "$LOG" | tr '\n' ' ')" = \
	"kept 12 moved 0 "
frames 2
frames 3
compare "its schedule has four frames" "$(grep -c '\["h.","h."\]' "$TESTDIR/frames.2")" = 4
check "and the frames are those of before" cmp "$TESTDIR/frames.2" "$TESTDIR/frames.3"
exchange
compare "and the exchange loses nothing" "$status $lost $waits" = "0 0 0"
end all
fabric_down
fabric_finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Random requests, most of them not quite valid, do no harm under traffic while the device changes
# and schedules come and go; a refused one leaves no trace.
# modes: normal long
# runs: 6.1-normal
# timeout: 650
. /liquid/lib/guest.sh
start
make_pair
add_ipv6
# A debug kernel looks much closer, for an hour.
CHURN=25
CALM=15
[ $DEBUG = 0 ] || CHURN=3500 CALM=100

gate_up()
{
	in_ns lqa tc qdisc del dev lqva root 2>/dev/null
	in_ns lqa wire add lqva rate_bps=100000000 overhead=24 limit_packets=200 || return 1
	in_ns lqa wire script lqva <"$TESTDIR/dests"
}

# All that an administrator may do to a device meanwhile
churn()
{
	while :; do
		in_ns lqa tc qdisc replace dev lqva root pfifo
		in_ns lqa tc qdisc replace dev lqva root handle 5: liquid
		in_ns lqa tc qdisc replace dev lqva root handle 6: liquid
		in_ns lqa ethtool -K lqva tso on gso on
		ip -n lqa link set lqva mtu 600
		gate_up
		sleep 0.3
		ip -n lqa link set lqva down
		ip -n lqa link set lqva mtu 1500 up
		ip -n lqa neigh replace 10.0.0.2 lladdr 02:00:00:00:00:02 dev lqva
		ip -n lqa neigh replace 10.0.0.3 lladdr 02:00:00:00:00:02 dev lqva
		in_ns lqa ethtool -K lqva tso off gso off
		in_ns lqa tc -s qdisc show dev lqva
		gate_up
		sleep 0.3
	done >"$TESTDIR/churn" 2>&1
}

streams()
{
	while :; do
		blast tcp --bytes 1000000 --limit 3 --port 6000 lqa@10.0.0.1 -- lqb@10.0.0.2 \
			lqb@10.0.0.3
		sleep 0.1
	done >"$TESTDIR/streams" 2>&1
}

# trees NAME SECONDS SEED [calm]: in the background
trees()
{
	out=$TESTDIR/$1
	shift
	background "$out" in-ns lqa trees lqva "$@"
}

requests()
{
	field "$1" "$TESTDIR/$2" 1
}

# check_sum NAME REQUESTS: a busy host leaves a guest a tenth of what an idle one does
check_sum()
{
	sed "s/^/# $1: /" "$TESTDIR/$1"
	compare "$1: there are many" "$(requests requests "$1")" -gt "$2"
	compare "$1: some are accepted" \
		"$(requests accepted "$1")" -gt $(($(requests requests "$1") / 5))
	compare "$1: and some refused" \
		"$(requests accepted "$1")" -lt $(($(requests requests "$1") * 4 / 5))
	compare "$1: schedules are committed" "$(requests commits "$1")" -gt $(($2 / 50))
	compare "$1: every request has an answer" "$(requests lost "$1")" = 0
}

make_gate
make_dests 4
trees calm $CALM 7 calm
wait "$pid"
check_sum calm 300
compare "a refused request leaves no trace" "$(requests changed calm)" = 0

need gate_up
arrived=$(ip netns exec lqb cat /sys/class/net/lqvb/statistics/rx_packets)
datagrams()
{
	background "$TESTDIR/blast$1" blast udp --send-only --bytes 1000000000 --rate 1000000 \
		--limit $((CHURN + 60)) lqa@"$2"1 -- lqb@"$2"2 lqb@"$2"3 lqb@"$2"4 lqb@"$2"9
}

datagrams 4 10.0.0.
blast4=$pid
datagrams 6 fd00::
blast6=$pid
streams &
pids="$pids $!"
churn &
churn=$!
pids="$pids $churn"
trees one $CHURN 1
one=$pid
trees other $CHURN "$(date +%s)"
wait "$one" "$pid"
has_changed()
{
	[ "$(grep -c "^qdisc liquid" "$TESTDIR/churn")" -ge 3 ]
}
# On a busy host few changes fit into that time.
for _ in 1 2 3 4 5 6; do
	await has_changed && break
done
kill "$churn" "$blast4" "$blast6"
wait "$churn" "$blast4" "$blast6" 2>/dev/null
check_sum one 2000
check_sum other 2000
compare "packets flowed" \
	$(($(ip netns exec lqb cat /sys/class/net/lqvb/statistics/rx_packets) - arrived)) -gt 1000
check "the device changed all the time" has_changed

# What is new after all that works.
ip -n lqa link set lqva mtu 1500 up
for host in 2 3 4 5; do
	need ip -n lqa neigh replace 10.0.0.$host lladdr 02:00:00:00:00:02 dev lqva
done
need gate_up
need push +$((2 * MS)) "frame_ns=$((4 * MS)) guard_ns=50000 frames=4" "" 1:0 1:1 1:2 1:-
check "packets arrive in their frames afterwards" blast udp --bytes 20000 --limit 20 \
	--port 7000 lqa@10.0.0.1 -- lqb@10.0.0.2 lqb@10.0.0.3
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# trap 06: everything can be taken away under traffic, again and again.
# runs: 6.1-icount 6.12-normal
# timeout: 120
. /liquid/lib/guest.sh
start
make_pair
ROUNDS=5

# Traffic that minds nothing: both directions of time, all kinds.
traffic()
{
	background "$TESTDIR/blast" blast udp --send-only --bytes 100000000 \
		--rate $((20000000 / SCALE)) \
		--limit "$1" lqa@10.0.0.1 -- lqb@10.0.0.2 lqb@10.0.0.3 lqb@10.0.0.4 lqb@10.0.0.9
	blast=$pid
}

hush()
{
	kill "$blast" 2>/dev/null
	wait "$blast" 2>/dev/null
}

gate_up()
{
	in_ns lqa wire add lqva rate_bps=100000000 overhead=24 limit_packets=200 || return 1
	make_dests 3
	push +$((2 * MS)) "frame_ns=$MS guard_ns=50000 frames=4" "" 1:0 1:1 1:2 1:-
}

traffic 60
for round in $(seq $ROUNDS); do
	gate_up && sleep 0.03 && in_ns lqa wire del lqva || echo "round $round"
done >"$TESTDIR/rounds" 2>&1
compare "trap 06: attached, filled and detached under traffic" \
	"$(grep -c round "$TESTDIR/rounds")" = 0
need gate_up
for round in $(seq $ROUNDS); do
	push +$((2 * MS)) "frame_ns=$((round * 100000 + 300000)) frames=3" replace 1:2 1:0 1:- &&
		in_ns lqa wire script lqva <<-END || echo "round $round"
		trap 06: options | gate-set gate{policy=2 reserve=100 limit_packets=100} | ok
		destinations | \
			dest-set dests{dest{id=0 key{ipv4=10.0.0.2}} \
			dest{id=7 key{ipv4=10.0.0.9}}} | ok
		deletion | dest-del dests{dest{id=7}} | ok
		clear | clear | ok
		END
done >"$TESTDIR/rounds" 2>&1
compare "trap 06: schedules, tables and options changed under traffic" \
	"$(grep -c 'round\|not ok' "$TESTDIR/rounds")" = 0
refuse "trap 06: the module stays as long as a gate needs it" rmmod "$MODULE"
for round in $(seq $ROUNDS); do
	ip -n lqa link set lqva down && ip -n lqa link set lqva up || echo "round $round"
done >"$TESTDIR/rounds" 2>&1
compare "trap 06: the device goes down and up" "$(wc -c <"$TESTDIR/rounds")" = 0
ip -n lqa neigh replace 10.0.0.2 lladdr 02:00:00:00:00:02 dev lqva
check "trap 06: tc replaces the gate by another qdisc" in_ns lqa tc qdisc replace dev lqva root \
	pfifo
check "trap 06: and back" in_ns lqa tc qdisc replace dev lqva root liquid
check "trap 06: the gate's device changes its MTU" ip -n lqa link set lqva mtu 1400
hush
# blast's sockets hold the namespace; one that belongs to no one sends from inside it
in_ns lqa wire del lqva
for round in 1 2 3; do
	gate_up
	traffic 60
	sleep 0.05
	if [ $((round % 2)) = 1 ]; then
		ip -n lqb link del lqvb || echo "round $round"
	else
		ip netns del lqa || echo "round $round"
	fi
	hush
	ip netns del lqa 2>/dev/null
	ip netns del lqb 2>/dev/null
	make_pair
done >"$TESTDIR/rounds" 2>&1
compare "trap 06: cable and namespace go under traffic" "$(grep -c round "$TESTDIR/rounds")" = 0

# The last user gone, the module goes; and comes again.
ip netns del lqa
ip netns del lqb
check "the module goes when no gate is left" await unload_liquid
check "the module is loaded again" load_liquid
finish

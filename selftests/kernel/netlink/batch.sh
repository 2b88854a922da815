#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# However many packets wait, they are dropped in many visits to the gate; visits.sh has how long
# these are.
# kernels: 6.1
# modes: icount
# timeout: 90
. /liquid/lib/guest.sh
. /liquid/lib/trace.sh
start
make_pair
PACKETS=4000

# prepare OPTION...: a gate whose destination 0 has a frame, and idle ones begin, half a minute
# later
prepare()
{
	in_ns lqa wire del lqva 2>/dev/null
	make_gate "$@"
	make_dests 2
	need push +$MS "frame_ns=1000000000 frames=64" "" 30:1 1:0 33:-
	sleep 0.05
}

# Packets dropped one visit after the other: each visit is its own softirq. visits NAME COUNTER
visits()
{
	trace_stop "$TESTDIR/trace"
	compare "$1: all are dropped, and counted" "$(gate "stats.$2")" = $PACKETS
	compare "$1: nothing waits" "$(gate state.qlen)" = 0
	compare "$1: at most 64 at a time" \
		"$(grep -c 'softirq_entry: .*action=NET_TX' "$TESTDIR/trace")" \
		-ge $((PACKETS / 65))
}

prepare policy=1
in_ns lqa pkt lqva --dst 10.0.0.9 --count $PACKETS udp
compare "unscheduled packets wait for an idle frame" "$(gate state.unsched_qlen)" = $PACKETS
trace_start irq/softirq_entry
table lqa lqva <<'END'
the policy becomes to drop them | gate-set gate{policy=3} | ok
END
sleep 0.2
visits "policy drop" drop_policy

prepare horizon_ms=100
in_ns lqa pkt lqva --dst 10.0.0.2 --count $PACKETS udp
compare "scheduled packets wait for a frame" "$(gate state.qlen)" = $PACKETS
trace_start irq/softirq_entry
sleep 2
visits "the horizon, behind a closed gate" drop_horizon
compare "at their destination" "$(in_ns lqa wire dest lqva 0 stats.drop_horizon)" = $PACKETS
finish

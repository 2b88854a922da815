#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# As many packets wait as a gate may hold: no visit to it, under its lock, takes long. An
# instruction takes 1 ns here.
# kernels: 6.1
# modes: icount
# runs: 6.1-icount
# timeout: 300
. /liquid/lib/guest.sh
. /liquid/lib/trace.sh
. /liquid/lib/visits.sh
start
can_time || skip_all "the kernel cannot time functions"
make_pair
PACKETS=131072
LIMITS="limit_packets=$PACKETS limit_bytes=1000000000 dest_limit_packets=$PACKETS
	dest_limit_bytes=1000000000"

# closed BASE: a schedule whose first ten minutes belong to destination 8
closed()
{
	need push "$1" "frame_ns=1000000000 frames=700" "" \
		600:8 1:0 1:1 1:2 1:3 1:4 1:5 1:6 1:7 92:-
}

# fill: packets for destinations 0 ... 7, which wait
fill()
{
	for dest in $(seq 0 7); do
		in_ns lqa pkt lqva --dst "10.0.0.$((dest + 2))" --count $((PACKETS / 8)) udp
	done
	compare "packets wait" "$(gate state.qlen)" = $PACKETS
}

# Destination 0 loses its frames and gets them again, while packets for it wait and arrive. blast
# reports any that overtakes another.
make_gate policy=1
make_dests 2
background "$TESTDIR/blast" blast udp --bytes 4000000 lqa@10.0.0.1 -- lqb@10.0.0.2 lqb@10.0.0.3
blast=$pid
for _ in $(seq 12); do
	need push +$((3 * MS)) "frame_ns=$((4 * MS)) frames=3" replace 1:0 1:1 1:-
	sleep 0.02
	need push +$((3 * MS)) "frame_ns=$((4 * MS)) frames=3" replace 1:1 2:-
	sleep 0.02
done
check "packets were being sent all the time" kill -0 "$blast"
wait "$blast"
compare "each flow arrives whole and in order" $? = 0
sed 's/^/# /' "$TESTDIR/blast"
compare "there were many swaps" "$(gate stats.swaps)" -ge 20
need in_ns lqa wire del lqva

# shellcheck disable=SC2086 # options
make_gate policy=1 $LIMITS
make_dests 9
closed +$MS
sleep 0.05
fill

visits_start
need push +$((300 * MS)) "frame_ns=1000000000 frames=700" "" 600:8 100:-
sleep 2
visits_stop "a schedule without their destinations" liquid_dequeue_slow 8
compare "all have become unscheduled" "$(gate state.unsched_qlen)" = $PACKETS

visits_start
closed +$((300 * MS))
sleep 2
visits_stop "a schedule with frames for them" liquid_dequeue_slow \
	$((PACKETS / 64))
compare "all are scheduled" "$(gate state.unsched_qlen) $(gate state.qlen)" = "0 $PACKETS"

# What leaves the open gate before its destinations are deleted, leaves in a softirq or two.
visits_start
check "the schedule and the destinations are removed" \
	in_ns lqa chrt -f 50 liquid-nl clear --dests lqva
visits_stop "all destinations are deleted" liquid_delete_visit 1
dropped=$(gate stats.drop_deleted)
compare "most packets were dropped" "$dropped" -gt $((PACKETS / 2))
compare "nothing waits" "$(gate state.qlen) $(gate state.backlog)" = "0 0"

make_dests 9
closed +$MS
sleep 0.05
fill
visits_start
need ip -n lqa link set lqva down
visits_stop "the device goes down" liquid_gate_purge 1
compare "nothing waits" "$(gate state.qlen) $(gate state.backlog)" = "0 0"
compare "those are not drops" "$(gate stats.drop_deleted)" = "$dropped"
finish

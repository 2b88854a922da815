#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every counter of a gate counts the event that it is named for, and not the one that is nearly so.
#
# The counters that need a line which stops, a chain of acknowledgements or a lack of memory are
# tested where these are: ELSEWHERE names them with their tests.
# modes: icount
# timeout: 120
. /liquid/lib/guest.sh
start
make_pair
ELSEWHERE="requeues=taken-back late=taken-back frames_missed=missed queue_stopped=lab-gate
	acks_thinned=acks drop_reset=txqs"
# A debug kernel takes some 50 ms to start a program.
SLOW=$((1 + 24 * DEBUG))
FRAME=$((40 * MS * SLOW))
tested=
NS=lqa
DEVICE=lqva

gate_with()
{
	in_ns lqa wire del lqva 2>/dev/null
	make_gate horizon_ms=0 "$@"
	make_dests 3
}

# Destination 0 and 1 have frames, which are over: their packets wait for ever.
closed_with()
{
	gate_with "$@"
	need push +$((20 * MS)) "frame_ns=1000000 frames=2 cycles=1 then=1" "" 1:0 1:1
	sleep 0.05
	[ "$(gate state.mode)" = 2 ] || need false
}

# Frames of destination 0, of destination 1, and an idle one; sets base
gated_with()
{
	gate_with "$@"
	base=$(($(now) + 10 * MS))
	need push $base "frame_ns=$FRAME guard_ns=$((FRAME / 10)) frames=3" "" 1:0 1:1 1:-
}

# Wait for that many tenths of the next frame 0.
tenths()
{
	cycle=$((3 * FRAME))
	clockset until $(((($(now) - base) / cycle + 1) * cycle + base + FRAME * $1 / 10))
}

# send HOST COUNT [PKT-ARG...]: UDP packets
send()
{
	host=$1
	packets=$2
	shift 2
	need in_ns lqa pkt lqva --dst 10.0.0."$host" --count "$packets" "$@" udp
}

control()
{
	need in_ns lqa pkt lqva --count "$1" arp
}

script()
{
	echo "request | $* | ok" | in_ns "$NS" wire script "$DEVICE"
}

# counts COUNTER N NAME COMMAND...: it grows by N
counts()
{
	counter=$1
	grown=$2
	name=$3
	shift 3
	tested="$tested $counter"
	before=$(in_ns "$NS" wire get "$DEVICE" stats."$counter")
	"$@" >"$LOG" 2>&1
	sleep 0.02
	compare "$counter: $name" \
		$(($(in_ns "$NS" wire get "$DEVICE" stats."$counter") - before)) = "$grown"
}

# dest_counts ID COUNTER N NAME COMMAND...: the same of a destination
dest_counts()
{
	id=$1
	counter=$2
	grown=$3
	name=$4
	shift 4
	before=$(in_ns lqa wire dest lqva "$id" stats."$counter")
	"$@" >"$LOG" 2>&1
	sleep 0.02
	compare "$counter of destination $id: $name" \
		$(($(in_ns lqa wire dest lqva "$id" stats."$counter") - before)) = "$grown"
}

# ---- what leaves ----

gate_with
bytes=$(gate stats.bytes)
counts packets 3 "packets that leave" send 2 3
size=$((($(gate stats.bytes) - bytes) / 3))
counts bytes $((2 * size)) "bytes of packets that leave" send 2 2
counts control_packets 2 "control packets" control 2
counts control_packets 0 "not those of a destination" send 2 1
counts control_packets 0 "nor unscheduled ones" send 9 1
each=$(($(gate stats.control_bytes) / $(gate stats.control_packets)))
counts control_bytes $((3 * each)) "their bytes" control 3
counts control_bytes 0 "not those of others" send 9 1
counts unsched_packets 2 "packets to addresses that the gate does not know" send 9 2
counts unsched_packets 0 "not control packets" control 1
counts unsched_packets 0 "not those of a destination" send 2 1
each=$(($(gate stats.unsched_bytes) / $(gate stats.unsched_packets)))
counts unsched_bytes $((2 * each)) "their bytes" send 9 2
counts unsched_bytes 0 "not those of control packets" control 1
closed_with
counts packets 0 "not packets that wait" send 2 3
counts bytes 0 "nor their bytes" send 3 3
dest_counts 0 packets 0 "not packets that wait" send 2 1

# ---- frames ----

gated_with
tenths 2
counts frames_used 1 "a frame in which packets leave, once" send 2 3
tenths 2
counts frames_used 0 "not one in which only a control packet leaves" control 1
tenths 2
counts waits 1 "the timer set to a frame that packets wait for" send 3 2
tenths 2
counts waits 0 "not for a packet that leaves at once" send 2 1
tenths 2
dest_counts 1 waits 1 "its packet waits" send 3 1
tenths 2
dest_counts 1 waits 0 "another's packet leaves" send 2 1
tenths 2
dest_counts 0 frames_used 1 "its frame" send 2 1

# ---- packets too large ----

# A frame at 1 Mbit/s takes 5,000 bytes, its guard off that 4,500. One of 10 ms takes 1,250.
gated_with rate_bps=$((1000000 / SLOW))
tenths 1
counts splits 1 "a GSO packet larger than the rest of its frame" in_ns lqa gso lqva \
	--dst 10.0.0.2 --mss 1000 --segs 6
tenths 1
tenths 1
case ${LIQUID_KERNEL:-} in
6.12 | newest)
	skip "drop_split: a GSO packet that the core cannot cut" \
		"the core drops it before any qdisc"
	;;
*)
	counts drop_split 1 "a GSO packet that the core cannot cut" in_ns lqa gso lqva \
		--dst 10.0.0.2 --mss 1000 --segs 6 --doff 4
	tenths 1
	tenths 1
	;;
esac
counts drop_split 0 "not one that it can" in_ns lqa gso lqva --dst 10.0.0.2 --mss 1000 --segs 6
tenths 1
tenths 1
counts splits 0 "not one that fits" in_ns lqa gso lqva --dst 10.0.0.2 --mss 1000 --segs 2
tenths 1
gate_with rate_bps=1000000
need push +$MS "frame_ns=10000000 frames=2" "" 1:0 1:-
sleep 0.05
counts drop_too_big 1 "a packet larger than any frame" in_ns lqa pkt lqva --dst 10.0.0.2 \
	--tail 1400 --port 99 bare
counts drop_too_big 0 "not one that fits in" in_ns lqa pkt lqva --dst 10.0.0.2 --tail 1100 \
	--port 99 bare

# ---- limits ----

closed_with dest_limit_packets=20 limit_packets=30
counts drop_limit 0 "not the last that a queue takes" send 2 20
counts drop_limit 1 "the first that it does not" send 2 1
dest_counts 0 drop_limit 2 "its own" send 2 2
dest_counts 1 drop_limit 0 "not another's" send 2 1
counts drop_total_limit 0 "not the last that all queues take" send 3 10
counts drop_total_limit 1 "the first that they do not" send 3 1

# A control packet has used up the budget of the next seven frames, of 0.4 s: 12 bytes each. It
# costs nothing before the schedule begins.
gate_with dest_limit_packets=20 rate_bps=$((250000 / SLOW)) control=1
need push +$MS "frame_ns=$((400 * SLOW * MS)) frames=2" "" 1:0 1:-
sleep 0.05
control 1
counts drop_control 0 "not the last that their queue takes" in_ns lqa pkt lqva --dst 10.0.0.2 \
	--count 20 syn
counts drop_control 1 "the first that it does not" in_ns lqa pkt lqva --dst 10.0.0.2 syn
counts drop_control 0 "not those of the link's protocols" control 20
counts drop_link 1 "the first that their queue does not take" control 1
counts drop_link 0 "not other control packets" in_ns lqa pkt lqva --dst 10.0.0.2 syn
counts drop_limit 0 "not control packets" control 2

# ---- other ends of packets ----

# Three packets wait for half a second, and then may leave.
stay()
{
	send 2 3
	sleep 0.5
	script clear
}

closed_with
need in_ns lqa wire change lqva horizon_ms=1000
counts drop_horizon 0 "not packets that are younger" stay
compare "drop_horizon: they left" "$(in_ns lqa wire dest lqva 0 stats.packets)" = 3
closed_with
need in_ns lqa wire change lqva horizon_ms=100
counts drop_horizon 3 "packets that have waited longer" stay
gate_with policy=3
counts drop_policy 2 "unscheduled packets that no one wants" send 9 2
counts drop_policy 0 "not those of a destination" send 2 2
counts drop_policy 0 "nor control packets" control 2
closed_with
send 2 4
counts drop_deleted 0 "not those of a destination whose deletion is refused" \
	script "dest-del dests{dest{id=0}}"
compare "they wait" "$(gate state.qlen)" = 4

# ---- schedules, leases, the clock ----

gate_with
counts swaps 1 "a schedule that comes into force" push +$MS "frame_ns=1000000 frames=2" "" 1:0 1:-
counts swaps 0 "not one that waits" push +$((60000 * MS)) "frame_ns=1000000 frames=2" "" 1:0 1:-
counts swaps 0 "nor one that is cleared before" script clear
LEASE=$((30 * MS * SLOW))
need push 0 "frame_ns=1000000 frames=2" "lease_ns=$LEASE" 1:0 1:-
counts lease_expired 1 "a lease that no one renews" clockset until $(($(now) + 2 * LEASE))
need push 0 "frame_ns=1000000 frames=2" "lease_ns=$LEASE" 1:0 1:-
renewals()
{
	for _ in 1 2 3 4 5; do
		clockset until $(($(now) + LEASE / 2))
		script renew lease_ns=$LEASE
	done
}

cleared()
{
	script clear
	clockset until $(($(now) + 2 * LEASE))
}

counts lease_expired 0 "not one that is renewed in time" renewals
need push 0 "frame_ns=1000000 frames=2" "replace lease_ns=$LEASE" 1:0 1:-
counts lease_expired 0 "nor one that ends with its schedule" cleared
need push 0 "frame_ns=1000000 frames=2" "" 1:0 1:-
sleep 0.01
counts clock_steps 1 "the clock is set" sh -c \
	"clockset step 600; in-ns lqa pkt lqva --dst 10.0.0.2 udp"
counts clock_steps 0 "not when only its state is set" sh -c \
	"clockset sync 1000; in-ns lqa pkt lqva --dst 10.0.0.2 udp"
clockset step -600

# ---- packets that wait without a schedule, for a line that has stopped ----

all=$(gate | sed -n 's/^stats\.\([a-z_]*\)=.*/\1/p')
make_line "packets of a destination that is deleted"
NS=-
DEVICE=$DEV
need wire add "$DEV" rate_bps=10000000 overhead=0
cat >"$TESTDIR/two" <<END
dests | \
	dest-set dests{dest{id=0 key{ipv4=10.5.0.2}} \
	dest{id=1 key{ipv4=10.5.0.3}}} | ok
END
need sh -c "wire script $DEV <$TESTDIR/two"
kill -USR2 "$line"
gso "$DEV" --dst 10.5.0.2 --mss 900 --count 12
sleep 0.1
waiting=$(wire dest "$DEV" 0 qlen)
compare "drop_deleted: packets wait for the line" "$waiting" -gt 0
counts drop_deleted 0 "not those of another" script "dest-del dests{dest{id=1}}"
counts drop_deleted "$waiting" "the packets of a destination that is deleted" \
	script "dest-del dests{dest{id=0}}"
kill -USR1 "$line"

# ---- no counter without a test ----

for counter in $all; do
	case " $(echo $tested $ELSEWHERE) " in
	*" $counter "* | *" $counter="*) ;;
	*) echo "$counter has no test" ;;
	esac
done >"$TESTDIR/untested"
cp "$TESTDIR/untested" "$LOG"
compare "every counter that the gate has is tested" "$(wc -l <"$TESTDIR/untested")" = 0
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A gate on a device with several TX queues: packets stay in the queue that the core chose, leave in
# their frames from all of them, and what is one of a gate is counted once.
# modes: icount
# timeout: 120
# cross: i386 s390x
. /liquid/lib/guest.sh
. /liquid/lib/trace.sh
start
make_pair 4
make_gate
make_dests 8
compare "each TX queue has its own queues" "$(gate state.tx_queues)" = 4
FRAME=$((4 * SCALE * MS))
GUARD=$((FRAME / 20))
TO="10.0.0.2 10.0.0.3 10.0.0.4 10.0.0.5 10.0.0.6 10.0.0.7 10.0.0.8 10.0.0.9"

# to_all: as receivers of blast
to_all()
{
	for host in $TO; do
		echo "lqb@$host"
	done
}

# used FILE: TX queues of the datagrams in a trace, by number
used()
{
	sed -n 's/.* net_dev_start_xmit: dev=[^ ]* queue_mapping=\([0-9]*\) .* len=1042 .*/\1/p' \
		"$1" | sort -n | uniq -c
}

# xps CPUS QUEUE: whose packets use the queue
xps()
{
	need ip netns exec lqa sh -c "echo $1 >/sys/class/net/lqva/queues/tx-$2/xps_cpus"
}

# schedule OFFSET: a frame for each destination and an idle one, from OFFSET ns on
schedule()
{
	need push +"$1" "frame_ns=$FRAME guard_ns=$GUARD frames=9" "$2" \
		1:0 1:1 1:2 1:3 1:4 1:5 1:6 1:7 1:-
}

schedule $((5 * MS))
sleep 0.05
xps 1 2
trace_start net/net_dev_start_xmit
# shellcheck disable=SC2046 # eight receivers
check "datagrams arrive" blast udp --bytes 10000 lqa@10.0.0.1 -- $(to_all)
in_ns lqa pkt lqva --dst 10.0.0.2 --count 5 arp ptp-event ack
trace_stop "$TESTDIR/trace"
compare "datagrams use the TX queue of their CPU" "$(used "$TESTDIR/trace" | tr -s ' ')" = " 80 2"
compare "and so do control packets" "$(grep -c 'queue_mapping=2 .*protocol=0x0806' \
	"$TESTDIR/trace") $(grep -c 'protocol=0x0806' "$TESTDIR/trace")" = "5 5"
xps 0 2

plan "$TESTDIR/plan"
before=$(gate stats.frames_used)
tap_start "$TESTDIR/cap" 60 lqa:lqva
trace_start net/net_dev_start_xmit liquid/liquid_frame
# shellcheck disable=SC2046
check "flows of many TX queues arrive, each in order" \
	blast udp --bytes 100000 lqa@10.0.0.1 -- $(to_all)
tap_stop
trace_stop "$TESTDIR/trace"
used "$TESTDIR/trace" | sed 's/^/# queue:/'
compare "they used several TX queues" "$(used "$TESTDIR/trace" | grep -c .)" -ge 2
judge_capture "every packet of every TX queue left in its frame" "$TESTDIR/cap" --plan 0 \
	"$TESTDIR/plan"
scheduled=$(field scheduled "$TESTDIR/verdict")
# The widest frame of each destination holds about 300 datagrams.
frames=$(grep -o 'liquid_frame: ifindex=[0-9]* frame=[0-9]* index=[0-7] ' "$TESTDIR/trace" |
	sort -u | grep -c .)
compare "a frame that several TX queues use counts once" \
	$(($(gate stats.frames_used) - before)) -le "$frames"
compare "and frames were used" $(($(gate stats.frames_used) - before)) -ge 8
compare "no packet was late" "$(gate stats.late)" = 0
compare "no packet was requeued" "$(gate stats.requeues)" = 0
compare "the gate's packets are those of all its TX queues" \
	"$(gate stats.packets)" -ge $((scheduled + 80))
compare "a destination's packets are those of all its TX queues" \
	"$(in_ns lqa wire dest lqva 3 stats.packets)" = 110
compare "tc shows the sum" "$(in_ns lqa tc -s qdisc show dev lqva root |
	sed -n 's/^ Sent [0-9]* bytes \([0-9]*\) pkt.*/\1/p')" = "$(gate stats.packets)"
in_ns lqa tc -s class show dev lqva >"$TESTDIR/classes"
class=$(sed -n 's/^class liquid \([0-9a-f]*:1\) root.*/\1/p' "$TESTDIR/classes")
compare "tc shows each TX queue as a class" "$(grep -c '^class liquid ' "$TESTDIR/classes")" = 4
compare "whose packets are together those of the gate" \
	"$(awk '$1 == "Sent" { sum += $4 } END { print sum }' "$TESTDIR/classes")" = \
	"$(gate stats.packets)"
for change in "qdisc replace dev lqva parent $class pfifo" "qdisc del dev lqva parent $class" \
	"class change dev lqva classid $class" "class del dev lqva classid $class" \
	"filter add dev lqva parent ${class%1} matchall"; do
	# shellcheck disable=SC2086 # words
	refuse "tc ${change%% dev*}" in_ns lqa tc $change
done
compare "one schedule has come into force" "$(gate stats.swaps)" = 1

# A schedule follows another while all queues have packets.
tap_start "$TESTDIR/cap" 60 lqa:lqva
plan "$TESTDIR/plan1"
# shellcheck disable=SC2046
background "$TESTDIR/blast" blast udp --bytes 100000 --sndbuf 1000000 lqa@10.0.0.1 -- $(to_all)
sleep 0.02
need push +$((60 * MS)) "frame_ns=$FRAME guard_ns=$GUARD frames=9" "" \
	1:- 1:7 1:6 1:5 1:4 1:3 1:2 1:1 1:0
in_ns lqa sh -c "wire plan lqva admin || wire plan lqva" >"$TESTDIR/plan2" 2>"$LOG"
check "across a swap every datagram arrives, in order" wait "$pid"
tap_stop
judge_capture "each in a frame of the schedule in force" "$TESTDIR/cap" --plan 0 "$TESTDIR/plan1" \
	--plan 0 "$TESTDIR/plan2"
compare "the swap counts once" "$(gate stats.swaps)" = 2

# The clock is set once; all TX queues see it.
clockset step 600 >"$LOG" 2>&1
# shellcheck disable=SC2046
check "after a step of the clock datagrams arrive" \
	blast udp --bytes 10000 lqa@10.0.0.1 -- $(to_all)
compare "the step counts once" "$(gate stats.clock_steps)" = 1

# Two steps that different TX queues see first: each is reported as it was.
step()
{
	clockset step "$1" >"$LOG" 2>&1
	xps 1 "$2"
	in_ns lqa pkt lqva --dst 10.0.0.2 udp
	sleep 0.02
	xps 0 "$2"
}
trace_start liquid/liquid_clock_step
step 600 0
step -600 1
trace_stop "$TESTDIR/trace"
compare "steps back and forth that different TX queues see add up to nothing" \
	"$(sed -n 's/.* liquid_clock_step: .* step=//p' "$TESTDIR/trace" |
	awk '{ n++; s += $1 / 1e9 } END { printf "%d %.0f", n, s * s }')" = "2 0"

# Only one TX queue has a packet when a schedule begins; then the clock is set back before that. In
# the others it has begun as well: what comes there waits for the last frame of the cycle.
need in_ns lqa sh -c "echo 'clear | clear | ok' | wire script lqva >/dev/null"
need push +$MS "frame_ns=$((500 * SCALE * MS)) frames=9" "" 8:- 1:0
sleep 0.05
xps 1 0
in_ns lqa pkt lqva --dst 10.0.0.2 udp
xps 0 0
step -600 1
compare "a schedule that has begun stays so in all TX queues when the clock is set back" \
	"$(gate state.qlen)" = 2
step 600 1
need in_ns lqa sh -c "echo 'clear | clear | ok' | wire script lqva >/dev/null"
sleep 0.05
compare "without a schedule they leave" "$(gate state.qlen)" = 0

# Packets for frames that are far away, in several TX queues
closed()
{
	need push +$MS "frame_ns=$((500 * SCALE * MS)) frames=9" "$1" \
		3:- 1:0 1:1 1:2 1:3 1:4 1:5
	sleep 0.05
	# shellcheck disable=SC2046
	need blast udp --send-only --linger 1 --bytes 3000 lqa@10.0.0.1 -- \
		$(to_all | head -n 6)
	compare "$2: packets wait in all TX queues together" "$(gate state.qlen)" = 18
}

closed "" "deletion"
need in_ns lqa sh -c "echo 'clear | clear | ok' | wire script lqva >/dev/null"
sleep 0.05
compare "cleared: all of them leave" "$(gate state.qlen)" = 0
closed "lease_ns=$((300 * SCALE * MS))" "a lease"
sleep "$(awk "BEGIN { print 0.5 * $SCALE }")"
compare "when the lease expires, all of them leave" "$(gate state.mode) $(gate state.qlen)" = "0 0"
compare "it expires once" "$(gate stats.lease_expired)" = 1
closed "" "the device goes down"
need ip -n lqa link set lqva down
compare "no packet is left" "$(gate state.qlen)" = 0
need ip -n lqa link set lqva up
need ip -n lqa neigh replace 10.0.0.2 lladdr 02:00:00:00:00:02 dev lqva
closed "" "the gate goes with packets in all its TX queues"
check "it is deleted" in_ns lqa wire del lqva

# All TX queues have packets for one destination. The wire is handed out in portions of 1 ms, which
# is what 12 packets take.
make_gate horizon_ms=0 ahead_ns=$MS
make_dests 1
need push +$MS "frame_ns=$FRAME guard_ns=$GUARD frames=$((132 + 300 * DEBUG))" "" \
	$((100 + 300 * DEBUG)):- 1:0 7:- 1:0 7:- 1:0 7:- 1:0 7:-
sleep 0.01
trace_packets
for queue in 0 1 2 3; do
	xps 1 $queue
	need blast udp --send-only --linger 1 --bytes 300000 --sndbuf 2000000 lqa@10.0.0.1 -- \
		lqb@10.0.0.2
	xps 0 $queue
done
compare "1200 packets wait" "$(gate state.qlen)" = 1200
plan "$TESTDIR/plan"
left()
{
	[ "$(gate state.qlen)" -le "$1" ]
}
for _ in $(seq 600); do
	! left 600 || break
	sleep 0.1
done
# Two TX queues go, with what waits there, and come again. Packets of the others are on the wire.
# veth of 5.10 cannot have them go.
for _ in $(seq 200); do
	! left 0 || break
	[ "${LIQUID_KERNEL:-}" != 5.10 ] || { sleep 0.1; continue; }
	need in_ns lqa ethtool -L lqva tx 2
	need in_ns lqa ethtool -L lqva tx 4
done
trace_packets_stop
used "$TESTDIR/trace" | sed 's/^/# queue:/'
head -n 1200 "$TESTDIR/trace" | grep net_dev_start_xmit >"$TESTDIR/half"
used "$TESTDIR/half" | sed 's/^/# queue, half of the packets:/'
compare "all TX queues send in the frames" "$(used "$TESTDIR/half" | grep -c .)" = 4
# A debug kernel has two processors, whose timers it serves late.
[ $DEBUG = 1 ] || compare "and none of them sends less than two thirds of its share" \
	"$(used "$TESTDIR/half" | sort -n | sed -n '1s/ *\([0-9]*\) .*/\1/p')" -ge 100
if [ -e $TRACE/options/hash-ptr ]; then
	check "each packet has wire time of its own in its frame, also when TX queues go" \
		released "$TESTDIR/trace" "$TESTDIR/heartbeat" $SLACK "$TESTDIR/plan"
	sed -n 's/^scheduled/# &/p' "$LOG"
else
	skip "each packet has its own wire time" "the kernel does not distinguish packets "
fi
need in_ns lqa wire del lqva

# All TX queues have packets that are not scheduled, for which each frame has room for a few.
make_gate horizon_ms=0 reserve=50
make_dests 1
need push +$MS "frame_ns=$FRAME guard_ns=$GUARD frames=1" "" 1:0
sleep 0.01
trace_start net/net_dev_start_xmit
for queue in 0 1 2 3; do
	xps 1 $queue
	need blast udp --send-only --linger 1 --bytes 60000 lqa@10.0.0.1 -- lqb@10.0.0.9
	xps 0 $queue
done
for _ in $(seq 100); do
	! left 0 || break
	sleep 0.1
done
trace_stop "$TESTDIR/trace"
used "$TESTDIR/trace" | sed 's/^/# unscheduled, queue:/'
grep 'net_dev_start_xmit.* len=1042 ' "$TESTDIR/trace" | tail -n 200 | head -n 100 >"$TESTDIR/half"
used "$TESTDIR/half" | sed 's/^/# unscheduled, queue, of 100 packets:/'
[ $DEBUG = 1 ] || compare "what is not scheduled leaves from all TX queues in turn" \
	"$(used "$TESTDIR/half" | sort -n | sed -n '1s/ *\([0-9]*\) .*/\1/p')" -ge 10
need in_ns lqa wire del lqva
check "and another can be attached" in_ns lqa wire add lqva rate_bps=100000000 overhead=24
check "that can be replaced by a qdisc with children of its own" \
	in_ns lqa tc qdisc replace dev lqva root mq
need in_ns lqa tc qdisc del dev lqva root
finish

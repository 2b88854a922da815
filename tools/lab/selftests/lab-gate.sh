#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The gate on a port with several TX queues with short rings. A queue stops when its ring is full:
# the gate releases nothing to a stopped queue, and when it wakes, nothing outside its frame.
#
# The core takes eight packets at once from a gate and requeues those that find no room in the ring.
# That happens once to a gate; from then on it releases one packet at a time. Byte limits are known
# in advance.
#
# A gate that was attached while the port used one TX queue serves all that it uses later; one that
# was attached while it used several has queues for each.
# modes: icount
# timeout: 120
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/trace.sh
fabric_start
load ipv6 af_packet
cables a:s1 b:s1 c:s1 | fabric_file a,b,c s1
# A packet of 1,000 bytes takes 0.8 ms; by the rate that the gate is told it takes 8 us.
fabric_up --rate 10M --ring 8 --tx-queues 3 --mtu 65535 --worm 10000000
FRAME=$((20 * MS))

# A new gate, attached while the port uses $1 TX queues of 3: a frame for b and one for c, each
# followed by an idle frame
make_gate()
{
	need in-ns a ethtool -L a tx "$1"
	base=$(($(now) + 100 * SCALE * MS))
	need in-ns a wire add a rate_bps=1000000000 overhead=24
	cat >"$TESTDIR/sched" <<-END
		dests | \
			dest-set dests{dest{id=0 key{ipv4=10.9.0.2}} \
			dest{id=1 key{ipv4=10.9.0.3}}} | ok
		begin | begin sched{frame_ns=$FRAME guard_ns=$MS frames=4} | ok
		entries | entries entries{entry{run=1 dest=0} entry{run=1} \
			entry{run=1 dest=1} entry{run=1}} | ok
		commit | commit base_time=$base | ok
	END
	need sh -c "in-ns a wire script a <$TESTDIR/sched"
	[ "$1" = 3 ] || need in-ns a ethtool -L a tx 3
	compare "a gate of a port that used $1 TX queues" "$(count_of state.tx_queues)" = "$1"
}

count_of()
{
	in-ns a wire get a "$1"
}

make_gate 1
need sh -c "in-ns a wire plan a admin >$TESTDIR/plan"
check "a first burst arrives" blast udp --size 934 --bytes 37360 --sndbuf 4000000 --limit 20 \
	a@10.9.0.1 -- c@10.9.0.3
taken=$(count_of stats.requeues)
compare "a ring shorter than a run: the core has requeued packets" "$taken" -gt 0
clockset until $base
tap_start "$TESTDIR/cap" 60 a:a
check "datagrams to both destinations arrive" blast udp --size 934 --bytes 93400 --sndbuf 4000000 \
	--limit 20 --port 6000 a@10.9.0.1 -- b@10.9.0.2 c@10.9.0.3
tap_stop
compare "rings were full: queues have stopped" "$(fabric_count ports a stops)" -gt 5
compare "the gate has seen stopped queues" "$(count_of stats.queue_stopped)" -gt 5
compare "stopped queues: no packet was late" "$(count_of stats.late)" = 0
compare "stopped queues: every packet went through the gate" "$(count_of stats.packets)" -ge 200
compare "stopped queues: the core requeues no more packets" "$(count_of stats.requeues)" = "$taken"
judge_capture "stopped queues: every packet left in a frame of its destination" "$TESTDIR/cap" \
	--plan 0 "$TESTDIR/plan"
check "every packet is accounted for" fabric_conserves
compare "stopped queues: no packet was dropped" \
	"$(($(fabric_sum drop_full) + $(fabric_sum drop_down) + $(fabric_sum drop_no_memory)))" = 0
check "liquid-nl show shows the gate on a port" sh -c "in-ns a liquid-nl show a | grep -q 1"

# The port of b keeps the link to c for two seconds, so a's queue is stopped for a hundred frames.
# The test's programs start in that time, which takes longer on a slow kernel.
BLOCK=2400000
LINGER=4000
if [ $DEBUG = 1 ]; then
	BLOCK=4800000
	LINGER=10000
fi
blocked()
{
	late=$(count_of stats.late)
	background "$TESTDIR/block" blast udp --size 60000 --bytes $BLOCK --sndbuf 20000000 \
		--limit 20 --linger $LINGER b@10.9.0.2 -- c@10.9.0.3
	block=$pid
	sleep 0.1
	background "$TESTDIR/gated" blast udp --size 934 --bytes 37360 --sndbuf 4000000 \
		--limit 20 --linger $LINGER --port 7000 a@10.9.0.1 -- c@10.9.0.3
	gated=$pid
	sleep 0.7
	early=$(in-ns a wire dest a 1 stats.packets)
	requeues=$(count_of stats.requeues)
	sleep 0.7
	compare "$1: packets wait in the gate while the queue is stopped" \
		"$(count_of state.qlen)" -gt 10
	compare "$1: no packet is released to a stopped queue" \
		"$(in-ns a wire dest a 1 stats.packets)" = "$early"
	compare "$1: no packet is released and requeued" "$(count_of stats.requeues)" = "$requeues"
	wait "$block"
	check "$1: all packets arrive when the queue wakes" wait "$gated"
	compare "$1: no packet was late" "$(count_of stats.late)" = "$late"
	echo "# late $(count_of stats.late), requeued $(count_of stats.requeues)"
}

# fq_codel would drop packets that wait so long.
need tc -n b qdisc replace dev b root pfifo limit 1000
blocked "a full ring"
for queue in 0 1 2; do
	ip netns exec a sh -c "cd /sys/class/net/a/queues/tx-$queue/byte_queue_limits &&
		echo 0 >limit_min && echo 3000 >limit_max"
done
need in-ns a wire del a
make_gate 3
# The byte limit of a TX queue is in force when a packet has left it.
echo 1 | need ip netns exec a tee /sys/class/net/a/queues/tx-0/xps_cpus
check "short byte limits: a first packet arrives" \
	blast udp --size 934 --bytes 1868 --limit 20 --port 6500 a@10.9.0.1 -- c@10.9.0.3
blocked "short byte limits"
compare "short byte limits: the core has requeued nothing" "$(count_of stats.requeues)" = 0

# PTP's packets have a TX queue of their own, as the port's driver wants it.
trace_start net/net_dev_start_xmit
need in-ns a pkt a --dst 10.9.0.2 --count 5 ptp udp
sleep 0.3
trace_stop "$TESTDIR/trace"
queues_of()
{
	sed -n "s/.*dev=a queue_mapping=\([0-9]*\) .*protocol=$1 .*/\1/p" "$TESTDIR/trace" |
		sort | uniq -c | tr -s ' '
}
compare "PTP's packets leave through the driver's TX queue" "$(queues_of 0x88f7)" = " 5 2"
compare "other packets leave through that of their CPU" "$(queues_of 0x0800)" = " 5 0"

# A packet keeps the TX queue of its traffic class, in its frame and without a schedule.
# class_queues TOS: the TX queues that datagrams to both destinations use
class_queues()
{
	trace_start net/net_dev_start_xmit
	need blast udp --tos "$1" --size 934 --bytes 18680 --sndbuf 4000000 --limit 20 --port 7500 \
		a@10.9.0.1 -- b@10.9.0.2 c@10.9.0.3
	trace_stop "$TESTDIR/trace"
	sed -n 's/.*dev=a queue_mapping=\([0-9]*\) .* len=976 .*/\1/p' "$TESTDIR/trace" |
		sort | uniq -c | tr -s ' '
}
if ! command -v dcb >"$LOG"; then
	skip "a packet keeps the TX queue of its class" "dcb is missing"
else
	need in-ns a dcb ets set dev a prio-tc all:0 6:1 7:1
	before=$(count_of stats.packets)
	compare "in frames, packets of a class use its TX queue" "$(class_queues 0)" = " 40 0"
	compare "and those of another class another" "$(class_queues 0x10)" = " 40 1"
	need sh -c "echo 'clear | clear | ok' | in-ns a wire script a >$LOG"
	compare "without a schedule too" "$(class_queues 0x10)$(class_queues 0)" = " 40 1 40 0"
	compare "all went through the gate" $(($(count_of stats.packets) - before)) -ge 160
fi
need in-ns a wire del a
fabric_down
fabric_finish

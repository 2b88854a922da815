#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The gate on a port with several TX queues with short rings. A queue stops when its ring is full:
# the gate releases nothing to a stopped queue, and when it wakes, nothing outside its frame.
#
# The core takes eight packets at once from a gate and requeues those that find no room in the ring.
# That happens once to a gate; from then on it releases one packet at a time. Byte limits are known
# in advance.
# modes: icount
# timeout: 120
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
fabric_start
load ipv6 af_packet
cables a:s1 b:s1 c:s1 | fabric_file a,b,c s1
# A packet of 1,000 bytes takes 0.8 ms; by the rate that the gate is told it takes 8 us.
fabric_up --rate 10M --ring 8 --tx-queues 3 --mtu 65535 --worm 10000000
FRAME=$((20 * MS))

# A new gate: a frame for b and one for c, each followed by an idle frame
make_gate()
{
	base=$(($(now) + 100 * SCALE * MS))
	need ip netns exec a wire add a rate_bps=1000000000 overhead=24
	cat >"$TESTDIR/sched" <<-END
		dests | \
			dest-set dests{dest{id=0 key{kind=0 value=10.9.0.2}} \
			dest{id=1 key{kind=0 value=10.9.0.3}}} | ok
		begin | begin sched{frame_ns=$FRAME guard_ns=$MS frames=4} | ok
		entries | entries entries{entry{run=1 dest=0} entry{run=1} \
			entry{run=1 dest=1} entry{run=1}} | ok
		commit | commit base_time=$base | ok
	END
	need sh -c "ip netns exec a wire script a <$TESTDIR/sched"
}

count_of()
{
	ip netns exec a wire get a "$1"
}

make_gate
need sh -c "ip netns exec a wire plan a admin >$TESTDIR/plan"
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
check "liquid-nl show shows the gate on a port" sh -c "ip netns exec a liquid-nl show a | grep -q 1"

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
	early=$(ip netns exec a wire dest a 1 stats.packets)
	requeues=$(count_of stats.requeues)
	sleep 0.7
	compare "$1: packets wait in the gate while the queue is stopped" \
		"$(count_of state.qlen)" -gt 10
	compare "$1: no packet is released to a stopped queue" \
		"$(ip netns exec a wire dest a 1 stats.packets)" = "$early"
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
need ip netns exec a wire del a
make_gate
check "short byte limits: a first packet arrives" \
	blast udp --size 934 --bytes 1868 --limit 20 --port 6500 a@10.9.0.1 -- c@10.9.0.3
blocked "short byte limits"
compare "short byte limits: the core has requeued nothing" "$(count_of stats.requeues)" = 0
need ip netns exec a wire del a
fabric_down
fabric_finish

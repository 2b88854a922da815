#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Launch times: the gate gives packets to the device early, stamped with the time at which it is to
# send them. By the stamps of the fabric each arrives in its frame, the first one of each frame at
# the same time in it, even if the driver is slow.
# modes: icount
# timeout: 120
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
fabric_start
load ipv6 af_packet
cables a:s1 b:s1 c:s1 | fabric_file a,b,c s1
fabric_up --rate 1G --ring 256
GUARD=50000

on_a()
{
	ip netns exec a "$@"
}

# gate_with OPTION...: frames of 1 ms to b and to c, and two idle ones. Sets base.
gate_with()
{
	on_a wire del a 2>/dev/null
	need on_a wire add a rate_bps=1000000000 overhead=24
	need on_a liquid-nl set a --ahead 100us "$@"
	base=$(($(now) + 20 * MS))
	cat >"$TESTDIR/sched" <<-END
		dests | dest-set dests{dest{id=0 key{ipv4=10.9.0.2}} \
			dest{id=1 key{ipv4=10.9.0.3}}} | ok
		begin | begin sched{frame_ns=$MS guard_ns=$GUARD frames=4} | ok
		entries | entries entries{entry{run=1 dest=0} entry{run=1 dest=1} entry{run=2}} | ok
		commit | commit base_time=$base | ok
	END
	need sh -c "ip netns exec a wire script a <$TESTDIR/sched"
	clockset until $base
}

# stall US: each packet takes the driver so much longer
stall()
{
	echo $(($1 * 1000)) >/sys/module/liquid_lab/parameters/stall_ns
}

# arrive NAME: datagrams, 30 in each of 24 frames, which are sent in the idle frames before; all
# arrive, in their frames. Of when the first one of each frame arrived in it, ns: sets first, spread
arrive()
{
	name=$1
	at=$(((($(now) + 60 * MS - base) / (4 * MS) + 1) * 4 * MS + base + 2300000))
	flows=
	for i in $(seq 0 11); do
		flows="$flows a@10.9.0.1,b@10.9.0.2,934,30,$((i * 8000))"
		flows="$flows a@10.9.0.1,c@10.9.0.3,934,30,$((i * 8000 + 300))"
	done
	# shellcheck disable=SC2086
	need sh -c "arrivals --tai --at $at $flows >$TESTDIR/arrivals"
	# Flows take turns: even ones go to b. awk has 53 bits, so the first digits, of days, go.
	sed 's/[a-z]*=//g' "$TESTDIR/arrivals" | awk -v base="$base" -v frame=$MS '
		{
			since = substr($3, 6) - substr(base, 6)
			number = int(since / frame)
			if (number % 4 != $1 % 2) {
				printf "flow %d arrived in frame %d\n", $1, number % 4
				wrong = 1
			}
			if (number != last)
				print since - number * frame >phases
			last = number
		}
		END { exit wrong || NR != 720 }' phases="$TESTDIR/phases" >"$LOG"
	wrong=$?
	sort -n "$TESTDIR/phases" | sed -n '1p; $p' | tr '\n' ' ' | sed 's/^/# phases: /; s/$/\n/'
	phases=$(wc -l <"$TESTDIR/phases")
	first=$(sort -n "$TESTDIR/phases" | head -n 1)
	spread=$(($(sort -n "$TESTDIR/phases" | tail -n 1) - first))
	if [ $DEBUG = 1 ]; then
		compare "$name: all arrive" "$(wc -l <"$TESTDIR/arrivals")" = 720
	else
		compare "$name: each arrives in its frame" "$wrong $phases" = "0 24"
	fi
}

# exactly NAME VALUE OPERATOR VALUE: as compare, where instructions take the time that they should
exactly()
{
	if [ $DEBUG = 1 ]; then
		skip "$1" "a debug kernel is slow"
	else
		compare "$@"
	fi
}

gate_with
arrive "without launch times"
plain=$first
exactly "when a frame begins to arrive varies by instructions" "$spread" -gt 1
# What waits for its launch counts as in flight: the byte limit must allow it.
echo 200000 | need on_a tee /sys/class/net/a/queues/tx-0/byte_queue_limits/limit_min
need blast udp --bytes 20000 a@10.9.0.1 -- b@10.9.0.2
gate_with --launch 500us
check "show tells it" sh -c "ip netns exec a liquid-nl show a | grep -q 'launch 500 us'"
arrive "with launch times"
exactly "each frame begins to arrive at the same time" "$spread" -le 1
# 958 bytes and an overhead of 24 on two links
exactly "right after its beginning, and the way" "$first" -le 20000
stall 8
arrive "a slow driver"
exactly "a slow driver: each frame begins to arrive at the same time" "$spread" -le 1
exactly "nothing was late" "$(on_a wire get a stats.late)" = 0
gate_with
arrive "a slow driver without launch times"
exactly "but frames begin to arrive later" "$first" -ge $((plain + 7500))
stall 0

# Packets in the ring when the port goes down, and when the gate goes
gate_with --launch 10ms
need blast udp --send-only --linger 1 --bytes 50000 a@10.9.0.1 -- b@10.9.0.2
need ip -n a link set dev a down
need ip -n a link set dev a up
compare "the port was down: nothing waits" "$(on_a wire get a state.qlen)" = 0
need blast udp --send-only --linger 1 --bytes 20000 a@10.9.0.1 -- b@10.9.0.2
on_a wire del a
check "every packet is accounted for" fabric_conserves
gate_with --launch 1ms
need on_a liquid-nl set a --launch 0
need on_a liquid-nl set a --launch 2ms
compare "another launch time is not a step of the clock" "$(on_a wire get a stats.clock_steps)" = 0
on_a wire del a
fabric_down
fabric_finish

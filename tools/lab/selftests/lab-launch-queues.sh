#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Launch times when TX queues come and go, or the device goes down and comes up: its driver forgets
# them, and is asked again. If a TX queue refuses, packets are no longer given to the device early:
# none leaves before its frame.
# modes: icount
# timeout: 120
# kernels: 6.1 6.1-rt newest
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/notify.sh
fabric_start
load ipv6 af_packet
cables a:s1 b:s1 c:s1 | fabric_file a,b,c s1
fabric_up --rate 1G --ring 256 --tx-queues 4
FRAME=$((2 * MS))
LAUNCH=$((1500 * 1000))

on_a()
{
	ip netns exec a "$@"
}

set_txqs()
{
	need in-ns a ethtool -L a tx "$1"
	sleep 0.05
}

# Packets of the only processor use TX queue $1.
use()
{
	for queue in 0 1 2 3; do
		on_a sh -c "echo $((queue == $1)) >/sys/class/net/a/queues/tx-$queue/xps_cpus" \
			2>/dev/null
	done
}

# in_frame NAME: datagrams, 10 at a time, 8 ms apart, all arrive in their frame, the first of four
in_frame()
{
	at=$(((($(now) + 60 * MS - base) / (4 * FRAME) + 1) * 4 * FRAME + base + 5 * MS))
	flows=
	for i in $(seq 0 9); do
		flows="$flows a@10.9.0.1,b@10.9.0.2,934,10,$((i * 8000))"
	done
	# shellcheck disable=SC2086 # a word each
	need sh -c "arrivals --tai --at $at $flows >$TESTDIR/arrivals"
	# awk has 53 bits, so the first digits, of days, go.
	sed 's/[a-z]*=//g' "$TESTDIR/arrivals" | awk -v base="$base" -v frame=$FRAME '
		{ n[int((substr($3, 6) - substr(base, 6)) / frame) % 4]++ }
		END { for (f in n) printf "frame %d: %d\n", f, n[f] }' >"$TESTDIR/frames"
	compare "$1" "$(cat "$TESTDIR/frames")" = "frame 0: 100"
}

launch()
{
	in-ns a wire get a state.launch_ns
}

for queue in 0 1 2 3; do
	echo 200000 | need on_a tee \
		/sys/class/net/a/queues/tx-$queue/byte_queue_limits/limit_min
done
set_txqs 1
need in-ns a wire add a rate_bps=1000000000 overhead=24
need in-ns a liquid-nl set a --launch 1500us
base=$(($(now) + 20 * MS))
cat >"$TESTDIR/sched" <<-END
	dests | dest-set dests{dest{id=0 key{ipv4=10.9.0.2}} dest{id=1 key{ipv4=10.9.0.3}}} | ok
	begin | begin sched{frame_ns=$FRAME guard_ns=50000 frames=4} | ok
	entries | entries entries{entry{run=1 dest=0} entry{run=1 dest=1} entry{run=2}} | ok
	commit | commit base_time=$base | ok
END
need sh -c "in-ns a wire script a <$TESTDIR/sched"
clockset until $base
compare "launch times are on" "$(launch)" = $LAUNCH
in_frame "one TX queue: each datagram is in its frame"
set_txqs 4
use 2
in_frame "four, and datagrams in another: in their frame"
compare "launch times are on for all" "$(launch)" = $LAUNCH
need ip -n a link set dev a down
compare "down: they are not" "$(launch)" = 0
need ip -n a link set dev a up
need ip -n a neigh replace 10.9.0.2 lladdr "$(ip -n b link show dev b |
	sed -n 's|.*link/ether \([^ ]*\) .*|\1|p')" dev a
use 2
in_frame "up again: in their frame"
compare "up again: they are on" "$(launch)" = $LAUNCH

# A TX queue that takes no launch times comes into use.
set_txqs 2
echo 2 >/sys/module/liquid_lab/parameters/launch_queues
listen "$TESTDIR/events" a
set_txqs 4
use 3
sleep 0.1
compare "a TX queue that refuses: off" "$(launch)" = 0
told "an event tells it" "$TESTDIR/events" ": launch-off" 1
check "show tells it" sh -c "ip netns exec a liquid-nl show a |
	grep -q 'launch 1.5 ms (off: a TX queue takes no launch times)'"
in_frame "a TX queue that refuses: in their frame"
use 0
in_frame "and so from others"
set_txqs 2
compare "without it they are on again" "$(launch)" = $LAUNCH
in_frame "without it: in their frame"
need in-ns a wire del a
set_txqs 4
refuse "a new gate is refused" in-ns a wire add a rate_bps=1000000000 overhead=24 launch_ns=1000
check "and none is there" sh -c "! in-ns a wire get a state.launch_ns"
fabric_down
fabric_finish

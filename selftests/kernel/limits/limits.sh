#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Queues behind a closed gate have limits, and every drop is counted by its cause.
# kernels: 5.10 6.1 6.1-rt newest 6.1-debug
# modes: icount
# timeout: 60
. /liquid/lib/guest.sh
start
make_pair
make_gate

# hold OPTIONS: destinations 0 and 1 behind a schedule that has ended with its queues closed
hold()
{
	in_ns lqa wire del lqva
	make_gate "$@"
	make_dests 2
	need push +$((20 * MS)) "frame_ns=1000000 frames=1 cycles=1 then=1" "" 1:0
	sleep 0.05
	need push_second
}

# The same again, so that both destinations have frames in it
push_second()
{
	push +$((20 * MS)) "frame_ns=1000000 frames=2 cycles=1 then=1" "replace" 1:0 1:1 || return 1
	sleep 0.1
	[ "$(gate state.mode)" = 2 ]
}

flood()
{
	blast udp --lossy --linger 1 --size 1000 --bytes "$1" --sndbuf 8000000 lqa@10.0.0.1 -- \
		lqb@10.0.0.2 lqb@10.0.0.3 >"$TESTDIR/flood" 2>&1
}

overlimits()
{
	in_ns lqa tc -s qdisc show dev lqva | sed -n 's/.*overlimits \([0-9]*\).*/\1/p' | head -n 1
}

compare "an idle gate has not held back anything" "$(overlimits)" = 0
hold dest_limit_packets=50 dest_limit_bytes=1000000
before=$(overlimits)
flood 100000
compare "tc counts that packets were held back" "$(overlimits)" -gt "$before"
compare "trap 08: a destination's queue is limited in packets" \
	"$(in_ns lqa wire dest lqva 0 qlen)" = 50
compare "trap 12: what it refused is counted" "$(in_ns lqa wire dest lqva 0 stats.drop_limit)" = 50
compare "trap 12: in the gate's sum as well" "$(gate stats.drop_limit)" = 100
compare "trap 12: and in the qdisc's statistics" "$(in_ns lqa tc -s qdisc show dev lqva |
	sed -n 's/.*dropped \([0-9]*\).*/\1/p')" = 100
compare "the backlog is what waits" "$(gate state.backlog)" = $((100 * 1042))
compare "tc tells as many waiting packets as the gate" \
	"$(in_ns lqa tc -s qdisc show dev lqva | sed -n 's/.* \([0-9]*\)p requeues.*/\1/p')" = 100

hold dest_limit_packets=100000 dest_limit_bytes=40000
flood 100000
compare "trap 08: a destination's queue is limited in bytes" \
	"$(in_ns lqa wire dest lqva 0 backlog)" -le 41042
compare "trap 08: but not to less" "$(in_ns lqa wire dest lqva 0 backlog)" -ge 38000

hold limit_packets=60 dest_limit_packets=50
flood 100000
compare "trap 08: all queues together are limited in packets" "$(gate state.qlen)" = 60
compare "trap 12: that is counted by its own cause" "$(gate stats.drop_total_limit)" -ge 90
hold limit_bytes=52100
flood 100000
compare "trap 08: all queues together are limited in bytes" "$(gate state.backlog)" -le 52100
compare "trap 12: that is counted too" "$(gate stats.drop_total_limit)" -gt 0

# Two frames' worth of packets go into a queue whatever its limit: of 1538 bytes, and then of 538.
# The frames are over when the device changes, so that nothing else has the gate look.
hold dest_limit_packets=1
need push +$((10 * MS)) "frame_ns=10000000 frames=2 cycles=1 then=1" "" 1:0 1:1
sleep 0.1
worth()
{
	in_ns lqa pkt lqva --dst "$1" --count 1000 udp
	in_ns lqa wire dest lqva "$2" qlen
}

compare "two frames' worth of packets fit at an MTU of 1500" "$(worth 10.0.0.2 0)" = 163
need ip -n lqa link set lqva mtu 500
compare "at an MTU of 500 two frames' worth are as many more packets" "$(worth 10.0.0.3 1)" = 465
need ip -n lqa link set lqva mtu 1500
compare "a larger MTU takes no packet away" "$(in_ns lqa wire dest lqva 1 qlen)" = 465

# A slow kernel shall have time to send all of them.
hold horizon_ms=$((100 * SCALE))
flood 20000
compare "what waits is there" "$(gate state.qlen)" = 40
sleep $((SCALE / 2)).5
in_ns lqa wire script lqva >/dev/null <<'END'
open | clear | ok
END
flood 1000
sleep 0.1
compare "trap 12: what waited beyond the horizon is dropped and counted" \
	"$(gate stats.drop_horizon)" = 40
compare "trap 12: also by destination" "$(in_ns lqa wire dest lqva 1 stats.drop_horizon)" = 20
compare "nothing waits any more" "$(gate state.qlen)" = 0

hold
flood 10000
in_ns lqa wire script lqva >/dev/null <<'END'
open | clear | ok
END
sleep 0.1
compare "a gate without a schedule lets go what waited" "$(gate state.qlen)" = 0
compare "a gate without a schedule loses nothing that waited" "$(gate stats.packets)" = 20

# Deleting a destination whose packets wait needs a schedule without it: none in force, one to come.
hold
flood 10000
in_ns lqa wire script lqva >"$LOG" <<'END'
begin | begin sched{frame_ns=100000 frames=2 cycles=1 then=1} | ok
entries | entries entries{entry{run=1 dest=1} entry{run=1}} | ok
commit | commit base_time=+20000000 | ok
END
sleep 0.1
in_ns lqa wire script lqva >"$LOG" <<'END'
delete | dest-del dests{dest{id=0}} | ok
END
compare "a destination without frames can be deleted under traffic" "$(gate state.dests)" = 1
compare "what waits for another still waits, except for the one packet that its frame may take" \
	"$(in_ns lqa wire dest lqva 1 qlen)" -ge 9

in_ns lqa wire del lqva
make_gate policy=3
make_dests 1
need push +$MS "frame_ns=1000000 frames=2" "" 1:0 1:-
sleep 0.1
blast udp --lossy --linger 1 --bytes 10000 lqa@10.0.0.1 -- lqb@10.0.0.9 >"$LOG" 2>&1
compare "trap 12: policy drop drops and counts" "$(gate stats.drop_policy)" = 10
finish

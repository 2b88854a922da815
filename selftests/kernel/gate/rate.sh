#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What follows from the link's rate follows it when it changes, and limits hold two frames' worth.
# kernels: 5.10 6.1 6.1-rt newest 6.1-debug
# modes: icount
# timeout: 60
. /liquid/lib/guest.sh
start
make_pair

# A rate by mistake: one packet fills such a wire for twelve seconds.
make_gate rate_bps=1000
make_dests 1
need push +$((60000 * MS)) "frame_ns=1000000 frames=1" "" 1:0
in_ns lqa pkt lqva --dst 10.0.0.2 big
in_ns lqa pkt lqva --dst 10.0.0.2 --count 10 udp
sleep 0.1
compare "a slow link lets a packet go, and then none" "$(gate state.qlen)" = 10
table lqa lqva <<'END'
the mistake is mended | gate-set gate{rate_bps=100000000} | ok
END
sleep 0.05
compare "what waited leaves at the new rate" "$(gate state.qlen)" = 0
compare "all that waited leaves at the new rate" "$(gate stats.packets)" = 11

# 100 ms at 100 Mbit/s are 1,250,000 bytes, or 812.7 packets of 1,538 bytes: limits of less would
# drop what one frame can carry.
in_ns lqa wire del lqva
make_gate dest_limit_packets=10 dest_limit_bytes=5000
make_dests 1
need push +$MS "frame_ns=100000000 frames=20" "" 19:- 1:0
sleep 0.01
in_ns lqa pkt lqva --dst 10.0.0.2 --count 1800 udp
compare "a destination's queue takes two frames' worth of packets" \
	"$(in_ns lqa wire dest lqva 0 qlen)" = 1626
compare "a destination's queue takes no more than two frames' worth of packets" \
	"$(gate stats.drop_limit)" = $((1800 - 1626))
in_ns lqa wire del lqva
make_gate dest_limit_packets=10 dest_limit_bytes=5000
make_dests 1
need push +$MS "frame_ns=100000000 frames=20" "" 19:- 1:0
sleep 0.01
in_ns lqa pkt lqva --dst 10.0.0.2 udp	# the gate looks at the clock, and has the schedule's limits
in_ns lqa gso lqva --dst 10.0.0.2 --segs 40 --mss 1446 --count 50
compare "a destination's queue takes at most two frames' worth of bytes" \
	"$(in_ns lqa wire dest lqva 0 backlog)" -le 2500000
compare "a destination's queue is filled up to two frames' worth of bytes" \
	"$(in_ns lqa wire dest lqva 0 backlog)" -ge $((2500000 - 61000))
finish

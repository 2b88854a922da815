#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The shares of unscheduled and of control packets are budgets of each frame, also for GSO packets.
# kernels: 5.10 6.1 6.1-rt newest 6.1-debug
# modes: icount
# timeout: 60
. /liquid/lib/guest.sh
. /liquid/lib/trace.sh
start
make_pair
need in_ns lqa ethtool -K lqva tx on sg on tso on gso on
make_gate
make_dests 1
# 2 ms at 100 Mbit/s are 25,000 bytes: 5 % of them are less than a packet, 2 % as well.
need push +$MS "frame_ns=2000000 frames=1" "" 1:0
sleep 0.05

# most FILE: the greatest number of bytes of no destination that left in one frame
most()
{
	awk '/liquid_frame:/ { sum = 0 }
		/liquid_dequeue:.* dest=-1 / {
			sub(/.* len=/, "")
			sum += $1
			if (sum > most)
				most = sum
		}
		END { print most + 0 }' "$1"
}

longest()
{
	releases "$1" -1 | sort -k2n | tail -n 1 | cut -d' ' -f2
}

trace_start liquid/liquid_dequeue liquid/liquid_frame
in_ns lqa gso lqva --dst 10.0.0.9 --count 2
# A packet at the begin of its frame passes whole. Few do on a debug kernel, which is late.
in_ns lqa gso lqva --dst 10.0.0.2 --count $((DEBUG ? 60 : 4))
sleep 0.5
trace_stop "$TESTDIR/trace"
compare "unscheduled GSO packets leave in pieces" "$(longest "$TESTDIR/trace")" = 1500
compare "a frame carries two of them at most" "$(most "$TESTDIR/trace")" -le 3000
compare "they have all left" "$(gate stats.unsched_packets)" = 20
compare "scheduled ones pass whole where they fit" "$(releases "$TESTDIR/trace" 0 |
	grep -c ' 14514$')" -ge 1

table lqa lqva <<END
a rule of the user's makes them control packets | \
	gate-set gate{bypass{rule{l4proto=6 port_min=4009 port_max=4009}}} | ok
END
trace_start liquid/liquid_dequeue liquid/liquid_frame
in_ns lqa gso lqva --dst 10.0.0.2 --port 4009 --count 2
sleep 0.5
trace_stop "$TESTDIR/trace"
compare "control packets leave in pieces too" "$(longest "$TESTDIR/trace")" = 1500
compare "two of them a frame at most" "$(most "$TESTDIR/trace")" -le 3000
compare "they have all left" "$(gate stats.control_packets)" = 20

table lqa lqva <<'END'
open | clear | ok
END
trace_start liquid/liquid_dequeue liquid/liquid_frame
in_ns lqa gso lqva --dst 10.0.0.9 --count 2
sleep 0.1
trace_stop "$TESTDIR/trace"
compare "without a schedule nothing is split" "$(longest "$TESTDIR/trace")" = 14514
finish

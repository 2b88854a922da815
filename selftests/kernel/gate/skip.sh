#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A gate that is skipped while it is open: packets are not counted by destination then, and from the
# moment that a schedule waits each of them is gated as always.
# kernels: 5.10 6.1 6.1-rt newest 6.1-debug
# modes: icount
# timeout: 120
. /liquid/lib/guest.sh
start
make_pair
make_gate
make_dests 3

send()
{
	in_ns lqa pkt lqva --count 20 --dst 10.0.0.2 udp
}

# counted NAME BY: this many of 20 packets are counted for their destination, and all by the gate
counted()
{
	dest=$(in_ns lqa wire dest lqva 0 stats.packets)
	all=$(gate stats.packets)
	send
	compare "$1" $(($(in_ns lqa wire dest lqva 0 stats.packets) - dest)) = "$2"
	compare "$1: the total" $(($(gate stats.packets) - all)) = 20
}

set_options()
{
	need in_ns lqa wire script lqva <<-END
	options | gate-set gate{$1} | ok
	END
}

counted "without the option" 20
set_options skip_open=1
counted "skipped" 0
set_options policy=3
counted "not where the policy is to drop" 20
set_options policy=0
counted "skipped again" 0

# A schedule that waits: the gate is open still, but nothing skips it.
need push +$((10000 * MS)) "frame_ns=1000000 frames=2" "" 1:0 1:1
counted "a schedule waits" 20
need in_ns lqa wire script lqva <<END
clear | clear | ok
END
counted "cleared" 0

# A schedule in force, in which destination 0 has no frame for 100 ms, a second on a debug kernel
FRAME=$((100 * MS * (1 + 9 * DEBUG)))
need push +$MS "frame_ns=$FRAME frames=2 cycles=2 then=0" "" 1:1 1:0
sleep 0.01
send
compare "in force: they wait for their frame" "$(in_ns lqa wire dest lqva 0 qlen)" = 20
clockset until $(($(now) + 6 * FRAME))
compare "and leave in it" "$(in_ns lqa wire dest lqva 0 qlen)" = 0
counted "the schedule has ended but is there" 20
set_options skip_open=0
need in_ns lqa wire script lqva <<END
clear | clear | ok
END
counted "taken back" 20
finish

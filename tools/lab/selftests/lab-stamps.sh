#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What senders ask for is not a launch time: every user may set a time in a packet (SO_TXTIME), and
# a device that takes launch times would hold it, and all behind it, until then. With launch times
# the gate stamps every packet, in frames and while it is open.
# modes: icount
# timeout: 120
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
fabric_start
load ipv6 af_packet
cables a:s1 b:s1 c:s1 | fabric_file a,b,c s1
fabric_up --rate 1G --ring 256
FAR=100000	# ms from now
MAC=$(ip -n b link show b | sed -n 's|.*link/ether \([^ ]*\) .*|\1|p')

on_a()
{
	in-ns a "$@"
}

options()
{
	need on_a wire script a <<-END
		options | gate-set gate{$1} | ok
	END
}

# gate_with OPTION...: a new gate
gate_with()
{
	on_a wire del a 2>/dev/null
	need on_a wire add a rate_bps=1000000000 overhead=24 "$@"
	need on_a wire script a <<-END
		dests | dest-set dests{dest{id=0 key{ipv4=10.9.0.2}} \
			dest{id=1 key{ipv4=10.9.0.3}}} | ok
	END
}

# schedule BEGIN COMMIT: frames of 1 ms to b and to c, and two idle ones
schedule()
{
	cat >"$TESTDIR/sched" <<-END
		begin | begin sched{frame_ns=$MS guard_ns=50000 frames=4 $1} | ok
		entries | entries entries{entry{run=1 dest=0} entry{run=1 dest=1} entry{run=2}} | ok
		commit | commit base_time=+$MS $2 | ok
	END
	need sh -c "in-ns a wire script a <$TESTDIR/sched"
	sleep 0.01
}

clear_schedule()
{
	need on_a wire script a <<-END
		clear | clear | ok
	END
}

# arrive NAME KIND...: 10 packets of each kind that ask for a time far ahead arrive at once
arrive()
{
	name=$1
	shift
	before=$(fabric_count ports b rx_packets)
	need on_a pkt a --launch $FAR --mac "$MAC" --dst 10.9.0.2 --count 10 "$@"
	sleep 0.05
	compare "$name" $(($(fabric_count ports b rx_packets) - before)) = $((10 * $#))
}

gate_with
arrive "without launch times" udp arp udp6
options launch_ns=500000
arrive "open" udp arp udp6
# Of a step of the clock an open gate does not know.
clockset step -50000
arrive "open, after a step of the clock back" udp arp udp6
clockset step 50000
options "launch_ns=500000 skip_open=1"
arrive "open, a gate that would be skipped" udp arp udp6
schedule "" lease_ns=$((300 * MS))
arrive "a schedule: in its frame, control, unscheduled" udp arp udp6
sleep 0.4
compare "the lease has ended" "$(on_a wire get a state.mode)" = 0
arrive "after the end of a lease" udp arp udp6
schedule "" ""
clear_schedule
arrive "cleared" udp arp udp6
schedule "cycles=1 then=0" ""
arrive "a schedule that has ended" udp arp udp6
options launch_ns=0
arrive "switched off" udp arp udp6
on_a wire del a
fabric_down
fabric_finish

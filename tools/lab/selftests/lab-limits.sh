#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What bounds a fabric: what waits for a receiver, what is done at once.
# kernels: 5.10 6.1 6.1-rt newest 6.1-debug
# modes: icount
# timeout: 300
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
fabric_start

# A header takes half a second to the last link. By then all is in the ring, and comes at once.
at_once()
{
	fabric_file a,b s1 <<-'END'
		link a s1
		link s1 b
		  to b
	END
	fabric_up --rate 400G --hop-latency 500ms --mtu 65535 --ring 65536 "$@"
}

# ---- a receiver's queue ----
at_once --unrouted free
# An answer has 146 fragments, which bypass the fabric: ten answers leave before a receives one.
need ip -n b link set dev b mtu 68
for i in $(seq 10); do
	background "$TESTDIR/ping" in-ns a ping -c 1 -W 2 -s 7000 10.9.0.2
done
# shellcheck disable=SC2086
wait $pids
compare "a thousand packets wait for a receiver" "$(fabric_count ports a free_rx_packets)" = 1000
compare "packets beyond a thousand are dropped and counted" \
	"$(fabric_count ports b drop_rx_full)" = 460
fabric_down

# ---- many packets at once: a debug kernel takes more than half a second to send them ----
at_once --hop-latency 1s
need in-ns a blast udp --send-only --size 12 --bytes 28800 --sndbuf 20000000 \
	a@10.9.0.1 -- b@10.9.0.2
at_rest()
{
	[ "$(fabric_sum in_flight)" = 0 ]
}
await at_rest
compare "2,400 packets that are sent at once make one worm" "$(fabric_count ports a worms)" = 1
compare "2,400 packets that come at once are delivered" "$(fabric_count ports b rx_packets)" = 2400
compare "2,400 packets that come at once: the receiver keeps up" \
	"$(fabric_count ports a drop_rx_full)" = 0
fabric_down

# ---- netpoll ----
need liquid-lab up "$FABRIC" --rate 1G --ports a=lqa,b=lqb
if [ $DEBUG = 0 ]; then
	# Some kernels load it without its target.
	modprobe netconsole netconsole=@10.8.0.1/lqa,@10.8.0.2/ 2>/dev/null && rmmod netconsole
	check "a port refuses netpoll" sh -c "dmesg | grep \"lqa doesn't support polling\""
else
	skip "a port refuses netpoll" "the debug kernel has no netconsole"
fi
fabric_down

fabric_finish

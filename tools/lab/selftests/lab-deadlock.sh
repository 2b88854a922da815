#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A ring on which all hosts send two links further: worms and buffers wait for each other in a
# circle. It is found, counted and broken, and what was not lost by it arrives.
# kernels: 5.10 6.1 6.1-rt newest 6.1-debug
# modes: icount
# timeout: 120
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
fabric_start
load ipv6
{
	cables a:s1 b:s2 c:s3
	cat <<'END'
link s1 s2
  to b,c
link s2 s3
  to c,a
link s3 s1
  to a,b
END
} | fabric_file a,b,c s1,s2,s3

# Each port sends to the port two switches on, all at once: 20 datagrams of 1,000 bytes.
circle()
{
	need sh -c "arrivals --wait 1500 a@10.9.0.1,c@10.9.0.3,934,20,0 \
		b@10.9.0.2,a@10.9.0.1,934,20,0 c@10.9.0.3,b@10.9.0.2,934,20,0 >$TESTDIR/arrivals"
	arrived=$(wc -l <"$TESTDIR/arrivals")
	lost=$(fabric_sum drop_deadlock)
}

# A header takes 1 ms to the next link, so each worm has its first link before any asks for its
# second. A slow kernel needs longer until all have sent.
HOP=1ms
[ $DEBUG = 0 ] || HOP=10ms
fabric_up --rate 10M --hop-latency $HOP --worm 4000
circle
compare "wormhole: the deadlock is counted" "$(fabric_sum deadlocks)" -gt 0
compare "wormhole: each deadlock costs at least one packet" "$lost" -ge "$(fabric_sum deadlocks)"
compare "wormhole: all other packets have arrived" $((arrived + lost)) = 60
compare "wormhole: some packets have arrived" "$arrived" -gt 0
compare "wormhole: no packet is stuck" "$(fabric_sum in_flight)" = 0
fabric_down

fabric_up --rate 10M --switching cut-through --buffer 1000
circle
compare "cut-through: the deadlock is counted" "$(fabric_sum deadlocks)" -gt 0
compare "cut-through: each deadlock costs one packet" "$lost" = "$(fabric_sum deadlocks)"
compare "cut-through: all other packets have arrived" $((arrived + lost)) = 60
compare "cut-through: some packets have arrived" "$arrived" -gt 0
check "cut-through: every packet is accounted for" fabric_conserves
fabric_down

fabric_up --rate 10M --switching packet --buffer 1000
circle
compare "store and forward: no deadlock" "$(fabric_sum deadlocks)" = 0
compare "store and forward: packets that find no room are dropped" \
	$((arrived + $(fabric_sum drop_full))) = 60
check "store and forward: every packet is accounted for" fabric_conserves
fabric_down
fabric_finish

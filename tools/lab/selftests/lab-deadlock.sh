#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A ring on which everybody sends two links further: worms and buffers wait for each other in a
# circle. It is found, counted and broken, and what was not lost by it arrives.
# modes: icount
# timeout: 120
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
fabric_start
load ipv6
fabric_file a,b,c s1,s2,s3 <<'END'
link a s1
link s1 a
  to a
link b s2
link s2 b
  to b
link c s3
link s3 c
  to c
link s1 s2
  to b,c
link s2 s3
  to c,a
link s3 s1
  to a,b
END

# Each to the one that is two links away, all at once: 20 datagrams of 1,000 bytes, in 10 or 20 ms.
circle()
{
	need sh -c "arrivals --wait 1500 a@10.9.0.1,c@10.9.0.3,934,20,0 b@10.9.0.2,a@10.9.0.1,934,20,0 \
		c@10.9.0.3,b@10.9.0.2,934,20,0 >$TESTDIR/arrivals"
	arrived=$(wc -l <"$TESTDIR/arrivals")
	lost=$(fabric_sum drop_deadlock)
}

# A header takes 1 ms to the next link: so all have their first link before one asks for its second.
# A slow kernel takes longer to send to all.
HOP=1ms
[ $DEBUG = 0 ] || HOP=10ms
fabric_up --rate 10M --hop-latency $HOP --worm 4000
circle
compare "wormhole: the deadlock is counted" "$(fabric_sum deadlocks)" -gt 0
compare "a worm was lost by each at least" "$lost" -ge "$(fabric_sum deadlocks)"
compare "all others have arrived" $((arrived + lost)) = 60
compare "and there are others" "$arrived" -gt 0
compare "nothing is stuck" "$(fabric_sum in_flight)" = 0
fabric_down

fabric_up --rate 10M --switching cut-through --buffer 1000
circle
compare "cut-through: the deadlock is counted" "$(fabric_sum deadlocks)" -gt 0
compare "a packet was lost by each" "$lost" = "$(fabric_sum deadlocks)"
compare "all others have arrived" $((arrived + lost)) = 60
compare "and there are others" "$arrived" -gt 0
check "every packet is accounted for" fabric_conserves
fabric_down

fabric_up --rate 10M --switching packet --buffer 1000
circle
compare "packet: nobody waits for anybody" "$(fabric_sum deadlocks)" = 0
compare "what finds no room is lost" $((arrived + $(fabric_sum drop_full))) = 60
check "every packet is accounted for" fabric_conserves
fabric_down
fabric_finish

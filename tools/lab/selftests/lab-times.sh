#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The model's times equal those computed by hand, to the nanosecond, however slow the machine is.
#
# At 1 Mbit/s a byte takes 8 us, so the order of packets is certain. A datagram of N bytes is N + 66
# on the wire: 8 of UDP, 20 of IP, 14 of Ethernet, and 24 of overhead.
# kernels: 5.10 6.1 6.1-rt newest 6.1-debug
# modes: icount
# timeout: 120
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
fabric_start
load ipv6 af_packet

# at FLOW NUMBER: time of arrival in ns
at()
{
	sed -n "s/^flow=$1 number=$2 at=//p" "$TESTDIR/arrivals"
}

run()
{
	# The ports' addresses are in the order of the hosts in the file.
	need sh -c "arrivals $* >$TESTDIR/arrivals"
	sed 's/^/# /' "$TESTDIR/arrivals"
}

# ---- wormhole: two worms need the link in the middle; c and d are on one switch ----
fabric_file a,b,c,d s1,s2 <<'END'
link a s1
link b s1
link s1 s2
  to c,d
link s2 c
  to c
link s2 d
  to d
END
fabric_up --rate 1M
run a@10.9.0.1,c@10.9.0.3,1000,1,0 b@10.9.0.2,d@10.9.0.4,500,1,2000
compare "two worms need one link: the second passes after the first" \
	"$(at 1 0)" = $((566 * 8000))
hol=$(fabric_count ports b hol_ns)
compare "the second worm's port was blocked while the first used the link" "$hol" -gt 5000000
compare "the second worm's injection link was blocked for the same time" \
	"$(fabric_count links 'b>s1' blocked_ns)" = "$hol"
compare "the link in the middle counts one request that waited" \
	"$(fabric_count links 's1>s2' waits)" = 1
compare "the link in the middle was busy for both worms" \
	"$(fabric_count links 's1>s2' busy_ns)" = $((1632 * 8000))
compare "the link in the middle counts bytes on the wire" \
	"$(fabric_count links 's1>s2' bytes)" = 1632
check "every packet is accounted for" fabric_conserves
fabric_down

# ---- a worm of several packets: rounding errors do not add up; a worm ends at its limit ----
fabric_file a,b s1 <<'END'
link a s1
link s1 b
  to b
END
# long enough that a debug kernel has each packet there before the one ahead of it has gone
fabric_up --rate 3M --mtu 9000 --worm 12000
run a@10.9.0.1,b@10.9.0.2,1403,8,0
# 1469 bytes at 3 Mbit/s are 3917333.3 ns, rounded up: 3917334, 7834667, 11752000, 15669334 ...
compare "times of a worm's packets are computed from its start" \
	"$(at 0 1) $(at 0 2) $(at 0 3) $(at 0 7)" = "3917333 7834666 11752000 27421333"
worms=$(fabric_count ports a worms)
need sh -c "arrivals a@10.9.0.1,b@10.9.0.2,3934,9,0 >$TESTDIR/arrivals"
compare "a worm ends at its limit of three packets" \
	"$(($(fabric_count ports a worms) - worms))" = 3
fabric_down

# ---- cut-through: room for two packets in the switch ----
fabric_file a,b,c s1 <<'END'
link a s1
link b s1
link s1 c
  to c
END
fabric_up --rate 1M --switching cut-through --buffer 2200
run a@10.9.0.1,c@10.9.0.3,1434,1,0 b@10.9.0.2,c@10.9.0.3,934,4,2000
one=$((1000 * 8000))
compare "a full buffer: the first goes when the link is free" "$(at 1 0)" = $one
compare "a full buffer: the others follow without a gap" \
	"$(at 1 1) $(at 1 2) $(at 1 3)" = "$((2 * one)) $((3 * one)) $((4 * one))"
compare "a full buffer: the sender waited for room" "$(fabric_count ports b hol_ns)" -gt 0
compare "nothing was dropped" "$(fabric_sum drop_full)" = 0
check "every packet is accounted for" fabric_conserves
need ip -n a link set dev a mtu 9000
in-ns a blast udp --send-only --linger 1 --size 3000 --bytes 3000 \
	-@10.9.0.1 -- -@10.9.0.3 >/dev/null 2>&1
compare "a packet longer than a buffer is dropped by its sender" \
	"$(fabric_count ports a drop_too_big)" = 1
fabric_down

# ---- cut-through: b's packet to c waits for a's; may the one to d behind it overtake? ----
fabric_file a,b,c,d s1 <<'END'
link a s1
link b s1
link s1 c
  to c
link s1 d
  to d
END
for queues in fifo-speedup voq fifo; do
	fabric_up --rate 1M --switching cut-through --queues $queues
	compare "$queues: stats tells it" \
		"$(liquid-lab stats --json | grep -c "\"switch_queues\": \"$queues\"")" = 1
	run a@10.9.0.1,c@10.9.0.3,1434,1,0 b@10.9.0.2,c@10.9.0.3,934,1,2000 \
		b@10.9.0.2,d@10.9.0.4,934,1,2500
	compare "$queues: the packet to c goes when its link is free" "$(at 1 0)" = $one
	case $queues in
	fifo-speedup)
		compare "fifo-speedup: the packet to d goes with it" "$(at 2 0)" = $one
		;;
	fifo)
		compare "fifo: the packet to d goes after it" "$(at 2 0)" = $((2 * one))
		;;
	voq)
		compare "voq: the packet to d has gone before" "$(at 2 0)" -lt $one
		compare "voq: stats tells it in words" "$(liquid-lab stats |
			grep -c ': cut-through with virtual output queues, ')" = 1
		;;
	esac
	fabric_down
done

# ---- store and forward: a queue for two and a half packets, with tail drop ----
fabric_file a,b,c s1 <<'END'
link a s1
link b s1
link s1 c
  to c
END
fabric_up --rate 1M --switching packet --buffer 2500
run --wait 500 a@10.9.0.1,c@10.9.0.3,934,3,0 b@10.9.0.2,c@10.9.0.3,934,3,2000
compare "store and forward: one packet after the other" "$(at 1 0)" = $one
compare "store and forward: two of six packets find no room" "$(fabric_count ports b drop_full)" = 2
compare "store and forward: the other four packets arrive" "$(wc -l <"$TESTDIR/arrivals")" = 4
check "every packet is accounted for" fabric_conserves
fabric_down
fabric_finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A user without privileges fills the queue of control packets from many sockets. The protocols of
# the link neither lose a packet, nor wait for the others.
# modes: icount
# timeout: 60
# kernels: 6.1 newest
. /liquid/lib/guest.sh
. /liquid/lib/trace.sh
start
make_pair

# Both wait for their budget, 1250 bytes a frame: those of the link leave first.
make_gate control=1
make_dests 1
need push +$MS "frame_ns=$((100 * MS)) frames=2" "" 1:0 1:-
sleep 0.01
trace_start net/net_dev_start_xmit
need in_ns lqa pkt lqva --dst 10.0.0.2 --count 40 syn
need in_ns lqa pkt lqva --count 40 arp
sleep 1
trace_stop "$TESTDIR/trace"
# shellcheck disable=SC2046,SC2116 # on a line
compare "all have left" "$(echo $(gate state.qlen stats.control_packets))" = "0 80"
compare "the link's packets leave before all others that wait" \
	"$(sed -n 's/.* net_dev_start_xmit: dev=lqva .* protocol=\(0x0[0-9]*\) .*/\1/p' \
	"$TESTDIR/trace" | uniq | tr '\n' ' ')" = "0x0800 0x0806 0x0800 "
need in_ns lqa wire del lqva

FRAME=$MS
make_gate rate_bps=1000000000
make_dests 2
need push +$MS "frame_ns=$FRAME guard_ns=50000 frames=3" "" 1:0 1:1 1:-
sleep 0.01
flows=
for _ in $(seq 64); do
	flows="$flows lqb@10.0.0.2"
done

# Of frames of 74 bytes, which only LACP and ARP have here: when sent, and when the driver gets them
trace_packets
echo 0 >$TRACE/events/enable
for event in net_dev_queue net_dev_start_xmit; do
	need sh -c "echo 'len == 74' >$TRACE/events/net/$event/filter"
done
trace_start net/net_dev_queue net/net_dev_start_xmit
# shellcheck disable=SC2086 # a word each
background "$TESTDIR/flood" blast udp --user 65534 --lossy --linger 1 --port 319 --size 60 \
	--bytes 36000 lqa@10.0.0.1 -- $flows
for _ in 1 2 3 4 5 6 7 8 9 10; do
	sleep 0.02
	need in_ns lqa pkt lqva lacp arp
done
waiting=$(gate state.control_qlen)
wait "$pid"
sed 's/^/# /' "$TESTDIR/flood"
trace_stop "$TESTDIR/trace"
for event in net_dev_queue net_dev_start_xmit; do
	echo 0 >$TRACE/events/net/$event/filter
done

# waits: those of each packet that leaves, us
waits()
{
	event='\(net_dev_[a-z_]*\): .*skbaddr=\([^ ]*\)'
	sed -n "s/.* \([0-9]*\)\.\([0-9]*\): $event .*/\1\2 \3 \4/p" "$TESTDIR/trace" |
		awk '$2 == "net_dev_queue" { from[$3] = $1 }
		$2 == "net_dev_start_xmit" && $3 in from { print $1 - from[$3]; delete from[$3] }'
}

compare "the users' queue is full meanwhile" "$waiting" -gt 2000
compare "it drops, and that is counted" "$(gate stats.drop_control)" -gt 1000
echo "# longest wait: $(waits | sort -n | tail -n 1) us"
compare "each of 20 packets of LACP and ARP leaves" "$(waits | wc -l)" = 20
compare "none waits for longer than two frames" "$(waits | sort -n | tail -n 1)" -le \
	$((2 * FRAME / 1000))
compare "none of them is dropped" "$(gate stats.drop_link)" = 0
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# On a device with several transmit queues, scheduled packets use one and control packets another.
# modes: icount
# timeout: 60
. /liquid/lib/guest.sh
start
make_pair 2
make_gate
make_dests 1
TRACE=/sys/kernel/tracing
[ -e $TRACE/events/net/net_dev_start_xmit/enable ] || TRACE=/sys/kernel/debug/tracing
if [ ! -e $TRACE/events/net/net_dev_start_xmit/enable ]; then
	skip "transmit queues" "no tracepoint net_dev_start_xmit"
	finish
fi
need push +$((5 * MS)) "frame_ns=$((2 * SCALE * MS)) frames=2" "" 1:0 1:-
compare "the queue of scheduled packets is told" "$(gate state.tx_queue)" = 0
compare "the queue of control packets is another" "$(gate state.control_tx_queue)" = 1
echo >$TRACE/trace
echo 1 >$TRACE/events/net/net_dev_start_xmit/enable
check "scheduled packets arrive" blast udp --bytes 30000 lqa@10.0.0.1 -- lqb@10.0.0.2
in_ns lqa pkt lqva --dst 10.0.0.2 --count 5 arp ptp-event ack
check "both kinds at once arrive" blast tcp --bytes 100000 lqa@10.0.0.1 -- lqb@10.0.0.2
echo 0 >$TRACE/events/net/net_dev_start_xmit/enable
grep 'dev=lqva' $TRACE/trace >"$TESTDIR/trace"
# The stack's own idea of a queue is overruled: length 1,042 is a datagram, 60 to 160 control.
compare "every datagram used queue 0" \
	"$(grep 'len=1042' "$TESTDIR/trace" | grep -vc 'queue_mapping=0 ')" = 0
compare "there were as many as were sent" "$(grep -c 'len=1042' "$TESTDIR/trace")" = 30
compare "every control packet used queue 1" \
	"$(grep 'protocol=0x0806' "$TESTDIR/trace" | grep -vc 'queue_mapping=1 ')" = 0
compare "ARP among them" "$(grep -c 'protocol=0x0806' "$TESTDIR/trace")" = 5
compare "no packet was taken back by the core" "$(gate stats.requeues)" = 0
for point in liquid_enqueue liquid_dequeue liquid_frame liquid_swap; do
	check "tracepoint $point" test -e $TRACE/events/liquid/$point/enable
done
echo 1 >$TRACE/events/liquid/enable
echo >$TRACE/trace
blast udp --bytes 5000 lqa@10.0.0.1 -- lqb@10.0.0.2 >"$LOG" 2>&1
push +$((5 * MS)) "frame_ns=$((2 * SCALE * MS)) frames=2" "" 1:- 1:0 >"$LOG" 2>&1
sleep 0.05
blast udp --bytes 5000 lqa@10.0.0.1 -- lqb@10.0.0.2 >"$LOG" 2>&1
echo 0 >$TRACE/events/liquid/enable
for point in liquid_enqueue liquid_dequeue liquid_frame liquid_swap; do
	compare "$point was traced" "$(grep -c " $point: " $TRACE/trace)" -gt 0
done
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The number of TX queues changes (ethtool -L) while packets wait: those of queues that remain wait
# on, those of queues that go leave by one that remains, and what is lost is counted.
# modes: icount
# timeout: 120
# kernels: 6.1 6.1-rt 6.12 newest 6.1-debug
. /liquid/lib/guest.sh
. /liquid/lib/trace.sh
start
make_pair 16
sleep 0.1

set_txqs()
{
	need in_ns lqa ethtool -L lqva tx "$1"
}

# xps CPUS QUEUE: whose packets use the queue
xps()
{
	need ip netns exec lqa sh -c "echo $1 >/sys/class/net/lqva/queues/tx-$2/xps_cpus"
}

# wait_in QUEUE...: 40 datagrams for a frame that comes in seconds, and 5 that are unscheduled, in
# each of these TX queues
wait_in()
{
	for queue; do
		xps 1 "$queue"
		need in_ns lqa pkt lqva --count 40 --dst 10.0.0.2 udp
		need in_ns lqa pkt lqva --count 5 --dst 10.0.0.9 udp
		xps 0 "$queue"
	done
}

# what waits, and drops of all kinds
state()
{
	echo "$(gate state.qlen) $(in_ns lqa tc -s qdisc show dev lqva root |
		sed -n 's/.*dropped \([0-9]*\), .*/\1/p; s/^ backlog [^ ]* \([0-9]*\)p .*/\1/p' |
		tr '\n' ' ')" | sed 's/ $//'
}

# change FROM TO QUEUE...: packets wait in these TX queues when their number changes, and back
change()
{
	set_txqs "$1"
	make_gate horizon_ms=0 policy=1
	make_dests 2
	need push +$MS "frame_ns=$((10000 * MS)) frames=3" "" 1:1 1:- 1:0
	sleep 0.01
	from=$1
	to=$2
	shift 2
	wait_in "$@"
	waiting=$((45 * $#))
	compare "$from: $waiting packets wait" "$(state)" = "$waiting 0 $waiting"
	set_txqs "$to"
	sleep 0.02
	compare "$from to $to: all of them wait on" "$(state)" = "$waiting 0 $waiting"
	trace_start net/net_dev_start_xmit
	need in_ns lqa wire script lqva <<-END
		clear | clear | ok
	END
	sleep 0.05
	trace_stop "$TESTDIR/trace"
	compare "$from to $to: all of them leave" "$(state)" = "0 0 0"
	sed -n 's/.* net_dev_start_xmit: dev=lqva queue_mapping=\([0-9]*\) .*/\1/p' \
		"$TESTDIR/trace" | sort -n | uniq -c | sed 's/^/# queue:/' >"$TESTDIR/used"
	cat "$TESTDIR/used"
	compare "$from to $to: by TX queues that are in use" "$(awk -v to="$to" \
		'$4 < to { n += $3 } END { print n + 0 }' "$TESTDIR/used")" = "$waiting"
	need push +$MS "frame_ns=$((10000 * MS)) frames=3" "" 1:1 1:- 1:0
	sleep 0.01
	wait_in 0
	set_txqs "$from"
	compare "$to to $from: all of them wait on" "$(state)" = "45 0 45"
	need in_ns lqa wire del lqva
}

change 16 15 0 7 15
change 4 3 0 3
change 2 1 0 1
change 1 2 0
change 8 3 0 5 7

# Under load, with frames: what is sent arrives.
set_txqs 16
make_gate horizon_ms=0
make_dests 8
need push +$MS "frame_ns=$((4 * SCALE * MS)) guard_ns=$((SCALE * MS / 5)) frames=3" "" 1:0 1:1 1:-
background "$TESTDIR/blast" blast udp --bytes 400000 --sndbuf 1000000 lqa@10.0.0.1 -- \
	lqb@10.0.0.2 lqb@10.0.0.3
for txqs in 15 16 3 4 1 2 16 1 8 7; do
	xps 1 0
	sleep 0.01
	xps 0 0
	sleep 0.01
	set_txqs $txqs
done
wait "$pid"
sed 's/^/# /' "$TESTDIR/blast"
compare "under load nothing is lost" "$(state)" = "0 0 0"
check "and all arrives" grep -q "lost=0" "$TESTDIR/blast"
need in_ns lqa wire del lqva

# Without a carrier the core drops what waits. A device that goes down does so, too: no loss.
set_txqs 4
make_gate horizon_ms=0 policy=1
make_dests 2
need push +$MS "frame_ns=$((10000 * MS)) frames=3" "" 1:1 1:- 1:0
sleep 0.01
wait_in 0 2
need ip -n lqb link set lqvb down
sleep 1.5
compare "no carrier: what waited is counted" "$(state) $(gate stats.drop_reset)" = "0 90 0 90"
need ip -n lqb link set lqvb up
sleep 1.5
wait_in 0
need ip -n lqa link set lqva down
compare "down: that is not a drop" "$(state) $(gate stats.drop_reset)" = "0 90 0 90"
need in_ns lqa wire del lqva
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# All processors send through a TX queue each: every packet leaves in its frame, also across swaps
# and while gates come and go, and they wait less often for a lock than at a device with one queue.
# kernels: 6.1 6.12
# modes: normal
# processors: 4
# card: 4
# timeout: 240
. /liquid/lib/guest.sh
. /liquid/lib/trace.sh
start
load pktgen dummy virtio_pci virtio_net af_packet
QUEUES=$(grep -c ^processor /proc/cpuinfo)
make_pair $QUEUES
FRAME=$((40 * MS))
GUARD=$((FRAME / 10))

# own_queues NETNS DEV: each processor uses its own TX queue. /sys shows the devices of a namespace
# to what "ip netns exec" starts, for which the guest's own namespace (-) has no name.
own_queues()
{
	enter=
	[ "$1" = - ] || enter="ip netns exec $1"
	# shellcheck disable=SC2086
	for cpu in $(seq 0 $((QUEUES - 1))); do
		need $enter sh -c "echo $((1 << cpu)) \
			>/sys/class/net/$2/queues/tx-$cpu/xps_cpus"
	done
}

# pktgen NETNS DEV COUNT: each processor sends COUNT packets, to two destinations by turns. It does
# not wait for processors that have not begun after 125 ms.
pktgen()
{
	for cpu in $(seq 0 $((QUEUES - 1))); do
		cat <<-END
		kpktgend_$cpu rem_device_all
		kpktgend_$cpu add_device $2@$cpu
		END
		for setting in "count $3" "delay 0" "pkt_size 1000" "xmit_mode queue_xmit" \
			"dst_min 10.0.0.2" "dst_max 10.0.0.3" "dst_mac 02:00:00:00:00:02" \
			"src_min 10.0.0.1" "udp_dst_min 5000" "udp_dst_max 5000"; do
			echo "$2@$cpu $setting"
		done
	done | in_ns "$1" sh -c 'while read -r file line; do
		echo "$line" >"/proc/net/pktgen/$file" || exit; done
		echo start >/proc/net/pktgen/pgctrl' >"$LOG" 2>&1
}

# all_left NETNS DEV PACKETS
all_left()
{
	[ "$(in_ns "$1" wire get "$2" stats.packets)" = "$3" ]
}

# queues_used: number of TX queues in the trace
queues_used()
{
	grep -o ' net_dev_start_xmit: .* len=1000 ' "$TESTDIR/trace" |
		grep -o ' queue_mapping=[0-9]*' | sort -u | grep -c .
}

# check_releases NAME PACKETS PLAN...: what the gate says of its packets, in the trace. A packet
# that the tap has seen outside of its frame must be one that the gate has released in it, on a
# processor that was then taken away. The heartbeat does not see every such time: where the host has
# much else to do, one packet of 2,000 was late by 6.5 ms beside what it told.
check_releases()
{
	name=$1
	packets=$2
	shift 2
	released "$TESTDIR/trace" "$TESTDIR/heartbeat" $((SLACK * (1 + 3 * DEBUG))) "$@" \
		>"$TESTDIR/released" 2>&1
	cp "$TESTDIR/released" "$LOG"
	if [ "$(field faults "$TESTDIR/released")" = 0 ] &&
	   [ "$(field unexplained "$TESTDIR/released")" -le $((packets / 1000)) ] &&
	   [ "$(field scheduled "$TESTDIR/released")" = "$packets" ] &&
	   [ "$(field outside "$TESTDIR/verdict")" -le "$(field late "$TESTDIR/released")" ]; then
		ok "$name: charged in its frame and not with another, and to the driver at once"
		sed 's/^/# /' "$TESTDIR/released"
	else
		not_ok "$name: charged in its frame and not with another, and to the driver at once"
	fi
}

# --- every packet in its frame ---

# Processors that are taken away may need longer than the horizon.
own_queues lqa lqva
make_gate horizon_ms=0
make_dests 2
compare "each TX queue has its own queues" "$(gate state.tx_queues)" = $QUEUES
need push +$((20 * MS)) "frame_ns=$FRAME guard_ns=$GUARD frames=3" "" 1:0 1:1 1:-
sleep 0.1
plan "$TESTDIR/plan"
tap_start "$TESTDIR/cap" 60 lqa:lqva
trace_packets
pktgen lqa lqva 500
await all_left lqa lqva $((500 * QUEUES))
trace_packets_stop
tap_stop
judge_capture "$QUEUES processors: every packet in its frame" "$TESTDIR/cap" --plan 0 \
	"$TESTDIR/plan"
check_releases "each packet" $((500 * QUEUES)) "$TESTDIR/plan"
compare "they have sent through all TX queues" "$(queues_used)" = $QUEUES
compare "every packet has left" "$(gate stats.packets) $(gate state.qlen)" = \
	"$((500 * QUEUES)) 0"
compare "half of them to each destination" "$(in_ns lqa wire dest lqva 0 stats.packets)" = \
	$((250 * QUEUES))
# Real time: the host may stop a processor for as long as it likes.
compare "hardly any packet was late" "$(gate stats.late)" -le $((50 * QUEUES))

# --- swaps, leases and deaths under load ---

swaps=$(gate stats.swaps)
tap_start "$TESTDIR/cap" 60 lqa:lqva
trace_packets
(pktgen lqa lqva 3000) &
load=$!
pids="$pids $load"
plans="--plan 0 $TESTDIR/plan"
number=0
for order in "1:0 1:1 1:-" "1:1 1:- 1:0" "1:- 1:0 1:1" "1:0 1:- 1:1"; do
	number=$((number + 1))
	# shellcheck disable=SC2086 # frames
	need push +$((400 * MS)) "frame_ns=$FRAME guard_ns=$GUARD frames=3" "" $order
	in_ns lqa sh -c "wire plan lqva admin || wire plan lqva" >"$TESTDIR/plan-$number" 2>"$LOG"
	plans="$plans --plan 0 $TESTDIR/plan-$number"
	sleep 0.6
done
compare "each swap under load counts once" $(($(gate stats.swaps) - swaps)) = 4
wait "$load"
await all_left lqa lqva $((3500 * QUEUES))
trace_packets_stop
tap_stop
compare "after four swaps every packet has left" "$(gate stats.packets) $(gate state.qlen)" = \
	"$((3500 * QUEUES)) 0"
# shellcheck disable=SC2086 # options
judge_capture "across four swaps every packet in its frame" "$TESTDIR/cap" $plans
check_releases "each packet across swaps" $((3000 * QUEUES)) "$TESTDIR/plan" "$TESTDIR"/plan-?
for round in 1 2 3 4 5; do
	need push +$MS "frame_ns=$FRAME frames=3" "replace lease_ns=$((20 * MS))" 1:0 1:1 1:-
	(pktgen lqa lqva 100) &
	load=$!
	sleep 0.05
	case $round in
	1 | 3) need ip -n lqa link set lqva down; need ip -n lqa link set lqva up ;;
	2 | 4) need in_ns lqa wire del lqva; make_gate horizon_ms=0; make_dests 2 ;;
	5) need in_ns lqa ethtool -L lqva tx 1; need in_ns lqa ethtool -L lqva tx $QUEUES ;;
	esac
	wait "$load"
done
sleep 0.5
compare "leases, restarts, new gates and TX queues under load: no packet is stuck" \
	"$(gate state.qlen)" = 0
need in_ns lqa wire del lqva

# --- how often they wait for a lock ---

# contend QUEUES: sets sent, and waits: spinlocks that were not free when a processor wanted one
contend()
{
	need ip -n lqa link add lqd numtxqueues "$1" type dummy
	need ip -n lqa link set lqd up
	[ "$1" = 1 ] || own_queues lqa lqd
	need in_ns lqa wire add lqd rate_bps=100000000000 overhead=24
	need in_ns lqa wire script lqd <"$TESTDIR/dests"
	need sh -c "echo p:lqwait native_queued_spin_lock_slowpath >>$TRACE/kprobe_events"
	echo 1 >$TRACE/events/kprobes/lqwait/enable
	pktgen lqa lqd $EACH
	await all_left lqa lqd $((EACH * QUEUES))
	echo 0 >$TRACE/events/kprobes/lqwait/enable
	waits=$(sed -n 's/^ *lqwait *\([0-9]*\) .*/\1/p' $TRACE/kprobe_profile)
	need sh -c "echo -:lqwait >>$TRACE/kprobe_events"
	sent=$(in_ns lqa wire get lqd stats.packets)
	need ip -n lqa link del lqd
}

# So many that they send at the same time
EACH=100000
if [ -w $TRACE/kprobe_events ] && grep -q native_queued_spin_lock_slowpath /proc/kallsyms; then
	contend 1
	one=$waits
	compare "one TX queue: all packets were sent" "$sent" = $((EACH * QUEUES))
	contend $QUEUES
	compare "many TX queues: all packets were sent" "$sent" = $((EACH * QUEUES))
	echo "# waits for a spinlock, $EACH packets each: one TX queue $one, $QUEUES TX queues" \
		"$waits"
	# Some wait for other locks; and where the host is busy, few processors send at a time.
	compare "with a lock for each they wait at most a fifth as often, or hardly" \
		$((5 * waits)) -le $((one + 500))
else
	skip "with a lock for each they wait less often" "the kernel has no kprobes"
fi

# --- a card with a ring for each processor ---

DEV=
for queue in /sys/class/net/*/queues/tx-$((QUEUES - 1)); do
	dev=$(echo "$queue" | cut -d/ -f5)
	[ ! -e "/sys/class/net/$dev/device" ] || DEV=$dev
done
if [ -z "$DEV" ]; then
	skip "a card with rings" "the host gives the guest none"
	finish
fi
need ip addr add 10.0.0.1/24 dev "$DEV"
need ip link set "$DEV" up
own_queues - "$DEV"
need wire add "$DEV" rate_bps=100000000 overhead=24
compare "each TX queue of the card has its own queues" "$(wire get "$DEV" state.tx_queues)" = \
	$QUEUES
base=$(($(now) + 2000 * MS))
cat >"$TESTDIR/sched" <<END
begin | begin sched{frame_ns=$FRAME guard_ns=$GUARD frames=3} | ok
entries | entries entries{entry{run=1 dest=0} entry{run=1 dest=1} entry{run=1}} | ok
commit | commit base_time=$base | ok
END
need sh -c "cat $TESTDIR/dests $TESTDIR/sched | wire script $DEV"
need sh -c "wire plan $DEV admin >$TESTDIR/plan"
clockset until $((base + FRAME))
tap_start "$TESTDIR/cap" 60 "-:$DEV"
trace_packets
card_released()
{
	[ "$(wire get "$DEV" stats.packets)" -ge $((500 * QUEUES)) ]
}
pktgen - "$DEV" 500
await card_released
trace_packets_stop
tap_stop
judge_capture "a card with rings: every packet in its frame" "$TESTDIR/cap" --plan 0 \
	"$TESTDIR/plan"
check_releases "each packet of the card" $((500 * QUEUES)) "$TESTDIR/plan"
compare "all rings were used" "$(queues_used)" = $QUEUES
compare "every packet has left the card's gate" "$(wire get "$DEV" state.qlen)" = 0
compare "as many as were sent" "$(field scheduled "$TESTDIR/verdict")" = $((500 * QUEUES))
compare "hardly any packet of the card was late" "$(wire get "$DEV" stats.late)" -le \
	$((50 * QUEUES))
need wire del "$DEV"
need ip link set "$DEV" down
need ip addr flush dev "$DEV"
finish

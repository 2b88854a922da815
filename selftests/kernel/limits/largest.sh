#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Many destinations, close together or far apart, with a packet each: no reader and no change holds
# a lock for long.
# modes: long
# kernels: 6.1
# timeout: 300
. /liquid/lib/guest.sh
. /liquid/lib/trace.sh
. /liquid/lib/visits.sh
start
can_time || skip_all "the kernel cannot time functions"
load pktgen dummy
DESTS=2048
QUEUES=8

# --- readers ---

make_pair $QUEUES
make_gate
table lqa lqva <<END
$DESTS destinations | fill-dests $DESTS 10.1.0.0 | ok
END
visits_start
compare "they are dumped" "$(in_ns lqa wire count lqva | cut -d" " -f1)" = $DESTS
visits_stop "a dump of $DESTS destinations, $QUEUES TX queues" liquid_dests_visit $((DESTS / 64))
visits_start
need in_ns lqa wire get lqva
visits_stop "counters of $QUEUES TX queues" liquid_snapshot_visit $((QUEUES + 1))
need in_ns lqa wire del lqva
make_gate
table lqa lqva <<'END'
far apart | dest-set dests{dest{id=0 key{ipv4=10.1.0.0}} dest{id=65535 key{ipv4=10.1.0.1}}} | ok
END
visits_start
compare "two are dumped" "$(in_ns lqa wire count lqva | cut -d" " -f1)" = 2
visits_stop "a dump of two that are far apart" liquid_dests_visit 1
visits_start
check "they are deleted" in_ns lqa liquid-nl clear --dests lqva
visits_stop "two that are far apart are deleted" liquid_delete_visit 1
need in_ns lqa wire del lqva

# --- a packet waits for each ---

# fill: a packet for each destination of lqd. pktgen waits until the last has left.
fill()
{
	need in_ns lqa sh -c 'echo rem_device_all >/proc/net/pktgen/kpktgend_0
		echo "add_device lqd@0" >/proc/net/pktgen/kpktgend_0'
	for setting in "count $DESTS" "delay 0" "pkt_size 100" "xmit_mode queue_xmit" \
		"dst_min 10.1.0.0" "dst_max 10.1.7.255" "dst_mac 02:00:00:00:00:02" \
		"src_min 10.0.0.1" "udp_dst_min 5000" "udp_dst_max 5000"; do
		need in_ns lqa sh -c "echo $setting >/proc/net/pktgen/lqd@0"
	done
	in_ns lqa sh -c "echo start >/proc/net/pktgen/pgctrl" &
	pids="$pids $!"
	await all_wait
}

all_wait()
{
	[ "$(in_ns lqa wire get lqd state.qlen)" = $DESTS ]
}

# frames: a frame of 1 ms for each destination, behind a minute without
frames()
{
	awk -v dests=$DESTS 'BEGIN {
		print "begin | begin sched{frame_ns=1000000 frames=" dests + 60000 "} | ok"
		print "entries | entries entries{entry{run=60000}} | ok"
		for (i = 0; i < dests; i += 512) {
			printf "entries | entries entries{"
			for (k = i; k < i + 512; k++)
				printf "entry{run=1 dest=%d} ", k
			print "} | ok"
		}
	}'
	echo "commit | commit base_time=$(($(now) + 2000 * MS)) | ok"
}

need ip -n lqa link add lqd type dummy
need ip -n lqa link set lqd up
need in_ns lqa wire add lqd rate_bps=100000000 overhead=24 horizon_ms=0 \
	limit_packets=131072 limit_bytes=1000000000
table lqa lqd <<END
$DESTS destinations of another device | fill-dests $DESTS 10.1.0.0 | ok
END
frames >"$TESTDIR/frames"
need in_ns lqa wire script lqd <"$TESTDIR/frames"
sleep 2.1
visits_start
fill
visits_stop "a packet for each of $DESTS destinations" liquid_enqueue_slow 1500
visits_start
check "the schedule and the destinations are removed" \
	in_ns lqa chrt -f 50 liquid-nl clear --dests lqd
visits_stop "all are deleted" liquid_delete_visit $((DESTS / 512))
compare "nothing waits" "$(in_ns lqa wire get lqd state.qlen)" = 0
table lqa lqd <<END
$DESTS destinations again | fill-dests $DESTS 10.1.0.0 | ok
END
frames >"$TESTDIR/frames"
need in_ns lqa wire script lqd <"$TESTDIR/frames"
sleep 2.1
fill
visits_start
need ip -n lqa link set lqd down
visits_find
compare "the device goes down: all at once, when no one waits for the lock" \
	"$(grep -c '^liquid_gate_purge ' "$TESTDIR/times")" = 1
echo "# it takes $longest us"
compare "that takes 80 ns a destination at most" "$longest" -le $((DESTS * 80 / 1000))
compare "nothing waits" "$(in_ns lqa wire get lqd state.qlen)" = 0
finish

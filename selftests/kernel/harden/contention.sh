#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# How often processors that send at the same time wait for a gate's locks, as lock_stat counts: with
# one TX queue for all of them, and with one for each.
# kernels: 6.1-debug
# modes: normal
# processors: 4
# timeout: 900
. /liquid/lib/guest.sh
start
[ -w /proc/lock_stat ] || skip_all "the kernel does not count contention"
load pktgen dummy
ip netns add lqa
EACH=20000
echo 1 >/proc/sys/kernel/lock_stat

# pktgen PROCESSORS QUEUES: each of the first PROCESSORS sends EACH packets to lqd
pktgen()
{
	for cpu in $(seq 0 $(($1 - 1))); do
		cat <<-END
		kpktgend_$cpu rem_device_all
		kpktgend_$cpu add_device lqd@$cpu
		END
		for setting in "count $EACH" "delay 0" "pkt_size 1000" "xmit_mode queue_xmit" \
			"dst_min 10.0.0.2" "dst_max 10.0.0.3" "dst_mac 02:00:00:00:00:02" \
			"src_min 10.0.0.1" "udp_dst_min 5000" "udp_dst_max 5000"; do
			echo "lqd@$cpu $setting"
		done
	done | in_ns lqa sh -c 'while read -r file line; do
		echo "$line" >"/proc/net/pktgen/$file" || exit; done
		echo start >/proc/net/pktgen/pgctrl' >"$LOG" 2>&1
}

# contend PROCESSORS QUEUES: sets taken and waited, of the locks of the gate's data path
contend()
{
	need ip -n lqa link add lqd numtxqueues "$2" type dummy
	need ip -n lqa link set lqd up
	for cpu in $(seq 0 $(($2 - 1))); do
		[ "$2" = 1 ] || need ip netns exec lqa sh -c "echo $((1 << cpu)) \
			>/sys/class/net/lqd/queues/tx-$cpu/xps_cpus"
	done
	need in_ns lqa wire add lqd rate_bps=100000000000 overhead=24
	need in_ns lqa wire script lqd <"$TESTDIR/dests"
	echo 0 >/proc/lock_stat
	pktgen "$1" "$2"
	cp /proc/lock_stat "$TESTDIR/lock_stat"
	compare "$1 processors, $2 TX queues: all packets were sent" \
		"$(in_ns lqa wire get lqd stats.packets)" -ge $((EACH * $1))
	# class: con-bounces contentions wait-min wait-max wait-total wait-avg acq-bounces taken
	sed -n 's/^ *\(&sch->q.lock\|&liquid_child_lock\|&sch->root_lock_key\)[^:]*: *//p' \
		"$TESTDIR/lock_stat" >"$TESTDIR/locks"
	waited=$(awk '{ n += $2 } END { printf "%d", n }' "$TESTDIR/locks")
	taken=$(awk '{ n += $8 } END { printf "%d", n }' "$TESTDIR/locks")
	waits=$(awk '{ n += $5 } END { printf "%d", n }' "$TESTDIR/locks")
	echo "# $1 processors, $2 TX queues: the locks were taken $taken times, waited for" \
		"$waited times, $waits us in all"
	compare "$1 processors, $2 TX queues: a lock for each packet" "$taken" -ge $((EACH * $1))
	need ip -n lqa link del lqd
}

echo "dests | dest-set dests{dest{id=0 key{ipv4=10.0.0.2}} dest{id=1 key{ipv4=10.0.0.3}}} | ok" \
	>"$TESTDIR/dests"
contend 1 1
compare "one processor waits for nobody" "$waited" -le 100
for processors in 2 4; do
	if [ "$(grep -c ^processor /proc/cpuinfo)" -lt $processors ]; then
		skip "$processors processors" "the guest has fewer: run this test alone"
		continue
	fi
	contend $processors 1
	single=$waited
	contend $processors $processors
	compare "$processors processors: at most a fifth of the waits, or hardly any" \
		$((5 * waited)) -le $((single + 500))
done
ip netns del lqa
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The bench's part inside the guest: rows "row DEVICE DESTINATIONS NAME NS", which table.awk reads.
set -u

packets=20000
rounds=3
generator=/proc/net/pktgen

address()
{
	echo "10.9.$(($1 / 256)).$(($1 % 256))"
}

# Set up pktgen on device $1 for $2 destinations, one after the other, $3 packets.
aim()
{
	echo rem_device_all >$generator/kpktgend_0
	echo "add_device $1" >$generator/kpktgend_0
	for line in "count $3" "clone_skb 0" "pkt_size 60" "delay 0" "xmit_mode queue_xmit" \
		"src_min 10.8.0.1" "src_max 10.8.0.1" "dst_mac 02:00:00:00:00:99" \
		"dst_min $(address 0)" "dst_max $(address $(($2 - 1)))"; do
		echo "$line" >"$generator/$1"
	done
}

# ns a packet of one round on device $1.
shoot()
{
	echo start >$generator/pgctrl
	sed -n 's/^Result: OK: \([0-9]*\)(.*usec, \([0-9]*\) .*/\1 \2/p' "$generator/$1" |
		awk '{ printf "%.2f\n", $1 * 1000 / $2 }'
}

median_of_rounds()
{
	seq $rounds | while read -r _; do
		shoot "$1"
	done | sort -n | awk '{ value[NR] = $1 } END { print NR ? value[int((NR + 1) / 2)] : "-" }'
}

# Rounds at device $1, $2 destinations; $3: name of the row. Each destination is met at least once.
measure()
{
	shots=$packets
	[ "$2" -le $packets ] || shots=$2
	aim "$1" "$2" "$shots"
	echo "row $1 $2 $3 $(median_of_rounds "$1")"
}

# Measure with the root qdisc that the rest of the arguments make. $1, $2, $3 as above.
with_qdisc()
{
	device=$1
	destinations=$2
	name=$3
	shift 3
	if tc qdisc replace dev "$device" root "$@"; then
		measure "$device" "$destinations" "$name"
	else
		echo "row $device $destinations $name -"
	fi
	tc qdisc del dev "$device" root 2>/dev/null
}

with_htb()
{
	tc qdisc replace dev d0 root handle 1: htb default 1
	for class in $(seq 1 64); do
		tc class add dev d0 parent 1: classid "1:$(printf %x "$class")" htb rate 10gbit
		tc filter add dev d0 parent 1: protocol ip prio 1 flower dst_ip "$(address $((class - 1)))" \
			classid "1:$(printf %x "$class")"
	done
	measure d0 64 htb,~64~flower~filters
	tc qdisc del dev d0 root
}

with_bpf()
{
	[ -e /liquid/launch.bpf.o ] || return
	tc qdisc replace dev d0 root fq
	tc qdisc add dev d0 clsact
	tc filter add dev d0 egress bpf da obj /liquid/launch.bpf.o sec tc || return
	measure d0 "$1" clsact-BPF~+~fq
	tc qdisc del dev d0 clsact
	tc qdisc del dev d0 root
}

open_entry="sched-entry S 01 1000000"

peers()
{
	measure d0 1 noqueue
	with_qdisc d0 1 pfifo_fast pfifo_fast
	with_qdisc d0 1 pfifo pfifo
	with_qdisc d0 1 fq_codel fq_codel
	with_qdisc d0 1 prio,~3~bands prio
	with_qdisc d0 1 fq fq
	with_bpf 1
	measure v0 1 noqueue
	with_qdisc v0 1 pfifo pfifo
	# shellcheck disable=SC2086
	with_qdisc v0 1 taprio,~1~open~entry taprio num_tc 1 map 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 \
		queues 1@0 base-time 0 $open_entry clockid CLOCK_TAI
	measure d0 64 noqueue
	with_qdisc d0 64 fq_codel fq_codel
	with_qdisc d0 64 fq fq
	with_htb
	with_bpf 64
}

attach()
{
	liquid-nl attach d0 --rate 10G --overhead 24 "$@"
}

# $1: kind of schedule, $2: destinations, the rest: arguments of push
push()
{
	schedule=/liquid/$1-$2.json
	map=/liquid/$2.map
	shift 2
	base=$(($(date +%s%N) + 5000000000))
	liquid-nl push d0 --schedule "$schedule" --node s --addr-map "$map" --tai-offset 0 \
		--base-time $base "$@" >/dev/null || return
}

# Wait until the schedule that was pushed is due.
await_base()
{
	while [ "$(date +%s%N)" -lt $base ]; do
		sleep 0.01
	done
}

# The clock and the time in which the processor had nothing to do as yet, in ns.
clock_and_idle()
{
	awk '/^now at/ { now = $3 } /\.idle_sleeptime/ { print now, $3; exit }' /proc/timer_list
}

# Packets that wait in device $1's root qdisc.
waiting()
{
	tc -s qdisc show dev "$1" root | sed -n 's/^ *backlog [^ ]* \([0-9]*\)p.*/\1/p'
}

# Busy time a packet of a burst of $4 packets to $2 destinations of device $1, from the start of
# the sender until $5 seconds later, when all must have left. $3: name of the row
measure_burst()
{
	before=$(clock_and_idle)
	echo start >$generator/pgctrl
	sleep "$5"
	after=$(clock_and_idle)
	echo "# $3: pktgen $(sed -n 's/^Result: //p' "$generator/$1" | head -n 1)"
	left=$(waiting "$1")
	if [ "${left:-0}" != 0 ] || ! grep -q 'errors: 0$' "$generator/$1"; then
		echo "# $3: $left packets wait; $(grep errors: "$generator/$1")"
		echo "row $1 $2 $3 -"
		return
	fi
	echo "$before $after $4" | awk -v row="row $1 $2 $3" \
		'{ printf "%s %.2f\n", row, ($3 - $1 - ($4 - $2)) / $5 }'
}

# No schedule: destinations are looked up, their queues served in turn.
gate_open()
{
	push own "$1" --frame-time 1ms && liquid-nl clear d0 &&
		measure d0 "$1" liquid,~open
}

# A schedule with as many frames; the traffic is that of the frame that lasts now.
gate_in_frame()
{
	push own "$1" --frame-time 10s && await_base || return
	aim d0 1 $packets
	echo "row d0 1 liquid,~in~its~frame~of~$1 $(median_of_rounds d0)"
	liquid-nl clear d0
}

# A burst while every gate is closed; then each destination's packets leave in its frame.
# $1: destinations, $2: length of a frame in us, $3: packets, $4: seconds until all have left
#
# pktgen spins until its last packet is gone. So one more address is aimed at, which no destination
# has, and the last packet is one to there: by the policy it leaves at once.
gate_backlog()
{
	aim d0 $(($1 + 1)) "$3"
	push later "$1" --frame-time "$2us" && await_base || return
	measure_burst d0 "$1" "liquid,~a~burst~and~its~frames" "$3" "$4"
}

# The same without a gate.
burst_without()
{
	aim d0 $(($1 + 1)) "$2"
	measure_burst d0 "$1" noqueue,~a~burst "$2" "$3"
}

backlogs()
{
	while read -r count frame_us burst seconds; do
		burst_without "$count" "$burst" "$seconds"
		attach --policy always --limit 200000 --limit-bytes 1G --dest-limit 200000 \
			--dest-limit-bytes 1G
		gate_backlog "$count" "$frame_us" "$burst" "$seconds"
		liquid-nl detach d0
	done <<-END
		64 1000 20020 1
		4096 1000 40970 5
		65535 100 65536 8
	END
}

gates()
{
	for count in 1 64 4096 65536; do
		measure d0 "$count" noqueue
		attach && gate_open "$count"
		liquid-nl detach d0
		attach && { gate_in_frame "$count" || echo "row d0 1 liquid,~in~its~frame~of~$count -"; }
		liquid-nl detach d0
	done
}

modprobe -a pktgen sch_fq sch_fq_codel sch_prio sch_taprio sch_htb cls_flower cls_bpf sch_ingress
ip link add d0 numtxqueues 1 type dummy
ip link add v0 numtxqueues 2 type veth peer name v1 numtxqueues 2
for device in d0 v0 v1; do
	ip link set $device up
done
insmod /liquid/liquid.ko || exit 1
while read -r part; do
	"$part"
done </liquid/rows

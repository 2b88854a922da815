#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The part of the bench in the guest. Prints rows for table.awk: "row DEVICE DESTINATIONS NAME NS",
# and those of measure_burst().
set -u

packets=20000
rounds=3
generator=/proc/net/pktgen

address()
{
	echo "10.9.$(($1 / 256)).$(($1 % 256))"
}

# Set up pktgen on device $1 for $3 packets to $2 destinations, one after the other.
aim()
{
	echo rem_device_all >$generator/kpktgend_0
	echo "add_device $1" >$generator/kpktgend_0
	for line in "count $3" "clone_skb 0" "pkt_size 60" "delay 0" "xmit_mode queue_xmit" \
		"tos ${tos:-00}" "src_min 10.8.0.1" "src_max 10.8.0.1" "dst_mac 02:00:00:00:00:99" \
		"dst_min $(address 0)" "dst_max $(address $(($2 - 1)))"; do
		echo "$line" >"$generator/$1"
	done
	[ -z "${ipv6:-}" ] || for line in "pkt_size 80" "src6 fd00::1" "dst6 $ipv6"; do
		echo "$line" >"$generator/$1"
	done
}

# Print the ns per packet of one run on device $1.
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

# Measure device $1 with $2 destinations, each of which gets a packet; $3: name of the row.
measure()
{
	shots=$packets
	[ "$2" -le $packets ] || shots=$2
	aim "$1" "$2" "$shots"
	echo "row $1 $2 $3 $(median_of_rounds "$1")"
}

# Measure with a root qdisc. $1, $2, $3 as in measure(), the rest: arguments of tc.
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
		tc filter add dev d0 parent 1: protocol ip prio 1 flower dst_ip \
			"$(address $((class - 1)))" \
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
	liquid-nl attach "$gated" --rate 10G --overhead 24 "$@"
}

# Push a schedule. $1: "own" or "later", $2: destinations, the rest: arguments of liquid-nl push
push()
{
	schedule=/liquid/$1-$2.json
	map=/liquid/$2.map
	shift 2
	base=$(($(date +%s%N) + 5000000000))
	liquid-nl push "$gated" --schedule "$schedule" --node s --addr-map "$map" \
		--tai-offset 0 --base-time $base "$@" >/dev/null || return
}

# Wait until the base time of the schedule that was pushed.
await_base()
{
	left=$((base - $(date +%s%N)))
	[ $left -le 0 ] || sleep "$((left / 1000000000)).$(printf %09d $((left % 1000000000)))"
}

# Print the number of packets that have left the root qdisc of device $1, if none was dropped or
# waits.
have_left()
{
	tc -s qdisc show dev "$1" root | tr '\n' ' ' |
		sed -n 's/.* \([0-9]*\) pkt (dropped 0,.* backlog 0b 0p .*/\1/p'
}

# Send $4 packets to $2 destinations on device $1, which must have left after $5 ms; $3: name of the
# row. Prints "burst DEVICE DESTINATIONS NAME SENDING-NS LEAVING-NS".
measure_burst()
{
	result=$(/liquid/burst "$1" "$2" "$4" 1500 "$5")
	left=$(have_left "$1")
	case $3 in
	noqueue*) ;;
	*) [ "${left:-0}" -ge "$4" ] || result= ;;
	esac
	echo "burst $1 $2 $3 ${result:-- -}"
}

# Without a schedule: destinations are looked up, and their queues are served round-robin.
gate_open()
{
	push own "$1" --frame-time 1ms && liquid-nl clear d0 &&
		measure d0 "$1" "liquid${by:-},~open"
}

# A schedule with $1 frames; all packets are for the destination of the current frame.
gate_in_frame()
{
	push own "$1" --frame-time 10s && await_base || return
	aim d0 1 $packets
	echo "row d0 1 liquid${by:-},~in~its~frame~of~$1 $(median_of_rounds d0)"
	liquid-nl clear d0
}

# A burst before the frames of all destinations; then the packets leave in their frames.
# $1: destinations, $2: length of a frame in us, $3: packets, $4: ms until all have left, $5: device
burst_gate()
{
	gated=${5:-d0}
	attach --limit 200000 --limit-bytes 1G --dest-limit 200000 --dest-limit-bytes 1G \
		--horizon 60s &&
		push later "$1" --frame-time "$2us" && await_base &&
		measure_burst "$gated" "$1" liquid "$3" "$4"
	liquid-nl detach "$gated"
	gated=d0
}

# fq delays all packets until the same launch time.
burst_fq()
{
	tc qdisc replace dev d0 root fq limit 200000 flow_limit 200000
	measure_burst d0 "$1" fq,~launch~times "$2" "$3"
	tc qdisc del dev d0 root
}

# All packets are sent in the 2 s before the frames.
# With one packet per frame there is time for a second cycle, because 6.12 is busy for milliseconds
# once or twice, and packets whose frames are then missed wait for the next cycle.
backlogs()
{
	while read -r count frame_us packets drain_ms; do
		measure_burst d0 "$count" noqueue "$packets" "$drain_ms"
		burst_fq "$count" "$packets" "$drain_ms"
		burst_gate "$count" "$frame_us" "$packets" "$drain_ms"
	done <<-END
		1 200000 20000 2400
		64 5000 20032 2600
		4096 1000 20480 6400
		65536 100 65536 17500
	END
}

gates()
{
	for count in 1 64 4096 65536; do
		measure d0 "$count" noqueue
		attach && gate_open "$count"
		liquid-nl detach d0
		attach && { gate_in_frame "$count" ||
			echo "row d0 1 liquid,~in~its~frame~of~$count -"; }
		liquid-nl detach d0
	done
}

# The same with a selector; the packets have its DSCP.
selected()
{
	measure d0 1 noqueue
	measure d0 64 noqueue
	tos=ac by=,~by~DSCP
	attach --select dscp=43 && gate_open 64
	liquid-nl detach d0
	attach --select dscp=43 && gate_in_frame 64
	liquid-nl detach d0
	tos='' by=''
}

# A backlog of a device with 1, 2 and 8 TX queues, by two sizes: the larger it is, the less each
# packet pays for the timers of children, which wait as long with few packets as with many. The
# first burst pays for the kernel's slabs.
queues()
{
	burst_gate 64 5000 40064 2600 >/dev/null
	for packets in 20032 40064; do
		for device in d0 d2 d8; do
			measure_burst $device 64 noqueue $packets 2600
			burst_gate 64 5000 $packets 2600 $device
		done
	done
}

# IPv6 takes the slow path.
ipv6()
{
	ipv6=fd00::9
	measure d0 1 noqueue,~IPv6
	by=,~IPv6
	attach && gate_open 1
	liquid-nl detach d0
	attach && gate_in_frame 1
	liquid-nl detach d0
	ipv6='' by=''
}

# Without a schedule, and skipped then
skipped()
{
	measure d0 64 noqueue
	attach --skip-open && by=,~skipped gate_open 64
	liquid-nl detach d0
}

# What selftests/host/library/gate-cost.sh guards, in little time
guarded()
{
	packets=5000
	rounds=3
	measure d0 64 noqueue
	attach && gate_open 64
	liquid-nl detach d0
	attach && gate_in_frame 64
	liquid-nl detach d0
	selected
	ipv6
	skipped
	# A burst is over in milliseconds, in which other work of the kernel adds a few per cent
	for _ in $(seq $rounds); do
		for device in d0 d2; do
			measure_burst $device 64 noqueue 20032 2600
			burst_gate 64 5000 20032 2600 $device
		done
	done
}

modprobe -a pktgen sch_fq sch_fq_codel sch_prio sch_taprio sch_htb cls_flower cls_bpf sch_ingress
ip link add d0 numtxqueues 1 type dummy
ip link add d2 numtxqueues 2 type dummy
ip link add d8 numtxqueues 8 type dummy
ip link add v0 numtxqueues 2 type veth peer name v1 numtxqueues 2
for device in d0 d2 d8 v0 v1; do
	ip link set $device up
done
insmod /liquid/liquid.ko || exit 1
gated=d0
while read -r part; do
	"$part"
done </liquid/rows

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A driver that takes its time: the gate measures how long until it has a run of packets, leaves out
# runs that the core has interrupted, counts packets as late that the driver gets after their frame,
# and says that the guard is too short. What is in flight after a frame is measured too.
# kernels: 5.10 6.1 6.1-rt newest 6.1-debug
# modes: icount
# timeout: 180
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/notify.sh
fabric_start
load ipv6 af_packet
FRAME=$((100 * MS))
GUARD=$((5 * MS))

# stall US: each packet takes the driver so much longer
stall()
{
	echo $(($1 * 1000)) >/sys/module/liquid_lab/parameters/stall_ns
}

on_a()
{
	in-ns a "$@"
}

count_of()
{
	on_a wire get a "$1"
}

# A new gate on a, told $1 bit/s; frames of $2 ns with a guard of $3 ns: all of them to b, or one to
# b, one to c, and two idle ones. Sets base.
gate_with()
{
	on_a wire del a 2>/dev/null
	need on_a wire add a rate_bps="$1" overhead=24
	base=$(($(now) + 20 * MS))
	entries="entry{run=1 dest=0} entry{run=1 dest=1} entry{run=2}"
	frames=4
	if [ "${4:-}" = all ]; then
		entries="entry{run=1 dest=0}"
		frames=1
	fi
	cat >"$TESTDIR/sched" <<-END
		dests | dest-set dests{dest{id=0 key{ipv4=10.9.0.2}} \
			dest{id=1 key{ipv4=10.9.0.3}}} | ok
		begin | begin sched{frame_ns=$2 guard_ns=$3 frames=$frames} | ok
		entries | entries entries{$entries} | ok
		commit | commit base_time=$base | ok
	END
	need sh -c "in-ns a wire script a <$TESTDIR/sched"
	clockset until $base
}

# exactly NAME VALUE OPERATOR VALUE: as compare, where instructions take the time that they should
exactly()
{
	if [ $DEBUG = 1 ]; then
		skip "$1" "a debug kernel is slow"
	else
		compare "$@"
	fi
}

# hist NAME: its buckets, "INDEX COUNT" a line
hist()
{
	on_a wire get a | sed -n "s/^times\.$1\.buckets_\([0-9]*\)=/\1 /p"
}

# total NAME [FIRST [LAST]]: how many times there are, in these buckets
total()
{
	hist "$1" | awk -v first="${2:-0}" -v last="${3:-12}" '
		$1 >= first && $1 <= last { count += $2 } END { print count + 0 }'
}

# flow COUNT: datagrams of 1,000 bytes to b, one in 100 us
flow()
{
	need blast udp --bytes $(($1 * 1000)) --rate 80000000 a@10.9.0.1 -- b@10.9.0.2
}

# late NAME N MS [PORT]: N packets more are late when a datagram has been sent to b, so long after
# the begin of a frame to b; by one run more
late()
{
	before=$(count_of stats.late)
	runs=$(total xmit)
	cycle=$((4 * FRAME))
	at=$(((($(now) - base) / cycle + 1) * cycle + base + $3 * MS))
	need blast udp --bytes 1000 --port "${4:-5000}" --at $at a@10.9.0.1 -- b@10.9.0.2
	compare "$1: one is measured" $(($(total xmit) - runs)) = 1
	compare "$1" $(($(count_of stats.late) - before)) = "$2"
}

cables a:s1 b:s1 c:s1 | fabric_file a,b,c s1

# ---- a ring that is full with each packet: the queue stops, and the core calls much later ----

fabric_up --rate 1G --ring 1
gate_with 1000000000 $MS 100000 all
flow 500
compare "a ring of one packet: the queue has stopped" "$(fabric_count ports a stops)" -ge 500
compare "a run that stops the queue is not measured" "$(total xmit)" = 0
on_a wire del a
fabric_down

# ---- how long it takes ----

fabric_up --rate 1G --ring 64
gate_with 1000000000 $MS 100000 all
flow 1000
hist xmit | sed 's/^/# xmit without a stall: 2^/'
compare "runs are measured" "$(total xmit)" -ge 100
compare "no run is measured twice" "$(total xmit)" -le 1000
exactly "the driver has them within 16 us" "$(total xmit 0 4)" = "$(total xmit)"
before=$(total xmit)
stall 70
flow 1000
hist xmit | sed 's/^/# xmit with 70 us: 2^/'
compare "a driver that takes 70 us: within 128 us, or 256 us for two packets" \
	"$(total xmit 7 8)" -ge 100
exactly "all runs take the driver that long" "$(total xmit 7 8)" = $(($(total xmit) - before))
on_a liquid-nl show a >"$TESTDIR/show"
sed -n 's/.*\(release lag .*\);.*/# \1/p' "$TESTDIR/show"
exactly "show prints it with the guard" "$(grep -Ec \
	"release lag p99.9 (128|256) us of guard 100 us, $(total xmit) runs" "$TESTDIR/show")" = 1

# The core stops after one packet, and goes on in a softirq.
weight=$(cat /proc/sys/net/core/dev_weight)
echo 1 >/proc/sys/net/core/dev_weight
before=$(total xmit)
flow 500
compare "a run after which the core stops is not measured" $(($(total xmit) - before)) = 0
echo "$weight" >/proc/sys/net/core/dev_weight
flow 100
compare "the next ones are" "$(total xmit)" -gt "$before"

# ---- late packets ----

# What IPv6 sends of itself would take the driver as long, and the processor from the sender.
for host in a b c; do
	need ip netns exec $host sh -c "echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6"
done
gate_with 1000000000 $FRAME $GUARD
stall 9500
cat >"$TESTDIR/rule" <<END
port 7000 is control | gate-set gate{bypass{rule{l4proto=17 port_min=7000}}} | ok
END
need sh -c "in-ns a wire script a <$TESTDIR/rule"
listen "$TESTDIR/events" a
late "what the driver gets after the frame is late" 1 92
compare "late at its destination too" "$(on_a wire dest a 0 stats.late)" = 1
sum=$(count_of times.late.sum_ns)
exactly "by less than the driver took" "$sum" -lt $((9500000 - GUARD))
late "what it gets in the frame is not" 0 60
late "a control packet need not leave in the frame" 0 92 7000
stall 0
late "a fast driver gets it in time" 0 92
told "late packets are reported" "$TESTDIR/events" ": late" 1

# ---- the guard is too short ----

load pktgen
GENERATOR=/proc/net/pktgen
mac=$(ip -n b link show b | sed -n 's/.*link\/ether \([^ ]*\) .*/\1/p')

# spaced COUNT: packets that are released one by one: one in 300 us, and none takes the short path
spaced()
{
	on_a sh -c "echo 'add_device a' >$GENERATOR/kpktgend_0"
	for line in "count $1" "delay 300000" "pkt_size 200" "xmit_mode queue_xmit" \
		"clone_skb 0" "src_min 10.9.0.1" "src_max 10.9.0.1" "dst_min 10.9.0.2" \
		"dst_max 10.9.0.2" "dst_mac $mac"; do
		on_a sh -c "echo '$line' >$GENERATOR/a"
	done
	on_a sh -c "echo start >$GENERATOR/pgctrl; echo rem_device_all >$GENERATOR/kpktgend_0"
}

# many_runs GUARD: 10,000 runs and some more, of 20 us and some more
many_runs()
{
	gate_with 1000000000 $MS "$1" all
	need on_a wire change a match_mark=1
	stall 20
	spaced 12000
	stall 0
	compare "with a guard of $1 ns: more than 10,000 runs" "$(total xmit)" -ge 10000
}

many_runs 10000
told "too many took longer than the guard: an event" "$TESTDIR/events" ": guard-short x" 1
many_runs 100000
exactly "a guard that suffices: no event" "$(lines "$TESTDIR/events" ": guard-short x")" = 1

# ---- push ----

# push_with ARG...: a schedule of the whole fabric
push_with()
{
	on_a liquid-nl push a --schedule "$TESTDIR/schedule" --node a --addr b=10.9.0.2 \
		--addr c=10.9.0.3 --frame-time 1ms --unit-rate 1G "$@" \
		>"$TESTDIR/push" 2>&1
}

# pushed NAME CODE TEXT ARG...: push ends with the code and says the text
pushed()
{
	name=$1
	code=$2
	text=$3
	shift 3
	push_with "$@"
	result=$?
	cp "$TESTDIR/push" "$LOG"
	echo "ended with $result" >>"$LOG"
	if [ $result = "$code" ] && grep -qF -- "$text" "$TESTDIR/push"; then
		ok "$name"
	else
		not_ok "$name"
	fi
}

# After many runs of more than 16 us
push_after_many()
{
	runs=$(total xmit)
	pushed "a guard that the release lag exceeds is refused" 1 \
		"10 us is shorter than the release lag: of $runs runs of packets, 1 in 1000" \
		--guard 10us
	pushed "with --force it is not" 0 "guard 10 us" --guard 10us --force
	pushed "a longer guard: what is stated is too short, says a warning" 0 \
		"had a release lag of more than 16 us, and 10 us is stated" --guard 40us --replace
	pushed "a release lag that is stated is none" 0 \
		"1 in 1000 of $runs runs took longer than 16 us" --release-lag 40us --replace
	compare "without a warning" "$(grep -c warning "$TESTDIR/push")" = 0
	pushed "JSON has it too" 0 "\"release_lag_above_ns\": 16000" --release-lag 40us --replace \
		--json
}

need liquid solve "$FABRIC" -o "$TESTDIR/schedule"
[ $DEBUG = 1 ] || push_after_many
gate_with 1000000000 $MS 100000 all
pushed "few runs: not measured" 0 "release lag: not measured" --guard 10us

# ---- what is in flight after a frame ----

if [ $DEBUG = 1 ]; then
	skip "nothing is in flight after frames" "a debug kernel is slower than the wire"
else
	gate_with 1000000000 $MS 100000
	need blast udp --bytes 1000000 --sndbuf 4000000 --limit 20 a@10.9.0.1 -- b@10.9.0.2 \
		c@10.9.0.3
	hist overrun | sed 's/^/# overrun at the true rate: 2^/'
	compare "frames that the gate has used were looked at" "$(total overrun)" -ge 5
	compare "nothing is in flight after them" "$(total overrun)" = "$(total overrun 0 0)"
fi
# The wire is slower than the gate is told: the ring is never empty in time.
gate_with 3000000000 $MS 10000
need blast udp --bytes 1000000 --sndbuf 4000000 --limit 20 a@10.9.0.1 -- b@10.9.0.2 c@10.9.0.3
hist overrun | sed 's/^/# overrun at a third: 2^/'
compare "a slower wire: the device still has packets" "$(total overrun 1)" -ge 3
on_a wire del a
fabric_down
fabric_finish

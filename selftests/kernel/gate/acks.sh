#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Bare acknowledgements of TCP wait for their destination's frames. A newer one replaces one that
# waits, if that loses nothing: each rule is tested on both of its sides.
# kernels: 5.10 6.1 6.1-rt newest 6.1-debug
# modes: icount
# timeout: 200
# cross: s390x
. /liquid/lib/guest.sh
start
make_pair
make_gate horizon_ms=0
KEYS="dest{id=0 key{ipv4=10.0.0.2} key{ipv6=fd00::2}}
	dest{id=1 key{ipv4=10.0.0.3} key{ipv6=fd00::3}}"
set_dests "$KEYS"

# Destination 0 has had its only frame, and destination 1 has none.
close_gate()
{
	need push +$((20 * MS)) "frame_ns=1000000 frames=2 cycles=1 then=1" "" 1:0 1:-
	sleep 0.1
	compare "the gate is closed" "$(gate state.mode)" = 2
}

sent=0
send()
{
	need in_ns lqa pkt lqva --dst 10.0.0.2 --dst fd00::2 "$@"
	sent=$((sent + 1))
}

# All in one message, which has them in this order
counters()
{
	gate state.qlen stats.control_packets stats.acks_thinned
}

# grows NAME "WAITING CONTROL THINNED" PKT-ARG...: by this many packets each
grows()
{
	name=$1
	wanted=$2
	shift 2
	before=$(counters)
	send "$@"
	sleep 0.01
	compare "$name" "$(differences "$before" "$(counters)")" = "$wanted"
}

# ---- where they go ----

grows "without a schedule one to a known destination does not bypass" "0 0 0" bare
grows "one to an unknown address does" "0 1 0" --dst 10.9.9.9 bare
close_gate
grows "one to a destination with frames waits" "1 0 0" bare
grows "so does one of IPv6" "1 0 0" bare6
grows "one to a destination without frames bypasses" "0 1 0" --dst 10.0.0.3 bare
grows "so does one of IPv6 to such a destination" "0 1 0" --dst fd00::3 bare6
grows "one to an unknown address bypasses" "0 1 0" --dst 10.9.9.9 bare
grows "SYN bypasses" "0 1 0" --flags 2 bare
grows "FIN waits" "1 0 0" --flags 1 bare
grows "RST waits" "1 0 0" --flags 4 bare
for kind in arp ptp ptp-event nd-ns lacp igmp bfd roce-ack; do
	grows "$kind bypasses" "0 1 0" $kind
done
need in_ns lqa wire change lqva acks=1
grows "acks bypass: one to a destination with frames bypasses" "0 1 0" --ack 900 bare
grows "acks bypass: so does one of IPv6" "0 1 0" --ack 900 bare6
need in_ns lqa wire change lqva acks=0

# ---- which a newer one replaces ----

port=10000

# fate NAME "OPTION..." "OPTION..." WANTED [KIND]: the first waits when the second comes, of a
# connection of their own
fate()
{
	port=$((port + 1))
	kind=${5:-bare}
	first=$(gate state.qlen)
	# shellcheck disable=SC2086
	send --port $port --ack 100 $2 $kind
	compare "$kind: $1: the first waits" "$(($(gate state.qlen) - first))" = 1
	# shellcheck disable=SC2086
	grows "$kind: $1" "$4" --port $port --ack 200 $3 $kind
}
GONE="0 0 1"
STAYS="1 0 0"

for kind in bare bare6; do
	fate "one that acknowledges more replaces the older one" "" "" "$GONE" $kind
	fate "with timestamps too" "--times 5" "--times 5" "$GONE" $kind
	fate "the numbers wrap" "--ack 4294967200" "--ack 5" "$GONE" $kind
	fate "a duplicate stays" "" "--ack 100" "$STAYS" $kind
	fate "an update of the window stays" "--window 1" "--ack 100 --window 2" "$STAYS" $kind
	fate "one that acknowledges less does not replace" "--ack 200" "--ack 199" "$STAYS" $kind
	fate "SACK stays" "--sack 300" "" "$STAYS" $kind
	fate "SACK does not replace" "" "--sack 300" "$STAYS" $kind
	fate "changed SACK stays" "--sack 300" "--sack 400" "$STAYS" $kind
	fate "SACK beside timestamps stays" "--times 5 --sack 300" "--times 5" "$STAYS" $kind
	fate "ECE stays" "--flags 64" "" "$STAYS" $kind
	fate "ECE does not replace" "" "--flags 64" "$STAYS" $kind
	fate "CWR stays" "--flags 128" "" "$STAYS" $kind
	fate "a reserved flag stays" "--flags 256" "" "$STAYS" $kind
	fate "FIN stays" "--flags 1" "" "$STAYS" $kind
	fate "FIN does not replace" "" "--flags 1" "$STAYS" $kind
	fate "RST does not replace" "" "--flags 4" "$STAYS" $kind
	fate "PSH stays" "--flags 8" "" "$STAYS" $kind
	fate "URG stays" "--flags 32" "" "$STAYS" $kind
	fate "an older timestamp does not replace" "--times 5" "--times 4" "$STAYS" $kind
	fate "timestamps are not lost" "--times 5" "" "$STAYS" $kind
	fate "data stays" "--tail 1" "" "$STAYS" $kind
	fate "data does not replace" "" "--tail 1" "$STAYS" $kind
	fate "after data were sent it stays" "" "--seq 1" "$STAYS" $kind
	fate "a probe stays" "--seq 1" "" "$STAYS" $kind
	fate "another traffic class stays" "--dscp 9" "" "$STAYS" $kind
	fate "a mark of congestion stays" "--ecn 3" "" "$STAYS" $kind
	fate "so does one of two" "--ecn 3" "--ecn 3" "$STAYS" $kind
	fate "another VLAN stays" "--vlan 5" "--vlan 6" "$STAYS" $kind
	fate "behind a VLAN tag it stays" "--vlan 5" "--vlan 5" "$STAYS" $kind
done
fate "a fragment stays" "" "" "$STAYS" bare-fragment

# between NAME WANTED COMMAND: which is run between the two
between()
{
	port=$((port + 1))
	mine=$port
	send --port $mine --ack 100 bare
	# shellcheck disable=SC2086
	need $3
	grows "$1" "$2" --port $mine --ack 200 bare
}
others()
{
	for _ in $(seq "$1"); do
		port=$((port + 1))
		send --port $port bare
	done
}
again()
{
	send --port $mine --ack "$@" bare
}
between "behind it are seven of other connections" "$GONE" "others 7"
between "behind it are eight: it is not found" "$STAYS" "others 8"
between "behind it is SACK of another connection: it is not found" "$STAYS" \
	"send --port 9000 --sack 9 bare"
between "data of its own connection were sent again" "$GONE" "again 100 --tail 1"
between "behind it is a duplicate: that one is replaced" "$GONE" "again 100"
between "behind it is a probe of its connection: it is not overtaken" "$STAYS" \
	"again 150 --seq 1"

# ---- every packet is accounted for ----

thinned=$(gate stats.acks_thinned)
tc_says()
{
	in_ns lqa tc -s qdisc show dev lqva root | tr '\n' ' '
}
compare "tc sees as many packets wait" "$(tc_says | sed 's/.* \([0-9]*\)p requeues.*/\1/')" = \
	"$(gate state.qlen)"
compare "the destination has all that wait" "$(in_ns lqa wire dest lqva 0 qlen)" = \
	"$(gate state.qlen)"
compare "and all bytes" "$(in_ns lqa wire dest lqva 0 backlog)" = "$(gate state.backlog)"
compare "what is thinned is reported" "$(in_ns lqa liquid-nl stats lqva |
	sed -n 's/^ *acks thinned: //p')" = "$thinned"
# Three of one connection, of which the last remains; then all leave, in order.
port=20000
for ack in 1 2 3; do
	send --port $port --ack $ack bare
done
send --port 20001 --ack 7 bare
tap_start "$TESTDIR/cap" 60 lqa:lqva
echo "clear | clear | ok" >"$TESTDIR/clear"
need in_ns lqa wire script lqva <"$TESTDIR/clear"
await sh -c '[ "$(in-ns lqa wire get lqva state.qlen)" = 0 ]'
tap_stop
# "PORT ACK" of the segments in a capture, whose records have 144 bytes
od -An -v -tu1 "$TESTDIR/cap" | awk '
	{ for (i = 1; i <= NF; i++) byte[n++ % 144] = $i }
	function word(at) { return byte[at] * 256 + byte[at + 1] }
	n % 144 == 0 && byte[24 + 12] == 8 {
		bare = word(40) == 20 + int(byte[70] / 16) * 4 && byte[71] % 8 == 0
		print word(58), word(66) * 65536 + word(68), bare ? "bare" : "data"
	}
' >"$TESTDIR/segments"
compare "the newest of a connection leaves, and none before it" \
	"$(grep '^20000 ' "$TESTDIR/segments" | tr '\n' ' ')" = "20000 3 bare "
compare "its place is that of the first" \
	"$(grep bare "$TESTDIR/segments" | tail -n 2 | tr '\n' ' ')" = "20000 3 bare 20001 7 bare "
compare "acknowledgements leave before data" \
	"$(cut -d' ' -f3 "$TESTDIR/segments" | uniq | tr '\n' ' ')" = "bare data "
compare "two more were thinned" "$(gate stats.acks_thinned)" = $((thinned + 2))
compare "nothing is left in the queues" "$(gate state.qlen) $(gate state.backlog)" = "0 0"
check "nor for tc, which saw no drop" sh -c "echo '$(tc_says)' |
	grep 'dropped 0, .*backlog 0b 0p'"
compare "every packet sent was released or thinned" \
	$(($(gate stats.packets) + $(gate stats.acks_thinned))) = $sent

# Before a large packet that was cut, of which 15 of 20 segments have left
FRAME=$((2 * MS))
CYCLE=$((3000 * FRAME))		# a debug kernel takes seconds for a few commands
need in_ns lqa wire del lqva
make_gate horizon_ms=0
make_dests 1
base=$(($(now) + CYCLE / 2))
need push $base "frame_ns=$FRAME guard_ns=50000 frames=3000" "" 1:0 2999:-
clockset until $((base + CYCLE / 2))
need in_ns lqa gso lqva --dst 10.0.0.2 --segs 20
clockset until $((base + CYCLE + CYCLE / 4))
compare "a large packet was cut" "$(gate stats.splits)" = 1
waiting=$(gate state.qlen)
compare "a part of it has left" $((waiting > 0 && waiting < 20)) = 1
send --port 30000 --ack 1 bare
grows "before the rest of it, one is replaced" "$GONE" --port 30000 --ack 2 bare
# A debug kernel releases four of it in a frame.
clockset until $((base + (3 + 13 * DEBUG) * CYCLE))
compare "the rest leaves, and the newer one" "$(gate state.qlen) $(gate stats.packets)" = "0 21"

# ---- a destination that loses its frames while they wait ----

# loses NAME POLICY CONTROL WANTED: "WAITING CONTROL UNSCHEDULED DROPPED" behind one and data
loses()
{
	need in_ns lqa wire del lqva
	make_gate horizon_ms=0 "policy=$2"
	set_dests "$KEYS"
	close_gate
	send --port 40000 bare
	send --port 40001 bare
	send --port 40002 --tail 1 bare
	compare "three wait" "$(gate state.qlen)" = 3
	need in_ns lqa wire change lqva "control=$3"
	need push +$MS "frame_ns=1000000 frames=2" "" 1:1 1:-
	sleep 0.1
	compare "$1" "$(gate state.qlen) $(gate stats.control_packets) \
$(gate stats.unsched_packets) $(gate stats.drop_policy)" = "$4"
}
loses "they bypass, and data is unscheduled" 0 20 "0 2 1 0"
loses "also where data is dropped" 3 20 "0 2 0 1"
loses "without control packets they are unscheduled" 0 0 "0 0 3 0"

# ---- connections, whose data come and whose acknowledgements go ----

need in_ns lqa wire del lqva
make_gate
make_dests 2
FRAME=$((5 * MS * SCALE))
need push +$MS "frame_ns=$FRAME guard_ns=$((FRAME / 5)) frames=4" "" 1:0 1:1 2:-
sleep 0.1
plan "$TESTDIR/plan"
tap_start "$TESTDIR/cap" 60 lqa:lqva
check "streams arrive whose acknowledgements wait for frames" blast tcp --bytes 300000 \
	lqb@10.0.0.2 lqb@10.0.0.3 -- lqa@10.0.0.1
tap_stop
judge_capture "all acknowledgements are in their frames" "$TESTDIR/cap" --plan 0 "$TESTDIR/plan"
compare "some were thinned" "$(gate stats.acks_thinned)" -gt 0
compare "only what opens connections was a control packet" "$(gate stats.control_packets)" -le 4
compare "no acknowledgement was dropped" "$(($(gate stats.drop_limit) +
	$(gate stats.drop_total_limit) + $(gate stats.drop_horizon)))" = 0
finish

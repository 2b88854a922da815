#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A packet that finds the gate empty passes by a shorter way. It is recognised, counted and gated
# there as by the longer one, and every change of the gate ends it.
# modes: icount
# timeout: 120
# cross: i386 s390x
. /liquid/lib/guest.sh
. /liquid/lib/trace.sh
start
make_pair
make_gate
make_dests 3

send()
{
	in_ns lqa pkt lqva "$@"
}

dest()
{
	in_ns lqa wire dest lqva "$@"
}

# grows NAME COUNTER BY COMMAND...: COUNTER of the gate grows by that
grows()
{
	name=$1
	counter=$2
	by=$3
	shift 3
	was=$(gate "$counter")
	"$@"
	compare "$name" $(($(gate "$counter") - was)) = "$by"
}

# One that goes the longer way lets those behind it pass.
send --dst 10.0.0.2 udp
trace_start liquid/liquid_enqueue liquid/liquid_dequeue
packets=$(dest 0 stats.packets)
bytes=$(gate stats.bytes)
send --count 20 --dst 10.0.0.2 udp
trace_stop "$TESTDIR/trace"
compare "those that pass are counted" $(($(dest 0 stats.packets) - packets)) = 20
compare "packets that pass are counted with their bytes" \
	$(($(gate stats.bytes) - bytes)) = $((20 * 142))
compare "packets that pass are traced on the way in" \
	"$(grep -c 'liquid_enqueue.*dest=0' "$TESTDIR/trace")" = 20
compare "packets that pass are traced on the way out" \
	"$(grep -c 'liquid_dequeue.*dest=0' "$TESTDIR/trace")" = 20
compare "tc counts them too" "$(in_ns lqa tc -s qdisc show dev lqva |
	sed -n 's/.* \([0-9]*\) pkt .*/\1/p' | head -n 1)" = "$(gate stats.packets)"

# change OPTION...: of a gate that lets packets pass
change()
{
	send --count 2 --dst 10.0.0.2 udp
	need in_ns lqa wire change lqva "$@"
}

# told_apart SELECTOR: what is control, a fragment or nonsense is distinguished also behind packets
# that pass, whether there is no selector or one that names all of them
told_apart()
{
	for kind in syn syn-ack ptp-event ptp-general dhcp-server dhcp-client roce-ack \
		roce-cnp arp \
		first-fragment; do
		send --dst 10.0.0.2 udp
		grows "$1: $kind is control" stats.control_packets 3 \
			send --count 3 --dst 10.0.0.2 "$kind"
	done
	# What is remembered of the packet before, here of TCP, does not hide a port.
	for kind in ptp-event ptp-general dhcp-server dhcp-client roce-ack roce-cnp; do
		grows "$1: $kind is control behind each packet of TCP" stats.control_packets 3 \
			send --dst 10.0.0.2 data "$kind" data "$kind" data "$kind"
	done
	for kind in ack fin rst data udp roce-send fragment ihl-15; do
		send --dst 10.0.0.2 udp
		before=$(dest 0 stats.packets)
		grows "$1: $kind is not control" stats.control_packets 0 send --count 3 \
			--dst 10.0.0.2 "$kind"
		compare "$1: $kind is of its destination" $(($(dest 0 stats.packets) - before)) = 3
	done
	for kind in ip-19 ip-1; do
		send --dst 10.0.0.2 udp
		grows "$1: $kind is unscheduled" stats.unsched_packets 3 \
			send --count 3 --dst 10.0.0.2 "$kind"
	done
	send --dst 10.0.0.2 udp
	grows "$1: an unknown address is unscheduled" stats.unsched_packets 3 \
		send --count 3 --dst 10.9.9.9 udp
}

told_apart all
change select=2 select_dscp=0
told_apart "by DSCP"
change select=1 select_mark=0 select_mask=0
told_apart "by mark"
change select=0 select_mask=4294967295

# Every option that has a say in what a packet is, or whether it is taken
change dest_limit_bytes=100
grows "a limit of bytes that is too small" stats.drop_limit 3 send --count 3 --dst 10.0.0.2 udp
change dest_limit_bytes=100000 limit_bytes=100
grows "a limit of the gate's bytes that is too small" stats.drop_total_limit 3 send --count 3 \
	--dst 10.0.0.2 udp
change limit_bytes=1000000 select=1 select_mark=5 select_mask=7
grows "a selector" stats.unsched_packets 3 send --count 3 --dst 10.0.0.2 udp
change select=2 select_dscp=9
grows "a selector by DSCP" stats.unsched_packets 3 send --count 3 --dst 10.0.0.2 udp
before=$(dest 0 stats.packets)
unscheduled=$(gate stats.unsched_packets)
for _ in 1 2 3 4 5; do
	send --dscp 9 --dst 10.0.0.2 udp
	send --dscp 8 --dst 10.0.0.2 udp
done
compare "a packet selected by DSCP lets no other pass" \
	"$(($(dest 0 stats.packets) - before)) $(($(gate stats.unsched_packets) - unscheduled))" = \
	"5 5"
echo "rule | gate-set gate{select=3 select_rule{l4proto=17 port_min=4001}} | ok" >"$TESTDIR/rule"
need in_ns lqa wire script lqva <"$TESTDIR/rule"
before=$(dest 0 stats.packets)
unscheduled=$(gate stats.unsched_packets)
for _ in 1 2 3 4 5; do
	send --dst 10.0.0.2 udp
	send --dst 10.0.0.2 roce-send
	send --dst 10.0.0.2 data
done
compare "a packet selected by its port lets no other pass" \
	"$(($(dest 0 stats.packets) - before)) $(($(gate stats.unsched_packets) - unscheduled))" = \
	"5 10"
change select=0
grows "without a selector they pass again" stats.unsched_packets 0 send --count 3 --dst 10.0.0.2 udp
echo "rule | gate-set gate{bypass{rule{l4proto=17 port_min=4001}}} | ok" >"$TESTDIR/rule"
need in_ns lqa wire script lqva <"$TESTDIR/rule"
grows "a rule of the bypass" stats.control_packets 3 send --count 3 --dst 10.0.0.2 udp

# Those that pass are in no queue, and so in no bucket of the times that packets waited.
queued()
{
	gate | awk -F = '/^times\.wait\.bucket/ { sum += $2 } END { print sum + 0 }'
}

# ruled NAME RULE WHAT KIND...: under RULE packets of each KIND pass, wait (in a queue, if for no
# time), or are control packets
ruled()
{
	name=$1
	echo "rule | gate-set gate{bypass{$2}} | ok" >"$TESTDIR/rule"
	need in_ns lqa wire script lqva <"$TESTDIR/rule"
	wanted=$3
	shift 3
	for kind; do
		packets=$(dest 0 stats.packets)
		control=$(gate stats.control_packets)
		waited=$(queued)
		send --count 20 --dst 10.0.0.2 "$kind"
		control=$(($(gate stats.control_packets) - control))
		packets=$(($(dest 0 stats.packets) - packets))
		waited=$(($(queued) - waited))
		case "$packets $control $waited" in
		"20 0 1") got=pass ;;	# the first lets the others pass
		"20 0 20") got=wait ;;
		"0 20 20") got=control ;;
		*) got="$packets $control $waited" ;;
		esac
		compare "$name: $kind" "$got" = "$wanted"
	done
}

ruled "no rule" "" pass udp data
ruled "a rule for another ethertype" "rule{ethertype=34997}" pass udp data
ruled "a rule for IPv4" "rule{ethertype=2048}" control udp data
ruled "a rule for other protocols" "rule{l4proto=1} rule{l4proto=132 port_min=4001}" pass udp data
ruled "a rule for other ports" \
	"rule{l4proto=17 port_min=4002 port_max=5000} rule{l4proto=6 port_min=4000}" pass udp data
ruled "a rule for a port of UDP" "rule{l4proto=17 port_min=4001}" control udp
ruled "a rule for a port of UDP" "rule{l4proto=17 port_min=4001}" pass data
ruled "a rule for a port of TCP" "rule{l4proto=6 port_min=3000 port_max=4001}" pass udp
ruled "a rule for a port of TCP" "rule{l4proto=6 port_min=3000 port_max=4001}" control data
ruled "a rule for all of UDP" "rule{l4proto=17}" control udp
ruled "a rule for all of TCP" "rule{l4proto=6}" control data
ruled "rules, of which the last matches" \
	"rule{l4proto=17 port_min=9} rule{l4proto=17 port_min=4001}" control udp
ruled "and then none" "" pass udp data near-bfd
ruled "no rule, a port of the bypass" "" control bfd bfd-echo bfd-multihop bfd-lag ptp-event \
	ptp-general \
	dhcp-server dhcp-client roce-ack roce-atomic-ack roce-cnp
ruled "no rule, data to a port of the bypass" "" wait long-bfd long-bfd-lag roce-send
need in_ns lqa wire del lqva
make_gate
make_dests 3
send --count 2 --dst 10.0.0.2 udp
set_dests "dest{id=3 key{ipv4=10.0.0.9}}"
before=$(dest 3 stats.packets)
send --count 2 --dst 10.0.0.9 udp
compare "a new destination" $(($(dest 3 stats.packets) - before)) = 2

# Frames in which programs can start: packets pass in that of their destination, and in no other.
FRAME=$((100 * MS * SCALE * (1 + 4 * DEBUG)))
case ${LIQUID_KERNEL:-} in
*-rt | *-s390x) FRAME=$((4 * FRAME)) ;;	# programs take longer to start
esac
# frames NAME DSCP: of packets with that
frames()
{
	send --count 2 --dscp "$2" --dst 10.0.0.2 udp
	base=$(($(now) + FRAME / 2))
	need push $base "frame_ns=$FRAME guard_ns=$((FRAME / 4)) frames=4" "" 1:0 1:1 1:2 1:-
	clockset until $((base + FRAME / 2))
	plan "$TESTDIR/plan"
	tap_start "$TESTDIR/cap" 60 lqa:lqva
	cycle=$((FRAME * 4))
	start=$((base + ($(now) - base) / cycle * cycle + cycle))
	clockset until $((start + FRAME / 10))
	before=$(dest 0 stats.packets)
	send --count 50 --dscp "$2" --dst 10.0.0.2 udp
	compare "$1: in its frame each leaves at once" $(($(dest 0 stats.packets) - before)) = 50
	compare "$1: none waits" "$(gate state.qlen)" = 0
	send --count 5 --dscp "$2" --dst 10.0.0.3 udp
	compare "$1: another destination's wait" "$(gate state.qlen)" = 5
	clockset until $((start + FRAME - FRAME / 5))
	send --count 5 --dscp "$2" --dst 10.0.0.2 udp
	compare "$1: in the guard all wait" "$(gate state.qlen)" = 10
	clockset until $((start + FRAME + FRAME / 2))
	compare "$1: the other's have left in their frame" "$(gate state.qlen)" = 5
	# So many in a row that they pass until the guard begins, each because the one before did.
	clockset until $((start + cycle + FRAME - FRAME / 4 - 5 * MS))
	send --count 600 --dscp "$2" --dst 10.0.0.2 udp
	compare "$1: those that pass do so until the guard" "$(gate state.qlen)" -gt 5
	for _ in 1 2 3 4 5 6 7 8; do
		for host in 2 3 4; do
			send --count 40 --dscp "$2" --dst 10.0.0.$host udp
		done
		sleep 0.03
	done
	clockset until $(($(now) + cycle + FRAME))
	tap_stop
	judge_capture "$1: all that passed or waited left in its frames" "$TESTDIR/cap" --plan 0 \
		"$TESTDIR/plan"
	compare "$1: none is late" "$(gate stats.late)" = 0
	compare "$1: no queue is left with packets" "$(gate state.qlen)" = 0
}

frames all 0
echo "clear | clear | ok" >"$TESTDIR/clear"
need in_ns lqa wire script lqva <"$TESTDIR/clear"
change select=2 select_dscp=9
frames "by DSCP" 9
# In its frame one with another DSCP does not pass behind those that do.
clockset until $((base + ($(now) - base) / cycle * cycle + cycle + FRAME / 10))
send --count 3 --dscp 9 --dst 10.0.0.2 udp
before=$(dest 0 stats.packets)
unscheduled=$(gate stats.unsched_packets)
send --count 3 --dscp 8 --dst 10.0.0.2 udp
send --count 3 --dscp 9 --dst 10.0.0.2 udp
sleep 0.5
compare "by DSCP: in a frame another does not pass" \
	"$(($(dest 0 stats.packets) - before)) $(($(gate stats.unsched_packets) - unscheduled))" = \
	"3 3"
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A selector gates what it names, and nothing else: by mark, DSCP, or protocol and ports.
# runs: 6.1-icount
# modes: icount
# timeout: 200
# cross: i386 s390x
. /liquid/lib/guest.sh
start
make_pair
KEYS="dest{id=0 key{ipv4=10.0.0.2} key{ipv6=fd00::2}
	key{ether=020000000002}}"

send()
{
	in_ns lqa pkt lqva --dst 10.0.0.2 --dst fd00::2 --count 3 "$@"
	sleep 0.02
}

# selector "OPTIONS"
selector()
{
	need in_ns lqa wire script lqva <<-END
	selector | gate-set gate{$1} | ok
	END
}

# ---- a closed gate: what is selected waits, what is not passes, control packets do always ----

make_gate policy=2 horizon_ms=0
set_dests "$KEYS"
need push +$((20 * MS)) "frame_ns=1000000 frames=1 cycles=1 then=1" "" 1:0
sleep 0.1
compare "the gate is closed" "$(gate state.mode)" = 2

# What waits for destination 0, and for no other; and what has passed, in one message
counters()
{
	in_ns lqa wire dest lqva 0 qlen
	gate stats.control_packets stats.unsched_packets
}

# grows WAITING CONTROL UNSCHEDULED PKT-ARG...: by this many packets each
grows()
{
	wanted="$1 $2 $3"
	shift 3
	before=$(counters)
	send "$@"
	compare "$what: $*" "$(differences "$before" "$(counters)")" = "$wanted"
}
waits() { grows 3 0 0 "$@"; }
passes() { grows 0 0 3 "$@"; }
bypasses() { grows 0 3 0 "$@"; }

# What keeps a network alive bypasses the gate whether or not it is selected.
alive()
{
	for kind in arp ptp ptp-event nd-ns syn roce-ack; do
		bypasses "$@" $kind
	done
}

what="select all"
waits udp
waits data6
waits ack
waits ack6
alive

what="select mark=0x100/0xff00"
selector "select=1 select_mark=256 select_mask=65280"
waits --mark 0x101 udp
waits --mark 0x101 ack
bypasses ack
bypasses ack6
waits --mark 0x1f00100 udp6
passes --mark 0x201 udp
passes udp
alive --mark 0x101

what="select dscp=43"
selector "select=2 select_dscp=43"
waits --dscp 43 udp
waits --dscp 43 data
waits --dscp 43 udp6
waits --dscp 43 data6
waits --dscp 43 --vlan 5 udp
waits --dscp 43 --vlan 5 udp6
waits --dscp 43 options
waits --dscp 43 fragment
waits --dscp 43 first-fragment6
waits --dscp 43 fragment6
for ecn in 1 2 3; do
	waits --dscp 43 --ecn $ecn udp
	waits --dscp 43 --ecn $ecn udp6
done
passes udp
passes udp6
passes --dscp 42 udp
passes --dscp 44 udp6
passes --dscp 11 udp6
passes --dscp 42 --ecn 3 udp
passes --dscp 44 --vlan 5 udp
passes --dscp 43 ip-19
passes --dscp 43 ip6-39
passes --dscp 43 ihl-4
passes --dscp 43 unknown
alive --dscp 43
alive --dscp 10

what="select dscp=0"
selector "select=2 select_dscp=0"
waits udp
waits udp6
passes --dscp 1 udp
passes unknown
passes ip-1
alive

# pkt sends from port 4000 to 4001.
what="select tcp"
selector "select=3 select_rule{l4proto=6}"
waits data
waits data6
waits fin
passes udp
passes fragment
alive

what="select udp"
selector "select=3 select_rule{l4proto=17}"
waits udp
waits udp6
waits roce-send
waits fragment
waits fragment6
waits first-fragment6
passes data
alive

what="select tcp=4001"
selector "select=3 select_rule{l4proto=6 port_min=4001}"
waits data
waits --vlan 5 data6
passes udp
alive

what="select tcp=3000-4000"
selector "select=3 select_rule{l4proto=6 port_min=3000 port_max=4000}"
waits data
waits data6
alive

what="select tcp=4002-4010"
selector "select=3 select_rule{l4proto=6 port_min=4002 port_max=4010}"
passes data
passes data6

what="select udp=4001"
selector "select=3 select_rule{l4proto=17 port_min=4001}"
waits udp
waits options
waits first-fragment6
passes fragment6
passes fragment
passes data
passes ip-33
alive

what="select udp=319"
selector "select=3 select_rule{l4proto=17 port_min=319}"
passes udp
passes fragment
bypasses ptp-event

what="select proto=58"
selector "select=3 select_rule{l4proto=58}"
waits ping6
passes udp6
bypasses nd-ns

what="select ethertype=0x88b5"
selector "select=3 select_rule{ethertype=0x88b5}"
waits unknown
waits --vlan 5 unknown
passes near-lldp
bypasses lldp
passes udp
alive

# A rule of the bypass goes before the selector.
what="select udp, bypass udp=4001"
selector "select=3 select_rule{l4proto=17} bypass{rule{l4proto=17 port_min=4001}}"
bypasses udp
waits roce-send
selector "bypass{}"

# Headers beyond the linear part, and packets that are yet to be cut
need ip -n lqb link set lqvb mtu 9000
need ip -n lqa link set lqva mtu 9000
what="linear"
for linear in 14 33 34 36; do
	selector "select=2 select_dscp=43"
	waits --linear $linear --dscp 43 jumbo
	passes --linear $linear --dscp 42 jumbo
	selector "select=3 select_rule{l4proto=17 port_min=4001}"
	waits --linear $linear jumbo
	selector "select=3 select_rule{l4proto=17 port_min=4002}"
	passes --linear $linear jumbo
done
# gso LABEL WAITING: large packets of TCP to port 4001, DSCP 0
large()
{
	before=$(in_ns lqa wire dest lqva 0 qlen)
	in_ns lqa gso lqva --dst 10.0.0.2 --count 2 --segs 4
	sleep 0.02
	compare "large packets, $1" $(($(in_ns lqa wire dest lqva 0 qlen) - before)) = "$2"
}
selector "select=2 select_dscp=0"
large "select dscp=0" 2
selector "select=2 select_dscp=1"
large "select dscp=1" 0
selector "select=3 select_rule{l4proto=6 port_min=4001}"
large "select tcp=4001" 2
selector "select=3 select_rule{l4proto=6 port_min=4002}"
large "select tcp=4002" 0

# ---- what a user can set: the DSCP, not the mark ----

need in_ns lqa wire del lqva
add_ipv6
make_gate select=2 select_dscp=43 horizon_ms=0
set_dests "$KEYS"
FRAME=$((4 * MS))
need push +$MS "frame_ns=$FRAME guard_ns=$((FRAME / 20)) frames=4" "" 1:0 3:-
sleep 0.1
refuse "a user cannot set a mark" blast udp --user 65534 --mark 1 --bytes 1000 lqa@10.0.0.1 \
	-- lqb@10.0.0.2
# Told by the refusal, and not by something else that went wrong
cp "$LOG" "$TESTDIR/said"
check "a mark is refused for want of a privilege" grep -q "mark: Operation not permitted" \
	"$TESTDIR/said"

# What multicast reports and the like may be besides
NOISE=2000

# Bytes that were scheduled, and that were not, since the last time: sets both.
told()
{
	scheduled=$(($(in_ns lqa wire dest lqva 0 stats.bytes) - ${scheduled_then:-0}))
	unscheduled=$(($(gate stats.unsched_bytes) - ${unscheduled_then:-0}))
	scheduled_then=$((${scheduled_then:-0} + scheduled))
	unscheduled_then=$((${unscheduled_then:-0} + unscheduled))
}

# marked FLOW BLAST-ARG...: a user's own sockets with IP_TOS or IPV6_TCLASS
marked()
{
	flow=$1
	shift
	plan "$TESTDIR/plan"
	tap_start "$TESTDIR/cap" 60 lqa:lqva
	told
	check "$flow, marked by a user: all arrives" blast "$@" --user 65534 --tos $((43 << 2)) \
		--bytes 100000
	tap_stop
	told
	compare "$flow: its data is scheduled" $scheduled -ge 100000
	compare "$flow: none of it is not" $unscheduled -le $NOISE
	judge_capture "$flow: it is in its frames" "$TESTDIR/cap" --plan 0 "$TESTDIR/plan"
}

# unmarked FLOW BLAST-ARG...: the same without
unmarked()
{
	flow=$1
	shift
	told
	check "$flow, not marked: all arrives" blast "$@" --bytes 100000
	told
	compare "$flow: none is scheduled" $scheduled = 0
	compare "$flow: its data is not" $unscheduled -ge 100000
}

for pair in "lqa@10.0.0.1 -- lqb@10.0.0.2" "lqa@fd00::1 -- lqb@fd00::2"; do
	for kind in udp tcp; do
		# shellcheck disable=SC2086
		marked "$kind ${pair#*-- lqb@}" $kind $pair
		# shellcheck disable=SC2086
		unmarked "$kind ${pair#*-- lqb@}" $kind $pair
	done
done

# ---- the selector changes under traffic: all that waits goes the way that it was sorted ----

# Beside a debug kernel five changes take as long as 6 MB.
background "$TESTDIR/stream" blast tcp --tos $((43 << 2)) --bytes $((3000000 * (1 + 5 * DEBUG))) \
	--limit 90 lqa@10.0.0.1 -- lqb@10.0.0.2 lqb@10.0.0.3
stream=$pid
changes=0
while kill -0 "$stream" 2>/dev/null && [ $changes -lt 60 ]; do
	selector "select=0"
	selector "select=2 select_dscp=42"
	selector "select=2 select_dscp=43"
	selector "select=3 select_rule{l4proto=6 port_min=5000}"
	selector "select=1 select_mark=1 select_mask=255"
	changes=$((changes + 1))
	sleep 0.02
done
compare "the selector was changed under traffic" $changes -ge $((10 - 8 * DEBUG))
selector "select=2 select_dscp=43"
wait "$stream"
compare "its streams are whole" $? = 0
cp "$TESTDIR/stream" "$LOG"
# The last acknowledgements wait for their frame.
drained()
{
	[ "$(gate state.qlen)" = 0 ]
}
check "no queue is left with packets" await drained
compare "no packet was dropped by a limit" "$(($(gate stats.drop_limit) +
	$(gate stats.drop_total_limit) + $(gate stats.drop_policy)))" = 0
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A gate comes with its qdisc, takes options, shows itself and goes without a trace.
# runs: 6.1-icount 6.12-icount 5.10-icount newest-icount
# timeout: 60
. /liquid/lib/guest.sh
start

make_pair

in_ns lqa wire get lqva >"$LOG" 2>&1
compare "a device without a gate is not shown" $? -ne 0
need ip -n lqa link add lqdummy type dummy
table lqa lqdummy <<'END'
trap 13: a device that reports no rate must be given one | add | EOPNOTSUPP | set a rate
a rate can be given to it | add rate_bps=1000000 | ok
it goes | del | ok
END
check "stock tc attaches a gate without options where the device reports its rate" \
	in_ns lqa tc qdisc add dev lqva root liquid
check "the rate is the one that the device reports" test "$(gate state.link_rate_bps)" = 10000000000
in_ns lqa tc qdisc show dev lqva >"$TESTDIR/tc" 2>&1
check "trap 21: stock tc shows the gate without confusion" grep -q "^qdisc liquid" "$TESTDIR/tc"
refuse "trap 21: and complains of no options" grep -qi unknown "$TESTDIR/tc"
compare "a dump of the qdisc leaves out what no one has set" \
	"$(in_ns lqa wire options lqva | wc -l)" = 0
check "tc -s reads its statistics" in_ns lqa tc -s qdisc show dev lqva
refuse "a second gate is refused" in_ns lqa wire add lqva rate_bps=1000000
check "the first is untouched by that" test "$(gate gate.rate_bps)" != 1000000
check "detach" in_ns lqa wire del lqva
refuse "a second detach is refused" in_ns lqa wire del lqva

# Options: what is set is what is read; what is not named stays.
table lqa lqva <<END
attach with options | \
	add rate_bps=100000000 overhead=24 mpu=84 ahead_ns=50000 limit_packets=500 \
	limit_bytes=700000 dest_limit_packets=50 dest_limit_bytes=60000 horizon_ms=900 policy=2 \
	reserve=70 control=30 match_mark=1 acks=1 skip_open=1 | ok
change one of them by the qdisc | change horizon_ms=800 | ok
change another by the family | gate-set gate{control=31} | ok
rules of the bypass | \
	gate-set gate{bypass{rule{ethertype=35020} \
		rule{l4proto=17 port_min=4000 port_max=4010}}} | ok
a selector by rule | gate-set gate{select=3 select_rule{l4proto=6 port_min=5000 port_max=5100}} | ok
a selector by DSCP | gate-set gate{select=2 select_dscp=46} | ok
a selector by mark | gate-set gate{select=1 select_mark=5 select_mask=7} | ok
END
for line in rate_bps=100000000 overhead=24 mpu=84 ahead_ns=50000 limit_packets=500 \
	limit_bytes=700000 dest_limit_packets=50 dest_limit_bytes=60000 horizon_ms=800 policy=2 \
	reserve=70 control=31 match_mark=1 acks=1 skip_open=1 select=1 select_mark=5 select_mask=7 \
	select_dscp=46 select_rule.l4proto=6 \
	select_rule.port_min=5000 select_rule.port_max=5100; do
	compare "${line%=*} reads back" "$(gate "gate.${line%=*}")" = "${line#*=}"
done
# What the qdisc says of its options is what it takes.
gate | grep '^gate\.' >"$TESTDIR/before"
in_ns lqa wire options lqva >"$TESTDIR/options" 2>&1
check "a dump of the qdisc has all options" cmp "$TESTDIR/before" "$TESTDIR/options"
gate >"$TESTDIR/all"
compare "the two rules read back" \
	"$(grep -c 'gate.bypass.rule.\(ethertype\|l4proto\)=' "$TESTDIR/all")" = 2
table lqa lqva <<'END'
an overhead may be negative | gate-set gate{overhead=-14} | ok
END
compare "a negative overhead reads back" "$(gate gate.overhead)" = -14
compare "an idle gate is open" "$(gate state.mode)" = 0
compare "the kernel's TAI offset is reported" "$(gate state.tai_offset)" = 37
refuse "the module cannot be unloaded while a gate stands" rmmod "$MODULE"
check "detach with options set" in_ns lqa wire del lqva

# Who has saved the dump of a qdisc can make it again from that alone.
tree=$(awk -F '[.=]' '
	$2 == "bypass" && ($4 == "ethertype" ||
		$4 == "l4proto") { rules = rules (rules ? "} " : "") "rule{" }
	$2 == "bypass" { rules = rules $4 "=" $5 " "; next }
	$2 == "select_rule" { selector = selector $3 "=" $4 " "; next }
	{ printf "%s=%s ", $2, $3 }
	END { printf "select_rule{%s} bypass{%s}}", selector, rules }' "$TESTDIR/options")
echo "attach with what was dumped | add $tree | ok" >"$TESTDIR/again"
results in_ns lqa wire script lqva <"$TESTDIR/again"
in_ns lqa wire options lqva >"$TESTDIR/options-again" 2>&1
check "the new gate dumps the same" cmp "$TESTDIR/options" "$TESTDIR/options-again"
need in_ns lqa wire del lqva

in_ns lqa tc qdisc add dev lqva root handle 1: prio >"$LOG" 2>&1
refuse "a gate below another qdisc is refused" in_ns lqa tc qdisc add dev lqva parent 1:1 liquid
in_ns lqa tc qdisc del dev lqva root 2>/dev/null

# The core makes default qdiscs without a handle: tc could not delete such a gate. On several TX
# queues it puts them below mq, where no gate can be. So both kinds of devices get none.
# default_gate USUAL [TAP-OPTION]: USUAL can be there instead
default_gate()
{
	# shellcheck disable=SC2086 # an option or none
	need ip -n lqa tuntap add lqtap mode tap $2
	echo liquid >$DEFAULT
	ip -n lqa link set lqtap up
	qdisc=$(in_ns lqa tc qdisc show dev lqtap | sed -n 's/^qdisc \([^ ]* [^ ]*\) root.*/\1/p')
	in_ns lqa tc qdisc replace dev lqtap root "$1" >"$TESTDIR/tc" 2>&1
	echo "$default" >$DEFAULT
	compare "default_qdisc=liquid: noqueue instead of $1" "$qdisc" = "noqueue 0:"
	check "default_qdisc=$default: $1 takes its place" \
		in_ns lqa tc qdisc replace dev lqtap root "$1"
	need ip -n lqa link del lqtap
}

need modprobe tun
DEFAULT=/proc/sys/net/core/default_qdisc
default=$(cat $DEFAULT)
default_gate pfifo_fast
default_gate mq multi_queue
text="a gate cannot be net.core.default_qdisc"
check "tc says why mq cannot have gates" grep -F "$text" "$TESTDIR/tc"
dmesg >"$TESTDIR/dmesg"
check "the kernel's log says why they have noqueue" grep -F "lqtap: $text" "$TESTDIR/dmesg"

# A gate can replace another, as any qdisc can. The new one inherits nothing.
make_gate rate_bps=1000000 overhead=24
make_dests 2
check "tc replaces a gate by another" in_ns lqa tc qdisc replace dev lqva root handle 5: liquid
handle=$(in_ns lqa tc qdisc show dev lqva | sed -n 's/^qdisc liquid \([0-9a-f]*\): root.*/\1/p')
compare "replaced: the device has the new gate" "$handle" = 5
compare "replaced: the gate has the options of a new one" "$(gate gate.rate_bps)" = 0
compare "replaced: the gate has no destinations" "$(gate state.dests)" = 0
check "a gate is replaced under traffic" sh -c 'for i in 6 7 8 9; do
	in-ns lqa pkt lqva --dst 10.0.0.2 --count 50 udp &&
	in-ns lqa tc qdisc replace dev lqva root handle $i: liquid || exit; done'
refuse "a gate is not added where one is" in_ns lqa tc qdisc add dev lqva root handle 77: liquid
need in_ns lqa wire del lqva

# Many comings and goings.
for i in $(seq 20); do
	in_ns lqa wire add lqva rate_bps=100000000 && in_ns lqa wire del lqva || echo "round $i"
done >"$LOG" 2>&1
compare "attached and detached twenty times" "$(wc -c <"$LOG")" = 0
check "a gate goes with its device" sh -c "in-ns lqa wire add lqva rate_bps=1000000 &&
	ip -n lqa link del lqva"
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl push --dry-run, and every wrong input that the tool finds without a gate.
# timeout: 120
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
. selftests/lib/tool.sh

# shown NAME TEXT: a line of the last output
shown()
{
	grep -qF -- "$2" "$scratch/out"
	result $? "$1"
}

# push ARG...: a dry run for t1 with every address known, if not said otherwise
push()
{
	run push none0 --schedule "$schedule" --node t1 --frame-time 1ms --addr-map "$map" \
		--base-time 6000000000000000 --rate 1G --dry-run "$@"
}

refused()
{
	name=$1 code=$2 text=$3
	shift 3
	expect "$name" "$code" "$text" push none0 --schedule "$schedule" --node t1 \
		--frame-time 1ms \
		--addr-map "$map" --base-time 0 --rate 1G --dry-run "$@"
}

[ -x "$tool" ] || skip_all "liquid-nl is not built (make user)"
echo "TAP version 13"
fabric=$scratch/fabric schedule=$scratch/schedule map=$scratch/map
"$liquid" fabric make papers-5x5 -o "$fabric" &&
"$liquid" solve "$fabric" --senders 't[1-5]' --receivers 'r[1-5]' --link-rate 1G \
--json -o "$schedule" \
	>"$scratch/out" 2>"$scratch/err"
result $? "a schedule of the papers' network"
for host in 1 2 3 4 5; do
	echo "r$host	10.0.0.$host fd00::$host"
done >"$map"

# ---- what would be pushed ----

push --fabric "$fabric"
result $status "a dry run"
shown "the frames' figures" "6 frames of 1 ms"
shown "the guard over the fabric's longest path" "needed 36.608 us over 3 hops"
[ "$(grep -c '^  destination .*: r[1-5] 10\.0\.0\.[1-5] fd00::[1-5]$' "$scratch/out")" = 5 ]
result $? "five destinations with their addresses"
[ "$(grep -c 'admin frame' "$scratch/out")" = 6 ] && grep -q 'admin frame .*: idle' "$scratch/out"
result $? "six frames, one of them idle"
# 78 packets of 1538 bytes fit into 963 us at 1 Gbit/s: the window is twice as many.
shown "what TCP needs" "initcwnd 156 initrwnd 156 rto_min 200ms; tcp_slow_start_after_idle=0"
shown "is advice, and not set" "  to be set for TCP on the routes to them: initcwnd 156"
push --frame-time 56ms --rate 40M --unit-rate 40M --guard 600us --max-packet 9014
shown "what it needs for a long cycle" "initcwnd 60 initrwnd 60 rto_min 729ms;"
push --json --guard 100us --cycles 4 --then hold
for member in '"initcwnd": ' '"initrwnd": ' '"rto_min_ms": 200' \
	'"dry_run": true' '"guard_ns": 100000' '"cycles": 4' '"then": "hold"' \
	'"base_time": 6000000000000000' '"frames": 6'; do
	shown "JSON has $member" "$member"
done
push --base-time +1s --json
result $status "a base time from now"
base=$(sed -n 's/.*"base_time": \([0-9]*\).*/\1/p' "$scratch/out")
[ -n "$base" ] && [ $((base % 6000000)) = 0 ]
result $? "it is a boundary of the cycle"
push
grep -v '^ *base' "$scratch/out" >"$scratch/once"
push
grep -v '^ *base' "$scratch/out" | cmp -s - "$scratch/once"
result $? "the same files give the same slice"
sed 's/^/x/' "$map" >"$scratch/more" && cat "$map" >>"$scratch/more" &&
	sed -i 's/^xr\(.\).*/r1\1 10.0.1.\1/' "$scratch/more"
push --addr-map "$scratch/more"
result $status "a map of more hosts than the schedule has"
push --addr mark=10.0.0.9
result $status "--addr in addition to a map"

grep '^  admin' "$scratch/once" >"$scratch/wanted"
push --schedule - --fabric "$fabric" <"$schedule"
grep '^  admin' "$scratch/out" | cmp -s - "$scratch/wanted"
result $? "a schedule from the standard input"
if [ -c /dev/full ]; then
	"$tool" push none0 --schedule "$schedule" --node t1 --frame-time 1ms --addr-map "$map" \
		--rate 1G --dry-run >/dev/full 2>"$scratch/err"
	[ $? = 5 ] && grep -q "could not be written" "$scratch/err"
	result $? "output that cannot be written"
fi

# ---- warnings ----

warns()
{
	name=$1 text=$2
	shift 2
	push "$@"
	[ "$status" = 0 ] && grep -qF -- "$text" "$scratch/err"
	result $? "$name"
}

warns "a guard that is too short" "the guard of 1 us is shorter than the 12 us" --guard 1us
warns "a longer path asks for more guard" "36.608 us" --guard 1us --hops 3
warns "a cycle of half of TCP's timeout" "the cycle of 120 ms" --frame-time 20ms
push --frame-time 16ms
! grep -q 'the cycle of' "$scratch/err"
result $? "no warning of a shorter cycle"
warns "a packet that no frame can take" "the largest packet takes 12.304 us on the wire" \
	--frame-time 20us --guard 10us
sed 's/"unit_bytes": *[a-z0-9]*/"unit_bytes": 125000/' "$schedule" >"$scratch/unit"
warns "a transfer that no frame can take" "a transfer of 125000 bytes" --schedule "$scratch/unit"
push --schedule "$scratch/unit" --frame-time 2ms
! grep -q 'a transfer of' "$scratch/err"
result $? "no warning where the frame can"

# ---- wrong input: exit code 1 ----

refused "trap 20: an unknown node, with those near it" 1 "has no node 't11'; near it: t1" --node t11
refused "a node that only receives" 1 "node 'r1' sends in no frame" --node r1
refused "destinations without an address, by name" 1 \
	"no address is known for 5 of 5 destinations: " --addr-map /dev/null
printf 'r1 10.0.0.1\nr1 10.0.0.2\n' >"$scratch/twice"
refused "a name that is given twice" 1 "$scratch/twice:2: 'r1' is given at $scratch/twice:1" \
	--addr-map "$scratch/twice"
printf 'r1 10.0.0.1\nr2 10.0.0.1\n' >"$scratch/twice"
refused "an address of two names" 1 "address 10.0.0.1 is given to 'r1' and to 'r2'" \
	--addr-map "$scratch/twice"
refused "a name in the map and in --addr" 1 "'r1' is given at" --addr r1=10.9.9.9
refused "no address in --addr" 1 "--addr: expected NAME=ADDR, got 'r1'" --addr r1
refused "an address that is none" 1 "'300.0.0.1' is not an IPv4" --addr x=300.0.0.1
refused "a file that is not there" 5 "No such file" --schedule "$scratch/absent"
refused "a map that is not there" 5 "No such file" --addr-map "$scratch/absent"
head -c 700 "$schedule" >"$scratch/short"
refused "a schedule that is cut off" 1 "$scratch/short" --schedule "$scratch/short"
refused "a fabric file as a schedule" 1 "$fabric" --schedule "$fabric"
refused "a schedule as a fabric file" 1 "$schedule:1:" --fabric "$schedule"
"$liquid" fabric make swiss-t1 -o "$scratch/swiss" 2>/dev/null
refused "a schedule for another fabric" 1 "is a schedule for another fabric" \
	--fabric "$scratch/swiss"
refused "a frame with no room beside its guard" 1 "has no room besides the guard" \
	--frame-time 10us --hops 9
refused "a base time beyond the clock" 1 "the base time is out of range" \
	--base-time +9223372036854775807

# ---- the rate of a unit against the gate's ----

sed 's/"link_rate_bps": *[0-9]*/"link_rate_bps":null/' "$schedule" >"$scratch/unsaid"
expect "a dry run without a rate" 1 "does not state the link's rate" push none0 --node t1 \
	--dry-run \
	--schedule "$scratch/unsaid" --frame-time 1ms --addr-map "$map"
refused "a schedule that does not say its unit" 1 \
	"--unit-rate RATE (in liquid.conf: link-rate) states it" \
	--schedule "$scratch/unsaid"
push --schedule "$scratch/unsaid" --unit-rate 1G
result $status "--unit-rate says it"
refused "a gate slower than a unit" 1 "none0: the gate's rate is 250 Mbit/s, less than a unit" \
	--rate 250M
refused "a gate four times as fast: a slow host has made the unit" 1 \
	"4 units of 1 Gbit/s each, but the schedule has 1 for this node without --fabric" --rate 4G
push --rate 4G --unit-rate 4G
result $status "--unit-rate goes on"
push --rate 1900M
result $status "a gate has what the unit's rate leaves after rounding down"
refused "no unit is as slow as that" 1 "less than a unit" --rate 250M --unit-rate 1G
refused "a unit's rate that is none" 2 "--unit-rate: expected a rate such as 10G, got '0'" \
	--unit-rate 0
sed -e 's/^liquid-fabric 1/liquid-fabric 2/' -e 's/^\(name .*\)/\1\nunit 1000000000/' \
	-e 's/^\(link t1 .*\) 1$/\1 4/' "$fabric" >"$scratch/fast"
"$liquid" solve "$scratch/fast" --senders 't[1-5]' --receivers 'r[1-5]' -o "$scratch/fast.json" \
	>"$scratch/out" 2>"$scratch/err" && push --schedule "$scratch/fast.json" \
	--fabric "$scratch/fast" --rate 4G && [ $status = 0 ]
result $? "the fabric says that the node's link has four units"
refused "and one unit is too little for it" 1 "1 units of 1 Gbit/s each, but the schedule has 4" \
	--schedule "$scratch/fast.json" --fabric "$scratch/fast"
expect "attach: the same comparison, before anything changes" 1 \
	"lo: the gate's rate is 1 Gbit/s, which is 1 units of 1 Gbit/s each, \
but $scratch/fast has 4" \
	attach lo --rate 1G --fabric "$scratch/fast" --node t1
expect "attach: a fabric of version 1 does not say its unit" 1 \
	"$fabric does not say the rate of a unit" attach lo --rate 1G --fabric "$fabric" --node t1
expect "attach: a device that does not say its rate" 1 \
	"lo: does not report its rate: state it by --rate" \
	attach lo --fabric "$fabric" --node t1
expect "attach: a fabric, but which node?" 2 "--fabric and --node go together" attach lo \
	--fabric "$fabric"
expect "attach: a node not there" 1 "has no host 't9'; near it: t1" attach lo --fabric "$fabric" \
	--node t9
expect "set: --unit-rate belongs to attach" 2 "--unit-rate: only \`attach\` takes it" set lo \
	--unit-rate 1G
expect "a device that is not there" 1 "none0: no such device" push none0 --schedule "$schedule" \
	--node t1 --frame-time 1ms --addr-map "$map"

# The last transfer of the second frame moved into the first, where it meets another: the frames
# are one a line.
awk '
	/^\[\[/ && ++frame == 1 { first = $0; next }
	frame == 2 && !moved {
		moved = $0
		match(moved, /,\["[^]]*"\]\],?$/)
		pair = substr(moved, RSTART)
		moved = substr(moved, 1, RSTART - 1) (pair ~ /,$/ ? "]," : "]")
		sub(/\]\],?$/, "]", pair)
		sub(/\]\],$/, "]" pair "],", first)
		print first
		print moved
		next
	}
	{ print }' "$schedule" >"$scratch/wrong"
[ "$(tr -d '\n' <"$scratch/wrong" | wc -c)" = "$(tr -d '\n' <"$schedule" | wc -c)" ] &&
	! cmp -s "$scratch/wrong" "$schedule"
result $? "a transfer is moved to another frame"
refused "trap 18: a schedule that does not verify is not pushed" 1 "is not valid on" \
	--schedule "$scratch/wrong" --fabric "$fabric"

# ---- usage: exit code 2 ----

refused "no such option" 2 "unknown option '--frames'" --frames 3
refused "an option without its value" 2 "--guard needs a value" --guard
refused "a frame shorter than the floor (trap 1)" 2 "from 10us to 10s" --frame-time 9999ns
refused "a frame longer than the ceiling" 2 "from 10us to 10s" --frame-time 10000000001
refused "a frame of no time" 2 "expected a time from 10us to 10s, got '0'" --frame-time 0
refused "a frame of a huge time" 2 "expected a time from 10us to 10s" \
	--frame-time 99999999999999999999
refused "a negative frame" 2 "expected a time from 10us to 10s" --frame-time=-1
refused "a guard as long as the frame" 2 "shorter than the frame time" --guard 1ms
refused "a base time that is none" 2 "ns of CLOCK_TAI, or a time from now" --base-time soon
refused "a base time before the epoch" 2 "ns of CLOCK_TAI, or a time from now" --base-time=-5
refused "an end that is none" 2 "--then: expected open or hold, got 'stop'" --then stop
refused "cycles that are not a number" 2 "--cycles: expected a number, got '1.5'" --cycles 1.5
refused "a label of 64 bytes" 2 "--label: expected 1 to 63 printable characters of ASCII, got" \
	--label "$(printf %064d 0)"
refused "an empty label" 2 "--label: expected 1 to 63 printable characters" --label ''
refused "a label with a tab" 2 "--label: expected 1 to 63 printable characters" --label "a	b"
refused "a user without number" 2 "--user: expected the number of a user, got 'anna'" --user anna
push --label "job 4" --user 1001 --json
shown "the label is in the dry run" '"label": "job 4"'
shown "and the user" '"user": 1001'
shown "the schedule's digest is that of its file" \
	"\"digest\": \"$(sha256sum <"$schedule" | cut -d' ' -f1)\""
run push none0 --schedule - --node t1 --frame-time 1ms --addr-map "$map" --base-time 0 --rate 1G \
	--dry-run --json <"$schedule"
shown "from stdin, too" "\"digest\": \"$(sha256sum <"$schedule" | cut -d' ' -f1)\""
expect "with --stay a label has room for the digest" 2 "--label: with --stay at most 43 char" \
	push none0 --schedule "$schedule" --node t1 --frame-time 1ms --addr-map "$map" --stay \
	--lease 60s --label "$(printf %044d 0)"
expect "and 43 characters are room enough" 1 "none0: no such device" push none0 \
	--schedule "$schedule" --node t1 --frame-time 1ms --addr-map "$map" --stay --lease 60s \
	--label "$(printf %043d 0)"
expect "an address map without destinations" 2 "--addr-map goes with --dests" show --addr-map "$map"
expect "an address map without a device" 2 "--addr-map goes with DEV" stats --addr-map "$map"
expect "an address map that is not there" 5 "nowhere" show --dests --addr-map "$scratch/nowhere"
refused "two devices" 2 "unexpected argument 'other0'" other0
expect "no device" 2 "missing DEV" push --schedule "$schedule" --node t1 --frame-time 1ms
expect "no schedule" 2 "missing --schedule" push none0 --node t1 --frame-time 1ms
expect "no node" 2 "missing --node" push none0 --schedule "$schedule" --frame-time 1ms
expect "a rate without a dry run" 2 "--rate goes with --dry-run" push none0 --rate 1G \
	--schedule "$schedule" --node t1 --frame-time 1ms

# ---- the other commands ----

expect "attach: no device" 2 "missing DEV" attach
expect "attach: a device that is not there" 1 "none0: no such device" attach none0
expect "attach: a rate that is none" 2 "--rate: expected a rate up to 10T, got '10X'" attach lo \
	--rate 10X
expect "attach: a rate beyond the limit" 2 "a rate up to 10T" attach lo --rate 11T
expect "attach: an overhead beyond the limit" 2 "bytes from -64 to 1024" attach lo --overhead 1025
expect "attach: a negative overhead beyond the limit" 2 "bytes from -64" attach lo --overhead=-65
expect "attach: an mpu beyond the limit" 2 "a size up to 65535" attach lo --mpu 65536
expect "attach: ahead beyond the limit" 2 "a time up to 10ms" attach lo --ahead 11ms
expect "attach: a horizon of half a millisecond" 2 "whole milliseconds" attach lo --horizon 500us
expect "attach: a policy that is none" 2 "share, idle, always or drop" attach lo --policy fair
expect "attach: a share beyond the whole" 2 "a share up to 100%" attach lo --reserve 101%
expect "attach: a rule that is none" 2 "--bypass: expected ethertype=N, tcp[=PORT[-PORT]]" attach \
	lo --bypass udp=2-1
expect "attach: none beside other rules" 2 "expected none without other rules" attach lo \
	--bypass tcp=22 \
	--bypass none
expect "attach: a mark outside its mask" 2 "bits outside its mask" attach lo --select mark=2/1
expect "attach: a selector that is none" 2 "all, mark=VALUE[/MASK], dscp=0..63" attach lo \
	--select some
for wrong in dscp=64 dscp=-1 dscp= dscp=ef mark=x mark=1/ tcp=0 tcp=9-8 tcp=65536 udp=x proto=0 \
	proto=256 \
	ethertype=0 ethertype=0x10000; do
	expect "attach: --select $wrong" 2 "--select: expected all, mark=VALUE[/MASK], dscp=0..63" \
		attach lo --select "$wrong"
done
expect "gate: a selector that is none" 2 "gate: --select: expected all, mark=" gate on lo \
	--select dscp=64
expect "gate: a policy that is none" 2 "gate: --policy: expected share, idle" gate on lo \
	--policy fair
expect "gate: a selector goes with on" 2 "--select and --policy go with on" gate off lo \
	--select dscp=1
expect "gate: neither on nor off" 2 "expected off or on, got 'lo'" gate lo
printf 'select dscp=64\n' >"$scratch/conf"
expect "gate: one that is none in liquid.conf" 1 "conf:1: select: expected all, mark=" \
	gate on lo --config "$scratch/conf"
set --
for rule in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do
	set -- "$@" --bypass tcp=$rule
done
expect "attach: too many rules" 2 "at most 16 rules" attach lo "$@"
expect "set: nothing" 2 "nothing to set" set lo
expect "set: --replace" 2 "--replace: only \`attach\` takes it" set lo --replace
expect "set: a device that is not there" 1 "none0: no such device" set none0 --mpu 64
expect "detach: a device that is not there" 1 "none0: no such device" detach none0
expect "detach: an option" 2 "unknown option '--all'" detach --all
expect "clear: a device that is not there" 1 "none0: no such device" clear none0
expect "show: two devices" 2 "unexpected argument 'lo'" show lo lo
expect "show: no such option" 2 "unknown option '--bogus'" show --bogus
expect "stats: no such option" 2 "unknown option '--dests'" stats --dests
expect "monitor: two devices" 2 "unexpected argument 'lo'" monitor lo lo
expect "monitor: no such option" 2 "unknown option '--bogus'" monitor --bogus
expect "monitor: an option that takes no value" 2 "monitor: " monitor --json=yes
expect "monitor: a device that is not there" 1 "none0: no such device" monitor none0
expect "no such command" 2 "unknown command 'shw'; did you mean 'show'?" shw

if grep -q '^liquid ' /proc/modules 2>/dev/null || modprobe -n -q sch_liquid 2>/dev/null; then
	skip "without the module" "it is there"
else
	expect "attach without the module" 3 "module liquid is not loaded: modprobe liquid" attach \
		lo
	expect "set without the module" 3 "module liquid is not loaded" set lo --mpu 64
	expect "show without the module" 3 "module liquid is not loaded: modprobe liquid" show
	expect "stats without the module" 3 "module liquid is not loaded" stats
	expect "clear without the module" 3 "module liquid is not loaded" clear lo
	expect "monitor without the module" 3 "module liquid is not loaded" monitor lo
	expect "push without the module" 3 "lo: module liquid is not loaded" push lo \
		--schedule "$schedule" --node t1 --frame-time 1ms --addr-map "$map"
	expect "detach where there is no gate" 3 "lo: has no gate" detach lo
fi
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && chmod 755 "$scratch" &&
	cp "$tool" "$scratch/tool" &&
	setpriv --reuid 65534 --clear-groups "$scratch/tool" --version \
	>/dev/null 2>&1; then
	setpriv --reuid 65534 --clear-groups "$scratch/tool" attach lo >"$scratch/out" \
		2>"$scratch/err"
	[ $? = 3 ] && grep -qF "lo: no privilege: CAP_NET_ADMIN is needed" "$scratch/err"
	result $? "attach without privilege"
else
	skip "attach without privilege" "needs root and setpriv"
fi
finish

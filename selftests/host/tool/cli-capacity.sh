#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Hosts that send several transfers at once, through the whole tool: show, solve, exports, verify,
# change, simulate, plot, ranks, push.
# builds: user lab
# timeout: 120
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
. selftests/lib/tool.sh

[ -x "$tool" ] || skip_all "liquid-nl is not built (make user)"
echo "TAP version 13"
cd "$scratch" || exit 1

# ---- a storage server of twice the clients' rate ----

cat >fast <<EOF
liquid-fabric 2
name store
hosts store,c[1-4]
switches s
link store s 2
link s store 2
  to store
EOF
for client in 1 2 3 4; do
	printf 'link c%d s 1\nlink s c%d 1\n  to c%d\n' $client $client $client
done >>fast
echo end >>fast
sed 's/^liquid-fabric 2/liquid-fabric 1/' fast >slow
cat >reads <<EOF
store c1 3
store c2 3
store c3 3
store c4 3
c1 store
EOF
says "version 1: the server counts as one" 0 "duration 4," fabric show slow
says "a server of capacity 2" 0 "store>s                                         2" fabric show fast
run fabric show --json slow
grep -q '"capacity": 2' out
[ $? = 1 ]
result $? "version 1: no link of a host shows more than 1"

says "version 1: 12 transfers one after the other" 0 "length       12" solve slow --traffic reads \
	-o one
says "version 2: two at a time" 0 "length       6" solve fast --traffic reads -o two
grep -q '^certificate *liquid' out
result $? "the schedule for capacity 2 is liquid"
says "the schedule for capacity 2 is valid on its fabric" 0 ": valid: " verify fast two \
	--traffic reads
says "the schedule for capacity 2 is invalid on the fabric of version 1" 1 \
	"host 'store' sends 2 transfers at once" verify \
	slow two
sed 's/^\(link .*\) [0-9]*$/\1 1/' slow >plain
"$liquid" solve plain --traffic reads -o plain.schedule >out 2>err &&
	[ "$(grep '^\[\[' plain.schedule)" = "$(grep '^\[\[' one)" ] &&
	[ "$(grep -c '^\[\[' one)" = 12 ]
result $? "version 1: the same frames whatever the lines of hosts say"
sed 's/^link store s 2/link store s 3/' fast >faster
says "a server of capacity 3: four frames" 0 "length       4" solve faster --traffic reads -o three
says "too much for capacity 2" 1 "host 'store' sends 3 transfers at once, its capacity is 2" \
	verify fast three
says "product refuses" 1 "product: no dimensions" solve fast --traffic reads --method product

# ---- several units of a pair in a frame ----

cat >pair <<EOF
liquid-fabric 2
name pair
hosts a,b,c
switches s
link a s 2
link s a 2
  to a
link b s 3
link s b 3
  to b
link c s 1
link s c 1
  to c
end
EOF
printf 'a b 5\nc b 3\n' >units
says "five units between fast hosts, two at a time" 0 "length       3" solve pair --traffic units \
	-o five
says "verified" 0 "8 transfers in 3 frames" verify pair five --traffic units
run solve pair --traffic units --from five --json
status=$?
"$liquid" verify pair five --traffic units --json >out 2>err && [ $status = 0 ]
result $? "solved again from itself"
sed 's/\["a","b"\],\["a","b"\]/["a","b"],["a","b"],["a","b"]/' five >six
says "a third one is refused" 1 "sends 3 transfers at once, its capacity is 2" verify pair six

# milp FABRIC TRAFFIC FRAMES: the fewest frames by CBC
milp()
{
	run solve "$1" --traffic "$2" --export-milp model.lp
	if command -v cbc >/dev/null; then
		timeout 60 cbc model.lp solve >text 2>&1
		grep -q "^Objective value: *$3\.0" text
		result $? "CBC: $1 in $3 frames"
	else
		skip "CBC: $1 in $3 frames" "no cbc"
	fi
}

milp pair units 3
milp fast reads 6
says "no congestion graph where a host takes two of many" 1 \
	"no congestion graph: link store>s has capacity 2 and load 12" \
	solve fast --traffic reads --export-dimacs model.col
says "no list of teams where a pair has two units in a frame" 1 \
	"no list of teams: several units of a pair fit into one frame" \
	solve pair --traffic units --list teams
says "a server that takes two: any two clients are a team" 0 "full teams      6" \
	solve fast --traffic reads --list teams -o -

# ---- simulated and shown ----

says "the simulator sends two at once, without a wait" 0 '"waits": 0' simulate fast --schedule two \
	--switching wormhole --message 1M --frame-time 100us --rate 100G --guard 0 --json
time=$(sed -n 's/^ *"time_ns": \([0-9]*\),*/\1/p' out | head -1)
[ "${time:-0}" -gt 500000 ] && [ "${time:-0}" -le 600000 ]
result $? "six frames of 100 us"
says "more than its link takes is refused" 1 "'store' sends to more than its link takes at once" \
	simulate fast --schedule three
run plot two --fabric fast -o plot.csv
grep -qx 'link,0,store>s,1,1,' plot.csv && grep -qx 'sender,0,store,1,0,' plot.csv &&
	grep -qx 'link,0,s>store,0.5,0,' plot.csv
result $? "in the picture its link out is full, and half of its link in"
sed 's/ 1$/ 2/' fast >all
says "ranks: all of capacity 2, half as many frames" 0 "4 in this order, 2 at best" \
	ranks all --check

if [ -d /sys/module/liquid_lab ] || modprobe -n -q liquid_lab 2>/dev/null; then
	skip "liquid-lab up says that its hosts send one at a time" "the module is there"
else
	liquid_nl=$tool
	tool=${tool%-nl}-lab
	says "liquid-lab up says that its hosts send one at a time" 3 \
		"note: 1 host of fast sends several transfers at once in a schedule; \
here a host sends one" \
		up fast --rate 1G
	tool=$liquid_nl
fi

# ---- push ----

printf '%s 10.0.0.%s\n' store 9 c1 1 c2 2 c3 3 c4 4 >map

# push NODE ARG...: a dry run
push()
{
	node=$1
	shift
	run push none0 --schedule two --node "$node" --frame-time 1ms --addr-map map \
		--base-time +1s \
		--guard 10us --rate 2G --unit-rate 1G --dry-run "$@"
}

push store --fabric fast
[ $status = 0 ] && grep -qF "store, dry run: 12 frames of 500 us" out && grep -qF "cycle 6 ms" out
result $? "the server's frames are cut in two; the cycle stays"
grep -qF "2 frames of the gate for each of the schedule: it sends as many transfers at once" out
result $? "push says that it cut the schedule's frames in two"
base=$(sed -n 's/^ *base \([0-9.]*\).*/\1/p' out | head -1)
push c1 --fabric fast
[ $status = 0 ] && grep -qF "c1, dry run: 6 frames of 1 ms" out && grep -qF "cycle 6 ms" out
result $? "a client's are not; its cycle is the same"
for node in store c1; do
	push $node --fabric fast --json --base-time 6000000000000000
	grep -q '"base_time": 6000000000000000' out
	result $? "$node: the common base time"
done
push store --fabric fast --json
[ "$(grep -c '"run"' out)" -ge 6 ] && grep -q '"parts": 2' out && grep -q '"frames": 12' out &&
	grep -q '"frame_ns": 500000' out
result $? "JSON says so"

refused()
{
	name=$1 text=$2
	shift 2
	push store "$@"
	[ $status = 1 ] && grep -qF -- "$text" err
	result $? "$name"
}

refused "without the fabric it is not known whether its link takes two" \
	"node 'store' sends up to 2 transfers at once; --fabric says"
refused "a frame of an odd time" "a frame of 1000001 ns cannot be cut into 2 equal parts" \
	--fabric fast --frame-time 1000001
refused "parts that are too short for a gate" "a frame of 19998 ns cut into 2 parts" --fabric fast \
	--frame-time 19998 --guard 1us
refused "a guard that fills a part" "a part of a frame of 500 us has no room besides the guard" \
	--fabric fast --guard 500us
sed -e 's/"unit_bytes": *[a-z0-9]*/"unit_bytes": 100000/' \
	-e 's/"link_rate_bps": *[a-z0-9]*/"link_rate_bps": 1000000000/' two >rated
push store --fabric fast --schedule rated
[ $status = 0 ] && ! grep -q 'a part of a frame' err
result $? "at twice the unit's rate a part carries a transfer"
sed 's/"unit_bytes": 100000/"unit_bytes": 130000/' rated >large
push store --fabric fast --schedule large
[ $status = 0 ] && grep -qF "warning: a part of a frame without its guard carries" err
result $? "a larger one it does not, which is reported"
refused "at the unit's rate the gate cannot send two at once, whatever is stated" \
	"the gate's rate is 1 Gbit/s, and the schedule sends 2 units of 1 Gbit/s at once" \
	--fabric fast --schedule rated --rate 1G
sed 's/^\(link \(store s\|s store\)\) 2/\1 4/' fast >fastest
printf 'store c%d 5\n' 1 2 3 4 >writes
run solve fastest --traffic writes -o four
push store --fabric fastest --schedule four --rate 4G
[ $status = 0 ] && grep -qF "4 frames of the gate for each of the schedule" out
result $? "a gate of four units sends four at once"
refused "a gate of three units does not" "and the schedule sends 4 units of 1 Gbit/s at once" \
	--fabric fastest --schedule four --rate 3G
run push none0 --schedule rated --node store --frame-time 1ms --addr-map map --base-time +1s \
	--guard 10us --dry-run --fabric fast
[ $status = 0 ] && ! grep -q 'a part of a frame' err
result $? "a dry run takes the server's rate from its capacity"
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl against the module: attach, push, show, stats, clear, detach, and what is refused.
# runs: 6.1-normal
# timeout: 300
# modes: normal
set -u

. /liquid/lib/guest.sh

nl()
{
	in_ns lqa liquid-nl "$@"
}

# expect NAME CODE TEXT ARG...: liquid-nl ends with CODE, and says TEXT
expect()
{
	name=$1 code=$2 text=$3
	shift 3
	nl "$@" >"$LOG" 2>&1
	status=$?
	echo "liquid-nl $* ended with $status" >>"$LOG"
	if [ $status = "$code" ] && grep -qF -- "$text" "$LOG"; then
		ok "$name"
	else
		not_ok "$name"
	fi
}

# told NAME TEXT ARG...: liquid-nl succeeds and says TEXT
told()
{
	name=$1 text=$2
	shift 2
	expect "$name" 0 "$text" "$@"
}

push_t1()
{
	push_name=$1 push_code=$2 push_text=$3
	shift 3
	expect "$push_name" "$push_code" "$push_text" push lqva --schedule "$schedule" --node t1 \
		--frame-time 1ms --addr-map "$map" "$@"
}

# What a refused request must leave as it is.
snapshot()
{
	nl show lqva --dests --frames --json |
		grep -vE '"(now|frame|frame_dest|qlen|backlog|control_qlen|unsched_qlen)":' >"$1"
}

# same NAME: nothing has changed since the last snapshot
same()
{
	snapshot "$TESTDIR/after"
	check "$1" cmp "$TESTDIR/before" "$TESTDIR/after"
}

load dummy veth sch_fq
start
make_pair
schedule=$TESTDIR/schedule map=$TESTDIR/map
liquid fabric make papers-5x5 -o "$TESTDIR/fabric" >"$LOG" 2>&1 &&
	liquid solve "$TESTDIR/fabric" --senders 't[1-5]' --receivers 'r[1-5]' \
	--json --link-rate 1G \
		-o "$schedule" >"$LOG" 2>&1 || not_ok "a schedule"
for host in 1 2 3 4 5; do
	echo "r$host 10.0.0.$((host + 1)) fd00::$((host + 1))"
done >"$map"

# Ids and addresses of the destinations
ids()
{
	nl show lqva --dests | sed -n 's/^  destination \(.*\), [0-9]* frames.*/\1/p'
}

# ---- attach, set, show ----

expect "show: no gate" 3 "lqva:" show lqva
expect "push: no gate" 3 "lqva:" push lqva --schedule "$schedule" --node t1 --frame-time 1ms \
	--addr-map "$map"
told "show: no gates at all is not an error, and is said" \
	'no device has a gate: `liquid-nl attach DEV` makes one' show
told "attach with every option" "ended with 0" attach lqva --rate 1G --overhead 24 --mpu 84 \
	--ahead 200us --limit 5000 --limit-bytes 8M --dest-limit 600 --dest-limit-bytes 1M \
	--horizon 2s --policy idle --reserve 4% --control 3% --acks bypass --select mark=0x10/0xf0 \
	--match-mark --bypass udp=319-320 --bypass ethertype=0x88f7
nl show lqva >"$TESTDIR/shown" 2>&1
for text in "lqva: open" "1 Gbit/s (given), overhead 24, mpu 84 bytes, ahead 200 us" \
	"policy idle, reserve 4.0 %, control 3.0 %, acks bypass" \
	"5000 packets, 8000000 bytes; a destination 600 packets, 1000000 bytes; horizon 2000 ms" \
	"select mark=0x10/0xf0, match by mark first" "bypass udp=319-320" \
	"bypass ethertype=0x88f7"; do
	cp "$TESTDIR/shown" "$LOG"
	check "shown: $text" grep -F -- "$text" "$TESTDIR/shown"
done
told "JSON shows the same" '"ahead_ns": 200000' show lqva --json
told "show without a device shows every gate" "lqva: open" show
expect "attach: attached already" 3 "has a gate already; \`liquid-nl set lqva" attach lqva
# What show prints of a selector is what set takes.
for selector in all mark=0x10/0xf0 mark=0x7/0xffffffff dscp=0 dscp=63 tcp udp=319-320 sctp=9 \
	proto=89 \
	tcp=5000-5100 ethertype=0x88f7; do
	need nl set lqva --select all
	told "select $selector" "ended with 0" set lqva --select $selector
	told "select $selector is shown" "  select $selector, match by mark first" show lqva
done
told "the last of two selectors counts" "ended with 0" set lqva --select tcp=1 --select dscp=44
nl show lqva --json >"$TESTDIR/json" 2>&1
for text in '"format": "liquid-gates"' \
	'"select": "dscp"' '"select_dscp": 44' '"select_rule": "ethertype=0x88f7"'; do
	cp "$TESTDIR/json" "$LOG"
	check "JSON: $text" grep -F -- "$text" "$TESTDIR/json"
done
told "gate off" "ended with 0" gate off lqva
told "nothing is selected" "select mark=0xffffffff/0xffffffff" show lqva
told "gate on, by DSCP" "ended with 0" gate on lqva --select dscp=43 --policy idle
told "that is selected" "select dscp=43, match by mark first" show lqva
told "with that policy" "policy idle" show lqva
told "gate on, by ports" "ended with 0" gate on lqva --select udp=7
told "these are selected" "select udp=7, match by mark first" show lqva
told "gate on alone" "ended with 0" gate on lqva
told "gates everything" "select all, match by mark first" show lqva
told "again" "policy share" show lqva
told "set" "ended with 0" set lqva --policy share --select all --no-match-mark --bypass none \
	--horizon 0 --acks frames
told "set is shown" "policy share, reserve 4.0 %, control 3.0 %, acks frames" show lqva
expect "JSON shows no rule any more" 0 '"bypass": []' show lqva --json
in_ns lqa ip link add lqd0 type dummy
in_ns lqa ip link set lqd0 up
expect "a device without a rate is refused, with the reason" 3 "rate" attach lqd0
need in_ns lqa tc qdisc replace dev lqd0 root fq
expect "attach beside another root qdisc" 3 "has the root qdisc fq; --replace" attach lqd0 --rate 1G
expect "detach what is not a gate" 3 "has no gate; its root qdisc is fq" detach lqd0
told "attach in place of another root qdisc" "ended with 0" attach lqd0 --rate 1G --replace
told "two gates" "lqd0: open" show
told "detach" "ended with 0" detach lqd0
expect "detach twice" 3 "has no gate" detach lqd0

# ---- push ----

push_t1 "push a slice" 0 "6 frames of 1 ms" --fabric "$TESTDIR/fabric" --base-time +1000s
told "it waits for its base time" "  admin  6 frames of 1 ms (guard 36.608 us), cycle 6 ms" show \
	lqva
told "its destinations" "destination 0: 10.0.0." show lqva --dests
compare "five of them" "$(nl show lqva --dests | grep -c '^  destination ')" = 5
ids=$(ids)
told "its frames" "admin frame 0" show lqva --frames
compare "all frames of the waiting schedule are shown" \
	"$(nl show lqva --frames | grep -c '^  admin frame ')" = 6
nl push lqva --schedule "$schedule" --node t1 --frame-time 1ms --addr-map "$map" --dry-run --json \
	--rate 1G >"$TESTDIR/dry" 2>"$LOG"
nl show lqva --frames --json >"$TESTDIR/real" 2>>"$LOG"
entries_of()
{
	tr -d ' \n' <"$1" | sed 's/.*"entries":\(\[[^]]*\]\).*/\1/'
}
compare "the kernel has the frames of the dry run" "$(entries_of "$TESTDIR/real")" = \
	"$(entries_of "$TESTDIR/dry")"
snapshot "$TESTDIR/before"
push_t1 "one waits already" 3 "lqva: " --base-time +0
same "nothing has changed after a refused push"
push_t1 "another TAI - UTC offset is refused, which is reported" 3 \
	'offset is 37 s, and 0 s is wanted (--tai-offset): see `liquid-nl clock`' \
	--replace --tai-offset 0
same "nothing has changed after a refused offset"
push_t1 "a new address of one destination, refused" 3 "lqva: " --replace --tai-offset 0 \
	--addr-map /dev/null --addr r1=10.0.0.2 --addr r2=10.0.0.3 --addr r3=10.0.0.4 \
	--addr r4=10.0.0.5,10.0.0.9 --addr r5=10.0.0.66
same "destinations that were added or changed are as before"
expect "an unknown node changes nothing" 1 "has no node 't9'" push lqva --schedule "$schedule" \
	--node t9 --frame-time 1ms --addr-map "$map" --replace
same "nothing has changed after wrong input"
push_t1 "replace" 0 "3 cycles, then hold" --replace --cycles 3 --then hold --base-time +0
compare "ids stay" "$ids" = "$(ids)"
await sh -c "in-ns lqa liquid-nl show lqva | grep -q 'lqva: hold'"
told "after three cycles it holds" "lqva: hold" show lqva
push_t1 "push again, forever" 0 "forever" --base-time +0
await sh -c "in-ns lqa liquid-nl show lqva | grep -q 'lqva: gated'"
told "it gates" "lqva: gated, frame " show lqva
told "it is in force" "  oper   6 frames of 1 ms" show lqva
compare "still the same five destinations" "$ids" = "$(ids)"
in_ns lqa ping -c 3 -i 0.2 -W 2 10.0.0.2 >"$LOG" 2>&1
nl stats lqva >"$TESTDIR/stats" 2>&1
cp "$TESTDIR/stats" "$LOG"
check "stats of the gate" grep -qE '^  packets: [1-9]' "$TESTDIR/stats"
check "stats of its destinations" grep -qE '^  destination [0-4]: 10.0.0.2 fd00::2' "$TESTDIR/stats"
check "a destination has sent" grep -qE '^    packets: [1-9]' "$TESTDIR/stats"
told "stats as JSON" '"frames_used": ' stats lqva --json
told "stats of every gate" "  swaps: " stats

# ---- who may not ----

if command -v setpriv >/dev/null; then
	snapshot "$TESTDIR/before"
	user="setpriv --bounding-set=-net_admin --inh-caps=-net_admin liquid-nl"
	for command in "set lqva --mpu 100" "clear lqva" "detach lqva" "attach lqd0 --rate 1G"; do
		# shellcheck disable=SC2086
		in_ns lqa $user $command >"$LOG" 2>&1
		status=$?
		[ $status = 3 ] && grep -q "no privilege: CAP_NET_ADMIN is needed" "$LOG"
		compare "no privilege: ${command%% *}" $? = 0
	done
	# shellcheck disable=SC2086
	in_ns lqa $user push lqva --schedule "$schedule" --node t1 --frame-time 1ms \
		--addr-map "$map" \
		--replace >"$LOG" 2>&1
	grep -q "destinations and frames are for CAP_NET_ADMIN" "$LOG"
	compare "no privilege: push" $? = 0
	# shellcheck disable=SC2086
	check "without privilege one may look" in_ns lqa $user show lqva
	same "nothing has changed"
fi

# ---- more than one message holds ----

DESTS=5000
awk -v n=$DESTS 'BEGIN {
	zeros = sprintf("%064d", 0)
	printf "{\"format\":\"liquid-schedule\",\"version\":1,\"fabric\":\"large\","
	printf "\"fabric_digest\":\"%s\",\"traffic_digest\":\"%s\",", zeros, zeros
	printf "\"method\":\"auto\",\"seed\":0,\"work\":1,\"unit_bytes\":null,"
	printf "\"link_rate_bps\":1000000000,"
	printf "\"transfers\":%d,\"duration\":%d,\"fluid_bound\":%d,\"length\":%d,", n, n, n, n
	printf "\"lower_bound\":%d,\"certificate\":\"liquid\",\"witness\":null,\"frames\":[", n
	for (i = 0; i < n; i++)
		printf "%s[[\"s\",\"d%d\"]]", i ? "," : "", i
	print "]}"
}' >"$TESTDIR/large"
awk -v n=$DESTS 'BEGIN {
	for (i = 0; i < n; i++)
		printf "d%d 10.8.%d.%d fd08::%x\n", i, i / 256, i % 256, i + 1
}' >"$TESTDIR/large-map"
told "push 5000 frames and as many destinations" "5000 frames of 10 us" push lqva \
	--schedule "$TESTDIR/large" --node s --frame-time 10us --guard 1us \
	--addr-map "$TESTDIR/large-map" --base-time +1000s --replace
compare "trap 7: all destinations come back" \
	"$(nl show lqva --dests | grep -c '^  destination .*10\.8\..* fd08::')" = $DESTS
compare "trap 7: all frames come back" \
	"$(nl show lqva --frames | grep -c '^  admin frame .*: destination ')" = $DESTS
compare "the schedule in force is the earlier one" \
	"$(nl show lqva --frames | grep -c '^  oper frame ')" = 6
expect "a refused push of them leaves the five and the five thousand" 3 "lqva: " push lqva \
	--schedule "$TESTDIR/large" --node s --frame-time 10us --guard 1us --tai-offset 5 \
	--replace \
	--addr-map "$TESTDIR/large-map"
compare "counted" "$(nl show lqva --dests | grep -c '^  destination ')" = $((DESTS + 5))

# ---- clear ----

told "clear" "ended with 0" clear lqva
told "the gate is open" "lqva: open" show lqva
compare "its destinations stay" "$(nl show lqva --dests | grep -c '^  destination ')" = \
	$((DESTS + 5))
told "clear --dests" "ended with 0" clear lqva --dests
compare "no destination is left" "$(nl show lqva --dests | grep -c '^  destination ')" = 0
told "clear twice" "ended with 0" clear lqva
told "detach the gate" "ended with 0" detach lqva
await unload_liquid
expect "trap 21: without the module" 3 "module liquid is not loaded: modprobe liquid" show
expect "attach without the module" 3 "module liquid is not loaded: modprobe liquid" attach lqva
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A second client, of libnl and liquid.h alone, reads the same values as liquid-nl, makes the same
# changes, and is refused with the same text.
# runs: 6.1-icount 6.12-icount
# timeout: 120
. /liquid/lib/guest.sh
. /liquid/lib/notify.sh

[ -x /liquid/libnl ] || skip_all "no libnl-genl-3 where the tests were built"
start
make_pair

nl()
{
	in_ns lqa liquid-nl "$@"
}

genl()
{
	in_ns lqa libnl "$@"
}

# push FRAME_NS BASE LEASE_NS RUN:DEST...: one transaction by libnl, of lqva; DEST -: idle
push()
{
	begin="sched-begin sched{ frame_ns=$1" commit="sched-commit base_time=$2" entries= frames=0
	[ "$3" = 0 ] || commit="$commit lease_ns=$3"
	shift 3
	for run; do
		frames=$((frames + ${run%:*}))
		entries="$entries entry{ run=${run%:*} dest=${run#*:} }"
	done
	entries=$(echo "$entries" | sed 's/ dest=-//g')
	# shellcheck disable=SC2086
	genl send lqva $begin frames=$frames } , sched-entries entries{ $entries } , $commit
}

# The lines of liquid-nl that are on the wire: not what it computes of others, and no zeros of times
on_wire()
{
	sed -e '/\.count \|\.passed \|bounds_ns\.\|\.release_lag\.\|\.in_flight\./d' \
		-e '/\.times\..* 0$/d' "$@"
}

# All that liquid-nl reads of lqva, a line for each value
seen_by_tool()
{
	nl show lqva --dests --frames --json >"$TESTDIR/show" &&
		nl stats lqva --json >"$TESTDIR/stats" &&
		libnl flat <"$TESTDIR/show" >"$TESTDIR/lines" &&
		libnl flat <"$TESTDIR/stats" >>"$TESTDIR/lines" &&
		on_wire "$TESTDIR/lines" | sort -u
}

seen_by_libnl()
{
	genl show lqva >"$TESTDIR/lines" && sed '/\.times\..* 0$/d' "$TESTDIR/lines" | sort -u
}

# the value at path $1 in file $2
value()
{
	sed -n "s/^0\.$1 //p" "$2"
}

# of_tool PATH...: the values that liquid-nl has told
of_tool()
{
	for path; do
		value "$path" "$TESTDIR/tool"
	done | tr '\n' ' '
}

# What changes by itself
MOVES='^0\.state\.\(now\|lease_left_ns\) '

# same NAME VALUES: both read the same, VALUES or more of them; the second reads a later time
same()
{
	seen_by_tool >"$TESTDIR/tool" 2>"$LOG" && seen_by_libnl >"$TESTDIR/libnl" 2>>"$LOG" &&
		[ "$(value 'state\.now' "$TESTDIR/tool")" -lt \
			"$(value 'state\.now' "$TESTDIR/libnl")" ] &&
		sed "/$MOVES/d" "$TESTDIR/tool" >"$TESTDIR/a" &&
		sed "/$MOVES/d" "$TESTDIR/libnl" >"$TESTDIR/b" &&
		diff "$TESTDIR/a" "$TESTDIR/b" >>"$LOG" 2>&1 &&
		[ "$(wc -l <"$TESTDIR/b")" -ge "$2" ]
	result=$?
	echo "$(wc -l <"$TESTDIR/libnl") values" >>"$LOG"
	verdict "$1 ($(wc -l <"$TESTDIR/libnl") values)" $result
}

verdict()
{
	if [ "$2" = 0 ]; then
		ok "$1"
	else
		not_ok "$1"
	fi
}

# refused_alike NAME "COMMAND BY LIBNL" "TOOL ARGS": both get the same text of the kernel
refused_alike()
{
	# shellcheck disable=SC2086
	$2 >"$LOG" 2>&1
	status=$?
	text=$(sed -n 's/^refused: //p' "$LOG")
	# shellcheck disable=SC2086
	nl $3 >>"$LOG" 2>&1
	[ $status$? = 33 ] && [ -n "$text" ] && [ "$text" != "no text" ] &&
		[ "$(grep -cF -- "$text" "$LOG")" = 2 ]
	verdict "$1: ${text:-nothing}" $?
}

# ---- reading ----

need nl attach lqva --rate 1G --overhead 24 --mpu 84 --ahead 200us --limit 5000 --limit-bytes 8M \
	--dest-limit 600 --dest-limit-bytes 1M --horizon 2s --policy idle --reserve 4% \
	--control 3% --acks bypass \
	--select udp=7-9 --match-mark --bypass udp=319-320 --bypass ethertype=0x88f7 \
	--bypass proto=89
same "an empty gate with every option" 60
set_dests "dest{id=0 key{ipv4=10.0.0.2} key{ether=020000000002}}
	dest{id=1 key{ipv4=10.0.0.3} key{mark=34120000}}
	dest{id=2 key{ipv6=fd00::4}}"
same "destinations with keys of every kind" 100
need nl set lqva --policy share --select all --bypass none --no-match-mark --acks frames
in_ns lqa ping -c 2 -i 0.2 -W 2 10.0.0.2 >"$LOG" 2>&1
in_ns lqa ping -c 1 -W 2 10.0.0.9 >"$LOG" 2>&1
same "counters and times of packets" 100
compare "two packets or more were counted" "$(value 'dests\.0\.stats\.packets' "$TESTDIR/libnl")" \
	-ge 2

# ---- changing ----

need genl send lqva gate-set gate{ horizon_ms=3000 overhead=-20 rate_bps=100000000 policy=2 \
	match_mark=1 }
same "options that libnl has set" 100
compare "liquid-nl shows the options that libnl has set" "$(of_tool 'gate\.horizon_ms' \
	'gate\.overhead' 'gate\.policy')" = "3000 -20 always "
need genl send lqva dest-set dests{ dest{ id=3 key{ ipv4=10.0.0.5 } } \
	dest{ id=7 key{ ipv6=fd00::7 } } } , dest-del dests{ dest{ id=2 } }
same "destinations that libnl has added and removed" 100
compare "liquid-nl shows the destinations that libnl has left" "$(of_tool 'dests\.[0-9]*\.id')" = \
	"0 1 3 7 "
# Frames of 10 s, so that one lasts while both look.
base=$(($(now) + 100 * MS))
need push 10000000000 $base 600000000000 1:0 2:- 1:3
await sh -c "in-ns lqa liquid-nl show lqva | grep -q 'lqva: gated'"
same "a schedule that libnl has pushed, in force" 120
compare "liquid-nl shows the schedule that libnl has pushed" "$(of_tool 'oper\.base_time' \
	'oper\.frames' 'state\.frame_dest')" = "$base 4 0 "
compare "less is left of the lease when libnl reads it" \
	"$(value 'state\.lease_left_ns' "$TESTDIR/tool")" -gt \
	"$(value 'state\.lease_left_ns' "$TESTDIR/libnl")"
need genl send lqva lease-renew
need push 2000000 $((base + 86400000000000)) 0 1:1 5:3
same "another that waits" 120
genl show >"$TESTDIR/gates" 2>&1
cp "$TESTDIR/gates" "$LOG"
compare "a dump of all gates has one gate" \
	"$(sed -n 's/^\([0-9]*\)\.device /\1 /p' "$TESTDIR/gates")" = "0 lqva"

# ---- refusals ----

need liquid fabric make papers-5x5 -o "$TESTDIR/fabric"
need liquid solve "$TESTDIR/fabric" --senders t1 --receivers 'r[1-5]' --json --link-rate 100M \
	-o "$TESTDIR/schedule"
for host in 1 2 3 4 5; do
	echo "r$host 10.0.0.$((host + 1))"
done >"$TESTDIR/map"
refused_alike "a second schedule that waits" "push 2000000 $base 0 1:1" "push lqva --schedule \
	$TESTDIR/schedule --node t1 --frame-time 2ms --addr-map $TESTDIR/map --tai-offset 37"
refused_alike "no lease to be renewed" "genl send lqva lease-renew" "renew lqva"
refused_alike "a device without a gate" "genl show lo" "show lo"

# ---- events ----

need genl send lqva sched-clear
listen "$TESTDIR/tool-events" lqa --json
background "$TESTDIR/libnl-events" in-ns lqa libnl monitor
await listens "$pid" || need false
need push 1000000 $(($(now) + 300 * MS)) 1000000000 1:0 1:1
told "events: a lease that ends" "$TESTDIR/libnl-events" '\.kind lease-expired$' 1
need push 1000000 $(($(now) + 300 * MS)) 0 1:0 1:1
told "events: another schedule in force" "$TESTDIR/libnl-events" '\.kind oper$' 2
clockset step 3600
told "events: a step of the clock" "$TESTDIR/libnl-events" '\.step_ns ' 1
told "liquid-nl receives as many" "$TESTDIR/tool-events" '"kind":' \
	"$(lines "$TESTDIR/libnl-events" '\.kind ')"
libnl flat <"$TESTDIR/tool-events" | sort >"$TESTDIR/a"
sort "$TESTDIR/libnl-events" >"$TESTDIR/b"
check "events are the same, field by field" diff "$TESTDIR/a" "$TESTDIR/b"
finish

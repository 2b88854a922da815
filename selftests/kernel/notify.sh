#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl monitor tells what happens to gates, with traffic or without, and to its namespace alone.
# timeout: 120
. /liquid/lib.sh
start
make_pair
make_gate
make_dests 2

# listen FILE NETNS ARG...
listen()
{
	file=$1
	shift
	background "$file" in_ns "$@"
	sleep 0.3
}

# has FILE PATTERN TIMES: so many of its lines match
has()
{
	cp "$1" "$LOG"
	[ "$(grep -c -- "$2" "$LOG")" = "$3" ]
}

# told NAME FILE PATTERN TIMES: before long
told()
{
	if await has "$2" "$3" "$4"; then
		ok "$1"
	else
		echo "$4 lines were to match $3" >>"$LOG"
		not_ok "$1"
	fi
}

# The first JSON of a guest waits until the kernel has random numbers.
need in_ns lqa liquid-nl show lqva --json
listen "$TESTDIR/text" lqa liquid-nl monitor lqva
text=$pid
listen "$TESTDIR/json" lqa liquid-nl monitor --json
listen "$TESTDIR/other" lqb liquid-nl monitor
base=$(($(now) + 600 * MS * SCALE))
need push $base "frame_ns=$MS frames=2 cycles=100 then=0" "lease_ns=$((20000 * MS))" 1:0 1:1
told "a commit" "$TESTDIR/text" 'TAI  lqva: committed, start ' 1
told "as JSON" "$TESTDIR/json" "\"kind\":\"committed\".*\"due_time\":$base" 1
listen "$TESTDIR/joined" lqa liquid-nl monitor lqva
clockset until $((base + 50 * MS))
told "without traffic: it is in force" "$TESTDIR/text" 'TAI  lqva: oper, start ' 1
clockset until $((base + 400 * MS))
told "without traffic: it has ended" "$TESTDIR/text" 'TAI  lqva: ended, end ' 1
told "when it was to" "$TESTDIR/json" "\"kind\":\"ended\".*\"due_time\":$((base + 200 * MS))" 1
told "to one as well who came after the commit" "$TESTDIR/joined" 'lqva: \(oper\|ended\), ' 2
need push +$((20 * MS)) "frame_ns=$MS frames=2" "" 1:0 1:1
sleep "$(awk "BEGIN { print 0.1 * $SCALE }")"
clockset step 100
told "without traffic: a step of the clock, within a second" "$TESTDIR/text" \
	'TAI  lqva: clock-step, by +\(1000\|9999\)[0-9]* ns$' 1
clockset step -100
told "and back" "$TESTDIR/text" 'TAI  lqva: clock-step, by -' 1
need push +$((20 * MS)) "frame_ns=$MS frames=2" "lease_ns=$((300 * MS * SCALE))" 1:0 1:1
told "the end of a lease" "$TESTDIR/text" 'TAI  lqva: lease-expired$' 1
told "the end of a lease as JSON" "$TESTDIR/json" '"kind":"lease-expired"' 1
compare "another namespace hears nothing" "$(wc -c <"$TESTDIR/other")" = 0
kill "$text"
# Under traffic all that listens and all that is listened to goes.
background "$TESTDIR/blast" blast udp --send-only --bytes 100000000 \
	--rate $((20000000 / SCALE)) --limit 60 lqa@10.0.0.1 -- lqb@10.0.0.2 lqb@10.0.0.3
for round in 1 2 3 4 5 6; do
	push +$((round * MS)) "frame_ns=$MS frames=3 cycles=2" "replace lease_ns=$((round * 3 * MS))" \
		1:0 1:1 1:- || echo "round"
	sleep 0.00$((7 - round))
	in_ns lqa wire del lqva || echo "round"
	make_gate && make_dests 3 || echo "round"
done >"$TESTDIR/rounds" 2>&1
compare "attached, told of and detached under traffic" "$(grep -c round "$TESTDIR/rounds")" = 0
told "each commit was told, even where the gate went at once" "$TESTDIR/json" '"kind":"committed"' 9
need push +60000000000 "frame_ns=$MS frames=2" "" 1:0 1:1
check "a device goes with an event to come" ip -n lqa link del lqva
finish

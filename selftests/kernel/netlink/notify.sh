#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl monitor reports what happens to gates, with traffic or without, and to its namespace
# alone.
#
# Nothing here depends on how long something takes: the clock is set to the time that is wanted, and
# what is to be reported is waited for.
# runs: 6.1-icount 6.12-normal
# timeout: 120
. /liquid/lib/guest.sh
. /liquid/lib/notify.sh
start
make_pair
make_gate
make_dests 2
HOUR=3600

# due KIND: when the last such event was due, as JSON has it
due()
{
	sed -n "s/.*\"kind\":\"$1\".*\"due_time\":\([0-9]*\).*/\1/p" "$TESTDIR/json" | tail -n 1
}

# Two frames of 1 ms, for an hour
hour="frame_ns=$MS frames=2 cycles=$((HOUR * 1000 / 2)) then=0"

# The first JSON of a guest waits until the kernel has random numbers.
need in_ns lqa liquid-nl show lqva --json
base=$(($(now) + HOUR * 1000 * MS))
need push $base "$hour" "" 1:0 1:1
listen "$TESTDIR/text" lqa lqva
text=$pid
listen "$TESTDIR/json" lqa --json
json=$pid
listen "$TESTDIR/other" lqb
clockset step $((HOUR * 3 / 2))
told "without traffic: the clock is set" "$TESTDIR/text" \
	'TAI  lqva: clock-step, by +\(5400\|5399\)[0-9]\{9\} ns$' 1
told "to who came after the commit: the schedule is in force" "$TESTDIR/text" \
	'TAI  lqva: oper, start ' 1
told "as JSON" "$TESTDIR/json" "\"kind\":\"oper\".*\"due_time\":$base" 1
end=$((base + HOUR * 1000 * MS))
clockset step $HOUR
told "it has ended" "$TESTDIR/text" 'TAI  lqva: ended, end ' 1
compare "when it was to" "$(due ended)" = $end
clockset step -$HOUR
told "the clock is set back" "$TESTDIR/text" 'TAI  lqva: clock-step, by -' 1
need push $end "frame_ns=$MS frames=2" "" 1:0 1:1
told "a commit" "$TESTDIR/text" 'TAI  lqva: committed, start ' 1
clockset step $HOUR
told "it ends once more, where the next begins" "$TESTDIR/text" 'TAI  lqva: ended, end ' 2
told "which is reported as well" "$TESTDIR/text" 'TAI  lqva: oper, start ' 2
kinds=$(sed -n 's/.*"kind":"\(ended\|oper\)".*/\1/p' "$TESTDIR/json" | tail -n 2 | tr '\n' ' ')
compare "the end is reported before the next start" "$kinds" = "ended oper "
clockset step $((-HOUR * 5 / 2))
told "and back again" "$TESTDIR/text" 'TAI  lqva: clock-step, by -' 2
need push +$((500 * MS)) "frame_ns=$MS frames=2" "lease_ns=$((1000 * MS))" 1:0 1:1
told "a schedule begins without a step" "$TESTDIR/text" 'TAI  lqva: oper, start ' 3
compare "the schedule in force is the one committed" "$(due oper)" = "$(due committed)"
told "the end of its lease" "$TESTDIR/text" 'TAI  lqva: lease-expired$' 1
told "as JSON" "$TESTDIR/json" '"kind":"lease-expired"' 1
compare "another namespace hears nothing" "$(wc -c <"$TESTDIR/other")" = 0
kill "$text"

# One that does not read holds a few events, and is told that there were more.
room=$(cat /proc/sys/net/core/rmem_max)
echo 2304 >/proc/sys/net/core/rmem_max
listen "$TESTDIR/slow" lqa --json
slow=$pid
echo "$room" >/proc/sys/net/core/rmem_max
kill -STOP "$slow"
before=$(lines "$TESTDIR/json" '"kind":"committed"')
for more in $(seq 12); do
	push +$((1000 * HOUR * MS)) "frame_ns=$MS frames=2" replace 1:0 1:1
	await has "$TESTDIR/json" '"kind":"committed"' $((before + more)) || break
done >"$TESTDIR/pushed" 2>&1
compare "a reader is informed of each" \
	"$(lines "$TESTDIR/json" '"kind":"committed"')" = $((before + 12))
kill -CONT "$slow"
told "who does not is told that some were lost" "$TESTDIR/slow" '"kind":"lost"}$' 1
compare "a slow listener gets fewer events than were sent" \
	"$(lines "$TESTDIR/slow" '"kind":"committed"')" -lt 12
need push 0 "frame_ns=$MS frames=2" replace 1:0 1:1
told "and of what comes then" "$TESTDIR/slow" '"kind":"oper"' 1
kill "$slow"

# Under traffic all that is listened to goes.
background "$TESTDIR/blast" blast udp --send-only --bytes 100000000 \
	--rate $((20000000 / SCALE)) --limit 60 lqa@10.0.0.1 -- lqb@10.0.0.2 lqb@10.0.0.3
before=$(lines "$TESTDIR/json" '"kind":"committed"')
for round in 1 2 3 4 5 6; do
	push 0 "frame_ns=$MS frames=3" "replace lease_ns=$((round * 3 * MS))" 1:0 1:1 1:- ||
		echo "round"
	sleep 0.00$((7 - round))
	in_ns lqa wire del lqva || echo "round"
	make_gate && make_dests 3 || echo "round"
done >"$TESTDIR/rounds" 2>&1
check "attached, told of and detached under traffic" sh -c "! grep -B 9 round $TESTDIR/rounds"
told "each commit was reported, even where the gate went at once" "$TESTDIR/json" \
	'"kind":"committed"' $((before + 6))

# What the gate's end itself brings about is the last that it does: work that it left behind would
# begin while many destinations are forgotten, and go on for ever.
before=$(lines "$TESTDIR/json" '"kind":"ended"')
need push +$((1000 * HOUR * MS)) "$hour" replace 1:0 1:1
table lqa lqva <<END
many destinations | fill-dests 20000 10.1.0.0 | ok
meanwhile the clock is set | step $((3 * HOUR)) | ok
a gate goes | del | ok
and back | step $((-3 * HOUR)) | ok
END
told "its schedule has begun and ended" "$TESTDIR/json" '"kind":"ended"' $((before + 1))
sleep 1.5	# longer than what it leaves behind would wait
make_gate
make_dests 2
need push +$((1000 * HOUR * MS)) "$hour" "" 1:0 1:1
check "a device goes with an event to come" ip -n lqa link del lqva
check "a listener does not keep the module" await unload_liquid
wait "$json"
compare "a monitor learns that the module goes" $? = 3
check "a monitor says that the module has been unloaded" grep 'module liquid has been unloaded' \
	"$TESTDIR/json"
finish

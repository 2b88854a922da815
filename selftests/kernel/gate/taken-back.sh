#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What the core takes back leaves later without asking: it is counted late, and charged to the wire.
#
# A GSO packet is cut into segments behind the gate. The line (see stopped.sh) stops in the middle
# of them, in a frame of destination 0; the rest leaves when it is freed, in a frame of destination
# 1.
# kernels: 6.1
# modes: icount
# timeout: 60
. /liquid/lib/guest.sh
. /liquid/lib/trace.sh
start
make_line "packets taken back"
need wire add "$DEV" rate_bps=10000000 overhead=0
# At 10 Mbit/s a byte takes 800 ns; a GSO packet has 9,400.
WIRE_US=7520
FRAME=$((200 * MS))
base=$(($(now) + 400 * MS))
cat >"$TESTDIR/sched" <<END
dests | \
	dest-set dests{dest{id=0 key{ipv4=10.5.0.2}} \
	dest{id=1 key{ipv4=10.5.0.3}}} | ok
begin | begin sched{frame_ns=$FRAME guard_ns=$((10 * MS)) frames=3} | ok
entries | entries entries{entry{run=1 dest=0} entry{run=1 dest=1} entry{run=1}} | ok
commit | commit base_time=$base | ok
END
need sh -c "wire script $DEV <$TESTDIR/sched"

get()
{
	wire get "$DEV" "$1"
}

clockset until $((base + FRAME * 3 / 10))
kill -USR2 "$line"
gso "$DEV" --dst 10.5.0.2 --mss 900 --count 12
clockset until $((base + FRAME * 9 / 10))
waiting=$(get state.qlen)
compare "the line has stopped with packets behind it" "$waiting" -ge 1
clockset until $((base + FRAME * 13 / 10))
compare "no packet has left the gate while the line stood still" "$(get state.qlen)" = "$waiting"
compare "the core holds a part of one" "$(tc -s qdisc show dev "$DEV" |
	sed -n 's/.* requeues \([0-9]*\))*.*/\1/p' | head -n 1)" -gt 0
trace_start liquid/liquid_dequeue net/net_dev_start_xmit
gso "$DEV" --dst 10.5.0.3 --mss 900 --segs 1
free=$(now)
kill -USR1 "$line"
clockset until $((base + FRAME * 19 / 10))
trace_stop "$TESTDIR/trace"
requeues=$(get stats.requeues)
compare "what was taken back is counted" "$requeues" -gt 0
compare "all packets taken back are counted as late" "$(get stats.late)" = "$requeues"
compare "at its own destination" "$(wire dest "$DEV" 0 stats.late)" = "$requeues"
compare "the destination whose frame was taken counts no late packet" \
	"$(wire dest "$DEV" 1 stats.late)" = 0
# late FILE: packets of the histogram, and their time together in us
late()
{
	sed -n 's/^times\.late\.//p' "$1" | awk -F = '
		/^bucket/ { count += $2 }
		/^sum/ { sum = $2 }
		END { printf "%d %d\n", count, sum / 1000 }'
}

wire get "$DEV" >"$TESTDIR/gate"
wire dest "$DEV" 0 >"$TESTDIR/dest"
compare "the gate's histogram has as many" "$(late "$TESTDIR/gate" | cut -d' ' -f1)" = "$requeues"
compare "the destination's says the same" "$(late "$TESTDIR/dest")" = "$(late "$TESTDIR/gate")"
wire dest "$DEV" 1 >"$TESTDIR/other"
compare "the other's is empty" "$(late "$TESTDIR/other")" = "0 0"
each=$(($(late "$TESTDIR/dest" | cut -d' ' -f2) / (requeues + !requeues)))
free=$(((free - base - FRAME) / 1000))
echo "# late by $each us; freed $free us after the end of the frame"
compare "each late packet is late by at least the time the line stood still" $each -ge $free
compare "no packet is late by more than it took to empty the line" $each \
	-lt $((free + 12 * WIRE_US))
compare "destination 1's packet has left in its frame" "$(wire dest "$DEV" 1 stats.packets)" = 1
freed=$(sed -n 's/.* \([0-9]*\)\.\([0-9]*\): net_dev_start_xmit: .*/\1\2/p' "$TESTDIR/trace" |
	head -n 1)
next=$(releases "$TESTDIR/trace" 1 | cut -d' ' -f1)
echo "# taken back: $requeues; freed at ${freed:-0} us, the next packet released at ${next:-0} us"
compare "the next packet waits until the wire has carried what was taken back" \
	$((${next:-0} - ${freed:-0})) -ge $((WIRE_US - 200))
compare "and no longer: what the core took before, run by run, is charged once" \
	$((${next:-0} - ${freed:-0})) -lt $((2 * WIRE_US))

# unscheduled FREED: packets of no destination leave in the idle frame, in which the line stops; it
# is freed FREED tenths of a frame after that begins. Sets taken and late: by how much they have
# grown when that frame is nearly over.
unscheduled()
{
	cycle=$((3 * FRAME))
	at=$(((($(now) - base) / cycle + 1) * cycle + base + 2 * FRAME))
	taken=$(get stats.requeues)
	late=$(get stats.late)
	clockset until $((at + FRAME * 2 / 10))
	kill -USR2 "$line"
	gso "$DEV" --dst 10.5.0.9 --mss 900 --count 12
	clockset until $((at + FRAME * $1 / 10))
	kill -USR1 "$line"
	clockset until $((at + FRAME * ($1 / 10) + FRAME * 9 / 10))
	taken=$(($(get stats.requeues) - taken))
	late=$(($(get stats.late) - late))
	clockset until $((at + cycle + FRAME * 9 / 10))
}

unscheduled 5
compare "unscheduled packets are taken back too" $taken -gt 0
compare "packets freed within an idle frame are not late" $late = 0
unscheduled 15
compare "freed in the frame of a destination" $taken -gt 0
compare "those that leave then are late, as any others" $late = 9
compare "unscheduled packets are not late at the destination whose frame it is" \
	"$(wire dest "$DEV" 0 stats.late)" = "$requeues"
kill "$line"
wait "$line"
finish

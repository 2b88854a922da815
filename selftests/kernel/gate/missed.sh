#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A missed frame is one that the timer was set to, and that passed with its packets waiting; no
# other.
# modes: icount
# runs: 6.1-icount
# timeout: 60
. /liquid/lib/guest.sh
start

# ---- none is missed ----

# Destination 0 has a backlog and one frame of a hundred; destination 1 every second frame, and now
# and then a packet, which leaves in the next. The gate sleeps for destination 0 when that comes.
make_pair
make_gate dest_limit_packets=10000 horizon_ms=0
make_dests 2
RUNS="1:0 $(for _ in $(seq 49); do echo 1:- 1:1; done) 1:-"
# shellcheck disable=SC2086
need push +$((20 * SCALE * MS)) \
	"frame_ns=$((SCALE * MS)) guard_ns=$((SCALE * MS / 20)) frames=100" "" $RUNS
in_ns lqa pkt lqva --dst 10.0.0.2 --count 4000 udp
sleep 0.1
check "packets that come one by one arrive" blast udp --size 1000 --bytes 300000 \
	--rate $((5840000 / SCALE)) --limit 20 \
	lqa@10.0.0.1 -- lqb@10.0.0.3
compare "destination 0 has waited all the time" "$(in_ns lqa wire dest lqva 0 qlen)" -gt 0
compare "destination 1 has not" "$(in_ns lqa wire dest lqva 1 qlen)" = 0
compare "its packets had each its own frame, or nearly" \
	"$(in_ns lqa wire dest lqva 1 stats.frames_used)" -ge 150
compare "no frame was missed" "$(gate stats.frames_missed)" = 0
compare "a destination counts no missed frame when none is" \
	"$(in_ns lqa wire dest lqva 1 stats.frames_missed)" = 0

# ---- one is missed ----

# A packet for destination 0 waits for its frame. The line stops in the frame before, which is
# destination 1's, and is freed in the one after: the gate could not look in between.
make_line "a missed frame"
need wire add "$DEV" rate_bps=10000000 overhead=0
FRAME=$((200 * MS))
base=$(($(now) + 400 * MS))
cat >"$TESTDIR/sched" <<END
dests | \
	dest-set dests{dest{id=0 key{ipv4=10.5.0.2}} \
	dest{id=1 key{ipv4=10.5.0.3}}} | ok
begin | begin sched{frame_ns=$FRAME guard_ns=$((10 * MS)) frames=4} | ok
entries | entries entries{entry{run=1} entry{run=1 dest=1} entry{run=1 dest=0} entry{run=1}} | ok
commit | commit base_time=$base | ok
END
need sh -c "wire script $DEV <$TESTDIR/sched"

# miss FREED: the line is freed FREED tenths of a frame after the cycle begins
miss()
{
	cycle=$((4 * FRAME))
	at=$(((($(now) - base) / cycle + 1) * cycle + base))
	before=$(wire dest "$DEV" 0 stats.frames_missed)
	clockset until $((at + FRAME / 2))
	gso "$DEV" --dst 10.5.0.2 --mss 900 --segs 1
	clockset until $((at + FRAME * 12 / 10))
	kill -USR2 "$line"
	gso "$DEV" --dst 10.5.0.3 --mss 900 --segs 1 --count 40
	clockset until $((at + FRAME * $1 / 10))
	waiting=$(wire dest "$DEV" 0 qlen)
	kill -USR1 "$line"
	clockset until $((at + cycle - FRAME / 10))
	missed=$(($(wire dest "$DEV" 0 stats.frames_missed) - before))
}

clockset until "$base"
miss 25
compare "freed within its frame, a packet has waited for it" "$waiting" = 1
compare "a packet freed within its frame: no frame is missed" "$missed" = 0
miss 35
compare "freed after it, the packet still waits" "$waiting" = 1
compare "a packet freed after its frame: one frame is missed" "$missed" = 1
compare "the gate counts the missed frame as well" "$(wire get "$DEV" stats.frames_missed)" = 1
kill "$line"
wait "$line"
finish

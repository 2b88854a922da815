#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A transmit queue that stops across the end of a frame lets nothing out in another one's.
# kernels: 5.10 6.1 6.1-rt newest 6.1-debug
# modes: icount
# timeout: 90
. /liquid/lib/guest.sh
start
make_line "a stopped transmit queue"
need ip addr add 10.5.0.1 peer 10.5.0.2 dev "$DEV"
need ip route add 10.5.0.3 dev "$DEV"
need wire add "$DEV" rate_bps=10000000 overhead=2
cat >"$TESTDIR/dests" <<END
dests | \
	dest-set dests{dest{id=0 key{ipv4=10.5.0.2}} \
	dest{id=1 key{ipv4=10.5.0.3}}} | ok
END
need sh -c "wire script $DEV <$TESTDIR/dests"
# Frames of a fifth of a second, so that the queue is stopped and freed in the middle of them
FRAME=$((200 * MS))
base=$(($(now) + 400 * MS))
cat >"$TESTDIR/sched" <<END
begin | begin sched{frame_ns=$FRAME guard_ns=$((10 * MS)) frames=3} | ok
entries | entries entries{entry{run=1 dest=0} entry{run=1 dest=1} entry{run=1}} | ok
commit | commit base_time=$base | ok
END
need sh -c "wire script $DEV <$TESTDIR/sched"
need sh -c "wire plan $DEV admin >$TESTDIR/plan"
clockset until $((base + 1 * MS))
tap_start "$TESTDIR/cap" 60 "-:$DEV"

count_of()
{
	wire get "$DEV" "$1"
}

# No one reads the line from the middle of frame 0 of a cycle to that of frame 1: the queue, with a
# packet on it, is stopped when frame 0 ends.
stop_across()
{
	cycle=$((3 * FRAME))
	at=$(((($(now) - base) / cycle + 1) * cycle + base))
	clockset until $((at + FRAME * $1 / 10))
	kill -USR2 "$line"
	blast udp --send-only --linger 1 --limit 1 --size 900 --bytes 72000 --sndbuf 4000000 \
		-@10.5.0.1 -- -@10.5.0.2 >"$TESTDIR/out" 2>&1
	# 59 ms after the start all would have left, had the queue not stopped
	clockset until $((at + FRAME * 9 / 10))
	waiting="$waiting $(count_of state.qlen)"
	clockset until $((at + FRAME * $2 / 10))
	released="$released $(count_of state.qlen)"
	kill -USR1 "$line"
	clockset until $((at + cycle + FRAME * 9 / 10))
}


waiting=
released=
stop_across 3 15
stop_across 3 13
stop_across 3 25
# On a device with one queue the core itself asks no stopped queue for packets.
for number in $waiting; do
	compare "a stopped queue: packets wait while their own frame is open" "$number" -gt 10
done
compare "freed in other frames, none of them has left there" "$waiting" = "$released"
compare "every packet has left since" "$(count_of state.qlen)" = 0
compare "all packets of the stopped line were counted" "$(count_of stats.packets)" = 240
tap_stop
judge_capture "nothing left outside the frames of its destination" "$TESTDIR/cap" --plan 0 \
	"$TESTDIR/plan"
compare "what the core took back is reported: none was late" "$(count_of stats.late)" = 0
kill "$line"
wait "$line"
compare "the other end has read them all" "$(field packets "$TESTDIR/line")" -ge 240
sed 's/^/# /' "$TESTDIR/line"
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Packets that the core took back and sent late are told by events: at once, then once a second.
#
# As in taken-back.sh: a GSO packet is cut into segments behind the gate, the line stops in the
# middle of them, in a frame of destination 0, and is freed in the next one.
# modes: icount
# kernels: 5.10 6.1 6.12 newest
# timeout: 90
. /liquid/lib/guest.sh
start
make_line "late packets told"
need wire add "$DEV" rate_bps=10000000 overhead=0
# The first JSON of a guest waits until the kernel has random numbers.
need liquid-nl show "$DEV" --json
FRAME=$((200 * MS))
base=$(($(now) + 400 * MS))
cat >"$TESTDIR/sched" <<END
dests | dest-set dests{dest{id=0 key{ipv4=10.5.0.2}}} | ok
begin | begin sched{frame_ns=$FRAME guard_ns=$((10 * MS)) frames=2} | ok
entries | entries entries{entry{run=1 dest=0} entry{run=1}} | ok
commit | commit base_time=$base | ok
END
need sh -c "wire script $DEV <$TESTDIR/sched"
# Each event behind the time at which it was reported
background "$TESTDIR/told" sh -c "liquid-nl monitor $DEV --json |
	while read -r event; do echo \$(wire now) \"\$event\"; done"
sleep 0.1

# late_in CYCLE: some packets are late in its second frame
late_in()
{
	start=$((base + $1 * 2 * FRAME))
	clockset until $((start + FRAME * 3 / 10))
	kill -USR2 "$line"
	gso "$DEV" --dst 10.5.0.2 --mss 900 --count 12
	clockset until $((start + FRAME * 13 / 10))
	kill -USR1 "$line"
	clockset until $((start + FRAME * 19 / 10))
}

late()
{
	wire get "$DEV" stats.late
}

# told N FIELD: of the Nth event of late packets
told()
{
	case $2 in
	at) pattern='s/^\([0-9]*\) .*/\1/p' ;;
	*) pattern="s/.*\"$2\":\([0-9]*\).*/\1/p" ;;
	esac
	grep '"kind":"late"' "$TESTDIR/told" | sed -n "$1p" | sed -n "$pattern"
}

late_in 0
first=$(late)
compare "packets were late" "$first" -gt 0
compare "first late packets are reported at once, with their number" "$(told 1 count)" = "$first"
late_in 1
late_in 2
all=$(late)
compare "more were late" "$all" -gt "$first"
clockset until $((base + 15 * FRAME))
cp "$TESTDIR/told" "$LOG"
compare "the other late packets are told by one event more" "$(told 2 count)" = $((all - first))
compare "a second after the first" $(($(told 2 at) - $(told 1 at))) -ge $((990 * MS))
compare "the second event of late packets comes within 1.1 s" $(($(told 2 at) - $(told 1 at))) \
	-le $((1100 * MS))
compare "there are no others" "$(grep -c '"kind":"late"' "$TESTDIR/told")" = 2
kill "$line"
wait "$line"
finish

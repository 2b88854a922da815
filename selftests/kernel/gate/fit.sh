#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every packet is checked for fit in its frame; a GSO packet is split when it must be, and only
# then.
# kernels: 5.10 6.1 6.1-rt newest 6.1-debug
# modes: icount
# timeout: 120
. /liquid/lib/guest.sh
start
make_pair
make_gate

# A frame takes a packet of 1,514 + 24 bytes (123,040 ns) and not two: so the first one must be
# checked as well as the second.
make_dests 1
need push +$((10 * MS)) "frame_ns=200000 guard_ns=20000 frames=4" "" 1:0 3:-
sleep 0.05
plan "$TESTDIR/plan"
tap_start "$TESTDIR/cap" 30 lqa:lqva
check "trap 10: small frames take a packet each" blast udp --size 1472 --bytes 30000 lqa@10.0.0.1 \
	-- lqb@10.0.0.2
tap_stop
judge_capture "trap 10: the first packet of a frame fits, and the second waits" "$TESTDIR/cap" \
	--plan 0 "$TESTDIR/plan"

# A frame into which no such packet ever fits.
table lqa lqva <<'END'
now frames of 100 us: begin | begin sched{frame_ns=100000 guard_ns=20000 frames=2} | ok
entries | entries entries{entry{run=1 dest=0} entry{run=1}} | ok
commit | commit base_time=+1000000 | ok
END
sleep 0.05
check "trap 10: what can never fit is dropped" blast udp --lossy --linger 100 --size 1472 \
	--bytes 14720 \
	lqa@10.0.0.1 -- lqb@10.0.0.2
compare "trap 12: and counted" "$(gate stats.drop_too_big)" = 10
compare "trap 12: at its destination" "$(in_ns lqa wire dest lqva 0 stats.drop_too_big)" = 10
compare "a packet that fits no frame does not wait" "$(gate state.qlen)" = 0
check "what fits passes after it" blast udp --size 500 --bytes 10000 lqa@10.0.0.1 -- lqb@10.0.0.2

# GSO: with segmentation left to the device, the stack hands over packets of up to 64 KiB.
in_ns lqa ethtool -K lqva tx on sg on tso on gso on >/dev/null 2>&1
in_ns lqb ethtool -K lqvb gro off >/dev/null 2>&1
in_ns lqa wire del lqva
make_gate
make_dests 1
# 40 ms carry 64 KiB (5.3 ms) several times
need push +$((10 * MS)) "frame_ns=20000000 guard_ns=20000 frames=2" "" 1:0 1:-
sleep 0.05
plan "$TESTDIR/plan"
tap_start "$TESTDIR/cap" 30 lqa:lqva
check "GSO: a stream through long frames" blast tcp --bytes 1500000 lqa@10.0.0.1 -- lqb@10.0.0.2
tap_stop
judge_capture "GSO: in their frames" "$TESTDIR/cap" --plan 0 "$TESTDIR/plan"
packets=$(gate stats.packets)
compare "GSO: large packets pass whole" "$packets" -lt 700
frames=$(gate stats.frames_used)
compare "trap 11: split only where they do not fit: at most once a frame" "$(gate stats.splits)" \
	-le "$frames"
compare "trap 11: and not each" "$(gate stats.splits)" -lt $((packets / 2))

# 2 ms carry 25,000 bytes: the largest packets never fit whole. Splitting takes the processor some
# 20 us between the reading of the clock and the release, which the guard covers.
[ $DEBUG = 1 ] || SLACK=50000
in_ns lqa wire del lqva
make_gate
make_dests 1
need push +$((10 * MS)) "frame_ns=2000000 guard_ns=50000 frames=2" "" 1:0 1:-
sleep 0.05
plan "$TESTDIR/plan"
tap_start "$TESTDIR/cap" 30 lqa:lqva
check "GSO: a stream through short frames" blast tcp --bytes 1500000 lqa@10.0.0.1 -- lqb@10.0.0.2
tap_stop
judge_capture "trap 10: GSO packets are split so that they fit" "$TESTDIR/cap" --plan 0 \
	"$TESTDIR/plan"
compare "trap 10: some were split" "$(gate stats.splits)" -gt 0
compare "trap 10: no GSO packet was dropped" \
	"$(($(gate stats.drop_split) + $(gate stats.drop_too_big)))" = 0
compare "the counts are right after splits: no queue holds packets" "$(gate state.qlen)" = 0
compare "the counts are right after splits: no bytes are left in the backlog" \
	"$(gate state.backlog)" = 0
finish

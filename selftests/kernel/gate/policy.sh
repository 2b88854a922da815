#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What has no destination, and what is not selected, follows the policy.
# modes: icount
# kernels: 5.10 6.1 6.1-rt newest 6.1-debug
# timeout: 90
. /liquid/lib/guest.sh
start
make_pair

FRAME=$((4 * SCALE * MS))
# prepare POLICY OPTION...: destinations 0 and 1; two frames each and two idle ones
prepare()
{
	in_ns lqa wire del lqva 2>/dev/null
	make_gate policy="$@"
	make_dests 2
	need push +$((10 * MS)) "frame_ns=$FRAME guard_ns=$((FRAME / 20)) frames=6" "" 2:0 2:1 2:-
	sleep 0.1
	plan "$TESTDIR/plan"
	tap_start "$TESTDIR/cap" 60 lqa:lqva
}

# 10.0.0.8 and 9 are not destinations.
traffic()
{
	background "$TESTDIR/scheduled" blast udp --bytes 100000 --limit 20 lqa@10.0.0.1 -- \
		lqb@10.0.0.2 lqb@10.0.0.3
	scheduled=$pid
	check "$1: unscheduled datagrams arrive" blast udp --port 6000 --bytes 50000 --limit 20 \
		lqa@10.0.0.1 -- lqb@10.0.0.8 lqb@10.0.0.9
	wait "$scheduled"
	compare "$1: scheduled ones arrive beside them" $? = 0
	tap_stop
	judge_capture "$1: scheduled ones are in their frames" "$TESTDIR/cap" --plan 0 \
		"$TESTDIR/plan"
}

prepare 0
traffic "policy share"
compare "policy share: unscheduled packets are counted" "$(gate stats.unsched_packets)" -ge 100
compare "policy share: they use idle frames" "$(field idle "$TESTDIR/verdict")" -gt $((10 / SCALE))

prepare 0 reserve=0
traffic "policy share without a reserve"
compare "policy share without a reserve: idle frames only" \
	"$(field idle "$TESTDIR/verdict")" -ge $((100 - PERMILLE))

prepare 1
traffic "policy idle"
compare "policy idle: idle frames only" "$(field idle "$TESTDIR/verdict")" -ge $((100 - PERMILLE))

prepare 2
traffic "policy always"
compare "policy always: also in others' frames" "$(field idle "$TESTDIR/verdict")" -lt 100

# A schedule without idle frames must not starve the rest of the node.
in_ns lqa wire del lqva
make_gate
make_dests 1
need push +$((10 * MS)) "frame_ns=$FRAME guard_ns=$((FRAME / 20)) frames=1" "" 1:0
sleep 0.1
background "$TESTDIR/scheduled" blast udp --bytes 1000000 --limit 30 lqa@10.0.0.1 -- lqb@10.0.0.2
scheduled=$pid
check "policy share: unscheduled datagrams arrive in a full schedule" blast udp --port 6000 \
	--bytes 10000 --limit 20 lqa@10.0.0.1 -- lqb@10.0.0.9
wait "$scheduled"
compare "policy share: and the scheduled ones too" $? = 0

# The reserve is a budget: 5 % of 100 Mbit/s are 625 kB/s in a full frame.
background "$TESTDIR/scheduled" blast udp --bytes 4000000 --limit 30 --sndbuf 4000000 lqa@10.0.0.1 \
	-- lqb@10.0.0.2
scheduled=$pid
before=$(gate stats.unsched_bytes)
from=$(now)
background "$TESTDIR/flood" blast udp --lossy --linger 1 --port 6000 --bytes 4000000 --limit 1 \
	lqa@10.0.0.1 -- lqb@10.0.0.9
sleep 0.2
passed=$(($(gate stats.unsched_bytes) - before))
took=$((($(now) - from) / MS))
compare "policy share: a flood keeps to the reserve" $passed -le $((took * 625 * 3 / 2 + 3000))
compare "policy share: and gets it" $passed -ge $((took * 625 / 3))
kill "$scheduled" "$pid" 2>/dev/null
wait "$scheduled" "$pid"

# A selector gates one job's packets, and leaves the node alone.
in_ns lqa wire del lqva
make_gate select=1 select_mark=256 select_mask=65280
make_dests 1
need push +$((20 * MS)) "frame_ns=1000000 frames=1 cycles=1 then=1" "" 1:0
sleep 0.1
blast udp --lossy --linger 1 --bytes 10000 --mark 257 lqa@10.0.0.1 -- lqb@10.0.0.2 >"$LOG" 2>&1
compare "selected by mark: it waits for its gate" "$(in_ns lqa wire dest lqva 0 qlen)" = 10
compare "nothing else does" "$(gate state.unsched_qlen)" = 0
in_ns lqa wire script lqva >"$LOG" <<'END'
begin | begin sched{frame_ns=1000000 frames=2} | ok
entries | entries entries{entry{run=1 dest=0} entry{run=1}} | ok
commit | commit base_time=+1000000 replace | ok
END
check "not selected by mark: unscheduled" blast udp --port 6001 --bytes 10000 \
	--mark 513 lqa@10.0.0.1 -- lqb@10.0.0.2
compare "packets not selected by mark are counted as unscheduled" "$(gate stats.unsched_packets)" \
	-ge 10

# A mark as a key
in_ns lqa wire del lqva
make_gate match_mark=1
set_dests "dest{id=0 key{mark=2a000000}} dest{id=1 key{ipv4=10.0.0.2}}"
need push +$((20 * MS)) "frame_ns=1000000 frames=2 cycles=1 then=1" "" 1:0 1:1
sleep 0.1
blast udp --lossy --linger 1 --bytes 10000 --mark 42 lqa@10.0.0.1 -- lqb@10.0.0.2 >"$LOG" 2>&1
compare "a mark is looked for before the address" "$(in_ns lqa wire dest lqva 0 qlen)" = 10
blast udp --lossy --linger 1 --bytes 10000 lqa@10.0.0.1 -- lqb@10.0.0.2 >"$LOG" 2>&1
compare "without the mark it is the address" "$(in_ns lqa wire dest lqva 1 qlen)" = 10
finish

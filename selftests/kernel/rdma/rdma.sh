#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Soft-RoCE on a gated device: verbs complete, and their packets obey the frames.
# modes: normal
# timeout: 300
. /liquid/lib/guest.sh
. /liquid/lib/rdma.sh
command -v ibv_rc_pingpong >/dev/null || skip_all "no ibv_rc_pingpong"
start
load veth af_packet crc32_generic ib_uverbs rdma_rxe

need ip link add lqva address 02:00:00:00:00:01 type veth peer name lqvb address 02:00:00:00:00:02
rdma_routes lqva lqvb
rdma_links lqva lqvb

check "verbs work on this cable without a gate" pingpong 20 4096
need wire add lqva rate_bps=100000000 overhead=24
cat >"$TESTDIR/dests" <<END
dests | \
	dest-set dests{dest{id=0 key{ipv4=10.6.0.2}} \
	dest{id=1 key{ipv4=10.6.0.9}}} | ok
begin | begin sched{frame_ns=20000000 guard_ns=1000000 frames=3} | ok
entries | entries entries{entry{run=1 dest=0} entry{run=1 dest=1} entry{run=1}} | ok
commit | commit base_time=+10000000 | ok
END
need sh -c "wire script lqva <$TESTDIR/dests"
sleep 0.2
need sh -c "wire plan lqva >$TESTDIR/plan"
tap_start "$TESTDIR/cap" 150 -:lqva
check "ibv_rc_pingpong completes through the gate" pingpong 20 4096
if command -v ib_write_bw >/dev/null; then
	background "$TESTDIR/server" timeout 90 ib_write_bw -d rxeb -x "$(gid rxeb 2)" -n 100 \
		-s 4096 -p 18700 -F
	server=$pid
	sleep 1
	check "ib_write_bw completes through the gate" timeout 90 ib_write_bw -d rxea \
		-x "$(gid rxea 1)" -n 100 -s 4096 -p 18700 -F 127.0.0.1
	grep -E '^ *4096' "$LOG" | sed 's/^/# /'
	wait "$server"
else
	skip "ib_write_bw" "no perftest"
fi
tap_stop
judge_capture "every packet with RDMA payload is in its frame" "$TESTDIR/cap" --plan 0 \
	"$TESTDIR/plan"
compare "there were at least as many as the messages need" "$(field scheduled "$TESTDIR/verdict")" \
	-ge 80
compare "acknowledgements passed as control" "$(wire get lqva stats.control_packets)" -gt 0
rdma_restore >"$LOG" 2>&1
finish

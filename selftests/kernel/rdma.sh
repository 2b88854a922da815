#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Soft-RoCE on a gated device: verbs complete, and their packets obey the frames.
#
# Both ends live in one namespace, as soft-RoCE wants it; policy routing sends what is for the
# other end over the cable, though its address is local.
# modes: normal
# timeout: 300
. /liquid/lib.sh
command -v ibv_rc_pingpong >/dev/null || skip_all "no ibv_rc_pingpong"
start
load veth af_packet crc32_generic ib_uverbs rdma_rxe

need ip link add lqva address 02:00:00:00:00:01 type veth peer name lqvb address 02:00:00:00:00:02
for side in a b; do
	ethtool -K lqv$side tso off gso off gro off tx off >/dev/null 2>&1
	echo 1 >/proc/sys/net/ipv4/conf/lqv$side/accept_local
	echo 0 >/proc/sys/net/ipv4/conf/lqv$side/rp_filter
	need ip link set lqv$side up
done
echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter
need ip addr add 10.6.0.1/32 dev lqva
need ip addr add 10.6.0.2/32 dev lqvb
need ip neigh replace 10.6.0.2 lladdr 02:00:00:00:00:02 dev lqva
need ip neigh replace 10.6.0.1 lladdr 02:00:00:00:00:01 dev lqvb
need ip route add 10.6.0.2/32 dev lqva table 100
need ip route add 10.6.0.1/32 dev lqvb table 101
need ip rule add pref 10 iif lqva lookup local
need ip rule add pref 11 iif lqvb lookup local
need ip rule add pref 20 oif lqva lookup 100
need ip rule add pref 21 oif lqvb lookup 101
need ip rule add pref 22 from 10.6.0.1 to 10.6.0.2 lookup 100
need ip rule add pref 23 from 10.6.0.2 to 10.6.0.1 lookup 101
need ip rule add pref 30 lookup local
need ip rule del pref 0

restore()
{
	ip rule add pref 0 lookup local
	for pref in 10 11 20 21 22 23 30; do
		ip rule del pref $pref
	done
	rdma link del rxea
	rdma link del rxeb
}

if ! rdma link add rxea type rxe netdev lqva >"$LOG" 2>&1 ||
   ! rdma link add rxeb type rxe netdev lqvb >"$LOG" 2>&1; then
	reason=$(head -n 1 "$LOG")
	restore 2>/dev/null
	skip "soft-RoCE" "no soft-RoCE here: $reason"
	finish
fi

# The index of the IPv4 address among a device's GIDs
gid()
{
	for entry in /sys/class/infiniband/"$1"/ports/1/gids/*; do
		grep -q "ffff:0a06:000$2" "$entry" && echo "${entry##*/}"
	done | head -n 1
}

pingpong()
{
	background "$TESTDIR/server" timeout 60 ibv_rc_pingpong -d rxeb -g "$(gid rxeb 2)" -n "$1" -s "$2" -p 18600
	server=$pid
	sleep 1
	timeout 60 ibv_rc_pingpong -d rxea -g "$(gid rxea 1)" -n "$1" -s "$2" -p 18600 127.0.0.1 || return 1
	wait "$server"
}

check "verbs work on this cable without a gate" pingpong 20 4096
need wire add lqva rate_bps=100000000 overhead=24
cat >"$TESTDIR/dests" <<'END'
dests | dest-set dests{dest{id=0 key{kind=0 value=10.6.0.2}} dest{id=1 key{kind=0 value=10.6.0.9}}} | ok
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
	background "$TESTDIR/server" timeout 90 ib_write_bw -d rxeb -x "$(gid rxeb 2)" -n 100 -s 4096 -p 18700 -F
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
judge_capture "every packet with RDMA payload is in its frame" "$TESTDIR/cap" --plan 0 "$TESTDIR/plan"
compare "there were at least as many as the messages need" "$(field scheduled "$TESTDIR/verdict")" -ge 80
compare "acknowledgements passed as control" "$(wire get lqva stats.control_packets)" -gt 0
restore >"$LOG" 2>&1
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A gate, its device and its lease may end in any order, under traffic.
# runs: 6.1-normal 6.12-icount
# timeout: 180
. /liquid/lib/guest.sh
start
make_pair
make_gate
make_dests 3

expired()
{
	[ "$(gate stats.lease_expired)" = 1 ]
}

# Taken away under traffic with a lease pending, about to expire, and expiring.
background "$TESTDIR/blast" blast udp --send-only --bytes 100000000 \
	--rate $((20000000 / SCALE)) --limit 60 lqa@10.0.0.1 -- lqb@10.0.0.2 lqb@10.0.0.3
blast=$pid
for round in 1 2 3 4 5 6 7 8; do
	push 0 "frame_ns=$MS frames=3" "replace lease_ns=$((round * MS))" 1:0 1:1 1:- ||
		echo "round"
	in_ns lqa liquid-nl renew lqva --lease ${round}ms 2>/dev/null
	sleep 0.00$((9 - round))
	in_ns lqa wire del lqva || echo "round"
	in_ns lqa wire add lqva rate_bps=100000000 overhead=24 && make_dests 3 || echo "round"
done >"$TESTDIR/rounds" 2>&1
compare "attached, leased and detached under traffic" "$(grep -c round "$TESTDIR/rounds")" = 0
need push 0 "frame_ns=$MS frames=2" "lease_ns=$((40 * MS))" 1:0 1:1
ip -n lqa link set lqva down
check "a lease expires while the device is down" await expired
ip -n lqa link set lqva up
kill "$blast" 2>/dev/null
wait "$blast" 2>/dev/null
need push 0 "frame_ns=$MS frames=2" "lease_ns=60000000000" 1:0 1:1
check "a device goes with a lease pending" ip -n lqa link del lqva
finish

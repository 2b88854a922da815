#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# In the guest: what a client by the YNL tools does, as another client reads it.
. /liquid/lib/guest.sh
start
load dummy
need ip link add lqd type dummy
need ip link set lqd up
need wire add lqd rate_bps=100000000
index=$(cat /sys/class/net/lqd/ifindex)
/liquid/ynl-client "$index" >"$TESTDIR/client" 2>&1
status=$?
sed 's/^/# client: /' "$TESTDIR/client"

# said TEXT: the client has printed this line
said()
{
	grep -qxF "$1" "$TESTDIR/client"
}

compare "the client succeeds" $status = 0
check "it reads the gate" said "gate $index rate 1000000000 dests 2 frames 2 guard 10000"
check "and its destinations, by an address" said "dest 0 keys 1 ipv4"
check "and by a mark" said "dest 1 keys 1 mark"
check "a wrong request is refused with a text" grep -q "^sched-begin: .*guard" "$TESTDIR/client"
compare "the rate is in force" "$(wire get lqd gate.rate_bps)" = 1000000000
compare "so is the overhead" "$(wire get lqd gate.overhead)" = 38
compare "there are two destinations" "$(wire get lqd state.dests)" = 2
compare "the schedule has two frames" "$(wire get lqd oper.frames)" = 2
need ip link del lqd
finish

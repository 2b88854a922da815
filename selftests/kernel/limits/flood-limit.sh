#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# As many destinations with as many keys as there may be: the last are as cheap as the first, and no
# request holds RTNL for long. flood.sh has keys that are chosen to cost.
# kernels: 6.1
# modes: long
# timeout: 200
. /liquid/lib/guest.sh
start
load dummy af_packet

# limit_flood DEV KEYS: what it prints is in a file of the device's name
limit_flood()
{
	need ip link add "$1" type dummy
	need ip link set "$1" up
	need wire add "$1" rate_bps=10000000000
	command flood "$1" random4 "$2" >"$TESTDIR/$1" 2>&1
	result=$?
	sed "s/^/# /" "$TESTDIR/$1"
	return $result
}

# The least of three counts, for the kernel's own work now and then falls into a request.
for few in lqd2 lqd3 lqd4; do
	limit_flood $few 8192
	compare "1,024 destinations with 8 keys each" $? = 0
	field mean "$TESTDIR/$few" 4
done >"$TESTDIR/few"
grep -v '^[0-9]' "$TESTDIR/few"
least=$(grep '^[0-9]' "$TESTDIR/few" | sort -n | head -n 1)
limit_flood lqd1 524288
compare "65,536 destinations with 8 keys each" $? = 0
compare "no request for 512 keys takes RTNL for longer than 3 ms" "$(for line in 1 2 3 4; do
	field worst "$TESTDIR/lqd1" $line; done | sort -n | tail -n 1)" -lt 3000000
compare "the last are as cheap as the first" "$(field mean "$TESTDIR/lqd1" 4)" -lt \
	$((2 * ${least:-0}))
table - lqd1 <<'END'
all are there | dest-del dests{dest{id=0} dest{id=65535}} | ok
and go | dest-del all | ok
END
compare "no destination of the flood is left" "$(wire get lqd1 state.dests)" = 0
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What `liquid slice --format taprio` prints is taken by tc-taprio(8), with the gates of the CSV.
# modes: icount
# timeout: 120
. /liquid/lib/guest.sh
command -v liquid >/dev/null || skip_all "no liquid"
modprobe sch_taprio 2>/dev/null || skip_all "no sch_taprio in this kernel"
start
load veth
fabric=$TESTDIR/fabric schedule=$TESTDIR/schedule
need liquid fabric make leaf-spine leaves=1 hosts=16 spines=1 -o "$fabric"
need liquid solve "$fabric" -o "$schedule"
need ip link add lqt0 numtxqueues 16 type veth peer name lqt1 numtxqueues 16
need ip link set lqt0 up
need ip link set lqt1 up

slice()
{
	liquid slice "$schedule" --node h1 --frame-time 1ms --guard 12us --base-time 5000 "$@"
}
slice --format taprio >"$TESTDIR/script"
# Another shell here would take the tc of busybox.
DEV=lqt0
check "tc takes the command" . "$TESTDIR/script"
tc qdisc show dev lqt0 >"$TESTDIR/shown"
sed 's/^/# /' "$TESTDIR/shown" | head -n 5
check "with its base time and cycle" grep -q "base-time 5000 cycle-time 15000000" "$TESTDIR/shown"
slice --format csv | sed -n 's/^[0-9]*,\([0-9]*\),0x0*\(.*\)/\2 \1/p' | sed 's/^ /0 /' \
	>"$TESTDIR/csv"
sed -n 's/.*gatemask \(0x\)*\([0-9a-f]*\) interval \([0-9]*\).*/\2 \3/p' "$TESTDIR/shown" \
	>"$TESTDIR/real"
compare "as many gates as in the CSV" "$(wc -l <"$TESTDIR/real")" = "$(wc -l <"$TESTDIR/csv")"
check "which are these" cmp "$TESTDIR/real" "$TESTDIR/csv"

need ip link del lqt0
finish

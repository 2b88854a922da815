#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Allocations fail by chance while packets flow and schedules change: first those that must not
# sleep, which the data path makes; then all of those that make requests.
# kernels: 6.1-debug
# timeout: 150
. /liquid/lib/guest.sh
start
FAULTS=/sys/kernel/debug/failslab
[ -e $FAULTS ] || skip_all "the kernel cannot make allocations fail (CONFIG_FAILSLAB)"
make_pair
make_gate
make_dests 4
in_ns lqa ethtool -K lqva tso on gso on >/dev/null 2>&1
need push +$((2 * MS)) "frame_ns=$((4 * MS)) guard_ns=50000 frames=4" "" 1:0 1:1 1:2 1:-

# fail PERCENT: until told 0
fail()
{
	echo 0 >$FAULTS/verbose
	echo 1 >$FAULTS/interval
	echo -1 >$FAULTS/times
	echo "$1" >$FAULTS/probability
}

load_it()
{
	background "$TESTDIR/udp" blast udp --lossy --bytes 300000 --size 4000 --rate 2000000 \
		--limit 20 lqa@10.0.0.1 -- lqb@10.0.0.2 lqb@10.0.0.3
	background "$TESTDIR/tcp" blast tcp --bytes 300000 --limit 20 lqa@10.0.0.1 -- lqb@10.0.0.2
	tcp=$pid
}

released=$(gate stats.packets)
echo Y >$FAULTS/ignore-gfp-wait
echo N >$FAULTS/task-filter
fail 2
load_it
sleep 3
fail 0
wait "$tcp"
compare "packets flow while allocations that must not sleep fail" \
	"$(gate stats.packets)" -gt $((released + 50))

echo N >$FAULTS/ignore-gfp-wait
echo Y >$FAULTS/task-filter
background "$TESTDIR/trees" in-ns lqa sh -c \
	'echo 1 >/proc/self/make-it-fail; exec trees lqva 8 5 small'
trees=$pid
# A program that cannot be started whole is killed.
await grep -q trees "/proc/$trees/comm"
sleep 1
fail 3
load_it
sleep 6
fail 0
wait "$trees"
sed 's/^/# /' "$TESTDIR/trees"
compare "requests were answered while allocations failed" "$(field lost "$TESTDIR/trees")" = 0
compare "and schedules committed" "$(field commits "$TESTDIR/trees")" -gt 0
wait "$pid"

in_ns lqa wire del lqva
make_gate
make_dests 2
need push +$((2 * MS)) "frame_ns=$((4 * MS)) guard_ns=50000 frames=3" "" 1:0 1:1 1:-
check "all is well afterwards" blast udp --bytes 20000 --limit 20 --port 7000 \
	lqa@10.0.0.1 -- lqb@10.0.0.2 lqb@10.0.0.3
finish

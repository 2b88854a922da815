#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Whichever allocation fails, a request is refused whole or done whole, and nothing is leaked.
# kernels: 6.1-debug
# timeout: 120
. /liquid/lib.sh
start
FAULTS=/sys/kernel/debug
[ -e $FAULTS/failslab ] || skip_all "the kernel cannot make allocations fail (CONFIG_FAILSLAB)"
make_pair
# Those that may sleep as well, which is what configuration does
for kind in failslab fail_page_alloc; do
	need sh -c "echo N >$FAULTS/$kind/ignore-gfp-wait"
	need sh -c "echo 0 >$FAULTS/$kind/verbose"
done
need sh -c "echo 0 >$FAULTS/fail_page_alloc/min-order"

cat >"$TESTDIR/script" <<'END'
attach | add rate_bps=100000000 overhead=24 | ok | del
options | gate-set gate{policy=2 bypass{rule{l4proto=17 port_min=1 port_max=2}}} | ok | gate-set gate{policy=0 bypass{}}
destinations | dest-set dests{dest{id=0 key{kind=0 value=10.0.0.2}} dest{id=1 key{kind=0 value=10.0.0.3} key{kind=2 value=020000000003}}} | ok | dest-del dests{dest{id=0} dest{id=1}}
an id that makes the table larger | dest-set dests{dest{id=60000 key{kind=0 value=10.0.0.4}}} | ok | dest-del dests{dest{id=60000}}
other keys of one that is there | dest-set dests{dest{id=1 key{kind=0 value=10.0.0.5}}} | ok | dest-set dests{dest{id=1 key{kind=0 value=10.0.0.3} key{kind=2 value=020000000003}}}
begin | begin sched{frame_ns=1000000 frames=3} | ok
entries | entries entries{entry{run=1 dest=0} entry{run=1 dest=60000} entry{run=1}} | ok | begin sched{frame_ns=1000000 frames=3}
commit | commit base_time=+60000000000 | ok
begin one of many frames | begin sched{frame_ns=1000000 frames=1000000} | ok | abort
its entries | entries entries{entry{run=999999 dest=0} entry{run=1 dest=1}} | ok | begin sched{frame_ns=1000000 frames=1000000}
commit it in place of the other | commit base_time=+60000000000 replace | ok
read the gate | gate-get | ok | gate-get
read the destinations | dest-get | ok | dest-get
read the schedule | sched-get which=1 | ok | sched-get which=1
clear | clear | ok
delete one | dest-del dests{dest{id=60000}} | ok
begin a third | begin sched{frame_ns=1000000 frames=3} | ok
abort it | abort | ok
delete all | dest-del | ok
detach | del | ok
END
in_ns lqa wire faults lqva <"$TESTDIR/script" >"$TESTDIR/table" 2>"$LOG"
while IFS= read -r line; do
	case $line in
	"ok "*) ok "${line#ok }" ;;
	"not ok "*) not_ok "${line#not ok }" ;;
	*) echo "$line" ;;
	esac
done <"$TESTDIR/table"
compare "each request was tried" "$(grep -c '^ok\|^not ok' "$TESTDIR/table")" = \
	"$(wc -l <"$TESTDIR/script")"
compare "many allocations failed" "$(sed -n 's/^# \([0-9]*\) failed alloc.*/\1/p' "$TESTDIR/table" |
	awk '{ sum += $1 } END { print sum + 0 }')" -gt 40
finish

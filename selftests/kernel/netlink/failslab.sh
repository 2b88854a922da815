#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Whichever allocation fails, a request is refused whole or done whole, and nothing is leaked.
# kernels: 6.1-debug
# timeout: 200
. /liquid/lib/guest.sh
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

# A schedule of few frames, and one of so many that its memory comes in pages
FEW="begin sched{frame_ns=1000000 frames=3}"
FEW_ENTRIES="entries entries{entry{run=1 dest=0} entry{run=1 dest=60000} entry{run=1}}"
MANY="begin sched{frame_ns=1000000 frames=20000}"
MANY_ENTRIES="entries entries{entry{run=19999 dest=0} entry{run=1 dest=1}}"
COMMIT="commit base_time=4000000000000000000"
GATE="rate_bps=100000000 overhead=24"
OPTIONS="policy=2 bypass{rule{l4proto=17 port_min=1 port_max=2}}"
ID1="dest{id=1 key{ipv4=10.0.0.3} key{ether=020000000003}}"
ID1_OTHER="dest{id=1 key{ipv4=10.0.0.5}}"
ID60000="dest{id=60000 key{ipv4=10.0.0.4}}"
ID0="dest{id=0 key{ipv4=10.0.0.2}}"
cat >"$TESTDIR/script" <<END
attach | add $GATE | ok | del
options | gate-set gate{$OPTIONS} | ok | gate-set gate{policy=0 bypass{}}
destinations | dest-set dests{$ID0 $ID1} | ok | dest-del dests{dest{id=0} dest{id=1}}
an id that makes the table larger | dest-set dests{$ID60000} | ok | dest-del dests{dest{id=60000}}
other keys of one that is there | dest-set dests{$ID1_OTHER} | ok | dest-set dests{$ID1}
begin | $FEW | ok | abort
entries | $FEW_ENTRIES | ok | $FEW
commit | $COMMIT | ok | clear; $FEW; $FEW_ENTRIES
begin one of many frames | $MANY | ok | abort
its entries | $MANY_ENTRIES | ok | $MANY
commit it in place of the other | $COMMIT replace | ok | \
	clear; $FEW; $FEW_ENTRIES; $COMMIT; $MANY; $MANY_ENTRIES
read the gate | gate-get | ok | gate-get
read the destinations | dest-get | ok | dest-get
read the schedule | sched-get which=1 | ok | sched-get which=1
clear | clear | ok | $MANY; $MANY_ENTRIES; $COMMIT
delete one | dest-del dests{dest{id=60000}} | ok | dest-set dests{$ID60000}
begin a third | begin sched{frame_ns=1000000 frames=3} | ok | abort
abort it | abort | ok | $FEW
delete all | dest-del all | ok | dest-set dests{$ID0 $ID1_OTHER}
detach | del | ok | add $GATE $OPTIONS
END
results in_ns lqa wire faults lqva <"$TESTDIR/script"
compare "each request was tried" "$(grep -c '^ok\|^not ok' "$TESTDIR/table")" = \
	"$(wc -l <"$TESTDIR/script")"
compare "many allocations failed" "$(sed -n 's/^# \([0-9]*\) failed alloc.*/\1/p' "$TESTDIR/table" |
	awk '{ sum += $1 } END { print sum + 0 }')" -gt 100
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The module's tests run in kselftest's form on a kernel that has the module, and change nothing.
# adds: kselftest
# modes: normal
# runs: 6.12-normal
# timeout: 120
. /liquid/lib/guest.sh
start

# module TEST...: its results in $TESTDIR/results
module()
{
	env -u LIQUID_KERNEL -u LIQUID_ICOUNT PATH=/usr/sbin:/usr/bin \
		LIQUID_KO=/liquid/liquid.ko /liquid/kselftest/module.sh "$@" \
		>"$TESTDIR/results" 2>&1
}

need test -x /liquid/kselftest/programs/wire
module sched/stage.sh
compare "where the module is loaded they are skipped" $? = 4
check "and the reason is named" grep -q "^1..0 # SKIP the module is loaded" \
	"$TESTDIR/results"
need unload_liquid
module netlink/lease-ends.sh sched/stage.sh gate/fit.sh gate/clock-check.sh gate/gate-run.sh
compare "they run where it is not" $? = 0
grep -q "^ok 1 - netlink/lease-ends.sh$" "$TESTDIR/results" &&
	grep -q "^ok 2 - sched/stage.sh$" "$TESTDIR/results"
compare "tests that need no guest pass" $? = 0
compare "the others are skipped with a reason" \
	"$(grep -c "^ok [345] - .* # SKIP it " "$TESTDIR/results")" = 3
compare "all are counted" "$(tail -n 1 "$TESTDIR/results")" = "1..5"
compare "no namespace is left" "$(ip netns list | wc -l)" = 0
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# trap 07: a dump whose remaining destinations are deleted meanwhile does not look like a whole one.
# modes: icount
# timeout: 60
. /liquid/lib/guest.sh
start
make_pair
make_gate
cat >"$TESTDIR/fill" <<'END'
fill | fill-dests 20000 10.1.0.0 | ok
END
need in_ns lqa wire script lqva <"$TESTDIR/fill"
compare "an undisturbed dump is whole" \
	"$(in_ns lqa wire count lqva | cut -d' ' -f1)" = 20000
in_ns lqa dumpstop lqva >"$TESTDIR/dump" 2>&1
sed 's/^/# /' "$TESTDIR/dump"
compare "trap 07: the interrupted one has a part" "$(field read "$TESTDIR/dump")" -gt 0
compare "trap 07: and not all" "$(field read "$TESTDIR/dump")" -lt 20000
compare "trap 07: and says so" "$(field interrupted "$TESTDIR/dump")" = 1
compare "the table is empty" "$(in_ns lqa wire count lqva | cut -d' ' -f1)" = 0
finish

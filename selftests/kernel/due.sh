#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A schedule whose time has come counts as in force, also where no packet has made the gate look.
# modes: icount
# timeout: 60
. /liquid/lib.sh
start
make_pair
need in_ns lqa sysctl -q -w net.ipv6.conf.lqva.disable_ipv6=1

# two RUN:DEST... -- RUN:DEST...: a schedule in force, and one whose base time passes unnoticed
two()
{
	in_ns lqa wire del lqva 2>/dev/null
	make_gate
	make_dests 3
	first=
	while [ "$1" != -- ]; do
		first="$first $1"
		shift
	done
	shift
	# shellcheck disable=SC2086
	need push +$MS "frame_ns=1000000 frames=$(set -- $first; echo $#)" "" $first
	sleep 0.05
	compare "the first is in force" "$(gate oper.frames)" = "$(set -- $first; echo $#)"
	need push +$((20 * MS)) "frame_ns=1000000 frames=$#" "" "$@"
	sleep 0.1
}

two 1:0 1:- -- 1:1 1:- 1:-
table lqa lqva <<'END'
a destination that only the replaced schedule named can be deleted | dest-del dests{dest{id=0}} | ok
one that the new schedule names cannot | dest-del dests{dest{id=1}} | EBUSY | a schedule names the destination: clear or replace it first
END
two 1:0 1:- -- 1:1 1:- 1:-
compare "a destination shows its frames of the new schedule" "$(in_ns lqa wire dest lqva 1 frames)" = 1
two 1:0 1:- -- 1:1 1:- 1:-
compare "and none of the old" "$(in_ns lqa wire dest lqva 0 frames || echo 0)" = 0
two 1:0 -- 1:0 1:-
table lqa lqva <<'END'
a policy that the replaced schedule forbade can be set | gate-set gate{policy=1} | ok
END
two 1:0 1:- -- 1:0
table lqa lqva <<'END'
one that the new schedule forbids cannot | gate-set gate{policy=1} | EBUSY | a schedule has no idle frame: clear it or use another policy
END
two 1:0 1:- -- 1:1 1:- 1:-
check "another can be committed: none waits" push +1000000000 "frame_ns=1000000 frames=1" "" 1:2
two 1:0 1:- -- 1:1 1:- 1:-
compare "the gate shows the new one" "$(gate oper.frames)" = 3
refuse "and that none waits" gate admin.frames
finish

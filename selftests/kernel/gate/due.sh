#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A schedule whose time has come counts as in force, also where no packet has made the gate look.
# kernels: 5.10 6.1 6.1-rt newest 6.1-debug
# modes: icount
# timeout: 60
. /liquid/lib/guest.sh
start
make_pair

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
table lqa lqva <<END
a destination that only the replaced schedule named can be deleted | dest-del dests{dest{id=0}} | ok
one that the new schedule names cannot | dest-del dests{dest{id=1}} | EBUSY | \
	a schedule uses the destination: clear or replace the schedule first
END
two 1:0 1:- -- 1:1 1:- 1:-
compare "a destination shows its frames of the new schedule" \
	"$(in_ns lqa wire dest lqva 1 frames)" = 1
two 1:0 1:- -- 1:1 1:- 1:-
compare "after the change no frame of the old schedule is left" \
	"$(in_ns lqa wire dest lqva 0 frames || echo 0)" = 0
two 1:0 -- 1:0 1:-
table lqa lqva <<'END'
a policy that the replaced schedule forbade can be set | gate-set gate{policy=1} | ok
END
two 1:0 1:- -- 1:0
table lqa lqva <<END
one that the new schedule forbids cannot | gate-set gate{policy=1} | EBUSY | \
	a schedule has no idle frame: clear it or use another policy
END
two 1:0 1:- -- 1:1 1:- 1:-
check "another can be committed: none waits" push +1000000000 "frame_ns=1000000 frames=1" "" 1:2

# one_packet ADDRESS: sent, and had time to leave
one_packet()
{
	need blast udp --lossy --linger 1 --bytes 1400 --size 1400 lqa@10.0.0.1 -- "lqb@$1"
	sleep 0.1
}

in_ns lqa wire del lqva
make_gate dest_limit_bytes=1000
make_dests 1
one_packet 10.0.0.2
compare "a destination's limit refuses a larger packet" "$(gate stats.drop_limit)" = 1
need push +$((20 * MS)) "frame_ns=1000000 frames=1" "" 1:0
sleep 0.1
one_packet 10.0.0.2
compare "two frames of a schedule that is due are room enough for it" "$(gate stats.packets)" = 1
compare "a packet within two frames of a due schedule is not dropped" "$(gate stats.drop_limit)" = 1

in_ns lqa wire del lqva
make_gate policy=3
make_dests 2
need push +$MS "frame_ns=1000000 frames=1" "" 1:0
sleep 0.05
compare "the first is in force" "$(gate oper.dests)" = 1
one_packet 10.0.0.3
compare "the policy drops what it does not name" "$(gate stats.drop_policy)" = 1
need push +$((20 * MS)) "frame_ns=1000000 frames=1" "" 1:1
sleep 0.1
one_packet 10.0.0.3
compare "a destination that a due schedule names is not dropped" "$(gate stats.packets)" = 1
compare "the policy drops no more once the schedule is in force" "$(gate stats.drop_policy)" = 1

two 1:0 1:- -- 1:1 1:- 1:-
compare "the gate shows the new one" "$(gate oper.frames)" = 3
refuse "the gate says that no schedule waits" gate admin.frames
finish

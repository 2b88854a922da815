#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A clock that goes bad in mid job: the gates that relied on it open, and the status says why. A
# clock that stays good keeps its gates.
# adds: munge
# modes: icount
# kernels: 6.1
# timeout: 200
set -u

. /liquid/lib/guest.sh
. /liquid/lib/job.sh

status()
{
	liquid-nl job status "$1" --config "$TESTDIR/conf"
}

# begins JOB: on four nodes, which all gate, by a clock that is good
begins()
{
	clockset sync 20
	job "$1" 1 2 3 4
	all_done
	check "$1: all gate" said 4
}

# opens JOB REASON: all of its gates, within a lease
opens()
{
	all_say()
	{
		status "$1" >"$LOG" 2>&1
		[ "$(grep -o "node h[1-4] has opened its gate: $2" "$LOG" | wc -l)" = 4 ]
	}
	if await all_say "$1" "$2"; then
		ok "$1: the status has the reason, of each node"
	else
		not_ok "$1: the status has the reason, of each node"
	fi
	compare "$1: no gate holds" "$(gated)" = 0
}

# holds JOB: its gates do, for two leases more
holds()
{
	sleep 8
	compare "$1: $2" "$(gated) $(status "$1" | grep -c opened)" = "4 0"
}

start
clockset sync 20
make_cluster
need liquid fabric make leaf-spine leaves=2 hosts=2 spines=1 -o "$TESTDIR/fabric"
conf "$TESTDIR/fabric" "lease 4s" >"$TESTDIR/conf"

begins source
holds source "a clock that stays good keeps its gates"
clockset sync 5000000
sleep 0.8
clockset sync 20
holds source "it was bad for less than two looks: the gates stay"
clockset sync 5000000
opens source "the clock may be off by 5[.0-9]* s, and 900 ms is allowed"
end source

begins stepped
clockset step 5
opens stepped "the clock was stepped by [45]"
end stepped

begins back
clockset step -7
opens back "the clock was stepped by -7"
end back

begins tai
clockset tai 0
opens tai "the kernel's TAI - UTC offset was 37 s, and is 0 s now"
end tai
clockset tai 37

# A timer renews: it leaves the leases to expire.
clockset sync 20
waiting=
need liquid-nl job start timed --nodes 'h[1-2]' --traffic exchange --config "$TESTDIR/conf"
for n in 1 2; do
	in_ns lqn$n liquid-nl job ready timed --node h$n \
		--config "$TESTDIR/conf" >"$TESTDIR/timed.$n" 2>&1 &
	waiting="$waiting $!"
done
job=timed
all_done
check "without a process that stays: both gate" said 2
check "a timer renews by a good clock" \
	in_ns lqn1 liquid-nl job renew --node h1 --config "$TESTDIR/conf"
clockset sync 5000000
unfit()
{
	! in_ns lqn1 liquid-nl job renew --node h1 --config "$TESTDIR/conf" >"$TESTDIR/said" 2>&1 &&
		grep "the clock may be off by 5" "$TESTDIR/said"
}
check "and not by a bad one, for the reason that it says" unfit
clockset sync 20
end timed
finish

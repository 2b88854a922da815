#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A job's gates have leases: they hold as long as the job is cared for, also while a reroute takes
# its time, and no longer: not after a killed process, nor after an epilogue that never ran.
# adds: munge
# modes: icount
# kernels: 6.1
# timeout: 280
set -u

. /liquid/lib/guest.sh
. /liquid/lib/job.sh

expired()
{
	in_ns "lqn$1" wire get lqv stats.lease_expired
}

status()
{
	liquid-nl job status "$1" --config "$TESTDIR/conf"
}

# open_within SECONDS N...: these nodes have no schedule by then
open_within()
{
	limit=$(($(date +%s) + $1))
	shift
	while :; do
		open=0
		for n; do
			show "$n" | grep -qE '^  (oper|admin) ' || open=$((open + 1))
		done
		[ $open = $# ] && return 0
		[ "$(date +%s)" -lt $limit ] || return 1
		sleep 0.2
	done
}

start
clockset sync 20
make_cluster
need liquid fabric make leaf-spine leaves=2 hosts=2 spines=1 -o "$TESTDIR/fabric"
need liquid fabric make leaf-spine leaves=2 hosts=2 spines=2 -o "$TESTDIR/other"
# The lease is shorter than the time that a round may take.
DEADLINE=8s
conf "$TESTDIR/fabric" "lease 4s" >"$TESTDIR/conf"

job cared 1 2 3 4
all_done
check "all gate" said 4
check "with a lease" sh -c "in-ns lqn1 liquid-nl show lqv | grep '^  lease  4 s,'"
sleep 12
compare "as long as the job is cared for" "$(gated) $(expired 1)" = "4 0"

# One does not answer: the others wait for it, twice as long as their lease. Its own is not renewed.
stopped=$(process_of cared 4)
kill -STOP "$stopped"
need liquid-nl job reroute cared --fabric "$TESTDIR/other" --config "$TESTDIR/conf"
for _ in $(seq 40); do
	sleep 0.5
	[ -e "$TESTDIR/store/rounds/cared-2/release.json" ] && break
done
check "a reroute is given up for one node" grep '"verdict":"abort"' \
	"$TESTDIR/store/rounds/cared-2/release.json"
compare "the others have kept theirs meanwhile" "$(gated) $(expired 1) $(expired 4)" = "3 0 1"
kill -CONT "$stopped"
told()
{
	status cared | grep -q "; node h4 has opened its gate"
}
await told
liquid-nl job status cared --config "$TESTDIR/conf" >"$TESTDIR/cared" 2>&1
check "a node's process that goes on says that it has opened its gate" \
	grep 'round cared-1,.*; node h4 has opened its gate' "$TESTDIR/cared"
need liquid-nl job reroute cared --fabric "$TESTDIR/other" --config "$TESTDIR/conf"
all_four()
{
	[ "$(gated)" = 4 ]
}
await all_four
compare "with the next schedule it gates again" "$(gated)" = 4

# A process that is killed clears nothing; nor does the one that waits for its end before a verdict.
kill -KILL "$(process_of cared 2)"
check "one is killed: its gate opens" open_within 8 2
compare "for its lease, and no one else's" "$(expired 2) $(gated)" = "1 3"
refuse "what has expired cannot be renewed" in_ns lqn2 liquid-nl job renew cared --node h2 \
	--config "$TESTDIR/conf"

# No epilogue runs on any node; the controller alone notes the end, and one process learns of
# nothing.
stopped=$(process_of cared 3)
kill -STOP "$stopped"
need liquid-nl job end cared --config "$TESTDIR/conf"
check "no epilogue: who waits for the end opens the gate" open_within 3 1 4
compare "and not for its lease" "$(expired 1)" = 0
check "no epilogue, and no one who waits: the gate opens all the same" open_within 8 3
compare "for its lease" "$(expired 3)" = 1
kill -CONT "$stopped"
compare "no process is left" "$(left cared)" = 0

# No one stays: who has a timer, or a health check of the cluster, renews.
waiting=
need liquid-nl job start once --nodes 'h[1-2]' --traffic exchange --config "$TESTDIR/conf"
for n in 1 2; do
	in_ns lqn$n liquid-nl job ready once --node h$n \
		--config "$TESTDIR/conf" >"$TESTDIR/once.$n" 2>&1 &
	waiting="$waiting $!"
done
job=once
all_done
check "without a process that stays: both gate" said 2
for _ in 1 2 3 4 5; do
	sleep 1
	for n in 1 2; do
		in_ns lqn$n liquid-nl job renew --node h$n --config "$TESTDIR/conf"
	done
done >"$TESTDIR/renewed" 2>&1
cp "$TESTDIR/renewed" "$LOG"
compare "they are renewed from without" \
	"$(gated) $(grep -c '^job once: node h[12]: renewed$' "$LOG")" = "2 10"
compare "and leave alone what is none of theirs" \
	"$(in_ns lqn3 liquid-nl job renew --node h3 --config "$TESTDIR/conf" 2>&1 | wc -l)" = 0
check "when that ends, they open" open_within 8 1 2
end once
finish

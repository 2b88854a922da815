#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The wire by RDMA of the MPI objects, over soft-RoCE and without MPI; and the example of RDMA.
# modes: icount
# kernels: 6.1
# adds: verbs
# timeout: 200
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/rdma.sh
. /liquid/lib/rdma-exchange.sh
command -v verbs-wires >/dev/null ||
	skip_all "no libibverbs, libucx or Open MPI on the host (make deps)"
fabric_start
load ipv6
sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
sysctl -qw vm.percpu_pagelist_high_fraction=100000

# wires TEXT CASE...: its results, each with TEXT before it
wires()
{
	text=$1
	shift
	verbs-wires "$@" >"$TESTDIR/wires" 2>&1 || echo "not ok it ends" >>"$TESTDIR/wires"
	sed "s/^ok /&$text: /; s/^not ok /&$text: /" "$TESTDIR/wires" >"$TESTDIR/named"
	results cat "$TESTDIR/named"
}

# builders BYTES EVENTS RANK...: the installed example; the last rank is $pid
builders()
{
	size="$1 $2"
	shift 2
	started=
	for rank; do
		# shellcheck disable=SC2046,SC2086 # words
		background "$TESTDIR/builder$rank" event-builder-rdma "$FABRIC" "$rank" $size \
			$(sed 's/.* //; s/$/:20000/' "$TESTDIR/map")
		started="$started $pid"
	done
}

# ended CODES TEXT TIMES: their exit codes, and how often they print TEXT
ended()
{
	codes=
	for one in $started; do
		wait "$one"
		codes="$codes $?"
	done
	cat "$TESTDIR"/builder?
	echo "exit codes:$codes"
	[ "$codes" = "$1" ] && [ "$(cat "$TESTDIR"/builder? | grep -c "$2")" -ge "$3" ]
}

need liquid fabric make leaf-spine leaves=2 hosts=2 spines=1 -o "$FABRIC"
RATE=200000000
exchange_up --switching cut-through --buffer 72000
for registration in call bounce cache; do
	wires "$registration" exchange $registration rh1 rh2 rh3 rh4
done
wires "remapped, call" remap call rh1 rh2
wires "remapped, cache" remap cache rh1 rh2
wires "refusal" refuse rh1 rh2
wires "late" late rh1 rh3
wires "dead" dead rh1 rh3
wires "deaf" deaf rh1 rh3
wires "1024 ranks" many 1024 rh1
wires "apart, call" apart call rh1
wires "apart, cache" apart cache rh1

builders 100000 3 0 1 2 3
check "event builders: all data of three events is right, each piece with its tokens" \
	ended " 0 0 0 0" "3 events in .* 9 pieces sent, 0 without" 4
builders 1000 1 0 1 3
check "event builders: a rank that does not come is named, and all end" \
	ended " 1 1 1" "rank 2 does not answer" 3
builders 100000 100000 0 1 2 3
sleep 0.3
kill -KILL "$pid"
check "event builders: a rank that dies is named, and all end" \
	ended " 1 1 1 137" "rank 3 has ended" 1
builders 100000 100000 0 1 2 3
sleep 0.3
kill -STOP "$pid"
# Each waits 5 s for tokens before it sends without, one may wait for another, then 10 s for data.
for _ in 1 2 3 4 5; do
	await grep -q "rank 3 does not go on" "$TESTDIR"/builder? && break
done
kill -KILL "$pid"
check "event builders: a rank that does not go on is named, and all end" \
	ended " 1 1 1 137" "event .*: rank 3 does not go on" 1
exchange_down

RATE=20000000
exchange_up --switching cut-through --buffer 36000
wires "token" token rh1 rh3
wires "left" left rh1 rh3
exchange_down
fabric_finish

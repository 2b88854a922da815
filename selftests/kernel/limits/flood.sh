#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Whoever chooses the keys of destinations, and knows how they are kept, makes neither a request nor
# a packet costlier than keys by chance do. No one in their own namespace is as good as root
# here. flood-limit.sh has as many keys as there may be.
# kernels: 6.1
# modes: icount
# runs: 6.1-icount
# timeout: 200
. /liquid/lib/guest.sh
start
load dummy af_packet
TRACE=/sys/kernel/tracing
KEYS=8192
mkdir "$TESTDIR/nobody"
chown 65534 "$TESTDIR/nobody"

# flood KIND: as nobody; what it prints is in a file of that name
flood()
{
	as_nobody flood lqd0 "$1" $KEYS >"$TESTDIR/$1" 2>&1
	result=$?
	sed "s/^/# $1: /" "$TESTDIR/$1"
	return $result
}

# The same by a user who gets the seed of the table
flood_leaked()
{
	ready=$TESTDIR/nobody/$1.ready
	told=$TESTDIR/nobody/$1.seed
	echo 0 >$TRACE/events/enable
	echo >$TRACE/trace
	echo "p:liquid_leak liquid_table_draft $(command flood fetch)" >$TRACE/kprobe_events
	echo 1 >$TRACE/events/kprobes/liquid_leak/enable
	background "$TESTDIR/$1" as_nobody flood lqd0 "$1" $KEYS "$ready" "$told"
	await test -e "$ready"
	echo 0 >$TRACE/events/kprobes/liquid_leak/enable
	sed -n 's/.*flip=\([0-9]*\) first=\([0-9]*\) second=\([0-9]*\).*/\1 \2 \3/p' $TRACE/trace |
		tail -n 1 >"$told.new"
	mv "$told.new" "$told"
	wait "$pid"
	result=$?
	echo >$TRACE/kprobe_events
	sed "s/^/# $1: /" "$TESTDIR/$1"
	rm -f "$ready" "$told"
	return $result
}

# thrice COMMAND KIND: of three floods the least of each figure, for the kernel's own work now and
# then falls into a request
thrice()
{
	for run in 1 2 3; do
		"$1" "$2" || return
		mv "$TESTDIR/$2" "$TESTDIR/$2.$run"
	done
	paste -d ' ' "$TESTDIR/$2".[123] | awk -F'[ =]' '{
		for (i = 2; i <= NF / 3; i += 2) {
			least = $i
			for (run = 1; run < 3; run++)
				if ($(i + run * NF / 3) < least)
					least = $(i + run * NF / 3)
			printf "%s=%s%s", $(i - 1), least, (i < NF / 3 - 1 ? " " : "\n")
		}
	}' >"$TESTDIR/$2"
}

# no_dearer NAME KIND THAN: at each fill a request and a packet of KIND costs at most twice those of
# THAN
no_dearer()
{
	for line in 1 2 3 4; do
		for what in mean worst packet; do
			mine=$(field $what "$TESTDIR/$2" $line)
			theirs=$(field $what "$TESTDIR/$3" $line)
			compare "$1: $(field keys "$TESTDIR/$3" $line) keys, $what" \
				"${mine:-999999999}" -le $((2 * ${theirs:-0}))
		done
	done
}

thrice flood random6
compare "user nobody fills a table" $? = 0
thrice flood random4
thrice flood constants6
no_dearer "keys made of the constants of an earlier hash" constants6 random6
thrice flood_leaked leaked4
compare "the seed was received" $? = 0
no_dearer "keys that collide under a seed that has leaked" leaked4 random4
thrice flood_leaked overrun4
compare "keys that no table of this seed has room for are taken" $? = 0
n=$((KEYS / 512 / 4))
sum=$(awk -F'[ =]' -v n=$n '{ sum += $6 * (NR < 5 ? n : 1) } END { print sum }' "$TESTDIR/overrun4")
fair=$(awk -F'[ =]' -v n=$n '{ sum += $6 * n } END { print sum }' "$TESTDIR/random4")
compare "with what it takes to build the table anew, all requests cost less than twice as much" \
	"${sum:-999999999}" -lt $((2 * ${fair:-0}))
compare "with keys that overrun the table a packet costs at most twice as much" \
	"$(field packet "$TESTDIR/overrun4" 5)" -le \
	$((2 * $(field packet "$TESTDIR/random4" 4)))
finish

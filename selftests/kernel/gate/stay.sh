#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Gates without jobs: push --stay keeps a schedule's lease; a node that begins anew is in phase with
# the others at once; whatever ends its keeper opens the gate.
# runs: 6.1-icount
# timeout: 120
. /liquid/lib/guest.sh

FRAME=1000000		# ns
FRAMES=6

# node SIDE: what gates that side's node for good, as liquid-schedule@.service does
node()
{
	side=$1
	shift
	case $side in
	a) name=t1 ;;
	b) name=t2 ;;
	esac
	set -- --schedule "$TESTDIR/schedule" --fabric "$TESTDIR/fabric" --frame-time $FRAME \
		--addr-map "$TESTDIR/map" --node "$name" --replace --lease 1s --stay "$@"
	# not in_ns: its process would be a shell
	background "$TESTDIR/keeper.$side" in-ns lq$side liquid-nl push lqv$side "$@"
	[ $side = b ] || keeper=$pid
}

mode() { in_ns "lq$1" wire get "lqv$1" state.mode; }
base() { in_ns "lq$1" wire get "lqv$1" oper.base_time; }
gates() { [ "$(mode "$1")" = 1 ]; }
opened() { [ "$(mode "$1")" = 0 ]; }
in_phase() { [ $((($(base a) - $(base b)) % (FRAME * FRAMES))) = 0 ]; }

start
make_pair
for side in a b; do
	need in_ns lq$side liquid-nl attach lqv$side --rate 1G
done
for host in 1 2 3 4 5; do
	echo "r$host 10.0.0.$((host + 1))"
done >"$TESTDIR/map"
for fabric in papers-5x5:fabric torus:other; do
	need liquid fabric make ${fabric%:*} -o "$TESTDIR/${fabric#*:}"
done
need liquid solve "$TESTDIR/fabric" --senders 't[1-5]' --receivers 'r[1-5]' --link-rate 1G \
	--json -o "$TESTDIR/schedule"

node a
node b
check "a node gates" await gates a
check "and so does the other" await gates b
check "their frames begin at the same moments" in_phase
sleep 3
check "no one else renews: it gates for longer than the lease" gates a
compare "no lease has expired" "$(gate stats.lease_expired)" = 0

first=$(base a)
kill -KILL "$keeper"
check "a keeper that is killed: its gate opens with the lease" await opened a
compare "as an expired lease" "$(gate stats.lease_expired)" = 1
check "the other node gates on" gates b
node a
check "it begins anew and gates" await gates a
compare "with a base time of its own" "$(base a)" != "$first"
check "in phase with the node that went on" in_phase

kill -TERM "$keeper"
check "a keeper that is told to end opens its gate at once" await opened a
compare "which no lease has done" "$(gate stats.lease_expired)" = 1
wait "$keeper"
compare "and it ends well" $? = 0

node a --fabric "$TESTDIR/other"
wait "$keeper"
compare "a schedule of another fabric is bad input" $? = 1
check "that is said" grep 'is a schedule for another fabric' "$TESTDIR/keeper.a"
check "the gate stays open" opened a

node a
check "it gates again" await gates a
need in_ns lqa liquid-nl push lqva --schedule "$TESTDIR/schedule" --frame-time 2ms --node t1 \
	--addr-map "$TESTDIR/map" --replace --lease 5s
wait "$keeper"
compare "a keeper does not renew another schedule's lease" $? = 3
check "but says why it ends" grep 'lqva: another schedule has taken the gate' \
	"$TESTDIR/keeper.a"
check "and leaves it" gates a
check "whose own lease ends then" await opened a
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Network namespaces go with all that is in them: a gate with a schedule, a lease and waiting
# packets, while sockets with open transactions and a listener of events hold on. Every other gate
# has four TX queues.
# modes: normal
# runs: 6.1-normal
# timeout: 400
. /liquid/lib/guest.sh
start
load veth dummy af_packet
NAMESPACES=32
[ $DEBUG = 0 ] || NAMESPACES=500
holders=

cat >"$TESTDIR/links" <<END
link set lo up
link add lqd0 type dummy
link add lqva numtxqueues QUEUES type veth peer name lqvb
addr add 10.0.0.1/24 dev lqva
link set lqvb up
link set lqva up
neigh replace 10.0.0.2 lladdr 02:00:00:00:00:02 dev lqva
neigh replace 10.0.0.9 lladdr 02:00:00:00:00:02 dev lqva
END
cat >"$TESTDIR/gate" <<END
gate | add rate_bps=100000000 overhead=24 | ok
dests | \
	dest-set dests{dest{id=0 key{ipv4=10.0.0.2}} \
	dest{id=1 key{ipv6=fd00::2}}} | ok
begin | begin sched{frame_ns=10000000 frames=3} | ok
entries | entries entries{entry{run=2 dest=1} entry{run=1 dest=0}} | ok
commit | commit base_time=0 lease_ns=20000000000 | ok
renew | renew lease_ns=40000000 | ok
END
cat >"$TESTDIR/open" <<END
open transaction | begin sched{frame_ns=100000 frames=3} | ok
wait | sleep 100000000000 | ok
END

# hold ID COMMAND...: a process in the namespace, which outlives its name
hold()
{
	ns=lqc$1
	shift
	in-ns "$ns" "$@" >/dev/null 2>&1 &
	holders="$holders $!"
}

# One life of a namespace. Every fourth is held by a socket with an open transaction and by a
# listener, every 32nd by random requests as well; these end a few namespaces later.
life()
{
	ip netns add lqc$1 || return 1
	sed "s/QUEUES/$((1 + $1 % 2 * 3))/" "$TESTDIR/links" | ip -n lqc$1 -batch - || return 1
	in-ns lqc$1 wire script lqva <"$TESTDIR/gate" >"$TESTDIR/life" 2>&1
	grep -q '^not ok' "$TESTDIR/life" && cat "$TESTDIR/life" && return 1
	in-ns lqc$1 pkt lqva --dst 10.0.0.2 --count 20 udp
	[ $(($1 % 32)) != 4 ] || hold $1 trees lqva 100 $1
	if [ $(($1 % 4)) = 0 ]; then
		hold $1 wire script lqva <"$TESTDIR/open"
		hold $1 liquid-nl monitor
		sleep 0.02
	fi
	ip netns del lqc$1
}

let_go()
{
	for holder in $holders; do
		kill -KILL "$holder"
		wait "$holder"
	done 2>/dev/null
	holders=
}

lives=0
for id in $(seq $NAMESPACES); do
	life "$id" && lives=$((lives + 1))
	[ $((id % 32)) != 0 ] || let_go
done >"$TESTDIR/lives" 2>&1
let_go
cp "$TESTDIR/lives" "$LOG"
compare "$NAMESPACES namespaces came and went" "$lives" = $NAMESPACES
compare "no namespace is left" "$(ip netns list | wc -l)" = 0

no_gate()
{
	grep -q "^$MODULE [0-9]* 0 " /proc/modules
}

check "the gates went with their namespaces" await no_gate
finish

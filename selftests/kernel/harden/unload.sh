#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The module is unloaded and loaded again and again while others attach gates, read dumps in part,
# listen to events and close sockets with open transactions.
# modes: normal
# runs: 6.1-normal
# timeout: 300
. /liquid/lib/guest.sh
start
load dummy
# It goes on until enough of both has happened: on a busy host, and more so on a debug kernel, it
# takes long until no one has a gate, and a gate takes seconds.
SECONDS_=$((10 * (1 + 2 * DEBUG)))
SECONDS_MAX=$((60 * (1 + 3 * DEBUG)))
TIMES=$((5 - 4 * DEBUG))
GATES=5
need ip link add lqd0 type dummy
need ip link add lqd1 numtxqueues 4 type dummy
need ip link set lqd0 up
need ip link set lqd1 up
touch "$TESTDIR/on"

# while_on NAME COMMAND...: again and again; a line for each time that it succeeds
while_on()
{
	out=$TESTDIR/$1
	shift
	while [ -e "$TESTDIR/on" ]; do
		"$@" >/dev/null 2>&1 && echo done
		sleep 0.05
	done >"$out" &
	pids="$pids $!"
}

attach_and_detach()
{
	wire add lqd0 rate_bps=100000000 || return 1
	echo "begin | begin sched{frame_ns=1000000 frames=1000} | ok" | wire script lqd0
	ip link set lqd0 mtu 1400
	ip link set lqd0 mtu 1500
	tc qdisc del dev lqd0 root
}

scheduled()
{
	wire add lqd1 rate_bps=100000000 || return 1
	wire script lqd1 <<-END
	dests | dest-set dests{dest{id=0 key{ipv4=10.0.0.2}}} | ok
	begin | begin sched{frame_ns=100000 frames=1} | ok
	entries | entries entries{entry{run=1 dest=0}} | ok
	commit | commit base_time=0 lease_ns=1000000 | ok
	END
	wire count lqd1
	wire del lqd1
}

while_on attached attach_and_detach
while_on scheduled scheduled
while_on watched timeout 0.2 liquid-nl monitor
while_on closed ip link show lqd0

# since SECONDS: so much time has gone by
since()
{
	[ $(($(now) - begun)) -ge $(($1 * 1000 * MS)) ]
}

# enough NAME: it has succeeded often enough
enough()
{
	[ "$(wc -l <"$TESTDIR/$1")" -ge $GATES ]
}

unloaded=0
begun=$(now)
until since $SECONDS_MAX ||
      { [ $unloaded -ge $TIMES ] && since $SECONDS_ && enough attached && enough scheduled; }; do
	rmmod "$MODULE" 2>/dev/null && unloaded=$((unloaded + 1))
	is_loaded || load_liquid || break
done
rm "$TESTDIR/on"
for id in $pids; do
	wait "$id"
done
echo "# unloaded $unloaded times, beside $(cat "$TESTDIR/attached" "$TESTDIR/scheduled" |
	wc -l) gates"
compare "the module went and came back" "$unloaded" -ge $TIMES
compare "gates were attached in between" "$(wc -l <"$TESTDIR/attached")" -ge $GATES
compare "and with schedules" "$(wc -l <"$TESTDIR/scheduled")" -ge $GATES
check "the module is there" is_loaded
check "and takes a gate" wire add lqd1 rate_bps=100000000
finish

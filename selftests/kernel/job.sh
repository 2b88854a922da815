#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl job with real gates: four nodes in namespaces on a bridge. All of them gate by the same
# schedule from the same time, or none has one; the end clears; nothing is left.
# timeout: 500
set -u

# shellcheck source=selftests/kernel/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

NODES="1 2 3 4"

# All of the nodes' work is done by one or two processors, and a host that is busy takes some of it.
if [ "${LIQUID_ICOUNT:-0}" = 1 ] && [ $DEBUG = 0 ]; then
	DEADLINE=5s
	LEAD=2s
else
	DEADLINE=20s
	LEAD=8s
fi

make_cluster()
{
	load veth bridge
	need ip link add lqbr type bridge
	need ip link set lqbr up
	for n in $NODES; do
		need ip netns add lqn$n
		need ip link add lqp$n type veth peer name lqv netns lqn$n
		need ip link set lqp$n master lqbr up
		need ip -n lqn$n link set lo up
		need ip -n lqn$n addr add 10.9.0.$n/24 dev lqv
		need ip -n lqn$n link set lqv up
		need in_ns lqn$n liquid-nl attach lqv --rate 1G
		echo "h$n 10.9.0.$n"
	done >"$TESTDIR/addresses"
}

conf()
{
	cat <<-END
	fabric $1
	addresses $TESTDIR/addresses
	store $TESTDIR/store
	device lqv
	frame-time 1ms
	deadline $DEADLINE
	lead $LEAD
	clock refuse
	clock-error 900ms
	guard 50us
	traffic exchange alltoall
	END
}

# node JOB N [CONF]: its prologue
node()
{
	ip netns exec "lqn$2" setsid liquid-nl job ready "$1" --node "h$2" --stay \
		--config "${3:-$TESTDIR/conf}" >"$TESTDIR/$1.$2" 2>&1 &
	pid=$!
	waiting="$waiting $pid"
}

# job JOB N...: publish it for all nodes; the prologue runs on those given
job()
{
	job=$1
	shift
	waiting=
	need liquid-nl job start "$job" --nodes 'h[1-4]' --traffic exchange --config "$TESTDIR/conf"
	for n; do
		node "$job" "$n"
	done
}

all_done()
{
	for p in $waiting; do
		wait "$p"
	done
	cat "$TESTDIR/$job".* >"$LOG"
}

show()
{
	in_ns "lqn$1" liquid-nl show lqv
}

# said N: so many nodes have said that they gate
said()
{
	cat "$TESTDIR/$job".*
	[ "$(cat "$TESTDIR/$job".* | grep -c ' gates by schedule ')" = "$1" ]
}

# How many nodes have a schedule, in force or waiting
gated()
{
	for n in $NODES; do
		show $n | grep -E '^  (oper|admin) ' | head -n 1
	done | wc -l
}

bases()
{
	for n in $NODES; do
		in_ns lqn$n liquid-nl show lqv --json | sed -n 's/.*"base_time": \([0-9]*\).*/\1/p'
	done | sort -u
}

end()
{
	for n in $NODES; do
		in_ns lqn$n liquid-nl job end "$1" --node h$n --config "$TESTDIR/conf" >>"$LOG" 2>&1
	done
	compare "$1: its end leaves no gate closed" "$(gated)" = 0
	compare "$1: no process is left" "$(left "$1")" = 0
}

# Processes of a job that are still there after a while
left()
{
	for _ in $(seq 50); do
		count_left=$(grep -la "^liquid-nl.job.ready.$1" /proc/[0-9]*/cmdline 2>/dev/null | wc -l)
		[ "$count_left" = 0 ] && break
		sleep 0.1
	done
	echo "$count_left"
}

process_of()
{
	for p in /proc/[0-9]*; do
		# Processes come and go.
		cat "$p/cmdline" 2>/dev/null | tr '\0' ' ' | grep -q "^liquid-nl job ready $1 --node h$2 " &&
			echo "${p#/proc/}"
	done | head -n 1
}

start
clockset sync 20
make_cluster
need liquid-nl fabric make leaf-spine leaves=2 hosts=2 spines=1 -o "$TESTDIR/fabric"
need liquid-nl fabric make leaf-spine leaves=2 hosts=2 spines=2 -o "$TESTDIR/other"
conf "$TESTDIR/fabric" >"$TESTDIR/conf"
conf "$TESTDIR/other" >"$TESTDIR/other-conf"

job all 1 2 3 4
all_done
check "all ready: all say that they gate" said 4
compare "all have a schedule" "$(gated)" = 4
compare "of one base time" "$(bases | wc -l)" = 1
in_force()
{
	show 1 | grep -q '^lqv: gated'
}
await in_force || await in_force
check "it comes into force" sh -c "ip netns exec lqn1 liquid-nl show lqv | grep '^lqv: gated'"
check "and traffic passes" in_ns lqn1 ping -c 2 -i 0.2 -W 2 10.9.0.4
# Between exchanges
need in_ns lqn1 liquid-nl gate off lqv
check "gate off: nothing waits for a frame" sh -c \
	"ip netns exec lqn1 liquid-nl show lqv | grep 'policy always'"
waits=$(in_ns lqn1 liquid-nl stats lqv | sed -n 's/^  waits: //p')
in_ns lqn1 ping -c 5 -i 0.2 -W 2 10.9.0.3 >"$LOG" 2>&1
compare "packets pass without a wait" "$(in_ns lqn1 liquid-nl stats lqv | sed -n 's/^  waits: //p')" = "$waits"
need in_ns lqn1 liquid-nl gate on lqv
check "gate on: as it was" sh -c "ip netns exec lqn1 liquid-nl show lqv | grep 'policy share'"
# New routes: all swap
before=$(bases)
need liquid-nl job reroute all --fabric "$TESTDIR/other" --config "$TESTDIR/conf"
# One reading decides: between two of them a node may get the schedule that waits for its base time.
swapped()
{
	bases >"$TESTDIR/bases"
	[ "$(wc -l <"$TESTDIR/bases")" = 1 ] && [ "$(cat "$TESTDIR/bases")" != "$before" ]
}
await swapped || await swapped || await swapped
compare "reroute: all nodes have the new schedule of one base time" \
	"$(wc -l <"$TESTDIR/bases") $(grep -cx "$before" "$TESTDIR/bases")" = "1 0"
compare "and none is left out" "$(gated)" = 4
end all

job missing 1 2 3
all_done
compare "one is missing: none has a schedule" "$(gated)" = 0
end missing

job wrong 1 2 3
node wrong 4 "$TESTDIR/other-conf"
all_done
compare "one has another fabric file: none has a schedule" "$(gated)" = 0
end wrong

# Ready, then killed: what it has staged is gone with it, and the others clear what they commit.
job killed 1 2 3
await test -e "$TESTDIR/store/rounds/killed-1/ready.h1.json"
kill -KILL "$(process_of killed 1)"
node killed 4
all_done 2>/dev/null
compare "one is killed after it was ready: none has a schedule" "$(gated)" = 0
end killed

# Committed, then killed, while another has not committed.
job late 1 2
await test -e "$TESTDIR/store/rounds/late-1/ready.h2.json"
stopped=$(process_of late 2)
killed=$(process_of late 1)
kill -STOP "$stopped"
node late 3
node late 4
await test -e "$TESTDIR/store/rounds/late-1/committed.h1.json"
kill -KILL "$killed"
await test -e "$TESTDIR/store/rounds/late-1/go.json"
check "one is killed after it has committed: another process cancels for it" \
	grep "the process that had committed was killed" "$TESTDIR/store/rounds/late-1/go.json"
kill -CONT "$stopped"
all_done 2>/dev/null
await sh -c "! ip netns exec lqn1 liquid-nl show lqv | grep -qE '^  (oper|admin) '"
compare "and none has a schedule" "$(gated)" = 0
end late

# One node's gate is taken away before it can stage.
need in_ns lqn3 liquid-nl detach lqv
job detached 1 2 3 4
all_done
compare "one has no gate: none has a schedule" "$(gated)" = 0
need in_ns lqn3 liquid-nl attach lqv --rate 1G
end detached 2>/dev/null

need clockset tai 0
job clock 1 2 3 4
all_done
cp "$LOG" "$TESTDIR/said"
check "a clock without TAI offset is refused" grep "TAI - UTC offset is 0" "$TESTDIR/said"
compare "and none has a schedule" "$(gated)" = 0
need clockset tai 37
end clock
finish

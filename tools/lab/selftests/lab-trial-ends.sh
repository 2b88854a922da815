#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl trial on nodes of the lab: what it cannot measure is left out, and nothing is left
# behind, whenever it is killed.
# kernels: 6.1
# modes: long
# timeout: 280
set -u

. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/trial.sh
trial_start

# ---- what is impossible ----

need tc -n planttwo qdisc replace dev planttwo root pfifo
trial plantone,planttwo --seconds 1 --rate 20M
compare "another root qdisc" "$codes" = " 0 0"
says "the gate is left out, which is said" \
	"node1: left out: with a gate: the device has a root qdisc that was set up"
compare "that qdisc stays" "$(tc -n planttwo qdisc show dev planttwo root | cut -d' ' -f2)" = pfifo
need tc -n planttwo qdisc del dev planttwo root
check "the summary of what was measured" sh -c \
	"liquid-nl trial record.plantone record.planttwo | grep '^udp without a gate'"

# ---- killed at any moment ----

# One of the trial's processes: each node has a worker and its parent
victim()
{
	ps | awk '/liquid-nl[ ]trial/ { print $1 }' | sed -n "$1p"
}

# Looked at seldom: that has to be emulated, and waiting has not.
gates_open()
{
	sleep 0.5
	[ -z "$(left)" ]
}

moments=$(head -c 2 /dev/urandom | od -An -tu1)
echo "# moments: $moments"
round=0
for moment in $moments; do
	round=$((round + 1))
	begin plantone plantone,planttwo --seconds 1 --rate 20M
	begin planttwo plantone,planttwo --seconds 1 --rate 20M
	sleep $((moment * 12 / 255)).$((moment % 10))
	signal=$([ $((round % 2)) = 0 ] && echo TERM || echo KILL)
	target=$(victim $((moment % 4 + 1)))
	[ -z "$target" ] || kill -$signal "$target"
	await gates_open || await gates_open || await gates_open
	check "killed by $signal after $moment/255 of a trial: nothing is left" nothing_left
done
gated_two()
{
	on planttwo liquid-nl show planttwo | grep 'planttwo: gated'
}
begin plantone plantone,planttwo --seconds 3 --rate 20M
begin planttwo plantone,planttwo --seconds 3 --rate 20M
await gated_two || await gated_two || await gated_two || await gated_two
kill -KILL "$(ip netns pids planttwo | tail -n 1)"
await gates_open || await gates_open
check "a worker that is killed: its parent removes the gate" nothing_left
# All of a node's processes at once, as by a control group that is killed: the gate opens, and who
# detaches it finds it.
begin plantone plantone,planttwo --seconds 3 --rate 20M
first=$pid
begin planttwo plantone,planttwo --seconds 3 --rate 20M
await gated_two || await gated_two || await gated_two || await gated_two
# shellcheck disable=SC2046 # a word each
kill -KILL $(ip netns pids planttwo)
wait $first
compare "all of a node killed at once: the first node ends" "$?" = 5
check "its measurements before have a summary" sh -c "liquid-nl trial record.plantone |
	grep -E 'a measurement; not finished|^udp without a gate  +[1-9]|^no record of node1' |
	wc -l | grep -x 3"
open_two()
{
	on planttwo liquid-nl show planttwo | grep 'planttwo: open'
}
await open_two || await open_two || await open_two
check "the gate of who was killed opens" open_two
check "the node that is left has removed its own" sh -c \
	"! tc -n plantone qdisc show dev plantone | grep liquid"
check "and detach removes the other" on planttwo liquid-nl detach planttwo
await gates_open
check "then nothing is left" nothing_left
fabric_down
fabric_finish

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

for each in plantone planttwo; do
	need ip -n $each link add lqd0 type dummy
	need ip -n $each addr add 10.8.0.1/24 dev lqd0
	need ip -n $each link set lqd0 up
done
trial plantone,planttwo --seconds 1 --device lqd0
compare "a device without a rate" "$codes" = " 1 5"
check "that is said" grep -F \
	"does not report its rate: state it by --rate" "$SAID"
trial plantone,planttwo --seconds 1 --device lqd9 --rate 1G
compare "no such device" "$codes" = " 1 5"
need tc -n planttwo qdisc replace dev planttwo root pfifo
trial plantone,planttwo --seconds 1 --rate 20M --output "$TESTDIR/two.tar"
compare "another root qdisc" "$codes" = " 0 0"
check "the gate is left out, which is said" grep -F \
	"left out: with a gate: node1: the device has a root qdisc that somebody has set up" \
	"$SAID"
compare "that qdisc stays" "$(tc -n planttwo qdisc show dev planttwo root | cut -d' ' -f2)" = pfifo
need tc -n planttwo qdisc del dev planttwo root
check "the summary of what was measured" sh -c \
	"liquid-nl trial --show '$TESTDIR/two.tar' | grep '^udp without a gate'"

# Without privilege there is no gate, but the rest
if command -v setpriv >/dev/null; then
	user="setpriv --bounding-set=-net_admin --inh-caps=-net_admin"
	started=
	for each in plantone planttwo; do
		# shellcheck disable=SC2086
		background "$TESTDIR/out.$each" ip netns exec $each $user liquid-nl trial \
			--nodes plantone,planttwo --key "$KEY" --node $each --rate 20M \
			--seconds 1 --output "$TESTDIR/user.tar"
		started="$started $pid"
	done
	for each in $started; do
		wait "$each"
	done
	gather plantone,planttwo
	check "no privilege: the gate is left out" grep -F \
		"left out: with a gate: node0: no privilege: CAP_NET_ADMIN is needed" "$SAID"
	check "the rest is measured" grep "^tcp without a gate  *[1-9]" "$SAID"
	check "nothing is left" nothing_left
fi

# ---- killed at any moment ----

# One of the trial's processes: the first node has two, and each node a guardian
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
	sleep $((moment * 9 / 255)).$((moment % 10))
	signal=$([ $((round % 2)) = 0 ] && echo TERM || echo KILL)
	target=$(victim $((moment % 5 + 1)))
	[ -z "$target" ] || kill -$signal "$target"
	await gates_open || await gates_open || await gates_open
	check "killed by $signal after $moment/255 of a trial: nothing is left" nothing_left
done
# All of a node's processes at once, as by a control group that is killed: the gate opens, and who
# detaches it finds it.
rm -f plantone.tar
begin plantone plantone,planttwo --seconds 3 --rate 20M
first=$pid
begin planttwo plantone,planttwo --seconds 3 --rate 20M
gated_two()
{
	on planttwo liquid-nl show planttwo | grep 'planttwo: gated'
}
await gated_two || await gated_two || await gated_two || await gated_two
# shellcheck disable=SC2046
kill -KILL $(ps | awk '/liquid-nl[ ]trial.*node planttwo/ { print $1 }')
wait $first
compare "all of a node killed at once: the first node ends" "$?" = 5
check "what was measured before is packed" sh -c "liquid-nl trial --show plantone.tar |
	grep -E 'a measurement; not finished|^udp without a gate  +[1-9]' | wc -l | grep -x 2"
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

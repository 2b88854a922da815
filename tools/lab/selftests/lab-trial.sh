#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl trial on nodes of the lab: all that it measures, no secrets in its tarball, and nothing
# is left behind, however it ends.
# kernels: 6.1
# modes: icount
# runs: 6.1-icount
# timeout: 280
set -u

. /liquid/lib/guest.sh
. /liquid/lib/lab.sh

KEY=0123456789abcdef-planted-key
NODES=plantone,planttwo,plantthree,plantfour
PORT=7117
SAID=$TESTDIR/said
cd "$TESTDIR" || exit 1

# Commands on a node, whose namespace, device and name in the trial have one name
on()
{
	node=$1
	shift
	ip netns exec "$node" "$@"
}

# begin NODE NODES ARG...: a node of a trial, in the background; sets pid
begin()
{
	node=$1 nodes=$2
	shift 2
	background "$TESTDIR/out.$node" ip netns exec "$node" liquid-nl trial --nodes "$nodes" \
		--key "$KEY" --node "$node" --wait 20s --output "$TESTDIR/$node.tar" "$@"
}

# trial NODES ARG...: on all of them; the exit codes are in codes, what they said in SAID
trial()
{
	nodes=$1
	shift
	started=
	codes=
	for each in $(echo "$nodes" | tr , ' '); do
		begin "$each" "$nodes" "$@"
		started="$started $pid"
	done
	for each in $started; do
		wait "$each"
		codes="$codes $?"
	done
	gather "$nodes"
}

gather()
{
	for each in $(echo "$1" | tr , ' '); do
		cat "$TESTDIR/out.$each"
	done >"$SAID"
}

# Gates, listeners and processes that a trial has left
left()
{
	for each in plantone planttwo plantthree plantfour; do
		tc -n $each qdisc show dev $each root | grep '^qdisc liquid' | sed "s/^/$each: /"
		on $each cat /proc/net/tcp | awk -v node=$each '
			$4 == "0A" { print node ": listens at " $2 }'
	done
	ps | grep 'liquid-nl[ ]trial'
}

nothing_left()
{
	left >"$TESTDIR/left"
	cat "$TESTDIR/left"
	[ ! -s "$TESTDIR/left" ]
}

# says NAME TEXT: one of them did
says()
{
	gather $NODES
	check "$1" grep -F -- "$2" "$SAID"
}

fabric_start
clockset sync 20
hostname plantmachine
cables plantone:s1 planttwo:s1 plantthree:s1 plantfour:s1 | fabric_file $NODES s1
fabric_up --rate 20M
n=1
for each in plantone planttwo plantthree plantfour; do
	echo "10.9.0.$n $each"
	n=$((n + 1))
	: >"$TESTDIR/out.$each"
done >>/etc/hosts

# ---- a whole trial ----

trial $NODES --rate 20M --seconds 1 --output "$TESTDIR/all.tar"
compare "four nodes: a trial ends well on all" "$codes" = " 0 0 0 0"
sed 's/^/# /' "$TESTDIR/out.plantone"
check "it leaves nothing behind" nothing_left
check "its tarball is one for tar" tar xf all.tar
compare "which has a file for each node and what they have in common" \
	"$(cd liquid-trial && echo *)" = "README fabric node0.json node1.json node2.json \
node3.json schedule.json summary.txt trial.json"
says "files were shown before they were packed" "bytes  liquid-trial/node3.json"

# In one line: what jansson has written
flat()
{
	tr -d ' \n' <"liquid-trial/$1"
}

for file in node0 node1 node2 node3; do
	compare "$file: four measurements" "$(flat $file.json | grep -o '"transport":' | wc -l)" = 4
	compare "$file: two of them with a gate" \
		"$(flat $file.json | grep -o '"gated":true' | wc -l)" = 2
	compare "$file: stamps of software" \
		"$(flat $file.json | grep -o '"kind":"software"' | wc -l)" = 2
	compare "$file: no packet left outside its frame" \
		"$(flat $file.json | grep -o '"outside":0,' | wc -l)" = 2
	compare "$file: packets left inside" \
		"$(flat $file.json | grep -o '"inside":[1-9][0-9]*,' | wc -l)" = 2
done
for histogram in wait late lag; do
	compare "histogram $histogram before and after both" \
		"$(flat node2.json | grep -o "\"$histogram\":{\"count\"" | wc -l)" = 4
done
compare "the schedule is verified on the fabric" "$(liquid-nl verify liquid-trial/fabric \
	liquid-trial/schedule.json | grep -c '12 transfers in 3 frames, liquid')" = 1
liquid-nl trial --show all.tar >shown 2>&1
cp shown "$LOG"
check "--show prints the summary again" cmp shown liquid-trial/summary.txt
for row in "tcp without a gate" "udp without a gate" "tcp with a gate" "udp with a gate"; do
	check "the summary has $row" grep -E "^$row  +[1-9][0-9.]* %" shown
done
# share ROW: of the links, whole percents
share()
{
	sed -n "s/^$1  *\([0-9]*\)\.[0-9] %.*/\1/p" shown
}
compare "with a gate UDP fills most of its frames" "$(share 'udp with a gate')" -ge 60
compare "and TCP as well" "$(share 'tcp with a gate')" -ge 50

# ---- no secrets ----

macs=$(for each in plantone planttwo plantthree plantfour; do
	on $each cat /sys/class/net/$each/address
done)
# secrets FILE...
secrets()
{
	for word in plant $KEY 10.9.0 "$(uname -v)" root $macs; do
		grep -aiF -e "$word" "$@" && return 1
	done
	# a number of its own: times have all digits
	! grep -awF -e "$PORT" "$@"
}
check "the tarball has no name, address or key of its nodes" secrets all.tar
echo '"device": "plantone"' >told
refuse "what would have been found" secrets all.tar told
echo "\"port\": $PORT," >told
refuse "and the port" secrets told

# ---- who does not come, and who must not ----

some=plantone,planttwo,plantfour
begin plantone $some --seconds 1 --rate 20M
first=$pid
begin planttwo $some --seconds 1 --rate 20M
await grep -q "node1 is planttwo" "$TESTDIR/out.plantone" || need false
begin plantthree $some --seconds 1 --rate 20M --node planttwo
wait "$pid"
compare "two nodes of one number: the second is refused" "$?" = 1
says "which is said" "there is another node with its number"
begin plantfour $some --seconds 1 --rate 20M
wait $first
compare "and the trial goes on with the first" "$?" = 0
begin plantone $NODES --seconds 1 --wait 2s
first=$pid
begin plantthree $NODES --seconds 1 --wait 2s --rate 20M
wait $first
compare "a node is missing: the first one says which" "$?" = 5
wait "$pid"
compare "and the others end" "$?" = 5
says "by name" "2 of 4 nodes did not come in time: planttwo, plantfour"
begin planttwo plantone,planttwo --seconds 1 --wait 1s
wait "$pid"
compare "no first node" "$?" = 5
says "that is said" "node1: the first node, plantone, was not reached at port $PORT in time"

begin plantone plantone,planttwo --seconds 1 --wait 3s --rate 20M
first=$pid
KEY=0123456789abcdef-another
begin planttwo plantone,planttwo --seconds 1 --wait 3s --rate 20M
wait "$pid"
compare "another key is refused" "$?" = 1
says "that is said to who has it" "does not answer as one with this --key does"
wait $first
compare "and is no node that has come" "$?" = 5
check "nothing is left of these" nothing_left

# A stranger neither gets an answer that helps it, nor holds up the trial.
KEY=0123456789abcdef-planted-key
begin plantone plantone,planttwo --seconds 1 --rate 20M
first=$pid
await sh -c "grep -q 'waits for' '$TESTDIR/out.plantone'"
for text in '' '{' '{"trial":1,"nonce":[]}' '{"trial":"0","nonce":"x"}' '[]' \
	"$(head -c 3000 /dev/zero | tr '\0' '[')"; do
	{ echo "$text"; sleep 0.2; } | on plantthree nc 10.9.0.1 $PORT >>"$TESTDIR/stranger" 2>&1
done
begin planttwo plantone,planttwo --seconds 1 --rate 20M
wait "$pid"
compare "strangers do not hold up a trial" "$?" = 0
wait $first
compare "nor its first node" "$?" = 0

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

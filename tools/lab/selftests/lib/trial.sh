# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl trial on four nodes of the lab, each with a device and a name that are its own. After
# lab.sh; the names are such that a search finds them where they must not be.
# shellcheck shell=dash

NODES=plantone,planttwo,plantthree,plantfour
PORT=7117
SAID=$TESTDIR/said

# Commands on a node, whose namespace, device and host have one name
on()
{
	node=$1
	shift
	ip netns exec "$node" "$@"
}

# begin NODE NODES ARG...: a node of a trial, in the background; sets pid. The kernel's bound of the
# clock's error grows from now on.
begin()
{
	node=$1 nodes=$2
	shift 2
	clockset sync 20
	# shellcheck disable=SC2016 # expanded by the shell that is started
	background "$TESTDIR/said.$node" sh -c 'exec ip netns exec "$@" >"$0"' \
		"$TESTDIR/record.$node" "$node" liquid-nl trial --nodes "$nodes" --wait 20s \
		--frame-time 20ms "$@"
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
	cat "$TESTDIR"/said.* >"$SAID"
	check "$1" grep -F -- "$2" "$SAID"
}

# Four nodes on one switch, and their names; records are in $TESTDIR.
trial_start()
{
	cd "$TESTDIR" || exit 1
	fabric_start
	hostname plantmachine
	cables plantone:s1 planttwo:s1 plantthree:s1 plantfour:s1 | fabric_file $NODES s1
	fabric_up --rate 20M
	n=1
	for each in plantone planttwo plantthree plantfour; do
		echo "10.9.0.$n $each"
		n=$((n + 1))
		: >"$TESTDIR/said.$each"
	done >>/etc/hosts
}

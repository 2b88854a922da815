#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl job by `rail all`: two nodes of two rails each, whose rails share a link of the fabric.
# All four gates have one schedule of one base time, and all that both rails send is in their
# frames; if one rail of one node cannot commit, no gate has a schedule.
# adds: munge
# runs: 6.12-icount
# timeout: 300
set -u

. /liquid/lib/guest.sh
. /liquid/lib/job.sh

NODES="1 2"
JOB_NODES='h[1-2]'
DEVICES="lqa lqb"
RATE=20000000
SIZE=1472	# with 66 bytes more it is on the wire

# A cable for each rail, with a gate at both of its ends
make_rails()
{
	load veth af_packet ipv6
	for n in $NODES; do
		need ip netns add lqn$n
		need ip -n lqn$n link set lo up
		need in_ns lqn$n sysctl -q -w net.ipv6.conf.all.disable_ipv6=1 \
			net.ipv6.conf.default.disable_ipv6=1
	done
	for device in $DEVICES; do
		need ip link add $device netns lqn1 type veth peer name $device netns lqn2
	done
	for n in $NODES; do
		need ip -n lqn$n addr add 10.1.0.$n/24 dev lqa
		need ip -n lqn$n addr add 10.2.0.$n/24 dev lqb
		for device in $DEVICES; do
			need ip -n lqn$n link set $device up
			attach $n $device
		done
		printf '%s\n' "h$n/a/1 10.1.0.$n" "h$n/b/1 10.2.0.$n"
	done >"$TESTDIR/addresses"
}

attach()
{
	need in_ns "lqn$1" liquid-nl attach "$2" --rate $RATE
}

# Both rails of a node are on one switch, and one cable is between the two switches.
cat >"$TESTDIR/fabric" <<-END
	liquid-fabric 2
	name rails
	unit $RATE
	hosts h1/a/1,h1/b/1,h2/a/1,h2/b/1
	switches s[1-2]
	link h1/a/1 s1 1
	link s1 h1/a/1 1
	  to h1/a/1
	link h1/b/1 s1 1
	link s1 h1/b/1 1
	  to h1/b/1
	link h2/a/1 s2 1
	link s2 h2/a/1 1
	  to h2/a/1
	link h2/b/1 s2 1
	link s2 h2/b/1 1
	  to h2/b/1
	link s1 s2 1
	  to h2/a/1,h2/b/1
	link s2 s1 1
	  to h1/a/1,h1/b/1
	end
END

# The paths by hand: gates are numbered from 0, the rails of h1 first.
cat >"$TESTDIR/paths" <<-END
	0 10.1.0.2 h1a>s1 s1>s2 s2>h2a
	1 10.2.0.2 h1b>s1 s1>s2 s2>h2b
	2 10.1.0.1 h2a>s2 s2>s1 s1>h1a
	3 10.2.0.1 h2b>s2 s2>s1 s1>h1b
END

# Plans of the four gates, for the judge
plans()
{
	plans=
	number=0
	for n in $NODES; do
		for device in $DEVICES; do
			need in_ns lqn$n sh -c "wire plan $device >$TESTDIR/plan.$number"
			plans="$plans --plan $number $TESTDIR/plan.$number"
			number=$((number + 1))
		done
	done
}

# exchange RAIL PORT: both ways; its results are in exchange.RAIL
exchange()
{
	background "$TESTDIR/exchange.$1" blast udp --limit $((60 * SCALE)) \
		--linger $((1000 * SCALE)) --size $SIZE --bytes $((160 * SIZE)) --port "$2" \
		"lqn1@10.$1.0.1" "lqn2@10.$1.0.2" -- "lqn1@10.$1.0.1" "lqn2@10.$1.0.2"
	exchanges="$exchanges $pid"
}

exchange_all()
{
	exchanges=
	exchange 1 5000
	exchange 2 6000
	# Two processors can change the order of what a veth delivers; one does not.
	misordered=0
	[ "${LIQUID_ICOUNT:-0}" = 1 ] || misordered='[0-9]*'
	for p in $exchanges; do
		wait "$p"
	done
	sed 's/^/# /' "$TESTDIR/exchange.1" "$TESTDIR/exchange.2"
	arrived=$(cat "$TESTDIR/exchange.1" "$TESTDIR/exchange.2" |
		grep -c " lost=0 doubled=0 misordered=$misordered corrupt=0 unsent=0 ")
}

# reason JOB RECORD: of its first round
reason()
{
	sed -n 's/.*"reason":"\([^"]*\)".*/\1/p' "$TESTDIR/store/rounds/$1-1/$2.json" 2>/dev/null
}

start
clockset sync 20
make_rails
start_service
conf "$TESTDIR/fabric" "rail all" "lease 12s" | sed "s/^device .*/device lqa,lqb/
	s/^link-rate .*/link-rate $RATE/; s/^frame-time .*/frame-time 20ms/
	s/^guard .*/guard 200us/" >"$TESTDIR/conf"

job all 1 2
all_done
check "all ready: both nodes say that they gate" said 2
compare "and what TCP needs, for each rail" \
	"$(cat "$TESTDIR/all".* | grep -c '^lq[ab]:  to be set for TCP on the routes to')" = 4
compare "all four gates have a schedule" "$(gated)" = 4
compare "of one base time" "$(bases | wc -l)" = 1
for n in $NODES; do
	for rail in 1:lqa 2:lqb; do
		check "node $n: the label of ${rail#*:} shows its rail" sh -c "in-ns lqn$n \
			liquid-nl show ${rail#*:} |
			grep '^ *for job=all round=all-1 rail=${rail%:*}$'"
	done
done
check "the round is of two frames, for the rails share a link" sh -c "liquid-nl job status all \
	--config $TESTDIR/conf | grep ', 2 frames (liquid)'"

plans
tap_start "$TESTDIR/cap" $((60 * SCALE)) lqn1:lqa lqn1:lqb lqn2:lqa lqn2:lqb
exchange_all
tap_stop
compare "everything arrives, by both rails" "$arrived" = 2
# shellcheck disable=SC2086 # words
judge_capture "every packet of both rails is in its frame, and none meets another on a link" \
	"$TESTDIR/cap" --path "$TESTDIR/paths" $plans
for number in 0 1 2 3; do
	compare "gate $number has sent by its schedule" "$(field scheduled "$TESTDIR/verdict" \
		$((number + 1)))" -ge 160
done
# The judge is not blind: the two directions have the same frames.
sed -i 's/s2>s1/s1>s2/' "$TESTDIR/paths"
# shellcheck disable=SC2086
refuse "the judge knows transfers that meet: were the two ways of the cable one link" judge \
	"$TESTDIR/cap" --slack $SLACK --path "$TESTDIR/paths" $plans

sleep 16	# longer than the lease
compare "the leases of all rails are renewed" "$(gated)" = 4
need in_ns lqn1 liquid-nl job renew --node h1 --config "$TESTDIR/conf"
check "doctor finds both gates of a node" sh -c "in-ns lqn1 liquid-nl doctor --node h1 \
	--config $TESTDIR/conf | grep -c '; for job=all round=all-1 rail=[12]$' | grep -x 2"
end all
size=$(stat -c %s "$TESTDIR/store/rounds/all-1/last.h1.json")
compare "a sample of both rails, of $size bytes, is small enough to be sent to a service" \
	"$size" -le 7500
check "and has what was sent to each destination" grep '"more":.*"dests":' \
	"$TESTDIR/store/rounds/all-1/last.h1.json"
need liquid-nl job report all --config "$TESTDIR/conf"
cp "$LOG" "$TESTDIR/report"
for endpoint in h1/a/1 h1/b/1 h2/a/1 h2/b/1; do
	check "its report has a row for $endpoint" grep -E "^  $endpoint +[1-9][0-9.]* .bit/s" \
		"$TESTDIR/report"
done
sed 's/^/# /' "$TESTDIR/report"

# A rail loses its gate while the job runs: its node's other one goes on, as other nodes' do.
job lost 1 2
all_done
need in_ns lqn2 liquid-nl detach lqb
sleep 16
compare "a gate is gone: the others keep theirs, for longer than the lease" "$(gated)" = 3
check "and it is reported, by its device" sh -c "liquid-nl job status lost --config $TESTDIR/conf |
	grep 'node h2 has opened its gate: lqb: the device has no gate any more'"
end lost
attach 2 lqb

# The second rail's gate is taken away when it is staged: the first one has committed before that
# is seen, and must not keep it.
job torn 1
prepared torn-1
need in_ns lqn1 liquid-nl detach lqb
node torn 2
all_done
check "a rail of a node cannot commit: it says so" grep "lqb: " "$TESTDIR/torn.1"
compare "and the round is cancelled for that" "$(reason torn go | cut -d: -f1)" = lqb
attach 1 lqb
compare "no gate of any node has a schedule" "$(gated)" = 0
compare "none has said that it gates" "$(cat "$TESTDIR/torn".? | grep -c 'gates by')" = 0
end torn

# It is not there from the beginning.
need in_ns lqn2 liquid-nl detach lqb
job bare 1 2
all_done
compare "a rail without a gate: the round is given up for that" \
	"$(reason bare release | cut -d: -f1)" = lqb
attach 2 lqb
compare "and no gate of any node has a schedule" "$(gated)" = 0
end bare

# The process is killed when both rails have committed, and the other node has not.
job killed 2
prepared killed-1
stopped=$(worker_of killed 2)
kill -STOP "$stopped"
node killed 1
await committed 1
kill -KILL "$(worker_of killed 1)"
await test -e "$TESTDIR/store/rounds/killed-1/go.json"
compare "a process is killed after it has committed: another cancels for it" \
	"$(reason killed go)" = "the process that had committed was killed"
kill -CONT "$stopped"
all_done 2>/dev/null
compare "and no gate of any node has a schedule" "$(gated)" = 0
end killed
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl job where a node does not come, or not back: no prologue outlives deadline and lead,
# none gates, and each says so once. And who learns why a job was not gated, by node and reason.
#
# timeout: 200

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"
. "$here/lib/serve.bash"
in_own_namespaces "$@"

"$liquid" fabric make leaf-spine leaves=2 hosts=4 spines=2 -o fabric
for n in 1 2 3 4 5 6 7 8; do
	echo "h$n 10.0.0.$n"
done >addresses
DEADLINE=8
LEAD=4
# conf FILE [LINE...]
conf()
{
	write_conf "$1" "partition batch exchange" "partition idle none" "${@:2}"
}
conf liquid.conf
serve_one_host h1 h2 h3 h4 h5 h6 h7 h8

start()
{
	timeout 20 "$liquid_nl" job start --config liquid.conf --partition batch "$@" >text 2>&1
}

# node JOB NODE [ARG...]: its prologue; its output is in JOB.NODE, and its seconds and exit code
# below that
node()
{
	prologue "$1.$2" "$liquid_nl" job ready "$1" --node "$2" --dry-run --config liquid.conf \
		"${@:3}"
}

# gates JOB N: this many of its nodes have said that they gate
gates()
{
	cat "$1".h* >text
	[ "$(grep -c ' gates by schedule ' text)" = "$2" ]
}

# left JOB SECONDS: all of its nodes have left in time, and none has said a thing twice
left()
{
	wait
	cat "$1".h* >text
	[ "$(longest "$1")" -le $(($2 * 1000)) ] &&
		[ "$(grep -c '^exit [01] ' text)" = "$(ls "$1".h* | wc -l)" ] &&
		for said in "$1".h*; do
			[ -z "$(sort "$said" | uniq -d)" ] &&
				[ "$(wc -l <"$said")" -le 8 ] || return 1
		done
}

# At the latest by themselves, and a little for a machine that is busy
MOST=$((DEADLINE + LEAD + 1))

echo "TAP version 13"

# ---- a worker that does not come back ----

# By the privileges that Slurm's prologue leaves: the worker is another user than who waits for it.
start away --nodes 'h[1-2]'
caps=$(sed -n 's/^caps=//p' "$(dirname "$here")/tools/slurm/prolog")
(
	timeout -s KILL 40 setpriv --bounding-set="-all,$caps" --inh-caps=-all \
		"$liquid_nl" job ready away --node h1 --dry-run --config liquid.conf >away.h1 2>&1
	echo "exit $? after 0 ms" >>away.h1
) &
prepared away-1
stopped=$(worker_of away h1)
kill -STOP "$stopped"
sed -n 's/^CapEff:\t//p' "/proc/$(process_of away h1)/status" "/proc/$stopped/status" >caps
left away $MOST && gates away 0 &&
	grep -q "away: the service ctl:$PORT has not answered in time" away.h1 &&
	! kill -0 "$stopped" 2>/dev/null
ok "the worker does not come back: who waits leaves, and leaves no process behind"
[ "$(tr '\n' ' ' <caps)" = "0000000000001020 0000000000001000 " ]
ok "who waits has CAP_KILL and CAP_NET_ADMIN, the worker CAP_NET_ADMIN alone"
end away
start caller --nodes 'h[1-2]'
node caller h1
prepared caller-1
worker=$(worker_of caller h1)
kill -KILL "$(process_of caller h1)"
gone()
{
	! kill -0 "$worker"
}
within 2 gone
ok "a prologue that is killed takes its worker with it"
wait
end caller

# ---- one late node ----

# late JOB: h2 sleeps from its commit until after the base time, while all others go on. h3 holds
# the go up until h2 is stopped.
late()
{
	start "$1" --nodes 'h[1-4]'
	nodes "$1" h1 h2 h3
	prepared "$1-1"
	held=$(worker_of "$1" h3)
	kill -STOP "$held"
	node "$1" h4
	within 10 test -e "store/rounds/$1-1/release.json"
	sleep 0.3
	stopped=$(worker_of "$1" h2)
	kill -STOP "$stopped"
	kill -CONT "$held"
	within 10 test -e "store/rounds/$1-1/go.json"
	sleep $LEAD
}
late asleep
kill -CONT "$stopped"
wait
gates asleep 4
ok "one sleeps through the base time: it looks once more, and gates as the others do"
end asleep
# ---- who learns why ----

# because JOB REASON [ARG...]: h2's prologue is called with more, and the status shows its reason,
# also afterwards
because()
{
	start "$1" --nodes 'h[1-2]'
	node "$1" h1
	node "$1" h2 "${@:3}"
	wait
	prints 0 "job $1: aborted, round $1-1*: h2: $2" job status "$1" --config liquid.conf
	end "$1"
	prints 0 "job $1: ended (ungated: h2: $2), round $1-1*" job status "$1" --config liquid.conf
}
conf clock.conf "clock refuse" "clock-error 1ns"
because clock "*clock*" --config clock.conf
conf device.conf "device lo h9"
sed -i '/^device lo$/d' device.conf
because device "device.conf: no device for node 'h2'" --config device.conf
start many --nodes 'h[1-8]'
nodes many h1 h2
wait
prints 0 \
	"job many: aborted, round many-1*: h?: 2 of 8 nodes were ready in time, \
not h3, h4, h5, h6, ..." \
	job status many --config liquid.conf
end many

# ---- a controller that does nothing ----

node unpublished h1
left unpublished 6 && grep -q "nothing was published: look at the controller" unpublished.h1
ok "nothing is published: nodes wait for a moment, and say where to look"
mkdir store/jobs/begun
chown $keeper store/jobs/begun
node begun h1
wait
grep -q "the controller has begun with it" begun.h1 &&
	[ "$(longest begun)" -ge $((DEADLINE * 1000 - 500)) ]
ok "the controller is at it: they wait until the deadline"
rmdir store/jobs/begun

# ---- no more records, nor look-ups, than must be ----

find store -type f | sort >before
prints 0 "job free: not gated: its partition has no traffic" job start free --nodes 'h[1-2]' \
	--partition idle --comment liquid=exchange --config liquid.conf
prints 0 "job free: not gated: its partition has no traffic" job ready free --node h1 \
	--partition idle --dry-run --config liquid.conf
end free
find store -type f | sort >text
cmp -s before text
ok "a partition without traffic: no record is left, nor waited for"
prints 0 "*job open: not gated: no traffic is configured*" job start open --nodes 'h[1-2]' \
	--partition other --config liquid.conf
prints 0 "job open: not gated: no traffic is configured*" job ready open --node h1 \
	--partition other --dry-run --config liquid.conf
end open
find store -type f | sort >text
cmp -s before text
ok "a partition that is not named: nothing is left after the end"
start runs --nodes 'h[1-2]'
prints 0 "job runs: preparing, round runs-1" job status --running --config liquid.conf
[ "$(ls store/running)" = runs ]
ok "who starts a job looks at those that run, and not at all that ever ran"
end runs
prints 0 "" job status --running --config liquid.conf
start quiet --nodes 'h[1-2]'
[ -e store/jobs/quiet ] && ! grep -q live-topo text
ok "that no live-topo is configured is not news at each job: doctor says it"
end quiet
# By default, when the controller notes an end
start old --nodes 'h[1-2]'
end old
touch -d '9 days ago' store/jobs/old/end.json store/rounds/old-1 store/purged
start new --nodes 'h[1-2]'
end new
ls store/jobs >text
[ ! -e store/jobs/old ] && [ ! -e store/rounds/old-1 ] && [ -e store/jobs/new/end.json ]
ok "what ended a week ago is removed, once a day"
"$liquid" fabric make leaf-spine leaves=5 hosts=16 spines=2 -o fabric
conf first.conf "agree first" "store $work/first"
prints 0 "job large: not gated: its round would have 65 nodes, and the limit is 64" job ready \
	large --node h1 --nodes 'h[1-65]' --partition batch --dry-run --config first.conf
finish

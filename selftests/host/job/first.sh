#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl job with `agree first`: the first node of a job serves while the job begins, and nothing
# stays. Each node has a network namespace and its own store; nodes are late, killed, cut off,
# of another key; ports are taken; two jobs begin at once.
#
# timeout: 180

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"
. "$here/lib/serve.bash"
in_own_namespaces "$@"
DEADLINE=5
LEAD=2

# ---- four nodes with a cable each ----

"$liquid" fabric make leaf-spine leaves=2 hosts=4 spines=2 -o fabric
printf 'h%d 10.0.0.%d\n' 1 1 2 2 3 3 4 4 >addresses
cable_nodes 4
for n in 1 2 3 4; do
	nsenter -n -t "${holder[n]}" ip link set lo up
done
know known
start_munged
write_conf liquid.conf "agree first" "partition * none" "partition batch exchange"
# All jobs have the same four ports, so that jobs that begin at once meet there.
sed 's/^agree first$/& 7816-7819/' liquid.conf >narrow.conf

# node JOB NODE [ARG...]: its prologue; in the namespace of node $at, if that is set
node()
{
	prologue "$1.$2" nsenter -n -t "${holder[${at:-${2#h}}]}" "$liquid_nl" job ready "$1" \
		--node "$2" --dry-run --config "${conf:-liquid.conf}" --nodes "${list:-h[1-4]}" \
		--partition batch "${@:3}"
}

# gates JOB N: its nodes have left in time, and this many say that they gate
gates()
{
	await
	cat "$1".h* >text
	[ "$(grep -c ' gates by schedule ' text)" = "$2" ] &&
		[ "$(longest "$1")" -le $(((DEADLINE + LEAD + 2) * 1000)) ]
}

# on NODE SUBCOMMAND ARG...
on()
{
	SLURMD_NODENAME=$1 timeout 10 "$liquid_nl" job "${@:2}" --config liquid.conf
}

# status JOB NODE PATTERN: what the records of this node say
status()
{
	on "$2" status "$1" >text 2>&1
	# shellcheck disable=SC2053 # a pattern
	[[ $(cat text) == $3 ]]
}

# ends JOB [NODE...]: their epilogues
ends()
{
	for name in "${@:2}"; do
		on "$name" end "$1" --node "$name" --dry-run
	done >>ended 2>&1
}

# The process that serves a job: it leads a session, with nothing to read its output.
server_of()
{
	pgrep -f "job ready $1 --node h1 " | while read -r p; do
		[ "$(readlink "/proc/$p/fd/2")" != /dev/null ] || echo "$p"
	done
}

nobody_serves()
{
	[ -z "$(nsenter -n -t "${holder[1]}" ss -Htln)" ]
}

published()
{
	within 10 test -e "store/h1/rounds/$1-1/schedule.json"
}

pids=

echo "TAP version 13"

# ---- as it should be ----

node early h2
node early h3
sleep 0.5
nodes early h1 h4
gates early 4 && [ "$(sed -n 's/.* gates by \(schedule .*\) (.*/\1/p' text | sort -u | wc -l)" = 1 ]
ok "four nodes gate without a controller; two were there before the first one"
within 5 nobody_serves
ok "nothing listens any more"
status early h1 'job early: gated, round early-1, schedule * frames*' &&
	status early h3 'job early: gated, round early-1, schedule *'
ok "the first node and each other one know the job's state"
for n in 1 2 3 4; do
	on h$n metrics -o h$n.prom
done >text 2>&1
[ "$(cat h?.prom | grep -c 'outcome="gated",cause=""} 1$')" = 1 ]
ok "the job is counted once, by its first node"
on h3 renew --node h3 --dry-run >text && grep -q '^job early: node h3: renewed$' text
ok "a lease is renewed by the node's own records"
[ "$(stat -c '%U %a' store store/h2 store/h2/rounds/early-1/go.json | sort -u | tr '\n' ' ')" = \
	"$keeper 640 $keeper 750 " ]
ok "the records belong to the user of liquid.conf"
ends early h1 h2 h3 h4
status early h1 'job early: ended, *' && status early h4 'job early: ended, *'
ok "each node's epilogue notes the end"

nodes stays h1 h2 h3
node stays h4 --stay
gates stays 4
stays=$(pgrep -f 'job ready stays --node h4')
[ -n "$stays" ] && ends stays h1 h2 h3 && sleep 0.6 && [ -e "/proc/${stays%%[!0-9]*}" ]
ok "a process stays for its node, whatever the others do"
ends stays h4 && within 5 test ! -e "/proc/${stays%%[!0-9]*}" &&
	[ -e store/h4/rounds/stays-1/last.h4.json ]
ok "and leaves after its epilogue, with a last sample of the gate"

nodes again h1 h2 h3 h4
gates again 4 && ends again h1 h2 h3 h4
rm again.h1
list=h[2-4]
nodes again h2 h3 h4
gates again 3 && status again h3 'job again: gated, round again-2, *' &&
	status again.before-1 h3 'job again.before-1: ended, round again-1, *'
ok "a job that runs again on other nodes has another first one, and new records"
ends again h2 h3 h4
list=

list=h1
node one h1
list=
gates one 0 && grep -q 'not gated: it has one node' text && [ "$(longest one)" -lt 2000 ]
ok "a job of one node does not wait"
ends one h1

# ---- two jobs at once ----

conf=narrow.conf
list=h[1-2]
nodes left h1
within 5 grep -q . left.h1 store/h1/jobs/left/until.json
list=h[3,1]
nodes right h1 h3
list=h[1-2]
nodes left h2
list=
gates left 2 && grep -hq 'gates by' left.h1 && gates right 2
ok "two jobs that begin on one node do not disturb each other"
ends left h1 h2
ends right h1 h3

list=h[1-2]
nodes holds h1 h2
gates holds 2
list=h[1,3]
nodes meets h1 h3
gates meets 0 && [ "$(grep -c 'not gated: it shares a node with job holds' text)" = 2 ]
ok "a job on a node whose gate another one has is not gated, and all its nodes know why"
ends holds h1 h2
ends meets h1 h3
list=

# Four jobs whose second node does not come have all ports of the first one.
list=h[1-2]
for n in 1 2 3 4; do
	node waits$n h1
	within 5 test -e store/h1/jobs/waits$n
done
node full h1
node full h2
list=
within 5 grep -q exit full.h1
cat full.h1 >text
grep -q 'cannot listen at one of its ports 7816 to 7819 on node h1: Address already in use' text
ok "a job that finds no port is not gated, and is told which"
gates full 0 && grep -q 'does not answer at its ports 7816 to 7819: another job begins' full.h2
ok "nor are its other nodes, in time"
status full h1 'job full: ungated: cannot listen *' && status full h2 'job full: ungated: the serv*'
ok "and the records say so"
conf=
gates waits1 0 && status waits1 h1 '*1 of 2 nodes were ready in time, not h2*'
ok "a node that does not come makes the others go on without gates, and is named"

# ---- who may speak ----

at=1
list=h[1-2]
node other h2
at=
node other h1
gates other 0 && grep -q "refuses h2: it calls from 10.99.0.1; for h2 h1 knows $(
	)10.99.0.2 (getent ahosts h2)$" other.h2
ok "root of one node cannot be another: the address is not that node's, and both are named"
head -c 1024 /dev/urandom >munge/other
chmod 400 munge/other
munged --force --key-file "$work/munge/other" --socket "$work/munge/other-socket" \
	--pid-file "$work/munge/other-pid" --log-file "$work/munge/other-log" \
	--seed-file "$work/munge/other-seed" >munge/out 2>&1
sed "s|munge/socket|munge/other-socket|" liquid.conf >other.conf
conf=other.conf
node key h2
conf=
node key h1
gates key 0 && grep -q 'the credential is of another key of munge, or was changed' key.h2
ok "nor is a node whose key is another one, and it is informed"
nsenter -n -t "${holder[1]}" "$liquid_nl" job ready port --node h1 --dry-run --config narrow.conf \
	--nodes 'h[1-2]' --partition batch >port.h1 2>&1 &
pids=$!
published port
sleep 1
serves=/proc/$(server_of port)
[ "$(stat -c %U "$serves")" = $keeper ] && grep -q '^CapPrm:	0*$' "$serves/status" &&
	grep -q '^NoNewPrivs:	1$' "$serves/status"
ok "the process that serves is the user of liquid.conf, without privileges"
key=$(printf '%064d' 0)
# refused_as USER JOB REASON
refused_as()
{
	# shellcheck disable=SC2016 # for the shell in the namespace
	nsenter -n -t "${holder[2]}" bash -c '
		exec 3<>/dev/tcp/10.99.0.1/7816 && read -r -t 5 _ _ nonce <&3 || exit
		setpriv --reuid "$1" --clear-groups munge -S munge/socket -u "$2" \
			-s "liquid-job 1 $nonce $3 00000000000000aa h2 $4" >&3
		timeout 5 cat <&3' - "$1" "$(id -u $keeper)" "$key" "$2" >text 2>&1
	grep -aq "^refused $3" text
}
refused_as 64901 port "neither root nor"
ok "a user of a node cannot speak for it"
refused_as 0 other "another job begins at this port"
ok "a credential is for one job alone"
wait "$pids"
pids=
list=

# ---- nodes that are late, killed, cut off ----

nodes late h1 h2 h3
gates late 0 && status late h1 '*3 of 4 nodes were ready in time, not h4*' &&
	status late h2 '*3 of 4 nodes were ready in time, not h4*'
ok "a late node aborts the round for all, and all know which"
node late h4
gates late 0 && grep -q 'no node gates, as node h[1-3] decided: 3 of 4' late.h4
ok "the late one is informed, while the first one still serves"

nodes gone h2 h3 h4
gates gone 0 &&
	[ "$(grep -c '^liquid-nl: .* on node h1 does not answer at its ports' text)" = 3 ] &&
	status gone h2 'job gone: ungated: *does not answer*firewall*'
ok "without the first node none gates, and the reason is reported"

nodes cut h1 h2
published cut
sleep 0.3
ip link set port2 down
nodes cut h3 h4
gates cut 0 && status cut h1 '*3 of 4 nodes had committed in time, not h2*'
ok "a node that is cut off after it was ready cancels the round for all"
nodes wall h1 h2 h3 h4
gates wall 0 && status wall h1 '*3 of 4 nodes were ready in time, not h2*' &&
	status wall h2 '*does not answer at its ports*firewall*'
ok "a node that cannot reach the first one runs without a gate, as all do, and says why"
ip link set port2 up

nodes dead h1 h2 h3
published dead
sleep 0.5
kill -KILL "$(server_of dead)"
node dead h4
gates dead 0 && status dead h1 'job dead: aborted, *the service of job dead on node h1 *'
ok "the process that serves is killed: none gates, and none waits beyond its limit"
ends dead h1 h2 h3 h4

nodes crash h1 h2 h3
published crash
sleep 0.5
stopped=$(worker_of crash h2)
kill -STOP "$stopped"
node crash h4
within 5 test -e store/h1/rounds/crash-1/release.json
pgrep -f 'job ready crash --node h1 ' | xargs kill -KILL
kill -CONT "$stopped"
gates crash 0 && [ "$(cat crash.h[34] | grep -c '^liquid-nl: .* opens its gate: it saw no')" = 2 ]
ok "the first node dies after the release: the others open their gates at the base time"
status crash h3 '*node h3 has opened its gate: it saw no *'
ok "whose own store says so"
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl job serve: nodes that share no files agree over the network. Each node has a network
# namespace of its own; the service is killed, nodes are late, killed, cut off and come back, and
# whoever is not the node cannot speak for it.
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
printf '%s\n' "10.99.0.254 ctl" "127.0.0.1 ctl" >>known
know known
start_munged
write_conf liquid.conf
# Nodes know the service, and have no file of the controller's.
sed "s|$work/fabric|/nowhere/fabric|; s|$work/addresses|/nowhere/addresses|
	s|$work/store|/nowhere/store|" liquid.conf >node.conf
install -d -o $keeper -m 750 store

# node JOB NODE [AT [ARG...]]: its prologue, in the namespace of node AT
node()
{
	prologue "$1.$2" nsenter -n -t "${holder[${3:-${2#h}}]}" "$liquid_nl" job ready "$1" \
		--node "$2" --dry-run --config node.conf "${@:4}"
}

start()
{
	timeout 20 "$liquid_nl" job start "$1" --config liquid.conf --nodes "${2:-h[1-4]}" \
		--traffic exchange >"$1.start" 2>&1
}

# gates JOB N: its nodes have left in time, and this many say that they gate. Then the job ends.
gates()
{
	await
	[ "$1" = later ] || timeout 10 "$liquid_nl" job end "$1" --config liquid.conf
	cat "$1".start "$1".h* >text
	tail -n 5 log >>text
	[ "$(cat "$1".h* | grep -c ' gates by schedule ')" = "$2" ] &&
		[ "$(longest "$1")" -le $(((DEADLINE + LEAD + 2) * 1000)) ]
}

status()
{
	timeout 10 "$liquid_nl" job status "$1" --config liquid.conf >text
	# shellcheck disable=SC2053 # a pattern
	[[ $(cat text) == $2 ]]
}

crash()
{
	kill -KILL $service
	wait $service 2>/dev/null
}

pids=

echo "TAP version 13"

# ---- as it should be ----

make_tai
export TAI=5 LD_PRELOAD=$work/tai.so
node early h1
node early h2
start early
nodes early h3 h4
export -n LD_PRELOAD
serve
gates early 4 && status early 'job early: ended, round early-1, *'
ok "four nodes without a shared file gate; two were there before the job and the service"
[ -z "$(find store -name 'ready*' -o -name 'committed*')" ] &&
	[ "$(stat -c %U store/rounds/early-1/go.json)" = $keeper ]
ok "the store has the decisions, and not what each node said"
grep -q "round early-1: all 4 nodes have schedule [0-9a-f]*$" log &&
	grep -q "round early-1: all 4 nodes gate$" log
ok "its log says what came of the round"
grep -q '"tai_offset":5' store/rounds/early-1/release.json
ok "the service hands on the TAI offset of the base time"

# store_of N: the verdict of doctor on node N, and what it says
store_of()
{
	nsenter -n -t "${holder[$1]}" timeout 40 "$liquid_nl" doctor --node "h$1" \
		--config node.conf --json 2>/dev/null |
		jq -r '.findings[] | select(.check == "store") | "\(.verdict) \(.text)"'
}
store_of 1 >text
grep -qx 'ok the service of jobs at .* answers, and knows h1 by 10.99.0.1' text
ok "doctor on a node asks the service, and which address it knows for the node"

start later
nodes later h1 h2 h3
node later h4 4 --stay
gates later 4
stays=$(pgrep -f 'job ready later')
nsenter -n -t "${holder[1]}" timeout 10 "$liquid_nl" job end later --node h1 --dry-run \
	--config node.conf >text 2>&1 && status later 'job later: ended, *' && [ -n "$stays" ] &&
	within 5 test ! -e "/proc/${stays%%[!0-9]*}"
ok "a node's epilogue notes the end, and the process that stayed on another one leaves"
within 5 test -e store/rounds/later-1/last.h4.json
(cd store/rounds/later-1 && ls first.* last.*) >text
[ "$(tr '\n' ' ' <text)" = "first.h4.json last.h1.json last.h4.json " ] &&
	grep -q '"sends":[1-9]' store/rounds/later-1/first.h4.json
ok "samples of their gates reach the store by the service"

# ---- who may speak ----

start other
node other h2 1
gates other 0 && grep -q "refuses h2: it calls from 10.99.0.1; for h2 the controller knows $(
	)10.99.0.2 (getent ahosts h2)$" other.h2
ok "root of one node cannot be another: the address is not that node's, and both are named"
[ ! -e store/rounds/other-1/release.json ] || grep -q abort store/rounds/other-1/release.json
ok "and has decided nothing"

# nodes_are_in NET: as the controller knows them
nodes_are_in()
{
	sed "s/^10\.[0-9]*\.0\.\([1-4]\) h/$1.0.\1 h/" hosts >changed
	cat changed >hosts
}

# A node that calls from another address than the controller's resolver has: no node can gate.
nodes_are_in 10.88
logged=$(wc -l <log)
start moved
nodes moved h1 h2 h3 h4
gates moved 0
[ "$(cat moved.h* | grep -c "refuses h[1-4]: it calls from 10.99.0.[1-4]; for h")" = 4 ] &&
	! grep -q 'nothing was published' moved.h*
ok "nodes that call from other addresses are informed, and nothing else"
tail -n +$((logged + 1)) log >text
[ "$(grep -c '^liquid-nl: refused h[1-4]: it calls from' text)" = 4 ]
ok "each has asked once"
[ "$(longest moved)" -lt 4000 ]
ok "and has not waited for the deadline"
status moved "job moved: ended (ungated: refused h[1-4]: it calls from 10.99.0.[1-4]; for h[1-4] $(
	)the controller knows 10.88.0.[1-4] (getent ahosts h[1-4])), round moved-1*; refused h*"
ok "the status has both addresses"
"$liquid_nl" job metrics --config liquid.conf -o jobs.prom &&
	grep -q 'outcome="ungated",cause="address"} 2$' jobs.prom
ok "and the metrics a cause"
store_of 1 >text
grep -q '^wrong h1 calls from 10.99.0.1; for h1 the controller knows 10.88.0.1 ' text
ok "doctor on such a node says so before any job"
cp hosts all-hosts
sed '/ h1$/d' all-hosts >hosts
store_of 1 >text
grep -q '^wrong h1 calls from 10.99.0.1; for h1 the controller knows no address ' text
ok "and on one whose name the controller does not know"
cat all-hosts >hosts
nodes_are_in 10.99

start partly h[2-4]
nodes partly h1 h2 h3 h4
gates partly 3 && grep -q "refuses h1: h1 is not one of the job's nodes h2, h3, h4$" partly.h1
ok "a node that the job does not have is told which it has, and the others gate"
start false
nodes false h1 h3 h4
within 10 test -e store/rounds/false-1/schedule.json
nsenter -n -t "${holder[1]}" timeout 20 "$liquid_nl" job ready false --node h2 --dry-run \
	--config node.conf >false.stranger 2>&1
node false h2
gates false 4 && grep -q 'refuses h2: it calls from' false.stranger &&
	status false 'job false: ended, round false-1, *' && ! grep -q refused text
ok "a stranger by the name of a node does not make a job that is gated look refused"

key=$(printf '%064d' 0)
# credential UID NAME NONCE
credential()
{
	setpriv --reuid "$1" --clear-groups munge -S munge/socket \
		-u "$(id -u $keeper)" -s "liquid-job 1 $3 $key 00000000000000aa $2"
}
call
refused "$(credential 64901 h1 "$nonce")" "neither root nor"
ok "a user of a node cannot speak for it"
call
first=$nonce
used=$(credential 0 h1 "$nonce")
refused "$(credential 0 h1 "${first//[0-9]/a}")" "the credential is for another connection"
ok "a credential is good for one connection alone"
call
used=$(credential 0 h1 "$nonce")
echo "$used" >&3
exec 4<&3
# The first bytes of a message: the service has taken it
[ "$(timeout 20 head -c 3 <&4 | od -An -tx1 | tr -d ' ')" = 000000 ] && call &&
	refused "$used" "the credential was used before"
ok "and only once"
call
refused "MUNGE:nonsense:" "unmunge refuses"
ok "nonsense is refused"
call
refused "$(head -c 4000 /dev/zero | tr '\0' x)" "no credential"
ok "so is a line that is too long"
logged=$(wc -l <log)
for _ in $(seq 150); do
	call
	refused "$(head -c 4000 /dev/zero | tr '\0' x)" "no credential" || break
done
tail -n +$((logged + 1)) log >text
[ "$(wc -l <text)" -lt 140 ]
ok "who is refused again and again does not fill the log"

# ---- a service that dies ----

start killed
nodes killed h1 h2 h3
prepared killed-1
crash
serve
node killed h4
gates killed 4
ok "killed while three of four were ready: they say so again, and all gate"

start between
nodes between h1 h2 h3
prepared between-1
stopped=$(worker_of between h2)
kill -STOP "$stopped"
node between h4
within 10 test -e store/rounds/between-1/release.json
sleep 0.1
before=$(cat store/rounds/between-1/release.json)
crash
serve
[ ! -e store/rounds/between-1/go.json ] && kill -CONT "$stopped" && gates between 4 &&
	[ "$before" = "$(cat store/rounds/between-1/release.json)" ]
ok "killed after the release: the same release is announced again, and all gate"

crash
start gone
nodes gone h1 h2
gates gone 0 && grep -q 'the service ctl:[0-9]* does not answer: Connection refused' gone.h1 &&
	[ "$(longest gone)" -lt 5000 ]
ok "without a service no node gates, and none waits long"
store_of 1 >text
grep -q '^wrong ' text
ok "doctor on a node says that there is none"
printf '#!/bin/sh\nexec sleep 10\n' >bin/getent
chmod 755 bin/getent
PATH=$work/bin:$PATH serve
store_of 1 >text
grep -q '^ok the service of jobs at .* answers; it has not said which address it knows for h1' text
ok "and that it answers, where the controller's look-up does not"
rm bin/getent
kill -STOP $service
start silent
nodes silent h1 h2
gates silent 0
ok "a service that is silent holds no prologue beyond its limit"
kill -CONT $service

# ---- nodes that are late, killed, cut off ----

start late
nodes late h1 h2 h3
gates late 0 && status late '*3 of 4 nodes were ready in time, not h4*'
ok "a node that does not come aborts the round for all, and is named"

start cut
nodes cut h1 h2
prepared cut-1
ip link set port2 down
nodes cut h3 h4
gates cut 0 && status cut '*3 of 4 nodes had committed in time, not h2*'
ok "a node that is cut off after it was ready cancels the round for all"
ip link set port2 up

start back
nodes back h1 h2
prepared back-1
ip link set port2 down
sleep 1
ip link set port2 up
nodes back h3 h4
gates back 4
ok "cut off for a second and back: all gate"

# h2 has committed when it is cut off. h3 holds the verdict up until then.
start alone
nodes alone h1 h2 h3
prepared alone-1
slow=$(worker_of alone h3)
kill -STOP "$slow"
node alone h4
within 10 test -e store/rounds/alone-1/release.json
sleep 0.4
ip link set port2 down
kill -CONT "$slow"
within 10 grep -q 'opens its gate: it saw no verdict until the base time' alone.h2
ip link set port2 up
gates alone 3
ok "one that is cut off from the verdict opens its gate, and the others gate"
opened="node h2 has opened its gate: it saw no verdict until the base time"
within 10 status alone "job alone: ended, *; $opened"
ok "the status has that node, and why"
"$liquid_nl" job status alone --json --config liquid.conf >text
[ "$(jq -r '.jobs[0].open[0] | .node + " " + .reason' text)" = \
	"h2 it saw no verdict until the base time" ]
ok "its JSON too"

start dead
nodes dead h1 h2 h3
prepared dead-1
slow=$(worker_of dead h1)
victim=$(worker_of dead h2)
# Stopped before the last node comes, so the round cannot be over before h2 is killed.
kill -STOP "$slow"
node dead h4
within 10 test -e store/rounds/dead-1/release.json
sleep 0.4
kill -KILL "$victim"
sleep 0.5
kill -CONT "$slow"
gates dead 0 && status dead '*h2: the process that had committed was killed*'
ok "a node that is killed after its commit cancels the round"

start none h[1-4],h5
status none '*node h5: no address is known for this name on the controller*'
ok "a job with a node that the controller cannot find is not gated, and the reason is reported"
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl job without a kernel: nodes are processes of one host, which a service serves; all of
# them gate by the same schedule from the same time, or none does. selftests/kernel/job/job.sh has
# real gates.
#
# timeout: 200

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"
. "$here/lib/serve.bash"
in_own_namespaces "$@"
keeper=root

"$liquid" fabric make leaf-spine leaves=2 hosts=4 spines=2 -o fabric
"$liquid" fabric make leaf-spine leaves=2 hosts=4 spines=4 -o other-fabric
for n in 1 2 3 4 5 6 7 8; do
	echo "h$n 10.0.0.$n"
done >addresses

# conf FILE FABRIC [LINE...]
conf()
{
	write_conf "$1" "fabric $work/$2" "traffic ranks mpi:alltoall 2" \
		"partition batch exchange" "${@:3}"
}
# A busy machine shall have time, where no deadline is to pass.
DEADLINE=30
LEAD=2
conf liquid.conf fabric
sed 's/^deadline .*/deadline 4s/' liquid.conf >short.conf
serve_one_host h1 h2 h3 h4 h5 h6 h7 h8

start()
{
	timeout 20 "$liquid_nl" job start --config liquid.conf "$@" >text 2>&1
}

# node JOB NODE [ARG...]: its prologue, in the background; its output is in JOB.NODE
node()
{
	job=$1
	name=$2
	shift 2
	setsid timeout -s KILL 60 "$liquid_nl" job ready "$job" --node "$name" \
		--dry-run --config liquid.conf \
		"$@" >"$job.$name" 2>&1 &
	pid=$!
}

# gates JOB: how many of its nodes have said that they gate, and by how many schedules and times
gates()
{
	cat "$1".h* >text
	[ "$(grep -c ' gates by schedule ' text)" = "$2" ] || return 1
	[ "$2" = \
		0 ] || [ "$(sed -n 's/.* gates by \(schedule .*\)/\1/p' text | sort -u | wc -l)" = \
		1 ]
}

verdict()
{
	sed -n 's/.*"verdict":"\([a-z]*\)".*/\1/p' "store/rounds/$1/$2.json" 2>/dev/null
}

echo "TAP version 13"

# ---- all ready ----

start all --nodes 'h[1-4]' --partition batch
ok "a job is published"
nodes all h1 h2 h3 h4
wait
gates all 4
ok "all are ready: all gate, by one schedule from one time"
[ "$(verdict all-1 release)" = commit ] && [ "$(verdict all-1 go)" = keep ]
ok "one record has released it, one has kept it"
prints 0 "job all: gated, round all-1, schedule *" job status all --config liquid.conf
prints 0 '*"state": "gated"*"base_ns": *"nodes": \[*"h4"*' job status all \
	--json --config liquid.conf
prints 0 "job all: node h1: renewed" job renew --node h1 --dry-run --config liquid.conf
prints 0 "job all: node h1: renewed" job renew all --node h1 --dry-run --config liquid.conf
prints 0 "" job renew --node h5 --dry-run --config liquid.conf
prints 2 "*job renew: missing --node*" job renew all --config liquid.conf
prints 1 "*was already started*" job start all --nodes 'h[1-4]' --partition batch \
	--config liquid.conf

# ---- sharing ----

start shared --nodes 'h[4-6]' --traffic exchange && grep -q "shares a node with job all" text
ok "two jobs on one node: the second is not gated"
start links --nodes 'h5,h6' --traffic exchange && grep -q "round links-1" text
ok "two jobs on different links: both are gated"
start crossing --nodes 'h7,h8' --traffic exchange
timeout 20 "$liquid_nl" job end links --config liquid.conf
timeout 20 "$liquid_nl" job end crossing --config liquid.conf
timeout 20 "$liquid_nl" job end all --config liquid.conf
prints 0 "" job renew --node h1 --dry-run --config liquid.conf
prints 0 "job all: ended*" job status all --config liquid.conf
start first --nodes 'h1,h2,h5' --traffic exchange
start second --nodes 'h3,h4,h6' --traffic exchange &&
	grep -q "not gated: it shares link .* with job first" text
ok "jobs that share a link: the second is refused"
node second h3
wait
grep -q "job second: not gated: it shares link" second.h3
ok "its nodes learn of it at once"
timeout 20 "$liquid_nl" job end first --config liquid.conf
conf strict.conf fabric "on-failure fail"
timeout 20 "$liquid_nl" job start lone --nodes 'h[1-2]' --traffic exchange \
	--config strict.conf >text 2>&1
prints 1 "*job crowded: it shares a node with job lone*" job start crowded --nodes 'h[2-3]' \
	--traffic exchange --config strict.conf
timeout 20 "$liquid_nl" job end lone --config liquid.conf

# ---- hosts of several rates ----

cat >fast-fabric <<END
liquid-fabric 2
name fast
hosts h[1-3]
switches s
link h1 s 2
link s h1 2
  to h1
link h2 s 1
link s h2 1
  to h2
link h3 s 1
link s h3 1
  to h3
end
END
printf 'h1 h2 2\nh1 h3 2\nh2 h1\nh3 h1\n' >reads
cp liquid.conf usual.conf
# fast JOB FRAME-TIME: h1 sends two transfers at once, h2 and h3 one
fast()
{
	conf liquid.conf fast-fabric "traffic reads file:$work/reads"
	sed -i "s/^frame-time .*/frame-time $2/" liquid.conf
	start "$1" --nodes 'h[1-3]' --traffic reads
	nodes "$1" h1 h2 h3
	wait
	for name in h1 h2; do
		timeout 20 "$liquid_nl" job prepare "$1-1" --node $name \
			--config liquid.conf >plan.$name 2>&1
	done
	timeout 20 "$liquid_nl" job end "$1" --config liquid.conf
	mv usual.conf liquid.conf
	cp liquid.conf usual.conf
}
fast mixed 1ms
gates mixed 3
ok "nodes of several rates gate by one schedule from one time"
cat plan.* >text
grep -q '"parts": *2' plan.h1 && grep -q '"capacity": *2' plan.h1 && grep -q '"parts": *1' plan.h2
ok "frames of the fast one are cut in two, those of the others are not"
fast odd 1000001
gates odd 0 && grep -q 'a frame of 1000001 ns cannot be cut into 2 equal parts' text
ok "frames that cannot be cut: none gates"

# ---- one is missing, wrong, killed ----

start missing --nodes 'h[1-4]' --traffic exchange --config short.conf
nodes missing h1 h2 h3
wait
gates missing 0 && grep -q "3 of 4 nodes were ready in time" text
ok "one is missing at the deadline: none gates"
[ "$(verdict missing-1 release)" = abort ]
ok "the abort is one record"
node missing h4
wait
gates missing 0
ok "the one that comes too late does not gate either"
grep -q "^job missing: ungated on node h4: no node gates, as node h[1-3] decided: 3 of 4" missing.h4
ok "and says on one line why"
prints 1 "*no agreement: Slurm drains node h1, as*on-failure fail*" job ready missing --node h1 \
	--dry-run --config strict.conf

cp addresses more
sed -i '/^h3 /d' addresses
start unknown --nodes 'h[1-4]' --traffic exchange
nodes unknown h1 h2 h3 h4
wait
gates unknown 0 && grep -q "no address is known for 1 of 3 destinations: h3 in $work/addresses" text
ok "an address is missing: none gates"
mv more addresses

start killed --nodes 'h[1-4]' --traffic exchange
nodes killed h1 h2 h3
prepared killed-1
kill -KILL "$(process_of killed h1)"
node killed h4
wait
gates killed 0 && [ "$(verdict killed-1 go)" = cancel ]
ok "one is killed after it was ready: none gates"

start gone --nodes 'h[1-4]' --traffic exchange
nodes gone h1 h2 h3
prepared gone-1
timeout 20 "$liquid_nl" job end gone --config liquid.conf
wait
gates gone 0 && grep -q "the job has ended" text
ok "the job ends while it is being prepared: none gates"

# ---- the TAI - UTC offset ----

make_tai

# by TAI JOB NODE...: nodes whose kernels have this offset
by()
{
	TAI=$1 LD_PRELOAD=$work/tai.so nodes "${@:2}"
}

start zero --nodes 'h[1-2]' --traffic exchange
start full --nodes 'h[3-4]' --traffic exchange
start both --nodes 'h[5-7]' --traffic exchange
by 0 zero h1 h2
by 37 full h3 h4
by 37 both h5 h6
by 0 both h7
wait
for job in zero full both; do
	timeout 20 "$liquid_nl" job end $job --config liquid.conf
done
gates zero 2 && grep -q '"tai_offset":0' store/rounds/zero-1/release.json
ok "all nodes have a TAI offset of 0: all gate"
gates full 2 && grep -q '"tai_offset":37' store/rounds/full-1/release.json
ok "all have one of 37: all gate"
gates both 0
ok "one has 0 and the others 37: none gates"
prints 0 "job both: ended (ungated: h?: the kernel's TAI - UTC offset is *" \
	job status both --config liquid.conf
grep -qE "is (0 s here, and 37 s on node h[56]|37 s here, and 0 s on node h7): a job's" text
ok "and the reason has both offsets, and a node of each"

# stateless JOB TAI NODE: a node with this offset; h8, which releases, states none, as old versions
stateless()
{
	start "$1" --nodes "$3,h8" --traffic exchange --config short.conf
	by "$2" "$1" "$3"
	prepared "$1-1"
	base=$(($(date +%s) + $("$liquid_nl" clock --json 2>/dev/null | jq .tai_offset) + 3))
	printf '{"verdict":"commit","node":"h8","digest":"%s","base_ns":%d000000000}' \
		"$(sha256sum <"store/rounds/$1-1/schedule.json" | cut -c 1-64)" $base >release
	mv release "store/rounds/$1-1/release.json"
	# The service looks at a job when something appears in its directory.
	touch "store/jobs/$1/look"
	wait
	timeout 20 "$liquid_nl" job end "$1" --config liquid.conf
	cp "store/rounds/$1-1/go.json" text
}
stateless other 0 h1
grep -q "TAI - UTC offset is 0 s here, and 37 s on node h8" text
ok "a release that states none is one of 37: a node with 0 does not follow"
stateless same 37 h2
grep -q "1 of 2 nodes had committed in time, not h8" text
ok "one with 37 does"

# ---- what a job may ask for ----

prints 0 "job quiet: not gated: no traffic is configured*" job start quiet --nodes 'h[1-2]' \
	--partition other --config liquid.conf
prints 0 "*round named-1*" job start named --nodes 'h[1-2]' --partition other \
	--comment "a liquid=ranks" \
	--config liquid.conf
grep -q '"traffic":"mpi:alltoall","tasks_per_node":2' store/rounds/named-1/spec.json
ok "a comment names a traffic that is configured"
timeout 20 "$liquid_nl" job end named --config liquid.conf

# Two ranks on each of three nodes: four units from each node to each other
start ranks --nodes h1,h2,h5 --traffic ranks
nodes ranks h1 h2 h5
wait
gates ranks 3
ok "a job with two ranks on each node"
grep -o '"transfers":[0-9]*,"duration":[0-9]*' store/rounds/ranks-1/schedule.json >text
[ "$(cat text)" = '"transfers":24,"duration":8' ]
ok "sends four units from each node to each other"
# frames of each destination in a node's slice
for name in h1 h2 h5; do
	"$liquid_nl" job prepare ranks-1 --node "$name" --config liquid.conf 2>/dev/null |
		grep -o '"run":[0-9]*,"dest":[01]' | tr ':,' '  ' |
		awk -v node=$name '{ sum[$4] += $2 } END { print node, sum[0], sum[1] }'
done >text
[ "$(cat text)" = "$(printf '%s 4 4\n' h1 h2 h5)" ]
ok "each gate has as many frames for each destination"
prints 0 "*length       8*" solve fabric --hosts h1,h2,h5 --traffic mpi:alltoall --tasks-per-node 2
timeout 20 "$liquid_nl" job end ranks --config liquid.conf
# shellcheck disable=SC2016
prints 0 'job evil: not gated: its comment names traffic '\''$(id)'\'', which is not configured' \
	job start evil \
	--nodes 'h[1-2]' --comment 'liquid=$(id)' --config liquid.conf
prints 0 "*it has one node*" job start single --nodes h1 --traffic exchange --config liquid.conf
prints 0 "*has no node 'h99'; near it: h1, h2, h3*: its names must*job nobody: not gated*" \
	job start nobody --nodes 'h1,h99' --traffic exchange \
	--config liquid.conf
prints 1 "*has no node 'h99'; near it: h1, h2, h3*" job start strict \
	--nodes 'h1,h99' --traffic exchange --config strict.conf
prints 0 "job strict: not gated*" job ready strict --node h1 --dry-run --config liquid.conf
prints 2 "*a job's name is made of*" job start ../x --nodes h1 --config liquid.conf
prints 2 "*--node: expected a node's name, got '../h1'*" job ready x --node ../h1 \
	--config liquid.conf
prints 5 "*nowhere.conf: No such file*" job status --config nowhere.conf

# ---- merge, reroute ----

# From here on some jobs wait for their deadline, so that all have four seconds.
cp short.conf liquid.conf

stay()
{
	job=$1
	shift
	for name; do
		setsid timeout -s KILL 100 "$liquid_nl" job ready "$job" --node "$name" \
			--dry-run --stay \
			--config liquid.conf >"$job.$name" 2>&1 &
	done
	wait
}
start one --nodes 'h1,h2,h5' --traffic exchange
stay one h1 h2 h5
gates one 3
ok "a job whose processes stay"
start two --nodes 'h3,h4,h6' --traffic exchange --merge && grep -q "round two-1, 6 nodes" text
ok "another that shares a link is merged with it"
stay two h3 h4 h6
gates two 3
ok "the new job's nodes gate by the merged schedule"
grep -q 'round two-1: all 6 nodes gate$' log
ok "and so do those of the job before"
"$liquid_nl" job status two --config liquid.conf >text
kept=$(sed -n 's/.* \([0-9]*\) transfers kept, .*/\1/p' text)
[ "${kept:-0}" -gt 0 ] && grep -q '"from_round":"one-1"' store/rounds/two-1/spec.json
ok "what the one before sends stays in its frames where it can"
timeout 20 "$liquid_nl" job end two --config liquid.conf
prints 0 "*round one-3*" job reroute one --fabric other-fabric --config liquid.conf
within 15 grep -q 'round one-3: all 3 nodes gate$' log
ok "new routes: the rest is solved anew, and all swap"

# The frames of a schedule, and nothing else of it
frames()
{
	sed 's/.*"frames"://' "$1"
}
"$liquid" solve other-fabric --hosts h1,h2,h5 --from store/rounds/two-1/schedule.json \
	-o from >text 2>&1
frames store/rounds/one-3/schedule.json >text
[ -s from ] && [ "$(frames from)" = "$(cat text)" ]
ok "from the schedule before, of which it keeps what holds"
prints 0 "job one: gated, round one-3, *transfers kept, * moved*" job status one \
	--config liquid.conf

# A node that does not answer: the others give the new round up, and go on with the one before.
stopped=$(pgrep -f "job ready one --node h5 .*--config liquid.conf" | while read -r p; do
	[ "$(cut -d' ' -f1 "/proc/$p/comm")" = liquid-nl ] && echo "$p"
done)
# shellcheck disable=SC2086
kill -STOP $stopped
prints 0 "*round one-4*" job reroute one --fabric fabric --config liquid.conf
within 15 test -e store/rounds/one-4/release.json
# shellcheck disable=SC2086
kill -CONT $stopped
prints 0 \
	"job one: gated, round one-3,*; round one-4 was given up: \
h?: 2 of 3 nodes were ready in time, not h5" \
	job status one --config liquid.conf
prints 0 '*"given_up": {*"round": "one-4"*' job status one --json --config liquid.conf
start intruder --nodes 'h4,h5' --traffic exchange && grep -q "shares a node with job one" text
ok "what was in force before counts as running"
prints 0 "*round one-5*" job reroute one --fabric fabric --config liquid.conf
within 15 test -e store/rounds/one-5/go.json
[ "$(verdict one-5 go)" = keep ]
ok "and can be rerouted again"

"$liquid" fabric make leaf-spine leaves=1 hosts=4 spines=2 -o less
prints 0 "*job one: node h5 is lost*" job reroute one --fabric less --config liquid.conf
within 15 grep -q 'round one-6: all 2 nodes gate$' log
ok "a lost node: the others go on without it"
timeout 20 "$liquid_nl" job end one --config liquid.conf
# none_left JOB
none_left()
{
	! pgrep -f "job ready $1 .*--config liquid.conf" >/dev/null
}
within 15 none_left one
ok "the job ends: no process is left"

# ---- a traffic of a file, of which a node is lost ----

printf 'h1 h2 3\nh1 h5\nh5 h1 2 # gone\nh2 h1\n' >pairs
conf pairs.conf fabric "traffic pairs file:$work/pairs"
prints 0 "*round pairs-1*" job start pairs --nodes h1,h2,h5 --traffic pairs --config pairs.conf
for name in h1 h2 h5; do
	node pairs $name --stay --config pairs.conf
done
wait
gates pairs 3
ok "a job with pairs from a file"
prints 0 "*node h5 is lost*" job reroute pairs --fabric less --config pairs.conf
within 15 test -e store/rounds/pairs-2/go.json
grep -o '"transfers":[0-9]*' store/rounds/pairs-2/schedule.json >text
[ "$(verdict pairs-2 go)" = keep ] && [ "$(cat text)" = '"transfers":4' ]
ok "what goes to and from the lost node is left out"
printf 'h1 h5\n' >pairs
prints 1 "*its traffic is empty*" job reroute pairs --fabric less --config pairs.conf
timeout 20 "$liquid_nl" job end pairs --config liquid.conf
"$liquid" solve fabric --json |
	sed 's/"version":1/"version":2,"needs":["parts"],"parts":2/' >parts
conf parts.conf fabric "traffic parts schedule:$work/parts"
prints 0 "*sends messages in 2 parts: a job takes a schedule of whole messages*" \
	job start parts --nodes h1,h2,h5 --traffic parts --config parts.conf

# ---- a job that begins anew under its name, as one that Slurm puts back into its queue ----

start anew --nodes 'h[1-2]' --traffic exchange
nodes anew h1 h2
wait
gates anew 2
ok "a job"
prints 1 "*was already started*" job start anew --nodes 'h[1-2]' --traffic exchange \
	--config liquid.conf
timeout 20 "$liquid_nl" job end anew --config liquid.conf
nodes anew h1
start anew --nodes 'h[1-2]' --traffic exchange && grep -q "round anew-2" text
ok "it begins anew after its end"
nodes anew h2
wait
gates anew 2
ok "and gates again, whichever of its nodes came first"
prints 0 "*job anew: gated, round anew-2*job anew.before-1: ended, round anew-1*" job status \
	--config liquid.conf
timeout 20 "$liquid_nl" job end anew --node h3 --dry-run --config liquid.conf
prints 0 "job anew: gated, round anew-2*" job status anew --config liquid.conf
prints 0 "*round anew-3*" job reroute anew --fabric fabric --config liquid.conf
sed -i 's/"deadline_ns":[0-9]*/"deadline_ns":1/' store/rounds/anew-3/spec.json
prints 0 "job anew: gated, round anew-2*; round anew-3 was given up" job status anew \
	--config liquid.conf
timeout 20 "$liquid_nl" job end anew --config liquid.conf

# ---- purge ----

start kept --nodes 'h[1-2]' --traffic exchange
prints 0 "0 jobs and 0 rounds removed" job purge --config liquid.conf
prints 2 "*--older-than: expected a time such as 10us, got 'soon'*" job purge --older-than soon \
	--config liquid.conf
touch -d '2 days ago' store/jobs/anew/end.json store/rounds/anew-2
prints 0 "1 jobs and 1 rounds removed" job purge --older-than 86400s --config liquid.conf
[ ! -e store/jobs/anew ] && [ ! -e store/rounds/anew-2 ] && [ -e store/rounds/anew-1 ]
ok "what ended long ago is gone, and nothing else"
find store/jobs store/rounds -exec touch -d '2 days ago' {} +
"$liquid_nl" job purge --older-than 86400s --config liquid.conf >text 2>&1
"$liquid_nl" job status --config liquid.conf >>text
[ -e store/jobs/kept/gen-1.json ] && [ -e store/rounds/kept-1 ] && [ ! -e store/rounds/anew-1 ] &&
	! ls store/jobs/*/end.json >/dev/null 2>&1
ok "a job that has not ended keeps its rounds, however old"
timeout 20 "$liquid_nl" job end kept --config liquid.conf

# ---- a job whose end is not noted ----

past=$(($(date +%s) - 100))
prints 2 "*--until: expected seconds since 1970*, got 'soon'*" job start over --nodes 'h[1-2]' \
	--until soon --config liquid.conf
# its time, and what it may take beyond: deadline, lead and 30 s
prints 0 "*round over-1*" job start over --nodes 'h[1-2]' --traffic exchange \
	--until "$((past + 70))" \
	--config liquid.conf
stay over h1 h2
gates over 2
ok "a job whose time is soon over"
prints 0 "job over: gated*" job status over --config liquid.conf
within 20 none_left over
ok "its end is not noted: no process stays"
prints 0 "job over: ended*" job status over --config liquid.conf
start next --nodes 'h[1-2]' --traffic exchange && grep -q "round next-1" text
ok "and others may have its nodes"
timeout 20 "$liquid_nl" job end next --config liquid.conf
conf short.conf fabric "longest 5s"
prints 0 "*round aged-1*" job start aged --nodes 'h[1-2]' --traffic exchange --config short.conf
over()
{
	[[ $("$liquid_nl" job status aged --config liquid.conf) == *ended* ]]
}
within 10 over
ok "one of unknown time ends at the greatest age that there is"
touch -d '2 days ago' store/rounds/aged-1
sed -i 's/:[0-9]*/:1/' store/jobs/aged/until.json
prints 0 "1 jobs and 1 rounds removed" job purge --older-than 86400s --config liquid.conf

# ---- who keeps the store ----

chmod 755 "$work"
conf nobody.conf fabric "store $work/other-store" "user nobody"
as_nobody()
{
	setpriv --reuid nobody --clear-groups "$liquid_nl" job "$@" >text 2>&1
}
prints 0 "*round own-1*" job start own --nodes 'h[1-2]' --traffic exchange --config nobody.conf
find other-store ! -user nobody >text && [ ! -s text ]
ok "root becomes the user who keeps the store"
as_nobody end own --config nobody.conf && as_nobody status own --config nobody.conf &&
	grep -q "job own: ended" text
ok "who may be called by that user alike"
! as_nobody start theirs --nodes 'h[1-2]' --traffic exchange --config liquid.conf &&
	grep -q "the store is kept by user 'root', and this is user 65534" text
ok "another is refused, with the reason"
conf nobody.conf fabric "user no-such-user"
prints 1 "*nobody.conf: unknown user 'no-such-user'*" job end own --config nobody.conf
sed -i /^user/d nobody.conf
prints 1 "*nobody.conf: 'user' is missing: who keeps the store*" job end own --config nobody.conf

# ---- the routes now ----

prints 2 "*unknown option*" job start x --nodes 'h[1-2]' \
	--leave-out h1 --config liquid.conf
prints 2 "*--leave-out, --unit-rate and --allow-unreachable go with --topo*" job reroute x \
	--fabric fabric \
	--allow-unreachable --config liquid.conf
prints 2 "*--unit-rate: expected a rate such as 10G, got 'fast'*" job reroute x --topo t --lft l \
	--unit-rate fast

cp "$data/k44.topo" topo
cp "$data/k44.lfts" lft
"$liquid" fabric import --topo topo --lft lft -o imported >text 2>&1
names=$(sed -n 's/^hosts //p' imported | head -n 1)
host=$("$liquid" ranks imported --format mpich)
awk -v RS=, 'NF { sub(/\n/, ""); printf "%s 10.1.%d.%d\n", $1, NR / 250, NR % 250 + 1 }' \
	<<<"$host" >addresses
conf liquid.conf imported "live-topo $work/topo" "live-lft $work/lft"
sed -i '/^link-rate/d' liquid.conf
pair=$(echo "$host" | cut -d, -f1,9)
printf '127.0.0.1 %s\n' "${pair%,*}" "${pair#*,}" >>hosts
[ -n "$names" ] && start live --nodes "$pair" --traffic exchange
nodes live "${pair%,*}" "${pair#*,}"
wait
cat live.* >text
[ "$(grep -c ' gates by schedule ' text)" = 2 ]
ok "the dumps are those of the fabric's file: the job is gated"
timeout 20 "$liquid_nl" job end live --config liquid.conf

# A fabric of which a part is missing, and one from before units had a rate
sed '/"node020 HCA-1"$/,/^$/s/# lid [0-9]* lmc/# lid 0 lmc/' "$data/k44.topo" >topo
"$liquid" fabric import --topo topo --lft lft --leave-out node020 -o imported >text 2>&1
start part --nodes "$pair" --traffic exchange
nodes part "${pair%,*}" "${pair#*,}"
"$liquid" fabric import --topo "$data/k44.topo" --lft lft -o whole >text 2>&1
sed -e 's/^liquid-fabric 2/liquid-fabric 1/' -e '/^\(unit\|extra\|endpoint\) /d' whole >first
conf first.conf first "live-topo $work/topo" "live-lft $work/lft"
wait
cp "$data/k44.topo" topo
cat part.* >text
[ "$(grep -c ' gates by schedule ' text)" = 2 ]
ok "a host without a lid was left out: the dumps are imported likewise, and the job is gated"
timeout 20 "$liquid_nl" job end part --config liquid.conf
mv liquid.conf second.conf
mv first.conf liquid.conf
start first --nodes "$pair" --traffic exchange
nodes first "${pair%,*}" "${pair#*,}"
wait
cat first.* >text
[ "$(grep -c ' gates by schedule ' text)" = 2 ]
ok "a fabric file of version 1 is compared with the dumps as version 1 was made"
timeout 20 "$liquid_nl" job end first --config liquid.conf
sed -i '/^link-rate/d' liquid.conf
start unsaid --nodes "$pair" --traffic exchange
grep -q "does not say the rate of a unit, .* state link-rate in liquid.conf" text
ok "version 1, and no link-rate: the job is not gated, with the reason"
mv second.conf liquid.conf
echo "link-rate 10G" >>liquid.conf
start other --nodes "$pair" --traffic exchange
grep -q "link-rate 10 Gbit/s, but a unit of fabric imported is 8 Gbit/s" text
ok "another link-rate than the fabric's: likewise"
sed -i '/^link-rate/d' liquid.conf
"$liquid" fabric import --topo "$data/fat-tree.topo" --lft "$data/fat-tree.lfts" \
	-o /dev/null >text 2>&1
cp "$data/fat-tree.topo" topo
cp "$data/fat-tree.lfts" lft
start moved --nodes "$pair" --traffic exchange
nodes moved "${pair%,*}" "${pair#*,}"
wait
cat moved.* >text
! grep -q ' gates by schedule ' text && grep -q "topo: not the round's fabric" text
ok "the routes have changed since: none gates"

has_known_forms store
ok "all records have the forms of those that version 0.1.0 wrote"
finish

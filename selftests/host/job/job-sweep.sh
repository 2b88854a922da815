#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# job sweep: a gated job whose routes have changed is void on all of its nodes, and a reroute gates
# it again; one whose routes are as they were stays gated. Gates are those of a dry run.
#
# timeout: 180

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"
. "$here/lib/serve.bash"
in_own_namespaces "$@"
"$liquid" fabric make leaf-spine leaves=3 hosts=2 spines=2 -o fabric
# Routes of h5 and h6, which the jobs do not have; then also of h1 and h2
awk '/^link leaf3.3/ { print; getline; print "  to h[2,4]"; next }
	/^link leaf3.4/ { print; getline; print "  to h[1,3]"; next } { print }' fabric >elsewhere
awk '/^link leaf1.3/ { print; getline; print "  to h[4-5]"; next }
	/^link leaf1.4/ { print; getline; print "  to h[3,6]"; next } { print }' elsewhere >other
sed 's/^link leaf1.4. spine2.1. 1$/link leaf1[4] spine2[1] 2/' fabric >wider
for n in 1 2 3 4 5 6; do
	echo "h$n 10.0.0.$n"
done >addresses
keeper=root
DEADLINE=10
LEAD=1
write_conf liquid.conf
serve_one_host h1 h2 h3 h4

job()
{
	timeout 30 "$liquid_nl" job "$@" --config liquid.conf
}

# gate JOB LIST N...: its nodes gate, and a process of each stays
gate()
{
	job start "$1" --nodes "$2" --traffic exchange >text 2>&1
	for n in "${@:3}"; do
		setsid timeout -s KILL 80 "$liquid_nl" job ready "$1" --node h$n --dry-run --stay \
			--config liquid.conf >"out.$n" 2>&1 &
		pids[n]=$!
	done
	wait "${pids[@]}"
	cat out.* >>text
}

# is JOB PATTERN: what job status says
is()
{
	job status "$1" >text 2>&1
	# shellcheck disable=SC2053 # a pattern
	[[ $(cat text) == $2 ]]
}

# opened ROUND N: this many of its nodes have taken a last sample and opened
opened()
{
	[ "$(find "store/rounds/$1" -name 'last.*' | wc -l)" = "$2" ]
}

echo "TAP version 13"
gate 17 'h[1-4]' 1 2 3 4
is 17 "job 17: gated, round 17-1,*"
ok "a job is gated"

job sweep --fabric fabric >text 2>&1 && [ ! -s text ] && is 17 "job 17: gated,*"
ok "routes are as they were: nothing is void"
job sweep --fabric elsewhere >text 2>&1 && [ ! -s text ] && is 17 "job 17: gated,*"
ok "nor where those of other hosts have changed"
job sweep 16 --fabric other >text 2>&1 && [ ! -s text ] && is 17 "job 17: gated,*"
ok "nor where another job is swept"
job sweep >text 2>&1
[ $? -eq 1 ] && grep -q "names no live-topo and live-lft, and --fabric is not given" text
ok "without routes to compare with it refuses"

job sweep --fabric other >text 2>&1
[ "$(cat text)" = "job 17: round 17-1 is void: routes have changed: 4 of 12 pairs of hosts have \
another one, as from h1 to h3" ]
ok "routes of the job have changed: it is void, and it is said which"
within 5 opened 17-1 4
ok "all of its nodes open their gates"
is 17 "job 17: void, round 17-1, *: routes have changed: 4 of 12 pairs *"
ok "job status says why"
job metrics | grep -qx 'liquid_jobs{state="running",outcome="ungated",cause="routes"} 1'
ok "and so do metrics"
job sweep --fabric other >text 2>&1 && [ ! -s text ]
ok "another sweep says nothing anew"
job renew --node h1 --dry-run >text 2>&1 && [ ! -s text ]
ok "no lease is renewed for it"

job reroute 17 --fabric other >text 2>&1
regated()
{
	[ "$(find store/rounds/17-2 -name 'first.*' | wc -l)" = 4 ]
}
within 10 regated
is 17 "job 17: gated, round 17-2,*"
ok "a reroute gates it again, by the new routes"
job sweep --fabric other >text 2>&1 && [ ! -s text ] && is 17 "job 17: gated,*"
ok "for which it is not void"
job sweep --fabric fabric >text 2>&1
grep -q "^job 17: round 17-2 is void: routes have changed: 4 of 12 pairs" text
ok "when they change back it is"
within 5 opened 17-2 4
job end 17 >text 2>&1
is 17 "job 17: ended, round 17-2,*"
ok "a void job ends like others"

gate 18 'h[1-4]' 1 2 3 4
job sweep --fabric wider >text 2>&1
grep -q "^job 18: round 18-1 is void: routes have changed: 2 of 12 pairs" text
ok "a link of another capacity is another one"
within 5 opened 18-1 4
job end 18 >text 2>&1
gate 18 'h[1-4]' 1 2 3 4
cp other fabric
job sweep --fabric fabric >text 2>&1
grep -q "^job 18: round 18-2 is void: it is for fabric [0-9a-f]*, and $work/fabric is" text
ok "a round of a fabric that liquid.conf has no more is void"
finish

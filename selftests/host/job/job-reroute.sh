#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A cable and then a node are lost while a job is gated: the real opensm routes a simulated fabric
# anew, and job reroute solves the rest on its dumps. Gates are those of a dry run.
#
# timeout: 200

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"
. "$here/lib/serve.bash"
. "$here/lib/ibsim.bash"

needs_ibsim
in_own_namespaces "$@"
stop()
{
	stop_ibsim
	end_serve
	rm -rf "$work"
}
trap stop EXIT
trap 'exit 1' INT TERM

job()
{
	timeout 60 "$liquid_nl" job "$@" --config "$work/liquid.conf"
}

# What $1 of the job is, as the status tells
member()
{
	job status 17 --json | sed -n "s/.*\"$1\": \"*\([^\",]*\).*/\1/p" | head -n 1
}

# round ROUND NODES: it is gated by the schedule of a round, by this many nodes
is_gated()
{
	[ "$(member round)" = "$1" ] && [ "$(member state)" = gated ] &&
		grep -q "round $1: all $2 nodes gate\$" log
}

echo "TAP version 13"
"$here/tools/ibsim-net" k44 >net
start_ibsim net && route minhop,no_fallback
ok "opensm routes the simulated fabric"
"$liquid" fabric import --topo topo --lft fts -o fabric >text 2>&1
for n in $(seq 32); do
	printf 'node%03d 10.0.0.%d\n' "$n" "$n"
done >addresses
keeper=root
DEADLINE=20
LEAD=1
write_conf liquid.conf "live-topo $work/topo" "live-lft $work/fts"
sed -i /^link-rate/d liquid.conf
# shellcheck disable=SC2046 # names
serve_one_host $(seq -f node%03g 8)
job start 17 --nodes 'node[001-008]' --traffic exchange >text 2>&1
for n in 1 2 3 4 5 6 7 8; do
	setsid timeout -s KILL 150 "$liquid_nl" job ready 17 --node node00$n --dry-run --stay \
		--config "$work/liquid.conf" >"out.$n" 2>&1 &
	nodes="$nodes $!"
done
# shellcheck disable=SC2086
wait $nodes
cat out.* >>text
is_gated 17-1 8
ok "a job of eight nodes is gated"

# A cable on the way of some transfers
echo 'Unlink "S-0002c90000000001"[5]' >&7
sleep .5
route minhop,no_fallback
job sweep >text 2>&1
grep -q "^job 17: round 17-1 is void: routes have changed: " text
ok "a cable is lost: a sweep finds that by the dumps of liquid.conf"
job reroute 17 --topo topo --lft fts >text 2>&1
ok "the job is published for the new routes"
within 30 is_gated 17-2 8
job status 17 >text
is_gated 17-2 8
ok "all of its nodes change over"
job sweep >text 2>&1 && [ ! -s text ]
ok "and another sweep finds nothing"
"$liquid" fabric import --topo topo --lft fts -o fabric.2 >text 2>&1
"$liquid" verify fabric.2 store/rounds/17-2/schedule.json --hosts 'node[001-008]' >>text 2>&1
ok "the schedule holds on the new routes"
! "$liquid" verify fabric.2 store/rounds/17-1/schedule.json --hosts 'node[001-008]' >text 2>&1
ok "and the one before does not"
job status 17 --json >text
[ "$(member kept)" -gt "$(member moved)" ] && [ "$(member moved)" -gt 0 ] &&
	[ $(($(member kept) + $(member moved))) = 56 ]
ok "what the cable did not carry stays in its frame"
echo "# $(job status 17)"

# node005's only cable; its process clears the gate and waits for the job's end
echo 'Unlink "H-0002c90000001014"[1]' >&7
sleep .5
route minhop,no_fallback
job reroute 17 --topo topo --lft fts >text 2>&1 && grep -q "job 17: node node005 is lost" text
ok "a node is lost: the job is published without it"
within 30 is_gated 17-3 7
job status 17 >text
is_gated 17-3 7
ok "the others change over"
"$liquid" fabric import --topo topo --lft fts -o fabric.3 >text 2>&1
"$liquid" verify fabric.3 store/rounds/17-3/schedule.json \
	--hosts 'node[001-004],node[006-008]' >>text 2>&1
ok "their schedule holds, and carries all that is left"

cp topo topo.3
cp fts fts.3
# The node is back, but the subnet manager has not seen it: it cannot be reached yet.
echo 'ReLink "H-0002c90000001014"[1]' >&7
sleep .5
on_fabric ibnetdiscover >topo
job reroute 17 --topo topo --lft fts >text 2>&1
grep -q "no table has a row for the lid of node005.*--leave-out LIST.*--allow-unreachable" text
ok "a host that no table knows: the reroute names it, and the options that go on"
job reroute 17 --topo topo --lft fts --leave-out node005 >text 2>&1 &&
	grep -q "left out as asked: node005" text
ok "with --leave-out it goes on"
within 30 is_gated 17-4 7
job status 17 >text
is_gated 17-4 7 && grep -qx "import leave-out node005" store/rounds/17-4/fabric
ok "the nodes import likewise, and find the fabric of the round"
job reroute 17 --topo topo --lft fts --unit-rate 16G >text 2>&1
grep -q "slower than a unit of 16G bit/s: node\[" text
ok "hosts that are slower than the unit asked for are named"

# The dumps that the nodes see are of other routes than those that the round is for.
echo 'Unlink "H-0002c90000001014"[1]' >&7
echo 'ReLink "S-0002c90000000001"[5]' >&7
sleep .5
route minhop,no_fallback
job reroute 17 --topo topo.3 --lft fts.3 >text 2>&1
within 30 test -e store/rounds/17-5/release.json
job status 17 >text
is_gated 17-4 7 && grep -q "round 17-5 was given up" text
ok "dumps that are out of date: the nodes give the round up, and keep what they have"

job end 17 >text 2>&1
none_left()
{
	! pgrep -f "job ready 17 --node node00. --dry-run --stay --config $work/" >/dev/null
}
within 15 none_left
ok "the job ends: no process is left"
finish

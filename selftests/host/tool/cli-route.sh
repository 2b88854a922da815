#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid route: tables for a traffic, their proof, what --from keeps, and what is refused.
#
# timeout: 120

data=$(readlink -f "$(dirname "$(readlink -f "$0")")/../../data")
. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

command -v jq >/dev/null || { echo "1..0 # SKIP no jq"; exit 4; }

echo "TAP version 13"
prints 0 "" fabric make torus size=6x6 ties=plus -o torus
prints 0 "" fabric make fat-tree k=4 -o tree
prints 0 "load         15, by the present tables 15
bound        15: no routes have a smaller load
busiest      *
shifts       15 messages' times for the steps of a pairwise exchange
lanes        1, in each of which no routes wait for each other in a circle" route tree
prints 0 "load         *, by the present tables 36
bound        35: no routes have a smaller load*
lanes        4, in each of which no routes wait for each other in a circle" \
	route torus --lanes 4 --work 300000 -o routed
prints 0 "routed: valid: no routes wait for each other in a circle" verify routed --circles
prints 1 "s*waits for
*
*torus: routes wait for each other in a circle of 6 links*" verify torus --circles
"$liquid" route tree -o tree.routed >text && cmp tree tree.routed
ok "tables that reach the bound already are kept"
grep -q '^extra lane$' routed && grep -q '^lane 3 h' routed
ok "the file has the lanes"
"$liquid" fabric show torus --json | jq -S .digest >torus.digest
"$liquid" fabric show routed --json | jq -S .digest >routed.digest
! cmp -s torus.digest routed.digest
ok "other routes are another fabric"

# ---- tables that are not complete ----

# A ring in which each packet is dropped two switches before its host
cat >partial <<'END'
liquid-fabric 1
name partial
hosts a,b,c,d
switches s,t,u,v
link a[1] s[1] 1
link b[1] t[1] 1
link c[1] u[1] 1
link d[1] v[1] 1
link s[1] a[1] 1
link t[1] b[1] 1
link u[1] c[1] 1
link v[1] d[1] 1
link s[2] t[3] 1
  to c,d
link t[2] u[3] 1
  to a,d
link u[2] v[3] 1
  to a,b
link v[2] s[3] 1
  to b,c
end
END
prints 1 "*note: partial: 12 pairs of hosts have no route
*partial: routes wait for each other in a circle of 4 links" verify partial --circles
grep -v '^ *to ' routed >none
prints 0 "*note: none: 1260 pairs of hosts have no route
none: valid: no routes wait for each other in a circle" verify none --circles

# ---- the bound ----

"$liquid" route torus --lanes 4 --work 300000 --json >found
ok "route --json"
prints 0 "found: valid: no routes of the traffic have a smaller load than 35" verify torus \
	--prices found
jq '.witness.links |= map([.[0], .[1] + 1])' found >other
"$liquid" verify torus --prices other --json | jq -e '.bound <= 35' >/dev/null
ok "other prices prove no more"
jq '.witness.links[0][0] = "s1[9]>s2[9]"' found >other
prints 1 "*other: price 1: 's1\[9]>s2\[9]' is not a link, or has a price already" verify torus \
	--prices other
echo '{' >other
prints 1 "*other:*" verify torus --prices other
jq '.bound = 36' found >other
prints 1 "*other: it states a bound of 36, and its prices prove 35" verify torus --prices other
[ "$(jq -c '[.lanes,.circles,(.lane|length),.present]' found)" = "[4,false,36,36]" ]
ok "route --json: lanes of all hosts, and the present load"

prints 0 "bound        35: *; the present load is 36, 2.86 % above" \
	route torus --bound
"$liquid" route torus --bound --json >alone
prints 0 "alone: valid: no routes of the traffic have a smaller load than 35" verify torus \
	--prices alone
prints 2 "*--bound finds no tables: nothing can be written, or kept*" route torus --bound -o out

# ---- a given traffic, a fabric without tables, circles ----

printf 'h1 h36 4\nh2 h35 4\n' >pairs
prints 0 "load         4*
bound        4*" route torus --traffic pairs --lanes 2 --work 100000
grep -v '^ *to ' torus >bare
prints 0 "load         *
bound        35*
*" route bare --circles --work 100000
prints 0 "load         *
bound        35*
*routes may wait for each other in a circle, as allowed" route bare --circles --work 100000

# ---- --stretch ----

prints 0 "load         *" route torus --lanes 4 --work 100000 --stretch 0 -o short
"$liquid" fabric show short h1 h8 --route | tr -s ' ' '\n' >path
[ "$(grep -c '^s[0-9]*\[' path)" = 3 ]
ok "--stretch 0: from corner to corner of a square of switches, and to the host"
prints 1 "*no routes were found that are all at most 0 links longer than the shortest*" \
	route torus --work 100000 --stretch 0

# ---- routes and a schedule in one ----

prints 0 "load         *" route torus --lanes 4 --work 20000 -o joint --schedule together
prints 0 "together: valid: 1260 transfers in * frames, *" verify joint together
prints 0 "joint: valid: no routes wait for each other in a circle" verify joint --circles

# ---- --from ----

grep -v '^link s1\[1] \|^link s[0-9]*\[[0-9]*] s1\[1] ' routed | grep -v '^ *to ' >cut
[ "$(grep -c '^link' cut)" = "$(($(grep -c '^link' routed) - 2))" ]
ok "a cable is cut"
prints 0 "load         *
changed      routes to * of 36 hosts
lanes        4, in each of which no routes wait for each other in a circle" route cut \
	--from routed -o mended
prints 0 "*no routes wait for each other in a circle" verify mended --circles
prints 0 "*
changed      routes to 0 of 36 hosts
*" route routed --from routed

# ---- more lanes than InfiniBand has ----

# in_lanes N: the imported fabric with routes to a host in each of N lanes
in_lanes()
{
	awk -v lanes="$1" '$1 == "hosts" { print "extra lane" } { print }
		$1 == "switches" { for (i = 1; i < lanes; i++) printf "lane %d node%03d\n", i, i
		}' imported
}

"$liquid" route --topo "$data/k44.topo" --lft "$data/k44.fts" -o imported >text
in_lanes 15 >lanes15
in_lanes 16 >lanes16
prints 0 "*
lanes        15, *" route --topo "$data/k44.topo" --from lanes15 --qos-policy policy \
	--opensm-options options
[ "$(grep -c '^ *any, target-port-guid' policy)" = 14 ] && grep -q '^qos_max_vls 15$' options
ok "15 lanes: a service level each"
prints 1 "*policy16: the routes need 16 lanes, and InfiniBand has 15 for data" \
	route --topo "$data/k44.topo" --from lanes16 --qos-policy policy16
prints 1 "*options16: the routes need 16 lanes, and InfiniBand has 15 for data" \
	route --topo "$data/k44.topo" --from lanes16 --opensm-options options16
prints 1 "*tables16: the routes need 16 lanes, and InfiniBand has 15 for data" \
	route --topo "$data/k44.topo" --from lanes16 --lfts tables16 --qos-policy policy16
[ ! -e policy16 ] && [ ! -e options16 ] && [ ! -e tables16 ]
ok "16 lanes: nothing is written"

# ---- several addresses a host ----

for i in $(seq 36); do
	echo "h$i h$(((i + 6) % 36 + 1))"
	echo "h$i h$(((i * 5 + 8) % 36 + 1))"
done | awk '$1 != $2' >some
prints 0 "load         *
aliases      *, besides the first address of each of 36 hosts
lanes        *" route torus --traffic some --lanes 4 --lmc 1 --work 100000 -o two --assign named
grep -q '^needs alias$' two && grep -q '\.1 1$' named
ok "the fabric has aliases, and the traffic names them"
prints 0 "*" solve two --traffic named -o schedule
prints 0 "*" verify two schedule
prints 0 "*no routes wait for each other in a circle" verify two --circles
[ "$("$liquid" solve two --traffic named --json | jq .duration)" = \
	"$("$liquid" route torus --traffic some --lanes 4 --lmc 1 --work 100000 --json |
		jq .load)" ]
ok "its load is the duration of that traffic on that fabric"
grep -v '^link s1\[1] \|^link s[0-9]*\[[0-9]*] s1\[1] ' two | grep -v '^ *to ' >cut.two
prints 0 "load         *
changed      routes to * of * hosts
aliases      *
lanes        *" route cut.two --from two --traffic named -o mended.two
cmp <(grep ^alias two) <(grep ^alias mended.two)
ok "--from keeps the aliases"
"$liquid" route two --work 1000 -o none && ! grep -q alias none
ok "without --lmc aliases are dropped"
prints 1 "*the traffic names the alias h*.1: *" route two --traffic named
read -r src dst _ < <(grep '\.1 1$' named)
prints 0 "h* h*.1:*" fabric show two "$src" "$dst" --route

# ---- given traffics ----

"$liquid" fabric make torus size=8x8 ties=plus -o wide
part=$(seq 64 | awk '$1 * 7 % 10 < 6 { printf "%sh%d", (n++ ? "," : ""), $1 }')
"$liquid" route wide --lanes 4 --hosts "$part" --json >part
jq -e '.load == 37 and .bound == 37 and .present == 50' part >/dev/null
ok "38 of 64 hosts: the load is the bound"
for k in 3 5 11 13; do
	seq 64 | awk -v k="$k" '$1 != ($1 * k + 17 * k) % 64 + 1 {
		print "h" $1, "h" ($1 * k + 17 * k) % 64 + 1 }'
done >four
"$liquid" route wide --lanes 4 --traffic four --lmc 1 --json >four.found
jq -e '.load <= 6 and .load >= .bound and .present == 7' four.found >/dev/null
ok "four permutations: with two addresses a load below the 7 of one"

# GPUs that pass data on, by links of one and two units: no link can carry the bound of 8/3.
"$data/../../tools/bench/te-ccl" --fabric dgx1 >gpus
"$liquid" route gpus --circles --json >gpus.found
jq -e '.load == 3 and .least == 3 and .bound < 2.7' gpus.found >/dev/null
ok "links of several capacities: the least load is one that a link can have"

# Here the search with two addresses ends at 4: what one address has is taken.
"$liquid" fabric make dragonfly -o dragonfly
for i in $(seq 72); do
	echo "h$i h$(((i * 5 + 8) % 72 + 1))"
	echo "h$i h$(((i * 11 + 8) % 72 + 1))"
done | awk '$1 != $2' | LC_ALL=C sort -u >double
prints 0 "load         3,*" route dragonfly --traffic double --lanes 4 --work 20000
prints 0 "load         3,*" route dragonfly --traffic double --lanes 4 --work 20000 --lmc 1 -o one \
	--assign named
! grep -q alias one && ! grep -q '\.1 ' named
ok "it has one address a host, and a traffic that uses these"
prints 0 "*
duration     3*" solve one --traffic named

# ---- refusals ----

prints 2 "*--assign needs --lmc: a host has one address*" route torus --assign out
prints 2 "*--from keeps the addresses of that fabric: no --lmc*" route cut --from routed --lmc 1

prints 2 "*either FABRIC, or --topo and --lft*" route
prints 2 "*--topo and --lft go together; with --from, --topo suffices*" route --topo torus
prints 2 "*--lanes and --circles exclude each other*" route torus --lanes 2 --circles
prints 2 "*--from keeps the lanes of that fabric: no --lanes*" route cut --from routed --lanes 2
prints 2 "*--lfts and --qos-policy need --topo, for LIDs and GUIDs*" route torus --lfts out
prints 2 "*either SCHEDULE, --circles or --prices*" verify torus
prints 2 "*either SCHEDULE, --circles or --prices*" verify torus schedule --circles
prints 2 "*--circles is about all routes, not the routes of a traffic*" verify torus --circles \
	--traffic pairs
awk '$1 != "link" || !/ s1\[[1-9]] s| s[0-9]*\[[0-9]*] s1\[/' cut >alone
prints 1 "*there is no way from switch s* to host h*" route alone
finish

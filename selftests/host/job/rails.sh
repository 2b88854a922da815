#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl job by `rail all`, without a kernel: nodes of two rails each. A node stages, commits and
# reports a schedule for each rail, and if one rail cannot, no node gates. kernel/job/job-rails.sh
# has real gates.
#
# timeout: 200

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"
. "$here/lib/serve.bash"
. "$here/lib/rails.bash"
[ -n "$(command -v jq)" ] || skip_all "no jq; \`make deps\` installs it"
in_own_namespaces "$@"
mount -t tmpfs -o mode=755 tmpfs /run || skip_all "no tmpfs"
keeper=root
DEADLINE=4
LEAD=1
make_rails

# conf FILE [LINE...]
conf()
{
	write_conf "$1"
	sed -i '/^device /d; /^link-rate /d' "$1"
	rails_lines >>"$1"
	printf '%s\n' "${@:2}" >>"$1"
}
conf liquid.conf "device lo,eth9"
serve_one_host n1 n2 n3 n4

nodes()
{
	for name in "${@:2}"; do
		node "$1" "$name" liquid.conf
	done
}

echo "TAP version 13"

# ---- what a rail sends ----

start all exchange && nodes all n1 n2 && node all n3 liquid.conf --user 64901
gates all 3
ok "nodes of two rails each gate by one schedule, from one time"
grep -qx 'rail all' /run/liquid-jobs/all@n3 && grep -qx 'state gated' /run/liquid-jobs/all@n3 &&
	[ ! -s /run/liquid-jobs/all@n3@plan ]
ok "ranks are told to take all rails, and have no plan of one"
slice all n1
[ "$(dests_of 0 slice.n1)" = "n2/a/1 n3/a/1" ] && [ "$(dests_of 1 slice.n1)" = "n2/b/1 n3/b/1" ]
ok "each rail exchanges with the same one of the other nodes"
[ "$(jq -c '[.frames, .endpoint, .more[0].frames, .more[0].endpoint]' slice.n1)" = \
	"$(jq -c '[.frames, "n1/a/1", .frames, "n1/b/1"]' slice.n1)" ]
ok "both have as many frames, and the name of their endpoint"
prints 0 "job all: gated, round all-1, schedule *" job status all --config liquid.conf
end all
start ranks ranks && slice ranks n2
[ "$(dests_of 0 slice.n2)" = "n1/a/1 n1/b/1 n3/a/1 n3/b/1" ] &&
	[ "$(dests_of 1 slice.n2)" = "n1/a/1 n1/b/1 n3/a/1 n3/b/1" ]
ok "ranks take the rails in turn: each rail sends to all rails of the other nodes"
end ranks
start odd odd && slice odd n2
# Two ranks are on the first rail and one on the second: frames to each destination, summed
[ "$(jq -c '[., .more[0]] | map([.entries[] | select(.dest != null) | .run] | add)' slice.n2)" = \
	"[12,6]" ]
ok "and a rail sends as much as its ranks"
end odd
start pairs pairs && slice pairs n1 && slice pairs n3
[ "$(jq -c '[.idle, .more[0].idle]' slice.n1)" = "[true,null]" ] &&
	[ "$(jq -c '[.idle, .more[0].idle]' slice.n3)" = "[true,true]" ] &&
	[ "$(dests_of 1 slice.n1)" = "n2/b/1" ]
ok "a file names endpoints: a rail, or a node, may have nothing to send"
nodes pairs n1 n2 n3
gates pairs 3
ok "their nodes gate with the others"
end pairs

# ---- what does not fit ----

conf one.conf "device lo"
start few exchange one.conf
grep -q "not gated: .*node 'n1' has 2 endpoints in fabric '.*', and 1 device in liquid.conf" text
ok "fewer devices than endpoints: refused on the controller"
conf one.conf "device lo,eth9" "device lo n2"
start some exchange one.conf
grep -q "not gated: .*node 'n2' has 2 endpoints in fabric '.*', and 1 device in liquid.conf" text
ok "on one of the nodes: refused by its name"
conf one.conf "device lo" "rail 1"
sed -i '/^rail all/d' one.conf
start single exchange one.conf && timeout 20 "$liquid_nl" job prepare single-1 --node n1 \
	--config one.conf >slice.n1 2>text
[ "$(dests_of 0 slice.n1)" = "n2/a/1 n3/a/1" ] && [ "$(jq -c '[.more, .endpoint]' slice.n1)" = \
	"[null,null]" ]
ok "one rail: the slice has the form that it always had"
end single
start wrong exchange && nodes wrong n1 n3 && node wrong n2 one.conf
gates wrong 0 &&
	grep -q "names 1 devices for node 'n2', and its schedule is for 2 ports of it" text
ok "a node that takes one rail alone: none gates"
sed 's/n3\/b\/1/n5\/b\/1/g' fabric >lost-fabric
conf lost.conf "device lo,eth9" "fabric $work/lost-fabric"
start lost exchange lost.conf
grep -q "not gated: .*node 'n3' has 1 endpoint in fabric '.*', and 2 devices in liquid.conf" text
ok "a node of which the fabric lacks a rail: refused"
"$liquid_nl" doctor --node n3 --config lost.conf --json 2>/dev/null |
	jq -r '.findings[] | select(.check == "fabric") | .text' >text
grep -q "node 'n3' has 1 endpoint in fabric" text
ok "doctor says so on that node"
"$liquid_nl" doctor --node n3 --config liquid.conf --json 2>/dev/null |
	jq -r '.findings[] | select(.check == "configuration") | .text' >text
grep -q "device lo,eth9$" text
ok "and names the devices of one that is as it should be"

# addresses_of: what doctor says of them on n1
addresses_of()
{
	"$liquid_nl" doctor --node n1 --config liquid.conf --json 2>/dev/null |
		jq -r '.findings[] | select(.check == "addresses") | "\(.verdict) \(.text)"' >text
}
cp addresses more-addresses
sed -i 's|^n1/b/1 .*|n1/b/1 127.0.0.1|' addresses
addresses_of
grep -q "^wrong .*: 127.0.0.1 of n1/b/1 is an address of lo, and .* has eth9 for that rail$" text
ok "devices in another order than the rails: doctor says so"
sed 's|^n1/b/1 .*|n1/b/1 10.2.0.1|; s|^n1/a/1 .*|n1/a/1 127.0.0.1|' more-addresses >addresses
addresses_of
! grep -q "is an address of" text
ok "but not of those in order"
mv more-addresses addresses

# told FILE: the fabric on stdin with the rail of each endpoint, by its name; on n2 the other way
told()
{
	sed 's/^liquid-fabric 1$/liquid-fabric 2/; /^name /a extra endpoint' | awk '
	/^link / && !done++ {
		for (n = 1; n <= 4; n++) {
			print "endpoint n" n "/a/1 " (n == 2 ? "HCA-2" : "HCA-1") "/1 " \
				(n == 2 ? 2 : 1) " - -"
			print "endpoint n" n "/b/1 " (n == 2 ? "HCA-1" : "HCA-2") "/1 " \
				(n == 2 ? 1 : 2) " - -"
		}
	}
	{
		print
	}' >"$1"
}
told told-fabric <fabric
conf told.conf "device lo,eth9" "fabric $work/told-fabric"
start byname exchange told.conf
timeout 20 "$liquid_nl" job prepare byname-1 --node n2 --config told.conf >slice.n2 2>text
[ "$(jq -r .endpoint slice.n2) $(dests_of 0 slice.n2)" = "n2/b/1 n1/a/1 n3/a/1" ]
ok "rails are those that the import told, not the order of endpoints"
end byname
sed -i '/^endpoint n3.b/d; s/n3\/b\/1/n5\/b\/1/g' told-fabric
start lacking exchange told.conf
grep -q "node 'n3' has 1 endpoint in .*; it has no rail 2 (HCA-2)" text
ok "the rail that a node lacks is named"
conf more.conf "device lo,eth8,eth9" "fabric $work/told-fabric"
start more exchange more.conf
grep -q "node 'n1' has 2 endpoints in .*, and 3 devices in liquid.conf: .* for each$" text
ok "not one that no node has"
sed '/^rail all/d' told.conf >second.conf
sed -i 's/^device .*/device lo/; $a rail 2' second.conf
start second exchange second.conf
grep -q "node 'n3' has no rail 2 (HCA-2) in fabric" text
ok "and so it is where one rail is gated"

# ---- one rail fails, one node is late ----

cp addresses more-addresses
start unknown exchange
sed -i '/^n2\/b\/1/d' addresses
nodes unknown n1 n2 n3
gates unknown 0 && grep -q 'n[13]/b/1: no address is known for 1 of 2 destinations: n2/b/1' text
ok "no address is known on one rail: no node gates, on no rail"
mv more-addresses addresses
end unknown
sed 's|^\(link n1/b/1\[1\] .*\) 1$|\1 2|; s|^\(link .* n1/b/1\[1\]\) 1$|\1 2|' fabric >fast-fabric
conf fast.conf "device lo,eth9" "fabric $work/fast-fabric" "frame-time 1000001"
printf '%s\n' "n1/b/1 n2/b/1" "n1/b/1 n3/b/1" "n2/a/1 n1/a/1" "n3/a/1 n1/a/1" >pairs
start cut pairs fast.conf
cp liquid.conf usual.conf
cp fast.conf liquid.conf
nodes cut n1 n2 n3
gates cut 0 && grep -q 'n1/b/1: a frame of 1000001 ns cannot be cut into 2 equal parts' text
ok "the frames of one rail cannot be cut: no node gates"
cp usual.conf liquid.conf
end cut
start late exchange && nodes late n1 n2
gates late 0 && grep -q "2 of 3 nodes were ready in time, not n3" text
ok "one node is late: none gates"
nodes late n3
gates late 0
ok "nor does the one that is late"
end late

# ---- reports, and when routes change ----

# samples ROUND first|last NODE...: these nodes have written what their gates have counted
samples()
{
	round=$1
	which=$2
	shift 2
	for name; do
		within 10 test -e "store/rounds/$round/$which.$name.json"
	done
}

start told exchange
for name in n1 n2 n3; do
	node told $name liquid.conf --stay
done
gates told 3
samples told-1 first n1 n2 n3
jq -c '[.plan.endpoint, .more[0].plan.endpoint]' store/rounds/told-1/first.n1.json >text
[ "$(cat text)" = '["n1/a/1","n1/b/1"]' ]
ok "the first sample has a part for each rail"
prints 0 "*round told-1 is void: *n3/b/1*" job sweep told --fabric lost-fabric --config liquid.conf
prints 0 "*node n3 is lost: node 'n3' has 1 endpoint in *round told-2, 2 nodes*" job reroute told \
	--fabric lost-fabric --config liquid.conf
within 15 test -e store/rounds/told-2/go.json && grep -q '"verdict":"keep"' \
	store/rounds/told-2/go.json
ok "a rail is lost: its node is left out, and the others gate anew"
samples told-2 first n1 n2
end told
samples told-2 last n1 n2
"$liquid_nl" job report told --json --config liquid.conf |
	jq -c '[.rounds[1].nodes[] | [.host, .rail, .node]]' >text
[ "$(cat text)" = '[["n1",1,"n1/a/1"],["n1",2,"n1/b/1"],["n2",1,"n2/a/1"],["n2",2,"n2/b/1"]]' ]
ok "the report has a row for each rail"
finish

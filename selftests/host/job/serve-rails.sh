#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl job by `rail all` and a service: nodes of two rails each, which share no file with the
# controller. All rails of all nodes gate, or none does.
#
# timeout: 120

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"
. "$here/lib/serve.bash"
. "$here/lib/rails.bash"
[ -n "$(command -v jq)" ] || skip_all "no jq; \`make deps\` installs it"
in_own_namespaces "$@"
mount -t tmpfs -o mode=755 tmpfs /run || skip_all "no tmpfs"
DEADLINE=4
LEAD=1

make_rails
printf '127.0.0.1 %s\n' ctl n1 n2 n3 n4 >known
know known
start_munged

# conf NAME [LINE...]: NAME.conf of the controller, and node-NAME.conf of nodes, without its files
conf()
{
	write_conf "$1.conf" "${@:2}"
	rails_lines >>"$1.conf"
	sed -i 's/^device lo$/device lo,eth9/' "$1.conf"
	sed "s|$work/fabric|/nowhere/fabric|; s|$work/addresses|/nowhere/addresses|
		s|$work/store|/nowhere/store|" "$1.conf" >"node-$1.conf"
}
conf liquid
cp node-liquid.conf node-one.conf
sed -i 's/^device .*/device lo/; /^rail/d' node-one.conf
install -d -o $keeper -m 750 store
serve

nodes()
{
	for name in "${@:2}"; do
		node "$1" "$name" node-liquid.conf
	done
}

echo "TAP version 13"

start all exchange && nodes all n1 n2 && node all n3 node-liquid.conf --user 64901
gates all 3
ok "nodes of two rails each gate by one schedule, from one time"
slice all n1
[ "$(dests_of 0 slice.n1)" = "n2/a/1 n3/a/1" ] && [ "$(dests_of 1 slice.n1)" = "n2/b/1 n3/b/1" ]
ok "each rail exchanges with the same one of the other nodes"
grep -qx 'rail all' /run/liquid-jobs/all@n3 && grep -qx 'state gated' /run/liquid-jobs/all@n3 &&
	[ ! -s /run/liquid-jobs/all@n3@plan ]
ok "ranks are told to take all rails, and have no plan of one"
end all

start other exchange && nodes other n1 n3 && node other n2 node-one.conf
gates other 0 &&
	grep -q "names 1 devices for node 'n2', and its schedule is for 2 ports of it" text
ok "a node that has a device for one rail alone: none gates"
end other

start late exchange && nodes late n1 n3
gates late 0 && grep -q "2 of 3 nodes were ready in time, not n2" text
ok "one node is late: none gates"
end late

cp addresses more-addresses
sed -i '/^n2\/b\/1/d' addresses
start unknown exchange && nodes unknown n1 n2 n3
gates unknown 0 && grep -q 'n1/b/1: no address is known for 1 of 2 destinations: n2/b/1' text
ok "no address is known on one rail: no node gates, on no rail"
mv more-addresses addresses
end unknown

start told ranks
for name in n1 n2 n3; do
	node told $name node-liquid.conf --stay
done
gates told 3 && within 10 test -e store/rounds/told-1/first.n3.json
jq -c '[.plan.endpoint, .more[0].plan.endpoint]' store/rounds/told-1/first.n1.json >text
[ "$(cat text)" = '["n1/a/1","n1/b/1"]' ]
ok "the first sample, which the service takes, has a part for each rail"
sed 's/n3\/b\/1/n5\/b\/1/g' fabric >lost-fabric
prints 0 "*node n3 is lost: node 'n3' has 1 endpoint in *round told-2, 2 nodes*" job reroute told \
	--fabric lost-fabric --config liquid.conf
within 15 grep -q '"verdict":"keep"' store/rounds/told-2/go.json
ok "a rail is lost: its node is left out, and the others gate anew"
end told
finish

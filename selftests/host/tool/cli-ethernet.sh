#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid fabric import --from ethernet: what real bridges, routes and lldpd tell in network
# namespaces, and what is refused.
#
# timeout: 200

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

command -v lldpd >/dev/null || skip_all "no lldpd"
command -v jq >/dev/null || skip_all "no jq"
unshare -n true 2>/dev/null || skip_all "no network namespaces here"

# Two leaves that route, joined with a spine by one cable each and with each other by two; hosts h1
# and h2 at the bridge of leaf1, h3 at that of leaf2.
cat >network <<'END'
set -e
scratch=$1
nodes="leaf1 leaf2 spine h1 h2 h3"
declare -A in
trap 'kill "${daemons[@]}" "${in[@]}"' EXIT
for node in $nodes; do
	unshare -n sleep 600 &
	in[$node]=$!
	while [ "$(readlink /proc/$!/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do
		sleep 0.05
	done
done
on()
{
	nsenter -n -t "${in[$1]}" "${@:2}"
}
cable()
{
	ip link add "$2" netns "${in[$1]}" type veth peer name "$4" netns "${in[$3]}"
	on "$1" ip link set "$2" up
	on "$3" ip link set "$4" up
}
cable leaf1 up1 spine down1
cable leaf2 up1 spine down2
cable leaf1 side1 leaf2 side1
cable leaf1 side2 leaf2 side2
cable leaf1 p1 h1 eth0
cable leaf1 p2 h2 eth0
cable leaf2 p1 h3 eth0
for node in leaf1 leaf2 spine; do
	on $node sysctl -q -w net.ipv4.ip_forward=1
done
for leaf in leaf1 leaf2; do
	on $leaf ip link add br0 type bridge
	on $leaf ip link set p1 master br0
	on $leaf ip link set br0 up
	on $leaf ip addr add 10.0.${leaf#leaf}.254/24 dev br0
done
on leaf1 ip link set p2 master br0
on h1 ip addr add 10.0.1.1/24 dev eth0
on h2 ip addr add 10.0.1.2/24 dev eth0
on h3 ip addr add 10.0.2.3/24 dev eth0
# There by the spine, back by the second cable
on leaf1 ip addr add 192.168.0.1/31 dev up1
on spine ip addr add 192.168.0.0/31 dev down1
on spine ip addr add 192.168.1.0/31 dev down2
on leaf2 ip addr add 192.168.1.1/31 dev up1
on leaf1 ip addr add 192.168.3.0/31 dev side2
on leaf2 ip addr add 192.168.3.1/31 dev side2
on leaf1 ip route add 10.0.2.0/24 via 192.168.0.0
on spine ip route add 10.0.2.0/24 via 192.168.1.1
on spine ip route add 10.0.1.0/24 via 192.168.0.1
on leaf2 ip route add 10.0.1.0/24 via 192.168.3.0
for node in $nodes; do
	nsenter -n -t "${in[$node]}" unshare -u sh -c "hostname $node &&
		exec lldpd -d -u $scratch/$node.sock -c -I '*,!br0'" >"$scratch/$node.log" 2>&1 &
	daemons+=($!)
	# The first makes their common directory in /run, which another must not find half made.
	until [ -S "$scratch/$node.sock" ] || ! kill -0 $!; do
		sleep 0.05
	done
done
# A daemon may be late, and has then missed what the others have told.
for _ in $(seq 300); do
	for node in $nodes; do
		lldpcli -u "$scratch/$node.sock" update >/dev/null 2>&1 || :
	done
	told=0
	for node in leaf1 leaf2 spine; do
		mkdir -p "$scratch/net/$node"
		lldpcli -u "$scratch/$node.sock" -f json0 show neighbors \
			>"$scratch/net/$node/lldp.json" 2>/dev/null || :
		count=$(jq '[.lldp[]?.interface[]?] | length' "$scratch/net/$node/lldp.json")
		told=$((told + ${count:-0}))
	done
	[ $told != 11 ] || break
	sleep 0.2
done
for node in leaf1 leaf2 spine; do
	on $node bridge -j fdb show >"$scratch/net/$node/fdb.json"
	on $node ip -j route show >"$scratch/net/$node/routes.json"
	echo "up1 40000
side1 40000
side2 40000
down1 40000
down2 40000
p1 10000
p2 10000
eth9 -1" >"$scratch/net/$node/speeds"
done
END
echo "TAP version 13"
# lldpd makes its socket without root's rights.
chmod 755 .
timeout 100 bash ./network "$work" >text 2>&1
[ "$(jq '[.lldp[].interface[]?] | length' net/*/lldp.json | tr '\n' ' ')" = "5 4 2 " ]
ok "lldpd reports all neighbours"
cat >addresses <<'END'
h1 10.0.1.1
h2 10.0.1.2
h3 10.0.2.3
END
prints 0 "" fabric import --from ethernet net --addresses addresses -o fabric
prints 0 "*
hosts       3 (3 send, 3 receive)
switches    3
links       14
*" fabric show fabric
# the route from a host to a host, by its nodes
by()
{
	[ "$("$liquid" fabric show fabric "$1" "$2" --route | sed 's/^[^:]*: //' | tr ' ' '\n' |
		sed 's/.*>//; s/\[.*//' | paste -sd' ')" = "$3" ]
	ok "from $1 to $2: by $3"
}
by h1 h2 "leaf1 h2"
by h1 h3 "leaf1 spine leaf2 h3"
by h3 h2 "leaf2 leaf1 h2"
side2=$(jq -r '[.lldp[].interface[].name] | index("side2") + 1' net/leaf2/lldp.json)
"$liquid" fabric show fabric h3 h2 --route | grep -qF "leaf2[$side2]>leaf1"
ok "by the cable that the route names, of two"
grep -q '^unit 10000000000$' fabric && grep -q '^link leaf1.* spine.* 4$' fabric
ok "a unit is the rate of a host, and links between switches are four times as fast"
prints 0 "*" solve fabric
prints 0 "*" fabric import --from ethernet net --addresses addresses --unit-rate 1G -o fine
grep -q '^link leaf1.* spine.* 40$' fine
ok "in units of 1G they are 40"

# A bridge forwards as it has learned; the rest of the network is as before.
cp -r net bridged
mac=$(jq -r '.lldp[].interface[] | select(.name == "p1").port[0].id[0].value' net/leaf2/lldp.json)
jq --arg mac "$mac" '. + [{mac: $mac, ifname: "side1", flags: [], master: "br0", state: ""}]' \
	net/leaf1/fdb.json >bridged/leaf1/fdb.json
prints 0 "" fabric import --from ethernet bridged --addresses addresses -o fabric
by h1 h3 "leaf1 leaf2 h3"
rm bridged/*/speeds
prints 0 "" fabric import --from ethernet bridged --addresses addresses -o slow
! grep -q '^unit' slow
ok "without speeds all links are as fast, and no rate is known"
prints 1 "*no speeds of ports are reported: --unit-rate measures them (--unknown-rate gives them)" \
	fabric import --from ethernet bridged --addresses addresses --unit-rate 1G

# An adapter with its own lldpd next to the host, before and after it
for where in '[$dpu] + .' '. + [$dpu]'; do
	rm -rf other
	cp -r net other
	jq '(.lldp[0].interface[] | select(.name == "p2")) as $it
		| ($it | .chassis[0].name[0].value = "h2-dpu") as $dpu
		| .lldp[0].interface |= ('"$where"')' net/leaf1/lldp.json >other/leaf1/lldp.json
	prints 0 \
		"*note: h2-dpu at p2 of leaf1 is left out: it is not a switch, and has no address" \
		fabric import --from ethernet other --addresses addresses -o fabric
	by h3 h2 "leaf2 leaf1 h2"
done

# One cable of a tenth of the rate must not be the unit of all others, unasked.
sed -i '/^p2/s/ .*/ 1000/' other/leaf1/speeds
prints 1 "*other: 1 host is slower than most, which have 10G bit/s: h2 (1G bit/s); to go on, \
--leave-out LIST*--unit-rate 1G: in units that all links reach" \
	fabric import --from ethernet other --addresses addresses
prints 0 "*note: left out as asked: h2*unit 10000000000*import leave-out h2*hosts h\[1,3]*" \
	fabric import --from ethernet other --addresses addresses --leave-out h2
prints 0 "*note: slower than the 2 hosts of capacity 10: h2*unit 1000000000*" \
	fabric import --from ethernet other --addresses addresses --unit-rate 1G
sed -i '/^p2/d' other/leaf1/speeds
prints 1 "*other: it does not tell the speed of 1 host: h2; to go on*--unknown-rate RATE*" \
	fabric import --from ethernet other --addresses addresses
prints 0 "*note: faster than the 2 hosts of capacity 1: h2*import unknown-rate 40000000000*" \
	fabric import --from ethernet other --addresses addresses --unknown-rate 40G
jq 'map(select(.dst != "10.0.2.0/24"))' net/leaf1/routes.json >other/leaf1/routes.json
prints 0 "*note: left out as asked: h\[2-3]*hosts h1*" \
	fabric import --from ethernet other --addresses addresses --leave-out h2,h3
prints 0 "*note: 2 of 6 pairs have no route: h1>h3, h2>h3*" \
	fabric import --from ethernet other --addresses addresses --unknown-rate 10G \
	--allow-unreachable
prints 1 "*unknown hosts, switches, cables or rails: h9" \
	fabric import --from ethernet net --addresses addresses --leave-out h9

# ---- refusals: each a change of one file ----

# refused TEXT NODE FILE FILTER: after a change by jq
refused()
{
	rm -rf other
	cp -r net other
	jq "$4" "net/$2/$3" >"other/$2/$3"
	prints 1 "$1" fabric import --from ethernet other --addresses addresses
}
refused "*leaf1, to host 'h3': its route to 10.0.2.0/24 has 2 next hops: a hash of flows*" \
	leaf1 routes.json 'map(if .dst == "10.0.2.0/24"
		then . + {nexthops: [{dev: "up1"}, {dev: "side1"}]} else . end)'
refused "*leaf1, to host 'h3': it forwards by bond0, where LLDP knows no neighbour: a bond*" \
	leaf1 routes.json 'map(if .dst == "10.0.2.0/24" then .dev = "bond0" else . end)'
refused "*leaf1, to host 'h3': neither its bridge nor its routes know the way*" \
	leaf1 routes.json 'map(select(.dst != "10.0.2.0/24"))'
refused "*leaf1, to host 'h3': its bridge forwards by side1 and by up1, in different VLANs" \
	leaf1 fdb.json ". + [{mac: \"$mac\", ifname: \"side1\"}, {mac: \"$mac\", ifname: \"up1\"}]"
refused "*host 'h3' is at p1 of leaf2 and at * of spine: a fabric has a link to each host" \
	spine lldp.json '(.lldp[].interface[0].chassis[0].name[0].value) = "h3"'
refused "*side1 of leaf1 leads to leaf2, whose LLDP does not tell by which port" leaf2 lldp.json \
	'(.lldp[].interface[] | select(.name | startswith("side")).name) |= "x" + .'
refused "*two neighbours at p2 of leaf1: * and *" leaf1 lldp.json \
	'.lldp[0].interface |= map(if .name == "p1" then .name = "p2" else . end)'
refused "*lldp.json: no neighbours: is it 'lldpcli -f json0 show neighbors'?" leaf1 lldp.json \
	'{lldp: {interface: []}}'
prints 1 "*from ethernet: it reads a directory of each switch, and the addresses of hosts, *" \
	fabric import --from ethernet net
prints 2 "*--topo and --lft, or --from and SOURCE, are needed*" fabric import --lft t
refused "*fdb.json: expected an array" leaf1 fdb.json '{}'
echo 'h4 10.0.1.4' | cat addresses - >more
prints 1 "*host 'h4' is at no port: LLDP knows no neighbour of that name" \
	fabric import --from ethernet net --addresses more
head -n 2 addresses >fewer
prints 0 "*note: h3 at p1 of leaf2 is left out: it is not a switch, and has no address" \
	fabric import --from ethernet net --addresses fewer -o two
grep -v h2 addresses >fewer
jq 'map(if .dst == "10.0.2.0/24" then .dev = "p2" else . end)' net/leaf1/routes.json \
	>other/leaf1/routes.json
cp net/leaf1/fdb.json net/leaf1/lldp.json other/leaf1
prints 1 "*note: h2 at p2 of leaf1 is left out*leaf1, to host 'h3': p2 leads out of the fabric" \
	fabric import --from ethernet other --addresses fewer
rm other/leaf1/fdb.json
prints 1 "*other/leaf1/fdb.json is missing" \
	fabric import --from ethernet other --addresses addresses
echo '{' >other/leaf1/fdb.json
prints 1 "*other/leaf1/fdb.json:*" fabric import --from ethernet other --addresses addresses
mkdir empty
prints 1 "*empty: no directory of a switch" \
	fabric import --from ethernet empty --addresses addresses
prints 5 "*nothing: No such file or directory" \
	fabric import --from ethernet nothing --addresses addresses
finish

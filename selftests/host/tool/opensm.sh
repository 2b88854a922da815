#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Import what the real opensm computes for fabrics that ibsim simulates, and compare the routes with
# what ibtracert and ibdmchk find by themselves.
#
# timeout: 240

here=$(readlink -f "$(dirname "$(readlink -f "$0")")/../..")
. "$here/lib/tap.sh"
. "$here/lib/ibsim.bash"

# ---- comparing ----

# "NODE LID" for each host of the topology.
host_lids()
{
	awk '/^Ca/ { split($0, q, "\""); split(q[4], w, " "); name = w[1] }
	     /^\[/ && / lmc / { sub(/.*# lid /, ""); print name, $1 }' topo | sort
}

# What ibtracert printed, as `fabric show --routes` writes it: "src dst: from[port]>to[port] ...".
trace_paths()
{
	awk '
		{ n = split($0, q, "\""); split(q[n - 1], w, " "); name = w[1] }
		/^From/ { from = first = name; path = "" }
		/^\[/ {
			split($0, port, /[][]/)
			in_port = $0
			sub(/.*}\[/, "", in_port)
			sub(/\].*/, "", in_port)
			path = path " " from "[" port[2] "]>" name "[" in_port "]"
			from = name
		}
		/^To/ { print first " " name ":" path }'
}

# On a busy machine a query of ibtracert may time out: it is then asked again.
trace()
{
	for _ in 1 2 3; do
		on_fabric ibtracert "$1" "$2" >trace && break
	done
	cat trace
}

# Every host to two others: ibtracert's paths must be among the tool's routes.
compare_traces()
{
	host_lids >lids
	mapfile -t lids < <(cut -d ' ' -f 2 lids)
	hosts=${#lids[@]}
	for src in $(seq 0 $((hosts - 1))); do
		for step in 1 15; do
			trace "${lids[src]}" "${lids[(src + step) % hosts]}"
		done
	done | trace_paths >traces
	"$liquid" fabric show --routes "$1" >routes
	echo "# $(wc -l <traces) paths compared"
	! grep -Fxv -m 3 -f routes traces && [ "$(sort -u traces | wc -l)" -eq 64 ]
}

# $1 of fabric $2 as the tool says it.
figure()
{
	"$liquid" fabric show "$2" | sed -n "s/^$1 *//p"
}

same_digest()
{
	[ -n "$(figure digest a.fabric)" ] &&
		[ "$(figure digest a.fabric)" = "$(figure digest b.fabric)" ]
}

import()
{
	"$liquid" fabric import --topo topo --lft "$1" -o "$2" "${@:3}"
}

# ibdmchk prints its counts before it may crash at its end.
checked_paths()
{
	(ibdmchk -s opensm-subnet.lst -f opensm.fdbs -m opensm.mcfdbs || :) 2>/dev/null |
		sed -n 's/.*Scanned:\([0-9]*\) CA to CA paths.*/\1/p'
}

# ---- the tests ----

# One fabric: $1 its shape, $2 opensm's engine, $3 links, $4 duration where it is sure.
test_fabric()
{
	mkdir "$work/$1" && cd "$work/$1" || exit 1
	"$here/tools/ibsim-net" "$1" >net && start_ibsim net && route "$2,no_fallback"
	ok "$1 $2: opensm routes the simulated fabric" || return
	import fts a.fabric && import opensm-lfts.dump b.fabric
	ok "$1 $2: both kinds of dump are imported"
	same_digest
	ok "$1 $2: both kinds give the same digest"
	[ "$(figure hosts a.fabric)" = "32 (32 send, 32 receive)" ] &&
		[ "$(figure switches a.fabric)" = 8 ] && [ "$(figure links a.fabric)" = "$3" ]
	ok "$1 $2: 32 hosts, 8 switches, $3 links"
	[ "$(figure all-to-all a.fabric | cut -d ' ' -f 1)" = 992 ] && [ "$(checked_paths)" = 992 ]
	ok "$1 $2: all 992 pairs have a route, and ibdmchk counts as many"
	compare_traces a.fabric
	ok "$1 $2: routes are those that ibtracert takes"
	SIM_HOST=H-0002c90000001080 on_fabric ibnetdiscover >topo.other &&
		! cmp -s topo topo.other && mv topo.other topo && import fts c.fabric &&
		cmp a.fabric c.fabric
	ok "$1 $2: discovered from the last host the fabric is the same, byte for byte"
}

# A cable goes down: other routes, and the dumps of before and after do not mix.
test_unlink()
{
	cd "$work/k44" || exit 1
	before=$("$liquid" fabric show a.fabric --route node001 node005)
	cp fts fts.before
	echo 'Unlink "S-0002c90000000001"[5]' >&7
	sleep .5
	route minhop,no_fallback && import fts c.fabric
	ok "unlink: the fabric without the cable is imported"
	[ "$(figure links c.fabric)" = 94 ] &&
		[ "$(figure digest c.fabric)" != "$(figure digest a.fabric)" ]
	ok "unlink: two links less, another digest"
	after=$("$liquid" fabric show c.fabric --route node001 node005)
	echo "# $before; $after"
	[ "$before" != "$after" ] && compare_traces c.fabric
	ok "unlink: routes are those that ibtracert takes now"
	! text=$(import fts.before d.fabric 2>&1) && [ ! -e d.fabric ]
	ok "unlink: the tables of before are refused"
	echo "# $text"
	case $text in *"fts.before:"*"has no cable in topo"*) true ;; *) false ;; esac
	ok "unlink: the error names the line and the port"
}

# Up/down routing with these roots leaves pairs without a route.
test_unreachable()
{
	cd "$work/k44" || exit 1
	echo 'ReLink "S-0002c90000000001"[5]' >&7
	sleep .5
	printf '0x000000000000000%s\n' 1 3 5 7 | sed 's/0x0000000/0x0002c90/' >roots
	route updn,no_fallback -a "$PWD/roots"
	! text=$(import opensm-lfts.dump e.fabric 2>&1)
	ok "updn without -z: a fabric with unreachable pairs is refused"
	echo "# $text"
	case $text in *"192 of 992 pairs have no route: node0"*">node0"*) true ;; *) false ;; esac
	ok "updn without -z: the error counts and names the pairs"
}

# refused_with TEXT ARG...: import, which says TEXT and writes nothing
refused_with()
{
	text=$1
	shift
	! import fts d.fabric "$@" 2>said && [ ! -e d.fabric ] && grep -qF -- "$text" said || {
		sed 's/^/# /' said
		false
	}
}

# What links of capacity $1 has fabric $2: "FROM TO" each, without ports
links_of()
{
	awk -v c="$1" '$1 == "link" && $4 == c { gsub(/\[[0-9]*\]/, ""); print $2, $3 }' "$2"
}

# A degraded cable of a host, one between switches, and a host that is faster than the rest.
test_rates()
{
	mkdir "$work/rates" && cd "$work/rates" || exit 1
	"$here/tools/ibsim-net" k44 | sed -e '/^\[.*"H-0002c90000001050"\[1\]$/s/$/ w=1/' \
		-e '/^Ca.*node020/,/^$/s/^\[.*/& w=1/' \
		-e '/"S-0002c90000000002"\[5\]$/s/$/ w=1/' \
		-e '/^Switch.*"sw2"$/,/^$/s/^\[5\].*/& w=1/' \
		-e '/^\[.*"H-0002c90000001080"\[1\]$/s/$/ s=4/' \
		-e '/^Ca.*node032/,/^$/s/^\[.*/& s=4/' >net
	start_ibsim net && route minhop,no_fallback
	ok "rates: opensm routes a fabric with two degraded cables"
	refused_with "1 host is slower than most, which have 8G bit/s: node020 (2G bit/s); \
topo: 2 links that routes use are slower than a unit of 8G bit/s: \
sw1[5]>sw2[5] (2G), sw2[5]>sw1[5] (2G); to go on, \
--leave-out LIST: without these hosts, switches or cables, --unit-rate 2G"
	ok "rates: the error names all that is slow, and the options"
	refused_with "topo: 2 links that routes use" --leave-out node020
	ok "rates: without the host the cable is still in the way"
	import fts a.fabric --unit-rate 2G 2>said &&
		import opensm-lfts.dump b.fabric --unit-rate 2G 2>said &&
		same_digest && [ "$(figure unit a.fabric)" = "2 Gbit/s" ] &&
		[ "$(links_of 1 a.fabric | sort | xargs)" = \
		"node020 sw5 sw1 sw2 sw2 sw1 sw5 node020" ] &&
		[ "$(links_of 16 a.fabric | sort | xargs)" = "node032 sw8 sw8 node032" ]
	ok "rates: in units of the slowest all have their capacity, by both kinds of dump"
	grep -q "slower than the 30 hosts of capacity 4: node020" said &&
		grep -q "faster than the 30 hosts of capacity 4: node032" said &&
		"$liquid" fabric show a.fabric | grep -q "1 of capacity 16: node032"
	ok "rates: notes name who is slower and who is faster"
	"$liquid" solve a.fabric --hosts 'node[001-004]' -o s.json >/dev/null &&
		grep -q '"version":2,.*"link_rate_bps":2000000000,' s.json &&
		! "$liquid" solve a.fabric --link-rate 8G >/dev/null 2>said &&
		grep -q "2000000000" said
	ok "rates: a schedule says the rate of a unit, and no other"
	sed 's/^unit 2/unit 4/' a.fabric >e.fabric
	[ "$(figure digest e.fabric)" != "$(figure digest a.fabric)" ] &&
		! "$liquid" verify e.fabric s.json >said 2>&1 &&
		grep -q "made for another fabric" said
	ok "rates: an edited rate is another fabric"
}

# Hosts that opensm has not seen, a switch whose table is not there: named, and left out by request.
test_not_whole()
{
	cd "$work/rates" || exit 1
	sed '/"node003 HCA-1"$/,/^$/s/# lid [0-9]* lmc/# lid 0 lmc/' topo >topo.1 && mv topo.1 topo
	grep -v "node007 HCA-1'" fts | sed 's/^40 valid/39 valid/' >fts.1
	awk '/^Unicast/ { hide = /sw8/ } !hide { print } /lids dumped/ { hide = 0 }' fts.1 >fts
	refused_with "topo: 1 host has no lid (has a subnet manager run?): node003; \
fts: no table has a row for the lid of node007; \
fts: the file ends without a table of switch sw8; topo: 1 host is slower"
	ok "not whole: the error names host, switch and cable at once"
	import fts f.fabric --unit-rate 2G --allow-unreachable 2>said
	ok "a fabric that is not whole is imported with --allow-unreachable"
	grep -q "left out because they have no lid: node003" said &&
		grep -q "no table has their lid: node007" said &&
		grep -q "not used by routes because they have no table: sw8" said &&
		grep -q "left out because no route leads from or to them: node" said &&
		grep -q "pairs have no route" said && ! grep -q "^hosts .*node00[37]" f.fabric
	ok "not whole: what is left out is named"
	import fts g.fabric --unit-rate 2G --leave-out 'node[003,007],sw8' \
		--allow-unreachable 2>said &&
		! grep -Eq "sw8|node003|node007" <(grep -v "^import\|^note" g.fabric) &&
		"$liquid" fabric show g.fabric --json | tr -d ' \n' |
		grep -q '"left_out":\["node003","node007","sw8"\],"notes":\["leftoutasasked'
	ok "not whole: left out by name, and fabric show tells"
	refused_with "cannot leave out unknown hosts, switches, cables or rails: nodeX" \
		--leave-out nodeX
	ok "not whole: a name that is not there is an error"
}

# With LMC 1 every port has two LIDs (ftree refuses that); the first one's routes count.
test_lmc()
{
	mkdir "$work/lmc" && cd "$work/lmc" || exit 1
	"$here/tools/ibsim-net" fat-tree >net && start_ibsim net && route minhop,no_fallback -l 1
	import fts a.fabric && import opensm-lfts.dump b.fabric && same_digest
	ok "fat-tree minhop -l 1: both kinds give the same digest"
	grep -q ' lmc 1 ' topo && compare_traces a.fabric
	ok "fat-tree minhop -l 1: routes are those of the first LIDs"
}

ibsim_begin ibtracert ibdmchk
echo "TAP version 13"

test_fabric k44 minhop 96
test_unlink
test_unreachable
stop_ibsim
test_rates
test_not_whole
stop_ibsim
test_fabric fat-tree ftree 128
[ "$(figure all-to-all a.fabric)" = "992 transfers, duration 31, fluid bound 31" ]
ok "fat-tree ftree: an all-to-all has duration 31"
stop_ibsim
test_lmc
stop_ibsim
[ -z "$(find /proc/net -name unix -exec grep "liquid.$$" {} +)" ]
ok "no simulated fabric is left behind"
finish

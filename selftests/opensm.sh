#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Import what the real opensm computes for fabrics that ibsim simulates, and compare the routes with
# what ibtracert and ibdmchk find by themselves.
#
# timeout: 240

here=$(dirname "$(readlink -f "$0")")
liquid_nl=$(readlink -f "${LIQUID_NL:-${B:-$here/../build}/liquid-nl}")
work=
. "$here/tap.sh"
. "$here/ibsim.bash"

cleanup()
{
	stop_ibsim
	[ -z "$work" ] || rm -rf "$work"
}

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

# Every host to four others: ibtracert's paths must be among the tool's routes.
compare_traces()
{
	host_lids >lids
	mapfile -t lids < <(cut -d ' ' -f 2 lids)
	hosts=${#lids[@]}
	for src in $(seq 0 $((hosts - 1))); do
		for step in 1 6 15 26; do
			trace "${lids[src]}" "${lids[(src + step) % hosts]}"
		done
	done | trace_paths >traces
	"$liquid_nl" fabric show --routes "$1" >routes
	echo "# $(wc -l <traces) paths compared"
	! grep -Fxv -m 3 -f routes traces && [ "$(sort -u traces | wc -l)" -eq 128 ]
}

# $1 of fabric $2 as the tool says it.
figure()
{
	"$liquid_nl" fabric show "$2" | sed -n "s/^$1 *//p"
}

same_digest()
{
	[ -n "$(figure digest a.fabric)" ] && [ "$(figure digest a.fabric)" = "$(figure digest b.fabric)" ]
}

import()
{
	"$liquid_nl" fabric import --topo topo --lft "$1" -o "$2"
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
	"$here/ibsim-net" "$1" >net && start_ibsim net && route "$2,no_fallback"
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
		! cmp -s topo topo.other && mv topo.other topo && import fts c.fabric && cmp a.fabric c.fabric
	ok "$1 $2: discovered from the last host the fabric is the same, byte for byte"
}

# A cable goes down: other routes, and the dumps of before and after do not mix.
test_unlink()
{
	cd "$work/k44" || exit 1
	before=$("$liquid_nl" fabric show a.fabric --route node001 node005)
	cp fts fts.before
	echo 'Unlink "S-0002c90000000001"[5]' >&7
	sleep .5
	route minhop,no_fallback && import fts c.fabric
	ok "unlink: the fabric without the cable is imported"
	[ "$(figure links c.fabric)" = 94 ] && [ "$(figure digest c.fabric)" != "$(figure digest a.fabric)" ]
	ok "unlink: two links less, another digest"
	after=$("$liquid_nl" fabric show c.fabric --route node001 node005)
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

# With LMC 1 every port has two LIDs (ftree refuses that); the first one's routes count.
test_lmc()
{
	mkdir "$work/lmc" && cd "$work/lmc" || exit 1
	"$here/ibsim-net" fat-tree >net && start_ibsim net && route minhop,no_fallback -l 1
	import fts a.fabric && import opensm-lfts.dump b.fabric && same_digest
	ok "fat-tree minhop -l 1: both kinds give the same digest"
	grep -q ' lmc 1 ' topo && compare_traces a.fabric
	ok "fat-tree minhop -l 1: routes are those of the first LIDs"
}

needs_ibsim ibtracert ibdmchk
[ -x "$liquid_nl" ] || skip_all "no $liquid_nl; \`make user\` builds it"
work=$(mktemp -d) || exit 1
trap cleanup EXIT
echo "TAP version 13"

test_fabric k44 minhop 96
test_unlink
test_unreachable
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

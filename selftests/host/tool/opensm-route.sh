#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Routes of liquid route in the real opensm: loaded as written, without a circle, in the lanes
# that they have, and in force after a cable is lost.
#
# timeout: 240

here=$(readlink -f "$(dirname "$(readlink -f "$0")")/../..")
opensm_pid=
. "$here/lib/tap.sh"
. "$here/lib/ibsim.bash"

# Rows of all tables without comments: "switch's GUID, LID, port"
rows()
{
	awk '/^Unicast/ { sub(/.* guid /, ""); sw = $1; next } /^0x/ { print sw, $1, $2 }' "$1" |
		grep -v ' 255$' | sort
}

loaded()
{
	rows tables >wanted
	rows opensm-lfts.dump >got
	echo "# $(wc -l <wanted) rows"
	[ -s wanted ] && cmp wanted got
}

# no_circle MORE...: options for ibdmchk
no_circle()
{
	(ibdmchk "$@" -s opensm-subnet.lst -f opensm.fdbs -m opensm.mcfdbs || :) >check 2>/dev/null
	echo "# $(grep -i 'credit loop' check)"
	grep -q "no credit loops found" check
}

# route_and_load MORE...: new tables, and what opensm makes of them
route_and_load()
{
	"$liquid" route --topo topo --lft fts -o new.fabric --lfts tables "$@" >said 2>&1 &&
		route file -U "$PWD/tables" "${lmc[@]}"
}

# $1 its shape, $2 the engine whose tables are the first, the rest: options of opensm
test_round_trip()
{
	mkdir "$work/$1-$2" && cd "$work/$1-$2" || exit 1
	"$here/tools/ibsim-net" "$1" >net && start_ibsim net && route "$2" "${@:3}"
	ok "$1 $2: opensm routes the simulated fabric" || return
	lmc=("${@:3}")
	route_and_load
	ok "$1 $2 ${*:3}: new tables in one lane"
	sed 's/^/# /' said
	loaded
	ok "$1 $2 ${*:3}: opensm has loaded every row as it was written"
	no_circle
	ok "$1 $2 ${*:3}: ibdmchk finds no credit loop"
	"$liquid" fabric import --topo topo --lft fts -o read.fabric &&
		[ "$(grep -v ^name read.fabric | sha256sum)" = \
			"$(grep -v ^name new.fabric | sha256sum)" ] &&
		"$liquid" verify read.fabric --circles >/dev/null
	ok "$1 $2 ${*:3}: what is imported from opensm is the fabric that was written"
	stop_ibsim
}

# Rows of a port's LIDs that differ, for a traffic; what --from keeps of them
test_lmc()
{
	mkdir "$work/lmc" && cd "$work/lmc" || exit 1
	lmc=(-l 1)
	"$here/tools/ibsim-net" k44 >net && start_ibsim net && route minhop -l 1 &&
		"$liquid" fabric import --topo topo --lft fts -o first.fabric
	ok "lmc: opensm routes two LIDs a port"
	grep -v '^ *note' first.fabric | awk '$1 == "hosts" { exit } 1' | sed 's/^/# /'
	# Each host sends to the sixth and the eleventh after it.
	"$liquid" fabric show first.fabric --json | jq -r '.hosts[]' | awk '
		{ name[NR] = $1 }
		END { for (i = 0; i < NR; i++) {
			print name[i + 1], name[(i + 5) % NR + 1]
			print name[i + 1], name[(i + 10) % NR + 1] } }' >pairs
	route_and_load --lmc 1 --traffic pairs --assign assigned
	ok "lmc: tables for two addresses a host are loaded"
	sed 's/^/# /' said
	loaded
	ok "lmc: opensm has loaded every row as it was written"
	[ "$(grep -c '^alias' new.fabric)" -gt 0 ] &&
		awk '{ print $1, $2 }' assigned | grep -q '\.1$'
	ok "lmc: the traffic uses aliases"
	no_circle
	ok "lmc: ibdmchk finds no credit loop"
	"$liquid" fabric import --topo topo --lft fts -o read.fabric &&
		diff <(grep -v ^name new.fabric) <(grep -v ^name read.fabric) >differ
	ok "lmc: what is imported from opensm is the fabric that was written"
	grep -m 5 note read.fabric | sed 's/^/# /'
	head -n 5 differ | sed 's/^/# /'
	"$liquid" route --topo topo --from new.fabric --traffic assigned -o kept.fabric \
		--lfts tables.kept >said 2>&1 && cmp new.fabric kept.fabric &&
		cmp <(rows tables) <(rows tables.kept)
	ok "lmc: --from keeps the addresses and their rows"
	sed 's/^/# /' said
	stop_ibsim
	lmc=()
}

# Start opensm with the tables and more options; it keeps running.
start_opensm()
{
	rm -f osm.log opensm-sl2vl.dump
	LD_PRELOAD=$umad OSM_TMP_DIR=$PWD OSM_CACHE_DIR=$PWD opensm -R file -U "$PWD/tables" -s 2 \
		-f "$PWD/osm.log" --dump_files_dir "$PWD" -D 0x43 "$@" >/dev/null 2>&1 &
	opensm_pid=$!
	wait_until 100 in_force
}

# It has written what it does once all is set up.
is_up()
{
	[ "$(grep -c '^Switch' opensm-sl2vl.dump)" = 15 ]
}

stop_opensm()
{
	kill -9 "$opensm_pid"
	wait "$opensm_pid" 2>/dev/null
	opensm_pid=
}

# "GUID, LID, host" of each adapter
adapters()
{
	awk '/^Ca/ { node = $3; gsub(/"|H-/, "", node); host = $5; gsub(/[#"]/, "", host) }
	     /^\[/ && / lmc / { sub(/.*# lid /, ""); print "0x" node, $1, host }' topo | sort -k 3
}

# By the lines of adapters(): the service level that the first host is told for each
ask_levels()
{
	local first='' guid lid host
	while read -r guid lid host; do
		first=${first:-$lid}
		on_fabric saquery -p --src-to-dst "$first:$lid" |
			sed -n "s/^[[:space:]]*sl\.*0x\([0-9a-f]*\)$/$guid $lid $host \1/p"
	done
}

# For ibdmchk: the level of each pair, and the lanes of levels that opensm has set in the switches
write_levels()
{
	awk '{ node[NR] = $1; lid[NR] = $2; level[NR] = $4 }
	     END { for (i = 1; i <= NR; i++) for (j = 1; j <= NR; j++)
		     if (i != j) print node[i], lid[j], level[j] }' levels >pair-levels
	awk '/^Switch/ { sw = substr($2, 1, 18) }
	     /^[0-9]+ +[0-9]+ *:/ {
		     line = sw " " $1 " " $2
		     for (i = 4; i < 20; i += 2) line = line sprintf(" 0x%x%x", $i, $(i + 1))
		     print line }' opensm-sl2vl.dump >level-lanes
	[ -s pair-levels ] && [ -s level-lanes ]
}

# Routes that need two lanes, in an opensm that has been given them
test_two_lanes()
{
	mkdir "$work/two-lanes" && cd "$work/two-lanes" || exit 1
	"$here/tools/ibsim-net" torus >net && start_ibsim net && route minhop &&
		"$liquid" route --topo topo --lft fts --lanes 2 --lfts tables \
		--qos-policy policy --opensm-options options -o new.fabric --json >said 2>errors
	[ "$(jq -c '[.lanes, (.lane | map(.) | unique)]' said)" = "[2,[0,1]]" ] &&
		grep -q "ignore the service level" errors
	ok "two lanes: the routes need both, and the danger is reported"
	start_opensm -Q -Y "$PWD/policy" -F "$PWD/options" && wait_until 100 is_up
	ok "two lanes: opensm has the tables in force"
	adapters | ask_levels >levels
	jq -r '.lane | to_entries[] | "\(.key) \(.value)"' said | sort >wanted
	[ "$(wc -l <wanted)" = 30 ] && cut -d ' ' -f 3,4 levels | diff wanted - >differ
	ok "two lanes: the subnet administrator tells each host's lane as its service level"
	head -n 5 differ | sed 's/^/# /'
	write_levels && no_circle -c pair-levels -d level-lanes && grep -q "2 VLs used" check
	ok "two lanes: with these levels ibdmchk finds no credit loop in either lane"
	! no_circle
	ok "two lanes: with all in one lane it finds one"
	stop_opensm
	stop_ibsim
}

# What the subnet administrator is given is written only together with the tables.
test_lanes()
{
	mkdir "$work/lanes" && cd "$work/lanes" || exit 1
	"$here/tools/ibsim-net" k44 >net && start_ibsim net && route minhop
	! "$liquid" route --topo topo --lft fts --lanes 2 --lfts tables >said 2>&1 &&
		[ ! -e tables ] && grep -q "may deadlock" said
	ok "lanes: tables for several lanes are written only with their policy"
	"$liquid" route --topo topo --lft fts --lanes 2 --lfts tables --qos-policy policy \
		--opensm-options options -o new.fabric --json >said 2>errors
	ok "lanes: tables, policy and options"
	lanes=$(jq .lanes said)
	[ "$lanes" = 1 ] || grep -q "ignore the service level" errors
	ok "lanes: the danger is reported if several are used (here $lanes)"
}

# The file stays in force when a cable is lost; new tables by --from are read at SIGHUP.
test_cable()
{
	mkdir "$work/cable" && cd "$work/cable" || exit 1
	"$here/tools/ibsim-net" k44 >net && start_ibsim net && route minhop && route_and_load
	cp new.fabric old.fabric
	start_opensm
	ok "cable: opensm keeps running, with the tables in force"
	echo 'Unlink "S-0002c90000000001"[5]' >&7
	sleep .5
	on_fabric ibnetdiscover >topo
	"$liquid" route --topo topo --from old.fabric -o new.fabric --lfts tables.new --json \
		>said 2>errors && grep -q "2 of the links between switches are no longer" errors &&
		"$liquid" verify new.fabric --circles >/dev/null
	ok "cable: routes around it"
	sed 's/^/# /' errors
	echo "# changed: routes to $(jq .moved said) of 32 hosts, load $(jq .load said)"
	[ "$(rows tables.new | comm -13 <(rows tables) - | cut -d ' ' -f 2 | sort -u | wc -l)" -le \
		"$(($(jq .moved said) + 8))" ] && [ "$(jq .moved said)" -lt 32 ]
	ok "cable: only routes to these hosts, and to switches, differ"
	cp tables.new tables
	: >opensm-lfts.dump
	kill -HUP "$opensm_pid"
	wait_until 150 in_force
	ok "cable: after SIGHUP the new tables are in force"
	stop_opensm
	stop_ibsim
}

# What the switches forward by, as dump_fts reads it from them
in_force()
{
	on_fabric dump_fts >fts.now && rows fts.now >got && rows tables >wanted && cmp -s wanted got
}

wait_until()
{
	for _ in $(seq "$1"); do
		"${@:2}" && return 0
		sleep .1
	done 2>/dev/null
	return 1
}

ibsim_begin ibdmchk saquery
test_round_trip fat-tree ftree
test_round_trip k44 minhop
test_round_trip fat-tree minhop -l 1
test_lmc
test_lanes
stop_ibsim
lmc=()
test_two_lanes
test_cable
[ -z "$(find /proc/net -name unix -exec grep "liquid.$$" {} +)" ]
ok "no simulated fabric is left behind"
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Tables of liquid route and of the real opensm's engines, on fabrics that are drawn: at equal load
# no engine's are ahead by 0.5 % or more, in the slowest of three orders of an exchange, by VOQ.
#
# timeout: 240
#
# usage: selftests/host/tool/opensm-engines.sh [DRAWS [KIND...]]
#
# A draw of two kinds by default; `make check-engines` has 20 of all eight. OUT=FILE keeps a line
# for each draw and engine: kind, seed, hosts, engine, load, times of the orders in ns.

here=$(readlink -f "$(dirname "$(readlink -f "$0")")/../..")
. "$here/lib/tap.sh"
. "$here/lib/ibsim.bash"

# times FABRIC: of the orders in ns
times()
{
	local order
	for order in pairwise all-at-once "shuffle-rotation --window auto"; do
		# shellcheck disable=SC2086 # an option more
		timeout 60 "$liquid" simulate "$1" --order $order --switching cut-through \
			--queues voq --message 64Ki --json | jq .time_ns || return
	done | paste -sd' '
}

# load FABRIC: the greatest of an all-to-all
load()
{
	"$liquid" fabric show "$1" --json | jq .alltoall.fluid_bound
}

# draw KIND SEED: lines of all engines, and of ours
draw()
{
	local engine lanes=1
	rm -rf "$work/draw" && mkdir "$work/draw" && cd "$work/draw" || exit 1
	"$here/tools/draw-fabric" "$1" "$2" >cables && "$here/tools/ibsim-net" cables >net
	start_ibsim net || return
	[[ $1 != @(torus|random) ]] || lanes=4
	for engine in minhop updn ftree dfsssp lash dor; do
		route "$engine" && grep -q "$engine tables configured" osm.log &&
			"$liquid" fabric import --topo topo --lft opensm-lfts.dump \
				-o "$engine.fabric" 2>/dev/null
	done
	"$liquid" route minhop.fabric --lanes $lanes -o liquid.fabric >said &&
		"$liquid" verify liquid.fabric --circles >check || return
	stop_ibsim
	for engine in liquid minhop updn ftree dfsssp lash dor; do
		[ ! -e $engine.fabric ] || echo "$1 $2 $(grep -c '^ca' net) $engine" \
			"$(load $engine.fabric) $(times $engine.fabric)"
	done
}

# judge FILE: a line for each kind; fails where liquid is behind at equal load
judge()
{
	awk '
	{
		slowest = $6 > $7 ? $6 : $7
		slowest = slowest > $8 ? slowest : $8
		at = $1 " " $2
		if ($4 == "liquid") {
			kinds[$1] += !(at in seen)
			seen[at] = 1
			load[at] = $5
			time[at] = slowest
			kind[at] = $1
			next
		}
		engines[at]++
		if ($5 < load[at] && (!(at in ahead) || $5 < ahead[at]))
			ahead[at] = $5
		if ($5 == load[at] && (!(at in best) || slowest < best[at])) {
			best[at] = slowest
			name[at] = $4
		}
	}
	END {
		print "kind draws lower-load higher-load equal-load behind mean-gain worst at"
		for (at in seen) {
			k = kind[at]
			if (at in ahead)
				higher[k]++
			else if (!(at in best))
				lower[k]++
			if (!(at in best))
				continue
			equal[k]++
			ratio = best[at] / time[at]
			sum[k] += log(ratio)
			behind[k] += ratio < 0.995
			if (!(k in worst) || ratio < worst[k]) {
				worst[k] = ratio
				where[k] = at "," name[at]
			}
		}
		for (k in kinds) {
			printf "%s %d %d %d %d %d %.3f %.3f %s\n", k, kinds[k], lower[k], higher[k],
				equal[k], behind[k], equal[k] ? exp(sum[k] / equal[k]) : 0,
				worst[k], where[k]
			bad += behind[k] || higher[k]
		}
		exit bad > 0
	}' "$1"
}

ibsim_begin jq
draws=${1:-1}
shift
[ $# -gt 0 ] || set -- pods narrow
all=${OUT:-$work/all}
for kind; do
	for seed in $(seq "$draws"); do
		draw "$kind" "$seed" >>"$all" 2>"$work/errors"
		status=$?
		stop_ibsim
		result $status "$kind $seed: opensm's engines and liquid route, free of circles"
	done
done
judge "$all" >"$work/all-table"
ok "at equal load no engine is ahead in the slowest order, and none has less load"
sed 's/^/# /' "$work/all-table"
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The experiments, quickly: CSV with sane values, pictures, and a rerun that goes on.
# builds: user experiment-programs
# timeout: 600
set -u

top=$(dirname "$(readlink -f "$0")")/../../..
build=$(readlink -f "${B:-$top/build}")
tool=$(readlink -f "${LIQUID:-$build/liquid}")
. "$top/selftests/lib/tap.sh"
[ -x "$tool" ] && [ -x "$build/experiments/patterns" ] ||
	skip_all "\`make user experiment-programs\` builds what is needed"
command -v gnuplot >/dev/null || skip_all "gnuplot is not installed"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
details=$work/text
# What is built is used, what is measured stays here.
mkdir -p "$work/b/experiments"
ln -s "$build/experiments/patterns" "$work/b/experiments/patterns"
export B=$work/b LIQUID=$tool

run()
{
	timeout 300 "$top/tools/experiments/$1" --quick "${@:2}" >"$work/text" 2>&1
}

well_formed()
{
	if command -v xmllint >/dev/null; then
		xmllint --noout --nonet "$1" >"$work/text" 2>&1
	else
		[ "$(grep -o '<g[ >]' "$1" | wc -l)" = "$(grep -o '</g>' "$1" | wc -l)" ] &&
			grep -q '</svg>' "$1"
	fi
}

# experiment NAME PART CSV ROWS PICTURE: it runs
experiment()
{
	csv=$B/experiments/$1-quick/$3
	run "$1" "$2" && cp "$work/text" "$work/said" &&
		[ "$(tail -n +2 "$csv" | wc -l)" = "$4" ] &&
		! tail -n +2 "$csv" | grep -qE '(^|,)(,|$)|nan|inf' &&
		well_formed "${csv%/*}/$5.svg"
	ok "$1 $2: $4 rows without gaps, and a picture"
}

# all CSV CONDITION: by awk, of every row
all()
{
	awk -F, "NR > 1 && !($2) { print \"row: \" \$0; bad = 1 } END { exit bad || NR < 2 }" \
		"$1" >"$work/text"
}

# ---- chapter 3 ----

experiment chapter-3 dsatur dsatur.csv 16 dsatur
all "$csv" '$6 == $3 && $5 >= $3 && $4 == $2 * $2'
ok "dsatur: auto takes the duration, DSATUR no less"

# stopped in the middle of the third row; the second one shows whether it is measured again
cp "$csv" "$work/first"
{
	sed -n '1,2p' "$work/first"
	sed -n '3s/[^,]*$/12345/p' "$work/first"
	sed -n '4p' "$work/first" | cut -c1-7 | tr -d '\n'
} >"$csv"
sed '3s/[^,]*$/12345/' "$work/first" | sort >"$work/expected"
run chapter-3 dsatur && sort "$csv" | cmp -s - "$work/expected"
ok "a rerun keeps what is there, and measures the rest as before"
experiment chapter-3 simulator simulator.csv 16 simulator
all "$csv" '$9 > 0.99 * $5 && $9 <= 1.0001 * $5 && $5 <= $6 + 0.001'
ok "simulator: the schedule is within 1 % of the liquid throughput, which no crossbar is below"
experiment chapter-3 congestion congestion.csv 16 skeleton
# The thesis, appendix B: 48,704 edges between 1,024 vertices
grep -qx '362,32,48,1024,608,608,608,48704' "$csv"
ok "congestion: Swiss-T1 whole has 48704 edges, and a skeleton of 608 transfers"

# ---- chapter 4, fabrics, clocks ----

ln -s "$build/experiments/manet" "$B/experiments/manet"
capillary=$B/experiments/chapter-4-quick
run chapter-4 && cp "$work/text" "$work/rows" &&
	[ "$(wc -l <"$capillary/layers-300.csv")" = 21 ] &&
	[ "$(wc -l <"$capillary/ror-115.csv")" = 301 ] &&
	for picture in fec ror-115 ror-120 overlap; do
		well_formed "$capillary/$picture.svg" || break
	done
ok "chapter-4: rows of 2 networks and of 2 sets of frames, and pictures"
[ "$(sed -n 3p "$capillary/small.csv")" = 2,7,1.5,3,0.333333333 ] &&
	grep -qx 'p. 103 .* 886' "$work/rows"
ok "chapter-4: layer 2 of the thesis' small network; 886 links overlap in 5 %"
all "$capillary/ror-115.csv" '$6 > 1.5 * $7 && ($5 > 1 || $6 > 5)' &&
	grep -qx '60 .*curves that fall.* 30 of 30' "$work/rows"
ok "chapter-4: ROR falls from layer 1 to 10, and large blocks need less"
if command -v glpsol >/dev/null; then
	! grep -q different "$capillary/hunt.csv" &&
		[ "$(grep -c same "$capillary/hunt.csv")" = 20 ]
	ok "chapter-4: the hunting loop has the same bottlenecks in 20 layers of 300 nodes"
fi
experiment fabrics orders fabrics.csv 54 voq
all "$csv" '$7 > 0 && $7 <= 1.0001 && $9 == 0'
ok "fabrics: shares are shares, nothing deadlocks"
all "$csv" '$3 != "gates-21ns" && $3 != "tokens" || $7 > 0.98' &&
	all "$csv" '$3 != "tokens-1%" || $7 > 0.97' && all "$csv" '$3 != "tokens-5%" || $7 > 0.88'
ok "fabrics: gates and tokens are above 0.98, with jitter of 1 and 5 % above 0.97 and 0.88"

experiment fabrics clocks sync.csv 9 throughput
all "$csv" '$2 != "needed" || $1 > 0.1 || ($4 == 0 && $6 == 1)'
ok "clocks: with a guard of twice the error nothing waits"
all "$csv" '$1 != 0.2 || $2 == "needed" || $4 > 0'
ok "clocks: with too small a guard something does"

! run chapter-3 nonsense && grep -q "no argument 'nonsense'" "$work/text"
ok "an unknown part is refused"

finish

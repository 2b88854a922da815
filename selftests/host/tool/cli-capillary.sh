#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid capillary: layers, ratings, ways, the exported linear program, and what it refuses.
#
# timeout: 120

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

command -v jq >/dev/null || { echo "1..0 # SKIP no jq"; exit 4; }

ends="--from h1 --to h128"
echo "TAP version 13"
prints 0 "" fabric make fat-tree k=8 -o tree
# shellcheck disable=SC2086 # several words
{
json_field capillary '[.complete,.fec,[.layers[]|[.factor,(.bottlenecks|length),.share]]]' \
	'[true,28,[[1,2,1],[4,8,0.25],[4,32,0.0625]]]' tree $ends
json_field capillary '[.layers[]|[.links,.critical,(.ror*1000|round)]]' \
	'[[6,6,0],[18,2,9143],[42,2,5714]]' tree $ends
json_field capillary '[.lmc[]|[.ways,(.ror*1000|round)]]' \
	'[[1,0],[2,13714],[4,9143],[8,8000],[16,5714]]' tree $ends
json_field capillary '[.layers[]|.ror*1000|round]' '[0,4245,2515]' tree $ends --large-blocks
json_field capillary '[.complete,(.layers|length),(.paths.ways|length),.paths.ways[0].weight]' \
	'[false,2,3,0.3333333333333333]' tree $ends --layers 2 --paths 3
json_field capillary '.layers[2]|[(.ror_with_pairs>.ror),(.overlap*1e5|round)]' '[true,243]' \
	tree $ends --fail-every 86400s --fail-for 5s
json_field capillary '.fec' 27 tree $ends --tolerance 3.6%
json_field capillary '.fec' 30 tree $ends --tolerance 7.8%
prints 0 "stream       h1 to h128
tolerance    5.1% of loss at all times: 28 packets for 20, DER 1e-05

layer         F  bottlenecks       share   links  critical        ROR
    1         1            2           1       6         6          0
    2         4            8        0.25      18         2      9.143
(more layers follow)

bottlenecks of layer 1: h1\[1]>edge1\[1],edge32\[4]>h128\[1]
*
4 ways: 18 links, 2 critical, ROR 9.143
*" capillary tree $ends --layers 2 --paths 4

# ---- the linear program of a layer, by GLPK ----

prints 0 "*" capillary tree $ends --export-lp model.lp
if command -v glpsol >/dev/null; then
	timeout 60 glpsol --lp model.lp -o solution >text 2>&1
	[ "$(sed -n 's/^Objective: *factor = \([0-9.]*\) .*/\1/p' solution)" = 4 ]
	ok "GLPK finds the same F in layer 3"
else
	skip "GLPK finds the same F in layer 3" "no glpsol"
fi

# ---- the work of ten layers ----

# 300 nodes drawn in a square; those at most .1003 apart have a link in each direction.
awk 'function draw() { seed = seed * 16807 % 2147483647; return seed / 2147483647 }
BEGIN {
	seed = 58
	for (i = 1; i <= 300; i++) {
		x[i] = draw()
		y[i] = draw()
	}
	print "liquid-fabric 1\nname drawn\nhosts h1,h2\nswitches n[1-300]"
	print "link h1 n1 1\nlink n2 h2 1\n  to h2"
	for (i = 1; i <= 300; i++)
		for (k = 1; k <= 300; k++)
			if (i != k && (x[i] - x[k]) ^ 2 + (y[i] - y[k]) ^ 2 < .1003 ^ 2)
				print "link n" i " n" k " 1"
	print "end"
}' >drawn
most=99000
name="ten layers of 300 nodes take at most $most thousand instructions"
if command -v valgrind >/dev/null; then
	valgrind --tool=callgrind --callgrind-out-file=counts --toggle-collect=liquid_capillary \
		"$liquid" capillary drawn --from n1 --to n2 --layers 10 >text 2>&1 &&
		awk -v most=$most '/^totals:/ {
			printf "# %d thousand\n", $2 / 1000
			exit $2 / 1000 > most
		}' counts
	ok "$name"
else
	skip "$name" "no valgrind"
fi

# ---- refusals ----

prints 1 "*--to: fabric '*' has no host or switch 'h129'; near it:*" capillary tree --from h1 \
	--to h129
prints 1 "*h1 is both ends" capillary tree --from h1 --to h1
prints 2 "*missing --to*" capillary tree --from h1
prints 2 "*--fail-every and --fail-for go together*" capillary tree $ends --fail-for 5s
prints 2 "*--fail-for is longer than --fail-every*" capillary tree $ends --fail-for 5s \
	--fail-every 1s
prints 2 "*--block and --large-blocks exclude each other*" capillary tree $ends --block 5 \
	--large-blocks
prints 2 "*--der: expected a rate above 0 and below 0.5*got '1'*" capillary tree $ends --der 1
}
finish

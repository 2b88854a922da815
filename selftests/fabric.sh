#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl fabric: what it prints, its exit codes, and that no half of a file is ever left.

here=$(dirname "$(readlink -f "$0")")
liquid_nl=$(readlink -f "${LIQUID_NL:-${B:-$here/../build}/liquid-nl}")
data=$here/data
count=0
failed=0

if [ ! -x "$liquid_nl" ]; then
	echo "1..0 # SKIP no $liquid_nl; \`make user\` builds it"
	exit 4
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

ok()
{
	status=$?
	count=$((count + 1))
	if [ $status -eq 0 ]; then
		echo "ok $count $1"
	else
		failed=$((failed + 1))
		echo "not ok $count $1"
		sed 's/^/# /' text
	fi
}

# Run liquid-nl fabric "${@:3}": it must exit with $1 and print $2 (a pattern).
prints()
{
	expected=$1
	pattern=$2
	shift 2
	"$liquid_nl" fabric "$@" >text 2>&1
	status=$?
	# shellcheck disable=SC2053 # a pattern
	[ $status -eq "$expected" ] && [[ $(cat text) == $pattern ]]
	ok "fabric $*: exit code $expected"
}

echo "TAP version 13"
"$liquid_nl" fabric make papers-5x5 -o papers >text 2>&1 && "$liquid_nl" fabric make papers-5x5 >text &&
	cmp papers text
ok "make: the same to a file and to stdout"
prints 0 "*hosts       10 (5 send, 5 receive)*links       12*25 transfers, duration 6, fluid bound 6*\
sa>sb *1 * 6 bottleneck*" show papers
prints 0 "t4 r3: t4>sb sb>sa sa>r3" show papers --route t4 r3
prints 0 "*t1 r1: t1>sa sa>r1*t5 r5: t5>sb sb>r5" show papers --routes
prints 0 "*dragonfly*ISCA 2008*" make
"$liquid_nl" fabric show --json --routes papers >text &&
	[ "$(grep -c '"from":' text) $(grep -c '"bottleneck": true' text) $(grep -c '"src":' text)" = "12 2 25" ] &&
	grep -q '"duration": 6' text && grep -q '"sa>sb"' text
ok "show --json: figures, links and routes"
"$liquid_nl" fabric show - <papers >text
ok "show: a fabric from stdin"

for lft in fts lfts; do
	"$liquid_nl" fabric import --topo "$data/k44.topo" --lft "$data/k44.$lft" --name k44 -o "$lft" >text 2>&1
	ok "import: $lft of K4,4"
done
cmp fts lfts >text 2>&1
ok "import: both kinds of dump give the same file"
prints 0 "*note: 1 aggregation*note: 1 nodes have no rail 2*hosts alpha,beta,gamma*" \
	import --rail 2 --topo "$data/ports.topo" --lft "$data/ports.fts"

prints 1 "*k44.fts:1: a dump of forwarding tables*" import --topo "$data/k44.fts" --lft "$data/k44.topo" -o fts
cmp fts lfts >text 2>&1
ok "import: a file that was there stays as it was when the import fails"
prints 1 "*nowhere: No such file*" import --topo nowhere --lft "$data/k44.fts"
prints 1 "*no/where: No such file*" make papers-5x5 -o no/where
prints 1 "*fabric: name has a byte 0x20*" import --name "a b" \
	--topo "$data/k44.topo" --lft "$data/k44.fts"
head -n 20 papers >short
prints 1 "*short:21: the file ends without an 'end' line" show short
prints 1 "*no host 'x' in fabric papers-5x5" show papers --route x r1
prints 1 "*no route from r1 to t1: r1 has no link out" show papers --route r1 t1
prints 1 "*no generator 'moebius'" make moebius
prints 2 "*expected import, make or show*usage:*"
prints 2 "*'paint' is none of import, make, show*" paint
prints 2 "*import needs --topo FILE and --lft FILE*" import
prints 2 "*--rail 0: expected 1, 2*" import --rail 0
prints 2 "*show needs one FABRIC*" show
prints 2 "*only one of the files can be stdin*" import --topo - --lft -
prints 2 "*either --routes or --route*" show --routes --route papers t1 r1
if [ -e /dev/full ]; then
	"$liquid_nl" fabric make papers-5x5 >/dev/full 2>text
	[ $? -eq 1 ]
	ok "make: a full disk is an error"
fi
[ "$(ls -A)" = "$(printf '%s\n' fts lfts papers short text)" ]
ok "no temporary file is left behind"
echo "1..$count"
[ $failed -eq 0 ]

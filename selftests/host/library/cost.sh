#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Instructions of the solver on the papers' 362 patterns, of schedules of orbits, of routes and of
# reading a fabric, as callgrind counts them, against those recorded.
# builds: user bench-programs
# timeout: 600
#
# usage: selftests/host/library/cost.sh [--update]
#
# data/cost has a line a case: its name, and its instructions in thousands. A tenth more fails.
# --update records anew, which is for a change that is meant to cost, or that has made it cheaper.
# The counts are those of the default CFLAGS, Debian 12's compiler and amd64; elsewhere this skips.
set -u

here=$(readlink -f "$(dirname "$(readlink -f "$0")")/../..")
build=$(readlink -f "${B:-$here/../build}")
liquid=$(readlink -f "${LIQUID:-$build/liquid}")
swiss=$build/bench/swiss-t1
record=$here/data/cost
PERCENT=10
. "$here/lib/tap.sh"

for program in "$liquid" "$swiss"; do
	[ -x "$program" ] || skip_all "no $program (make user bench-programs)"
	case $(readelf -p .comment "$program") in
	*"Debian 12"*) ;;
	*) skip_all "the counts are those of Debian 12's compiler" ;;
	esac
done
command -v valgrind >/dev/null || skip_all "no valgrind"
[ "$(uname -m)" = x86_64 ] || skip_all "the counts are those of amd64"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
details="said log"

# thousands FUNCTION COMMAND...: instructions in the function, or in all
thousands()
{
	function=$1
	shift
	timeout -k 5 120 valgrind --tool=callgrind --trace-children=yes --callgrind-out-file=out \
		${function:+--toggle-collect="$function"} "$@" >said 2>log || return
	awk '/^totals:/ { printf "%d\n", $2 / 1000; found = $2 > 0 } END { exit !found }' out
}

made()
{
	"$liquid" fabric make "$@" -o fabric
}

# From the sets of links to the frames of all patterns; fails when a pattern does not become liquid.
patterns()
{
	thousands swiss_solve "$swiss" --method "$1" && [ "$(cut -d, -f2-4 said)" = 362,362,362 ]
}

solve()
{
	thousands liquid_solve "$liquid" solve fabric "$@"
}

# Tables of 327,680 entries, by one thread
read_fabric()
{
	made fat-tree k=16 routes="$1" &&
		thousands liquid_fabric_read_by taskset 1 "$liquid" fabric show fabric
}

# lose FABRIC: without tables, and without the cable at port 1 of switch s1
lose()
{
	grep -v '^link s1\[1] \|^link s[0-9]*\[[0-9]*] s1\[1] ' "$1" | grep -v '^ *to '
}

route()
{
	if [ ! -e lost ]; then
		made torus size=8x8 && mv fabric whole && "$liquid" route whole --lanes 4 \
			-o routed >said && lose routed >lost || return
	fi
	thousands "" "$liquid" route "$@"
}

# The instructions of case $1, in thousands
count()
{
	case $1 in
	auto | quotient) patterns "$1" ;;
	first-fit) made leaf-spine leaves=32 hosts=32 spines=32 routes=hash && solve --compact ;;
	mended) made leaf-spine leaves=32 hosts=32 spines=16 routes=hash && solve --compact ;;
	shifts) made fat-tree k=8 && solve --compact ;;
	left-out) made torus size=4x4 hosts=3 ties=balanced && solve --compact --hosts 'h[1-47]' ;;
	bundled) made dragonfly a=8 p=4 h=4 && solve --compact --work 20000000 ;;
	tiled) made torus size=6x6x6 && solve --compact ;;
	listed) made leaf-spine leaves=16 hosts=16 spines=16 && solve ;;
	dmodk | hash) read_fabric "$1" ;;
	regular) route whole --lanes 4 ;;
	searched) route lost --lanes 4 --work 50000 ;;
	one-lane) route lost --work 50000 ;;
	lost-cable) route lost --from routed ;;
	colours)
		seq 128 | awk '$1 * 5 % 128 + 1 != $1 { print "h" $1, "h" $1 * 5 % 128 + 1 }' >pairs
		made fat-tree k=8 && route fabric --traffic pairs
		;;
	*) false ;;
	esac
}

if [ "${1:-}" = --update ]; then
	while read -r name recorded; do
		now=$(count "$name") || { cat log >&2; exit 1; }
		echo "$name: $recorded -> $now" >&2
		echo "$name $now"
	done <"$record" >updated
	cat updated >"$record"
	exit
fi
echo "TAP version 13"
while read -r name recorded; do
	now=$(count "$name") && [ "$now" -le $((recorded + recorded * PERCENT / 100)) ]
	ok "$name: $now thousand instructions, recorded $recorded"
done <"$record"
finish

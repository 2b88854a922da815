#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Instructions that compact schedules cost, against those recorded.
# timeout: 300
#
# usage: selftests/host/library/compact-cost.sh [--update]
#
# data/compact-cost has a line a case: its name, and the instructions of liquid_compact_solve(), in
# thousands, as callgrind counts them. A tenth more fails. --update records anew, which is for a
# change that is meant to cost, or that has made it cheaper. The counts are those of the default
# CFLAGS, Debian 12's compiler and amd64; elsewhere this skips.
set -u

here=$(readlink -f "$(dirname "$(readlink -f "$0")")/../..")
liquid_nl=$(readlink -f "${LIQUID_NL:-${B:-$here/../build}/liquid-nl}")
record=$here/data/compact-cost
percent=10

skip()
{
	echo "1..0 # SKIP $1"
	exit 4
}

[ -x "$liquid_nl" ] || skip "no $liquid_nl; \`make user\` builds it"
command -v valgrind >/dev/null || skip "no valgrind"
[ "$(uname -m)" = x86_64 ] || skip "the counts are those of amd64"
case $(readelf -p .comment "$liquid_nl") in
*"Debian 12"*) ;;
*) skip "the counts are those of Debian 12's compiler" ;;
esac
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# Thousands of instructions of case $1
count()
{
	case $1 in
	first-fit) set -- leaf-spine leaves=32 hosts=32 spines=32 routes=hash ;;
	mended) set -- leaf-spine leaves=32 hosts=32 spines=16 routes=hash ;;
	shifts) set -- fat-tree k=8 ;;
	left-out) set -- torus size=4x4 hosts=3 ties=balanced ;;
	esac
	"$liquid_nl" fabric make "$@" -o fabric || return
	set -- solve fabric --compact
	[ "$name" != left-out ] || set -- "$@" --hosts 'h[1-47]'
	timeout -k 5 120 valgrind --tool=callgrind --callgrind-out-file=out \
		--toggle-collect=liquid_compact_solve "$liquid_nl" "$@" >said 2>log || return
	awk '/^totals:/ { printf "%d\n", $2 / 1000 }' out
}

update()
{
	while read -r name recorded; do
		now=$(count "$name") || { cat log >&2; exit 1; }
		echo "$name: $recorded -> $now" >&2
		echo "$name $now"
	done <"$record" >record
	cat record >"$record"
}

if [ "${1:-}" = --update ]; then
	update
	exit
fi
echo "TAP version 13"
number=0
failed=0
while read -r name recorded; do
	number=$((number + 1))
	most=$((recorded + recorded * percent / 100))
	what="$number - $name: at most $most thousand instructions"
	if ! now=$(count "$name"); then
		echo "not ok $what"
		sed 's/^/# /' log
		failed=1
	elif [ "$now" -gt "$most" ]; then
		echo "not ok $what"
		echo "# $now thousand: $((100 * (now - recorded) / recorded)) % more than recorded"
		failed=1
	else
		echo "ok $what"
		echo "# $now thousand, recorded $recorded"
	fi
done <"$record"
echo "1..$number"
exit $failed

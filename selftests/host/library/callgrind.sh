#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Instructions that the solver spends on the papers' 362 patterns, against those recorded.
# builds: bench-programs
# timeout: 300
#
# usage: selftests/host/library/callgrind.sh [--update]
#
# data/callgrind has a line a method: its name, and its instructions, in thousands, from the sets of
# links to the frames of all 362 patterns, as callgrind counts them. A tenth more fails. --update
# records anew, which is for a change that is meant to cost, or that has made it cheaper. The counts
# are those of the default CFLAGS, Debian 12's compiler and amd64; elsewhere this skips.
set -u

here=$(readlink -f "$(dirname "$(readlink -f "$0")")/../..")
build=$(readlink -f "${B:-$here/../build}")
swiss=$build/bench/swiss-t1
record=$here/data/callgrind
percent=10

skip()
{
	echo "1..0 # SKIP $1"
	exit 4
}

[ -x "$swiss" ] || skip "no $swiss; \`make bench-programs\` builds it"
command -v valgrind >/dev/null || skip "no valgrind"
[ "$(uname -m)" = x86_64 ] || skip "the counts are those of amd64"
case $(readelf -p .comment "$swiss") in
*"Debian 12"*) ;;
*) skip "the counts are those of Debian 12's compiler" ;;
esac
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# Thousands of instructions of method $1 in swiss_solve() on all patterns; fails when a pattern
# does.
count()
{
	timeout -k 5 120 valgrind --tool=callgrind --callgrind-out-file="$work/out" \
		--toggle-collect=swiss_solve "$swiss" --method "$1" >"$work/line" 2>"$work/log" ||
		return
	[ "$(cut -d, -f2-4 "$work/line")" = 362,362,362 ] || return
	awk '/^totals:/ { printf "%d\n", $2 / 1000 }' "$work/out"
}

update()
{
	while read -r method recorded; do
		now=$(count "$method") || { cat "$work/log" >&2; exit 1; }
		echo "$method: $recorded -> $now" >&2
		echo "$method $now"
	done <"$record" >"$work/record"
	cat "$work/record" >"$record"
}

if [ "${1:-}" = --update ]; then
	update
	exit
fi
echo "TAP version 13"
number=0
failed=0
while read -r method recorded; do
	number=$((number + 1))
	most=$((recorded + recorded * percent / 100))
	what="$number $method: 362 patterns liquid in at most $most thousand instructions"
	if ! now=$(count "$method"); then
		echo "not ok $what"
		cat "$work/line" "$work/log" | sed 's/^/# /'
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

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Plans of 1,024 ranks and of hosts drawn at random, within their bars; the program of plans.rst.
# builds: user bench-programs
# timeout: 240
#
# usage: selftests/host/library/plans.sh [DRAW]
#
# DRAW is the first of the 20 seeds that hosts and solver get; without it the clock draws one.
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
build=$(readlink -f "${B:-build}")
program=$build/bench/plan-fabric
drawn=${1:-$(($(date +%s) % 1000000))}
. selftests/lib/tap.sh

[ -x "$program" ] || skip_all "no $program; \`make bench-programs\` builds it"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
details=$scratch/log

# large BAR GENERATOR [KEY=VALUE]...: a plan of all hosts within its bars
large()
{
	bar=$1
	shift
	"$program" "$@" >"$scratch/log" 2>&1 &&
		awk -v bar="$bar" '
			$5 <= bar && $7 <= 200 && $8 <= 1e6 { met = 1 }
			END { exit !met }' "$scratch/log"
	ok "$*: at most $bar tokens a message, 200 MB, and 1 MB for a rank"
	sed 's/^/# /' "$scratch/log"
}

# draws BAR HOSTS GENERATOR [KEY=VALUE]...: 20 plans of HOSTS hosts, drawn with the solver's seed;
# 0: of all hosts
draws()
{
	bar=$1 hosts=$2
	shift 2
	for ((seed = drawn; seed < drawn + 20; seed++)); do
		"$program" -n "$hosts" -s "$seed" "$@" || break
	done >"$scratch/log" 2>&1
	sort -n -k 5 "$scratch/log" | awk -v bar="$bar" -v seed="$drawn" '
		{ tokens[NR] = $5; if ($5 > bar) over = 1 }
		END {
			printf "# from seed %d on: median %s, worst %s\n", seed, tokens[10],
				tokens[NR]
			exit over || NR != 20
		}'
	[ "$hosts" -gt 0 ] || hosts=all
	ok "$*, $hosts hosts, 20 draws: at most $bar tokens a message"
}

echo "TAP version 13"
large 2.0 leaf-spine leaves=32 hosts=32 spines=32 routes=hash
large 3.0 fat-tree k=16 routes=hash
draws 2.0 64 leaf-spine leaves=16 hosts=16 spines=8 routes=hash
draws 2.0 0 leaf-spine leaves=8 hosts=16 spines=16 routes=hash
draws 3.0 64 fat-tree k=8 routes=hash
draws 3.0 0 fat-tree k=8 routes=hash
draws 3.0 100 fat-tree k=8

# Instructions, as callgrind counts them, mean the time: 2 s for 1,024 ranks.
most=160000
name="a plan of 65,280 pieces takes at most $most thousand instructions"
if ! command -v valgrind >/dev/null; then
	skip "$name" "no valgrind"
else
	valgrind --tool=callgrind --callgrind-out-file="$scratch/out" \
		--toggle-collect=liquid_plan_make "$program" leaf-spine leaves=16 hosts=16 \
		spines=16 routes=hash >"$scratch/log" 2>&1 &&
		awk -v most=$most '/^totals:/ {
			printf "# %d thousand\n", $2 / 1000
			exit $2 / 1000 > most
		}' "$scratch/out"
	ok "$name"
fi

sed -n '/^\.\. code-block:: c$/,/^[^ ]/{ /^    /{ s/^    //; p } }' Documentation/plans.rst \
	>"$scratch/program.c"
sed -n '/^It prints::$/,/^[A-Z=]*=$/{ s/^    //p }' Documentation/plans.rst >"$scratch/wanted"
# shellcheck disable=SC2046 # flags
gcc -Wall -Wextra -Werror -Iuser/engine "$scratch/program.c" "$build/libliquidsched.a" \
	$(pkg-config --libs jansson nettle) -lm -o "$scratch/program" >"$scratch/log" 2>&1 &&
	"$scratch/program" >"$scratch/printed" 2>&1 && [ -s "$scratch/wanted" ] &&
	diff "$scratch/wanted" "$scratch/printed" >"$scratch/log" 2>&1
ok "the program of plans.rst compiles and prints what it says"
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl, which root runs, has nothing of the engine, and is small: it asks liquid.
# builds: user
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
build=$(readlink -f "${B:-build}")
. selftests/lib/tap.sh
[ -e "$build/liquid-nl" ] || skip_all "no $build/liquid-nl (make user)"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
details=$scratch/log
log=$scratch/log
most=650000	# bytes of its text

# symbols FILE...: the functions and variables that they define
symbols()
{
	nm --defined-only "$@" 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u
}

echo "TAP version 13"
find user/engine -name '*.c' | sed "s|^\(.*\)c\$|$build/\1o|" | xargs nm -g --defined-only |
	awk 'NF == 3 { print $3 }' | sort -u >"$scratch/engine"
symbols "$build/liquid" | comm -12 - "$scratch/engine" >"$log"
[ "$(wc -l <"$log")" -gt 100 ]
ok "the program liquid has symbols of the engine"
symbols "$build/liquid-nl" | comm -12 - "$scratch/engine" >"$log"
[ ! -s "$log" ]
ok "liquid-nl has none"
ldd "$build/liquid-nl" >"$log" && ! grep liquid "$log"
ok "and loads no library of the project"
text=$(size "$build/liquid-nl" | awk 'END { print $1 }')
echo "$text bytes" >"$log"
[ "$text" -le $most ]
ok "its text has at most $most bytes"
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What libliquidsched.so shows to programs, against what is recorded.
# timeout: 120
#
# usage: selftests/host/library/abi.sh [--update]
#
# data/libliquidsched.abi has the symbols with their versions, and every public type with its size
# and offsets, as abidw reads them out of the debugging information: no list by hand can forget a
# member. --update records anew. Before, look at what abidiff says: a program compiled against an
# earlier header must go on working, or SOVERSION and the version node change.
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
library=$(readlink -f "${B:-build}")/libliquidsched.so
header=user/engine/liquidsched.h
record=selftests/data/libliquidsched.abi
. selftests/lib/tap.sh

command -v abidw >/dev/null || skip_all "no abidw (abigail-tools)"
[ -e "$library" ] || skip_all "no $library; \`make user\` builds it"
[ "$(uname -m)" = x86_64 ] || skip_all "the sizes are those of amd64"
readelf -S "$library" | grep -q '\.debug_info' || skip_all "the library is built without -g"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
details=$scratch/log

read_abi()
{
	abidw --drop-private-types --header-file "$header" --no-show-locs --no-corpus-path \
		--no-comp-dir-path --no-parameter-names --no-elf-needed \
		--exported-interfaces-only "$library"
}

if [ "${1:-}" = --update ]; then
	read_abi >"$scratch/new" && mv "$scratch/new" "$record"
	exit
fi
echo "TAP version 13"
nm -D --defined-only "$library" | awk '$2 != "A" && $3 !~ /^liquid_[a-z_]*@@LIQUIDSCHED_[0-9]+$/' \
	>"$scratch/log" 2>&1
[ ! -s "$scratch/log" ]
ok "every symbol is liquid_* and has a version"
grep -o 'liquid_[a-z_]*(' "$header" | tr -d '(' | sort -u >"$scratch/declared"
nm -D --defined-only "$library" | sed -n 's/.* T \(.*\)@@.*/\1/p' | sort >"$scratch/exported"
diff "$scratch/declared" "$scratch/exported" >"$scratch/log" 2>&1
ok "the symbols are the functions of liquidsched.h"
read_abi >"$scratch/now" 2>"$scratch/log" && abidiff "$record" "$scratch/now" >"$scratch/log" 2>&1
ok "symbols, sizes, offsets and parameters are those recorded"
finish

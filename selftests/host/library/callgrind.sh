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
. "$here/lib/cost.sh"
cost_start "$swiss" bench-programs

# Thousands of instructions of method $1 in swiss_solve() on all patterns; fails when a pattern
# does.
count()
{
	timeout -k 5 120 valgrind --tool=callgrind --callgrind-out-file=out \
		--toggle-collect=swiss_solve "$swiss" --method "$1" >said 2>log ||
		return
	[ "$(cut -d, -f2-4 said)" = 362,362,362 ] || return
	awk '/^totals:/ { printf "%d\n", $2 / 1000 }' out
}

cost_main "$record" "362 patterns liquid" "$@"

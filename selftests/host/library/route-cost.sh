#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Instructions that routes cost, against those recorded.
# timeout: 300
#
# usage: selftests/host/library/route-cost.sh [--update]
#
# data/route-cost has a line a case: its name, and the instructions of `liquid route`, in
# thousands, as callgrind counts them. A tenth more fails. --update records anew, which is for a
# change that is meant to cost, or that has made it cheaper. The counts are those of the default
# CFLAGS, Debian 12's compiler and amd64; elsewhere this skips.
set -u

here=$(readlink -f "$(dirname "$(readlink -f "$0")")/../..")
liquid=$(readlink -f "${LIQUID:-${B:-$here/../build}/liquid}")
record=$here/data/route-cost
. "$here/lib/cost.sh"
cost_start "$liquid" user

# lose FABRIC: without tables, and without the cable at port 1 of switch s1
lose()
{
	grep -v '^link s1\[1] \|^link s[0-9]*\[[0-9]*] s1\[1] ' "$1" | grep -v '^ *to '
}

"$liquid" fabric make torus size=8x8 -o whole && "$liquid" route whole --lanes 4 -o routed \
	>/dev/null && lose routed >lost && "$liquid" fabric make fat-tree k=8 -o tree || exit 1
for i in $(seq 128); do echo "h$i h$((i * 5 % 128 + 1))"; done | awk '$1 != $2' >pairs

# Thousands of instructions of case $1
count()
{
	case $1 in
	regular) set -- whole --lanes 4 ;;
	searched) set -- lost --lanes 4 --work 50000 ;;
	one-lane) set -- lost --work 50000 ;;
	lost-cable) set -- lost --from routed ;;
	colours) set -- tree --traffic pairs ;;
	esac
	timeout -k 5 120 valgrind --tool=callgrind --callgrind-out-file=out "$liquid" route \
		"$@" >said 2>log || return
	awk '/^totals:/ { printf "%d\n", $2 / 1000 }' out
}

cost_main "$record" "" "$@"

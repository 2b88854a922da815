#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Instructions that it costs to read the file of a fabric, against those recorded.
# timeout: 120
#
# usage: selftests/host/library/read-cost.sh [--update]
#
# data/read-cost has a line a case: its name, and the instructions of liquid_fabric_read(), in
# thousands, as callgrind counts them. A tenth more fails. --update records anew, which is for a
# change that is meant to cost, or that has made it cheaper. The counts are those of the default
# CFLAGS, Debian 12's compiler and amd64; elsewhere this skips. The tables of each file have
# 327,680 entries.
set -u

here=$(readlink -f "$(dirname "$(readlink -f "$0")")/../..")
liquid=$(readlink -f "${LIQUID:-${B:-$here/../build}/liquid}")
record=$here/data/read-cost
. "$here/lib/cost.sh"
cost_start "$liquid" user

# Thousands of instructions of case $1
count()
{
	"$liquid" fabric make fat-tree k=16 routes="$1" -o fabric || return
	timeout -k 5 60 valgrind --tool=callgrind --callgrind-out-file=out \
		--toggle-collect=liquid_fabric_read "$liquid" fabric show fabric >said 2>log ||
		return
	awk '/^totals:/ { printf "%d\n", $2 / 1000 }' out
}

cost_main "$record" "" "$@"

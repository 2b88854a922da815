#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Instructions that compact schedules cost, against those recorded.
# timeout: 300
#
# usage: selftests/host/library/compact-cost.sh [--update]
#
# data/compact-cost has a line a case: its name, and the instructions of liquid_solve(), in
# thousands, as callgrind counts them. A tenth more fails. --update records anew, which is for a
# change that is meant to cost, or that has made it cheaper. The counts are those of the default
# CFLAGS, Debian 12's compiler and amd64; elsewhere this skips.
set -u

here=$(readlink -f "$(dirname "$(readlink -f "$0")")/../..")
liquid=$(readlink -f "${LIQUID:-${B:-$here/../build}/liquid}")
record=$here/data/compact-cost
. "$here/lib/cost.sh"
cost_start "$liquid" user

# Thousands of instructions of case $1
count()
{
	row=$1
	case $row in
	first-fit) set -- leaf-spine leaves=32 hosts=32 spines=32 routes=hash ;;
	mended) set -- leaf-spine leaves=32 hosts=32 spines=16 routes=hash ;;
	shifts) set -- fat-tree k=8 ;;
	left-out) set -- torus size=4x4 hosts=3 ties=balanced ;;
	bundled) set -- dragonfly a=8 p=4 h=4 ;;
	tiled) set -- torus size=6x6x6 ;;
	listed) set -- leaf-spine leaves=16 hosts=16 spines=16 ;;
	esac
	"$liquid" fabric make "$@" -o fabric || return
	set -- solve fabric --compact
	case $row in
	left-out) set -- "$@" --hosts 'h[1-47]' ;;
	bundled) set -- "$@" --work 20000000 ;;
	listed) set -- solve fabric ;;
	esac
	timeout -k 5 120 valgrind --tool=callgrind --callgrind-out-file=out \
		--toggle-collect=liquid_solve "$liquid" "$@" >said 2>log || return
	awk '/^totals:/ { printf "%d\n", $2 / 1000 }' out
}

cost_main "$record" "" "$@"

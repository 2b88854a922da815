#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The part of the demo in a guest without gates: an all-to-all by RDMA writes on a fat tree, in the
# orders that MPI libraries have, then in that of a liquid schedule. Prints TAP and rows of results.
# adds: experiments
# timeout: 300
# shellcheck disable=SC2154 # share, faults: rdma-alltoall.sh
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/rdma.sh
. /liquid/lib/rdma-alltoall.sh
exchange_start
exchange_tree

# run NAME OPTION...
run()
{
	name=$1
	shift
	if exchange 393216 --processes each --nap 500000 "$@"; then
		ok "$name: every word is right"
	else
		not_ok "$name: every word is right"
	fi
	echo "row $name share=$share faults=$faults ns=$(field ns "$LOG")"
}

run pairwise --order pairwise
run all-at-once --order all-at-once --ack-timeout 22
run liquid --order tokens --tail 32768 --ahead 16384
exchange_down
fabric_finish

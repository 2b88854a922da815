#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# MPI_Alltoall of Open MPI with the component over soft-RoCE, as mpi-rdma.sh has it, beside the
# orders that MPI libraries have, and with messages that are twice as long.
#
# The others are not Open MPI's own code, whose transports for RDMA do not come up over soft-RoCE.
# They are the orders of rdma-alltoall, with the same kind of queue pairs, a process a rank.
# modes: long
# kernels: 6.1
# adds: openmpi experiments
# timeout: 260
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/rdma.sh
. /liquid/lib/rdma-alltoall.sh
. /liquid/lib/mpi-rdma.sh
[ ! -e /liquid/no-openmpi ] || skip_all "$(cat /liquid/no-openmpi)"
[ ! -e /liquid/no-component ] || skip_all "$(cat /liquid/no-component)"
exchange_start
exchange_tree
mpi_rdma_start

# peer NAME OPTION...
peer()
{
	name=$1
	shift
	exchange 393216 --processes each --nap 500000 "$@" || true
	echo "# $name: share $share of 1000, faults $faults"
	compare "$name: every word arrives" "$share" -gt 0
}

# Measured: 0.910, 0.942; all at once 0.764 to 0.787, one at a time 0.540 to 0.587. A kernel's
# memory laid out otherwise changes 0.02, so the bounds leave room for it. The load of the host
# changes nothing: the guest's time is its instructions.
bar "384 KiB" 393216 870
tokens=$share
peer "all at once" --order all-at-once
compare "that is at least 1.05 times as much as all at once" $((tokens * 100)) -ge $((share * 105))
peer "one at a time" --order window --window 1
compare "that is at least 1.45 times as much as one at a time" $((tokens * 100)) -ge \
	$((share * 145))
bar "768 KiB" 786432 900

RANKS=12
export A_HOST=3 LIQUID_MPI_MIN=1000 LIQUID_MPI_STATS="$TESTDIR/stats"
calls "3 ranks a host" 5 mpi-cases plain 5 65536
calls "3 ranks a host, random calls" 5 mpi-random 1 30
calls "3 ranks a host, of which one takes a derived type" 5 mpi-cases type 5 20000
exchange_down
fabric_finish

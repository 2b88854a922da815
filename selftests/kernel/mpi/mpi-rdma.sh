#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# MPI_Alltoall of Open MPI with the component, over soft-RoCE and without a gate: in the order of a
# plan with tokens.
# modes: long
# kernels: 6.1
# adds: openmpi experiments
# timeout: 520
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/rdma.sh
. /liquid/lib/rdma-exchange.sh
. /liquid/lib/mpi-rdma.sh
[ ! -e /liquid/no-openmpi ] || skip_all "$(cat /liquid/no-openmpi)"
[ ! -e /liquid/no-component ] || skip_all "$(cat /liquid/no-component)"
exchange_start
exchange_tree
mpi_rdma_start

# Measured: 0.866, 0.910, 0.942. A kernel's memory laid out otherwise changes 0.02, so the bounds
# leave room for it. The load of the host changes nothing: the guest's time is its instructions.
bar "192 KiB" 196608 820
bar "384 KiB" 393216 870
bar "768 KiB" 786432 900

# The queue pairs are those for equal messages of any size, not for those of the first call.
export LIQUID_MPI_MIN=0 LIQUID_MPI_STATS="$TESTDIR/stats"
calls "a first call of no bytes, then others" 3 mpi-cases empty 2 65536
RANKS=12
export A_HOST=3 LIQUID_MPI_MIN=1000
calls "3 ranks a host" 5 mpi-cases plain 5 65536
calls "3 ranks a host, random calls" 5 mpi-random 1 30
calls "3 ranks a host, of which one takes a derived type" 5 mpi-cases type 5 20000
exchange_down
fabric_finish

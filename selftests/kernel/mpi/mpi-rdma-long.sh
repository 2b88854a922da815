#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# MPI_Alltoall of Open MPI with the component over soft-RoCE, as mpi-rdma.sh has it, with messages
# that are twice as long.
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
bar "768 KiB" 786432 900
exchange_down
fabric_finish

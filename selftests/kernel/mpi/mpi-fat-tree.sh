#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# MPI_Alltoall of Open MPI over TCP gains more behind gates on a fat tree with routes by a hash: 16
# nodes, cut-through switching, packets of 9,000 bytes. A message takes two frames.
# modes: long
# kernels: 6.1
# adds: openmpi
# memory: 1536
# timeout: 150
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/mpi.sh
[ ! -e /liquid/no-openmpi ] || skip_all "$(cat /liquid/no-openmpi)"
fabric_start

NODES='1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16'
TASKS=1
RATE=20000000
MTU=9000
FRAME=85ms
GUARD=600us
RTO_MIN=10s
BYTES=393216
EXCHANGES=1
LIMIT=120

need liquid fabric make fat-tree k=4 routes=hash -o "$FABRIC"
mpi_exchange
compare "the gates reach 0.90 of the liquid throughput" "$gated" -ge 900
# Measured: 1.25, 1.33, 1.44. Without gates the time changes with how the kernel's memory lies.
compare "that is 1.12 times what warm connections have without" $((gated * 100)) -ge $((warm * 112))
mpi_accounts
mpi_down
fabric_finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# MPI_Alltoall of Open MPI over TCP on liquid_lab gains behind gates, also over a second exchange on
# the same connections; all data right.
#
# Eight nodes behind four leaves whose routes were made by a hash, so that transfers meet;
# cut-through switching, packets of 9,000 bytes. A frame takes 30 of them, a message three frames
# less two packets.
# modes: icount
# kernels: 6.1
# adds: openmpi
# timeout: 100
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/mpi.sh
[ ! -e /liquid/no-openmpi ] || skip_all "$(cat /liquid/no-openmpi)"
fabric_start

NODES='1 2 3 4 5 6 7 8'
TASKS=1
RATE=40000000
MTU=9000
FRAME=56ms
GUARD=600us
RTO_MIN=2s
BYTES=786432
EXCHANGES=1
LIMIT=60

need liquid fabric make leaf-spine leaves=4 hosts=2 spines=2 routes=hash -o "$FABRIC"
mpi_exchange
# 0.92 to 0.93 alone; 0.896 was seen after 40 other tests in the same guest
compare "the gates reach 0.88 of the liquid throughput" "$gated" -ge 880
# which differs by 6 % from run to run, and was 0.82 and 0.87
compare "that is 1.02 times what warm connections have without" $((gated * 100)) -ge $((warm * 102))
mpi_accounts
mpi_down
fabric_finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Collective calls on a file: libliquid-mpiio beside Open MPI's two, OMPIO and ROMIO.
#
#	tools/guest/run --kernel 6.1 --icount --memory 2000 --timeout 1200 \
#		tools/experiments/guest/mpiio.sh
#
# 8 ranks, each on its own node; two leaves, two spines, routes by a hash, links of 20 Mbit/s,
# TCP, cut-through. The file is in the guest's memory, which all ranks share: accesses cost next to
# nothing, and what counts is how bytes go from rank to rank. Each rank writes and reads 768 KiB in
# a call. A row has the ms of writes, then of reads, each the median and the longest of nine calls,
# or of as many as `way` says. To run some ways only: --add FILE named ways, with a pattern of
# grep -E for their names.
# modes: icount
# kernels: 6.1
# adds: openmpi
# timeout: 2000
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/mpi.sh
for missing in /liquid/no-openmpi /liquid/no-component; do
	[ ! -e $missing ] || skip_all "$(cat $missing)"
done
command -v mpiio-bench >/dev/null || skip_all "no mpiio-bench (make experiment-programs mpiio)"
fabric_start

NODES='1 2 3 4 5 6 7 8'
TASKS=1
RATE=20000000
RTO_MIN=2s
LIMIT=240
BYTES=786432
need liquid fabric make leaf-spine leaves=2 hosts=4 spines=2 routes=hash \
	--unit-rate $RATE -o "$FABRIC"
mpi_nodes --rate $RATE --mtu 9000 --switching cut-through --buffer 72000
export LIQUID_FABRIC="$FABRIC" LIQUID_MPI_TIMEOUT=20s LIQUID_MPI_BUFFER=72000
export LIQUID_MPIIO_VERBOSE=1 LIQUID_MPI_STATS="$TESTDIR/stats"
export LIQUID_MPI_TAIL=16Ki
PATTERNS=

# way NAME CALLS MPIIO MPI IO...: with LIQUID_MPIIO and LIQUID_MPI, by Open MPI's component IO
way()
{
	name=$1 calls=$2
	[ ! -e /liquid/ways ] || echo "$name" | grep -qEf /liquid/ways || return 0
	export LIQUID_MPIIO="$3" LIQUID_MPI="$4"
	shift 4
	: >"$TESTDIR/stats"
	status=0
	mpi 0 --mca io "$@" -x LIQUID_MPIIO -x LIQUID_MPI \
		-x LIQUID_FABRIC -x LIQUID_MPI_TIMEOUT -x LIQUID_MPI_BUFFER \
		-x LIQUID_MPIIO_VERBOSE -x LIQUID_MPI_STATS -x LIQUID_MPI_TAIL \
		-x LD_PRELOAD=/usr/lib/libliquid-mpiio-openmpi.so \
		mpiio-bench "$TESTDIR/file" $BYTES "$calls" $PATTERNS >"$LOG" 2>&1 || status=$?
	sed -n "s/ wrong=0\$//p" "$LOG" | tr ' ' ';' | sed "s/^/row;$name;/"
	echo "# $name: $(grep -c 'by the exchange: [1-9]' "$LOG") patterns by the exchange," \
		"$(grep -c 'Alltoallv.*"way": "[tc]' "$TESTDIR/stats") exchanges in order"
	[ $status = 0 ] || sed 's/^/# /' "$LOG"
	compare "$name: all is right" "$status" = 0
}

way ROMIO 9 off off romio321
way exchange 9 on off ompio
way tokens 9 on tokens ompio
way clock 9 on clock ompio
# It compares both ways in up to 26 calls.
way auto:ROMIO 36 auto tokens romio321
way OMPIO:8-aggregators 9 off off ompio --mca io_ompio_num_aggregators 8
way auto:OMPIO:8-aggregators 36 auto tokens ompio --mca io_ompio_num_aggregators 8
way OMPIO 1 off off ompio
BYTES=3145728
PATTERNS=4096
way ROMIO:3-MiB 5 off off romio321
way tokens:3-MiB 5 on tokens ompio
way clock:3-MiB 5 on clock ompio
mpi_down
fabric_finish

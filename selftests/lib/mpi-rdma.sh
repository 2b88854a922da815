# SPDX-License-Identifier: GPL-2.0-only
# MPI with the component on all hosts of a fabric, over soft-RoCE. After rdma-exchange.sh.
#
# All ranks are in one namespace, because soft-RoCE knows no other; what MPI itself says goes over
# the loopback device.
# shellcheck shell=dash

# After exchange_tree or another: sets RANKS, and what the component reads.
mpi_rdma_start()
{
	need ip link set lo up
	hostname head
	echo 127.0.0.1 head >>/etc/hosts

	RANKS=$(wc -l <"$TESTDIR/map")
	# Each rank is its own host, with its own port, or shares both with A_HOST - 1
	# others.
	cat >"$TESTDIR/rank" <<END
#!/bin/sh
host=\$(sed -n "\$((OMPI_COMM_WORLD_RANK / \${A_HOST:-1} + 1))s/ .*//p" $TESTDIR/map)
export LIQUID_MPI_HOST=\$host LIQUID_MPI_DEVICE=r\$host
exec "\$@"
END
	chmod +x "$TESTDIR/rank"
	export LIQUID_FABRIC="$FABRIC" LIQUID_MPI=tokens LIQUID_MPI_WIRE=verbs LIQUID_MPI_VERBOSE=1
	export LIQUID_MPI_TIMEOUT=20s LIQUID_MPI_TAIL="${TAIL:-32Ki}"
}

# ranks PROGRAM ARGUMENT...: on all hosts, with the component
ranks()
{
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 100 mpirun.openmpi \
		--host head:"$RANKS" -n "$RANKS" --bind-to none --mca pml ob1 \
		--mca plm_rsh_agent sh --mca oob_tcp_if_include lo \
		--mca btl self,tcp --mca btl_tcp_if_include lo \
		--mca mpi_yield_when_idle 1 --mca coll_liquid_priority 100 \
		"$TESTDIR/rank" "$@"
}

# alltoall BYTES: twice, first with what is set up once; sets share of the second, in thousandths of
# the liquid throughput, and faults
alltoall()
{
	before=$(exchange_faults)
	ranks mpi-alltoall "$1" 1 true >"$LOG" 2>&1
	status=$?
	sed 's/^/# /' "$LOG"
	grep '^ranks=' "$LOG" >"$TESTDIR/rows"
	ns=$(field ns "$TESTDIR/rows" 2)
	share=0
	[ "${ns:-0}" -le 0 ] || share=$((duration * $1 * 8000 * 1000 / (RATE / 1000) * 1000 / ns))
	faults=$(($(exchange_faults) - before))
	return $status
}

# bar NAME BYTES SHARE: up to three jobs, until one has the share.
bar()
{
	for try in 1 2 3; do
		alltoall "$2" && [ "$share" -lt "$3" ] || break
		echo "# try $try: share $share of 1000"
	done
	if [ $status = 0 ]; then
		ok "$1: every word is right"
	else
		not_ok "$1: every word is right"
	fi
	echo "# share $share of 1000, faults $faults"
	# An acknowledgement that comes late has what came after it sent again: at most one packet
	# in 2,000, and 8 in any case. 46,000 packets are 768 KiB.
	most=$((RANKS * (RANKS - 1) * $2 / 4096 / 2000))
	[ "$most" -ge 8 ] || most=8
	compare "$1: hardly a packet was dropped or sent again" "$faults" -le "$most"
	compare "$1: at least $3 thousandths of the liquid throughput" "$share" -ge "$3"
}

# calls NAME LEAST PROGRAM ARGUMENT...: at least LEAST calls of those that rank 0 leads go liquid,
# and then by RDMA, because nothing else is allowed.
calls()
{
	calls=$1 least=$2
	shift 2
	rm -f "$LIQUID_MPI_STATS"*
	check "$calls: every word is right" ranks "$@"
	went=$(cat "$LIQUID_MPI_STATS"* | grep -c '"way": "tokens"')
	echo "# $(grep 'wrong=' "$LOG"), $went by tokens"
	compare "$calls: at least $least go liquid" "$went" -ge "$least"
}

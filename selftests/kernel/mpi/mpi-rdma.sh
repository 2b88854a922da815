#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# MPI_Alltoall of Open MPI with the component, over soft-RoCE and without a gate: in the order of a
# plan with tokens, beside the orders that MPI libraries have.
#
# The others are not Open MPI's own code, whose transports for RDMA do not come up over soft-RoCE.
# They are the orders of rdma-alltoall, with the same kind of queue pairs, a process a rank.
#
# All ranks are in one namespace, because soft-RoCE knows no other; what MPI itself says goes over
# the loopback device.
# modes: icount
# kernels: 6.1
# adds: openmpi experiments
# timeout: 260
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/rdma.sh
. /liquid/lib/rdma-alltoall.sh
[ ! -e /liquid/no-openmpi ] || skip_all "$(cat /liquid/no-openmpi)"
[ ! -e /liquid/no-component ] || skip_all "$(cat /liquid/no-component)"
exchange_start
exchange_tree
need ip link set lo up
hostname head
echo 127.0.0.1 head >>/etc/hosts

RANKS=$(wc -l <"$TESTDIR/map")
# Each rank is a host of its own, with a port of its own, or shares both with A_HOST - 1 others.
cat >"$TESTDIR/rank" <<END
#!/bin/sh
host=\$(sed -n "\$((OMPI_COMM_WORLD_RANK / \${A_HOST:-1} + 1))s/ .*//p" $TESTDIR/map)
export LIQUID_MPI_HOST=\$host LIQUID_MPI_DEVICE=r\$host
exec "\$@"
END
chmod +x "$TESTDIR/rank"
export LIQUID_FABRIC="$FABRIC" LIQUID_MPI=tokens LIQUID_MPI_WIRE=verbs LIQUID_MPI_VERBOSE=1
export LIQUID_MPI_TIMEOUT=20s LIQUID_MPI_TAIL="${TAIL:-32Ki}"

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

# bar NAME BYTES SHARE: up to three jobs, until one has the share. See exchange_until.
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
	# An acknowledgement that comes late has a packet sent again; 46,000 packets are 768 KiB.
	compare "$1: eight packets at most were dropped or sent again" "$faults" -le 8
	compare "$1: at least $3 thousandths of the liquid throughput" "$share" -ge "$3"
}

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

# The queue pairs are those for equal messages of any size, not for those of the first call.
export LIQUID_MPI_MIN=0 LIQUID_MPI_STATS="$TESTDIR/stats"
calls "a first call of no bytes, then others" 3 mpi-cases empty 2 65536
RANKS=12
export A_HOST=3 LIQUID_MPI_MIN=1000
calls "3 ranks a host" 5 mpi-cases plain 5 65536
calls "3 ranks a host, of which one takes a derived type" 5 mpi-cases type 5 20000
calls "3 ranks a host, random calls" 5 mpi-random 1 30
exchange_down
fabric_finish

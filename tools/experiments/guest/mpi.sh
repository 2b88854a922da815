#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The part of mpi in the guest: the jobs of /liquid/rows, all on one network. A line is
# `NETWORK CALL BYTES WAY EXCHANGES LINK`; LINK is what the busiest link carries, in bytes.
#
# UCX connects by datagrams, and compares the address in each one's header with its own. Over
# soft-RoCE that comparison fails: it drops every datagram without a word. ETH_DGID_CHECK=n leaves
# it out. 16 ranks of UCX need 6 GB.
# adds: openmpi experiments ucx
# timeout: 10000
# shellcheck disable=SC2034,SC2154 # TASKS, BYTES and RTO_MIN: mpi.sh; ns: rdma-alltoall.sh
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/mpi.sh
. /liquid/lib/rdma.sh
. /liquid/lib/rdma-alltoall.sh
. /liquid/settings
read -r NETWORK _ </liquid/rows
[ "$NETWORK" = ucx ] || rm -f /liquid/no-ucx
for missing in /liquid/no-openmpi /liquid/no-component /liquid/no-ucx; do
	[ ! -e $missing ] || skip_all "$(cat $missing)"
done
RANKS=16
NODES=$(seq -s ' ' $RANKS)
TASKS=1
LIMIT=900
RTO_MIN=2s

# ---- networks ----

# All ranks are in one namespace, because soft-RoCE knows no other. Each has the port of a host.
up_rdma()
{
	exchange_start
	exchange_tree "$@"
	need ip link set lo up
	hostname head
	echo 127.0.0.1 head >>/etc/hosts
	cat >"$TESTDIR/rank" <<-END
		#!/bin/sh
		host=\$(sed -n "\$((OMPI_COMM_WORLD_RANK + 1))s/ .*//p" $TESTDIR/map)
		export LIQUID_MPI_HOST=\$host LIQUID_MPI_DEVICE=r\$host UCX_NET_DEVICES=r\$host:1
		exec "\$@"
	END
	chmod +x "$TESTDIR/rank"
}

# up_tcp OPTION...: with these options of liquid-lab up
up_tcp()
{
	fabric_start
	need liquid-nl fabric make fat-tree k=4 routes=hash --unit-rate "$RATE" -o "$FABRIC"
	mpi_nodes --rate "$RATE" --mtu 9000 "$@"
}

down()
{
	case $NETWORK in
	tcp | deep) mpi_down ;;
	*) exchange_down ;;
	esac
}

count_faults()
{
	case $NETWORK in
	tcp | deep)
		echo $(($(fabric_sum drop_full) + $(fabric_sum drop_deadlock) +
			$(fabric_sum drop_too_big)))
		;;
	*) exchange_faults ;;
	esac
}

# ---- jobs ----

# job_rdma OPTION... PROGRAM...
job_rdma()
{
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout $LIMIT mpirun.openmpi \
		--host head:$RANKS -n $RANKS --bind-to none --mca plm_rsh_agent sh \
		--mca oob_tcp_if_include lo --mca mpi_yield_when_idle 1 \
		--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_alltoall_algorithm \
		"$ALGORITHM" "$@"
}

# What MPI itself says goes over the loopback device.
over_loopback()
{
	job_rdma --mca coll_tuned_alltoallv_algorithm "$ALGORITHM" --mca pml ob1 \
		--mca btl self,tcp --mca btl_tcp_if_include lo "$TESTDIR/rank" "$@"
}

over_ucx()
{
	export UCX_TLS=rc_verbs,ud_verbs,self UCX_WARN_UNUSED_ENV_VARS=n
	export UCX_UD_ETH_DGID_CHECK=n UCX_UD_VERBS_ETH_DGID_CHECK=n
	# data of 16 ranks may hold up a datagram for longer than the 30 s that are the default
	export UCX_UD_TIMEOUT=10m UCX_UD_VERBS_TIMEOUT=10m
	job_rdma --mca coll_tuned_alltoallv_algorithm "$ALGORITHM" --mca pml ucx \
		--mca pml_ucx_tls any --mca pml_ucx_devices any --mca osc '^ucx' --mca btl self \
		"$TESTDIR/rank" "$@"
}

# The longest of messages by Zipf is less than 5 times the mean.
over_tcp()
{
	BYTES=$bytes
	[ "$call" = alltoall ] || BYTES=$((bytes * 5))
	mpi "$ALGORITHM" --mca coll_tuned_alltoallv_algorithm "$ALGORITHM" "$@"
}

# Sets LIQUID_MPI and ALGORITHM for $1.
choose()
{
	LIQUID_MPI=off ALGORITHM=0
	case $1 in
	own) ;;
	linear) ALGORITHM=1 ;;
	pairwise) ALGORITHM=2 ;;
	linear_sync) ALGORITHM=4 ;;
	clock-error) LIQUID_MPI=clock ;;
	*) LIQUID_MPI=$1 ;;
	esac
	export LIQUID_MPI
}

# mpi_row OVER: a job of $exchanges exchanges; sets status, times, timeouts and went
mpi_row()
{
	choose "${way%%:*}"
	unset LIQUID_MPI_TAIL LIQUID_MPI_PACKET LIQUID_MPI_WINDOW
	case $way in
	shuffle:*/*)
		export LIQUID_MPI_PACKET="${way#*:}" LIQUID_MPI_WINDOW="${way#*/}"
		LIQUID_MPI_PACKET=${LIQUID_MPI_PACKET%/*}
		;;
	shuffle:*) export LIQUID_MPI_PACKET="${way#*:}" ;;
	*:*) export LIQUID_MPI_TAIL="${way#*:}" ;;
	esac
	program=mpi-alltoall
	[ "$call" = alltoall ] || program="$program --zipf"
	[ "${way%%:*}" != clock-error ] || program="$program --clock-error $CLOCK_ERROR"
	: >"$TESTDIR/stats"
	status=0
	# shellcheck disable=SC2046,SC2086 # words
	"$1" $program "$bytes" 1 $(yes true | head -n $((exchanges - 1))) >"$LOG" 2>&1 || status=$?
	times=$(sed -n 's/^ranks=.* ns=\([0-9]*\) wrong=0$/\1/p' "$LOG" | tr '\n' ' ')
	timeouts=$(awk -F'"timeouts": ' '{ sum += $2 } END { print sum + 0 }' "$TESTDIR/stats")
	went=$(last_ways)
	sed 's/^/# /' "$LOG"
	sed 's/^/# /' "$TESTDIR/stats"
}

# The way of the last 8 calls; each exchange is one.
last_ways()
{
	[ "$LIQUID_MPI" != off ] || { echo own; return; }
	sed -n 's/.*"way": "\([a-z]*\)".*/\1/p' "$TESTDIR/stats" | tail -n 8 |
		sort -u | awk '{ way = $1 } END { print NR == 1 ? way : NR ? "mixed" : "none" }'
}

# An order of rdma-alltoall, a process for each rank; messages of all at once are acknowledged late
order_row()
{
	case $way in
	window-*) set -- --order window --window "${way#window-}" ;;
	*) set -- --order "$way" ;;
	esac
	[ "$way" != all-at-once ] || set -- "$@" --ack-timeout 22
	status=0
	exchange "$bytes" --processes each --nap 500000 "$@" || status=$?
	times=$ns
	timeouts=0
	went=order
}

run_row()
{
	before=$(count_faults)
	case $NETWORK-$way in
	rdma-tokens* | rdma-clock* | rdma-shuffle* | voq-tokens* | voq-shuffle*)
		mpi_row over_loopback
		;;
	rdma-* | voq-*) order_row ;;
	ucx-*) mpi_row over_ucx ;;
	tcp-* | deep-*) mpi_row over_tcp ;;
	esac
	faults=$(($(count_faults) - before))
	echo "row;$NETWORK;$call;$bytes;$way;$link;$exchanges;$status;$went;$times;$timeouts;"\
"$faults"
	compare "$call $bytes $way: all is right" "$status" = 0
}

export LIQUID_MPI_VERBOSE=1 LIQUID_MPI_TIMEOUT=20s LIQUID_MPI_STATS="$TESTDIR/stats"
export LIQUID_MPI_WIRE=verbs LIQUID_MPI_BUFFER=36000
case $NETWORK in
voq) up_rdma --queues voq ;;
tcp)
	export LIQUID_MPI_BUFFER=72000
	up_tcp --switching cut-through --buffer $LIQUID_MPI_BUFFER
	;;
# 15 messages of 384 KiB are less. With 1 MB linear loses packets, and has them again after 2 s.
deep)
	export LIQUID_MPI_BUFFER=8000000
	up_tcp --switching packet --buffer $LIQUID_MPI_BUFFER
	;;
*) up_rdma ;;
esac
case $NETWORK in
tcp | deep) LIQUID_MPI_WIRE=p2p ;;
esac
export LIQUID_FABRIC="$FABRIC"
# commands of a job must not read the rows
while read -r _ call bytes way exchanges link <&3; do
	run_row
done 3</liquid/rows
down
fabric_finish

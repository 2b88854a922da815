#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Open MPI's own MPI_Alltoall over UCX and soft-RoCE, on the fabric of mpi-rdma.sh in selftests: its
# algorithms, three exchanges each, as shares of the liquid throughput in thousandths.
#
#	tools/guest/run --kernel 6.1 --icount --memory 6000 --timeout 500 \
#		tools/experiments/mpi-peers-guest.sh
#
# UCX connects by datagrams, and compares the address in each one's header with its own. Over
# soft-RoCE that comparison fails: it drops every datagram without a word, and connections time out
# after 30 s. ETH_DGID_CHECK=n leaves it out. In 1 GiB, 16 ranks run out of memory.
# modes: icount
# kernels: 6.1
# adds: openmpi experiments ucx
# timeout: 400
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/rdma.sh
. /liquid/lib/rdma-alltoall.sh
for missing in /liquid/no-openmpi /liquid/no-ucx; do
	[ ! -e $missing ] || skip_all "$(cat $missing)"
done
exchange_start
exchange_tree
need ip link set lo up
hostname head
echo 127.0.0.1 head >>/etc/hosts

RANKS=$(wc -l <"$TESTDIR/map")
BYTES=393216
# Each rank has the port of a host.
cat >"$TESTDIR/rank" <<END
#!/bin/sh
host=\$(sed -n "\$((OMPI_COMM_WORLD_RANK + 1))s/ .*//p" $TESTDIR/map)
export UCX_NET_DEVICES=r\$host:1
exec "\$@"
END
chmod +x "$TESTDIR/rank"
export UCX_TLS=rc_verbs,ud_verbs,self UCX_UD_ETH_DGID_CHECK=n UCX_UD_VERBS_ETH_DGID_CHECK=n
# data of 16 ranks may hold up a datagram for longer than the 30 s that are the default
export UCX_UD_TIMEOUT=10m UCX_UD_VERBS_TIMEOUT=10m UCX_WARN_UNUSED_ENV_VARS=n
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# peer NAME OPTION...: the first of the exchanges also connects
peer()
{
	name=$1
	shift
	timeout 90 mpirun.openmpi --host head:"$RANKS" -n "$RANKS" --bind-to none --mca pml ucx \
		--mca pml_ucx_tls any --mca pml_ucx_devices any --mca osc '^ucx' \
		--mca coll '^liquid' --mca btl self --mca plm_rsh_agent sh \
		--mca oob_tcp_if_include lo \
		--mca mpi_yield_when_idle 1 "$@" \
		"$TESTDIR/rank" mpi-alltoall $BYTES 1 true true >"$LOG" 2>&1 || true
	grep '^ranks=' "$LOG" >"$TESTDIR/rows"
	for run in 1 2 3; do
		ns=$(field ns "$TESTDIR/rows" $run)
		share=0
		[ "${ns:-0}" -le 0 ] ||
			share=$((duration * BYTES * 8000 * 1000 / (RATE / 1000) * 1000 / ns))
		echo "# $name, exchange $run: ${ns:-0} ns, share $share"
	done
	compare "$name: three exchanges, every word right" "$(grep -c ' wrong=0$' "$LOG")" = 3
}

peer default
for algorithm in '1 linear' '2 pairwise' '4 linear_sync'; do
	peer "${algorithm#* }" --mca coll_tuned_use_dynamic_rules 1 \
		--mca coll_tuned_alltoall_algorithm "${algorithm% *}"
done
exchange_down
fabric_finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# MPI_Alltoall over soft-RoCE where each machine has two rails: ranks find the devices of the
# endpoints that the fabric names, and each rail carries its part.
# modes: icount
# kernels: 6.12
# adds: openmpi experiments
# timeout: 120
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/rdma.sh
. /liquid/lib/rdma-exchange.sh
[ ! -e /liquid/no-openmpi ] || skip_all "$(cat /liquid/no-openmpi)"
[ ! -e /liquid/no-component ] || skip_all "$(cat /liquid/no-component)"
exchange_start
need liquid fabric make leaf-spine leaves=2 hosts=2 spines=2 -o "$FABRIC"
RATE=200000000
exchange_up --switching cut-through --buffer 72000
need ip link set lo up
hostname head
echo 127.0.0.1 head >>/etc/hosts

# As an import names them: h1 and h2 are the two rails of n1, h3 and h4 those of n2.
sed 's|h\[1-4\]|h1,h2,h3,h4|; s|h\[\([0-9]\)[-,]\([0-9]\)\]|h\1,h\2|
	s|\bh\([12]\)\b|n1/rh\1/1|g; s|\bh\([34]\)\b|n2/rh\1/1|g' "$FABRIC" >"$TESTDIR/rails"
check "the fabric of two machines is valid" liquid fabric show "$TESTDIR/rails"
cat >"$TESTDIR/rank" <<'END'
#!/bin/sh
export LIQUID_MPI_HOST=n$((OMPI_COMM_WORLD_RANK / 2 + 1))
exec "$@"
END
chmod +x "$TESTDIR/rank"
export LIQUID_FABRIC="$TESTDIR/rails" LIQUID_MPI=tokens LIQUID_MPI_WIRE=verbs LIQUID_MPI_VERBOSE=1
export LIQUID_MPI_TIMEOUT=20s LIQUID_MPI_TAIL=32Ki

# What each device has sent so far, in packets
sent()
{
	cat /sys/class/infiniband/rh[1-4]/ports/1/hw_counters/sent_pkts | tr '\n' ' '
}

# alltoall: twice, with messages of 128 KiB; sets used to how many packets each device has sent
alltoall()
{
	before=$(sent)
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 60 mpirun.openmpi \
		--host head:4 -n 4 --bind-to none --mca pml ob1 --mca plm_rsh_agent sh \
		--mca oob_tcp_if_include lo --mca btl self,tcp --mca btl_tcp_if_include lo \
		--mca mpi_yield_when_idle 1 "$TESTDIR/rank" mpi-alltoall 131072 1 true >"$LOG" 2>&1
	status=$?
	used=$(echo "$before $(sent)" | awk '{ print $5 - $1, $6 - $2, $7 - $3, $8 - $4 }')
	return $status
}

# Two exchanges of 128 KiB to each of the two ranks of the other machine are 128 packets of 4 KiB.
LIQUID_MPI_RAIL=all check "all rails: every word is right" alltoall
echo "# packets of the four devices: $used"
compare "each device sends its rank's bytes" \
	"$(echo "$used" | awk '{ print ($1 >= 128 && $2 >= 128 && $3 >= 128 && $4 >= 128) }')" = 1
LIQUID_MPI_RAIL=2 check "the second rail: every word is right" alltoall
echo "# packets of the four devices: $used"
compare "its two devices send all, the others nothing" \
	"$(echo "$used" | awk '{ print (!$1 && $2 >= 256 && !$3 && $4 >= 256) }')" = 1
exchange_down
fabric_finish

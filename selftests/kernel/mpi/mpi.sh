#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# MPI_Alltoall of Open MPI over TCP on liquid_lab, without gates and with: all data right.
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
FRAME=58ms
GUARD=600us
BYTES=786432
EXCHANGES=1
LIMIT=60

need liquid-nl fabric make leaf-spine leaves=4 hosts=2 spines=2 routes=hash -o "$FABRIC"
check "the schedule of mpi:alltoall is made" liquid-nl solve "$FABRIC" --link-rate $RATE \
	--traffic mpi:alltoall \
	--tasks-per-node $TASKS -o "$TESTDIR/schedule"
compare "the schedule of the MPI exchange is liquid" \
	"$(grep -c '"certificate":"liquid"' "$TESTDIR/schedule")" = 1
DURATION=$(sed -n 's/.*"duration":\([0-9]*\).*/\1/p' "$TESTDIR/schedule" | head -n 1)
# what the bottleneck links need for the bytes alone
IDEAL_MS=$((DURATION * EXCHANGES * BYTES * 8 / (RATE / 1000)))

mpi_nodes --rate $RATE --mtu $MTU --switching cut-through --buffer 72000
mpi_gates
# 1: every message at once, as the gates want it
check "ranks on eight nodes exchange, without gates and then with" mpi 1 \
	mpi-alltoall $BYTES $EXCHANGES "$TESTDIR/gates >$TESTDIR/gates.log 2>&1"
cp "$LOG" "$TESTDIR/mpi"
sed 's/^/# /' "$TESTDIR/mpi"
[ "$failures" = 0 ] || sed 's/^/# /' "$TESTDIR/gates.log"
grep '^ranks=' "$TESTDIR/mpi" >"$TESTDIR/rows"
compare "the exchange was measured both times" "$(wc -l <"$TESTDIR/rows")" = 2
compare "every word is right without gates" "$(field wrong "$TESTDIR/rows" 1)" = 0
compare "every word is right with gates" "$(field wrong "$TESTDIR/rows" 2)" = 0
ungated=$(($(field ns "$TESTDIR/rows" 1) / MS))
gated=$(($(field ns "$TESTDIR/rows" 2) / MS))
echo "# ideal $IDEAL_MS ms, without gates $ungated ms, with gates $gated ms"
compare "acknowledgements went beside the frames" "$(mpi_gate_sum control_packets)" -gt 1000
compare "data went in them" "$(mpi_gate_sum unsched_bytes)" -lt 10000
compare "no packet of the MPI exchange was late" "$(mpi_gate_sum late)" = 0
for reason in limit total_limit horizon too_big policy deleted split; do
	mpi_gate_sum drop_$reason
done >"$TESTDIR/drops"
compare "no gate dropped a packet" "$(grep -vc '^0$' "$TESTDIR/drops")" = 0
compare "the fabric dropped no packet" "$(($(fabric_sum drop_full) + $(fabric_sum drop_deadlock) +
	$(fabric_sum drop_too_big)))" = 0
check "every packet is accounted for" fabric_conserves
fabric_down
fabric_finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Soft-RoCE on a fabric: verbs complete, with packets of 4 KiB, in all modes of switching.
# modes: normal
# runs: 6.12-normal
# timeout: 300
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/rdma.sh
command -v ibv_rc_pingpong >/dev/null || skip_all "no ibv_rc_pingpong"
fabric_start
load crc32_generic ib_uverbs rdma_rxe
{
	cables a:s1 b:s2
	cat <<'END'
link s1 s2
  to b
link s2 s1
  to a
END
} | fabric_file a,b s1,s2
# What is not acknowledged in time is sent again, which happens on a slow kernel.
MOST=100
[ $DEBUG = 0 ] || MOST=1000
for switching in wormhole cut-through packet; do
	need liquid-lab up "$FABRIC" --rate 100M --ports a=lqva,b=lqvb --mtu 4500 --tx-queues 2 \
		--switching $switching --buffer 400000
	rdma_routes lqva lqvb
	rdma_links lqva lqvb
	check "$switching: ibv_rc_pingpong completes" pingpong 10 16384 4096
	# 10 messages each way, four packets of 4 KiB each
	compare "$switching: the messages went over the fabric's links" \
		"$(fabric_count links 's1>s2' bytes)" -gt $((10 * 16384))
	compare "$switching: they took no more packets than those of 4 KiB" \
		"$(fabric_count ports a tx_packets)" -lt $MOST
	if command -v ib_write_bw >/dev/null; then
		background "$TESTDIR/server" timeout 60 ib_write_bw -d rxeb -x "$(gid rxeb 2)" \
			-n 20 -s 65536 -p 18700 -F
		server=$pid
		await listens 18700
		check "$switching: ib_write_bw completes" \
			timeout 60 ib_write_bw -d rxea -x "$(gid rxea 1)" \
			-n 20 -s 65536 -p 18700 -F 127.0.0.1
		grep -E '^ *65536' "$LOG" | sed 's/^/# /'
		wait "$server"
	else
		skip "$switching: ib_write_bw" "no perftest"
	fi
	compare "$switching: nothing was lost" \
		"$(($(fabric_sum drop_full) + $(fabric_sum drop_deadlock)))" = 0
	rdma_restore >"$LOG" 2>&1
	fabric_down
done
fabric_finish

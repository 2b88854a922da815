# SPDX-License-Identifier: GPL-2.0-only
# All-to-alls by rdma-alltoall: fabrics, and exchanges measured; after guest.sh,
# lab.sh and rdma.sh.
# shellcheck shell=dash disable=SC2034,SC2154

exchange_start()
{
	command -v rdma-alltoall >/dev/null || skip_all "no libibverbs on the host (make deps)"
	fabric_start
	load ipv6
	sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
	# pages are freed in small runs: else for milliseconds without interrupts, hence without
	# timers
	sysctl -qw vm.percpu_pagelist_high_fraction=100000
}

# The schedule of the exchange on $FABRIC, with the options of liquid solve
exchange_solve()
{
	need liquid solve "$FABRIC" "$@" -o "$TESTDIR/schedule"
	duration=$(sed -n 's/.*"duration":\([0-9]*\).*/\1/p' "$TESTDIR/schedule" | head -n 1)
}

# exchange_up OPTION...: $FABRIC with links of $RATE, addresses and soft-RoCE. A NIC takes its queue
# pairs in turn: so does fq_codel here, which drops nothing.
exchange_up()
{
	need liquid-lab up "$FABRIC" --addr 10.9.0.0/24 --rate "$RATE" --mtu 4500 "$@"
	cp "$LOG" "$TESTDIR/map"
	rdma_ports "$TESTDIR/map" fq_codel limit 20000 memory_limit 512M flows 65536 \
		target 100s interval 100s noecn
}

# A fat tree of 16 hosts whose routes are made by a hash, with more options of liquid-lab up
exchange_tree()
{
	RATE=20000000
	need liquid fabric make fat-tree k=4 routes=hash --unit-rate $RATE -o "$FABRIC"
	exchange_solve
	exchange_up --switching cut-through --buffer 36000 "$@"
}

exchange_down()
{
	rdma_ports_remove >"$LOG" 2>&1
	fabric_down
}

# An exchange of messages of $1 bytes; sets share, in thousandths of the liquid throughput, and
# faults: packets dropped or sent again.
exchange()
{
	before=$(exchange_faults)
	status=0
	rdma-alltoall --message "$@" "$FABRIC" "$TESTDIR/schedule" "$TESTDIR/map" >"$LOG" 2>&1 ||
		status=$?
	ns=$(field ns "$LOG")
	share=0
	[ "${ns:-0}" -le 0 ] || share=$((duration * $1 * 8000 * 1000 / (RATE / 1000) * 1000 / ns))
	faults=$(($(exchange_faults) - before))
	return $status
}

# exchange_until LEAST BYTES OPTION...: up to three, until one has so much. Of ten or so one falls
# behind others of its kind by a fifth and more, for reasons that we do not know.
exchange_until()
{
	least=$1
	shift
	for try in 1 2 3; do
		exchange "$@" || return
		[ "$share" -lt "$least" ] || return 0
		echo "# try $try: share $share of 1000"
	done
}

exchange_faults()
{
	echo $(($(rdma_retries) + $(fabric_sum drop_full) + $(fabric_sum drop_deadlock) +
		$(fabric_sum drop_too_big)))
}

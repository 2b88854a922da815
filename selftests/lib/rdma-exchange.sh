# SPDX-License-Identifier: GPL-2.0-only
# Fabrics for exchanges by soft-RoCE, and what went wrong on them; after guest.sh, lab.sh and
# rdma.sh.
# shellcheck shell=dash disable=SC2034,SC2154

exchange_start()
{
	fabric_start
	load ipv6
	sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
	# pages are freed in small runs: else for milliseconds without interrupts, hence without
	# timers
	sysctl -qw vm.percpu_pagelist_high_fraction=100000
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

# A fat tree of 16 hosts whose routes are made by a hash; sets the duration of an exchange there
exchange_tree()
{
	RATE=20000000
	need liquid fabric make fat-tree k=4 routes=hash --unit-rate $RATE -o "$FABRIC"
	need liquid solve "$FABRIC" -o "$TESTDIR/schedule"
	duration=$(sed -n 's/.*"duration":\([0-9]*\).*/\1/p' "$TESTDIR/schedule" | head -n 1)
	exchange_up --switching cut-through --buffer 36000
}

exchange_down()
{
	rdma_ports_remove >"$LOG" 2>&1
	fabric_down
}

exchange_faults()
{
	echo $(($(rdma_retries) + $(fabric_sum drop_full) + $(fabric_sum drop_deadlock) +
		$(fabric_sum drop_too_big)))
}

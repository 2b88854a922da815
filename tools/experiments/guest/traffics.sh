#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The part of traffics in the guest: run patterns of Swiss-T1 over TCP with packets of 9,000 bytes.
# timeout: 3000
set -eu

. /liquid/swiss-t1-rows.sh
MTU=9000

# Set long retransmission timeouts, because a cycle takes longer than the default; an initial window
# of a message, which stays open after an idle cycle; quick acknowledgements, which bypass the
# fabric, as receivers have no outgoing links; and memory for the buffers of all sockets, because
# TCP drops packets otherwise.
tune_tcp()
{
	sysctl -qw net.ipv4.tcp_mem="200000 250000 300000"
	within tx sysctl -qw net.ipv4.tcp_slow_start_after_idle=0
	: >$work/tx
	: >$work/rx
	for n in $(seq 32); do
		echo "route replace 10.2.0.0/16 dev t$n src 10.1.0.$n metric $n" \
			"rto_min 30s initcwnd 40" >>$work/tx
		echo "route add 10.1.0.0/16 dev r$n src 10.2.0.$n metric $n" \
			"quickack 1 initrwnd 60" >>$work/rx
	done
	ip -n tx -o link | awk '$2 ~ /^t/ {
		to = $2
		gsub(/[^0-9]/, "", to)
		for (n = 1; n <= 32; n++)
			print "neigh replace 10.1.0." to " lladdr " $(NF - 2) " dev r" n
	}' >>$work/rx
	# Unlike fq_codel, pfifo does not drop packets that wait long
	for n in $(seq 32); do
		tc -n tx qdisc replace dev "t$n" root pfifo limit 10000
	done
	ip -n tx -batch $work/tx || die "routes of senders"
	ip -n rx -batch $work/rx || die "routes of receivers"
}

run_orders()
{
	run_program pairwise streams --message "$MESSAGE" --at "$(soon 0)" --cycles 1
	base=$(later 50)
	push_all "$base"
	run_program gated streams --message "$MESSAGE" --at "$base" --cycles "$CYCLES"
	detach_all
}

set_up
tune_tcp
each_pattern run_orders

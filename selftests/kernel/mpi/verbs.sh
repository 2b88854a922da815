#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The wire by RDMA of the MPI objects, over soft-RoCE and without MPI.
# modes: icount
# kernels: 6.1
# adds: verbs
# timeout: 100
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/rdma.sh
. /liquid/lib/rdma-exchange.sh
command -v verbs-wires >/dev/null ||
	skip_all "no libibverbs, libucx or Open MPI on the host (make deps)"
fabric_start
load ipv6
sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
sysctl -qw vm.percpu_pagelist_high_fraction=100000

# wires TEXT CASE...: its results, each with TEXT before it
wires()
{
	text=$1
	shift
	verbs-wires "$@" >"$TESTDIR/wires" 2>&1 || echo "not ok it ends" >>"$TESTDIR/wires"
	sed "s/^ok /&$text: /; s/^not ok /&$text: /" "$TESTDIR/wires" >"$TESTDIR/named"
	results cat "$TESTDIR/named"
}

need liquid fabric make leaf-spine leaves=2 hosts=2 spines=1 -o "$FABRIC"
RATE=200000000
exchange_up --switching cut-through --buffer 72000
for registration in call bounce cache; do
	wires "$registration" exchange $registration rh1 rh2 rh3 rh4
done
wires "remapped, call" remap call rh1 rh2
wires "remapped, cache" remap cache rh1 rh2
wires "refusal" refuse rh1 rh2
wires "late" late rh1 rh3
wires "dead" dead rh1 rh3
wires "deaf" deaf rh1 rh3
wires "1024 ranks" many 1024 rh1
wires "apart, call" apart call rh1
wires "apart, cache" apart cache rh1
exchange_down

RATE=20000000
exchange_up --switching cut-through --buffer 36000
wires "token" token rh1 rh3
wires "left" left rh1 rh3
exchange_down
fabric_finish

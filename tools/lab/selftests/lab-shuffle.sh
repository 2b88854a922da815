#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The window shuffle with real packets over the text's network, 4 switches of 4 hosts with room for
# 30 packets: a window of 9 loses some, 7 none. Times are the simulator's.
#
# A datagram of 1,434 bytes is 1,500 on the wire, 12 ms: long beside what the program takes to wake.
# modes: long
# kernels: 6.1
# adds: experiments
# timeout: 180
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
command -v shuffle >/dev/null || skip_all "no shuffle (make experiment-programs)"
PACKETS=10
[ ! -e /liquid/settings ] || . /liquid/settings
fabric_start
load af_packet
sysctl -qw vm.percpu_pagelist_high_fraction=100000

RATE=1000000
WIRE=1500
NODES='1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16'
need liquid fabric make leaf-spine leaves=4 hosts=4 spines=1 -o "$FABRIC"

# A queue that drops nothing before the fabric does. up SWITCHING
up()
{
	switching=$1
	fabric_up --rate $RATE --switching "$1" --buffer $((30 * WIRE))
	for n in $NODES; do
		need tc -n "h$n" qdisc replace dev "h$n" root pfifo limit 1000
	done
}

# predict WINDOW MAPPING CLOCK_ERROR_MS: sets sim_ns and sim_dropped
predict()
{
	liquid simulate "$FABRIC" --order shuffle-xor --window "$1" --mapping "$2" \
		--clock-error "$3ms" --seed 1 --switching "$switching" --queues fifo-speedup \
		--lanes 1 --hop-latency 0 --packet $WIRE --message $((PACKETS * WIRE)) \
		--buffer $((30 * WIRE)) --rate $RATE --json >"$LOG" 2>&1
	sim_ns=$(sed -n 's/^  "time_ns": \([0-9]*\),*$/\1/p' "$LOG")
	sim_dropped=$(sed -n 's/.*"tail": \([0-9]*\).*/\1/p' "$LOG" | head -n 1)
}

# shuffled WINDOW MAPPING CLOCK_ERROR_MS: by the simulator and by the lab; sets row, ns and dropped
shuffled()
{
	row="$switching, $2, window $1, clocks off by $3 ms"
	predict "$1" "$2" "$3"
	# shellcheck disable=SC2086 # a number a word
	check "$row: every packet arrives or is counted" shuffle xor --window "$1" --mapping "$2" \
		--clock-error "${3}000000" --switches 4 \
		--bytes $((WIRE - 66)) --packets "$PACKETS" $NODES
	ns=$(field ns "$LOG")
	dropped=$(field dropped "$LOG")
	echo "# row;$switching;$2;$1;$3;${sim_ns:-0};${sim_dropped:-0};${ns:-0};${dropped:-0}"
}

# near NAME A B: at most 5 % apart
near()
{
	off=$((($2 - $3) * 1000))
	compare "$row: the simulator's $1 within 5 %" "${off#-}" -le $(($3 * 50))
}

# Clocks that differ by up to half a packet's time decide who is next. Where all begin at the same
# instant, the microseconds that a program needs do. Which packets are lost hangs on these in any
# case, so losses are printed and not compared.
agreed()
{
	shuffled "$@" 6
	near time "${ns:-0}" "${sim_ns:-0}"
}

up packet
shuffled 9 linear 0
compare "a window of 9 loses packets" "${dropped:-0}" -gt 0
shuffled 9 contention-aware 0
shuffled 7 linear 0
compare "none with a window of 7" "${dropped:-1}" -eq 0
near time "${ns:-0}" "${sim_ns:-0}"
agreed 9 linear
agreed 9 contention-aware
fabric_down
up cut-through
agreed 9 linear
agreed 9 contention-aware
fabric_down
fabric_finish

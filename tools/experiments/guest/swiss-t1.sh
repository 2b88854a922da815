#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The part of swiss-t1 in the guest: run each pattern with sockets over liquid_lab, without and with
# gates.
# timeout: 3000
set -eu

. /liquid/swiss-t1-rows.sh

# run ORDER BASE [OPTION]...
run()
{
	order=$1
	base=$2
	shift 2
	run_program "$order" exchange --datagrams "$DATAGRAMS" --seed "$number" --at "$base" "$@"
}

run_orders()
{
	run pairwise "$(soon 0)" --cycles 1
	run random "$(soon 0)" --cycles 1
	base=$(later 20)
	push_all "$base"
	run gated "$base" --cycles "$CYCLES" --frame "$FRAME" --datagram "$DATAGRAM"
	detach_all
}

set_up
each_pattern run_orders

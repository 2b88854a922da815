#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The part of rdma in the guest: the exchanges of /liquid/rows, a line `FABRIC OPTIONS` each.
# adds: experiments
# timeout: 3000
# shellcheck disable=SC2154 # duration, share, faults: rdma-alltoall.sh
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/rdma.sh
. /liquid/lib/rdma-alltoall.sh
exchange_start

# up FABRIC[/pfifo]
up()
{
	QUEUE=${1#"${1%/*}"}
	QUEUE=${QUEUE#/}
	set -- "${1%/*}"
	if [ "$1" = fat-tree ]; then
		exchange_tree
		bytes=393216
	else
		exchange_swiss "$(grep "^$1," /liquid/patterns | cut -d, -f5 | tr ';' ',')"
		bytes=116000
	fi
}

fabric=
while read -r wanted options; do
	if [ "$wanted" != "$fabric" ]; then
		[ -z "$fabric" ] || exchange_down
		up "$wanted"
		fabric=$wanted
	fi
	# shellcheck disable=SC2086 # words
	if exchange $bytes $options; then
		ok "$fabric: $options"
	else
		not_ok "$fabric: $options"
	fi
	echo "row;$fabric;$options;$duration;$share;$faults;$(head -n 1 "$LOG")"
done </liquid/rows
exchange_down
fabric_finish

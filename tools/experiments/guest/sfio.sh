#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Figure 16 of the thesis: striped files over a crossbar, pairs of a compute rank and a listener.
#
#	tools/guest/run --kernel 6.1 --icount --memory 3000 --timeout 1200 \
#		tools/experiments/guest/sfio.sh
#
# One switch; the links of the thesis' TNET, 86 MB/s, 50 times as slow; TCP, cut-through. Each
# compute rank writes 256 KiB to each listener in units of 200 bytes and reads them, in no order and
# by tokens; and in units of 75 bytes, the smallest that the thesis calls fast, and of 64 KiB. Each
# is the median of three times; disks are in memory.
# modes: icount
# kernels: 6.1
# adds: openmpi
# timeout: 1000
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/mpi.sh
[ ! -e /liquid/no-openmpi ] || skip_all "$(cat /liquid/no-openmpi)"
fabric_start

NODES='1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16'
TASKS=1
RATE=13760000
RTO_MIN=2s
EAGER=300000
LIMIT=250
need liquid fabric make leaf-spine leaves=1 hosts=16 spines=1 -o "$FABRIC"
mpi_nodes --rate $RATE --mtu 9000 --switching cut-through --buffer 300000

# pairs N UNIT CALL ORDER: MB/s of N compute ranks that write to N listeners, and of their reads
pairs()
{
	name=
	hosts=
	for n in $(seq $((2 * $1))); do
		hosts=$hosts${hosts:+,}h$n:1
		[ "$n" -le "$1" ] || name="${name}h$n/tmp/$n;"
	done
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout $LIMIT mpirun.openmpi \
		--host "$hosts" -n $((2 * $1)) --bind-to none \
		--mca plm_rsh_agent "$TESTDIR/rsh" -x LIQUID_SFIO_LISTENERS="$1" \
		-x LIQUID_SFIO_FABRIC="$FABRIC" -x LIQUID_SFIO_ORDER="$4" \
		--mca oob_tcp_if_include $MANAGEMENT --mca pml ob1 --mca btl self,tcp \
		--mca btl_tcp_if_include $DATA --mca btl_tcp_eager_limit $EAGER \
		--mca btl_tcp_rndv_eager_limit $EAGER --mca btl_tcp_max_send_size $EAGER \
		--mca mpi_yield_when_idle 1 \
		sfio-bench "$3" "$name" "$2" $((262144 * $1)) $((262144 * $1)) 3 >"$LOG" 2>&1
	awk -v call="$3" '$1 == call { print $4, $5 }' "$LOG"
}

# ratio A B: A / B, or 0
ratio()
{
	awk -v a="${1:-0}" -v b="${2:-0}" 'BEGIN { print b ? int(a * 1000 / b) : 0 }'
}

for n in 2 4 8; do
	for order in none tokens; do
		speed=$(pairs $n 200 all $order)
		missed=$(awk '$1 == "all" { print $9 }' "$LOG")
		echo "# $n pairs, $order: ${speed:-no} MB/s written and read, of" \
			"$((n * 1720)) KB/s; $missed missed"
		[ -n "$speed" ] || sed 's/^/# /' "$LOG"
	done
	[ $n != 2 ] || two=$speed
done
compare "8 pairs write by tokens within 10 % of 4 times as fast as 2" \
	"$(ratio "${speed% *}" "${two% *}")" -ge 3600
compare "8 pairs read by tokens within 10 % of 4 times as fast as 2" \
	"$(ratio "${speed#* }" "${two#* }")" -ge 3600
small=$(pairs 3 75 single none)
large=$(pairs 3 65536 single none)
echo "# 3 pairs: units of 75 bytes $small MB/s written and read, of 64 KiB $large MB/s"
compare "units of 75 bytes are as fast as 64 KiB, within 10 %" \
	"$(ratio "${small% *}" "${large% *}")" -ge 900
mpi_down
fabric_finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Figure 16 of the thesis: striped files over a crossbar, pairs of a compute rank and a listener.
#
#	tools/guest/run --kernel 6.1 --icount --memory 3000 --timeout 1200 \
#		tools/experiments/sfio-guest.sh
#
# One switch; the links of the thesis' TNET, 86 MB/s, 50 times as slow; TCP, cut-through. Each
# compute rank writes as many bytes to each listener, in units of 200 bytes and of 64 KiB and, for
# the smallest unit that the thesis calls fast, of 75. Disks are in memory.
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
BYTES=65536
LIMIT=250
need liquid-nl fabric make leaf-spine leaves=1 hosts=16 spines=1 -o "$FABRIC"
mpi_nodes --rate $RATE --mtu 9000 --switching cut-through --buffer 300000

# pairs N UNIT: MB/s of N compute ranks that write to N listeners
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
		--mca oob_tcp_if_include $MANAGEMENT --mca pml ob1 --mca btl self,tcp \
		--mca btl_tcp_if_include $DATA --mca mpi_yield_when_idle 1 \
		sfio-bench "${3:-all}" "$name" "$2" $((262144 * $1)) $((262144 * $1)) >"$LOG" 2>&1
	awk -v call="${3:-all}" '$1 == call { print $4 }' "$LOG"
}

for n in 2 4 8; do
	speed=$(pairs $n 200)
	echo "# $n pairs: ${speed:-none} MB/s of $(awk -v n=$n 'BEGIN { print n * 1.72 }')"
	[ -n "$speed" ] || sed 's/^/# /' "$LOG"
	[ $n != 2 ] || two=$speed
done
compare "8 pairs are four times as fast as 2, within 10 %" "$(awk -v a="${two:-0}" \
	-v b="${speed:-0}" 'BEGIN { print (a && b / a > 3.6 && b / a < 4.4) ? "yes" : "no" }')" = yes
small=$(pairs 3 75 single)
large=$(pairs 3 65536 single)
echo "# 3 pairs: units of 75 bytes $small MB/s, of 64 KiB $large MB/s"
compare "units of 75 bytes are as fast as those of 64 KiB, within 10 %" "$(awk -v a="${small:-0}" \
	-v b="${large:-0}" 'BEGIN { print (b && a / b > 0.9) ? "yes" : "no" }')" = yes
fabric_down
fabric_finish

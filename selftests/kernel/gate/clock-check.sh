#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl clock on a kernel whose clock is set, not set, synchronised, stepped.
# runs: 6.1-normal 6.12-icount 5.10-icount newest-icount 6.1-rt-icount
# timeout: 60
set -u

. /liquid/lib/guest.sh

# says NAME CODE TEXT ARG...
says()
{
	name=$1 code=$2 text=$3
	shift 3
	liquid-nl clock "$@" >"$LOG" 2>&1
	status=$?
	echo "liquid-nl clock $* ended with $status" >>"$LOG"
	if [ $status = "$code" ] && grep -qF -- "$text" "$LOG"; then
		ok "$name"
	else
		not_ok "$name"
	fi
}

echo "TAP version 13"
trap 'rm -rf "$TESTDIR"' EXIT
MARK="${0##*/} $$"
echo "liquid-test: $MARK" >/dev/kmsg
need clockset tai 0
need clockset sync 20
says "a TAI offset of 0 is fit for gates" 0 "fit for gates"
says "if all nodes have it, as a note says" 0 "a job gates if all of its nodes have 0"
says "in JSON too" 0 '"note": "the kernel' --json
need clockset tai 37
says "with a TAI offset and synchronised, the clock is fit for gates" 0 "fit for gates"
says "JSON has the offset" 0 '"tai_offset": 37' --json
# The bound grows by 500 ppm: in the seconds that this takes it stays far below 100 ms.
says "an error within the bound" 0 "fit for gates" --max-error 100ms
says "an error beyond it" 1 "may be off by" --max-error 1us
need clockset step 1
says "a step makes it unsynchronised" 1 "STA_UNSYNC"
says "after a step the error is that of a clock that is not kept" 1 "error at most 16" \
	--max-error 1s
need clockset step -1
need clockset sync 20
says "synchronised again" 0 "fit for gates"
finish

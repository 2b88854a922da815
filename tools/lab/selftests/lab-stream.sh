#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A stream of UDP over several ways bears links that fail, with as much redundancy as predicted;
# over one way it does not.
# modes: icount
# kernels: 5.10 6.1 6.1-rt newest 6.1-debug
# adds: experiments
# timeout: 200
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/stream.sh
stream_start

NAME="one way"
stream_ways 1 1
stream_fabric
stream_send 150 1 20 3 overlap
compare "$NAME: one of its links fails: all is lost meanwhile" "$(stream_value undecoded)" -gt 20
compare "$NAME: though nothing else is" "$(stream_value others)" = 0

NAME="two layers"
stream_ways 2 16
stream_fabric
stream_send 600 1 30 1 alone
compare "$NAME: packets were lost" "$(stream_value lost)" -gt 1000
compare "$NAME: every block is decoded whose ways are not all cut" "$(stream_value others)" = 0
compare "$NAME: most are" "$(stream_value decoded)" -gt 590
ratio=$(stream_value ratio)
compare "$NAME: extra packets are within a tenth of D P ROR" \
	"$(awk -v ratio="$ratio" 'BEGIN { print (ratio > .9 && ratio < 1.1) }')" = 1
fabric_finish

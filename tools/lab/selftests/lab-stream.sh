#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A stream of UDP over several ways bears links that fail, with as much redundancy as predicted; over
# one way it does not.
# modes: icount
# adds: experiments
# timeout: 200
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/stream.sh
stream_start

NAME="one way"
stream_ways 1 1
stream_fabric
stream_send 150 1 20 3
compare "$NAME: one of its links fails: all is lost meanwhile" "$(stream_value undecoded)" -gt 20
compare "$NAME: though nothing else is" "$(stream_value others)" = 0

NAME="two layers"
stream_ways 2 16
stream_fabric
stream_send 700 1 20 1
compare "$NAME: packets were lost" "$(stream_value lost)" -gt 1000
compare "$NAME: every block is decoded whose ways are not all cut" "$(stream_value others)" = 0
compare "$NAME: most are" "$(stream_value decoded)" -gt 650
ratio=$(stream_value ratio)
compare "$NAME: extra packets are within a quarter of D P ROR (bar of the experiment: a tenth)" \
	"$(awk -v ratio="$ratio" 'BEGIN { print (ratio > .75 && ratio < 1.25) }')" = 1
fabric_finish

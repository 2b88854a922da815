#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The part of stream in the guest: the streams of /liquid/rows. A line is `NAME LAYERS PATHS BLOCKS
# FAILURES FAIL_BLOCKS SEED HOW`.
# adds: experiments
# timeout: 10000
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/stream.sh
stream_start

# commands of a stream must not read the rows
while read -r NAME layers paths blocks times fail_blocks seed how <&3; do
	stream_ways "$layers" "$paths"
	stream_fabric
	stream_send "$blocks" "$times" "$fail_blocks" "$seed" "$how"
	stream_row "$NAME" "$layers" "$blocks" "$times" "$fail_blocks" "$seed" "$how"
done 3</liquid/rows
fabric_finish

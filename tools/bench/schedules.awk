# SPDX-License-Identifier: GPL-2.0-only
# Write the schedules and the address map of the bench for `count` destinations into `dir`. The
# schedule "later" begins with `idle` frames in which this node does not send.

function frames(rest, file,    i)
{
	printf "{\"format\":\"liquid-schedule\",\"version\":1,\"fabric\":\"bench\"," >file
	printf "\"fabric_digest\":\"%s\",\"traffic_digest\":\"%s\",", zeros, zeros >file
	printf "\"method\":\"bench\",\"seed\":0,\"work\":0,\"unit_bytes\":null," >file
	printf "\"link_rate_bps\":10000000000,\"transfers\":%d,", count + rest >file
	printf "\"duration\":%d,\"fluid_bound\":%d,", count, count >file
	printf "\"length\":%d,\"lower_bound\":%d,", count + rest, count >file
	printf "\"certificate\":\"gap\",\"witness\":null,\n\"frames\":[" >file
	for (i = 0; i < rest; i++)
		printf "[[\"other\",\"d0\"]],\n" >file
	for (i = 0; i < count; i++)
		printf "[[\"s\",\"d%d\"]]%s\n", i, i + 1 < count ? "," : "]}" >file
	close(file)
}

BEGIN {
	zeros = sprintf("%064d", 0)
	frames(0, dir "/own-" count ".json")
	frames(idle, dir "/later-" count ".json")
	map = dir "/" count ".map"
	for (i = 0; i < count; i++)
		printf "d%d 10.9.%d.%d%s\n", i, int(i / 256), i % 256, i ? "" : " fd00::9" >map
	close(map)
}

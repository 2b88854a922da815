# SPDX-License-Identifier: GPL-2.0-only
# What the simulator of an exchange by rdma-alltoall has to know: bytes on the wire, and the time of
# tokens. Shared by its test in the guest and its experiment on the host.
# shellcheck shell=dash

RDMA_MTU=4096

# Bytes that the wire adds to a packet. Its own headers are Ethernet 14, IP 20, UDP 8, BTH 12, ICRC
# 4, and 24 of the lab's wire. Besides it has a share of what a message needs: RETH (16) in the
# first packet of each write, the flag (a word of 8 bytes is 106 on the wire), acknowledgements (86,
# with AETH) of writes, of the flag, and of every 64th packet, and tokens, which are words.
# rdma_overhead tree|swiss WRITES TOKENS MESSAGES BYTES; words and acknowledgements of others go
# beside the links of swiss
rdma_overhead()
{
	awk -v kind="$1" -v writes="$2" -v tokens="$3" -v messages="$4" -v bytes="$5" \
		-v mtu=$RDMA_MTU 'BEGIN {
			more = writes * 16 + 106
			if (kind == "tree")
				more += (writes + 2) * 86 + tokens / messages * (106 + 86)
			printf "%.0f\n", 82 + more / (bytes / mtu)
		}'
}

# Options of liquid simulate for the time of tokens, of which TOKEN_US is the mean, LEAST_US the
# least. A token is on its way as long as an acknowledgement of data and a word, and rdma-alltoall
# measures a word and its acknowledgement. Each link adds up to a packet's time: the least is the
# latency, the rest a random delay, as far above the mean as below.
rdma_token_options()
{
	echo --token-latency "$2us" --jitter "uniform:$((2 * ($1 - $2)))us"
}

# The share of the liquid throughput in the JSON of liquid simulate on stdin
rdma_share()
{
	sed -n 's/.*"of_liquid": *\([0-9.]*\).*/\1/p'
}

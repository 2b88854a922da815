#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What liquid-lab and its module refuse: a text that says what to do, and nothing has changed.
# kernels: 5.10 6.1 6.1-rt newest 6.1-debug
# modes: icount
# timeout: 120
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
fabric_start
load dummy
need ip link add lqtaken type dummy
fabric_file a,b s1 <<'END'
link a s1
link s1 b
  to b
END

# says NAME TEXT COMMAND...: it fails, and says the text
says()
{
	name=$1
	text=$2
	shift 2
	"$@" >"$LOG" 2>&1
	status=$?
	if [ $status != 0 ] && grep -qF -- "$text" "$LOG"; then
		ok "$name"
	else
		echo "it ended with $status and should say: $text" >>"$LOG"
		not_ok "$name"
	fi
}

refuse "up: a file that is not a fabric" liquid-lab up /dev/null --rate 1M
says "up: a rate is needed" "--rate" liquid-lab up "$FABRIC"
while IFS='|' read -r text options; do
	# shellcheck disable=SC2086 # a word each
	says "up: $options" "$text" liquid-lab up "$FABRIC" --rate 1M $options
done <<'END'
rate out of range: use 1 Mbit/s to 400 Gbit/s (RATE_BPS)|--rate 999999
rate out of range: use 1 Mbit/s to 400 Gbit/s (RATE_BPS)|--rate 400000000001
overhead out of range: use 0 to 1024 bytes|--overhead 1025
hop latency out of range: use 0 to 1 s|--hop-latency 1000000001ns
worm out of range: use 1 to 1073741824 bytes|--worm 1073741825
buffer out of range: use 1 to 1073741824 bytes|--buffer 1073741825
ring out of range: use 1 to 65536 packets|--ring 65537
number of TX queues out of range: use 1 to 64|--tx-queues 65
MTU out of range: use 68 to 65535|--mtu 67
MTU out of range: use 68 to 65535|--mtu 65536
virtual output queues go with cut-through (SWITCH_QUEUES)|--queues voq
expected fifo-speedup, voq or fifo (the number of TX queues is --tx-queues), got '2'|--queues 2
no host 'x' in fabric lab|--ports a,x
host 'a' is named twice|--ports a,b,a
is not a valid interface name|--ports a=abcdefghijklmnop,b
a port's interface name is in use in its namespace: use another|--ports a=lqa,b=lqtaken
a port's interface name is in use in its namespace: use another|--ports a=lqa,b=lqa
too few addresses for 2 ports|--netns --addr 10.9.0.0/31
END
compare "what was refused made no device" "$(ip -o link show | grep -c ': lqa')" = 0
compare "no namespace" "$(ip netns list | wc -l)" = 0
compare "and no fabric" "$(liquid-lab stats | wc -l)" = 0

need liquid-lab up "$FABRIC" --rate 1M --ports a=lqa,b=lqb
says "up: a fabric's name that is in use" "the name is in use by a fabric" \
	liquid-lab up "$FABRIC" --rate 1M --ports a=lqc,b=lqd
says "down: no fabric of this name" "no fabric of this name in this network namespace" \
	liquid-lab down other
refuse "ip link cannot make a port" ip link add lq9 type liquid_lab
refuse "a port's Ethernet address is fixed" ip link set dev lqa address 02:00:00:00:00:01
check "a port's MTU may be 65535" ip link set dev lqa mtu 65535
refuse "a port's MTU may not be 65536" ip link set dev lqa mtu 65536

# as_nobody COMMAND...: without privilege reading is allowed, writing is not
as_nobody()
{
	setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}
check "a user without privilege may read" as_nobody liquid-lab stats
says "a user without privilege may not remove" "" as_nobody liquid-lab down
says "nor take links down" "" as_nobody liquid-lab link down 'a>s1'
says "nor change routes" "" as_nobody liquid-lab reroute "$FABRIC"
compare "no link is down after what was refused" \
	"$(liquid-lab stats --json | grep -c '"down": 1')" = 0
need ip netns add lqother
compare "another namespace does not see the fabric" "$(in-ns lqother liquid-lab stats | wc -l)" = 0
check "down removes the fabric" liquid-lab down
compare "and all ports" "$(ip -o link show | grep -c ': lq[ab]')" = 0
need ip link del lqtaken
fabric_finish

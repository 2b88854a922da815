#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A gate on devices whose driver is called under a lock of the device (since 6.15; since 7.2 the
# rate of a link is read under it too). The core holds that lock when it calls a qdisc and when it
# announces that a link is up: code that takes the lock again waits for itself, with RTNL held.
#
# Debian's newest kernel has the lock: its dummy device uses it, and so do the lab's ports. Older
# kernels have no such lock, and pass.
# runs: 6.1-icount 6.12-normal 5.10-icount newest-icount
# timeout: 120
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
fabric_start
load dummy ipv6 af_packet

# A command that needs RTNL does not end any more, so nothing can be cleaned up.
hung()
{
	cat "/proc/$pid/stack" >"$LOG" 2>&1
	not_ok "$1: it hangs"
	echo "1..$count"
	trap - EXIT
	exit 1
}

# returns NAME STATUS WORDS COMMAND...: it ends within 10 s with exit code STATUS and prints WORDS
returns()
{
	name=$1
	status=$2
	words=$3
	shift 3
	background "$LOG" "$@"
	await gone || hung "$name"
	wait "$pid"
	found=$?
	if [ $found = "$status" ] && { [ -z "$words" ] || grep -q -e "$words" "$LOG"; }; then
		ok "$name"
	else
		echo "exit code $found" >>"$LOG"
		not_ok "$name"
	fi
}

# A zombie has ended too.
gone()
{
	! grep -q '^State:[[:space:]]*[^Z]' "/proc/$pid/status" 2>/dev/null
}

need ip link add lqdummy type dummy
need ip link set lqdummy up
returns "a gate without a rate on a device that has none is refused" 2 "set a rate" \
	tc qdisc add dev lqdummy root liquid
returns "a gate is attached with a rate" 0 "" wire add lqdummy rate_bps=1000000
returns "a change by the qdisc's options" 0 "" wire change lqdummy horizon_ms=800
echo "set | gate-set gate{horizon_ms=700} | ok" >"$TESTDIR/set"
echo "unset | gate-set gate{rate_bps=0} | EOPNOTSUPP | set a rate" >"$TESTDIR/unset"
returns "a change by netlink" 0 "^ok" sh -c "wire script lqdummy <$TESTDIR/set"
returns "a change by netlink that asks the device for its rate" 0 "^ok" \
	sh -c "wire script lqdummy <$TESTDIR/unset"
returns "the device goes down" 0 "" ip link set lqdummy down
returns "the device goes up" 0 "" ip link set lqdummy up
returns "the gate is detached" 0 "" wire del lqdummy
returns "the device is deleted with a gate" 0 "" \
	sh -c "wire add lqdummy rate_bps=1000000 && ip link del lqdummy"

# A port knows its rate. It is read when a gate is attached, on request, and when the link comes up.
cables a:s1 b:s1 | fabric_file a,b s1
fabric_up --rate 100M
port()
{
	in-ns a wire get a "$1"
}
in_a()
{
	returns "$1" 0 "$2" in-ns a sh -c "$3"
}
in_a "a gate without a rate on a port" "" "tc qdisc add dev a root liquid"
compare "a gate without a rate has the port's" "$(port state.link_rate_bps)" = 100000000
echo "set | gate-set gate{rate_bps=2000000} | ok" >"$TESTDIR/set"
echo "unset | gate-set gate{rate_bps=0} | ok" >"$TESTDIR/unset"
in_a "a gate on a port is given a rate" "^ok" "wire script a <$TESTDIR/set"
compare "a gate on a port has the rate that it was given" "$(port state.link_rate_bps)" = 2000000
in_a "a gate is told to use the port's rate" "^ok" "wire script a <$TESTDIR/unset"
compare "a gate has the port's rate again" "$(port state.link_rate_bps)" = 100000000
in_a "a port with a gate goes down" "" "ip link set dev a down"
in_a "a port with a gate goes up" "" "ip link set dev a up"
compare "a gate has the port's rate after the link came up" \
	"$(port state.link_rate_bps)" = 100000000
check "packets pass the gate of a port" \
	blast udp --bytes 5000 --rate 500000 a@10.9.0.1 -- b@10.9.0.2
returns "a namespace with a port and its gate is deleted" 0 "" ip netns del a
fabric_down
fabric_finish

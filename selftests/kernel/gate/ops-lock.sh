#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A gate on devices whose driver is called under a lock of the device (since 6.15; from 7.2 on the
# rate of a link is read under it too). The core holds that lock when it calls a qdisc and when it
# tells of a link that is up: who takes it once more waits for himself, with RTNL held.
#
# Of Debian's kernels the newest has it: its dummy device asks for the lock, and so do the fabric's
# ports. The older ones have no such lock, and pass.
# runs: 6.1-icount 6.12-normal 5.10-icount newest-icount
# timeout: 120
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
fabric_start
load dummy ipv6 af_packet

# Nothing that needs RTNL ends any more, so that nothing can be tidied up either.
hung()
{
	cat "/proc/$pid/stack" >"$LOG" 2>&1
	not_ok "$1: it hangs"
	echo "1..$count"
	trap - EXIT
	exit 1
}

# returns NAME STATUS WORDS COMMAND...: within 10 s, with that exit code and those words
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
returns "the device goes with a gate" 0 "" \
	sh -c "wire add lqdummy rate_bps=1000000 && ip link del lqdummy"

# A port knows its rate: it is read when a gate is attached, on request, and when a link comes up.
fabric_file a,b s1 <<'END'
link a s1
link s1 a
  to a
link b s1
link s1 b
  to b
END
fabric_up --rate 100M
port()
{
	ip netns exec a wire get a "$1"
}
in_a()
{
	returns "$1" 0 "$2" ip netns exec a sh -c "$3"
}
in_a "a gate without a rate on a port" "" "tc qdisc add dev a root liquid"
compare "has the port's" "$(port state.link_rate_bps)" = 100000000
echo "set | gate-set gate{rate_bps=2000000} | ok" >"$TESTDIR/set"
echo "unset | gate-set gate{rate_bps=0} | ok" >"$TESTDIR/unset"
in_a "it is given another" "^ok" "wire script a <$TESTDIR/set"
compare "has that" "$(port state.link_rate_bps)" = 2000000
in_a "is told to ask the port" "^ok" "wire script a <$TESTDIR/unset"
compare "has the port's again" "$(port state.link_rate_bps)" = 100000000
in_a "the port goes down" "" "ip link set dev a down"
in_a "and up, with a gate that asks for its rate" "" "ip link set dev a up"
compare "has the port's still" "$(port state.link_rate_bps)" = 100000000
check "packets pass" blast udp --bytes 5000 --rate 500000 a@10.9.0.1 -- b@10.9.0.2
returns "the namespace goes with port and gate" 0 "" ip netns del a
fabric_down
fabric_finish

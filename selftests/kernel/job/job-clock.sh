#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A prologue that root calls and another user goes on with: the clock that a real ptp4l keeps is
# judged by what ptp4l says, which it tells root alone, and `clock refuse` lets the job be gated.
#
# timeout: 60
# kernels: 6.1
# adds: munge
# modes: icount
set -u

. /liquid/lib/guest.sh
. /liquid/lib/job.sh
PATH=$PATH:/usr/sbin
for program in ptp4l munged; do
	command -v $program >/dev/null || skip_all "$program is missing on the host (make deps)"
done

KEEPER=nobody
stop()
{
	for process in $ptp $pids; do
		kill "$process" 2>/dev/null
	done
	ip link del lqclk0 2>/dev/null
	rm -rf "$TESTDIR"
}

conf()
{
	cat <<-END
	fabric $TESTDIR/fabric
	addresses $TESTDIR/addresses
	agree first
	store $TESTDIR/shared/store
	munge-socket $TESTDIR/munge/socket
	user $KEEPER
	device lqclk0
	frame-time 1ms
	link-rate 10G
	deadline 5s
	lead 1s
	clock refuse
	clock-error 5us
	traffic exchange alltoall
	END
}

# gates JOB: both of its nodes do
gates()
{
	for node in h1 h2; do
		liquid-nl job ready "$1" --node $node --nodes h1,h2 --traffic exchange \
			--dry-run --config "$TESTDIR/conf" >"$TESTDIR/$1.$node" 2>&1 &
		waiting="$waiting $!"
	done
	# shellcheck disable=SC2086
	wait $waiting
	waiting=
	cat "$TESTDIR/$1".h*
	for node in h1 h2; do
		liquid-nl job end "$1" --node $node --dry-run --config "$TESTDIR/conf"
	done
	[ "$(cat "$TESTDIR/$1".h* | grep -c ' gates by schedule ')" = 2 ]
}
none_gates()
{
	! gates "$1" && grep -q "$2" "$TESTDIR/$1".h*
}
waiting=
ptp=

echo "TAP version 13"
trap stop EXIT
MARK="${0##*/} $$"
echo "liquid-test: $MARK" >/dev/kmsg
load veth
need ip link add lqclk0 type veth peer name lqclk1
need ip link set lqclk0 up
need ip link set lqclk1 up
chmod 755 / "$TESTDIR"
mkdir -m 1777 "$TESTDIR/shared"
chmod 1777 "$TESTDIR/shared"
liquid fabric make leaf-spine leaves=1 hosts=2 spines=1 -o "$TESTDIR/fabric"
printf 'h1 10.0.0.1\nh2 10.0.0.2\n' >"$TESTDIR/addresses"
conf >"$TESTDIR/conf"
printf '127.0.0.1 %s\n' h1 h2 >/etc/hosts
need ip link set lo up
start_munge
need clockset tai 37
need clockset sync 20
# By then the kernel's own bound is far beyond what is allowed.
sleep 2
check "without ptp4l the kernel's bound is all there is: refused" none_gates bare \
	"the clock may be off by"

mkdir -p /var/run
printf '%s\n' "[global]" "time_stamping software" "free_running 1" "network_transport L2" \
	"logAnnounceInterval -2" >"$TESTDIR/ptp.conf"
ptp4l -f "$TESTDIR/ptp.conf" -i lqclk0 -m >"$TESTDIR/ptp.log" 2>&1 &
ptp=$!
await grep -q "grand master role" "$TESTDIR/ptp.log"
# Whatever the umask is here
need chmod 660 /var/run/ptp4l
check "ptp4l keeps the clock" sh -c "liquid-nl clock --max-error 5us"
check "as liquid-nl doctor finds, which becomes that user too" sh -c \
	"liquid-nl doctor --node h1 --config $TESTDIR/conf | grep '^ok  *clock  .*ptp4l'"
check "its socket is root's alone" \
	sh -c "! setpriv --reuid 65534 --regid 65534 --clear-groups liquid-nl clock --max-error 5us"
check "a prologue that becomes another user asks it all the same: gated" gates asked
check "the records are those of the user that the prologue became" \
	sh -c "[ \"\$(stat -c %u $TESTDIR/shared/store/h1/rounds/asked-1/go.json)\" = 65534 ]"
kill -STOP "$ptp"
check "one that does not answer is none" none_gates hung "the clock may be off by"
kill -CONT "$ptp"
kill "$ptp"
wait "$ptp"
ptp=
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Packets leave only in frames of their destination, whatever they are recognised by.
# runs: 6.1-icount 6.12-icount 5.10-icount newest-icount 6.1-rt-icount
# timeout: 120
# cross: i386 s390x
. /liquid/lib/guest.sh
start
make_pair
add_ipv6
make_gate

# run NAME DESTS "BLAST ARGUMENTS": three destinations and an idle frame in turn; the gap of a
# frame between them shows what leaks
FRAME=$((4 * SCALE * MS))
GUARD=$((FRAME / 20))
run()
{
	what=$1
	dests=$2
	shift 2
	in_ns lqa wire del lqva 2>/dev/null
	make_gate
	set_dests "$dests"
	need push +$((20 * MS)) "frame_ns=$FRAME guard_ns=$GUARD frames=4" "" 1:0 1:1 1:2 1:-
	sleep 0.1
	plan "$TESTDIR/plan"
	tap_start "$TESTDIR/cap" 60 lqa:lqva
	check "$what: every datagram arrives, once, in order" blast udp "$@"
	tap_stop
	judge_capture "$what: all of them in their frames" "$TESTDIR/cap" --plan 0 "$TESTDIR/plan"
}

keys()
{
	for id in 0 1 2; do
		printf ' dest{id=%s key{%s=%s}}' $id "$1" "$2$((id + 2))"
	done
}

V4="lqa@10.0.0.1 -- lqb@10.0.0.2 lqb@10.0.0.3 lqb@10.0.0.4"
V6="lqa@fd00::1 -- lqb@fd00::2 lqb@fd00::3 lqb@fd00::4"
# 3 x 100 packets of 1,066 bytes on the wire: some ten cycles
run "IPv4 addresses" "$(keys ipv4 10.0.0.)" --bytes 100000 $V4
sed "s/base_time [0-9]*/base_time $(($(gate oper.base_time) + FRAME))/" \
	"$TESTDIR/plan" >"$TESTDIR/shifted"
refuse "the judge knows a schedule that was not kept to" judge "$TESTDIR/cap" --slack $SLACK \
	--plan 0 "$TESTDIR/shifted"
compare "they fill the frames from the start: the first release is prompt" \
	"$(field earliest "$TESTDIR/verdict")" -lt $((SLACK + 300000))
used=$(gate stats.frames_used)
compare "the gate counted frames that were used" "$used" -ge 3
# Elsewhere the host may stop the processor between the gate and the driver.
[ $SCALE != 1 ] || compare "no packet was late" "$(gate stats.late)" = 0
compare "no queue is left with packets" "$(gate state.qlen)" = 0
# All of one reading: a control packet may leave between two.
# shellcheck disable=SC2046 # three numbers
set -- $(gate stats.packets stats.unsched_packets stats.control_packets)
compare "what it counts is what was captured" $(($1 - $2 - $3)) = \
	"$(field scheduled "$TESTDIR/verdict")"
run "IPv6 addresses" "$(keys ipv6 fd00::)" --bytes 50000 $V6
# The Ethernet address of all three is the same; only destination 1 knows it.
run "Ethernet addresses" "dest{id=0 key{ipv4=10.9.9.9}}
	dest{id=2 key{ipv4=10.9.9.8}}
	dest{id=1 key{ether=020000000002}}" --bytes 50000 $V4
run "several keys of one destination" \
	"dest{id=0 key{ipv4=10.0.0.2} key{ipv4=10.0.0.3}}
	dest{id=2 key{ipv4=10.0.0.4} key{ipv6=fd00::4}}
	dest{id=1 key{ipv4=10.8.8.8}}" \
	--bytes 50000 $V4
run "datagrams of 1,472 bytes" "$(keys ipv4 10.0.0.)" --bytes 100000 --size 1472 $V4
run "datagrams of 20 bytes" "$(keys ipv4 10.0.0.)" --bytes 10000 --size 20 $V4
# A host with three addresses here: IP takes a datagram for lost when more than ipfrag_max_dist
# others of the same sender have come before its last fragment, and a frame may end between the two.
in_ns lqb sysctl -q -w net.ipv4.ipfrag_max_dist=0
run "datagrams that IP fragments" "$(keys ipv4 10.0.0.)" --bytes 100000 --size 4000 $V4

# TCP: acknowledgements come the other way, ungated there. Its packets are cut into segments behind
# the gate, up to 30 in a frame, which takes a 32-bit kernel 3 us each: the guard is for that.
case ${LIQUID_KERNEL:-} in
*-i386) SLACK=$((100 * 1000)) ;;
esac
in_ns lqa wire del lqva
make_gate
make_dests 3
need push +$((20 * MS)) "frame_ns=$FRAME guard_ns=$GUARD frames=4" "" 1:0 1:1 1:2 1:-
sleep 0.1
plan "$TESTDIR/plan"
tap_start "$TESTDIR/cap" 60 lqa:lqva
check "TCP: every byte arrives" blast tcp --bytes 200000 $V4
tap_stop
judge_capture "TCP: every segment with payload in its frames" "$TESTDIR/cap" --plan 0 \
	"$TESTDIR/plan"
compare "TCP: connections were opened past the gate" "$(gate stats.control_packets)" -ge 3

# VLAN: the address is behind the tag.
load 8021q
if ip -n lqa link add link lqva name lqva.7 type vlan id 7 2>/dev/null; then
	need ip -n lqb link add link lqvb name lqvb.7 type vlan id 7
	need ip -n lqa addr add 10.7.0.1/24 dev lqva.7
	need ip -n lqb addr add 10.7.0.2/24 dev lqvb.7
	need ip -n lqa link set lqva.7 up
	need ip -n lqb link set lqvb.7 up
	in_ns lqa ethtool -K lqva txvlan off >/dev/null 2>&1
	need ip -n lqa neigh replace 10.7.0.2 lladdr 02:00:00:00:00:02 dev lqva.7
	need ip -n lqb neigh replace 10.7.0.1 lladdr 02:00:00:00:00:01 dev lqvb.7
	run "behind a VLAN tag" "dest{id=0 key{ipv4=10.8.8.8}}
		dest{id=1 key{ipv4=10.7.0.2}}
		dest{id=2 key{ipv4=10.8.8.9}}" --bytes 50000 lqa@10.7.0.1 -- lqb@10.7.0.2
else
	skip "behind a VLAN tag" "no 8021q"
fi
finish

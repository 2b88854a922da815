#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A gate on a device of IPoIB's shape keeps its frames, charges what InfiniBand adds, and says that
# RDMA passes it.
# modes: icount
# timeout: 120
. /liquid/lib/guest.sh
start
[ -e /liquid/ipoib_like.ko ] || skip_all "there is no ipoib_like.ko for this kernel"
make_pair
need insmod /liquid/ipoib_like.ko
need ip link set lqib0 netns lqa
need in_ns lqa ip addr add 10.5.0.1/24 dev lqib0
need in_ns lqa ip link set lqib0 up
for host in 2 3 4; do
	need in_ns lqa ip neigh replace 10.5.0.$host dev lqib0 lladdr \
		80:00:00:0$host:fe:80:00:00:00:00:00:00:00:02:c9:03:00:00:00:0$host
done

in_ns lqa liquid-nl attach lqib0 --rate 10M >"$TESTDIR/said" 2>&1
check "attach says that RDMA passes it" grep -q "note: the gate holds IPoIB alone" "$TESTDIR/said"
compare "and so does the gate" "$(in_ns lqa wire get lqib0 state.leaks)" = 16
in_ns lqa liquid-nl show lqib0 >"$TESTDIR/said"
check "and show" grep -q "^  leak   RDMA through the same port" "$TESTDIR/said"
compare "it charges the headers of InfiniBand" "$(in_ns lqa wire get lqib0 gate.overhead)" = 14
compare "and no least size" "$(in_ns lqa wire get lqib0 gate.mpu)" = 0

DEV=lqib0
cat >"$TESTDIR/dests" <<'END'
dests | dest-set dests{dest{id=0 key{ipv4=10.5.0.2}} dest{id=1 key{ipv4=10.5.0.3}}} | ok
END
need in_ns lqa wire script $DEV <"$TESTDIR/dests"
# A packet is 1,466 bytes on the wire: at 10 Mbit/s a frame of 5 ms has room for four.
FRAME=$((5 * MS))
base=$(($(now) + 400 * MS))
cat >"$TESTDIR/schedule" <<END
begin | begin sched{frame_ns=$FRAME guard_ns=$((FRAME / 50)) frames=3} | ok
entries | entries entries{entry{run=1 dest=0} entry{run=1 dest=1} entry{run=1}} | ok
commit | commit base_time=$base | ok
END
need in_ns lqa wire script $DEV <"$TESTDIR/schedule"
clockset until $((base + MS))
need in_ns lqa sh -c "wire plan $DEV >$TESTDIR/plan"
tap_start "$TESTDIR/capture" 60 lqa:$DEV
need blast udp --send-only --linger 1 --limit 4 --size 1400 --bytes 42000 --sndbuf 4000000 \
	lqa@10.5.0.1 -- lqb@10.5.0.2 lqb@10.5.0.3
waits()
{
	[ "$(in_ns lqa wire get $DEV state.qlen)" = 0 ]
}
await waits
tap_stop
judge_capture "all are in frames of their destination" "$TESTDIR/capture" --plan 0 "$TESTDIR/plan"
compare "all have left" "$(field scheduled "$TESTDIR/verdict")" = 60
need in_ns lqa liquid-nl detach $DEV
check "the device goes" rmmod ipoib_like
finish

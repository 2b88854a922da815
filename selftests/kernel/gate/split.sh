#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# trap 10: what receive offload has chained together (rx-gro-list) is split without losing a packet.
#
# The first of such a chain is one of its own segments. A third namespace sends through lqa, whose
# receiving device chains what comes at once; its gate's frames take a part of such a chain. A veth
# of 5.10 chains nothing (it has GRO without XDP since 5.13).
# modes: icount
# kernels: 6.1 6.12 newest 6.1-debug
# timeout: 60
. /liquid/lib/guest.sh
start
make_pair
need ip netns add lqc
need ip link add lqcv numtxqueues 1 numrxqueues 1 netns lqc type veth \
	peer name lqca numtxqueues 1 numrxqueues 1 netns lqa
need in_ns lqa ethtool -K lqca gro on rx-gro-list on
need in_ns lqc ethtool -K lqcv tso off gso off
need ip -n lqc link set lqcv address 02:00:00:00:00:03
need ip -n lqa link set lqca address 02:00:00:00:00:04
need ip -n lqc link set lo up
need ip -n lqc link set lqcv up
need ip -n lqa link set lqca up
need ip -n lqc addr add 10.1.0.1/24 dev lqcv
need ip -n lqa addr add 10.1.0.2/24 dev lqca
need ip -n lqc neigh replace 10.1.0.2 lladdr 02:00:00:00:00:04 dev lqcv
need ip -n lqc route add 10.0.0.0/24 via 10.1.0.2
need ip -n lqb route add 10.1.0.0/24 via 10.0.0.1
need in_ns lqa sysctl -q -w net.ipv4.ip_forward=1

# The sender's own gate lets go at once what has waited for its frame: packets that can be chained.
need in_ns lqc wire add lqcv rate_bps=10000000000 overhead=24
FRAME=$((200 * MS))
burst=$(($(now) + 10 * MS))
cat >"$TESTDIR/burst" <<END
dests | dest-set dests{dest{id=0 key{ipv4=10.0.0.2}}} | ok
begin | begin sched{frame_ns=$FRAME frames=2} | ok
entries | entries entries{entry{run=1 dest=0} entry{run=1}} | ok
commit | commit base_time=$burst | ok
END
need in_ns lqc sh -c "wire script lqcv <$TESTDIR/burst"
make_gate
make_dests 1
# 2 ms carry 25,000 bytes, and a chain has some 60,000.
need push +$MS "frame_ns=2000000 guard_ns=50000 frames=2" "" 1:0 1:-
# In the sender's idle frame
clockset until $(((($(now) - burst) / (2 * FRAME) + 1) * 2 * FRAME + burst + FRAME + 10 * MS))
check "trap 10: every datagram of the chains arrives, once, in order" blast udp --bytes 500000 \
	--sndbuf 4000000 lqc@10.1.0.1 -- lqb@10.0.0.2
sed 's/^/# /' "$LOG"
compare "there were chains to split" "$(gate stats.splits)" -gt 3
compare "at least as many packets left as came" "$(in_ns lqa wire dest lqva 0 stats.packets)" \
	-ge 400
compare "no packet was lost in splitting" \
	"$(($(gate stats.drop_split) + $(gate stats.drop_limit)))" = 0
compare "no queue holds packets" "$(gate state.qlen)" = 0
compare "no bytes are left in the backlog after splitting" "$(gate state.backlog)" = 0
compare "after splits tc shows an empty backlog" "$(in_ns lqa tc -s qdisc show dev lqva |
	sed -n 's/^ backlog \(.*\) requeues.*/\1/p')" = "0b 0p"
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# No choice of options and schedule shuts packets in for good: it is refused, or they leave.
# kernels: 5.10 6.1 6.1-rt newest 6.1-debug
# modes: icount
# timeout: 60
. /liquid/lib/guest.sh
start
make_pair

# Without a reserve, unscheduled packets have idle frames alone, as with policy idle.
make_gate
make_dests 1
table lqa lqva <<END
share without a reserve | gate-set gate{policy=0 reserve=0} | ok
a schedule without idle frames | begin sched{frame_ns=1000000 frames=1} | ok
its only frame | entries entries{entry{run=1 dest=0}} | ok
it would starve the rest of the node | commit base_time=+1000000 | EINVAL | \
	no idle frame for unscheduled packets: add one or change the policy
with a reserve | gate-set gate{reserve=1} | ok
the same schedule is taken | commit base_time=+1000000 | ok
the reserve cannot go while it waits | gate-set gate{reserve=0} | EBUSY | \
	a schedule has no idle frame: clear it or use another policy
END
sleep 0.05
table lqa lqva <<END
nor while it is in force | gate-set gate{reserve=0} | EBUSY | \
	a schedule has no idle frame: clear it or use another policy
END
compare "the reserve is what it was" "$(gate gate.reserve)" = 1

# After the last cycle of a schedule that holds, the node's own traffic goes on.
for options in "policy=1" "policy=0 reserve=0" "policy=0"; do
	in_ns lqa wire del lqva
	# shellcheck disable=SC2086
	make_gate $options
	make_dests 1
	need push +$((20 * MS)) "frame_ns=1000000 frames=2 cycles=1 then=1" "" 1:0 1:-
	sleep 0.05
	compare "$options: the gate holds" "$(gate state.mode)" = 2
	check "$options: unscheduled datagrams arrive nevertheless" blast udp --bytes 20000 \
		--limit 10 \
		lqa@10.0.0.1 -- lqb@10.0.0.9
	in_ns lqa pkt lqva --dst 10.0.0.2 udp
	sleep 0.05
	compare "$options: scheduled ones wait" "$(gate state.qlen)" = 1
done

# Control packets that wait when the bypass is taken away leave as unscheduled ones.
in_ns lqa wire del lqva
make_gate control=1
make_dests 1
need push +$MS "frame_ns=1000000 frames=2" "" 1:0 1:-
sleep 0.05
in_ns lqa pkt lqva --dst 10.0.0.2 --count 500 roce-ack
compare "control packets wait for their budget" "$(gate state.control_qlen)" -gt 100
table lqa lqva <<'END'
the bypass is taken away | gate-set gate{control=0} | ok
END
compare "no control packet is left in its queue" "$(gate state.control_qlen)" = 0
sleep 0.5
compare "control packets leave although the bypass is taken away" "$(gate state.qlen)" = 0
compare "no packet is lost when the bypass is taken away" "$(gate stats.packets)" = 500
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl job with real gates: four nodes in namespaces on a bridge. All of them gate by the same
# schedule from the same time, or none has one; the end clears; nothing is left.
# adds: munge
# runs: 6.12-icount
# timeout: 600
set -u

. /liquid/lib/guest.sh
. /liquid/lib/job.sh

start
clockset sync 20
make_cluster
need liquid fabric make leaf-spine leaves=2 hosts=2 spines=1 -o "$TESTDIR/fabric"
need liquid fabric make leaf-spine leaves=2 hosts=2 spines=2 -o "$TESTDIR/other"
conf "$TESTDIR/fabric" >"$TESTDIR/conf"

job all 1 2 3 4
all_done
check "all ready: all say that they gate" said 4
compare "and what TCP needs" \
	"$(cat "$TESTDIR/all".* | grep -c 'TCP on the routes to them: initcwnd [1-9]')" = 4
compare "all have a schedule" "$(gated)" = 4
compare "of one base time" "$(bases | wc -l)" = 1
await in_force 1 || await in_force 1
check "it comes into force" sh -c "in-ns lqn1 liquid-nl show lqv | grep '^lqv: gated'"
check "for this job, as its label says" sh -c \
	"in-ns lqn1 liquid-nl show lqv | grep '^         for job=all round=all-1$'"
check "and traffic passes" in_ns lqn1 ping -c 2 -i 0.2 -W 2 10.9.0.4
# Between exchanges
need in_ns lqn1 liquid-nl gate off lqv
check "gate off: nothing waits for a frame" sh -c \
	"in-ns lqn1 liquid-nl show lqv | grep 'policy always'"
waits=$(in_ns lqn1 liquid-nl stats lqv | sed -n 's/^  waits: //p')
in_ns lqn1 ping -c 5 -i 0.2 -W 2 10.9.0.3 >"$LOG" 2>&1
compare "packets pass without a wait" \
	"$(in_ns lqn1 liquid-nl stats lqv | sed -n 's/^  waits: //p')" = "$waits"
need in_ns lqn1 liquid-nl gate on lqv
check "gate on: as it was" sh -c "in-ns lqn1 liquid-nl show lqv | grep 'policy share'"
# New routes: all swap
before=$(bases)
need liquid-nl job reroute all --fabric "$TESTDIR/other" --config "$TESTDIR/conf"
# One reading decides: between two of them a node may get the schedule that waits for its base time.
swapped()
{
	bases >"$TESTDIR/bases"
	[ "$(wc -l <"$TESTDIR/bases")" = 1 ] && [ "$(cat "$TESTDIR/bases")" != "$before" ]
}
await swapped || await swapped || await swapped
compare "reroute: all nodes have the new schedule of one base time" \
	"$(wc -l <"$TESTDIR/bases") $(grep -cx "$before" "$TESTDIR/bases")" = "1 0"
compare "and none is left out" "$(gated)" = 4
end all
# What the gates have counted, of both rounds
need liquid-nl job report all --config "$TESTDIR/conf" --html "$TESTDIR/page.html"
report()
{
	liquid-nl job report all --config "$TESTDIR/conf" --json
}
compare "its report: two rounds with samples of all gates" \
	"$(report | grep -c '"counted": 4,')" = 2
check "the packets that have passed are in it" sh -c "liquid-nl job report all \
	--config $TESTDIR/conf | grep -E '^  throughput  [1-9][0-9.]* k?B.* of the liquid'"
check "and the error of the clock" sh -c "liquid-nl job report all \
	--config $TESTDIR/conf | grep '^  clock  .* on h'"
check "the page has a picture of the waits" grep ' each</title></rect>' "$TESTDIR/page.html"

# What a job gates is what liquid.conf says. A gate that the job before has left off is on again.
need in_ns lqn1 liquid-nl gate off lqv
job again 1 2 3 4
all_done
check "a gate that was left off: on with the next job" sh -c \
	"in-ns lqn1 liquid-nl show lqv | grep 'select all'"
check "with its policy" sh -c "in-ns lqn1 liquid-nl show lqv | grep 'policy share'"
end again
cp "$TESTDIR/conf" "$TESTDIR/all-conf"
conf "$TESTDIR/fabric" "select dscp=43" "policy always" >"$TESTDIR/conf"
job dscp 1 2 3 4
all_done
check "a selector in liquid.conf: all ready" said 4
for n in $NODES; do
	check "node $n: its gate has it" \
		sh -c "in-ns lqn$n liquid-nl show lqv | grep 'select dscp=43'"
done
check "and the policy" sh -c "in-ns lqn1 liquid-nl show lqv | grep 'policy always'"
need in_ns lqn1 liquid-nl gate off lqv --config "$TESTDIR/conf"
check "gate off: nothing is selected" sh -c \
	"in-ns lqn1 liquid-nl show lqv | grep 'select mark=0xffffffff/0xffffffff'"
before=$(bases)
need liquid-nl job reroute dscp --fabric "$TESTDIR/other" --config "$TESTDIR/conf"
await swapped || await swapped || await swapped
compare "rerouted meanwhile: it has the new schedule" \
	"$(wc -l <"$TESTDIR/bases") $(grep -cx "$before" "$TESTDIR/bases")" = "1 0"
check "and stays off" sh -c \
	"in-ns lqn1 liquid-nl show lqv | grep 'select mark=0xffffffff/0xffffffff'"
need in_ns lqn1 liquid-nl gate on lqv --config "$TESTDIR/conf"
check "gate on: by DSCP again" sh -c "in-ns lqn1 liquid-nl show lqv | grep 'select dscp=43'"
end dscp
for n in $NODES; do
	need in_ns lqn$n liquid-nl set lqv --select tcp=5000 --policy always
done
cp "$TESTDIR/all-conf" "$TESTDIR/conf"
job kept 1 2 3 4
all_done
check "none in liquid.conf: the gate keeps its own" sh -c \
	"in-ns lqn1 liquid-nl show lqv | grep 'select tcp=5000'"
end kept
for n in $NODES; do
	need in_ns lqn$n liquid-nl set lqv --select all --policy share
done

job missing 1 2 3
all_done
compare "one is missing: none has a schedule" "$(gated)" = 0
end missing

# Ready, then killed: its staged schedule is gone with it, and the others clear what they commit.
job killed 1 2 3
prepared killed-1
kill -KILL "$(process_of killed 1)"
node killed 4
all_done 2>/dev/null
compare "one is killed after it was ready: none has a schedule" "$(gated)" = 0
end killed

# Committed, then killed, while another has not committed.
job late 1 2
prepared late-1
stopped=$(worker_of late 2)
killed=$(worker_of late 1)
kill -STOP "$stopped"
node late 3
node late 4
await committed 1
kill -KILL "$killed"
await test -e "$TESTDIR/store/rounds/late-1/go.json"
check "one is killed after it has committed: another process cancels for it" \
	grep "the process that had committed was killed" "$TESTDIR/store/rounds/late-1/go.json"
kill -CONT "$stopped"
all_done 2>/dev/null
await sh -c "! in-ns lqn1 liquid-nl show lqv | grep -qE '^  (oper|admin) '"
compare "and none has a schedule" "$(gated)" = 0
end late

# One node's gate is taken away before it can stage.
need in_ns lqn3 liquid-nl detach lqv
job detached 1 2 3 4
all_done
compare "one has no gate: none has a schedule" "$(gated)" = 0
need in_ns lqn3 liquid-nl attach lqv --rate 1G
end detached 2>/dev/null

need clockset tai 0
job clock 1 2 3 4
all_done
compare "all kernels have a TAI - UTC offset of 0: all have a schedule" "$(gated)" = 4
compare "of one base time" "$(bases | wc -l)" = 1
end clock
conf "$TESTDIR/fabric" "tai-offset 37" >"$TESTDIR/other-conf"
job stated 1 2 3
node stated 4 "$TESTDIR/other-conf"
all_done
cp "$LOG" "$TESTDIR/said"
check "liquid.conf of one states 37: that node refuses" \
	grep "TAI - UTC offset is 0 s, and .tai-offset. of .* is 37 s" "$TESTDIR/said"
compare "and none has a schedule" "$(gated)" = 0
need clockset tai 37
end stated
finish

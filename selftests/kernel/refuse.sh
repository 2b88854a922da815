#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every refusal: the right error, a text that says what to do, and nothing changed.
# timeout: 120
. /liquid/lib.sh
start
make_pair
make_gate
make_dests 3
gate | grep '^gate\.' >"$TESTDIR/before"

table lqa lqva <<'END'
# who and where
no device named | gate-get ifindex | EINVAL
a device that does not exist | gate-get ifindex=9999 | ENODEV
a device without a gate | gate-get ifindex=1 | ENOENT
an unknown command | command-99 | EOPNOTSUPP |
an unknown attribute | gate-get @99:00000000 | EINVAL
a nest without its flag | gate-set @2:0400010000000000 | EINVAL
a text where a number belongs | begin sched{@1:313233 frames=1} | ERANGE
trap 13: an attribute of another command | begin sched{frame_ns=1000000 frames=1} which=0 | EINVAL

# the gate's options
trap 13: a rate of 0 where the device knows its own | gate-set gate{rate_bps=0} | ok
a rate below the least | gate-set gate{rate_bps=999} | ERANGE
a rate above the most | gate-set gate{rate_bps=10000000000001} | ERANGE
an overhead below the least | gate-set gate{overhead=-65} | ERANGE
an overhead above the most | gate-set gate{overhead=1025} | ERANGE
an mpu above the most | gate-set gate{mpu=65536} | ERANGE
an ahead above the most | gate-set gate{ahead_ns=10000001} | ERANGE
an unknown policy | gate-set gate{policy=4} | ERANGE
a reserve above the whole | gate-set gate{reserve=1001} | ERANGE
a control budget above the whole | gate-set gate{control=1001} | ERANGE
an unknown selector | gate-set gate{select=2} | ERANGE
match_mark of 2 | gate-set gate{match_mark=2} | ERANGE
a limit of no packets | gate-set gate{limit_packets=0} | ERANGE
an empty rule | gate-set gate{bypass{rule{}}} | EINVAL
a rule with both | gate-set gate{bypass{rule{ethertype=1 l4proto=17}}} | EINVAL
ports that run backwards | gate-set gate{bypass{rule{l4proto=17 port_min=5 port_max=4}}} | EINVAL
ports of a protocol without | gate-set gate{bypass{rule{l4proto=1 port_min=5}}} | EINVAL
a range without its start | gate-set gate{bypass{rule{l4proto=17 port_max=5}}} | EINVAL
one rule too many | gate-set gate{bypass{rule*17{ethertype=35020}}} | E2BIG
an unknown option | gate-set gate{@77:00} | EINVAL
an option of the wrong size | gate-set gate{@1:0102} | ERANGE
trap 05: a good option beside a bad one | gate-set gate{horizon_ms=77 policy=9} | ERANGE
trap 05: the same through the qdisc | change horizon_ms=77 policy=9 | ERANGE

# destinations
trap 16: an id above the table | dest-set dests{dest{id=65536 key{kind=0 value=10.0.1.1}}} | ERANGE
trap 16: the largest id of all | dest-set dests{dest{id=4294967295 key{kind=0 value=10.0.1.1}}} | ERANGE
a destination without an id | dest-set dests{dest{key{kind=0 value=10.0.1.1}}} | EINVAL
a destination without a key | dest-set dests{dest{id=5}} | EINVAL
one key too many | dest-set dests{dest{id=5 key*9{kind=0 value=10.0.1.1}}} | E2BIG
an unknown kind of key | dest-set dests{dest{id=5 key{kind=4 value=10.0.1.1}}} | ERANGE
a key without its kind | dest-set dests{dest{id=5 key{value=10.0.1.1}}} | EINVAL
a key without its value | dest-set dests{dest{id=5 key{kind=0}}} | EINVAL
an IPv4 address of 3 bytes | dest-set dests{dest{id=5 key{kind=0 value=0a0001}}} | EINVAL
an IPv4 address of 5 bytes | dest-set dests{dest{id=5 key{kind=0 value=0a00010101}}} | EINVAL
an IPv6 address of 4 bytes | dest-set dests{dest{id=5 key{kind=1 value=0a000101}}} | EINVAL
an Ethernet address of 16 bytes | dest-set dests{dest{id=5 key{kind=2 value=fd00::1}}} | EINVAL
a key of 60 bytes | dest-set dests{dest{id=5 key{kind=0 value=000102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f000102030405060708090a0b}}} | ERANGE
a key that another has | dest-set dests{dest{id=5 key{kind=0 value=10.0.0.2}}} | EEXIST
a key twice in one request | dest-set dests{dest{id=5 key{kind=0 value=10.0.1.1}} dest{id=6 key{kind=0 value=10.0.1.1}}} | EEXIST
an id twice in one request | dest-set dests{dest{id=5 key{kind=0 value=10.0.1.1}} dest{id=5 key{kind=0 value=10.0.1.2}}} | EINVAL
all or none: a good one before a bad one | dest-set dests{dest{id=5 key{kind=0 value=10.0.1.1}} dest{id=65536 key{kind=0 value=10.0.1.2}}} | ERANGE
no destinations at all | dest-set | EINVAL
deleting one that is not there | dest-del dests{dest{id=7}} | ENOENT
all or none: deleting a good one before a bad one | dest-del dests{dest{id=1} dest{id=7}} | ENOENT

# opening a transaction
no schedule described | begin | EINVAL
no frame time | begin sched{frames=1} | EINVAL
no count of frames | begin sched{frame_ns=1000000} | EINVAL
trap 01: frames of 9,999 ns | begin sched{frame_ns=9999 frames=1} | ERANGE
trap 01: frames of 0 ns | begin sched{frame_ns=0 frames=1} | ERANGE
trap 01: frames of 100 ns | begin sched{frame_ns=100 frames=4} | ERANGE
trap 15: frames of 10 s and 1 ns | begin sched{frame_ns=10000000001 frames=1} | ERANGE
trap 15: frames of 2^64 - 1 ns | begin sched{frame_ns=18446744073709551615 frames=1} | ERANGE
no frames | begin sched{frame_ns=1000000 frames=0} | ERANGE
one frame too many | begin sched{frame_ns=1000000 frames=1048577} | ERANGE
2^32 - 1 frames | begin sched{frame_ns=1000000 frames=4294967295} | ERANGE
a guard as long as the frame | begin sched{frame_ns=1000000 guard_ns=1000000 frames=1} | EINVAL
a guard longer than that | begin sched{frame_ns=1000000 guard_ns=18446744073709551615 frames=1} | EINVAL
an unknown end | begin sched{frame_ns=1000000 frames=1 then=2} | ERANGE
what is read only | begin sched{frame_ns=1000000 frames=1 idle_frames=1} | EINVAL

# without a transaction
entries without one | entries entries{entry{run=1}} | ENOENT
a commit without one | commit base_time=1 | ENOENT
an end without one | abort | ENOENT

# entries
open | begin sched{frame_ns=1000000 frames=4} | ok
no entries | entries | EINVAL
an entry without a run | entries entries{entry{dest=1}} | EINVAL
a run of 0 | entries entries{entry{run=0 dest=1}} | ERANGE
a run that is longer than the cycle | entries entries{entry{run=5 dest=1}} | EINVAL
runs that are together longer | entries entries{entry{run=3 dest=1} entry{run=2 dest=1}} | EINVAL
trap 15: runs whose sum overflows | entries entries{entry{run=4294967295 dest=1} entry{run=5 dest=1}} | ERANGE
two destinations in a frame | entries entries{entry{run=1 dest=1 dest=2}} | E2BIG
trap 16: a destination above the table | entries entries{entry{run=1 dest=65536}} | ERANGE
an unknown attribute in an entry | entries entries{entry{run=1 @9:00}} | EINVAL

# commit
a cycle that is not filled | commit base_time=+1000000000 | EINVAL
fill a part | entries entries{entry{run=2 dest=1}} | ok
a cycle that is half filled | commit base_time=+1000000000 | EINVAL
fill the rest | entries entries{entry{run=1} entry{run=1 dest=9}} | ok
trap 16: a destination that is not in the table | commit base_time=+1000000000 | ENOENT
no base time | commit | EINVAL
a base time before the epoch | commit base_time=-1 | ERANGE
trap 03: another TAI offset | commit base_time=+1000000000 tai_offset=0 | EINVAL | TAI
the transaction is still open: the table is mended | dest-set dests{dest{id=9 key{kind=0 value=10.0.1.9}}} | ok
a base time at the end of time | commit base_time=9223372036854775807 | EINVAL
then it is committed | commit base_time=+3000000000 tai_offset=37 | ok
a second one that waits | begin sched{frame_ns=1000000 frames=1} | ok
its entries | entries entries{entry{run=1 dest=2}} | ok
overlapping commits | commit base_time=+2000000000 | EBUSY
a destination that a waiting schedule names | dest-del dests{dest{id=9}} | EBUSY
all of them | dest-del | EBUSY
replacing is said in so many words | commit base_time=+2000000000 replace | ok
now 9 is free | dest-del dests{dest{id=9}} | ok
and 2 is not | dest-del dests{dest{id=2}} | EBUSY

# ends
a finite one | begin sched{frame_ns=1000000 frames=2 cycles=2} | ok
its entries | entries entries{entry{run=1 dest=0} entry{run=1}} | ok
a schedule that is over | commit base_time=1000 replace | EINVAL
trap 15: more cycles than time | begin sched{frame_ns=10000000000 frames=1 cycles=18446744073709551615} | ok
its entries too | entries entries{entry{run=1 dest=0}} | ok
trap 15: they end after the end of time | commit base_time=+1000000000 replace | EINVAL
policy idle | gate-set gate{policy=1} | ok
a schedule without idle frames | begin sched{frame_ns=1000000 frames=1} | ok
its only frame | entries entries{entry{run=1 dest=0}} | ok
policy idle starves the rest of such a schedule | commit base_time=+1000000000 replace | EINVAL | idle
policy share again | gate-set gate{policy=0} | ok
END

compare "nothing was dropped or added by what was refused" "$(in_ns lqa wire count lqva | cut -d' ' -f1)" = 3
table lqa lqva <<'END'
the rate again | gate-set gate{rate_bps=100000000} | ok
END
gate | grep '^gate\.' >"$TESTDIR/after"
check "trap 05: no option changed by what was refused" cmp "$TESTDIR/before" "$TESTDIR/after"
compare "the schedule that waits is the one that was accepted" "$(gate admin.frames)" = 1
table lqa lqva <<'END'
clear drops what waits | clear | ok
END
refuse "nothing waits any more" gate admin.frames

# No privilege: reading is free, writing is not.
table lqa lqva <<'END'
a transaction to come upon | begin sched{frame_ns=1000000 frames=1} | ok
END
check "a user without privilege reads" in_ns lqa wire as 65534 get lqva gate.rate_bps
for request in "gate-set gate{reserve=1}" "dest-set dests{dest{id=8 key{kind=0 value=10.0.8.8}}}" \
	"dest-del" "begin sched{frame_ns=1000000 frames=1}" "entries entries{entry{run=1}}" \
	"commit base_time=1" "abort" "clear"; do
	echo "without privilege: ${request%% *} | $request | EPERM |" >"$TESTDIR/request"
	in_ns lqa wire as 65534 script lqva <"$TESTDIR/request" >"$LOG" 2>&1
	compare "without privilege: ${request%% *}" $? = 0
done

# Another namespace does not see the gate, whatever number it gives.
index=$(in_ns lqa cat /sys/class/net/lqva/ifindex)
in_ns lqb wire get "$index" gate.rate_bps >"$LOG" 2>&1
compare "another namespace does not see the gate" $? -ne 0
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every refusal: the right error, a text that says what to do, and nothing changed.
# modes: icount
# timeout: 120
. /liquid/lib/guest.sh
start
make_pair
make_gate
make_dests 3
gate | grep '^gate\.' >"$TESTDIR/before"

table lqa lqva <<'END'
# who and where
no device named | gate-get ifindex | EINVAL
a device that does not exist | gate-get ifindex=9999 | ENODEV | no such device in this network namespace
a device without a gate | gate-get ifindex=1 | EOPNOTSUPP | the device has no gate: attach one first
an unknown command | command-99 | EOPNOTSUPP |
an unknown attribute | gate-get @99:00000000 | EINVAL
a nest without its flag | gate-set @2:0400010000000000 | EINVAL
a text where a number belongs | begin sched{@1:313233 frames=1} | EINVAL
trap 13: an attribute of another command | begin sched{frame_ns=1000000 frames=1} which=0 | EINVAL

# the gate's options
trap 13: a rate of 0 where the device knows its own | gate-set gate{rate_bps=0} | ok
a rate below the least | gate-set gate{rate_bps=999} | ERANGE | rate out of range: use 1 kbit/s to 10 Tbit/s, or 0 for the device's
a rate above the most | gate-set gate{rate_bps=10000000000001} | ERANGE | rate out of range: use 1 kbit/s to 10 Tbit/s, or 0 for the device's
an overhead below the least | gate-set gate{overhead=-65} | ERANGE | overhead out of range: use -64 to 1024 bytes
an overhead above the most | gate-set gate{overhead=1025} | ERANGE | overhead out of range: use -64 to 1024 bytes
an mpu above the most | gate-set gate{mpu=65536} | ERANGE | mpu out of range: use 0 to 65535 bytes
an ahead above the most | gate-set gate{ahead_ns=10000001} | ERANGE | ahead out of range: use 0 to 10 ms
an unknown policy | gate-set gate{policy=4} | ERANGE | unknown policy: use share, idle, always or drop
a reserve above the whole | gate-set gate{reserve=1001} | ERANGE | reserve out of range: use 0 to 1000 permille
a control budget above the whole | gate-set gate{control=1001} | ERANGE | control out of range: use 0 to 1000 permille
an unknown selector | gate-set gate{select=4} | ERANGE | unknown selector: use all, mark, dscp or rule
a DSCP out of range | gate-set gate{select=2 select_dscp=64} | ERANGE | @20 DSCP out of range: use 0 to 63
a selector by rule without one | gate-set gate{select=3} | EINVAL | @15 the rule selector has no rule: add SELECT_RULE
a selector whose rule is none | gate-set gate{select=3 select_rule{port_min=1}} | EINVAL | @21 rule needs either ETHERTYPE or L4PROTO
a selector whose rule names no protocol | gate-set gate{select=3 select_rule{l4proto=0}} | EINVAL | @21 rule with L4PROTO does not take protocol 0
a selector by ports without a protocol that has them | gate-set gate{select=3 select_rule{l4proto=58 port_min=1}} | EINVAL | @21 rule with ports needs TCP, UDP or SCTP
a selector by an unknown part of a rule | gate-set gate{select=3 select_rule{@9:00}} | EINVAL
a selector by two rules in one | gate-set gate{select=3 select_rule{l4proto=6 ethertype=2054}} | EINVAL | rule needs either ETHERTYPE or L4PROTO
a DSCP of two bytes | gate-set gate{@20:0000} | EINVAL
a rule of the bypass for protocol 0 | gate-set gate{bypass{rule{l4proto=0}}} | EINVAL | rule with L4PROTO does not take protocol 0
a mark outside of its mask | gate-set gate{select=1 select_mark=5 select_mask=3} | EINVAL | @16 the mark has bits outside its mask
a mark, and then another mask | gate-set gate{select_mark=5} | ok
that it lies outside of | gate-set gate{select=1 select_mask=3} | EINVAL | @17 the mark has bits outside its mask
a mask, and then a selector | gate-set gate{select_mask=3} | ok
that wants the mark in it | gate-set gate{select=1} | EINVAL | @15 the mark has bits outside its mask
as it was | gate-set gate{select_mark=0 select_mask=4294967295} | ok
match_mark of 2 | gate-set gate{match_mark=2} | ERANGE | match-mark out of range: use 0 or 1
a limit of no packets | gate-set gate{limit_packets=0} | ERANGE | packet limit is 0: use at least 1
an empty rule | gate-set gate{bypass{rule{}}} | EINVAL | rule needs either ETHERTYPE or L4PROTO
a rule with both | gate-set gate{bypass{rule{ethertype=1 l4proto=17}}} | EINVAL | rule needs either ETHERTYPE or L4PROTO
ports that run backwards | gate-set gate{bypass{rule{l4proto=17 port_min=5 port_max=4}}} | ERANGE | ports out of range: use 1 <= PORT_MIN <= PORT_MAX
ports of a protocol without | gate-set gate{bypass{rule{l4proto=1 port_min=5}}} | EINVAL | rule with ports needs TCP, UDP or SCTP
a range without its start | gate-set gate{bypass{rule{l4proto=17 port_max=5}}} | EINVAL | rule with PORT_MAX needs PORT_MIN
one rule too many | gate-set gate{bypass{rule*17{ethertype=35020}}} | E2BIG | too many rules: 16 at most
an unknown option | gate-set gate{@77:00} | EINVAL
an option of the wrong size | gate-set gate{@1:0102} | EINVAL
trap 05: a good option beside a bad one | gate-set gate{horizon_ms=77 policy=9} | ERANGE | unknown policy: use share, idle, always or drop
trap 05: the same through the qdisc | change horizon_ms=77 policy=9 | ERANGE | unknown policy: use share, idle, always or drop

# destinations
trap 16: an id above the table | dest-set dests{dest{id=65536 key{kind=0 value=10.0.1.1}}} | ERANGE | destination ID out of range: use 0 to 65535
trap 16: the largest id of all | dest-set dests{dest{id=4294967295 key{kind=0 value=10.0.1.1}}} | ERANGE | destination ID out of range: use 0 to 65535
a destination without an id | dest-set dests{dest{key{kind=0 value=10.0.1.1}}} | EINVAL | destination without ID: add one
a destination without a key | dest-set dests{dest{id=5}} | EINVAL | a destination needs 1 to 8 keys
one key too many | dest-set dests{dest{id=5 key*9{kind=0 value=10.0.1.1}}} | EINVAL | a destination needs 1 to 8 keys
an unknown kind of key | dest-set dests{dest{id=5 key{kind=4 value=10.0.1.1}}} | EINVAL | unknown key kind: use IPv4, IPv6, Ethernet or mark
a key without its kind | dest-set dests{dest{id=5 key{value=10.0.1.1}}} | EINVAL | key needs KIND and VALUE
a key without its value | dest-set dests{dest{id=5 key{kind=0}}} | EINVAL | key needs KIND and VALUE
an IPv4 address of 3 bytes | dest-set dests{dest{id=5 key{kind=0 value=0a0001}}} | EINVAL | wrong VALUE length for this KIND: use 4 (IPv4, mark), 16 (IPv6), 6 (Ethernet) bytes
an IPv4 address of 5 bytes | dest-set dests{dest{id=5 key{kind=0 value=0a00010101}}} | EINVAL | wrong VALUE length for this KIND: use 4 (IPv4, mark), 16 (IPv6), 6 (Ethernet) bytes
an IPv6 address of 4 bytes | dest-set dests{dest{id=5 key{kind=1 value=0a000101}}} | EINVAL | wrong VALUE length for this KIND: use 4 (IPv4, mark), 16 (IPv6), 6 (Ethernet) bytes
an Ethernet address of 16 bytes | dest-set dests{dest{id=5 key{kind=2 value=fd00::1}}} | EINVAL | wrong VALUE length for this KIND: use 4 (IPv4, mark), 16 (IPv6), 6 (Ethernet) bytes
a key of 60 bytes | dest-set dests{dest{id=5 key{kind=0 value=000102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f000102030405060708090a0b}}} | ERANGE
a key that another has | dest-set dests{dest{id=5 key{kind=0 value=10.0.0.2}}} | EEXIST | key is in use: each key belongs to one destination
a key twice in one request | dest-set dests{dest{id=5 key{kind=0 value=10.0.1.1}} dest{id=6 key{kind=0 value=10.0.1.1}}} | EEXIST | key is in use: each key belongs to one destination
an id twice in one request | dest-set dests{dest{id=5 key{kind=0 value=10.0.1.1}} dest{id=5 key{kind=0 value=10.0.1.2}}} | EINVAL | duplicate destination ID: name each destination once
all or none: a good one before a bad one | dest-set dests{dest{id=5 key{kind=0 value=10.0.1.1}} dest{id=65536 key{kind=0 value=10.0.1.2}}} | ERANGE | destination ID out of range: use 0 to 65535
no destinations at all | dest-set | EINVAL | DESTS is missing: name a destination
deleting one that is not there | dest-del dests{dest{id=7}} | ENOENT | no such destination
deleting by a key | dest-del dests{dest{id=1 key{kind=0 value=10.0.0.3}}} | EINVAL | destinations are removed by ID: leave out the keys
all or none: deleting a good one before a bad one | dest-del dests{dest{id=1} dest{id=7}} | ENOENT | no such destination

# opening a transaction
no schedule described | begin | EINVAL | SCHED is missing: give FRAME_NS and FRAMES
no frame time | begin sched{frames=1} | EINVAL | a schedule needs FRAME_NS and FRAMES
no count of frames | begin sched{frame_ns=1000000} | EINVAL | a schedule needs FRAME_NS and FRAMES
trap 01: frames of 9,999 ns | begin sched{frame_ns=9999 frames=1} | ERANGE | frame length out of range: use 10 us to 10 s
trap 01: frames of 0 ns | begin sched{frame_ns=0 frames=1} | ERANGE | frame length out of range: use 10 us to 10 s
trap 01: frames of 100 ns | begin sched{frame_ns=100 frames=4} | ERANGE | frame length out of range: use 10 us to 10 s
frames of 10 us, by the machine's administrator | begin sched{frame_ns=10000 frames=1} | ok
and no more of them | abort | ok
trap 15: frames of 10 s and 1 ns | begin sched{frame_ns=10000000001 frames=1} | ERANGE | frame length out of range: use 10 us to 10 s
trap 15: frames of 2^64 - 1 ns | begin sched{frame_ns=18446744073709551615 frames=1} | ERANGE | frame length out of range: use 10 us to 10 s
no frames | begin sched{frame_ns=1000000 frames=0} | ERANGE | number of frames out of range: use 1 to 1048576
one frame too many | begin sched{frame_ns=1000000 frames=1048577} | ERANGE | number of frames out of range: use 1 to 1048576
2^32 - 1 frames | begin sched{frame_ns=1000000 frames=4294967295} | ERANGE | number of frames out of range: use 1 to 1048576
a guard as long as the frame | begin sched{frame_ns=1000000 guard_ns=1000000 frames=1} | ERANGE | the guard is as long as the frame: use a shorter guard
a guard longer than that | begin sched{frame_ns=1000000 guard_ns=18446744073709551615 frames=1} | ERANGE | the guard is as long as the frame: use a shorter guard
an unknown end | begin sched{frame_ns=1000000 frames=1 then=2} | EINVAL | unknown THEN: use open or hold
what is read only | begin sched{frame_ns=1000000 frames=1 idle_frames=1} | EINVAL | attribute is read only: leave it out

# without a transaction
entries without one | entries entries{entry{run=1}} | ENOENT | no transaction is open on this socket: begin one first
a commit without one | commit base_time=1 | ENOENT | no transaction is open on this socket: begin one first
an end without one | abort | ENOENT | no transaction is open on this socket: begin one first

# entries
open | begin sched{frame_ns=1000000 frames=4} | ok
no entries | entries | EINVAL | ENTRIES is missing: give frames
an entry without a run | entries entries{entry{dest=1}} | EINVAL | entry needs a RUN of at least one frame
a run of 0 | entries entries{entry{run=0 dest=1}} | EINVAL | entry needs a RUN of at least one frame
a run that is longer than the cycle | entries entries{entry{run=5 dest=1}} | EINVAL | more frames than the transaction's FRAMES
runs that are together longer | entries entries{entry{run=3 dest=1} entry{run=2 dest=1}} | EINVAL | more frames than the transaction's FRAMES
trap 15: runs whose sum overflows | entries entries{entry{run=4294967295 dest=1} entry{run=5 dest=1}} | EINVAL | more frames than the transaction's FRAMES
two destinations in a frame | entries entries{entry{run=1 dest=1 dest=2}} | EINVAL | a frame has at most one destination
trap 16: a destination above the table | entries entries{entry{run=1 dest=65536}} | ERANGE | destination ID out of range: use 0 to 65535
an unknown attribute in an entry | entries entries{entry{run=1 @9:00}} | EINVAL

# commit
a cycle that is not filled | commit base_time=+1000000000 | EINVAL | fewer frames than the transaction's FRAMES: send the rest
fill a part | entries entries{entry{run=2 dest=1}} | ok
a cycle that is half filled | commit base_time=+1000000000 | EINVAL | fewer frames than the transaction's FRAMES: send the rest
fill the rest | entries entries{entry{run=1} entry{run=1 dest=9}} | ok
trap 16: a destination that is not in the table | commit base_time=+1000000000 | ENOENT | the schedule names an unknown destination: add it first
no base time | commit | EINVAL | BASE_TIME is missing: give ns of CLOCK_TAI
trap 03: another TAI offset | commit base_time=+1000000000 tai_offset=0 | EINVAL | TAI
the transaction is still open: the table is mended | dest-set dests{dest{id=9 key{kind=0 value=10.0.1.9}}} | ok
a base time at the end of time | commit base_time=9223372036854775807 | ERANGE | the schedule's end does not fit in 63 bits: use an earlier base time
a base time before the epoch | commit base_time=-1 | ERANGE | base time before 1970: use ns of CLOCK_TAI
then it is committed | commit base_time=+3000000000 tai_offset=37 | ok
a second one that waits | begin sched{frame_ns=1000000 frames=1} | ok
its entries | entries entries{entry{run=1 dest=2}} | ok
overlapping commits | commit base_time=+2000000000 | EBUSY | a schedule is already waiting: replace it or clear the gate
a destination that a waiting schedule names | dest-del dests{dest{id=9}} | EBUSY | a schedule uses the destination: clear or replace the schedule first
all of them | dest-del | EBUSY | a schedule uses destinations: clear the schedule first
replacing is said in so many words | commit base_time=+2000000000 replace | ok
now 9 is free | dest-del dests{dest{id=9}} | ok
and 2 is not | dest-del dests{dest{id=2}} | EBUSY | a schedule uses the destination: clear or replace the schedule first

# ends
a finite one | begin sched{frame_ns=1000000 frames=2 cycles=2} | ok
its entries | entries entries{entry{run=1 dest=0} entry{run=1}} | ok
a schedule that is over | commit base_time=1000 replace | ERANGE | the schedule's last cycle is over: use a later base time
trap 15: more cycles than there is time | begin sched{frame_ns=10000000000 frames=1 cycles=18446744073709551615} | ERANGE | too many cycles: the end does not fit in 63 bits; use 0 for no end
policy idle while a schedule has no idle frame | gate-set gate{policy=1} | EBUSY
clear | clear | ok
now policy idle | gate-set gate{policy=1} | ok
a schedule without idle frames | begin sched{frame_ns=1000000 frames=1} | ok
its only frame | entries entries{entry{run=1 dest=0}} | ok
policy idle starves the rest of such a schedule | commit base_time=+1000000000 | EINVAL
policy share again | gate-set gate{policy=0} | ok
with it the same schedule is taken | commit base_time=+10000000000 | ok
END

compare "nothing was dropped or added by what was refused" \
	"$(in_ns lqa wire count lqva | cut -d' ' -f1)" = 3
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

# Who is root in a namespace alone may not have the machine interrupted at any rate.
load dummy
cat >"$TESTDIR/own" <<'END'
root of a namespace: frames of 99,999 ns | begin sched{frame_ns=99999 frames=1} | EPERM | @1 frames below 100 us need CAP_NET_ADMIN on the machine
root of a namespace: frames of 10 us | begin sched{frame_ns=10000 frames=1} | EPERM | @1 frames below 100 us need CAP_NET_ADMIN on the machine
root of a namespace: frames of 100 us | begin sched{frame_ns=100000 frames=1} | ok
END
results as_nobody wire script lqd0 <"$TESTDIR/own"

# Another namespace does not see the gate, whatever number it gives.
index=$(in_ns lqa cat /sys/class/net/lqva/ifindex)
in_ns lqb wire get "$index" gate.rate_bps >"$LOG" 2>&1
compare "another namespace does not see the gate" $? -ne 0
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every refusal: the right error, a text that says what to do, and nothing changed.
# modes: icount
# timeout: 120
# cross: i386 s390x
. /liquid/lib/guest.sh
start
make_pair
make_gate
make_dests 3
gate | grep '^gate\.' >"$TESTDIR/before"

table lqa lqva <<END
# who and where
no device named | gate-get ifindex | EINVAL
a device that does not exist | gate-get ifindex=9999 | ENODEV | \
	no such device in this network namespace
a device without a gate | gate-get ifindex=1 | EOPNOTSUPP | the device has no gate: attach one first
an unknown command | command-99 | EOPNOTSUPP |
an unknown attribute | gate-get @99:00000000 | EINVAL
a nest without its flag | gate-set @2:0400010000000000 | EINVAL
a text where a number belongs | begin sched{@1:313233 frames=1} | EINVAL
trap 13: an attribute of another command | begin sched{frame_ns=1000000 frames=1} which=0 | EINVAL

# the gate's options
trap 13: a rate of 0: the device's own | gate-set gate{rate_bps=0} | ok
a rate below the minimum | gate-set gate{rate_bps=999} | ERANGE | \
	rate out of range: use 1 kbit/s to 10 Tbit/s, or 0 for the device's
a rate above the maximum | gate-set gate{rate_bps=10000000000001} | ERANGE | \
	rate out of range: use 1 kbit/s to 10 Tbit/s, or 0 for the device's
an overhead below the minimum | gate-set gate{overhead=-65} | ERANGE | \
	overhead out of range: use -64 to 1024 bytes
an overhead above the maximum | gate-set gate{overhead=1025} | ERANGE | \
	overhead out of range: use -64 to 1024 bytes
an mpu above the maximum | gate-set gate{mpu=65536} | ERANGE | \
	mpu out of range: use 0 to 65535 bytes
an ahead above the maximum | gate-set gate{ahead_ns=10000001} | ERANGE | \
	ahead out of range: use 0 to 10 ms
an unknown policy | gate-set gate{policy=4} | ERANGE | \
	unknown policy: use share, idle, always or drop
a reserve above 1000 permille | gate-set gate{reserve=1001} | ERANGE | \
	reserve out of range: use 0 to 1000 permille
a control budget above 1000 permille | gate-set gate{control=1001} | ERANGE | \
	control out of range: use 0 to 1000 permille
an unknown selector | gate-set gate{select=4} | ERANGE | \
	unknown select: use all, mark, dscp or rule
a DSCP out of range | gate-set gate{select=2 select_dscp=64} | ERANGE | \
	@20 select-dscp out of range: use 0 to 63
a selector by rule without a rule | gate-set gate{select=3} | EINVAL | \
	@15 the rule selector has no rule: add SELECT_RULE
a selector whose rule has ports alone | gate-set gate{select=3 select_rule{port_min=1}} | EINVAL | \
	@21 rule needs either ETHERTYPE or L4PROTO
a selector whose rule has protocol 0 | gate-set gate{select=3 select_rule{l4proto=0}} | \
	EINVAL | @21 rule with L4PROTO does not take protocol 0
a selector by ports of a protocol without ports | \
	gate-set gate{select=3 select_rule{l4proto=58 port_min=1}} | EINVAL | \
	@21 rule with ports needs TCP, UDP or SCTP
a selector whose rule has an unknown attribute | gate-set gate{select=3 select_rule{@9:00}} | EINVAL
a selector whose rule has a protocol and an ethertype | \
	gate-set gate{select=3 select_rule{l4proto=6 ethertype=2054}} | EINVAL | \
	rule needs either ETHERTYPE or L4PROTO
a DSCP of two bytes | gate-set gate{@20:0000} | EINVAL
a bypass rule for protocol 0 | gate-set gate{bypass{rule{l4proto=0}}} | EINVAL | \
	rule with L4PROTO does not take protocol 0
a mark with bits outside its mask | gate-set gate{select=1 select_mark=5 select_mask=3} | EINVAL | \
	@16 the mark has bits outside its mask
a mark without its selector | gate-set gate{select_mark=5} | ok
a selector by mark with a mask that does not cover the mark | \
	gate-set gate{select=1 select_mask=3} | EINVAL | @17 the mark has bits outside its mask
a mask without its selector | gate-set gate{select_mask=3} | ok
a selector by mark whose mask does not cover the mark | gate-set gate{select=1} | EINVAL | \
	@15 the mark has bits outside its mask
mark and mask as before | gate-set gate{select_mark=0 select_mask=4294967295} | ok
match_mark: 2 | gate-set gate{match_mark=2} | ERANGE | match-mark out of range: use 0 or 1
wake-early: too long | gate-set gate{wake_early_ns=50001} | ERANGE | \
	wake-early out of range: use 0 to 50 us
CPU latency: too long | gate-set gate{cpu_latency_ns=1000000001} | ERANGE | \
	cpu-latency out of range: use 0 to 1 s
launch: no time | gate-set gate{launch_ns=10000001} | ERANGE | \
	launch out of range: use 0 to 10 ms
launch: not by this device | gate-set gate{launch_ns=1000} | EOPNOTSUPP | \
	a TX queue of the device takes no launch times: leave out launch
skip_open: 2 | gate-set gate{skip_open=2} | ERANGE | skip-open out of range: use 0 or 1
acks: 2 | gate-set gate{acks=2} | ERANGE | unknown acks: use frames or bypass
a limit of no packets | gate-set gate{limit_packets=0} | ERANGE | \
	limit-packets out of range: use at least 1
an empty bypass rule | gate-set gate{bypass{rule{}}} | EINVAL | \
	rule needs either ETHERTYPE or L4PROTO
a bypass rule with a protocol and an ethertype | \
	gate-set gate{bypass{rule{ethertype=1 l4proto=17}}} | EINVAL | \
	rule needs either ETHERTYPE or L4PROTO
a bypass rule whose last port is below the first | \
	gate-set gate{bypass{rule{l4proto=17 port_min=5 port_max=4}}} | ERANGE | \
	ports out of range: use 1 <= PORT_MIN <= PORT_MAX
a bypass rule with ports of a protocol without ports | \
	gate-set gate{bypass{rule{l4proto=1 port_min=5}}} | EINVAL | \
	rule with ports needs TCP, UDP or SCTP
a bypass rule with a last port alone | gate-set gate{bypass{rule{l4proto=17 port_max=5}}} | \
	EINVAL | rule with PORT_MAX needs PORT_MIN
17 bypass rules | gate-set gate{bypass{rule*17{ethertype=35020}}} | E2BIG | \
	too many rules: 16 at most
an unknown option | gate-set gate{@77:00} | EINVAL
an option of the wrong size | gate-set gate{@1:0102} | EINVAL
trap 05: a valid option beside an invalid one | gate-set gate{horizon_ms=77 policy=9} | ERANGE | \
	unknown policy: use share, idle, always or drop
trap 05: a valid option beside an invalid one, through the qdisc | change horizon_ms=77 policy=9 | \
	ERANGE | unknown policy: use share, idle, always or drop

# destinations
trap 16: an id above the table | dest-set dests{dest{id=65536 key{ipv4=10.0.1.1}}} | \
	ERANGE | destination ID out of range: use 0 to 65535
trap 16: the largest id of all | dest-set dests{dest{id=4294967295 key{ipv4=10.0.1.1}}} | \
	ERANGE | destination ID out of range: use 0 to 65535
a destination without an id | dest-set dests{dest{key{ipv4=10.0.1.1}}} | EINVAL | \
	destination without ID: add one
a destination without a key | dest-set dests{dest{id=5}} | EINVAL | a destination needs 1 to 8 keys
a destination with 9 keys | dest-set dests{dest{id=5 key*9{ipv4=10.0.1.1}}} | EINVAL | \
	a destination needs 1 to 8 keys
an unknown kind of key | dest-set dests{dest{id=5 key{@5:0a000101}}} | EINVAL
an empty key | dest-set dests{dest{id=5 key{}}} | EINVAL | \
	a key is one of IPV4, IPV6, ETHER and MARK
two addresses in a key | dest-set dests{dest{id=5 key{ether=020000000105 mark=05000000}}} | \
	EINVAL | a key is one of IPV4, IPV6, ETHER and MARK
an address twice in a key | dest-set dests{dest{id=5 key{ipv4=10.0.1.1 ipv4=10.0.1.1}}} | EINVAL | \
	a key is one of IPV4, IPV6, ETHER and MARK
an IPv4 address of 3 bytes | dest-set dests{dest{id=5 key{ipv4=0a0001}}} | EINVAL
an IPv4 address of 5 bytes | dest-set dests{dest{id=5 key{ipv4=0a00010101}}} | EINVAL
a way, which is reserved | dest-set dests{dest{id=5 key{ipv4=10.0.1.1} @9:00000000}} | EINVAL | \
	@9 attribute is reserved: this module does not accept it yet
an IPv6 address of 4 bytes | dest-set dests{dest{id=5 key{ipv6=0a000101}}} | ERANGE
an Ethernet address of 16 bytes | dest-set dests{dest{id=5 key{ether=fd00::1}}} | ERANGE
a mark of 8 bytes | dest-set dests{dest{id=5 key{mark=0100000000000000}}} | EINVAL
a key of 60 bytes | \
	dest-set dests{dest{id=5 key{ipv6=$(printf %02d $(seq 60))}}} | ERANGE
a key of another destination | dest-set dests{dest{id=5 key{ipv4=10.0.0.2}}} | EEXIST | \
	key is in use: each key belongs to one destination
a key twice in one request | \
	dest-set dests{dest{id=5 key{ipv4=10.0.1.1}} \
	dest{id=6 key{ipv4=10.0.1.1}}} | EEXIST | \
	key is in use: each key belongs to one destination
an id twice in one request | \
	dest-set dests{dest{id=5 key{ipv4=10.0.1.1}} \
	dest{id=5 key{ipv4=10.0.1.2}}} | EINVAL | \
	duplicate destination ID: name each destination once
all or none: a valid destination before an invalid one | \
	dest-set dests{dest{id=5 key{ipv4=10.0.1.1}} \
	dest{id=65536 key{ipv4=10.0.1.2}}} | ERANGE | \
	destination ID out of range: use 0 to 65535
no list of destinations | dest-set | EINVAL | DESTS is missing: name a destination
deleting a destination that does not exist | dest-del dests{dest{id=7}} | ENOENT | \
	no such destination
deleting a destination by a key | dest-del dests{dest{id=1 key{ipv4=10.0.0.3}}} | EINVAL | \
	destinations are removed by ID: leave out the keys
all or none: deleting an existing and a missing destination | \
	dest-del dests{dest{id=1} dest{id=7}} | ENOENT | no such destination

# opening a transaction
begin without a schedule | begin | EINVAL | SCHED is missing: give FRAME_NS and FRAMES
begin without a frame length | begin sched{frames=1} | EINVAL | a schedule needs FRAME_NS and FRAMES
begin without a number of frames | begin sched{frame_ns=1000000} | EINVAL | \
	a schedule needs FRAME_NS and FRAMES
trap 01: frames of 9,999 ns | begin sched{frame_ns=9999 frames=1} | ERANGE | \
	frame length out of range: use 10 us to 10 s
trap 01: frames of 0 ns | begin sched{frame_ns=0 frames=1} | ERANGE | \
	frame length out of range: use 10 us to 10 s
trap 01: frames of 100 ns | begin sched{frame_ns=100 frames=4} | ERANGE | \
	frame length out of range: use 10 us to 10 s
frames of 10 us with CAP_NET_ADMIN on the machine | begin sched{frame_ns=10000 frames=1} | ok
abort the transaction with frames of 10 us | abort | ok
trap 15: frames of 10 s and 1 ns | begin sched{frame_ns=10000000001 frames=1} | ERANGE | \
	frame length out of range: use 10 us to 10 s
trap 15: frames of 2^64 - 1 ns | begin sched{frame_ns=18446744073709551615 frames=1} | ERANGE | \
	frame length out of range: use 10 us to 10 s
0 frames | begin sched{frame_ns=1000000 frames=0} | ERANGE | \
	number of frames out of range: use 1 to 1048576
1048577 frames | begin sched{frame_ns=1000000 frames=1048577} | ERANGE | \
	number of frames out of range: use 1 to 1048576
2^32 - 1 frames | begin sched{frame_ns=1000000 frames=4294967295} | ERANGE | \
	number of frames out of range: use 1 to 1048576
a guard as long as the frame | begin sched{frame_ns=1000000 guard_ns=1000000 frames=1} | ERANGE | \
	the guard is as long as the frame: use a shorter guard
a guard longer than the frame | \
	begin sched{frame_ns=1000000 guard_ns=18446744073709551615 frames=1} | ERANGE | \
	the guard is as long as the frame: use a shorter guard
an unknown THEN | begin sched{frame_ns=1000000 frames=1 then=2} | EINVAL | \
	unknown THEN: use open or hold
begin with a member, which is reserved | begin sched{frame_ns=1000000 frames=1 @13:00000000} | \
	EINVAL | @13 attribute is reserved: this module does not accept it yet
begin with an attribute that is read only | begin sched{frame_ns=1000000 frames=1 idle_frames=1} | \
	EINVAL | attribute is read only: leave it out

# without a transaction
entries without a transaction | entries entries{entry{run=1}} | ENOENT | \
	no transaction is open on this socket: begin one first
a commit without a transaction | commit base_time=1 | ENOENT | \
	no transaction is open on this socket: begin one first
an abort without a transaction | abort | ENOENT | \
	no transaction is open on this socket: begin one first

# entries
begin a transaction of 4 frames | begin sched{frame_ns=1000000 frames=4} | ok
no list of entries | entries | EINVAL | ENTRIES is missing: give frames
an entry without a run | entries entries{entry{dest=1}} | EINVAL | \
	entry needs a RUN of at least one frame
an entry with a run of 0 | entries entries{entry{run=0 dest=1}} | EINVAL | \
	entry needs a RUN of at least one frame
a run longer than the cycle | entries entries{entry{run=5 dest=1}} | EINVAL | \
	more frames than the transaction's FRAMES
runs that are together longer than the cycle | \
	entries entries{entry{run=3 dest=1} entry{run=2 dest=1}} | EINVAL | \
	more frames than the transaction's FRAMES
trap 15: runs whose sum overflows | \
	entries entries{entry{run=4294967295 dest=1} entry{run=5 dest=1}} | EINVAL | \
	more frames than the transaction's FRAMES
two destinations in a frame | entries entries{entry{run=1 dest=1 dest=2}} | EINVAL | \
	a frame has at most one destination
trap 16: a destination above the table | entries entries{entry{run=1 dest=65536}} | ERANGE | \
	destination ID out of range: use 0 to 65535
a reverse pair's frames, which are reserved | \
	entries entries{entry{run=1 dest=1 @3:01000000}} | EINVAL | \
	@3 attribute is reserved: this module does not accept it yet
a way of an entry, which is reserved | entries entries{entry{run=1 dest=1 @4:01000000}} | EINVAL | \
	@4 attribute is reserved: this module does not accept it yet
a member of an entry, which is reserved | entries entries{entry{run=1 dest=1 @5:01000000}} | \
	EINVAL | @5 attribute is reserved: this module does not accept it yet
an unknown attribute in an entry | entries entries{entry{run=1 @9:00}} | EINVAL

# commit
a commit without entries | commit base_time=+1000000000 | EINVAL | \
	fewer frames than the transaction's FRAMES: send the rest
entries for half of the cycle | entries entries{entry{run=2 dest=1}} | ok
a commit with entries for half of the cycle | commit base_time=+1000000000 | EINVAL | \
	fewer frames than the transaction's FRAMES: send the rest
entries for the rest of the cycle | entries entries{entry{run=1} entry{run=1 dest=9}} | ok
trap 16: a commit with an unknown destination | commit base_time=+1000000000 | ENOENT | \
	the schedule names an unknown destination: add it first
a commit without a base time | commit | EINVAL | BASE_TIME is missing: give ns of CLOCK_TAI
trap 03: a commit with another TAI offset | commit base_time=+1000000000 tai_offset=0 | EINVAL | TAI
the missing destination is added | \
	dest-set dests{dest{id=9 key{ipv4=10.0.1.9}}} | ok
a base time at the end of time | commit base_time=9223372036854775807 | ERANGE | \
	the schedule's end does not fit in 63 bits: use an earlier base time
a base time before the epoch | commit base_time=-1 | ERANGE | \
	base time before 1970: use ns of CLOCK_TAI
the refused transaction is still open: it can be committed | \
	commit base_time=+3000000000 tai_offset=37 | ok
begin a second schedule | begin sched{frame_ns=1000000 frames=1} | ok
entries of that schedule | entries entries{entry{run=1 dest=2}} | ok
a commit while another schedule waits | commit base_time=+2000000000 | EBUSY | \
	a schedule is already waiting: replace it or clear the gate
a destination that a waiting schedule names | dest-del dests{dest{id=9}} | EBUSY | \
	a schedule uses the destination: clear or replace the schedule first
neither some destinations nor all | dest-del | EINVAL | give either DESTS or ALL
some destinations and all | dest-del all dests{dest{id=1}} | EINVAL | give either DESTS or ALL
all destinations, while a schedule waits | dest-del all | EBUSY | \
	a schedule uses destinations: clear the schedule first
a commit with REPLACE replaces the waiting schedule | commit base_time=+2000000000 replace | ok
a destination of the replaced schedule can be deleted | dest-del dests{dest{id=9}} | ok
a destination of the new schedule cannot be deleted | dest-del dests{dest{id=2}} | EBUSY | \
	a schedule uses the destination: clear or replace the schedule first

# ends
begin a schedule of 2 cycles | begin sched{frame_ns=1000000 frames=2 cycles=2} | ok
entries of that schedule | entries entries{entry{run=1 dest=0} entry{run=1}} | ok
a commit of a schedule that is over | commit base_time=1000 replace | ERANGE | \
	the schedule's last cycle is over: use a later base time
trap 15: more cycles than there is time | \
	begin sched{frame_ns=10000000000 frames=1 cycles=18446744073709551615} | ERANGE | \
	too many cycles: the end does not fit in 63 bits; use 0 for no end
policy idle while a schedule has no idle frame | gate-set gate{policy=1} | EBUSY
clear the gate | clear | ok
policy idle without a schedule | gate-set gate{policy=1} | ok
a schedule without idle frames | begin sched{frame_ns=1000000 frames=1} | ok
entry of its only frame | entries entries{entry{run=1 dest=0}} | ok
policy idle starves the rest of such a schedule | commit base_time=+1000000000 | EINVAL
policy share | gate-set gate{policy=0} | ok
with policy share the same schedule is accepted | commit base_time=+10000000000 | ok
END

compare "nothing was dropped or added by what was refused" \
	"$(in_ns lqa wire count lqva | cut -d' ' -f1)" = 3
table lqa lqva <<'END'
set the rate to its first value | gate-set gate{rate_bps=100000000} | ok
END
gate | grep '^gate\.' >"$TESTDIR/after"
check "trap 05: no option changed by what was refused" cmp "$TESTDIR/before" "$TESTDIR/after"
compare "the schedule that waits is the one that was accepted" "$(gate admin.frames)" = 1
table lqa lqva <<'END'
clear removes the waiting schedule | clear | ok
END
refuse "nothing waits any more" gate admin.frames

# No privilege: reading is free, writing is not.
table lqa lqva <<'END'
a transaction of another user | begin sched{frame_ns=1000000 frames=1} | ok
END
check "a user without privilege reads" in_ns lqa wire as 65534 get lqva gate.rate_bps
for request in "gate-set gate{reserve=1}" "dest-set dests{dest{id=8 key{ipv4=10.0.8.8}}}" \
	"dest-del all" "begin sched{frame_ns=1000000 frames=1}" "entries entries{entry{run=1}}" \
	"commit base_time=1" "abort" "clear"; do
	echo "without privilege: ${request%% *} | $request | EPERM |" >"$TESTDIR/request"
	in_ns lqa wire as 65534 script lqva <"$TESTDIR/request" >"$LOG" 2>&1
	compare "without privilege: ${request%% *}" $? = 0
done

# Who is root in a namespace alone may not have the machine interrupted at any rate.
load dummy
cat >"$TESTDIR/own" <<END
root of a namespace: frames of 99,999 ns | begin sched{frame_ns=99999 frames=1} | EPERM | \
	@1 frames below 100 us need CAP_NET_ADMIN on the machine
root of a namespace: frames of 10 us | begin sched{frame_ns=10000 frames=1} | EPERM | \
	@1 frames below 100 us need CAP_NET_ADMIN on the machine
root of a namespace: frames of 100 us | begin sched{frame_ns=100000 frames=1} | ok
root of a namespace: a busy processor | gate-set gate{wake_early_ns=1} | EPERM | \
	wake-early and cpu-latency concern the machine
root of a namespace: no idle processor | gate-set gate{cpu_latency_ns=1} | EPERM | \
	wake-early and cpu-latency concern the machine
END
results as_nobody wire script lqd0 <"$TESTDIR/own"

# Another namespace does not see the gate, whatever number it gives.
index=$(ip netns exec lqa cat /sys/class/net/lqva/ifindex)
in_ns lqb wire get "$index" gate.rate_bps >"$LOG" 2>&1
compare "another namespace does not see the gate" $? -ne 0
finish

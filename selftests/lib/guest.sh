# SPDX-License-Identifier: GPL-2.0-only
# What the tests in the guest share: TAP, two namespaces, gates, schedules, cleaning up.
# shellcheck shell=dash disable=SC2034
#
# What most tests run on (make_pair, make_gate, make_dests):
#
#	namespace lqa				   namespace lqb
#	+-------------------------+		   +-----------------------------+
#	| sender -> gate on lqva  |--- a cable --->| lqvb -> capture (tap)       |
#	| 10.0.0.1, fd00::1	  |    (veth)	   | 10.0.0.2 ... 10.0.0.9       |
#	| 02:00:00:00:00:01	  |		   | fd00::2 ... 02:00:00:00:00:02 |
#	+-------------------------+		   +-----------------------------+
#
# Destination N of the gate is 10.0.0.(N + 2). wire changes the gate, pkt and blast send, tap
# writes what has arrived with its times, judge compares that with the schedule.

# A processor of a normal guest is taken away now and then, between the moment when the gate reads
# the clock and the one when the tap does; a deterministic guest has no such moments. There the
# bounds are exact: SLACK is what the instructions between the two take. A debug kernel takes many
# times as many for everything.
case ${LIQUID_KERNEL:-} in
*-debug | *-kcsan) DEBUG=1 ;;
*) DEBUG=0 ;;
esac
if [ "${LIQUID_ICOUNT:-0}" = 1 ] && [ $DEBUG = 0 ]; then
	SLACK=20000
	SCALE=1
	PERMILLE=0
	OUTLIERS=0
else
	SLACK=5000000
	SCALE=10
	PERMILLE=50
	OUTLIERS=10
fi
MS=1000000
# In a kernel's tree it has another name (tools/netdev/Kconfig); module.sh says so.
MODULE=${LIQUID_MODULE:-liquid}
TESTDIR=$(mktemp -d)
LOG=$TESTDIR/log
count=0
failures=0
pids=

ok()
{
	count=$((count + 1))
	echo "ok $count - $*"
}

# What went wrong is on stdin, or in the log.
not_ok()
{
	count=$((count + 1))
	failures=$((failures + 1))
	echo "not ok $count - $*"
	sed 's/^/# /' "$LOG" 2>/dev/null
}

skip()
{
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

skip_all()
{
	echo "TAP version 13"
	echo "1..0 # SKIP $*"
	trap - EXIT
	rm -rf "$TESTDIR"
	exit 4
}

# check NAME COMMAND...: the command succeeds
check()
{
	name=$1
	shift
	if "$@" >"$LOG" 2>&1; then
		ok "$name"
	else
		echo "$* ended with $?" >>"$LOG"
		not_ok "$name"
	fi
}

# refuse NAME COMMAND...: the command fails
refuse()
{
	name=$1
	shift
	if "$@" >"$LOG" 2>&1; then
		echo "$* succeeded" >>"$LOG"
		not_ok "$name"
	else
		ok "$name"
	fi
}

# compare NAME VALUE OPERATOR VALUE: by test(1)
compare()
{
	if [ "$2" "$3" "$4" ] 2>/dev/null; then
		ok "$1"
	else
		echo "it is $2, and should be $3 $4" >"$LOG"
		not_ok "$1"
	fi
}

# differences BEFORE AFTER: of two lists of as many counters
differences()
{
	earlier=$1
	grown=
	# shellcheck disable=SC2086 # a word each
	set -- $2
	for number in $earlier; do
		grown="$grown $(($1 - number))"
		shift
	done
	echo "${grown# }"
}

# Results of a command that sends requests, one a line of stdin. results COMMAND...
results()
{
	"$@" >"$TESTDIR/table" 2>&1 || :
	[ -s "$TESTDIR/table" ] || echo "not ok the script printed nothing" >"$TESTDIR/table"
	while IFS= read -r result; do
		case $result in
		"ok "*) ok "${result#ok }" ;;
		"not ok "*) : >"$LOG"; not_ok "${result#not ok }" ;;
		"wire: "*) echo "$result" >"$LOG"; not_ok "the script ends" ;;
		*) echo "$result" ;;
		esac
	done <"$TESTDIR/table"
}

# table NETNS DEV
table()
{
	results in_ns "$1" wire script "$2"
}

# Run a program that must not fail for the test to make sense.
need()
{
	"$@" >"$LOG" 2>&1 && return
	echo "$* failed" >>"$LOG"
	not_ok "set up"
	finish
}

# in_ns NETNS COMMAND...: /sys stays that of the first namespace; who needs NETNS's takes
# `ip netns exec`, which is slow.
in_ns()
{
	in-ns "$@"
}

# background NAME COMMAND...: sets pid
background()
{
	output=$1
	shift
	"$@" >"$output" 2>&1 &
	pid=$!
	pids="$pids $pid"
}

# Wait up to 10 s until a command succeeds.
await()
{
	for _ in $(seq 100); do
		"$@" >/dev/null 2>&1 && return 0
		sleep 0.1
	done
	return 1
}

# ---- modules and devices ----

load()
{
	for name; do
		modprobe "$name" 2>/dev/null || :
	done
}

is_loaded()
{
	grep -q "^$MODULE " /proc/modules
}

# In a guest it is a file; a kernel's own is installed.
load_liquid()
{
	if [ -e /liquid/liquid.ko ]; then
		insmod /liquid/liquid.ko
	else
		modprobe $MODULE
	fi
}

unload_liquid()
{
	rmmod $MODULE 2>/dev/null
	! is_loaded
}

# A cable delivers on the processor that releases, by a queue of each: with two of them what was
# released in order may arrive in another. So one processor receives all. one_receiver NETNS DEV
one_receiver()
{
	echo 10000 2>/dev/null >/proc/sys/net/core/netdev_max_backlog
	ip netns exec "$1" sh -c "echo 1 >/sys/class/net/$2/queues/rx-0/rps_cpus" 2>/dev/null || :
}

# Two namespaces with a cable: lqa has lqva (10.0.0.1), lqb lqvb (10.0.0.2 ... 10.0.0.9); one
# transmit queue, offloads off, static neighbours, no IPv6 with its reports: nothing but what a
# test sends.
make_pair()
{
	load veth af_packet ipv6
	for side in a b; do
		need ip netns add lq$side
		need in_ns lq$side sysctl -q -w net.ipv6.conf.all.disable_ipv6=1 \
			net.ipv6.conf.default.disable_ipv6=1
	done
	need ip link add lqva numtxqueues "${1:-1}" numrxqueues 1 netns lqa type veth \
		peer name lqvb numtxqueues 1 numrxqueues "${1:-1}" netns lqb
	for side in a b; do
		one_receiver lq$side lqv$side
		in_ns lq$side ethtool -K lqv$side tso off gso off gro off tx off >/dev/null \
			2>&1 || :
		need ip -n lq$side link set lo up
	done
	need ip -n lqa link set lqva address 02:00:00:00:00:01
	need ip -n lqb link set lqvb address 02:00:00:00:00:02
	need ip -n lqa addr add 10.0.0.1/24 dev lqva
	for host in 2 3 4 5 6 7 8 9; do
		need ip -n lqb addr add 10.0.0.$host/24 dev lqvb
	done
	need ip -n lqa link set lqva up
	need ip -n lqb link set lqvb up
	for host in 2 3 4 5 6 7 8 9; do
		need ip -n lqa neigh replace 10.0.0.$host lladdr 02:00:00:00:00:02 dev lqva
	done
	need ip -n lqb neigh replace 10.0.0.1 lladdr 02:00:00:00:00:01 dev lqvb
}

# The cable of make_pair carries IPv6 too: fd00::1 on one side, fd00::2 ... fd00::9 on the other.
add_ipv6()
{
	for side in a b; do
		need in_ns lq$side sysctl -q -w net.ipv6.conf.lqv$side.router_solicitations=0 \
			net.ipv6.conf.lqv$side.accept_dad=0 net.ipv6.conf.lqv$side.disable_ipv6=0
	done
	need ip -n lqa addr add fd00::1/64 dev lqva nodad
	for host in 2 3 4 5 6 7 8 9; do
		need ip -n lqb addr add fd00::$host/64 dev lqvb nodad
		need ip -n lqa neigh replace fd00::$host lladdr 02:00:00:00:00:02 dev lqva
	done
	need ip -n lqb neigh replace fd00::1 lladdr 02:00:00:00:00:01 dev lqvb
}

# A serial line, whose queue stops while no one reads the other end: sets DEV, and line, the pid of
# the reader. Without SLIP test $1 is skipped, and ends.
make_line()
{
	load slip af_packet
	background "$TESTDIR/line" txstop "$TESTDIR/name"
	line=$pid
	if ! await test -s "$TESTDIR/name"; then
		kill "$line"
		skip "$1" "no SLIP in this kernel"
		finish
	fi
	DEV=$(cat "$TESTDIR/name")
	need ip link set "$DEV" mtu 1006 up
}

# A gate on lqva at 100 Mbit/s of Ethernet, unless said otherwise.
make_gate()
{
	need in_ns lqa wire add lqva rate_bps=100000000 overhead=24 "$@"
}

# The destinations 0 ... N-1 are 10.0.0.2 and so on.
make_dests()
{
	tree=
	for dest in $(seq 0 $(($1 - 1))); do
		tree="$tree dest{id=$dest key{ipv4=10.0.0.$((dest + 2))}}"
	done
	set_dests "$tree"
}

set_dests()
{
	echo "dests | dest-set dests{$(echo "$1" | tr '\n' ' ')} | ok" >"$TESTDIR/dests"
	need in_ns lqa wire script lqva <"$TESTDIR/dests"
}

# entries RUN:DEST...; DEST is an id or -
entries()
{
	for run; do
		case $run in
		*:-) printf ' entry{run=%s}' "${run%:*}" ;;
		*) printf ' entry{run=%s dest=%s}' "${run%:*}" "${run#*:}" ;;
		esac
	done
}

# push BASE "BEGIN TREE" "COMMIT TREE" RUN:DEST...: a schedule for lqva
push()
{
	base=$1
	sched=$2
	commit=$3
	shift 3
	cat >"$TESTDIR/push" <<-END
	begin | begin sched{$sched} | ok
	entries | entries entries{$(entries "$@")} | ok
	commit | commit base_time=$base $commit | ok
	END
	in_ns lqa wire script lqva <"$TESTDIR/push"
}

gate()
{
	in_ns lqa wire get lqva "$@"
}

now()
{
	wire now
}

plan()
{
	need in_ns lqa sh -c "wire plan lqva $2 >$1"
}

# as_nobody COMMAND...: as a user without privileges, in a user and a network namespace of their own
# with a dummy device lqd0 and a gate of 10 Gbit/s on it
as_nobody()
{
	chmod 755 / "$TESTDIR"
	setpriv --reuid 65534 --regid 65534 --clear-groups unshare -Urn sh -c '
		ip link add lqd0 type dummy && ip link set lqd0 up &&
		wire add lqd0 rate_bps=10000000000 limit_packets=1000 && exec "$@"' sh "$@"
}

# ---- captures ----

# tap_start FILE SECONDS NETNS:DEV...
tap_start()
{
	background "$1.out" tap "$@"
	tap_pid=$pid
	await grep -q ready "$1.out" || need false
}

# The last packets are written when the tap is told to end.
tap_stop()
{
	sleep 0.1
	kill "$tap_pid" 2>/dev/null
	wait "$tap_pid"
}

# The value of KEY= in a line of results. field KEY FILE [LINE]
field()
{
	sed '/^#/d' "$2" | sed -n "${3:-1}p" | tr ' ' '\n' | sed -n "s/^$1=//p"
}

# judge_capture NAME CAPTURE OPTION...: every scheduled packet is in its frames; sets LOG
judge_capture()
{
	name=$1
	capture=$2
	shift 2
	records=$(($(stat -c %s "$capture") / 144))
	if ! judge "$capture" --slack $SLACK --outliers $((records * PERMILLE / 1000 + OUTLIERS)) \
		"$@" \
		>"$TESTDIR/verdict" 2>&1; then
		cp "$TESTDIR/verdict" "$LOG"
		not_ok "$name"
		return
	fi
	# a capture without scheduled packets proves nothing
	if grep -q ' scheduled=0 ' "$TESTDIR/verdict"; then
		cp "$TESTDIR/verdict" "$LOG"
		not_ok "$name"
		return
	fi
	ok "$name"
	sed 's/^/# /' "$TESTDIR/verdict"
}

# ---- beginning and end ----

dmesg_is_clean()
{
	dmesg | sed -n "/liquid-test: $MARK/,\$p" | awk -f /liquid/complaints.awk |
		grep -Ef /liquid/complaints >"$LOG"
	[ ! -s "$LOG" ]
}

start()
{
	MARK="${0##*/} $$"
	echo "TAP version 13"
	echo "liquid-test: $MARK" >/dev/kmsg
	# The clock of a machine that is not a guest is its owner's.
	[ -z "${LIQUID_KERNEL:-}" ] || clockset tai 37 || :
	if ! is_loaded && ! load_liquid 2>"$LOG"; then
		not_ok "liquid.ko loads"
		exit 1
	fi
	remove_all	# what a test left that was killed
	trap cleanup EXIT
	trap 'exit 1' INT TERM
}

remove_all()
{
	for ns in $(ip netns list 2>/dev/null | cut -d' ' -f1); do
		ip netns del "$ns" 2>/dev/null
	done
	for dev in $(ip -o link show 2>/dev/null | sed -n 's/^[0-9]*: \(lq[a-z0-9]*\).*/\1/p'); do
		ip link del "$dev" 2>/dev/null
	done
}

cleanup()
{
	for pid in $pids; do
		kill "$pid" 2>/dev/null
	done
	for pid in $pids; do
		wait "$pid" 2>/dev/null
	done
	pids=
	remove_all
	rm -rf "$TESTDIR"
}

# Nothing that the test made is there any more: then the module goes as well.
finish()
{
	trap - EXIT
	mkdir -p "$TESTDIR"
	keep=$LOG
	cleanup
	mkdir -p "$TESTDIR"
	LOG=$keep
	if is_loaded; then
		if await unload_liquid; then
			ok "nothing is left behind: the module can be unloaded"
		else
			grep "^$MODULE " /proc/modules >"$LOG"
			not_ok "nothing is left behind: the module can be unloaded"
		fi
	fi
	if dmesg_is_clean; then
		ok "the kernel did not complain"
	else
		not_ok "the kernel did not complain"
	fi
	rm -rf "$TESTDIR"
	echo "1..$count"
	[ "$failures" = 0 ]
	exit
}

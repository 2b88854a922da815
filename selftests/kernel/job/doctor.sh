#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl doctor with a module and a gate: what can be wrong with them.
# selftests/host/job/cli-doctor.sh has what needs neither.
# runs: 6.1-icount
# timeout: 120
set -u

. /liquid/lib/guest.sh

KEEPER=nobody
DEV=lqv

# conf [LINE...]: with lines in place of those of the same key
conf()
{
	{
		cat <<-END
		fabric $TESTDIR/fabric
		addresses $TESTDIR/addresses
		store $TESTDIR/store
		user $KEEPER
		device $DEV
		frame-time 99ms
		link-rate 1G
		clock refuse
		clock-error 40ms
		traffic exchange alltoall
		END
		for line; do
			echo "$line"
		done
	} | awk '!($1 in line) { key[++n] = $1 }
		{ line[$1] = $0 } END { for (i = 1; i <= n; i++) print line[key[i]] }' \
		>"$TESTDIR/conf"
}

# The guest's image may have Slurm's programs, for another test.
NL=$(command -v liquid-nl)
doctor()
{
	timeout 60 env PATH=/none "$NL" doctor --config "$TESTDIR/conf" --node h1 "$@" \
		>"$TESTDIR/found" 2>&1
	status=$?
	cat "$TESTDIR/found"
}

# finds CODE VERDICT CHECK PATTERN: exit code and a finding, which has a fix unless it is ok
finds()
{
	doctor
	[ $status = "$1" ] && awk -v verdict="$2" -v check="$3" -v pattern="$4" '
		last { fixed = $1 == "fix:" }
		{ last = 0 }
		index($0, verdict " ") == 1 && $(verdict == "not checked" ? 3 : 2) == check &&
			$0 ~ pattern { found = last = 1 }
		END { exit !(found && (fixed || verdict == "ok" || verdict == "not checked")) }' \
		"$TESTDIR/found"
}

doctor_finish()
{
	ip link del lqv 2>/dev/null
	finish
}

start
load veth
need clockset sync 20
need clockset tai 37
need ip link add lqv type veth peer name lqw
need ip link set lqv up
need ip link set lqw up
need ip addr add 10.9.0.1/24 dev lqv
need liquid fabric make leaf-spine leaves=1 hosts=2 spines=1 -o "$TESTDIR/fabric"
printf 'h1 10.9.0.1\nh2 10.9.0.2\n' >"$TESTDIR/addresses"
chmod 755 / "$TESTDIR"
mkdir -m 750 "$TESTDIR/store"
chown $KEEPER "$TESTDIR/store"
conf

# ---- the gate ----

check "a device without a gate" finds 1 wrong gate "no gate is attached: its root qdisc is"
need liquid-nl attach lqv --rate 1G
check "a gate of which all is well: exit code 0" finds 0 ok gate "1 Gbit/s, open"
for name in configuration fabric addresses store module guard clock; do
	grep "^ok  *$name  " "$TESTDIR/found" >/dev/null || echo $name
done >"$LOG"
compare "and all else" "$(cat "$LOG")" = ""
need liquid-nl set lqv --rate 100M
check "its rate is not the fabric's" finds 1 wrong guard "the gate's rate is 100 Mbit/s"
need liquid-nl set lqv --rate 1G
conf "frame-time 10us"
check "frames too short for their guard" finds 1 wrong guard "has no room besides the guard"
conf "guard 1us"
check "a guard that is too short: a warning" finds 0 warn guard "the guard of 1 us is shorter than"
conf
need liquid solve "$TESTDIR/fabric" -o "$TESTDIR/schedule"
push_own()
{
	need liquid-nl push lqv --schedule "$TESTDIR/schedule" --node h1 --frame-time 99ms \
		--guard 81ms --addr-map "$TESTDIR/addresses" --unit-rate 1G --base-time +1ms \
		--replace "$@"
	sleep 0.1
}
push_own
check "a schedule that no one would end: a warning" finds 0 warn gate "has no lease"
push_own --lease 60s
check "one with a lease" finds 0 ok gate "a schedule is in force, its lease ends in"
need liquid-nl clear lqv

# ---- the clock, the module ----

need clockset sync 50000
check "a clock that is too far off" finds 1 wrong clock "the clock may be off by"
need clockset sync 20
need clockset tai 0
check "a TAI offset of 0" finds 0 ok clock \
	"TAI - UTC is 0 s: good if all nodes of a job have the same"
conf "tai-offset 37"
check "and liquid.conf has another" finds 1 wrong clock "is 0 s, and liquid.conf has 37 s"
need clockset tai 37
check "the one that it has" finds 0 ok clock "TAI - UTC is 37 s"
conf
if [ -e /sys/module/liquid/version ]; then
	echo 0.0.9 >"$TESTDIR/version"
	need mount --bind "$TESTDIR/version" /sys/module/liquid/version
	check "a module of another release: a warning" finds 0 warn module "is of release 0.0.9"
	umount /sys/module/liquid/version
else
	skip "a module of another release" "the kernel does not tell"
fi
need liquid-nl detach lqv
need rmmod liquid
check "no module" finds 1 wrong module "not loaded: modprobe liquid"
need insmod /liquid/liquid.ko
need liquid-nl attach lqv --rate 1G

# Not timeout's own, which looks once a second whether it is still needed
gone()
{
	! grep -la '^/[^[:cntrl:]]*liquid-n[l].doctor' /proc/[0-9]*/cmdline | grep .
}
await gone
check "no process is left" gone
doctor_finish

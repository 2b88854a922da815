#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The tests of kernel/ on this machine's kernel, as one program of kselftest. They take namespaces
# and cables (veth). What needs more runs in a guest alone (tools/guest/run) and is skipped here.
#
# usage: [LIQUID_KO=FILE] module.sh [TEST]...
#
# TEST is a test's path below kernel/, such as gate/attach.sh; all run without it. LIQUID_KO is the
# module's file, where it is not installed.
#
# The tests run in namespaces of their own, with a root whose /etc, /run, /tmp and /var are their
# own, too. They load and unload the module, so all is skipped where it is loaded already.
set -u

here=$(dirname "$(readlink -f "$0")")

skip_all()
{
	echo "TAP version 13"
	echo "1..0 # SKIP $*"
	exit 4
}

is_loaded()
{
	grep -Eq '^(sch_)?liquid ' /proc/modules
}

# Is there a module that this kernel takes? It is gone again afterwards.
try_module()
{
	if [ "${LIQUID_KO:-}" ]; then
		reason=$(insmod "$LIQUID_KO" 2>&1) || skip_all "$reason"
	elif ! reason=$(modprobe liquid 2>&1) && ! modprobe sch_liquid 2>/dev/null; then
		skip_all "the module cannot be loaded: ${reason:-no reason given}"
	fi
	LIQUID_MODULE=$(sed -nE 's/^((sch_)?liquid) .*/\1/p' /proc/modules)
	[ "$LIQUID_MODULE" ] || skip_all "the module is built in: these tests load and unload it"
	export LIQUID_MODULE
	rmmod "$LIQUID_MODULE" || skip_all "the module cannot be unloaded"
}

check_machine()
{
	[ "$(id -u)" = 0 ] || skip_all "the module's tests need root"
	[ -x "$here/programs/wire" ] || skip_all "no $here/programs: make -C selftests run_tests"
	for program in unshare ip ethtool setpriv; do
		command -v $program >/dev/null || skip_all "no program $program"
	done
	! is_loaded || skip_all "the module is loaded, and may be in use: rmmod liquid"
	try_module
}

# The value of "# $1: ..." among the first lines of test $2
header()
{
	head -n 30 "$2" | sed -n "s/^# $1: *//p" | head -n 1
}

# Prints why test $1 does not run here, or nothing.
only_in_guest()
{
	modes=$(header modes "$1")
	kernels=$(header kernels "$1")
	if grep -Eq 'clockset (step|sync|tai)|/sys/power/|/sys/devices/' "$1"; then
		echo "it changes the clock or the processors of its machine"
	elif [ "$(header adds "$1")$(header card "$1")" ] || grep -q /liquid/lib/lab "$1"; then
		echo "it needs what only a guest has"
	elif [ "$kernels" = 6.1-debug ]; then
		echo "it needs a kernel that makes faults"
	else
		case " ${modes:-normal} " in
		*" normal "*) ;;
		*) echo "it needs the time of a deterministic guest" ;;
		esac
	fi
}

# A root in $root that has what this one has, but for what tests write to
make_root()
{
	mount -t tmpfs -o mode=755 liquid "$root"
	for entry in /*; do
		own=$root$entry
		case $entry in
		/etc) cp -a /etc "$root" ;;
		/tmp | /run | /var | /proc | /sys | /liquid) mkdir "$own" ;;
		*)
			if [ -L "$entry" ]; then
				cp -P "$entry" "$root"
			elif [ -d "$entry" ]; then
				mkdir "$own"
				mount -o rbind "$entry" "$own"
			fi
			;;
		esac
	done
	mkdir -p "$root/liquid" "$root/tmp" "$root/run/netns" "$root/var"
	chmod 1777 "$root/tmp"
	mount -t proc proc "$root/proc"
	mount -t sysfs sys "$root/sys"
	mount -t debugfs debug "$root/sys/kernel/debug" 2>/dev/null
	mount -t tracefs trace "$root/sys/kernel/tracing" 2>/dev/null
	cp -R "$here"/programs/* "$here"/kernel/* "$here/lib" "$here/data" "$root/liquid"
	[ -z "${LIQUID_KO:-}" ] || cp "$LIQUID_KO" "$root/liquid/liquid.ko"
}

# Not by chroot alone: the kernel refuses a namespace of users to who is in a changed root.
enter_root()
{
	cd "$root" && mount -o move . / && exec chroot . /liquid/tests "$@"
}

# As root of all: each test, with what it prints
run_tests()
{
	export PATH=/liquid:$PATH
	cd /liquid || exit
	ip link set lo up
	[ $# -gt 0 ] || set -- */*.sh
	echo "TAP version 13"
	count=0
	failed=0
	for test; do
		count=$((count + 1))
		reason=$(only_in_guest "$test")
		status=4
		if [ -z "$reason" ]; then
			status=0
			limit=$(header timeout "$test")
			timeout -s KILL "${limit:-300}" "./$test" >/tmp/log 2>&1 </dev/null ||
				status=$?
			sed 's/^/# /' /tmp/log
			reason=$(sed -n 's/^1\.\.0 # SKIP //p' /tmp/log)
		fi
		case $status in
		0) echo "ok $count - $test" ;;
		4) echo "ok $count - $test # SKIP $reason" ;;
		*) echo "not ok $count - $test"; failed=1 ;;
		esac
	done
	echo "1..$count"
	exit $failed
}

if [ "${0##*/}" = tests ]; then
	run_tests "$@"
elif [ "${1:-}" = inside ]; then
	root=$2
	shift 2
	make_root
	cp "$0" "$root/liquid/tests"
	enter_root "$@"
else
	check_machine
	root=$(mktemp -d)
	trap 'rmdir "$root"' EXIT
	unshare --mount --net --pid --uts --ipc --fork --kill-child "$0" inside "$root" "$@"
fi

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Both modules build for the kernels of other releases, each by its release's compiler, without a
# warning.
#
# usage: selftests/host/house/kernels.sh [FETCH_KERNELS=1: download those that are not there]
# builds: user modules
# timeout: 600
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
build=$(readlink -f "${B:-build}")
. selftests/lib/tap.sh
# Options of a make that calls this is not for those that this calls.
unset MAKEFLAGS MFLAGS MAKELEVEL
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
details=$scratch/log

run_make()
{
	make -s B="$build" KDIR=/none "$@" >"$scratch/log" 2>&1
}

# is_there NAME: $kernel is there or can be fetched; else the test NAME is skipped, with the reason
is_there()
{
	run_make "$build/kernels/$kernel" && return
	skip "$1" "$(grep '^fetch-kernel: ' "$scratch/log" | tail -n 1)"
	return 1
}

echo "TAP version 13"
for kernel in 5.10 newest; do
	name="the modules build for $kernel"
	if [ ! -e "$build/kernels/$kernel" ] && [ -z "${FETCH_KERNELS:-}" ]; then
		skip "$name" "that kernel is not there (make check-long downloads it)"
		continue
	fi
	is_there "$name" || continue
	run_make GUEST_KERNELS=$kernel modules
	ok "$name"
	release=$(cat "$build/kernels/$kernel/release")
	for module in liquid liquid_lab; do
		modinfo -F vermagic "$build/kmod-$kernel/$module.ko"
	done 2>&1 | cut -d' ' -f1 | sort -u >"$scratch/log"
	[ "$(cat "$scratch/log")" = "$release" ]
	ok "$kernel is $release: that is what they are for"
	cp "$build/kmod-$kernel/kmod/compat/probed.h" "$scratch/log"
	case $kernel in
	5.10) part=none ;;
	newest) part=all ;;
	esac
	[ "$(wc -l <"$scratch/log")" = \
		"$([ $part = none ] && echo 0 || find kmod/compat/probes -name '*.c' | wc -l)" ]
	ok "$kernel has $part of what is probed for"
done

# As where the running kernel has headers: install.sh installs what the guest's rule has built. That
# kernel's compiler is this machine's, so it is Debian 12's.
kernel=6.1
name="the module builds for the kernel of KDIR"
if [ -n "${FETCH_KERNELS:-}" ] && is_there "$name"; then
	run_make KDIR="$(readlink -f "$build/kernels/$kernel/headers")" "$build/kmod-host/liquid.ko"
	ok "$name"
fi

# check-kernels runs the guest of these where there is one.
for kernel in $([ -z "${FETCH_KERNELS:-}" ] || echo "${GUEST_KERNELS:-}"); do
	name="the kernel $kernel is there"
	is_there "$name" && ok "$name"
done

# The probes alone, with another compiler or another stdin than they may count on
mirror=$build/kmod-6.1
# probe [VARIABLE=VALUE]: build one object in the copy of the mirror, with each probe asked anew
probe()
{
	rm -f "$scratch"/mirror/kmod/compat/probed.h "$scratch"/mirror/kmod/compat/probes/*.h
	timeout 200 tools/guest/kernel-make "$build/kernels/6.1" -s M="$scratch/mirror" W=1 \
		CONFIG_DEBUG_INFO_BTF_MODULES= "$@" kmod/main.o >"$scratch/log" 2>&1
}

# same_answers NAME: the probes say what they said in the mirror
same_answers()
{
	result=$?
	[ $result -eq 0 ] && cmp "$mirror/kmod/compat/probed.h" \
		"$scratch/mirror/kmod/compat/probed.h" \
		>>"$scratch/log" 2>&1
	ok "$1"
}

if [ -e "$mirror/kmod/compat/probed.h" ]; then
	cp -a "$mirror" "$scratch/mirror"
	for compiler in true false; do
		! probe compat-compiler=$compiler &&
			[ ! -e "$scratch/mirror/kmod/compat/probed.h" ] &&
			grep -q 'cannot find out what the kernel has' "$scratch/log"
		ok "a build stops where the compiler says '$compiler' to each probe"
	done
	printf 'a line that is no C\nthe next command of a script\n' >"$scratch/script"
	{ probe; same_answers "what is on stdin is not a part of a probe"; cat >"$scratch/rest"; } \
		<"$scratch/script"
	cmp "$scratch/script" "$scratch/rest" >"$scratch/log"
	ok "and is left to whom it is for"
else
	skip "a build stops where the probes are worth nothing" \
		"no module for 6.1 is built (make modules)"
fi
finish

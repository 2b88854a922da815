#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The pure parts compute the same on a processor of 32 bits and on one with the other byte order:
# the module's headers on both; the library's files, digests and schedules, and what the tool sends,
# on the latter. qemu-user runs them.
# builds: user build/selftests/unit/kmod/alike
# timeout: 1200
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
B=$(readlink -f "${B:-build}")
. selftests/lib/tap.sh
unset MAKEFLAGS MFLAGS MAKELEVEL
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
details=$scratch/log

# build KERNEL TARGET...: for its processor
build()
{
	for_kernel=$1
	shift
	# shellcheck disable=SC2046 # targets
	PKG_CONFIG_LIBDIR=/none nice make -s -k B="$B/$for_kernel" GUEST_KERNELS= ASAN= \
		CC="tools/guest/cross-cc $B/kernels/$for_kernel" \
		$(printf "$B/$for_kernel/%s " "$@") >"$scratch/log" 2>&1
}

# foreign PROCESSOR COMMAND...: in that of its kernel's directory
foreign()
{
	on=$1
	shift
	"qemu-$on-static" -L "$B/kernels/6.1-$on/root" "$@"
}

# unit PROCESSOR TEST...
unit()
{
	processor=$1
	shift
	for test in "$@"; do
		foreign "$processor" "$B/6.1-$processor/selftests/unit/$test" >"$scratch/log" 2>&1
		ok "$processor: $test"
	done
}

# Files of the library, by program $1, into directory $2; by names without a root, since qemu-user
# looks for those with one in another directory
make_files()
{
	program=$1
	mkdir -p "$scratch/$2"
	cd "$scratch" || return 1
	for shape in "torus size=4x4" "fat-tree k=4" "papers-5x5"; do
		name=$2/${shape%% *}
		# shellcheck disable=SC2086 # a program with its arguments; several parameters
		$program fabric make $shape -o "$name.fabric" &&
			$program solve "$name.fabric" -o "$name.schedule" &&
			$program verify "$name.fabric" "$name.schedule" --json >"$name.verdict" &&
			$program simulate "$name.fabric" --schedule "$name.schedule" --json |
				grep -v '"seconds"' >"$name.simulated" || return 1
	done
}

echo "TAP version 13"
"$B/selftests/unit/kmod/alike" >"$scratch/alike"
for processor in i386 s390x; do
	kernel=6.1-$processor
	if [ ! -e "$B/kernels/$kernel" ] || ! command -v "qemu-$processor-static" >/dev/null; then
		skip "$processor" "no programs or emulator of it (make check-long)"
		continue
	fi
	tests="kmod/test-hist kmod/test-ack kmod/test-table"
	[ $processor = i386 ] || tests="$tests kmod/test-slot kmod/test-wire tool/test-encode
		tool/test-netlink tool/test-addr-map engine/test-fabric engine/test-traffic
		engine/test-schedule engine/test-hostlist engine/test-plan-slice"
	# shellcheck disable=SC2086 # several tests
	build $kernel selftests/unit/kmod/alike $(printf 'selftests/unit/%s ' $tests)
	ok "$processor: the pure parts and their tests build"
	foreign $processor "$B/$kernel/selftests/unit/kmod/alike" >"$scratch/log" &&
		cmp "$scratch/alike" "$scratch/log" >>"$scratch/log" 2>&1
	ok "$processor: the module's headers compute what they do here"
	# shellcheck disable=SC2086 # several tests
	unit $processor $tests
	[ $processor = s390x ] || continue
	build $kernel liquid-nl
	ok "$processor: the tool builds"
	(make_files "$B/liquid-nl" here) >"$scratch/log" 2>&1
	ok "files of the library"
	(make_files "foreign $processor $B/$kernel/liquid-nl" there) >"$scratch/log" 2>&1
	ok "$processor: and there"
	[ "$(find "$scratch/there" -type f | wc -l)" = 12 ] &&
		diff -r "$scratch/here" "$scratch/there" >"$scratch/log" 2>&1
	ok "$processor: fabrics, digests, schedules, verdicts and simulations are the same bytes"
done
finish

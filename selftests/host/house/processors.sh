#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The same on other processors: what the module's headers compute, schedules and routes; on one with
# the other byte order the library's files and digests and what the tool sends, too. qemu-user runs
# them.
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

# build KERNEL TARGET...: for its processor; variables of make may be among the targets
build()
{
	for_kernel=$1
	shift
	for target in "$@"; do
		case $target in *=*) ;; *) target=$B/$for_kernel/$target ;; esac
		set -- "$@" "$target"
		shift
	done
	PKG_CONFIG_LIBDIR=/none nice make -s -k B="$B/$for_kernel" GUEST_KERNELS= ASAN= \
		CC="tools/guest/cross-cc $B/kernels/$for_kernel" "$@" >"$scratch/log" 2>&1
}

# emulator PROCESSOR: by Debian's name of it
emulator()
{
	echo "qemu-$1-static" | sed s/arm64/aarch64/
}

# foreign PROCESSOR COMMAND...: in that of its kernel's directory
foreign()
{
	on=$1
	shift
	"$(emulator "$on")" -L "$B/kernels/6.1-$on/root" "$@"
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

# Schedules and routes by program $1, into directory $2. Where the x87 decided, the first two had
# other frames.
decide()
{
	program=$1
	mkdir -p "$scratch/$2"
	cd "$scratch" || return 1
	for number in 1 2 3 4 5; do
		case $number in
		1) shape="mesh size=7x5" how="solve --compact --work 30000000" ;;
		2) shape="fat-tree k=8 routes=hash" how="solve --compact --work 10000000" ;;
		3) shape="torus size=5x5" how="solve --hosts h[1-22] --work 3000000 --bound" ;;
		4) shape="dragonfly a=3" how="route --lanes 3 --work 20000" ;;
		5) shape="torus size=6x4" how="route --lanes 2 --work 20000 -S $2/5.schedule" ;;
		esac
		# shellcheck disable=SC2086 # programs with their arguments
		$program fabric make $shape -o "$2/$number.fabric" &&
			$program ${how%% *} "$2/$number.fabric" ${how#* } -o "$2/$number.out" \
				>/dev/null || return 1
	done
}

# decisions PROCESSOR PROGRAM: the same here and by that
decisions()
{
	[ -e "$scratch/here" ] || (decide "$B/liquid" here) >"$scratch/log" 2>&1
	(decide "foreign $1 $2" "$1") >"$scratch/log" 2>&1 &&
		[ "$(find "$scratch/$1" -type f | wc -l)" = 11 ] &&
		diff -r "$scratch/here" "$scratch/$1" >>"$scratch/log" 2>&1
	ok "$1: schedules and routes are the same bytes"
}

echo "TAP version 13"
"$B/selftests/unit/kmod/alike" >"$scratch/alike"
for processor in i386 arm64 s390x; do
	kernel=6.1-$processor
	if [ ! -e "$B/kernels/$kernel" ] || ! command -v "$(emulator $processor)" >/dev/null; then
		skip "$processor" "no programs or emulator of it (make check-long)"
		continue
	fi
	if [ $processor = arm64 ]; then
		build $kernel liquid
		ok "$processor: the tool builds"
		decisions $processor "$B/$kernel/liquid"
		continue
	fi
	tests="kmod/test-hist kmod/test-ack kmod/test-table"
	[ $processor = i386 ] || tests="$tests kmod/test-slot kmod/test-wire tool/test-encode
		tool/test-netlink tool/test-addr-map engine/test-fabric engine/test-traffic
		engine/test-schedule engine/test-hostlist run/test-plan-slice"
	# shellcheck disable=SC2086 # several tests
	build $kernel selftests/unit/kmod/alike $(printf 'selftests/unit/%s ' $tests)
	ok "$processor: the pure parts and their tests build"
	foreign $processor "$B/$kernel/selftests/unit/kmod/alike" >"$scratch/log" &&
		cmp "$scratch/alike" "$scratch/log" >>"$scratch/log" 2>&1
	ok "$processor: the module's headers compute what they do here"
	# shellcheck disable=SC2086 # several tests
	unit $processor $tests
	if [ $processor = i386 ]; then
		# No integers of 128 bits: 64 do for what is verified here.
		build $kernel liquid CPPFLAGS="-D__int128='long long'" CFLAGS="-O2 -w"
		ok "$processor: the tool builds, with shorter integers"
		decisions $processor "$B/$kernel/liquid"
		continue
	fi
	build $kernel liquid
	ok "$processor: the tool builds"
	decisions $processor "$B/$kernel/liquid"
	(make_files "$B/liquid" made) >"$scratch/log" 2>&1
	ok "files of the library"
	(make_files "foreign $processor $B/$kernel/liquid" there) >"$scratch/log" 2>&1
	ok "$processor: and there"
	[ "$(find "$scratch/there" -type f | wc -l)" = 12 ] &&
		diff -r "$scratch/made" "$scratch/there" >"$scratch/log" 2>&1
	ok "$processor: fabrics, digests, schedules, verdicts and simulations are the same bytes"
done
finish

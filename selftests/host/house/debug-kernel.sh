#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A debug kernel (KASAN and lockdep, or data races) sees a module's faults, and each turns the run
# red.
# builds: GUEST_KERNELS=6.1-debug guest
# timeout: 1800
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
build=$(readlink -f "${B:-build}")
case " ${GUEST_KERNELS:-} " in
*" 6.1-kcsan "*) kernel=6.1-kcsan ;;
*) kernel=6.1-debug ;;
esac
. selftests/lib/tap.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
details=$scratch/details

if [ ! -e "$build/guest/base-$kernel.cpio" ] || [ ! -e "$build/kmod-$kernel/liquid.ko" ]; then
	skip_all "no kernel $kernel is built (make check-debug, make check-races)"
fi

# Kbuild builds in place.
cp -r selftests/kernel/faults "$scratch/faults"
if ! make -s -C "$build/kernels/$kernel/headers" M="$scratch/faults" modules >"$details" 2>&1; then
	false
	ok "the module with faults builds"
	finish
fi

# Run a guest in which fault $2 happens; options of the runner, parted by blanks, in $1.
guest()
{
	printf '#!/bin/sh\ninsmod /liquid/faults.ko fault=%s && echo "ok 1 - loaded"\necho 1..1\n' \
		"$2" \
		>"$scratch/fault.sh"
	chmod +x "$scratch/fault.sh"
	# shellcheck disable=SC2086 # some options
	tools/guest/run --kernel "$kernel" --timeout 600 $1 --build "$build" \
		--keep-console "$scratch/console" --add "$scratch/faults/faults.ko" \
		"$scratch/fault.sh" \
		>"$scratch/out.tap" 2>&1
	status=$?
	verdict=$(selftests/collect "$scratch/out.tap" | tail -n 1)
	cat "$scratch/out.tap" >"$details"
}

# sees NAME OPTION FAULT TEXT: the module is loaded, and the console alone makes a failure of it
sees()
{
	guest "$2" "$3"
	[ $status = 1 ] && [ "$verdict" = "1 passed, 1 failed, 0 skipped" ] &&
		grep -aq "$4" "$scratch/console" &&
		grep -q '^not ok 1 - the kernel reports no fault' "$scratch/out.tap"
	ok "$1"
}

# passes NAME OPTIONS FAULT: nothing is seen
passes()
{
	guest "$2" "$3"
	[ $status = 0 ] && [ "$verdict" = "2 passed, 0 failed, 0 skipped" ]
	ok "$1 ($verdict)"
}

echo TAP version 13
case $kernel in
*-kcsan)
	passes "two processors that write a number under a lock pass" "--smp 2" locked
	sees "two processors that write a number without a lock" "--smp 2" race \
		'BUG: KCSAN: data-race in add_for_a_while'
	finish
	;;
esac
passes "a module without a fault passes" --icount none
sees "memory that is read after it was freed" "--smp 1" freed \
	'BUG: KASAN: .*use-after-free in fault_freed'
sees "locks that are taken in both orders" "--smp 1" order \
	'WARNING: possible circular locking dependency'
sees "a shift beyond the number's bits" "--smp 1" bounds \
	'UBSAN: shift-out-of-bounds in .*faults.c'
sees "sleep under a spinlock" "--smp 1" sleep \
	'BUG: sleeping function called from invalid context at .*faults.c'
sees "memory that nothing points to any more" --icount leak 'unreferenced object'
finish

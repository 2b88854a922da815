#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Run every test: programs and scripts on the host, then the guest's in each kernel and mode.
#
# usage: selftests/run.sh [unit] [tool] [house] [jobs] [static] [debug-kernel] [guest-runner]
#                         [kernels] [kernel-tree] [processors] [packages-root] [packages-boot]
#                         [packages-slurm] [KERNEL-normal | KERNEL-icount | KERNEL-long]...
#
# Without arguments all of them but debug-kernel, which needs that kernel, guest-runner, which tests
# what runs the tests, kernel-tree, which needs a kernel's sources, processors, which needs
# emulators, packages-*, which need the archive, kernels, which is one of house, and
# KERNEL-long.
# Writes $B/check/RUN.tap, and the guests' consoles beside them; selftests/collect makes the
# verdict of it, which is this script's exit code. Whatever a run leaves running is ended, and is a
# failure of its own.
#
# Two runs go at a time, whichever is next, and a long one beside them. Of the guests whose time is
# real only one does, except for the long one; those of --icount reckon with their own time and may
# run beside anything: all but the first of them have what the two leave of the processors. Tests of
# jobs (selftests/host/job) wait most of their time, and run beside anything, too, except for one
# that needs a processor.
set -eu

cd "$(dirname "$(readlink -f "$0")")/.."
mkdir -p "${B:-build}"
build=$(readlink -f "${B:-build}")
kernels=${GUEST_KERNELS:-6.1 6.12}
out=$build/check
busy_job=selftests/host/job/serve-load.sh
export B="$build" LIQUID="${LIQUID:-$build/liquid}" LIQUID_NL="${LIQUID_NL:-$build/liquid-nl}"
# A quarter of the random cases; check-random draws forty times as many.
export LIQUID_TEST_DRAWS=25
. selftests/lib/program.sh

run_host()
{
	for program; do
		case $program in
		*.d | */house/static.sh | */house/debug-kernel.sh | */house/kernel-tree.sh | \
			*/house/guest-runner.sh | */house/processors.sh | */house/packages-*.sh)
			continue
			;;
		esac
		if [ -x "$program" ] && [ -f "$program" ]; then
			run_program "$program"
		fi
	done
}

run_guest()
{
	kernel=${1%-*}
	case $1 in
	*-normal) alone="flock -o $out/real-time" option= ;;
	*-long) alone='nice -n 5' option=--long ;;
	*) alone=${beside:-} option=--${1##*-} ;;
	esac
	# Some 900 s with its own processor, and more where others work, too
	seconds=4800
	case $kernel in
	*-debug) seconds=14400 ;;
	esac
	# shellcheck disable=SC2086 # none or more words
	$alone selftests/contain $((seconds + 100)) "$out/left/$1" \
		tools/guest/run --kernel "$kernel" $option --timeout $seconds \
		--keep-console "$out/$1.console" </dev/null 2>&1 || :
}

run_one()
{
	begin=$(date +%s)
	echo "  CHECK    $1"
	case $1 in
	unit)
		run_host "$build"/selftests/unit/*/test-* \
			"$build"/tools/lab/selftests/unit/test-*
		;;
	tool) run_host selftests/host/tool/*.sh ;;
	house) run_host selftests/host/library/*.sh selftests/host/house/*.sh $busy_job ;;
	jobs)
		# shellcheck disable=SC2046 # a path a word
		run_host $(printf '%s\n' selftests/host/job/*.sh | grep -vx $busy_job)
		;;
	static | debug-kernel | guest-runner | kernels | kernel-tree | processors | packages-*)
		run_program "selftests/host/house/$1.sh" ;;
	*) run_guest "$1" ;;
	esac >"$out/$1.tap"
	echo "  DONE     $1 ($(($(date +%s) - begin)) s): $(longest "$out/$1.tap")"
}

# The eight tests of FILE that took longest, with their seconds
longest()
{
	sed -n 's/^# end: \([^ ]*\) status [0-9]* took \([0-9]*\).*/\2 \1/p' "$1" |
		sort -rn | head -n 8 | awk '{ printf "%s%s %s", (NR > 1 ? ", " : ""), $2, $1 }'
}

# work QUEUE: take runs of it, one after the other, and do those that were asked for
work()
{
	while run=$(flock "$out/lock" sed -n -i '1w /dev/stdout
		2,$p' "$out/$1") && [ "$run" ]; do
		case " $asked " in
		*" $run "*) run_one "$run" ;;
		esac
	done
}

each_kernel()
{
	for kernel in $kernels; do
		echo "$kernel-$1"
	done
}

asked=${*:-"unit tool house jobs static $(each_kernel normal) $(each_kernel icount)"}
asked=$(echo "$asked" | tr '\n' ' ')
rm -rf "$out"
mkdir -p "$out/left"
# The longest first, but the guests in real time apart: so both processors are busy to the end. The
# first of these next to the first of --icount, so that it does not come after it.
{
	each_kernel long
	each_kernel icount | head -n 1
	each_kernel normal | head -n 1
	printf '%s\n' house tool
	each_kernel normal | tail -n +2
	printf '%s\n' unit static
	printf '%s\n' debug-kernel guest-runner kernels kernel-tree processors \
		packages-root packages-boot packages-slurm
} >"$out/queue"
each_kernel icount | tail -n +2 >"$out/beside"
echo jobs >"$out/waiting"
work queue &
work queue &
beside='nice -n 10' work beside &
work waiting &
# Long tests go on next to the two for an hour or more, and let them go first.
case " $asked" in
*-long\ *) work queue & ;;
esac
wait
files=
for run in $asked; do
	files="$files $out/$run.tap"
	[ -e "$out/$run.tap" ] || : >"$out/$run.tap"
done
report_left >"$out/processes.tap"
# shellcheck disable=SC2086
exec selftests/collect $files "$out/processes.tap"

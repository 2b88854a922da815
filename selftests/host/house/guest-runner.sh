#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The guest's runner and the collector tell every way in which a test can end.
# builds: guest
# timeout: 600
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
build=${B:-build}
kernel=6.1
. selftests/lib/tap.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
details=$scratch/out.tap

if ! command -v qemu-system-x86_64 >/dev/null || [ ! -e "$build/guest/base-$kernel.cpio" ]; then
	skip_all "no guest is built (make guest)"
fi

# Make an executable test named $1 of what is on stdin.
make_test()
{
	{
		echo '#!/bin/sh'
		cat
	} >"$scratch/$1"
	chmod +x "$scratch/$1"
}

# Run the tests named after $1 (options of the runner) in a guest; status and counts tell the rest.
guest()
{
	options=$1
	shift
	for name in "$@"; do
		set -- "$@" "$scratch/$name"
		shift
	done
	# shellcheck disable=SC2086
	tools/guest/run --kernel $kernel --smp 1 $options --keep-console "$scratch/console" "$@" \
		>"$scratch/out.tap" 2>&1
	status=$?
	counts=$(selftests/collect "$scratch/out.tap" | tail -n 1)
}

make_test good <<'END'
echo "ok 1 - fine"
echo "1..1"
END
make_test bad <<'END'
echo "not ok 1 - wrong"
echo "1..1"
exit 1
END
make_test absent <<'END'
echo "1..0 # SKIP nothing to test"
exit 4
END
make_test roomy <<'END'
# memory: 1300
[ "$(sed -n 's/^MemTotal: *\([0-9]*\).*/\1/p' /proc/meminfo)" -gt 1200000 ] || exit 1
echo "ok 1 - has the memory that it asks for"
echo "1..1"
END
make_test renames <<'END'
hostname other && echo "10.9.0.1 h1" >>/etc/hosts || exit 1
echo "ok 1 - it has called hosts something"
echo "1..1"
END
make_test renamed <<'END'
[ "$(hostname)" != other ] && ! grep -q h1 /etc/hosts || exit 1
echo "ok 1 - it sees nothing of that"
echo "1..1"
END
make_test killed <<'END'
echo "ok 1 - so far"
kill -SEGV $$
END
make_test endless <<'END'
# timeout: 2
echo "ok 1 - so far"
while :; do :; done
END
make_test panics <<'END'
echo "ok 1 - so far"
echo "WARNING: the first fault" >/dev/kmsg
for line in $(seq 50); do
	echo "line $line" >/dev/kmsg
done
echo c >/proc/sysrq-trigger
END
make_test warns <<'END'
echo "WARNING: something" >/dev/kmsg
echo "ok 1 - done"
echo "1..1"
END
make_test debug <<'END'
. /liquid/lib/guest.sh
start
while read -r line; do
	echo "$line" >/dev/kmsg
done <<'REPORT'
------------[ cut here ]------------
WARNING: CPU: 0 PID: 980 at arch/x86/kernel/traps.c:1120 exc_debug_kernel+0xca/0x160
RIP: 0010:exc_debug_kernel+0xca/0x160
RSP: 0000:fffffe0000010f28 EFLAGS: 3f6ca002
Call Trace:
---[ end trace 0000000000000000 ]---
REPORT
finish
END
make_test sends <<'END'
insmod /liquid/liquid.ko && modprobe dummy && ip link add d0 type dummy && ip link set d0 up &&
	ip address add 10.9.0.1/24 dev d0 && liquid-nl attach d0 --rate 1G || exit 1
echo "# text $(cat /sys/module/liquid/sections/.text)"
ping -c 60 -W 1 10.9.0.2 >/dev/null 2>&1
END
make_test hangs <<'END'
# timeout: 1000
sleep 1000
END

echo TAP version 13

# A boot takes longer than these tests, so they share boots; one that passes is further below.
guest "" good bad killed endless warns good
[ $status = 1 ] && [ "$counts" = "5 passed, 4 failed, 0 skipped" ]
ok "a wrong, a killed and an endless test fail, and the next one runs ($counts)"
grep -q '^# .*WARNING: something' "$scratch/out.tap"
ok "a warning of the kernel is a failure and is shown"

guest "" panics good
[ $status = 3 ] && [ "$counts" = "1 passed, 1 failed, 0 skipped" ] &&
	grep -q '^# console: .*the first fault' "$scratch/out.tap" &&
	grep -q '^# console: .*sysrq: Trigger a crash' "$scratch/out.tap"
ok "a panic is a failure and shows the console from its first fault on ($counts)"

# The console of a guest that the emulator makes die (tools/guest/run)
cat >"$scratch/double" <<'END'
[    5.801260] liquid: loading out-of-tree module taints kernel.
[    7.527983] traps: PANIC: double fault, error_code: 0x0
[    7.527983] Oops: double fault: 0000 [#1] PREEMPT SMP NOPTI
[    7.527983] CPU: 1 UID: 0 PID: 167 Comm: ping Tainted: G           OE      6.12.117+deb12-amd64
[    7.527983] RIP: 0010:liquid_enqueue_checked+0x5/0x370 [liquid]
[    7.527983] RSP: 0018:ffffc900001cf6b8 EFLAGS: 3f6ca093
[    7.527983] Call Trace:
[    7.527983] ---[ end trace 0000000000000000 ]---
[    7.527983] RSP: 0018:ffffc900001cf6b8 EFLAGS: 3f6ca093
[    7.527983] Kernel panic - not syncing: Fatal exception in interrupt
END

# The flags of a console with "double" edited by sed's $1, if the emulator made the guest die
blamed()
{
	sed "$1" "$scratch/double" |
		awk -f selftests/kernel/emulator-died.awk selftests/kernel/complaints -
}

[ "$(blamed '')" = 3f6ca093 ] && [ "$(blamed 's/Oops: //')" = 3f6ca093 ] &&
	[ -z "$(blamed s/3f6ca093/003f0a93/)" ]
ok "a double fault with flags that no processor has is the emulator's, and no other is"

# A qemu that dies $(cat deaths) times when one test has ended and another one is under way
mkdir "$scratch/bin"
cat >"$scratch/bin/qemu-system-x86_64" <<END
#!/bin/sh
echo >>"$scratch/boots"
[ "\$(wc -l <"$scratch/boots")" -le "\$(cat "$scratch/deaths")" ] ||
	exec $(command -v qemu-system-x86_64) "\$@"
for word; do
	case \$word in
	file:*) cp "$scratch/double" "\${word#file:}" ;;
	stdio,*) cat "$scratch/dying" >"\${word##*logfile=}" ;;
	esac
done
cat "$scratch/dying"
END
chmod +x "$scratch/bin/qemu-system-x86_64"

# dies TIMES OPTIONS: sets boots
dies()
{
	echo "$1" >"$scratch/deaths"
	: >"$scratch/boots"
	PATH=$scratch/bin:$PATH guest "$2" good absent roomy renames renamed debug
	boots=$(wc -l <"$scratch/boots")
}

printf '%s\n' '# test: good' 'ok 1 - fine' '1..1' '# end: good status 0 took 1.0 s' \
	'# test: absent' 'ok 1 - so far' 'ok 2 - not here # SKIP' >"$scratch/dying"
dies 1 ""
[ $status = 0 ] && [ "$boots $counts" = "2 7 passed, 0 failed, 2 skipped" ] &&
	cmp -s "$scratch/double" "$scratch/console.1" && ! grep -q Oops "$scratch/console" &&
	selftests/collect "$scratch/out.tap" | grep -q '^skipped out: absent: run again: .*3f6ca093'
ok "where the emulator made the guest die, tests that had not ended run once more ($counts)"
grep -q '^ok 1 - has the memory' "$scratch/out.tap" &&
	grep -q '^ok 1 - it sees nothing of that' "$scratch/out.tap"
ok "passed and skipped tests exit 0, and names that a test gives hosts go with it"
grep -q '^# .*a report of the emulator is left out' "$scratch/out.tap"
ok "a report with flags that no processor has is left out, and named"

dies 2 ""
[ $status = 3 ] && [ "$boots $counts" = "2 3 passed, 1 failed, 2 skipped" ]
ok "where it dies again, that is a failure ($counts)"

sed -i 's/status 0/status 1/' "$scratch/dying"
dies 1 ""
[ $status = 3 ] && [ $boots = 1 ]
ok "and so is the first death where a test has failed"

guest "--timeout 12" hangs
[ $status = 3 ] && [ "$counts" = "0 passed, 1 failed, 0 skipped" ]
ok "a guest that hangs is killed and fails ($counts)"

# As Documentation/hacking.rst does it by hand. The guest is killed when gdb has seen enough.
debugged()
{
	tools/guest/run --kernel $kernel --gdb "$scratch/gdb" \
		"$scratch/sends" >"$scratch/out.tap" 2>&1 &
	runner=$!
	text=
	for _ in $(seq 240); do
		text=$(sed -n 's/^# text //p' "$scratch/out.tap")
		[ -z "$text" ] || break
		sleep 1
	done
	timeout 240 gdb -batch -ex "add-symbol-file $build/kmod-$kernel/liquid.ko ${text:-0}" \
		-ex "target remote $scratch/gdb" -ex 'hbreak liquid_enqueue' -ex continue \
		-ex detach >"$scratch/gdb.log" 2>&1
	kill $runner
	wait $runner
	cat "$scratch/gdb.log" >>"$scratch/out.tap"
	grep -q 'hit Breakpoint 1, liquid_enqueue .*kmod/packets/pass\.c' "$scratch/gdb.log"
}
if command -v gdb >/dev/null; then
	debugged
	ok "gdb attaches to a guest and stops in the module"
else
	skip "gdb attaches to a guest" "no gdb (make deps)"
fi

# What a test's own lines leave out in all kernels and modes would never be missed.
for run in "6.1" "6.1 --icount" "6.1 --long" "6.12" "6.12 --icount"; do
	# shellcheck disable=SC2086
	tools/guest/run --kernel $run --list
done | sort -u >"$scratch/listed"
for test in selftests/kernel/*/*.sh tools/lab/selftests/*.sh; do
	[ ! -x "$test" ] || grep -qx "${test##*/}" "$scratch/listed" ||
		grep -qx '# kernels: 6.1-debug' "$test" || echo "${test##*/}"
done >"$scratch/out.tap"
[ -s "$scratch/listed" ] && [ ! -s "$scratch/out.tap" ]
ok "every test of the guest runs somewhere"
: >"$scratch/out.tap"
selftests/collect "$scratch/out.tap" >"$scratch/verdict" && status=0 || status=$?
[ $status = 1 ] && [ "$(tail -n 1 "$scratch/verdict")" = "0 passed, 1 failed, 0 skipped" ]
ok "a run that printed nothing fails"

printf '%s\n' '# test: t.sh' '1..2' '# context' 'not ok 1 - one' '# why one' 'not ok 2 - two' \
	'# why two' '# end: t.sh status 1' >"$scratch/out.tap"
selftests/collect "$scratch/out.tap" | sed 's/^ *//' | tr '\n' '|' >"$scratch/verdict"
first='FAILED out: t.sh: not ok 1 - one|# context|# why one'
second='FAILED out: t.sh: not ok 2 - two|# why two|0 passed, 2 failed, 0 skipped|'
[ "$(cat "$scratch/verdict")" = "$first|$second" ]
ok "each comment is printed once, with the failure that it follows"

finish

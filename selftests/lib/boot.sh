# SPDX-License-Identifier: GPL-2.0-only
# A root that systemd boots in a guest, where a script of the test's has the word; after tap.sh.
# shellcheck shell=sh disable=SC2154 # $scratch, $log, $build: of the test

# boot_begin: what such a test needs; else it is skipped
boot_begin()
{
	[ "$(id -u)" = 0 ] || skip_all "root is needed for a chroot"
	for program in dpkg-buildpackage dh mmdebstrap qemu-system-x86_64 cpio; do
		command -v $program >/dev/null ||
			skip_all "no $program (tools/deps/install packages)"
	done
	kernel=$(readlink -f "$build/kernels/6.1")
	release=$(cat "$kernel/release")
}

# Unless PACKAGES says where they are
build_packages()
{
	[ -z "${PACKAGES:-}" ] || return 0
	B=$scratch/build tools/packaging/deb >"$log" 2>&1
	ok "the packages are built"
	PACKAGES=$scratch/build/deb
}

in_root()
{
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive chroot "$root" "$@" </dev/null
}

# boot_modules NAME...: of the guest's kernel, into $root
boot_modules()
{
	mkdir -p "$root/lib/modules/$release"
	for module; do
		find "$kernel/root/lib/modules" -name "$module.ko" \
			-exec cp '{}' "$root/lib/modules/$release/" ';'
	done
	depmod -b "$root" "$release"
}

# boot_script UNIT...: systemd runs the script of stdin once all else, and UNITs, have started.
# The first serial port is its console. Before it comes what it reports with:
#	result NAME		the exit code before this is the result, and /tmp/log has the reason
#	until_so COMMAND...	it comes true within a minute
boot_script()
{
	{
		cat <<-'END'
		#!/bin/sh
		exec >/dev/ttyS1 2>&1
		count=0
		result()
		{
			status=$?
			count=$((count + 1))
			[ $status = 0 ] && echo "ok $count - $1" || { echo "not ok $count - $1"
				sed 's/^/# /' /tmp/log
				journalctl -b --no-pager -o cat -u 'liquid-*' | tail -n 20 |
					sed 's/^/# /'; }
		}
		until_so()
		{
			for _ in $(seq 120); do
				"$@" >/tmp/log 2>&1 && return
				sleep 0.5
			done
			return 1
		}
		END
		cat
		# shellcheck disable=SC2016 # the script's
		printf '%s\n' 'echo "1..$count"' sync 'systemctl poweroff -ff'
	} >"$root/test.sh"
	chmod +x "$root/test.sh"
	units=$root/etc/systemd/system
	printf '%s\n' '[Unit]' "After=multi-user.target $*" '[Service]' ExecStart=/test.sh \
		>"$units/boot-test.service"
	mkdir -p "$units/graphical.target.wants"
	ln -s ../boot-test.service "$units/graphical.target.wants/"
}

# boot SECONDS MIB: $root, which is gone then; the results of the script are the test's.
boot()
{
	(cd "$root" && find . -xdev | cpio -o -H newc --quiet) >"$scratch/initrd" &&
		rm -rf --one-file-system "$root"
	timeout -k 5 "$1" qemu-system-x86_64 -nodefaults -no-user-config -display none -no-reboot \
		-m "$2" -smp 2 -accel tcg -cpu Nehalem -kernel "$kernel/vmlinux" \
		-initrd "$scratch/initrd" -serial "file:$scratch/console" \
		-serial "file:$scratch/tap" -append \
		"rdinit=/sbin/init console=ttyS0 panic=-1 systemd.show_status=0 tsc=unstable
		clocksource=hpet nosoftlockup rcupdate.rcu_cpu_stall_suppress=1" \
		</dev/null >"$log" 2>&1
	tail -n 30 "$scratch/console" | tr -d '\r' >>"$log"
	tr -d '\r' <"$scratch/tap" >"$scratch/results"
	while IFS= read -r line; do
		case $line in
		"ok "*) result 0 "${line#* - }" ;;
		"not ok "*) failed=$((failed + 1)) count=$((count + 1))
			echo "not ok $count - ${line#* - }" ;;
		"#"*) printf '%s\n' "$line" ;;
		esac
	done <"$scratch/results"
	grep -q '^1\.\.' "$scratch/results"
	ok "the guest has come to its end"
}

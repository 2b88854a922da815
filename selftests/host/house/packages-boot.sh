#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The units, in a guest that systemd runs: the package of the tool is installed in a fresh root,
# that is booted, and a device gets its gate when it appears, and again when it comes back.
#
# For make check-long. Needs root and the archive. With PACKAGES=DIR the packages are there already.
# builds: guest
# timeout: 1200
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
build=$(readlink -f "${B:-build}")
. selftests/lib/tap.sh
[ "$(id -u)" = 0 ] || skip_all "root is needed for a chroot"
for program in dpkg-buildpackage dh mmdebstrap qemu-system-x86_64 cpio; do
	command -v $program >/dev/null || skip_all "no $program (tools/deps/install packages)"
done
scratch=$(mktemp -d "${TMPDIR:-/var/tmp}/liquid-boot.XXXXXX")
root=$scratch/root
trap 'rm -rf --one-file-system "$scratch"' EXIT
trap 'exit 130' HUP INT TERM
log=$scratch/log
details=$log
kernel=$(readlink -f "$build/kernels/6.1")
release=$(cat "$kernel/release")

# What systemd runs in the guest, once all else has started. The first serial port is its console.
guest_script()
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
	# until_so COMMAND...: within a minute
	until_so()
	{
		for _ in $(seq 120); do
			"$@" >/tmp/log 2>&1 && return
			sleep 0.5
		done
		return 1
	}
	gone()
	{
		[ "$(systemctl is-active liquid-attach@liq0)" = inactive ] &&
			! liquid-nl show liq0
	}
	there()
	{
		systemctl is-active liquid-attach@liq0 && liquid-nl show liq0 | grep "1 Gbit/s"
	}
	! systemctl is-active 'liquid-*' >/tmp/log
	result "nothing runs that was not enabled"
	systemctl enable liquid-attach@liq0 liquid-metrics.timer >/tmp/log 2>&1
	ip link add liq0 type dummy && ip link set liq0 up && until_so there
	result "a device that appears gets its gate, with the options of its file"
	ip link del liq0 && until_so gone
	result "the unit ends with the device"
	ip link add liq0 type dummy && ip link set liq0 up && until_so there
	result "a device that comes back gets its gate again"
	systemctl stop liquid-attach@liq0 && until_so gone
	result "a stop detaches the gate"
	systemctl start liquid-attach@liq0 && until_so there
	result "a start attaches it"
	systemctl start liquid-metrics.service >/tmp/log 2>&1 &&
		grep -q '^liquid_.*liq0' /var/lib/prometheus/node-exporter/liquid.prom
	result "its metrics are where node_exporter reads them"
	systemctl start liquid-job-metrics.service >/tmp/log 2>&1 &&
		grep -q '^liquid_jobs' /var/lib/prometheus/node-exporter/liquid-jobs.prom
	result "and so are those of jobs"
	systemctl start liquid-renew.service >/tmp/log 2>&1
	result "the leases of its jobs are renewed"
	systemctl start liquid-purge.service >/tmp/log 2>&1
	result "the records of jobs are purged"
	dpkg -i /liquid-tools.deb >/tmp/log 2>&1 && there >>/tmp/log 2>&1
	result "an upgrade of the tool leaves the gate"
	dpkg --remove liquid-tools >/tmp/log 2>&1 && tc qdisc show dev liq0 >>/tmp/log &&
		! tc qdisc show dev liq0 | grep -q liquid
	result "the gate goes with the package"
	dpkg --purge liquid-tools >/dev/null 2>&1
	! find /etc/systemd -name 'liquid*' | grep . >/tmp/log
	result "a purge leaves no unit enabled"
	echo "1..$count"
	sync
	systemctl poweroff -ff
	END
}

echo "TAP version 13"
if [ -z "${PACKAGES:-}" ]; then
	B=$scratch/build tools/packaging/deb >"$log" 2>&1
	ok "the packages are built"
	PACKAGES=$scratch/build/deb
fi
hooks=/usr/share/mmdebstrap/hooks
mmdebstrap --quiet --variant=minbase --dpkgopt='path-exclude=/usr/share/doc/*' \
	--dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/man/*' \
	--include="systemd-sysv,udev,dbus,kmod,iproute2,$PACKAGES/$(cd "$PACKAGES" &&
		ls liquid-tools_*.deb)" --hook-dir=$hooks/file-mirror-automount \
	bookworm "$root" >"$log" 2>&1
ok "a root with systemd and the package"
cp "$PACKAGES"/liquid-tools_*.deb "$root/liquid-tools.deb"
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/*
place=$root/lib/modules/$release
mkdir -p "$place" "$root/etc/liquid/attach" "$root/var/lib/prometheus/node-exporter"
cp "$(find "$kernel/root/lib/modules" -name dummy.ko)" "$build/kmod-6.1/liquid.ko" "$place/" &&
	depmod -b "$root" "$release" >"$log" 2>&1
ok "with a kernel's modules"
echo "OPTIONS=--rate 1G" >"$root/etc/liquid/attach/liq0"
sed 's|^store .*|store /var/lib/liquid|; s|^user .*|user liquid|; s|^device .*|device liq0|' \
	tools/slurm/liquid.conf >"$root/etc/liquid/liquid.conf"
in_root()
{
	env -i PATH=/usr/sbin:/usr/bin chroot "$root" "$@"
}
in_root install -d -o liquid -m 750 /var/lib/liquid /var/lib/liquid/jobs /var/lib/liquid/rounds
guest_script >"$root/test.sh" && chmod +x "$root/test.sh"
printf '%s\n' '[Unit]' 'After=multi-user.target' '[Service]' ExecStart=/test.sh \
	>"$root/etc/systemd/system/boot-test.service"
mkdir -p "$root/etc/systemd/system/graphical.target.wants" &&
	ln -s ../boot-test.service "$root/etc/systemd/system/graphical.target.wants/"
(cd "$root" && find . | cpio -o -H newc --quiet) >"$scratch/initrd" && rm -rf "$root"
timeout -k 5 900 qemu-system-x86_64 -nodefaults -no-user-config -display none -no-reboot -m 2048 \
	-smp 2 -accel tcg -cpu Nehalem -kernel "$kernel/vmlinux" -initrd "$scratch/initrd" \
	-serial "file:$scratch/console" -serial "file:$scratch/tap" -append \
	"rdinit=/sbin/init console=ttyS0 panic=-1 systemd.show_status=0 tsc=unstable
	clocksource=hpet nosoftlockup rcupdate.rcu_cpu_stall_suppress=1" </dev/null >"$log" 2>&1
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
finish

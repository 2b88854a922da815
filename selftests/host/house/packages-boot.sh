#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The units, in a guest that systemd runs: the package of the tool is installed in a fresh root,
# that is booted, and a device gets its gate when it appears, and again when it comes back.
# Its schedule without jobs; then the package goes, and nothing of it is left. packages-slurm.sh has
# jobs.
#
# For make check-long. Needs root and the archive. With PACKAGES=DIR the packages are there already.
# builds: guest
# timeout: 1200
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
build=$(readlink -f "${B:-build}")
. selftests/lib/tap.sh
. selftests/lib/boot.sh
boot_begin
scratch=$(mktemp -d "${TMPDIR:-/var/tmp}/liquid-boot.XXXXXX")
root=$scratch/root
trap 'rm -rf --one-file-system "$scratch"' EXIT
trap 'exit 130' HUP INT TERM
log=$scratch/log
details=$log

# What systemd runs in the guest, once all else has started. The first serial port is its console.
guest_script()
{
	cat <<-'END'
	node()
	{
		n=$1
		shift
		ip netns exec h$n "$@"
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
	again()
	{
		systemctl is-active liquid-schedule@liq0 && liquid-nl show liq0 | grep "for daq" &&
			! liquid-nl show liq0 | grep -F "$before"
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
	returned=0
	for _ in 1 2 3 4 5 6 7 8; do
		printf '%s\n' "link del liq0" "link add liq0 type dummy" "link set liq0 up" |
			ip -batch - && until_so there && returned=$((returned + 1))
		sleep 1
	done
	[ $returned = 8 ] && there >/tmp/log
	result "also one that is back before the unit has stopped, eight times"
	systemctl stop liquid-attach@liq0 && until_so gone && sleep 2 && gone
	result "a stop detaches the gate"
	systemctl start liquid-attach@liq0 && until_so there
	result "a start attaches it"
	systemctl start liquid-metrics.service >/tmp/log 2>&1 &&
		grep -q '^liquid_.*liq0' /var/lib/prometheus/node-exporter/liquid.prom
	result "its metrics are where node_exporter reads them"
	systemctl start liquid-job-metrics.service >/tmp/log 2>&1 &&
		grep -q '^# TYPE liquid_jobs gauge' \
			/var/lib/prometheus/node-exporter/liquid-jobs.prom
	result "and so are those of jobs, of which there are none yet"
	clockset tai 37 && systemctl start liquid-schedule@liq0 >/tmp/log 2>&1 &&
		until_so sh -c 'liquid-nl show liq0 | grep "for daq"'
	result "a schedule without jobs is in force"
	liquid-nl show liq0 >/tmp/log && grep -q lease /tmp/log
	result "with a lease"
	digest=$(sha256sum /etc/liquid/daq.json | cut -c 1-12)
	grep "for daq digest=$digest" /tmp/log && systemctl start liquid-metrics.service &&
		cat /var/lib/prometheus/node-exporter/liquid.prom >>/tmp/log &&
		grep "^liquid_schedule_info.*label=\"daq\",digest=\"$digest\"" /tmp/log
	result "and a label that shows its file, in the metrics, too"
	# Until then the schedule of the process that was killed is in force, by its lease.
	before=$(liquid-nl show liq0 | grep " base ")
	systemctl kill -s KILL liquid-schedule@liq0 && sleep 11 && until_so again
	result "it is put in force again when its process was killed"
	systemctl stop liquid-schedule@liq0 && liquid-nl show liq0 >/tmp/log &&
		! grep -q "for daq" /tmp/log
	result "a stop opens the gate"

	systemctl start liquid-renew.service >/tmp/log 2>&1
	result "the leases of its jobs are renewed"
	systemctl start liquid-purge.service >/tmp/log 2>&1
	result "the records of jobs are purged"
	dpkg -i /liquid-tools.deb >/tmp/log 2>&1 && there >>/tmp/log 2>&1
	result "an upgrade of the tool leaves the gate"
	dpkg --remove liquid-tools >/tmp/log 2>&1 && tc qdisc show dev liq0 >>/tmp/log &&
		! tc qdisc show dev liq0 | grep -q liquid
	result "the gate goes with the package"
	! systemctl is-active 'liquid-*' >/tmp/log && ! pgrep liquid-nl >>/tmp/log
	result "no unit and no process of it is left"
	dpkg --purge liquid-tools >/dev/null 2>&1
	! find /etc /lib /usr /var/lib /run -name '*liquid*' ! -path '/lib/modules/*' \
		! -path '/usr/lib/modules/*' ! -path '/run/udev/*' ! -path '/run/systemd/*' \
		! -name '*.prom' | grep . >/tmp/log
	result "a purge leaves no file, no unit and no directory"
	! getent passwd liquid >/tmp/log && ! getent group liquid >>/tmp/log
	result "and no user"
	modprobe -r liquid >/tmp/log 2>&1 && [ ! -e /sys/module/liquid ]
	result "the module can go"
	END
}

echo "TAP version 13"
build_packages
hooks=/usr/share/mmdebstrap/hooks
mmdebstrap --quiet --variant=minbase --dpkgopt='path-exclude=/usr/share/doc/*' \
	--dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/man/*' \
	--include="systemd-sysv,udev,dbus,kmod,iproute2,munge,procps,$PACKAGES/$(cd "$PACKAGES" &&
		ls liquid-tools_*.deb)" --hook-dir=$hooks/file-mirror-automount \
	bookworm "$root" >"$log" 2>&1
ok "a root with systemd and the package"
cp "$PACKAGES"/liquid-tools_*.deb "$root/liquid-tools.deb"
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/*
mkdir -p "$root/etc/liquid/attach" "$root/var/lib/prometheus/node-exporter" \
	"$root/lib/modules/$release"
cp "$build/kmod-6.1/liquid.ko" "$root/lib/modules/$release/" &&
	boot_modules dummy >"$log" 2>&1
ok "with a kernel's modules"
echo "OPTIONS=--rate 1G" >"$root/etc/liquid/attach/liq0"
sed 's|^user .*|user liquid|; s|^device .*|device liq0|' \
	tools/slurm/liquid.conf >"$root/etc/liquid/liquid.conf"
in_root install -d -o liquid -m 750 /var/lib/liquid /var/lib/liquid/jobs /var/lib/liquid/rounds
cp "$build/selftests/tools/clockset" "$root/usr/local/bin/" &&
	in_root liquid fabric make leaf-spine leaves=2 hosts=2 spines=1 \
		-o /etc/liquid/fabric >"$log" 2>&1 &&
	in_root liquid solve /etc/liquid/fabric --hosts 'h[1-4]' --link-rate 1G \
		-o /etc/liquid/daq.json >"$log" 2>&1
ok "the packaged tool has a schedule for it"
mkdir -p "$root/etc/liquid/schedule"
echo "OPTIONS=--schedule /etc/liquid/daq.json --fabric /etc/liquid/fabric --node h1" \
	"--addr-map /etc/liquid/addresses --frame-time 1ms --label daq" \
	>"$root/etc/liquid/schedule/liq0"
for n in 1 2 3 4; do
	echo "h$n 10.9.0.$n" >>"$root/etc/liquid/addresses"
done
echo "127.0.0.1 control" >>"$root/etc/hosts"
echo control >"$root/etc/hostname"
guest_script | boot_script
boot 900 2048
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A cluster's whole life with the packages: a fresh root of Debian with Slurm and munge; the
# packages are built and installed, the module by DKMS. In a guest under systemd a job of the real
# Slurm is gated by the service of the agreement, its report has what its two nodes have sent; then
# all is taken out of slurm.conf, removed and purged, and processes, units, modules and files are as
# before.
#
# The nodes are two namespaces, with a cable for Slurm's own packets and one for the exchange.
#
# For make check-long. Needs root and the archive. With PACKAGES=DIR the packages are there already.
# builds: guest
# timeout: 1800
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
build=$(readlink -f "${B:-build}")
. selftests/lib/tap.sh
. selftests/lib/boot.sh
boot_begin
unshare -m true 2>/dev/null || skip_all "no mount namespace of its own"
[ "${INSIDE:-}" ] || INSIDE=1 exec unshare -m --propagation private "$0"
scratch=$(mktemp -d "${TMPDIR:-/var/tmp}/liquid-slurm.XXXXXX")
root=$scratch/root
leave()
{
	umount -R -l "$root/proc" "$root/dev" 2>/dev/null
	rm -rf --one-file-system "$scratch"
}
trap leave EXIT
trap 'exit 130' HUP INT TERM
log=$scratch/log
details=$log
ours="liquid-tools liquid-dkms liquid-slurm"

# Kept in the root, for before and after: all files, with the contents of what packages share, but
# for what runs writes for itself, and the compiler, which the guest does without.
contents_script()
{
	cat <<-'END'
	#!/bin/sh
	cd / && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./run \
		-o -path ./tmp -o -path ./debs -o -path ./before -o -path ./root \
		-o -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./var/cache \
		-o -path ./var/log -o -path ./var/tmp \
		-o -path ./var/lib/systemd -o -path ./var/lib/slurm \
		-o -path ./var/lib/munge -o -path ./var/lib/dbus \
		-o -path ./var/spool -o -path './var/lib/dkms/mok.*' \
		-o -path ./usr/lib/gcc -o -path './usr/src/linux-*' -o -path './usr/lib/linux-*' \
		-o -name 'modules.*' -o -name '*.pyc' -o -name __pycache__ \
		-o -path ./etc/machine-id -o -path ./etc/ld.so.cache -o -name '*-' \) -prune \
		-o -print | sort
	cat /etc/passwd /etc/group /etc/shadow /etc/slurm/slurm.conf
	END
}

# ---- a cluster before it has heard of liquid ----

slurm_conf()
{
	cat <<-'END'
	ClusterName=liquid
	SlurmctldHost=control(10.77.0.254)
	SlurmUser=slurm
	StateSaveLocation=/var/spool/slurmctld
	SlurmdSpoolDir=/var/spool/slurmd.%n
	SlurmdPidFile=/run/slurmd.%n.pid
	SlurmdLogFile=/var/log/slurmd.%n.log
	SlurmctldLogFile=/var/log/slurmctld.log
	ProctrackType=proctrack/pgid
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_Core
	MpiDefault=none
	ReturnToService=2
	SlurmdParameters=config_overrides
	PrologEpilogTimeout=120
	NodeName=h1 NodeAddr=10.77.0.1 CPUs=1 RealMemory=100
	NodeName=h2 NodeAddr=10.77.0.2 CPUs=1 RealMemory=100
	PartitionName=batch Nodes=ALL Default=YES State=UP
	END
}

# A machine that is in the namespaces of node %i: a network, a host name
slurmd_unit()
{
	cat <<-'END'
	[Service]
	NetworkNamespacePath=/run/netns/%i
	ExecStart=/usr/bin/unshare --uts sh -c 'hostname %i && exec slurmd -D -N %i'
	KillMode=process
	Delegate=yes
	END
}

cluster_files()
{
	for n in 1 2; do
		echo "10.77.0.$n h$n" >>"$root/etc/hosts"
		echo "h$n 10.9.0.$n" >>"$root/etc/map"
	done
	echo "10.77.0.254 control" >>"$root/etc/hosts"
	echo control >"$root/etc/hostname"
	slurm_conf >"$root/etc/slurm/slurm.conf"
	# Nothing is confined here.
	echo CgroupPlugin=cgroup/v1 >"$root/etc/slurm/cgroup.conf"
	slurmd_unit >"$root/etc/systemd/system/node@.service"
	cp "$build/selftests/tools/alltoall" "$build/selftests/tools/clockset" \
		"$root/usr/local/bin/"
	cat >"$root/usr/local/bin/exchange" <<-'END'
	#!/bin/sh
	alltoall --map /etc/map --self "$SLURMD_NODENAME" --dscp 43 --rounds 30 --pause 300 \
		--bytes 50000 h1 h2
	status=$?
	sleep 1
	exit $status
	END
	chmod +x "$root/usr/local/bin/exchange"
	printf '%s\n' '#!/bin/sh' 'srun --ntasks-per-node=1 exchange' >"$root/home/alice/job.sh"
	install -d -o 64030 -g 64030 "$root/var/spool/slurmctld" 2>/dev/null
	mkdir -p "$root/var/spool/slurmd.h1" "$root/var/spool/slurmd.h2"
	contents_script >"$root/contents.sh"
	mkdir "$root/debs"
}

# ---- what an operator does: Documentation/operations.rst ----

liquid_conf()
{
	printf '%s\n' "fabric /etc/liquid/fabric" "addresses /etc/liquid/addresses" \
		"agree service control:6816" "user slurm" "device ib0" "frame-time 1ms" \
		"link-rate 1G" "clock off" "deadline 20s" "lead 5s" "select dscp=43" \
		"traffic exchange alltoall" "partition batch exchange"
}

slurm_lines()
{
	printf '%s\n' PrologFlags=Alloc TaskProlog=/usr/libexec/liquid/slurm/taskprolog
	for name in Prolog Epilog; do
		script=$(echo $name | tr PE pe)
		echo "$name=/usr/libexec/liquid/slurm/$script"
		echo "${name}Slurmctld=/usr/libexec/liquid/slurm/$script-slurmctld"
	done
}

guest_script()
{
	cat <<-'END'
	node()
	{
		n=$1
		shift
		ip netns exec h$n "$@"
	}
	idle()
	{
		sinfo -h -N -o %T && [ "$(sinfo -h -N -o %T | grep -cx idle)" = 2 ]
	}
	# alice submits one, which must get the number $1
	job()
	{
		(cd /home/alice && setpriv --reuid alice --regid alice --init-groups \
			sbatch --nodes 2 job.sh) >/tmp/log 2>&1 && grep -qx \
			"Submitted batch job $1" /tmp/log
	}
	over()
	{
		scontrol show job $1 | grep JobState=COMPLETED && idle
	}
	# exchanged JOB: both ranks have what the other sent
	exchanged()
	{
		cat /home/alice/slurm-$1.out
		[ "$(grep -c ': 1500000 bytes from each' /home/alice/slurm-$1.out)" = 2 ]
	}
	slurm_again()
	{
		systemctl restart slurmctld node@h1 node@h2 && until_so idle
	}
	# except for the kernel's own, and those that look
	processes()
	{
		ps -eo args= | grep -v -e '^\[' -e '^ps ' -e '^grep ' -e '^sort ' -e '^diff ' |
			sort -u
	}
	same_processes()
	{
		processes | diff /tmp/processes -
	}
	slurm_log()
	{
		tail -n 8 /var/log/slurmctld.log /var/log/slurmd.h1.log
	}
	clockset tai 37
	ip link add lqctl type bridge && ip addr add 10.77.0.254/24 dev lqctl &&
		ip link set lqctl up && ip link set lo up
	for n in 1 2; do
		ip netns add h$n && ip link add lqc$n type veth peer name ctl netns h$n &&
			ip link set lqc$n master lqctl up && node $n ip link set lo up
		node $n ip addr add 10.77.0.$n/24 dev ctl && node $n ip link set ctl up
	done
	ip link add ib0 netns h1 type veth peer name ib0 netns h2
	for n in 1 2; do
		node $n ip addr add 10.9.0.$n/24 dev ib0 && node $n ip link set ib0 up
	done
	slurm_again
	result "a Slurm of two nodes"
	slurm_log >>/tmp/log
	job 1 && until_so over 1 && exchanged 1 >/tmp/log
	result "a job runs"
	processes >/tmp/processes

	# ---- liquid ----
	modprobe liquid >/tmp/log 2>&1 && [ -e /sys/module/liquid ] &&
		modinfo -F filename liquid 2>&1 | grep /updates/dkms/ >>/tmp/log
	result "the module that DKMS has built is loaded"
	for n in 1 2; do
		node $n liquid-nl attach ib0 --rate 1G || break
	done >/tmp/log 2>&1
	result "two nodes have gates"
	install -d -o slurm -m 750 /var/lib/liquid
	systemctl enable --now liquid-job.service >/tmp/log 2>&1 &&
		until_so sh -c 'journalctl -u liquid-job | grep "serves at control:6816"'
	result "the service of jobs runs"
	cat "/proc/$(systemctl show -P MainPID liquid-job)/status" >/tmp/log
	grep -q "^Uid:	$(id -u slurm)	$(id -u slurm)" /tmp/log &&
		[ "$(grep -cE '^(Cap(Eff|Prm):.0+|NoNewPrivs:.1|Seccomp:.2)$' /tmp/log)" = 4 ]
	result "as its user, without a capability, under a filter of calls"
	cp /etc/slurm/slurm.conf /tmp/slurm.conf &&
		cat /etc/liquid/slurm.lines >>/etc/slurm/slurm.conf
	slurm_again
	result "Slurm calls the scripts of the package"
	job 2
	result "a user submits a job"
	until_so sh -c 'liquid-nl job status 2 | grep "^job 2: gated, round 2-1"'
	result "it is gated"
	for n in 1 2; do
		node $n liquid-nl show ib0
	done >/tmp/log 2>&1 && [ "$(grep -c "for job=2 round=2-1" /tmp/log)" = 2 ]
	result "by the same schedule on both nodes"
	until_so sh -c 'scontrol show job 2 | grep "AdminComment=liquid: gated, round 2-1"'
	result "Slurm knows of it"
	until_so over 2
	result "it ends"
	exchanged 2 >/tmp/log && grep -q "^liquid: job 2: gated, round 2-1" /tmp/log
	result "its ranks have what was sent to them, and its user was informed"
	journalctl -u liquid-job -o cat >/tmp/log
	grep -q "round 2-1: all 2 nodes gate" /tmp/log
	result "the nodes have agreed by the service"
	node 1 liquid-nl show ib0 >/tmp/log && node 2 liquid-nl show ib0 >>/tmp/log &&
		! grep "for job" /tmp/log && liquid-nl job status 2 | grep "^job 2: ended"
	result "the gates are open after it"
	liquid-nl job report 2 >/tmp/log 2>&1 &&
		grep -q '^  throughput  3[.][0-9]* MB in .* of the liquid throughput' /tmp/log &&
		[ "$(grep -cE '^  h[12] +[0-9.]+ [kM]bit/s' /tmp/log)" = 2 ]
	result "its report has what both nodes have sent"
	liquid-nl job report 2 --html /tmp/page.html >/tmp/log 2>&1 &&
		grep -q '<title>job 2</title>' /tmp/page.html
	result "and is a page"

	# ---- the end ----
	cp /tmp/slurm.conf /etc/slurm/slurm.conf && slurm_again
	result "Slurm calls them no more"
	for n in 1 2; do
		node $n liquid-nl detach ib0 || break
	done >/tmp/log 2>&1 && modprobe -r liquid >>/tmp/log 2>&1 && [ ! -e /sys/module/liquid ]
	result "gates and module go"
	dpkg --remove liquid-slurm liquid-dkms liquid-tools >/tmp/log 2>&1
	result "the packages are removed"
	dpkg --purge liquid-slurm liquid-dkms liquid-tools >/tmp/log 2>&1 &&
		! dpkg -l 'liquid-*' 2>&1 | grep '^.[^n] *liquid' >>/tmp/log
	result "and purged"
	job 3 && until_so over 3 && exchanged 3 >/tmp/log
	result "a job runs as before"
	rm -f /home/alice/slurm-*.out
	! systemctl list-units --all --plain --no-legend 'liquid*' 2>&1 | grep . >/tmp/log
	result "no unit is left"
	until_so same_processes
	result "processes are those that there were before"
	sh /contents.sh | diff /before - >/tmp/log && ! find /run -name '*liquid*' \
		! -path '/run/systemd/*' ! -path '/run/udev/*' | grep . >>/tmp/log
	result "and so are files, users and slurm.conf"
	END
}

echo "TAP version 13"
build_packages
mkdir "$scratch/debs"
for name in $ours; do
	cp "$PACKAGES/${name}_"*.deb "$scratch/debs/"
done
needed=$(for deb in "$scratch"/debs/*.deb; do dpkg-deb -f "$deb" Depends; done | tr ',' '\n' |
	sed 's/^ *//; s/[ (|].*//' | grep -v '^liquid-' | sort -u | paste -s -d ,)
mmdebstrap --quiet --variant=minbase --dpkgopt='path-exclude=/usr/share/doc/*' \
	--dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/man/*' \
	--include="systemd-sysv,udev,dbus,kmod,iproute2,munge,procps" \
	--include="slurmctld,slurmd,slurm-client,linux-headers-$release,$needed" \
	bookworm "$root" >"$log" 2>&1
ok "a fresh root with systemd, munge, Slurm and the kernel's headers"
mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev"
in_root useradd -m alice >"$log" 2>&1 && rm -rf "$root"/var/cache/apt/* &&
	cluster_files && boot_modules veth bridge stp llc 2>"$log" &&
	guest_script | boot_script slurmctld.service munge.service
ok "a cluster before it has heard of liquid"
in_root sh /contents.sh >"$scratch/before"
cp "$scratch"/debs/*.deb "$root/debs/"
in_root sh -c 'dpkg -i /debs/*.deb' >"$log" 2>&1
ok "the packages are installed"
in_root dkms status >"$log" 2>&1 && grep -q "^liquid/.*, $release, .*: installed" "$log"
ok "DKMS has built and installed the module"
liquid_conf >"$root/etc/liquid/liquid.conf"
cp "$root/etc/map" "$root/etc/liquid/addresses"
slurm_lines >"$root/etc/liquid/slurm.lines"
in_root liquid fabric make leaf-spine leaves=2 hosts=2 spines=1 -o /etc/liquid/fabric \
	>"$log" 2>&1
ok "its tool makes a fabric, and the configuration is written"
cp "$scratch/before" "$root/before"
umount -R -l "$root/proc" "$root/dev"
rm -rf "$root"/debs "$root"/usr/lib/gcc "$root"/usr/src/linux-* "$root"/usr/lib/linux-* \
	"$root"/var/lib/apt/lists/*
boot 1200 3072
finish

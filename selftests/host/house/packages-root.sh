#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The Debian packages: built, clean for lintian; in a fresh root installed, used, upgraded while the
# module is in use, removed and purged, and nothing is left. The module that DKMS has built there
# and the packaged tool gate packets in the guest. The RPM packages are built, and have the same
# files.
#
# For make check-long. Needs root and the archive. With PACKAGES=DIR the packages are there already.
# builds: guest
# timeout: 1800
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
build=$(readlink -f "${B:-build}")
. selftests/lib/tap.sh
[ "$(id -u)" = 0 ] || skip_all "root is needed for a chroot"
for program in dpkg-buildpackage dh lintian mmdebstrap rpmbuild; do
	command -v $program >/dev/null || skip_all "no $program (tools/deps/install packages)"
done
unshare -m true 2>/dev/null || skip_all "no mount namespace of its own"
# All mounts are in a namespace, so nothing is left mounted however this ends.
[ "${INSIDE:-}" ] || INSIDE=1 exec unshare -m --propagation private "$0"
scratch=$(mktemp -d "${TMPDIR:-/var/tmp}/liquid-packages.XXXXXX")
root=$scratch/root
leave()
{
	umount -R -l "$root" 2>/dev/null
	rm -rf --one-file-system "$scratch"
}
trap leave EXIT
trap 'exit 130' HUP INT TERM
log=$scratch/log
details=$log
version=$(sed -n 's/^VERSION := //p' Makefile)
next=9${version#?}
ours="liquid-tools liquid-dkms liquid-slurm libliquidsched0 libliquidsched-dev liquid-mpi
	liquid-sfio liquid-sfio-dev liquid-lab python3-liquidsched"

in_root()
{
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive chroot "$root" "$@" </dev/null >"$log" 2>&1
}

apt()
{
	in_root apt-get -qq -y -o APT::Install-Recommends=false -o Dpkg::Use-Pty=0 "$@"
}

# All that is there, with the contents of what is configuration, except for what package managers
# and depmod write for themselves.
contents()
{
	(cd "$root" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp \
		-o -path ./debs -o -path ./var/lib/dpkg -o -path ./var/lib/apt \
		-o -path ./var/cache -o -path ./var/log -o -name 'modules.*' \
		-o -name '*.pyc' -o -name __pycache__ -o -path './var/lib/dkms/mok.*' \
		-o -path ./etc/ld.so.cache -o -name '*-' \) -prune -o -print | sort &&
		cat etc/passwd etc/group etc/shadow) | grep -v '^\./var/lib/systemd'
}

# Names of files on stdin, without what distributions or package managers name in their own ways
same_names()
{
	sed -e "s,^/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)/,LIB/,;" \
		-e 's,^/usr/lib64/,LIB/,; s,^LIB/openmpi/lib/[^/]*/,OPENMPI/,' \
		-e 's,^/lib/systemd,/usr/lib/systemd,' \
		-e 's,^/usr/lib/python3[^/]*/[a-z]*-packages/,PYTHON/,' \
		-e 's,^/usr/share/zsh/\(vendor-completions\|site-functions\)/,ZSH/,' \
		-e 's/\.gz$//' | sort -u |
		grep -Ev '/doc/|/licenses/|/lintian/|/\.build-id/|/__pycache__/'
}

# Packages of $root/debs as those of a later version, which is as long, so in programs too
make_next()
{
	mkdir "$root/debs/next" || return
	for package in $ours; do
		tree=$scratch/next
		rm -rf "$tree"
		dpkg-deb -R "$root"/debs/${package}_*.deb "$tree" || return
		find "$tree" -type f -exec sed -i "s/${version%%.*}[.]${version#*.}/$next/g" {} +
		find "$tree" -depth -name "*$version*" | while read -r old; do
			mv "$old" "${old%/*}/$(basename "$old" | sed "s/$version/$next/")" || exit
		done || return
		# links to these
		find "$tree" -type l -lname "*$version" | while read -r link; do
			ln -sfn "$(readlink "$link" | sed "s/$version/$next/")" "$link"
		done
		dpkg-deb --root-owner-group -b "$tree" "$root/debs/next" || return
	done
}

# What is said where the module of $1 is in use
use_module()
{
	mkdir -p "$root/sys/module/liquid" && echo "$1" >"$root/sys/module/liquid/version" &&
		echo 0123456789 >"$root/sys/module/liquid/srcversion"
}

dkms_has()
{
	in_root dkms status && grep -q "^$1/$2, $release, .*: installed" "$log"
}

echo "TAP version 13"
if [ -z "${PACKAGES:-}" ]; then
	B=$scratch/build tools/packaging/deb >"$log" 2>&1
	ok "the packages are built"
	PACKAGES=$scratch/build/deb
fi
B=$scratch/build tools/packaging/rpm --nodeps >"$log" 2>&1
ok "the RPM packages are built"
find "$PACKAGES" -name '*.deb' ! -name '*-dbgsym_*' -exec dpkg -c {} ';' |
	sed -n 's/^[^d].* \.\([^ ]*\).*/\1/p' | same_names >"$scratch/deb.names"
find "$scratch/build/rpm" -name '*.rpm' ! -name '*.src.rpm' -exec rpm -qplv {} ';' 2>/dev/null |
	sed -n 's/^[^d][^/]* \(\/[^ ]*\).*/\1/p' | same_names >"$scratch/rpm.names"
[ "$(wc -l <"$scratch/deb.names")" -gt 100 ] &&
	diff "$scratch/deb.names" "$scratch/rpm.names" >"$log"
ok "they have the files of Debian's"
# They are in no archive, whose bugs they would close.
lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs \
	"$PACKAGES"/*.changes >"$log" 2>&1
ok "lintian has neither an error nor a warning"

mmdebstrap --quiet --variant=minbase --include=ca-certificates bookworm "$root" >"$log" 2>&1 &&
	cp -r /etc/apt/apt.conf.d "$root/etc/apt/" && cp /etc/resolv.conf "$root/etc/"
ok "a fresh root"
mount --bind "$root" "$root" && mount -t proc proc "$root/proc" && mount -t tmpfs tmpfs "$root/sys"
mount -t tmpfs tmpfs "$root/dev" && for node in null zero urandom random tty full; do
	cp -a /dev/$node "$root/dev/"
done && ln -s /proc/self/fd "$root/dev/fd"
mkdir "$root/debs" && cp "$PACKAGES"/*.deb "$root/debs/" && rm "$root"/debs/*-dbgsym_*
kernel=$(readlink -f "$build/kernels/6.1")
release=$(cat "$kernel/release")
apt update && apt install "linux-headers-$release" man-db gcc libc6-dev pkg-config openmpi-bin
ok "the kernel's headers are there, and what uses the packages"
# What they depend on stays when they go, as on any machine.
apt -s install $(cd "$root" && ls -d ./debs/*.deb) &&
	needed=$(sed -n 's/^Inst \([^ ]*\).*/\1/p' "$log" | grep -Fxv "$(printf '%s\n' $ours)")
# shellcheck disable=SC2086
apt install ${needed:-gcc}
ok "the packages of Debian that they depend on are there"
contents >"$scratch/before"

# shellcheck disable=SC2046
apt install $(cd "$root" && ls -d ./debs/*.deb)
ok "they are installed"
in_root liquid-nl --version && grep -qx "liquid-nl $version" "$log"
ok "the tool runs, of this version"
cp selftests/data/papers-5x5.fabric "$root/tmp/fabric" 2>/dev/null ||
	in_root liquid fabric make papers-5x5 -o /tmp/fabric
in_root liquid solve /tmp/fabric --senders 't[1-5]' --receivers 'r[1-5]' && grep -q liquid "$log"
ok "it finds a liquid schedule"
for page in 8/liquid-nl 8/liquid-nl-push 1/liquid-solve \
	7/liquid 5/liquid.conf 1/liquid-sbatch 3/libliquidsched 8/liquid-lab; do
	in_root man -w "${page%/*}" "${page#*/}" || break
done
ok "the man pages are found"
sed -n '/^\.EX$/,/^\.EE$/{ /^\.E[XE]$/d; s/\\e/\\/g; s/\\-/-/g; p; }' \
	Documentation/man/libliquidsched.3 >"$root/tmp/program.c"
in_root sh -c 'gcc /tmp/program.c $(pkg-config --cflags --libs liquidsched) -o /tmp/program &&
	/tmp/program' && grep -qx "25 transfers in 6 frames, liquid" "$log"
ok "a program is built against the library, and runs"
in_root ompi_info --param coll liquid --level 9 --parsable && grep -q '^mca:coll:liquid' "$log"
ok "Open MPI finds its component"
in_root sh -c 'LD_PRELOAD=libliquid-mpiio-openmpi.so true 2>&1' && [ ! -s "$log" ]
ok "an object to preload is found by its name"
in_root getent passwd liquid
ok "there is a user for the service of jobs"
(cd "$root/lib/systemd/system" && ls -d liquid-*) >"$scratch/units"
ls tools/packaging/systemd/*.service tools/packaging/systemd/*.timer tools/slurm/*.service |
	sed 's|.*/||' | sort | diff - "$scratch/units" >"$log"
ok "the units are there"
! find "$root/etc/systemd" -name 'liquid*' | grep . >"$log"
ok "none of them is enabled"
dkms_has liquid "$version" && dkms_has liquid-lab "$version"
ok "DKMS has built and installed both modules for the kernel of the headers"
mkdir "$scratch/guest" && cp -as "$build/." "$scratch/guest" 2>"$log" &&
	rm -f "$scratch"/guest/kmod-6.1/*.ko "$scratch/guest/liquid" "$scratch/guest/liquid-nl" &&
	cp "$root/lib/modules/$release"/updates/dkms/liquid*.ko "$scratch/guest/kmod-6.1/" &&
	cp "$root/usr/bin/liquid" "$root/usr/bin/liquid-nl" "$scratch/guest/" &&
	tools/guest/run --kernel 6.1 --icount --build "$scratch/guest" \
		selftests/kernel/gate/papers.sh </dev/null >"$log" 2>&1
ok "the module and the tool of the packages gate packets in the guest"

# ---- upgrade ----

mkdir -p "$root/etc/liquid/attach" "$root/var/lib/liquid"
echo "store /var/lib/liquid" >"$root/etc/liquid/liquid.conf"
echo "OPTIONS=--rate 100G" >"$root/etc/liquid/attach/eth1"
wants=/etc/systemd/system/sys-subsystem-net-devices-eth1.device.wants
mkdir -p "$root$wants"
ln -s /lib/systemd/system/liquid-attach@.service "$root$wants/liquid-attach@eth1.service"
make_next >"$log" 2>&1
ok "packages of another version"
use_module "$version"
# shellcheck disable=SC2046
apt install $(cd "$root" && ls -d ./debs/next/*.deb) && cp "$log" "$scratch/said"
ok "they are upgraded under a gate"
grep -q "^liquid: the module in use is of release $version, until" "$scratch/said"
ok "what is in use, and until when, is said"
in_root liquid-nl --version && grep -qx "liquid-nl $next" "$log" && dkms_has liquid "$next" &&
	! dkms_has liquid "$version"
ok "the new tool and module are there, and the old ones are not"
[ -L "$root$wants/liquid-attach@eth1.service" ] && [ -e "$root/etc/liquid/attach/eth1" ]
ok "what the site has set up stays"

# ---- the end ----

# shellcheck disable=SC2086
apt remove $ours && cp "$log" "$scratch/said"
ok "they are removed"
grep -q "^liquid: the module stays in use" "$scratch/said"
ok "that the module is in use is said"
[ "$(cat "$root/etc/liquid/liquid.conf")" = "store /var/lib/liquid" ] &&
	! find "$root"/usr "$root"/lib -xdev -path "$root/usr/share/doc" -prune -o \
		-name '*liquid*' -print | grep . >"$log"
ok "configuration stays, and nothing else"
# shellcheck disable=SC2086
in_root dpkg --purge $ours
ok "they are purged"
contents | diff "$scratch/before" - >"$log"
ok "nothing is left: no file, no unit, no user"
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What `make deps` installs is neither started nor left enabled; what was enabled before stays so.
# By the real script and real packages, in a chroot on an overlay over this host.
# timeout: 240
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
top=$PWD
. selftests/lib/tap.sh

[ "$(id -u)" = 0 ] || skip_all "root is needed for a chroot"
command -v apt-get >/dev/null || skip_all "no apt-get"
# Mounts and what is started in the chroot are gone with this process.
if [ "${1:-}" != inside ]; then
	unshare --mount --pid --fork --kill-child --mount-proc true 2>/dev/null ||
		skip_all "no namespaces"
	exec unshare --mount --pid --fork --kill-child --mount-proc "$0" inside
fi

scratch=$(mktemp -d)
trap 'umount -l "$scratch/root" 2>/dev/null; umount "$scratch"; rmdir "$scratch"' EXIT
trap 'exit 1' INT TERM
mount -t tmpfs liquid "$scratch" && mkdir "$scratch/upper" "$scratch/work" "$scratch/root" || exit 1
root=$scratch/root
details=$scratch/log
mount -t overlay -o "lowerdir=/,upperdir=$scratch/upper,workdir=$scratch/work" liquid "$root" \
	2>"$scratch/log" || skip_all "no overlay over /: $(cat "$scratch/log")"
for dir in /dev /proc; do
	mount --rbind $dir "$root$dir"
done
mount -t tmpfs liquid "$root/run" && mount -t tmpfs liquid "$root/tmp"
mkdir -p "$root$top"
mountpoint -q "$root$top" || mount --bind "$top" "$root$top"

inside()
{
	chroot "$root" "$@"
}

# opensm is what is installed; munge is there and enabled already.
purge()
{
	rm -rf "$root/var/lib/liquid-deps"
	inside dpkg --purge --force-depends opensm >"$scratch/log" 2>&1 </dev/null
	enabled >"$scratch/before"
}

enabled()
{
	find "$root/etc/systemd" -type l ! -lname /dev/null
	find "$root"/etc/rc?.d -name 'S*'
}

same()
{
	enabled >"$scratch/after"
	diff <(sort "$scratch/before") <(sort "$scratch/after") >>"$scratch/log"
}

has_opensm()
{
	[ -x "$root/usr/sbin/opensm" ]
}

policy=$root/usr/sbin/policy-rc.d
munge=$root/etc/systemd/system/multi-user.target.wants/munge.service
inside sh -c 'cd /tmp && apt-get download -qq -o APT::Sandbox::User=root opensm' >"$scratch/log" \
	2>&1 </dev/null ||
	skip_all "opensm cannot be downloaded: $(tail -n 1 "$scratch/log")"
inside dpkg-query -W munge >"$scratch/log" 2>&1 || skip_all "munge is not installed (make deps)"
mkdir -p "${munge%/*}"
ln -sf /lib/systemd/system/munge.service "$munge"
echo 'path-exclude=/usr/share/man/*' >"$root/etc/dpkg/dpkg.cfg.d/liquid-test"

echo "TAP version 13"
rm -f "$policy"
purge
inside "$top/tools/deps/install" demo >"$scratch/log" 2>&1 </dev/null
has_opensm
ok "opensm is installed"
same
ok "what starts at boot is what did before"
[ -L "$munge" ]
ok "a daemon that was enabled before still is"
[ ! -e "$policy" ]
ok "nothing forbids services afterwards"
inside "$top/tools/deps/install" demo >"$scratch/log" 2>&1 </dev/null && [ ! -s "$scratch/log" ]
ok "a second run has nothing to do"
inside apt-get install -y -qq --reinstall opensm >"$scratch/log" 2>&1 </dev/null
same
ok "a later version of the package does not enable its service"

finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The module builds inside the newest kernel's own tree, without a warning and without what serves
# older kernels, and its KUnit tests pass there, in a user-mode kernel.
#
# usage: selftests/host/house/kernel-tree.sh [FETCH_KERNELS=1: download 170 MB of sources]
# timeout: 1800
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
. selftests/lib/tap.sh
unset MAKEFLAGS MFLAGS MAKELEVEL
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/liquid

[ -n "${FETCH_KERNELS:-}" ] || skip_all "it needs the kernel's sources (make check-long)"
command -v python3 >/dev/null || skip_all "the kernel's kunit.py needs python3"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
details=$scratch/log

# The sources of the release that fetch-kernel takes for the newest
fetch()
{
	tools/guest/fetch-kernel newest >"$scratch/kernel" || return
	series=$(sed 's/^\([0-9]*\.[0-9]*\).*/\1/' "$(cat "$scratch/kernel")/release")
	(cd "$scratch" && APT_CONFIG=$cache/apt-trixie/apt.conf apt-get download -qq \
		-o APT::Sandbox::User=root "linux-source-$series") || return
	dpkg -x "$scratch"/linux-source-*.deb "$scratch/deb" || return
	mkdir "$scratch/linux"
	tar -xf "$scratch"/deb/usr/src/linux-source-*.tar.xz -C "$scratch/linux" \
		--strip-components=1 --exclude='*/drivers/gpu/*.[ch]' || return
	rm -r "$scratch/deb" "$scratch"/linux-source-*.deb
}

kunit()
{
	(cd "$scratch/linux" && timeout -k 5 1500 python3 tools/testing/kunit/kunit.py "$@") \
		>"$scratch/log" 2>&1
}

um_make()
{
	make -s -C "$scratch/linux" ARCH=um O="$scratch/um" -j"$(nproc)" "$@" >"$scratch/log" 2>&1
}

echo "TAP version 13"
fetch >"$scratch/log" 2>&1 || skip_all "$(tail -n 1 "$scratch/log")"
tools/netdev/tree "$scratch/linux" >"$scratch/log" 2>&1 &&
	tools/netdev/tree "$scratch/linux" >>"$scratch/log" 2>&1 &&
	[ "$(grep -c liquid "$scratch/linux/net/sched/Kconfig")" = 1 ]
ok "the module goes into the tree of Linux $series, also twice"
cat >"$scratch/config" <<-END
	CONFIG_KUNIT=y
	CONFIG_NET=y
	CONFIG_INET=y
	CONFIG_IPV6=y
	CONFIG_NETDEVICES=y
	CONFIG_NET_SCHED=y
	CONFIG_NET_SCH_LIQUID=y
	CONFIG_NET_SCH_LIQUID_KUNIT_TEST=y
END
kunit config --build_dir "$scratch/um" --kunitconfig "$scratch/config" &&
	grep -q '^CONFIG_NET_SCH_LIQUID=y' "$scratch/um/.config"
ok "Kconfig takes it"
um_make W=1 net/sched/liquid/ && [ ! -s "$scratch/log" ] &&
	[ -e "$scratch/um/net/sched/liquid/qdisc.o" ]
ok "it builds by W=1 without a word"
um_make && kunit exec --build_dir "$scratch/um" --timeout 120 'liquid*' &&
	grep -q 'Testing complete. Ran [1-9][0-9]* tests: passed: [0-9]*$' "$scratch/log"
ok "its KUnit tests pass"
finish

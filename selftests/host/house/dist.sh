#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# make dist: the same bytes for another user of the same commit; one version everywhere.
# builds: user
# timeout: 60
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
build=$(readlink -f "${B:-build}")
tool=$(readlink -f "${LIQUID_NL:-$build/liquid-nl}")
. selftests/lib/tap.sh
git rev-parse -q --verify HEAD >/dev/null 2>&1 || skip_all "no git checkout"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
details=$scratch/log

echo "TAP version 13"
version=$(sed -n 's/^VERSION := //p' Makefile)

# Each with a time zone, a umask and settings of git of its own
make -s B="$scratch/one" dist >"$scratch/log" 2>&1 &&
	git clone -q --no-hardlinks . "$scratch/clone" >>"$scratch/log" 2>&1 &&
	git -C "$scratch/clone" checkout -q "$(git rev-parse HEAD)" &&
	git -C "$scratch/clone" config tar.umask 0077 &&
	git -C "$scratch/clone" config core.autocrlf true &&
	(umask 077 && sleep 1 && TZ=Asia/Tokyo GZIP='' make -s -C "$scratch/clone" \
		B="$scratch/two" dist) >>"$scratch/log" 2>&1 &&
	cmp "$scratch"/one/*.tar.gz "$scratch"/two/*.tar.gz >>"$scratch/log" 2>&1
ok "the tarballs of two checkouts of a commit are the same bit for bit"

tar -tzf "$scratch/one/"*.tar.gz >"$scratch/names" 2>"$scratch/log" &&
	sed 's,^[^/]*/,,' "$scratch/names" | grep -v -e '/$' -e '^$' | sort >"$scratch/have" &&
	git ls-tree -r --name-only HEAD | sort | diff - "$scratch/have" >"$scratch/log"
ok "the tarball has each file of the commit, and no other"

"$tool" --version >"$scratch/log" 2>&1
grep -qx "liquid-nl $version" "$scratch/log"
ok "the tool has the version of the Makefile"
grep -H '^MODULE_VERSION(' kmod/main.c tools/lab/kmod/main.c >"$scratch/log"
[ "$(grep -c ":MODULE_VERSION(\"$version\");$" "$scratch/log")" -eq 2 ]
ok "the modules have the version of the Makefile"
finish

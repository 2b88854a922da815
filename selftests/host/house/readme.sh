#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What README.md shows: its commands work, and print what it says; those of a gate in a guest. And
# what the pages for readers of the source name: files, tests, targets of make.
# builds: user guest
# timeout: 240
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
build=$(readlink -f "${B:-build}")
tool=$(readlink -f "${LIQUID_NL:-$build/liquid-nl}")
top=$PWD
kernel=6.1
. selftests/lib/tap.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
details=$scratch/log

# Block number $2 of those whose fence says $1
block()
{
	awk -v kind="$1" -v wanted="$2" '
		$0 == "```" kind && !inside { inside = 1; count++; next }
		$0 == "```" { inside = 0 }
		inside && count == wanted' README.md
}

# The solver's time differs from run to run. All else is compared literally.
steady()
{
	sed 's/^time .*/time/'
}

# The commands of a block as a script that ends where one fails
script()
{
	echo "set -e"
	block "$1" "$2"
}

[ -x "$tool" ] || skip_all "liquid-nl is not built (make user)"
echo "TAP version 13"
mkdir "$scratch/bin" "$scratch/work"
ln -s "$tool" "${tool%-nl}" "$scratch/bin/"

n=1
while [ -n "$(block console $n)" ]; do
	for target in $(block console $n | sed -n 's/^make //p'); do
		make help >"$scratch/log" 2>&1
		grep -q "^  make $target " "$scratch/log"
		result $? "make help knows 'make $target'"
	done
	n=$((n + 1))
done
[ $n -gt 2 ]
result $? "README.md has its commands of make"

packages=$(awk '/^\[/ { inside = $1 == "[install]"; next }
	inside && NF { print $1 }' tools/deps/packages)
for package in ${packages:-none}; do
	grep -q "\`$package\`" README.md || echo "$package"
done >"$scratch/log"
[ ! -s "$scratch/log" ]
result $? "README.md names the packages that make install needs"

n=1
while [ -n "$(block sh $n)" ]; do
	script sh $n >"$scratch/block"
	(cd "$scratch/work" && PATH=$scratch/bin:$PATH sh "$scratch/block") >"$scratch/log" 2>&1
	result $? "block $n runs"
	block text $n | steady >"$scratch/wanted"
	steady <"$scratch/log" | diff -u "$scratch/wanted" - >"$scratch/diff"
	status=$?
	mv "$scratch/diff" "$scratch/log"
	result $status "block $n prints what README.md says"
	n=$((n + 1))
done
[ $n -gt 2 ]
result $? "README.md has its blocks"

for file in $(grep -oE '\]\([A-Za-z][^):]*\)' README.md | tr -d '])('); do
	[ -e "$file" ]
	result $? "README.md leads to $file"
done

# Words of page $1 that are marked as literals and look like paths, as in ``kmod/queue.c``
paths()
{
	grep -oE '``[^`]+``' "$1" | tr -d '`' |
		grep -E '^[a-z.][A-Za-z0-9_.*-]*/[A-Za-z0-9_./*-]*$' |
		grep -vE 'NAME|^(build|updates|liquid)/' |
		sort -u
}

# Below the top, or below one of its parts
exists()
{
	for place in . kmod user/engine user/engine/solve user/tool user/liquid \
		user/liquid-nl user/mpi user/mpiio user/sfio tools \
		selftests selftests/host "selftests/host/*" Documentation; do
		# shellcheck disable=SC2086 # a pattern
		ls -d $place/$1 >/dev/null 2>&1 && return
	done
	return 1
}

for page in index hacking threat-model guest timing locking netlink papers; do
	paths Documentation/$page.rst >"$scratch/paths"
	while read -r path; do
		exists "$path" || echo "$page.rst: no $path"
	done <"$scratch/paths"
	grep -oE '<[a-z./-]*\.rst>`_' Documentation/$page.rst | tr -d '<>`_' |
		while read -r link; do
		[ -e "Documentation/$link" ] || echo "$page.rst leads to $link"
	done
done >"$scratch/log"
[ ! -s "$scratch/log" ]
result $? "every file that the pages name is there"
[ "$(paths Documentation/hacking.rst | wc -l)" -gt 20 ]
result $? "hacking.rst names files"

make help >"$scratch/help" 2>&1
grep -oE '``make [a-z][a-z-]*|^ +make [a-z][a-z-]*' Documentation/hacking.rst CONTRIBUTING.md |
	sed 's/.*make //' | sort -u |
	while read -r target; do
		grep -q "^  make $target " "$scratch/help" ||
			echo "make help does not know 'make $target'"
	done >"$scratch/log"
[ ! -s "$scratch/log" ]
result $? "make help knows the targets of hacking.rst"

# T= of `make test`: a unit test, a script, or one of the guest's or of the lab
for name in $(grep -oE 'T=[a-z/.-]+' Documentation/hacking.rst | sed 's/^T=//' |
	grep -v '[-/]$' | sort -u); do
	ls selftests/unit/*/test-"${name#test-}".c >/dev/null 2>&1 ||
		ls selftests/host/*/"$name".sh >/dev/null 2>&1 || [ -x "selftests/$name" ] ||
		[ -x "tools/lab/selftests/$name.sh" ] || echo "no test '$name'"
done >"$scratch/log"
[ ! -s "$scratch/log" ]
result $? "every test that hacking.rst names is there"

# Lists of libliquidsched(3): structs with a size, structs that never change, functions that free
header=$top/user/engine/liquidsched.h
page=$top/Documentation/man/libliquidsched.3
names()
{
	grep -o 'liquid_[a-z_]*' | sort -u
}
{
	sed -n 's|.*/. set to sizeof(struct \(liquid_[a-z_]*\)).*|\1|p' "$header" | names
	sed -n '/Elements of arrays/,/never change/p' "$header" | names
	sed -n 's/^void \(liquid_[a-z_]*_free\)(.*/\1/p' "$header" | names
} >"$scratch/header"
{
	sed -n '/^A struct that the caller makes/,/^begins with/p' "$page" | names
	sed -n '/^Structs that are elements/,/never change/p' "$page" | names
	sed -n '/^Each object is freed/,/^They accept/p' "$page" | names
} >"$scratch/page"
diff "$scratch/header" "$scratch/page" >"$scratch/log"
result $? "libliquidsched(3) has the structs and functions of the header"

# A device eth0, the files of the blocks before, and the clock of a disciplined node
cat >"$scratch/readme-gate.sh" <<'END'
#!/bin/sh
cd /liquid || exit 1
echo "TAP version 13"
clockset tai 37
insmod /liquid/liquid.ko || echo "not ok - liquid.ko loads"
modprobe dummy
ip link add eth0 type dummy && ip link set eth0 up
if sh -ex /liquid/gate-block >/liquid/log 2>&1; then
	echo "ok 1 - the block of the gate runs"
else
	echo "not ok 1 - the block of the gate runs"
	sed 's/^/# /' /liquid/log
fi
grep -q '^  admin  6 frames of 1 ms' /liquid/log && echo "ok 2 - the schedule is shown" ||
	echo "not ok 2 - the schedule is shown"
echo "1..2"
END
chmod +x "$scratch/readme-gate.sh"
script "sh gate" 1 >"$scratch/gate-block"
if command -v qemu-system-x86_64 >/dev/null && [ -e "$build/guest/base-$kernel.cpio" ]; then
	set --
	for file in gate-block work/papers.fabric work/papers.schedule work/addresses; do
		set -- "$@" --add "$scratch/$file"
	done
	B=$build "$top/tools/guest/run" --kernel $kernel --timeout 180 "$@" \
		"$scratch/readme-gate.sh" \
		>"$scratch/log" 2>&1
	for line in 1 2; do
		grep -q "^ok $line - " "$scratch/log"
		result $? "$(sed -n "s/.*ok $line - //p" "$scratch/log" | head -n 1) (guest)"
	done
else
	skip "the block of the gate" "no guest is built (make guest)"
fi
finish

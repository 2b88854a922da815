#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What packages are made of: systemd takes the units, the versions and licences are the sources'.
# The packages themselves: packages-root.sh, packages-boot.sh, packages-slurm.sh.
# builds: user
# timeout: 60
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
build=$(readlink -f "${B:-build}")
tool=$(readlink -f "${LIQUID_NL:-$build/liquid-nl}")
. selftests/lib/tap.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
log=$scratch/log
details=$log
packaging=tools/packaging
version=$(sed -n 's/^VERSION := //p' Makefile)

echo "TAP version 13"
mkdir "$scratch/bin"
ln -s "$tool" "$scratch/bin/liquid-nl"
make -s B="$build" UNITDIR="$scratch/units" PREFIX="$scratch" BINDIR="$scratch/bin" install-units \
	>"$log" 2>&1 && for unit in attach schedule; do
	cp "$scratch/units/liquid-$unit@.service" "$scratch/units/liquid-$unit@eth1.service" || exit
done
ok "the units are installed"
units=$(cd "$scratch/units" && ls | grep -v '@\.')

# Each command of a unit, with its options, as its own help has them
unknown_options()
{
	sed -n 's/^Exec[A-Za-z]*=-\{0,1\}[^ ]*liquid-nl //p' "$scratch"/units/*.service |
	while read -r command sub rest; do
		case $command in
		job) set -- job "$sub" ;;
		*) set -- "$command" ;;
		esac
		"$tool" "$@" --help >"$scratch/help" 2>&1 || echo "no command $*"
		for option in $(echo " $sub $rest" | grep -oE ' --?[a-z][a-z-]*'); do
			grep -qE -- "(^| )$option( |,|$)" "$scratch/help" || echo "$*: no $option"
		done
	done
}

unknown_options >"$log"
[ ! -s "$log" ]
ok "the tool has the commands and options of the units"
if command -v systemd-analyze >/dev/null; then
	(cd "$scratch/units" && for unit in $units; do
		systemd-analyze verify --man=no "./$unit" || echo "$unit: $?"
	done) >"$log" 2>&1
	[ ! -s "$log" ]
	ok "systemd takes each unit"
	# Of 10, which has no bounds. What asks the subnet manager is the site's.
	(cd "$scratch/units" && for unit in $units; do
		case $unit in
		*.timer) continue ;;
		liquid-sweep.service) bound=80 ;;
		*) bound=30 ;;
		esac
		systemd-analyze security --offline=yes --threshold=$bound "./$unit" \
			>"$scratch/one" || tail -n 1 "$scratch/one"
	done) >"$log" 2>&1
	[ ! -s "$log" ]
	ok "each service is confined"
else
	skip "systemd takes each unit" "no systemd-analyze"
	skip "each service is confined" "no systemd-analyze"
fi

sed -n '1s/^liquid (\(.*\)-[0-9]*) .*/\1/p' $packaging/debian/changelog >"$log"
sed -n 's/^Version: *//p' $packaging/liquid.spec >>"$log"
[ "$(grep -cFx "$version" "$log")" = 2 ]
ok "the packages have the version of the Makefile"

# The licence that debian/copyright has for file $1: the last pattern that it matches
licence_of()
{
	found=
	while read -r pattern licence; do
		# shellcheck disable=SC2254 # a pattern
		case $1 in
		$pattern) found=$licence ;;
		esac
	done <"$scratch/patterns"
	echo "$found"
}
awk '/^Files:/ { patterns = "" } /^Files:|^ [^ ]*[*\/.][^ ]*$/ { patterns = patterns " " $NF }
	/^License:/ && patterns { sub(/^License: /, ""); n = split(patterns, p, " ")
		for (i = 1; i <= n; i++) print p[i], $0; patterns = "" }' \
	$packaging/debian/copyright >"$scratch/patterns"
{ git ls-files 2>/dev/null || find . -path "./${build##*/}" -prune -o -type f -print |
	sed 's|^\./||'; } | xargs grep -m 1 -oE '^.{0,6}SPDX-License-Identifier: .*' 2>/dev/null |
	sed -e 's/:[^:]*SPDX-License-Identifier: /|/' -e 's| *\*/$||; s| *-->$||' >"$scratch/spdx"
while IFS='|' read -r file licence; do
	case $licence in
	*"OR BSD-3-Clause"*) licence="exception or BSD-3-Clause" ;;
	*"WITH Linux"*) licence="with Linux-syscall-note exception" ;;
	esac
	case $(licence_of "$file") in
	*"$licence") ;;
	*) echo "$file: $licence" ;;
	esac
done <"$scratch/spdx" >"$log"
[ ! -s "$log" ] && [ "$(wc -l <"$scratch/spdx")" -gt 500 ]
ok "debian/copyright says of each file what the file says"
finish

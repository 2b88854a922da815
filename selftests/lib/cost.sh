# SPDX-License-Identifier: GPL-2.0-only
# Instructions, as callgrind counts them, against those recorded. A test defines count(), which
# prints the thousands of instructions of the case $1, with what its program says in the files said
# and log.
# shellcheck shell=dash

COST_PERCENT=10

cost_skip()
{
	echo "1..0 # SKIP $1"
	exit 4
}

# cost_start PROGRAM TARGET: skip where the counts of PROGRAM, which `make TARGET` builds, are not
# comparable; else go to an empty directory.
cost_start()
{
	[ -x "$1" ] || cost_skip "no $1; \`make $2\` builds it"
	command -v valgrind >/dev/null || cost_skip "no valgrind"
	[ "$(uname -m)" = x86_64 ] || cost_skip "the counts are those of amd64"
	case $(readelf -p .comment "$1") in
	*"Debian 12"*) ;;
	*) cost_skip "the counts are those of Debian 12's compiler" ;;
	esac
	cost_work=$(mktemp -d) || exit 1
	trap 'rm -rf "$cost_work"' EXIT
	cd "$cost_work" || exit 1
}

# cost_update RECORD
cost_update()
{
	while read -r name recorded; do
		now=$(count "$name") || { cat log >&2; exit 1; }
		echo "$name: $recorded -> $now" >&2
		echo "$name $now"
	done <"$1" >record
	cat record >"$1"
}

# cost_compare RECORD [CLAIM]: a result a case; CLAIM is what else its count() makes sure of
cost_compare()
{
	echo "TAP version 13"
	number=0
	failed=0
	while read -r name recorded; do
		number=$((number + 1))
		most=$((recorded + recorded * COST_PERCENT / 100))
		what="$number - $name: ${2:+$2 in }at most $most thousand instructions"
		if ! now=$(count "$name"); then
			echo "not ok $what"
			cat said log | sed 's/^/# /'
			failed=1
		elif [ "$now" -gt "$most" ]; then
			echo "not ok $what"
			more=$((100 * (now - recorded) / recorded))
			echo "# $now thousand: $more % more than recorded"
			failed=1
		else
			echo "ok $what"
			echo "# $now thousand, recorded $recorded"
		fi
	done <"$1"
	echo "1..$number"
	return $failed
}

# cost_main RECORD CLAIM [--update]
cost_main()
{
	if [ "${3:-}" = --update ]; then
		cost_update "$1"
	else
		cost_compare "$1" "$2"
	fi
}

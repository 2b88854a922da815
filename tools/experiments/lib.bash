# SPDX-License-Identifier: GPL-2.0-only
# What the experiments have in common: options, a CSV that a rerun goes on with, progress, pictures.
# shellcheck shell=bash disable=SC2034 # for who sources this

here=$(dirname "$(readlink -f "$0")")
top=$(readlink -f "$here/../..")
mkdir -p "${B:-build}"
build=$(readlink -f "${B:-build}")
liquid_nl=${LIQUID_NL:-$build/liquid-nl}
name=${0##*/}
quick=
rest=()
declare -A done_rows=()
progress_at=-1

die()
{
	echo "$name: $*" >&2
	exit 1
}

# Options that all experiments have; the others are left in rest.
for word; do
	case $word in
	--quick) quick=1 ;;
	-h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 0 ;;
	*) rest+=("$word") ;;
	esac
done
[ -x "$liquid_nl" ] || die "no $liquid_nl: make user"

# A quick run is kept apart from a whole one.
out=$build/experiments/$name${quick:+-quick}
mkdir -p "$out"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

# open_csv FILE KEYS COLUMNS SETTINGS: go on with $out/FILE, whose rows are known by their first
# KEYS columns. With other columns or settings than those of the last run it begins anew. Sets csv.
open_csv()
{
	local keys=$2 row settings=$out/.$1.settings

	csv=$out/$1
	done_rows=()
	progress_at=-1
	if [ "$(cat "$settings" 2>/dev/null)" != "$3 $4" ] || [ ! -s "$csv" ]; then
		echo "$3" >"$csv"
		echo "$3 $4" >"$settings"
		return
	fi
	# a run that was stopped may have left a part of a line
	[ -z "$(tail -c 1 "$csv")" ] || sed -i '$d' "$csv"
	while IFS= read -r row; do
		done_rows[$(cut -d, -f"1-$keys" <<<"$row")]=$row
	done < <(tail -n +2 "$csv")
}

# The keys joined by commas
is_done()
{
	[ -n "${done_rows[$1]:-}" ]
}

add_row()
{
	echo "$1" >>"$csv"
}

# progress DONE ALL WHAT: on a terminal as it goes, else a line each tenth
progress()
{
	if [ -t 2 ]; then
		printf '\r  %-10s %d of %d  %-40s' "$name" "$1" "$2" "$3" >&2
		[ "$1" != "$2" ] || echo >&2
	elif [ $(($1 * 10 / $2)) != $progress_at ]; then
		progress_at=$(($1 * 10 / $2))
		echo "  $name: $1 of $2 $3" >&2
	fi
}

# picture SCRIPT FILE [ASSIGNMENT]...: $out/FILE.svg and .png by gnuplot from $here/SCRIPT
picture()
{
	local script=$1 file=$2 before="" word
	shift 2

	for word; do
		before="$before $word;"
	done
	command -v gnuplot >/dev/null ||
		die \
		"gnuplot is not installed, which draws the pictures: apt-get install gnuplot-nox"
	gnuplot -d -e "$before set terminal svg noenhanced size 960,540 font 'Arial,13' background rgb 'white';
		set output '$out/$file.svg'" "$here/$script" || die "gnuplot failed on $script"
	gnuplot -d -e "$before set terminal pngcairo noenhanced size 960,540 font 'Arial,10';
		set output '$out/$file.png'" "$here/$script" || die "gnuplot failed on $script"
	echo "  $out/$file.svg" >&2
}

# The patterns of Swiss-T1, a line each (patterns.c); with --quick one in 24
list_patterns()
{
	[ -x "$build/experiments/patterns" ] ||
		die "no $build/experiments/patterns: make experiment-programs"
	"$build/experiments/patterns" | awk -v every="${quick:+24}" '!every || NR % every == 2'
}

# The value of a number in JSON of one level. json_number KEY FILE
json_number()
{
	sed -n "s/.*\"$1\": *\([-+.0-9eE]*\).*/\1/p" "$2" | head -n 1
}

# Of awk, with which the rows of guests become rows of a CSV: read_patterns sets nodes and duration
# by number; take_row sets order, value by key, and time by order; judge_row tells bad what is wrong
# with that run, of which so much was expected, and sets idle to the least of a pattern.
guest_rows='
	function read_patterns(file,	line, field) {
		while ((getline line <file) > 0) {
			split(line, field, ",")
			nodes[field[1]] = field[3]
			duration[field[1]] = field[4]
		}
	}
	function take_row(	i) {
		order = $3
		split("", value)
		for (i = 4; i < NF; i += 2)
			value[$i] = $(i + 1)
		time[order] = value["ns"] > 0 ? value["ns"] : 1e18
	}
	function judge_row(expected) {
		if (expected == "" || value["arrived"] != expected)
			bad = bad " " order ":lost"
		if (value["corrupt"] + value["errors"] + value["failed"] + value["faults"] + value["drops"])
			bad = bad " " order ":faults"
		if (value["idle_permille"] < 500)
			bad = bad " " order ":busy"
		if (idle == "" || value["idle_permille"] < idle)
			idle = value["idle_permille"]
	}
	function verdict() {
		return bad == "" ? "ok" : substr(bad, 2)
	}
'

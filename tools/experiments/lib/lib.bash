# SPDX-License-Identifier: GPL-2.0-only
# Common parts of the experiments: options, a CSV that a second run continues, progress, pictures.
# shellcheck shell=bash disable=SC2034 # used by the scripts that source this

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

# Take the options that all experiments have; others stay in rest.
for word; do
	case $word in
	--quick) quick=1 ;;
	-h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 0 ;;
	*) rest+=("$word") ;;
	esac
done
[ -x "$liquid_nl" ] || die "no $liquid_nl: make user"

# Results of a quick run have a directory of their own.
out=$build/experiments/$name${quick:+-quick}
mkdir -p "$out"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

# open_csv FILE KEYS COLUMNS SETTINGS: continue $out/FILE, whose rows are identified by their first
# KEYS columns; start again if columns or settings differ from those of the last run. Sets csv.
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
	# A run that was stopped may have left an incomplete line
	[ -z "$(tail -c 1 "$csv")" ] || sed -i '$d' "$csv"
	while IFS= read -r row; do
		done_rows[$(cut -d, -f"1-$keys" <<<"$row")]=$row
	done < <(tail -n +2 "$csv")
}

# is_done KEY,...: does the CSV have this row?
is_done()
{
	[ -n "${done_rows[$1]:-}" ]
}

add_row()
{
	echo "$1" >>"$csv"
}

# progress DONE ALL WHAT: show progress, on a terminal in place, else as a line per tenth
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

# picture SCRIPT FILE [ASSIGNMENT]...: draw $out/FILE.svg and .png by gnuplot with plots/SCRIPT
picture()
{
	local script=$here/plots/$1 file=$2 before="" word
	shift 2

	for word; do
		before="$before $word;"
	done
	command -v gnuplot >/dev/null ||
		die "pictures need gnuplot: apt-get install gnuplot-nox"
	before="$before set terminal"
	gnuplot -d -e "$before svg noenhanced size 960,540 font 'Arial,13' background rgb 'white'" \
		-e "set output '$out/$file.svg'" "$script" || die "gnuplot failed on $script"
	gnuplot -d -e "$before pngcairo noenhanced size 960,540 font 'Arial,10'" \
		-e "set output '$out/$file.png'" "$script" || die "gnuplot failed on $script"
	echo "  $out/$file.svg" >&2
}

# awk of the lines of patterns that are taken: all, or with every=24 those of --quick
chosen='!every || NR % every == 2'

# Print the patterns of Swiss-T1, one per line (patterns.c); with --quick every 24th.
list_patterns()
{
	[ -x "$build/experiments/patterns" ] ||
		die "no $build/experiments/patterns: make experiment-programs"
	"$build/experiments/patterns" | awk -v every="${quick:+24}" "$chosen"
}

# json_number KEY FILE: print a number from JSON
json_number()
{
	sed -n "s/.*\"$1\": *\([-+.0-9eE]*\).*/\1/p" "$2" | head -n 1
}

# awk that takes each line of a guest as it comes: mawk reads a pipe in blocks.
awk_lines()
{
	if [[ $(awk -W version 2>&1 </dev/null) = mawk* ]]; then
		awk -W interactive "$@"
	else
		awk "$@"
	fi
}

# awk functions for the rows of guests. read_patterns() sets nodes and duration by number.
# take_row() sets order, value by key, and time by order. judge_row() adds faults of the run to bad,
# which has `expected` arrivals if all is well, and sets idle to the least value of the pattern.
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
		if (value["corrupt"] + value["errors"] + value["failed"] + value["faults"] +
		    value["drops"])
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

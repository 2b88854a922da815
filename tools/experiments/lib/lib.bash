# SPDX-License-Identifier: GPL-2.0-only
# Common parts of the experiments: options, a CSV that a second run continues, progress, pictures.
# shellcheck shell=bash disable=SC2034 # used by the scripts that source this

here=$(dirname "$(readlink -f "$0")")
top=$(readlink -f "$here/../..")
mkdir -p "${B:-build}"
build=$(readlink -f "${B:-build}")
liquid=${LIQUID:-$build/liquid}
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
[ -x "$liquid" ] || die "no $liquid: make user"

# Results of a quick run have their own directory.
out=$build/experiments/$name${quick:+-quick}
mkdir -p "$out"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

# take_parts PART...: run the functions of these names that the arguments ask for, or all
take_parts()
{
	local part parts=("${rest[@]}")

	[ ${#parts[@]} -gt 0 ] || parts=("$@")
	for part in "${parts[@]}"; do
		[[ " $* " = *" $part "* ]] || die "no argument '$part'"
	done
	for part in "${parts[@]}"; do
		"$part"
	done
}

# needs FILE TARGET: a file of the build
needs()
{
	[ -e "$build/$1" ] || die "no $build/$1: make $2"
}

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

# picture WHAT FILE [ASSIGNMENT]...: draw $out/FILE.svg by lib/pictures.gp, from $csv
picture()
{
	local what=$1 file=$2 before="csv='$csv';" word
	shift 2

	for word; do
		before="$before $word;"
	done
	command -v gnuplot >/dev/null ||
		die "pictures need gnuplot: apt-get install gnuplot-nox"
	before="$before what='$what'; set terminal svg noenhanced size 960,540 font 'Arial,13'"
	gnuplot -d -e "$before background rgb 'white'; set output '$out/$file.svg'" \
		"$here/lib/pictures.gp" || die "gnuplot failed on $what"
	echo "  $out/$file.svg" >&2
}

# Least, median and greatest of lines "NAME VALUE", by name
spread()
{
	sort -k1,1 -k2,2g | awk '
		function show() {
			if (n)
				printf "  %-26s least %.3f, median %.3f, most %.3f\n", last,
					value[1], value[int((n + 1) / 2)], value[n]
			n = 0
		}
		$1 != last { show(); last = $1 }
		{ value[++n] = $2 }
		END { show() }'
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

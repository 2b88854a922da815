#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Documentation/benchmarks.rst has the rows of tools/bench/rows, and the lengths that they give.
#
# builds: user bench-programs
# timeout: 300

top=$(readlink -f "$(dirname "$(readlink -f "$0")")/../../..")
export B=${B:-$top/build}
. "$top/selftests/lib/tap.sh"
for program in "$B/liquid" "$B/bench/solve-fabric" "$B/bench/swiss-t1" jq cbc glpsol cadical; do
	command -v "$program" >/dev/null || skip_all "no $program (make deps, user, bench-programs)"
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
details=$work/text
cd "$work" || exit 1
page=$top/Documentation/benchmarks.rst

# Command, by, transfers, bound and length of each row of a table, without their "!"
rows()
{
	sed 's/!//g' "$1" | awk -F'  +' '
		$(f = $1 == "" ? 2 : 1) ~ \
			/^(solve-fabric|swiss-t1|peers|te-ccl|two-hops|change) / &&
		$(f + 1) != "highs" {
			print $f "  " $(f + 1) "  " $(f + 2) "  " $(f + 3) "  " $(f + 4)
		}'
}

echo "TAP version 13"
diff -u <(grep -v '^#' "$top/tools/bench/rows" | cut -d'|' -f4) \
	<(rows "$page" | awk -F'  ' '$1 != last { print last = $1 }') >text
ok "the page has the rows of tools/bench/rows"
"$top/tools/bench/run" --runs 1 --below 0.2 >table 2>text
[ "$(rows table | wc -l)" -ge 40 ] && ! grep -q failed table
ok "rows that take less than 0.2 s: $(rows table | wc -l)"
rows table >found
rows "$page" | awk -F'  ' 'NR == FNR { run[$1] = 1; next } $1 in run' found - |
	diff -u - found >text
ok "they are found by the same members, in as many frames, as the page says"
awk -F'  +' '/^    solve-fabric/ { n++
	for (i = split($NF, part, " "); i > 1; i -= 2) sum[n] += part[i] }
	END { for (i = 1; i <= n; i++) bad += sum[i] && (sum[i] < 90 || sum[i] > 105)
		exit !n || bad }' table
ok "the members of auto share out the work"
printf '%s|solve-fabric x,9,8,8,9,gap,0.2,0.2,90,0,0,twins,twins 100 \n' \
	'solve-fabric x|0|0.1|80' | sed 's/|solve-fabric x,/|auto,/' |
	awk -F'|' -f "$top/tools/bench/run.awk" >text
grep -q '9!  *0.2000!  .* 90!' text && grep -qx '3 figures miss their bars (!)' text
ok "what misses a bar is marked"
echo "1..$count"
[ $failed -eq 0 ]

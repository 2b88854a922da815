#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid solve --list: the papers' examples, whose teams and simultaneities are counted by hand.
. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

"$liquid" fabric make papers-5x5 -o papers >text 2>&1 &&
	"$liquid" fabric make swiss-t1 -o swiss >text 2>&1
ok "two fabrics of the papers"

# Fig. 28 of the thesis. A team has one of the 6 transfers over l_ab and one of the 6 over l_ba.
# the rest behind a is 2 senders and 2 receivers, in 2 ways; behind b it is 1 and 1: 6 * 6 * 2.
# Other full simultaneities stay behind their switches: 3! * 2!.
prints 0 "*" solve papers --list teams -o teams
[ "$(wc -l <teams)" = 72 ] && [ "$(sort teams | uniq | wc -l)" = 72 ] &&
	grep -q '^full teams *72$' text && grep -q '^simultaneities *84, full ones$' text &&
	grep -q '^transfers *25, 12 of them in the skeleton$' text && grep -q '^duration *6$' text
ok "the papers' network has 72 full teams, and 84 full simultaneities"
[ "$(grep -cE 't[123]>r[45]' teams)" = 72 ] && [ "$(grep -cE 't[45]>r[123]' teams)" = 72 ]
ok "each uses both bottlenecks"
sed -nE 's/^(categories| ) *([0-9]+) .*/\2/p' text >counts
[ "$(wc -l <counts)" = 4 ] && sort -rnu counts | cmp -s - counts
ok "each search goes through fewer categories than the one before"
prints 0 "*" solve papers --list simultaneities -o all
[ "$(wc -l <all)" = 84 ] && [ "$(sort teams all | uniq -d | wc -l)" = 72 ] &&
	sort teams all | uniq -u | awk '
		/t[123]>r[45]/ || /t[45]>r[123]/ { bad = 1 }
		NF != 5 { bad = 1 }
		END { exit bad || NR != 12 }'
ok "the 12 others use no bottleneck"

# Appendix E: each frame of Fig. 35 is a full team of the rest from it on.
published='14 22 33 41 55,15 21 42 54,13 24 31 45 52,12 23 34 51,11 25 32 43,35 44 53'
as_transfers()
{
	echo "$1" | sed -E 's/([1-5])([1-5])/t\1>r\2/g'
}
is_full_team_of_the_rest()
{
	as_transfers "$2" | tr ', ' '\n\n' | tr '>' ' ' >rest
	"$liquid" solve papers --traffic rest --list teams 2>text |
		grep -qxF "$(as_transfers "$1")"
}
right=0
rest=$published
while [ "$rest" ]; do
	is_full_team_of_the_rest "${rest%%,*}" "$rest" && right=$((right + 1))
	[[ $rest == *,* ]] && rest=${rest#*,} || rest=
done
[ $right = 6 ]
ok "the six frames of the published schedule are full teams of the rest"
! is_full_team_of_the_rest '14 22 41 55' "$published"
ok "the first frame without t3>r3 is not a full one"
! is_full_team_of_the_rest '11 22 33 44 55' "$published"
ok "one that leaves the bottlenecks idle is not a team"

# Fig. 36 and 37: three transfers over a ring, of which each takes two links. No team.
ring 1 >ring
printf 't1 r1\nt2 r2\nt3 r3\n' >three
prints 0 "*full teams      0*simultaneities  3, *" solve ring --traffic three --list teams -o none
[ ! -s none ]
ok "a traffic without a team has an empty list"
printf 't1 r1\nt3 r3\n' >two
prints 0 "t1>r1*full teams      2*" solve ring --traffic two --list teams

# ---- JSON ----
prints 0 '{"teams":\[*\],"fabric":"papers-5x5",*"full_teams":72,*"complete":true}' solve papers \
	--list teams --json
if command -v jq >/dev/null; then
	"$liquid" solve papers --list teams --json |
		jq -r '.teams[] | map(join(">")) | join(" ")' | cmp -s - teams
	ok "the JSON has the same teams"
fi
prints 0 '{"simultaneities":\[*"full_simultaneities":1,*' solve papers --senders t1 --receivers r4 \
	--list simultaneities --json -o -

# ---- limits ----
prints 4 "*list is not complete; allow more (--work)*" solve swiss --list teams --work 200000 \
	-o part
[ -s part ] && grep -q '^full teams *at least [1-9]' text &&
	grep -q 'at least [0-9]* by fission' text
ok "a list that has not ended is kept, and its counts are said to be least ones"
"$liquid" solve swiss --list teams --work 200000 --json 2>text |
	grep -q '"full_teams":null,.*"complete":false}'
ok "in JSON such counts are null"
"$liquid" fabric make leaf-spine leaves=2 hosts=2 spines=1 capacity=2 -o fast >text 2>&1
prints 0 "*full teams*" solve fast --list teams
prints 2 "*makes no schedule*" solve papers --list teams --explain
prints 2 "*makes no schedule*" solve papers --list teams --method teams
prints 2 "*makes no schedule*" solve papers --list teams --export-milp x
prints 2 "*--list: expected teams or simultaneities, got 'team'*" solve papers --list team
[ ! -e x ]
ok "no file is left of what is refused"

echo "1..$count"
[ $failed -eq 0 ]

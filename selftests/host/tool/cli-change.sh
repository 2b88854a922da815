#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid solve --from: what is kept when a host or a link is lost; --explain: why no schedule is
# shorter.
#
# timeout: 120

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

# Two switches with two cables between them; what is for b2 and b3 takes the second, or the first
two_switches()
{
	cat <<-END
	liquid-fabric 1
	name two
	hosts a[1-3],b[1-3]
	switches left,right
	link a1 left 1
	link left a1 1
	  to a1
	link a2 left 1
	link left a2 1
	  to a2
	link a3 left 1
	link left a3 1
	  to a3
	link b1 right 1
	link right b1 1
	  to b1
	link b2 right 1
	link right b2 1
	  to b2
	link b3 right 1
	link right b3 1
	  to b3
	END
	if [ "$1" = both ]; then
		printf 'link left[1] right[1] 1\n  to b1\nlink left[2] right[2] 1\n  to b[2-3]\n'
		printf 'link right[1] left[1] 1\n  to a1\nlink right[2] left[2] 1\n  to a[2-3]\n'
	else
		printf 'link left[1] right[1] 1\n  to b[1-3]\n'
		printf 'link right[1] left[1] 1\n  to a[1-3]\n'
	fi
	echo end
}

echo "TAP version 13"
two_switches both >two
two_switches less >one
prints 0 "*duration *6*certificate *liquid*" solve two -o two.json
prints 0 "*change *30 kept, 0 moved, 0 gone, 0 new; before: 6 frames" solve two --from two.json

# ---- a link is lost ----
prints 0 "*duration *9*change * kept, * moved, 0 gone, 0 new; before: 6 frames*: from frame *" \
	solve one --from two.json -o one.json
prints 0 "*one.json: valid: 30 transfers in 9 frames, liquid" verify one one.json --traffic alltoall
prints 0 '*"change":{"from_fabric_digest":"*","from_length":6,"kept":*' solve one --from two.json \
	--json

# ---- a host is lost, and found ----
grep -v -e 'a3 ' -e 'to a3' -e ' a3' two | sed -e 's/a\[1-3\]/a[1-2]/' -e 's/a\[2-3\]/a2/' >less
prints 0 "*transfers *20*change * kept, * moved, 10 gone, 0 new*a1>a3: gone, was in frame *" \
	solve less --from two.json -o less.json
prints 0 "*less.json: valid: 20 transfers in *" verify less less.json --traffic alltoall
prints 0 "*change * kept, * moved, 0 gone, 10 new*a1>a3: new, in frame *" \
	solve two --from less.json --traffic alltoall -o more.json
prints 0 "*more.json: valid: 30 transfers in *" verify two more.json --traffic alltoall
printf 'a1 b1 2\nb2 a1\n' >pairs
prints 0 "*transfers *3*change * kept, * moved, 28 gone, 1 new*" solve two --from two.json \
	--traffic pairs

# ---- names of an earlier schedule that would act on a terminal ----
sed 's/"a3"/"\\u001b[31ma3\\u0007\\u009b2J\\u202e"/g' two.json >evil.json
prints 0 '*  \\x1b\[31ma3\\x07\\xc2\\x9b2J\\xe2\\x80\\xae>a1: gone, was in frame *' \
	solve less --from evil.json --traffic alltoall -o less.json
! LC_ALL=C grep -q "[$(printf '\001-\010\013-\037\177-\377')]" text less.json &&
	grep -qiF '\u001b[31ma3\u0007\u009B2J\u202E' less.json
ok "neither text nor schedule has bytes that act there"

# ---- wrong use ----
prints 5 "liquid: missing: No such file or directory" solve two --from missing
prints 1 "liquid: two:1: *" solve two --from two
prints 2 "*makes no schedule*" solve two --from two.json --export-milp x
prints 2 "*makes no schedule*" solve two --explain --export-milp x

# ---- why ----
ring 1 >triangle
printf 't1 r1\nt2 r2\nt3 r3\n' >three
prints 0 \
	"*certificate *optimal*bottlenecks *a>b, b>c, c>a*no team*(any fewer of them can be used)\
*a>b can carry t1>r1, t3>r3*" \
	solve triangle --traffic three --explain
prints 0 \
	'*"explanation":{"certificate":"optimal","bottlenecks":'\
'\[{"link":"a>b","load":2,"capacity":1,"idle":1}*"team":"none","blocked":'\
'\[{"link":"a>b","need":1,"transfers":\[\["t1","r1"\],\["t3","r3"\]\]}*"minimal":true}*' \
	solve triangle --traffic three --explain --json
"$liquid" solve triangle --traffic three --explain -o why.json >text 2>&1 &&
	"$liquid" verify triangle why.json >text 2>&1
ok "a schedule with an explanation verifies"
prints 0 "*nothing prevents a liquid schedule: this is one" solve two --explain
"$liquid" fabric make torus size=4x4 -o torus >text 2>&1
prints 0 "*certificate *gap*some simultaneity uses all bottlenecks*left over *in 15 frames*" \
	solve torus --method first-fit --explain
prints 0 '*"team":"exists","left_over":\[*"left_over_count":*' solve torus --method first-fit \
	--explain --json

echo "1..$count"
[ $failed -eq 0 ]

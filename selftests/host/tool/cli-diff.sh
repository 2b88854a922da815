#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid diff: what two fabrics, two schedules or two outputs differ in.
. "$(dirname "$0")/../../lib/cli.bash"
liquid_nl=$liquid

for routes in dmodk hash; do
	"$liquid" fabric make fat-tree k=4 routes=$routes -o $routes
	"$liquid" solve $routes -o $routes.schedule >text
done
prints 0 "" diff hash hash
prints 0 "" diff hash.schedule hash.schedule
# star HOST...: around a switch
star()
{
	printf 'liquid-fabric 1\nname star\nhosts %s\nswitches s\n' "$(IFS=,; echo "$*")"
	for host; do
		printf 'link %s[1] s[%d] 1\nlink s[%d] %s[1] 1\n  to %s\n' "$host" $((++port)) \
			"$port" "$host" "$host"
	done
	echo end
}
star a b c >three
star a b >two
prints 1 "*- host c*- link c\\[1\\]>s\\[3\\]: 1*- link s*" diff three two
prints 1 "*+ host c*+ link c*+ link s*" diff two three
prints 1 "  frames that an all-to-all needs at least: * -> *  route *and * more (--top N, --json)" \
	diff dmodk hash --top 3
[ "$(grep -c '' text)" -eq 4 ]
ok "as many lines as were asked for"

# entries FABRIC: the link that leads to each host from each switch
entries()
{
	awk '/^link/ { link = $2 " " $3 }
	/^  to/ {
		gsub(/[][h]/, "", $2)
		n = split($2, part, ",")
		for (i = 1; i <= n; i++) {
			m = split(part[i], range, "-")
			for (host = range[1]; host <= range[m]; host++)
				print link, host
		}
	}' "$1" | sort
}
entries dmodk >a
entries hash >b
"$liquid" diff dmodk hash --json >json
[ "$(grep -c '"what": "route"' json)" -eq "$(comm -23 a b | wc -l)" ] && [ -s a ]
ok "the entries of tables that differ"

prints 1 "  length: *  frame h*" diff dmodk.schedule hash.schedule
"$liquid" advise dmodk --json >a.json 2>text
sed 's/"version": 3/"version": 4/' a.json >b.json
prints 1 "  value version: 3 -> 4" diff a.json b.json
prints 1 "*hash is a fabric and a.json is liquid-advice: give two of one kind" diff hash a.json
printf '{"format": "x",\n' >bad
prints 1 "liquid: bad:2: *" diff bad a.json
prints 5 "liquid: none: No such file*" diff hash none
prints 2 "*neither can be stdin*" diff - hash
prints 1 '*"format": "liquid-diff"*"same": false*' diff dmodk hash --json
prints 0 '*"same": true*' diff hash hash --json
echo "1..$count"
[ $failed -eq 0 ]

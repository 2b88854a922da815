#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Pages of solve, simulate and advise: one file that loads nothing, with a map, loads, frames and
# names that stay names; the same bytes each time, and small. With CHECK_PAGE, as in check-page, a
# browser works its controls.
. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

# page NAME SOLVE-OPTIONS...: NAME.html of the fabric NAME is well-formed
page()
{
	timeout 100 "$liquid" solve "$1" "${@:2}" --html "$1.html" >text 2>&1 &&
		python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' \
			"$1.html" >>text 2>&1
	ok "a page of $1, which is well-formed"
}

# looks NAME LOOK: links of that look on the map
looks()
{
	sed -n '/<g class="links">/,/^<\/g>/p' "$1.html" | grep -cE "^<(path|rect) class=\"$2\""
}

# is FIGURE WANTED NAME
is()
{
	echo "$1, and should be $2" >text
	[ "$1" = "$2" ]
	ok "$3"
}

while read -r name kind; do
	"$liquid" fabric make $kind -o "$name" >text 2>&1
	ok "a fabric: $kind"
	page "$name" --method round-robin
done <<'END'
papers papers-5x5
tree fat-tree k=6 routes=hash
torus torus size=4x5
dragonfly dragonfly
heat leaf-spine leaves=20 hosts=20 spines=10
END

is "$(looks papers b)" 2 "two bottlenecks are red"
is "$(looks tree '[a-z0-9]*')" 324 "a line for each link"
is "$(looks heat '[a-z0-9]*')" 1200 "of 400 hosts a heat map: a cell for each link"
is "$(grep -c '^<rect class' heat.html)" 1200 "and no lines"
"$liquid" solve papers --senders t1 --receivers r2 --html one.html >text 2>&1
is "$(looks one u)" 10 "links that carry nothing are dashed"

"$liquid" fabric make leaf-spine leaves=2 hosts=1 spines=2 -o whole >text 2>&1 &&
	grep -v '^link leaf1\[2\]' whole >dead
page dead
is "$(looks dead x)/$(sed '1,/class="nodes"/d' dead.html | grep -c 'class="m"')" 1/1 \
	"a cable that is dead in one direction is drawn as broken, with a mark"
grep -q '<td>spine1\[1\]&gt;leaf1\[2\]</td><td>1</td><td>1</td><td>broken</td>' dead.html &&
	grep -q '<td>3 of 11</td><td>1</td></tr>' dead.html
ok "and is named so in the table"

# ---- the layout ----
# at NAME SWITCH x|y: where its box is
at()
{
	grep -E "^<g[^>]*><rect [^>]*/><text[^>]*>$2</text>" "$1.html" |
		sed -E "s/.*<text .*$3=\"([0-9]+)\".*/\1/"
}

[ "$(at tree core1 y)" -lt "$(at tree agg1 y)" ] && [ "$(at tree agg1 y)" -lt "$(at tree edge1 y)" ]
ok "a tree by levels: core above agg above edge"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do
	[ "$(at tree edge$i x)" -lt "$(at tree edge$((i + 1)) x)" ] || break
done
[ $i = 17 ]
ok "its edge switches are in order"
[ "$(at tree agg3 x)" -lt "$(at tree edge4 x)" ] && [ "$(at tree agg4 x)" -gt "$(at tree edge3 x)" ]
ok "the aggregation switches of a pod are above it"
is "$(for i in 1 2 3 4 5; do at torus s$i y; done | uniq | wc -l)" 1 \
	"a torus is a grid: a ring is a row"
is "$(for i in 1 6 11 16; do at torus s$i x; done | uniq | wc -l)" 1 \
	"and a ring of the other axis a column"
is "$(sed -n '/<g class="links">/,/^<\/g>/p' torus.html | grep -c 'M.*L.*M.*L')" 18 \
	"what leads around it is two stubs"

# ---- what a page may not do ----
for name in papers tree heat; do
	grep -oE "(src|href|url|@import)[=(]|https?://[^\"' ]*" $name.html |
		grep -vx 'http://www.w3.org/[0-9a-z/]*'
done >text
[ ! -s text ]
ok "nothing is loaded from elsewhere"
grep -q "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-[^']*'" tree.html
ok "the page forbids to load anything, and any other script"
digest=$(python3 - tree.html <<'END'
import base64, hashlib, re, sys
script = re.findall(r'<script>(.*?)</script>', open(sys.argv[1]).read(), re.S)
print(len(script), base64.b64encode(hashlib.sha256(script[0].encode()).digest()).decode())
END
)
is "$digest" "1 $(grep -oE "sha256-[^']*" tree.html | head -n 1 | cut -c 8-)" \
	"the digest is that of its only script"
cp tree.html before.html
page tree --method round-robin
cmp -s tree.html before.html
ok "the same page each time"
LC_ALL=C "$liquid" solve tree --method round-robin --html tree.html >text 2>&1 &&
	cmp -s tree.html before.html
ok "in any locale"
is "$(($(stat -c %s tree.html) < 200000 && $(stat -c %s heat.html) < 1500000))" 1 "pages are small"
"$liquid" fabric make leaf-spine leaves=32 hosts=32 spines=16 -o large >text 2>&1 && page large
is "$(($(stat -c %s large.html) < 3000000))" 1 "that of 1,024 hosts has less than 3 MB"

# ---- names are names ----
cat >odd <<'END'
liquid-fabric 1
name odd</title><script>alert(1)</script>
hosts a</script><img/src=x>,b&amp;c,d
switches s-->
link a</script><img/src=x> s--> 1
link b&amp;c s--> 1
link d s--> 1
link s--> a</script><img/src=x> 1
link s--> b&amp;c 1
link s--> d 1
end
END
sed -i 's/^link s--> \(.*\) 1$/&\n  to \1/' odd
page odd
is "$(grep -c '<script' odd.html)/$(grep -ci '<img\|alert(1)</script' odd.html)" 2/0 \
	"hostile names have become no element"
python3 - odd.html >names <<'END'
import json, re, sys
data = re.search(r'id="data">(.*?)</script>', open(sys.argv[1]).read(), re.S)[1]
print(*json.loads(data)["nodes"])
END
is "$(cat names)" "a</script><img/src=x> b&amp;c d s-->" "and are what they were"

# ---- simulate, and where the page goes ----
"$liquid" simulate papers --order pairwise --html s.html >text 2>&1 &&
	grep -q 'as simulated</td>' s.html && grep -q '"label":"bytes as simulated"' s.html
ok "simulate: a bar for its time, and a view of the bytes"
timeout 100 "$liquid" advise tree --html advice.html >said 2>text &&
	python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' advice.html &&
	grep -q '"label":"other routes (liquid route)"' advice.html &&
	grep -q 'FIFO switches' advice.html && grep -q '>liquid route tree ' advice.html &&
	[ "$(grep -c '^  *[0-9.]*  *[0-9.]* .* x[0-9]' said)" -gt 3 ]
ok "advise: a bar for each remedy with its command, and other routes as a view"
timeout 100 "$liquid" advise papers --html - >dash.html 2>text && ! [ -s text ] &&
	[ "$(tail -c 8 dash.html)" = "</html>" ]
ok "advise: a page on stdout has no other text in it"
"$liquid" solve papers --html - 2>text | tail -n 1 | grep -q '</html>' && grep -q '^length' text
ok "a page on stdout: the summary is on stderr"
"$liquid" solve papers --html none/x.html >text 2>&1
[ $? = 5 ] && grep -q 'none/x.html' text
ok "a page that cannot be written: exit code 5"
"$liquid" solve papers --html papers >text 2>&1
[ $? != 0 ] && grep -q 'papers' text && head -n 1 papers | grep -q liquid-fabric
ok "nor is it written over the fabric"

# ---- in a browser ----
browse()
{
	HOME=$work timeout 60 chromium --headless --no-sandbox --disable-gpu \
		--disable-dev-shm-usage --user-data-dir="$work/browser" "$@" 2>browser.log
}

# clicked NAME SCRIPT: what SCRIPT, which is run in the page NAME.html after its own, says
clicked()
{
	local script="document.title = (function () { $2 })();" digest
	digest=$(printf %s "$script" | python3 -c 'import base64, hashlib, sys
print(base64.b64encode(hashlib.sha256(sys.stdin.buffer.read()).digest()).decode())')
	python3 - "$1.html" "$script" "$digest" >clicked.html <<'END'
import sys
ours = "script-src 'sha256-" + sys.argv[3] + "' "
page = open(sys.argv[1]).read().replace("script-src ", ours, 1)
print(page.replace("</body>", "<script>" + sys.argv[2] + "</script></body>"))
END
	browse --window-size="${width:-800},900" --dump-dom "file://$work/clicked.html" |
		grep -oE '<title>[^<]*' | cut -c 8-
}

[ "${CHECK_PAGE:-}" ] || finish
if ! command -v chromium >/dev/null; then
	ok "a browser works the page # SKIP no chromium"
	finish
fi
find='var $ = function (i) { return document.getElementById(i); },
	all = function (q) { return document.querySelectorAll(q); },
	event = function (e, n) { e.dispatchEvent(new Event(n, { bubbles: true })); };'
is "$(clicked tree "$find return all('.links .b').length + ' ' + \$('frame').max")" \
	"1 $("$liquid" solve tree --method round-robin --json | grep -o '"length": *[0-9]*' |
		head -n 1 | tr -dc 0-9)" "the script has drawn the map, and knows the frames"
is "$(clicked papers "$find \$('frame').value = 1; event(\$('frame'), 'input');
	return all('.links .off').length + ' ' + \$('which').textContent")" \
	"2 frame 1 of 7" "a frame: links that are not in use are dimmed"
is "$(clicked papers "$find event(all('.links .b')[0], 'pointerover');
	return \$('tip').textContent.split('.')[0]")" \
	"sa &gt; sb: 6 messages, a bottleneck" "pointing at a link says what it carries"
is "$(clicked tree "$find \$('find').value = 'H9'; event(\$('find'), 'input');
	return all('.nodes .hit').length + ' ' + all('.links > :not(.off)').length")" \
	"1 2" "search finds h9 alone, and its two links"
is "$(clicked papers "$find \$('map').dispatchEvent(new KeyboardEvent('keydown',
	{ key: 'ArrowRight' })); return all('.links .at.b').length")" 1 \
	"an arrow key chooses the largest load"
"$liquid" simulate papers --order pairwise --html views.html >text 2>&1
is "$(clicked views "$find \$('beside').click();
	return all('svg.net').length - all('.key svg').length + ' ' +
		all('figure:not([hidden])').length")" "2 2" "two views side by side"
is "$(clicked dead "$find event(all('.links .x')[0], 'pointerover');
	return \$('tip').textContent.split('.')[0]")" \
	"spine1[1] &gt; leaf1[2]: 1 message, broken: it leads one way only" \
	"pointing at a broken link says what it is"
is "$(clicked large "$find return \$('which').textContent.replace(/[0-9]+/, 'N')")" \
	"the whole exchange (the first N of 1984 frames are here)" "a film that is cut says so"
is "$(width=500 clicked advice "$find document.body.style.width = '340px';
	return [].filter.call(all('h1, p, label, .bars tr'), function (e) {
		return e.getBoundingClientRect().right >
			document.body.getBoundingClientRect().right; }).length")" 0 \
	"on a phone all but maps fits the screen"
is "$(clicked odd "$find return all('img').length + ' ' + all('script').length + ' ' +
	JSON.stringify(D.nodes[0])")" '0 3 "a&lt;/script&gt;&lt;img/src=x&gt;"' \
	"hostile names: nothing is run"
for width in 400 1200; do
	browse --window-size=$width,900 --screenshot=shot.png "file://$work/heat.html" >text
	"$here/lib/png-colours" shot.png c51b20 2b6cb0 >colours 2>>text && cat colours >>text &&
		awk '$1 == "c51b20" && $2 > 500 { red = 1 } END { exit !red }' colours
	ok "$width points wide: the heat map shows its bottlenecks in red"
done
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid plot: pictures that are well-formed and show what the schedule says, cell by cell.
. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

if ! command -v gnuplot >/dev/null; then
	echo "1..0 # SKIP gnuplot is not installed"
	exit 4
fi

# The cells of colour $2 in picture $1
cells()
{
	grep -c "polygon fill = 'rgb($2)'" "$1"
}

# A picture is XML that a parser reads; where there is none, its tags must match by count.
well_formed()
{
	if command -v xmllint >/dev/null; then
		xmllint --noout --nonet "$1" >text 2>&1
	else
		[ "$(grep -o '<g[ >]' "$1" | wc -l)" = "$(grep -o '</g>' "$1" | wc -l)" ] &&
			grep -q '</svg>' "$1"
	fi
}

# The picture is of kind $2 by its first bytes.
begins()
{
	[ "$(head -c "${#2}" "$1" | tr -d '\0')" = "$2" ]
}

"$liquid" fabric make papers-5x5 -o papers >text 2>&1 &&
	"$liquid" solve papers -o schedule >text 2>&1
ok "a fabric and its schedule"

# ---- schedules ----
prints 0 "" plot schedule --fabric papers -o a.svg
well_formed a.svg
ok "the picture is well-formed"
head -c 2000 a.svg >broken.svg
! well_formed broken.svg
ok "the check of that can fail"
# 25 transfers over 2 links each, and the 12 of two bottlenecks with 6 frames
[ "$(cells a.svg '197,  27,  32')" = 12 ] &&
	[ "$(($(cells a.svg ' 43, 108, 176') + $(cells a.svg '221, 136,  34')))" = 50 ]
ok "two bottlenecks are busy in all six frames; other links fifty times"
[ "$(cells a.svg '238, 238, 238')" = 10 ]
ok "ten cells are idle: 10 links x 6 frames less 50"
prints 0 "" plot schedule -o b.svg
[ "$(grep -c 'polygon fill' b.svg)" = 25 ] && ! grep -q sa.gt b.svg
ok "without a fabric: the senders alone, a cell a transfer"
[ "$(grep -c '<text>.*r[1-5]</' b.svg)" = 25 ]
ok "up to 16 receivers: each cell has its receiver's name"
"$liquid" fabric make leaf-spine leaves=3 hosts=6 spines=2 -o l18 >text 2>&1 &&
	"$liquid" solve l18 -o l18.schedule >text 2>&1 && "$liquid" plot l18.schedule -o l18.gp
[ "$(grep -c '^set cbtics add' l18.gp)" = 18 ] && ! grep -q '^set label' l18.gp
ok "more of them: a colour each, and a key with their names"
prints 0 "" plot l18.schedule -o l18.svg
[ "$(grep -o "polygon fill = 'rgb([^)]*)" l18.svg | sort -u | wc -l)" -ge 18 ]
ok "of 18 receivers each has its own colour"
"$liquid" solve papers --senders t1 --receivers r2 -o one.schedule >text 2>&1 &&
	"$liquid" plot one.schedule --fabric papers -o one.gp &&
	grep -q "title 'papers-5x5: 1 transfer in 1 frame (" one.gp &&
	grep -q "'2 bottlenecks'" one.gp
ok "one transfer, one frame"
prints 0 "" plot schedule --fabric papers -o a.csv
[ "$(grep -c '^link,.*,1,1,$' a.csv)" = 12 ] && [ "$(grep -c '^link,' a.csv)" = 62 ] &&
	[ "$(grep -c '^sender,' a.csv)" = 25 ]
ok "the CSV has the same cells"
tr -d '[]" ' <schedule | grep -oE 't[1-5],r[1-5]' | sort >carried
awk -F, '$1 == "sender" { print $3 "," $6 }' a.csv | sort | cmp -s - carried
ok "the CSV names the transfers of the schedule"
prints 0 "" plot schedule --fabric papers -o a.png
begins a.png $'\x89PNG'
ok "a .png is a PNG"
prints 0 "" plot schedule --fabric papers -o a.pdf
begins a.pdf %PDF
ok "a .pdf is a PDF"
prints 0 "" plot schedule --fabric papers -o a.gp
gnuplot -d a.gp 2>text | cmp -s - a.svg
ok "a .gp is what gnuplot makes the .svg of"
prints 0 "" plot "$here/fuzz/schedule/parts" -o parts.gp
grep -q 'in 12 frames (duration 12), liquid, 6 frames a message in 2 parts' parts.gp
ok "the title says what a message in parts takes"

# ---- bottlenecks that emerge ----
# Write the schedule of the papers' network with other frames, each as 14 for t1 to r4.
with_frames()
{
	sed '/^\[\[/,$d' schedule
	printf '%s\n' "$@" | sed -E 's/([1-5])([1-5])/["t\1","r\2"]/g; s/ /,/g; s/.*/[&]/; $!s/$/,/'
	echo ']}'
}

# The links of CSV $1 that emerge at frame $2 or later, and in none before
emerging()
{
	awk -F, -v from="$2" '$5 == 2 && !seen[$3]++ && $2 == from { print $3 }' "$1" |
		sort | tr '\n' ' '
}

# By the cells of CSV $1 alone: what it marks in a frame has the largest load of the rest.
marks_the_rest()
{
	awk -F, '$1 == "link" {
			mark[$3, $2] = $5 + 1
			left[$3]++
			frames = $2 >= frames ? $2 + 1 : frames
		}
		END {
			for (f = 0; f < frames; f++) {
				most = 0
				for (l in left)
					most = left[l] > most ? left[l] : most
				for (l in left) {
					if (f == 0)
						first[l] = left[l] == most
					if (!mark[l, f])
						continue
					want = first[l] ? 1 : 2 * (left[l] == most)
					bad += mark[l, f] != 1 + want
					left[l]--
				}
			}
			exit bad > 0 || !frames
		}' "$1"
}

# Fig. 35 of the thesis: "from time frame 3 on, links t3 and r3, from time frame 5 on t4 and r5".
# Its frames are those of Fig. 9 of "Liquid Schedules of Network Traffics". Each link of the last
# one is a bottleneck of the rest, which is that frame.
with_frames '14 22 33 41 55' '15 21 42 54' '13 24 31 45 52' '12 23 34 51' '11 25 32 43' \
	'35 44 53' >published
prints 0 "*valid: 25 transfers in 6 frames, liquid*" verify papers published
prints 0 "" plot published --fabric papers -o p.csv
[ "$(emerging p.csv 2)" = "sa>r3 t3>sa " ] && [ "$(emerging p.csv 4)" = "sb>r5 t4>sb " ] &&
	[ "$(emerging p.csv 5)" = "sb>r4 t5>sb " ] && [ "$(grep -c ',2,$' p.csv)" = 14 ]
ok "the published schedule: two bottlenecks emerge at frame 3, two at frame 5, which makes six"
prints 0 "" plot published --fabric papers -o p.svg
[ "$(cells p.svg '221, 136,  34')" = 14 ] && [ "$(cells p.svg '253, 235, 200')" = 0 ] &&
	grep -q '6 bottlenecks of the rest' p.svg
ok "the picture has them in orange, and all are busy"
with_frames '14 22 33 41 55' '15 21 42 54' '13 24 31 45 52' '11 25 32 43' '12 23 34 51' \
	'35 44 53' >swapped
prints 0 "" plot swapped --fabric papers -o q.csv
[ "$(emerging q.csv 4)" = "sb>r4 t5>sb " ] && [ "$(emerging q.csv 5)" = "sb>r5 t4>sb " ]
ok "with frames 4 and 5 exchanged, t4 and r5 emerge at frame 6, and t5 and r4 at frame 5"
marks_the_rest p.csv && marks_the_rest q.csv
ok "what is marked has the largest load of the rest"
sed 's/,2,$/,0,/' p.csv >r.csv
! marks_the_rest r.csv
ok "the check of that can fail"
"$liquid" solve papers --method round-robin -o rounds >text 2>&1
prints 0 "" plot rounds --fabric papers -o r.csv
marks_the_rest r.csv && [ "$(tail -n 1 r.csv | cut -d, -f2)" = 6 ]
ok "so it is in a schedule of 7 frames, which is not liquid"
with_frames '14 22 33 41 55' '15 21 42 54' '24 45 52' '13 31' '12 23 34 51' '11 25 32 43' \
	'35 44 53' | sed 's/"length":6/"length":7/; s/"liquid","witness"/"gap","witness"/' >parted
prints 0 "*valid: 25 transfers in 7 frames*" verify papers parted
prints 0 "" plot parted --fabric papers -o r.svg
[ "$(cells r.svg '253, 235, 200')" = 2 ] && [ "$(cells r.svg '221, 136,  34')" = 14 ]
ok "where frame 3 is two frames, the links that emerge there are idle in the first: pale"

# ---- one that is folded ----
"$liquid" fabric make leaf-spine leaves=16 hosts=16 spines=3 -o large >text 2>&1 &&
	"$liquid" solve large -o large.schedule >text 2>&1
ok "a schedule of 256 senders"
last=$(grep -o '"length": *[0-9]*' large.schedule | head -n 1 | tr -dc 0-9)
[ "$last" -gt 1000 ]
ok "the schedule of 256 senders has more than 1000 frames"
prints 0 "" plot large.schedule --fabric large -o large.svg
well_formed large.svg && [ "$(stat -c %s large.svg)" -lt 1000000 ] && grep -q 'a column)' large.svg
ok "the picture of 256 senders is folded, and small"
! grep -q 'of the rest' large.svg
ok "a folded picture says nothing of what emerges"
# A cell is the share of its frames in which the sender sends
prints 0 "" plot large.schedule -o large.csv
awk -F, -v length_="$last" '$1 == "sender" {
		if (!fold && $2)
			fold = $2
		at[NR] = $2
		share[NR] = $4
	} END {
		for (i in at)
			sum += share[i] * (length_ - at[i] < fold ? length_ - at[i] : fold)
		exit !(fold > 1 && sum > 65279.5 && sum < 65280.5)
	}' large.csv
ok "in a folded matrix the senders' shares add up to 65280 transfers"

# ---- fabrics ----
# lines FILE LOOK: links of the look 0 (unused), 1 (by shade) or 2 (bottlenecks) in a script
lines()
{
	sed -n "/^\$links$2 /,/^END/p" "$1" | grep -c '^$'
}

# at FILE NAME x|y: where a name is
at()
{
	sed -n "s/^set label '$2' at \([0-9]*\),\([0-9]*\) .*/\1 \2/p" "$1" |
		cut -d' ' -f$([ "$3" = x ] && echo 1 || echo 2)
}

prints 0 "" plot --fabric papers -o f.svg
well_formed f.svg && grep -q '197,  27,  32' f.svg && grep -q '>2 bottlenecks<' f.svg &&
	grep -q 'load: transfers on a link' f.svg
ok "a bottleneck is red, and the key says what is what"
prints 0 "" plot --fabric papers -o f.gp
[ "$(lines f.gp 0) $(lines f.gp 1) $(lines f.gp 2)" = "0 10 2" ] &&
	[ "$(grep -c '^set object rectangle' f.gp)" = 2 ] &&
	[ "$(grep -c "^set label '6' .* tc rgb '#c51b20'" f.gp)" = 2 ]
ok "two boxes, a line for each link, and the loads of both directions"
gnuplot -d f.gp 2>text | cmp -s - f.svg
ok "a fabric's .gp is what gnuplot makes the .svg of"
prints 0 "" plot --fabric papers --senders t1 --receivers r2 -o f.gp
[ "$(lines f.gp 0) $(lines f.gp 1) $(lines f.gp 2)" = "10 0 2" ] &&
	grep -q "title '10 links without load'" f.gp && grep -q '1 transfer, duration 1 frame' f.gp
ok "of one transfer the two links are red, the others dashed"
prints 0 "" plot --fabric papers -o f.csv
[ "$(grep -c ',1$' f.csv)" = 2 ] && grep -qx 'sa,sb,1,6,1,1' f.csv && [ "$(wc -l <f.csv)" = 13 ]
ok "the CSV has loads and bottlenecks"
for kind in png=$'\x89PNG' pdf=%PDF; do
	prints 0 "" plot --fabric papers -o "f.${kind%%=*}"
	begins "f.${kind%%=*}" "${kind#*=}"
	ok "a fabric's .${kind%%=*} is a ${kind%%=*}"
done
"$liquid" fabric make fat-tree k=4 -o k4 >text 2>&1 && "$liquid" plot --fabric k4 -o k4.gp
[ "$(at k4.gp core1 y)" -lt "$(at k4.gp agg1 y)" ] &&
	[ "$(at k4.gp agg1 y)" -lt "$(at k4.gp edge1 y)" ] &&
	[ "$(at k4.gp agg2 x)" -lt "$(at k4.gp edge3 x)" ] &&
	[ "$(at k4.gp agg3 x)" -gt "$(at k4.gp edge2 x)" ]
ok "a tree by levels, with the switches of a pod together"
# Loads have 8 points: none is within 7 of another in height and 8 in width.
awk '/^set label .* boxed/ { split($5, p, ","); x[++n] = p[1]; y[n] = p[2] }
	END {
		for (i = 2; i <= n; i++)
			for (j = 1; j < i; j++)
				bad += (x[i] - x[j]) ^ 2 < 6400 && (y[i] - y[j]) ^ 2 < 4900
		exit bad > 0 || n < 40
	}' k4.gp
ok "no load is written over another"
prints 0 "" plot --fabric large -o large.gp
[ "$(grep -c "^set label '16 hosts'" large.gp)" = 16 ] && [ "$(grep -c "'h1'" large.gp)" = 0 ]
ok "of 256 hosts those of a switch are one node"
"$liquid" fabric make torus size=24x24 -o torus >text 2>&1
prints 1 "*up to 512 switches, 'torus*' has 576; .gp and .csv take all" plot --fabric torus \
	-o t.svg
[ ! -e t.svg ]
ok "no file is left of a picture that fails"

# ---- names are names ----
cat >odd <<'END'
liquid-fabric 1
name odd`>pwned`
hosts a`>pwned`,b;c{_x}<&>,$HOME
switches s
link a`>pwned` s 1
link b;c{_x}<&> s 1
link $HOME s 1
link s a`>pwned` 1
link s b;c{_x}<&> 1
link s $HOME 1
end
END
sed -i 's/^link s \(.*\) 1$/&\n  to \1/' odd
"$liquid" solve odd -o odd.schedule >text 2>&1 &&
	"$liquid" plot odd.schedule --fabric odd -o odd.svg >text 2>&1 &&
	"$liquid" plot --fabric odd -o oddf.svg >text 2>&1 &&
	well_formed odd.svg && well_formed oddf.svg &&
	grep -qF '<text>b;c{_x}&lt;&amp;>' odd.svg && grep -qF '<text>b;c{_x}&lt;&amp;>' oddf.svg &&
	grep -qF '<text>$HOME<' odd.svg && grep -qF '<text>a`>pwned`<' odd.svg
ok "names with what shells and programs look for stay names"
sed "s/\"[$]HOME\"/\"x'1;\`>pwned\`'\"/g" odd.schedule >quoted.schedule
! cmp -s odd.schedule quoted.schedule &&
	"$liquid" plot quoted.schedule -o quoted.svg >text 2>&1 &&
	well_formed quoted.svg && grep -qF "x'1;" quoted.svg
ok "a name with a quote too"
[ ! -e pwned ]
ok "nothing in the names of hosts was run"

# ---- wrong use, programs that fail ----
prints 2 "*missing --output*" plot schedule
prints 2 "*missing SCHEDULE or --fabric*" plot -o a.svg
prints 2 "*-o: expected a name in .svg, .png, .pdf, .gp or .csv, got 'a.jpg'*" plot schedule \
	-o a.jpg
prints 2 "*-o: expected a name in .svg, .png, .pdf, .gp or .csv, got*" plot --fabric papers -o a.dot
prints 0 "*what 1 of 5 hosts send, without links*" plot schedule --fabric papers --hosts t1 \
	-o one.svg
prints 0 "*what 1 of 5 hosts send" plot "$here/fuzz/schedule/marks" --hosts t1 -o a.csv
prints 1 "*has no host 'x1'*" plot schedule --hosts x1 -o a.svg
prints 2 "*unexpected argument 'schedule'*" plot schedule schedule -o a.svg
prints 5 "*none: No such file*" plot none -o a.svg
mkdir empty
PATH=$PWD/empty "$liquid" plot schedule -o gone.svg >text 2>&1
[ $? = 1 ] && grep -q 'gnuplot is not installed.*gnuplot-nox' text && [ ! -e gone.svg ]
ok "without gnuplot: what to install, and no file"
PATH=$PWD/empty "$liquid" plot schedule -o there.gp >text 2>&1 && [ -s there.gp ]
ok "what needs no program is written without it"
mkdir fails
printf '#!/bin/sh\necho "no more ink" >&2\nexit 3\n' >fails/gnuplot
chmod +x fails/gnuplot
PATH=$PWD/fails:$PATH "$liquid" plot large.schedule --fabric large -o gone.svg >text 2>&1
[ $? = 1 ] && grep -q 'gnuplot failed: no more ink' text && [ ! -e gone.svg ]
ok "a program that fails: its reason, and no file"

echo "1..$count"
[ $failed -eq 0 ]

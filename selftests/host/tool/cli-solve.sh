#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid solve and verify: figures, exit codes, what they say of wrong input, whole files or
# none.
#
# timeout: 120

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

# Solve fabric $1 with "${@:5}": liquid, $2 transfers in $3 frames, verified, in less than $4 ms.
liquid()
{
	name=$1
	transfers=$2
	frames=$3
	limit=$4
	shift 4
	begin=$(date +%s%N)
	timeout 60 "$liquid" solve "$name" "$@" -o "$name.json" >text 2>&1 &&
		grep -q "^transfers *$transfers\$" text && grep -q "^length *$frames\$" text &&
		grep -q "^certificate *liquid\$" text &&
		[ $((($(date +%s%N) - begin) / 1000000)) -lt "$limit" ]
	ok "solve $name $*: $transfers transfers in $frames frames, liquid, in less than $limit ms"
	"$liquid" verify "$name" "$name.json" "$@" >text 2>&1 && grep -q ': valid: ' text
	ok "verify $name $*"
}

make_fabric()
{
	"$liquid" fabric make "${@:2}" -o "$1" >text 2>&1 || ok "fabric make ${*:2}"
}

echo "TAP version 13"
make_fabric papers papers-5x5
make_fabric swiss swiss-t1
make_fabric torus torus size=4x4
for fabric in k44 fat-tree; do
	"$liquid" fabric import --topo "$data/$fabric.topo" --lft "$data/$fabric.fts" \
		-o "$fabric" >text 2>&1
	ok "import $fabric"
done

# ---- what must come out ----
liquid papers 25 6 1000
liquid papers 25 6 1000 --senders 't[1-5]' --receivers 'r[1-5]'
liquid swiss 1024 48 1000
liquid swiss 64 16 1000 --senders 't[1-4,9-12]' --receivers 'r[1-4,9-12]'
liquid k44 992 64 1000
liquid fat-tree 992 31 1000
liquid fat-tree 240 15 1000 --hosts 'node[001-016]'
printf 't1 r4 3\nt2 r5 # once\n' >pairs
liquid papers 4 4 1000 --traffic pairs
: >nothing
liquid papers 0 0 1000 --traffic nothing

# auto has a schedule whatever the work, as good as a baseline's at least.
make_fabric tree fat-tree k=10
prints 0 "*transfers *62250*length *249*certificate *liquid*" solve tree --work 100000
"$liquid" solve torus --work 10 >text 2>&1 && cp text auto &&
	"$liquid" solve torus --method round-robin >text 2>&1 &&
	[ "$(grep ^length auto)" = "$(grep ^length text)" ]
ok "solve torus --work 10: as long as round-robin's"

# ---- forms ----
prints 0 '*"certificate":"liquid"*"frames":*' solve papers --json
"$liquid" solve papers --json >one && "$liquid" solve papers -o two >text && cmp one two >text
ok "--json and -o give the same, twice the same"
prints 0 '*"unit_bytes":65536,"link_rate_bps":100000000000,*' solve papers \
	--json --unit-bytes 64Ki --link-rate 100G
prints 0 '*"method":"frames","seed":7,"work":5000000,*' solve papers --json --method frames \
	--seed 7 --work 5000000
prints 0 "" solve papers --json -o three
cmp one three >text
ok "--json -o writes to the file only"
chmod 640 three && "$liquid" solve papers -o - 2>text | cmp - one &&
	grep -q '^certificate *liquid' text
ok "-o -: the schedule on stdout, the summary on stderr"
prints 0 "*certificate*liquid*" solve - --traffic alltoall <papers
prints 0 '*valid: 25 transfers in 6 frames, liquid' verify papers - <one
prints 0 '*"valid": true*"findings": \[\]*' verify papers one --json
prints 0 "usage: liquid solve FABRIC*" solve --help
prints 0 "usage: liquid verify FABRIC*" verify --help

# ---- wrong use ----
prints 2 "*solve: missing FABRIC*usage: liquid solve*" solve
prints 2 "*unexpected argument 'more'*" solve papers more
prints 2 "*unknown option '--speed'; did you mean '--seed'?*" solve papers --speed
prints 2 "*--seed needs a value*" solve papers --seed
prints 2 "*--seed: expected a number, got 'x'*" solve papers --seed x
prints 2 "*--work: expected a number, at least 1, got '0'*" solve papers --work 0
prints 2 "*--time-limit: expected seconds, more than 0, got '-1'*" solve papers --time-limit -1
prints 2 "*--method: expected auto, *, got 'best'*" solve papers --method best
prints 2 "*--senders and --receivers go together*" solve papers --senders t1
prints 2 "*a traffic themselves: leave out --hosts*" solve papers --senders t1 --receivers r1 \
	--hosts t1
prints 2 "*--hosts goes with alltoall, not with a traffic file*" solve papers --traffic pairs \
	--hosts t1
prints 2 "*verify: missing FABRIC*" verify
prints 2 "*verify: either SCHEDULE, --circles or --prices*" verify papers
prints 2 "*unexpected argument 'x'*" verify papers one x

# ---- wrong input ----
prints 5 "liquid: missing: No such file or directory" solve missing
prints 5 "liquid: missing: No such file or directory" solve papers --traffic missing
prints 5 '{"format": "liquid-message", "version": 1, *"exit": 5, "text": "missing: No *"}' \
	solve missing --json
prints 2 '{"format": "liquid-message", *"text": "unknown option *"}' solve papers --nonsense --json
prints 1 "liquid: pairs:1: *" solve pairs
prints 1 "*--senders: fabric 'papers-5x5' has no host 't6'; near it: *" solve papers \
	--senders 't[1-6]' --receivers r1
prints 1 "*--hosts: fabric 'papers-5x5' has no host 'nobody1', nor 8 others of the list*" solve \
	papers --hosts 'nobody[1-9]'
prints 1 "liquid: --hosts: *" solve papers --hosts 'node[1-'
prints 1 "liquid: no route from r1 *" solve papers --hosts 't1,r1'
printf 't1 r1\nt1 r9\n' >bad
prints 1 "liquid: bad:2: the fabric has no host 'r9'; near it: r1, r2, r3" solve papers \
	--traffic bad
printf 'T1-ib.example.org r1\n' >bad
prints 1 "liquid: bad:1: the fabric has no host 'T1-ib.example.org'; near it: t1" solve \
	papers --traffic bad
printf 't1 r1 0\n' >bad
prints 1 "liquid: bad:1: count is 0*" solve papers --traffic bad
prints 5 "liquid: nodir/out: No such file or directory" solve papers -o nodir/out
prints 4 \
	"liquid: no schedule within the work of 10 operations; \
allow more (--work), or try --method auto" \
	solve torus --method first-fit --work 10
prints 1 "liquid: papers:1: *" verify papers papers
prints 1 "liquid: one: frame 0, transfer 0: the fabric 'imported' has no host 't1'*" verify \
	fat-tree one
prints 1 "*made for another fabric*one is not valid on fabric 'swiss-t1'" verify swiss one
head -c 300 one >short
prints 1 "liquid: short:*" verify papers short
sed 's/"length":6/"length":7/' one >bad
prints 1 "liquid: bad: \"length\" is 7, but \"frames\" has 6" verify papers bad
sed 's/"certificate":"liquid"/"certificate":"optimal"/' one >bad
prints 1 "bad: certificate 'optimal', but the length 6 is not above the duration 6*" verify papers \
	bad
sed '0,/\["t1","r/s//["t2","r/' one >bad	# the first transfer of t1 becomes t2's
prints 1 "*sends 2 transfers at once*1 missing*1 extra*bad is not valid*" verify papers bad \
	--traffic alltoall
prints 1 '*"valid": false*"findings": \[*sends 2 transfers at once*' verify papers bad --json
# The witness names a link of which 200 bytes are quoted: the last is the first of two of a
# character
printf -v long '%199s' '' && long=${long// /x}
forged='{"kind":"multipliers","denominator":1,"links":[["'$long'\\u00e4",1]]}'
sed "s/\"witness\":null/\"witness\":$forged/" one >cut
prints 1 '*"valid": false*"findings": \[*link '"'$long"'\\\\xc3'"'"' is unknown*' verify papers \
	cut --json
prints 1 "*t1>r4: 2 missing (the traffic has 3, the frames 1)*" verify papers one --traffic pairs
sed 's/,"witness":null//' one >bad
prints 1 'liquid: bad: "witness" is missing' verify papers bad
sed 's/"method":"auto"/"method":"auto\\u001b[2J"/' one >bad
prints 1 "liquid: bad: \"method\" must be of letters, digits, '-', '.' and '_'" verify papers bad

# ---- proofs that are none ----
# Six times as long as it need be, and called the shortest by multipliers that are worth nothing.
make_fabric dragonfly dragonfly
prints 0 "*length *422*" solve dragonfly --method round-robin -o long
forged='{"kind":"multipliers","denominator":2,"links":[["h1[1]>r1[1]",1],["h2[1]>r1[2]",1]]}'
forged='"lower_bound":422,"certificate":"optimal","witness":'$forged
sed -E '1s/"lower_bound":[0-9]+,"certificate":"gap","witness":null/'"$forged/" long >forged
prints 1 "*the witness proves a lower bound of 0, not of 422*forged is not valid*" verify \
	dragonfly forged --traffic alltoall
prints 1 '*"valid": false*"the witness proves a lower bound of 0, not of 422"*' verify dragonfly \
	forged --json
sed 's/"denominator":2/"denominator":3/' forged >bad
prints 1 "*witness: the transfers of a frame are worth less than 1*bad is not valid*" \
	verify dragonfly bad

# ---- a better bound ----
# Seven transfers in a circle, each congesting with the next: no frame has more than three of them.
make_fabric ring torus size=7
for i in 1 2 3 4 5 6 7; do echo "h$i h$(((i + 1) % 7 + 1)) 60"; done >circle
prints 0 "*length *140*lower bound *120*gap*" solve ring --traffic circle --work 20000000
prints 0 "*lower bound *140*optimal*mix *140.0000 to 140.0000*no prices prove more than 140" \
	solve ring --traffic circle --work 20000000 --bound
prints 0 '*"witness":{"kind":"multipliers"*"mix":{"classes":*"ended":true}*' solve ring \
	--traffic circle --work 20000000 --bound --json
"$liquid" solve ring --traffic circle --work 20000000 --bound \
	-o raised >text 2>&1
prints 0 "*valid: 420 transfers in 140 frames, optimal" verify ring raised --traffic circle
prints 0 "*mix *not examined: the schedule is as short as the lower bound" solve papers --bound
prints 2 "*makes no schedule*" solve papers --bound --list teams
prints 2 "*--compact goes with*" solve papers --bound --compact

# ---- messages in parts ----
# A torus that has lost three cables: whole messages need 76 to 77 frames for 69.
make_fabric torus64 torus size=8x8
awk '$1 != "link" { print; next }
	{ ends = " " substr($2, 1, index($2, "[") - 1) " " substr($3, 1, index($3, "[") - 1) " " }
	ends !~ / (s26 s34|s34 s26|s50 s58|s58 s50|s54 s55|s55 s54) /' torus64 |
	grep -v '^  to' >cut.0
"$liquid" route cut.0 --lanes 4 -o cut64 >text 2>&1
"$liquid" solve cut64 --divisible=8 --work 500000000 -o parts >text 2>&1
awk '$1 == "parts" { good = $2 == "8:" && $3 <= 70 && $8 == 69 } END { exit !good }' text
ok "a torus without three cables: at most 70.0 frames per message in 8 parts for a bound of 69"
prints 0 "parts: valid: 32256 transfers in *each transfer is 1/8 of a message, which takes *" \
	verify cut64 parts --traffic alltoall
grep -q '^{"format":"liquid-schedule","version":2,"needs":\["parts"\],"parts":8,' parts
ok "the file says what a reader must know"
prints 0 '*"parts": 8,*' verify cut64 parts --json
prints 1 "*\"parts\" and the feature of that name go together" verify cut64 - \
	< <(sed 's/"needs":\["parts"\],//' parts)
prints 1 "*sends messages in 8 parts: only one of whole messages*" solve cut64 --from parts
"$liquid" solve swiss --divisible >text 2>&1
! grep -q '^parts' text && grep -q 'liquid$' text
ok "messages stay whole where that is liquid"
prints 2 "*goes with neither --from nor --time-limit*" solve papers --divisible --time-limit 1
prints 2 "*--compact goes with*" solve papers --divisible --compact
prints 2 "*makes no schedule*" solve papers --divisible=2 --list teams
prints 2 "*--divisible: expected a number from 1 to 64, got '65'*" solve papers --divisible=65

# ---- a count that is a slip of the units: refused before it takes memory ----
printf 't1 r1 1048577\n' >slip
prints 4 "*1048577 transfers are more than 1048576, and take some 150 MB of memory: take larger \
units (--unit-bytes), or ask for them by --work 1048577" solve papers --traffic slip --work 100000
printf 't1 r1 268435455\n' >slip
prints 4 "*268435455 transfers are more than 67108864, and take some 40200 MB of memory*" \
	solve papers --traffic slip

# ---- a bound that takes more work to prove than a method has in its first turn ----
# 11 hosts of a switch, and a ring of one way: three of its links, of which each two share a pair
{
	printf '%s\n' "liquid-fabric 1" "name ring" "hosts f[01-11],r[1-3]" "switches x,s[1-3]"
	for i in $(seq -w 11); do
		printf 'link f%s x[%d] 1\nlink x[%d] f%s 1\n  to f%s\n' "$i" $((10#$i)) \
			$((10#$i)) "$i" "$i"
	done
	for i in 1 2 3; do
		printf 'link r%d s%d[1] 1\nlink s%d[1] r%d 1\n  to r%d\n' $i $i $i $i $i
		printf 'link s%d[2] s%d[3] 1\n  to r%d,r%d\n' $i $((i % 3 + 1)) $((i % 3 + 1)) \
			$(((i + 1) % 3 + 1))
	done
	echo end
} >ring
{
	for i in $(seq -w 11); do
		for j in $(seq -w 11); do
			[ "$i" = "$j" ] || echo "f$i f$j"
		done
	done
	printf 'r1 r3 5\nr2 r1 5\nr3 r2 5\n'
} >around
prints 0 "*length *15*lower bound *15*certificate *optimal*" solve ring --traffic around

# ---- Ctrl-C ----
# In the background it is ignored, except for the one that asks for it.
if command -v script >text; then
	make_fabric groups dragonfly
	run="exec env --default-signal=INT $liquid_nl solve groups --progress -o none"
	timeout 60 script -qec "echo \$\$ >pid; $run --work 1000000000000" /dev/null >said &
	within 30 grep -q 'transfers placed' said
	kill -INT "$(cat pid)"
	wait $!
	status=$?
	cat -v said >text
	[ $status -eq 0 ] && [[ $(cat said) == *' placed, '*$'\r\e[K'*'interrupted: this is'* ]] &&
		"$liquid_nl" verify groups none
	ok "Ctrl-C clears the line that reports the progress, and keeps the best so far"
fi

# ---- files whole or not at all ----
cp one kept
timeout 60 "$liquid" solve torus --method first-fit --work 10 -o kept >text 2>&1
cmp one kept >text 2>&1 && [ -z "$(find . -name 'kept.*')" ]
ok "a file is left as it was when there is no schedule"
if [ -w /dev/full ]; then
	prints 5 "liquid: /dev/full: *No space left on device*" solve papers -o /dev/full
fi

echo "1..$count"
[ $failed -eq 0 ]

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Compact schedules through the tool: solve, verify, slice, and what is wrong with forged files.
# builds: user
# timeout: 120
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
. selftests/lib/tool.sh

[ -x "$tool" ] || skip_all "liquid-nl is not built (make user)"
echo "TAP version 13"
cd "$scratch" || exit 1

# ---- two forms of one exchange ----

"$liquid" fabric make fat-tree k=8 -o tree >/dev/null
says "solve --compact" 0 "certificate  liquid" solve tree --compact -o compact
says "verify proves it" 0 "compact: valid: 16256 transfers in 127 frames, liquid" \
	verify tree compact
[ "$(wc -c <compact)" -lt 2000 ]
result $? "16,256 transfers in less than 2,000 bytes"
run solve tree --compact --json
cmp -s out compact
result $? "--json writes the same to the standard output"
run solve tree --compact --seed 0 -o again
cmp -s again compact
result $? "the same again, byte for byte"
run solve tree --compact --threads 3 -o again
cmp -s again compact
result $? "and by three threads"
(
	ulimit -s 8000000 && ulimit -v 4000000 &&
		"$liquid" solve tree --compact --threads 3 -o again >/dev/null
)
cmp -s again compact
result $? "and where no thread has room for its stack"
run verify tree compact --json
grep -q '"valid":true' out || grep -q '"valid": true' out
result $? "verify --json"

# Every host's slice: each other host once, and no two hosts send to one at once
for n in $(seq 1 128); do
	"$liquid" slice compact --node "h$n" | sed "s/^/h$n /"
done >slices
awk '$1 == $3 || seen[$1, $3]++ || sends[$1, $2]++ || receives[$3, $2]++ { bad = 1 }
     END { exit bad || NR != 16256 }' slices
result $? "all slices together are the exchange, with one sender and one receiver at a time"
run slice compact --node h5 --json
[ "$(grep -o '"frame"' out | wc -l)" = 127 ]
result $? "slice --json"
"$liquid" solve tree --hosts 'h[1-8]' -o listed >/dev/null
[ "$("$liquid" slice listed --node h3 | awk '{ print $2 }' | sort | tr '\n' ' ')" = \
  "h1 h2 h4 h5 h6 h7 h8 " ]
result $? "slice of a listed schedule"

# ---- what is refused ----

expect "no such node" 1 "compact has no host 'h999'" slice compact --node h999
expect "slice without a node" 2 "--node" slice compact
expect "a traffic next to a compact schedule" 2 "has its traffic itself" verify tree compact \
	--hosts 'h[1-4]'
expect "another traffic" 2 "--compact is for an all-to-all" solve tree --compact \
	--senders h1 --receivers h2
expect "too many threads" 2 "--threads" solve tree --compact --threads 65
expect "no thread" 2 "--threads" solve tree --compact --threads 0
expect "an option without a meaning" 2 "--compact goes with" solve tree --compact --method frames
"$liquid" fabric make fat-tree k=8 routes=hash -o hashed >/dev/null
says "another fabric's routes" 1 "made for another fabric" verify hashed compact

# forged NAME TEXT SED: the file changed by SED is refused with TEXT
forged()
{
	sed "$3" compact >forged
	! cmp -s compact forged || echo "# nothing was changed"
	says "$1" 1 "$2" verify tree forged
}
forged "another length" "length" 's/"length":127/"length":126/'
forged "a unit elsewhere" "and their images" 's/"units":"../"units":"BB/'
# ---- without some of the hosts ----

"$liquid" fabric make torus size=8x8 -o ring >/dev/null
says "a host that is missing" 0 "transfers    3906" solve ring --hosts 'h[1-10,12-64]' --compact \
	-o compact
grep -q '"needs":\["orbits","named-traffic","without"\],"hosts":\["h\[1-64\]"\],"without":\["h11"' \
	compact
result $? "is left out by name"
says "the rest is proven" 0 "compact: valid: 3906 transfers" verify ring compact
expect "it has no slice" 1 "compact has no host 'h11'" slice compact --node h11
for n in $(seq 1 10) $(seq 12 64); do
	"$liquid" slice compact --node "h$n" | sed "s/^/h$n /"
done >slices
awk '$3 == "h11" || seen[$1, $3]++ || sends[$1, $2]++ || receives[$3, $2]++ { bad = 1 }
     END { exit bad || NR != 3906 }' slices
result $? "no host sends to it, and all others once to each other"
out()
{
	sed "$3" compact >forged
	! cmp -s compact forged || echo "# nothing was changed"
	says "$1" 1 "$2" verify ring forged
}
out "another one" '"traffic_digest" is' 's/"without":\["h11"/"without":["h12"/'
out "the transfers of more hosts" '"transfers" is 4032, but there are 3906' \
	's/"transfers":3906/"transfers":4032/'
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl job serve under load: 1,024 nodes agree, each by a socket, an address and a credential
# of its own, and 64 by the first of them; what that costs the service in messages and instructions;
# and what connections that say nothing cost others.
#
# usage: serve-load.sh [COUNT]: only that, of this many nodes, up to 4,096 (make check-jobs)
#
# builds: user job-tests
#
# timeout: 180

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"
. "$here/lib/serve.bash"
nodes=${B:-$here/../build}/selftests/host/job/nodes
nodes=$(readlink -f "$nodes")
[ -x "$nodes" ] || skip_all "no nodes; \`make job-tests\` builds it"
in_own_namespaces "$@"
many=${1:-1024}
DEADLINE=$((60 + many / 1024 * 60))
LEAD=1
# Thousands of instructions of the service for one node of 256: 555 on Debian 12, two thirds of them
# for SHA-256
MOST=640

"$liquid" fabric make leaf-spine leaves=$((many / 32)) hosts=32 spines=8 -o fabric
seq "$many" | awk '{ print "h" $1 " 10.0." int($1 / 256) "." $1 % 256 }' >addresses
seq "$many" | awk '{ print "127.1." int($1 / 256) "." $1 % 256 " h" $1 }' >known
echo "127.0.0.1 ctl" >>known
know known
start_munged
for n in 64 256 "$many"; do
	seq $n | awk -v n=$n '{ print "h" $1, "h" $1 % n + 1 }' >ring.$n
done
write_conf liquid.conf "traffic ring64 file:$work/ring.64" "traffic ring256 file:$work/ring.256" \
	"traffic ring$many file:$work/ring.$many" "longest 0s"
install -d -o $keeper -m 750 store counts
uid=$(id -u $keeper)

start()
{
	timeout 60 "$liquid_nl" job start "$1" --config liquid.conf --nodes "h[1-$2]" \
		--traffic "ring$2" >started 2>&1
}

# agree JOB COUNT [ARG...]
agree()
{
	start "$1" "$2" &&
		timeout $((DEADLINE + 20)) "$nodes" $PORT munge/socket "$uid" "$@" >text 2>&1
	grep -q "^$2 of $2 gate" text
}

echo "TAP version 13"

# ---- many nodes ----

serve
begun=$(date +%s)
agree many "$many"
ok "$many nodes agree"
echo "# $(cat text), in $(($(date +%s) - begun)) s"
messages=$(sed -n 's/.*; \([0-9]*\) messages.*/\1/p' text)
[ "${messages:-999999}" -le $((many * 16)) ]
ok "with $((messages / many)) messages to each"
awk '{ printf "# processor time of the service, in hundredths of a second: %d of its own, " \
	"%d of unmunge and of the process that solves\n", $14 + $15, $16 + $17 }' \
	/proc/$service/stat
memory=$(awk '$1 == "VmHWM:" { print $2 }' /proc/$service/status)
[ "$memory" -le $((many * 32)) ]
ok "in less than 32 KiB of memory for each ($memory KiB)"
timeout 20 "$liquid_nl" job end many --config liquid.conf
if [ "$many" != 1024 ]; then
	kill $service
	finish
fi

agree newer 64 newer && grep -q ' 128 unknown$' text
ok "nodes of a later release are told what this one does not know, and agree"
timeout 20 "$liquid_nl" job end newer --config liquid.conf

# ---- many nodes by the first one ----

sed "s/^agree .*/agree first 7826-7829/; s|^store .*|store $work/own|
	\$apartition * ring64" liquid.conf >first.conf
# All but h1 say that the kernel's TAI - UTC offset is 37 s.
make_tai
(
	TAI=37 LD_PRELOAD=$work/tai.so timeout 100 "$liquid_nl" job ready by-first --node h1 \
		--dry-run --config first.conf --nodes 'h[1-64]' --partition any >by-first.h1 2>&1
) &
first=$!
within 20 test -e own/h1/rounds/by-first-1/spec.json
timeout 100 "$nodes" 7826 munge/socket "$uid" by-first 64 first >text 2>&1
wait $first
cat by-first.h1 >>text
grep -q '^63 of 63 gate' text && grep -q 'node h1 gates by schedule' text
ok "64 nodes agree by the first of them"
"$liquid_nl" job end by-first --node h1 --dry-run --config first.conf
timeout 100 "$liquid_nl" job ready too-many --node h1 --dry-run --config first.conf \
	--nodes 'h[1-65]' --partition any >text 2>&1
grep -q 'not gated: its round would have 65 nodes, and the limit is 64' text
ok "65 do not"

# ---- connections that say nothing ----

# From one address, as one user might open them; then a job of 64 nodes
mkfifo never
(
	for _ in $(seq 100); do
		exec {silent}<>"/dev/tcp/127.0.0.1/$PORT" && echo "$silent"
	done >silent 2>/dev/null
	read -r -t 30 _ _ _ <>"$work/never"
) &
opened()
{
	[ "$(wc -l <silent)" = 100 ]
}
sockets()
{
	find /proc/$service/fd -lname 'socket:*' | wc -l
}
within 10 opened
sleep 0.2
open=$(sockets)
agree beside 64 && [ "$open" -ge 60 ] && [ "$open" -le 70 ]
ok "of 100 silent connections from one address 64 are kept, and nodes agree beside them"
timeout 20 "$liquid_nl" job end beside --config liquid.conf
closed()
{
	[ "$(sockets)" -le 3 ]
}
within 15 closed
ok "after ten seconds they are closed"
head -c 3000000 /dev/zero 2>/dev/null >"/dev/tcp/127.0.0.1/$PORT"
"$liquid_nl" job start huge --config liquid.conf --nodes 'h[1-5000]' --traffic exchange >text 2>&1
answers
ok "a flood of zeros and a job of 5,000 nodes do no harm"
kill $service

# ---- instructions ----

# counted COUNT: thousands of instructions of the service for each node of a job without slices
counted()
{
	serve setpriv --reuid $keeper --clear-groups valgrind -q --tool=callgrind \
		--callgrind-out-file="counts/$1" || return
	agree "counted$1" "$1" bare
	timeout 20 "$liquid_nl" job end "counted$1" --config liquid.conf
	kill $service
	wait $service 2>/dev/null
	each=$(awk -v n="$1" '/^totals:/ { printf "%d", $2 / 1000 / n }' "counts/$1")
}

what="instructions for a node: few, and hardly more for each of 256 than of 64"
if [ -z "$(command -v valgrind)" ] || [ "$(uname -m)" != x86_64 ]; then
	skip "$what" "no valgrind, or another processor"
else
	counted 64
	few=$each
	counted 256
	echo "64 nodes: $few thousand for each; 256 nodes: $each" >>text
	[ "${each:-0}" -gt 0 ] && [ "$each" -le $MOST ] && [ "$each" -le $((few * 13 / 10)) ]
	ok "$what ($each thousand)"
fi
finish

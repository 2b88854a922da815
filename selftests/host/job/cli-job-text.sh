#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What others have written - users, records, commands, daemons - in liquid-nl's output: it forges no
# line of a log, acts on no terminal, and what a user has written wrong fails no job but his.
#
# timeout: 180

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"
. "$here/lib/serve.bash"
in_own_namespaces "$@"

"$liquid" fabric make leaf-spine leaves=2 hosts=2 spines=2 -o fabric
for n in 1 2 3 4; do
	echo "h$n 10.0.0.$n"
done >addresses
# conf [LINE...]
conf()
{
	write_conf liquid.conf "lead 300ms" "traffic ranks mpi:alltoall 2" \
		"partition batch exchange" "$@"
}
# plain NAME: text has no byte that acts, and no line of another's
plain()
{
	! LC_ALL=C grep -q '[^[:print:]]' text && ! grep -q '^liquid-nl: job 99' text && [ -s text ]
	ok "$1"
}
evil=$'x\nliquid-nl: job 99: node h1 gates\e[31m\x9b\x7f'

keeper=root
DEADLINE=2
LEAD=1
conf
serve_one_host h1 h2 h3 h4

echo "TAP version 13"

# ---- a job's comment ----

"$liquid_nl" job start 1 --nodes 'h[1-2]' --comment "liquid=$evil" --config liquid.conf >text 2>&1
plain "a comment with a line end begins none"
[ "$(wc -l <text)" = 1 ]
ok "there is one line"
"$liquid_nl" job start 2 --nodes 'h[1-2]' --comment $'liquid=x\e[31m\x9b' \
	--config liquid.conf >text 2>&1
status=$?
plain "one with an escape sequence shows it"
[ $status -eq 0 ] &&
	[ "$(cat text)" = "job 2: not gated: its comment names traffic 'x\x1b[31m\x9b', \
which is not configured" ]
ok "and is reported as what it is"
"$liquid_nl" job ready 2 --node h1 --dry-run --config liquid.conf >text 2>&1
plain "to the nodes too"
prints 0 "*round 3-1, 2 nodes*" job start 3 --nodes 'h[1-2]' --comment "xliquid=no liquid=ranks" \
	--config liquid.conf
grep -q '"traffic":"mpi:alltoall"' store/rounds/3-1/spec.json
ok "the word that begins with liquid= counts, wherever it stands"
"$liquid_nl" job end 3 --config liquid.conf
prints 0 "job 4: not gated: no traffic is configured for it" job start 4 --nodes 'h[1-2]' \
	--comment "xliquid=exchange liquid=" --config liquid.conf
conf "on-failure fail"
prints 0 "job 5: not gated: its comment names traffic 'typo', which is not configured" job start 5 \
	--nodes 'h[1-2]' --partition batch --comment "liquid=typo" --config liquid.conf
prints 0 "job 5: not gated: its comment names traffic 'typo', which is not configured" job ready 5 \
	--node h1 \
	--dry-run --config liquid.conf
prints 1 "*unknown traffic 'typo'*" job start 6 --nodes 'h[1-2]' --traffic typo --config liquid.conf

# ---- arguments, configuration, names ----

conf
"$liquid_nl" job start "$evil" --nodes h1,h2 --config liquid.conf >text 2>&1
sed -i '/^usage:/,$d' text
plain "an argument that is not a job's name"
"$liquid_nl" job start 7 --nodes "h1,h$evil" --traffic exchange --config liquid.conf >text 2>&1
plain "nodes that are none"
"$liquid_nl" "$evil" >text 2>&1
sed -i '/^usage:/,$d' text
plain "a command that is none"
printf 'a\e[31m\x9b b\n' >bad.conf
"$liquid_nl" job status --config bad.conf >text 2>&1
plain "a key of liquid.conf"
"$liquid" verify fabric "$evil" >text 2>&1
plain "a file's name"
printf '{"liquid-schedule": 1, "\\u001b[31m\\nx": ' >schedule
"$liquid" verify fabric schedule >text 2>&1
plain "what a JSON file has in it"

# ---- records ----

"$liquid_nl" job start 8 --nodes 'h[1-2]' --traffic exchange --config liquid.conf >text 2>&1
printf '{"verdict":"abort","node":"%s","reason":"%s"}' '\n\u001b[31m' \
	'y\nliquid-nl: job 99\u001b[31m\u009b\u202e' >store/rounds/8-1/release.json
chmod 640 store/rounds/8-1/release.json
"$liquid_nl" job status 8 --config liquid.conf >text 2>&1
plain "a record's reason, as job status tells it"
grep -q 'y\\x0aliquid-nl: job 99\\x1b\[31m\\xc2\\x9b\\xe2\\x80\\xae' text
ok "with all that it has"
"$liquid_nl" job status 8 --json --config liquid.conf >text 2>&1
plain "in JSON too"
"$liquid_nl" job ready 8 --node h1 --dry-run --config liquid.conf >text 2>&1
plain "and as a node hears of it"
"$liquid_nl" job end 8 --config liquid.conf

# ---- commands ----

conf "live-command printf 'liquid-nl: job 99\\n\\033[31m' '#'; echo \$\$ >&2"
"$liquid_nl" job start 9 --nodes 'h[1-2]' --traffic exchange --config liquid.conf >text 2>&1
"$liquid_nl" job prepare 9-1 --node h1 --config liquid.conf >plan 2>text
plain "what a live-command prints"
[ "$(grep -c '^liquid-nl: live-command: ' text)" = 2 ] && jq -e .digest plan >/dev/null
ok "is told as its own, on its own lines, and is not a part of the plan"
conf "live-command sleep 3 & echo on"
timeout 5 "$liquid_nl" job prepare 9-1 --node h1 --config liquid.conf >plan 2>text
[ $? -eq 0 ] && grep -q "live-command: on" text
ok "what it leaves running holds up no one"
conf "live-command sleep 61.25"
# The node's deadline or the controller's, whichever comes first
timeout 20 "$liquid_nl" job ready 9 --node h1 --dry-run --config liquid.conf >text 2>&1
[ $? -ne 124 ] && grep -q "in time\|the controller took too long" text &&
	within 10 sh -c "! pgrep -fx 'sleep 61.25'"
ok "one that takes too long ends with the deadline"
mkdir bin
cat >bin/chronyc <<'END'
#!/bin/sh
printf "0A000001,10.0.0.1\\033[31m,3,1795248158.63,0,0,0,0,0,0,0,0,64.2,Normal\\n"
END
chmod +x bin/chronyc
PATH=$work/bin:$PATH "$liquid_nl" clock --ptp-socket "$work/none" >text 2>&1
plain "what chronyd answers"
grep -q 'follows 10.0.0.1\\x1b' text
ok "is shown"

finish

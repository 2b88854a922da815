#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A user database, and a resolver, that do not answer, as where sssd or DNS hangs: no command waits
# long for them, and each names its contents waited for. Instead of a daemon a FIFO hangs, in the
# place of the file that is read.
#
# timeout: 120

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"
. "$here/lib/serve.bash"
in_own_namespaces "$@"
install -m 755 "$liquid_nl" nl
install -m 755 "$liquid" liquid
mkfifo never
"$liquid" fabric make leaf-spine leaves=1 hosts=2 spines=1 -o fabric
printf '%s\n' "h1 10.0.0.1" "h2 10.0.0.2" >addresses
DEADLINE=10
LEAD=2
write_conf liquid.conf
cp liquid.conf conf
sed "s/^user .*/user $(id -u $keeper)/" conf >number
sed "s/^deadline .*/deadline 2s/; s/^lead .*/lead 1s/" number >service
serve_one_host h1 h2

# without FILE COMMAND...: no process answers its readers; the time that the command took is in
# $took
without()
{
	began=$(date +%s)
	unshare -m sh -c 'mount --bind never "$1" && shift && exec timeout -s KILL 40 "$@"' sh "$@"
	code=$?
	took=$(($(date +%s) - began))
	return $code
}

# gate FILE CONF: this many nodes do without FILE
gate()
{
	./nl job start a --nodes h1,h2 --traffic exchange --config conf >/dev/null 2>text
	for n in 1 2; do
		without "$1" ./nl job ready a --node h$n --dry-run --config "$2" >said.$n 2>&1 &
	done
	wait
	./nl job end a --config conf
	cat said.1 said.2 >text
	grep -c ' gates by schedule ' text
}

echo "TAP version 13"
[ "$(gate /etc/group conf)" = 2 ]
ok "no prologue asks for the groups of the store's user"
without /etc/passwd ./nl job status a --config number >text 2>&1 && [ $took -lt 5 ]
ok "a number as user is looked up nowhere"
[ "$(gate /etc/passwd conf)" = 0 ] &&
	[ "$(grep -c "gave up after 5 s, while looking up user 'daemon' (sssd? LDAP?)" text)" = 2 ]
ok "a name is, for five seconds; then the prologue says what it has waited for"
without /etc/passwd ./nl job status a --config conf >text 2>&1
grep -q "while looking up user 'daemon'" text && [ $took -lt 30 ]
ok "so does job status"
without /etc/passwd ./nl job metrics --config conf -o prom >text 2>&1
grep -q "while looking up user 'daemon'" text && [ $took -lt 30 ]
ok "and job metrics"
without /etc/passwd ./nl doctor --node h1 --config conf >text 2>&1
grep -q '^wrong  *user database  *the look-up of user .daemon. has not been answered$' text &&
	[ "$(grep -c '^not checked .* needs the user database$' text)" = 8 ] &&
	! grep -q 'the file system does not answer' text && [ $took -lt 30 ]
ok "doctor names the user database alone, and checks what does not need it"
./nl doctor --node h1 --config conf >text 2>&1
grep -q "^ok  *user database  *user 'daemon' has number $(id -u daemon)\$" text
ok "where it answers the number is reported"
without /etc/hosts ./nl job ready b --node h1 --dry-run --config service >text 2>&1
grep -q 'job b: gave up after 3[.0-9]* s, while asking for the address of ctl:7816 (DNS?)$' text
ok "a resolver that does not answer is named, too"
finish

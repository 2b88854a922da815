#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Whom liquid-nl job trusts: its store is the keeper's alone, what others own or may write is
# refused, and no process keeps a privilege that it does not need.
#
# timeout: 180

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

. "$here/lib/serve.bash"
in_own_namespaces "$@"
for program in setfacl setpriv; do
	command -v $program >/dev/null || skip_all "no $program; \`make deps\` installs it"
done
# Others, by number: an attacker, and a reader of the group of operators
attacker=64901
reader=64902
operators=64903

"$liquid" fabric make leaf-spine leaves=2 hosts=4 spines=2 -o fabric
for n in 1 2 3 4 5 6 7 8; do
	echo "h$n 10.0.0.$n"
done >addresses
mkdir -m 1777 shared
chmod 1777 shared

# conf STORE [LINE...]
conf()
{
	write_conf liquid.conf "store $work/$1" "${@:2}"
}
DEADLINE=20
LEAD=1
one_host h1 h2 h3 h4 h5 h6 h7 h8
# as UID [GID] -- COMMAND...
as()
{
	who=$1 group=$1
	shift
	[ "$1" = -- ] || { group=$1 && shift; }
	shift
	setpriv --reuid "$who" --regid "$group" --clear-groups "$@"
}
job()
{
	timeout 20 "$liquid_nl" job "$@" --config liquid.conf
}
echo "TAP version 13"

# ---- a store that another user was first to make ----

conf shared/first
as $attacker -- mkdir -m 777 shared/first shared/first/jobs shared/first/rounds
as $attacker -- setfacl -m u:$attacker:rwx,u:$keeper:rwx shared/first shared/first/*
as $attacker -- setfacl -d -m u:$attacker:rwx,u:$keeper:rwx,g::rwx,o::rwx shared/first \
	shared/first/*
prints 1 "*shared/first: the store is kept by user 1, and this belongs to user $attacker*" \
	job start taken --nodes 'h[1-2]' --traffic exchange --config liquid.conf
prints 1 "*this belongs to user $attacker*'$keeper', which is 'user' of liquid.conf*" \
	job serve --config liquid.conf
prints 1 "*this belongs to user $attacker*" job status --config liquid.conf
prints 1 "*this belongs to user $attacker*" job end taken --config liquid.conf
find shared/first -type f >text
[ ! -s text ]
ok "nothing was written into a store of another's"
sed -i /^user/d liquid.conf
prints 1 "*liquid.conf: 'user' is missing: who keeps the store, as in \`user slurm\`*" \
	job start taken --nodes 'h[1-2]' --traffic exchange --config liquid.conf

# ---- one that others may write ----

conf shared/store
job start own --nodes 'h[1-2]' --traffic exchange >text 2>&1
job prepare own-1 >plans 2>>text
ok "a store of the keeper's own is made"
find shared/store ! -user $keeper >text
find shared/store -type d ! -perm 750 >>text
find shared/store -type f ! -perm 640 ! -name lock >>text
find shared/store -name lock ! -perm 600 >>text
[ ! -s text ]
ok "all of it is the keeper's: directories 0750, records 0640"
find shared/store -name '*plan*' >text
[ ! -s text ]
ok "no plan is there"
job end own >/dev/null
for umask in 077 000; do
	(umask $umask && job start mask-$umask --nodes 'h[3-4]' --traffic exchange) >/dev/null 2>&1
	job end mask-$umask >/dev/null
	find shared/store -type d ! -perm 750 >text
	find shared/store -type f ! -perm 640 ! -name lock >>text
	[ ! -s text ] && [ -e shared/store/jobs/mask-$umask/end.json ]
	ok "whatever the umask is: $umask"
done

# refused WORDS NAME: start and status refuse the store, by these words
refused()
{
	job start no --nodes 'h[7-8]' --traffic exchange >text 2>&1
	status=$?
	job status >>text 2>&1
	[ $status -eq 1 ] && [ "$(grep -c "$1" text)" = 2 ] && [ ! -e shared/store/jobs/no ]
	ok "$2"
}
chmod 770 shared/store
refused "shared/store: users other than its owner may write to it (mode 0770" \
	"refused: its group may write"
chmod 757 shared/store
refused "users other than its owner may write" "refused: all may write"
chmod 750 shared/store
setfacl -m u:$attacker:rwx shared/store
refused "users other than its owner may write to it (mode 0770, or an ACL)" \
	"refused: an ACL lets another write"
setfacl -b shared/store
chmod 750 shared/store
chmod g+w shared/store/jobs
prints 1 "*shared/store/jobs: users other than its owner may write*" job status --config liquid.conf
setfacl -b -m u:$attacker:rwx shared/store/jobs
prints 1 "*shared/store/jobs: users other than its owner may write*" job status --config liquid.conf
setfacl -b shared/store/jobs
chmod 750 shared/store/jobs
mv shared/store shared/real
ln -s real shared/store
refused "shared/store: not a directory (a symbolic link is not followed)" "refused: a symbolic link"
rm shared/store
mv shared/real shared/store

# ACLs that new files would get from their directory
setfacl -d -m u:$attacker:rwx,g::rwx,o::rwx shared/store/jobs shared/store/rounds
job start inherit --nodes 'h[1-2]' --traffic exchange >text 2>&1 &&
	job prepare inherit-1 >plans 2>>text
ok "what a default ACL would let others write is not for them"
! as $attacker -- touch shared/store/jobs/inherit/x 2>text &&
	! as $attacker -- sh -c "echo >>$work/shared/store/rounds/inherit-1/spec.json" 2>>text
ok "other users may not change the keeper's records"
setfacl -k shared/store/jobs shared/store/rounds
job end inherit >/dev/null

# ---- records ----

# spoilt NAME COMMAND: no plan is made of a round whose records another user may have written
spoilt()
{
	job start "$1" --nodes 'h[1-2]' --traffic exchange >text 2>&1
	(cd "shared/store/rounds/$1-1" && eval "$2")
	! job prepare "$1-1" >plans 2>text && [ ! -s plans ]
	ok "$1: no node gets a plan"
	job end "$1" >/dev/null 2>&1
}
spoilt round-of-a-group "chmod g+w ."
spoilt round-of-another "chown $attacker ."
spoilt record-of-all "chmod o+w spec.json"
spoilt record-of-another "chown $attacker spec.json"
spoilt record-elsewhere "mv spec.json ../; ln -s ../spec.json spec.json"
spoilt record-too-large "truncate -s 65M spec.json"
grep -q "too large for a record" text
ok "which is reported"

# A pipe as a record: who opens it would wait for a writer.
job start piped --nodes 'h[5-6]' --traffic exchange >text 2>&1
mkdir shared/store/jobs/pipe
mkfifo shared/store/jobs/pipe/end.json shared/store/jobs/pipe/until.json \
	shared/store/jobs/pipe/gen-1.json \
	shared/store/rounds/piped-1/release.json
chown -R $keeper shared/store
timeout 5 "$liquid_nl" job status --config liquid.conf >text 2>&1
[ $? -eq 0 ] && grep -q "^job piped: preparing" text
ok "a pipe in place of a record holds up no one"
rm -r shared/store/jobs/pipe shared/store/rounds/piped-1/release.json
job end piped >/dev/null

# ---- who may only read ----

chown $keeper:$operators shared/store
chmod 2750 shared/store
mv shared/store/* "$work"
job start seen --nodes 'h[1-2]' --traffic exchange >text 2>&1
ok "with a group of readers, mode 2750, jobs begin"
as $reader $operators -- "$liquid_nl" job status --config liquid.conf >text 2>&1
grep -q "^job seen: preparing" text
ok "who is of that group sees how they stand"
! as $reader $operators -- mv shared/store/jobs shared/store/away 2>text &&
	! as $reader $operators -- touch shared/store/rounds/seen-1/go.json 2>>text
ok "readers of the store can change nothing"
! as $reader $operators -- test -r shared/store/lock && [ -e shared/store/lock ]
ok "readers of the store cannot read the lock, which is enough to hold it"
! as $attacker -- "$liquid_nl" job status --config liquid.conf >text 2>&1 &&
	grep -q "Permission denied" text
ok "others see nothing"
job end seen >/dev/null
grep -q 'install .*-m 2750' "$(dirname "$here")/Documentation/man/liquid.conf.5" &&
	! grep -q 2770 "$(dirname "$here")/Documentation/man/liquid.conf.5"
ok "liquid.conf(5) says 2750"

# ---- a store that root makes for the keeper ----

mkdir -m 755 roots
conf roots/store
job start made --nodes 'h[1-2]' --traffic exchange >text 2>&1
[ "$(stat -c '%U %a' roots/store roots/store/jobs | sort -u)" = "$keeper 750" ]
ok "where only root may make it, root does, and it is the keeper's"
# The attacker puts a link in its place as soon as it is there: root must not give him what it leads
# to.
mkdir -m 777 open
chmod 777 open
touch victim
conf open/store
# shellcheck disable=SC2016 # of perl
as $attacker -- timeout 30 perl -e 'chdir "open" or die;
	until (-e "../stop") {
		rename("store", "x" . $n++) && symlink("../victim", "store") for 1 .. 1000
	}' &
racer=$!
for _ in $(seq 30); do
	"$liquid_nl" job start raced --nodes h1,h2 --traffic exchange --config liquid.conf
	[ "$(stat -c %U victim)" = root ] || break
	rm -rf open/store
done >text 2>&1
touch stop
wait $racer
stat -c '%U %n' victim >text
[ "$(stat -c %U victim)" = root ]
ok "where others can put something in its place, root has no hand in it"

# ---- privileges ----

# privileges FILE: of a process, from its status
privileges()
{
	sed -n 's/^\(Uid\|CapEff\|CapPrm\|NoNewPrivs\):\t\([0-9a-f]*\).*/\1 \2/p' "$1" | tr '\n' ' '
}
net_admin=0000000000001000
none=0000000000000000
for user in $keeper root; do
	uid=$(id -u $user)
	conf "shared/of-$user" "user $user" "live-command cat /proc/self/status >$work/live.$user"
	install -m 666 /dev/null "live.$user"
	[ -e munge ] || start_munged
	serve
	disown
	job start stays --nodes 'h[1-2]' --traffic exchange >text 2>&1
	job ready stays --node h1 --dry-run --stay >stays.h1 2>&1 &
	within 10 test -e "shared/of-$user/rounds/stays-1/schedule.json"
	cat "/proc/$(worker_of stays h1)/status" >waits
	privileges waits >text
	[ "$(cat text)" = "Uid $uid CapPrm $net_admin CapEff $net_admin NoNewPrivs 1 " ]
	ok "kept by $user: who waits has CAP_NET_ADMIN alone, and gets no other"
	job ready stays --node h2 --dry-run >stays.h2 2>&1
	wait
	cat stays.h? >text
	[ "$(grep -c ' gates by schedule ' text)" = 2 ]
	ok "both nodes gate"
	privileges "live.$user" >text
	[ "$(cat text)" = "Uid $uid CapPrm $none CapEff $none NoNewPrivs 1 " ]
	ok "kept by $user: what reads files and solves has none"
	pid=$(pgrep -f "$liquid_nl job ready stays --node h1" | head -n 1)
	cat "/proc/$pid/status" >stays
	privileges stays >text
	[ "$(cat text)" = "Uid $uid CapPrm $net_admin CapEff $net_admin NoNewPrivs 1 " ]
	ok "kept by $user: what stays has CAP_NET_ADMIN alone, and gets no other"
	job end stays >/dev/null
	within 5 test ! -e "/proc/$pid"
	kill -KILL "$service"
	within 5 test ! -e "/proc/$service"
done

finish

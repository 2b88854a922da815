#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl doctor: each thing that can be wrong without a gate has its finding, which says what
# fixes it, and its exit code; nothing that hangs holds it up. selftests/kernel/job/doctor.sh has
# the rest.
#
# timeout: 120

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

. "$here/lib/serve.bash"
in_own_namespaces "$@"
for program in setpriv setfacl jq; do
	command -v $program >/dev/null || skip_all "no $program; \`make deps\` installs it"
done
user=64901
mount -t tmpfs -o mode=755 tmpfs /run || skip_all "no tmpfs"

# The scripts lie where `make install` puts them, relative to the tool.
mkdir -p opt/bin opt/libexec/liquid
install -m 755 "$liquid_nl" "$liquid" opt/bin
liquid_nl=$work/opt/bin/liquid-nl
cp -r "$(dirname "$here")/tools/slurm" opt/libexec/liquid/
scripts=$work/opt/libexec/liquid/slurm
"$liquid" fabric import --topo "$data/k44.topo" --lft "$data/k44.lfts" -o fabric 2>/dev/null
"$liquid" ranks fabric --format mpich | tr , '\n' | awk '{ print $1, "10.0.0." NR }' \
	>addresses
host=$(sed -n '1s/ .*//p' addresses)
install -d -o $keeper -m 750 store

# conf [LINE...]: with lines in place of those of the same key
conf()
{
	write_conf whole.conf
	{ sed /^link-rate/d whole.conf && printf '%s\n' "$@"; } | awk '
			!($1 in line) { key[++n] = $1 }
			{ line[$1] = $0 } END { for (i = 1; i <= n; i++) print line[key[i]] }' \
		>liquid.conf
}

# slurm [LINE...]: what scontrol says, as that of Slurm 22.05
slurm()
{
	printf '%-23s = %s\n' SlurmUser "$keeper($(id -u $keeper))" PrologFlags Alloc,Contain \
		PrologEpilogTimeout 30 Prolog "$scripts/prolog" Epilog "$scripts/epilog" \
		PrologSlurmctld "$scripts/prolog-slurmctld" \
		EpilogSlurmctld "$scripts/epilog-slurmctld" "$@" |
		awk '!($1 in line) { key[++n] = $1 }
			{ line[$1] = $0 } END { for (i = 1; i <= n; i++) print line[key[i]] }' \
			>slurm.txt
}
cat >bin/scontrol <<END
#!/bin/sh
[ "\$*" = "show config" ] && exec cat $work/slurm.txt
END
chmod +x bin/scontrol
export PATH=$work/bin:$PATH

doctor()
{
	timeout 20 "$liquid_nl" doctor --config liquid.conf --json "$@" >json 2>text
	status=$?
	cat json >>text
}
# has VERDICT CHECK PATTERN: a finding of the last run; one that is wrong or a warning has a fix
has()
{
	jq -e --arg v "$1" --arg c "$2" --arg p "$3" '[.findings[] |
		select(.verdict == $v and .check == $c and (.text | test($p)) and
			(.verdict == "ok" or .verdict == "not checked" or .fix))] |
		length > 0' json >/dev/null
}
# alone: the last run has no other wrong finding than those of check $1
alone()
{
	[ "$(jq -r '.findings[] | select(.verdict == "wrong") | .check' json | sort -u)" = "$1" ]
}
# wrong CHECK PATTERN NAME [ARG...], warns CHECK PATTERN NAME [ARG...]: of the controller
wrong()
{
	doctor "${@:4}"
	[ $status -eq 1 ] && has wrong "$1" "$2" && alone "$1"
	ok "$3"
}
warns()
{
	doctor "${@:4}"
	[ $status -eq 0 ] && has warn "$1" "$2" && alone ""
	ok "$3"
}

echo "TAP version 13"
DEADLINE=5
LEAD=1
conf
slurm
serve_one_host "$host"

# ---- all is well ----

doctor
[ $status -eq 0 ] && [ "$(jq -c '[.wrong, .warn, .ok]' json)" = "[0,0,6]" ]
ok "a controller of which all is well: exit code 0"
for check in "user database" configuration fabric addresses store slurm; do
	has ok "$check" . || echo "$check"
done >text
[ ! -s text ]
ok "it says so of each"
prints 0 "ok  *configuration *not checked  clock * of a node: --node NAME*" doctor \
	--config liquid.conf
prints 2 "*--node: expected a node's name*" doctor --node a/b --config liquid.conf
prints 2 "*--nod*" doctor --nod

# ---- liquid.conf ----

conf "what is this"
wrong configuration "liquid.conf:[0-9]*: unknown key 'what'" "a key that is not known"
[ "$(jq -c .not_checked json)" = 12 ]
ok "without liquid.conf nothing else is checked"
mv liquid.conf away
wrong configuration "No such file" "no liquid.conf"
conf
chmod 664 liquid.conf
wrong configuration "users other than its owner may write to it .mode 0664" \
	"one that a group may write"
conf
setfacl -m u:$user:rw liquid.conf
wrong configuration "may write to it .mode 0664, or an ACL" "one that an ACL lets another write"
rm liquid.conf
conf
chown $user liquid.conf
wrong configuration "belongs to user $user" "one that another user owns"
rm liquid.conf
conf "user nobody-of-that-name"
doctor
[ $status -eq 1 ] && has wrong configuration "unknown user" && has "not checked" store .
ok "a keeper who does not exist"
conf
chmod 600 liquid.conf
wrong configuration "user '$keeper' cannot read it: Permission denied" \
	"one that the keeper cannot read"
chmod 644 liquid.conf
sed -i /^traffic/d liquid.conf
warns configuration "no traffic is defined" "no traffic: a warning, and exit code 0"
conf "device eth9 other[1-4]"
doctor --node "$host"
[ $status -eq 1 ] && has wrong configuration "no device for node '$host'" &&
	has "not checked" gate "no device"
ok "a node without a device"

# ---- fabric, routes, addresses ----

conf "fabric $work/gone"
wrong fabric "gone: No such file" "no fabric's file"
chmod 600 fabric
conf
wrong fabric "fabric: Permission denied" "one that the keeper cannot read"
chmod 664 fabric
warns fabric "may write to it" "one that others may write: a warning"
chmod 644 fabric
conf "link-rate 3G"
wrong fabric "link-rate 3 Gbit/s, but a unit of fabric" "a rate that is not the fabric's"
conf
doctor --node elsewhere
has wrong fabric "has no node 'elsewhere'"
ok "a node that the fabric does not have"
conf "fabric $work/gone" "agree service localhost:1"
doctor --node "$host"
has "not checked" fabric "gone is not here" && ! has wrong fabric .
ok "a node without the fabric's file, by a service: nothing is wrong"
doctor
has wrong fabric "gone: No such file"
ok "but on the controller"
cp "$data/k44.topo" topo
cp "$data/k44.lfts" lft
conf "live-topo $work/topo" "live-lft $work/lft"
doctor
[ $status -eq 0 ] && has ok routes "written [0-9]* s ago, have the routes"
ok "the dumps have the routes of the fabric"
"$liquid" fabric make leaf-spine leaves=2 hosts=2 spines=1 -o other
conf "live-topo $work/topo" "live-lft $work/lft" "fabric $work/other" "link-rate 10G"
doctor
[ $status -eq 1 ] && has wrong routes "topo has other routes than .*other"
ok "other routes than the fabric's"
conf "live-topo $work/none" "live-lft $work/lft"
wrong routes "none: No such file" "no dumps"
conf "live-topo $work/none" "live-lft $work/lft" "live-command false"
doctor
[ $status -eq 0 ] && has "not checked" routes "live-command writes it"
ok "those of a live-command are not awaited, and it is not run"
conf
cp addresses all
sed -i 1d addresses
wrong addresses "no address for 1 of .* hosts: $host" "a host without an address"
: >addresses
hosts=$(wc -l <all)
wrong addresses "no address for $hosts of $hosts hosts: .*, [.]{3}" \
	"none at all: the first are named"
cat all <(head -n 1 all) >addresses
wrong addresses "addresses:$((hosts + 1)): " "a host that is there twice"
cp all addresses

# ---- the store ----

# by_first STORE: a node with its own store, there
by_first()
{
	conf "agree first" "store $work/$1"
}
# store VERDICT PATTERN NAME
store()
{
	doctor --node "$host"
	has "$1" store "$2"
	ok "$3"
}
install -d -o $keeper -m 750 own "own/$host"
by_first own
touch -d "-20 minutes" "own/$host/.doctor-1-1.old" "own/$host/.kept"
touch "own/$host/.doctor-1-2.new"
doctor --node "$host"
find "own/$host" -name '.*' -printf '%f\n' | sort >text
[ "$(tr '\n' ' ' <text)" = ".doctor-1-2.new .kept " ]
ok "what it has tried there is gone, and what runs have left that were killed"
by_first none/store
store wrong "nor the one above it" "a store whose directory is not there"
by_first none
doctor --node "$host"
has ok store "the first job makes it"
ok "a store before the first job"
install -d -o $user others "others/$host"
by_first others
store wrong "this belongs to user $user" "one of another user"
by_first own
chmod 770 "own/$host"
store wrong "users other than its owner may write" "one that a group may write"
chmod 750 "own/$host"
install -d -o $keeper -m 750 links
ln -s "../own/$host" "links/$host"
by_first links
store wrong "a symbolic link is not followed" "a link"
mkdir small
mount -t tmpfs -o size=64k,uid=$(id -u $keeper),mode=750 tmpfs small
by_first small
install -d -o $keeper -m 750 "small/$host"
store warn "KiB are free" "little space: a warning"
head -c 65536 /dev/zero >small/fill 2>/dev/null
store wrong "/\.doctor-.*: No space left" "none"
umount small
mount -t tmpfs -o nr_inodes=50,uid=$(id -u $keeper),mode=750 tmpfs small
install -d -o $keeper -m 750 "small/$host"
store warn "more files can be made" "few inodes: a warning"
umount small
mount -t tmpfs -o uid=$(id -u $keeper),mode=750 tmpfs small
install -d -o $keeper -m 750 "small/$host"
mount -o remount,ro small
store wrong "Read-only file system" "one that is mounted read-only"
umount small
printf '#include <unistd.h>\nint fsync(int fd) { return usleep(DELAY) + 0 * fd; }\n' >slow.c
by_first own
for delay in 120000 400000; do
	gcc -shared -fPIC -DDELAY=$delay slow.c -o slow.so 2>text
	LD_PRELOAD=$work/slow.so doctor --node "$host"
	echo "$(jq -r '.findings[] | select(.check == "store") | .verdict' json)"
done >slow
cp slow text
[ "$(tr '\n' ' ' <slow)" = "warn wrong " ]
ok "one that takes a twentieth of the lead for a record: a warning; a quarter: wrong"
conf

# ---- Slurm ----

slurm SlurmUser "nobody(65534)"
wrong slurm "runs as nobody.65534., and .user. of liquid.conf is $keeper" "another SlurmUser"
slurm PrologFlags "(null)"
wrong slurm "PrologFlags lacks Alloc" "no PrologFlags"
slurm PrologEpilogTimeout 6
wrong slurm "PrologEpilogTimeout is 6 s, and a prologue may take 14 s" "too short a time limit"
slurm PrologEpilogTimeout 65534
warns slurm "no limit" "none: a warning"
slurm PrologSlurmctld "(null)"
wrong slurm "slurm.conf has no PrologSlurmctld" "a script that is not configured"
printf '#!/bin/sh\ntrue\n' >mine
slurm EpilogSlurmctld "$work/mine"
wrong slurm "EpilogSlurmctld: .*mine calls nothing of liquid" "another script"
slurm EpilogSlurmctld "$work/gone"
wrong slurm "EpilogSlurmctld: there is no .*gone here" "one that is not there"
printf '#!/bin/sh\nexec %s/epilog-slurmctld\n' "$scripts" >mine
slurm EpilogSlurmctld "$work/mine"
doctor
[ $status -eq 0 ] && has ok slurm "the scripts of the controller"
ok "one that calls the installed script is fine"
sed 's/^said=/sleep 1; said=/' "$scripts/prolog-slurmctld" >copy
slurm PrologSlurmctld "$work/copy"
warns slurm "copy differs from the script that is installed" "a copy of another version: a warning"
mkdir prolog.d
cp "$scripts/prolog" prolog.d/50-liquid
cp mine prolog.d/10-mine
slurm PrologSlurmctld "(null)" "Prolog[0]" "$work/mine" "Prolog[1]" "$work/prolog.d/*"
sed -i '/^Prolog  *=/d' slurm.txt
doctor --node "$host"
has ok slurm "the scripts of nodes"
ok "on a node the scripts of nodes count, in any of several places"
mv slurm.txt away
wrong slurm "scontrol show config: .*No such file" "a scontrol that fails"
slurm

# ---- the node ----

cpus=/sys/devices/system/cpu
if mount -t tmpfs tmpfs $cpus 2>/dev/null; then
	for n in 0 1; do
		mkdir -p $cpus/cpu$n/cpufreq $cpus/cpu$n/cpuidle/state{0,1}
		echo performance >$cpus/cpu$n/cpufreq/scaling_governor
		for state in 0 1; do
			echo 0 >$cpus/cpu$n/cpuidle/state$state/disable
			echo $((state * 40)) >$cpus/cpu$n/cpuidle/state$state/latency
		done
	done
	doctor --node "$host"
	has ok processor .
	ok "processors that wake up soon"
	echo powersave >$cpus/cpu1/cpufreq/scaling_governor
	echo 133 >$cpus/cpu1/cpuidle/state1/latency
	doctor --node "$host"
	has warn processor "governor of 1 of 2 processors is powersave" &&
		has warn processor "take 133 us to wake up, and a frame is 1 ms"
	ok "a governor and an idle state that hold up frames"
	echo 1 >$cpus/cpu1/cpuidle/state1/disable
	doctor --node "$host"
	! has warn processor "wake up"
	ok "an idle state that is disabled does not"
	rm -rf $cpus/cpu*
	doctor --node "$host"
	has "not checked" processor "shows nothing"
	ok "none that are known"
	umount $cpus
fi
doctor --node "$host"
if [ -d /sys/module/liquid ]; then
	skip "the module is not loaded" "it is"
else
	[ $status -eq 1 ] && has wrong module "not loaded" &&
		has wrong gate "no gate is attached" && has "not checked" guard "no gate"
	ok "neither module nor gate"
fi
has warn addresses "10.0.0.1 of $host is not an address of this node"
ok "an address that the node does not have"
conf "device none9"
doctor --node "$host"
has wrong gate "none9: no such device"
ok "a device that is not there"
conf "clock refuse" "clock-error 1ns" "tai-offset 36"
doctor --node "$host"
has wrong clock "the clock may be off by" && cp json refuse
conf "clock warn" "clock-error 1ns" "tai-offset 36"
doctor --node "$host"
[ -s refuse ] && has warn clock "the clock may be off by"
ok "a clock that is not good enough: as liquid.conf takes it"

# ---- a job's user ----

conf
doctor --node "$host" --job-user nobody
has ok user "user nobody can read the fabric and the notice"
ok "what a user needs is there"
[ -z "$(ls -A /run/liquid-jobs)" ]
ok "and nothing is left"
mkdir -m 700 closed
chown $keeper closed
cp fabric closed
conf "fabric $work/closed/fabric"
doctor --node "$host" --job-user nobody
has warn user "closed/fabric: user nobody cannot read it" && has ok fabric .
ok "a fabric that users cannot read"
conf
chmod 757 store
doctor --node "$host" --job-user nobody
has wrong user "store: user nobody may write to it"
ok "a store that users may write to"
chmod 750 store
mkdir -m 700 -p /run/liquid-jobs
chmod 700 /run/liquid-jobs
doctor --node "$host" --job-user nobody
has wrong user "user nobody cannot read the notice of a job"
ok "a notice that users cannot read"
doctor --node "$host" --job-user nobody-of-that-name
has wrong user "unknown user"
ok "an unknown one"

# ---- without rights ----

conf
setpriv --reuid $user --regid $user --clear-groups "$liquid_nl" doctor --config liquid.conf \
	--node "$host" --job-user nobody --json >json 2>text
for check in fabric addresses store guard; do
	has "not checked" $check "needs root, or user '$keeper'" || echo $check >>text
done
has ok configuration . && has ok slurm . && has "not checked" user "needs root" && [ ! -s text ]
ok "another user is told what root could find out"
setpriv --reuid $keeper --regid $keeper --clear-groups "$liquid_nl" doctor --config liquid.conf \
	--json >json 2>text
has ok store . && has ok fabric .
ok "the keeper is not"

# ---- what hangs ----

# takes MS COMMAND...: it and whoever reads its output are done by then
takes()
{
	begin=$(date +%s%N)
	"${@:2}" | cat >/dev/null
	took=$((($(date +%s%N) - begin) / 1000000))
	echo "$took ms" >>text
	[ $took -lt "$1" ]
}
mkfifo pipe
conf "agree first" "fabric $work/pipe" "addresses $work/pipe"
printf '#!/bin/sh\nsleep %s\n' $((100000 + $$)) >bin/scontrol
: >text
takes 2500 doctor --time-limit 500ms --node "$host" && [ $status = 0 ]
doctor --time-limit 500ms
[ $status -eq 1 ] && has wrong fabric "not answered within 500 ms" &&
	has wrong slurm "not answered within 500 ms" &&
	has ok store "nodes have a store each, and the controller none"
ok "a file and a program that hang are findings, and the others are checked"
: >text
takes 2500 doctor --time-limit 500ms --node "$host"
ok "all of them together hold it up no longer than one"
pgrep -f "sleep $((100000 + $$))" >text
[ ! -s text ]
ok "what it has started is killed"
rm liquid.conf
mkfifo liquid.conf
doctor --time-limit 300ms
[ $status -eq 1 ] && has wrong configuration "not answered within 300 ms"
ok "liquid.conf itself hangs"

finish

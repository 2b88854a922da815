#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What a job's own user is told of the cluster: `job ready --user` writes it, `job end` removes it,
# no other user can read or forge it, and the ranks of an MPI program find fabric and hosts there.
#
# builds: user mpi mpi-tests
# timeout: 180

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"
. "$here/lib/serve.bash"
B=$(readlink -f "${B:-$here/../build}")
export B
in_own_namespaces "$@"
for program in setpriv setfacl; do
	command -v $program >/dev/null || skip_all "no $program; \`make deps\` installs it"
done
mount -t tmpfs -o mode=755 tmpfs /run || skip_all "no tmpfs"
notices=/run/liquid-jobs
user=64901 other=64902
chmod 755 "$work"

"$liquid" fabric make leaf-spine leaves=2 hosts=2 spines=2 -o fabric
for n in 1 2 3 4; do
	echo "h$n 10.0.0.$n"
done >addresses
# conf [LINE...]
conf()
{
	write_conf liquid.conf "partition idle none" "$@"
}
as()
{
	setpriv --reuid "$1" --regid "$1" --clear-groups "${@:2}"
}
# ready JOB NODE [ARG...]: a prologue of a partition that is never gated, which is over at once
ready()
{
	"$liquid_nl" job ready "$1" --node "$2" --partition idle --config liquid.conf "${@:3}" \
		>text 2>&1
}
end()
{
	"$liquid_nl" job end "$1" --node "$2" --dry-run --config liquid.conf >text 2>&1
}

keeper=root
DEADLINE=3
LEAD=1
conf
serve_one_host h1 h2 h3 h4

echo "TAP version 13"

# ---- who may read ----

ready 17 h1 --user $user
status=$?
[ $status -eq 0 ] && as $user cat $notices/17@h1 >text 2>&1 &&
	printf '%s\n' "fabric $work/fabric" "host h1" "rail 1" "state unasked" \
		"reason its partition has no traffic" | cmp - text
ok "the job's user is told its fabric, host and rail, gated or not, and why not"
! as $other cat $notices/17@h1 >text 2>&1
ok "another user is not"
! as $user ls $notices >text 2>&1
ok "and no other user sees which jobs there are"
find $notices/17@h1 ! -user root >text
as $user sh -c "echo fabric /forged >>$notices/17@h1" 2>>text && echo written >>text
as $user sh -c "rm -f $notices/17@h1 || mv $notices/17@h1 $notices/18@h1" 2>>text
as $user touch $notices/18@h1 2>>text && echo made >>text
! grep -q 'written\|made' text && [ "$(echo $notices/*)" = "$notices/17@h1 $notices/17@h1@plan" ] &&
	[ "$(as $user head -n 1 $notices/17@h1)" = "fabric $work/fabric" ]
ok "root owns it: its user can neither change nor replace it"
(umask 077 && ready 18 h1 --user $other)
as $other grep -q "^host h1" $notices/18@h1 2>text && ! as $user cat $notices/18@h1 2>>text
ok "the user of another job reads the other one, whatever the umask is"
ready 18 h1 --user $user
as $user grep -q "^host h1" $notices/18@h1 2>text && ! as $other cat $notices/18@h1 2>>text
ok "a job that begins again under its number is informed anew"
ready 19 h1
[ ! -e $notices/19@h1 ]
ok "without a user nothing is written"

# ---- job status, for the job's user ----

install -m 755 "$liquid_nl" tool
# tells STATUS PATTERN USER [ARG...]: what job status says to a user who can read nothing else
tells()
{
	(cd / && as "$3" env -u SLURM_JOB_ID -u SLURMD_NODENAME $environment \
		"$work/tool" job status --config /nonexistent "${@:4}") >text 2>&1
	[ $? -eq "$1" ] && [[ $(cat text) == $2 ]]
}
environment=
tells 0 "job 17: unasked: its partition has no traffic" $user 17 --node h1
ok "job status shows the job's user from the notice, without liquid.conf and store"
environment="SLURM_JOB_ID=17 SLURMD_NODENAME=h1"
tells 0 "job 17: unasked: its partition has no traffic" $user
ok "inside the job it need not be named"
tells 0 '*"job": "17"*"state": "unasked"*"reason": "its partition *' $user --json
ok "as JSON"
tells 5 "liquid-nl: /nonexistent: No such file*AdminComment*" $other
ok "to another user the store is read, and it is said where users find theirs"
environment="SLURM_JOB_ID=16 SLURMD_NODENAME=h1 SLURM_HET_SIZE=2 SLURM_JOB_ID_HET_GROUP_0=16
	SLURM_JOB_ID_HET_GROUP_1=17"
tells 0 "job 17: unasked: its partition has no traffic" $user
ok "a task of a heterogeneous job is informed of the component that is on its node"
tells 1 "*node h1 has no notice of job 16 that this user may read" $user 16 --node h1
ok "unless it names another one"
environment=
tells 1 "*node h1 has no notice of job 17 that this user may read" $other 17 --node h1
ok "and sees no notice by its name"
tells 1 "*node h1 has no notice of job (none is named)*" $user --node h1
ok "nor does it without a job's name"
tells 2 "*'../17': a job's name is made of letters*" $user ../17 --node h1
ok "nor by a path"
for n in 1 2; do
	timeout 20 "$liquid_nl" job ready 30 --node h$n --user $user --dry-run --stay \
		--config liquid.conf >ready.$n 2>&1 &
	prologue[n]=$!
done
within 5 test -e $notices/30@h2
tells 0 "job 30: preparing" $user 30 --node h2
ok "before the agreement: preparing"
"$liquid_nl" job start 30 --nodes 'h[1-2]' --traffic exchange --config liquid.conf >text 2>&1
wait "${prologue[@]}"
digest=$(sed -n 's/.* gates by schedule \([0-9a-f]*\) from .*/\1/p' ready.1)
tells 0 "job 30: gated, round 30-1, schedule ${digest:-none} from 20*" $user 30 --node h2
ok "after it: gated, by which schedule and from when"
tells 0 '*"state": "gated"*"round": "30-1"*"digest": "'"$digest"'*"base_ns": 1*' $user 30 \
	--node h1 --json
ok "as JSON"
"$liquid_nl" job end 30 --config liquid.conf >text 2>&1
"$liquid_nl" job start 31 --nodes 'h[1-2]' --traffic exchange --config liquid.conf >text 2>&1
"$liquid_nl" job ready 31 --node h1 --user $user --dry-run --config liquid.conf >text 2>&1
tells 0 \
	"job 31: ungated: *as node h1 decided: 1 of 2 nodes were ready in time, not h2" \
	$user 31 \
	--node h1
ok "where the nodes do not agree, why not"
"$liquid_nl" job end 31 --config liquid.conf >text 2>&1
"$liquid_nl" job ready 32 --node h1 --user $user --dry-run --config liquid.conf >text 2>&1
tells 0 "job 32: ungated: nothing was published: look at the controller*" $user 32 --node h1
ok "where the controller has published nothing, that"
for name in 30@h1 30@h2 31@h1 32@h1; do
	end "${name%@*}" "${name#*@}"
done

# ---- its end ----

ready 17 h2 --user $user
end 17 h1
[ "$(cd $notices && echo *@h?)" = "17@h2 18@h1" ]
ok "the end of a job on a node removes its notice there, and no other"
echo "what is this" >>liquid.conf
end 17 h2
[ ! -e $notices/17@h2 ]
ok "also where liquid.conf cannot be read"
conf
end 18 h1

# ---- where another user was first ----

rmdir $notices
mkdir -m 777 "$work/theirs"
ln -s "$work/theirs" $notices
ready 20 h1 --user $user
status=$?
[ $status -eq 0 ] && [ -z "$(ls "$work/theirs")" ] &&
	grep -q "^liquid-nl: job 20: no notice for its user in $notices: " text
ok "a link in the place of the directory is not followed: it is said, and the job begins"
rm $notices
mkdir $notices
chown $other $notices
ready 20 h1 --user $user
[ -z "$(ls $notices)" ] && grep -q "no notice for its user in $notices: Operation not" text
ok "nor is a directory of another's taken"
rmdir $notices

# ---- MPI programs ----

programs=$B/selftests/mpi/openmpi
if ! command -v mpirun.openmpi >/dev/null || [ ! -x "$programs/mpi-cases" ] ||
	[ ! -e "$B/mca_coll_liquid.so" ]; then
	skip "an MPI program finds its fabric and hosts" "no Open MPI, or it is not built"
	finish
	exit
fi
for n in 1 2 3 4; do
	ready 21 h$n --user $user
done
chmod 644 fabric
mkdir -m 755 components home
chown $user home
cp "$B/mca_coll_liquid.so" components
cp "$programs/mpi-cases" .
chmod 755 mpi-cases
paths=$(ompi_info --parsable --path pkglibdir 2>/dev/null | sed -n 's/^path:pkglibdir://p')
# Each rank is where Slurm would have started it.
cat >rank <<-'END'
	#!/bin/sh
	export SLURM_JOB_ID=${JOB:-21} SLURMD_NODENAME=h$((OMPI_COMM_WORLD_RANK + 1))
	exec "$@"
END
chmod 755 rank
# program UID: calls that went by tokens, of 5
program()
{
	rm -f home/*
	env -u LIQUID_FABRIC HOME="$work/home" LIQUID_CONF=/nonexistent LIQUID_MPI=tokens \
		LIQUID_MPI_MIN=1000 LIQUID_MPI_STATS="$work/home/stats" TMPDIR="$work/home" \
		timeout -k 5 60 setpriv --reuid "$1" --regid "$1" --clear-groups \
		mpirun.openmpi --oversubscribe -n 4 --mca mpi_yield_when_idle 1 \
		--mca mca_base_component_path "$paths:$work/components" \
		./rank ./mpi-cases plain 5 20000 >text 2>&1
	grep -q 'wrong=0$' text || return
	cat home/stats* 2>/dev/null | grep -c '"way": "tokens"'
}
[ "$(program $user)" = 5 ]
ok "the ranks of a job's user find their fabric and hosts, and follow its schedule"
export SLURM_HET_SIZE=2 SLURM_JOB_ID_HET_GROUP_0=20 SLURM_JOB_ID_HET_GROUP_1=21
[ "$(JOB=20 program $user)" = 5 ]
ok "also in a heterogeneous job, of which all tasks have the number of the first component"
unset SLURM_HET_SIZE SLURM_JOB_ID_HET_GROUP_0 SLURM_JOB_ID_HET_GROUP_1
chown $other home
[ "$(program $other)" = 0 ]
ok "those of another user, who claims to be of that job, do not"
chown $user home
chown $other $notices/21@h3
setfacl -m u:$user:r $notices/21@h3
as $user cat $notices/21@h3 >/dev/null && program $user >went
[ "$(cat went)" = 0 ]
ok "a notice that another user owns is none: all go the MPI's own way"
rm $notices/21@h3
ln -s 21@h2 $notices/21@h3
program $user >went
[ "$(cat went)" = 0 ]
ok "nor is a link"

finish

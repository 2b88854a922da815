#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A job's ranks get their plan from the service, through their nodes, which share no file with the
# controller and have no fabric: who can read it, and that an MPI program follows it.
#
# builds: user mpi mpi-tests
# timeout: 120

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"
. "$here/lib/serve.bash"
B=$(readlink -f "${B:-$here/../build}")
export B
in_own_namespaces "$@"
for program in setpriv getfacl mpirun.openmpi; do
	command -v $program >/dev/null || skip_all "no $program; \`make deps\` installs it"
done
programs=$B/selftests/mpi/openmpi
[ -x "$programs/mpi-cases" ] && [ -e "$B/mca_coll_liquid.so" ] ||
	skip_all "the programs or the component for Open MPI are not built"
mount -t tmpfs -o mode=755 tmpfs /run || skip_all "no tmpfs"
notices=/run/liquid-jobs
user=64901 other=64902
DEADLINE=10
LEAD=1

"$liquid" fabric make leaf-spine leaves=2 hosts=2 spines=2 -o fabric
for n in 1 2 3 4; do
	echo "h$n 10.0.0.$n" >>addresses
	echo "127.0.0.1 h$n" >>known
done
echo "127.0.0.1 ctl" >>known
know known
start_munged
printf '%s\n' "h1 h2" "h2 h1" "h3 h4" "h4 h3" >pairs
chmod 644 pairs fabric addresses
write_conf liquid.conf "traffic pairs file:$work/pairs" "traffic ranks mpi:alltoall 2"
sed "s|$work/fabric|/nowhere/fabric|; s|$work/addresses|/nowhere/addresses|
	s|$work/store|/nowhere/store|" liquid.conf >node.conf
install -d -o $keeper -m 750 store
serve

as()
{
	setpriv --reuid "$1" --regid "$1" --clear-groups "${@:2}"
}

# job NAME TRAFFIC: it is gated on all nodes
job()
{
	"$liquid_nl" job start "$1" --config liquid.conf --nodes 'h[1-4]' --traffic "$2" >text 2>&1
	for n in 1 2 3 4; do
		setsid timeout -s KILL 100 "$liquid_nl" job ready "$1" --node h$n --dry-run --stay \
			--user $user --config node.conf >"ready.$n" 2>&1 &
		ready[n]=$!
	done
	wait "${ready[@]}"
	cat ready.? log >>text
	[ "$(cat ready.? | grep -c ' gates by schedule ')" = 4 ]
}

end()
{
	for n in 1 2 3 4; do
		timeout 10 "$liquid_nl" job end "$1" --node h$n --dry-run --config node.conf
	done >text 2>&1
}

# plan_of N: its file on a node
plan_of()
{
	echo "$notices/17@h$1@plan"
}

echo "TAP version 13"

job 17 exchange
ok "a job is gated by the service"
for n in 1 2 3 4; do
	as $user head -n 1 "$(plan_of $n)"
done >text 2>&1
[ "$(sort -u text)" = "liquid-plan 1" ] && [ "$(wc -l <text)" = 4 ]
ok "its user finds a plan on each node"
[ "$(stat -c '%U %a' "$(plan_of 1)")" = "root 440" ] &&
	[ "$(getfacl -np "$(plan_of 1)" | grep '^[^#]' | tr '\n' ' ')" = \
	  "user::r-- user:$user:r-- group::--- mask::r-- other::--- " ]
ok "root owns it, and that user alone reads it"
! as $other cat "$(plan_of 1)" >text 2>&1 &&
	! as $user sh -c "echo >>'$(plan_of 1)' || rm -f '$(plan_of 1)'" >>text 2>&1 &&
	! setpriv --reuid $keeper --clear-groups sh -c "echo >>'$(plan_of 1)'" >>text 2>&1 &&
	[ -s "$(plan_of 1)" ]
ok "no other user does, and neither its user nor the store's changes it"
! cmp -s "$(plan_of 1)" "$(plan_of 2)" && [ "$(stat -c %s "$(plan_of 1)")" -lt 400 ]
ok "it is the slice of that node"

# ---- MPI programs ----

mkdir -m 755 components home
chown $user home
cp "$B/mca_coll_liquid.so" components
cp "$programs/mpi-cases" .
chmod 755 mpi-cases
paths=$(ompi_info --parsable --path pkglibdir 2>/dev/null | sed -n 's/^path:pkglibdir://p')
# Each rank is where Slurm would have started it: rank N on the N-th of the nodes in $PLACES.
cat >rank <<-'END'
	#!/bin/sh
	shift "$OMPI_COMM_WORLD_RANK"
	export SLURM_JOB_ID=17 SLURMD_NODENAME="$1"
	while [ "$1" != -- ]; do
		shift
	done
	shift
	exec "$@"
END
chmod 755 rank
# program PLACES [ARG...]: how many calls went by tokens, of 5; the data are right
program()
{
	rm -f home/*
	# shellcheck disable=SC2086 # the places are words
	env -u LIQUID_FABRIC HOME="$work/home" LIQUID_CONF=/nonexistent LIQUID_MPI=tokens \
		LIQUID_MPI_MIN=1000 LIQUID_MPI_STATS="$work/home/stats" TMPDIR="$work/home" \
		LIQUID_MPI_VERBOSE=1 \
		timeout -k 5 60 setpriv --reuid $user --regid $user --clear-groups \
		mpirun.openmpi --oversubscribe -n "$(set -- $1 && echo $#)" \
		--mca mpi_yield_when_idle 1 \
		--mca mca_base_component_path "$paths:$work/components" \
		./rank $1 -- ./mpi-cases "${2:-plain}" 5 20000 >text 2>&1
	grep -q 'wrong=0$' text || return
	cat home/stats* 2>/dev/null | grep -c '"way": "tokens"'
}
[ "$(program "h1 h2 h3 h4")" = 5 ]
ok "an MPI program follows the plan: no rank has a fabric"
[ "$(program "h3 h1 h4 h2")" = 5 ]
ok "whatever the order of its ranks"
[ "$(program "h1 h1 h2 h2 h3 h3 h4 h4")" = 5 ]
ok "and with two ranks on each node"
[ "$(program "h1 h2 h3")" = 0 ] && grep -q "the job's plan is for all of its 4 nodes" text
ok "ranks on some of the nodes go the MPI's own way, and get the reason"
[ "$(program "h1 h2 h3 h4" zero)" = 0 ] && grep -q "plan does not serve: it is for equal" text
ok "so do exchanges of other than equal messages"
cp -p "$(plan_of 3)" kept
cat "$(plan_of 2)" >"$(plan_of 3)"
[ "$(program "h1 h2 h3 h4")" = 0 ] && grep -q "plan here is another node's" text
ok "a node that has another's slice: all go the MPI's own way"
cat kept >"$(plan_of 3)"

# ---- routes that change ----

awk '/^link leaf1.3/ { print; getline; print "  to h4"; next }
	/^link leaf1.4/ { print; getline; print "  to h3"; next } { print }' fabric >other
chmod 644 other
# plans N: this many nodes have one that is not empty
plans()
{
	[ "$(find $notices -name '17@*@plan' -size +0 | wc -l)" = "$1" ]
}
# A program that is running meanwhile, 75 ms a call: those so far are in home/long
long()
{
	env -u LIQUID_FABRIC HOME="$work/home" LIQUID_CONF=/nonexistent LIQUID_MPI=tokens \
		LIQUID_MPI_MIN=1000 LIQUID_MPI_STATS="$work/home/long" TMPDIR="$work/home" \
		timeout -k 5 60 setpriv --reuid $user --regid $user --clear-groups \
		mpirun.openmpi --oversubscribe -n 4 --mca mpi_yield_when_idle 1 \
		--mca mca_base_component_path "$paths:$work/components" \
		./rank h1 h2 h3 h4 -- ./mpi-cases late "$1" 20000 150 >text.long 2>&1
}
# went WAY: its last calls have gone this way
went()
{
	[ "$(tail -n 3 home/long | grep -c "\"way\": \"$1\"")" = 3 ]
}
rm -f home/*
long 130 &
program=$!
within 20 test -s home/long
within 10 went tokens
ok "a program that runs follows the plan"
"$liquid_nl" job sweep --config liquid.conf --fabric other >text 2>&1
grep -q "^job 17: round 17-1 is void: routes have changed: " text
ok "routes change, and a sweep finds it"
within 5 plans 0
# samples N: this many nodes have sent what their gates have counted
samples()
{
	[ "$(find store/rounds/17-1 -name 'last.*' | wc -l)" = "$1" ]
}
within 5 samples 4
"$liquid_nl" job status 17 --config liquid.conf >text 2>&1
plans 0 && grep -q "^job 17: void, round 17-1, " text &&
	samples 4
ok "the service informs the nodes, which open their gates and withdraw the plan"
within 10 went own
ok "the program goes on its own way"
"$liquid_nl" job reroute 17 --config liquid.conf --fabric other >text 2>&1
within 10 plans 4
ok "a reroute brings another plan to each node"
within 10 went tokens
ok "by which the program goes on"
wait $program
cat text.long >text
grep -q 'calls=130 wrong=0$' text
ok "and its data are right"

end 17
! ls $notices/17@* >text 2>&1
ok "the end of the job removes it"

job 18 ranks && [ -s "$notices/18@h1@plan" ]
ok "a traffic of two ranks on each node has a plan, too"
end 18
job 19 pairs && [ -e "$notices/19@h1@plan" ] && [ ! -s "$notices/19@h1@plan" ]
ok "one that is not all nodes with all has none"
end 19
finish

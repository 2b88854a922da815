#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The ranks of a job whose liquid.conf says `rail all` take the rails of their nodes in turn, told
# so by the job's notice alone, and their plan is over the endpoints of all rails: one that they
# make of the fabric, or, where nodes have none, one that a service has made.
#
# builds: user mpi mpi-tests
# timeout: 120

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"
. "$here/lib/serve.bash"
. "$here/lib/rails.bash"
B=$(readlink -f "${B:-$here/../build}")
export B
in_own_namespaces "$@"
for program in setpriv mpirun.openmpi; do
	command -v $program >/dev/null || skip_all "no $program; \`make deps\` installs it"
done
programs=$B/selftests/mpi/openmpi
[ -x "$programs/mpi-cases" ] && [ -e "$B/mca_coll_liquid.so" ] ||
	skip_all "the programs or the component for Open MPI are not built"
mount -t tmpfs -o mode=755 tmpfs /run || skip_all "no tmpfs"
user=64901

# Two rails are separate networks: no route leads from one to the other.
make_rails
mv fabric one-network
{
	printf '%s\n' "liquid-fabric 2" "name two-networks" "unit 10000000000" \
		"hosts n1/a/1,n1/b/1,n2/a/1,n2/b/1,n3/a/1,n3/b/1" "switches a,b"
	for rail in a b; do
		for n in 1 2 3; do
			printf '%s\n' "link n$n/$rail/1 $rail 1" "link $rail n$n/$rail/1 1" \
				"  to n$n/$rail/1"
		done
	done
	echo end
} >two-networks
chmod 644 one-network two-networks
DEADLINE=5
LEAD=1
write_conf liquid.conf "traffic four mpi:alltoall 4"
rails_lines >>liquid.conf
sed -i 's/^device lo$/device lo,eth9/; /^link-rate/d' liquid.conf
serve_one_host n1 n2 n3
mkdir -m 755 components home
chown $user home
cp "$B/mca_coll_liquid.so" components
cp "$programs/mpi-cases" .
chmod 755 mpi-cases
paths=$(ompi_info --parsable --path pkglibdir 2>/dev/null | sed -n 's/^path:pkglibdir://p')
cat >rank <<-'END'
	#!/bin/sh
	export SLURM_JOB_ID=$JOB SLURMD_NODENAME=n$((OMPI_COMM_WORLD_RANK * 3 / $RANKS + 1))
	exec "$@"
END
chmod 755 rank

# job NAME FABRIC TRAFFIC: all of its nodes gate by `rail all`, and tell the job's user
job()
{
	cp "$2" fabric
	ready "$1" "$3" liquid.conf
}

# ready JOB TRAFFIC CONF [ARG...]
ready()
{
	start "$1" "$2"
	for name in n1 n2 n3; do
		node "$1" $name "$3" --user $user "${@:4}"
	done
	gates "$1" 3
}

# program JOB RANKS [VARIABLE=VALUE]: equally many ranks on each node, of that job. Prints how many
# of its 5 calls went by tokens; the data must be right.
program()
{
	rm -f home/*
	env -u LIQUID_FABRIC -u LIQUID_MPI_RAIL "${@:3}" JOB="$1" RANKS="$2" HOME="$work/home" \
		LIQUID_CONF=/nonexistent LIQUID_MPI=tokens LIQUID_MPI_WIRE=p2p LIQUID_MPI_MIN=1000 \
		LIQUID_MPI_STATS="$work/home/stats" TMPDIR="$work/home" LIQUID_MPI_VERBOSE=1 \
		timeout -k 5 60 setpriv --reuid $user --regid $user --clear-groups \
		mpirun.openmpi --oversubscribe -n "$2" --mca mpi_yield_when_idle 1 \
		--mca mca_base_component_path "$paths:$work/components" \
		./rank ./mpi-cases plain 5 20000 >text 2>&1
	grep -q 'wrong=0$' text || return
	cat home/stats* 2>/dev/null | grep -c '"way": "tokens"'
}

echo "TAP version 13"
job 17 one-network ranks
ok "a job of ranks is gated, on all rails"
[ "$(program 17 6)" = 5 ]
ok "its ranks follow a plan over the endpoints of all rails"
end 17
job 18 two-networks exchange
ok "a job of nodes is gated where no route leads from rail to rail"
[ "$(program 18 6)" = 0 ] && grep -q "no route from n./[ab]/1 to n./[ab]/1" text
ok "ranks on different rails have no plan there: they were told to take all rails"
[ "$(program 18 6 LIQUID_MPI_RAIL=2)" = 5 ]
ok "who takes one rail has one"
end 18

# ---- a plan that a service has made ----

cp one-network fabric
sed "s|$work/fabric|/nowhere/fabric|; s|$work/addresses|/nowhere/addresses|
	s|$work/store|/nowhere/store|" liquid.conf >node.conf
# plan_of JOB N: the file that the service's plan of a job is in, on a node
plan_of()
{
	echo "/run/liquid-jobs/$1@n$2@plan"
}
ready 19 ranks node.conf --stay
ok "a job of ranks is gated by a service"
for n in 1 2 3; do
	grep -aE '^(rail|node) |^liquid-plan ' "$(plan_of 19 $n)"
done | sort | uniq -c | awk '{ print $1, $2, $3 }' | tr '\n' ',' >text
[ "$(cat text)" = "3 liquid-plan 1,3 node n1/a/1,3 node n1/b/1,3 node n2/a/1,3 node n2/b/1,$(
	)3 node n3/a/1,3 node n3/b/1,3 rail all," ]
ok "its nodes have a plan over the endpoints of all rails"
[ "$(program 19 6)" = 5 ]
ok "by which its ranks go: none has the fabric"
[ "$(program 19 6 LIQUID_MPI_RAIL=2)" = 0 ] &&
	grep -q "the job's plan is for all of its 6 nodes, and these ranks are on 3" text
ok "ranks on one rail have none, and get the reason"
[ "$(program 19 3)" = 0 ] && grep -q "the job's plan is for all of its 6 nodes" text
ok "nor have ranks of which some rails get none"
cat "$(plan_of 19 2)" >other
cat "$(plan_of 19 1)" >kept
cat other >"$(plan_of 19 1)"
[ "$(program 19 6)" = 0 ] && grep -q "the job's plan here is another node's" text
ok "a node that has another's slices: all go the MPI's own way"
cat kept >"$(plan_of 19 1)"
[ "$(program 19 6)" = 5 ]
ok "and by the plan when it has its own"
end 19
ready 20 four node.conf --stay
ok "a job of four ranks on each node is gated by a service"
[ "$(program 20 12)" = 5 ]
ok "and they follow its plan, two on each rail"
[ "$(program 20 6)" = 0 ] && grep -q "plan is for another number of ranks on each node" text
ok "which does not serve half of them"
end 20
for traffic in odd exchange; do
	ready 21 $traffic node.conf --stay
	[ -e "$(plan_of 21 1)" ] && [ ! -s "$(plan_of 21 1)" ]
	ok "no plan where rails send unequally, or each to the same ones: $traffic"
	end 21
done
finish

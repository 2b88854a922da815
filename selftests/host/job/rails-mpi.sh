#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The ranks of a job whose liquid.conf says `rail all` take the rails of their nodes in turn, told
# so by the job's notice alone, and their plan is over the endpoints of all rails.
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

# Two rails are networks of their own: no route leads from one to the other.
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
install -d -o $keeper -m 750 store
mkdir -m 755 components home
chown $user home
cp "$B/mca_coll_liquid.so" components
cp "$programs/mpi-cases" .
chmod 755 mpi-cases
paths=$(ompi_info --parsable --path pkglibdir 2>/dev/null | sed -n 's/^path:pkglibdir://p')
cat >rank <<-'END'
	#!/bin/sh
	export SLURM_JOB_ID=$JOB SLURMD_NODENAME=n$((OMPI_COMM_WORLD_RANK / 2 + 1))
	exec "$@"
END
chmod 755 rank

# job NAME FABRIC TRAFFIC: all of its nodes gate by `rail all`, and tell the job's user
job()
{
	{
		printf '%s\n' "fabric $work/$2" "addresses $work/addresses" "store $work/store" \
			"device lo,eth9" "frame-time 1ms" "clock off" "user $keeper" "deadline 5s" \
			"lead 1s" "traffic exchange alltoall"
		rails_lines
	} >liquid.conf
	start "$1" "$3"
	for name in n1 n2 n3; do
		node "$1" $name liquid.conf --user $user
	done
	gates "$1" 3
}

# program JOB [VARIABLE=VALUE]: six ranks, two on each node, of that job. Prints how many of its 5
# calls went by tokens; the data must be right.
program()
{
	rm -f home/*
	env -u LIQUID_FABRIC -u LIQUID_MPI_RAIL "${@:2}" JOB="$1" HOME="$work/home" \
		LIQUID_CONF=/nonexistent LIQUID_MPI=tokens LIQUID_MPI_WIRE=p2p LIQUID_MPI_MIN=1000 \
		LIQUID_MPI_STATS="$work/home/stats" TMPDIR="$work/home" LIQUID_MPI_VERBOSE=1 \
		timeout -k 5 60 setpriv --reuid $user --regid $user --clear-groups \
		mpirun.openmpi --oversubscribe -n 6 --mca mpi_yield_when_idle 1 \
		--mca mca_base_component_path "$paths:$work/components" \
		./rank ./mpi-cases plain 5 20000 >text 2>&1
	grep -q 'wrong=0$' text || return
	cat home/stats* 2>/dev/null | grep -c '"way": "tokens"'
}

echo "TAP version 13"
job 17 one-network ranks
ok "a job of ranks is gated, on all rails"
[ "$(program 17)" = 5 ]
ok "its ranks go by a plan over the endpoints of all rails"
end 17
job 18 two-networks exchange
ok "a job of nodes is gated where no route leads from rail to rail"
[ "$(program 18)" = 0 ] && grep -q "no route from n./[ab]/1 to n./[ab]/1" text
ok "ranks on different rails have no plan there: they were told to take all rails"
[ "$(program 18 LIQUID_MPI_RAIL=2)" = 5 ]
ok "who takes one rail has one"
finish

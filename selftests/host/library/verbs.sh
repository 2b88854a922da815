#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The wire by RDMA on this host, over a device that selftests/mpi/verbs/mock.c makes, which has the
# faults of networks that soft-RoCE has not.
# builds: user mpi mpi-tests
# timeout: 120
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
build=$(readlink -f "${B:-build}")
nl=${LIQUID_NL:-$build/liquid-nl}
component=$build/mca_coll_liquid.so
programs=$build/selftests/mpi/openmpi
mock=$build/selftests/mpi/verbs-mock.so
. selftests/lib/tap.sh

command -v mpirun.openmpi >/dev/null || skip_all "no Open MPI"
for file in "$component" "$programs/mpi-cases" "$mock" "$nl"; do
	[ -e "$file" ] || skip_all "no $file; \`make user mpi mpi-tests\` builds it"
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
details=$scratch/log
for variable in ${!LIQUID_*}; do
	unset "$variable"
done
export LIQUID_CONF=/nonexistent OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export LIQUID_FABRIC=$scratch/fabric LIQUID_MPI=tokens LIQUID_MPI_MIN=1000
export LIQUID_MPI_VERBOSE=1 LIQUID_MPI_STATS=$scratch/stats
"$nl" fabric make leaf-spine leaves=2 hosts=2 spines=2 -o "$scratch/fabric" || exit 1
mkdir "$scratch/components"
cp "$component" "$scratch/components"
paths=$(ompi_info --parsable --path pkglibdir 2>/dev/null | sed -n 's/^path:pkglibdir://p')

# Every rank is a host of its own. ODD is evaluated by rank 1.
cat >"$scratch/rank" <<END
#!/bin/sh
rank=\$OMPI_COMM_WORLD_RANK
export LIQUID_MPI_HOST=h\$((rank + 1)) LD_PRELOAD=$mock
[ "\$rank" != 1 ] || eval "\${ODD:-}"
exec "\$@"
END
chmod +x "$scratch/rank"

# right [VARIABLE=VALUE...]: 4 ranks make 10 calls; all data is right, and all calls go by a plan
right()
{
	rm -f "$scratch"/stats*
	env "$@" timeout -k 5 60 mpirun.openmpi --oversubscribe -n 4 \
		--mca mpi_yield_when_idle 1 \
		--mca mca_base_component_path "$paths:$scratch/components" \
		"$scratch/rank" "$programs/mpi-cases" plain 10 30000 >"$scratch/log" 2>&1 &&
		grep -q 'wrong=0$' "$scratch/log" &&
		[ "$(grep -c '"way": "tokens"' "$scratch/stats")" -eq 10 ]
}

# said TEXT: ranks have said so
said()
{
	grep -q "^liquid: .*$1" "$scratch/log"
}

export LIQUID_MPI_WIRE=verbs
right && ! said ""
ok "a device without faults: all data is right, by RDMA"

# Writes of a queue pair do not get into memory in their order, as with adaptive routing.
right MOCK_LATE=300
ok "a device that places data late: all data is right"
# 3 receives, and two writes at a time
right MOCK_ENTRIES=5
ok "a completion queue of 5 entries does not overrun"

# ---- fork ----

if ! right LIQUID_MPI_REGISTRATION=cache && said "libucm"; then
	skip "a cache where memory cannot be kept from children" "no libucm"
else
	right LIQUID_MPI_REGISTRATION=cache MOCK_FORK=0 && ! said "bounce"
	ok "a cache where libibverbs keeps registered memory from children"
	right LIQUID_MPI_REGISTRATION=cache ODD="export MOCK_FORK=22" &&
		said "rank 1 of 4: LIQUID_MPI_REGISTRATION=bounce, not cache: .*Invalid argument"
	ok "a cache where it cannot: that rank copies, and says why"
	! said "rank [^1] of"
	ok "and only that rank"
fi
finish

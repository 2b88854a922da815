#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The wire by RDMA on this host, over a device that selftests/mpi/verbs/mock.c makes, which has the
# faults of networks that soft-RoCE has not.
# builds: user mpi mpi-tests
# timeout: 120
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
build=$(readlink -f "${B:-build}")
liquid=${LIQUID:-$build/liquid}
component=$build/mca_coll_liquid.so
programs=$build/selftests/mpi/openmpi
mock=$build/selftests/mpi/verbs-mock.so
. selftests/lib/tap.sh

command -v mpirun.openmpi >/dev/null || skip_all "no Open MPI"
for file in "$component" "$programs/mpi-cases" "$mock" "$liquid"; do
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
"$liquid" fabric make leaf-spine leaves=2 hosts=2 spines=2 -o "$scratch/fabric" || exit 1
mkdir "$scratch/components"
cp "$component" "$scratch/components"
paths=$(ompi_info --parsable --path pkglibdir 2>/dev/null | sed -n 's/^path:pkglibdir://p')

# Every rank is its own host. ODD is evaluated by rank 1.
cat >"$scratch/rank" <<END
#!/bin/sh
rank=\$OMPI_COMM_WORLD_RANK
export LIQUID_MPI_HOST=h\$((rank + 1)) LD_PRELOAD=$mock
[ "\$rank" != 1 ] || eval "\${ODD:-}"
exec "\$@"
END
chmod +x "$scratch/rank"

# run [VARIABLE=VALUE...]: 4 ranks make $calls calls of a CASE; all data is right
run()
{
	rm -f "$scratch"/stats*
	env "$@" timeout -k 5 60 mpirun.openmpi --oversubscribe -n 4 \
		--mca mpi_yield_when_idle 1 \
		--mca mca_base_component_path "$paths:$scratch/components" \
		"$scratch/rank" "$programs/mpi-cases" "$case" "$calls" 30000 >"$scratch/log" 2>&1 &&
		grep -q 'wrong=0$' "$scratch/log"
}

# went: the number of calls that went by $way
went()
{
	grep -c "\"way\": \"$way\"" "$scratch/stats"
}

# right [VARIABLE=VALUE...]: the same, and all go by $way
right()
{
	run "$@" && [ "$(went)" -eq "$calls" ]
}

# said TEXT: ranks have said so
said()
{
	grep -q "^liquid: .*$1" "$scratch/log"
}

case=plain way=tokens calls=10
export LIQUID_MPI_WIRE=verbs
right && ! said ""
ok "a device without faults: all data is right, by RDMA"

# Writes of a queue pair do not get into memory in their order, as with adaptive routing.
right MOCK_LATE=300
ok "a device that places data late: all data is right"
# 3 receives, and two writes at a time
right MOCK_ENTRIES=5
ok "a completion queue of 5 entries does not overrun"

# ---- what is sent does not get through ----

# From rank 1 to the others; each has an active port, and queue pairs connect.
export LIQUID_MPI_WIRE=auto ODD="export MOCK_LOSES=0"
right
ok "nothing gets through from one rank: all data is right"
said "messages, not by RDMA: .* nothing gets through from rank 1 to rank [023] by RDMA: .* exceeded"
ok "not by RDMA, and the ranks between which nothing gets through are named"
right LIQUID_MPI_TIMEOUT=300ms ODD="export MOCK_LOSES=0 MOCK_FAILS=60000" &&
	said "from rank 1 to rank 0 by RDMA: .* no acknowledgement within 300 ms"
ok "the device does not show that nothing gets through: no wait is longer than LIQUID_MPI_TIMEOUT"
right ODD="export MOCK_LOSES=1024" &&
	said "a word gets through, but no packet of 4,096 bytes (MTU), from rank 1 to rank [023]"
ok "only short packets get through: the MTU is named"
case=freed
right && [ "$(grep -c "nothing gets through from rank 1" "$scratch/log")" = 1 ] &&
	[ "$(grep -c "not by RDMA: " "$scratch/log")" = 1 ]
ok "nothing gets through: that is found out and told once, of 10 communicators"
case=plain way=own
right LIQUID_MPI_WIRE=verbs && said "the MPI's own way: .* from rank 1 to rank [023]"
ok "nothing gets through, and LIQUID_MPI_WIRE=verbs: the MPI's own way"
way=tokens ODD=
export LIQUID_MPI_WIRE=verbs

# ---- memory is short ----

# See selftests/mpi/faults/short.c.
case=freed calls=75 way=own
export ODD="export LD_PRELOAD=$build/selftests/mpi/short.so:$mock"
run && [ "$(went)" -ge 50 ] && said "cannot connect to others: .*out of memory" &&
	! said "has sent "
ok "a rank short of memory in set-up, plan, wire, exchange: the MPI's own way, and why"
way=tokens
run LIQUID_MPI_WIRE=auto && [ "$(went)" -ge 30 ] && ! said "nothing gets through" &&
	! said "has sent"
ok "or the other wire, and RDMA is not thought to be broken"
case=later calls=50
run
ok "a non-blocking call after such a set-up: all data is right"
case=plain calls=10 ODD=

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

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Collective calls on files by the exchange, compared with the MPI's own: data, statuses, pointers,
# errors.
# builds: user mpi mpiio mpiio-tests
# timeout: 300
#
# usage: selftests/host/library/mpiio.sh [SEED [CALLS]]
#
# The seed is the same in each run unless one is given: with some others OMPIO's own reads have
# zeros for bytes of the file, and ROMIO's own calls crash, without any object of ours.
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
build=$(readlink -f "${B:-build}")
liquid=${LIQUID:-$build/liquid}
seed=${1:-21190}
calls=${2:-700}
programs=$build/selftests/mpiio
. selftests/lib/tap.sh

command -v mpirun.openmpi >/dev/null || skip_all "no Open MPI"
[ -x "$programs/openmpi/mpiio-cases" ] ||
	skip_all "no $programs/openmpi/mpiio-cases; \`make mpiio-tests\` builds it"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
details=$scratch/log
for variable in ${!LIQUID_*}; do
	unset "$variable"
done
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# A call takes several rounds.
export LIQUID_MPIIO=on LIQUID_MPIIO_VERBOSE=1 LIQUID_MPIIO_BUFFER=8192
dir=$scratch/files
components=$(ompi_info --path pkglibdir --parsable | sed 's/.*://')
limit=60

# openmpi IO RANKS ARGUMENT...
openmpi()
{
	timeout -k 5 "$limit" mpirun.openmpi --oversubscribe -n "$2" --mca io "$1" \
		--mca mpi_yield_when_idle 1 --mca btl self,vader \
		-x LD_PRELOAD="$build/libliquid-mpiio-${OBJECT:-openmpi}.so" \
		--mca mca_base_component_path "$components:$build" ${RANK:-} \
		"$programs/openmpi/${PROGRAM:-mpiio-cases}" "${@:3}" >"$scratch/log" 2>&1
}

# mpich RANKS ARGUMENT...
mpich()
{
	UCX_TLS=sysv,self timeout -k 5 "$limit" mpirun.mpich -n "$1" \
		-genv LD_PRELOAD "$build/libliquid-mpiio-${OBJECT:-mpich}.so" \
		"$programs/mpich/${PROGRAM:-mpiio-cases}" "${@:2}" >"$scratch/log" 2>&1
}

# right [SERVED PASSED]: nothing was wrong, and these calls of one file went these ways
right()
{
	grep -q '^wrong=0$' "$scratch/log" && { [ $# = 0 ] ||
		grep -q "exchange: $1, by the MPI's own way: $2\$" "$scratch/log"; }
}

fresh()
{
	rm -rf "$dir"
	mkdir "$dir"
}

# flatten MPI
flatten()
{
	"$programs/$1/mpiio-flatten" 10000 "$seed" >"$scratch/log" 2>&1 && right
	ok "$1: 10000 random types, as the MPI packs and unpacks them"
}

# ROMIO loses bytes that ranks write side by side: its files are not compared with its own, but with
# those that OMPIO's run has left.
random_calls()
{
	limit=$((60 + calls / 20))
	fresh
	openmpi ompio 4 random "$dir" "$calls" "$seed" && right '[1-9][0-9]*' '[1-9][0-9]*'
	ok "OMPIO: $calls random calls and more, as its own"
	mv "$dir/random.0" "$scratch/judge"
	openmpi romio321 4 unjudged "$dir" "$calls" "$seed" && right '[1-9][0-9]*' '[1-9][0-9]*' &&
		cmp "$scratch/judge" "$dir/random.0" >>"$scratch/log" 2>&1
	ok "ROMIO: the same calls leave the same file; statuses and pointers as its own"
	limit=60
}

# cases NAME RUN...
cases()
{
	fresh
	"${@:2}" files "$dir" && right 6 0
	ok "$1: parts of the program, one rank alone, two files, a handle used again"
	"${@:2}" threads "$dir" && right 78 0
	ok "$1: three threads, each with a file"
	fresh
	"${@:2}" fallback "$dir" && right 4 4
	ok "$1: what one rank cannot goes the MPI's own way for all"
	fresh
	"${@:2}" errors "$dir" && right 5 0
	ok "$1: a rank with wrong arguments has the error, the others go on"
}

full_disk()
{
	name="a full disk: an error on all ranks, and with room again the next call works"
	can_mount "$name" || return
	fresh
	export -f openmpi
	export build scratch programs limit components
	unshare -m bash -c "mount -t tmpfs -o size=1m none '$dir' && openmpi ompio 4 full '$dir'" &&
		right
	ok "$name"
}

# unlike NAME COMMAND: no file is served where each rank has run COMMAND in a mount namespace
unlike()
{
	fresh
	cat >"$scratch/rank" <<-END
		#!/bin/sh
		exec unshare -m sh -ec '$2; exec "\$@"' sh "\$@"
	END
	chmod +x "$scratch/rank"
	RANK=$scratch/rank openmpi ompio 2 fallback "$dir" && right &&
		! grep -q exchange "$scratch/log"
	ok "$1"
}

machines()
{
	can_mount "files of several machines" || return
	tr 0-9a-f 1-9a-f0 </proc/sys/kernel/random/boot_id >"$scratch/boot"
	unlike "another kernel on one rank: nothing is served" "[ \$OMPI_COMM_WORLD_RANK = 0 ] ||
		mount --bind $scratch/boot /proc/sys/kernel/random/boot_id"
	unlike "a tmpfs for each rank, and files of one inode: nothing is served" \
		"mount -t tmpfs none $dir; touch $dir/fallback.0 $dir/fallback.1; ls -i $dir >&2"
}

ends()
{
	fresh
	begin=$SECONDS
	limit=30
	openmpi ompio 3 loop "$dir"
	[ $? -ne 124 ] && [ $((SECONDS - begin)) -lt 20 ] && grep -q ready "$scratch/log"
	ok "a rank is killed: the program ends"
	limit=60
}

settings()
{
	fresh
	LIQUID_MPIIO=off openmpi ompio 2 unjudged "$dir" 20 "$seed" && right &&
		! grep -q exchange "$scratch/log"
	ok "LIQUID_MPIIO=off: nothing is served"
	LIQUID_MPIIO=auto openmpi ompio 2 random "$dir" 60 "$seed" &&
		right '[1-9][0-9]*' '[1-9][0-9]*'
	ok "LIQUID_MPIIO=auto: both ways are tried"
	LIQUID_MPIIO=yes openmpi ompio 2 errors "$dir"
	grep -q "^liquid: LIQUID_MPIIO: expected auto, on or off, got 'yes'" "$scratch/log"
	ok "a setting that is wrong"
}

# by_tokens NAME MIN LEAST MOST ARGUMENT...: LEAST to MOST exchanges by tokens, if messages of MIN
# go so
by_tokens()
{
	fresh
	rm -f "$scratch/stats"
	LIQUID_FABRIC=$scratch/fabric LIQUID_MPI=tokens LIQUID_MPI_MIN=$2 \
		LIQUID_MPI_STATS=$scratch/stats RANK=$scratch/rank openmpi ompio 4 "${@:5}"
	exchanges=$(grep -c 'Alltoallv.*"way": "tokens"' "$scratch/stats")
	right '[1-9][0-9]*' '[0-9]*' && [ "$exchanges" -ge "$3" ] && [ "$exchanges" -le "$4" ]
	ok "$1"
}

# Each rank is its own host in a fabric.
in_order()
{
	if [ ! -x "$liquid" ] || [ ! -e "$build/mca_coll_liquid.so" ]; then
		skip "with liquid's component the exchange goes by tokens" \
			"no $liquid, or no $build/mca_coll_liquid.so"
		return
	fi
	"$liquid" fabric make leaf-spine leaves=2 hosts=4 spines=2 -o "$scratch/fabric" || exit 1
	printf '#!/bin/sh\nexport LIQUID_MPI_HOST=h$((OMPI_COMM_WORLD_RANK + 1))\nexec "$@"\n' \
		>"$scratch/rank"
	chmod +x "$scratch/rank"
	by_tokens "with liquid's component the exchange goes by tokens" 1 50 10000 \
		random "$dir" 60 "$seed"
	by_tokens "and blocks in the order of ranks need no exchange" 64 6 6 \
		files "$dir"
}

# fortran NAME FILES RUN...: two calls in Fortran on a file; FILES are served, 0 or 1
fortran()
{
	if [ ! -x "$programs/$3/mpiio-fortran" ]; then
		skip "$1" "no Fortran compiler for it"
		return
	fi
	fresh
	PROGRAM=mpiio-fortran "${@:3}" "$dir/file" && right &&
		[ "$(grep -c "exchange: 2, by the MPI's own way: 0\$" "$scratch/log")" = "$2" ]
	ok "$1"
}

# foreign NAME OBJECT MPI RUN...: the object of that MPI does nothing in another one, and says so
foreign()
{
	fresh
	OBJECT=$2 "${@:4}" unjudged "$dir" 20 "$seed" && right &&
		! grep -q exchange "$scratch/log" &&
		[ "$(grep -c "^liquid: libliquid-mpiio-$2.so was built for $3 [0-9.]* and does" \
			"$scratch/log")" = 1 ]
	ok "$1"
}

mpich_cases()
{
	if ! command -v mpirun.mpich >/dev/null || [ ! -x "$programs/mpich/mpiio-cases" ]; then
		skip "MPICH" "no MPICH, or no $programs/mpich/mpiio-cases"
		return
	fi
	flatten mpich
	fresh
	mpich 2 unjudged "$dir" 100 "$seed" && right '[1-9][0-9]*' '[1-9][0-9]*'
	ok "MPICH: 100 random calls: errors, statuses and pointers as its own"
	cases MPICH mpich 3
	fortran "MPICH: Fortran's calls are served" 1 mpich 3
	foreign "MPICH's object does nothing in Open MPI" mpich MPICH openmpi ompio 2
	foreign "Open MPI's object does nothing in MPICH" openmpi "Open MPI" mpich 2
}

echo "TAP version 13"
echo "# seed $seed"
flatten openmpi
random_calls
cases OMPIO openmpi ompio 4
cases ROMIO openmpi romio321 4
full_disk
machines
ends
settings
in_order
fortran "Open MPI: Fortran's calls pass by" 0 openmpi ompio 3
mpich_cases
finish

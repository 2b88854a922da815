#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A program that is not built is named, with the command that builds it.
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
. selftests/lib/tap.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
details=$scratch/log
mkdir -p "$scratch/build/experiments" "$scratch/tree/liquid" "$scratch/bin"
build=$(readlink -f "$scratch/build")

# says FILE STATUS LINE COMMAND...: its exit code, and what it prints, but for the path of FILE
says()
{
	file=$1
	status=$2
	line=$3
	shift 3
	B=$build PATH=$scratch/bin:$PATH "$@" >"$scratch/log" 2>&1
	[ $? = "$status" ] &&
		[ "$(sed "s|$build/$file|FILE|" "$scratch/log")" = "$line" ]
}

echo "TAP version 13"
# shellcheck disable=SC2016 # the message quotes a command
says liquid 1 'demo: FILE is not built: run `make demo`' tools/demo/run
ok "the demo without the tool names the tool"
touch "$scratch/build/liquid"
# shellcheck disable=SC2016
says experiments/exchange 1 'demo: FILE is not built: run `make demo`' tools/demo/run
ok "the demo without the experiments' programs names the one that it needs"
[ ! -e "$scratch/build/demo" ]
ok "the demo has not begun"

# Open MPI itself is on this host, as far as the script can see.
for program in orted mpirun.openmpi nsenter; do
	printf '#!/bin/sh\n' >"$scratch/bin/$program"
	chmod +x "$scratch/bin/$program"
done
says experiments/mpi-alltoall 0 \
	"add-openmpi: no FILE on the host (make deps experiment-programs)" \
	tools/guest/add-openmpi "$scratch/tree"
ok "an image without mpi-alltoall names mpi-alltoall"
grep -q "^no .*mpi-alltoall on the host" "$scratch/tree/liquid/no-openmpi"
ok "the guest of that image finds the reason for which its test skips"
finish

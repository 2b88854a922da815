#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The installed examples: event builders in C and in Python exchange with each other, and end when
# another rank does not come, or dies; the notebook's cells print what it shows.
# builds: user
# timeout: 240
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
build=$(readlink -f "${B:-build}")
LIQUID=$(readlink -f "${LIQUID:-$build/liquid}")
export LIQUID LIBLIQUIDSCHED=$build/libliquidsched.so PYTHONPATH=$PWD/user/python
export PYTHONDONTWRITEBYTECODE=1
examples=$PWD/user/examples
. selftests/lib/tap.sh

needs_python "networkx, numpy"
scratch=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$scratch"' EXIT
details=$scratch/log

echo "TAP version 13"
# compile NAME LIBRARY...
compile()
{
	source=$examples/$1.c
	# shellcheck disable=SC2046 # flags
	gcc -Wall -Wextra -Werror -Iuser/engine "$source" "$build/libliquidsched.a" \
		$(pkg-config --libs jansson nettle "${@:2}") -lm -pthread -o "$scratch/$1" \
		>"$scratch/log" 2>&1
	ok "$1.c compiles"
}

compile event-builder
# selftests/kernel/mpi/verbs.sh runs it.
! pkg-config --exists libibverbs || compile event-builder-rdma libibverbs
cd "$scratch" || exit 1
"$LIQUID" fabric make leaf-spine leaves=3 hosts=2 spines=1 -o fabric || exit 1
# Ports below those that the system gives to others
port=$((20000 + $$ % 10000))
for rank in 0 1 2 3 4 5; do
	addresses="${addresses-} 127.0.0.1:$((port + rank))"
done

# start RANK BYTES EVENTS: odd ranks are in Python
start()
{
	program=./event-builder
	[ $(($1 % 2)) = 0 ] || program="$python $examples/event-builder.py"
	# shellcheck disable=SC2086 # words
	timeout -k 5 100 $program fabric "$1" "$2" "$3" $addresses >"out$1" 2>&1 &
	pid[$1]=$!
}

# ended CODE...: the exit codes of the ranks that have started, in order
ended()
{
	codes=
	for rank in "${!pid[@]}"; do
		wait "${pid[$rank]}" 2>/dev/null
		codes="$codes$? "
	done
	pid=()
	cat out? >log
	echo "exit codes: $codes" >>log
	[ "$codes" = "$* " ]
}

for rank in 0 1 2 3 4 5; do
	start $rank 200000 4
done
ended 0 0 0 0 0 0 && [ "$(grep -c '4 events in .* 20 pieces sent' log)" = 6 ]
ok "six ranks in both languages: all data of four events is right"

for rank in 0 1 2 3 5; do
	start $rank 1000 1
done
ended 1 1 1 1 1 && [ "$(grep -c 'does not answer' log)" = 5 ]
ok "a rank that does not come is named, and all others end"

rm out?
for rank in 0 1 2 3 4 5; do
	start $rank 1000000 10000
done
for ((i = 0; i < 300; i++)); do
	[ "$(ss -Htn state established "( sport = :$((port + 4)) )" 2>/dev/null | wc -l)" -ge 5 ] &&
		break
	sleep 0.1
done
sleep 1
# timeout passes it on
kill "${pid[4]}"
ended 1 1 1 1 143 1 && grep -q 'rank 4 has ended' log
ok "a rank that dies: all others end"

# What plans.rst says of SIOCOUTQ
cat >left.py <<'END'
import fcntl, socket, struct, termios
with socket.create_server(("127.0.0.1", 0)) as listener:
    to = socket.create_connection(listener.getsockname())
    into = listener.accept()[0]
count = lambda one, what: struct.unpack("i", fcntl.ioctl(one, what, bytes(4)))[0]
for _ in range(30):
    to.sendall(bytes(50000))
    while count(to, termios.TIOCOUTQ):
        pass
    assert count(into, termios.FIONREAD) == 50000
    assert len(into.recv(50000, socket.MSG_WAITALL)) == 50000
END
timeout 60 $python left.py >log 2>&1
ok "TCP: where SIOCOUTQ is 0 the peer's kernel has all"

cat >cells.py <<'END'
import ast, json, sys
names = {}
cells = json.load(open(sys.argv[1], encoding="utf-8"))["cells"]
codes = [cell for cell in cells if cell["cell_type"] == "code"]
assert len(codes) > 3
for cell in codes:
    body = ast.parse("".join(cell["source"])).body
    shown = body.pop() if isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "cell", "exec"), names)
    value = shown and eval(compile(ast.Expression(shown.value), "cell", "eval"), names)
    for output in cell["outputs"]:
        wanted = "".join(output["data"]["text/plain"])
        assert repr(value) == wanted, f"{value!r} is not {wanted}"
    if hasattr(value, "_repr_html_"):
        assert "<" in value._repr_html_()
END
$python cells.py "$examples/first-look.ipynb" >log 2>&1
ok "the cells of the notebook show what it says"
finish

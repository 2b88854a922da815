#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The Python package as pip installs it: its examples, structs and errors; and start.rst.
# builds: user
# timeout: 300
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
build=$(readlink -f "${B:-build}")
LIQUID=$(readlink -f "${LIQUID:-$build/liquid}")
export LIQUID LIBLIQUIDSCHED=$build/libliquidsched.so
. selftests/lib/tap.sh

needs_python "networkx, numpy, setuptools, wheel"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
details=$scratch/log

echo "TAP version 13"
# pip writes beside the sources.
cp -r user/python "$scratch/sources"
PATH=/nowhere "$(command -v $python)" -m pip install --quiet --no-index --no-build-isolation \
	--no-deps --target "$scratch/site" "$scratch/sources" >"$scratch/log" 2>&1
ok "pip installs it, without a compiler"
export PYTHONPATH=$scratch/site
cd "$scratch" || exit 1
$python "$OLDPWD/selftests/host/library/python.py" $count >"$scratch/log" 2>&1
status=$?
cat log
ran=$(grep -c '^\(not \)\?ok ' "$scratch/log")
failed=$((failed + $(grep -c '^not ok' "$scratch/log")))
count=$((count + ran))
[ $status = 0 ] && [ "$ran" -gt 30 ]
ok "all of python.py has run"

# blocks KIND: all of that kind in start.rst
blocks()
{
	awk -v kind="$1" '$0 == ".. code-block:: " kind { on = 1; next }
		/^[^ ]/ { on = 0 }
		on { print substr($0, 5) }' "$OLDPWD/Documentation/start.rst"
}
for kind in topo fts; do
	cp "$OLDPWD/selftests/data/k44.$kind" net.$kind
done
mv net.fts net.lft
{ echo "set -e"; blocks sh; } >first.sh
PATH=${LIQUID%/*}:$PATH sh first.sh >log 2>&1 && [ -s advice.html ] && [ -s exchange.html ] &&
	grep -q 'valid: 5112 transfers' log
ok "start.rst: the commands of all three ways, with real dumps"
blocks python >first.py
$python first.py >log 2>&1 && [ "$(cat log)" = "5 5 5" ]
ok "start.rst: its program in Python"
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# In the guest: the cases of liquid.json, each a test, as tdc.py reports them.
. /liquid/lib/guest.sh
start
load veth dummy ifb liquid
need mkdir /run/tdc
need mount -t tmpfs tdc /run/tdc
need tar -C /run/tdc -xzf /liquid/tdc.tar.gz
# Libraries of Python that the guest has no place for
LD_LIBRARY_PATH=$(find /run/tdc -name 'lib*.so*' -exec dirname {} \; | sort -u | tr '\n' ':')
export LD_LIBRARY_PATH
export PYTHONHOME=/run/tdc PYTHONDONTWRITEBYTECODE=1
cd /run/tdc/tdc || exit
cat >tdc_config_local.py <<'END'
from tdc_config import NAMES
NAMES['TC'] = '/usr/bin/tc'
NAMES['IP'] = '/usr/bin/ip'
NAMES['ETHTOOL'] = '/usr/bin/ethtool'
END
/run/tdc/bin/python3 tdc.py -f tc-tests/liquid.json >"$TESTDIR/out" 2>"$TESTDIR/err"
status=$?
cat "$TESTDIR/err" >>"$TESTDIR/out"
sed 's/^/# tdc: /' "$TESTDIR/out"
cases=$(grep -c '"id"' tc-tests/liquid.json)
# shellcheck disable=SC2013 # ids are words
for id in $(sed -n 's/.*"id": "\(.*\)".*/\1/p' tc-tests/liquid.json); do
	name="/\"id\": \"$id\"/,/name/s/.*\"name\": \"\(.*\)\",/\1/p"
	check "$(sed -n "$name" tc-tests/liquid.json)" \
		grep -q "^ok [0-9]* $id - [^#]*$" "$TESTDIR/out"
done
compare "tdc.py knows all cases" "$(grep -cE '^(not )?ok ' "$TESTDIR/out")" = "$cases"
compare "and succeeds" $status = 0
cd /
umount /run/tdc
finish

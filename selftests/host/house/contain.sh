#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What a test leaves running is told and ended: when the test ends, times out, or is killed.
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
. selftests/lib/tap.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
details=$scratch/log

# A daemon is one that has left its session; its argument tells it from those of others.
cat >"$scratch/daemon" <<'END'
#!/bin/sh
: >"$1"
while :; do
	sleep 0.1
done
END
cat >"$scratch/leaves" <<END
#!/bin/sh
env -i setsid "$scratch/daemon" "$scratch/started" &
until [ -e "$scratch/started" ]; do
	sleep 0.05
done
exit 3
END
cat >"$scratch/hangs" <<END
#!/bin/sh
"$scratch/leaves"
sleep 300
END
cat >"$scratch/clean" <<END
#!/bin/sh
setsid sleep 0.5 &
exit 3
END
chmod +x "$scratch/daemon" "$scratch/leaves" "$scratch/hangs" "$scratch/clean"

# ended: no daemon is there, also a moment after
ended()
{
	sleep 0.3
	! grep -aqsF "$scratch/daemon" /proc/[0-9]*/cmdline
}

contain()
{
	rm -f "$scratch/started"
	selftests/contain "$1" "$scratch/left" "$2" >"$scratch/log" 2>&1
	status=$?
	cat "$scratch/left" >>"$scratch/log"
}

contain 20 "$scratch/clean"
! grep -qx uncontained "$scratch/left" || skip_all "no namespaces"
echo "TAP version 13"
[ $status = 3 ] && [ ! -s "$scratch/left" ]
ok "a process that ends soon after its test is none that is left"
contain 20 "$scratch/leaves"
[ $status = 3 ] && grep -qF "$scratch/daemon" "$scratch/left"
ok "a process that stays is told, and the exit code is the test's"
ended
ok "a process that stays is ended"
contain 1 "$scratch/hangs"
[ $status = 124 ] && grep -qF "$scratch/daemon" "$scratch/left" && ended
ok "a process that stays is ended when the test times out"
rm -f "$scratch/started"
selftests/contain 60 "$scratch/left" "$scratch/hangs" &
pid=$!
until [ -e "$scratch/started" ]; do
	sleep 0.05
done
kill -KILL $pid
wait $pid 2>/dev/null
ended
ok "a process that stays is ended when all is killed"
finish

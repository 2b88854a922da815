#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A gate whose place another daemon's qdisc has taken comes back with the next job's prologue, twice
# within an hour at most; one that is not the unit's stays away.
# adds: slurm
# modes: icount
# kernels: 6.1
# timeout: 60
set -u

. /liquid/lib/guest.sh
restore=/etc/slurm/liquid/restore-gate
[ -x $restore ] || skip_all "the host has no Slurm"
unit=/run/liquid-attach-lqva

restored()
{
	in_ns lqa $restore
}

# taken KIND: another qdisc is there now
taken()
{
	need in_ns lqa tc qdisc replace dev lqva root "$1"
}

gate_is()
{
	in_ns lqa liquid-nl show lqva | grep "$1"
}

start
make_pair
need in_ns lqa liquid-nl attach lqva --rate 1G --horizon 700ms
taken pfifo
restored >"$LOG" 2>&1
refuse "a gate of no unit stays away" gate_is horizon

mkdir -p $unit
in_ns lqa cat /sys/class/net/lqva/ifindex >$unit/ifindex
echo lqva >$unit/device
echo "--rate 1G --horizon 700ms" >$unit/options
check "the unit's comes back, and the qdisc in its place is named" sh -c \
	"in-ns lqa $restore | grep '^lqva: the gate is back: the root qdisc pfifo had taken'"
check "with its options" gate_is "horizon 700 ms"
compare "and is left alone while it is there" "$(restored 2>&1 | wc -l)" = 0
need in_ns lqa tc qdisc del dev lqva root
check "it comes back where nothing is in its place" sh -c "in-ns lqa $restore | grep 'is back'"
taken fq
check "a third time within an hour it stays away, and says what has its place" sh -c \
	"in-ns lqa $restore | grep '^lqva: the root qdisc fq has .*came back 2 times'"
refuse "so that two daemons do not fight" gate_is horizon
clockset step 3700
check "an hour later it comes back again" sh -c "in-ns lqa $restore | grep 'is back'"
taken fq
echo 1 >$unit/ifindex
compare "another device of the name is not the unit's" "$(restored 2>&1 | wc -l)" = 0
rm -r $unit
finish

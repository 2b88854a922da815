#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A controller may be newer than its store: the records that version 0.1.0 wrote are read as it read
# them, and what is written now has the forms of then.

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"
. "$here/lib/serve.bash"
in_own_namespaces "$@"

"$liquid" fabric make leaf-spine leaves=2 hosts=2 spines=2 -o fabric
for n in 1 2 3 4; do
	echo "h$n 10.0.0.$n"
done >addresses
keeper=root
DEADLINE=3
LEAD=1
write_conf liquid.conf "partition batch exchange"
unpack_records store
one_host h1 h2 h3 h4

job()
{
	timeout 20 "$liquid_nl" job "$@" --config liquid.conf
}

echo "TAP version 13"
job status --json 2>&1 | jq 'select(.format == "liquid-jobs").jobs' |
	diff - "$data/job-store/status" >text
ok "jobs of the recorded store stand as they stood then"
job prepare gated-2 --node h1 2>&1 | diff - "$data/job-store/plan" >text
ok "a node's plan of a recorded round is the same, with the former schedule and the round's fabric"
prints 0 "*job gated: round gated-3,*" job reroute gated --fabric fabric --config liquid.conf
grep -q '"from_round":"gated-2","from_digest":"3011b3b4ca12' store/rounds/gated-3/spec.json
ok "a reroute keeps from the recorded round"
job end gated >text 2>&1 && [ -e store/jobs/gated/end.json ] && [ ! -e store/running/gated ]
ok "a job of the recorded store is ended"
prints 0 "*job gated: round gated-4,*" job start gated --nodes 'h[1-2]' --partition batch \
	--config liquid.conf
[ -e store/jobs/gated.before-1/gen-3.json ]
ok "it begins anew under its name, and what it was is kept"
has_known_forms store
ok "the records that were added have the recorded forms"
finish

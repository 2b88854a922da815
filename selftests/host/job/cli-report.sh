#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl job report: figures of samples as reckoned by hand, rounds after one another, what is
# missing, and a page that is well-formed and in which what nodes have written stays text.
# selftests/kernel/job/job.sh has samples of real gates.

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"
. "$here/lib/serve.bash"
in_own_namespaces "$@"

command -v jq >/dev/null || skip_all "no jq"
command -v xmllint >/dev/null || skip_all "no xmllint"
"$liquid" fabric make leaf-spine leaves=2 hosts=2 spines=2 -o fabric
for n in 1 2 3 4; do
	echo "h$n 10.0.0.$n"
done >addresses
keeper=root
DEADLINE=3
LEAD=1
write_conf liquid.conf
one_host h1 h2 h3 h4

report()
{
	timeout 20 "$liquid_nl" job report "$@" --config liquid.conf
}

# figure FILTER VALUE WHAT: of the report in `json`
figure()
{
	found=$(jq -c "$1" json 2>&1)
	[ "$found" = "$2" ]
	status=$?
	echo "$1: found $found, expected $2" >text
	(exit $status)
	ok "$3: $2"
}

start()
{
	timeout 20 "$liquid_nl" job start "$1" --nodes 'h[1-4]' --traffic exchange \
		--config liquid.conf >text 2>&1
}

# keep ROUND FRAMES BOUND: the round came into force
keep()
{
	echo '{"verdict":"commit","node":"h1","base_ns":1000000000000000000,"digest":"cafe"}' \
		>"store/rounds/$1/release.json"
	echo '{"verdict":"keep","node":"h2"}' >"store/rounds/$1/go.json"
	echo "{\"frames\":$2,\"lower_bound\":$3,\"certificate\":\"gap\"}" \
		>"store/rounds/$1/figures.json"
}

# sample SECONDS BYTES PACKETS LATE CLOCK [MORE]: 6 gates of 1 Gbit/s
sample()
{
	cat <<-END
	{"tai_ns": $((1000000000000000000 + $1 * 1000000000)), "rate_bps": 1000000000,
	 "stats": {"bytes": $2, "packets": $3, "late": $4, "drop_limit": $4, "drop_horizon": 1},
	 "times": {"late": [0,0,$4,0,0,0,0,0,0,0,0,0,0,12345],
		"wait": [0,$3,0,0,0,0,0,0,0,0,0,0,0,$3],
		"xmit": [0,0,0,0,0,0,$3,0,0,0,0,0,0,0], "overrun": [0,0,0,0,0,0,0,0,0,0,0,0,0,0]},
	 "clock_error_ns": $5${6:+, $6}}
	END
}

plan='"plan": {"frames": 4, "sends": 3, "names": {"1": "h1", "2": "h2", "3": "h3"}},
	"oper": {"frame_ns": 1000000, "guard_ns": 50000}'

echo "TAP version 13"
start 17
keep 17-1 4 3
for n in 1 2 3; do
	sample 5 1000 100 1 300 "$plan, \"dests\": [[2, 10, 100, 0, 500], [9, 5, 5, 5, 5]]" \
		>store/rounds/17-1/first.h$n.json
done
# 500 MB in 10 s are 400 Mbit/s; the schedule has 3 of 4 frames, and 3 would do.
sample 15 500001000 1000100 11 400 '"dests": [[2, 30, 400, 0, 4500], [9, 9, 9, 9, 9]]' \
	>store/rounds/17-1/last.h1.json
sample 15 250001000 1000100 10001 200 >store/rounds/17-1/last.h2.json
echo '{"by":"h1"}' >store/jobs/17/end.json
echo '{"node":"h4","reason":"it saw no verdict"}' >store/rounds/17-1/open.h4.json
report 17 --json >json 2>text
ok "a report as JSON"
figure .format '"liquid-report"' "what kind of object it is"
round='.rounds[0]'
figure "$round.totals | [.nodes, .counted, .bytes, .late, .dropped, .seconds]" \
	"[4,2,750000000,10010,10010,10]" "sums of the differences of two nodes"
figure "$round.nodes[0] | [.throughput_bps, .schedule_bps, .late_share]" \
	"[400000000,750000000,1e-05]" "a node's throughput, and what the schedule has for it"
figure "$round.totals | [.throughput_bps, .schedule_bps, .liquid_bps, .share]" \
	"[600000000,1500000000,2000000000,0.3]" "all of them against the liquid throughput"
figure "$round.totals | [.latest_node, .clock_node, .clock_error_ns]" '["h2","h1",400]' \
	"who was late, and whose clock was off the most"
figure "$round.nodes[0].dests" \
	'[{"node":"h2","packets":20,"bytes":300,"late":0,"wait_ns":4000}]' \
	"destinations of the plan alone"
figure "$round.nodes[0].times.late | [.count, .buckets[2]]" "[10,10]" \
	"times of the job alone"
figure "$round.nodes[0] | [.release_lag_ns, .guard_ns]" \
	"[64000,50000]" "the release lag next to the guard"
figure "[$round.nodes[2,3].missing]" '["last","first"]' "what is missing"
report 17 >text 2>&1
grep -q '^  throughput  750 MB in 10 s, 600 Mbit/s: 30 % of the liquid throughput, 2 Gbit/s$' text
ok "the text has the totals"
begins=', 4 frames of 1 ms (gap), schedule cafe from 2001-09-09'
grep -q "^round 17-1: .*$begins" text
ok "and what the schedule is"
grep -qx '  clock       error of at most 400 ns, on h1' text &&
	grep -qx '  counted     2 of 4 nodes' text
ok "a line each"
[ "$(grep -E '^  h[0-9] ' text | awk '{ print $1 }' | tr '\n' ' ')" = "h3 h4 h2 h1 " ]
ok "its rows begin with those that are missing, then the latest"
grep -q "^  h3: no last sample" text &&
	grep -q "^  h4: .*others kept theirs: it saw no verdict" text
ok "it says what is missing, and that a gate opened"

# ---- rounds after one another ----

start again
keep again-1 3 3
mkdir store/rounds/again-2 store/rounds/again-3
cp store/rounds/again-1/spec.json store/rounds/again-2
cp store/rounds/again-1/spec.json store/rounds/again-3
for n in 2 3; do
	sed -i "s/again-1/again-$n/" store/rounds/again-$n/spec.json
	echo "{\"round\":\"again-$n\"}" >store/jobs/again/gen-$n.json
done
echo '{"verdict":"abort","node":"h3","reason":"no","cause":"late"}' \
	>store/rounds/again-2/release.json
keep again-3 3 3
sample 0 0 0 0 0 "$plan" >store/rounds/again-1/first.h1.json
sample 10 1000 10 0 0 "$plan" >store/rounds/again-3/first.h1.json
# The gate was attached anew: it has counted less than before.
sample 20 500 5 0 0 '"dests": [[2, 30, 400, 0, 4500]]' >store/rounds/again-3/last.h1.json
report again --json >json 2>text
figure "[.rounds[] | [.verdict, .totals.bytes]]" '[["keep",1000],["abort",null],["keep",500]]' \
	"a round ends where the next one that is kept begins"
figure "[.rounds[2].nodes[0].new_gate]" '[true]' "a gate that was attached anew is known"
figure ".rounds[2].nodes[0].dests" '[]' "no destinations where the first sample has none"

# ---- MPI ----

{
	printf '{"call": "Alltoall", "ranks": 4, "bytes": 9, "way": "tokens", "ns": %s, ' 1000
	echo '"share": 0.8, "waits": 2, "wait_ns": 30, "timeouts": 1, "before_ns": 100}'
	printf '{"call": "Alltoall", "ranks": 4, "bytes": 9, "way": "tokens", "ns": %s, ' 3000
	echo '"share": 0.4, "waits": 1, "wait_ns": 20, "timeouts": 0, "before_ns": 0}'
	echo '{"call": "Alltoallv", "ranks": 4, "bytes": 9, "way": "<b>own</b>", "ns": 50}'
	printf '{"call": "Alltoallv", "ranks'
} >mpi
report 17 --mpi mpi --mpi mpi --json >json 2>text
figure '[.mpi[] | [.way, .calls, .ns, .waits, .timeouts]]' \
	'[["tokens",4,8000,6,2],["<b>own</b>",2,100,0,0]]' "MPI: calls by way, of two files"
figure '.mpi[0].share * 1000 | round' 500 "MPI: the share is weighed by time"
echo "{}" >bad
prints 1 "*bad:1: no line of LIQUID_MPI_STATS*" job report 17 --mpi bad --config liquid.conf
mkfifo pipe
prints 5 "*pipe: no regular file*" job report 17 --mpi pipe --config liquid.conf
prints 1 "*job 99: the store * has no records of it*" job report 99 --config liquid.conf
prints 2 "*'../x' is not the name of a job*" job report ../x --config liquid.conf

# ---- the page ----

# count XPATH: in page.html; names without their namespace
count()
{
	xmllint --nonet --xpath "count($1)" page.html
}

report 17 --mpi mpi --html page.html >text 2>&1 && [ ! -s text ]
ok "a page"
xmllint --noout --nonet page.html >text 2>&1
ok "the page is well-formed"
# Throughput of two nodes, with marks; their clocks
[ "$(count "//*[@class='bar']")" = 6 ] && [ "$(count "//*[@class='mark']")" = 5 ] &&
	[ "$(count "//*[local-name()='tr']")" = 8 ]
ok "it has bars, marks and rows for what is known"
grep -qF "$begins" page.html
ok "it says what the schedule is"
# Four rows of 13 times late, and one cell of who waited for whom
[ "$(count "//*[@class='cell']")" = 53 ]
ok "it has cells"

# looked_at NAME: a browser shows the page, which is drawn and loads and runs nothing. Its DOM is in
# `dom`. Only with CHECK_PAGE, as in check-page.
looked_at()
{
	[ "${CHECK_PAGE:-}" ] || return 0
	if ! command -v chromium >/dev/null; then
		ok "a browser shows $1 # SKIP no chromium"
		return
	fi
	for what in dump-dom screenshot=shot.png; do
		HOME=$work timeout 60 chromium --headless --no-sandbox --disable-gpu \
			--disable-dev-shm-usage --user-data-dir="$work/browser" \
			--window-size=900,1200 --$what "file://$work/page.html" >"${what%%=*}" \
			2>browser.log
	done
	grep -v -e dbus -e '^$' browser.log >text
	"$here/lib/png-colours" shot.png 2b6cb0 c51b20 >colours 2>>text && cat colours >>text &&
		# bars, and marks of 2 x 18 points
		awk '$1 == "2b6cb0" { bars = $2 } $1 == "c51b20" { marks = $2 }
			END { exit !(bars > 10000 && marks >= 72) }' colours &&
		grep -q '<title>job 17</title>' dump-dom &&
		! grep -qiE '<(script|img|a) ' dump-dom
	ok "a browser shows $1"
}

looked_at "the page"

# What nodes write may be anything: it stays text, and nothing is loaded or run.
sed -i "s|it saw no verdict|\\\\\"'><script>alert(1)</script>\\\\u001b[31m\\\\u202e<img src=x>|" \
	store/rounds/17-1/open.h4.json
sed -i 's|"gap"|"</p><svg onload=\\"alert(2)\\">\&amp;"|' store/rounds/17-1/figures.json
sed -i 's|"h2"|"<a href=javascript:alert(3)>h2"|' store/rounds/17-1/first.h1.json
report 17 --mpi mpi --html page.html >text 2>&1 && xmllint --noout --nonet page.html >>text 2>&1
ok "hostile records: the page is well-formed"
[ "$(count "//*[local-name()='script' or local-name()='img' or local-name()='a']")" = 0 ] &&
	[ "$(count "//*[local-name()='b']")" = 1 ] &&
	[ "$(count "//@*[starts-with(local-name(), 'on') or local-name()='href' or
		local-name()='src']")" = 0 ]
ok "none of them has become an element or an attribute"
grep -qF "default-src 'none'" page.html && ! grep -qE 'url\(|@import|<link' page.html
ok "the page forbids to load anything, and does not try to"
grep -q "x1b\[31m.*xe2.x80.xae" page.html && ! grep -q "$(printf '\033')" page.html
ok "control characters are escaped"
report 17 >text 2>&1 && ! grep -q "$(printf '\033')" text
ok "also in the text"
looked_at "hostile records as text"
for what in '[]' '{"stats": []}' '{"stats": {"bytes": "x"}, "times": 3, "dests": {}}' \
	'{"stats": {"bytes": -5, "packets": 1e99}, "times": {"late": [9223372036854775807]}}' \
	'{"tai_ns": 9223372036854775807, "stats": {}, "plan": 7, "dests": [[], 3, [1e9]]}'; do
	echo "$what" >store/rounds/17-1/last.h1.json
	report 17 --html page.html >text 2>&1 && xmllint --noout --nonet page.html >>text 2>&1 &&
		report 17 >>text 2>&1
	ok "a record $what"
done

# The keeper reads, and the caller writes.
chmod 755 "$work"
mkdir -m 700 own
sed "s/^user .*/user nobody/" liquid.conf >nobody.conf
chown -R nobody store
chmod 644 nobody.conf
timeout 20 "$liquid_nl" job report 17 --config nobody.conf --html own/page.html \
	>text 2>&1 && [ "$(stat -c %U own/page.html)" = root ]
ok "root's report of another user's store is root's"
finish

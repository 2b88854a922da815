#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Metrics of jobs and gates, the alert rules and the dashboard of tools/metrics: by promtool, and by
# a Prometheus that reads files as node_exporter would offer them.
#
# timeout: 180

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

for program in promtool prometheus jq busybox; do
	command -v $program >/dev/null || skip_all "no $program; \`make deps\` installs it"
done
top=$here/..
gates=$(readlink -f "${B:-$top/build}/selftests/unit/tool/test-prometheus")
[ -x "$gates" ] || skip_all "no $gates; \`make unit\` builds it"
trap 'end_work; rm -rf "$work"' EXIT

printf '%s\n' "fabric $work/fabric" "addresses $work/addresses" \
	"agree service ctl" "store $work/store" "device lo" \
	"frame-time 1ms" "link-rate 10G" "clock off" "user $(id -un)" >liquid.conf

# job NAME [ROUND_RECORD TEXT]...: a job of the store, in one round if it has records of one
job()
{
	name=$1
	shift
	mkdir -p "store/jobs/$name"
	[ $# -gt 0 ] || return
	mkdir -p "store/rounds/$name-1"
	echo "{\"round\":\"$name-1\"}" >"store/jobs/$name/gen-1.json"
	echo '{"deadline_ns":9000000000000000000}' >"store/rounds/$name-1/spec.json"
	while [ $# -gt 0 ]; do
		echo "$2" >"store/rounds/$name-1/$1.json"
		shift 2
	done
}

ended()
{
	for name; do
		echo '{"by":"h1"}' >"store/jobs/$name/end.json"
	done
}

mkdir -m 750 store
commit='{"verdict":"commit","node":"h1","base_ns":9000000000000000000,"digest":"cafe"}'
job gated release "$commit" go '{"verdict":"keep","node":"h1"}'
job was release "$commit" go '{"verdict":"keep","node":"h1"}'
job was.before-1 release '{"verdict":"abort","node":"h1","reason":"r","cause":"late"}'
job late release '{"verdict":"abort","node":"h1","reason":"r","cause":"late"}'
job clock release "$commit" go '{"verdict":"cancel","node":"h1","reason":"r","cause":"clock"}'
job old release '{"verdict":"abort","node":"h1","reason":"of a version without causes"}'
job odd release '{"verdict":"abort","node":"h1","reason":"r","cause":"a\"}\nb 1"}'
job now release "$commit"
job waiting
job skipped
echo '{"reason":"r","asked":true,"cause":"shared"}' >store/jobs/skipped/skip.json
job unasked
echo '{"reason":"r","asked":false,"cause":"size"}' >store/jobs/unasked/skip.json
ended was was.before-1 late clock old odd skipped
chmod -R go-w store

# Order does not matter.
same_lines()
{
	LC_ALL=C sort "$1" | diff - <(LC_ALL=C sort "$2") >text
}

echo "TAP version 13"
prints 0 "" job metrics --config liquid.conf -o jobs.prom
grep -v '^#' jobs.prom >lines
cat >expected <<-'END'
	liquid_jobs{state="running",outcome="gated",cause=""} 1
	liquid_jobs{state="ended",outcome="gated",cause=""} 1
	liquid_jobs{state="ended",outcome="ungated",cause="late"} 2
	liquid_jobs{state="ended",outcome="ungated",cause="clock"} 1
	liquid_jobs{state="ended",outcome="ungated",cause=""} 1
	liquid_jobs{state="ended",outcome="ungated",cause="other"} 1
	liquid_jobs{state="ended",outcome="ungated",cause="shared"} 1
	liquid_jobs{state="running",outcome="preparing",cause=""} 2
	liquid_jobs{state="running",outcome="unasked",cause="size"} 1
END
same_lines lines expected
ok "jobs by state, outcome and cause; a cause that is none of this program's is not a label"
promtool check metrics <jobs.prom >text 2>&1
ok "promtool finds nothing in them"
"$gates" gates.prom >text 2>&1 && [ -s gates.prom ]
ok "metrics of a gate, of the unit test"

# ---- rules and dashboard ----

cp "$top"/tools/metrics/*.yml "$top"/tools/metrics/*.json .
promtool check rules liquid-alerts.yml >text 2>&1
ok "promtool takes the alert rules"
promtool test rules liquid-alerts-test.yml >text 2>&1
ok "each alert fires on what it is about, and none where all is well"
sed -n 's/^ *- alert: //p' liquid-alerts.yml | while read -r alert; do
	grep -q "${alert%Ungated}" liquid-alerts-test.yml || echo "$alert has no case"
	grep -q "$alert" "$top/Documentation/jobs.rst" || echo "$alert is not documented"
done >text
[ ! -s text ]
ok "each alert has a case, and is documented"
jq -r '.panels[].targets[].expr' liquid-dashboard.json >expressions 2>text && [ -s expressions ]
ok "the dashboard is JSON, and has expressions"
cat gates.prom jobs.prom | sed -n 's/^\(liquid_[a-z_]*\).*/\1/p' | sort -u >known
grep -ohE 'liquid_[a-z_]+' liquid-alerts.yml expressions | sort -u | comm -23 - known >text
[ ! -s text ]
ok "rules and dashboard name no metric that there is not"

# ---- a Prometheus ----

mkdir www
cat gates.prom jobs.prom >www/metrics
port=$((20000 + $$ % 20000))
cat >prometheus.yml <<-END
	global: {scrape_interval: 1s, evaluation_interval: 1s}
	rule_files: [liquid-alerts.yml]
	scrape_configs:
	  - job_name: liquid
	    static_configs: [{targets: ["127.0.0.1:$port"]}]
END
(cd www && exec busybox httpd -f -p 127.0.0.1:$port) >httpd.log 2>&1 &
prometheus --config.file=prometheus.yml --storage.tsdb.path="$work/tsdb" --log.level=warn \
	--web.listen-address=127.0.0.1:$((port + 1)) >prometheus.log 2>&1 &

# query EXPRESSION: the values in `answer`
query()
{
	promtool query instant -o json "http://127.0.0.1:$((port + 1))" "$1" >answer 2>text
}

# gives EXPRESSION: one value
gives()
{
	query "$1" && [ "$(jq length answer)" = 1 ]
}

# becomes METRIC VALUE
becomes()
{
	sed -E "s/^($1(\{[^}]*\})?) .*/\1 $2/" www/metrics >new
	mv new www/metrics
}

within 30 gives liquid_mode && becomes liquid_packets_total 5000 &&
	within 10 gives 'rate(liquid_packets_total[1m]) > 0'
status=$?
cat prometheus.log httpd.log >text
(exit $status)
ok "a Prometheus takes the metrics"
while read -r expression; do
	expression=${expression//\$instance/.*}
	expression=${expression//\$__rate_interval/1m}
	query "$expression" || cat text
	[ "$(jq length answer)" != 0 ] || echo "$expression: nothing"
done <expressions >missing
cp missing text
[ ! -s missing ]
ok "each expression of the dashboard has an answer"
query 'ALERTS' && [ "$(jq -r '.[].metric.alertname' answer | sort -u | tr '\n' ' ')" = "" ]
ok "no alert fires or waits"
query 'liquid_jobs{outcome="ungated",cause="late"}' && [ "$(jq -r '.[0].value[1]' answer)" = 2 ]
ok "a value comes through as it was"
becomes liquid_lease_left_seconds 10
within 15 gives 'ALERTS{alertname="LiquidLeaseNotRenewed"}'
ok "an alert waits when its metric says so"
finish

// SPDX-License-Identifier: GPL-2.0-only
/* stats --prometheus holds the text exposition format, by a grammar of the test's own; rates. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gate/device.h"
#include "show/stats.h"
#include "tap.h"

/* Devices have names as a hostile host could give them. */
const char *device_name(uint32_t ifindex, char name[IF_NAMESIZE])
{
	snprintf(name, IF_NAMESIZE, "%s", ifindex == 1 ? "eth0" : "a\"b\\c");
	return name;
}

/* A histogram is written one bucket after another, then its sum and its count. */
struct buckets {
	char labels[256];		/* of the histogram, without le */
	double bound, last;
	bool inside, infinite, sum;
};

struct grammar {
	char metric[128];		/* of the last TYPE line */
	char seen[200][128];		/* families, each with one TYPE line before its samples */
	unsigned int families, samples, histograms;
	bool help, histogram;
	struct buckets buckets;
};

static const char *take_name(const char *at, char name[128])
{
	size_t length = 0;

	if (!isalpha((unsigned char)*at) && *at != '_')
		return NULL;
	while (isalnum((unsigned char)*at) || *at == '_' || *at == ':')
		if (length < 127)
			name[length++] = *at++;
	name[length] = '\0';
	return at;
}

/* name="value", with \\, \" and \n escaped */
static const char *take_label(const char *at)
{
	char name[128];

	at = take_name(at, name);
	if (!at || strncmp(at, "=\"", 2))
		return NULL;
	for (at += 2; *at != '"'; at++) {
		if (!*at)
			return NULL;
		if (*at == '\\' && !strchr("\\\"n", *++at))
			return NULL;
	}
	return at + 1;
}

/* The same histogram as the line before; @labels has @size characters, without le. */
static bool same_histogram(const struct buckets *buckets, const char *labels, size_t size)
{
	return strlen(buckets->labels) == size && !strncmp(buckets->labels, labels, size);
}

/* Bounds rise, counts do not fall, the last bound is infinite. */
static bool take_bucket(struct buckets *buckets, const char *labels, size_t size, double value)
{
	const char *le = size > 3 ? memmem(labels, size, ",le=\"", 5) : NULL;
	double bound = le ? strtod(le + 5, NULL) : 0;

	if (!le || size >= sizeof(buckets->labels))
		return false;
	size = le - labels;
	if (!buckets->inside) {
		*buckets = (struct buckets){ .inside = true };
		memcpy(buckets->labels, labels, size);
	} else if (!same_histogram(buckets, labels, size) || bound <= buckets->bound ||
		   value < buckets->last || buckets->infinite) {
		return false;
	}
	buckets->bound = bound;
	buckets->last = value;
	buckets->infinite = !strncmp(le + 5, "+Inf\"", 5);
	return buckets->infinite || bound > 0;
}

static bool take_part(struct grammar *grammar, const char *suffix, const char *labels, size_t size,
		      double value)
{
	struct buckets *buckets = &grammar->buckets;

	if (!strcmp(suffix, "_bucket"))
		return take_bucket(buckets, labels, size, value);
	if (!buckets->inside || !buckets->infinite || !same_histogram(buckets, labels, size))
		return false;
	if (!strcmp(suffix, "_sum")) {
		buckets->sum = true;
		return value >= 0;
	}
	buckets->inside = false;
	grammar->histograms++;
	return !strcmp(suffix, "_count") && buckets->sum && value == buckets->last;
}

static bool take_sample(struct grammar *grammar, const char *at)
{
	size_t length = strlen(grammar->metric);
	const char *labels;
	char name[128], *end;
	double value;

	at = take_name(at, name);
	if (!at || strncmp(name, grammar->metric, length) ||
	    (!grammar->histogram && name[length]))
		return false;
	if (*at == ' ' && !grammar->histogram) {
		grammar->samples++;
		value = strtod(at + 1, &end);
		return end != at + 1 && !*end;
	}
	if (*at++ != '{')
		return false;
	labels = at;
	do
		at = take_label(at);
	while (at && *at++ == ',');
	if (!at || at[-1] != '}' || *at++ != ' ' || !*at)
		return false;
	value = strtod(at, &end);
	grammar->samples++;
	return end != at && !*end &&
	       (!grammar->histogram ||
		take_part(grammar, name + length, labels, at - 2 - labels, value));
}

static bool take_type(struct grammar *grammar, const char *at)
{
	char name[128];
	const char *suffix;

	at = take_name(at, name);
	if (!at || strcmp(name, grammar->metric) || !grammar->help || grammar->buckets.inside)
		return false;
	for (unsigned int i = 0; i < grammar->families; i++)
		if (!strcmp(grammar->seen[i], name))
			return false;
	strcpy(grammar->seen[grammar->families++], name);
	grammar->help = false;
	grammar->histogram = !strcmp(at, " histogram");
	if (grammar->histogram)
		return true;
	suffix = strlen(name) > 6 ? name + strlen(name) - 6 : "";
	return !strcmp(suffix, "_total") ? !strcmp(at, " counter") : !strcmp(at, " gauge");
}

static bool take_line(struct grammar *grammar, const char *line)
{
	if (!strncmp(line, "# HELP ", 7)) {
		const char *at = take_name(line + 7, grammar->metric);

		grammar->help = at && *at == ' ' && at[1];
		return grammar->help;
	}
	if (!strncmp(line, "# TYPE ", 7))
		return take_type(grammar, line + 7);
	return !grammar->help && take_sample(grammar, line);
}

static bool holds(char *text, struct grammar *grammar)
{
	char *line;

	*grammar = (struct grammar){ 0 };
	while ((line = strsep(&text, "\n")) && text)
		if (!take_line(grammar, line)) {
			printf("# %s\n", line);
			return false;
		}
	return line && !*line && !grammar->buckets.inside;	/* the last line ends, too */
}

static char *print(const struct stats_sample *sample)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	stats_print_prometheus(out, sample);
	fclose(out);
	return text;
}

static void fill(struct gate_stats *stats, uint64_t from)
{
	for (unsigned int attr = 1; attr <= LIQUID_STATS_A_MAX; attr++) {
		stats->present |= 1ULL << attr;
		stats->counter[attr] = from + attr;
	}
}

static void fill_times(struct gate_times *times)
{
	times->present = 1;
	times->wait = (struct gate_hist){ .sum_ns = 5000000001, .bucket = { 1, 0, 2 } };
	times->wait.bucket[LIQUID_HIST_BUCKETS - 1] = 4;
	times->late = (struct gate_hist){ .sum_ns = 1500, .bucket = { [1] = 1 } };
}

static bool has_line(const char *text, const char *line)
{
	return strstr(text, line) != NULL;
}

static void check_promtool(const char *text)
{
	FILE *pipe;

	if (system("command -v promtool >/dev/null 2>&1")) {
		printf("# no promtool here\n");
		return;
	}
	/* Without leak checks: promtool is not a part of this program. */
	pipe = popen("promtool check metrics >&2", "w");
	fputs(text, pipe);
	ok(!pclose(pipe), "promtool finds nothing");
}

static void check_times(void)
{
	struct gate gate = { .ifindex = 1 };
	struct gate_dest dests[2] = {
		{ .id = 3, .key_count = 1, .key = { { LIQUID_KEY_A_IPV4, 4, { 10, 0, 0, 1 } } } },
		{ .id = 4 },
	};
	struct stats_sample sample = { .gates = { &gate, 1, 1 }, .dests = { dests, 2, 2 } };
	struct grammar grammar;
	char *text = print(&sample);

	ok(!strstr(text, "histogram"), "a module without histograms has none");
	free(text);
	fill_times(&gate.times);
	gate.times.xmit.bucket[1] = 3;
	gate.times.overrun.bucket[0] = 2;
	fill_times(&dests[0].times);
	gate.stats.counter[LIQUID_STATS_A_PACKETS] = 10;
	dests[0].stats.counter[LIQUID_STATS_A_PACKETS] = 7;
	dests[0].stats.counter[LIQUID_STATS_A_LATE] = 1;
	text = print(&sample);
	ok(has_line(text, "\nliquid_wait_seconds_bucket{dev=\"eth0\",le=\"1e-06\"} 4\n"),
	   "packets that passed are in the first bucket");
	ok(has_line(text, "\nliquid_wait_seconds_bucket{dev=\"eth0\",le=\"1.6e-05\"} 6\n") &&
	   has_line(text, "\nliquid_wait_seconds_bucket{dev=\"eth0\",le=\"4.194304\"} 6\n") &&
	   has_line(text, "\nliquid_wait_seconds_bucket{dev=\"eth0\",le=\"+Inf\"} 10\n"),
	   "buckets are cumulative, to the last bound");
	ok(has_line(text, "\nliquid_wait_seconds_sum{dev=\"eth0\"} 5.000000001\n") &&
	   has_line(text, "\nliquid_wait_seconds_count{dev=\"eth0\"} 10\n"), "sum and count");
	ok(has_line(text, "\nliquid_destination_wait_seconds_bucket{dev=\"eth0\",destination=\"3\","
		    "address=\"10.0.0.1\",le=\"1e-06\"} 1\n"), "those of a destination");
	ok(has_line(text, "\nliquid_destination_late_seconds_count{dev=\"eth0\",destination=\"3\","
		    "address=\"10.0.0.1\"} 1\n") &&
	   !strstr(text, "liquid_destination_late_seconds_count{dev=\"eth0\",destination=\"4\""),
	   "lateness of the destinations that were late");
	ok(has_line(text, "\nliquid_release_lag_seconds_bucket{dev=\"eth0\",le=\"2e-06\"} 3\n") &&
	   has_line(text, "\nliquid_release_lag_seconds_bucket"
		    "{dev=\"eth0\",le=\"0.002048\"} 3\n") &&
	   has_line(text, "\nliquid_frame_overrun_seconds_count{dev=\"eth0\"} 2\n"),
	   "delays of a gate, by powers of 2");
	check_promtool(text);
	ok(holds(text, &grammar) && grammar.histograms == 5 + 2 + 1,
	   "the format of histograms holds: %u", grammar.histograms);
	free(text);
}

static void check_format(void)
{
	struct gate gates[2] = { { .ifindex = 1 }, { .ifindex = 2 } };
	struct gate_dest dests[2] = {
		{ .id = 0, .key_count = 1, .key = { { LIQUID_KEY_A_IPV4, 4, { 10, 0, 0, 1 } } } },
		{ .id = 7 },
	};
	struct stats_sample sample = { .gates = { gates, 1, 1 }, .dests = { dests, 2, 2 } };
	struct grammar grammar;
	char *text;

	fill(&gates[0].stats, UINT64_C(1) << 53);
	fill(&gates[1].stats, 0);
	fill(&dests[0].stats, 100);
	dests[1].stats.present = 1ULL << LIQUID_STATS_A_PACKETS;
	dests[1].name = "n\\7";
	text = print(&sample);
	ok(strstr(text, "liquid_packets_total{dev=\"eth0\"} 9007199254740993\n") != NULL,
	   "a counter of the gate, to the last digit");
	ok(strstr(text, "liquid_destination_packets_total{dev=\"eth0\",destination=\"0\","
		  "address=\"10.0.0.1\"} 101\n") != NULL, "a counter of a destination");
	ok(strstr(text, "{dev=\"eth0\",destination=\"7\",address=\"\",name=\"n\\\\7\"}") &&
	   !strstr(text, "liquid_schedule_info"), "a destination's name, and no label");
	check_promtool(text);
	ok(holds(text, &grammar) && grammar.samples > 2 * LIQUID_STATS_A_QUEUE_STOPPED,
	   "the format holds: %u families, %u samples", grammar.families, grammar.samples);
	free(text);
	sample = (struct stats_sample){ .gates = { gates, 2, 2 } };
	strcpy(gates[1].oper.label, "job=\"1\\");
	strcpy(gates[1].admin.label, "job=2");
	text = print(&sample);
	ok(strstr(text, "\nliquid_schedule_info{dev=\"a\\\"b\\\\c\",which=\"oper\","
		  "label=\"job=\\\"1\\\\\"} 1\n") &&
	   strstr(text, ",which=\"admin\",label=\"job=2\"} 1\n"), "labels of schedules, escaped");
	ok(strstr(text, "{dev=\"a\\\"b\\\\c\"}") != NULL, "quotes and backslashes are escaped");
	ok(holds(text, &grammar), "the format holds for several gates");
	free(text);
	sample = (struct stats_sample){ 0 };
	text = print(&sample);
	ok(!*text, "no gates, no metrics");
	free(text);
}

/* What `push --stay` adds to a label is a separate label; what only looks like it is not. */
static void check_digests(void)
{
	static const struct {
		const char *label, *printed;
	} cases[] = {
		{ "daq digest=0123456789ab", "label=\"daq\",digest=\"0123456789ab\"" },
		{ "digest=0123456789ab", "label=\"\",digest=\"0123456789ab\"" },
		{ "a b digest=\\ digest=ba9876543210",
		  "label=\"a b digest=\\\\\",digest=\"ba9876543210\"" },
		{ "0123456789012345678901234567890123456789012 digest=0123456789ab",
		  "label=\"0123456789012345678901234567890123456789012\","
		  "digest=\"0123456789ab\"" },
		{ "daqdigest=0123456789ab", "label=\"daqdigest=0123456789ab\"" },
		{ "daq digest=0123456789a", "label=\"daq digest=0123456789a\"" },
		{ "daq digest=0123456789AB", "label=\"daq digest=0123456789AB\"" },
		{ "daq digest=0123456789abc", "label=\"daq digest=0123456789abc\"" },
		{ "digest=0123456789ab x", "label=\"digest=0123456789ab x\"" },
		{ "job=17 round=17-1", "label=\"job=17 round=17-1\"" },
	};
	struct gate gate = { .ifindex = 1 };
	struct stats_sample sample = { .gates = { &gate, 1, 1 } };
	char line[200], *text;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		strcpy(gate.oper.label, cases[i].label);
		snprintf(line, sizeof(line), ",which=\"oper\",%s} 1\n", cases[i].printed);
		text = print(&sample);
		ok(has_line(text, line), "the digest of '%s'", cases[i].label);
		free(text);
	}
}

/* All that there is, as the gate of a job has it */
static void fill_all(struct stats_sample *sample, struct gate *gate)
{
	*gate = (struct gate){
		.ifindex = 1,
		.options = { .rate_bps = 10000000000 },
		.state = { .mode = 1, .dests = 3, .tai_offset = 37, .lease_ns = 60000000000,
			   .lease_left_ns = 45000000000,
			   .present = 1ULL << LIQUID_STATE_A_LEASE_NS |
				      1ULL << LIQUID_STATE_A_LEASE_LEFT_NS },
		.oper = { .present = 1, .frame_ns = 1000000, .frames = 3, .guard_ns = 50000,
			  .base_time = 1500000000250000000,
			  .label = "daq digest=0123456789ab" },
	};
	fill(&gate->stats, 1000);
	fill_times(&gate->times);
	gate->times.xmit.bucket[1] = 3;
	gate->times.overrun.bucket[0] = 2;
	*sample = (struct stats_sample){
		.gates = { gate, 1, 1 },
		.node = { .version = "0.1.0", .module = "0.1.0", .clock_known = true,
			  .clock_error_ns = 1500, .clock_findings = 2 },
	};
}

static void check_state(void)
{
	static const char *const lines[] = {
		"liquid_up 1", "liquid_info{version=\"0.1.0\",module=\"0.1.0\"} 1",
		"liquid_clock_error_seconds 0.000001500", "liquid_clock_findings 2",
		"liquid_mode{dev=\"eth0\"} 1", "liquid_destinations{dev=\"eth0\"} 3",
		"liquid_rate_bytes_per_second{dev=\"eth0\"} 1250000000",
		"liquid_lease_seconds{dev=\"eth0\"} 60.000000000",
		"liquid_lease_left_seconds{dev=\"eth0\"} 45.000000000",
		"liquid_frame_seconds{dev=\"eth0\"} 0.001000000",
		"liquid_guard_seconds{dev=\"eth0\"} 0.000050000",
		"liquid_cycle_seconds{dev=\"eth0\"} 0.003000000",
		"liquid_base_time_seconds{dev=\"eth0\"} 1500000000.250000000",
	};
	struct stats_sample sample;
	struct grammar grammar;
	struct gate gate;
	char line[128], *text;

	fill_all(&sample, &gate);
	text = print(&sample);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		snprintf(line, sizeof(line), "\n%s\n", lines[i]);
		ok(has_line(text, line), "%s", lines[i]);
	}
	check_promtool(text);
	ok(holds(text, &grammar), "the format holds for what has no labels");
	free(text);
	gate.oper.present = gate.state.present = 0;
	sample.node.clock_known = false;
	text = print(&sample);
	ok(!strstr(text, "lease_left") && !strstr(text, "frame_seconds{") &&
	   !strstr(text, "clock_error") && strstr(text, "liquid_info"),
	   "what there is not has no metric");
	free(text);
}

/* For tests of what reads the metrics: one of each */
static int write_all(const char *path)
{
	struct stats_sample sample;
	FILE *out = fopen(path, "w");
	struct gate gate;

	fill_all(&sample, &gate);
	if (out)
		stats_print_prometheus(out, &sample);
	return !out || fclose(out);
}

static void check_grammar(void)
{
	static const char *const wrong[] = {
		"x{a=\"b\"} 1\n", "# HELP x y\n# TYPE x counter\nx{a=\"b\"} 1\n",
		"# HELP x y\n# TYPE x gauge\nx{a=\"b} 1\n",
		"# HELP x y\n# TYPE x gauge\nx{a=\"b\"} z\n",
		"# HELP x y\n# TYPE x gauge\ny{a=\"b\"} 1\n",
		"# HELP x y\n# TYPE x gauge\nx{a=\"b\"} 1",
#define HIST "# HELP x y\n# TYPE x histogram\nx_bucket{a=\"b\",le=\"1\"} 3\n"
#define REST "x_bucket{a=\"b\",le=\"+Inf\"} 3\nx_sum{a=\"b\"} 1\n"
		HIST, HIST REST, HIST REST "x_count{a=\"b\"} 4\n", HIST REST "x_count{a=\"c\"} 3\n",
		HIST "x_bucket{a=\"b\",le=\"1\"} 3\n" REST "x_count{a=\"b\"} 3\n",
		HIST "x_bucket{a=\"b\",le=\"2\"} 2\n" REST "x_count{a=\"b\"} 3\n",
		HIST "x_sum{a=\"b\"} 1\nx_count{a=\"b\"} 3\n", HIST "x{a=\"b\"} 1\n" REST,
		"# TYPE x gauge\n", "# HELP x y\n# TYPE x gauge\nx{a=\"\\q\"} 1\n",
	};
	struct grammar grammar;

	char right[] = HIST REST "x_count{a=\"b\"} 3\n";

	ok(holds(right, &grammar), "the test's grammar takes a histogram");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char *copy = strdup(wrong[i]);

		ok(!holds(copy, &grammar), "the test's grammar refuses wrong text %zu", i);
		free(copy);
	}
}

int main(int argc, char **argv)
{
	if (argc == 2)
		return write_all(argv[1]);
	check_grammar();
	check_format();
	check_digests();
	check_times();
	check_state();
	ok(stats_rate(100, 300, 500000000) == 400, "a rate");
	ok(stats_rate(100, 30, 1000000000) == 30, "a counter that began anew");
	ok(stats_rate(0, 1, 0) == 0, "no time, no rate");
	return tap_exit();
}

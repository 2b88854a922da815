// SPDX-License-Identifier: GPL-2.0-only
/* stats --prometheus holds the text exposition format, by a grammar of the test's own; rates. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "stats.h"
#include "tap.h"

/* Devices have names as a hostile host could give them. */
const char *device_name(uint32_t ifindex, char name[IF_NAMESIZE])
{
	snprintf(name, IF_NAMESIZE, "%s", ifindex == 1 ? "eth0" : "a\"b\\c");
	return name;
}

struct grammar {
	char metric[128];		/* of the last TYPE line */
	char seen[200][128];		/* families: each has one TYPE line, and its samples follow it */
	unsigned int families, samples;
	bool help, counter;
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

static bool take_sample(struct grammar *grammar, const char *at)
{
	char name[128], *end;

	at = take_name(at, name);
	if (!at || strcmp(name, grammar->metric) || *at++ != '{')
		return false;
	do
		at = take_label(at);
	while (at && *at++ == ',');
	if (!at || at[-1] != '}' || *at++ != ' ' || !*at)
		return false;
	(void)strtod(at, &end);
	grammar->samples++;
	return end != at && !*end;
}

static bool take_type(struct grammar *grammar, const char *at)
{
	char name[128];
	const char *suffix;

	at = take_name(at, name);
	if (!at || strcmp(name, grammar->metric) || !grammar->help)
		return false;
	for (unsigned int i = 0; i < grammar->families; i++)
		if (!strcmp(grammar->seen[i], name))
			return false;
	strcpy(grammar->seen[grammar->families++], name);
	grammar->help = false;
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
	return line && !*line;		/* the last line ends, too */
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

static void check_promtool(const char *text)
{
	FILE *pipe;

	if (system("command -v promtool >/dev/null 2>&1")) {
		printf("# no promtool here\n");
		return;
	}
	/* Without leak checks: promtool is no part of this program. */
	pipe = popen("promtool check metrics >&2", "w");
	fputs(text, pipe);
	ok(!pclose(pipe), "promtool finds nothing");
}

static void check_format(void)
{
	struct gate gates[2] = { { .ifindex = 1 }, { .ifindex = 2 } };
	struct gate_dest dests[2] = {
		{ .id = 0, .key_count = 1, .key = { { LIQUID_KEY_IPV4, 4, { 10, 0, 0, 1 } } } },
		{ .id = 7 },
	};
	struct stats_sample sample = { .gates = { gates, 1, 1 }, .dests = { dests, 2, 2 } };
	struct grammar grammar;
	char *text;

	fill(&gates[0].stats, UINT64_C(1) << 53);
	fill(&gates[1].stats, 0);
	fill(&dests[0].stats, 100);
	dests[1].stats.present = 1ULL << LIQUID_STATS_A_PACKETS;
	text = print(&sample);
	ok(strstr(text, "liquid_packets_total{dev=\"eth0\"} 9007199254740993\n") != NULL,
	   "a counter of the gate, to the last digit");
	ok(strstr(text, "liquid_destination_packets_total{dev=\"eth0\",destination=\"0\","
		  "address=\"10.0.0.1\"} 101\n") != NULL, "a counter of a destination");
	check_promtool(text);
	ok(holds(text, &grammar) && grammar.samples > 2 * LIQUID_STATS_A_QUEUE_STOPPED,
	   "the format holds: %u families, %u samples", grammar.families, grammar.samples);
	free(text);
	sample = (struct stats_sample){ .gates = { gates, 2, 2 } };
	text = print(&sample);
	ok(strstr(text, "{dev=\"a\\\"b\\\\c\"}") != NULL, "quotes and backslashes are escaped");
	ok(holds(text, &grammar), "the format holds for several gates");
	free(text);
	sample = (struct stats_sample){ 0 };
	text = print(&sample);
	ok(!*text, "no gates, no metrics");
	free(text);
}

static void check_grammar(void)
{
	static const char *const wrong[] = {
		"x{a=\"b\"} 1\n", "# HELP x y\n# TYPE x counter\nx{a=\"b\"} 1\n",
		"# HELP x y\n# TYPE x gauge\nx{a=\"b} 1\n", "# HELP x y\n# TYPE x gauge\nx{a=\"b\"} z\n",
		"# HELP x y\n# TYPE x gauge\ny{a=\"b\"} 1\n", "# HELP x y\n# TYPE x gauge\nx{a=\"b\"} 1",
		"# TYPE x gauge\n", "# HELP x y\n# TYPE x gauge\nx{a=\"\\q\"} 1\n",
	};
	struct grammar grammar;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char *copy = strdup(wrong[i]);

		ok(!holds(copy, &grammar), "the test's grammar refuses wrong text %zu", i);
		free(copy);
	}
}

int main(void)
{
	check_grammar();
	check_format();
	ok(stats_rate(100, 300, 500000000) == 400, "a rate");
	ok(stats_rate(100, 30, 1000000000) == 30, "a counter that began anew");
	ok(stats_rate(0, 1, 0) == 0, "no time, no rate");
	return tap_exit();
}

// SPDX-License-Identifier: GPL-2.0-only
/* The reader of liquid.conf: in each line a key and its values; comments begin with #. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/liquid.h>

#include "job/conf.h"
#include "gate/options.h"
#include "util/units.h"

#define WORDS_MAX 4

struct conf_reader {
	const char *label;
	unsigned long line;
	struct conf *conf;
	struct liquid_error *err;
	char *word[WORDS_MAX];		/* the key, then its values */
	int words;
};

#define fail_here(reader, format, ...) \
	liquid_fail((reader)->err, LIQUID_BAD_INPUT, "%s:%lu: " format, (reader)->label, \
		    (reader)->line, ##__VA_ARGS__)

static int no_memory(const struct conf_reader *reader)
{
	return liquid_fail(reader->err, LIQUID_NO_MEMORY, "%s: out of memory", reader->label);
}

/* ---- keys with one value ---- */

#define DAY_NS (UINT64_C(86400) * 1000000000)

static const char *const failures[] = { "ungated", "fail", NULL };
static const char *const merges[] = { "no", "yes", NULL };
static const char *const clocks[] = { "off", "warn", "refuse", NULL };

static const struct opt keys[] = {
#define TEXT(name, member) { name, 0, KIND_TEXT, OPT_MEMBER(struct conf, member) }
#define VALUE(name, kind, member, least, most) \
	{ name, 0, kind, OPT_MEMBER(struct conf, member), .min = least, .max = most }
#define CHOICE(name, member, names) \
	{ name, 0, KIND_CHOICE, OPT_MEMBER(struct conf, member), .words = names }
	TEXT("fabric", fabric),
	TEXT("addresses", addresses),
	TEXT("store", store),
	TEXT("user", user),
	TEXT("munge-socket", munge_socket),
	TEXT("live-topo", live_topo),
	TEXT("live-lft", live_lft),
	TEXT("select", select),
	TEXT("policy", policy),
	VALUE("frame-time", KIND_TIME, frame_ns, 10000, 10000000000),
	VALUE("guard", KIND_TIME, guard_ns, 0, 10000000000),
	VALUE("clock-error", KIND_TIME, clock_error_ns, 1, 10000000000),
	VALUE("release-lag", KIND_TIME, release_lag_ns, 0, 10000000000),
	VALUE("deadline", KIND_TIME, deadline_ns, 100000000, 3600000000000),
	VALUE("lead", KIND_TIME, lead_ns, 200000000, 600000000000),
	VALUE("lease", KIND_TIME, lease_ns, 0, LIQUID_LEASE_NS_MAX),
	VALUE("longest", KIND_TIME, longest_ns, 0, 1000 * DAY_NS),
	VALUE("unit-bytes", KIND_SIZE, unit_bytes, 1, INT64_MAX),
	VALUE("link-rate", KIND_RATE, link_rate_bps, 1, INT64_MAX),
	VALUE("seed", KIND_NUMBER, seed, 0, INT64_MAX),
	VALUE("work", KIND_NUMBER, work, 1, INT64_MAX),
	{ "rail", 0, KIND_NUMBER, OPT_MEMBER(struct conf, rail), .min = 1, .max = 64,
	  .expected = "a number from 1 to 64, or all" },
	VALUE("hops", KIND_NUMBER, hops, 1, LIQUID_PATH_MAX),
	VALUE("max-packet", KIND_NUMBER, max_packet, 64, 65535),
	VALUE("tai-offset", KIND_NUMBER, tai_offset, 0, 1000),
	CHOICE("on-failure", on_failure, failures),
	CHOICE("merge", merge, merges),
	CHOICE("force-guard", force_guard, merges),
	CHOICE("clock", clock, clocks),
	{ 0 }
};

static int set_text(struct conf_reader *reader, char **text, const char *value)
{
	free(*text);
	*text = strdup(value);
	return *text ? LIQUID_OK : no_memory(reader);
}

/*
 * Check select and policy now, not when a job starts and its gates are set to them. NULL, or what
 * was expected.
 */
static const char *wrong_option(const char *key, const char *word)
{
	struct gate_options options = { 0 };

	if (!strcmp(key, "select"))
		return parse_select(word, &options);
	return strcmp(key, "policy") ? NULL : parse_policy(word, &options);
}

static int set_key(struct conf_reader *reader, const struct opt *key)
{
	struct conf *conf = reader->conf;
	const char *expected;
	char why[OPT_WHY];

	if (reader->words != 2)
		return fail_here(reader, "%s takes one value", key->name);
	if (!strcmp(key->name, "rail") && !strcmp(reader->word[1], "all")) {
		conf->rail = CONF_RAIL_ALL;
		return LIQUID_OK;
	}
	expected = wrong_option(key->name, reader->word[1]);
	if (!expected && key->kind == KIND_TEXT)
		return set_text(reader, (char **)((char *)conf + key->offset), reader->word[1]);
	if (!expected)
		expected = opt_set(key, conf, reader->word[1], why);
	if (expected)
		return fail_here(reader, "%s: expected %.200s, got '%.64s'", key->name, expected,
				 reader->word[1]);
	conf->guard_given |= !strcmp(key->name, "guard");
	conf->lease_given |= !strcmp(key->name, "lease");
	return LIQUID_OK;
}

/* ---- keys that may be repeated ---- */

static void *grow(void *array, size_t count, size_t size)
{
	char *larger = reallocarray(array, count + 1, size);

	if (larger)
		memset(larger + count * size, 0, size);
	return larger;
}

static bool has_device(const struct conf_device *device, const char *name)
{
	for (size_t i = 0; i < device->count; i++)
		if (!strcmp(device->name[i], name))
			return true;
	return false;
}

/* Names with commas between them: the devices of rails 1, 2 and so on */
static int set_devices(struct conf_reader *reader, struct conf_device *device)
{
	char *list = reader->word[1], *name;
	int status = LIQUID_OK;

	while (!status && (name = strsep(&list, ","))) {
		if (!*name || has_device(device, name))
			return fail_here(reader, "device: expected names of different devices, "
					 "with commas between them");
		if (device->count == CONF_RAILS_MAX)
			return fail_here(reader, "device: a node has at most %d of them",
					 CONF_RAILS_MAX);
		status = set_text(reader, &device->name[device->count++], name);
	}
	return status;
}

static int add_device(struct conf_reader *reader)
{
	struct conf *conf = reader->conf;
	struct liquid_names names = { 0 };
	struct conf_device *device;
	int status;

	if (reader->words < 2 || reader->words > 3)
		return fail_here(reader, "device takes a device, or one for each rail with commas, "
				 "and, if not for all, a list of nodes");
	if (reader->words == 3) {
		struct liquid_error reason;

		status = liquid_hostlist_expand(reader->word[2], &names, &reason);
		liquid_names_clear(&names);
		if (status)
			return fail_here(reader, "%.800s", reason.text);
	}
	device = grow(conf->device, conf->device_count, sizeof(*device));
	if (!device)
		return no_memory(reader);
	conf->device = device;
	device += conf->device_count++;
	status = set_devices(reader, device);
	if (!status && reader->words == 3)
		status = set_text(reader, &device->nodes, reader->word[2]);
	return status;
}

static bool known_traffic(const char *what)
{
	return !strcmp(what, "alltoall") || !strcmp(what, "mpi:alltoall") ||
	       !strncmp(what, "file:/", 6) || !strncmp(what, "schedule:/", 10);
}

static int add_traffic(struct conf_reader *reader)
{
	struct conf *conf = reader->conf;
	struct conf_traffic *traffic;
	uint64_t tasks = 1;
	int status;

	if (reader->words < 3 || !known_traffic(reader->word[2]))
		return fail_here(reader, "traffic takes a name, then alltoall, mpi:alltoall "
				 "[TASKS], file:/PATH or schedule:/PATH");
	if (reader->words == 4 && (strcmp(reader->word[2], "mpi:alltoall") ||
				   !parse_number(reader->word[3], 65536, &tasks) || !tasks))
		return fail_here(reader, "mpi:alltoall: expected ranks of each node, got '%.64s'",
				 reader->word[3]);
	if (conf_find_traffic(conf, reader->word[1]))
		return fail_here(reader, "traffic '%.64s' is given twice", reader->word[1]);
	traffic = grow(conf->traffic, conf->traffic_count, sizeof(*traffic));
	if (!traffic)
		return no_memory(reader);
	conf->traffic = traffic;
	traffic += conf->traffic_count++;
	traffic->tasks_per_node = tasks;
	status = set_text(reader, &traffic->name, reader->word[1]);
	if (!status)
		status = set_text(reader, &traffic->what, reader->word[2]);
	return status;
}

static int add_partition(struct conf_reader *reader)
{
	struct conf *conf = reader->conf;
	struct conf_partition *partition;
	int status;

	if (reader->words != 3)
		return fail_here(reader, "partition takes its name (or *) and that of a traffic");
	/* A traffic that does not exist is found now, not when a job starts. */
	if (strcmp(reader->word[2], "none") && !conf_find_traffic(conf, reader->word[2]))
		return fail_here(reader, "traffic '%.64s' is not defined above this line",
				 reader->word[2]);
	partition = grow(conf->partition, conf->partition_count, sizeof(*partition));
	if (!partition)
		return no_memory(reader);
	conf->partition = partition;
	partition += conf->partition_count++;
	status = set_text(reader, &partition->name, reader->word[1]);
	if (!status)
		status = set_text(reader, &partition->traffic, reader->word[2]);
	return status;
}

/* "FROM-TO" */
static bool read_ports(char *text, struct conf *conf)
{
	char *dash = strchr(text, '-');
	uint64_t last;

	if (!dash)
		return false;
	*dash = '\0';
	if (!parse_number(text, 65535, &conf->port) || !parse_number(dash + 1, 65535, &last) ||
	    !conf->port || last < conf->port)
		return false;
	conf->ports = last - conf->port + 1;
	return conf->ports >= CONF_JOB_PORTS;
}

static int set_first(struct conf_reader *reader)
{
	struct conf *conf = reader->conf;

	free(conf->service);
	conf->service = NULL;
	conf->first = true;
	return reader->words == 2 || read_ports(reader->word[2], conf) ? LIQUID_OK :
	       fail_here(reader, "agree first: expected %d ports or more as FROM-TO",
			 CONF_JOB_PORTS);
}

static int set_agree(struct conf_reader *reader)
{
	if (reader->words > 1 && reader->words < 4 && !strcmp(reader->word[1], "first"))
		return set_first(reader);
	if (reader->words != 3 || strcmp(reader->word[1], "service"))
		return fail_here(reader, "agree takes `first [FROM-TO]` or `service HOST[:PORT]`");
	reader->conf->first = false;
	return set_text(reader, &reader->conf->service, reader->word[2]);
}

/* The command is the rest of the line, and may contain #. */
static int set_command(struct conf_reader *reader, const char *text)
{
	text += strspn(text, " \t");
	text += strlen("live-command");
	text += strspn(text, " \t");
	if (!*text)
		return fail_here(reader, "live-command takes a command");
	return set_text(reader, &reader->conf->live_command, text);
}

/* ---- lines ---- */

static int split(struct conf_reader *reader, char *text)
{
	reader->words = 0;
	for (;;) {
		while (isspace((unsigned char)*text))
			*text++ = '\0';
		if (!*text)
			return LIQUID_OK;
		if (reader->words == WORDS_MAX)
			return fail_here(reader, "too many words");
		reader->word[reader->words++] = text;
		while (*text && !isspace((unsigned char)*text))
			text++;
	}
}

static bool is_command(const char *text)
{
	size_t length = strlen("live-command");

	text += strspn(text, " \t");
	return !strncmp(text, "live-command", length) &&
	       (!text[length] || isspace((unsigned char)text[length]));
}

static int take_line(struct conf_reader *reader, char *text)
{
	int status;

	text[strcspn(text, "\n")] = '\0';
	if (is_command(text))
		return set_command(reader, text);
	text[strcspn(text, "#")] = '\0';
	status = split(reader, text);
	if (status || !reader->words)
		return status;
	if (!strcmp(reader->word[0], "device"))
		return add_device(reader);
	if (!strcmp(reader->word[0], "traffic"))
		return add_traffic(reader);
	if (!strcmp(reader->word[0], "partition"))
		return add_partition(reader);
	if (!strcmp(reader->word[0], "agree"))
		return set_agree(reader);
	for (const struct opt *key = keys; key->name; key++)
		if (!strcmp(key->name, reader->word[0]))
			return set_key(reader, key);
	return fail_here(reader, "unknown key '%.64s'", reader->word[0]);
}

/* `rail` may come after the devices. */
static int check_devices(const struct conf *conf, const char *label, struct liquid_error *err)
{
	for (size_t i = 0; i < conf->device_count; i++)
		if (conf->device[i].count > 1 && conf->rail != CONF_RAIL_ALL)
			return liquid_fail(err, LIQUID_BAD_INPUT,
					   "%s: a node has %zu devices (%s,%s ...), and uses rail "
					   "%llu alone: state `rail all`, or one device", label,
					   conf->device[i].count, conf->device[i].name[0],
					   conf->device[i].name[1],
					   (unsigned long long)conf->rail);
	return LIQUID_OK;
}

static int check_whole(const struct conf *conf, const char *label, struct liquid_error *err)
{
	const char *missing = !conf->fabric ? "fabric" : !conf->addresses ? "addresses" :
			      !conf->device_count ? "device" :
			      !conf->frame_ns ? "frame-time" : NULL;

	if (missing)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s: '%s' is missing", label, missing);
	/* The store's owner cannot replace it: the one who created the store first. */
	if (!conf->user)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "%s: 'user' is missing: who keeps the store, as in `user slurm` "
				   "(SlurmUser of `scontrol show config`)", label);
	if (!conf->live_topo != !conf->live_lft)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s: live-topo and live-lft go together",
				   label);
	if (conf->guard_given && conf->guard_ns >= conf->frame_ns)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "%s: guard must be shorter than frame-time", label);
	/* The lease begins with the commit, and the first frame only a lead later. */
	if (conf->lease_ns && conf->lease_ns / 2 < conf->lead_ns)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "%s: lease must be at least twice as long as lead", label);
	return check_devices(conf, label, err);
}

int conf_read(FILE *in, const char *label, struct conf *conf, struct liquid_error *err)
{
	struct conf_reader reader = { .label = label, .conf = conf, .err = err };
	char *text = NULL;
	size_t room = 0;
	ssize_t length;
	int status = LIQUID_OK;

	*conf = (struct conf){
		.clock_error_ns = 1000, .release_lag_ns = 10000, .deadline_ns = 30000000000,
		.lead_ns = 2000000000, .lease_ns = 60000000000, .longest_ns = 30 * DAY_NS,
		.rail = 1, .max_packet = 1514, .tai_offset = CONF_TAI_KERNEL,
		.clock = CONF_REFUSE, .port = 16816, .ports = 128,
	};
	while (!status && (length = getline(&text, &room, in)) >= 0) {
		reader.line++;
		status = memchr(text, '\0', length) ?
			 fail_here(&reader, "a zero byte in the line") : take_line(&reader, text);
	}
	if (!status && !feof(in))
		status = liquid_fail(err, LIQUID_IO, "%s: %s", label, strerror(errno));
	free(text);
	if (!conf->lease_given && conf->lease_ns < 4 * conf->lead_ns)
		conf->lease_ns = 4 * conf->lead_ns;
	conf->first |= !conf->service;
	if (!status && !conf->store)
		status = set_text(&reader, &conf->store, CONF_JOURNAL);
	if (!status)
		status = check_whole(conf, label, err);
	if (status)
		conf_clear(conf);
	return status;
}

int conf_read_file(const char *path, struct conf *conf, struct liquid_error *err)
{
	FILE *in = fopen(path, "re");
	int status;

	if (!in)
		return liquid_fail(err, LIQUID_IO, "%s: %s", path, strerror(errno));
	status = conf_read(in, path, conf, err);
	fclose(in);
	return status;
}

void conf_clear(struct conf *conf)
{
	for (const struct opt *key = keys; key->name; key++)
		if (key->kind == KIND_TEXT)
			free(*(char **)((char *)conf + key->offset));
	free(conf->live_command);
	free(conf->service);
	for (size_t i = 0; i < conf->device_count; i++) {
		while (conf->device[i].count)
			free(conf->device[i].name[--conf->device[i].count]);
		free(conf->device[i].nodes);
	}
	for (size_t i = 0; i < conf->traffic_count; i++) {
		free(conf->traffic[i].name);
		free(conf->traffic[i].what);
	}
	for (size_t i = 0; i < conf->partition_count; i++) {
		free(conf->partition[i].name);
		free(conf->partition[i].traffic);
	}
	free(conf->device);
	free(conf->traffic);
	free(conf->partition);
	*conf = (struct conf){ 0 };
}

/* ---- looking things up ---- */

static bool list_has(const char *list, const char *node)
{
	struct liquid_names names = { 0 };
	bool found = false;

	if (!liquid_hostlist_expand(list, &names, NULL))
		for (size_t i = 0; i < names.count && !found; i++)
			found = !strcmp(names.name[i], node);
	liquid_names_clear(&names);
	return found;
}

const struct conf_device *conf_devices_of(const struct conf *conf, const char *node)
{
	const struct conf_device *others = NULL;

	for (size_t i = 0; i < conf->device_count; i++) {
		if (!conf->device[i].nodes)
			others = &conf->device[i];
		else if (list_has(conf->device[i].nodes, node))
			return &conf->device[i];
	}
	return others;
}

const struct conf_traffic *conf_find_traffic(const struct conf *conf, const char *name)
{
	for (size_t i = 0; i < conf->traffic_count; i++)
		if (!strcmp(conf->traffic[i].name, name))
			return &conf->traffic[i];
	return NULL;
}

const char *conf_partition_traffic(const struct conf *conf, const char *partition)
{
	const char *others = NULL;

	for (size_t i = 0; i < conf->partition_count; i++) {
		if (!strcmp(conf->partition[i].name, partition))
			return conf->partition[i].traffic;
		if (!strcmp(conf->partition[i].name, "*"))
			others = conf->partition[i].traffic;
	}
	return others;
}

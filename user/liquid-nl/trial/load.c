// SPDX-License-Identifier: GPL-2.0-only
/* What a measurement costs this node: differences of the kernel's counters. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trial/trial.h"

#define PROCESSORS_MAX	1024
#define LOCKS_MAX	32

/* What is counted is in the order of its names; a counter that this kernel lacks is -1. */
static const char *const stat_names[] = {
	"user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", NULL
};
static const struct snmp_name {
	const char *protocol, *name;
} snmp_names[] = {
	{ "Tcp:", "OutSegs" }, { "Tcp:", "RetransSegs" }, { "Udp:", "OutDatagrams" },
	{ "Udp:", "InDatagrams" }, { "Udp:", "InErrors" }, { "Udp:", "RcvbufErrors" },
	{ "Udp:", "SndbufErrors" }, { NULL, NULL }
};
static const char *const device_names[] = {
	"tx_packets", "tx_bytes", "tx_dropped", "tx_errors", "rx_packets", "rx_bytes",
	"rx_dropped", "rx_errors", "rx_missed_errors", "rx_fifo_errors", NULL
};
#define COUNT(names) (sizeof(names) / sizeof((names)[0]) - 1)

struct lock_class {
	char name[64];
	int64_t contentions;
};

struct sample {
	int64_t stat[COUNT(stat_names)], snmp[COUNT(snmp_names)], device[COUNT(device_names)];
	struct lock_class lock[LOCKS_MAX];
	unsigned int locks;
	bool lock_stat;
};

struct trial_load {
	char device[16];
	struct sample before;
	int counter[PROCESSORS_MAX];	/* of instructions */
	unsigned int counters;
};

/* ---- /proc ---- */

static void read_stat(int64_t value[COUNT(stat_names)])
{
	FILE *in = fopen("/proc/stat", "re");
	char word[16];

	for (unsigned int i = 0; i < COUNT(stat_names); i++)
		value[i] = -1;
	if (!in)
		return;
	if (fscanf(in, "%15s", word) == 1 && !strcmp(word, "cpu"))
		for (unsigned int i = 0; i < COUNT(stat_names); i++) {
			long long ticks;

			if (fscanf(in, "%lld", &ticks) == 1)
				value[i] = ticks * 1000 / sysconf(_SC_CLK_TCK);
		}
	fclose(in);
}

/* A line of names is followed by a line of their values. */
static void match_snmp(char *names, char *values, int64_t value[COUNT(snmp_names)])
{
	char *name_rest, *value_rest, *name = strtok_r(names, " \n", &name_rest);
	char *number = strtok_r(values, " \n", &value_rest);
	const char *protocol = name ? name : "";

	while (name && number) {
		for (unsigned int i = 0; i < COUNT(snmp_names); i++)
			if (!strcmp(protocol, snmp_names[i].protocol) &&
			    !strcmp(name, snmp_names[i].name))
				value[i] = strtoll(number, NULL, 10);
		name = strtok_r(NULL, " \n", &name_rest);
		number = strtok_r(NULL, " \n", &value_rest);
	}
}

static void read_snmp(int64_t value[COUNT(snmp_names)])
{
	FILE *in = fopen("/proc/net/snmp", "re");
	char names[2048], values[2048];

	for (unsigned int i = 0; i < COUNT(snmp_names); i++)
		value[i] = -1;
	if (!in)
		return;
	while (fgets(names, sizeof(names), in) && fgets(values, sizeof(values), in))
		match_snmp(names, values, value);
	fclose(in);
}

static void read_device(const char *device, int64_t value[COUNT(device_names)])
{
	for (unsigned int i = 0; i < COUNT(device_names); i++) {
		json_t *number = trial_file_number("/sys/class/net/%s/statistics/%s", device,
						   device_names[i]);

		value[i] = json_is_integer(number) ? json_integer_value(number) : -1;
		json_decref(number);
	}
}

/* ---- lock_stat: the locks that a packet takes ---- */

static bool is_of_sending(const char *name)
{
	return strstr(name, "liquid") || strstr(name, "qdisc") || strstr(name, "sch->") ||
	       strstr(name, "xmit_lock") || strstr(name, "root_lock");
}

/* "                     &sch->root_lock_key:  con-bounces  contentions ..." */
static void take_lock(struct sample *sample, char *line)
{
	char *end = strstr(line, ":  "), *name = line + strspn(line, " &");
	long long bounces, contentions;
	json_t *word;

	if (!end || end <= name || sample->locks == LOCKS_MAX)
		return;
	*end = 0;
	if (!is_of_sending(name) || sscanf(end + 1, "%lld %lld", &bounces, &contentions) != 2)
		return;
	for (char *arrow = name; (arrow = strchr(arrow, '>'));)
		*arrow = '.';	/* which words have */
	word = trial_word(name);
	snprintf(sample->lock[sample->locks].name, sizeof(sample->lock[0].name), "%s",
		 json_is_string(word) ? json_string_value(word) : "");
	sample->lock[sample->locks++].contentions = contentions;
	json_decref(word);
}

/* Only where somebody has turned it on: it makes every lock slower. */
static void read_locks(struct sample *sample)
{
	json_t *on = trial_file_number("/proc/sys/kernel/lock_stat");
	FILE *in = json_integer_value(on) == 1 ? fopen("/proc/lock_stat", "re") : NULL;
	char line[512];

	json_decref(on);
	sample->lock_stat = in;
	if (!in)
		return;
	while (fgets(line, sizeof(line), in))
		take_lock(sample, line);
	fclose(in);
}

static void take_sample(struct sample *sample, const char *device)
{
	*sample = (struct sample){ 0 };
	read_stat(sample->stat);
	read_snmp(sample->snmp);
	read_device(device, sample->device);
	read_locks(sample);
}

/* ---- instructions ---- */

static void open_counters(struct trial_load *load)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
	};
	long processors = sysconf(_SC_NPROCESSORS_CONF);

	for (int cpu = 0; cpu < processors && load->counters < PROCESSORS_MAX; cpu++) {
		int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
				      PERF_FLAG_FD_CLOEXEC);

		if (fd >= 0)
			load->counter[load->counters++] = fd;
	}
}

static json_t *close_counters(struct trial_load *load)
{
	uint64_t sum = 0, count;

	for (unsigned int i = 0; i < load->counters; i++) {
		if (read(load->counter[i], &count, sizeof(count)) == sizeof(count))
			sum += count;
		close(load->counter[i]);
	}
	return load->counters ? json_integer((json_int_t)sum) : json_null();
}

/* ---- the whole ---- */

struct trial_load *trial_load_begin(const char *device)
{
	struct trial_load *load = calloc(1, sizeof(*load));

	if (!load)
		return NULL;
	snprintf(load->device, sizeof(load->device), "%s", device);
	open_counters(load);
	take_sample(&load->before, device);
	return load;
}

static json_t *since(int64_t before, int64_t after)
{
	return before < 0 || after < before ? json_null() : json_integer(after - before);
}

static json_t *all_since(const char *const *names, size_t count, const int64_t *before,
			 const int64_t *after)
{
	json_t *json = json_object();

	for (size_t i = 0; i < count; i++)
		json_object_set_new(json, names[i], since(before[i], after[i]));
	return json;
}

static json_t *snmp_since(const struct sample *before, const struct sample *after)
{
	json_t *json = json_object();

	for (size_t i = 0; i < COUNT(snmp_names); i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s_%s", *snmp_names[i].protocol == 'T' ? "tcp" :
			 "udp", snmp_names[i].name);
		json_object_set_new(json, name, since(before->snmp[i], after->snmp[i]));
	}
	return json;
}

static int64_t contentions_of(const struct sample *sample, const char *name)
{
	for (unsigned int i = 0; i < sample->locks; i++)
		if (!strcmp(sample->lock[i].name, name))
			return sample->lock[i].contentions;
	return 0;
}

static json_t *locks_since(const struct sample *before, const struct sample *after)
{
	json_t *array = json_array();

	if (!after->lock_stat) {
		json_decref(array);
		return json_null();
	}
	for (unsigned int i = 0; i < after->locks; i++) {
		const struct lock_class *lock = &after->lock[i];

		json_array_append_new(array, json_pack("{s:s, s:o}", "lock", lock->name,
						       "contentions",
						       since(contentions_of(before, lock->name),
							     lock->contentions)));
	}
	return array;
}

json_t *trial_load_end(struct trial_load *load)
{
	struct sample after;
	json_t *json;

	if (!load)
		return json_null();
	take_sample(&after, load->device);
	json = json_pack("{s:o, s:o, s:o, s:o, s:o}", "instructions", close_counters(load),
			 "processor_ms", all_since(stat_names, COUNT(stat_names),
						   load->before.stat, after.stat),
			 "network", snmp_since(&load->before, &after),
			 "device", all_since(device_names, COUNT(device_names),
					     load->before.device, after.device),
			 "locks", locks_since(&load->before, &after));
	free(load);
	return json;
}

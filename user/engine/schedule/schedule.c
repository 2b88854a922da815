// SPDX-License-Identifier: LGPL-2.1-or-later
/* Schedules: their frames, the traffic that they carry, and the slice of a node. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/schedule.h"

const char *liquid_certificate_name(enum liquid_certificate certificate)
{
	switch (certificate) {
	case LIQUID_CERT_LIQUID:
		return "liquid";
	case LIQUID_CERT_OPTIMAL:
		return "optimal";
	case LIQUID_CERT_GAP:
		return "gap";
	}
	return "unknown";
}

struct liquid_schedule *schedule_new(uint32_t frames, uint32_t transfers, uint32_t hosts)
{
	struct liquid_schedule *schedule = calloc(1, sizeof(*schedule));

	if (!schedule)
		return NULL;
	schedule->first = calloc((size_t)frames + 1, sizeof(*schedule->first));
	schedule->transfers = calloc((size_t)transfers + 1, sizeof(*schedule->transfers));
	schedule->names = calloc((size_t)hosts + 1, sizeof(*schedule->names));
	if (!schedule->first || !schedule->transfers || !schedule->names) {
		liquid_schedule_free(schedule);
		return NULL;
	}
	schedule->host_count = hosts;
	schedule->info.version = 1;
	schedule->info.length = frames;
	schedule->info.fabric_digest = schedule->fabric_digest;
	schedule->info.traffic_digest = schedule->traffic_digest;
	return schedule;
}

void liquid_schedule_free(struct liquid_schedule *schedule)
{
	if (!schedule)
		return;
	for (uint32_t host = 0; schedule->names && host < schedule->host_count; host++)
		free(schedule->names[host]);
	free(schedule->names);
	free(schedule->first);
	free(schedule->transfers);
	free(schedule->wdm);
	json_decref(schedule->extras);
	free(schedule->fabric_name);
	free(schedule->method);
	free(schedule->witness);
	free(schedule);
}

int liquid_schedule_attach(struct liquid_schedule *schedule, const char *key, const char *json,
			   struct liquid_error *err)
{
	json_t *value = json_loads(json, 0, NULL);

	if (!value)
		return liquid_fail(err, LIQUID_BAD_INPUT, "the value to attach as '%.64s' is not "
				   "valid JSON", key);
	if (!schedule->extras)
		schedule->extras = json_object();
	if (json_object_set_new(schedule->extras, key, value))
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for '%.64s'", key);
	return LIQUID_OK;
}

bool schedule_copy_names(struct liquid_schedule *schedule, const struct liquid_fabric *fabric)
{
	for (uint32_t host = 0; host < schedule->host_count; host++) {
		schedule->names[host] = strdup(liquid_fabric_node_name(fabric, host));
		if (!schedule->names[host])
			return false;
	}
	return true;
}

bool schedule_set_text(char **own, const char **shown, const char *text)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		return false;
	free(*own);
	*own = copy;
	*shown = copy;
	return true;
}

const struct liquid_schedule_info *liquid_schedule_info(const struct liquid_schedule *schedule)
{
	return &schedule->info;
}

const struct liquid_transfer *liquid_schedule_frame(const struct liquid_schedule *schedule,
						    uint32_t frame, size_t *count)
{
	if (frame >= schedule->info.length) {
		*count = 0;
		return NULL;
	}
	*count = schedule->first[frame + 1] - schedule->first[frame];
	return schedule->transfers + schedule->first[frame];
}

uint32_t liquid_schedule_host_count(const struct liquid_schedule *schedule)
{
	return schedule->host_count;
}

const char *liquid_schedule_host_name(const struct liquid_schedule *schedule, uint32_t host)
{
	return host < schedule->host_count ? schedule->names[host] : NULL;
}

static int compare_transfers(const void *a, const void *b)
{
	const struct liquid_transfer *left = a, *right = b;

	if (left->src != right->src)
		return left->src < right->src ? -1 : 1;
	return left->dst < right->dst ? -1 : left->dst > right->dst;
}

void schedule_sort_frame(struct liquid_schedule *schedule, uint32_t frame)
{
	struct liquid_transfer *transfer = schedule->transfers + schedule->first[frame];
	size_t count = schedule->first[frame + 1] - schedule->first[frame], i = 1;

	while (i < count && compare_transfers(&transfer[i - 1], &transfer[i]) <= 0)
		i++;
	if (i < count)
		qsort(transfer, count, sizeof(*transfer), compare_transfers);
}

static int find_hosts(const struct liquid_schedule *schedule, const struct liquid_fabric *fabric,
		      uint32_t *number, struct liquid_error *err)
{
	char near[LIQUID_NEAR_TEXT];

	for (uint32_t host = 0; host < schedule->host_count; host++) {
		const char *name = schedule->names[host];

		number[host] = liquid_fabric_find_host(fabric, name);
		if (number[host] == LIQUID_NONE)
			return liquid_fail(err, LIQUID_BAD_INPUT,
					   "the fabric '%s' has no host '%s'%.400s",
					   liquid_fabric_name(fabric), name,
					   liquid_fabric_near_host(fabric, name, near));
	}
	return LIQUID_OK;
}

static void swap_names(struct liquid_schedule *a, struct liquid_schedule *b)
{
	char **names = a->names;
	uint32_t count = a->host_count;

	a->names = b->names;
	a->host_count = b->host_count;
	b->names = names;
	b->host_count = count;
}

static void renumber(struct liquid_schedule *schedule, const uint32_t *number)
{
	for (uint32_t i = 0; i < schedule->first[schedule->info.length]; i++) {
		schedule->transfers[i].src = number[schedule->transfers[i].src];
		schedule->transfers[i].dst = number[schedule->transfers[i].dst];
	}
	for (uint32_t frame = 0; frame < schedule->info.length; frame++)
		schedule_sort_frame(schedule, frame);
}

int liquid_schedule_renumber(struct liquid_schedule *schedule, const struct liquid_fabric *fabric,
			     struct liquid_error *err)
{
	uint32_t *number = calloc((size_t)schedule->host_count + 1, sizeof(*number));
	struct liquid_schedule *names = schedule_new(0, 0, liquid_fabric_host_count(fabric));
	int status;

	if (number && names && schedule_copy_names(names, fabric))
		status = find_hosts(schedule, fabric, number, err);
	else
		status = liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the schedule's hosts");
	if (!status) {
		renumber(schedule, number);
		swap_names(schedule, names);
	}
	liquid_schedule_free(names);
	free(number);
	return status;
}

int liquid_schedule_traffic(const struct liquid_schedule *schedule,
			    struct liquid_traffic **traffic, struct liquid_error *err)
{
	uint32_t total = schedule->first[schedule->info.length];
	int status = liquid_traffic_new(traffic, err);

	for (uint32_t i = 0; !status && i < total; i++)
		status = liquid_traffic_add(*traffic, schedule->transfers[i].src,
					    schedule->transfers[i].dst, 1, err);
	if (status) {
		liquid_traffic_free(*traffic);
		*traffic = NULL;
	}
	return status;
}

/* First of the transfers that @src sends in @frame, and their number *@count. */
static const struct liquid_transfer *sent_in(const struct liquid_schedule *schedule,
					     uint32_t frame, uint32_t src, uint32_t *count)
{
	uint32_t begin = schedule->first[frame], end = schedule->first[frame + 1];

	while (begin < end && schedule->transfers[begin].src != src)
		begin++;
	*count = 0;
	while (begin + *count < end && schedule->transfers[begin + *count].src == src)
		++*count;
	return schedule->transfers + begin;
}

uint32_t liquid_schedule_at_once(const struct liquid_schedule *schedule, uint32_t src)
{
	uint32_t most = 0, count;

	for (uint32_t frame = 0; frame < schedule->info.length; frame++) {
		sent_in(schedule, frame, src, &count);
		most = count > most ? count : most;
	}
	return most;
}

int liquid_schedule_slice(const struct liquid_schedule *schedule, uint32_t src, uint32_t parts,
			  uint32_t *dst, struct liquid_error *err)
{
	const char *name = liquid_schedule_host_name(schedule, src);

	if (!name)
		return liquid_fail(err, LIQUID_BAD_INPUT, "the schedule has no host %u", src);
	for (uint32_t frame = 0; frame < schedule->info.length; frame++) {
		const struct liquid_transfer *sent;
		uint32_t count;

		sent = sent_in(schedule, frame, src, &count);
		if (count > parts)
			return liquid_fail(err, LIQUID_BAD_INPUT,
					   "frame %u: '%s' sends to '%s' and '%s' at once, %u "
					   "transfers where %u fit", frame, name,
					   schedule->names[sent[0].dst],
					   schedule->names[sent[1].dst], count, parts);
		for (uint32_t part = 0; part < parts; part++)
			*dst++ = count ? sent[(uint64_t)part * count / parts].dst : LIQUID_NONE;
	}
	return LIQUID_OK;
}

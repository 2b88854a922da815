// SPDX-License-Identifier: LGPL-2.1-or-later
/* Schedules: their frames, the traffic that they carry, and the slice of a node. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/marks.h"
#include "schedule/orbits.h"

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
	pthread_mutex_init(&schedule->lock, NULL);
	if (!schedule->first || !schedule->transfers || !schedule->names) {
		liquid_schedule_free(schedule);
		return NULL;
	}
	schedule->host_count = hosts;
	schedule->info.version = 1;
	schedule->info.parts = 1;
	schedule->info.length = frames;
	schedule->info.fabric_digest = schedule->fabric_digest;
	schedule->info.traffic_digest = schedule->traffic_digest;
	return schedule;
}

void schedule_take(struct liquid_schedule *schedule, struct orbits *orbits)
{
	free(schedule->names);
	free(schedule->first);
	free(schedule->transfers);
	schedule->names = NULL;
	schedule->first = NULL;
	schedule->transfers = NULL;
	schedule->orbits = orbits;
}

struct liquid_schedule *schedule_of_orbits(struct orbits *orbits)
{
	struct liquid_schedule *schedule = schedule_new(0, 0, 0);

	if (!schedule) {
		orbits_free(orbits);
		return NULL;
	}
	schedule->info.version = 2;
	schedule_take(schedule, orbits);
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
	free(schedule->mark);
	json_decref(schedule->extras);
	orbits_free(schedule->orbits);
	pthread_mutex_destroy(&schedule->lock);
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

const struct liquid_shape *liquid_schedule_shape(const struct liquid_schedule *schedule)
{
	return schedule->orbits ? &schedule->orbits->shape : NULL;
}

/* ---- hosts ---- */

uint32_t liquid_schedule_host_count(const struct liquid_schedule *schedule)
{
	return schedule->names ? schedule->host_count : schedule->orbits->shape.places;
}

const char *liquid_schedule_host_name(const struct liquid_schedule *schedule, uint32_t host)
{
	if (host >= liquid_schedule_host_count(schedule))
		return NULL;
	return schedule->names ? schedule->names[host] : schedule->orbits->names[host];
}

uint32_t liquid_schedule_find_host(const struct liquid_schedule *schedule, const char *name)
{
	if (schedule->orbits) {
		uint32_t place = orbits_find(schedule->orbits, name);

		return place == LIQUID_NONE || schedule->orbits->out[place] ? LIQUID_NONE :
		       orbits_host(schedule->orbits, place);
	}
	for (uint32_t host = 0; host < schedule->host_count; host++)
		if (!strcmp(schedule->names[host], name))
			return host;
	return LIQUID_NONE;
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
	marks_renumber(schedule, number);
}

/* The list, if there is one, has the old numbers. */
static int rebind(struct liquid_schedule *schedule, const struct liquid_fabric *fabric,
		  struct liquid_error *err)
{
	free(schedule->first);
	free(schedule->transfers);
	schedule->first = NULL;
	schedule->transfers = NULL;
	return orbits_bind(schedule->orbits, fabric, err);
}

int liquid_schedule_renumber(struct liquid_schedule *schedule, const struct liquid_fabric *fabric,
			     struct liquid_error *err)
{
	uint32_t *number = calloc((size_t)schedule->host_count + 1, sizeof(*number));
	struct liquid_schedule *names = schedule_new(0, 0, liquid_fabric_host_count(fabric));
	int status;

	if (!number || !names || !schedule_copy_names(names, fabric))
		status = liquid_no_memory(err);
	else if (schedule->orbits)
		status = rebind(schedule, fabric, err);
	else
		status = find_hosts(schedule, fabric, number, err);
	if (!status) {
		if (!schedule->orbits)
			renumber(schedule, number);
		swap_names(schedule, names);
	}
	liquid_schedule_free(names);
	free(number);
	return status;
}

/* ---- transfers ---- */

/* By host, its number in @fabric, or LIQUID_NONE; to be freed */
static uint32_t *numbers_in(const struct liquid_schedule *schedule,
			    const struct liquid_fabric *fabric)
{
	uint32_t *number = calloc((size_t)schedule->host_count + 1, sizeof(*number));

	for (uint32_t h = 0; number && h < schedule->host_count; h++)
		number[h] = fabric ? liquid_fabric_find_host(fabric, schedule->names[h]) : h;
	return number;
}

int liquid_schedule_traffic(const struct liquid_schedule *schedule,
			    const struct liquid_fabric *fabric, struct liquid_traffic **traffic,
			    struct liquid_error *err)
{
	uint32_t *number;
	int status;

	*traffic = NULL;
	if (schedule->orbits)
		return orbits_traffic(schedule->orbits, fabric, traffic, err);
	number = numbers_in(schedule, fabric);
	status = number ? liquid_traffic_new(traffic, err) : liquid_no_memory(err);
	for (uint32_t i = 0; !status && i < schedule->first[schedule->info.length]; i++) {
		uint32_t src = number[schedule->transfers[i].src];
		uint32_t dst = number[schedule->transfers[i].dst];

		if (src != LIQUID_NONE && dst != LIQUID_NONE)
			status = liquid_traffic_add(*traffic, src, dst, 1, err);
	}
	free(number);
	if (status) {
		liquid_traffic_free(*traffic);
		*traffic = NULL;
	}
	return status;
}

/*
 * Transfers that @host begins in @frame, which it sends or asks for; up to @room of their other
 * ends into @peer. Without marks all that it sends follow each other.
 */
static uint32_t begun_in(const struct liquid_schedule *schedule, uint32_t frame, uint32_t host,
			 uint32_t *peer, uint32_t room)
{
	struct marks_walk walk = marks_walk(schedule, frame);
	uint32_t count = 0;

	for (uint32_t i = schedule->first[frame]; i < schedule->first[frame + 1]; i++) {
		const struct liquid_transfer *transfer = &schedule->transfers[i];
		const struct liquid_mark *mark = walk.left ? marks_next(&walk, transfer) : NULL;
		bool asked = mark && mark->reverse;

		if ((asked ? transfer->dst : transfer->src) != host) {
			if (count && !schedule->marks)
				break;
			continue;
		}
		if (count < room)
			peer[count] = asked ? transfer->src : transfer->dst;
		count++;
	}
	return count;
}

uint32_t liquid_schedule_at_once(const struct liquid_schedule *schedule, uint32_t src)
{
	uint32_t most = 0;

	if (schedule->orbits)
		return src < liquid_schedule_host_count(schedule) &&
		       orbits_place(schedule->orbits, src) != LIQUID_NONE;
	for (uint32_t frame = 0; frame < schedule->info.length; frame++) {
		uint32_t count = begun_in(schedule, frame, src, NULL, 0);

		most = count > most ? count : most;
	}
	return most;
}

/* What the host of an all-to-all sends: one transfer in a frame */
static int slice_orbits(const struct liquid_schedule *schedule, uint32_t src, uint32_t parts,
			uint32_t *dst, struct liquid_error *err)
{
	const struct orbits *orbits = schedule->orbits;
	uint32_t length = schedule->info.length, place = orbits_place(orbits, src);
	int status;

	if (place == LIQUID_NONE)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%.200s is left out of the schedule",
				   liquid_schedule_host_name(schedule, src));
	if (!parts)
		return liquid_fail(err, LIQUID_BAD_INPUT, "a frame of no parts");
	status = orbits_slice(orbits, length, place, dst, err);
	for (uint32_t frame = status ? 0 : length; frame--;) {
		uint32_t to = dst[frame] == LIQUID_NONE ? LIQUID_NONE :
			      orbits_host(orbits, dst[frame]);

		for (uint32_t part = 0; part < parts; part++)
			dst[(size_t)frame * parts + part] = to;
	}
	return status;
}

static int refuse_several(const struct liquid_schedule *schedule, uint32_t frame, uint32_t src,
			  uint32_t count, uint32_t parts, struct liquid_error *err)
{
	uint32_t peer[2] = { 0 };

	begun_in(schedule, frame, src, peer, 2);
	return liquid_fail(err, LIQUID_BAD_INPUT, "frame %u: '%s' %s '%s' and '%s' at once, %u "
			   "transfers where %u fit", frame, schedule->names[src],
			   schedule->marks ? "begins transfers with" : "sends to",
			   schedule->names[peer[0]], schedule->names[peer[1]], count, parts);
}

int liquid_schedule_slice(const struct liquid_schedule *schedule, uint32_t src, uint32_t parts,
			  uint32_t *dst, struct liquid_error *err)
{
	int status;

	if (!liquid_schedule_host_name(schedule, src))
		return liquid_fail(err, LIQUID_BAD_INPUT, "the schedule has no host %u", src);
	if (schedule->orbits)
		return slice_orbits(schedule, src, parts, dst, err);
	status = marks_refuse(schedule, MARK_WAY, "a gate", err);
	if (status)
		return status;
	for (uint32_t frame = 0; frame < schedule->info.length; frame++, dst += parts) {
		uint32_t count = begun_in(schedule, frame, src, dst, parts);

		if (count > parts)
			return refuse_several(schedule, frame, src, count, parts, err);
		/* the last part first: it is of the last transfer, or one before */
		for (uint32_t part = parts; part--;)
			dst[part] = count ? dst[(uint64_t)part * count / parts] : LIQUID_NONE;
	}
	return LIQUID_OK;
}

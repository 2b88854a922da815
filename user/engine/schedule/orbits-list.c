// SPDX-License-Identifier: LGPL-2.1-or-later
/* Frames of orbits as a list of transfers, all or those of some senders; the longest path. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/large.h"
#include "fabric/fabric.h"
#include "schedule/orbits.h"
#include "traffic/traffic.h"

/* ---- all ---- */

/* Places in the order of their hosts; to be freed */
static uint32_t *order_places(const struct orbits *orbits, uint32_t hosts)
{
	uint32_t *order = calloc((size_t)orbits->shape.places + 1, sizeof(*order)), count = 0;

	for (uint32_t h = 0; order && h < hosts; h++) {
		uint32_t place = orbits_place(orbits, h);

		if (place != LIQUID_NONE)
			order[count++] = place;
	}
	if (order)
		order[count] = LIQUID_NONE;
	return order;
}

static int count_frames(struct orbit_rows *rows, const uint32_t *order, uint32_t *row,
			uint32_t *first, uint32_t length, struct liquid_error *err)
{
	uint32_t places = rows->orbits->shape.places;

	for (; *order != LIQUID_NONE; order++) {
		orbit_rows_of(rows, *order, row);
		for (uint32_t d = 0; d < places; d++)
			if (row[d] < length)
				first[row[d] + 1]++;
			else if (row[d] != LIQUID_NONE)
				return liquid_fail(err, LIQUID_INVALID, "a transfer in frame %u "
						   "of %u", row[d], length);
	}
	for (uint32_t f = 0; f < length; f++)
		first[f + 1] += first[f];
	return LIQUID_OK;
}

/* A host sends once in a frame, so that senders one after another leave each frame sorted. */
static void put_frames(struct orbit_rows *rows, const uint32_t *order, uint32_t *row,
		       uint32_t *next, struct liquid_transfer *transfers)
{
	const struct orbits *orbits = rows->orbits;

	for (; *order != LIQUID_NONE; order++) {
		uint32_t src = orbits_host(orbits, *order);

		orbit_rows_of(rows, *order, row);
		for (uint32_t d = 0; d < orbits->shape.places; d++)
			if (row[d] != LIQUID_NONE)
				transfers[next[row[d]]++] = (struct liquid_transfer){
					src, orbits_host(orbits, d) };
	}
}

/* Sort all transfers by frame: counted first, then put in place. */
static int fill_frames(struct liquid_schedule *schedule, struct liquid_error *err)
{
	const struct orbits *orbits = schedule->orbits;
	uint32_t length = schedule->info.length;
	uint32_t *next = calloc((size_t)length + 1, sizeof(*next));
	uint32_t *row = calloc((size_t)orbits->shape.places + 1, sizeof(*row));
	uint32_t *order = order_places(orbits, liquid_schedule_host_count(schedule));
	struct orbit_rows rows;
	int status = orbit_rows_open(&rows, orbits, err);

	if (!next || !row || !order)
		status = liquid_no_memory(err);
	if (!status)
		status = count_frames(&rows, order, row, schedule->first, length, err);
	if (!status) {
		memcpy(next, schedule->first, (size_t)length * sizeof(*next));
		put_frames(&rows, order, row, next, schedule->transfers);
	}
	/* what is not valid may have a host twice in a frame */
	for (uint32_t f = 0; !status && f < length; f++)
		schedule_sort_frame(schedule, f);
	orbit_rows_close(&rows);
	free(next);
	free(row);
	free(order);
	return status;
}

static int list_all(struct liquid_schedule *schedule, struct liquid_error *err)
{
	uint64_t transfers = orbits_transfers(schedule->orbits);
	int status;

	if (transfers > LIQUID_TRANSFERS_MAX)
		return liquid_fail(err, LIQUID_LIMIT,
				   "%llu transfers are too many to list: take slices",
				   (unsigned long long)transfers);
	schedule->first = calloc((size_t)schedule->info.length + 1, sizeof(*schedule->first));
	schedule->transfers = large_alloc((transfers + 1) * sizeof(*schedule->transfers));
	status = schedule->first && schedule->transfers ? fill_frames(schedule, err) :
		 liquid_no_memory(err);
	if (status) {
		free(schedule->first);
		free(schedule->transfers);
		schedule->first = NULL;
		schedule->transfers = NULL;
	}
	return status;
}

/* The list is what a schedule says anyway, so that it may be made of one that is constant. */
int liquid_schedule_list(const struct liquid_schedule *schedule, struct liquid_transfers *list,
			 struct liquid_error *err)
{
	struct liquid_schedule *own = (struct liquid_schedule *)schedule;
	int status = LIQUID_OK;

	if (schedule->orbits) {
		pthread_mutex_lock(&own->lock);
		if (!own->first)
			status = list_all(own, err);
		pthread_mutex_unlock(&own->lock);
	}
	if (list)
		*list = (struct liquid_transfers){ schedule->transfers, schedule->first };
	return status;
}

int schedule_as_list(struct liquid_schedule *schedule, const struct liquid_fabric *fabric,
		     struct liquid_error *err)
{
	struct liquid_traffic *traffic = NULL;
	int status = liquid_schedule_list(schedule, NULL, err);

	if (!status)
		status = liquid_schedule_traffic(schedule, NULL, &traffic, err);
	if (!status)
		status = liquid_traffic_digest(fabric, traffic, schedule->traffic_digest, err);
	liquid_traffic_free(traffic);
	if (status)
		return status;
	schedule->info.version = (uint32_t)fabric_file_version(fabric);
	orbits_free(schedule->orbits);
	schedule->orbits = NULL;
	return LIQUID_OK;
}

/* ---- some senders ---- */

static bool copy_names(struct liquid_schedule *list, const struct liquid_schedule *from)
{
	for (uint32_t host = 0; host < list->host_count; host++) {
		list->names[host] = strdup(liquid_schedule_host_name(from, host));
		if (!list->names[host])
			return false;
	}
	return true;
}

static bool copy_wavelengths(struct liquid_schedule *list, const struct liquid_schedule *from)
{
	size_t size = ((size_t)from->info.length + 1) * sizeof(*list->wdm);

	if (!from->wdm)
		return true;
	list->wdm = malloc(size);
	if (list->wdm)
		memcpy(list->wdm, from->wdm, size);
	return list->wdm;
}

/* Everything but the frames */
static int copy_figures(struct liquid_schedule *list, const struct liquid_schedule *from,
			struct liquid_error *err)
{
	struct liquid_schedule_info info = from->info;

	info.fabric_name = info.method = info.witness_json = NULL;
	info.fabric_digest = list->fabric_digest;
	info.traffic_digest = list->traffic_digest;
	list->info = info;
	memcpy(list->fabric_digest, from->fabric_digest, LIQUID_DIGEST_HEX);
	memcpy(list->traffic_digest, from->traffic_digest, LIQUID_DIGEST_HEX);
	if (!copy_names(list, from) || !copy_wavelengths(list, from) ||
	    !schedule_set_text(&list->fabric_name, &list->info.fabric_name, from->fabric_name) ||
	    !schedule_set_text(&list->method, &list->info.method, from->method))
		return liquid_no_memory(err);
	return LIQUID_OK;
}

/* One more transfer of frame @f: counted, or put in place */
static void sample_add(struct liquid_schedule *sample, uint32_t *next, uint32_t f, uint32_t src,
		       uint32_t dst)
{
	if (next)
		sample->transfers[next[f]++] = (struct liquid_transfer){ src, dst };
	else
		sample->first[f + 1]++;
}

/* What hosts send among the frames of @sample, whoever asks for it: counted, or put in place */
static int sample_pass(const struct liquid_schedule *schedule, const bool *sampled, uint32_t *dst,
		       struct liquid_schedule *sample, uint32_t *next, struct liquid_error *err)
{
	uint32_t hosts = schedule->orbits ? liquid_schedule_host_count(schedule) : 0;
	uint32_t listed = schedule->orbits ? 0 : schedule->info.length;
	int status = LIQUID_OK;

	for (uint32_t f = 0; f < listed; f++)
		for (uint32_t i = schedule->first[f]; i < schedule->first[f + 1]; i++)
			if (sampled[schedule->transfers[i].src])
				sample_add(sample, next, f, schedule->transfers[i].src,
					   schedule->transfers[i].dst);
	for (uint32_t h = 0; !status && h < hosts; h++) {
		if (sampled[h])
			status = liquid_schedule_slice(schedule, h, 1, dst, err);
		for (uint32_t f = 0; sampled[h] && !status && f < schedule->info.length; f++)
			if (dst[f] != LIQUID_NONE)
				sample_add(sample, next, f, h, dst[f]);
	}
	return status;
}

/* Each host is there, and once. */
static int take_hosts(const struct liquid_schedule *schedule, const uint32_t *hosts, size_t count,
		      bool *sampled, struct liquid_error *err)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t host = host_at(hosts, i);
		const char *name = liquid_schedule_host_name(schedule, host);

		if (!name)
			return liquid_fail(err, LIQUID_BAD_INPUT, "the schedule has no host %u",
					   host);
		if (sampled[host])
			return liquid_fail(err, LIQUID_BAD_INPUT, "host %.200s is there twice",
					   name);
		sampled[host] = true;
	}
	return LIQUID_OK;
}

static int sample_all(const struct liquid_schedule *schedule, const uint32_t *hosts, size_t count,
		      uint32_t *dst, struct liquid_schedule *sample, uint32_t *next,
		      struct liquid_error *err)
{
	bool *sampled = calloc((size_t)liquid_schedule_host_count(schedule) + 1,
			       sizeof(*sampled));
	int status = sampled ? take_hosts(schedule, hosts, count, sampled, err) :
			       liquid_no_memory(err);

	if (!status)
		status = sample_pass(schedule, sampled, dst, sample, NULL, err);
	for (uint32_t f = 0; !status && f < schedule->info.length; f++) {
		sample->first[f + 1] += sample->first[f];
		next[f] = sample->first[f];
	}
	if (!status)
		status = sample_pass(schedule, sampled, dst, sample, next, err);
	for (uint32_t f = 0; !status && f < schedule->info.length; f++)
		schedule_sort_frame(sample, f);
	free(sampled);
	return status;
}

/* At least as many transfers as there are in a sample of @count hosts */
static uint64_t measure(const struct liquid_schedule *schedule, size_t count)
{
	return schedule->orbits ? (uint64_t)count * schedule->info.length :
				  schedule->first[schedule->info.length];
}

int liquid_schedule_sample(const struct liquid_schedule *schedule, const uint32_t *hosts,
			   size_t count, struct liquid_schedule **out, struct liquid_error *err)
{
	uint32_t length = schedule->info.length, *dst, *next;
	struct liquid_schedule *sample = NULL;
	uint64_t transfers;
	int status;

	*out = NULL;
	transfers = count <= liquid_schedule_host_count(schedule) ? measure(schedule, count) :
		    UINT64_MAX;
	if (transfers > LIQUID_TRANSFERS_MAX)
		return liquid_fail(err, LIQUID_LIMIT, "%zu hosts are too many for a sample", count);
	dst = calloc((size_t)length + 1, sizeof(*dst));
	next = calloc((size_t)length + 1, sizeof(*next));
	sample = schedule_new(length, (uint32_t)transfers, liquid_schedule_host_count(schedule));
	status = dst && next && sample ? sample_all(schedule, hosts, count, dst, sample, next,
						    err) : liquid_no_memory(err);
	if (!status)
		status = copy_figures(sample, schedule, err);
	free(dst);
	free(next);
	if (status)
		liquid_schedule_free(sample);
	else
		*out = sample;
	return status;
}

/* ---- the longest path ---- */

static int walk(const struct liquid_fabric *fabric, uint32_t src, uint32_t dst, uint32_t *hops,
		struct liquid_error *err)
{
	uint32_t path[LIQUID_PATH_MAX];
	int links = liquid_fabric_route(fabric, src, dst, path, err);

	if (links < 0)
		return links;
	*hops = (uint32_t)links > *hops ? (uint32_t)links : *hops;
	return LIQUID_OK;
}

/* To @place, one sender of each block; all other paths to its class are images of these. */
static int hops_to(const struct liquid_schedule *schedule, const struct liquid_fabric *fabric,
		   uint32_t place, uint32_t *hops, struct liquid_error *err)
{
	const struct liquid_shape *shape = &schedule->orbits->shape;
	char **name = schedule->orbits->names;
	uint32_t dst = liquid_fabric_find_host(fabric, name[place]);
	int status = LIQUID_OK;

	for (uint32_t b = 0; !status && b < shape->blocks; b++) {
		uint32_t from = shape->first[b] + (shape->first[b] == place);

		if (from < shape->first[b + 1])
			status = walk(fabric, liquid_fabric_find_host(fabric, name[from]),
				      dst, hops, err);
	}
	return status;
}

int liquid_schedule_hops(const struct liquid_schedule *schedule,
			 const struct liquid_fabric *fabric, uint32_t *hops,
			 struct liquid_error *err)
{
	uint32_t classes = 0, total = schedule->orbits ? 0 : schedule->first[schedule->info.length];
	int status = LIQUID_OK;

	*hops = 0;
	for (uint32_t i = 0; !status && i < total; i++)
		status = walk(fabric, schedule->transfers[i].src,
			      schedule->transfers[i].dst, hops, err);
	for (uint32_t p = 0; !status && schedule->orbits && p < schedule->orbits->shape.places; p++)
		if (schedule->orbits->class[p] == classes) {	/* the first of its class */
			classes++;
			status = hops_to(schedule, fabric, p, hops, err);
		}
	return status;
}

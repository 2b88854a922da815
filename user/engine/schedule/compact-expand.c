// SPDX-License-Identifier: LGPL-2.1-or-later
/* A compact schedule as a list of transfers, all or those of some senders; its longest path. */
#include <stdlib.h>
#include <string.h>

#include "schedule/compact.h"
#include "traffic/traffic.h"

/* By place: its host; without a fabric places are the hosts. */
static int find_hosts(const struct liquid_compact *compact, const struct liquid_fabric *fabric,
		      uint32_t *host, struct liquid_error *err)
{
	char near[LIQUID_NEAR_TEXT];

	for (uint32_t p = 0; p < compact->shape.places; p++) {
		host[p] = fabric ? liquid_fabric_find_host(fabric, compact->names[p]) : p;
		if (host[p] == LIQUID_NONE)
			return liquid_fail(err, LIQUID_BAD_INPUT,
					   "the fabric has no host '%.200s' of the schedule%.600s",
					   compact->names[p],
					   liquid_fabric_near_host(fabric, compact->names[p],
								   near));
	}
	return LIQUID_OK;
}

/* Sort all transfers by frame: counted first, then put in place. */
static int fill_frames(const struct liquid_compact *compact, const uint32_t *host,
		       struct liquid_schedule *schedule, struct liquid_error *err)
{
	uint32_t places = compact->shape.places, length = compact->head->info.length, frame;
	uint32_t *next = calloc((size_t)length + 1, sizeof(*next));

	if (!next)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the schedule");
	for (uint32_t s = 0; s < places; s++)
		for (uint32_t d = 0; d < places; d++) {
			frame = liquid_compact_frame(compact, s, d);
			if (frame < length)
				schedule->first[frame + 1]++;
			else if (frame != LIQUID_NONE) {
				free(next);
				return liquid_fail(err, LIQUID_INVALID, "a transfer in frame %u "
						   "of %u", frame, length);
			}
		}
	for (uint32_t f = 0; f < length; f++) {
		schedule->first[f + 1] += schedule->first[f];
		next[f] = schedule->first[f];
	}
	for (uint32_t s = 0; s < places; s++)
		for (uint32_t d = 0; d < places; d++) {
			frame = liquid_compact_frame(compact, s, d);
			if (frame != LIQUID_NONE)
				schedule->transfers[next[frame]++] =
					(struct liquid_transfer){ host[s], host[d] };
		}
	free(next);
	for (uint32_t f = 0; f < length; f++) {
		if (schedule->first[f] == schedule->first[f + 1])
			return liquid_fail(err, LIQUID_LIMIT, "nobody sends in frame %u: there is "
					   "no list of all transfers with such frames", f);
		schedule_sort_frame(schedule, f);
	}
	return LIQUID_OK;
}

static int fill_digests(struct liquid_schedule *schedule, const struct liquid_fabric *fabric,
			struct liquid_error *err)
{
	struct liquid_traffic *traffic = NULL;
	int status = liquid_schedule_traffic(schedule, &traffic, err);

	if (!status)
		status = liquid_fabric_digest(fabric, schedule->fabric_digest, err);
	if (!status)
		status = liquid_traffic_digest(fabric, traffic, schedule->traffic_digest, err);
	liquid_traffic_free(traffic);
	return status;
}

static bool copy_names(struct liquid_schedule *schedule, const struct liquid_compact *compact,
		       const struct liquid_fabric *fabric)
{
	if (fabric)
		return schedule_copy_names(schedule, fabric);
	for (uint32_t p = 0; p < compact->shape.places; p++) {
		schedule->names[p] = strdup(compact->names[p]);
		if (!schedule->names[p])
			return false;
	}
	return true;
}

static int fill_figures(struct liquid_schedule *schedule, const struct liquid_compact *compact,
			const struct liquid_fabric *fabric, struct liquid_error *err)
{
	struct liquid_schedule_info *info = &schedule->info;
	const struct liquid_schedule_info *from = &compact->head->info;

	info->link_rate_bps = from->link_rate_bps;
	info->unit_bytes = from->unit_bytes;
	info->version = fabric ? (uint32_t)liquid_fabric_file_version(fabric) : from->version;
	info->seed = from->seed;
	info->work = from->work;
	info->transfers = from->transfers;
	info->duration = from->duration;
	info->fluid_bound = from->fluid_bound;
	info->lower_bound = from->lower_bound;
	info->certificate = from->certificate;
	if (!copy_names(schedule, compact, fabric) ||
	    !schedule_set_text(&schedule->fabric_name, &info->fabric_name,
			       fabric ? liquid_fabric_name(fabric) : from->fabric_name) ||
	    !schedule_set_text(&schedule->method, &info->method, compact->head->method))
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the schedule");
	if (fabric)
		return fill_digests(schedule, fabric, err);
	memcpy(schedule->fabric_digest, compact->head->fabric_digest, LIQUID_DIGEST_HEX);
	memcpy(schedule->traffic_digest, compact->head->traffic_digest, LIQUID_DIGEST_HEX);
	return LIQUID_OK;
}

int liquid_compact_expand(const struct liquid_compact *compact, const struct liquid_fabric *fabric,
			  struct liquid_schedule **out, struct liquid_error *err)
{
	uint64_t transfers = compact_transfers(compact);
	struct liquid_schedule *schedule;
	uint32_t *host;
	int status;

	*out = NULL;
	if (transfers > LIQUID_TRANSFERS_MAX)
		return liquid_fail(err, LIQUID_LIMIT,
				   "%llu transfers are too many to list: take slices",
				   (unsigned long long)transfers);
	schedule = schedule_new(compact->head->info.length, (uint32_t)transfers,
				fabric ? liquid_fabric_host_count(fabric) : compact->shape.places);
	host = calloc((size_t)compact->shape.places + 1, sizeof(*host));
	status = schedule && host ? find_hosts(compact, fabric, host, err) :
		 liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the schedule");
	if (!status)
		status = fill_frames(compact, host, schedule, err);
	if (!status)
		status = fill_figures(schedule, compact, fabric, err);
	free(host);
	if (status)
		liquid_schedule_free(schedule);
	else
		*out = schedule;
	return status;
}

/* ---- some senders ---- */

/* What the host of place @src sends, among the frames of @schedule: counted, or put in place */
static int sample_one(const struct liquid_compact *compact, uint32_t src, uint32_t *dst,
		      struct liquid_schedule *schedule, uint32_t *next, struct liquid_error *err)
{
	int status = liquid_compact_slice(compact, src, dst, err);

	for (uint32_t f = 0; !status && f < compact->head->info.length; f++) {
		if (dst[f] == LIQUID_NONE)
			continue;
		if (next)
			schedule->transfers[next[f]++] = (struct liquid_transfer){ src, dst[f] };
		else
			schedule->first[f + 1]++;
	}
	return status;
}

static int sample_all(const struct liquid_compact *compact, const uint32_t *places, size_t count,
		      struct liquid_schedule *schedule, struct liquid_error *err)
{
	uint32_t length = compact->head->info.length;
	uint32_t *dst = calloc((size_t)length + 1, sizeof(*dst));
	uint32_t *next = calloc((size_t)length + 1, sizeof(*next));
	bool *sampled = calloc((size_t)compact->shape.places + 1, sizeof(*sampled));
	int status = dst && next && sampled ? LIQUID_OK :
		     liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the schedule");

	for (size_t i = 0; !status && i < count; i++) {
		status = sample_one(compact, places[i], dst, schedule, NULL, err);
		if (!status && sampled[places[i]])
			status = liquid_fail(err, LIQUID_BAD_INPUT, "host %.200s is there twice",
					     compact->names[places[i]]);
		if (!status)
			sampled[places[i]] = true;
	}
	for (uint32_t f = 0; !status && f < length; f++) {
		schedule->first[f + 1] += schedule->first[f];
		next[f] = schedule->first[f];
	}
	for (size_t i = 0; !status && i < count; i++)
		status = sample_one(compact, places[i], dst, schedule, next, err);
	for (uint32_t f = 0; !status && f < length; f++)
		schedule_sort_frame(schedule, f);
	free(dst);
	free(next);
	free(sampled);
	return status;
}

int liquid_compact_sample(const struct liquid_compact *compact, const uint32_t *places,
			  size_t count, struct liquid_schedule **out, struct liquid_error *err)
{
	uint64_t transfers = (uint64_t)count * compact->shape.places;
	struct liquid_schedule *schedule;
	int status;

	*out = NULL;
	if (count > compact->shape.places || transfers > LIQUID_TRANSFERS_MAX)
		return liquid_fail(err, LIQUID_LIMIT, "%zu hosts are too many for a sample", count);
	schedule = schedule_new(compact->head->info.length, (uint32_t)transfers,
				compact->shape.places);
	status = schedule ? sample_all(compact, places, count, schedule, err) :
		 liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the schedule");
	if (!status)
		status = fill_figures(schedule, compact, NULL, err);
	if (status)
		liquid_schedule_free(schedule);
	else
		*out = schedule;
	return status;
}

/* ---- the longest path ---- */

/* To @place, one sender of each block; all other paths to its class are images of these. */
static int hops_to(const struct liquid_compact *compact, const struct liquid_fabric *fabric,
		   const uint32_t *host, uint32_t place, uint32_t *hops, struct liquid_error *err)
{
	const struct liquid_shape *shape = &compact->shape;
	uint32_t path[LIQUID_PATH_MAX];

	for (uint32_t b = 0; b < shape->blocks; b++) {
		uint32_t from = shape->first[b] + (shape->first[b] == place);
		int links;

		if (from == shape->first[b + 1])
			continue;
		links = liquid_fabric_route(fabric, host[from], host[place], path, err);
		if (links < 0)
			return links;
		*hops = (uint32_t)links > *hops ? (uint32_t)links : *hops;
	}
	return LIQUID_OK;
}

int liquid_compact_hops(const struct liquid_compact *compact, const struct liquid_fabric *fabric,
			uint32_t *hops, struct liquid_error *err)
{
	uint32_t places = compact->shape.places, classes = 0;
	uint32_t *host = calloc((size_t)places + 1, sizeof(*host));
	int status = host ? find_hosts(compact, fabric, host, err) :
		     liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the schedule");

	*hops = 0;
	for (uint32_t p = 0; !status && p < places; p++)
		if (compact->class[p] == classes) {	/* the first of its class */
			classes++;
			status = hops_to(compact, fabric, host, p, hops, err);
		}
	free(host);
	return status;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* The list of all transfers of a compact schedule. */
#include <stdlib.h>

#include "schedule/compact.h"
#include "traffic/traffic.h"

/* By place: its host */
static int find_hosts(const struct liquid_compact *compact, const struct liquid_fabric *fabric,
		      uint32_t *host, struct liquid_error *err)
{
	for (uint32_t p = 0; p < compact->shape.places; p++) {
		host[p] = liquid_fabric_find_host(fabric, compact->names[p]);
		if (host[p] == LIQUID_NONE)
			return liquid_fail(err, LIQUID_BAD_INPUT,
					   "the fabric has no host '%.200s' of the schedule",
					   compact->names[p]);
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

static int fill_figures(struct liquid_schedule *schedule, const struct liquid_compact *compact,
			const struct liquid_fabric *fabric, struct liquid_error *err)
{
	struct liquid_schedule_info *info = &schedule->info;
	const struct liquid_schedule_info *from = &compact->head->info;
	struct liquid_traffic *traffic = NULL;
	int status;

	info->link_rate_bps = from->link_rate_bps;
	info->unit_bytes = from->unit_bytes;
	info->version = (uint32_t)liquid_fabric_file_version(fabric);
	info->seed = from->seed;
	info->work = from->work;
	info->transfers = from->transfers;
	info->duration = from->duration;
	info->fluid_bound = from->fluid_bound;
	info->lower_bound = from->lower_bound;
	info->certificate = from->certificate;
	if (!schedule_copy_names(schedule, fabric) ||
	    !schedule_set_text(&schedule->fabric_name, &info->fabric_name,
			       liquid_fabric_name(fabric)) ||
	    !schedule_set_text(&schedule->method, &info->method, compact->head->method))
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the schedule");
	status = liquid_schedule_traffic(schedule, &traffic, err);
	if (!status)
		status = liquid_fabric_digest(fabric, schedule->fabric_digest, err);
	if (!status)
		status = liquid_traffic_digest(fabric, traffic, schedule->traffic_digest, err);
	liquid_traffic_free(traffic);
	return status;
}

int liquid_compact_expand(const struct liquid_compact *compact, const struct liquid_fabric *fabric,
			  struct liquid_schedule **out, struct liquid_error *err)
{
	uint64_t transfers = (uint64_t)compact->shape.places * (compact->shape.places - 1);
	struct liquid_schedule *schedule;
	uint32_t *host;
	int status;

	*out = NULL;
	if (transfers > LIQUID_TRANSFERS_MAX)
		return liquid_fail(err, LIQUID_LIMIT,
				   "%llu transfers are too many to list: take slices",
				   (unsigned long long)transfers);
	schedule = schedule_new(compact->head->info.length, (uint32_t)transfers,
				liquid_fabric_host_count(fabric));
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

// SPDX-License-Identifier: LGPL-2.1-or-later
/* Compact schedules: slices, single frames, and the schedule of all transfers. */
#include <stdlib.h>

#include "compact/compact.h"
#include "schedule/schedule.h"

void liquid_compact_free(struct liquid_compact *compact)
{
	if (!compact)
		return;
	free(compact->sender);
	free(compact->slot);
	free(compact->dst);
	free(compact);
}

const struct liquid_compact_info *liquid_compact_info(const struct liquid_compact *compact)
{
	return &compact->info;
}

const uint32_t *liquid_compact_block(const struct liquid_compact *compact, uint32_t block)
{
	return compact->sender + (size_t)block * compact->info.turns;
}

const uint32_t *liquid_compact_pattern(const struct liquid_compact *compact, uint32_t pattern,
				       uint32_t block)
{
	const struct liquid_compact_info *info = &compact->info;

	return compact->dst + ((size_t)pattern * info->blocks + block) * info->turns;
}

/* Where the host of @slot sends in @frame; LIQUID_NONE: nowhere, or it is its own turn. */
static uint32_t sends_to(const struct liquid_compact *compact, uint32_t slot, uint32_t frame)
{
	uint32_t turns = compact->info.turns, block = slot / turns;
	uint32_t at = (slot % turns + frame % turns) % turns;
	uint32_t dst = liquid_compact_pattern(compact, frame / turns, block)[at];

	return dst == compact->sender[slot] ? LIQUID_NONE : dst;
}

int liquid_compact_slice(const struct liquid_compact *compact, uint32_t src, uint32_t *dst,
			 struct liquid_error *err)
{
	uint32_t slot = src < compact->hosts ? compact->slot[src] : LIQUID_NONE;

	if (slot == LIQUID_NONE)
		return liquid_fail(err, LIQUID_BAD_INPUT, "host %u is not in the schedule", src);
	for (uint32_t f = 0; f < compact->info.length; f++)
		dst[f] = sends_to(compact, slot, f);
	return LIQUID_OK;
}

static void fill_frames(const struct liquid_compact *compact, struct liquid_schedule *schedule)
{
	const struct liquid_compact_info *info = &compact->info;
	uint32_t slots = info->blocks * info->turns, at = 0, frame = 0;

	for (uint32_t f = 0; f < info->length; f++) {
		for (uint32_t s = 0; s < slots; s++) {
			uint32_t src = compact->sender[s], dst;

			if (src == LIQUID_NONE)
				continue;
			dst = sends_to(compact, s, f);
			if (dst != LIQUID_NONE)
				schedule->transfers[at++] = (struct liquid_transfer){ src, dst };
		}
		if (at == schedule->first[frame])
			continue;	/* only own turns: the list of transfers has no such frame */
		schedule->first[frame + 1] = at;
		schedule_sort_frame(schedule, frame++);
	}
	schedule->info.length = frame;
}

static int fill_figures(struct liquid_schedule *schedule, const struct liquid_compact *compact,
			const struct liquid_fabric *fabric, struct liquid_error *err)
{
	struct liquid_schedule_info *info = &schedule->info;
	struct liquid_traffic *traffic = NULL;
	int status;

	info->link_rate_bps = liquid_fabric_unit_rate(fabric);
	info->version = (uint32_t)liquid_fabric_file_version(fabric);
	info->transfers = compact->info.transfers;
	info->duration = compact->info.duration;
	info->fluid_bound = compact->info.fluid_bound;
	info->lower_bound = info->duration;
	info->certificate = info->length == info->duration ? LIQUID_CERT_LIQUID : LIQUID_CERT_GAP;
	if (!schedule_copy_names(schedule, fabric) ||
	    !schedule_set_text(&schedule->fabric_name, &info->fabric_name,
			       liquid_fabric_name(fabric)) ||
	    !schedule_set_text(&schedule->method, &info->method, "compact"))
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
	const struct liquid_compact_info *info = &compact->info;
	struct liquid_schedule *schedule;
	int status;

	*out = NULL;
	if (liquid_fabric_host_count(fabric) != compact->hosts)
		return liquid_fail(err, LIQUID_BAD_INPUT, "the schedule is for another fabric");
	if (info->transfers > UINT32_C(1) << 28)
		return liquid_fail(err, LIQUID_LIMIT,
				   "%llu transfers are too many to list: take slices",
				   (unsigned long long)info->transfers);
	schedule = schedule_new(info->length, (uint32_t)info->transfers, compact->hosts);
	if (!schedule)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the schedule");
	fill_frames(compact, schedule);
	status = fill_figures(schedule, compact, fabric, err);
	if (status)
		liquid_schedule_free(schedule);
	else
		*out = schedule;
	return status;
}

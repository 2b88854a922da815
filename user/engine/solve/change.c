// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Solving from an earlier schedule, after the fabric or the traffic has changed
 *
 * Hosts are matched by name. Each transfer that is still needed stays in its frame.
 * Where links are overfull now, the transfers that overfill the most links are removed.
 * These and the new transfers are placed by ejection, which moves only what is in their
 * way. So the work depends on the change, not on the traffic. If the result is too long,
 * the traffic is solved anew.
 */
#include <stdlib.h>
#include <string.h>

#include "problem/frame-fill.h"
#include "schedule/marks.h"
#include "solve/change.h"
#include "solve/ejection/ejection.h"

#define ABOVE_PERCENT 5

struct change {
	struct solving *solving;
	const struct liquid_fabric *fabric;
	const struct liquid_schedule *from;
	uint32_t *frame;		/* by transfer; LIQUID_NONE: none yet */
	uint32_t frames;		/* upper bound of the entries of frame[] */
};

/* @a frames are more than ABOVE_PERCENT above @b. */
static bool far_above(uint32_t a, uint32_t b)
{
	return (uint64_t)a * 100 > (uint64_t)b * (100 + ABOVE_PERCENT);
}

/* ---- the frames of the earlier schedule ---- */

static bool is_pair(const struct routes *routes, uint32_t pair, uint32_t src, uint32_t dst)
{
	return pair < routes->pair_count && routes->pairs[pair].src == src &&
		routes->pairs[pair].dst == dst;
}

/* The pairs of @src are first[src] ... first[src + 1] - 1. In an all-to-all the guess is right. */
static uint32_t find_pair(const struct routes *routes, const uint32_t *first, uint32_t src,
			  uint32_t dst)
{
	uint32_t low = first[src], high = first[src + 1], guess = low + dst;

	if (guess < high && is_pair(routes, guess, src, dst))
		return guess;
	if (guess && guess <= high && is_pair(routes, guess - 1, src, dst))
		return guess - 1;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (routes->pairs[middle].dst < dst)
			low = middle + 1;
		else
			high = middle;
	}
	return low < first[src + 1] && is_pair(routes, low, src, dst) ? low : LIQUID_NONE;
}

/* By host, host_count + 1 entries; NULL: out of memory. */
static uint32_t *index_sources(const struct change *change)
{
	const struct routes *routes = routes_whole(change->solving->routes);
	uint32_t hosts = liquid_fabric_host_count(change->fabric);
	uint32_t *first = calloc((size_t)hosts + 2, sizeof(*first));

	for (uint32_t i = 0; first && i < routes->pair_count; i++)
		first[routes->pairs[i].src + 1]++;
	for (uint32_t host = 0; first && host < hosts; host++)
		first[host + 1] += first[host];
	return first;
}

/* The next unit of a pair gets the frame of its next unit in the earlier schedule. */
static void adopt_frame(struct change *change, uint32_t frame, const uint32_t *host,
			const uint32_t *first, uint32_t *taken)
{
	const struct routes *routes = routes_whole(change->solving->routes);
	const struct liquid_transfer *transfers;
	size_t count;

	transfers = liquid_schedule_frame(change->from, frame, &count);
	for (size_t i = 0; i < count; i++) {
		uint32_t src = host[transfers[i].src], dst = host[transfers[i].dst], pair;

		if (src == LIQUID_NONE || dst == LIQUID_NONE)
			continue;
		pair = find_pair(routes, first, src, dst);
		if (pair != LIQUID_NONE && taken[pair] < routes->pairs[pair].count)
			change->frame[routes->first_transfer[pair] + taken[pair]++] = frame;
	}
}

static int adopt(struct change *change, struct liquid_error *err)
{
	const struct routes *routes = routes_whole(change->solving->routes);
	uint32_t hosts = liquid_schedule_host_count(change->from);
	uint32_t *host = calloc((size_t)hosts + 1, sizeof(*host));
	uint32_t *taken = calloc((size_t)routes->pair_count + 1, sizeof(*taken));
	uint32_t *first = index_sources(change);

	change->frames = liquid_schedule_info(change->from)->length;
	if (!host || !taken || !first) {
		free(host);
		free(taken);
		free(first);
		return liquid_no_memory(err);
	}
	for (uint32_t i = 0; i < hosts; i++)
		host[i] = liquid_fabric_find_host(change->fabric,
						  liquid_schedule_host_name(change->from, i));
	for (uint32_t frame = 0; frame < change->frames; frame++)
		adopt_frame(change, frame, host, first, taken);
	free(host);
	free(taken);
	free(first);
	return LIQUID_OK;
}

/* ---- removing what cannot stay ---- */

/* The transfers that use an overfull link, by frame: only these may have to be removed. */
struct members {
	uint32_t *first;		/* by frame */
	uint32_t *transfer;		/* those of frame f: first[f] ... first[f + 1] - 1 */
	uint32_t *pair;			/* by place in transfer[] */
};

static void members_clear(struct members *members)
{
	free(members->first);
	free(members->transfer);
	free(members->pair);
}

/* Counting sort of the transfers that are @crowded by their frames. */
static bool members_new(struct members *members, const struct change *change,
			const uint8_t *crowded)
{
	const struct routes *routes = change->solving->routes;
	uint32_t count = 0;

	members->first = calloc((size_t)change->frames + 2, sizeof(*members->first));
	if (!members->first)
		return false;
	for (uint32_t i = 0; i < routes->transfer_count; i++)
		if (crowded[i]) {
			members->first[change->frame[i] + 2]++;
			count++;
		}
	members->transfer = malloc(((size_t)count + 1) * sizeof(*members->transfer));
	members->pair = malloc(((size_t)count + 1) * sizeof(*members->pair));
	if (!members->transfer || !members->pair)
		return false;
	for (uint32_t frame = 0; frame < change->frames; frame++)
		members->first[frame + 2] += members->first[frame + 1];
	for (uint32_t pair = 0; pair < routes->pair_count; pair++)
		for (uint32_t i = routes->first_transfer[pair];
		     i < routes->first_transfer[pair + 1]; i++)
			if (crowded[i]) {
				uint32_t at = members->first[change->frame[i] + 1]++;

				members->transfer[at] = i;
				members->pair[at] = pair;
			}
	return true;
}

/* Add @way to the use of each link of @pair; returns the number that are overfull then. */
static uint32_t use_links(const struct routes *routes, uint32_t pair, uint32_t *used, int way)
{
	uint32_t count, overfull = 0;
	const uint32_t *links = routes_links(routes, pair, &count);

	for (uint32_t i = 0; i < count; i++) {
		used[links[i]] += way;
		overfull += used[links[i]] > routes->capacity[links[i]];
	}
	return overfull;
}

/* Remove transfers that use at least @least overfull links. */
static void put_out(struct change *change, const struct members *members, uint32_t frame,
		    uint32_t least, uint32_t *used)
{
	const struct routes *routes = change->solving->routes;

	for (uint32_t i = members->first[frame + 1]; i-- > members->first[frame];) {
		uint32_t *at = &change->frame[members->transfer[i]];

		if (*at != LIQUID_NONE &&
		    use_links(routes, members->pair[i], used, 0) >= least) {
			use_links(routes, members->pair[i], used, -1);
			*at = LIQUID_NONE;
		}
	}
}

/* Put back transfers that were removed for others which have since been removed, too. */
static void take_back(struct change *change, const struct members *members, uint32_t frame,
		      uint32_t *used)
{
	const struct routes *routes = change->solving->routes;

	for (uint32_t i = members->first[frame]; i < members->first[frame + 1]; i++) {
		uint32_t *at = &change->frame[members->transfer[i]];

		if (*at != LIQUID_NONE)
			continue;
		if (use_links(routes, members->pair[i], used, 1))
			use_links(routes, members->pair[i], used, -1);
		else
			*at = frame;
	}
}

/* @used is all 0 before and after. */
static void relieve_frame(struct change *change, const struct members *members, uint32_t frame,
			  uint32_t *used)
{
	const struct routes *routes = change->solving->routes;
	uint32_t most = 0;

	for (uint32_t i = members->first[frame]; i < members->first[frame + 1]; i++)
		use_links(routes, members->pair[i], used, 1);
	for (uint32_t i = members->first[frame]; i < members->first[frame + 1]; i++) {
		uint32_t overfull = use_links(routes, members->pair[i], used, 0);

		most = overfull > most ? overfull : most;
	}
	if (most) {
		for (; most; most--)
			put_out(change, members, frame, most, used);
		take_back(change, members, frame, used);
	}
	for (uint32_t i = members->first[frame]; i < members->first[frame + 1]; i++)
		if (change->frame[members->transfer[i]] != LIQUID_NONE)
			use_links(routes, members->pair[i], used, -1);
}

/*
 * Confine frame[] to @frames frames. The emptiest frames are given up; of the others those
 * beyond @frames take the free numbers.
 */
static bool confine(struct change *change, struct fill *fill, uint32_t frames)
{
	uint32_t *renumber = malloc(((size_t)change->frames + 1) * sizeof(*renumber));
	uint32_t hole = 0;

	if (!renumber)
		return false;
	memset(renumber, 0xff, ((size_t)change->frames + 1) * sizeof(*renumber));
	qsort(fill, change->frames, sizeof(*fill), compare_fills);
	for (uint32_t i = 0; i < frames; i++)
		if (fill[i].frame < frames)
			renumber[fill[i].frame] = fill[i].frame;
	for (uint32_t i = 0; i < frames; i++) {
		if (fill[i].frame < frames)
			continue;
		while (renumber[hole] != LIQUID_NONE)
			hole++;
		renumber[fill[i].frame] = hole++;
	}
	for (uint32_t i = 0; i < change->solving->routes->transfer_count; i++)
		if (change->frame[i] != LIQUID_NONE)
			change->frame[i] = renumber[change->frame[i]];
	free(renumber);
	return true;
}

/* The earlier number of frames, but neither below the bound nor far above it. */
static uint32_t frames_wanted(const struct change *change, const struct fill *fill)
{
	uint32_t bound = change->solving->lower_bound, used = 0;
	uint64_t most = (uint64_t)bound * (100 + ABOVE_PERCENT) / 100;

	for (uint32_t i = 0; i < change->frames; i++)
		used += fill[i].count != 0;
	used = used > most ? (uint32_t)most : used;
	return used < bound ? bound : used;
}

/* Confine frame[] to the *@frames fullest frames. */
static int choose_frames(struct change *change, uint32_t *frames, struct liquid_error *err)
{
	struct fill *fill = calloc((size_t)change->frames + 1, sizeof(*fill));
	bool good = fill;

	for (uint32_t i = 0; good && i < change->frames; i++)
		fill[i].frame = i;
	for (uint32_t i = 0; good && i < change->solving->routes->transfer_count; i++)
		if (change->frame[i] != LIQUID_NONE)
			fill[change->frame[i]].count++;
	if (good) {
		*frames = frames_wanted(change, fill);
		good = *frames >= change->frames || confine(change, fill, *frames);
	}
	free(fill);
	return good ? LIQUID_OK : liquid_no_memory(err);
}

/* Find the frames in which @link is overfull, in @count[]; false if there are none. */
static bool count_frames(const struct change *change, uint32_t link, uint32_t *count)
{
	const struct routes_inverse *inverse = &change->solving->inverse;
	const struct routes *routes = change->solving->routes;
	uint32_t capacity = routes->capacity[link];
	bool found = false;

	memset(count, 0, change->frames * sizeof(*count));
	for (uint32_t i = inverse->first[link]; i < inverse->first[link + 1]; i++) {
		uint32_t pair = inverse->pairs[i];

		for (uint32_t j = routes->first_transfer[pair];
		     j < routes->first_transfer[pair + 1]; j++)
			if (change->frame[j] != LIQUID_NONE)
				found |= ++count[change->frame[j]] > capacity;
	}
	return found;
}

/* Mark the transfers that use an overfull link; link by link, which is fast. */
static bool find_crowded(const struct change *change, uint8_t *crowded, uint32_t *count)
{
	const struct routes_inverse *inverse = &change->solving->inverse;
	const struct routes *routes = change->solving->routes;
	bool found = false;

	for (uint32_t link = 0; link < routes->link_count; link++) {
		if (routes->load[link] <= routes->capacity[link] ||
		    !count_frames(change, link, count))
			continue;
		found = true;
		for (uint32_t i = inverse->first[link]; i < inverse->first[link + 1]; i++) {
			uint32_t pair = inverse->pairs[i];

			for (uint32_t j = routes->first_transfer[pair];
			     j < routes->first_transfer[pair + 1]; j++)
				if (change->frame[j] != LIQUID_NONE &&
				    count[change->frame[j]] > routes->capacity[link])
					crowded[j] = 1;
		}
	}
	return found;
}

static bool relieve_frames(struct change *change, const uint8_t *crowded)
{
	uint32_t links = change->solving->routes->link_count;
	uint32_t *used = calloc((size_t)links + 1, sizeof(*used));
	struct members members = { 0 };
	bool good = used && members_new(&members, change, crowded);

	for (uint32_t frame = 0; good && frame < change->frames; frame++)
		relieve_frame(change, &members, frame, used);
	members_clear(&members);
	free(used);
	return good;
}

static int relieve(struct change *change, struct liquid_error *err)
{
	uint32_t *count = calloc((size_t)change->frames + 1, sizeof(*count));
	uint8_t *crowded = calloc((size_t)change->solving->routes->transfer_count + 1,
				  sizeof(*crowded));
	bool good = count && crowded;

	if (good && find_crowded(change, crowded, count))
		good = relieve_frames(change, crowded);
	free(count);
	free(crowded);
	return good ? LIQUID_OK : liquid_no_memory(err);
}

/* ---- new places ---- */

static int offer(struct change *change, const struct ejection *ejection, struct liquid_error *err)
{
	uint32_t length;
	int status = ejection_complete(ejection, change->frame, &length, err);

	return status ? status : solving_offer(change->solving, change->frame, length, err);
}

/* In @frames frames if possible, else in as many as the bound allows. */
static int place_rest(struct change *change, uint32_t frames, struct liquid_error *err)
{
	struct solving *solving = change->solving;
	uint64_t most = (uint64_t)solving->lower_bound * (100 + ABOVE_PERCENT) / 100;
	enum ejection_outcome outcome = EJECTION_STUCK;
	struct ejection ejection;
	int status = ejection_new(&ejection, solving->routes, solving->seed, err);

	if (!status)
		memcpy(ejection.frame, change->frame,
		       solving->routes->transfer_count * sizeof(*ejection.frame));
	for (int round = 0; !status && outcome != EJECTION_PLACED && round < 2; round++) {
		uint64_t outer = budget_narrow(solving->budget, budget_left(solving->budget) / 4);

		status = ejection_open(&ejection, frames, err);
		if (!status)
			outcome = ejection_run(&ejection, solving->budget);
		budget_widen(solving->budget, outer);
		if (frames >= most)
			break;
		frames = (uint32_t)most;
	}
	if (!status)
		status = offer(change, &ejection, err);
	ejection_clear(&ejection);
	return status == LIQUID_LIMIT ? LIQUID_OK : status;
}

/* ---- the whole ---- */

/* Keep the changed schedule unless a new one is shorter by more than the allowed 5 %. */
static int compare_anew(struct change *change, const struct method *anew, struct liquid_error *err)
{
	struct solving *solving = change->solving;
	uint32_t length = solving->length;
	int status;

	if (length)
		memcpy(change->frame, solving->frame,
		       solving->routes->transfer_count * sizeof(*change->frame));
	solving->length = 0;
	status = anew->solve(solving, err);
	if (status || !length || (solving->length && far_above(length, solving->length)))
		return status;
	memcpy(solving->frame, change->frame,
	       solving->routes->transfer_count * sizeof(*change->frame));
	solving->length = length;
	solving->budget->state.best_length = length;
	return LIQUID_OK;
}

int change_solve(struct solving *solving, const struct liquid_fabric *fabric,
		 const struct liquid_schedule *from, const struct method *anew,
		 struct liquid_error *err)
{
	struct change change = { .solving = solving, .fabric = fabric, .from = from };
	size_t size = ((size_t)solving->routes->transfer_count + 1) * sizeof(*change.frame);
	uint32_t frames = 0, left = 0;
	int status;

	status = marks_refuse(from, MARK_ALL, "a change of the schedule", err);
	if (status)
		return status;
	change.frame = malloc(size);
	if (!change.frame)
		return liquid_no_memory(err);
	memset(change.frame, 0xff, size);
	solving->budget->state.phase = "keeping";
	status = adopt(&change, err);
	if (!status)
		status = relieve(&change, err);
	if (!status)
		status = choose_frames(&change, &frames, err);
	if (!status)
		status = change_place(solving, change.frame, frames, &left, err);
	if (!status && left)
		status = place_rest(&change, frames, err);
	else if (!status)
		status = solving_offer(solving, change.frame, frames, err);
	solving->budget->state.phase = "solving";
	if (!status && (!solving->length || far_above(solving->length, solving->lower_bound)))
		status = compare_anew(&change, anew, err);
	free(change.frame);
	return status;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* The papers' search: fission of categories, frame after frame, with backtracking. */
#include <stdlib.h>
#include <string.h>

#include "solve/baselines/categories.h"

bool categories_new(struct categories *search, const struct routes *routes,
		    const struct routes_inverse *inverse, struct budget *budget)
{
	*search = (struct categories){
		.budget = budget,
		.options = { .blank = true, .idle = true, .skeleton = true },
	};
	return team_new(&search->team, routes, inverse, false);
}

void categories_clear(struct categories *search)
{
	team_clear(&search->team);
	free(search->journal);
	free(search->excluder);
	free(search->frame_end);
	*search = (struct categories){ 0 };
}

static bool push(uint32_t **array, uint32_t *count, uint32_t *room, uint32_t value)
{
	if (*count == *room) {
		uint32_t larger = *room ? 2 * *room : 256;
		uint32_t *moved = larger > *room ?
			reallocarray(*array, larger, sizeof(*moved)) : NULL;

		if (!moved)
			return false;
		*array = moved;
		*room = larger;
	}
	(*array)[(*count)++] = value;
	return true;
}

static bool note(struct categories *search, uint32_t pair, bool excluded)
{
	return push(&search->journal, &search->journal_count, &search->journal_room,
		    2 * pair + excluded);
}

static bool exclude(struct categories *search, uint32_t pair)
{
	team_close_pair(&search->team, pair);
	return note(search, pair, true) && push(&search->excluder, &search->excluder_count,
						&search->excluder_room, pair);
}

/* ---- what a category is worth ---- */

static bool uses_bottleneck(const struct team *team, uint32_t pair)
{
	uint32_t count;
	const uint32_t *links = routes_links(team->routes, pair, &count);

	for (uint32_t i = 0; i < count; i++)
		if (team->need[links[i]])
			return true;
	return false;
}

/* Whether some link of @pair can still become full. */
static bool could_be_kept_out(const struct team *team, uint32_t pair)
{
	uint32_t count;
	const uint32_t *links = routes_links(team->routes, pair, &count);

	for (uint32_t i = 0; i < count; i++)
		if (team->used[links[i]] + team->choice[links[i]] >=
		    team->routes->capacity[links[i]])
			return true;
	return false;
}

static bool is_blank(struct categories *search, const struct segment *segment)
{
	struct team *team = &search->team;

	team->work += 4 * (uint64_t)(search->excluder_count - segment->excluder_begin);
	for (uint32_t i = segment->excluder_begin; i < search->excluder_count; i++)
		if (team_fits(team, search->excluder[i]) &&
		    !could_be_kept_out(team, search->excluder[i]))
			return true;
	return false;
}

static bool is_full(const struct categories *search, const struct segment *segment)
{
	for (uint32_t i = segment->excluder_begin; i < search->excluder_count; i++)
		if (team_fits(&search->team, search->excluder[i]))
			return false;
	return true;
}

static bool is_team(const struct team *team)
{
	for (uint32_t i = 0; i < team->needy_count; i++)
		if (team->used[team->needy[i]] < team->need[team->needy[i]])
			return false;
	return true;
}

static uint32_t first_open(struct team *team)
{
	uint32_t pair = 0, end = team->routes->pair_count;

	while (pair < end && !team_is_open(team, pair))
		pair++;
	team->work += 4 * (uint64_t)end;
	return pair < end ? pair : LIQUID_NONE;
}

/* The transfer for fission: the first, or one on the bottleneck with the fewest candidates. */
static uint32_t choose(struct categories *search)
{
	struct team *team = &search->team;
	struct random *random = search->shuffled ? &search->random : NULL;
	uint32_t link, best = LIQUID_NONE, begin = 0, end = team->routes->pair_count, ties = 0;
	uint64_t most = 0;

	if (search->options.first_in_depot)
		return first_open(team);
	link = team_tightest(team, random);
	if (link != LIQUID_NONE) {
		begin = team->inverse->first[link];
		end = team->inverse->first[link + 1];
	}
	for (uint32_t i = begin; i < end; i++) {
		uint32_t pair = link == LIQUID_NONE ? i : team->inverse->pairs[i];
		uint64_t urgency;

		if (!team_is_open(team, pair))
			continue;
		urgency = team_urgency(team, pair);
		if (best == LIQUID_NONE || urgency > most) {
			best = pair;
			most = urgency;
			ties = 1;
		} else if (random && urgency == most && !random_below(random, ++ties)) {
			best = pair;
		}
	}
	team->work += 4 * (uint64_t)(end - begin);
	return best;
}

/* ---- segments ---- */

static void take_includer(struct categories *search, uint32_t begin, uint32_t end)
{
	for (uint32_t i = begin; i < end; i++)
		if (!(search->journal[i] & 1))
			team_take(&search->team, search->journal[i] / 2);
}

/* Set the depot to its state at the start of the segment. */
static void open_segment(struct categories *search, const struct segment *segment)
{
	struct team *team = &search->team;

	team_open_frame(team);
	if (segment->kind == SEGMENT_SKELETON)
		for (uint32_t pair = 0; pair < team->routes->pair_count; pair++)
			if (!uses_bottleneck(team, pair))
				team_close_pair(team, pair);
	if (segment->kind == SEGMENT_BODY)
		take_includer(search, segment->frame_begin, segment->begin);
}

/* Restore the segment from the journal, after the frame's state was used for something else. */
static void rebuild_segment(struct categories *search, const struct segment *segment)
{
	open_segment(search, segment);
	for (uint32_t i = segment->begin; i < search->journal_count; i++) {
		if (search->journal[i] & 1)
			team_close_pair(&search->team, search->journal[i] / 2);
		else
			team_take(&search->team, search->journal[i] / 2);
	}
}

static enum categories_outcome search_frame(struct categories *search);
static enum categories_outcome split(struct categories *search, const struct segment *segment);

static enum categories_outcome search_segment(struct categories *search,
					      const struct segment *segment)
{
	open_segment(search, segment);
	return split(search, segment);
}

/* The pairs of the complete frame: those that the journal does not exclude. */
static uint32_t *frame_pairs(const struct categories *search, uint32_t begin, uint32_t *count)
{
	uint32_t *pairs = malloc((search->journal_count - begin + 1) * sizeof(*pairs));

	*count = 0;
	for (uint32_t i = begin; pairs && i < search->journal_count; i++)
		if (!(search->journal[i] & 1))
			pairs[(*count)++] = search->journal[i] / 2;
	return pairs;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static enum categories_outcome report(struct categories *search, const struct segment *segment)
{
	uint32_t count, *pairs;
	bool go_on;

	if (!search->found)
		return CATEGORIES_GO_ON;
	pairs = frame_pairs(search, segment->frame_begin, &count);
	if (!pairs)
		return CATEGORIES_NO_MEMORY;
	qsort(pairs, count, sizeof(*pairs), by_number);
	go_on = search->found(search->context, pairs, count);
	free(pairs);
	return go_on ? CATEGORIES_GO_ON : CATEGORIES_STOPPED;
}

/* The frame is a full team: continue with the rest of the traffic. */
static enum categories_outcome next_frame(struct categories *search, const struct segment *segment)
{
	enum categories_outcome outcome;
	uint32_t count, *pairs = frame_pairs(search, segment->frame_begin, &count);

	if (!pairs || !push(&search->frame_end, &search->frame_count, &search->frame_room,
			    search->journal_count)) {
		free(pairs);
		return CATEGORIES_NO_MEMORY;
	}
	team_remove(&search->team, pairs, count, 1);
	outcome = search_frame(search);
	if (outcome == CATEGORIES_GO_ON) {
		search->frame_count--;
		team_restore(&search->team, pairs, count, 1);
		rebuild_segment(search, segment);
	}
	free(pairs);
	return outcome;
}

/* The depot is empty. */
static enum categories_outcome end_segment(struct categories *search, const struct segment *segment)
{
	struct segment body = { SEGMENT_BODY, segment->frame_begin, search->journal_count,
				search->excluder_count };
	enum categories_outcome outcome;
	bool team;

	if (!is_full(search, segment))
		return CATEGORIES_GO_ON;
	team = is_team(&search->team);
	if (segment->kind == SEGMENT_SKELETON && team) {
		outcome = search_segment(search, &body);
		if (outcome == CATEGORIES_GO_ON)
			rebuild_segment(search, segment);
		return outcome;
	}
	if (segment->kind == SEGMENT_SKELETON)
		return CATEGORIES_GO_ON;
	search->counts.full_simultaneities++;
	search->counts.full_teams += team;
	if (search->enumerate)
		return report(search, segment);
	return team ? next_frame(search, segment) : CATEGORIES_GO_ON;
}

/* ---- fission ---- */

static bool may_go_on(struct categories *search)
{
	uint64_t work = search->team.work;

	search->team.work = 0;
	search->budget->state.done = search->team.routes->transfer_count -
		search->team.transfers_left;
	return budget_spend(search->budget, work + 16);
}

static enum categories_outcome split_with(struct categories *search,
					  const struct segment *segment, uint32_t pair)
{
	uint32_t mark = search->team.trail_length;
	enum categories_outcome outcome;

	if (!note(search, pair, false))
		return CATEGORIES_NO_MEMORY;
	team_take(&search->team, pair);
	outcome = split(search, segment);
	if (outcome == CATEGORIES_GO_ON) {
		team_undo(&search->team, pair, mark);
		search->journal_count--;
	}
	return outcome;
}

/* Split the current category: with a transfer (by recursion), then without it (in the loop). */
static enum categories_outcome split(struct categories *search, const struct segment *segment)
{
	uint32_t base = search->team.trail_length, journal = search->journal_count;
	uint32_t excluder = search->excluder_count, pair;
	enum categories_outcome outcome = CATEGORIES_GO_ON;

	while (outcome == CATEGORIES_GO_ON) {
		search->counts.categories++;
		if (!may_go_on(search))
			return CATEGORIES_STOPPED;
		if ((search->options.idle && search->team.dead) ||
		    (search->options.blank && is_blank(search, segment)))
			break;
		pair = choose(search);
		if (pair == LIQUID_NONE) {
			outcome = end_segment(search, segment);
			break;
		}
		outcome = split_with(search, segment, pair);
		if (outcome == CATEGORIES_GO_ON && !exclude(search, pair))
			outcome = CATEGORIES_NO_MEMORY;
	}
	if (outcome != CATEGORIES_GO_ON)
		return outcome;
	team_undo(&search->team, LIQUID_NONE, base);
	search->journal_count = journal;
	search->excluder_count = excluder;
	return CATEGORIES_GO_ON;
}

static bool all_capacities_one(const struct routes *routes)
{
	for (uint32_t link = 0; link < routes->link_count; link++)
		if (routes->capacity[link] != 1)
			return false;
	return true;
}

/*
 * With capacities above 1, the part of a full team that is in the skeleton need not be full by
 * itself: a link may have room that a bottleneck elsewhere makes unusable. So no skeleton then.
 */
static enum categories_outcome search_frame(struct categories *search)
{
	struct segment segment = { SEGMENT_WHOLE, search->journal_count, search->journal_count,
				   search->excluder_count };

	if (!search->team.transfers_left)
		return CATEGORIES_FOUND;
	if (!search->team.left)
		return CATEGORIES_GO_ON;
	if (search->options.skeleton)
		segment.kind = SEGMENT_SKELETON;
	return search_segment(search, &segment);
}

enum categories_outcome categories_search(struct categories *search, uint32_t frames)
{
	search->journal_count = search->excluder_count = search->frame_count = 0;
	search->counts = (struct categories_counts){ 0 };
	search->options.skeleton &= all_capacities_one(search->team.routes);
	team_reset(&search->team, frames);
	return search_frame(search);
}

uint32_t categories_frames(struct categories *search, uint32_t *frame)
{
	const struct routes *routes = search->team.routes;
	uint32_t *taken = search->team.count;	/* all 0: no transfers are left */
	uint32_t at = 0;

	for (uint32_t i = 0; i < search->frame_count; i++)
		for (; at < search->frame_end[i]; at++) {
			uint32_t pair = search->journal[at] / 2;

			if (!(search->journal[at] & 1))
				frame[routes->first_transfer[pair] + taken[pair]++] = i;
		}
	memset(taken, 0, routes->pair_count * sizeof(*taken));
	return search->frame_count;
}

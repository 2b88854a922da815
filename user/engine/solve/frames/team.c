// SPDX-License-Identifier: LGPL-2.1-or-later
/* One frame of a frame-by-frame search, updated pair by pair. */
#include <stdlib.h>
#include <string.h>

#include "solve/frames/team.h"

bool team_new(struct team *team, const struct routes *routes,
	      const struct routes_inverse *inverse, bool many)
{
	uint32_t pairs = routes->pair_count + 1, links = routes->link_count + 1;

	*team = (struct team){ .routes = routes, .inverse = inverse, .words = pairs / 64 + 1 };
	team->count = calloc(pairs, sizeof(*team->count));
	team->open = calloc(team->words, sizeof(*team->open));
	team->trail = calloc(pairs, sizeof(*team->trail));
	team->load = calloc(links, sizeof(*team->load));
	team->used = calloc(links, sizeof(*team->used));
	team->need = calloc(links, sizeof(*team->need));
	team->choice = calloc(links, sizeof(*team->choice));
	team->needy = calloc(links, sizeof(*team->needy));
	team->taken = many ? calloc(pairs, sizeof(*team->taken)) : NULL;
	return (team->taken || !many) && team->count && team->open && team->trail && team->load &&
	       team->used && team->need && team->choice && team->needy;
}

void team_clear(struct team *team)
{
	free(team->count);
	free(team->open);
	free(team->trail);
	free(team->taken);
	free(team->load);
	free(team->used);
	free(team->need);
	free(team->choice);
	free(team->needy);
	*team = (struct team){ 0 };
}

void team_reset(struct team *team, uint32_t frames)
{
	const struct routes *routes = team->routes;

	team->left = frames;
	team->transfers_left = routes->transfer_count;
	routes_counts(routes, team->count);
	memcpy(team->load, routes->load, routes->link_count * sizeof(*team->load));
}

/* Returns false if the load does not fit into the frames that are left. */
static bool set_needs(struct team *team)
{
	const struct routes *routes = team->routes;
	bool fits = true;

	team->needy_count = 0;
	for (uint32_t link = 0; link < routes->link_count; link++) {
		uint64_t later = team->left ?
			(uint64_t)routes->capacity[link] * (team->left - 1) : 0;

		team->need[link] = team->load[link] > later ?
			team->load[link] - (uint32_t)later : 0;
		if (team->need[link])
			team->needy[team->needy_count++] = link;
		if (team->need[link] > routes->capacity[link])
			fits = false;
	}
	return fits;
}

void team_open_frame(struct team *team)
{
	const struct routes *routes = team->routes;
	const uint32_t *links;
	uint32_t count;

	memset(team->used, 0, routes->link_count * sizeof(*team->used));
	memset(team->choice, 0, routes->link_count * sizeof(*team->choice));
	if (team->taken)
		memset(team->taken, 0, routes->pair_count * sizeof(*team->taken));
	memset(team->open, 0, team->words * sizeof(*team->open));
	team->trail_length = 0;
	for (uint32_t pair = 0; pair < routes->pair_count; pair++) {
		if (!team->count[pair])
			continue;
		team->open[pair / 64] |= UINT64_C(1) << pair % 64;
		links = routes_links(routes, pair, &count);
		for (uint32_t i = 0; i < count; i++)
			team->choice[links[i]]++;
	}
	team->work += routes->pair_count + routes->link_count + 4 * (uint64_t)team->transfers_left;
	team->dead = !set_needs(team);
	for (uint32_t i = 0; i < team->needy_count; i++)
		if (team->choice[team->needy[i]] < team->need[team->needy[i]])
			team->dead = true;
}

void team_close_pair(struct team *team, uint32_t pair)
{
	const uint32_t *links;
	uint32_t count;

	if (!team_is_open(team, pair))
		return;
	team->open[pair / 64] &= ~(UINT64_C(1) << pair % 64);
	team->trail[team->trail_length++] = pair;
	links = routes_links(team->routes, pair, &count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t link = links[i];

		team->choice[link]--;
		if (team->used[link] + team->choice[link] < team->need[link])
			team->dead = true;
	}
	team->work += count;
}

void team_take(struct team *team, uint32_t pair)
{
	const struct routes *routes = team->routes;
	uint32_t count;
	const uint32_t *links = routes_links(routes, pair, &count);

	/* All links first: the pair itself must be counted before others are closed. */
	for (uint32_t i = 0; i < count; i++)
		team->used[links[i]]++;
	if (!team->taken || ++team->taken[pair] == team->count[pair])
		team_close_pair(team, pair);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t begin = team->inverse->first[links[i]];
		uint32_t end = team->inverse->first[links[i] + 1];

		if (team->used[links[i]] < routes->capacity[links[i]])
			continue;
		for (uint32_t j = begin; j < end; j++)
			if (team_is_open(team, team->inverse->pairs[j]))
				team_close_pair(team, team->inverse->pairs[j]);
		team->work += end - begin;
	}
}

void team_undo(struct team *team, uint32_t pair, uint32_t mark)
{
	const uint32_t *links;
	uint32_t count;

	if (pair != LIQUID_NONE) {
		links = routes_links(team->routes, pair, &count);
		for (uint32_t i = 0; i < count; i++)
			team->used[links[i]]--;
		if (team->taken)
			team->taken[pair]--;
	}
	while (team->trail_length > mark) {
		uint32_t other = team->trail[--team->trail_length];

		team->open[other / 64] |= UINT64_C(1) << other % 64;
		links = routes_links(team->routes, other, &count);
		for (uint32_t i = 0; i < count; i++)
			team->choice[links[i]]++;
		team->work += count;
	}
	team->dead = false;
}

void team_remove(struct team *team, const uint32_t *pairs, uint32_t count, uint32_t times)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t steps;
		const uint32_t *links = routes_links(team->routes, pairs[i], &steps);

		team->count[pairs[i]] -= times;
		for (uint32_t j = 0; j < steps; j++)
			team->load[links[j]] -= times;
	}
	team->transfers_left -= count * times;
	team->left -= times;
}

void team_restore(struct team *team, const uint32_t *pairs, uint32_t count, uint32_t times)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t steps;
		const uint32_t *links = routes_links(team->routes, pairs[i], &steps);

		team->count[pairs[i]] += times;
		for (uint32_t j = 0; j < steps; j++)
			team->load[links[j]] += times;
	}
	team->transfers_left += count * times;
	team->left += times;
}

uint32_t team_repeats(const struct team *team, const uint32_t *pairs, uint32_t count)
{
	const struct routes *routes = team->routes;
	uint32_t times = team->left ? team->left : 1;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t most = team->count[pairs[i]];

		most = team->taken ? most / team->taken[pairs[i]] : most;
		times = most < times ? most : times;
	}
	for (uint32_t link = 0; times > 1 && link < routes->link_count; link++) {
		uint32_t idle = routes->capacity[link] - team->used[link];
		uint64_t spare = (uint64_t)routes->capacity[link] * team->left - team->load[link];

		if (idle && spare / idle < times)
			times = (uint32_t)(spare / idle);
	}
	return times ? times : 1;
}

bool team_fits(const struct team *team, uint32_t pair)
{
	uint32_t count;
	const uint32_t *links = routes_links(team->routes, pair, &count);

	if (!team->count[pair])
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (team->used[links[i]] >= team->routes->capacity[links[i]])
			return false;
	return true;
}

uint32_t team_tightest(struct team *team, struct random *random)
{
	uint32_t best = LIQUID_NONE, best_slack = UINT32_MAX, ties = 0;

	team->work += team->needy_count;
	for (uint32_t i = 0; i < team->needy_count; i++) {
		uint32_t link = team->needy[i], slack;

		if (team->used[link] >= team->need[link])
			continue;
		slack = team->choice[link] - (team->need[link] - team->used[link]);
		if (slack < best_slack) {
			best_slack = slack;
			best = link;
			ties = 1;
		} else if (slack == best_slack && random && !random_below(random, ++ties)) {
			best = link;
		}
	}
	return best;
}

/*
 * A link counts by the square of its load relative to the room in the frames that are left,
 * in 1024ths, so that one nearly tight link outweighs several idle ones. A link with an unmet
 * need outweighs everything else.
 */
uint64_t team_urgency(const struct team *team, uint32_t pair)
{
	const struct routes *routes = team->routes;
	uint32_t count;
	const uint32_t *links = routes_links(routes, pair, &count);
	uint64_t urgency = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t link = links[i];
		uint64_t room = (uint64_t)routes->capacity[link] * (team->left ? team->left : 1);
		uint64_t full = ((uint64_t)team->load[link] << 10) / room;

		urgency += full * full;
		if (team->used[link] < team->need[link])
			urgency += UINT64_C(1) << 32;
	}
	return urgency;
}

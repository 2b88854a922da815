// SPDX-License-Identifier: LGPL-2.1-or-later
/* Looking for the frame that is worth most: see frame.h. */
#include <stdlib.h>
#include <string.h>

#include "bound/frame.h"

#define EJECTED_MAX LIQUID_PATH_MAX
#define TABU_LEAST 3u
#define TABU_MORE 8u

static bool list_users(struct frame_search *s)
{
	const struct classes *c = s->classes;
	uint32_t entries = c->first[c->kinds];

	s->users.first = calloc((size_t)c->links + 2, sizeof(*s->users.first));
	s->users.pairs = calloc((size_t)entries + 1, sizeof(*s->users.pairs));
	if (!s->users.first || !s->users.pairs)
		return false;
	for (uint32_t i = 0; i < entries; i++)
		s->users.first[c->link[i] + 2]++;
	for (uint32_t link = 0; link < c->links; link++)
		s->users.first[link + 2] += s->users.first[link + 1];
	for (uint32_t kind = 0; kind < c->kinds; kind++)
		for (uint32_t i = c->first[kind]; i < c->first[kind + 1]; i++)
			s->users.pairs[s->users.first[c->link[i] + 1]++] = kind;
	return true;
}

/* Room for the owners of each link: as many as all its kinds together may have. */
static bool make_room(struct frame_search *s)
{
	const struct classes *c = s->classes;
	uint64_t total = 0;

	s->first_owner = calloc((size_t)c->links + 1, sizeof(*s->first_owner));
	if (!s->first_owner)
		return false;
	for (uint32_t link = 0; link < c->links; link++) {
		uint64_t most = 0;

		for (uint32_t i = s->users.first[link]; i < s->users.first[link + 1]; i++)
			most += c->most[s->users.pairs[i]];
		s->first_owner[link] = (uint32_t)total;
		total += most < c->capacity[link] ? most : c->capacity[link];
		if (total >= UINT32_MAX)
			return false;
	}
	s->owner = calloc(total + 1, sizeof(*s->owner));
	return s->owner;
}

bool frame_open(struct frame_search *s, const struct classes *c, uint64_t seed)
{
	size_t kinds = (size_t)c->kinds + 1;

	*s = (struct frame_search){ .classes = c, .random.state = seed };
	s->held = calloc(kinds, sizeof(*s->held));
	s->best = calloc(kinds, sizeof(*s->best));
	s->until = calloc(kinds, sizeof(*s->until));
	s->used = calloc((size_t)c->links + 1, sizeof(*s->used));
	return s->held && s->best && s->until && s->used && list_users(s) && make_room(s);
}

void frame_close(struct frame_search *s)
{
	routes_inverse_clear(&s->users);
	free(s->held);
	free(s->best);
	free(s->until);
	free(s->used);
	free(s->first_owner);
	free(s->owner);
}

static void put_in(struct frame_search *s, uint32_t kind)
{
	const struct classes *c = s->classes;

	s->held[kind]++;
	for (uint32_t i = c->first[kind]; i < c->first[kind + 1]; i++)
		s->owner[s->first_owner[c->link[i]] + s->used[c->link[i]]++] = kind;
}

static void take_out(struct frame_search *s, uint32_t kind)
{
	const struct classes *c = s->classes;

	s->held[kind]--;
	s->until[kind] = s->move + TABU_LEAST + random_below(&s->random, TABU_MORE);
	for (uint32_t i = c->first[kind]; i < c->first[kind + 1]; i++) {
		uint32_t *owner = s->owner + s->first_owner[c->link[i]], at = 0;

		while (owner[at] != kind)
			at++;
		owner[at] = owner[--s->used[c->link[i]]];
	}
}

static uint32_t cheapest_owner(struct frame_search *s, uint32_t link)
{
	const uint32_t *owner = s->owner + s->first_owner[link];
	uint32_t best = owner[0];

	for (uint32_t i = 1; i < s->used[link]; i++)
		if (s->price[owner[i]] < s->price[best])
			best = owner[i];
	s->work += s->used[link];
	return best;
}

static bool is_among(const uint32_t *list, uint32_t count, uint32_t kind)
{
	for (uint32_t i = 0; i < count; i++)
		if (list[i] == kind)
			return true;
	return false;
}

/* What @kind adds to the worth, less what has to come out for it */
static double gain_of(struct frame_search *s, uint32_t kind)
{
	const struct classes *c = s->classes;
	uint32_t ejected[EJECTED_MAX], count = 0;
	double gain = s->price[kind];

	for (uint32_t i = c->first[kind]; i < c->first[kind + 1]; i++) {
		uint32_t owner;

		if (s->used[c->link[i]] < c->capacity[c->link[i]])
			continue;
		owner = cheapest_owner(s, c->link[i]);
		if (is_among(ejected, count, owner))
			continue;
		if (count < EJECTED_MAX)
			ejected[count++] = owner;
		gain -= s->price[owner];
	}
	s->work += 4 + c->first[kind + 1] - c->first[kind];
	return gain;
}

/* Make way for @kind, and put it in; returns what was gained. */
static double insert(struct frame_search *s, uint32_t kind)
{
	const struct classes *c = s->classes;
	double gain = s->price[kind];

	for (uint32_t i = c->first[kind]; i < c->first[kind + 1]; i++)
		while (s->used[c->link[i]] >= c->capacity[c->link[i]]) {
			uint32_t owner = cheapest_owner(s, c->link[i]);

			gain -= s->price[owner];
			take_out(s, owner);
		}
	put_in(s, kind);
	return gain;
}

/* A link at random, if possible one with room */
static uint32_t choose_link(struct frame_search *s)
{
	uint32_t link = 0;

	for (uint32_t i = 0; i < 8; i++) {
		link = random_below(&s->random, s->classes->links);
		if (s->used[link] < s->classes->capacity[link])
			break;
	}
	return link;
}

/* The kind of @link that gains most, or LIQUID_NONE. */
static uint32_t choose_kind(struct frame_search *s, uint32_t link)
{
	uint32_t best = LIQUID_NONE;
	double most = 0;

	for (uint32_t i = s->users.first[link]; i < s->users.first[link + 1]; i++) {
		uint32_t kind = s->users.pairs[i];
		double gain;

		if (s->price[kind] <= 0 || s->held[kind] >= s->classes->most[kind] ||
		    s->until[kind] > s->move)
			continue;
		gain = gain_of(s, kind) + s->noise * random_below(&s->random, 1024) / 1024;
		if (best == LIQUID_NONE || gain > most) {
			best = kind;
			most = gain;
		}
	}
	return best;
}

static bool fits(const struct frame_search *s, uint32_t kind)
{
	const struct classes *c = s->classes;

	for (uint32_t i = c->first[kind]; i < c->first[kind + 1]; i++)
		if (s->used[c->link[i]] >= c->capacity[c->link[i]])
			return false;
	return s->held[kind] < c->most[kind];
}

static void empty(struct frame_search *s)
{
	memset(s->held, 0, s->classes->kinds * sizeof(*s->held));
	memset(s->used, 0, s->classes->links * sizeof(*s->used));
}

/* Put in all that fits, whatever it is worth: a mix of full frames has fewer. */
static void fill_up(struct frame_search *s)
{
	uint32_t kinds = s->classes->kinds, from = random_below(&s->random, kinds);

	empty(s);
	for (uint32_t kind = 0; kind < kinds; kind++)
		for (uint32_t i = 0; i < s->best[kind]; i++)
			put_in(s, kind);
	for (uint32_t i = 0; i < kinds; i++)
		while (fits(s, (from + i) % kinds))
			put_in(s, (from + i) % kinds);
	memcpy(s->best, s->held, kinds * sizeof(*s->best));
	s->work += s->classes->first[kinds];
}

double frame_seek(struct frame_search *s, const double *price, uint32_t moves)
{
	uint32_t kinds = s->classes->kinds;
	double worth = 0, most = 0, sum = 0;

	s->price = price;
	for (uint32_t kind = 0; kind < kinds; kind++)
		sum += price[kind];
	s->noise = 0.2 * sum / kinds;
	empty(s);
	memset(s->best, 0, kinds * sizeof(*s->best));
	for (uint32_t i = 0; i < moves; i++, s->move++) {
		uint32_t kind = choose_kind(s, choose_link(s));

		if (kind != LIQUID_NONE)
			worth += insert(s, kind);
		if (kind == LIQUID_NONE || worth <= most + 1e-9)
			continue;
		most = worth;
		memcpy(s->best, s->held, kinds * sizeof(*s->best));
		s->work += kinds;
	}
	fill_up(s);
	return most;
}

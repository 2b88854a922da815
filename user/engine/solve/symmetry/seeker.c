// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Translations from the sets of resources alone
 *
 * One group of senders is the base. Receivers and resources are coloured as seen from it: a
 * receiver by the resources on the route to it, a resource by the routes that use it, in
 * several rounds. If another group sees the same colours, each once, the colours map receivers
 * to receivers, and senders are mapped with their hosts. If colours repeat (a ring has two
 * directions that look alike), receivers are marked with a colour of their own one by one, and
 * the view from the marked host is added. A map that moves all groups in cycles of one length
 * and commutes with the generators found so far becomes a generator. The nearest groups are
 * tried first, which gives the steps of a torus; then those with the longest cycles, if they
 * make the group of symmetries larger.
 */
#include <stdlib.h>
#include <string.h>

#include "problem/divisor.h"
#include "problem/random.h"
#include "solve/symmetry/seeker.h"

#define ROUNDS 3u
#define MARKS_MAX 6u
#define LEAVES_MAX 24u			/* views computed for one candidate */
#define CHECKS_MAX 24u			/* checks of all units */
#define FOUND_MAX 1024u
#define NEAREST 12u			/* candidates tried in order of distance; then at random */
/* Work limit, relative to the number of all uses of resources. */
#define WORK_PASSES 6u
#define WORK_LEAST (UINT64_C(1) << 23)

/* View of one receiver from the base or from a candidate; length: of the route to it. */
struct sight {
	uint64_t colour;
	uint32_t receiver, length;
};

struct found {
	uint32_t *senders, *receivers;	/* images of the groups, in one allocation */
	uint32_t order;
};

struct seek {
	struct seeker *s;
	uint64_t *resource;		/* by resource: its colour, seen from all units */
	uint64_t *sum;			/* by resource; scratch */
	uint64_t *sender;		/* by sender group: its colour */
	uint32_t *host;			/* by receiver group: one of its hosts */
	uint32_t base, alike;		/* alike: number of senders of the colour of the base */
	struct sight *sight[2][MARKS_MAX + 1];	/* views from the base and from the candidate */
	uint32_t mark[2][MARKS_MAX];	/* marked receivers */
	struct found *found;
	uint32_t founds, leaves, checks;
	uint64_t work, limit;
	bool no_memory;
};

static uint64_t mix(uint64_t z)
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static void seek_clear(struct seek *k)
{
	uint32_t i;

	for (i = 0; i < k->founds; i++)
		free(k->found[i].senders);
	for (i = 0; i < 2 * (MARKS_MAX + 1); i++)
		free(k->sight[i / (MARKS_MAX + 1)][i % (MARKS_MAX + 1)]);
	free(k->found);
	free(k->resource);
	free(k->sum);
	free(k->sender);
	free(k->host);
}

static bool seek_init(struct seek *k, struct seeker *s)
{
	const struct quotient *q = s->quotient;
	uint32_t h;

	memset(k, 0, sizeof(*k));
	k->s = s;
	k->limit = WORK_PASSES * (uint64_t)q->units.first[q->units.pair_count] + WORK_LEAST;
	k->resource = calloc((size_t)q->units.link_count + 1, sizeof(*k->resource));
	k->sum = calloc((size_t)q->units.link_count + 1, sizeof(*k->sum));
	k->sender = calloc((size_t)q->senders + 1, sizeof(*k->sender));
	k->host = calloc((size_t)q->receivers + 1, sizeof(*k->host));
	k->found = calloc(FOUND_MAX, sizeof(*k->found));
	if (!k->resource || !k->sum || !k->sender || !k->host || !k->found)
		return false;
	for (h = q->hosts; h--;)
		if (q->receiver_group[h] != LIQUID_NONE)
			k->host[q->receiver_group[h]] = h;
	return true;
}

/* ---- colours seen from all units ---- */

static void colour_resources(struct seek *k)
{
	const struct routes *units = &k->s->quotient->units;
	uint32_t u, i, r;

	for (r = 0; r < units->link_count; r++)
		k->resource[r] = mix((uint64_t)units->capacity[r] << 32 | units->load[r]);
	for (u = 0; u < units->pair_count; u++) {
		uint32_t first = units->first[u], end = units->first[u + 1];
		uint64_t colour = mix((uint64_t)units->pairs[u].count << 32 | (end - first));

		for (i = first; i < end; i++)
			k->resource[units->links[i]] += mix(colour + (i - first));
	}
}

static void colour_senders(struct seek *k)
{
	const struct quotient *q = k->s->quotient;
	const struct routes *units = &q->units;
	uint32_t u, i;

	for (u = 0; u < units->pair_count; u++) {
		uint64_t colour = 0;

		for (i = units->first[u]; i < units->first[u + 1]; i++)
			colour = mix(colour + k->resource[units->links[i]]);
		k->sender[q->units.pairs[u].src] += mix(colour);
	}
}

static int compare_colours(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

/* Choose a base of the rarest colour; false if the colours exclude translations. */
static bool choose_base(struct seek *k)
{
	uint32_t senders = k->s->quotient->senders, i, begin = 0, common = 0;
	uint64_t *sorted = malloc(((size_t)senders + 1) * sizeof(*sorted)), rarest = 0;

	if (!sorted) {
		k->no_memory = true;
		return false;
	}
	memcpy(sorted, k->sender, senders * sizeof(*sorted));
	qsort(sorted, senders, sizeof(*sorted), compare_colours);
	for (i = 1; i <= senders; i++) {
		if (i < senders && sorted[i] == sorted[begin])
			continue;
		common = common_divisor(common, i - begin);
		if (!k->alike || i - begin < k->alike) {
			k->alike = i - begin;
			rarest = sorted[begin];
		}
		begin = i;
	}
	free(sorted);
	for (i = senders; i--;)
		if (k->sender[i] == rarest)
			k->base = i;
	return common > 1;
}

/* ---- views ---- */

static uint32_t units_of(const struct seek *k, uint32_t sender)
{
	return k->s->first_of[sender + 1] - k->s->first_of[sender];
}

static uint32_t unit_of(const struct seek *k, uint32_t sender, uint32_t i)
{
	return k->s->by_sender[k->s->first_of[sender] + i];
}

static void begin_sights(struct seek *k, uint32_t sender, struct sight *sight)
{
	const struct quotient *q = k->s->quotient;
	uint32_t i;

	for (i = 0; i < q->receivers; i++)
		sight[i] = (struct sight){ .colour = 1, .receiver = i };
	for (i = 0; i < units_of(k, sender); i++) {
		uint32_t u = unit_of(k, sender, i);

		sight[q->units.pairs[u].dst].length = q->units.first[u + 1] - q->units.first[u];
	}
}

/* Colour the resources by the routes of one source that use them. */
static void add_ways(struct seek *k, uint32_t source, uint32_t sender, const struct sight *sight)
{
	const struct quotient *q = k->s->quotient;
	const struct routes *units = &q->units;
	uint32_t i, j, u;

	for (i = 0; i < units_of(k, sender); i++) {
		uint64_t colour;

		u = unit_of(k, sender, i);
		colour = mix(sight[q->units.pairs[u].dst].colour + source +
			     ((uint64_t)units->pairs[u].count << 32));
		for (j = units->first[u]; j < units->first[u + 1]; j++)
			k->sum[units->links[j]] += mix(colour + (j - units->first[u]));
		k->work += 2 * (units->first[u + 1] - units->first[u]);
	}
}

/* Colour the receivers by the resources on the routes to them. */
static void take_colours(struct seek *k, uint32_t source, uint32_t sender, struct sight *sight)
{
	const struct quotient *q = k->s->quotient;
	const struct routes *units = &q->units;
	uint32_t i, j, u;

	for (i = 0; i < units_of(k, sender); i++) {
		uint64_t colour = source;

		u = unit_of(k, sender, i);
		for (j = units->first[u]; j < units->first[u + 1]; j++) {
			uint32_t r = units->links[j];

			colour = mix(colour + 3 * k->resource[r] + k->sum[r]);
		}
		sight[q->units.pairs[u].dst].colour += mix(colour);
	}
}

static void clear_sums(struct seek *k, uint32_t sender)
{
	const struct routes *units = &k->s->quotient->units;
	uint32_t i, j, u;

	for (i = 0; i < units_of(k, sender); i++) {
		u = unit_of(k, sender, i);
		for (j = units->first[u]; j < units->first[u + 1]; j++)
			k->sum[units->links[j]] = 0;
	}
}

/* The sender group of a receiver group's host. */
static uint32_t sender_at(const struct seek *k, uint32_t receiver)
{
	return k->s->quotient->sender_group[k->host[receiver]];
}

/* Sort by the length of the route: the nearest come first. */
static int compare_sights(const void *a, const void *b)
{
	const struct sight *left = a, *right = b;

	if (left->length != right->length)
		return left->length < right->length ? -1 : 1;
	if (left->colour != right->colour)
		return left->colour < right->colour ? -1 : 1;
	return left->receiver < right->receiver ? -1 : left->receiver > right->receiver;
}

/*
 * Fill in sight[side][marks]: the view from @sender and the marked hosts together. Returns false
 * if out of memory.
 */
static bool look(struct seek *k, uint32_t sender, uint32_t side, uint32_t marks)
{
	struct sight **sight = &k->sight[side][marks];
	uint32_t source[MARKS_MAX + 1] = { sender }, round, i;

	if (!*sight)
		*sight = malloc(((size_t)k->s->quotient->receivers + 1) * sizeof(**sight));
	if (!*sight) {
		k->no_memory = true;
		return false;
	}
	begin_sights(k, sender, *sight);
	for (i = 0; i < marks; i++) {
		source[i + 1] = sender_at(k, k->mark[side][i]);
		(*sight)[k->mark[side][i]].colour = i + 2;
	}
	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i <= marks; i++)
			clear_sums(k, source[i]);
		for (i = 0; i <= marks; i++)
			add_ways(k, i, source[i], *sight);
		for (i = 0; i <= marks; i++)
			take_colours(k, i, source[i], *sight);
	}
	qsort(*sight, k->s->quotient->receivers, sizeof(**sight), compare_sights);
	return true;
}

/* ---- from views to a renaming ---- */

/* Map senders as their hosts are mapped as receivers; false if that is not one to one. */
static bool map_senders(struct seek *k)
{
	const struct quotient *q = k->s->quotient;
	uint32_t *image = k->s->sender_image, r, g;

	memset(image, 0xff, q->senders * sizeof(*image));
	memset(k->s->seen, 0, q->senders * sizeof(*k->s->seen));
	for (r = 0; r < q->receivers; r++) {
		uint32_t from = sender_at(k, r), to = sender_at(k, k->s->receiver_image[r]);

		if (image[from] == LIQUID_NONE)
			image[from] = to;
		else if (image[from] != to)
			return false;
	}
	for (g = 0; g < q->senders; g++)
		if (image[g] == LIQUID_NONE || k->s->seen[image[g]]++)
			return false;
	return true;
}

/* The length of all cycles of the senders; 0: lengths differ. */
static uint32_t common_cycle(struct seek *k)
{
	const uint32_t *image = k->s->sender_image;
	uint32_t senders = k->s->quotient->senders, order = 0, i, at, length;

	memset(k->s->seen, 0, senders * sizeof(*k->s->seen));
	for (i = 0; i < senders; i++) {
		if (k->s->seen[i])
			continue;
		for (at = i, length = 0; !k->s->seen[at]; at = image[at], length++)
			k->s->seen[at] = 1;
		if (order && length != order)
			return 0;
		order = length;
	}
	return order;
}

static bool commute(const uint32_t *a, const uint32_t *b, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (a[b[i]] != b[a[i]])
			return false;
	return true;
}

/* Whether no power of @found but the identity maps the base to where the group maps it. */
static bool is_independent(struct seek *k, const struct found *found)
{
	uint32_t at = k->base, i;

	seeker_reach(k->s, k->base);	/* marks in unit_image[] what it reaches */
	for (i = 1; i < found->order; i++) {
		at = found->senders[at];
		if (k->s->unit_image[at])
			return false;
	}
	return true;
}

/* Add @found as a generator, if it commutes with the others and is valid. */
static void add_generator(struct seek *k, const struct found *found)
{
	const struct quotient *q = k->s->quotient;
	uint32_t g;

	if (k->s->symmetry->generators == SYMMETRY_GENERATORS_MAX || k->checks == CHECKS_MAX ||
	    !is_independent(k, found))
		return;
	for (g = 0; g < k->s->symmetry->generators; g++)
		if (!commute(k->s->kept_senders[g], found->senders, q->senders) ||
		    !commute(k->s->kept_receivers[g], found->receivers, q->receivers))
			return;
	memcpy(k->s->sender_image, found->senders, q->senders * sizeof(*found->senders));
	memcpy(k->s->receiver_image, found->receivers, q->receivers * sizeof(*found->receivers));
	k->checks++;
	if (seeker_check(k->s) && !seeker_keep(k->s))
		k->no_memory = true;
}

static bool is_complete(struct seek *k)
{
	return k->no_memory || seeker_reach(k->s, k->base) >= k->alike;
}

/*
 * Store the renaming in sender_image[] and receiver_image[] and try it at once as a generator,
 * unless it only swaps groups: a swap may be a power of a generator with longer cycles.
 */
static void note(struct seek *k, uint32_t order)
{
	const struct quotient *q = k->s->quotient;
	struct found *found = &k->found[k->founds];

	found->senders = malloc(((size_t)q->senders + q->receivers) * sizeof(*found->senders));
	if (!found->senders) {
		k->no_memory = true;
		return;
	}
	found->receivers = found->senders + q->senders;
	found->order = order;
	memcpy(found->senders, k->s->sender_image, q->senders * sizeof(*found->senders));
	memcpy(found->receivers, k->s->receiver_image, q->receivers * sizeof(*found->receivers));
	k->founds++;
	if (order > 2)
		add_generator(k, found);
}

/* If all colours differ, map each receiver to the one of the same colour. */
static void map_by_colour(struct seek *k, uint32_t marks)
{
	const struct sight *from = k->sight[0][marks], *to = k->sight[1][marks];
	uint32_t *image = k->s->receiver_image, i, order;

	for (i = 0; i < k->s->quotient->receivers; i++)
		image[from[i].receiver] = to[i].receiver;
	if (!map_senders(k))
		return;
	order = common_cycle(k);
	if (order > 1 && k->founds < FOUND_MAX)
		note(k, order);
}

/* Find the nearest receivers of equal colour, at *@at; returns their number; 0: none. */
static uint32_t nearest_alike(const struct sight *sight, uint32_t count, uint32_t *at)
{
	uint32_t begin = 0, i;

	for (i = 1; i <= count; i++) {
		if (i < count && sight[i].colour == sight[begin].colour &&
		    sight[i].length == sight[begin].length)
			continue;
		if (i - begin > 1) {
			*at = begin;
			return i - begin;
		}
		begin = i;
	}
	return 0;
}

static bool same_colours(const struct sight *a, const struct sight *b, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (a[i].colour != b[i].colour || a[i].length != b[i].length)
			return false;
	return true;
}

/* Find the renamings that map the base to @sender, and marked receivers to each other. */
static void match(struct seek *k, uint32_t sender, uint32_t marks)
{
	uint32_t receivers = k->s->quotient->receivers, alike, at, i;

	if (!k->leaves || k->work > k->limit)
		return;
	/* The view from the base, and so its marks, are the same for all candidates. */
	if ((!k->sight[0][marks] && !look(k, k->base, 0, marks)) || !look(k, sender, 1, marks))
		return;
	k->leaves--;
	if (!same_colours(k->sight[0][marks], k->sight[1][marks], receivers))
		return;
	alike = nearest_alike(k->sight[0][marks], receivers, &at);
	if (!alike) {
		map_by_colour(k, marks);
		return;
	}
	if (marks == MARKS_MAX)
		return;
	k->mark[0][marks] = k->sight[0][marks][at].receiver;
	for (i = 0; i < alike && !k->no_memory; i++) {
		k->mark[1][marks] = k->sight[1][marks][at + i].receiver;
		match(k, sender, marks + 1);
	}
}

/* ---- groups ---- */

/* In a dragonfly, for instance, translations are long steps: try far candidates at random. */
static void shuffle_far(struct sight *order, uint32_t count)
{
	struct random random = { count };
	uint32_t i;

	for (i = count; i > NEAREST + 1; i--) {
		uint32_t j = NEAREST + random_below(&random, i - NEAREST);
		struct sight swap = order[j];

		order[j] = order[i - 1];
		order[i - 1] = swap;
	}
}

/* Try the senders of the colour of the base, nearest first, until all are reached. */
static bool try_candidates(struct seek *k)
{
	const struct quotient *q = k->s->quotient;
	uint32_t count = q->receivers, i, sender;
	struct sight *order = malloc(((size_t)count + 1) * sizeof(*order));
	bool *tried = calloc((size_t)q->senders + 1, sizeof(*tried));

	k->no_memory = !order || !tried || !look(k, k->base, 0, 0);
	if (!k->no_memory) {
		memcpy(order, k->sight[0][0], count * sizeof(*order));
		shuffle_far(order, count);
	}
	for (i = 0; !k->no_memory && i < count && k->work <= k->limit && !is_complete(k); i++) {
		sender = sender_at(k, order[i].receiver);
		if (sender == k->base || tried[sender] ||
		    k->sender[sender] != k->sender[k->base])
			continue;
		tried[sender] = true;
		k->leaves = LEAVES_MAX;
		match(k, sender, 0);
	}
	free(order);
	free(tried);
	return !k->no_memory;
}

/* The first of the renamings with the longest cycles that is not taken yet. */
static uint32_t next_longest(const struct seek *k, const bool *taken)
{
	uint32_t best = LIQUID_NONE, i;

	for (i = 0; i < k->founds; i++)
		if (!taken[i] && (best == LIQUID_NONE || k->found[i].order > k->found[best].order))
			best = i;
	return best;
}

static bool add_longest(struct seek *k)
{
	bool *taken = calloc((size_t)k->founds + 1, sizeof(*taken));
	uint32_t i;

	k->no_memory = !taken;
	while (!k->no_memory && (i = next_longest(k, taken)) != LIQUID_NONE) {
		taken[i] = true;
		add_generator(k, &k->found[i]);
	}
	free(taken);
	return !k->no_memory;
}

/* Generate another group, longest cycles first; keep it if it reaches more senders. */
static bool try_longest(struct seek *k)
{
	struct symmetry before = *k->s->symmetry, *now = k->s->symmetry;
	uint32_t reach = seeker_reach(k->s, k->base), g;
	struct seeker kept = *k->s;
	bool memory;

	memset(now, 0, sizeof(*now));
	memset(k->s->kept_senders, 0, sizeof(k->s->kept_senders));
	memset(k->s->kept_receivers, 0, sizeof(k->s->kept_receivers));
	k->checks = 0;
	memory = add_longest(k);
	if (memory && seeker_reach(k->s, k->base) > reach) {
		for (g = 0; g < SYMMETRY_GENERATORS_MAX; g++) {
			free(kept.kept_senders[g]);
			free(kept.kept_receivers[g]);
		}
		symmetry_clear(&before);
		return true;
	}
	seeker_forget(k->s, 0);
	*now = before;
	memcpy(k->s->kept_senders, kept.kept_senders, sizeof(kept.kept_senders));
	memcpy(k->s->kept_receivers, kept.kept_receivers, sizeof(kept.kept_receivers));
	return memory;
}

/* Senders are mapped with their hosts as receivers, so all hosts must be both. */
static bool all_send_and_receive(const struct quotient *q)
{
	uint32_t h;

	for (h = 0; h < q->hosts; h++)
		if ((q->sender_group[h] == LIQUID_NONE) != (q->receiver_group[h] == LIQUID_NONE))
			return false;
	return true;
}

static bool seek_all(struct seek *k)
{
	if (!all_send_and_receive(k->s->quotient))
		return true;
	colour_resources(k);
	colour_senders(k);
	if (!choose_base(k))
		return !k->no_memory;
	if (!try_candidates(k))
		return false;
	if (!is_complete(k) && !add_longest(k))
		return false;
	return is_complete(k) || k->founds < 2 ? !k->no_memory : try_longest(k);
}

bool symmetry_seek(struct seeker *s)
{
	struct seek k;
	bool memory;

	if (s->quotient->senders < 2 || seeker_reach(s, 0) == s->quotient->senders)
		return true;
	memory = seek_init(&k, s) && seek_all(&k);
	seek_clear(&k);
	return memory;
}

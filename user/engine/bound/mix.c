// SPDX-License-Identifier: LGPL-2.1-or-later
/* Mixing frames in any proportion: see mix.h. */
#include <stdlib.h>
#include <string.h>

#include "bound/frame.h"
#include "bound/mix.h"
#include "bound/simplex.h"

#define FIRST_COLUMN UINT32_MAX		/* ids of columns that are not frames of the pool */
#define SURPLUS (UINT32_MAX - 1)
#define ENTER_EPS 1e-7
#define ROUND_EPS 1e-5
#define SHAKE 1e-8
#define MOVES_LEAST 1024u
#define MOVES_MAX (1u << 16)
#define SEEKS 4u			/* searches at the same prices */
#define POOL_MAX 100000u

struct mixing {
	const struct classes *classes;
	struct budget *budget;
	struct mix *mix;
	struct simplex simplex;
	struct frame_search search;
	uint32_t bound;			/* frames that are proven already */
	/* The frames: those of frame f are at first[f] ... first[f + 1] - 1. */
	uint32_t frames;
	size_t *first, room, frame_room;
	uint32_t *class;
	double *count;
	double *sum, *by_kind;		/* by class, by kind: for a frame or prices at work */
	double *price;			/* by class: at which frames are looked for */
};

/* ---- the pool of frames ---- */

static bool grow(void **memory, size_t *room, size_t needed, size_t size)
{
	size_t more = *room ? *room : 64;
	void *larger;

	if (needed <= *room)
		return true;
	while (more < needed)
		more *= 2;
	larger = realloc(*memory, more * size);
	if (!larger)
		return false;
	*memory = larger;
	*room = more;
	return true;
}

/* Room for one more frame, with an entry for each class */
static bool grow_pool(struct mixing *m)
{
	size_t entries = (m->frames ? m->first[m->frames] : 0) + m->classes->count;
	size_t room = m->room;

	if (!grow((void **)&m->first, &m->frame_room, (size_t)m->frames + 2, sizeof(*m->first)) ||
	    !grow((void **)&m->class, &room, entries, sizeof(*m->class)))
		return false;
	m->first[0] = 0;
	return grow((void **)&m->count, &m->room, entries, sizeof(*m->count));
}

/* Add a frame with sum[] of each class to the pool, and clear sum[]. */
static bool pool_sum(struct mixing *m)
{
	size_t at;

	if (!grow_pool(m))
		return false;
	at = m->first[m->frames];
	for (uint32_t class = 0; class < m->classes->count; class++) {
		if (m->sum[class] > 0) {
			m->class[at] = class;
			m->count[at++] = m->sum[class];
		}
		m->sum[class] = 0;
	}
	m->first[++m->frames] = at;
	return true;
}

static bool pool_best(struct mixing *m)
{
	for (uint32_t kind = 0; kind < m->classes->kinds; kind++)
		m->sum[m->classes->of_kind[kind]] += m->search.best[kind];
	return pool_sum(m);
}

struct by_frame {
	uint32_t frame, class;
};

static int compare_frames(const void *a, const void *b)
{
	const struct by_frame *one = a, *other = b;

	return one->frame < other->frame ? -1 : one->frame > other->frame;
}

/* Begin with the frames of the schedule. */
static bool pool_schedule(struct mixing *m, const struct routes *routes, const uint32_t *frame)
{
	struct by_frame *by = calloc((size_t)routes->transfer_count + 1, sizeof(*by));
	bool good = by;

	for (uint32_t pair = 0; good && pair < routes->pair_count; pair++)
		for (uint32_t i = routes->first_transfer[pair];
		     i < routes->first_transfer[pair + 1]; i++)
			by[i] = (struct by_frame){
				frame[i], m->classes->of_kind[m->classes->of_pair[pair]] };
	if (good)
		qsort(by, routes->transfer_count, sizeof(*by), compare_frames);
	for (uint32_t i = 0; good && i < routes->transfer_count; i++) {
		m->sum[by[i].class]++;
		if (i + 1 == routes->transfer_count || by[i + 1].frame != by[i].frame)
			good = pool_sum(m);
	}
	free(by);
	return good;
}

static struct column column_of(const struct mixing *m, uint32_t frame)
{
	return (struct column){
		.count = (uint32_t)(m->first[frame + 1] - m->first[frame]),
		.row = m->class + m->first[frame], .entry = m->count + m->first[frame],
		.cost = 1, .id = frame,
	};
}

static double worth_of(const struct mixing *m, uint32_t frame, const double *price)
{
	double worth = 0;

	for (size_t i = m->first[frame]; i < m->first[frame + 1]; i++)
		worth += price[m->class[i]] * m->count[i];
	return worth;
}

/* ---- the mix of the frames known ---- */

static bool enter_surplus(struct mixing *m, uint32_t class)
{
	double entry = -1;
	struct column column = { .count = 1, .row = &class, .entry = &entry, .id = SURPLUS };

	return simplex_enter(&m->simplex, &column);
}

/* The frame that is worth most at the prices of the mix, or LIQUID_NONE: none above 1. */
static uint32_t worthiest(const struct mixing *m)
{
	uint32_t best = LIQUID_NONE;
	double least = -ENTER_EPS;

	for (uint32_t frame = 0; frame < m->frames; frame++) {
		struct column column = column_of(m, frame);
		double excess = simplex_excess(&m->simplex, &column);

		if (excess < least) {
			least = excess;
			best = frame;
		}
	}
	return best;
}

static uint32_t below_zero(const struct mixing *m)
{
	uint32_t best = LIQUID_NONE;
	double least = -ENTER_EPS;

	for (uint32_t class = 0; class < m->classes->count; class++)
		if (m->simplex.price[class] < least) {
			least = m->simplex.price[class];
			best = class;
		}
	return best;
}

/* Enter frames of the pool until none makes the mix better; false: the work is spent. */
static bool settle(struct mixing *m)
{
	for (;;) {
		uint32_t frame = worthiest(m), class = below_zero(m);
		uint64_t work = simplex_work(&m->simplex) + (m->frames ? m->first[m->frames] : 0);
		struct column column;

		if (frame == LIQUID_NONE && class == LIQUID_NONE)
			return true;
		if (!budget_spend(m->budget, work))
			return false;
		if (class != LIQUID_NONE && frame == LIQUID_NONE) {
			if (!enter_surplus(m, class))
				return true;
			continue;
		}
		column = column_of(m, frame);
		if (!simplex_enter(&m->simplex, &column))
			return true;
	}
}

/* Sum up in sum[] what the mix carries; returns its frames. */
static double add_up(struct mixing *m)
{
	double frames = 0;

	for (uint32_t row = 0; row < m->classes->count; row++) {
		uint32_t frame = m->simplex.basic[row];
		double share = m->simplex.value[row];

		if (frame == SURPLUS || share <= 0)
			continue;
		frames += share;
		if (frame == FIRST_COLUMN) {	/* a frame of one transfer, of this class */
			m->sum[row] += share;
			continue;
		}
		for (size_t i = m->first[frame]; i < m->first[frame + 1]; i++)
			m->sum[m->class[i]] += share * m->count[i];
	}
	return frames;
}

/* Frames of the mix, whatever errors of rounding it has: all is scaled to carry what is needed. */
static void measure(struct mixing *m)
{
	const struct classes *c = m->classes;
	double frames = add_up(m), scale = 0;

	for (uint32_t class = 0; class < c->count; class++) {
		if (c->need[class] > scale * m->sum[class])
			scale = m->sum[class] > 0 ? c->need[class] / m->sum[class] : 1e30;
		m->sum[class] = 0;
	}
	if (frames * scale < m->mix->most)
		m->mix->most = frames * scale;
}

/* ---- prices ---- */

static double value_of(const struct mixing *m, const double *price)
{
	double value = 0;

	for (uint32_t class = 0; class < m->classes->count; class++)
		value += price[class] * m->classes->need[class];
	return value;
}

static void spread(struct mixing *m, double smooth)
{
	for (uint32_t class = 0; class < m->classes->count; class++) {
		double price = m->simplex.price[class] > 0 ? m->simplex.price[class] : 0;

		m->price[class] = smooth * m->mix->price[class] + (1 - smooth) * price;
	}
	for (uint32_t kind = 0; kind < m->classes->kinds; kind++)
		m->by_kind[kind] = m->price[m->classes->of_kind[kind]];
}

/*
 * Keep price[] as the best, scaled so that no known frame is worth more than 1. @last: even if it
 * is as good as the best, because prices of a mix have smaller denominators than means of them.
 */
static void keep_prices(struct mixing *m, double most, bool last)
{
	const double *price = m->price;

	for (uint32_t frame = 0; frame < m->frames; frame++) {
		double worth = worth_of(m, frame, price);

		most = worth > most ? worth : most;
	}
	budget_spend(m->budget, m->first[m->frames]);
	if (most <= 0 || value_of(m, price) / most <= m->mix->guess - (last ? ROUND_EPS : 0))
		return;
	for (uint32_t class = 0; class < m->classes->count; class++)
		m->mix->price[class] = price[class] / most;
	m->mix->guess = value_of(m, m->mix->price);
}

/* A new frame may be worth more than 1 at the best prices. */
static void judge_prices(struct mixing *m, uint32_t frame)
{
	double worth = worth_of(m, frame, m->mix->price);

	if (worth <= 1)
		return;
	for (uint32_t class = 0; class < m->classes->count; class++)
		m->mix->price[class] /= worth;
	m->mix->guess /= worth;
}

/* Look for frames at price[]; *@better: one makes the mix better. */
static bool seek(struct mixing *m, uint32_t moves, bool last, bool *better)
{
	double most = 0;

	*better = false;
	for (uint32_t i = 0; i < SEEKS; i++) {
		struct column column;
		double worth = frame_seek(&m->search, m->by_kind, moves);

		most = worth > most ? worth : most;
		if (!pool_best(m))
			return false;
		column = column_of(m, m->frames - 1);
		judge_prices(m, m->frames - 1);
		if (simplex_excess(&m->simplex, &column) < -ENTER_EPS)
			*better = true;
		else
			m->frames--;
	}
	keep_prices(m, most, last);
	budget_spend(m->budget, m->search.work);
	m->search.work = 0;
	return true;
}

static double round_up(double frames)
{
	double whole = (double)(uint64_t)frames;

	return frames > whole + ROUND_EPS ? whole + 1 : whole;
}

/* Can any prices prove more than is proven? */
static bool may_rise(const struct mixing *m)
{
	return round_up(m->mix->most) > m->bound;
}

static int generate(struct mixing *m, struct liquid_error *err)
{
	uint32_t moves = MOVES_LEAST;
	double smooth = 0;
	bool better;

	while (settle(m)) {
		measure(m);
		if (!may_rise(m) || moves > MOVES_MAX || m->frames > POOL_MAX) {
			m->mix->ended = true;
			break;
		}
		spread(m, smooth);
		if (!seek(m, moves, smooth <= 0, &better))
			return liquid_no_memory(err);
		if (!better && smooth <= 0)
			moves *= 4;
		smooth = better ? 0.6 : 0;
		if (!budget_left(m->budget))
			break;
	}
	measure(m);
	return LIQUID_OK;
}

/* Needs that differ a little keep the simplex method from going in circles. */
static void shake(struct mixing *m)
{
	for (uint32_t class = 0; class < m->classes->count; class++)
		m->sum[class] = m->classes->need[class] *
				(1 + SHAKE * (class * UINT64_C(7919) % 1009) / 1009);
}

static bool mixing_open(struct mixing *m, uint64_t seed)
{
	const struct classes *c = m->classes;
	bool good;

	m->mix->price = calloc((size_t)c->count + 1, sizeof(*m->mix->price));
	m->sum = calloc((size_t)c->count + 1, sizeof(*m->sum));
	m->price = calloc((size_t)c->count + 1, sizeof(*m->price));
	m->by_kind = calloc((size_t)c->kinds + 1, sizeof(*m->by_kind));
	good = m->mix->price && m->sum && m->price && m->by_kind && frame_open(&m->search, c, seed);
	if (good) {
		shake(m);
		good = simplex_open(&m->simplex, c->count, m->sum, 1, FIRST_COLUMN);
		memset(m->sum, 0, c->count * sizeof(*m->sum));
	}
	return good;
}

static void mixing_close(struct mixing *m)
{
	simplex_close(&m->simplex);
	frame_close(&m->search);
	free(m->first);
	free(m->class);
	free(m->count);
	free(m->sum);
	free(m->price);
	free(m->by_kind);
}

int mix_frames(struct mix *mix, const struct classes *classes, const struct routes *routes,
	       const uint32_t *frame, uint32_t length, uint32_t bound, uint64_t seed,
	       struct budget *budget, struct liquid_error *err)
{
	struct mixing m = { .classes = classes, .budget = budget, .mix = mix, .bound = bound };
	int status;

	*mix = (struct mix){ .most = length };
	if (mixing_open(&m, seed) && pool_schedule(&m, routes, frame))
		status = generate(&m, err);
	else
		status = liquid_no_memory(err);
	mixing_close(&m);
	return status;
}

void mix_clear(struct mix *mix)
{
	free(mix->price);
	*mix = (struct mix){ 0 };
}

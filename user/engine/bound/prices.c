// SPDX-License-Identifier: LGPL-2.1-or-later
/* Witnesses of a bound, made of the prices of a mix: see prices.h. */
#include <jansson.h>
#include <stdlib.h>

#include "bound/prices.h"
#include "bound/simplex.h"

#define DENOMINATOR_MAX 720u
#define FINE (1u << 20)			/* denominator of prices that have no small one */
#define PARTS_MAX 60u
#define PARTS_FINE 256u
#define WHOLE_EPS 1e-5
#define SLACK UINT32_MAX		/* id of a column that is not a pair */
#define SHAKE 1e-6
#define ENTRIES_MAX 1000000u		/* links of all pairs */

static uint32_t nearest(double x)
{
	return (uint32_t)(x + 0.5);
}

static bool is_whole(double x)
{
	double rest = x - nearest(x);

	return rest < WHOLE_EPS && rest > -WHOLE_EPS;
}

static bool are_whole(const double *x, uint32_t count, double times)
{
	for (uint32_t i = 0; i < count; i++)
		if (!is_whole(x[i] * times))
			return false;
	return true;
}

/* ---- prices ---- */

/* Whole prices: a frame is worth the denominator at most. Rounded down if that is FINE. */
static void round_prices(struct prices *p, const struct classes *c, const double *price)
{
	p->frame = 1;
	while (p->frame < DENOMINATOR_MAX && !are_whole(price, c->count, (double)p->frame))
		p->frame++;
	if (!are_whole(price, c->count, (double)p->frame))
		p->frame = FINE;
	p->traffic = 0;
	for (uint32_t class = 0; class < c->count; class++) {
		double exact = price[class] * (double)p->frame;

		p->of_class[class] = p->frame == FINE ? (uint32_t)exact : nearest(exact);
		p->traffic += p->of_class[class] * (uint64_t)c->need[class];
	}
}

uint64_t prices_bound(const struct prices *p)
{
	return (p->traffic + p->frame - 1) / p->frame;
}

static uint32_t price_of(const struct prices *p, const struct classes *c, uint32_t pair)
{
	return p->of_class[c->of_kind[c->of_pair[pair]]];
}

/* ---- multipliers ---- */

struct filling {
	const struct prices *prices;
	const struct classes *classes;
	const struct routes *routes;
	struct simplex simplex;
	double one[LIQUID_PATH_MAX];
};

static struct column column_of(const struct filling *f, uint32_t pair)
{
	uint32_t count;
	const uint32_t *links = routes_links(f->routes, pair, &count);

	return (struct column){
		.count = count, .row = links, .entry = f->one, .id = pair,
		.cost = -(double)price_of(f->prices, f->classes, pair) / (double)f->prices->frame,
	};
}

/* The pair, or the link's idle capacity (*@slack), that is worth most to put in */
static uint32_t best_entry(const struct filling *f, bool *slack)
{
	uint32_t best = LIQUID_NONE;
	double least = -SIMPLEX_TINY;

	*slack = false;
	for (uint32_t pair = 0; pair < f->routes->pair_count; pair++) {
		struct column column = column_of(f, pair);
		double excess = column.cost < 0 ? simplex_excess(&f->simplex, &column) : 0;

		if (excess < least) {
			least = excess;
			best = pair;
		}
	}
	for (uint32_t link = 0; link < f->routes->link_count; link++)
		if (-f->simplex.price[link] < least) {
			least = -f->simplex.price[link];
			best = link;
			*slack = true;
		}
	return best;
}

/* Fill a frame with parts of transfers until its links cost as much as it is worth. */
static void fill(struct filling *f)
{
	uint32_t steps = 20 * f->routes->link_count + 1000;

	while (steps--) {
		bool slack;
		uint32_t entry = best_entry(f, &slack);
		struct column column = { .count = 1, .row = &entry, .entry = f->one, .id = SLACK };

		if (entry == LIQUID_NONE)
			return;
		if (!slack)
			column = column_of(f, entry);
		if (!simplex_enter(&f->simplex, &column))
			return;
	}
}

/* Multipliers of the links in whole parts; they need not be exact. */
static void round_multipliers(struct prices *p, const struct filling *f, double *u)
{
	uint32_t links = f->routes->link_count;

	for (uint32_t link = 0; link < links; link++)
		u[link] = f->simplex.price[link] < 0 ?
			  -f->simplex.price[link] * (double)p->frame : 0;
	p->parts = 1;
	while (p->parts < PARTS_MAX && !are_whole(u, links, p->parts))
		p->parts++;
	if (!are_whole(u, links, p->parts))
		p->parts = PARTS_FINE;
	for (uint32_t link = 0; link < links; link++)
		p->multiplier[link] = nearest(u[link] * p->parts);
}

static int find_multipliers(struct prices *p, const struct classes *c, const struct routes *routes,
			    struct liquid_error *err)
{
	struct filling f = { .prices = p, .classes = c, .routes = routes };
	double *u = calloc((size_t)routes->link_count + 1, sizeof(*u));
	bool good = u;

	for (uint32_t i = 0; i < LIQUID_PATH_MAX; i++)
		f.one[i] = 1;
	/* Capacities that differ a little, so that the method does not go in circles */
	for (uint32_t link = 0; good && link < routes->link_count; link++)
		u[link] = routes->capacity[link] +
			  SHAKE * (double)(link * UINT64_C(7919) % 1009 + 1) / 1010;
	good = good && simplex_open(&f.simplex, routes->link_count, u, 0, SLACK);
	if (good) {
		fill(&f);
		round_multipliers(p, &f, u);
	}
	simplex_close(&f.simplex);
	free(u);
	return good ? LIQUID_OK : liquid_no_memory(err);
}

int prices_find(struct prices *p, const struct classes *c, const struct routes *routes,
		const double *price, struct liquid_error *err)
{
	*p = (struct prices){ .parts = 1 };
	p->of_class = calloc((size_t)c->count + 1, sizeof(*p->of_class));
	p->multiplier = calloc((size_t)routes->link_count + 1, sizeof(*p->multiplier));
	if (!p->of_class || !p->multiplier)
		return liquid_no_memory(err);
	round_prices(p, c, price);
	if (routes->link_count > SIMPLEX_ROWS_MAX ||
	    routes->first[routes->pair_count] > ENTRIES_MAX)
		return LIQUID_OK;
	return find_multipliers(p, c, routes, err);
}

void prices_clear(struct prices *p)
{
	free(p->of_class);
	free(p->multiplier);
	*p = (struct prices){ 0 };
}

/* ---- as JSON ---- */

/* Whether the multipliers, rounded down, prove as much as the prices */
static bool multipliers_suffice(const struct prices *p, const struct classes *c,
				const struct routes *routes)
{
	uint64_t frame = 0;

	for (uint32_t link = 0; link < routes->link_count; link++)
		frame += (uint64_t)p->multiplier[link] * routes->capacity[link];
	if (frame / p->parts > p->frame)
		return false;
	for (uint32_t pair = 0; pair < routes->pair_count; pair++) {
		uint64_t worth = 0;

		for (uint32_t i = routes->first[pair]; i < routes->first[pair + 1]; i++)
			worth += p->multiplier[routes->links[i]];
		if (worth / p->parts < price_of(p, c, pair))
			return false;
	}
	return true;
}

static int add_links(json_t *root, const struct prices *p, const struct routes *routes,
		     const struct liquid_fabric *fabric)
{
	char name[2 * LIQUID_NAME_MAX + 32];
	json_t *links = json_array();
	int bad = 0;

	for (uint32_t link = 0; link < routes->link_count; link++) {
		if (!p->multiplier[link])
			continue;
		liquid_fabric_link_name(fabric, routes->origin[link], name, sizeof(name));
		bad |= json_array_append_new(links, json_pack("[s,I]", name,
							      (json_int_t)p->multiplier[link]));
	}
	return bad | json_object_set_new(root, "links", links);
}

static int add_transfers(json_t *root, const struct prices *p, const struct classes *c,
			 const struct routes *routes, const struct liquid_fabric *fabric)
{
	json_t *transfers = json_array();
	int bad = 0;

	for (uint32_t pair = 0; pair < routes->pair_count; pair++) {
		json_int_t price = (json_int_t)price_of(p, c, pair) * p->parts;

		if (!price)
			continue;
		bad |= json_array_append_new(transfers, json_pack("[s,s,I]",
			liquid_fabric_node_name(fabric, routes->pairs[pair].src),
			liquid_fabric_node_name(fabric, routes->pairs[pair].dst), price));
	}
	return bad | json_object_set_new(root, "transfers", transfers);
}

char *prices_witness(const struct prices *p, const struct classes *c, const struct routes *routes,
		     const struct liquid_fabric *fabric)
{
	bool multipliers = multipliers_suffice(p, c, routes);
	json_t *root = json_object();
	char *text = NULL;
	int bad = json_object_set_new(root, "kind",
				      json_string(multipliers ? "multipliers" : "prices"));

	if (multipliers)
		bad |= json_object_set_new(root, "denominator", json_integer(p->parts));
	else
		bad |= json_object_set_new(root, "frame",
					   json_integer((json_int_t)p->frame * p->parts)) |
		       add_transfers(root, p, c, routes, fabric);
	bad |= add_links(root, p, routes, fabric);
	if (!bad)
		text = json_dumps(root, JSON_COMPACT | JSON_PRESERVE_ORDER);
	json_decref(root);
	return text;
}

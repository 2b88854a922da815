// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Windows: base frames that several blocks of a switch use one after another
 *
 * A block of as many hosts as a base frame has turns uses its links in all of them, a smaller one
 * in as many turns as it has hosts: its window, which may begin in any turn and goes on with the
 * first after the last. So hosts that are left when those of a switch are cut into full blocks cost
 * no more than their own turns, if their blocks have sizes that divide the turns.
 *
 * First fit, full blocks first, then the smaller ones, and of each size the transfers over the
 * fullest links first. A unit that finds no window moves another out of its way.
 */
#include <stdlib.h>

#include "compact/solver.h"
#include "compact/turns.h"

#define UNITS_MAX (1u << 24)
#define MORE_PART 16		/* base frames that may be opened, relative to those needed */
#define DEPTH 2			/* units that move for one that finds no window */
#define LOOKS_MORE 1000000	/* for all, besides one for each unit */
#define FEW 64			/* one in FEW units is left: of more, none is moved */
#define LOAD_FINE 20		/* binary places of the load of a link */
#define LOOKS_OF_UNIT 20000	/* for a window, or for who is in the way, for one that is left */

/* The more turns, the fewer units. Any smaller number of hosts is a sum of divisors of each. */
static const uint32_t turns_of[] = { TURNS_MAX, 6, 4, 2, 1 };

/* A pair is a switch, by its site, and a place: place * sites + site. */
struct windows {
	struct solver *solver;
	struct group group;		/* with its own blocks */
	struct turns rows;
	uint32_t sites, *site;		/* by site, and sites: first block of a switch */
	uint32_t pairs, *order;		/* pairs, the hardest first */
	uint64_t *load;			/* by link: hosts that send, in parts of its capacity */
	uint32_t *room;			/* by link: units at a time, as far as there are so many */
	uint32_t *at;			/* by unit, or LIQUID_NONE */
	uint32_t *left, lefts;		/* units without a window */
	size_t *pair_of;		/* by link, and links: its first of pair[] */
	uint32_t *pair;			/* the pairs that use it */
	uint64_t looks, all_looks;	/* that are left, for a unit and for all */
};

/* ---- blocks ---- */

static uint32_t piece(uint32_t turns, uint32_t hosts)
{
	uint32_t size = hosts < turns ? hosts : turns;

	while (turns % size)
		size--;
	return size;
}

/* The blocks of each switch, and where they begin */
static int cut(struct windows *now, uint32_t turns)
{
	struct group *group = &now->group;
	const struct group *from = &now->solver->group;
	size_t places = group->places;
	uint32_t end, blocks = 0;

	group->first = calloc(places + 2, sizeof(*group->first));
	group->home = calloc(places + 1, sizeof(*group->home));
	group->block = calloc(places + 1, sizeof(*group->block));
	now->site = calloc(places + 2, sizeof(*now->site));
	if (!group->first || !group->home || !group->block || !now->site)
		return solver_no_memory(now->solver);
	for (uint32_t p = 0; p < places; p = end) {
		uint32_t home = from->home[from->block[p]];

		for (end = p; end < places && from->home[from->block[end]] == home;)
			end++;
		now->site[now->sites++] = blocks;
		for (uint32_t size, q = p; q < end; q += size) {
			size = piece(turns, end - q);
			for (uint32_t i = 0; i < size; i++)
				group->block[q + i] = blocks;
			group->first[blocks] = q;
			group->home[blocks++] = home;
		}
	}
	group->first[blocks] = group->places;
	group->blocks = blocks;
	group->turns = turns;
	now->site[now->sites] = blocks;
	now->pairs = group->places * now->sites;
	return LIQUID_OK;
}

static uint32_t size_of(const struct windows *now, uint32_t block)
{
	return now->group.first[block + 1] - now->group.first[block];
}

/* Is the unit empty? */
static bool is_alone(const struct windows *now, uint32_t unit)
{
	uint32_t block = unit % now->group.blocks, place = unit / now->group.blocks;

	return size_of(now, block) == 1 && now->group.first[block] == place;
}

/* The links of @pair. Returns how many, 0 if it sends nothing, -1 if there is no route. */
static int pair_path(const struct windows *now, uint32_t pair, uint32_t link[LIQUID_PATH_MAX])
{
	uint32_t place = pair / now->sites, block = now->site[pair % now->sites];

	if (now->site[pair % now->sites + 1] == block + 1 &&
	    is_alone(now, place * now->group.blocks + block))
		return 0;
	return group_path(&now->group, block, place, link);
}

static void seeker_init(const struct windows *now, uint32_t unit, struct seeker *seeker)
{
	seeker->unit = unit;
	seeker->block = unit % now->group.blocks;
	seeker->size = size_of(now, seeker->block);
	seeker->links = (uint32_t)group_path(&now->group, seeker->block,
					     unit / now->group.blocks, seeker->link);
}

static void put(struct windows *now, const struct seeker *seeker, uint32_t at)
{
	now->at[seeker->unit] = at;
	turns_put(&now->rows, seeker, at);
}

static void take_out(struct windows *now, const struct seeker *seeker)
{
	turns_take_out(&now->rows, seeker, now->at[seeker->unit]);
	now->at[seeker->unit] = LIQUID_NONE;
}

/* Charges for the part of the rows that was looked at. */
static uint32_t find_window(struct windows *now, const struct seeker *seeker)
{
	uint32_t at = turns_find(&now->rows, seeker);
	uint32_t seen = at == LIQUID_NONE ? now->rows.frames : at / now->rows.turns;

	budget_spend(&now->solver->budget, (uint64_t)(seeker->links + 4) * seen / 8 + 100);
	return at;
}

/* ---- the order ---- */

static int add_loads(struct windows *now)
{
	const struct group *group = &now->group;
	uint32_t link[LIQUID_PATH_MAX];

	for (uint32_t i = 0; i < now->pairs; i++) {
		uint32_t first = now->site[i % now->sites], end = now->site[i % now->sites + 1];
		uint32_t place = i / now->sites;
		int links = pair_path(now, i, link);

		if (links < 0)
			return liquid_fail(now->solver->err, LIQUID_BAD_INPUT, "no route to %.200s",
					   liquid_fabric_node_name(group->fabric,
								   group->host[place]));
		for (int k = 0; k < links; k++) {
			uint32_t capacity = liquid_fabric_capacity(group->fabric, link[k]);
			uint32_t *room = &now->room[link[k]];

			now->load[link[k]] += ((uint64_t)(group->first[end] - group->first[first])
					       << LOAD_FINE) / capacity;
			*room = end - first < capacity - *room ? *room + end - first : capacity;
		}
	}
	return LIQUID_OK;
}

struct hard {
	uint64_t load;
	uint32_t pair;
};

static int compare_hard(const void *a, const void *b)
{
	const struct hard *one = a, *other = b;

	if (one->load != other->load)
		return one->load > other->load ? -1 : 1;
	return one->pair < other->pair ? -1 : one->pair > other->pair;
}

static int sort_pairs(struct windows *now)
{
	struct hard *hard = malloc(((size_t)now->pairs + 1) * sizeof(*hard));

	if (!hard)
		return solver_no_memory(now->solver);
	for (uint32_t i = 0; i < now->pairs; i++) {
		uint32_t link[LIQUID_PATH_MAX];
		int links = pair_path(now, i, link);

		hard[i] = (struct hard){ 0, i };
		for (int k = 0; k < links; k++)
			hard[i].load += now->load[link[k]];
	}
	qsort(hard, now->pairs, sizeof(*hard), compare_hard);
	for (uint32_t i = 0; i < now->pairs; i++)
		now->order[i] = hard[i].pair;
	free(hard);
	return LIQUID_OK;
}

/* ---- first fit ---- */

static void fit_unit(struct windows *now, uint32_t unit)
{
	struct seeker seeker;
	uint32_t at;

	seeker_init(now, unit, &seeker);
	at = find_window(now, &seeker);
	if (at == LIQUID_NONE)
		now->left[now->lefts++] = unit;
	else
		put(now, &seeker, at);
}

/* False: there is no time left. */
static bool first_fit(struct windows *now)
{
	for (uint32_t size = now->rows.turns; size; size--) {
		if (now->rows.turns % size)
			continue;
		for (uint32_t i = 0; i < now->pairs; i++) {
			uint32_t place = now->order[i] / now->sites;
			uint32_t s = now->order[i] % now->sites;

			if (!budget_left(&now->solver->budget))
				return false;
			for (uint32_t b = now->site[s]; b < now->site[s + 1]; b++) {
				uint32_t unit = place * now->group.blocks + b;

				if (size_of(now, b) == size && !is_alone(now, unit))
					fit_unit(now, unit);
			}
		}
	}
	return true;
}

/* ---- moving others out of the way ---- */

/* Which pairs use each link: counted, summed to where each ends, and filled in from there. */
static int list_pairs(struct windows *now)
{
	uint32_t links = liquid_fabric_link_count(now->group.fabric), link[LIQUID_PATH_MAX];
	size_t *end = calloc((size_t)links + 1, sizeof(*end));

	now->pair_of = end;
	if (!end)
		return solver_no_memory(now->solver);
	for (uint32_t i = 0; i < now->pairs; i++)
		for (int k = pair_path(now, i, link); k-- > 0;)
			end[link[k]]++;
	for (uint32_t l = 1; l <= links; l++)
		end[l] += end[l - 1];
	now->pair = malloc((end[links] + 1) * sizeof(*now->pair));
	if (!now->pair)
		return solver_no_memory(now->solver);
	for (uint32_t i = now->pairs; i-- > 0;)
		for (int k = pair_path(now, i, link); k-- > 0;)
			now->pair[--end[link[k]]] = i;
	return LIQUID_OK;
}

/* May one look more be taken? */
static bool look(struct windows *now)
{
	if (!now->looks || !now->all_looks || !budget_left(&now->solver->budget))
		return false;
	now->looks--;
	now->all_looks--;
	return true;
}

/* A unit on @link in @frame without which none of the turns @full is full, or LIQUID_NONE */
static uint32_t owner_of(struct windows *now, uint32_t link, uint32_t frame, uint16_t full)
{
	uint32_t turns = now->rows.turns;

	budget_spend(&now->solver->budget,
		     (now->pair_of[link + 1] - now->pair_of[link]) * 16);
	for (size_t i = now->pair_of[link]; i < now->pair_of[link + 1]; i++) {
		uint32_t place = now->pair[i] / now->sites, s = now->pair[i] % now->sites;

		for (uint32_t b = now->site[s]; b < now->site[s + 1]; b++) {
			uint32_t unit = place * now->group.blocks + b;
			uint32_t turn = now->at[unit] - frame * turns;

			if (turn < turns && !is_alone(now, unit) &&
			    !(full & ~turns_of_window(&now->rows, turn, size_of(now, b))))
				return unit;
		}
	}
	return LIQUID_NONE;
}

/* The only link of @seeker that is full in a turn of @window, or LIQUID_NONE */
static uint32_t link_in_the_way(const struct windows *now, const struct seeker *seeker,
				uint32_t frame, uint16_t window)
{
	uint32_t link = LIQUID_NONE;

	for (uint32_t k = 0; k < seeker->links; k++) {
		if (!(turns_full(&now->rows, seeker->link[k], frame) & window))
			continue;
		if (link != LIQUID_NONE)
			return LIQUID_NONE;
		link = seeker->link[k];
	}
	return link;
}

static bool settle(struct windows *now, uint32_t unit, int depth);

/* To @at, if whoever is in the way there finds another window */
static bool settle_at(struct windows *now, const struct seeker *seeker, uint32_t at, int depth)
{
	uint32_t frame = at / now->rows.turns, link, owner, was;
	uint16_t window = turns_of_window(&now->rows, at % now->rows.turns, seeker->size);
	struct seeker other;

	if (turns_begun(&now->rows, seeker->block, at))
		return false;
	link = link_in_the_way(now, seeker, frame, window);
	if (link == LIQUID_NONE || !look(now))
		return false;
	owner = owner_of(now, link, frame, turns_full(&now->rows, link, frame) & window);
	if (owner == LIQUID_NONE)
		return false;
	was = now->at[owner];
	seeker_init(now, owner, &other);
	take_out(now, &other);
	put(now, seeker, at);
	if (settle(now, owner, depth - 1))
		return true;
	take_out(now, seeker);
	put(now, &other, was);
	return false;
}

/* A window for @unit by moving up to @depth others; without one all stay where they are. */
static bool settle(struct windows *now, uint32_t unit, int depth)
{
	struct seeker seeker;
	uint32_t at;

	if (!look(now))
		return false;
	seeker_init(now, unit, &seeker);
	at = find_window(now, &seeker);
	if (at != LIQUID_NONE) {
		put(now, &seeker, at);
		return true;
	}
	for (at = 0; depth && at < now->rows.frames * now->rows.turns; at++)
		if (settle_at(now, &seeker, at, depth))
			return true;
	return false;
}

static void settle_left(struct windows *now, int depth)
{
	uint32_t count = now->lefts;

	now->lefts = 0;
	for (uint32_t i = 0; i < count; i++) {
		now->looks = LOOKS_OF_UNIT;
		if (!settle(now, now->left[i], depth))
			now->left[now->lefts++] = now->left[i];
	}
}

/* Many are left: base frames for a part of them. Few: one more */
static bool open_frames(struct windows *now, uint64_t units)
{
	struct turns *rows = &now->rows;
	uint64_t more = 1;

	if (now->lefts > units / FEW)
		more += (uint64_t)rows->frames * now->lefts / units / 4;
	if (rows->frames == rows->most)
		return false;
	rows->frames = more < rows->most - rows->frames ? rows->frames + (uint32_t)more :
		       rows->most;
	return true;
}

/* Until all have a window; base frames are opened as few as may do. LIQUID_LIMIT: too many */
static int pack(struct windows *now)
{
	uint64_t units = (uint64_t)now->group.places * now->group.blocks;
	bool time = first_fit(now);
	int status = time && now->lefts ? list_pairs(now) : LIQUID_OK;

	now->all_looks = units + LOOKS_MORE;
	for (bool more = time; !status && more && now->lefts; more = open_frames(now, units)) {
		settle_left(now, 0);
		for (int depth = 1; depth <= DEPTH && now->lefts <= units / FEW; depth++)
			settle_left(now, depth);
		if (!now->lefts)
			break;
	}
	if (!status && (!time || now->lefts))
		status = liquid_fail(now->solver->err, LIQUID_LIMIT, "no window for %u units",
				     now->lefts);
	return status;
}

/* ---- empty turns ---- */

/* Add @change to the units that send in each turn. A host that would send to itself does not. */
static void count_senders(const struct windows *now, uint32_t *senders, uint32_t unit, int change)
{
	uint32_t block = unit % now->group.blocks, turns = now->rows.turns;
	uint32_t start = now->at[unit] % turns, *of_frame = senders + (now->at[unit] - start);

	if (now->group.block[unit / now->group.blocks] == block)
		return;
	for (uint32_t i = 0; i < size_of(now, block); i++)
		of_frame[(start + i) % turns] += (uint32_t)change;
}

/* Do others send in all turns of @unit? */
static bool may_leave(const struct windows *now, const uint32_t *senders, uint32_t unit)
{
	uint32_t turns = now->rows.turns, start = now->at[unit] % turns;
	const uint32_t *of_frame = senders + (now->at[unit] - start);

	for (uint32_t i = 0; i < size_of(now, unit % now->group.blocks); i++)
		if (of_frame[(start + i) % turns] < 2)
			return false;
	return true;
}

/* Move @unit to where it sends in frame @at first, if there is room. */
static void bring(struct windows *now, uint32_t *senders, uint32_t unit, uint32_t at)
{
	uint32_t block = unit % now->group.blocks, frame = at / now->rows.turns;
	struct seeker seeker;
	uint16_t window;

	if (now->group.block[unit / now->group.blocks] == block ||
	    now->at[unit] / now->rows.turns == frame || !may_leave(now, senders, unit) ||
	    turns_begun(&now->rows, block, at))
		return;
	seeker_init(now, unit, &seeker);
	window = turns_of_window(&now->rows, at % now->rows.turns, seeker.size);
	for (uint32_t k = 0; k < seeker.links; k++)
		if (turns_full(&now->rows, seeker.link[k], frame) & window)
			return;
	count_senders(now, senders, unit, -1);
	take_out(now, &seeker);
	put(now, &seeker, at);
	count_senders(now, senders, unit, 1);
}

/* A base frame that was opened for few units has empty turns: a list has none. */
static int fill_idle(struct windows *now)
{
	uint32_t frames = now->rows.frames * now->rows.turns;
	uint32_t units = now->group.places * now->group.blocks;
	uint32_t *senders = calloc((size_t)frames + 1, sizeof(*senders));

	if (!senders)
		return solver_no_memory(now->solver);
	for (uint32_t u = 0; u < units; u++)
		if (!is_alone(now, u))
			count_senders(now, senders, u, 1);
	for (uint32_t at = 0; at < frames && budget_left(&now->solver->budget); at++) {
		uint32_t u = 0;

		for (; !senders[at] && u < units; u++)
			bring(now, senders, u, at);
		budget_spend(&now->solver->budget, (uint64_t)u * 16);
	}
	free(senders);
	return LIQUID_OK;
}

/* ---- all of it ---- */

static int begin(struct windows *now, uint32_t turns)
{
	uint32_t links = liquid_fabric_link_count(now->group.fabric);
	uint32_t frames = (now->solver->figures.duration + turns - 1) / turns;
	int status = cut(now, turns);
	size_t units = (size_t)now->group.places * now->group.blocks;

	if (status)
		return status;
	if (units > UNITS_MAX)
		return liquid_fail(now->solver->err, LIQUID_LIMIT, "too large for windows");
	now->at = malloc((units + 1) * sizeof(*now->at));
	now->left = malloc((units + 1) * sizeof(*now->left));
	now->order = malloc(((size_t)now->pairs + 1) * sizeof(*now->order));
	now->load = calloc((size_t)links + 1, sizeof(*now->load));
	now->room = calloc((size_t)links + 1, sizeof(*now->room));
	if (!now->at || !now->left || !now->order || !now->load || !now->room)
		return solver_no_memory(now->solver);
	for (uint32_t u = 0; u < units; u++)
		now->at[u] = is_alone(now, u) ? 0 : LIQUID_NONE;
	status = add_loads(now);
	if (!status)
		status = turns_new(&now->rows, turns, frames, frames + frames / MORE_PART + 1,
				   now->group.blocks, now->room, links, now->solver->err);
	return status ? status : sort_pairs(now);
}

static void end(struct windows *now)
{
	turns_free(&now->rows);
	free(now->group.first);
	free(now->group.home);
	free(now->group.block);
	free(now->site);
	free(now->load);
	free(now->room);
	free(now->at);
	free(now->order);
	free(now->left);
	free(now->pair_of);
	free(now->pair);
}

static uint32_t turns_for(uint32_t most)
{
	size_t i = 0;

	while (turns_of[i] > most)
		i++;
	return turns_of[i];
}

static int make_result(struct windows *now, struct liquid_schedule **schedule)
{
	const struct group *group = &now->group;
	const struct turns *rows = &now->rows;
	struct liquid_shape shape = {
		.places = group->places, .turns = rows->turns, .blocks = group->blocks,
		.classes = group->places, .kinds = 1, .frames = rows->frames * rows->turns,
		.first = group->first, .frame = now->at,
		.kind = { { 1, rows->frames, { 0 } } },
	};
	struct orbits *orbits;
	int status = orbits_new(&shape, &orbits, now->solver->err);

	return status ? status : result_of(now->solver, orbits, false, schedule);
}

int windows_solve(struct solver *solver, struct liquid_schedule **schedule)
{
	uint64_t outer = budget_narrow(&solver->budget, budget_left(&solver->budget) / 2);
	struct windows now = { .solver = solver, .group = solver->group };
	struct liquid_schedule *found = NULL;
	int status;

	now.group.first = now.group.home = now.group.block = NULL;
	status = begin(&now, turns_for(solver->group.turns));
	if (!status)
		status = pack(&now);
	if (!status)
		status = fill_idle(&now);
	if (!status)
		status = make_result(&now, &found);
	budget_widen(&solver->budget, outer);
	end(&now);
	if (status)
		liquid_schedule_free(found);
	else
		result_keep(schedule, found);
	return status == LIQUID_LIMIT ? LIQUID_OK : status;
}

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
static int cut(struct windows *win, uint32_t turns)
{
	struct group *group = &win->group;
	const struct group *from = &win->solver->group;
	size_t places = group->places;
	uint32_t end, blocks = 0;

	group->first = calloc(places + 2, sizeof(*group->first));
	group->home = calloc(places + 1, sizeof(*group->home));
	group->block = calloc(places + 1, sizeof(*group->block));
	win->site = calloc(places + 2, sizeof(*win->site));
	if (!group->first || !group->home || !group->block || !win->site)
		return liquid_no_memory(win->solver->err);
	for (uint32_t p = 0; p < places; p = end) {
		uint32_t home = from->home[from->block[p]];

		for (end = p; end < places && from->home[from->block[end]] == home;)
			end++;
		win->site[win->sites++] = blocks;
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
	win->site[win->sites] = blocks;
	win->pairs = group->places * win->sites;
	return LIQUID_OK;
}

static uint32_t size_of(const struct windows *win, uint32_t block)
{
	return win->group.first[block + 1] - win->group.first[block];
}

/* Is the unit empty? */
static bool is_alone(const struct windows *win, uint32_t unit)
{
	uint32_t block = unit % win->group.blocks, place = unit / win->group.blocks;

	return size_of(win, block) == 1 && win->group.first[block] == place;
}

/* The links of @pair. Returns how many, 0 if it sends nothing, -1 if there is no route. */
static int pair_path(const struct windows *win, uint32_t pair, uint32_t link[LIQUID_PATH_MAX])
{
	uint32_t place = pair / win->sites, block = win->site[pair % win->sites];

	if (win->site[pair % win->sites + 1] == block + 1 &&
	    is_alone(win, place * win->group.blocks + block))
		return 0;
	return group_path(&win->group, block, place, link);
}

static void seeker_init(const struct windows *win, uint32_t unit, struct seeker *seeker)
{
	seeker->unit = unit;
	seeker->block = unit % win->group.blocks;
	seeker->size = size_of(win, seeker->block);
	seeker->links = (uint32_t)group_path(&win->group, seeker->block,
					     unit / win->group.blocks, seeker->link);
}

static void put(struct windows *win, const struct seeker *seeker, uint32_t at)
{
	win->at[seeker->unit] = at;
	turns_put(&win->rows, seeker, at);
}

static void take_out(struct windows *win, const struct seeker *seeker)
{
	turns_take_out(&win->rows, seeker, win->at[seeker->unit]);
	win->at[seeker->unit] = LIQUID_NONE;
}

/* Charges for the part of the rows that was looked at. */
static uint32_t find_window(struct windows *win, const struct seeker *seeker)
{
	uint32_t at = turns_find(&win->rows, seeker);
	uint32_t seen = at == LIQUID_NONE ? win->rows.frames : at / win->rows.turns;

	budget_spend(&win->solver->budget, (uint64_t)(seeker->links + 4) * seen / 8 + 100);
	return at;
}

/* ---- the order ---- */

static int add_loads(struct windows *win)
{
	const struct group *group = &win->group;
	uint32_t link[LIQUID_PATH_MAX];

	for (uint32_t i = 0; i < win->pairs; i++) {
		uint32_t first = win->site[i % win->sites], end = win->site[i % win->sites + 1];
		uint32_t place = i / win->sites;
		int links = pair_path(win, i, link);

		if (links < 0)
			return liquid_fail(win->solver->err, LIQUID_BAD_INPUT, "no route to %.200s",
					   liquid_fabric_node_name(group->fabric,
								   group->host[place]));
		for (int k = 0; k < links; k++) {
			uint32_t capacity = liquid_fabric_capacity(group->fabric, link[k]);
			uint32_t *room = &win->room[link[k]];

			win->load[link[k]] += ((uint64_t)(group->first[end] - group->first[first])
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

static int sort_pairs(struct windows *win)
{
	struct hard *hard = malloc(((size_t)win->pairs + 1) * sizeof(*hard));

	if (!hard)
		return liquid_no_memory(win->solver->err);
	for (uint32_t i = 0; i < win->pairs; i++) {
		uint32_t link[LIQUID_PATH_MAX];
		int links = pair_path(win, i, link);

		hard[i] = (struct hard){ 0, i };
		for (int k = 0; k < links; k++)
			hard[i].load += win->load[link[k]];
	}
	qsort(hard, win->pairs, sizeof(*hard), compare_hard);
	for (uint32_t i = 0; i < win->pairs; i++)
		win->order[i] = hard[i].pair;
	free(hard);
	return LIQUID_OK;
}

/* ---- first fit ---- */

static void fit_unit(struct windows *win, uint32_t unit)
{
	struct seeker seeker;
	uint32_t at;

	seeker_init(win, unit, &seeker);
	at = find_window(win, &seeker);
	if (at == LIQUID_NONE)
		win->left[win->lefts++] = unit;
	else
		put(win, &seeker, at);
}

/* False: there is no time left. */
static bool first_fit(struct windows *win)
{
	for (uint32_t size = win->rows.turns; size; size--) {
		if (win->rows.turns % size)
			continue;
		for (uint32_t i = 0; i < win->pairs; i++) {
			uint32_t place = win->order[i] / win->sites;
			uint32_t s = win->order[i] % win->sites;

			if (!budget_left(&win->solver->budget))
				return false;
			for (uint32_t b = win->site[s]; b < win->site[s + 1]; b++) {
				uint32_t unit = place * win->group.blocks + b;

				if (size_of(win, b) == size && !is_alone(win, unit))
					fit_unit(win, unit);
			}
		}
	}
	return true;
}

/* ---- moving others out of the way ---- */

/* Which pairs use each link: counted, summed to where each ends, and filled in from there. */
static int list_pairs(struct windows *win)
{
	uint32_t links = liquid_fabric_link_count(win->group.fabric), link[LIQUID_PATH_MAX];
	size_t *end = calloc((size_t)links + 1, sizeof(*end));

	win->pair_of = end;
	if (!end)
		return liquid_no_memory(win->solver->err);
	for (uint32_t i = 0; i < win->pairs; i++)
		for (int k = pair_path(win, i, link); k-- > 0;)
			end[link[k]]++;
	for (uint32_t l = 1; l <= links; l++)
		end[l] += end[l - 1];
	win->pair = malloc((end[links] + 1) * sizeof(*win->pair));
	if (!win->pair)
		return liquid_no_memory(win->solver->err);
	for (uint32_t i = win->pairs; i-- > 0;)
		for (int k = pair_path(win, i, link); k-- > 0;)
			win->pair[--end[link[k]]] = i;
	return LIQUID_OK;
}

/* May one look more be taken? */
static bool look(struct windows *win)
{
	if (!win->looks || !win->all_looks || !budget_left(&win->solver->budget))
		return false;
	win->looks--;
	win->all_looks--;
	return true;
}

/* A unit on @link in @frame without which none of the turns @full is full, or LIQUID_NONE */
static uint32_t owner_of(struct windows *win, uint32_t link, uint32_t frame, uint16_t full)
{
	uint32_t turns = win->rows.turns;

	budget_spend(&win->solver->budget,
		     (win->pair_of[link + 1] - win->pair_of[link]) * 16);
	for (size_t i = win->pair_of[link]; i < win->pair_of[link + 1]; i++) {
		uint32_t place = win->pair[i] / win->sites, s = win->pair[i] % win->sites;

		for (uint32_t b = win->site[s]; b < win->site[s + 1]; b++) {
			uint32_t unit = place * win->group.blocks + b;
			uint32_t turn = win->at[unit] - frame * turns;

			if (turn < turns && !is_alone(win, unit) &&
			    !(full & ~turns_of_window(&win->rows, turn, size_of(win, b))))
				return unit;
		}
	}
	return LIQUID_NONE;
}

/* The only link of @seeker that is full in a turn of @window, or LIQUID_NONE */
static uint32_t link_in_the_way(const struct windows *win, const struct seeker *seeker,
				uint32_t frame, uint16_t window)
{
	uint32_t link = LIQUID_NONE;

	for (uint32_t k = 0; k < seeker->links; k++) {
		if (!(turns_full(&win->rows, seeker->link[k], frame) & window))
			continue;
		if (link != LIQUID_NONE)
			return LIQUID_NONE;
		link = seeker->link[k];
	}
	return link;
}

static bool settle(struct windows *win, uint32_t unit, int depth);

/* To @at, if whoever is in the way there finds another window */
static bool settle_at(struct windows *win, const struct seeker *seeker, uint32_t at, int depth)
{
	uint32_t frame = at / win->rows.turns, link, owner, was;
	uint16_t window = turns_of_window(&win->rows, at % win->rows.turns, seeker->size);
	struct seeker other;

	if (turns_begun(&win->rows, seeker->block, at))
		return false;
	link = link_in_the_way(win, seeker, frame, window);
	if (link == LIQUID_NONE || !look(win))
		return false;
	owner = owner_of(win, link, frame, turns_full(&win->rows, link, frame) & window);
	if (owner == LIQUID_NONE)
		return false;
	was = win->at[owner];
	seeker_init(win, owner, &other);
	take_out(win, &other);
	put(win, seeker, at);
	if (settle(win, owner, depth - 1))
		return true;
	take_out(win, seeker);
	put(win, &other, was);
	return false;
}

/* A window for @unit by moving up to @depth others; without one all stay where they are. */
static bool settle(struct windows *win, uint32_t unit, int depth)
{
	struct seeker seeker;
	uint32_t at;

	if (!look(win))
		return false;
	seeker_init(win, unit, &seeker);
	at = find_window(win, &seeker);
	if (at != LIQUID_NONE) {
		put(win, &seeker, at);
		return true;
	}
	for (at = 0; depth && at < win->rows.frames * win->rows.turns; at++)
		if (settle_at(win, &seeker, at, depth))
			return true;
	return false;
}

static void settle_left(struct windows *win, int depth)
{
	uint32_t count = win->lefts;

	win->lefts = 0;
	for (uint32_t i = 0; i < count; i++) {
		win->looks = LOOKS_OF_UNIT;
		if (!settle(win, win->left[i], depth))
			win->left[win->lefts++] = win->left[i];
	}
}

/* Many are left: base frames for a part of them. Few: one more */
static bool open_frames(struct windows *win, uint64_t units)
{
	struct turns *rows = &win->rows;
	uint64_t more = 1;

	if (win->lefts > units / FEW)
		more += (uint64_t)rows->frames * win->lefts / units / 4;
	if (rows->frames == rows->most)
		return false;
	rows->frames = more < rows->most - rows->frames ? rows->frames + (uint32_t)more :
		       rows->most;
	return true;
}

/* Until all have a window; base frames are opened as few as may do. LIQUID_LIMIT: too many */
static int pack(struct windows *win)
{
	uint64_t units = (uint64_t)win->group.places * win->group.blocks;
	bool time = first_fit(win);
	int status = time && win->lefts ? list_pairs(win) : LIQUID_OK;

	win->all_looks = units + LOOKS_MORE;
	for (bool more = time; !status && more && win->lefts; more = open_frames(win, units)) {
		settle_left(win, 0);
		for (int depth = 1; depth <= DEPTH && win->lefts <= units / FEW; depth++)
			settle_left(win, depth);
		if (!win->lefts)
			break;
	}
	if (!status && (!time || win->lefts))
		status = liquid_fail(win->solver->err, LIQUID_LIMIT, "no window for %u units",
				     win->lefts);
	return status;
}

/* ---- empty turns ---- */

/* Add @change to the units that send in each turn. A host that would send to itself does not. */
static void count_senders(const struct windows *win, uint32_t *senders, uint32_t unit, int change)
{
	uint32_t block = unit % win->group.blocks, turns = win->rows.turns;
	uint32_t start = win->at[unit] % turns, *of_frame = senders + (win->at[unit] - start);

	if (win->group.block[unit / win->group.blocks] == block)
		return;
	for (uint32_t i = 0; i < size_of(win, block); i++)
		of_frame[(start + i) % turns] += (uint32_t)change;
}

/* Do others send in all turns of @unit? */
static bool may_leave(const struct windows *win, const uint32_t *senders, uint32_t unit)
{
	uint32_t turns = win->rows.turns, start = win->at[unit] % turns;
	const uint32_t *of_frame = senders + (win->at[unit] - start);

	for (uint32_t i = 0; i < size_of(win, unit % win->group.blocks); i++)
		if (of_frame[(start + i) % turns] < 2)
			return false;
	return true;
}

/* Move @unit to where it sends in frame @at first, if there is room. */
static void bring(struct windows *win, uint32_t *senders, uint32_t unit, uint32_t at)
{
	uint32_t block = unit % win->group.blocks, frame = at / win->rows.turns;
	struct seeker seeker;
	uint16_t window;

	if (win->group.block[unit / win->group.blocks] == block ||
	    win->at[unit] / win->rows.turns == frame || !may_leave(win, senders, unit) ||
	    turns_begun(&win->rows, block, at))
		return;
	seeker_init(win, unit, &seeker);
	window = turns_of_window(&win->rows, at % win->rows.turns, seeker.size);
	for (uint32_t k = 0; k < seeker.links; k++)
		if (turns_full(&win->rows, seeker.link[k], frame) & window)
			return;
	count_senders(win, senders, unit, -1);
	take_out(win, &seeker);
	put(win, &seeker, at);
	count_senders(win, senders, unit, 1);
}

/* A base frame that was opened for few units has empty turns: a list has none. */
static int fill_idle(struct windows *win)
{
	uint32_t frames = win->rows.frames * win->rows.turns;
	uint32_t units = win->group.places * win->group.blocks;
	uint32_t *senders = calloc((size_t)frames + 1, sizeof(*senders));

	if (!senders)
		return liquid_no_memory(win->solver->err);
	for (uint32_t u = 0; u < units; u++)
		if (!is_alone(win, u))
			count_senders(win, senders, u, 1);
	for (uint32_t at = 0; at < frames && budget_left(&win->solver->budget); at++) {
		uint32_t u = 0;

		for (; !senders[at] && u < units; u++)
			bring(win, senders, u, at);
		budget_spend(&win->solver->budget, (uint64_t)u * 16);
	}
	free(senders);
	return LIQUID_OK;
}

/* ---- all of it ---- */

static int begin(struct windows *win, uint32_t turns)
{
	uint32_t links = liquid_fabric_link_count(win->group.fabric);
	uint32_t frames = (win->solver->figures.duration + turns - 1) / turns;
	int status = cut(win, turns);
	size_t units = (size_t)win->group.places * win->group.blocks;

	if (status)
		return status;
	if (units > UNITS_MAX)
		return liquid_fail(win->solver->err, LIQUID_LIMIT, "too large for windows");
	win->at = malloc((units + 1) * sizeof(*win->at));
	win->left = malloc((units + 1) * sizeof(*win->left));
	win->order = malloc(((size_t)win->pairs + 1) * sizeof(*win->order));
	win->load = calloc((size_t)links + 1, sizeof(*win->load));
	win->room = calloc((size_t)links + 1, sizeof(*win->room));
	if (!win->at || !win->left || !win->order || !win->load || !win->room)
		return liquid_no_memory(win->solver->err);
	for (uint32_t u = 0; u < units; u++)
		win->at[u] = is_alone(win, u) ? 0 : LIQUID_NONE;
	status = add_loads(win);
	if (!status)
		status = turns_new(&win->rows, turns, frames, frames + frames / MORE_PART + 1,
				   win->group.blocks, win->room, links, win->solver->err);
	return status ? status : sort_pairs(win);
}

static void end(struct windows *win)
{
	turns_free(&win->rows);
	free(win->group.first);
	free(win->group.home);
	free(win->group.block);
	free(win->site);
	free(win->load);
	free(win->room);
	free(win->at);
	free(win->order);
	free(win->left);
	free(win->pair_of);
	free(win->pair);
}

static uint32_t turns_for(uint32_t most)
{
	size_t i = 0;

	while (turns_of[i] > most)
		i++;
	return turns_of[i];
}

static int make_result(struct windows *win, struct liquid_schedule **schedule)
{
	const struct group *group = &win->group;
	const struct turns *rows = &win->rows;
	struct liquid_shape shape = {
		.places = group->places, .turns = rows->turns, .blocks = group->blocks,
		.classes = group->places, .kinds = 1, .frames = rows->frames * rows->turns,
		.first = group->first, .frame = win->at,
		.kind = { { 1, rows->frames, { 0 } } },
	};
	struct orbits *orbits;
	int status = orbits_new(&shape, &orbits, win->solver->err);

	return status ? status : result_of(win->solver, orbits, false, schedule);
}

int windows_solve(struct solver *solver, struct liquid_schedule **schedule)
{
	uint64_t outer = budget_narrow(&solver->budget, budget_left(&solver->budget) / 2);
	struct windows win = { .solver = solver, .group = solver->group };
	struct liquid_schedule *found = NULL;
	int status;

	win.group.first = win.group.home = win.group.block = NULL;
	status = begin(&win, turns_for(solver->group.turns));
	if (!status)
		status = pack(&win);
	if (!status)
		status = fill_idle(&win);
	if (!status)
		status = make_result(&win, &found);
	budget_widen(&solver->budget, outer);
	end(&win);
	if (status)
		liquid_schedule_free(found);
	else
		result_keep(schedule, found);
	return status == LIQUID_LIMIT ? LIQUID_OK : status;
}

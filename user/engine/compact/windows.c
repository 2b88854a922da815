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
#include <string.h>

#include "compact/windows.h"

#define UNITS_MAX (1u << 24)
#define CELLS_MAX (1u << 28)	/* of links and blocks, by base frame */
#define MORE_PART 16		/* base frames that may be opened, relative to those needed */
#define DEPTH 2			/* units that move for one that finds no window */
#define LOOKS_OF_UNIT 2000	/* searches for a window, for one that finds none */

/* Vectors of the compiler: the same result on every machine */
typedef uint16_t lanes __attribute__((vector_size(32), may_alias, aligned(2)));
typedef uint64_t lanes_together __attribute__((may_alias));
#define LANES (sizeof(lanes) / sizeof(uint16_t))

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__)
#define FOR_EACH_MACHINE __attribute__((target_clones("avx2", "default")))
#else
#define FOR_EACH_MACHINE
#endif

/* The more turns, the fewer units. Each number has divisors of which any remainder is made. */
static const uint32_t turns_of[] = { 12, 6, 4, 2, 1 };
#define TURNS_MAX 12

struct windows {
	struct solver *solver;
	struct group group;		/* with blocks of its own */
	uint32_t turns, frames, most;	/* open; memory is for */
	size_t row;			/* numbers of a row: at least most */
	uint32_t sites, *site;		/* by site, and sites: first block of a switch */
	size_t *full_of;		/* by link: row of the turns in which it is full; before ... */
	uint16_t *turn;			/* ... it, rows of those with one transfer less, and less */
	uint16_t *begun;		/* by block and frame: turns in which one of its units begins */
	uint16_t *pattern[TURNS_MAX + 1];	/* by size: turns that suit, by frame */
	uint32_t *at;			/* by unit: frame * turns + turn; LIQUID_NONE */
	uint32_t *order;		/* place * sites + site, the hardest first */
	uint32_t *left, lefts;		/* units without a window */
	size_t *pair_of;		/* by link, and links: its first of pair[] */
	uint32_t *pair;			/* the same numbers as in order[] */
	uint32_t looks;			/* that are left */
};

/* A unit and what it needs */
struct seeker {
	uint32_t unit, block, size;
	uint32_t link[LIQUID_PATH_MAX];
	int links;
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
static int cut(struct windows *now)
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
			size = piece(now->turns, end - q);
			for (uint32_t i = 0; i < size; i++)
				group->block[q + i] = blocks;
			group->first[blocks] = q;
			group->home[blocks++] = home;
		}
	}
	group->first[blocks] = group->places;
	group->blocks = blocks;
	group->turns = now->turns;
	now->site[now->sites] = blocks;
	return LIQUID_OK;
}

static uint32_t size_of(const struct windows *now, uint32_t block)
{
	return now->group.first[block + 1] - now->group.first[block];
}

/* Does nobody send in the unit? */
static bool is_alone(const struct windows *now, uint32_t unit)
{
	uint32_t block = unit % now->group.blocks, place = unit / now->group.blocks;

	return size_of(now, block) == 1 && now->group.first[block] == place;
}

static void seeker_init(const struct windows *now, uint32_t unit, struct seeker *seeker)
{
	seeker->unit = unit;
	seeker->block = unit % now->group.blocks;
	seeker->size = size_of(now, seeker->block);
	seeker->links = group_path(&now->group, seeker->block, unit / now->group.blocks,
				   seeker->link);
}

/* ---- turns ---- */

/* Turn @start and the @size - 1 after it */
static uint16_t window_of(const struct windows *now, uint32_t start, uint32_t size)
{
	uint32_t bits = ((1u << size) - 1) << start;

	return (uint16_t)((bits | bits >> now->turns) & ((1u << now->turns) - 1));
}

static uint16_t *full_in(const struct windows *now, uint32_t link, uint32_t frame)
{
	return now->turn + now->full_of[link] * now->row + frame;
}

static uint16_t *begun_in(const struct windows *now, uint32_t block, uint32_t frame)
{
	return now->begun + block * now->row + frame;
}

static uint32_t capacity_of(const struct windows *now, uint32_t link)
{
	return liquid_fabric_capacity(now->group.fabric, link);
}

static void put(struct windows *now, const struct seeker *seeker, uint32_t at)
{
	uint32_t frame = at / now->turns, start = at % now->turns;

	now->at[seeker->unit] = at;
	*begun_in(now, seeker->block, frame) |= (uint16_t)(1u << start);
	for (int k = 0; k < seeker->links; k++) {
		uint32_t capacity = capacity_of(now, seeker->link[k]);
		uint16_t *turn = full_in(now, seeker->link[k], frame) - (capacity - 1) * now->row;
		uint16_t window = window_of(now, start, seeker->size);

		for (uint32_t i = 0; i < capacity && window; i++, turn += now->row) {
			uint16_t more = *turn & window;

			*turn |= window;
			window = more;
		}
	}
}

static void take_out(struct windows *now, const struct seeker *seeker)
{
	uint32_t frame = now->at[seeker->unit] / now->turns;
	uint32_t start = now->at[seeker->unit] % now->turns;

	now->at[seeker->unit] = LIQUID_NONE;
	*begun_in(now, seeker->block, frame) &= (uint16_t)~(1u << start);
	for (int k = 0; k < seeker->links; k++) {
		uint16_t *turn = full_in(now, seeker->link[k], frame);
		uint16_t window = window_of(now, start, seeker->size);

		for (; window; turn -= now->row) {
			uint16_t here = *turn & window;

			*turn &= (uint16_t)~here;
			window &= (uint16_t)~here;
		}
	}
}

/* What a search for a window looks at: rows */
struct look {
	const uint16_t *full[LIQUID_PATH_MAX], *begun, *pattern;
	uint32_t links, frames, turns, size;
};

/* Of the turns that are @open keep those in which a window may begin: its length is doubled. */
static inline void keep_begins(lanes *open, uint32_t turns, uint32_t size)
{
	const uint16_t all = (uint16_t)((1u << turns) - 1);

	for (uint32_t have = 1, more; have < size; have += more) {
		more = have < size - have ? have : size - have;
		*open &= (*open >> (uint16_t)more | *open << (uint16_t)(turns - more)) & all;
	}
}

static inline bool is_any(const lanes *turns)
{
	uint64_t any = 0;

	for (uint32_t i = 0; i < LANES / 4; i++)
		any |= ((const lanes_together *)turns)[i];
	return any;
}

/* The first window that begins where the pattern says, or else the first of any; LIQUID_NONE */
FOR_EACH_MACHINE
static uint32_t find(const struct look *look)
{
	const uint16_t all = (uint16_t)((1u << look->turns) - 1);
	uint32_t other = LIQUID_NONE;

	for (uint32_t f = 0; f < look->frames; f += LANES) {
		lanes full = *(const lanes *)(look->full[0] + f), open, suits;

		for (uint32_t k = 1; k < look->links; k++)
			full |= *(const lanes *)(look->full[k] + f);
		if (look->size == look->turns) {
			open = (lanes)(full == 0) & all;
		} else {
			open = ~full & all;
			keep_begins(&open, look->turns, look->size);
		}
		open &= ~*(const lanes *)(look->begun + f);
		if (!is_any(&open))
			continue;
		suits = open & *(const lanes *)(look->pattern + f);
		for (uint32_t i = 0; i < LANES && f + i < look->frames; i++) {
			if (suits[i])
				return (f + i) * look->turns + (uint32_t)__builtin_ctz(suits[i]);
			if (open[i] && other == LIQUID_NONE)
				other = (f + i) * look->turns + (uint32_t)__builtin_ctz(open[i]);
		}
	}
	return other;
}

/* Windows of a link in a base frame begin a multiple of their size apart, so that they fill it. */
static uint32_t find_window(const struct windows *now, const struct seeker *seeker)
{
	struct look look = {
		.begun = begun_in(now, seeker->block, 0), .links = (uint32_t)seeker->links,
		.pattern = now->pattern[seeker->size] + seeker->link[0] % seeker->size,
		.frames = now->frames, .turns = now->turns, .size = seeker->size,
	};

	for (int k = 0; k < seeker->links; k++)
		look.full[k] = full_in(now, seeker->link[k], 0);
	return find(&look);
}

/* ---- the order ---- */

/* What each link carries, relative to its capacity */
static int add_loads(const struct windows *now, double *load)
{
	const struct group *group = &now->group;
	uint32_t link[LIQUID_PATH_MAX];

	for (uint32_t p = 0; p < group->places; p++)
		for (uint32_t s = 0; s < now->sites; s++) {
			uint32_t hosts = group->first[now->site[s + 1]] -
					 group->first[now->site[s]];
			int links = group_path(group, now->site[s], p, link);

			if (links <= 0)
				return liquid_fail(now->solver->err, LIQUID_BAD_INPUT,
						   "no route to %.200s",
						   liquid_fabric_node_name(group->fabric,
									   group->host[p]));
			for (int k = 0; k < links; k++)
				load[link[k]] += (double)hosts / capacity_of(now, link[k]);
		}
	return LIQUID_OK;
}

struct hard {
	float load;
	uint32_t pair;
};

static int compare_hard(const void *a, const void *b)
{
	const struct hard *one = a, *other = b;

	if (one->load > other->load || one->load < other->load)
		return one->load > other->load ? -1 : 1;
	return one->pair < other->pair ? -1 : one->pair > other->pair;
}

static int sort_pairs(struct windows *now)
{
	size_t pairs = (size_t)now->group.places * now->sites;
	double *load = calloc((size_t)liquid_fabric_link_count(now->group.fabric) + 1,
			      sizeof(*load));
	struct hard *hard = malloc((pairs + 1) * sizeof(*hard));
	int status = load && hard ? add_loads(now, load) : solver_no_memory(now->solver);

	for (uint32_t i = 0; !status && i < pairs; i++) {
		uint32_t link[LIQUID_PATH_MAX];
		int links = group_path(&now->group, now->site[i % now->sites], i / now->sites,
				       link);
		double sum = 0;

		for (int k = 0; k < links; k++)
			sum += load[link[k]];
		hard[i] = (struct hard){ (float)sum, i };
	}
	if (!status)
		qsort(hard, pairs, sizeof(*hard), compare_hard);
	for (size_t i = 0; !status && i < pairs; i++)
		now->order[i] = hard[i].pair;
	free(load);
	free(hard);
	return status;
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

static void first_fit(struct windows *now)
{
	size_t pairs = (size_t)now->group.places * now->sites;

	for (uint32_t size = now->turns; size; size--) {
		if (now->turns % size)
			continue;
		for (size_t i = 0; i < pairs; i++) {
			uint32_t place = now->order[i] / now->sites;
			uint32_t s = now->order[i] % now->sites;

			for (uint32_t b = now->site[s]; b < now->site[s + 1]; b++) {
				uint32_t unit = place * now->group.blocks + b;

				if (size_of(now, b) == size && !is_alone(now, unit))
					fit_unit(now, unit);
			}
		}
	}
}

/* ---- moving others out of the way ---- */

/* Which pairs use each link */
static int list_pairs(struct windows *now)
{
	uint32_t links = liquid_fabric_link_count(now->group.fabric), link[LIQUID_PATH_MAX];
	uint32_t pairs = now->group.places * now->sites;

	if (now->pair_of)
		return LIQUID_OK;
	now->pair_of = calloc((size_t)links + 2, sizeof(*now->pair_of));
	if (!now->pair_of)
		return solver_no_memory(now->solver);
	for (int fill = 0; fill < 2; fill++) {
		for (uint32_t i = 0; i < pairs; i++) {
			int n = group_path(&now->group, now->site[i % now->sites],
					   i / now->sites, link);

			for (int k = 0; k < n; k++) {
				size_t *next = &now->pair_of[link[k] + (fill ? 0 : 2)];

				if (fill)
					now->pair[now->pair_of[link[k] + 1]++] = i;
				else
					++*next;
			}
		}
		for (uint32_t l = 1; !fill && l <= links; l++)
			now->pair_of[l + 1] += now->pair_of[l];
		if (!fill)
			now->pair = malloc((now->pair_of[links + 1] + 1) * sizeof(*now->pair));
		if (!now->pair)
			return solver_no_memory(now->solver);
	}
	return LIQUID_OK;
}

/* The only unit whose window on @link in @frame meets @window, or LIQUID_NONE: there are several */
static uint32_t owner_of(const struct windows *now, uint32_t link, uint32_t frame, uint16_t window)
{
	uint32_t owner = LIQUID_NONE;

	for (size_t i = now->pair_of[link]; i < now->pair_of[link + 1]; i++) {
		uint32_t place = now->pair[i] / now->sites, s = now->pair[i] % now->sites;

		for (uint32_t b = now->site[s]; b < now->site[s + 1]; b++) {
			uint32_t unit = place * now->group.blocks + b;
			uint32_t turn = now->at[unit] - frame * now->turns;

			if (turn >= now->turns || is_alone(now, unit) ||
			    !(window_of(now, turn, size_of(now, b)) & window))
				continue;
			if (owner != LIQUID_NONE)
				return LIQUID_NONE;
			owner = unit;
		}
	}
	return owner;
}

/* The only link of @seeker that is full in a turn of @window, or LIQUID_NONE */
static uint32_t link_in_the_way(const struct windows *now, const struct seeker *seeker,
				uint32_t frame, uint16_t window)
{
	uint32_t link = LIQUID_NONE;

	for (int k = 0; k < seeker->links; k++) {
		if (!(*full_in(now, seeker->link[k], frame) & window))
			continue;
		if (link != LIQUID_NONE)
			return LIQUID_NONE;
		link = seeker->link[k];
	}
	return link;
}

static bool settle(struct windows *now, uint32_t unit, int depth);

/* Into @frame from turn @start on, if whoever is there finds another window */
static bool settle_at(struct windows *now, const struct seeker *seeker, uint32_t frame,
		      uint32_t start, int depth)
{
	uint16_t window = window_of(now, start, seeker->size);
	uint32_t link, owner, was;
	struct seeker other;

	if (*begun_in(now, seeker->block, frame) >> start & 1)
		return false;
	link = link_in_the_way(now, seeker, frame, window);
	owner = link == LIQUID_NONE ? link : owner_of(now, link, frame, window);
	if (owner == LIQUID_NONE)
		return false;
	was = now->at[owner];
	seeker_init(now, owner, &other);
	take_out(now, &other);
	put(now, seeker, frame * now->turns + start);
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

	if (!now->looks)
		return false;
	now->looks--;
	seeker_init(now, unit, &seeker);
	at = find_window(now, &seeker);
	if (at != LIQUID_NONE) {
		put(now, &seeker, at);
		return true;
	}
	for (uint32_t frame = 0; depth && frame < now->frames; frame++)
		for (uint32_t start = 0; start < now->turns; start++)
			if (settle_at(now, &seeker, frame, start, depth))
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

/* Until all have a window; base frames are opened as few as may do. LIQUID_LIMIT: too many */
static int pack(struct windows *now)
{
	int status;

	first_fit(now);
	status = now->lefts ? list_pairs(now) : LIQUID_OK;
	while (!status && now->lefts) {
		for (int depth = 1; depth <= DEPTH && now->lefts; depth++)
			settle_left(now, depth);
		if (!now->lefts)
			break;
		if (now->frames == now->most)
			return liquid_fail(now->solver->err, LIQUID_LIMIT, "%u units find no "
					   "window", now->lefts);
		now->frames++;
	}
	return status;
}

/* ---- turns in which nobody sends ---- */

/* Add @change to the units that send in each turn. A host that would send to itself does not. */
static void count_senders(const struct windows *now, uint32_t *senders, uint32_t unit, int change)
{
	uint32_t block = unit % now->group.blocks, start = now->at[unit] % now->turns;
	uint32_t *of_frame = senders + (now->at[unit] - start);

	if (now->group.block[unit / now->group.blocks] == block)
		return;
	for (uint32_t i = 0; i < size_of(now, block); i++)
		of_frame[(start + i) % now->turns] += (uint32_t)change;
}

/* Do others send in all turns of @unit? */
static bool may_leave(const struct windows *now, const uint32_t *senders, uint32_t unit)
{
	uint32_t start = now->at[unit] % now->turns;
	const uint32_t *of_frame = senders + (now->at[unit] - start);

	for (uint32_t i = 0; i < size_of(now, unit % now->group.blocks); i++)
		if (of_frame[(start + i) % now->turns] < 2)
			return false;
	return true;
}

/* Move @unit to where it sends in frame @at first, if there is room. */
static bool bring(struct windows *now, uint32_t *senders, uint32_t unit, uint32_t at)
{
	struct seeker seeker;
	uint16_t window;

	if (is_alone(now, unit) || now->at[unit] / now->turns == at / now->turns ||
	    now->group.block[unit / now->group.blocks] == unit % now->group.blocks ||
	    !may_leave(now, senders, unit))
		return false;
	seeker_init(now, unit, &seeker);
	window = window_of(now, at % now->turns, seeker.size);
	if (*begun_in(now, seeker.block, at / now->turns) >> at % now->turns & 1)
		return false;
	for (int k = 0; k < seeker.links; k++)
		if (*full_in(now, seeker.link[k], at / now->turns) & window)
			return false;
	count_senders(now, senders, unit, -1);
	take_out(now, &seeker);
	put(now, &seeker, at);
	count_senders(now, senders, unit, 1);
	return true;
}

/* A base frame that was opened for few units has turns in which nobody sends: a list has none. */
static int fill_idle(struct windows *now)
{
	uint32_t *senders = calloc((size_t)now->frames * now->turns + 1, sizeof(*senders));
	uint32_t units = now->group.places * now->group.blocks;

	if (!senders)
		return solver_no_memory(now->solver);
	for (uint32_t u = 0; u < units; u++)
		if (!is_alone(now, u))
			count_senders(now, senders, u, 1);
	for (uint32_t at = 0; at < now->frames * now->turns; at++)
		for (uint32_t u = 0; !senders[at] && u < units; u++)
			bring(now, senders, u, at);
	free(senders);
	return LIQUID_OK;
}

/* ---- memory ---- */

static int make_rows(struct windows *now)
{
	const struct liquid_fabric *fabric = now->group.fabric;
	uint32_t links = liquid_fabric_link_count(fabric);
	uint64_t rows = 0;

	now->row = (now->most + LANES - 1) / LANES * LANES;
	now->full_of = calloc((size_t)links + 1, sizeof(*now->full_of));
	if (!now->full_of)
		return solver_no_memory(now->solver);
	for (uint32_t l = 0; l < links; l++) {
		rows += liquid_fabric_capacity(fabric, l);
		now->full_of[l] = rows - 1;
	}
	if ((rows + now->group.blocks) * now->row > CELLS_MAX)
		return liquid_fail(now->solver->err, LIQUID_LIMIT, "too large for windows");
	now->turn = calloc(rows * now->row + LANES, sizeof(*now->turn));
	now->begun = calloc(now->group.blocks * now->row + LANES, sizeof(*now->begun));
	if (!now->turn || !now->begun)
		return solver_no_memory(now->solver);
	for (uint32_t size = 1; size <= now->turns; size++) {
		now->pattern[size] = calloc(now->row + size + LANES, sizeof(uint16_t));
		if (!now->pattern[size])
			return solver_no_memory(now->solver);
		for (size_t f = 0; f < now->row + size; f++)
			for (uint32_t t = f % size; t < now->turns; t += size)
				now->pattern[size][f] |= (uint16_t)(1u << t);
	}
	return LIQUID_OK;
}

static int begin(struct windows *now)
{
	size_t units, pairs;
	int status = cut(now);

	if (status)
		return status;
	units = (size_t)now->group.places * now->group.blocks;
	pairs = (size_t)now->group.places * now->sites;
	if (units > UNITS_MAX)
		return liquid_fail(now->solver->err, LIQUID_LIMIT, "too large for windows");
	now->frames = (now->solver->figures.duration + now->turns - 1) / now->turns;
	now->most = now->frames + now->frames / MORE_PART + 1;
	now->at = malloc((units + 1) * sizeof(*now->at));
	now->left = malloc((units + 1) * sizeof(*now->left));
	now->order = malloc((pairs + 1) * sizeof(*now->order));
	if (!now->at || !now->left || !now->order)
		return solver_no_memory(now->solver);
	for (uint32_t u = 0; u < units; u++)
		now->at[u] = is_alone(now, u) ? 0 : LIQUID_NONE;
	status = make_rows(now);
	return status ? status : sort_pairs(now);
}

static void end(struct windows *now)
{
	free(now->group.first);
	free(now->group.home);
	free(now->group.block);
	free(now->site);
	free(now->full_of);
	free(now->turn);
	free(now->begun);
	for (uint32_t size = 0; size <= TURNS_MAX; size++)
		free(now->pattern[size]);
	free(now->at);
	free(now->order);
	free(now->left);
	free(now->pair_of);
	free(now->pair);
}

static uint32_t choose_turns(uint32_t most)
{
	size_t i = 0;

	while (turns_of[i] > most)
		i++;
	return turns_of[i];
}

static int make_result(struct windows *now, struct liquid_compact **compact)
{
	const struct group *group = &now->group;
	struct liquid_shape shape = {
		.places = group->places, .turns = now->turns, .blocks = group->blocks,
		.classes = group->places, .kinds = 1, .frames = now->frames * now->turns,
		.first = group->first, .frame = now->at,
		.kind = { { 1, now->frames, { 0 } } },
	};
	int status = compact_new(&shape, compact, now->solver->err);

	return status ? status : result_fill(now->solver, *compact, false);
}

int windows_solve(struct solver *solver, struct liquid_compact **compact)
{
	struct windows now = { .solver = solver, .group = solver->group };
	struct liquid_compact *found = NULL;
	int status;

	now.group.first = now.group.home = now.group.block = NULL;
	now.turns = choose_turns(solver->group.turns);
	status = begin(&now);
	if (!status)
		status = pack(&now);
	if (!status)
		status = fill_idle(&now);
	if (!status)
		status = make_result(&now, &found);
	end(&now);
	if (!status && (!*compact || found->shape.frames < (*compact)->head->info.length)) {
		liquid_compact_free(*compact);
		*compact = found;
		found = NULL;
	}
	liquid_compact_free(found);
	return status == LIQUID_LIMIT ? LIQUID_OK : status;
}

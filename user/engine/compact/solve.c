// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Finding a compact schedule of an all-to-all
 *
 * The shifts of the tables are found once. Each choice of shifts and phases has a bound of its own:
 * how many base frames its units need by their number in each cell. Those whose bounds are least
 * are packed by first fit, and the shortest of them again with all work.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compact/pack.h"
#include "compact/receivers.h"
#include "problem/divisor.h"
#include "schedule/compact.h"

#define WORK_DEFAULT UINT64_C(1000000000)
#define WORK_OF_PLACE 2000000	/* at most: more gains little */
#define MANY_PAIRS (1u << 20)	/* transfers for as much more work, ... */
#define WORK_MORE 15		/* ... up to so much */
#define FINE_UNITS_MAX (1u << 23)	/* without shifts */
#define TURNS_UNITS_MAX (1u << 23)	/* in smaller blocks than switches have hosts */
#define SMALL_UNITS (1u << 13)		/* without shifts, even where there are some */
#define CHOICES_MAX 40
#define FACTORS 10		/* weights of shifts that are tried */
#define DRAWS 40		/* of them, until they are as many */
#define TRIALS 3		/* part of the work that finds the best choice */
#define COARSE 1.15			/* of the least bound or length: choices to try */

/* Numbers that each shift of blocks is weighed with: units modulo the phases */
struct factors {
	uint32_t of[LIQUID_SHIFTS_MAX];
};

/* A way to describe the exchange */
struct choice_of_kinds {
	struct group group;		/* link_to[] are those of the solver's group */
	uint32_t fine, phases;		/* of base frames of the two kinds; 0: none */
	struct factors factors;
	struct cells cells[PACK_ARENAS];	/* while it is weighed or packed */
	uint32_t arenas, frames[PACK_ARENAS];
	uint32_t classes, *origin;
	uint64_t bound;			/* frames; 0: impossible */
	uint32_t length;		/* as packed */
	uint64_t rating;		/* of a trial: the less, the better */
	bool rest;			/* the first arena is for what the second leaves */
	bool self;			/* units of blocks to themselves have a base frame */
};

struct solver {
	struct group group;
	struct liquid_solve_options options;
	struct liquid_schedule_info figures;
	struct choice_of_kinds choice[CHOICES_MAX];
	uint32_t choices;
	uint64_t work;
	struct liquid_error *err;
};

static int no_memory(const struct solver *solver)
{
	return liquid_fail(solver->err, LIQUID_NO_MEMORY, "no memory for the schedule");
}

/* ---- choices ---- */

static int find_origins(struct solver *solver, struct choice_of_kinds *choice)
{
	const struct group *group = &choice->group;

	choice->origin = calloc((size_t)group->places + 1, sizeof(*choice->origin));
	if (!choice->origin)
		return no_memory(solver);
	for (uint32_t p = 0; p < group->places; p++) {
		bool origin = true;

		for (uint32_t i = 0; i < group->shifts; i++)
			origin &= !group_digit(&group->shift[i], p);
		if (origin)
			choice->origin[choice->classes++] = p;
	}
	return LIQUID_OK;
}

/* Base frames that as many uses of each class need */
static double frames_for(const struct cells *cells, const uint32_t *uses)
{
	double most = 0;

	for (uint32_t c = 0; c < cells->cells; c += cells->span[c])
		if (cells->room[c] && uses[c] > most * cells->room[c] * cells->span[c])
			most = uses[c] / ((double)cells->room[c] * cells->span[c]);
	return most;
}

/*
 * Frames of each arena: of the second as many as what fits nowhere else needs, of the first the
 * rest. @own, @all: uses by those units and by all, each in cells of the two arenas
 */
static void count_frames(struct choice_of_kinds *choice, uint32_t *own, uint32_t *all)
{
	const struct cells *last = &choice->cells[choice->arenas - 1];
	uint32_t phases = last->phases, turns = choice->group.turns;
	uint32_t fine = choice->cells[0].phases;
	double need = frames_for(&choice->cells[0], all), rest;

	if (choice->arenas == 1) {
		choice->frames[0] = (uint32_t)ceil(need - 1e-9);
		choice->bound = (uint64_t)choice->frames[0] * phases * turns;
		return;
	}
	choice->frames[1] = (uint32_t)ceil(frames_for(last, own) - 1e-9);
	rest = choice->rest ? 0 : need - (double)choice->frames[1] * phases / fine;
	choice->frames[0] = rest > 0 ? (uint32_t)ceil(rest - 1e-9) : 0;
	choice->bound = ((uint64_t)choice->frames[0] * fine +
			 (uint64_t)choice->frames[1] * phases) * turns;
}

/* A whole base frame for transfers within switches is no loss where receivers decide. */
static bool may_have_self(const struct choice_of_kinds *choice, const uint32_t *all)
{
	const struct cells *cells = &choice->cells[0];
	uint32_t links = liquid_fabric_link_count(choice->group.fabric);

	if (choice->arenas > 1 || cells->phases > 1 || choice->group.turns == 1)
		return false;
	for (uint32_t l = 0; l < links; l++) {
		uint32_t c = cells->first[choice->group.blocks + l];
		bool last = liquid_fabric_link(choice->group.fabric, l)->to <
			    liquid_fabric_host_count(choice->group.fabric);

		if (!last && c != LIQUID_NONE &&
		    all[c] > (uint64_t)cells->room[c] * cells->span[c] * (choice->frames[0] - 1))
			return false;
	}
	return true;
}

static int weigh(struct solver *solver, struct choice_of_kinds *choice)
{
	const struct group *group = &choice->group;
	uint32_t resource[CELLS_OF_UNIT];
	uint32_t *all = calloc((size_t)choice->cells[0].cells + 1, sizeof(*all));
	uint32_t *own = calloc((size_t)choice->cells[choice->arenas - 1].cells + 1, sizeof(*own));
	bool fit = all && own;

	for (uint32_t c = 0; fit && c < choice->classes; c++)
		for (uint32_t b = 0; fit && b < group->blocks; b++) {
			int n = cells_unit(group, b, choice->origin[c], resource);
			bool first = n <= 0 || cells_hold(&choice->cells[0], resource, n);

			fit = n >= 0 && (first || (choice->arenas > 1 &&
						   cells_hold(&choice->cells[1], resource, n)));
			for (int k = 0; fit && k < n; k++) {
				all[choice->cells[0].first[resource[k]]]++;
				if (!first || choice->rest)
					own[choice->cells[1].first[resource[k]]]++;
			}
		}
	if (fit) {
		count_frames(choice, own, all);
		choice->self = may_have_self(choice, all);
	}
	fit = all && own;
	free(all);
	free(own);
	return fit ? LIQUID_OK : no_memory(solver);
}

static bool is_shift_of_blocks(const struct group *group, uint32_t i)
{
	return group->shift[i].stride >= group->turns;
}

static const struct factors ones = { { 1, 1, 1, 1, 1, 1, 1, 1 } };

static int add_kind(struct solver *solver, struct choice_of_kinds *choice, uint32_t phases)
{
	const struct group *group = &choice->group;
	uint32_t weight[LIQUID_SHIFTS_MAX] = { 0 };

	for (uint32_t i = 0; i < group->shifts; i++)
		if (is_shift_of_blocks(group, i))
			weight[i] = (uint32_t)((uint64_t)choice->factors.of[i] *
				(phases / common_divisor(group->shift[i].count, phases)) % phases);
	return cells_new(group, phases, weight, &choice->cells[choice->arenas++], solver->err);
}

static int make_cells(struct solver *solver, struct choice_of_kinds *choice)
{
	int status = LIQUID_OK;

	choice->arenas = 0;
	if (choice->fine)
		status = add_kind(solver, choice, choice->fine);
	if (!status && choice->phases > choice->fine)
		status = add_kind(solver, choice, choice->phases);
	return status;
}

static void drop_cells(struct choice_of_kinds *choice)
{
	for (uint32_t a = 0; a < choice->arenas; a++)
		cells_free(&choice->cells[a]);
}

/* Consider base frames of @fine phases, or 0, and of @phases, if those are more. */
static int consider(struct solver *solver, const struct group *group, uint32_t fine,
		    uint32_t phases, const struct factors *factors, bool rest)
{
	struct choice_of_kinds *choice = &solver->choice[solver->choices];
	int status;

	if (solver->choices == CHOICES_MAX)
		return LIQUID_OK;
	*choice = (struct choice_of_kinds){ .group = *group, .fine = fine, .phases = phases,
					    .factors = *factors, .rest = rest };
	solver->choices++;
	status = find_origins(solver, choice);
	if (!status)
		choice->group.pool = receivers_may_pool(group, choice->origin, choice->classes);
	if (!status)
		status = make_cells(solver, choice);
	if (!status)
		status = weigh(solver, choice);
	drop_cells(choice);
	return status;
}

/* The least number but 1 that divides @n, or 1 */
static uint32_t least_divisor(uint32_t n)
{
	for (uint32_t d = 2; d * d <= n; d++)
		if (n % d == 0)
			return d;
	return 1;
}

/* The @n-th number that has no divisor in common with @phases, round and round from 1 */
static uint32_t nth_unit(uint32_t phases, uint32_t n)
{
	uint32_t unit = 1;

	while (n) {
		unit = unit % phases + 1;
		n -= common_divisor(unit, phases) == 1;
	}
	return unit;
}

/* The other shifts of blocks get larger and larger units, those of the same size drawn anew. */
static struct factors draw_factors(const struct group *group, uint32_t phases,
				   struct random *random)
{
	struct factors factors = ones;

	for (uint32_t i = 1; i < group->shifts; i++) {
		uint32_t unit = nth_unit(phases, random_below(random, phases)), k = i;

		for (; k > 1 && factors.of[k - 1] > unit; k--)
			factors.of[k] = factors.of[k - 1];
		factors.of[k] = unit;
	}
	return factors;
}

static bool is_new(const struct factors *factors, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!memcmp(&factors[i], &factors[count], sizeof(*factors)))
			return false;
	return true;
}

/*
 * Several weights of the shifts. Where all are equal, the transfers along one and along another
 * fill the same phases: weights that differ are better by far on tori, and best with one that turns
 * back. Which of them is left to trials.
 */
static int consider_factors(struct solver *solver, const struct group *group, uint32_t phases)
{
	uint32_t divisor = least_divisor(phases), fine = divisor > 1 ? phases / divisor : 1;
	struct factors factors[FACTORS + 1] = { ones };
	struct random random = { phases };
	int status = consider(solver, group, fine, phases, &factors[0], true);

	for (uint32_t draw = 0, count = 1; !status && draw < DRAWS && count < FACTORS; draw++) {
		factors[count] = draw_factors(group, phases, &random);
		if (is_new(factors, count))
			status = consider(solver, group, fine, phases, &factors[count++],
					  true);
	}
	return status;
}

/* All numbers of phases that a shift of blocks has, and the least that all of them have */
static int consider_group(struct solver *solver, const struct group *group)
{
	uint64_t common = 1;
	int status = consider(solver, group, 1, 1, &ones, false);

	for (uint32_t i = 0; i < group->shifts; i++)
		if (is_shift_of_blocks(group, i) && common <= group->places)
			common *= group->shift[i].count /
				  common_divisor((uint32_t)common, group->shift[i].count);

	for (uint32_t i = 0; !status && i < group->shifts; i++) {
		bool again = !is_shift_of_blocks(group, i);

		for (uint32_t k = 0; k < i; k++)
			again |= is_shift_of_blocks(group, k) &&
				 group->shift[k].count == group->shift[i].count;
		if (group->shift[i].count == common)
			common = 1;
		if (!again)
			status = consider_factors(solver, group, group->shift[i].count);
		if (!status && !again)
			status = consider(solver, group, 1, group->shift[i].count, &ones, false);
	}
	if (!status && common > 1 && common <= group->places)
		status = consider(solver, group, 0, (uint32_t)common, &ones, false);
	return status;
}

/*
 * Where switches have different numbers of hosts, turns of the largest leave the others idle: cut
 * all into smaller blocks, as far as that shortens the bound.
 */
static int choose_turns(struct solver *solver)
{
	struct group *group = &solver->group;
	uint32_t best = group->turns;
	uint64_t least = UINT64_MAX;
	int status = LIQUID_OK;

	if (group->shifts)
		return LIQUID_OK;
	for (uint32_t turns = best; turns && least > solver->figures.duration;
	     turns -= (turns + 15) / 16) {
		status = group_cut(group, turns, solver->err);
		if (status || (uint64_t)group->places * group->blocks > TURNS_UNITS_MAX)
			break;
		status = consider(solver, group, 1, 1, &ones, false);
		if (!status && solver->choice[0].bound < least) {
			best = turns;
			least = solver->choice[0].bound;
		}
		free(solver->choice[0].origin);
		solver->choices = 0;
		if (status)
			break;
	}
	return status ? status : group_cut(group, best, solver->err);
}

static int find_choices(struct solver *solver)
{
	struct group group = solver->group;
	uint64_t units = (uint64_t)group.places * group.blocks;
	bool found = false;
	int status = LIQUID_OK;

	if (group.shifts)
		status = consider_group(solver, &group);
	if (!status && group.shifts && !is_shift_of_blocks(&group, 0)) {
		group.shifts--;
		for (uint32_t i = 0; i < group.shifts; i++) {
			group.shift[i] = group.shift[i + 1];
			group.link_to[i] = group.link_to[i + 1];
		}
		if (group.shifts)
			status = consider_group(solver, &group);
	}
	for (uint32_t i = 0; i < solver->choices; i++)
		found |= solver->choice[i].bound != 0;
	group.shifts = 0;
	if (!status && (!found || units <= SMALL_UNITS) && units <= FINE_UNITS_MAX)
		status = consider(solver, &group, 1, 1, &ones, false);
	return status;
}

/* ---- figures ---- */

/* Duration and fluid bound, by the loads of classes of links under all shifts */
static int measure(struct solver *solver)
{
	const struct group *group = &solver->group;
	uint32_t links = liquid_fabric_link_count(group->fabric), resource[CELLS_OF_UNIT];
	static const uint32_t none[LIQUID_SHIFTS_MAX];
	struct choice_of_kinds choice = { .group = *group };
	uint64_t *load = NULL, *size = NULL;
	int status = find_origins(solver, &choice);

	if (!status)
		status = cells_new(group, 1, none, &choice.cells[0], solver->err);
	if (!status) {
		load = calloc((size_t)choice.cells[0].cells + 1, sizeof(*load));
		size = calloc((size_t)choice.cells[0].cells + 1, sizeof(*size));
		status = load && size ? LIQUID_OK : no_memory(solver);
	}
	for (uint32_t l = 0; !status && l < links; l++)
		if (choice.cells[0].first[group->blocks + l] != LIQUID_NONE)
			size[choice.cells[0].first[group->blocks + l]]++;
	for (uint32_t c = 0; !status && c < choice.classes; c++)
		for (uint32_t b = 0; !status && b < group->blocks; b++) {
			uint32_t place = choice.origin[c];
			uint64_t sent = group->first[b + 1] - group->first[b] -
					(group->block[place] == b);
			int n = cells_unit(group, b, place, resource);

			if (n < 0)
				status = liquid_fail(solver->err, LIQUID_BAD_INPUT,
						     "no route to %.200s",
						     liquid_fabric_node_name(group->fabric,
									     group->host[place]));
			for (int k = 1; k < n; k++)
				load[choice.cells[0].first[resource[k]]] += sent;
		}
	solver->figures.duration = group->places - 1;
	solver->figures.fluid_bound = group->places - 1;
	for (uint32_t l = 0; !status && l < links; l++) {
		uint32_t cell = choice.cells[0].first[group->blocks + l];
		uint64_t per = cell == LIQUID_NONE ? 0 :
			       size[cell] * liquid_fabric_capacity(group->fabric, l);
		uint64_t all = per ? load[cell] * group_order(group) : 0;

		if (per && (all + per - 1) / per > solver->figures.duration)
			solver->figures.duration = (uint32_t)((all + per - 1) / per);
		/* one division of whole numbers, so that all who compute it get the same */
		if (per && (double)(all / size[cell]) /
			   liquid_fabric_capacity(group->fabric, l) > solver->figures.fluid_bound)
			solver->figures.fluid_bound = (double)(all / size[cell]) /
				liquid_fabric_capacity(group->fabric, l);
	}
	free(load);
	free(size);
	cells_free(&choice.cells[0]);
	free(choice.origin);
	return status;
}

/* ---- the result ---- */

/* Frames that come before the @arena: those of the second are first. */
static uint32_t start_of(const struct pack *pack, uint32_t arena)
{
	return arena || pack->arenas == 1 ? 0 :
	       pack->arena[1].frames * pack->arena[1].cells->phases * pack->group->turns;
}

/* Slots are given as units come; those of a block in a base frame and phase have others each. */
static int give_slots(struct solver *solver, const struct pack *pack, bool idle,
		      struct liquid_compact *compact)
{
	const struct group *group = pack->group;
	uint32_t *slots[PACK_ARENAS] = { NULL };
	int status = LIQUID_OK;

	for (uint32_t a = 0; a < pack->arenas; a++) {
		const struct arena *arena = &pack->arena[a];

		slots[a] = calloc((size_t)arena->cells->cells * arena->frames + 1,
				  sizeof(*slots[a]));
		status = slots[a] ? status : no_memory(solver);
	}
	for (uint32_t u = 0; !status && u < pack->units; u++) {
		const struct pack_unit *unit = &pack->unit[u];
		const struct arena *arena = &pack->arena[unit->arena];
		uint32_t block = u % group->blocks, place = pack->origin[u / group->blocks], slot;

		compact->frame[u] = 0;
		if (unit->frame == LIQUID_NONE)
			continue;
		slot = slots[unit->arena][(size_t)cells_of(arena->cells, block, unit->phase) *
					  arena->frames + unit->frame]++;
		/* in a frame of such units, those that send to themselves do so in the last turn */
		if (idle && unit->frame == arena->frames - 1 && !unit->arena)
			slot = place - group->first[block] + 1;
		compact->frame[u] = start_of(pack, unit->arena) +
			(unit->frame * arena->cells->phases + unit->phase) * group->turns +
			(group->turns - slot % group->turns) % group->turns;
	}
	for (uint32_t a = 0; a < PACK_ARENAS; a++)
		free(slots[a]);
	return status;
}

/*
 * If some base frame of one phase has units of blocks to themselves alone, nobody sends in one of
 * its turns: let it be the last, and leave that frame out.
 */
static bool find_idle(struct pack *pack)
{
	const struct group *group = pack->group;
	uint32_t frames = pack->arena[0].frames, idle = LIQUID_NONE;
	bool *other = calloc((size_t)frames + 1, sizeof(*other));

	if (pack->arena[0].cells->phases > 1 || group->turns == 1 || !other) {
		free(other);
		return false;
	}
	for (uint32_t i = 0; i < pack->orders; i++) {
		uint32_t u = pack->order[i];

		if (!pack->unit[u].arena &&
		    group->block[pack->origin[u / group->blocks]] != u % group->blocks)
			other[pack->unit[u].frame] = true;
	}
	for (uint32_t f = 0; f < frames; f++)
		idle = other[f] ? idle : f;
	free(other);
	for (uint32_t i = 0; idle != LIQUID_NONE && i < pack->orders; i++) {
		struct pack_unit *unit = &pack->unit[pack->order[i]];

		if (unit->arena || (unit->frame != idle && unit->frame != frames - 1))
			continue;
		unit->frame = unit->frame == idle ? frames - 1 : idle;
	}
	return idle != LIQUID_NONE;
}

static void shape_of(const struct pack *pack, const struct choice_of_kinds *choice,
		     struct liquid_shape *shape)
{
	const struct group *group = &choice->group;

	*shape = (struct liquid_shape){
		.places = group->places, .turns = group->turns, .blocks = group->blocks,
		.classes = choice->classes, .shifts = group->shifts, .first = group->first,
	};
	memcpy(shape->shift, group->shift, sizeof(shape->shift));
	for (uint32_t a = pack->arenas; a-- > 0;) {
		const struct arena *arena = &pack->arena[a];
		struct liquid_kind *kind = &shape->kind[shape->kinds];

		if (!arena->frames)
			continue;
		*kind = (struct liquid_kind){ arena->cells->phases, arena->frames, { 0 } };
		memcpy(kind->weight, arena->cells->weight, sizeof(kind->weight));
		shape->frames += arena->frames * arena->cells->phases * group->turns;
		shape->kinds++;
	}
}

static int fill_figures(struct solver *solver, struct liquid_compact *compact, bool idle)
{
	const struct group *group = &solver->group;
	struct liquid_schedule *head = compact->head;
	struct liquid_schedule_info *info = &head->info;
	int status;

	info->seed = solver->options.seed;
	info->work = solver->options.work;
	info->unit_bytes = solver->options.unit_bytes;
	info->link_rate_bps = solver->options.link_rate_bps;
	info->transfers = (uint64_t)group->places * (group->places - 1);
	info->duration = info->lower_bound = solver->figures.duration;
	info->fluid_bound = solver->figures.fluid_bound;
	info->length = compact->shape.frames - idle;
	info->certificate = info->length == info->duration ? LIQUID_CERT_LIQUID : LIQUID_CERT_GAP;
	if (!schedule_set_text(&head->fabric_name, &info->fabric_name,
			       liquid_fabric_name(group->fabric)) ||
	    !schedule_set_text(&head->method, &info->method, "compact"))
		return no_memory(solver);
	for (uint32_t p = 0; p < group->places; p++) {
		compact->names[p] = strdup(liquid_fabric_node_name(group->fabric, group->host[p]));
		if (!compact->names[p])
			return no_memory(solver);
	}
	status = compact_sort_names(compact, solver->err);
	if (!status)
		status = compact_traffic_digest(compact, head->traffic_digest, solver->err);
	return status ? status : liquid_fabric_digest(group->fabric, head->fabric_digest,
						      solver->err);
}

static int make_result(struct solver *solver, struct pack *pack,
		       const struct choice_of_kinds *choice, struct liquid_compact **compact)
{
	bool idle = find_idle(pack);
	struct liquid_shape shape;
	int status;

	shape_of(pack, choice, &shape);
	status = compact_new(&shape, compact, solver->err);
	if (!status)
		status = give_slots(solver, pack, idle, *compact);
	return status ? status : fill_figures(solver, *compact, idle);
}

static int start_pack(struct solver *solver, struct choice_of_kinds *choice, uint64_t work,
		      struct pack *pack)
{
	int status = make_cells(solver, choice);

	*pack = (struct pack){
		.group = &choice->group, .origin = choice->origin,
		.units = choice->classes * choice->group.blocks, .arenas = choice->arenas,
		.rest = choice->rest, .work = work, .least = choice->bound / choice->group.turns,
		.random.state = solver->options.seed,
	};
	for (uint32_t a = 0; a < pack->arenas; a++) {
		pack->arena[a].cells = &choice->cells[a];
		pack->arena[a].frames = choice->frames[a];
		pack->arena[a].most = choice->frames[a] + choice->frames[a] / 8 + 32;
	}
	return status ? status : pack_new(pack, solver->err);
}

/* Pack @choice, and keep the result if it is shorter than *@compact. */
static int improve(struct solver *solver, struct choice_of_kinds *choice, uint64_t work,
		   struct liquid_compact **compact)
{
	struct liquid_compact *other = NULL;
	struct pack pack;
	int status = start_pack(solver, choice, work, &pack);

	if (!status)
		status = pack_all(&pack, choice->self, solver->err);
	if (!status && choice->group.pool)
		status = receivers_assign(&pack, solver->err);
	if (!status)
		status = make_result(solver, &pack, choice, &other);
	pack_free(&pack);
	drop_cells(choice);
	choice->length = status ? UINT32_MAX : other->head->info.length;
	if (!status && (!*compact || choice->length < (*compact)->head->info.length)) {
		liquid_compact_free(*compact);
		*compact = other;
	} else {
		liquid_compact_free(other);
	}
	return status == LIQUID_LIMIT ? LIQUID_OK : status;
}

/* May @choice be shorter than what there is? */
static bool may_improve(const struct choice_of_kinds *choice, const struct liquid_compact *compact)
{
	return choice->bound && (!compact || choice->bound < compact->head->info.length);
}

/* Rate @choice by a trial: its bound, longer by the part of its units that find no place. */
static int rate(struct solver *solver, struct choice_of_kinds *choice, uint64_t work)
{
	struct pack pack;
	uint64_t crowd;
	int status = start_pack(solver, choice, work, &pack);

	if (!status)
		status = pack_try(&pack, choice->self, &crowd, solver->err);
	choice->rating = status ? UINT64_MAX :
			 choice->bound * 1024 + choice->bound * crowd * 16 / (pack.orders + 1);
	pack_free(&pack);
	drop_cells(choice);
	return status == LIQUID_LIMIT ? LIQUID_OK : status;
}

/* Those that are the shortest by first fit get a trial each, and the best of them the rest. */
static int try_choices(struct solver *solver, struct liquid_compact **compact)
{
	uint32_t least = (*compact)->head->info.length, count = 0, best = LIQUID_NONE;
	bool in[CHOICES_MAX] = { false };
	int status = LIQUID_OK;

	for (uint32_t i = 0; i < solver->choices; i++) {
		in[i] = (double)solver->choice[i].length <= COARSE * (double)least &&
			may_improve(&solver->choice[i], *compact);
		count += in[i];
	}
	for (uint32_t i = 0; !status && i < solver->choices; i++) {
		if (!in[i])
			continue;
		if (count > 1)
			status = rate(solver, &solver->choice[i],
				      solver->work / TRIALS / count);
		if (best == LIQUID_NONE || solver->choice[i].rating < solver->choice[best].rating)
			best = i;
	}
	if (status || best == LIQUID_NONE)
		return status;
	return improve(solver, &solver->choice[best],
		       count > 1 ? solver->work - solver->work / TRIALS : solver->work, compact);
}

/* First fit of each choice that may be the shortest; then the work for those that were. */
static int pack_choices(struct solver *solver, struct liquid_compact **compact)
{
	uint64_t least = UINT64_MAX;
	int status = LIQUID_OK;

	for (uint32_t i = 0; i < solver->choices; i++)
		if (solver->choice[i].bound && solver->choice[i].bound < least)
			least = solver->choice[i].bound;
	for (uint32_t i = 0; !status && i < solver->choices; i++) {
		struct choice_of_kinds *choice = &solver->choice[i];

		choice->length = UINT32_MAX;
		if (may_improve(choice, *compact) &&
		    (double)choice->bound <= COARSE * (double)least)
			status = improve(solver, choice, 0, compact);
	}
	if (status)
		return status;
	if (!*compact)
		return liquid_fail(solver->err, LIQUID_LIMIT, "too large for a compact schedule: "
				   "the tables keep too few shifts");
	return try_choices(solver, compact);
}

static int take_options(struct solver *solver, const struct liquid_solve_options *options)
{
	uint64_t unit = liquid_fabric_unit_rate(solver->group.fabric);
	uint64_t more = (uint64_t)solver->group.places * solver->group.places / MANY_PAIRS;

	if (options)
		solver->options = *options;
	if (!solver->options.work)
		solver->options.work = WORK_DEFAULT;
	/* more hosts have more to do in a move, and few are soon done */
	more = more < WORK_MORE ? more : WORK_MORE;
	solver->work = solver->options.work;
	if (solver->work / WORK_OF_PLACE > solver->group.places)
		solver->work = (uint64_t)solver->group.places * WORK_OF_PLACE;
	solver->work *= 1 + more;
	if (!solver->options.link_rate_bps)
		solver->options.link_rate_bps = unit;
	if (unit && solver->options.link_rate_bps != unit)
		return liquid_fail(solver->err, LIQUID_BAD_INPUT,
				   "the rate of a unit is not that of the fabric");
	if (solver->options.method || solver->options.from)
		return liquid_fail(solver->err, LIQUID_BAD_INPUT, "a compact schedule has neither "
				   "a method nor an earlier schedule");
	return LIQUID_OK;
}

int liquid_compact_solve(const struct liquid_fabric *fabric, const uint32_t *hosts, size_t count,
			 const struct liquid_solve_options *options,
			 struct liquid_compact **compact, struct liquid_error *err)
{
	struct solver *solver = calloc(1, sizeof(*solver));
	int status;

	*compact = NULL;
	if (!solver)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the solver");
	solver->err = err;
	status = group_new(fabric, hosts, count, &solver->group, err);
	if (!status)
		status = take_options(solver, options);
	if (!status)
		status = group_cut(&solver->group, 0, err);
	if (!status)
		status = group_find_shifts(&solver->group, err);
	if (!status)
		status = measure(solver);
	if (!status)
		status = choose_turns(solver);
	if (!status)
		status = find_choices(solver);
	if (!status)
		status = pack_choices(solver, compact);
	if (!status)
		status = liquid_compact_verify(fabric, *compact, err);
	if (status) {
		liquid_compact_free(*compact);
		*compact = NULL;
	}
	for (uint32_t i = 0; i < solver->choices; i++)
		free(solver->choice[i].origin);
	group_free(&solver->group);
	free(solver);
	return status;
}

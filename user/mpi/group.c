// SPDX-License-Identifier: LGPL-2.1-or-later
/* What is known of a communicator */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "group.h"

enum { SETUP_DUPLICATE, SETUP_NAMES, SETUP_DONE };

struct group *group_new(const struct environment *env, const struct agree *agree, MPI_Comm comm)
{
	struct group *group = calloc(1, sizeof(*group));
	int rank, ranks;

	if (!group)
		return NULL;
	PMPI_Comm_rank(comm, &rank);
	PMPI_Comm_size(comm, &ranks);
	group->env = env;
	group->agree = agree;
	group->comm = MPI_COMM_NULL;
	group->rank = (uint32_t)rank;
	group->ranks = (uint32_t)ranks;
	group->skip_next = 1;
	group->names = calloc((size_t)ranks, sizeof(*group->names));
	for (int i = 0; i < CALL_KINDS; i++) {
		group->book[i] = calloc(1, sizeof(*group->book[i]));
		if (group->book[i])
			way_init(group->book[i], env->mode, env->min_bytes);
	}
	if (group->names && group->book[CALL_KINDS - 1])
		return group;
	group_free(group, false);
	return NULL;
}

void group_free(struct group *group, bool finalizing)
{
	group_forget_plans(group);
	if (group->planning)
		planning_clear(group->planning);
	free(group->planning);
	wiring_clear(&group->wiring);
	planner_free(group->planner);
	for (int i = 0; i < CALL_KINDS; i++)
		free(group->book[i]);
	free(group->name);
	free(group->names);
	if (group->comm != MPI_COMM_NULL && !finalizing)
		PMPI_Comm_free(&group->comm);
	free(group);
}

/* ---- set-up ---- */

int group_setup(struct group *group, MPI_Comm comm)
{
	group->step = SETUP_DUPLICATE;
	return PMPI_Comm_idup(comm, &group->comm, &group->request);
}

static int send_names(struct group *group)
{
	char *own = group->names[group->rank];

	PMPI_Comm_set_errhandler(group->comm, MPI_ERRORS_RETURN);
	if (group->env->host)
		snprintf(own, sizeof(*group->names), "%s", group->env->host);
	else
		gethostname(own, sizeof(*group->names) - 1);
	return PMPI_Iallgather(MPI_IN_PLACE, 0, MPI_CHAR, group->names, sizeof(*group->names),
			       MPI_CHAR, group->comm, &group->request);
}

static const struct wire_ops *choose_wire(const struct environment *env)
{
#ifdef LIQUID_MPI_VERBS
	if (env->wire != ENV_WIRE_P2P)
		return &wire_verbs;
#endif
	(void)env;
	return &wire_p2p;
}

static int take_names(struct group *group)
{
	group->wiring.comm = group->comm;
	group->wiring.ops = choose_wire(group->env);
	group->wiring.env = group->env;
	group->wiring.rank = group->rank;
	group->wiring.ranks = group->ranks;
	if (group->rank != LEADER)
		return MPI_SUCCESS;
	group->name = calloc(group->ranks, sizeof(*group->name));
	if (!group->name)
		return MPI_ERR_NO_MEM;
	for (uint32_t i = 0; i < group->ranks; i++)
		group->name[i] = group->names[i];
	group->planner = planner_new(group->env->fabric, group->name, group->ranks);
	return group->planner ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

int group_setup_step(struct group *group, bool *done, bool *moved)
{
	int error, arrived;

	*done = group->step == SETUP_DONE;
	if (*done)
		return MPI_SUCCESS;
	error = PMPI_Test(&group->request, &arrived, MPI_STATUS_IGNORE);
	if (error || !arrived)
		return error;
	*moved = true;
	if (group->step++ == SETUP_DUPLICATE)
		return send_names(group);
	*done = true;
	return take_names(group);
}

/* ---- plans ---- */

static void drop_plan(struct group_plan *plan)
{
	liquid_plan_free(plan->plan);
	free(plan->use);
	*plan = (struct group_plan){ 0 };
}

void group_forget_plans(struct group *group)
{
	for (int i = 0; i < GROUP_PLANS; i++)
		drop_plan(&group->plan[i]);
}

struct group_plan *group_find_plan(struct group *group, const struct digest *rows)
{
	for (int i = 0; i < GROUP_PLANS; i++) {
		struct group_plan *plan = &group->plan[i];

		if (!plan->plan || memcmp(&plan->rows, rows, sizeof(*rows)))
			continue;
		plan->used = group->calls;
		return plan;
	}
	return NULL;
}

/* An empty place, or that of the plan that was used longest ago: the same on all ranks */
static struct group_plan *find_place(struct group *group)
{
	struct group_plan *place = &group->plan[0];

	for (int i = 0; i < GROUP_PLANS; i++)
		if (group->plan[i].used < place->used)
			place = &group->plan[i];
	drop_plan(place);
	return place;
}

int group_plan_start(struct group *group, const uint64_t *row)
{
	group->planning = calloc(1, sizeof(*group->planning));
	if (!group->planning)
		return MPI_ERR_NO_MEM;
	group->planning->comm = group->comm;
	group->planning->rank = group->rank;
	group->planning->ranks = group->ranks;
	group->planning->planner = group->planner;
	return planning_start(group->planning, row);
}

static void add_out(const struct group *group, const struct liquid_plan *plan, uint8_t *use)
{
	const struct liquid_token *token;
	const struct liquid_piece *piece;
	uint32_t pieces, tokens;

	piece = liquid_plan_pieces(plan, group->rank, &pieces);
	for (uint32_t i = 0; i < pieces; i++) {
		use[piece[i].peer] |= WIRE_DATA;
		token = liquid_plan_tokens(plan, group->rank, i, &tokens);
		for (uint32_t k = 0; k < tokens; k++)
			use[token[k].rank] |= WIRE_TOKENS;
	}
}

static void add_in(const struct group *group, const struct liquid_plan *plan, uint8_t *use)
{
	const struct liquid_incoming *in;
	const uint32_t *giver;
	uint32_t count;

	in = liquid_plan_incoming(plan, group->rank, &count);
	for (uint32_t i = 0; i < count; i++)
		use[in[i].peer] |= WIRE_DATA;
	giver = liquid_plan_givers(plan, group->rank, &count);
	for (uint32_t i = 0; i < count; i++)
		use[giver[i]] |= WIRE_TOKENS;
}

/* With whom this rank exchanges what. The other end of each pair finds the same. */
static uint8_t *find_use(const struct group *group, const struct liquid_plan *plan)
{
	uint8_t *use = calloc(group->ranks, 1);

	if (!use)
		return NULL;
	add_out(group, plan, use);
	add_in(group, plan, use);
	use[group->rank] = 0;
	return use;
}

/* The place is taken in any case, so that all ranks have the same plans in the same places. */
static int keep_plan(struct group *group, const struct digest *rows)
{
	struct group_plan *place = find_place(group);
	struct planning *planning = group->planning;

	place->use = find_use(group, planning->plan);
	if (!place->use)
		return CANNOT_MEMORY;
	place->plan = planning->plan;
	planning->plan = NULL;
	place->rows = *rows;
	place->rate = planning->head.rate;
	place->used = group->calls;
	group->fabric = planning->head.fabric;
	return CANNOT_NOTHING;
}

int group_plan_step(struct group *group, const struct digest *rows, bool *done, int *cannot,
		    bool *moved)
{
	struct planning *planning = group->planning;
	int error = planning_step(planning, done, moved);

	if (error || !*done)
		return error;
	*cannot = planning->cannot;
	group->planning_failed = planning->head.cannot != 0;
	if (*cannot)
		group_tell(group, (uint64_t)*cannot, &planning->err);
	else
		*cannot = keep_plan(group, rows);
	planning_clear(planning);
	free(planning);
	group->planning = NULL;
	return MPI_SUCCESS;
}

void group_tell(struct group *group, uint64_t cannot, const struct liquid_error *err)
{
	char name[MPI_MAX_OBJECT_NAME] = "";
	int length;

	if (group->told || !group->env->verbose || cannot == CANNOT_SMALL)
		return;
	if (group->rank != LEADER && !(err && err->text[0]))
		return;
	group->told = true;
	PMPI_Comm_get_name(group->comm, name, &length);
	fprintf(stderr, "liquid: communicator %s of %u ranks goes the MPI's own way: %s%s%s\n",
		name, group->ranks, cannot_text(cannot), err && err->text[0] ? ": " : "",
		err ? err->text : "");
}

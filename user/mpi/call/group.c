// SPDX-License-Identifier: LGPL-2.1-or-later
/* State of a communicator */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "call/group.h"
#include "call/process.h"
#include "node/place.h"

#define LOOK	16		/* a look for an error of others costs as much as a step */

enum { TAG_ALARM = 8 };
/* ROOM, DUPLICATES and NODES: all agree that all can go on. */
enum {
	SETUP_ROOM, SETUP_DUPLICATE, SETUP_DUPLICATES, SETUP_NAMES, SETUP_PLACES, SETUP_NODES,
	SETUP_NODE, SETUP_DONE
};

/* Processes of another MPI_COMM_WORLD may have other settings. */
bool group_is_foreign(MPI_Comm comm)
{
	MPI_Group own, world;
	bool foreign = false;
	int ranks, world_rank;

	PMPI_Comm_group(comm, &own);
	PMPI_Comm_group(MPI_COMM_WORLD, &world);
	PMPI_Group_size(own, &ranks);
	for (int i = 0; i < ranks && !foreign; i++) {
		PMPI_Group_translate_ranks(own, 1, &i, world, &world_rank);
		foreign = world_rank == MPI_UNDEFINED;
	}
	PMPI_Group_free(&own);
	PMPI_Group_free(&world);
	return foreign;
}

struct group *group_new(const struct environment *env, const struct agree *agree, MPI_Comm comm)
{
	struct group *group = calloc(1, sizeof(*group));
	int rank, ranks, length;

	if (!group)
		return NULL;
	PMPI_Comm_get_name(comm, group->label, &length);
	PMPI_Comm_rank(comm, &rank);
	PMPI_Comm_size(comm, &ranks);
	group->env = env;
	group->agree = agree;
	group->comm = MPI_COMM_NULL;
	group->alarm = MPI_REQUEST_NULL;
	group->rank = (uint32_t)rank;
	group->ranks = (uint32_t)ranks;
	group->skip_next = 1;
	group->names = calloc((size_t)ranks, sizeof(*group->names));
	group->book = calloc(CALL_KINDS, sizeof(*group->book));
	group->foreign = group_is_foreign(comm);
	if (!group->names || !group->book) {
		group_free(group, false);
		return NULL;
	}
	for (int i = 0; i < CALL_KINDS; i++)
		way_init(&group->book[i], env->mode, env->min_bytes);
	return group;
}

bool group_left(struct group *group)
{
	int left = 1, error = MPI_SUCCESS;

	/* After an error ranks are no longer together. */
	if (group->comm == MPI_COMM_NULL || group->error)
		return true;
	if (group_alarmed(group, &group->detail)) {
		group->error = MPI_ERR_OTHER;
		return true;
	}
	if (!group->leaving)
		error = PMPI_Ibarrier(group->comm, &group->request);
	group->leaving = true;
	if (!error)
		error = PMPI_Test(&group->request, &left, MPI_STATUS_IGNORE);
	group->error = error;
	return left || error;
}

/* From here on, either all ranks have an error or none has. */
static void end_alarm(struct group *group)
{
	if (group->alarm == MPI_REQUEST_NULL)
		return;
	PMPI_Cancel(&group->alarm);
	PMPI_Wait(&group->alarm, MPI_STATUS_IGNORE);
}

MPI_Comm group_take_duplicate(struct group *group)
{
	MPI_Comm comm = group->comm;

	end_alarm(group);
	group->comm = MPI_COMM_NULL;
	return comm;
}

void group_free(struct group *group, bool finalizing)
{
	end_alarm(group);
	if (group->error) {
		wiring_close(&group->wiring);
		return;
	}
	group_forget_plans(group);
	planning_clear(&group->planning);
	wiring_clear(&group->wiring);
	planner_free(group->planner);
	free(group->book);
	node_clear(&group->node);
	map_clear(&group->map);
	free(group->names);
	free(group->own.device);
	free(group->own.devices);
	if (group->comm != MPI_COMM_NULL && !finalizing)
		PMPI_Comm_free(&group->comm);
	free(group);
}

/* ---- errors ---- */

static int wait_for_alarm(struct group *group)
{
	return PMPI_Irecv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, TAG_ALARM, group->comm, &group->alarm);
}

void group_alarm(struct group *group)
{
	MPI_Request request;

	if (group->comm == MPI_COMM_NULL)
		return;
	for (uint32_t i = 0; i < group->ranks; i++)
		if (i != group->rank && !PMPI_Isend(NULL, 0, MPI_BYTE, (int)i, TAG_ALARM,
						    group->comm, &request))
			PMPI_Request_free(&request);
}

bool group_alarmed(struct group *group, struct liquid_error *err)
{
	MPI_Status status;
	int arrived = 0;

	if (group->alarm == MPI_REQUEST_NULL || group->looks++ % LOOK)
		return false;
	if (PMPI_Test(&group->alarm, &arrived, &status) || !arrived)
		return false;
	liquid_fail(err, LIQUID_IO, "rank %d has had an error", status.MPI_SOURCE);
	return true;
}

/* ---- set-up ---- */

static int group_agree(struct group *group, MPI_Comm comm)
{
	return agree_cannot(&group->cannot, comm, &group->request);
}

static void set_cannot(struct group *group, enum cannot reason)
{
	if (!group->cannot)
		group->cannot = cannot_say(reason, group->rank);
}

int group_setup(struct group *group, MPI_Comm comm)
{
	group->step = SETUP_ROOM;
	group->program = comm;
	if (process.duplicates >= GROUPS_MOST)
		set_cannot(group, CANNOT_CROWDED);
	return group_agree(group, comm);
}

/* An MPI that has no communicator left is none of the program's errors, which may end it. */
static int duplicate(struct group *group)
{
	PMPI_Comm_get_errhandler(group->program, &group->handler);
	PMPI_Comm_set_errhandler(group->program, MPI_ERRORS_RETURN);
	if (!PMPI_Comm_idup(group->program, &group->comm, &group->request))
		return MPI_SUCCESS;
	set_cannot(group, CANNOT_DUPLICATE);
	group->request = MPI_REQUEST_NULL;
	return MPI_SUCCESS;
}

/*
 * Where one rank has no duplicate, the other ranks' duplicates are of no use and cannot be freed.
 */
static int duplicated(struct group *group)
{
	PMPI_Comm_set_errhandler(group->program, group->handler);
	PMPI_Errhandler_free(&group->handler);
	return group_agree(group, group->program);
}

static int send_names(struct group *group)
{
	char *own = group->names[group->rank];
	int error;

	process.duplicates++;
	PMPI_Comm_set_errhandler(group->comm, MPI_ERRORS_RETURN);
	error = wait_for_alarm(group);
	if (error)
		return error;
	place_ask(own, group->env->host, group->env->rail);
	return PMPI_Iallgather(MPI_IN_PLACE, 0, MPI_CHAR, group->names, sizeof(*group->names),
			       MPI_CHAR, group->comm, &group->request);
}

/* The leader alone has the fabric, and sends all ranks their endpoints in it. */
static int send_places(struct group *group)
{
	if (group->rank == LEADER) {
		group->planner = planner_new(group->env->fabric, group->env->plan,
					     group->env->mode == MODE_CLOCK);
		if (group->planner)
			planner_find_places(group->planner, group->names, group->ranks);
		else
			set_cannot(group, CANNOT_MEMORY);
	}
	return PMPI_Ibcast(group->names, (int)(group->ranks * sizeof(*group->names)), MPI_CHAR,
			   LEADER, group->comm, &group->request);
}

/* A device that is not named is one that cannot be opened: so all ranks hear of it. */
static bool choose_device(struct group *group)
{
	struct environment *own = &group->own;

	*own = *group->env;
	own->device = own->device ? strdup(own->device) : NULL;
	own->devices = own->devices ? strdup(own->devices) : NULL;
	if (place_choose_device(group->names[group->rank], own))
		return true;
	free(own->device);
	own->device = strdup("of this rail in LIQUID_MPI_DEVICE");
	return own->device;
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

bool group_other_wire(struct group *group)
{
	if (group->env->wire != ENV_WIRE_AUTO || group->wiring.ops == &wire_p2p)
		return false;
	wiring_clear(&group->wiring);
	group->wiring.ops = &wire_p2p;
	return true;
}

static bool group_find_nodes(struct group *group)
{
	return choose_device(group) && map_make(&group->map, group->names, group->ranks) &&
	       (!group->planner ||
		planner_take_map(group->planner, group->names, &group->map)) &&
	       node_new(&group->node, &group->map, group->comm, group->rank);
}

static int take_places(struct group *group)
{
	group->wiring.comm = group->comm;
	group->wiring.ops = choose_wire(group->env);
	group->wiring.env = &group->own;
	group->wiring.rank = group->rank;
	group->wiring.ranks = group->ranks;
	if (!group_find_nodes(group))
		set_cannot(group, CANNOT_MEMORY);
	return group_agree(group, group->comm);
}

/* One line is enough for a process that has too many. */
static void tell_crowded(struct group *group)
{
	if (!process.crowded)
		group_tell(group, group->off);
	process.crowded = true;
}

static void set_up(struct group *group)
{
	group->step = SETUP_DONE;
	if (group->map.machines == 1)
		group->off = cannot_say(CANNOT_ONE_NODE, LEADER);
	group->unused = group->off;
	if (group->off && group->comm == MPI_COMM_NULL)
		tell_crowded(group);
	else if (group->off)
		group_tell(group, group->off);
}

static int step_node(struct group *group, bool *done, bool *moved)
{
	int error = node_step(&group->node, done, moved);

	if (*done)
		set_up(group);
	return error;
}

/* All ranks know that one of them cannot. */
static void group_give_up(struct group *group)
{
	group->off = group->cannot;
	if (group->step < SETUP_NAMES)
		group->comm = MPI_COMM_NULL;
	set_up(group);
}

static bool has_arrived(struct group *group, int *error)
{
	int arrived = 0;

	*error = PMPI_Test(&group->request, &arrived, MPI_STATUS_IGNORE);
	if (*error && group->step == SETUP_DUPLICATE) {
		set_cannot(group, CANNOT_DUPLICATE);
		*error = MPI_SUCCESS;
		arrived = true;
	}
	return arrived && !*error;
}

static int next_step(struct group *group)
{
	switch (group->step++) {
	case SETUP_ROOM:
		return duplicate(group);
	case SETUP_DUPLICATE:
		return duplicated(group);
	case SETUP_DUPLICATES:
		return send_names(group);
	case SETUP_NAMES:
		return send_places(group);
	case SETUP_PLACES:
		return take_places(group);
	default:
		return node_start(&group->node);
	}
}

static bool is_agreed(const struct group *group)
{
	return group->step == SETUP_ROOM || group->step == SETUP_DUPLICATES ||
	       group->step == SETUP_NODES;
}

int group_setup_step(struct group *group, bool *done, bool *moved)
{
	int error = MPI_SUCCESS;

	if (group->step == SETUP_NODE)
		return step_node(group, done, moved);
	if (group->step != SETUP_DONE && has_arrived(group, &error)) {
		*moved = true;
		if (group->cannot && is_agreed(group))
			group_give_up(group);
		else
			error = next_step(group);
	}
	*done = group->step == SETUP_DONE;
	return error;
}

/* ---- plans ---- */

/* What messages call the communicator */
static const char *group_label(const struct group *group)
{
	return group->label[0] ? group->label : "a communicator";
}

static void drop_plan(struct group_plan *plan)
{
	exchange_free(plan->exchange);
	liquid_plan_free(plan->plan);
	free(plan->turn);
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

		if (!plan->made || memcmp(&plan->rows, rows, sizeof(*rows)))
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
	group->planning = (struct planning){
		.comm = group->comm, .rank = group->rank, .ranks = group->ranks,
		.map = &group->map, .names = group->names, .job_plan = group->env->plan,
		.planner = group->planner,
		.shuffle = group->env->mode == MODE_SHUFFLE ? group->env : NULL,
	};
	return planning_start(&group->planning, row);
}

/* Tokens go from driver to driver. */
static void add_tokens(const struct group *group, const struct liquid_plan *plan, uint8_t *use)
{
	const struct liquid_token *token;
	const uint32_t *giver;
	uint32_t pieces, count;

	liquid_plan_pieces(plan, group->node.self, &pieces);
	for (uint32_t i = 0; i < pieces; i++) {
		token = liquid_plan_tokens(plan, group->node.self, i, &count);
		for (uint32_t k = 0; k < count; k++)
			use[map_driver(&group->map, token[k].rank)] |= WIRE_TOKENS;
	}
	giver = liquid_plan_givers(plan, group->node.self, &count);
	for (uint32_t i = 0; i < count; i++)
		use[map_driver(&group->map, giver[i])] |= WIRE_TOKENS;
}

static bool is_equal(const struct digest *rows)
{
	return !rows->word[0] && !rows->word[1];
}

/*
 * The bytes that this rank exchanges with each other. The other end of each pair finds the same. A
 * plan for equal messages is for those of any size, also if this call's are empty.
 */
static uint8_t *find_use(const struct group *group, const struct liquid_plan *plan,
			 const struct digest *rows, const struct messages *messages)
{
	uint8_t *use = calloc(group->ranks, 1);

	if (!use)
		return NULL;
	for (uint32_t i = 0; i < group->ranks; i++)
		if (is_equal(rows) ? !map_is_near(&group->map, i, group->rank) :
		    messages->far_out[i].bytes || messages->far_in[i].bytes)
			use[i] |= WIRE_DATA;
	if (plan)
		add_tokens(group, plan, use);
	use[group->rank] = 0;
	return use;
}

/* Peers that are on this rank's machine have no turn. Returns false without memory. */
static bool take_turns(const struct group *group, struct group_plan *place)
{
	uint32_t *turn = calloc(group->ranks, sizeof(*turn));

	place->turn = turn;
	if (!turn || !turns_order(group->planning.id, group->ranks, group->rank, turn))
		return false;
	for (uint32_t i = 0; i + 1 < group->ranks; i++)
		if (!map_is_near(&group->map, turn[i], group->rank))
			turn[place->turns++] = turn[i];
	return true;
}

static void tell_turns(const struct group *group, const struct plan_head *head)
{
	if (group->env->verbose && group->rank == LEADER)
		fprintf(stderr, "liquid: %s, %u ranks: window shuffle, %llu packets of %llu bytes, "
			"ids by %s\n", group_label(group), group->ranks,
			(unsigned long long)head->window,
			(unsigned long long)group->env->packet_bytes,
			head->by_fabric ? "the fabric" : "hosts");
}

/* All ranks have the same plans in the same places. */
static int keep_plan(struct group *group, const struct digest *rows,
		     const struct messages *messages)
{
	struct group_plan *place = find_place(group);
	struct planning *planning = &group->planning;

	place->use = find_use(group, planning->plan, rows, messages);
	if (!place->use || (planning->shuffle && !take_turns(group, place)))
		return CANNOT_MEMORY;
	place->made = true;
	place->plan = planning->plan;
	planning->plan = NULL;
	place->slots = 0;
	if (place->plan)
		liquid_plan_givers(place->plan, group->node.self, &place->slots);
	place->rows = *rows;
	place->own = group->said.rows;
	place->head = planning->head;
	place->used = group->calls;
	group->fabric = planning->head.fabric;
	if (planning->shuffle)
		tell_turns(group, &planning->head);
	return CANNOT_NOTHING;
}

int group_plan_step(struct group *group, const struct digest *rows, const struct messages *messages,
		    bool *done, int *cannot, bool *moved)
{
	struct planning *planning = &group->planning;
	int error = planning_step(planning, done, moved);

	if (error || !*done)
		return error;
	*cannot = planning->cannot;
	/* The job may get another plan. */
	group->planning_failed = planning->head.cannot &&
				 planning->head.cannot != CANNOT_PREPARED;
	if (*cannot)
		group->detail = planning->err;
	else
		*cannot = keep_plan(group, rows, messages);
	planning_clear(planning);
	return MPI_SUCCESS;
}

static void group_say(const struct group *group, const char *what, uint64_t cannot)
{
	const char *detail = group->detail.text;

	if (group->env->verbose && group->rank == cannot_rank(cannot))
		fprintf(stderr, "liquid: %s, %u ranks: goes %s: %s%s%s\n", group_label(group),
			group->ranks, what, cannot_text(cannot), detail[0] ? ": " : "", detail);
}

void group_tell(struct group *group, uint64_t cannot)
{
	if (group->told || cannot_reason(cannot) == CANNOT_SMALL)
		return;
	group->told = true;
	group_say(group, "the MPI's own way", cannot);
}

/* Reported when an earlier communicator found it. */
void group_tell_wire(const struct group *group, uint64_t cannot)
{
	if (cannot_reason(cannot) == CANNOT_BROKEN)
		return;
	group_say(group, "by the MPI's messages, not by RDMA", cannot);
}

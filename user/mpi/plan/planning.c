// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Make a plan together: the leader solves, and every rank gets its slice
 *
 * A failure of the leader is sent to all in the heads of the slices. A rank that cannot read its
 * slice says so in the agreement that follows.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "plan/agree.h"
#include "plan/planning.h"
#include "plan/prepared.h"
#include "plan/turns.h"

/* ROOM and SPACE: all agree that all have memory for the next steps. */
enum { STEP_ROOM, STEP_GATHER, STEP_HEADS, STEP_SPACE, STEP_SLICES, STEP_DONE };

static bool leads(const struct planning *p)
{
	return p->rank == LEADER;
}

static bool take_row(struct planning *p, const uint64_t *row)
{
	size_t bytes = p->ranks * sizeof(*row);

	p->row = malloc(bytes);
	p->rows = leads(p) ? malloc(bytes * p->ranks) : NULL;
	if (p->row)
		memcpy(p->row, row, bytes);
	return p->row && (p->rows || !leads(p));
}

static bool take_heads(struct planning *p)
{
	p->heads = calloc(p->ranks, sizeof(*p->heads));
	p->sizes = calloc(p->ranks, sizeof(*p->sizes));
	p->places = calloc(p->ranks, sizeof(*p->places));
	return p->heads && p->sizes && p->places;
}

static bool planning_take_memory(struct planning *p, const uint64_t *row)
{
	if (p->shuffle)
		p->id = calloc(p->ranks, sizeof(*p->id));
	return (!row || take_row(p, row)) && (!leads(p) || take_heads(p)) && (!p->shuffle || p->id);
}

static int planning_agree(struct planning *p, bool has_memory)
{
	p->room = cannot_say(has_memory ? CANNOT_NOTHING : CANNOT_MEMORY, p->rank);
	return agree_cannot(&p->room, p->comm, &p->request);
}

int planning_start(struct planning *p, const uint64_t *row)
{
	p->step = STEP_ROOM;
	return planning_agree(p, planning_take_memory(p, row));
}

static int gather_rows(struct planning *p)
{
	if (!p->row)
		return MPI_SUCCESS;
	return PMPI_Igather(p->row, (int)p->ranks, MPI_UINT64_T, p->rows, (int)p->ranks,
			    MPI_UINT64_T, LEADER, p->comm, &p->request);
}

void planning_clear(struct planning *p)
{
	liquid_plan_free(p->plan);
	free(p->row);
	free(p->rows);
	free(p->heads);
	free(p->sizes);
	free(p->places);
	free(p->slice);
	free(p->slices);
	free(p->id);
	*p = (struct planning){ 0 };
}

/* ---- the plan that the job has ---- */

#define TRIES	20		/* to find the leader's plan on this node, 50 ms apart */

/* Read this node's slice of the plan; a leader takes what there is. Returns a liquid_status. */
static int read_prepared(struct planning *p)
{
	uint32_t self = p->map->node[p->rank];
	struct prepared prepared;
	int status = prepared_read(&prepared, p->job_plan, 0, &p->err);
	uint64_t unit = 0;

	if (status)
		return status;
	status = prepared_plan(&prepared, p->map, p->names, self, &p->plan, &unit, &p->err);
	if (!status && leads(p)) {
		p->head.frames = liquid_plan_info(p->plan)->length;
		p->head.id = liquid_plan_info(p->plan)->id;
		p->head.unit = unit;
		p->head.rate = prepared.rate;
	} else if (!status && liquid_plan_info(p->plan)->id != p->head.id) {
		liquid_plan_free(p->plan);
		p->plan = NULL;
		status = liquid_fail(&p->err, LIQUID_BAD_INPUT, "this node has another plan of the "
				     "job than the first rank's");
	}
	prepared_clear(&prepared);
	return status;
}

/* Nodes get another plan of the job at the same time, but not at the same instant. */
static int take_prepared(struct planning *p)
{
	const struct timespec nap = { 0, 50000000 };
	int status = p->job_plan ? read_prepared(p) : LIQUID_BAD_INPUT;

	for (int i = 0; status == LIQUID_BAD_INPUT && p->job_plan && !leads(p) && i < TRIES; i++) {
		nanosleep(&nap, NULL);
		status = read_prepared(p);
	}
	return !status ? CANNOT_NOTHING :
	       status == LIQUID_NO_MEMORY ? CANNOT_MEMORY : CANNOT_PREPARED;
}

static int lead_prepared(struct planning *p)
{
	int cannot;

	if (p->rows) {
		liquid_fail(&p->err, LIQUID_BAD_INPUT, "it is for equal messages");
		return CANNOT_PREPARED;
	}
	cannot = take_prepared(p);
	if (!cannot)
		cannot = planner_check_rate(p->planner, p->head.rate, &p->err);
	p->head.prepared = !cannot;
	return cannot;
}

/* ---- the leader ---- */

/* Append the slice of @node to those before it, of *@total bytes. Returns an enum cannot. */
static int add_slice(struct planning *p, const struct liquid_plan *plan, uint32_t node,
		     size_t *total)
{
	uint32_t rank = map_driver(p->map, node);
	void *slice, *grown;
	size_t size;

	if (liquid_plan_slice(plan, node, &slice, &size, &p->err))
		return CANNOT_MEMORY;
	grown = *total + size > INT_MAX ? NULL : realloc(p->slices, *total + size + 1);
	if (grown) {
		p->slices = grown;
		memcpy((char *)grown + *total, slice, size);
		p->places[rank] = (int)*total;
		p->sizes[rank] = (int)size;
		*total += size;
	}
	free(slice);
	return grown ? CANNOT_NOTHING : CANNOT_MEMORY;
}

static int make_slices(struct planning *p)
{
	struct liquid_plan *plan;
	size_t total = 0;
	int cannot = planner_plan(p->planner, p->rows, &plan, &p->err);

	if (!cannot) {
		p->head.frames = liquid_plan_info(plan)->length;
		p->head.unit = liquid_plan_info(plan)->unit_bytes;
	}
	for (uint32_t i = 0; i < p->map->nodes && !cannot; i++)
		cannot = add_slice(p, plan, i, &total);
	liquid_plan_free(plan);
	return cannot;
}

static int make_turns(struct planning *p)
{
	bool by_fabric;
	double load;

	if (!planner_shuffle(p->planner, p->id, &load, &by_fabric))
		return CANNOT_MEMORY;
	p->head.by_fabric = by_fabric;
	p->head.window = p->shuffle->window ? p->shuffle->window :
			 turns_window(p->shuffle->buffer_bytes, p->shuffle->packet_bytes, load);
	return CANNOT_NOTHING;
}

static void lead(struct planning *p)
{
	uint64_t stamp = planner_stamp(p->planner);
	bool prepared = !p->shuffle && planner_is_prepared(p->planner);
	int cannot = p->shuffle ? make_turns(p) : prepared ? lead_prepared(p) : make_slices(p);

	for (uint32_t i = 0; i < p->ranks; i++)
		p->heads[i] = (struct plan_head){
			.cannot = (uint64_t)cannot, .size = cannot ? 0 : (uint64_t)p->sizes[i],
			.rate = prepared ? p->head.rate : planner_rate(p->planner),
			.fabric = stamp, .prepared = p->head.prepared, .id = p->head.id,
			.frames = p->head.frames, .unit = p->head.unit,
			.window = p->head.window, .by_fabric = p->head.by_fabric,
		};
}

/* ---- all ranks ---- */

static int send_heads(struct planning *p)
{
	if (leads(p))
		lead(p);
	return PMPI_Iscatter(p->heads, sizeof(p->head) / sizeof(uint64_t), MPI_UINT64_T, &p->head,
			     sizeof(p->head) / sizeof(uint64_t), MPI_UINT64_T, LEADER, p->comm,
			     &p->request);
}

static bool has_slices(const struct planning *p)
{
	return !p->cannot && !p->shuffle && !p->head.prepared;
}

static int take_head(struct planning *p)
{
	p->cannot = (int)p->head.cannot;
	if (!has_slices(p))
		return MPI_SUCCESS;
	p->slice = malloc(p->head.size + 1);
	return planning_agree(p, p->slice);
}

static int send_slices(struct planning *p)
{
	if (p->shuffle && !p->cannot)
		return PMPI_Ibcast(p->id, (int)p->ranks, MPI_UINT32_T, LEADER, p->comm,
				   &p->request);
	if (!has_slices(p))
		return MPI_SUCCESS;
	return PMPI_Iscatterv(p->slices, p->sizes, p->places, MPI_BYTE, p->slice, (int)p->head.size,
			      MPI_BYTE, LEADER, p->comm, &p->request);
}

static bool drives(const struct planning *p)
{
	return map_driver(p->map, p->map->node[p->rank]) == p->rank;
}

static void read_slice(struct planning *p)
{
	if (!p->cannot && p->head.prepared && !p->plan && drives(p))
		p->cannot = take_prepared(p);
	else if (!p->cannot && p->head.size &&
	    liquid_plan_read(p->slice, p->head.size, NULL, 0, &p->plan, &p->err))
		p->cannot = CANNOT_MEMORY;
}

int planning_step(struct planning *p, bool *done, bool *moved)
{
	int error, arrived;

	*done = false;
	error = PMPI_Test(&p->request, &arrived, MPI_STATUS_IGNORE);
	if (error || !arrived)
		return error;
	*moved = true;
	if (p->room)
		p->step = STEP_DONE;
	switch (p->step++) {
	case STEP_ROOM:
		return gather_rows(p);
	case STEP_GATHER:
		return send_heads(p);
	case STEP_HEADS:
		return take_head(p);
	case STEP_SPACE:
		return send_slices(p);
	case STEP_SLICES:
		read_slice(p);
		break;
	default:
		p->cannot = CANNOT_MEMORY;
		p->head.cannot = CANNOT_MEMORY;
	}
	*done = true;
	return MPI_SUCCESS;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * An exchange as a part of a larger one
 *
 * A host that is missing breaks all shifts, and on a fabric of one host a switch nothing is left
 * that makes the schedule small. But the rest of a schedule of more hosts is a schedule of the
 * others, and if most of them are there, it is hardly longer than theirs has to be.
 */
#include <stdlib.h>

#include "compact/solver.h"

#define WHOLE_MOST 2		/* pairs of the whole, relative to those of the part */
#define LONGER_MOST 8		/* its duration may be longer by 1 / LONGER_MOST */

static uint32_t home_of(const struct liquid_fabric *fabric, uint32_t host)
{
	uint32_t hosts = liquid_fabric_host_count(fabric);
	uint32_t out = liquid_fabric_host_out(fabric, host);
	uint32_t to = out == LIQUID_NONE ? 0 : liquid_fabric_link(fabric, out)->to;

	return to < hosts || liquid_fabric_host_in(fabric, host) == LIQUID_NONE ? LIQUID_NONE :
	       to - hosts;
}

/* Hosts on switches of the exchange, or all hosts on switches. Returns how many. */
static uint32_t list_hosts(const struct group *part, bool all, bool *used, uint32_t *hosts)
{
	uint32_t count = 0;

	for (uint32_t b = 0; b < part->blocks; b++)
		used[part->home[b]] = true;
	for (uint32_t h = 0; h < liquid_fabric_host_count(part->fabric); h++) {
		uint32_t home = home_of(part->fabric, h);

		if (home != LIQUID_NONE && (all || used[home]))
			hosts[count++] = h;
	}
	return count;
}

static bool is_larger(const struct group *part, uint64_t count)
{
	uint64_t places = part->places;

	return count > places && count * (count - 1) <= WHOLE_MOST * places * (places - 1);
}

/* What was found for the whole becomes the schedule of the part. */
static int leave_out(struct solver *solver, struct liquid_schedule *schedule)
{
	uint32_t places = schedule->orbits->shape.places;
	bool *out = calloc((size_t)places + 1, sizeof(*out));
	int status = out ? LIQUID_OK : liquid_no_memory(solver->err);

	for (uint32_t p = 0; !status && p < places; p++) {
		uint32_t host = liquid_fabric_find_host(solver->group.fabric,
							schedule->orbits->names[p]);

		out[p] = solver->group.place[host] == LIQUID_NONE;
	}
	if (!status)
		status = orbits_leave_out(schedule->orbits, out, solver->err);
	free(out);
	return status ? status : result_take_figures(solver, schedule);
}

/* @hosts exchange, if shifts of the tables keep them and their duration is near. */
static int solve_whole(struct solver *solver, struct solver *whole, const uint32_t *hosts,
		       uint32_t count, struct liquid_schedule **schedule)
{
	uint64_t most = solver->figures.duration;
	int status = solver_begin(whole, solver->group.fabric, hosts, count, &solver->options);

	if (status || !whole->group.shifts)
		return status;
	most += most / LONGER_MOST + 1;
	return whole->figures.duration > most ? LIQUID_OK : solver_search(whole, schedule);
}

static int try_hosts(struct solver *solver, bool all, struct liquid_schedule **schedule)
{
	const struct liquid_fabric *fabric = solver->group.fabric;
	struct solver *whole = calloc(1, sizeof(*whole));
	uint32_t *hosts = calloc((size_t)liquid_fabric_host_count(fabric) + 1, sizeof(*hosts));
	bool *used = calloc((size_t)liquid_fabric_switch_count(fabric) + 1, sizeof(*used));
	int status = whole && hosts && used ? LIQUID_OK : liquid_no_memory(solver->err);
	struct liquid_error unfit;
	uint32_t count;

	if (!status) {
		whole->err = &unfit;
		whole->outer = solver->outer;
		count = list_hosts(&solver->group, all, used, hosts);
		if (is_larger(&solver->group, count))
			status = solve_whole(solver, whole, hosts, count, schedule);
		if (status == LIQUID_NO_MEMORY)
			status = liquid_no_memory(solver->err);
		else
			status = LIQUID_OK;	/* there is none */
	}
	if (!status && *schedule)
		status = leave_out(solver, *schedule);
	solver_end(whole);
	free(hosts);
	free(used);
	return status;
}

int whole_solve(struct solver *solver, struct liquid_schedule **schedule)
{
	int status = LIQUID_OK;

	if (!solver->group.shifts)
		status = try_hosts(solver, false, schedule);
	if (!status && !solver->group.shifts && !*schedule)
		status = try_hosts(solver, true, schedule);
	return status;
}

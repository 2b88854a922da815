// SPDX-License-Identifier: LGPL-2.1-or-later
/* Solving: choose a method, run it within its budget, certify, verify. */
#include <stdlib.h>
#include <string.h>

#include "compact/find.h"
#include "fabric/fabric.h"
#include "problem/grid.h"
#include "schedule/schedule.h"
#include "solve/certificate.h"
#include "solve/change.h"
#include "solve/given.h"
#include "solve/methods.h"
#include "traffic/traffic.h"

/* ---- the schedule ---- */

/* Transfers are numbered by (src, dst), so that each frame comes out sorted. */
static void fill_frames(struct liquid_schedule *schedule, const struct solving *solving)
{
	const struct routes *routes = solving->routes;
	uint32_t *first = schedule->first;

	for (uint32_t i = 0; i < routes->transfer_count; i++)
		first[solving->frame[i] + 1]++;
	for (uint32_t frame = 0; frame < solving->length; frame++)
		first[frame + 1] += first[frame];
	for (uint32_t pair = 0; pair < routes->pair_count; pair++)
		for (uint32_t i = routes->first_transfer[pair];
		     i < routes->first_transfer[pair + 1]; i++)
			schedule->transfers[first[solving->frame[i]]++] = (struct liquid_transfer){
				routes->pairs[pair].src, routes->pairs[pair].dst };
	for (uint32_t frame = solving->length; frame; frame--)
		first[frame] = first[frame - 1];
	first[0] = 0;
}

static enum liquid_certificate certificate_of(const struct solving *solving)
{
	if (solving->length == solving->routes->duration)
		return LIQUID_CERT_LIQUID;
	return solving->length == solving->lower_bound ? LIQUID_CERT_OPTIMAL : LIQUID_CERT_GAP;
}

static bool fill_bound(struct liquid_schedule *schedule, const struct solving *solving,
		       const struct liquid_fabric *fabric)
{
	char *witness = NULL;

	schedule->info.lower_bound = solving->lower_bound;
	schedule->info.certificate = certificate_of(solving);
	if (solving->witness.kind != WITNESS_NONE &&
	    solving->lower_bound > solving->routes->duration) {
		witness = witness_json(&solving->witness, solving, fabric);
		if (!witness)
			return false;
	}
	free(schedule->witness);
	schedule->witness = witness;
	schedule->info.witness_json = witness;
	return true;
}

static int fill_figures(struct liquid_schedule *schedule, const struct solving *solving,
			const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
			const struct liquid_solve_options *options, struct liquid_error *err)
{
	struct liquid_schedule_info *info = &schedule->info;
	int status;

	info->seed = options->seed;
	info->work = solving->budget->limit;
	info->unit_bytes = options->unit_bytes;
	info->link_rate_bps = options->link_rate_bps ? options->link_rate_bps :
			      liquid_fabric_unit_rate(fabric);
	info->version = (uint32_t)fabric_file_version(fabric);
	info->transfers = solving->routes->transfer_count;
	info->duration = solving->routes->duration;
	info->fluid_bound = solving->routes->fluid_bound;
	if (!schedule_copy_names(schedule, fabric) || !fill_bound(schedule, solving, fabric) ||
	    !schedule_set_text(&schedule->fabric_name, &info->fabric_name,
			       liquid_fabric_name(fabric)) ||
	    !schedule_set_text(&schedule->method, &info->method,
			       options->method ? options->method : "auto"))
		return liquid_no_memory(err);
	status = liquid_fabric_digest(fabric, schedule->fabric_digest, err);
	if (!status)
		status = liquid_traffic_digest(fabric, traffic, schedule->traffic_digest, err);
	return status;
}

/*
 * A witness that the verifier cannot check (a search that is too long, a link whose name is not
 * unique) proves nothing to others: use the duration as the bound.
 */
static int verify_own(struct liquid_schedule *schedule, struct solving *solving,
		      const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		      struct liquid_error *err)
{
	struct liquid_error finding;
	int status = liquid_verify(fabric, traffic, schedule, NULL, NULL, &finding);

	if (status == LIQUID_INVALID && schedule->witness) {
		witness_clear(&solving->witness);
		solving->lower_bound = solving->routes->duration;
		if (!fill_bound(schedule, solving, fabric))
			return liquid_no_memory(err);
		status = liquid_verify(fabric, traffic, schedule, NULL, NULL, &finding);
	}
	if (status)
		return liquid_fail(err, status, "the solver's own schedule is not valid: %.900s",
				   finding.text);
	return LIQUID_OK;
}

int solve_result(struct solving *solving, const struct liquid_fabric *fabric,
		 const struct liquid_traffic *traffic, const struct liquid_solve_options *options,
		 struct liquid_schedule **out, struct liquid_error *err)
{
	struct liquid_schedule *schedule = schedule_new(solving->length,
							solving->routes->transfer_count,
							liquid_fabric_host_count(fabric));
	int status;

	if (!schedule)
		return liquid_no_memory(err);
	fill_frames(schedule, solving);
	status = fill_figures(schedule, solving, fabric, traffic, options, err);
	if (!status)
		status = verify_own(schedule, solving, fabric, traffic, err);
	if (status)
		liquid_schedule_free(schedule);
	else
		*out = schedule;
	return status;
}

/* ---- the whole ---- */

static int check_options(const struct liquid_fabric *fabric,
			 const struct liquid_solve_options *options, struct liquid_error *err)
{
	uint64_t unit = liquid_fabric_unit_rate(fabric);

	if (!method_find(options->method))
		return liquid_fail(err, LIQUID_BAD_INPUT, "no method '%.64s'", options->method);
	if (options->seed > INT64_MAX || options->work > INT64_MAX ||
	    options->unit_bytes > INT64_MAX || options->link_rate_bps > INT64_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "seed, work, unit and rate must be below 2^63");
	if (unit && options->link_rate_bps && options->link_rate_bps != unit)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "the link rate is %llu bit/s, but the fabric says %llu bit/s",
				   (unsigned long long)options->link_rate_bps,
				   (unsigned long long)unit);
	if (!(options->time_limit >= 0))
		return liquid_fail(err, LIQUID_BAD_INPUT, "the time limit is negative");
	if (options->from && options->from->info.parts > 1)
		return liquid_fail(err, LIQUID_BAD_INPUT, "the earlier schedule sends messages in "
				   "%u parts: only one of whole messages can be changed",
				   options->from->info.parts);
	return LIQUID_OK;
}

/* Which limit was met, and the option that moves it. */
static int none_found(const struct solving *solving, const struct liquid_solve_options *options,
		      struct liquid_error *err)
{
	const struct budget *budget = solving->budget;

	if (budget->out && !(options->time_limit > 0))
		return liquid_fail(err, LIQUID_LIMIT, "ended before there was a schedule");
	if (budget->out || (budget->spent >= budget->limit && !options->work &&
			    options->time_limit > 0))
		return liquid_fail(err, LIQUID_LIMIT, "no schedule within the time limit of %g s; "
				   "allow more (--time-limit)", options->time_limit);
	if (budget->spent >= budget->limit)
		return liquid_fail(err, LIQUID_LIMIT,
				   "no schedule within the work of %llu operations; "
				   "allow more (--work), or try --method auto",
				   (unsigned long long)budget->limit);
	if (solving->too_large)
		return liquid_fail(err, LIQUID_LIMIT,
				   "no schedule within the memory that a table of "
				   "links x frames may take, %llu MiB; try --method auto",
				   (unsigned long long)(GRID_BYTES_MAX >> 20));
	return liquid_fail(err, LIQUID_LIMIT,
			   "method '%s' has found no schedule; allow more (--work), "
			   "or try --method auto", options->method ? options->method : "auto");
}

static int run(struct solving *solving, const struct liquid_fabric *fabric,
	       const struct liquid_solve_options *options, struct liquid_error *err)
{
	const struct method *method = method_find(options->method);
	int status = LIQUID_OK;

	if (solving->routes->transfer_count && options->from) {
		status = solving_invert(solving, err);
		if (!status)
			status = change_solve(solving, fabric, options->from, method, err);
	} else if (solving->routes->transfer_count) {
		status = method_run(method, solving, err);
	}
	if (status)
		return status;
	if (solving->budget->cancelled)
		return liquid_fail(err, LIQUID_CANCELLED, "cancelled");
	return !solving->routes->transfer_count || solving->length ? LIQUID_OK :
		none_found(solving, options, err);
}

/*
 * Routes, frames and the schedule keep some 150 bytes of each transfer, and each takes at least an
 * operation: a count that is a slip of the units must not take all memory before the work is spent.
 */
#define LISTED_ALWAYS (UINT64_C(1) << 20)
#define LISTED_UNASKED (UINT64_C(1) << 26)

static int check_size(const struct liquid_traffic *traffic, uint64_t work,
		      struct liquid_error *err)
{
	uint64_t transfers = liquid_traffic_transfer_count(traffic);
	uint64_t most = !work ? LISTED_UNASKED : work > LISTED_ALWAYS ? work : LISTED_ALWAYS;

	if (transfers <= most)
		return LIQUID_OK;
	return liquid_fail(err, LIQUID_LIMIT, "%llu transfers are more than %llu, and take some "
			   "%llu MB of memory: take larger units (--unit-bytes), or ask for them "
			   "by --work %llu", (unsigned long long)transfers,
			   (unsigned long long)most,
			   (unsigned long long)(transfers / 1000000 * 150),
			   (unsigned long long)transfers);
}

/* @start: a schedule of orbits to begin with; NULL: none */
static int solve_list(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		      const struct liquid_solve_options *options,
		      const struct liquid_schedule *start, struct liquid_schedule **schedule,
		      struct liquid_error *err)
{
	struct solving solving = { 0 };
	struct routes *routes = NULL;
	struct budget budget;
	int status = check_size(traffic, options->work, err);

	if (!status)
		status = routes_build(fabric, traffic, &routes, err);
	if (status)
		return status;
	budget_start(&budget, options);
	status = solving_start(&solving, routes, &budget, options, err);
	solving.fabric = fabric;
	if (!status && start)
		status = compact_offer(&solving, start, err);
	if (!status)
		status = run(&solving, fabric, options, err);
	if (!status)
		status = solve_result(&solving, fabric, traffic, options, schedule, err);
	solving_end(&solving);
	routes_free(routes);
	return status;
}

/* ---- all-to-alls by orbits first ---- */

#define ORBITS_MIN UINT64_C(2048)	/* transfers: fewer are solved at once as a list, ... */
#define LISTED_MAX UINT64_C(262144)	/* ... and up to so many are listed in any case */
#define SOON_WORK UINT64_C(20000000)	/* for orbits before a list, at least; ... */
#define SOON_EACH 512			/* ... or for each transfer */

/* An all-to-all that may be solved by orbits, too */
struct exchange {
	const struct liquid_fabric *fabric;
	const struct liquid_traffic *traffic;
	const struct liquid_solve_options *options;
	struct liquid_schedule *best;		/* of orbits; NULL: none was found */
};

static bool is_compact(const struct liquid_solve_options *options)
{
	return options->method && !strcmp(options->method, "compact");
}

static bool may_have_orbits(const struct liquid_traffic *traffic,
			    const struct liquid_solve_options *options)
{
	size_t count;
	bool any = !options->method || !strcmp(options->method, "auto");

	if (!traffic_hosts(traffic, &count) || options->from)
		return false;
	return is_compact(options) ||
	       (any && !(options->time_limit > 0) &&
		liquid_traffic_transfer_count(traffic) >= ORBITS_MIN);
}

static bool is_shorter(const struct liquid_schedule *a, const struct liquid_schedule *b)
{
	return a && (!b || a->info.length < b->info.length);
}

/* Returns whether the caller cancels. @schedule: what was found, or NULL */
static bool tell_orbits(struct budget *budget, const struct liquid_schedule *schedule)
{
	if (schedule)
		budget->state.best_length = schedule->info.length;
	budget_tell(budget);
	return budget->cancelled;
}

static bool proves_more(const struct liquid_schedule *a, const struct liquid_schedule *b)
{
	return a && a->info.length == b->info.length && a->info.lower_bound > b->info.lower_bound;
}

/* A list is asked for, or usual for so few transfers. */
static bool may_be_listed(const struct exchange *exchange)
{
	return exchange->options->list ||
	       (!is_compact(exchange->options) &&
		liquid_traffic_transfer_count(exchange->traffic) <= LISTED_MAX);
}

/* @work: operations before a list; 0: as the options say, and there is none */
static int find_orbits(struct exchange *exchange, uint64_t work, struct liquid_error *err)
{
	struct liquid_solve_options options = *exchange->options;
	struct liquid_schedule *schedule;
	size_t count;
	const uint32_t *hosts = traffic_hosts(exchange->traffic, &count);
	struct budget budget;
	int status;

	if (work)
		options.work = work;
	budget_start(&budget, &options);
	budget.state.phase = "compact";
	status = compact_solve(exchange->fabric, hosts, count, &options, work ? &budget : NULL,
			       &schedule, err);
	if (work && tell_orbits(&budget, status ? NULL : schedule)) {
		liquid_schedule_free(status ? NULL : schedule);
		return liquid_fail(err, LIQUID_CANCELLED, "cancelled");
	}
	if (!status)
		exchange->best = schedule;
	return status;
}

/* Does a list help no more than orbits? */
static bool is_final(int status)
{
	return status == LIQUID_NO_MEMORY || status == LIQUID_CANCELLED;
}

static int finish_orbits(struct exchange *exchange, struct liquid_error *err)
{
	const struct liquid_solve_options *options = exchange->options;
	struct liquid_schedule *schedule = exchange->best;
	struct budget budget;
	int status;

	if (!may_be_listed(exchange))
		return LIQUID_OK;
	status = schedule_as_list(schedule, exchange->fabric, err);
	budget_start(&budget, options);
	schedule->info.work = budget.limit;
	if (!status && !is_compact(options) &&
	    !schedule_set_text(&schedule->method, &schedule->info.method, "auto"))
		status = liquid_no_memory(err);
	return status;
}

/* Orbits alone: they are asked for, or a list would be too long. */
static int solve_orbits(struct exchange *exchange, struct liquid_error *err)
{
	uint64_t transfers = liquid_traffic_transfer_count(exchange->traffic);
	struct liquid_error why;
	int status = find_orbits(exchange, 0, &why);

	if (status && is_compact(exchange->options))
		return liquid_fail(err, status, "%s", why.text);
	if (status)
		return liquid_fail(err, status, "%llu transfers are too many to list, and there "
				   "is not a compact schedule: %.900s",
				   (unsigned long long)transfers, why.text);
	return finish_orbits(exchange, err);
}

/* Orbits that are found soon and liquid need no list. Else there is one, too. */
static int solve_either(struct exchange *exchange, struct liquid_schedule **list,
			struct liquid_error *err)
{
	const struct liquid_solve_options *options = exchange->options;
	uint64_t transfers = liquid_traffic_transfer_count(exchange->traffic);
	uint64_t work = transfers > SOON_WORK / SOON_EACH ? transfers * SOON_EACH : SOON_WORK;
	struct liquid_error unfit;
	int status;

	status = find_orbits(exchange, work, &unfit);
	if (is_final(status))
		return liquid_fail(err, status, "%s", unfit.text);
	if (exchange->best && exchange->best->info.length == exchange->best->info.duration)
		return finish_orbits(exchange, err);
	status = solve_list(exchange->fabric, exchange->traffic, options, exchange->best, list,
			    err);
	if (status && status != LIQUID_LIMIT)
		return status;
	if (!exchange->best || is_shorter(*list, exchange->best) ||
	    (may_be_listed(exchange) && proves_more(*list, exchange->best)))
		return status;
	liquid_schedule_free(*list);
	*list = NULL;
	return finish_orbits(exchange, err);
}

static int solve_exchange(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
			  const struct liquid_solve_options *options,
			  struct liquid_schedule **schedule, struct liquid_error *err)
{
	struct exchange exchange = { .fabric = fabric, .traffic = traffic, .options = options };
	bool alone = is_compact(options) ||
		     liquid_traffic_transfer_count(traffic) > LIQUID_TRANSFERS_MAX;
	int status = alone ? solve_orbits(&exchange, err) : solve_either(&exchange, schedule, err);

	if (!status && !*schedule) {
		*schedule = exchange.best;
		return LIQUID_OK;
	}
	if (status) {
		liquid_schedule_free(*schedule);
		*schedule = NULL;
	}
	liquid_schedule_free(exchange.best);
	return status;
}

int liquid_solve(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		 const struct liquid_solve_options *given, struct liquid_schedule **schedule,
		 struct liquid_error *err)
{
	struct liquid_solve_options options = { 0 };
	int status;

	*schedule = NULL;
	if (given)
		options = *given;
	status = check_options(fabric, &options, err);
	if (status)
		return status;
	if (options.parts > 1)
		return solve_in_parts(fabric, traffic, &options, schedule, err);
	if (may_have_orbits(traffic, &options))
		return solve_exchange(fabric, traffic, &options, schedule, err);
	return solve_list(fabric, traffic, &options, NULL, schedule, err);
}

int solve_given(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		const uint32_t *frame, uint32_t length, const struct liquid_solve_options *options,
		struct liquid_schedule **schedule, struct liquid_error *err)
{
	struct solving solving = { 0 };
	struct routes *routes = NULL;
	struct budget budget;
	int status = routes_build(fabric, traffic, &routes, err);

	*schedule = NULL;
	if (status)
		return status;
	budget_start(&budget, options);
	status = solving_start(&solving, routes, &budget, options, err);
	if (!status)
		status = solving_offer(&solving, frame, length, err);
	if (!status)
		status = solve_result(&solving, fabric, traffic, options, schedule, err);
	solving_end(&solving);
	routes_free(routes);
	return status;
}

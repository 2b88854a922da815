// SPDX-License-Identifier: GPL-2.0-only
/*
 * A round: check that it is for the fabric that is there, solve, and print the slice of one node,
 * or the slices of all nodes
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer/answer.h"
#include "commands.h"

struct prepare {
	const json_t *question;
	const char *name, *node;	/* of the round; the node, or NULL for all */
	const char *fabric_digest, *traffic_digest;
	uint64_t seed, work, unit_bytes, rate_bps, stated_bps;
	int out, figures;		/* descriptors for the schedule and its figures; or -1 */
	struct round round;
	struct liquid_fabric *fabric;
	struct liquid_traffic *traffic;
	bool *sending;			/* by host */
	struct slice_source source;
};

static bool unpack(const json_t *question, struct prepare *prepare)
{
	json_int_t seed, work, unit, rate, stated;

	prepare->question = question;
	prepare->out = prepare->figures = -1;
	if (json_unpack((json_t *)question, "{s:s, s?s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, "
			"s?i, s?i}", "name", &prepare->name, "node", &prepare->node,
			"fabric_digest", &prepare->fabric_digest,
			"traffic_digest", &prepare->traffic_digest, "seed", &seed, "work", &work,
			"unit_bytes", &unit, "rate_bps", &rate, "stated_bps", &stated,
			"out", &prepare->out, "figures", &prepare->figures))
		return false;
	prepare->seed = (uint64_t)seed;
	prepare->work = (uint64_t)work;
	prepare->unit_bytes = (uint64_t)unit;
	prepare->rate_bps = (uint64_t)rate;
	prepare->stated_bps = (uint64_t)stated;
	return slice_question(question, &prepare->source) && prepare->source.fabric_label;
}

/* ---- the fabric ---- */

static int check_digest(const struct prepare *prepare, const struct liquid_fabric *fabric,
			const char *what, struct liquid_error *err)
{
	char found[LIQUID_DIGEST_HEX];
	int status = liquid_fabric_digest(fabric, found, err);

	if (status || !strcmp(found, prepare->fabric_digest))
		return status;
	return liquid_fail(err, LIQUID_BAD_INPUT, "%s: not the round's fabric, but another version "
			   "of it (digest %.12s instead of %.12s): import it anew, and copy it to "
			   "the controller and all nodes", what, found, prepare->fabric_digest);
}

/* The fabric that the subnet manager has now must be the one that the round is for. */
static int check_live(const struct prepare *prepare, struct liquid_error *err)
{
	const struct liquid_import like = { .like = prepare->fabric };
	const json_t *topo = json_object_get(prepare->question, "topo");
	struct liquid_fabric *now;
	int status;

	if (!topo)
		return LIQUID_OK;
	status = answer_dumps(prepare->question, &like, &now, err);
	if (!status)
		status = check_digest(prepare, now,
				      json_string_value(json_object_get(topo, "label")), err);
	liquid_fabric_free(now);
	return status;
}

static int check_traffic(const struct prepare *prepare, struct liquid_error *err)
{
	char digest[LIQUID_DIGEST_HEX];
	int status = liquid_traffic_digest(prepare->fabric, prepare->traffic, digest, err);

	if (status || !strcmp(digest, prepare->traffic_digest))
		return status;
	return liquid_fail(err, LIQUID_BAD_INPUT, "the traffic differs from that of the "
			   "controller: digest %.12s instead of %.12s", digest,
			   prepare->traffic_digest);
}

/* ---- the schedule ---- */

static int store_failed(struct liquid_error *err)
{
	return liquid_fail(err, LIQUID_IO, "cannot store the schedule: %s", strerror(errno));
}

static int write_schedule(const struct prepare *prepare, const struct liquid_schedule *schedule,
			  struct liquid_error *err)
{
	int copy = dup(prepare->out);
	FILE *out = copy < 0 ? NULL : fdopen(copy, "w");
	int status;

	if (!out)
		return store_failed(err);
	status = liquid_schedule_write_json(schedule, prepare->fabric, out, err);
	return fclose(out) && !status ? store_failed(err) : status;
}

/* The figures of a record: how good the schedule is, and how much of the former it keeps */
static int write_figures(const struct prepare *prepare, const struct liquid_schedule *schedule,
			 const struct liquid_schedule *former, struct liquid_error *err)
{
	const struct liquid_schedule_info *info = liquid_schedule_info(schedule);
	struct liquid_change change;
	json_t *figures;
	int status = LIQUID_OK, failed;

	if (prepare->figures < 0)
		return LIQUID_OK;
	if (former)
		status = liquid_schedule_compare(former, schedule, &change, NULL, NULL, err);
	if (status)
		return status;
	figures = json_pack("{s:I, s:I, s:s}", "frames", (json_int_t)info->length,
			    "lower_bound", (json_int_t)info->lower_bound, "certificate",
			    liquid_certificate_name(info->certificate));
	if (former)
		json_object_update_new(figures, json_pack("{s:I, s:I}",
			"kept", (json_int_t)change.kept, "moved", (json_int_t)change.moved));
	failed = !figures || json_dumpfd(figures, prepare->figures, JSON_COMPACT);
	json_decref(figures);
	return failed ? store_failed(err) : LIQUID_OK;
}

/* The schedule that was in force before, if this round is to keep its valid part; else NULL */
static int read_former(const struct prepare *prepare, struct liquid_schedule **former,
		       struct liquid_error *err)
{
	const json_t *file = json_object_get(prepare->question, "former");
	const char *label;

	*former = NULL;
	return file ? answer_schedule(file, NULL, &label, former, err) : LIQUID_OK;
}

static int solve_from(const struct prepare *prepare, const struct liquid_schedule *former,
		      struct liquid_error *err)
{
	const struct liquid_solve_options options = {
		.seed = prepare->seed, .work = prepare->work, .unit_bytes = prepare->unit_bytes,
		.link_rate_bps = prepare->rate_bps, .from = former,
	};
	struct liquid_schedule *schedule;
	int status = liquid_solve(prepare->fabric, prepare->traffic, &options, &schedule, err);

	if (status)
		return status;
	status = write_schedule(prepare, schedule, err);
	if (!status)
		status = write_figures(prepare, schedule, former, err);
	liquid_schedule_free(schedule);
	return status;
}

/* Into the file from which slices are made, unless a ready-made schedule is there */
static int solve(const struct prepare *prepare, struct liquid_error *err)
{
	struct liquid_schedule *former;
	int status = prepare->out < 0 ? LIQUID_OK : read_former(prepare, &former, err);

	if (status || prepare->out < 0)
		return status;
	status = solve_from(prepare, former, err);
	liquid_schedule_free(former);
	return status;
}

/* ---- the slices ---- */

static int print_json_line(json_t *json, struct liquid_error *err)
{
	int failed = !json || json_dumpf(json, stdout, JSON_COMPACT | JSON_ENSURE_ASCII);

	json_decref(json);
	return failed ? liquid_fail(err, LIQUID_IO, "cannot write the plan") : LIQUID_OK;
}

static bool *senders(const struct prepare *prepare)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(prepare->traffic);
	bool *sending = calloc(liquid_fabric_host_count(prepare->fabric) + (size_t)1,
			       sizeof(*sending));

	for (size_t i = 0; sending && i < liquid_traffic_pair_count(prepare->traffic); i++)
		sending[pairs[i].src] = true;
	return sending;
}

/* A rail that only receives takes part in the round, but has nothing to push. */
static int rail_slice(const struct prepare *prepare, uint32_t host, bool several, json_t **slice,
		      struct liquid_error *err)
{
	const char *name = liquid_fabric_node_name(prepare->fabric, host);
	struct liquid_error why;
	int status = LIQUID_OK;

	if (prepare->sending[host])
		status = slice_make(&prepare->source, name, prepare->stated_bps, slice, &why);
	else
		*slice = json_pack("{s:s, s:b}", "digest", prepare->source.digest, "idle", 1);
	if (status)
		return liquid_fail(err, status, "%s%s%.900s", several ? name : "",
				   several ? ": " : "", why.text);
	if (!*slice || (several && json_object_set_new(*slice, "endpoint", json_string(name))))
		return liquid_no_memory(err);
	return LIQUID_OK;
}

/* The first rail's slice has the others' in "more". */
static void add_rail(json_t **node, json_t *slice)
{
	json_t *more = json_object_get(*node, "more");

	if (!*node)
		*node = slice;
	else if (more)
		json_array_append_new(more, slice);
	else
		json_object_set_new(*node, "more", json_pack("[o]", slice));
}

/* Of its rails; @order: of its ranks, which this takes, or NULL */
static int print_node(const struct prepare *prepare, const struct rails_node *node, json_t *order,
		      struct liquid_error *err)
{
	struct rails rails;
	json_t *json = NULL;
	int status = rails_find(prepare->fabric, prepare->round.rail, node, &rails, err);

	for (size_t i = 0; !status && i < rails.count; i++) {
		json_t *slice = NULL;

		status = rail_slice(prepare, rails.host[i], rails.count > 1, &slice, err);
		if (status)
			json_decref(slice);
		else
			add_rail(&json, slice);
	}
	if (!status && order)
		json_object_set(json, "order", order);
	json_decref(order);
	if (!status)
		return print_json_line(json, err);
	json_decref(json);
	return status;
}

static int print_one(const struct prepare *prepare, struct liquid_error *err)
{
	for (size_t i = 0; i < prepare->round.parts; i++) {
		const struct round_part *part = &prepare->round.part[i];

		for (size_t n = 0; n < part->nodes; n++)
			if (!strcmp(part->node[n].name, prepare->node))
				return print_node(prepare, &part->node[n], NULL, err);
	}
	return answer_malformed(err);
}

/* The output begins at *@at, which becomes its end. */
static int print_indexed(const struct prepare *prepare, const struct rails_node *node,
			 json_t *order, json_t *index, long *at, struct liquid_error *err)
{
	int status = print_node(prepare, node, order, err);
	long end = ftell(stdout);

	if (status)
		return status;
	if (end < 0 || json_object_set_new(index, node->name,
					   json_pack("[I, I]", (json_int_t)*at,
						     (json_int_t)(end - *at))))
		return liquid_fail(err, LIQUID_IO, "cannot write the plan");
	*at = end;
	return LIQUID_OK;
}

static int print_part(const struct prepare *prepare, const struct round_part *part,
		      const struct order *order, json_t *index, long *at, struct liquid_error *err)
{
	int status = LIQUID_OK;

	for (size_t n = 0; !status && n < part->nodes; n++)
		if (!json_object_get(index, part->node[n].name))
			status = print_indexed(prepare, &part->node[n], order_json(order, n), index,
					       at, err);
	return status;
}

/* The slices of all nodes, then where each begins: see job/service/slices.c of liquid-nl. */
static int print_all(const struct prepare *prepare, const struct order *order,
		     struct liquid_error *err)
{
	json_t *index = json_object();
	int status = LIQUID_OK;
	long at = 0;

	for (size_t i = 0; !status && i < prepare->round.parts; i++)
		status = print_part(prepare, &prepare->round.part[i], order, index, &at, err);
	if (!status)
		status = print_json_line(json_incref(index), err);
	if (!status && printf("%020ld\n", at) < 0)
		status = liquid_fail(err, LIQUID_IO, "cannot write the plan");
	json_decref(index);
	return status;
}

static int print_slices(const struct prepare *prepare, struct liquid_error *err)
{
	struct order order = {
		.round = &prepare->round, .fabric = prepare->fabric, .traffic = prepare->traffic,
		.schedule = prepare->source.schedule, .name = prepare->name,
		.rate_bps = prepare->rate_bps,
	};
	int status;

	if (prepare->node)
		return print_one(prepare, err);
	order_make(&order);
	status = print_all(prepare, &order, err);
	order_clear(&order);
	return status;
}

static int prepare_round(struct prepare *prepare, struct liquid_error *err)
{
	int status = check_digest(prepare, prepare->fabric, prepare->source.fabric_label, err);

	if (!status)
		status = check_live(prepare, err);
	if (!status)
		status = round_traffic(&prepare->round, prepare->fabric, &prepare->traffic, err);
	if (!status)
		status = check_traffic(prepare, err);
	if (!status)
		status = solve(prepare, err);
	prepare->source.fabric = prepare->fabric;
	if (!status)
		status = slice_open(&prepare->source, err);
	if (status)
		return status;
	prepare->sending = senders(prepare);
	return prepare->sending ? print_slices(prepare, err) : liquid_no_memory(err);
}

int answer_prepare(const json_t *question, json_t **answer, struct liquid_error *err)
{
	uint64_t rail = (uint64_t)json_integer_value(json_object_get(question, "rail"));
	struct prepare prepare = { 0 };
	int status = unpack(question, &prepare) ? LIQUID_OK : answer_malformed(err);

	*answer = NULL;
	if (!status)
		status = answer_fabric(json_object_get(question, "fabric"), &prepare.fabric, err);
	if (!status)
		status = round_read(json_object_get(question, "round"), rail, &prepare.round, err);
	if (!status)
		status = prepare_round(&prepare, err);
	slice_close(&prepare.source);
	free(prepare.sending);
	round_clear(&prepare.round);
	liquid_traffic_free(prepare.traffic);
	liquid_fabric_free(prepare.fabric);
	return status;
}

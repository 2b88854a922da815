// SPDX-License-Identifier: GPL-2.0-only
/*
 * The report of a job from the records of the store
 *
 * A node's part in a round ends when its part in the next one begins, or else with its last sample.
 */
#include <string.h>

#include "util/command.h"
#include "report/report.h"

struct reading {
	const struct job_args *args;
	const char *job;
};

static json_t *get(const struct reading *reading, enum record record, const char *round,
		   const char *node)
{
	struct liquid_error err;
	json_t *json = record_get(&reading->args->store, record, round, node, &err);

	if (json_is_object(json))
		return json;
	json_decref(json);
	return NULL;
}

/* The round of the job after @generation that came into force, if there is one */
static bool next_in_force(const struct reading *reading, unsigned int generation,
			  char round[JOB_ROUND_SIZE])
{
	const struct job_store *store = &reading->args->store;
	struct record_decision go;

	while (record_get_generation(store, reading->job, ++generation, round))
		if (record_get_decision(store, RECORD_GO, round, &go) && go.positive)
			return true;
	return false;
}

/* The first rail's sample has the others' in "more". */
static const json_t *rail_of(const json_t *sample, size_t rail)
{
	return rail ? json_array_get(json_object_get(sample, "more"), rail - 1) : sample;
}

static size_t rails_of(const json_t *first, const json_t *last)
{
	size_t one = json_array_size(json_object_get(first, "more"));
	size_t other = json_array_size(json_object_get(last, "more"));

	return 1 + (one > other ? one : other);
}

/* A rail is called as its endpoint, if that is known. */
static json_t *read_rail(const char *node, const json_t *first, size_t rail, const json_t *last)
{
	const json_t *plan = json_object_get(rail_of(first, rail), "plan");
	const char *endpoint = text_of(plan, "endpoint");
	char name[2 * LIQUID_NAME_MAX];
	json_t *json;

	if (*endpoint)
		snprintf(name, sizeof(name), "%s", endpoint);
	else
		snprintf(name, sizeof(name), "%s rail %zu", node, rail + 1);
	json = report_node(name, rail_of(first, rail), rail_of(last, rail));
	json_object_set_new(json, "host", json_string(node));
	json_object_set_new(json, "rail", json_integer((json_int_t)rail + 1));
	return json;
}

/* A row for the node, or one for each of its rails */
static void read_node(const struct reading *reading, const char *node, const char *round,
		      const char *next, json_t *nodes)
{
	json_t *first = get(reading, RECORD_FIRST, round, node);
	json_t *last = get(reading, RECORD_LAST, round, node);
	json_t *open = get(reading, RECORD_OPEN, round, node), *json;
	size_t rails;

	if (!last && next)
		last = get(reading, RECORD_FIRST, next, node);
	rails = rails_of(first, last);
	for (size_t i = 0; i < rails; i++) {
		json = rails > 1 ? read_rail(node, first, i, last) : report_node(node, first, last);
		if (open)
			json_object_set_new(json, "opened", json_string(text_of(open, "reason")));
		json_array_append_new(nodes, json);
	}
	json_decref(first);
	json_decref(last);
	json_decref(open);
}

static json_t *read_nodes(const struct reading *reading, const struct job_spec *spec,
			  const char *next)
{
	json_t *nodes = json_array();

	for (size_t i = 0; i < spec->part_count; i++)
		for (size_t n = 0; !strcmp(spec->part[i].job, reading->job) &&
		     n < spec->part[i].nodes.count; n++)
			read_node(reading, spec->part[i].nodes.name[n], spec->round, next, nodes);
	return nodes;
}

static void add_decision(json_t *json, const struct reading *reading, enum record record,
			 const char *round)
{
	static const char *const members[] = {
		"verdict", "node", "reason", "cause", "base_ns", "digest", NULL
	};
	json_t *decision = get(reading, record, round, NULL);

	for (const char *const *member = members; decision && *member; member++)
		if (json_object_get(decision, *member))
			json_object_set(json, *member, json_object_get(decision, *member));
	json_decref(decision);
}

static void add_figures(json_t *json, const struct reading *reading, const char *round)
{
	json_t *figures = get(reading, RECORD_FIGURES, round, NULL);

	if (figures)
		json_object_update_missing(json, figures);
	json_decref(figures);
}

/* The schedule's length over its lower bound; 1 if that is not known */
static double stretch_of(const json_t *round)
{
	double frames = (double)value_of(round, "frames");
	double least = (double)value_of(round, "lower_bound");

	return least > 0 && frames > least ? frames / least : 1;
}

static void add_nodes(json_t *json, const struct reading *reading, const struct job_spec *spec,
		      unsigned int generation)
{
	char next[JOB_ROUND_SIZE];
	bool more = next_in_force(reading, generation, next);
	json_t *nodes = read_nodes(reading, spec, more ? next : NULL);

	json_object_set_new(json, "totals", report_totals(nodes, stretch_of(json)));
	json_object_set_new(json, "nodes", nodes);
}

static json_t *read_round(const struct reading *reading, const char *round, unsigned int generation)
{
	json_t *json = json_pack("{s:s, s:i}", "round", round, "generation", (int)generation);
	struct liquid_error err;
	struct job_spec spec;

	add_decision(json, reading, RECORD_RELEASE, round);
	add_decision(json, reading, RECORD_GO, round);
	add_figures(json, reading, round);
	if (job_spec_read(&reading->args->store, round, &spec, &err))
		return json;
	json_object_set_new(json, "frame_ns", json_integer((json_int_t)spec.frame_ns));
	if (!strcmp(text_of(json, "verdict"), "keep"))
		add_nodes(json, reading, &spec, generation);
	job_spec_clear(&spec);
	return json;
}

json_t *report_read(const struct job_args *args)
{
	const struct reading reading = { args, args->job };
	char round[JOB_ROUND_SIZE];
	json_t *json, *rounds;

	if (!record_has(&args->store, RECORD_JOB, args->job, NULL)) {
		complain(0, "job %s: the store %s has no records of it", args->job,
			 args->store.dir);
		return NULL;
	}
	json = job_status_json(args, args->job);
	rounds = json_array();
	for (unsigned int i = 1; record_get_generation(&args->store, args->job, i, round); i++)
		json_array_append_new(rounds, read_round(&reading, round, i));
	json_object_set_new(json, "rounds", rounds);
	return json;
}

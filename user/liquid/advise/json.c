// SPDX-License-Identifier: GPL-2.0-only
/* The page as JSON. */
#include "advise/advise.h"
#include "util/command.h"

static json_t *links_json(const struct advise_facts *facts)
{
	char name[2 * LIQUID_NAME_MAX + 32];
	json_t *array = json_array();

	for (uint32_t i = 0; i < facts->bottlenecks && i < ADVISE_LINKS; i++) {
		uint32_t link = facts->bottleneck[i];

		json_array_append_new(array, json_pack("{s:s, s:I, s:I}", "link",
			liquid_fabric_link_name(facts->fabric, link, name, sizeof(name)),
			"load", (json_int_t)facts->load[link],
			"capacity", (json_int_t)liquid_fabric_capacity(facts->fabric, link)));
	}
	return array;
}

static json_t *parts_json(const struct advise_page *page)
{
	const struct advise_probes *probes = page->probes;

	if (!probes->at[ADVISE_PRESENT].schedule.parts)
		return json_null();
	return json_pack("{s:I, s:I, s:I, s:I}",
			 "parts", (json_int_t)probes->at[ADVISE_PRESENT].schedule.parts,
			 "length", (json_int_t)probes->at[ADVISE_PRESENT].schedule.parts_length,
			 "tokens_from_bytes", (json_int_t)page->verdict->parts_by_tokens,
			 "gates_from_bytes", (json_int_t)page->verdict->parts_by_gates);
}

static json_t *commands_json(const struct advise_page *page)
{
	char line[ADVISE_NEXT][4096], *text[ADVISE_NEXT] = { line[0], line[1], line[2], line[3] };
	int count = advise_next(page, text, sizeof(line[0]));
	json_t *array = json_array();

	for (int i = 0; i < count; i++)
		json_array_append_new(array, json_string(text[i]));
	return array;
}

/* ---- remedies ---- */

static json_t *by_switches(const double value[ADVISE_SWITCHES], double scale)
{
	return json_pack("{s:f, s:f}", advise_queues(ADVISE_FIFO), scale * value[ADVISE_FIFO],
			 advise_queues(ADVISE_VOQ), scale * value[ADVISE_VOQ]);
}

static json_t *options_json(int way)
{
	json_t *object = json_object();

	for (int i = 0; way < ADVISE_ORDERS && advise_libraries[i].name; i++)
		if (advise_libraries[i].option[way])
			json_object_set_new(object, advise_libraries[i].name,
					    json_string(advise_libraries[i].option[way]));
	return object;
}

static json_t *remedy_json(const struct advise_page *page, const struct advise_remedy *remedy)
{
	static const char *const routes[] = { "present", "other", "present" };
	static const char *const ways[] = { "tokens", "gates", "ranks" };
	const struct advise_order *order = page->probes->at[remedy->place].way[remedy->way];
	char effort[32];

	return json_pack("{s:s, s:s, s:s, s:b, s:f, s:I, s:o, s:o, s:o, s:o, s:{s:I, s:I}, s:s,"
			 " s:f, s:b, s:b, s:s?, s:s, s:o}", "name", remedy->name,
			 "routes", routes[remedy->place],
			 "order", remedy->way < ADVISE_ORDERS ? advise_order(remedy->way) :
			 ways[remedy->way - ADVISE_ORDERS],
			 "other_nodes", remedy->place == ADVISE_CHOSEN,
			 "lambda", page->probes->at[remedy->place].lambda,
			 "lanes", (json_int_t)order[ADVISE_VOQ].lanes,
			 "us", by_switches(remedy->ns, 1e-3),
			 "spread", by_switches(remedy->spread, 1),
			 "gain", by_switches(remedy->gain, 1),
			 "together_us", remedy->together_ns[ADVISE_VOQ] > 0 ?
			 by_switches(remedy->together_ns, 1e-3) : json_null(),
			 "seed", advise_queues(ADVISE_FIFO), (json_int_t)order[ADVISE_FIFO].seed,
			 advise_queues(ADVISE_VOQ), (json_int_t)order[ADVISE_VOQ].seed,
			 "effort", advise_effort(remedy, effort), "network", remedy->network,
			 "estimated", remedy->estimated, "recommended", remedy->recommended,
			 "why_not", remedy->why_not, "command", remedy->command,
			 "options", options_json(remedy->way));
}

static json_t *remedies_json(const struct advise_page *page)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < page->verdict->remedies; i++)
		json_array_append_new(array, remedy_json(page, &page->verdict->remedy[i]));
	return array;
}

static json_t *flows_json(const struct advise_facts *facts)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < facts->flows; i++)
		json_array_append_new(array, json_pack("[s, s]",
			liquid_fabric_node_name(facts->fabric, facts->meet[i].src),
			liquid_fabric_node_name(facts->fabric, facts->meet[i].dst)));
	return array;
}

json_t *advise_json(const struct advise_page *page)
{
	const struct advise_facts *facts = page->facts;
	const struct advise_scale *scale = page->scale;
	const struct advise_found *found = &page->probes->at[ADVISE_PRESENT].schedule;
	const struct advise_verdict *verdict = page->verdict;
	char cause[512];

	advise_cause(facts, cause, sizeof(cause));
	return json_pack("{s:s, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:I, s:o, s:o,"
			 " s:I, s:I, s:s, s:{s:b, s:f, s:I, s:I, s:I, s:I, s:I, s:f},"
			 " s:o, s:o, s:{s:I, s:I, s:I, s:b, s:o},"
			 " s:{s:I, s:I, s:b}, s:{s:[I,I], s:[b,b]}, s:I, s:I, s:o}",
			 "fabric", liquid_fabric_name(facts->fabric),
			 "senders", (json_int_t)facts->senders,
			 "receivers", (json_int_t)facts->receivers,
			 "transfers", (json_int_t)facts->transfers,
			 "lambda", facts->lambda, "at_best", facts->lambda,
			 "at_best_us", facts->lambda * (double)verdict->pair_ns / 1e3,
			 "hosts_lambda", facts->ends,
			 "switches_lambda", facts->inner,
			 "bottleneck_count", (json_int_t)facts->bottlenecks,
			 "bottlenecks", links_json(facts), "meet", flows_json(facts),
			 "switch_links", (json_int_t)facts->inner_links,
			 "unused", (json_int_t)facts->unused, "cause", cause,
			 "simulated", "whole", scale->whole,
			 "share", scale->share < 1 ? scale->share : 1,
			 "steps", (json_int_t)scale->by_message.steps,
			 "of_steps", (json_int_t)scale->of_steps,
			 "packets", (json_int_t)scale->more,
			 "of_packets", (json_int_t)scale->packets,
			 "packet_bytes", (json_int_t)scale->packet_bytes, "error", verdict->error,
			 "today", remedy_json(page, &verdict->today),
			 "remedies", remedies_json(page),
			 "schedule", "length", (json_int_t)found->length,
			 "duration", (json_int_t)found->duration,
			 "lower_bound", (json_int_t)found->lower_bound,
			 "simulated", (int)scale->whole, "parts", parts_json(page),
			 "gates", "guard_ns", (json_int_t)verdict->guard_ns,
			 "from_bytes", (json_int_t)verdict->gates_from, "gates", verdict->gates,
			 "tokens", "from_bytes", (json_int_t)verdict->tokens_from[ADVISE_FIFO],
			 (json_int_t)verdict->tokens_from[ADVISE_VOQ],
			 "tokens", verdict->tokens[ADVISE_FIFO], verdict->tokens[ADVISE_VOQ],
			 "pair_bytes", (json_int_t)verdict->pair_bytes,
			 "pair_ns", (json_int_t)verdict->pair_ns,
			 "next", commands_json(page));
}

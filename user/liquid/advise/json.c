// SPDX-License-Identifier: GPL-2.0-only
/* The page as JSON, and the commands that it ends with. */
#include <string.h>

#include "advise/advise.h"
#include "util/command.h"

/* ---- what to call next ---- */

struct line {
	char *text;
	size_t size;
};

static void add(struct line *line, const char *before, const char *word)
{
	size_t length = strlen(line->text);

	if (word)
		snprintf(line->text + length, line->size - length, "%s%s", before, word);
}

/* A word of the shell: as it is, or between quotes. */
static void add_word(struct line *line, const char *before, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_./:,=+@%";

	if (!word)
		return;
	if (*word && strspn(word, plain) == strlen(word)) {
		add(line, before, word);
		return;
	}
	add(line, before, "'");
	for (; *word; word++) {
		char one[2] = { *word, '\0' };

		add(line, "", *word == '\'' ? "'\\''" : one);
	}
	add(line, "", "'");
}

static void add_number(struct line *line, const char *before, uint64_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
	add(line, before, text);
}

#define IMPORTED "cluster.fabric"
#define STEPS_MAX 4
#define SPARE 4096	/* of a command that has no place on the page */

/* The commands in their order; @spare takes those beyond the second. */
struct steps {
	const struct advise_page *page;
	const char *fabric;
	struct line line[STEPS_MAX];
	int count;
};

static struct line *begin(struct steps *steps, const char *command)
{
	struct line *line = &steps->line[steps->count++];

	*line->text = '\0';
	add(line, "liquid ", command);
	add_word(line, " ", steps->fabric);
	return line;
}

static void add_traffic(struct line *line, const struct traffic_args *traffic)
{
	if (traffic->traffic && strcmp(traffic->traffic, "alltoall"))
		add_word(line, " --traffic ", traffic->traffic);
	add_word(line, " --hosts ", traffic->hosts);
	add_word(line, " --senders ", traffic->senders);
	add_word(line, " --receivers ", traffic->receivers);
	if (traffic->tasks_per_node)
		add_number(line, " --tasks-per-node ", traffic->tasks_per_node);
	add_word(line, " --distribution ", traffic->distribution);
}

/* Options of the page's simulations, as far as `simulate` has other defaults. */
static void add_model(struct line *line, const struct steps *steps, int queues)
{
	const struct advise *advise = steps->page->advise;
	uint64_t packet = steps->page->scale->packet_bytes;

	if (queues != ADVISE_VOQ)
		add(line, " --queues ", advise_queues(queues));
	if (advise_pair_bytes(advise) != SIMULATE_MESSAGE_BYTES)
		add_number(line, " --message ", advise_pair_bytes(advise));
	if (packet > SIMULATE_PACKET_BYTES)
		add_number(line, " --packet ", packet);
	if (advise->rate_bps != simulate_rate(steps->page->facts->fabric))
		add_number(line, " --rate ", advise->rate_bps);
}

static void import(struct steps *steps)
{
	const struct liquid_import *import = &steps->page->advise->import;
	struct line *line = &steps->line[steps->count++];

	add(line, "", "liquid fabric import");
	add_word(line, " --topo ", import->topo_label);
	add_word(line, " --lft ", import->lft_label);
	add_word(line, " --name ", import->name);
	add_word(line, " --rail ", import->rail_name);
	add_word(line, " --node-name-map ", import->node_names_label);
	add_word(line, " --strip-domain ", import->strip_domain);
	if (import->unit_bps)
		add_number(line, " --unit-rate ", import->unit_bps);
	if (import->unknown_bps)
		add_number(line, " --unknown-rate ", import->unknown_bps);
	add_word(line, " --leave-out ", import->leave_out);
	if (import->allow_unreachable)
		add(line, "", " --allow-unreachable");
	add(line, "", " -o " IMPORTED);
}

static void choose(struct steps *steps)
{
	add_number(begin(steps, "choose"), " --count ", steps->page->facts->senders);
}

static void solve(struct steps *steps)
{
	const struct traffic_args *traffic = &steps->page->advise->traffic;
	struct line *line = begin(steps, "solve");

	add_traffic(line, traffic);
	if (is_rank_traffic(traffic))
		add_number(line, " --unit-bytes ", traffic->unit_bytes);
	add_number(line, " --work ", ADVISE_SOLVE_WORK);
	add(line, "", " -o exchange.schedule");
}

static void simulate_schedule(struct steps *steps)
{
	const struct advise_page *page = steps->page;
	bool fifo = page->verdict->gain[ADVISE_FIFO] >= ADVISE_GAIN_LEAST;
	struct line *line = begin(steps, "simulate");

	add(line, "", " --schedule exchange.schedule");
	add_model(line, steps, fifo ? ADVISE_FIFO : ADVISE_VOQ);
	if (page->advise->transport == TRANSPORT_TCP) {
		add_number(line, " --sync gates --clock-error ", page->advise->clock_ns);
		return;
	}
	add(line, "", " --sync tokens");
	if (page->advise->token_ns != SIMULATE_TOKEN_NS)
		add_number(line, " --token-latency ", page->advise->token_ns);
}

static void simulate_order(struct steps *steps, int queues)
{
	struct line *line = begin(steps, "simulate");
	int best = steps->page->verdict->best[queues];

	add_traffic(line, &steps->page->advise->traffic);
	add(line, " --order ", advise_order(best));
	if (best == ADVISE_WINDOW)
		add(line, "", " --window auto");
	add_model(line, steps, queues);
}

/* An order of ranks is that of an all-to-all of hosts; else the other kind of switches is shown. */
static void rank(struct steps *steps)
{
	const struct traffic_args *traffic = &steps->page->advise->traffic;
	struct line *line;

	if (traffic->senders || (traffic->traffic && strcmp(traffic->traffic, "alltoall"))) {
		simulate_order(steps, ADVISE_FIFO);
		return;
	}
	line = begin(steps, "ranks");
	add_word(line, " --hosts ", traffic->hosts);
	add(line, "", " --order contention-aware --check");
}

void advise_commands(const struct advise_page *page, char *first, char *second, size_t size)
{
	char spare[SPARE] = "";
	struct steps steps = {
		.page = page, .fabric = page->advise->fabric ? page->advise->fabric : IMPORTED,
		.line = { { first, size }, { second, size }, { spare, SPARE }, { spare, SPARE } },
	};

	*first = *second = '\0';
	if (!page->advise->fabric)
		import(&steps);
	if (page->verdict->other_nodes)
		choose(&steps);
	if (page->verdict->nothing) {
		simulate_order(&steps, ADVISE_VOQ);
		rank(&steps);
	} else {
		solve(&steps);
		simulate_schedule(&steps);
	}
}

/* ---- JSON ---- */

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

static json_t *orders_json(const struct advise_page *page)
{
	json_t *array = json_array();

	for (int order = 0; order < ADVISE_ORDERS; order++)
		for (int queues = 0; queues < ADVISE_SWITCHES; queues++) {
			const struct advise_order *one = &page->probes->order[order][queues];

			json_array_append_new(array, json_pack("{s:s, s:s, s:f, s:I, s:I}",
				"order", advise_order(order), "queues", advise_queues(queues),
				"share", one->share, "lanes", (json_int_t)one->lanes,
				"deadlocks", (json_int_t)one->deadlocks));
		}
	return array;
}

static json_t *schedules_json(const struct advise_page *page)
{
	const struct advise_verdict *verdict = page->verdict;
	json_t *array = json_array();

	for (int queues = 0; queues < ADVISE_SWITCHES; queues++)
		json_array_append_new(array, json_pack("{s:s, s:f, s:s, s:f, s:f, s:b, s:I, s:b}",
			"queues", advise_queues(queues), "share", verdict->schedule[queues],
			"best_order", advise_order(verdict->best[queues]),
			"gain", verdict->gain[queues],
			"over_pairwise", verdict->over_pairwise[queues],
			"gains", verdict->gains[queues],
			"tokens_from_bytes", (json_int_t)verdict->tokens_from[queues],
			"tokens", verdict->tokens[queues]));
	return array;
}

static json_t *parts_json(const struct advise_page *page)
{
	const struct advise_probes *probes = page->probes;

	if (!probes->schedule.parts)
		return json_null();
	return json_pack("{s:I, s:I, s:I, s:I}", "parts", (json_int_t)probes->schedule.parts,
			 "length", (json_int_t)probes->schedule.parts_length,
			 "tokens_from_bytes", (json_int_t)page->verdict->parts_by_tokens,
			 "gates_from_bytes", (json_int_t)page->verdict->parts_by_gates);
}

static json_t *choice_part(const struct advise_page *page)
{
	const struct advise_probes *probes = page->probes;

	if (!probes->choice.done)
		return json_null();
	return json_pack("{s:I, s:I, s:f, s:f, s:b}", "count", (json_int_t)probes->choice.count,
			 "candidates", (json_int_t)probes->choice.candidates,
			 "lambda", probes->choice.lambda, "bound", probes->choice.bound,
			 "better", page->verdict->other_nodes);
}

static json_t *routes_json(const struct advise_page *page)
{
	const struct advise_probes *probes = page->probes;
	json_t *array = json_array();

	for (int i = 0; i < ADVISE_LANES; i++)
		if (probes->routes[i].done)
			json_array_append_new(array, json_pack(
				"{s:I, s:f, s:f, s:b}",
				"lanes", (json_int_t)probes->routes[i].lanes,
				"lambda", probes->routes[i].lambda,
				"bound", probes->routes[i].bound,
				"better", page->verdict->routes == i));
	return array;
}

static json_t *commands_json(const struct advise_page *page)
{
	char first[4096], second[4096];

	advise_commands(page, first, second, sizeof(first));
	return json_pack("[s, s]", first, second);
}

json_t *advise_json(const struct advise_page *page)
{
	const struct advise_facts *facts = page->facts;
	const struct advise_scale *scale = page->scale;
	const struct advise_probes *probes = page->probes;
	const struct advise_verdict *verdict = page->verdict;

	return json_pack("{s:s, s:i, s:s, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:I, s:o,"
			 " s:{s:b, s:f, s:I, s:I, s:I, s:I, s:I, s:f}, s:o,"
			 " s:{s:I, s:I, s:I, s:b, s:o}, s:o, s:b,"
			 " s:o, s:o, s:{s:I, s:I, s:b}, s:I, s:I, s:o}",
			 "format", "liquid-advice", "version", 1,
			 "fabric", liquid_fabric_name(facts->fabric),
			 "senders", (json_int_t)facts->senders,
			 "receivers", (json_int_t)facts->receivers,
			 "transfers", (json_int_t)facts->transfers,
			 "lambda", facts->lambda, "at_best", facts->lambda,
			 "hosts_lambda", facts->ends,
			 "switches_lambda", facts->inner,
			 "bottleneck_count", (json_int_t)facts->bottlenecks,
			 "bottlenecks", links_json(facts),
			 "simulated", "whole", scale->whole,
			 "share", scale->share < 1 ? scale->share : 1,
			 "steps", (json_int_t)scale->by_message.steps,
			 "of_steps", (json_int_t)scale->of_steps,
			 "packets", (json_int_t)scale->more,
			 "of_packets", (json_int_t)scale->packets,
			 "packet_bytes", (json_int_t)scale->packet_bytes, "error", verdict->error,
			 "orders", orders_json(page),
			 "schedule", "length", (json_int_t)probes->schedule.length,
			 "duration", (json_int_t)probes->schedule.duration,
			 "lower_bound", (json_int_t)probes->schedule.lower_bound,
			 "simulated", probes->schedule.simulated,
			 "parts", parts_json(page), "gains", schedules_json(page),
			 "nothing", verdict->nothing, "other_nodes", choice_part(page),
			 "routes", routes_json(page),
			 "gates", "guard_ns", (json_int_t)verdict->guard_ns,
			 "from_bytes", (json_int_t)verdict->gates_from, "gates", verdict->gates,
			 "pair_bytes", (json_int_t)verdict->pair_bytes,
			 "pair_ns", (json_int_t)verdict->pair_ns,
			 "next", commands_json(page));
}

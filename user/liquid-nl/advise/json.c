// SPDX-License-Identifier: GPL-2.0-only
/* The page as JSON, and the commands that it ends with. */
#include <string.h>

#include "advise/advise.h"
#include "cmd/cmd.h"

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

static void add_traffic(struct line *line, const struct traffic_args *traffic)
{
	if (traffic->traffic && strcmp(traffic->traffic, "alltoall"))
		add_word(line, " --traffic ", traffic->traffic);
	add_word(line, " --hosts ", traffic->hosts);
	add_word(line, " --senders ", traffic->senders);
	add_word(line, " --receivers ", traffic->receivers);
}

/* An import first: then its schedule. */
static void import_and_solve(const struct advise *advise, struct line *first, struct line *second)
{
	add(first, "", "liquid-nl fabric import --topo ");
	add_word(first, "", advise->topo);
	add_word(first, " --lft ", advise->lft);
	add(first, "", " -o cluster.fabric");
	add(second, "", "liquid-nl solve cluster.fabric");
	add_traffic(second, &advise->traffic);
	add(second, "", " -o exchange.schedule");
}

static void solve_and_simulate(const struct advise *advise, struct line *first,
			       struct line *second)
{
	char bytes[32];

	snprintf(bytes, sizeof(bytes), "%llu", (unsigned long long)advise->message_bytes);
	add(first, "", "liquid-nl solve ");
	add_word(first, "", advise->fabric);
	add_traffic(first, &advise->traffic);
	add(first, "", " -o exchange.schedule");
	add(second, "", "liquid-nl simulate ");
	add_word(second, "", advise->fabric);
	add(second, "", " --schedule exchange.schedule --switching cut-through");
	add(second, " --message ", bytes);
	add(second, "", advise->transport == TRANSPORT_TCP ? " --sync gates" : " --sync tokens");
}

/* Nothing to schedule: in which order, and which order of ranks. */
static void order_and_rank(const struct advise_page *page, struct line *first,
			   struct line *second)
{
	static const char *const orders[] = {
		[ADVISE_PAIRWISE] = "round-robin", [ADVISE_AT_ONCE] = "all-at-once",
		[ADVISE_WINDOW] = "shuffle-rotation --window auto",
	};
	const struct advise *advise = page->advise;

	add(first, "", "liquid-nl simulate ");
	add_word(first, "", advise->fabric);
	add_traffic(first, &advise->traffic);
	add(first, " --switching cut-through --queues voq --order ",
	    orders[page->verdict->best[ADVISE_VOQ]]);
	add(second, "", "liquid-nl ranks ");
	add_word(second, "", advise->fabric);
	add_word(second, " --hosts ", advise->traffic.hosts);
	add(second, "", " --order contention-aware --check");
}

static void choose_first(const struct advise_page *page, struct line *first)
{
	char count[16];

	snprintf(count, sizeof(count), "%u", page->facts->senders);
	add(first, "", "liquid-nl choose ");
	add_word(first, "", page->advise->fabric);
	add(first, " --count ", count);
}

#define SPARE 4096	/* of a command that has no place on the page */

void advise_commands(const struct advise_page *page, char *first, char *second, size_t size)
{
	bool nodes = page->verdict->other_nodes && page->advise->fabric;
	char spare[SPARE] = "";
	struct line one = { first, size }, other = { second, size }, none = { spare, SPARE };

	*first = *second = '\0';
	if (nodes)
		choose_first(page, &one);
	if (!page->advise->fabric)
		import_and_solve(page->advise, &one, &other);
	else if (!page->verdict->nothing)
		solve_and_simulate(page->advise, nodes ? &other : &one, nodes ? &none : &other);
	else
		order_and_rank(page, nodes ? &other : &one, nodes ? &none : &other);
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
				"order", advise_orders[order], "queues", advise_switches[queues],
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
			"queues", advise_switches[queues], "share", verdict->schedule[queues],
			"best_order", advise_orders[verdict->best[queues]],
			"gain", verdict->gain[queues],
			"over_pairwise", verdict->over_pairwise[queues],
			"gains", verdict->gains[queues],
			"tokens_from_bytes", (json_int_t)verdict->tokens_from[queues],
			"tokens", verdict->tokens[queues]));
	return array;
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
			 " s:{s:b, s:I, s:I, s:I, s:I, s:f}, s:o, s:{s:I, s:I, s:I, s:b}, s:o, s:b,"
			 " s:o, s:{s:I, s:I, s:b}, s:I, s:I, s:o}",
			 "format", "liquid-advice", "version", 1,
			 "fabric", liquid_fabric_name(facts->fabric),
			 "senders", (json_int_t)facts->senders,
			 "receivers", (json_int_t)facts->receivers,
			 "transfers", (json_int_t)facts->transfers,
			 "lambda", facts->lambda, "at_best", facts->least,
			 "hosts_lambda", facts->ends,
			 "switches_lambda", facts->inner,
			 "bottleneck_count", (json_int_t)facts->bottlenecks,
			 "bottlenecks", links_json(facts),
			 "simulated", "whole", scale->whole, "hosts", (json_int_t)scale->hosts,
			 "of_hosts", (json_int_t)scale->of_hosts,
			 "switches", (json_int_t)scale->switches,
			 "packet_bytes", (json_int_t)scale->packet_bytes, "error", verdict->error,
			 "orders", orders_json(page),
			 "schedule", "length", (json_int_t)probes->schedule.length,
			 "duration", (json_int_t)probes->schedule.duration,
			 "lower_bound", (json_int_t)probes->schedule.lower_bound,
			 "simulated", probes->schedule.simulated,
			 "gains", schedules_json(page),
			 "nothing", verdict->nothing, "other_nodes", choice_part(page),
			 "gates", "guard_ns", (json_int_t)verdict->guard_ns,
			 "from_bytes", (json_int_t)verdict->gates_from, "gates", verdict->gates,
			 "pair_bytes", (json_int_t)verdict->pair_bytes,
			 "pair_ns", (json_int_t)verdict->pair_ns,
			 "next", commands_json(page));
}

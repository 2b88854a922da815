// SPDX-License-Identifier: GPL-2.0-only
/* The page: the losses of the exchange on this fabric, and what to do, in plain words. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "advise/advise.h"
#include "util/command.h"
#include "util/units.h"

#define LINK_TEXT (2 * LIQUID_NAME_MAX + 32)
#define SIZE_TEXT 32

static const char *const switch_words[] = { "FIFO", "VOQ" };

static const char *format_size(uint64_t bytes, char text[SIZE_TEXT])
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
	double value = (double)bytes;
	int unit = 0;

	for (; value >= 1024 && unit < 4; unit++)
		value /= 1024;
	snprintf(text, SIZE_TEXT, "%.4g %s", value, units[unit]);
	return text;
}

static double percent(double share)
{
	return 100 * share;
}

/* ---- the present state ---- */

static void print_exchange(const struct advise_page *page)
{
	const struct advise_facts *facts = page->facts;
	char size[SIZE_TEXT], rate[UNIT_TEXT], time[UNIT_TEXT];
	double ns = facts->lambda * (double)page->verdict->pair_ns;

	printf("%-12s %s: %u hosts, %u switches, %u links\n", "fabric",
	       liquid_fabric_name(facts->fabric), liquid_fabric_host_count(facts->fabric),
	       liquid_fabric_switch_count(facts->fabric), liquid_fabric_link_count(facts->fabric));
	printf("%-12s %" PRIu64 " messages of %s from %u hosts to %u, at %s a link\n", "exchange",
	       facts->transfers, format_size(page->verdict->pair_bytes, size), facts->senders,
	       facts->receivers, format_rate(page->advise->rate_bps, rate));
	if (ns < 0x1p62)
		printf("%-12s %.6g messages' times, %s: the busiest link needs so long\n",
		       "at best", facts->lambda, format_time((uint64_t)ns, time));
}

/* The hosts' own links, or the links between. */
static void print_bottlenecks(const struct advise_page *page)
{
	const struct advise_facts *facts = page->facts;
	char name[LINK_TEXT];

	if (facts->inner <= facts->ends) {
		printf("%-12s the hosts' own links; the busiest link between switches has %.3g %% "
		       "of their load\n", "bottleneck", percent(facts->inner / facts->ends));
		return;
	}
	printf("%-12s %u between switches; the hosts' links are at most %.3g %% busy\n",
	       facts->bottlenecks > 1 ? "bottlenecks" : "bottleneck", facts->bottlenecks,
	       percent(facts->ends / facts->lambda));
	for (uint32_t i = 0; i < facts->bottlenecks && i < ADVISE_LINKS; i++) {
		uint32_t link = facts->bottleneck[i];

		printf("%-12s   %s: load %" PRIu64 ", capacity %u\n", "",
		       liquid_fabric_link_name(facts->fabric, link, name, sizeof(name)),
		       facts->load[link], liquid_fabric_capacity(facts->fabric, link));
	}
	if (facts->bottlenecks > ADVISE_LINKS)
		printf("%-12s   and %u more\n", "", facts->bottlenecks - ADVISE_LINKS);
}

/* ---- what orders get ---- */

static void print_row(const char *name, double fifo, double voq, const char *note)
{
	printf("%-12s   %-24s  %9.1f %%   %9.1f %%%s\n", "", name, percent(fifo), percent(voq),
	       note);
}

static const char *lanes_note(const struct advise_order *order, char text[64])
{
	*text = '\0';
	if (order->deadlocks)
		snprintf(text, 64, "  deadlocks: %" PRIu64, order->deadlocks);
	else if (order->lanes > 1)
		snprintf(text, 64, "  with %u virtual lanes", order->lanes);
	return text;
}

static void print_orders(const struct advise_page *page)
{
	const struct advise_probes *probes = page->probes;
	char note[64];

	printf("%-12s part of that speed           FIFO switches  VOQ switches\n", "orders");
	for (int order = 0; order < ADVISE_ORDERS; order++)
		print_row(advise_order(order), probes->order[order][ADVISE_FIFO].share,
			  probes->order[order][ADVISE_VOQ].share,
			  lanes_note(&probes->order[order][ADVISE_FIFO], note));
	print_row("a schedule, by tokens", page->verdict->schedule[ADVISE_FIFO],
		  page->verdict->schedule[ADVISE_VOQ],
		  probes->schedule.simulated ? "" : "  (estimated)");
}

static void print_scale(const struct advise_page *page)
{
	const struct advise_scale *scale = page->scale;

	printf("%-12s ", "simulated");
	if (scale->whole) {
		puts("whole");
		return;
	}
	printf("%.2g %% of it, among all hosts: figures may be off by %.0f points\n",
	       percent(scale->share), percent(page->verdict->error));
}

/* Frames are whole, and a link that is faster than the frames' unit may need a part of one. */
static void print_rounding(double least)
{
	double whole = ceil(least - 1e-9);

	if (whole - least > 1e-3 * whole)
		printf("; whole frames instead of %.6g cost %.1f %%", least,
		       percent(1 - least / whole));
}

static void print_schedule(const struct advise_page *page)
{
	const struct advise_probes *probes = page->probes;

	printf("%-12s %u frames found, at least %u are needed", "schedule",
	       probes->schedule.length, probes->schedule.lower_bound);
	print_rounding(page->facts->lambda);
	puts(probes->schedule.length > probes->schedule.lower_bound ?
	     "; `solve` with more --work may find fewer" : "");
}

static void print_parts(const struct advise_page *page)
{
	const struct advise_probes *probes = page->probes;
	char tokens[SIZE_TEXT], gates[SIZE_TEXT];

	if (probes->schedule.parts)
		printf("%-12s messages in %u parts take %g frames instead of %u (solve "
		       "--divisible);\n%-12s this gains for messages of %s or more by tokens, "
		       "%s or more by gates\n", "parts", probes->schedule.parts,
		       (double)probes->schedule.parts_length / probes->schedule.parts,
		       probes->schedule.length, "",
		       format_size(page->verdict->parts_by_tokens, tokens),
		       format_size(page->verdict->parts_by_gates, gates));
}

/* What other forwarding tables would do */
static void print_routes(const struct advise_page *page)
{
	const struct advise_probes *probes = page->probes;
	int best = page->verdict->routes, last = -1;
	double least;

	printf("%-12s ", "routes");
	for (int i = 0; i < ADVISE_LANES; i++)
		if (probes->routes[i].done)
			last = i;
	if (last < 0) {
		printf("not looked for: there are more than %u hosts, or some are not reached\n",
		       ADVISE_ROUTE_HOSTS);
		return;
	}
	least = probes->routes[best < 0 ? last : best].lambda;
	if (best < 0) {
		printf("no better: tables of `liquid route` need %.6g messages' times\n",
		       least);
		return;
	}
	printf("others would need %.6g messages' times instead of %.6g: x%.2f "
	       "(liquid route", least, page->facts->lambda, page->facts->lambda / least);
	if (probes->routes[best].lanes > 1)
		printf(" --lanes %u", probes->routes[best].lanes);
	puts(")");
}

static void print_nodes(const struct advise_page *page)
{
	const struct advise_probes *probes = page->probes;
	double least = probes->choice.lambda;

	printf("%-12s ", "other nodes");
	if (!page->facts->all_to_all)
		puts("not looked for: this is not an all-to-all");
	else if (!probes->choice.asked)
		puts("none: all of them take part");
	else if (page->verdict->other_nodes)
		printf("%u others of the %u would need %.6g messages' times instead of %.6g: "
		       "x%.2f\n", probes->choice.count, probes->choice.candidates,
		       least, page->facts->lambda, page->facts->lambda / least);
	else
		printf("no better: the best %u found of the %u need %.6g messages' times\n",
		       probes->choice.count, probes->choice.candidates, least);
}

/* ---- how it could be kept ---- */

static void print_tokens(const struct advise_page *page)
{
	const struct advise_verdict *verdict = page->verdict;
	char fifo[SIZE_TEXT], voq[SIZE_TEXT], size[SIZE_TEXT], token[UNIT_TEXT];
	const char *answer = verdict->tokens[ADVISE_FIFO] ? "with FIFO switches only" : "no";

	if (page->advise->transport == TRANSPORT_TCP)
		return;
	printf("%-12s %s: messages are %s; at a latency of %s they pay from %s with FIFO, "
	       "%s with VOQ\n", "tokens", verdict->tokens[ADVISE_VOQ] ? "yes" : answer,
	       format_size(verdict->pair_bytes, size),
	       format_time(page->advise->token_ns, token),
	       format_size(verdict->tokens_from[ADVISE_FIFO], fifo),
	       format_size(verdict->tokens_from[ADVISE_VOQ], voq));
}

static void print_gates(const struct advise_page *page)
{
	const struct advise_verdict *verdict = page->verdict;
	char guard[UNIT_TEXT], frame[UNIT_TEXT], size[SIZE_TEXT];

	if (page->advise->transport == TRANSPORT_RDMA) {
		printf("%-12s no: hardware RDMA bypasses them\n", "gates");
		return;
	}
	printf("%-12s %s (TCP and UDP only): a message takes %s, the guard %s; fine from %s on\n",
	       "gates", verdict->gates ? "yes" : "no", format_time(verdict->pair_ns, frame),
	       format_time(verdict->guard_ns, guard), format_size(verdict->gates_from, size));
}

/* ---- what follows ---- */

static void print_gain(const struct advise_page *page, int queues)
{
	const struct advise_verdict *verdict = page->verdict;
	const char *best = advise_order(verdict->best[queues]);

	printf("with %s switches a schedule gains ", switch_words[queues]);
	if (verdict->gain[queues] < ADVISE_GAIN_LEAST)
		printf("nothing over %s", best);
	else
		printf("x%.2f over %s", verdict->gain[queues], best);
	if (verdict->best[queues] != ADVISE_PAIRWISE)
		printf(", x%.2f over pairwise", verdict->over_pairwise[queues]);
	puts(verdict->gains[queues] || verdict->gain[queues] < ADVISE_GAIN_LEAST ? "" :
	     "; that is within the error");
}

/* A schedule that is far from the bound proves nothing about others. */
static void print_nothing(const struct advise_page *page)
{
	const struct advise_probes *probes = page->probes;
	int order = page->verdict->best[ADVISE_VOQ];
	bool near = probes->schedule.length <= ADVISE_GAIN_LEAST * probes->schedule.lower_bound;
	double share = percent(probes->order[order][ADVISE_VOQ].share);

	if (page->scale->whole)
		printf("%-12s %s gains nothing here: %s gets %.1f %% without one\n", "verdict",
		       near ? "a schedule" : "this schedule, which is long,",
		       advise_order(order), share);
	else
		printf("%-12s the sample shows no gain of a schedule: %s gets %.1f %% without one, "
		       "give or take %.0f points\n", "verdict", advise_order(order), share,
		       percent(page->verdict->error));
}

static void print_verdict(const struct advise_page *page)
{
	if (page->verdict->nothing) {
		print_nothing(page);
		return;
	}
	for (int queues = 0; queues < ADVISE_SWITCHES; queues++) {
		printf("%-12s ", queues ? "" : "verdict");
		print_gain(page, queues);
	}
	print_tokens(page);
	print_gates(page);
}

void advise_print(const struct advise_page *page)
{
	char first[4096], second[4096];

	print_exchange(page);
	print_bottlenecks(page);
	print_orders(page);
	print_scale(page);
	print_schedule(page);
	print_parts(page);
	print_nodes(page);
	print_routes(page);
	print_verdict(page);
	advise_commands(page, first, second, sizeof(first));
	printf("%-12s %s\n%-12s %s\n", "go on with", first, "", second);
}

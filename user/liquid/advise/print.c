// SPDX-License-Identifier: GPL-2.0-only
/* The page: what the exchange loses on this fabric, and what to do, best first. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
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

/* In lines of 80 columns, each but the last with @end */
static void print_wrapped(const char *label, const char *text, const char *end)
{
	print_words(text, printf("%-12s ", label), 15, 80, end);
	putchar('\n');
}

__attribute__((format(printf, 2, 3)))
static void say(const char *label, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	print_wrapped(label, text, "");
}

/* ---- the present state ---- */

static void print_exchange(const struct advise_page *page)
{
	const struct advise_facts *facts = page->facts;
	char size[SIZE_TEXT], rate[UNIT_TEXT], time[UNIT_TEXT];
	double ns = facts->lambda * (double)page->verdict->pair_ns;

	say("fabric", "%s: %u hosts, %u switches, %u links", liquid_fabric_name(facts->fabric),
	    liquid_fabric_host_count(facts->fabric), liquid_fabric_switch_count(facts->fabric),
	    liquid_fabric_link_count(facts->fabric));
	printf("%-12s %" PRIu64 " message%s of %s from %u host%s to %u, at %s a link\n", "exchange",
	       facts->transfers, facts->transfers == 1 ? "" : "s",
	       format_size(page->verdict->pair_bytes, size), facts->senders,
	       facts->senders == 1 ? "" : "s", facts->receivers,
	       format_rate(page->advise->rate_bps, rate));
	if (ns < 0x1p62)
		printf("%-12s %s: the busiest link carries %.6g messages\n", "at best",
		       format_time((uint64_t)ns, time), facts->lambda);
}

/* The hosts' own links, or the links between. */
static void print_bottlenecks(const struct advise_page *page)
{
	const struct advise_facts *facts = page->facts;
	char name[LINK_TEXT];

	if (facts->inner <= facts->ends) {
		say("bottleneck", "the hosts' own links; the busiest link between switches has "
		    "%.3g %% of their load", percent(facts->inner / facts->ends));
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

/* Who meets on the first of them, and links that could take some of it */
static void print_flows(const struct advise_page *page)
{
	const struct advise_facts *facts = page->facts;
	char cause[512], meet[ADVISE_FLOWS * LINK_TEXT] = "  there meet";
	size_t length = strlen(meet);

	for (uint32_t i = 0; i < facts->flows; i++)
		length += (size_t)snprintf(meet + length, sizeof(meet) - length, " %s>%s%s",
			liquid_fabric_node_name(facts->fabric, facts->meet[i].src),
			liquid_fabric_node_name(facts->fabric, facts->meet[i].dst),
			i + 1 < facts->flows ? "," : " and others");
	if (facts->flows && facts->inner > facts->ends)
		print_wrapped("", meet, "");
	if (facts->unused)
		printf("%-12s %u of %u links between switches carry nothing\n", "unused",
		       facts->unused, facts->inner_links);
	advise_cause(facts, cause, sizeof(cause));
	if (*cause)
		print_wrapped("cause", cause, "");
}

/* ---- remedies ---- */

static void print_remedy(const struct advise_page *page, const struct advise_remedy *remedy)
{
	const struct advise_order *order = page->probes->at[remedy->place].way[remedy->way];
	double most = fmax(remedy->spread[ADVISE_FIFO], remedy->spread[ADVISE_VOQ]);
	char spread[32] = "", gain[32], effort[32], row[320], *name;
	int length;

	if (most > 0)
		snprintf(spread, sizeof(spread), "%.0f%%", ceil(percent(most)));
	snprintf(gain, sizeof(gain), "x%.2f", remedy->gain[ADVISE_VOQ]);
	length = snprintf(row, sizeof(row) - 64, "%9.1f %8.1f %4s %6s %-13s %s%s",
			  remedy->ns[ADVISE_FIFO] / 1e3, remedy->ns[ADVISE_VOQ] / 1e3, spread,
			  gain, advise_effort(remedy, effort), remedy->name,
			  remedy->estimated ? " (estimated)" : "");
	name = row + length;
	if (order[ADVISE_FIFO].deadlocks)
		strcpy(name, ": deadlocks");
	else if (order[ADVISE_FIFO].lanes > 1)
		snprintf(name, 32, ", %u lanes", order[ADVISE_FIFO].lanes);
	print_words(row, printf(" "), 15, 80, "");
	putchar('\n');
}

#define ROWS 8				/* of the table */
#define OTHERS 4			/* and of those below it */
#define DIFFERS 1.1			/* a gain that is named, too, by that of another one */

/* What was tried and is not recommended */
static void print_others(const struct advise_verdict *verdict)
{
	const char *label = "no remedy";

	for (uint32_t i = verdict->recommended; i < verdict->remedies; i++) {
		const struct advise_remedy *remedy = &verdict->remedy[i];

		if (i >= verdict->recommended + OTHERS) {
			printf("%-12s and %u more (--json)\n", "", verdict->remedies - i);
			return;
		}
		say(label, "%s: x%.2f, %s", remedy->name, remedy->gain[ADVISE_VOQ],
		    remedy->why_not);
		label = "";
	}
}

static void print_remedies(const struct advise_page *page)
{
	const struct advise_verdict *verdict = page->verdict;

	printf("%-12s in us, with FIFO and with VOQ switches\n"
	       "      FIFO      VOQ   +-   gain effort        what is tried\n", "remedies");
	print_remedy(page, &verdict->today);
	for (uint32_t i = 0; i < verdict->recommended && i < ROWS; i++)
		print_remedy(page, &verdict->remedy[i]);
	print_others(verdict);
	if (!page->probes->routes[ADVISE_ONE_LANE].done)
		printf("%-12s other routes: the fabric is too large, or some are not reached\n",
		       "not tried");
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
	const struct advise_found *found = &page->probes->at[ADVISE_PRESENT].schedule;

	printf("%-12s %u frames found, at least %u are needed", "schedule",
	       found->length, found->lower_bound);
	print_rounding(page->facts->lambda);
	puts(found->length > found->lower_bound ?
	     "; `solve` with more --work may find fewer" : "");
}

static void print_parts(const struct advise_page *page)
{
	const struct advise_found *found = &page->probes->at[ADVISE_PRESENT].schedule;
	char tokens[SIZE_TEXT], gates[SIZE_TEXT];

	if (found->parts)
		printf("%-12s messages in %u parts take %g frames instead of %u (solve "
		       "--divisible);\n%-12s this gains for messages of %s or more by tokens, "
		       "%s or more by gates\n", "parts", found->parts,
		       (double)found->parts_length / found->parts,
		       found->length, "",
		       format_size(page->verdict->parts_by_tokens, tokens),
		       format_size(page->verdict->parts_by_gates, gates));
}

/* ---- how it could be kept ---- */

static void print_tokens(const struct advise_page *page)
{
	const struct advise_verdict *verdict = page->verdict;
	char fifo[SIZE_TEXT], voq[SIZE_TEXT], size[SIZE_TEXT], token[UNIT_TEXT];
	const char *answer = verdict->tokens[ADVISE_FIFO] ? "with FIFO switches only" : "no";

	if (page->advise->transport == TRANSPORT_TCP)
		return;
	printf("%-12s %s: messages are %s; with a latency of %s they pay\n"
	       "             from %s with FIFO, %s with VOQ switches\n", "tokens",
	       verdict->tokens[ADVISE_VOQ] ? "yes" : answer,
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
	printf("%-12s %s (TCP and UDP only): they pay from %s on;\n"
	       "             a message takes %s, the guard %s\n",
	       "gates", verdict->gates ? "yes" : "no", format_size(verdict->gates_from, size),
	       format_time(verdict->pair_ns, frame), format_time(verdict->guard_ns, guard));
}

/* ---- what follows ---- */

/* A gain that depends on hosts that start together, or is greater then */
static void print_together(const struct advise_page *page, const struct advise_remedy *best)
{
	const struct advise_remedy *today = &page->verdict->today;
	double gain = best->gain[ADVISE_VOQ], ns = best->together_ns[ADVISE_VOQ];
	double together = today->together_ns[ADVISE_VOQ] / ns;

	if (ns > 0 && (together > DIFFERS * gain || gain > DIFFERS * together))
		printf("%-12s %.1f us instead of %.1f if all hosts start together: x%.2f\n", "",
		       ns / 1e3, today->together_ns[ADVISE_VOQ] / 1e3, together);
}

static void print_best(const struct advise_page *page, const struct advise_remedy *best)
{
	static const char *const what[EFFORTS] = {
		[EFFORT_OPTION] = "the order of messages decides",
		[EFFORT_PRELOAD] = "the order of messages decides",
		[EFFORT_HOSTFILE] = "the order of ranks decides",
		[EFFORT_NODES] = "the choice of nodes decides",
		[EFFORT_TABLES] = "the routes decide",
		[EFFORT_TOKENS] = "a schedule gains most",
		[EFFORT_GATES] = "a schedule gains most",
	};
	const struct advise_remedy *today = &page->verdict->today;

	printf("%-12s %s: %s takes\n", "verdict", what[best->effort], best->name);
	for (int queues = 0; queues < ADVISE_SWITCHES; queues++)
		printf("%-12s %.1f us instead of %.1f with %s switches: x%.2f\n", "",
		       best->ns[queues] / 1e3, today->ns[queues] / 1e3, switch_words[queues],
		       best->gain[queues]);
	print_together(page, best);
	printf("%-12s %slinks between switches carry x%.2f of the bytes\n", "neighbours",
	       best->place == ADVISE_ROUTED ? "all get new routes; " : "", best->network);
}

static void print_verdict(const struct advise_page *page)
{
	const struct advise_verdict *verdict = page->verdict;

	if (verdict->recommended)
		print_best(page, &verdict->remedy[0]);
	else if (page->scale->whole)
		say("verdict", "nothing that was tried gains 5 %%: %s gets %.1f %% of the best "
		    "speed", advise_order((int)page->advise->today), percent(page->facts->lambda *
		    (double)verdict->pair_ns / verdict->today.ns[ADVISE_VOQ]));
	else
		printf("%-12s the sample shows no gain, give or take %.0f points\n", "verdict",
		       percent(verdict->error));
}

/* How libraries are asked for the order of the best remedy */
static void print_options(const struct advise_page *page)
{
	const char *label = "options";
	int way = page->verdict->recommended ? page->verdict->remedy[0].way : ADVISE_ORDERS;

	if (way >= ADVISE_ORDERS || way == (int)page->advise->today)
		return;
	for (int i = 0; advise_libraries[i].name; i++)
		if (advise_libraries[i].option[way]) {
			say(label, "%-9s %s", advise_libraries[i].name,
			    advise_libraries[i].option[way]);
			label = "";
		}
}

void advise_print(const struct advise_page *page)
{
	char line[ADVISE_NEXT][4096], *text[ADVISE_NEXT] = { line[0], line[1], line[2], line[3] };
	int count;

	print_exchange(page);
	print_bottlenecks(page);
	print_flows(page);
	print_verdict(page);
	print_remedies(page);
	print_scale(page);
	print_schedule(page);
	print_parts(page);
	print_tokens(page);
	print_gates(page);
	print_options(page);
	count = advise_next(page, text, sizeof(line[0]));
	for (int i = 0; i < count; i++)
		print_wrapped(i ? "" : "go on with", text[i], " \\");
}

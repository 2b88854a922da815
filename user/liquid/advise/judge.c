// SPDX-License-Identifier: GPL-2.0-only
/* Remedies, made of what was tried and ranked, and by what a schedule could be kept. */
#include <stdlib.h>
#include <string.h>

#include "advise/advise.h"
#include "util/command.h"

/* Bytes from which tokens of 2 us pay at 100 Gbit/s: against FIFO, and twice that against VOQ. */
#define TOKEN_BYTES 65536.0
#define TOKEN_NS 2000.0
#define TOKEN_BPS 1e11
/* Part of a frame that a guard may take. */
#define GUARD_PART 10

const char *const advise_transports[] = { "any", "rdma", "tcp", NULL };

/* ns of @bytes on a link of capacity 1 */
static double wire_ns(const struct advise *advise, double bytes)
{
	return bytes * 8e9 / (double)advise->rate_bps;
}

uint64_t advise_pair_bytes(const struct advise *advise)
{
	return advise->message_bytes * advise->tasks * advise->tasks;
}

/*
 * The largest difference from a whole simulation that was measured on smaller fabrics, rounded up:
 * Documentation/advise.rst has the measurements. It depends on how many packets a host sends in
 * turns between the two moments that are compared.
 */
static double error_of(const struct advise_scale *scale)
{
	static const struct {
		uint32_t packets;	/* at least */
		double error;
	} measured[] = { { 2000, 0.10 }, { 500, 0.20 }, { 250, 0.25 }, { 0, 0.60 } };
	uint64_t steps = scale->in_turns.steps ? scale->in_turns.steps : scale->of_steps;
	size_t i = 0;

	if (scale->whole)
		return 0;
	while ((scale->more - scale->few) * steps < measured[i].packets)
		i++;
	return measured[i].error;
}

/* ---- remedies ---- */

const char *const advise_efforts[] = { "-", "option", "preload", "hostfile", "nodes", "tables",
				       "tokens", "gates" };

static const struct {
	const char *name;
	int effort;
} ways[ADVISE_WAYS] = {
	[ADVISE_PAIRWISE] = { "pairwise", EFFORT_OPTION },
	[ADVISE_AT_ONCE] = { "all at once (linear)", EFFORT_OPTION },
	[ADVISE_FEW] = { "8 at once (windowed)", EFFORT_OPTION },
	[ADVISE_SHUFFLE] = { "window shuffle", EFFORT_PRELOAD },
	[ADVISE_XOR] = { "pairwise by XOR", EFFORT_OPTION },
	[ADVISE_RING] = { "ring", EFFORT_OPTION },
	[ADVISE_BRUCK] = { "Bruck", EFFORT_OPTION },
	[ADVISE_TOKENS] = { "a schedule by tokens", EFFORT_TOKENS },
	[ADVISE_GATES] = { "a schedule by gates", EFFORT_GATES },
	[ADVISE_RANKS] = { "other order of ranks", EFFORT_HOSTFILE },
};

const char *advise_effort(const struct advise_remedy *remedy, char text[32])
{
	snprintf(text, 32, "%s%s%s", advise_efforts[remedy->effort],
		 remedy->effort_too ? "+" : "",
		 remedy->effort_too ? advise_efforts[remedy->effort_too] : "");
	return text;
}

/* Links that Bruck's and a ring's messages cross, by those of messages that go straight */
static double detour(const struct advise_facts *facts, int way)
{
	double ranks = facts->senders, blocks = 0;

	if (way == ADVISE_RING)
		return ranks / 2;
	for (uint32_t distance = 1; distance < facts->senders; distance++)
		blocks += __builtin_popcount(distance);
	return way == ADVISE_BRUCK ? blocks / (ranks - 1) : 1;
}

static void name_remedy(const struct advise *advise, struct advise_remedy *remedy)
{
	static const char *const where[] = { "", "other routes, ", "other nodes, " };
	static const int efforts[] = { EFFORT_NOW, EFFORT_TABLES, EFFORT_NODES };
	int place = efforts[remedy->place], way = ways[remedy->way].effort;

	if (remedy->way == (int)advise->today)
		way = EFFORT_NOW;
	remedy->effort = place > way ? place : way;
	remedy->effort_too = place > way ? way : place;
	snprintf(remedy->name, sizeof(remedy->name), "%s%s", where[remedy->place],
		 ways[remedy->way].name);
}

/* Of what needs other routes: the gain without them */
static double present_gain(const struct advise_page *page, const struct advise_remedy *remedy)
{
	const struct advise_order *same =
		&page->probes->at[ADVISE_PRESENT].way[remedy->way][ADVISE_VOQ];

	return remedy->place == ADVISE_ROUTED && same->done ?
		page->verdict->today.ns[ADVISE_VOQ] / same->ns : 0;
}

/* Why it is not recommended; NULL: it is. With either kind of switches it has to be no slower. */
static const char *why_not(const struct advise_page *page, const struct advise_remedy *remedy,
			   bool deadlocks)
{
	const struct advise_verdict *verdict = page->verdict;
	double best = page->facts->lambda * (double)verdict->pair_ns;
	uint32_t transport = page->advise->transport;

	if (deadlocks)
		return "it deadlocks";
	if (remedy->gain[ADVISE_VOQ] < 1)
		return "it is slower";
	if (remedy->gain[ADVISE_FIFO] < 1)
		return "it is slower with FIFO switches";
	if (remedy->gain[ADVISE_VOQ] < ADVISE_GAIN_LEAST)
		return "no gain";
	if (remedy->gain[ADVISE_VOQ] < ADVISE_GAIN_LEAST * present_gain(page, remedy))
		return "today's routes suffice";
	if (best / remedy->ns[ADVISE_VOQ] - best / verdict->today.ns[ADVISE_VOQ] <= verdict->error)
		return "within the error";
	if (remedy->way == ADVISE_TOKENS && transport == TRANSPORT_TCP)
		return "TCP has no tokens";
	if (remedy->way == ADVISE_TOKENS && !verdict->tokens[ADVISE_VOQ])
		return "messages are too short";
	if (remedy->way == ADVISE_GATES && transport == TRANSPORT_RDMA)
		return "RDMA bypasses gates";
	if (remedy->way == ADVISE_GATES && !verdict->gates)
		return "messages are too short";
	return NULL;
}

/* False: it was not tried. */
static bool make_remedy(const struct advise_page *page, int place, int way,
			struct advise_remedy *remedy)
{
	const struct advise_order *order = page->probes->at[place].way[way];
	const struct advise_remedy *today = &page->verdict->today;
	double traversals = page->probes->at[ADVISE_PRESENT].traversals;

	*remedy = (struct advise_remedy){ .place = place, .way = way };
	if (!order[ADVISE_FIFO].done || !order[ADVISE_VOQ].done)
		return false;
	for (int queues = 0; queues < ADVISE_SWITCHES; queues++) {
		remedy->ns[queues] = order[queues].ns;
		remedy->spread[queues] = order[queues].spread;
		remedy->together_ns[queues] = order[queues].together_ns;
		remedy->gain[queues] = today->ns[queues] / order[queues].ns;
		remedy->estimated |= order[queues].estimated;
	}
	remedy->network = detour(page->facts, way);
	if (traversals > 0)
		remedy->network *= page->probes->at[place].traversals / traversals;
	name_remedy(page->advise, remedy);
	remedy->why_not = why_not(page, remedy, order[ADVISE_FIFO].deadlocks ||
				  order[ADVISE_VOQ].deadlocks);
	remedy->recommended = !remedy->why_not;
	return true;
}

static int compare_gains(const void *a, const void *b)
{
	const struct advise_remedy *x = a, *y = b;

	if (x->recommended != y->recommended)
		return x->recommended ? -1 : 1;
	return x->gain[ADVISE_VOQ] > y->gain[ADVISE_VOQ] ? -1 :
	       x->gain[ADVISE_VOQ] < y->gain[ADVISE_VOQ];
}

static bool is_easier(const struct advise_remedy *a, const struct advise_remedy *b)
{
	if (a->effort != b->effort)
		return a->effort < b->effort;
	if (a->effort_too != b->effort_too)
		return a->effort_too < b->effort_too;
	return a->gain[ADVISE_FIFO] * a->gain[ADVISE_VOQ] >
	       b->gain[ADVISE_FIFO] * b->gain[ADVISE_VOQ];
}

/*
 * By the gain with VOQ switches, which are nearer to today's. Of those that gain as much as the
 * best of the rest, except for the error, the easiest comes next.
 */
static void rank_remedies(struct advise_verdict *verdict)
{
	struct advise_remedy *list = verdict->remedy;

	qsort(list, verdict->remedies, sizeof(*list), compare_gains);
	for (uint32_t i = 0; i < verdict->recommended; i++) {
		struct advise_remedy best;
		uint32_t at = i;

		for (uint32_t j = i + 1; j < verdict->recommended &&
		     list[j].gain[ADVISE_VOQ] * ADVISE_GAIN_LEAST >= list[i].gain[ADVISE_VOQ]; j++)
			if (is_easier(&list[j], &list[at]))
				at = j;
		best = list[at];
		memmove(&list[i + 1], &list[i], (at - i) * sizeof(*list));
		list[i] = best;
	}
}

static void judge_remedies(const struct advise_page *page, struct advise_verdict *verdict)
{
	const struct advise_order *today =
		page->probes->at[ADVISE_PRESENT].way[page->advise->today];

	for (int queues = 0; queues < ADVISE_SWITCHES; queues++)
		verdict->today.ns[queues] = today[queues].ns;
	make_remedy(page, ADVISE_PRESENT, (int)page->advise->today, &verdict->today);
	for (int place = 0; place < ADVISE_PLACES; place++)
		for (int way = 0; way < ADVISE_WAYS; way++) {
			struct advise_remedy *next = &verdict->remedy[verdict->remedies];

			if ((!place && way == (int)page->advise->today) ||
			    !make_remedy(page, place, way, next))
				continue;
			advise_command(page, next);
			verdict->recommended += next->recommended;
			verdict->remedies++;
		}
	rank_remedies(verdict);
}

/* ---- what a schedule needs ---- */

static void judge_tokens(const struct advise *advise, struct advise_verdict *verdict)
{
	double from = TOKEN_BYTES * (double)advise->token_ns / TOKEN_NS *
		(double)advise->rate_bps / TOKEN_BPS;

	for (int queues = 0; queues < ADVISE_SWITCHES; queues++) {
		verdict->tokens_from[queues] = (uint64_t)(from * (queues == ADVISE_VOQ ? 2 : 1));
		verdict->tokens[queues] = verdict->pair_bytes >= verdict->tokens_from[queues];
	}
}

static void judge_gates(const struct advise *advise, struct advise_verdict *verdict)
{
	verdict->guard_ns = 2 * advise->clock_ns;
	verdict->gates_from = (uint64_t)((double)verdict->guard_ns * GUARD_PART *
					 (double)advise->rate_bps / 8e9);
	verdict->gates = verdict->pair_bytes >= verdict->gates_from;
}

/*
 * Bytes from which parts gain, if each frame costs @frame_ns in addition to its bytes: a message of
 * whole frames takes length * (message + cost), in parts parts_length * (message / parts + cost).
 */
static uint64_t parts_from(const struct advise *advise, const struct advise_probes *probes,
			   double frame_ns)
{
	const struct advise_found *found = &probes->at[ADVISE_PRESENT].schedule;
	double whole = found->length, more = found->parts_length - whole;
	double shorter = whole - (double)found->parts_length / found->parts;

	return (uint64_t)(frame_ns * (double)advise->rate_bps / 8e9 * more / shorter);
}

void advise_judge(struct advise_page *page, struct advise_verdict *verdict)
{
	const struct advise *advise = page->advise;

	*verdict = (struct advise_verdict){
		.pair_bytes = advise_pair_bytes(advise), .error = error_of(page->scale),
	};
	page->verdict = verdict;
	verdict->pair_ns = (uint64_t)wire_ns(advise, (double)verdict->pair_bytes);
	judge_tokens(advise, verdict);
	judge_gates(advise, verdict);
	if (page->probes->at[ADVISE_PRESENT].schedule.parts) {
		verdict->parts_by_tokens = parts_from(advise, page->probes, SIMULATE_TOKEN_LOSS *
						      (double)advise->token_ns);
		verdict->parts_by_gates = parts_from(advise, page->probes,
						     (double)verdict->guard_ns);
	}
	judge_remedies(page, verdict);
}

// SPDX-License-Identifier: GPL-2.0-only
/* What to type: commands of liquid, and the options by which libraries choose an order. */
#include <string.h>

#include "advise/advise.h"
#include "util/command.h"

/* ---- words ---- */

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
#define ROUTED "better.fabric"
#define HOSTS_FILE "hosts"
#define SPARE 1024			/* of a command */

/* ---- commands of liquid ---- */

static void begin(struct line *line, const struct advise_page *page, const char *command)
{
	add(line, "liquid ", command);
	add_word(line, " ", page->advise->fabric ? page->advise->fabric : IMPORTED);
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
static void add_model(struct line *line, const struct advise_page *page, int queues)
{
	const struct advise *advise = page->advise;
	uint64_t packet = page->scale->packet_bytes;

	if (queues != ADVISE_VOQ)
		add(line, " --queues ", advise_queues(queues));
	if (advise_pair_bytes(advise) != SIMULATE_MESSAGE_BYTES)
		add_number(line, " --message ", advise_pair_bytes(advise));
	if (packet > SIMULATE_PACKET_BYTES)
		add_number(line, " --packet ", packet);
	if (advise->rate_bps != simulate_rate(page->facts->fabric))
		add_number(line, " --rate ", advise->rate_bps);
}

static void add_import(struct line *line, const struct liquid_import *import)
{
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
}

/* With dumps, also the files that OpenSM loads */
static void route(struct line *line, const struct advise_page *page)
{
	const struct traffic_args *traffic = &page->advise->traffic;
	uint32_t lanes = page->probes->routed > ADVISE_ONE_LANE ? 4 : 1;

	if (page->advise->fabric) {
		begin(line, page, "route");
	} else {
		add(line, "", "liquid route");
		add_import(line, &page->advise->import);
	}
	add_traffic(line, traffic);
	if (is_rank_traffic(traffic))
		add_number(line, " --unit-bytes ", traffic->unit_bytes);
	if (lanes > 1)
		add_number(line, " --lanes ", lanes);
	add_number(line, " --work ", ADVISE_ROUTE_WORK);
	if (!page->advise->fabric)
		add(line, "", " --lfts tables.lfts");
	if (!page->advise->fabric && lanes > 1)
		add(line, "", " --qos-policy qos.conf --opensm-options lanes.conf");
	add(line, "", " -o " ROUTED);
}

static void ranks(struct line *line, const struct advise_page *page)
{
	begin(line, page, "ranks");
	add_word(line, " --hosts ", page->advise->traffic.hosts);
	if (page->advise->tasks > 1)
		add_number(line, " --tasks-per-node ", page->advise->tasks);
	add(line, "", " --order contention-aware --format hostfile >" HOSTS_FILE);
}

static void solve(struct line *line, const struct advise_page *page, int place)
{
	const struct traffic_args *traffic = &page->advise->traffic;

	if (place == ADVISE_ROUTED)
		add(line, "", "liquid solve " ROUTED);
	else
		begin(line, page, "solve");
	add_traffic(line, traffic);
	if (is_rank_traffic(traffic))
		add_number(line, " --unit-bytes ", traffic->unit_bytes);
	add_number(line, " --work ", ADVISE_SOLVE_WORK);
	add(line, "", " -o exchange.schedule");
}

/* What says the page's figure for VOQ switches again */
static void simulate(struct line *line, const struct advise_page *page,
		     const struct advise_remedy *remedy)
{
	const struct advise *advise = page->advise;
	int way = remedy->way;
	uint32_t seed = page->probes->at[remedy->place].way[way][ADVISE_VOQ].seed;

	if (remedy->place == ADVISE_ROUTED)
		add(line, "", "liquid simulate " ROUTED);
	else
		begin(line, page, "simulate");
	if (way >= ADVISE_TOKENS)
		add(line, "", " --schedule exchange.schedule");
	else if (remedy->place == ADVISE_CHOSEN)
		add(line, "", " --hosts \"$(cat " HOSTS_FILE ")\"");
	else
		add_traffic(line, &advise->traffic);
	if (way < ADVISE_TOKENS)
		add(line, " --order ", way == ADVISE_FEW ? advise_order(ADVISE_AT_ONCE) :
		    advise_order(way));
	if (way == ADVISE_FEW)
		add_number(line, " --window ", ADVISE_MESSAGES);
	if (way == ADVISE_SHUFFLE)
		add(line, "", " --window auto");
	add_model(line, page, ADVISE_VOQ);
	if (way == ADVISE_GATES)
		add(line, "", " --sync gates");
	if (way == ADVISE_TOKENS)
		add(line, "", " --sync tokens");
	if (way == ADVISE_TOKENS && advise->token_ns != SIMULATE_TOKEN_NS)
		add_number(line, " --token-latency ", advise->token_ns);
	if (way == ADVISE_GATES)
		add_number(line, " --clock-error ", advise->clock_ns);
	else if (seed)
		add_number(line, " --start-skew ", 2 * advise->clock_ns);
	if (seed)
		add_number(line, " --seed ", seed);
}

/* ---- options of libraries ---- */

#define TUNED "--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_alltoall_algorithm "
#define MPICH "MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM="
#define POSTS "UCC_TL_UCP_ALLTOALL_PAIRWISE_NUM_POSTS="

const struct advise_library advise_libraries[] = {
	{ "Open MPI", {
		[ADVISE_PAIRWISE] = TUNED "2", [ADVISE_AT_ONCE] = TUNED "1",
		[ADVISE_FEW] = TUNED "4 --mca coll_tuned_alltoall_algorithm_max_requests 8",
		[ADVISE_BRUCK] = TUNED "3",
	} },
	{ "MPICH", {
		[ADVISE_PAIRWISE] = MPICH "pairwise",
		[ADVISE_AT_ONCE] = MPICH "scattered MPIR_CVAR_ALLTOALL_THROTTLE=0",
		[ADVISE_FEW] = MPICH "scattered MPIR_CVAR_ALLTOALL_THROTTLE=8",
		[ADVISE_XOR] = MPICH "pairwise", [ADVISE_BRUCK] = MPICH "brucks",
	} },
	{ "UCC", {
		[ADVISE_PAIRWISE] = POSTS "1", [ADVISE_AT_ONCE] = POSTS "0",
		[ADVISE_FEW] = POSTS "8", [ADVISE_BRUCK] = "UCC_TL_UCP_TUNE=alltoall:0-inf:@bruck",
	} },
	{ "NCCL", {
		[ADVISE_AT_ONCE] = "as it is: the sends and receives of one group",
	} },
	{ "liquid", {
		[ADVISE_SHUFFLE] = "LIQUID_MPI=shuffle",
	} },
	{ NULL, { NULL } }
};

static const char *first_option(int order)
{
	for (const struct advise_library *library = advise_libraries; library->name; library++)
		if (library->option[order])
			return library->option[order];
	return NULL;
}

/* ---- what to type ---- */

static void join(struct line *line, const char *text)
{
	add(line, *line->text ? " && " : "", text);
}

/* What finds the tables, nodes, ranks or schedule of a remedy. Returns the line after. */
static struct line *find(struct line *line, const struct advise_page *page,
			 const struct advise_remedy *remedy)
{
	if (remedy->place == ADVISE_ROUTED)
		route(line++, page);
	if (remedy->place == ADVISE_CHOSEN) {
		begin(line, page, "choose");
		add_number(line, " --count ", page->facts->senders);
		add(line++, "", " --format hostlist >" HOSTS_FILE);
	}
	if (remedy->way == ADVISE_RANKS)
		ranks(line++, page);
	if (remedy->way == ADVISE_TOKENS || remedy->way == ADVISE_GATES)
		solve(line++, page, remedy->place);
	return line;
}

/* A file of the fabric with the routes of a place */
static const char *fabric_of(const struct advise_page *page, int place)
{
	return place == ADVISE_ROUTED ? ROUTED :
	       page->advise->fabric ? page->advise->fabric : IMPORTED;
}

static void import(struct line *line, const struct advise_page *page)
{
	add(line, "", "liquid fabric import");
	add_import(line, &page->advise->import);
	add(line, "", " -o " IMPORTED);
}

/* With the order, nodes or ranks of a remedy */
static void mpirun(struct line *line, const struct advise_page *page,
		   const struct advise_remedy *remedy)
{
	int way = remedy->way;
	bool asks = way < ADVISE_ORDERS && way != (int)page->advise->today && first_option(way);
	const char *option = asks ? first_option(way) : "";

	if (way == ADVISE_TOKENS)
		add_word(line, "env LIQUID_FABRIC=", fabric_of(page, remedy->place));
	if (asks && *option != '-')
		add(line, "env ", option);
	add(line, *line->text ? " " : "", "mpirun");
	if (*option == '-')
		add(line, " ", option);
	if (remedy->place == ADVISE_CHOSEN)
		add(line, "", " --host \"$(cat " HOSTS_FILE ")\"");
	if (way == ADVISE_RANKS)
		add(line, "", " --hostfile " HOSTS_FILE);
	add(line, "", " ...");
}

/* On each node */
static void push(struct line *line, const struct advise_page *page, int place)
{
	add(line, "", "liquid-nl push DEVICE --schedule exchange.schedule");
	add_word(line, " --fabric ", fabric_of(page, place));
	add(line, "", " --node \"$(hostname -s)\" --addr-map ADDRESSES");
	add_number(line, " --frame-time ", page->verdict->pair_ns + page->verdict->guard_ns);
	add_number(line, "ns --clock-error ", page->advise->clock_ns);
	add(line, "", "ns --base-time +1s");
}

void advise_command(const struct advise_page *page, struct advise_remedy *remedy)
{
	char text[4][SPARE] = { "", "", "", "" };
	struct line found[] = { { text[0], SPARE }, { text[1], SPARE }, { text[2], SPARE },
				{ text[3], SPARE } };
	struct line line = { remedy->command, sizeof(remedy->command) }, *next = found;
	bool reads = remedy->place == ADVISE_CHOSEN || remedy->way >= ADVISE_TOKENS;

	if (!page->advise->fabric && remedy->place != ADVISE_ROUTED && reads)
		import(next++, page);
	next = find(next, page, remedy);
	for (int i = 0; i < 4 && *text[i]; i++) {
		join(&line, text[i]);
		if (!i && remedy->place == ADVISE_ROUTED && !page->advise->fabric)
			join(&line, "opensm -R file -U tables.lfts");
	}
	*text[3] = '\0';
	if (remedy->way == ADVISE_GATES)
		push(&found[3], page, remedy->place);
	else if (reads || (remedy->way != (int)page->advise->today && first_option(remedy->way)))
		mpirun(&found[3], page, remedy);
	if (*text[3])
		join(&line, text[3]);
}

int advise_next(const struct advise_page *page, char *text[ADVISE_NEXT], size_t size)
{
	const struct advise_remedy *first = page->verdict->recommended ?
		&page->verdict->remedy[0] : &page->verdict->today;
	struct line lines[ADVISE_NEXT], *line = lines;

	for (int i = 0; i < ADVISE_NEXT; i++) {
		lines[i] = (struct line){ text[i], size };
		*text[i] = '\0';
	}
	if (!page->advise->fabric)
		import(line++, page);
	line = find(line, page, first);
	/* Neither orders that it does not have nor ranks in an order that is not in a file */
	if (first->way != ADVISE_RING && first->way != ADVISE_BRUCK && first->way != ADVISE_RANKS)
		simulate(line++, page, first);
	return (int)(line - lines);
}

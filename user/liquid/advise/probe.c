// SPDX-License-Identifier: GPL-2.0-only
/*
 * Trials: orders by the simulator, a schedule by the solver, other routes, nodes and ranks
 *
 * Each is a separate process, at most one a processor at a time: objects of the library
 * are one thread's. A process writes its results into shared memory, and the tables that it finds
 * into a file. If one fails, all do. What is tried on those tables, and among the nodes chosen,
 * comes when they are known; then what looks best is tried again with other starts.
 * Hosts start up to twice the clocks' error apart, as programs do not start in step.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "advise/advise.h"
#include "util/command.h"
#include "util/progress.h"

/* ---- orders ---- */

static const struct {
	const char *name;		/* of what the simulator has no order for, or NULL */
	enum liquid_sim_order order;
	uint64_t window;
	bool in_turns;
} orders[ADVISE_ORDERS] = {
	[ADVISE_PAIRWISE] = { NULL, LIQUID_SIM_PAIRWISE, 0, false },
	[ADVISE_AT_ONCE] = { NULL, LIQUID_SIM_ALL_AT_ONCE, 0, true },
	[ADVISE_FEW] = { "few-at-once", LIQUID_SIM_ALL_AT_ONCE, ADVISE_MESSAGES, false },
	[ADVISE_SHUFFLE] = { NULL, LIQUID_SIM_SHUFFLE_ROTATION, LIQUID_SIM_WINDOW_AUTO, true },
	[ADVISE_XOR] = { NULL, LIQUID_SIM_PAIRWISE_XOR, 0, false },
	[ADVISE_RING] = { "ring", 0, 0, false },
	[ADVISE_BRUCK] = { "bruck", 0, 0, false },
};

static const enum liquid_sim_queues switches[] = {
	[ADVISE_FIFO] = LIQUID_SIM_FIFO,
	[ADVISE_VOQ] = LIQUID_SIM_VOQ,
};

const char *advise_order(int order)
{
	return orders[order].name ? orders[order].name : simulate_orders[orders[order].order];
}

const char *advise_queues(int queues)
{
	return simulate_queues[switches[queues]];
}

/* Where something is tried: an exchange on tables */
struct place {
	struct liquid_fabric *fabric;	/* to be freed, or NULL: the present one */
	struct liquid_traffic *traffic;	/* the same */
	struct advise_facts facts;
	struct advise_scale scale;
	bool open;
};

struct trial {
	const struct advise *advise;
	const struct advise_facts *facts;
	const struct advise_scale *scale;
	int place, order, queues, lanes;
	const uint32_t *rank;		/* by host, or NULL: in the order of the fabric */
	uint32_t seed;			/* hosts start up to the clocks' error late; 0: no */
	FILE *tables;			/* to write those found to */
};

/* By which hosts start late, at most */
static uint64_t late_ns(const struct trial *trial)
{
	return trial->seed ? 2 * trial->advise->clock_ns : 0;
}

static void fill_model(const struct trial *trial, struct liquid_sim_options *options)
{
	simulate_model(options);
	options->queues = switches[trial->queues];
	options->rate_bps = trial->advise->rate_bps;
	options->token_ns = trial->advise->token_ns;
	options->message_bytes = advise_pair_bytes(trial->advise);
	options->packet_bytes = trial->scale->packet_bytes;
	options->rank = trial->rank;
	options->seed = trial->seed;
	options->start_skew_ns = late_ns(trial);
}

/* ns of a message of @bytes on a link of capacity 1 */
static double message_ns(const struct trial *trial, uint64_t bytes)
{
	return (double)bytes * 8e9 / (double)trial->advise->rate_bps;
}

static const struct advise_part *part_of(const struct trial *trial)
{
	return orders[trial->order].in_turns ? &trial->scale->in_turns :
		&trial->scale->by_message;
}

/* With messages of @bytes, in @ns */
static int time_order(const struct trial *trial, uint64_t bytes, struct advise_order *order,
		      double *ns, struct liquid_error *err)
{
	const struct liquid_traffic *traffic = part_of(trial)->traffic;
	struct liquid_sim_options options;
	struct liquid_sim_result *result;
	int status;

	fill_model(trial, &options);
	options.message_bytes = bytes;
	options.order = orders[trial->order].order;
	options.window = orders[trial->order].window;
	status = simulate_in_lanes(trial->facts->fabric,
				   traffic ? traffic : trial->facts->traffic, NULL, &options,
				   &result, err);
	if (!status) {
		*ns = (double)result->time_ns;
		order->deadlocks = result->deadlocks;
		order->lanes = options.lanes;
		liquid_sim_free(result);
	}
	return status;
}

/* Each further packet of a message takes what one of the longer messages takes more. */
static int time_shortened(const struct trial *trial, struct advise_order *order, double *ns,
			  struct liquid_error *err)
{
	const struct advise_scale *scale = trial->scale;
	double packets = (double)advise_pair_bytes(trial->advise) / (double)scale->packet_bytes;
	double few, more;
	int status = time_order(trial, scale->few * scale->packet_bytes, order, &few, err);

	if (!status)
		status = time_order(trial, scale->more * scale->packet_bytes, order, &more, err);
	if (!status)
		*ns = more + (packets - scale->more) * (more - few) / (scale->more - scale->few);
	return status;
}

/* The whole exchange takes @ns, and not less than at best. */
static void take_time(const struct trial *trial, double ns, struct advise_order *order)
{
	order->ns = fmax(ns, trial->facts->lambda *
			 message_ns(trial, advise_pair_bytes(trial->advise)));
	order->seed = trial->seed;
	order->done = true;
}

/* ns of a step: each rank sends @bytes to the @step-th next one */
static int time_step(const struct trial *trial, uint32_t step, uint64_t bytes, double *ns,
		     struct advise_order *order, struct liquid_error *err)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(trial->facts->traffic);
	uint32_t ranks = trial->facts->senders;
	uint64_t most = advise_pair_bytes(trial->advise);
	struct liquid_sim_options options;
	struct liquid_sim_result *result;
	struct liquid_traffic *traffic;
	int status = liquid_traffic_new(&traffic, err);

	/* Of an all-to-all, the pairs of each rank follow those of the one before. */
	for (uint32_t i = 0; i < ranks && !status; i++)
		status = liquid_traffic_add(traffic, pairs[(size_t)i * (ranks - 1)].src,
			pairs[(size_t)((i + step) % ranks) * (ranks - 1)].src, 1, err);
	fill_model(trial, &options);
	options.message_bytes = bytes < most ? bytes : most;
	if (!status)
		status = simulate_in_lanes(trial->facts->fabric, traffic, NULL, &options, &result,
					   err);
	if (!status) {
		*ns += (double)result->time_ns * (double)bytes / (double)options.message_bytes;
		order->deadlocks += result->deadlocks;
		order->lanes = options.lanes > order->lanes ? options.lanes : order->lanes;
		liquid_sim_free(result);
	}
	liquid_traffic_free(traffic);
	return status;
}

/* Blocks whose distance has this bit, of all distances below @ranks */
static uint64_t blocks_with(uint32_t bit, uint32_t ranks)
{
	uint64_t blocks = 0;

	for (uint32_t distance = 1; distance < ranks; distance++)
		blocks += (distance & bit) != 0;
	return blocks;
}

/* A step of Bruck's carries all blocks of a bit; in a ring each block goes from rank to rank. */
static int time_steps(const struct trial *trial, struct advise_order *order, double *ns,
		      struct liquid_error *err)
{
	uint64_t block = advise_pair_bytes(trial->advise) * trial->facts->each;
	uint64_t ranks = trial->facts->senders;
	int status = LIQUID_OK;

	*ns = 0;
	if (trial->order == ADVISE_RING) {
		status = time_step(trial, 1, block, ns, order, err);
		*ns *= (double)(ranks * (ranks - 1)) / 2;
		return status;
	}
	for (uint32_t step = 1; step < ranks && !status; step *= 2)
		status = time_step(trial, step, block * blocks_with(step, (uint32_t)ranks), ns,
				   order, err);
	return status;
}

static int run_order(const struct trial *trial, struct advise_order *order,
		     struct liquid_error *err)
{
	const struct advise_part *part = part_of(trial);
	double late = (double)late_ns(trial), ns;
	struct trial alone = *trial;
	int status;

	alone.seed = 0;
	if (trial->order == ADVISE_RING || trial->order == ADVISE_BRUCK) {
		status = time_steps(&alone, order, &ns, err);
		if (!status)
			take_time(&alone, ns + late, order);
		return status;
	}
	if (orders[trial->order].in_turns && trial->scale->few)
		status = time_shortened(trial, order, &ns, err);
	else
		status = time_order(trial, advise_pair_bytes(trial->advise), order, &ns, err);
	if (!status && part->traffic)	/* all start late once */
		ns = (ns - late) * trial->facts->lambda / part->least + late;
	if (!status)
		take_time(trial, ns, order);
	return status;
}

static int try_order(const struct trial *trial, struct advise_probes *probes,
		     struct liquid_error *err)
{
	return run_order(trial, &probes->at[trial->place].way[trial->order][trial->queues], err);
}

static int compare_times(const void *a, const void *b)
{
	const struct advise_order *x = a, *y = b;

	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* Once a seed, and with hosts that start together. The first seed is known. */
static int try_seeds(const struct trial *given, struct advise_probes *probes,
		     struct liquid_error *err)
{
	struct advise_order *known = &probes->at[given->place].way[given->order][given->queues];
	struct advise_order order[ADVISE_SEEDS + 1] = { [1] = *known }, *late = order + 1;
	struct trial trial = *given;
	int status = LIQUID_OK;

	for (trial.seed = 0; trial.seed <= ADVISE_SEEDS && !status; trial.seed++)
		if (trial.seed != known->seed)
			status = run_order(&trial, &order[trial.seed], err);
	if (status)
		return status;
	qsort(late, ADVISE_SEEDS, sizeof(*late), compare_times);
	*known = late[ADVISE_SEEDS / 2];
	known->spread = fmax(1 - late[0].ns / known->ns,
			     late[ADVISE_SEEDS - 1].ns / known->ns - 1);
	known->together_ns = order[0].ns;
	return LIQUID_OK;
}

/* ---- a schedule ---- */

static void estimate(const struct trial *trial, uint32_t length, struct advise_order *tokens,
		     struct advise_order *gates)
{
	double message = message_ns(trial, advise_pair_bytes(trial->advise));
	double late = 2 * (double)trial->advise->clock_ns;

	take_time(trial, late + length * (message + SIMULATE_TOKEN_LOSS *
					  (double)trial->advise->token_ns), tokens);
	take_time(trial, length * (message + late), gates);
	tokens->estimated = gates->estimated = true;
}

/* With tokens of the stated latency, or gates whose guard is twice the error of the clocks */
static int run_schedule(const struct trial *trial, const struct liquid_schedule *schedule,
			bool gates, struct advise_order *order, struct liquid_error *err)
{
	struct liquid_sim_options options;
	struct liquid_sim_result *result;
	int status;

	fill_model(trial, &options);
	options.sync = gates ? LIQUID_SIM_SYNC_GATES : LIQUID_SIM_SYNC_TOKENS;
	options.tail_bytes = simulate_tail_bytes(options.token_ns, options.rate_bps);
	options.clock_error_ns = gates ? trial->advise->clock_ns : 0;
	status = simulate_in_lanes(trial->facts->fabric, NULL, schedule, &options, &result, err);
	if (status)
		return status;
	take_time(trial, (double)result->time_ns, order);
	order->estimated = false;
	liquid_sim_free(result);
	return LIQUID_OK;
}

/* In parts, if whole messages leave a gap: half a percent at least. */
static int try_parts(const struct trial *trial, struct advise_probes *probes,
		     struct liquid_error *err)
{
	struct liquid_solve_options options = {
		.work = ADVISE_PARTS_WORK, .parts = LIQUID_PARTS_FEW,
	};
	const struct liquid_schedule_info *info;
	struct liquid_schedule *schedule;
	int status;

	if (trial->facts->transfers > ADVISE_PARTS_TRANSFERS ||
	    probes->at[trial->place].schedule.length <= 1.005 * trial->facts->lambda)
		return LIQUID_OK;
	status = liquid_solve(trial->facts->fabric, trial->facts->traffic, &options, &schedule,
			      err);
	if (status)	/* there is one of whole messages, which took more work */
		return status == LIQUID_LIMIT ? LIQUID_OK : status;
	info = liquid_schedule_info(schedule);
	if (info->length < (uint64_t)probes->at[trial->place].schedule.length * info->parts) {
		probes->at[trial->place].schedule.parts = info->parts;
		probes->at[trial->place].schedule.parts_length = info->length;
	}
	liquid_schedule_free(schedule);
	return LIQUID_OK;
}

static int try_schedule(const struct trial *trial, struct advise_probes *probes,
			struct liquid_error *err)
{
	struct liquid_solve_options options = {
		.work = ADVISE_SOLVE_WORK,
	};
	struct advise_order (*way)[ADVISE_SWITCHES] = probes->at[trial->place].way;
	const struct liquid_schedule_info *info;
	struct liquid_schedule *schedule;
	struct trial one = *trial;
	int status = liquid_solve(trial->facts->fabric, trial->facts->traffic, &options, &schedule,
				  err);

	if (status)
		return status;
	info = liquid_schedule_info(schedule);
	probes->at[trial->place].schedule.length = info->length;
	probes->at[trial->place].schedule.duration = info->duration;
	probes->at[trial->place].schedule.lower_bound = info->lower_bound;
	probes->at[trial->place].schedule.done = true;
	for (one.queues = 0; one.queues < ADVISE_SWITCHES && !status; one.queues++) {
		struct advise_order *tokens = &way[ADVISE_TOKENS][one.queues];
		struct advise_order *gates = &way[ADVISE_GATES][one.queues];

		estimate(&one, info->length, tokens, gates);
		if (trial->scale->whole)
			status = run_schedule(&one, schedule, false, tokens, err);
		if (trial->scale->whole && !status && one.advise->transport != TRANSPORT_RDMA)
			status = run_schedule(&one, schedule, true, gates, err);
	}
	liquid_schedule_free(schedule);
	return status || trial->place != ADVISE_PRESENT ? status : try_parts(trial, probes, err);
}

/* ---- other nodes ---- */

static int try_nodes(const struct trial *trial, struct advise_probes *probes,
		     struct liquid_error *err)
{
	struct liquid_choose_options options = {
		.count = trial->facts->senders,
	};
	struct nodes nodes;
	struct liquid_choice *choice;
	int status;

	if (nodes_read(trial->facts->fabric, NULL, &nodes))
		return LIQUID_BAD_INPUT;
	options.senders = nodes.senders;
	options.receivers = nodes.receivers;
	options.candidates = nodes.count;
	status = liquid_choose(trial->facts->fabric, &options, &choice, err);
	if (!status) {
		probes->choice.lambda = choice->lambda * (double)trial->facts->each;
		probes->choice.count = choice->count;
		probes->choice.done = true;
		memcpy(probes->list, choice->senders, choice->count * sizeof(*probes->list));
		liquid_choice_free(choice);
	}
	nodes_clear(&nodes);
	return status;
}

/* ---- other routes ---- */

static int try_routes(const struct trial *trial, struct advise_probes *probes,
		      struct liquid_error *err)
{
	static const uint32_t lanes_of[ADVISE_LANES] = { 1, 4 };
	const struct liquid_route_options options = {
		.traffic = trial->facts->traffic, .lanes = lanes_of[trial->lanes],
		.work = ADVISE_ROUTE_WORK,
	};
	struct liquid_routing *routing;
	int status = liquid_route(trial->facts->fabric, &options, &routing, err);

	if (status)		/* a host that others cannot send to needs no other routes */
		return status == LIQUID_BAD_INPUT ? LIQUID_OK : status;
	probes->routes[trial->lanes].lambda = routing->load;
	status = liquid_fabric_write(routing->fabric, trial->tables, err);
	probes->routes[trial->lanes].done = !status && !fflush(trial->tables);
	liquid_routing_free(routing);
	return status;
}

/* ---- other ranks ---- */

/* The order of ranks in which a shift exchange contends least */
static int try_ranks(const struct trial *given, struct advise_probes *probes,
		     struct liquid_error *err)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(given->facts->traffic);
	uint32_t ranks = given->facts->senders, *rank = probes->list + probes->hosts;
	uint32_t *host = malloc(((size_t)ranks + 1) * sizeof(*host));
	struct trial trial = *given;
	int status = host ? LIQUID_OK : LIQUID_NO_MEMORY;

	for (uint32_t i = 0; i < ranks && !status; i++)
		host[i] = pairs[(size_t)i * (ranks - 1)].src;
	if (!status)
		status = liquid_ranks_order(trial.facts->fabric, host, ranks, LIQUID_ORDER_SHIFT,
					    err);
	for (uint32_t i = 0; i < ranks && !status; i++)
		rank[host[i]] = i;
	trial.rank = rank;
	trial.order = trial.advise->today;
	for (trial.queues = 0; trial.queues < ADVISE_SWITCHES && !status; trial.queues++)
		status = run_order(&trial, &probes->at[trial.place].way[ADVISE_RANKS][trial.queues],
				   err);
	free(host);
	return status;
}

/* ---- processes ---- */

typedef int (*probe)(const struct trial *trial, struct advise_probes *probes,
		     struct liquid_error *err);

struct task {
	probe run;
	struct trial trial;
};

#define TASKS_MAX (ADVISE_PLACES * (ADVISE_ORDERS + 1) * ADVISE_SWITCHES + ADVISE_LANES)

struct tasks {
	struct task task[TASKS_MAX];
	size_t count;
};

static struct trial *add(struct tasks *tasks, probe run, const struct trial *trial)
{
	tasks->task[tasks->count] = (struct task){ run, *trial };
	return &tasks->task[tasks->count++].trial;
}

static void add_orders(struct tasks *tasks, const struct trial *trial, int from, int to)
{
	for (int order = from; order <= to; order++)
		for (int queues = 0; queues < ADVISE_SWITCHES; queues++) {
			struct trial *one = add(tasks, try_order, trial);

			one->order = order;
			one->queues = queues;
		}
}

/* What libraries do. A sample has not the steps that are under way together. */
static void add_library_orders(struct tasks *tasks, const struct trial *trial)
{
	add_orders(tasks, trial, ADVISE_PAIRWISE, trial->scale->whole ? ADVISE_FEW :
		   ADVISE_AT_ONCE);
}

/* All that needs no results of others */
static void list_first(struct tasks *tasks, const struct trial *trial, bool nodes,
		       FILE *tables[ADVISE_LANES])
{
	const struct advise_facts *facts = trial->facts;
	uint32_t ranks = facts->senders;

	for (int lanes = 0; lanes < ADVISE_LANES && tables[lanes]; lanes++) {
		struct trial *one = add(tasks, try_routes, trial);

		one->lanes = lanes;
		one->tables = tables[lanes];
	}
	add(tasks, try_schedule, trial);
	if (facts->all_to_all && trial->scale->whole && ranks > 2)
		add(tasks, try_ranks, trial);
	if (nodes)
		add(tasks, try_nodes, trial);
	add_library_orders(tasks, trial);
	if (trial->scale->whole)
		add_orders(tasks, trial, ADVISE_SHUFFLE, ADVISE_SHUFFLE);
	if (facts->all_to_all && trial->scale->whole && !(ranks & (ranks - 1)))
		add_orders(tasks, trial, ADVISE_XOR, ADVISE_XOR);
	if (facts->all_to_all && ranks > 2)
		add_orders(tasks, trial, ADVISE_RING, ADVISE_BRUCK);
}

/* The reason of a failure is written by the process itself: nothing else of it is. */
static pid_t begin(const struct task *task, struct advise_probes *probes)
{
	pid_t parent = getpid(), child = fork();
	struct liquid_error err;
	int status;

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_IO);
	status = task->run(&task->trial, probes, &err);
	if (status)
		complain(0, "%s", err.text);
	_exit(exit_code_of(status));
}

static void show_progress(size_t done, size_t count)
{
	if (!isatty(STDERR_FILENO))
		return;
	if (done < count)
		progress_say("%zu of %zu tried", done, count);
	else
		progress_clear();
}

/* The exit code of one that has ended, which of them does not matter. */
static int await(void)
{
	int how;

	while (wait(&how) < 0)
		if (errno != EINTR)
			return complain(EXIT_IO, "cannot wait for a process: %s", strerror(errno));
	if (WIFSIGNALED(how))
		return complain(EXIT_IO, "a simulation was ended by signal %d", WTERMSIG(how));
	return WEXITSTATUS(how);
}

static int run_tasks(const struct tasks *tasks, struct advise_probes *probes)
{
	size_t count = tasks->count;
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t begun = 0, ended = 0, limit = processors > 1 ? processors : 1;
	int code = EXIT_OK, one;

	while (ended < begun || (begun < count && !code)) {
		if (begun < count && begun - ended < limit && !code) {
			if (begin(&tasks->task[begun], probes) < 0)
				code = complain(EXIT_IO, "cannot start a process: %s",
						strerror(errno));
			else
				begun++;
			continue;
		}
		one = await();
		code = code ? code : one;
		show_progress(++ended, count);
	}
	return code;
}

/* ---- places ---- */

static void close_place(struct place *place)
{
	if (!place->open)
		return;
	advise_scale_clear(&place->scale);
	advise_facts_clear(&place->facts);
	liquid_traffic_free(place->traffic);
	liquid_fabric_free(place->fabric);
}

/* Of a place whose fabric or traffic is another one */
static int open_place(const struct trial *present, struct place *place, int number,
		      struct advise_probes *probes)
{
	int code;

	place->open = true;
	code = advise_facts(&place->facts, place->fabric ? place->fabric : present->facts->fabric,
			    place->traffic ? place->traffic : present->facts->traffic);
	if (!code)
		code = advise_scale(present->advise, &place->facts, &place->scale);
	probes->at[number].traversals = (double)place->facts.inner_traversals;
	probes->at[number].lambda = place->facts.lambda;
	return code;
}

/* The tables that need least; of several, more lanes only for a gain */
static int best_tables(const struct advise_probes *probes)
{
	int best = -1;

	for (int lanes = 0; lanes < ADVISE_LANES; lanes++)
		if (probes->routes[lanes].done &&
		    (best < 0 || probes->routes[best].lambda >=
				 ADVISE_GAIN_LEAST * probes->routes[lanes].lambda))
			best = lanes;
	return best;
}

static int open_routed(const struct trial *present, FILE *tables[ADVISE_LANES],
		       struct place *place, struct advise_probes *probes)
{
	struct liquid_error err;
	int status;

	probes->routed = best_tables(probes);
	if (probes->routed < 0)
		return EXIT_OK;
	rewind(tables[probes->routed]);
	status = liquid_fabric_read(tables[probes->routed], "tables", &place->fabric, &err);
	return status ? complain_of(status, &err) :
	       open_place(present, place, ADVISE_ROUTED, probes);
}

static int open_chosen(const struct trial *present, struct place *place,
		       struct advise_probes *probes)
{
	const struct advise_facts *facts = present->facts;
	struct liquid_error err;
	int status;

	if (!probes->choice.done || facts->lambda < ADVISE_GAIN_LEAST * probes->choice.lambda)
		return EXIT_OK;
	status = liquid_traffic_new(&place->traffic, &err);
	for (uint32_t i = 0; i < probes->choice.count && !status; i++)
		for (uint32_t j = 0; j < probes->choice.count && !status; j++)
			if (i != j)
				status = liquid_traffic_add(place->traffic, probes->list[i],
							    probes->list[j],
							    (uint32_t)facts->each, &err);
	return status ? complain_of(status, &err) :
	       open_place(present, place, ADVISE_CHOSEN, probes);
}

/* What needs other tables or nodes */
static int try_places(const struct trial *present, FILE *tables[ADVISE_LANES],
		      struct place place[ADVISE_PLACES], struct tasks *tasks,
		      struct advise_probes *probes)
{
	int code = open_routed(present, tables, &place[ADVISE_ROUTED], probes);

	if (!code)
		code = open_chosen(present, &place[ADVISE_CHOSEN], probes);
	tasks->count = 0;
	for (int i = ADVISE_ROUTED; i < ADVISE_PLACES && !code; i++) {
		struct trial trial = *present;

		if (!place[i].open)
			continue;
		trial.place = i;
		trial.facts = &place[i].facts;
		trial.scale = &place[i].scale;
		if (i == ADVISE_ROUTED)
			add(tasks, try_schedule, &trial);
		add_library_orders(tasks, &trial);
	}
	return code ? code : run_tasks(tasks, probes);
}

/* ---- other starts ---- */

#define SEEDS_SHARE 4			/* where a run takes at most that part of the work */
#define AGAIN 3				/* of what is best, is tried again */

/* The best ones are those that take least with either kind of switches. */
static void list_best(const struct trial *present, const struct place *place,
		      const struct advise_probes *probes, struct tasks *tasks)
{
	bool taken[ADVISE_PLACES][ADVISE_ORDERS] = { 0 };

	taken[ADVISE_PRESENT][present->advise->today] = true;
	tasks->count = 0;
	for (int i = 0; i <= AGAIN; i++) {
		struct trial trial = *present;
		double least = INFINITY;

		trial.order = present->advise->today;
		for (int at = 0; at < ADVISE_PLACES && i; at++)
			for (int order = 0; order < ADVISE_RING; order++) {
				const struct advise_order *one = probes->at[at].way[order];
				double ns = fmax(one[ADVISE_FIFO].ns, one[ADVISE_VOQ].ns);

				if (!one->done || taken[at][order] || ns >= least)
					continue;
				least = ns;
				trial.place = at;
				trial.order = order;
			}
		if (i && isinf(least))
			return;
		taken[trial.place][trial.order] = true;
		if (trial.place) {
			trial.facts = &place[trial.place].facts;
			trial.scale = &place[trial.place].scale;
		}
		for (trial.queues = 0; trial.queues < ADVISE_SWITCHES; trial.queues++)
			add(tasks, try_seeds, &trial);
	}
}

/* ---- the whole ---- */

void advise_probes_free(struct advise_probes *probes)
{
	if (probes)
		munmap(probes, probes->size);
}

static struct advise_probes *share_probes(const struct advise_facts *facts)
{
	size_t hosts = liquid_fabric_host_count(facts->fabric);
	size_t size = sizeof(struct advise_probes) + 2 * hosts * sizeof(uint32_t);
	struct advise_probes *probes = mmap(NULL, size, PROT_READ | PROT_WRITE,
					    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (probes == MAP_FAILED)
		return NULL;
	probes->size = size;
	probes->hosts = (uint32_t)hosts;
	probes->routed = -1;
	probes->at[ADVISE_PRESENT].traversals = (double)facts->inner_traversals;
	probes->at[ADVISE_PRESENT].lambda = facts->lambda;
	return probes;
}

static int try_all(const struct trial *present, FILE *tables[ADVISE_LANES], struct tasks *tasks,
		   struct advise_probes *probes, struct liquid_fabric **routed)
{
	struct place place[ADVISE_PLACES] = { 0 };
	int code;

	list_first(tasks, present, probes->choice.asked, tables);
	code = run_tasks(tasks, probes);
	if (!code)
		code = try_places(present, tables, place, tasks, probes);
	list_best(present, place, probes, tasks);
	if (!code && present->scale->share >= SEEDS_SHARE)
		code = run_tasks(tasks, probes);
	*routed = place[ADVISE_ROUTED].fabric;
	place[ADVISE_ROUTED].fabric = NULL;
	for (int i = 0; i < ADVISE_PLACES; i++)
		close_place(&place[i]);
	return code;
}

/* Files for the tables that are found; none where that takes long */
static int open_tables(const struct liquid_fabric *fabric, FILE *tables[ADVISE_LANES])
{
	uint64_t places = (uint64_t)liquid_fabric_host_count(fabric) *
		liquid_fabric_switch_count(fabric);

	for (int lanes = 0; lanes < ADVISE_LANES && places <= ADVISE_ROUTE_PLACES; lanes++) {
		tables[lanes] = tmpfile();
		if (!tables[lanes])
			return complain(EXIT_IO, "a temporary file: %s", strerror(errno));
	}
	return EXIT_OK;
}

int advise_probe(const struct advise *advise, const struct advise_facts *facts,
		 const struct advise_scale *scale, struct advise_probes **probes,
		 struct liquid_fabric **routed)
{
	struct trial present = { .advise = advise, .facts = facts, .scale = scale,
				 .seed = 1 };
	struct tasks *tasks = calloc(1, sizeof(*tasks));
	FILE *tables[ADVISE_LANES] = { NULL };
	struct nodes nodes = { 0 };
	int code;

	*routed = NULL;
	*probes = share_probes(facts);
	code = *probes && tasks ? open_tables(facts->fabric, tables) : no_memory();
	if (!code && facts->all_to_all)
		code = nodes_read(facts->fabric, NULL, &nodes);
	if (!code) {
		(*probes)->choice.asked = facts->all_to_all && nodes.count > facts->senders;
		code = try_all(&present, tables, tasks, *probes, routed);
	}
	nodes_clear(&nodes);
	for (int lanes = 0; lanes < ADVISE_LANES; lanes++)
		if (tables[lanes])
			fclose(tables[lanes]);
	free(tasks);
	return code;
}

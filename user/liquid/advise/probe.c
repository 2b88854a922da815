// SPDX-License-Identifier: GPL-2.0-only
/*
 * Trials: orders by the simulator, a schedule by the solver, other nodes
 *
 * Each is a separate process, at most one a processor at a time: objects of the library
 * are one thread's. A process writes its results into shared memory. If one fails, all do.
 */
#include <errno.h>
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

static const enum liquid_sim_order orders[] = {
	[ADVISE_PAIRWISE] = LIQUID_SIM_PAIRWISE,
	[ADVISE_AT_ONCE] = LIQUID_SIM_ALL_AT_ONCE,
	[ADVISE_WINDOW] = LIQUID_SIM_SHUFFLE_ROTATION,
};

static const enum liquid_sim_queues switches[] = {
	[ADVISE_FIFO] = LIQUID_SIM_FIFO,
	[ADVISE_VOQ] = LIQUID_SIM_VOQ,
};

const char *advise_order(int order)
{
	return simulate_orders[orders[order]];
}

const char *advise_queues(int queues)
{
	return simulate_queues[switches[queues]];
}

struct trial {
	const struct advise *advise;
	const struct advise_facts *facts;
	const struct advise_scale *scale;
	int order, queues, lanes;
};

static void fill_model(const struct trial *trial, struct liquid_sim_options *options)
{
	simulate_model(options);
	options->queues = switches[trial->queues];
	options->rate_bps = trial->advise->rate_bps;
	options->token_ns = trial->advise->token_ns;
	options->message_bytes = advise_pair_bytes(trial->advise);
	options->packet_bytes = trial->scale->packet_bytes;
}

/* ns of a message of @bytes on a link of capacity 1 */
static double message_ns(const struct trial *trial, uint64_t bytes)
{
	return (double)bytes * 8e9 / (double)trial->advise->rate_bps;
}

/* @least: times of a message that it takes at least */
static double share_of(const struct trial *trial, double least, double ns)
{
	double share = least * message_ns(trial, advise_pair_bytes(trial->advise)) / ns;

	return share < 1 ? share : 1;
}

static const struct advise_part *part_of(const struct trial *trial)
{
	return trial->order == ADVISE_PAIRWISE ? &trial->scale->by_message :
		&trial->scale->in_turns;
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
	options.order = orders[trial->order];
	options.window = trial->order == ADVISE_WINDOW ? LIQUID_SIM_WINDOW_AUTO : 0;
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

static int try_order(const struct trial *trial, struct advise_probes *probes,
		     struct liquid_error *err)
{
	struct advise_order *order = &probes->order[trial->order][trial->queues];
	double ns;
	int status = trial->order != ADVISE_PAIRWISE && trial->scale->few ?
		time_shortened(trial, order, &ns, err) :
		time_order(trial, advise_pair_bytes(trial->advise), order, &ns, err);

	if (!status) {
		order->share = share_of(trial, part_of(trial)->least, ns);
		order->done = true;
	}
	return status;
}

/* ---- a schedule ---- */

/* With tokens of the stated latency. */
static int try_tokens(const struct trial *trial, const struct liquid_schedule *schedule,
		      double *share, struct liquid_error *err)
{
	struct liquid_sim_options options;
	struct liquid_sim_result *result;
	int status;

	fill_model(trial, &options);
	options.sync = LIQUID_SIM_SYNC_TOKENS;
	options.tail_bytes = simulate_tail_bytes(options.token_ns, options.rate_bps);
	status = simulate_in_lanes(trial->facts->fabric, NULL, schedule, &options, &result, err);
	if (status)
		return status;
	*share = share_of(trial, trial->facts->lambda, (double)result->time_ns);
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
	    probes->schedule.length <= 1.005 * trial->facts->lambda)
		return LIQUID_OK;
	status = liquid_solve(trial->facts->fabric, trial->facts->traffic, &options, &schedule,
			      err);
	if (status)	/* there is one of whole messages, which took more work */
		return status == LIQUID_LIMIT ? LIQUID_OK : status;
	info = liquid_schedule_info(schedule);
	if (info->length < (uint64_t)probes->schedule.length * info->parts) {
		probes->schedule.parts = info->parts;
		probes->schedule.parts_length = info->length;
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
	const struct liquid_schedule_info *info;
	struct liquid_schedule *schedule;
	struct trial tokens = *trial;
	int status = liquid_solve(trial->facts->fabric, trial->facts->traffic, &options, &schedule,
				  err);

	if (status)
		return status;
	info = liquid_schedule_info(schedule);
	probes->schedule.length = info->length;
	probes->schedule.duration = info->duration;
	probes->schedule.lower_bound = info->lower_bound;
	probes->schedule.done = true;
	for (tokens.queues = 0; trial->scale->whole && tokens.queues < ADVISE_SWITCHES && !status;
	     tokens.queues++)
		status = try_tokens(&tokens, schedule, &probes->schedule.tokens[tokens.queues],
				    err);
	probes->schedule.simulated = trial->scale->whole && !status;
	liquid_schedule_free(schedule);
	return status ? status : try_parts(trial, probes, err);
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
		probes->choice.bound = choice->bound * (double)trial->facts->each;
		probes->choice.count = choice->count;
		probes->choice.candidates = choice->candidates;
		probes->choice.done = true;
		liquid_choice_free(choice);
	}
	nodes_clear(&nodes);
	return status;
}

/* ---- other routes ---- */

static int try_routes(const struct trial *trial, struct advise_probes *probes,
		      struct liquid_error *err)
{
	static const uint32_t lanes[ADVISE_LANES] = { 1, 4 };
	struct liquid_route_options options = {
		.traffic = trial->facts->traffic,
		.lanes = lanes[trial->lanes], .work = ADVISE_ROUTE_WORK,
	};
	struct liquid_routing *routing;
	int status = liquid_route(trial->facts->fabric, &options, &routing, err);

	if (status)		/* a host that others cannot send to needs no other routes */
		return status == LIQUID_BAD_INPUT ? LIQUID_OK : status;
	probes->routes[trial->lanes].lanes = routing->lanes;
	probes->routes[trial->lanes].lambda = routing->load;
	probes->routes[trial->lanes].bound = routing->bound;
	probes->routes[trial->lanes].done = true;
	liquid_routing_free(routing);
	return LIQUID_OK;
}

/* ---- processes ---- */

typedef int (*probe)(const struct trial *trial, struct advise_probes *probes,
		     struct liquid_error *err);

struct task {
	probe run;
	struct trial trial;
};

#define TASKS_MAX (ADVISE_ORDERS * ADVISE_SWITCHES + ADVISE_LANES + 2)

static size_t list_tasks(const struct trial *trial, bool nodes, struct task *tasks)
{
	size_t count = 0;

	tasks[count++] = (struct task){ try_schedule, *trial };
	for (int order = 0; order < ADVISE_ORDERS; order++)
		for (int queues = 0; queues < ADVISE_SWITCHES; queues++) {
			tasks[count] = (struct task){ try_order, *trial };
			tasks[count].trial.order = order;
			tasks[count++].trial.queues = queues;
		}
	if (nodes)
		tasks[count++] = (struct task){ try_nodes, *trial };
	if (liquid_fabric_host_count(trial->facts->fabric) > ADVISE_ROUTE_HOSTS)
		return count;
	for (int lanes = 0; lanes < ADVISE_LANES; lanes++) {
		tasks[count] = (struct task){ try_routes, *trial };
		tasks[count++].trial.lanes = lanes;
	}
	return count;
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

static int run_tasks(const struct task *tasks, size_t count, struct advise_probes *probes)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t begun = 0, ended = 0, limit = processors > 1 ? processors : 1;
	int code = EXIT_OK, one;

	while (ended < begun || (begun < count && !code)) {
		if (begun < count && begun - ended < limit && !code) {
			if (begin(&tasks[begun], probes) < 0)
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

void advise_probes_free(struct advise_probes *probes)
{
	if (probes)
		munmap(probes, sizeof(*probes));
}

int advise_probe(const struct advise *advise, const struct advise_facts *facts,
		 const struct advise_scale *scale, struct advise_probes **probes)
{
	struct trial trial = { .advise = advise, .facts = facts, .scale = scale };
	struct task tasks[TASKS_MAX];
	struct nodes nodes = { 0 };
	int code = EXIT_OK;
	bool others;

	*probes = mmap(NULL, sizeof(**probes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (*probes == MAP_FAILED) {
		*probes = NULL;
		return no_memory();
	}
	if (facts->all_to_all)
		code = nodes_read(facts->fabric, NULL, &nodes);
	others = facts->all_to_all && nodes.count > facts->senders;
	nodes_clear(&nodes);
	(*probes)->choice.asked = others;
	if (!code)
		code = run_tasks(tasks, list_tasks(&trial, others, tasks), *probes);
	return code;
}

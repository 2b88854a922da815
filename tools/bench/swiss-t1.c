// SPDX-License-Identifier: GPL-2.0-only
/*
 * Solving Swiss-T1 with a method: the papers' 362 patterns, all 390,624 allocations, or a sample
 *
 * usage: swiss-t1 [--method NAME] [--whole] [--work N] [--runs N] [--all | --every N]
 *
 * The time is that from sets of links to the frame of each transfer; with --whole, that of
 * liquid_solve() with routes from forwarding tables, digests and verification. The time of a
 * problem is the median of RUNS. Schedules are checked on routes that the solver cannot change.
 *
 * Prints one line: method, problems, valid schedules; how many of these have the duration, are
 * up to 10 % longer, up to 20 % longer, even longer; the largest excess in %; total of the
 * medians, least and largest total of a run in s; median, 97th percentile and slowest problem
 * in us; transfers, durations and lengths of all problems together.
 */
#include <stdlib.h>
#include <string.h>

#include "swiss.h"

enum { RUNS_MAX = 101 };

struct bench {
	struct swiss swiss;
	const struct method *method;
	bool whole;
	uint64_t work;
	uint32_t runs;
	uint32_t problems, right, at_duration, to_10, to_20, longer;
	uint64_t transfers, durations, lengths;
	double worst;			/* largest length / duration - 1 */
	double total[RUNS_MAX];		/* by run, s */
	double *seconds;		/* by problem: median, s */
};

/* Find a method of the library, or igraph. */
static const struct method *find_method(const char *name)
{
	static const struct method igraph = { "igraph", method_igraph, NULL };

	return strcmp(name, igraph.name) ? method_find(name) : &igraph;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Read the frame of each pair from the schedule. Returns its length. */
static uint32_t read_frames(const struct liquid_schedule *schedule,
			    const struct routes *routes, uint32_t *frame)
{
	uint32_t length = liquid_schedule_info(schedule)->length;
	const struct liquid_transfer *transfer;
	size_t count;

	for (uint32_t f = 0; f < length; f++) {
		transfer = liquid_schedule_frame(schedule, f, &count);
		for (size_t i = 0; i < count; i++)
			for (uint32_t p = 0; p < routes->pair_count; p++)
				if (routes->pairs[p].src == transfer[i].src &&
				    routes->pairs[p].dst == transfer[i].dst)
					frame[p] = f;
	}
	return length;
}

static uint32_t solve_whole(struct bench *b, const struct swiss_problem *problem,
			    uint32_t *frame, double *seconds)
{
	struct liquid_solve_options options = { .method = b->method->name, .work = b->work };
	struct liquid_schedule *schedule;
	double begin = bench_cpu();
	uint32_t length;

	if (liquid_solve(b->swiss.fabric, problem->traffic, &options, &schedule, &b->swiss.err))
		swiss_die(&b->swiss);
	*seconds = bench_cpu() - begin;
	length = read_frames(schedule, problem->routes, frame);
	liquid_schedule_free(schedule);
	return length;
}

static uint32_t solve_once(struct bench *b, const struct swiss_problem *problem,
			   uint32_t *frame, double *seconds)
{
	double begin = bench_cpu();
	uint32_t length;

	if (b->whole)
		return solve_whole(b, problem, frame, seconds);
	length = swiss_solve(&b->swiss, problem, b->method, b->work, frame);
	*seconds = bench_cpu() - begin;
	return length;
}

static void count_loss(struct bench *b, const struct swiss_problem *problem, uint32_t length)
{
	double above = (double)length / (double)problem->duration - 1;

	b->right++;
	if (length == problem->duration)
		b->at_duration++;
	else if (above <= 0.10)
		b->to_10++;
	else if (above <= 0.20)
		b->to_20++;
	else
		b->longer++;
	if (above > b->worst)
		b->worst = above;
}

static void run(struct bench *b, uint32_t allocation)
{
	uint32_t frame[SWISS_TRANSFERS_MAX], length = 0;
	struct swiss_problem problem;
	double seconds[RUNS_MAX];

	swiss_problem_open(&b->swiss, allocation, &problem);
	for (uint32_t i = 0; i < b->runs; i++) {
		memset(frame, 0xff, sizeof(frame));
		length = solve_once(b, &problem, frame, &seconds[i]);
		b->total[i] += seconds[i];
	}
	b->transfers += problem.routes->transfer_count;
	b->durations += problem.duration;
	b->lengths += length;
	if (swiss_check(&b->swiss, &problem, frame, length))
		count_loss(b, &problem, length);
	qsort(seconds, b->runs, sizeof(*seconds), by_size);
	b->seconds[b->problems++] = seconds[b->runs / 2];
	swiss_problem_close(&problem);
}

static void print(struct bench *b)
{
	double total = 0;

	for (uint32_t i = 0; i < b->problems; i++)
		total += b->seconds[i];
	qsort(b->seconds, b->problems, sizeof(*b->seconds), by_size);
	qsort(b->total, b->runs, sizeof(*b->total), by_size);
	printf("%s%s,%u,%u,%u,%u,%u,%u,%.1f,%.5f,%.5f,%.5f,%.1f,%.1f,%.1f,%llu,%llu,%llu\n",
	       b->method->name, b->whole ? " whole" : "", b->problems, b->right,
	       b->at_duration, b->to_10, b->to_20, b->longer, 100 * b->worst, total,
	       b->total[0], b->total[b->runs - 1],
	       1e6 * b->seconds[b->problems / 2],
	       1e6 * b->seconds[(uint64_t)b->problems * 97 / 100],
	       1e6 * b->seconds[b->problems - 1], (unsigned long long)b->transfers,
	       (unsigned long long)b->durations, (unsigned long long)b->lengths);
}

static int usage(void)
{
	fputs("usage: swiss-t1 [--method NAME] [--whole] [--work N] [--runs N] [--all | --every "
	      "N]\n",
	      stderr);
	return 2;
}

/* *@every N: every Nth allocation; 0: the patterns */
static bool parse(struct bench *b, int argc, char **argv, uint32_t *every)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--whole"))
			b->whole = true;
		else if (!strcmp(argv[i], "--all"))
			*every = 1;
		else if (i + 1 == argc)
			return false;
		else if (!strcmp(argv[i], "--method"))
			b->method = find_method(argv[++i]);
		else if (!strcmp(argv[i], "--work"))
			b->work = strtoull(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--runs"))
			b->runs = (uint32_t)strtoul(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--every"))
			*every = (uint32_t)strtoul(argv[++i], NULL, 10);
		else
			return false;
	}
	return b->method && b->work && b->runs && b->runs <= RUNS_MAX;
}

int main(int argc, char **argv)
{
	static struct bench bench = { .work = UINT64_C(2000000000), .runs = 1 };
	uint32_t pattern[SWISS_PATTERNS], every = 0, patterns;

	bench.method = find_method("auto");
	if (!parse(&bench, argc, argv, &every))
		return usage();
	bench.seconds = calloc(SWISS_ALLOCATIONS, sizeof(*bench.seconds));
	if (!bench.seconds)
		return 1;
	swiss_open(&bench.swiss);
	if (every) {
		for (uint32_t a = 1; a < SWISS_ALLOCATIONS; a += every)
			run(&bench, a);
	} else {
		patterns = swiss_patterns(&bench.swiss, pattern);
		for (uint32_t i = 0; i < patterns; i++)
			run(&bench, pattern[i]);
	}
	print(&bench);
	swiss_close(&bench.swiss);
	free(bench.seconds);
	return bench.right == bench.problems ? 0 : 1;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Comparing the library with CaDiCaL, CBC, GLPK and HiGHS on nine patterns of Swiss-T1, or on one
 *
 * usage: peers [--exported] [--limit SECONDS] [--runs N] [--keep DIRECTORY]
 *              [--peer NAME] [--nodes N --duration K]
 *
 * The question is: is there a schedule of K = duration frames? The problem is written for the
 * peers from the same sets of links that the library uses, as CNF (DIMACS) and as a feasibility
 * problem (CPLEX LP). Variable x_p_f: transfer p is in frame f. Each transfer is in one frame; a
 * link is used at most once in a frame, and a bottleneck link exactly once, which follows from
 * the rest but helps the peers. Frames are interchangeable, so the transfers of a bottleneck
 * link are fixed to frames 0, 1, ... With --exported the peers get the files of
 * `liquid solve --export-cnf` and `--export-milp` instead.
 *
 * Times are CPU times of one thread. The time of a peer is that of its process, minus that of the
 * same process on a problem of one transfer; a process that is stopped counts with the limit.
 * The times of the library are medians of RUNS: from sets of links to checked frames with the
 * methods auto and quotient, and of the whole liquid_solve().
 *
 * Prints a line for each pattern and peer: transfers, duration, auto us, quotient us, whole us,
 * peer, its s, outcome (yes, limit, or an error), s of its start, which were subtracted.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "swiss.h"

enum { RUNS_MAX = 101, ARGS_MAX = 12, NAME = 256 };

/* (nodes, duration) of patterns with 64 ... 324 transfers */
static const uint32_t chosen[][2] = {
	{ 8, 16 }, { 10, 21 }, { 12, 14 }, { 13, 18 }, { 14, 20 }, { 15, 21 }, { 16, 22 },
	{ 17, 23 }, { 18, 25 },
};

struct peer {
	const char *name;
	const char *file;		/* file name of the problem */
	const char *args[ARGS_MAX];	/* "%f" is replaced by the file's path */
	const char *yes;		/* text that it prints if there is a schedule */
};

static const struct peer peers[] = {
	{ "cadical", "problem.cnf", { "cadical", "-q", "%f" }, "s SATISFIABLE" },
	{ "cbc", "problem.lp", { "cbc", "%f", "-threads", "0", "-solve", "-quit" },
	  "Result - Optimal solution found" },
	/* tools/bench/highs */
	{ "highs", "problem.lp", { "highs", "%f" }, "Status  Optimal" },
	{ "glpk", "problem.lp", { "glpsol", "--lp", "%f" }, "INTEGER OPTIMAL SOLUTION FOUND" },
};
enum { PEERS = sizeof(peers) / sizeof(peers[0]) };

struct bench {
	struct swiss swiss;
	const char *directory;
	uint32_t runs, limit;
	uint32_t nodes, duration;	/* of the one pattern; 0: the nine */
	const struct peer *only;	/* NULL: all of them */
	bool exported;			/* use the files that the library exports */
	double trivial[PEERS];		/* CPU time on a problem of one transfer, s */
};

static void fail(const char *what)
{
	fprintf(stderr, "peers: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* ---- the problem as a file for each peer ---- */

static uint32_t variable(const struct routes *routes, uint32_t pair, uint32_t frame)
{
	return pair * routes->duration + frame + 1;
}

static uint32_t first_bottleneck(const struct routes *routes)
{
	uint32_t link = 0;

	while (routes->load[link] != routes->duration)
		link++;
	return link;
}

static void write_at_most_one(FILE *out, const uint32_t *var, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t j = 0; j < i; j++)
			fprintf(out, "-%u -%u 0\n", var[i], var[j]);
}

static void write_at_least_one(FILE *out, const uint32_t *var, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		fprintf(out, "%u ", var[i]);
	fputs("0\n", out);
}

static uint64_t pairs_of(uint64_t n)
{
	return n * (n - 1) / 2;
}

static bool is_bottleneck(const struct routes *routes, uint32_t link)
{
	return routes->load[link] == routes->duration;
}

static uint64_t clause_count(const struct routes *routes)
{
	uint64_t frames = routes->duration, count;

	count = routes->pair_count * (1 + pairs_of(frames)) + frames;
	for (uint32_t l = 0; l < routes->link_count; l++)
		count += frames * (pairs_of(routes->load[l]) + is_bottleneck(routes, l));
	return count;
}

static void write_cnf(FILE *out, const struct routes *routes, const struct routes_inverse *inverse)
{
	uint32_t var[SWISS_TRANSFERS_MAX], fixed = first_bottleneck(routes);

	fprintf(out, "p cnf %u %llu\n", routes->pair_count * routes->duration,
		(unsigned long long)clause_count(routes));
	for (uint32_t p = 0; p < routes->pair_count; p++) {
		for (uint32_t f = 0; f < routes->duration; f++)
			var[f] = variable(routes, p, f);
		write_at_least_one(out, var, routes->duration);
		write_at_most_one(out, var, routes->duration);
	}
	for (uint32_t l = 0; l < routes->link_count; l++)
		for (uint32_t f = 0; f < routes->duration; f++) {
			const uint32_t *pair = inverse->pairs + inverse->first[l];

			for (uint32_t i = 0; i < routes->load[l]; i++)
				var[i] = variable(routes, pair[i], f);
			if (is_bottleneck(routes, l))
				write_at_least_one(out, var, routes->load[l]);
			write_at_most_one(out, var, routes->load[l]);
		}
	for (uint32_t f = 0; f < routes->duration; f++)
		fprintf(out, "%u 0\n",
			variable(routes, inverse->pairs[inverse->first[fixed] + f], f));
}

static void write_lp(FILE *out, const struct routes *routes, const struct routes_inverse *inverse)
{
	uint32_t fixed = first_bottleneck(routes);

	fputs("Minimize\n none: 0 x0_0\nSubject To\n", out);
	for (uint32_t p = 0; p < routes->pair_count; p++) {
		for (uint32_t f = 0; f < routes->duration; f++)
			fprintf(out, "%s x%u_%u", f ? " +" : "", p, f);
		fputs(" = 1\n", out);
	}
	for (uint32_t l = 0; l < routes->link_count; l++)
		for (uint32_t f = 0; f < routes->duration; f++) {
			for (uint32_t i = 0; i < routes->load[l]; i++)
				fprintf(out, "%s x%u_%u", i ? " +" : "",
					inverse->pairs[inverse->first[l] + i], f);
			fprintf(out, " %s 1\n", is_bottleneck(routes, l) ? "=" : "<=");
		}
	for (uint32_t f = 0; f < routes->duration; f++)
		fprintf(out, " x%u_%u = 1\n", inverse->pairs[inverse->first[fixed] + f], f);
	fputs("Binary\n", out);
	for (uint32_t p = 0; p < routes->pair_count; p++)
		for (uint32_t f = 0; f < routes->duration; f++)
			fprintf(out, " x%u_%u\n", p, f);
	fputs("End\n", out);
}

static FILE *open_file(const struct bench *b, const char *name)
{
	char path[NAME];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", b->directory, name);
	out = fopen(path, "w");
	if (!out)
		fail(path);
	return out;
}

static void write_exported(struct bench *b, const struct swiss_problem *problem, FILE *cnf,
			   FILE *lp)
{
	uint32_t frames = problem->duration;

	if (liquid_export(b->swiss.fabric, problem->traffic, LIQUID_MODEL_CNF, frames, cnf,
			  &b->swiss.err) ||
	    liquid_export(b->swiss.fabric, problem->traffic, LIQUID_MODEL_MILP, frames, lp,
			  &b->swiss.err))
		swiss_die(&b->swiss);
}

static void write_problem(struct bench *b, const struct swiss_problem *problem)
{
	FILE *cnf = open_file(b, "problem.cnf"), *lp = open_file(b, "problem.lp");
	struct routes_inverse inverse;

	if (b->exported) {
		write_exported(b, problem, cnf, lp);
	} else {
		if (!routes_invert(problem->routes, &inverse))
			fail("routes");
		write_cnf(cnf, problem->routes, &inverse);
		write_lp(lp, problem->routes, &inverse);
		routes_inverse_clear(&inverse);
	}
	if (fclose(cnf) || fclose(lp))
		fail(b->directory);
}

/* ---- the peers ---- */

static void run_child(const struct bench *b, const struct peer *peer, const char *output)
{
	struct rlimit cpu = { b->limit, b->limit };
	char path[NAME], *args[ARGS_MAX + 1] = { NULL };
	int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	snprintf(path, sizeof(path), "%s/%s", b->directory, peer->file);
	for (int i = 0; i < ARGS_MAX && peer->args[i]; i++)
		args[i] = strcmp(peer->args[i], "%f") ? (char *)peer->args[i] : path;
	if (out < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0 || setrlimit(RLIMIT_CPU, &cpu))
		_exit(126);
	execvp(args[0], args);
	_exit(127);
}

static bool output_says(const char *path, const char *wanted)
{
	char line[1024];
	bool found = false;
	FILE *in = fopen(path, "r");

	if (!in)
		fail(path);
	while (!found && fgets(line, sizeof(line), in))
		found = strstr(line, wanted);
	fclose(in);
	return found;
}

/* CPU time of the whole process. */
static double ask(const struct bench *b, const struct peer *peer, const char **outcome)
{
	struct rusage usage;
	char output[NAME];
	int status;
	pid_t pid;

	snprintf(output, sizeof(output), "%s/output", b->directory);
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		fail("fork");
	if (!pid)
		run_child(b, peer, output);
	if (wait4(pid, &status, 0, &usage) != pid)
		fail("wait4");
	if (WIFSIGNALED(status))
		*outcome = "limit";
	else if (WEXITSTATUS(status) == 127)
		*outcome = "not installed";
	else
		*outcome = output_says(output, peer->yes) ? "yes" : "no answer";
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static bool is_asked(const struct bench *b, int peer)
{
	return !b->only || b->only == &peers[peer];
}

static void measure_start(struct bench *b)
{
	struct swiss_problem problem;
	const char *outcome;

	swiss_problem_open(&b->swiss, 1, &problem);
	write_problem(b, &problem);
	swiss_problem_close(&problem);
	for (int i = 0; i < PEERS; i++) {
		if (!is_asked(b, i))
			continue;
		b->trivial[i] = ask(b, &peers[i], &outcome);
		for (int run = 0; run < 4; run++) {
			double seconds = ask(b, &peers[i], &outcome);

			if (seconds < b->trivial[i])
				b->trivial[i] = seconds;
		}
	}
}

/* ---- the library ---- */

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double time_method(struct bench *b, const struct swiss_problem *problem, const char *name)
{
	const struct method *method = method_find(name);
	uint32_t frame[SWISS_TRANSFERS_MAX], length;
	double seconds[RUNS_MAX], begin;

	for (uint32_t i = 0; i < b->runs; i++) {
		begin = bench_cpu();
		length = swiss_solve(&b->swiss, problem, method, UINT64_C(20000000000), frame);
		seconds[i] = bench_cpu() - begin;
		if (length != problem->duration ||
		    !swiss_check(&b->swiss, problem, frame, length)) {
			fprintf(stderr, "peers: %s: no liquid schedule\n", name);
			exit(1);
		}
	}
	qsort(seconds, b->runs, sizeof(*seconds), by_size);
	return seconds[b->runs / 2];
}

static double time_whole(struct bench *b, const struct swiss_problem *problem)
{
	struct liquid_solve_options options = { .method = "auto" };
	struct liquid_schedule *schedule;
	double seconds[RUNS_MAX], begin;

	for (uint32_t i = 0; i < b->runs; i++) {
		begin = bench_cpu();
		if (liquid_solve(b->swiss.fabric, problem->traffic, &options, &schedule,
				 &b->swiss.err))
			swiss_die(&b->swiss);
		seconds[i] = bench_cpu() - begin;
		liquid_schedule_free(schedule);
	}
	qsort(seconds, b->runs, sizeof(*seconds), by_size);
	return seconds[b->runs / 2];
}

static void run_pattern(struct bench *b, uint32_t nodes, uint32_t duration)
{
	uint32_t allocation = swiss_find(&b->swiss, nodes, duration);
	struct swiss_problem problem;
	double best, quotient, whole;

	if (!allocation) {
		fprintf(stderr, "peers: no pattern of %u nodes and duration %u\n", nodes, duration);
		exit(1);
	}
	swiss_problem_open(&b->swiss, allocation, &problem);
	write_problem(b, &problem);
	best = time_method(b, &problem, "auto");
	quotient = time_method(b, &problem, "quotient");
	whole = time_whole(b, &problem);
	for (int i = 0; i < PEERS; i++) {
		const char *outcome;
		double seconds;

		if (!is_asked(b, i))
			continue;
		seconds = ask(b, &peers[i], &outcome) - b->trivial[i];
		if (seconds < 1e-4)
			seconds = 1e-4;		/* resolution of the CPU times of processes */
		printf("%u,%u,%.1f,%.1f,%.1f,%s,%.4f,%s,%.4f\n", nodes * nodes, duration,
		       1e6 * best, 1e6 * quotient, 1e6 * whole, peers[i].name, seconds, outcome,
		       b->trivial[i]);
		fflush(stdout);
	}
	swiss_problem_close(&problem);
}

static bool find_peer(struct bench *b, const char *name)
{
	for (int i = 0; i < PEERS; i++)
		if (!strcmp(peers[i].name, name))
			b->only = &peers[i];
	return b->only;
}

static bool parse(struct bench *b, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--exported"))
			b->exported = true;
		else if (i + 1 == argc)
			return false;
		else if (!strcmp(argv[i], "--limit"))
			b->limit = (uint32_t)strtoul(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--runs"))
			b->runs = (uint32_t)strtoul(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--nodes"))
			b->nodes = (uint32_t)strtoul(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--duration"))
			b->duration = (uint32_t)strtoul(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--keep"))
			b->directory = argv[++i];
		else if (!strcmp(argv[i], "--peer") && find_peer(b, argv[i + 1]))
			i++;
		else
			return false;
	}
	return b->limit && b->runs && b->runs <= RUNS_MAX && !b->nodes == !b->duration &&
	       (!b->directory || strlen(b->directory) < NAME / 2);
}

static void remove_files(const struct bench *b)
{
	static const char *const names[] = { "problem.cnf", "problem.lp", "output" };
	char path[NAME];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", b->directory, names[i]);
		unlink(path);
	}
	rmdir(b->directory);
}

int main(int argc, char **argv)
{
	static struct bench bench = { .runs = 11, .limit = 15 };
	char own[] = "/tmp/liquid-peers.XXXXXX";
	bool keep;

	if (!parse(&bench, argc, argv)) {
		fputs("usage: peers [--exported] [--limit SECONDS] [--runs N] [--keep DIRECTORY]\n"
		      "             [--peer NAME] [--nodes N --duration K]\n", stderr);
		return 2;
	}
	keep = bench.directory;
	if (!keep)
		bench.directory = mkdtemp(own);
	if (!bench.directory)
		fail(own);
	swiss_open(&bench.swiss);
	measure_start(&bench);
	if (bench.nodes)
		run_pattern(&bench, bench.nodes, bench.duration);
	for (size_t i = 0; !bench.nodes && i < sizeof(chosen) / sizeof(chosen[0]); i++)
		run_pattern(&bench, chosen[i][0], chosen[i][1]);
	swiss_close(&bench.swiss);
	if (!keep)
		remove_files(&bench);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The exports against brute force: on random fabrics with capacities a SAT solver
 * must find the CNF of the shortest length satisfiable and that of one frame less
 * not, with a proof that is checked here; the graph's edges are counted anew.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "fixtures.h"
#include "tap.h"

#define SATISFIABLE 10
#define UNSATISFIABLE 20

static int run_picosat(const char *path)
{
	char command[128];
	int status;

	snprintf(command, sizeof(command), "picosat -n '%s' >/dev/null 2>&1", path);
	status = system(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int sat_answer(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		      uint32_t frames)
{
	char path[] = "/tmp/liquid-export-XXXXXX";
	int fd = mkstemp(path), answer;
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	struct liquid_error err;

	if (!out)
		exit(1);
	must(liquid_export(fabric, traffic, LIQUID_MODEL_CNF, frames, out, &err), &err);
	fclose(out);
	answer = run_picosat(path);
	unlink(path);
	return answer;
}

/* Pairs with counts above 1, so that the counters of both kinds are met. */
static struct liquid_traffic *double_some(struct dice *dice, struct liquid_traffic *traffic)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(traffic);
	struct liquid_traffic *doubled;
	struct liquid_error err;

	must(liquid_traffic_new(&doubled, &err), &err);
	for (size_t i = 0; i < liquid_traffic_pair_count(traffic); i++)
		must(liquid_traffic_add(doubled, pairs[i].src, pairs[i].dst,
					1 + !roll(dice, 4), &err), &err);
	liquid_traffic_free(traffic);
	return doubled;
}

/* Links between switches have up to @capacity, those of hosts up to @ends. */
static void test_cnf(uint64_t seed, uint32_t rounds, uint32_t capacity, uint32_t ends)
{
	struct dice dice = { seed };
	uint32_t found = 0, refuted = 0;

	for (uint32_t i = 0; i < rounds; i++) {
		uint32_t hosts = 4 + roll(&dice, 8);
		struct liquid_fabric *fabric = make_mixed(&dice, hosts, capacity, ends);
		struct liquid_traffic *traffic = random_traffic(&dice, hosts, 2 + roll(&dice, 5));
		uint32_t shortest;

		if (liquid_traffic_pair_count(traffic) <= BRUTE_TRANSFERS_MAX / 2)
			traffic = double_some(&dice, traffic);
		shortest = brute_length(fabric, traffic);
		found += sat_answer(fabric, traffic, shortest) == SATISFIABLE;
		refuted += shortest == 1 ||
			sat_answer(fabric, traffic, shortest - 1) == UNSATISFIABLE;
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
	ok(found == rounds,
	   "capacities to %u, of hosts %u: the CNF of the shortest length is satisfiable",
	   capacity, ends);
	ok(refuted == rounds, "capacities to %u, of hosts %u: that of one frame less is not",
	   capacity,
	   ends);
}

/* ---- proofs ---- */

/* Clauses of a formula and of its proof, one after the other, each ended by 0. */
struct clauses {
	int *literals;
	size_t count, room;
	int variables;
};

static void add_literal(struct clauses *clauses, int literal)
{
	if (clauses->count == clauses->room) {
		clauses->room = 2 * clauses->room + 1024;
		clauses->literals = realloc(clauses->literals,
					    clauses->room * sizeof(*clauses->literals));
		if (!clauses->literals)
			exit(1);
	}
	clauses->literals[clauses->count++] = literal;
	if (abs(literal) > clauses->variables)
		clauses->variables = abs(literal);
}

/* 1: all but one literal is false, *@unit must be true; -1: all are false; 0: neither. */
static int look_at(const int *clause, const int8_t *value, int *unit)
{
	int open = 0;

	for (; *clause; clause++) {
		int8_t now = value[abs(*clause)];

		if (now == (*clause > 0 ? 1 : -1))
			return 0;
		if (!now) {
			*unit = *clause;
			open++;
		}
	}
	return open == 0 ? -1 : open == 1;
}

/* Does unit propagation contradict, once all of @lemma is false? */
static bool follows(const struct clauses *clauses, size_t end, const int *lemma)
{
	int8_t *value = calloc((size_t)clauses->variables + 1, sizeof(*value));
	bool again = true, contradiction = false;

	if (!value)
		exit(1);
	for (; *lemma; lemma++)
		value[abs(*lemma)] = *lemma > 0 ? -1 : 1;
	while (again && !contradiction) {
		again = false;
		for (size_t i = 0; i < end && !contradiction; i++) {
			int unit = 0, state = look_at(clauses->literals + i, value, &unit);

			contradiction = state < 0;
			if (state > 0) {
				value[abs(unit)] = unit > 0 ? 1 : -1;
				again = true;
			}
			while (clauses->literals[i])
				i++;
		}
	}
	free(value);
	return contradiction;
}

/* Lines of numbers; comments, the head and what a proof deletes are passed over. */
static bool read_clauses(const char *path, struct clauses *clauses)
{
	FILE *in = fopen(path, "r");
	char *line = NULL;
	size_t size = 0;

	while (in && getline(&line, &size, in) > 0) {
		char *at = line, *end;

		if (*line == 'c' || *line == 'p' || *line == 'd')
			continue;
		for (long number = strtol(at, &end, 10); end != at; number = strtol(at, &end, 10)) {
			add_literal(clauses, (int)number);
			at = end;
		}
	}
	free(line);
	return in && !fclose(in);
}

/*
 * Every lemma of the proof must follow by unit propagation from what is before it, and
 * the last must be empty. Nothing is deleted, which is sound and slow.
 */
static bool proof_holds(const char *cnf, const char *proof)
{
	struct clauses clauses = { 0 };
	bool good = read_clauses(cnf, &clauses), empty = false;
	size_t begin = clauses.count;

	good = good && read_clauses(proof, &clauses);
	for (size_t end; good && !empty && begin < clauses.count; begin = end) {
		good = follows(&clauses, begin, clauses.literals + begin);
		empty = !clauses.literals[begin];
		for (end = begin; clauses.literals[end]; end++)
			;
		end++;
	}
	free(clauses.literals);
	return good && empty;
}

/* What is not proven must not pass: the checker itself is tried. */
static bool forgery_passes(const struct liquid_fabric *fabric,
			   const struct liquid_traffic *traffic, uint32_t frames)
{
	char path[] = "/tmp/liquid-export-XXXXXX", proof[64];
	int fd = mkstemp(path);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	struct liquid_error err;
	bool passes;

	if (!out)
		exit(1);
	must(liquid_export(fabric, traffic, LIQUID_MODEL_CNF, frames, out, &err), &err);
	fclose(out);
	snprintf(proof, sizeof(proof), "%s.proof", path);
	out = fopen(proof, "w");
	if (!out)
		exit(1);
	fputs("1 0\n-1 0\n0\n", out);
	fclose(out);
	passes = proof_holds(path, proof);
	unlink(path);
	unlink(proof);
	return passes;
}

/* CaDiCaL refutes @frames frames, and its proof is checked here. */
static bool refuted_with_proof(const struct liquid_fabric *fabric,
			       const struct liquid_traffic *traffic, uint32_t frames)
{
	char path[] = "/tmp/liquid-export-XXXXXX", proof[64], command[256];
	int fd = mkstemp(path), status;
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	struct liquid_error err;
	bool good;

	if (!out)
		exit(1);
	must(liquid_export(fabric, traffic, LIQUID_MODEL_CNF, frames, out, &err), &err);
	fclose(out);
	snprintf(proof, sizeof(proof), "%s.proof", path);
	snprintf(command, sizeof(command), "cadical -q --no-binary '%s' '%s' >/dev/null 2>&1", path,
		 proof);
	status = system(command);
	good = WIFEXITED(status) && WEXITSTATUS(status) == UNSATISFIABLE &&
	proof_holds(path, proof);
	unlink(path);
	unlink(proof);
	return good;
}

/* Lengths above the duration, where it is not a full link alone that says no. */
static void test_proofs(void)
{
	struct liquid_fabric *fabric = make_triangle(1);
	struct liquid_traffic *traffic = triangle_traffic(1);
	struct dice dice = { 33 };
	uint32_t asked = 0, proven = 0, wanted = draws(20);

	ok(refuted_with_proof(fabric, traffic, 2),
	   "Fig. 11 and 12: two frames are refuted, and the proof holds");
	ok(!refuted_with_proof(fabric, traffic, 3), "three frames have no proof against them");
	ok(!forgery_passes(fabric, traffic, 3), "a forged proof does not pass");
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
	while (asked < wanted) {
		uint32_t hosts = 4 + roll(&dice, 8);
		struct liquid_schedule *schedule;

		fabric = make_random(&dice, hosts, 3);
		traffic = random_traffic(&dice, hosts, 4 + roll(&dice, 7));
		schedule = solve_small(fabric, traffic);
		if (liquid_schedule_info(schedule)->certificate == LIQUID_CERT_OPTIMAL) {
			asked++;
			proven += refuted_with_proof(fabric, traffic,
						     liquid_schedule_info(schedule)->length - 1);
		}
		liquid_schedule_free(schedule);
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
	ok(proven == asked,
	   "%" PRIu32 " lengths that we call optimal: one frame less is refuted, and "
	   "the proofs hold", asked);
}

/* ---- the congestion graph ---- */

static bool share(const uint32_t *a, int a_count, const uint32_t *b, int b_count)
{
	for (int i = 0; i < a_count; i++)
		for (int j = 0; j < b_count; j++)
			if (a[i] == b[j])
				return true;
	return false;
}

/* Every two transfers compared by their links; capacities are 1. */
static uint64_t count_congestions(const struct liquid_fabric *fabric,
				  const struct liquid_traffic *traffic)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(traffic);
	uint32_t a[LIQUID_PATH_MAX], b[LIQUID_PATH_MAX];
	uint64_t edges = 0;

	for (size_t i = 0; i < liquid_traffic_pair_count(traffic); i++) {
		int steps = liquid_fabric_route(fabric, pairs[i].src, pairs[i].dst, a, NULL);

		edges += (uint64_t)pairs[i].count * (pairs[i].count - 1) / 2;
		for (size_t j = 0; j < i; j++)
			if (share(a, steps, b, liquid_fabric_route(fabric, pairs[j].src,
								   pairs[j].dst, b, NULL)))
				edges += (uint64_t)pairs[i].count * pairs[j].count;
	}
	return edges;
}

/*
 * What the file says of its edges, and how many there are; UINT64_MAX where it contradicts itself.
 */
static uint64_t edges_of_file(const char *text)
{
	unsigned long long edges = 0, lines = 0;
	unsigned int vertices = 0;

	for (const char *line = text; line;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		unsigned int from, to;

		if (*line == 'p' && sscanf(line, "p edge %u %llu", &vertices, &edges) != 2)
			return UINT64_MAX;
		if (sscanf(line, "e %u %u", &from, &to) == 2)
			lines += from && to && from != to && from <= vertices && to <= vertices;
	}
	return lines == edges ? edges : UINT64_MAX;
}

static uint64_t edges_exported(const struct liquid_fabric *fabric,
			       const struct liquid_traffic *traffic)
{
	struct liquid_error err;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	uint64_t edges;

	must(liquid_export(fabric, traffic, LIQUID_MODEL_DIMACS, 0, out, &err), &err);
	fclose(out);
	edges = edges_of_file(text);
	free(text);
	return edges;
}

static void test_graph(void)
{
	struct liquid_fabric *fabric = make_fabric("swiss-t1", NULL, 0);
	struct liquid_traffic *traffic = all_routes(fabric);
	struct dice dice = { 21 };
	uint32_t right = 0;

	ok(edges_exported(fabric, traffic) == 48704, "swiss-t1: 48704 congestions, as published");
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
	for (uint32_t i = 0; i < 50; i++) {
		fabric = make_random(&dice, 9, 1);
		traffic = double_some(&dice, random_traffic(&dice, 9, 30));
		right += edges_exported(fabric, traffic) == count_congestions(fabric, traffic);
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
	ok(right == 50, "random fabrics: as many edges as transfers that share a link");
}

/* The ring's links take 2; with three distinct ends they are not a matter of two transfers each. */
static void test_refused(void)
{
	struct liquid_fabric *fabric = make_triangle(2);
	struct liquid_traffic *traffic = triangle_traffic(1);
	struct liquid_error err;

	ok(edges_exported(fabric, traffic) == 0,
	   "a link that takes all of its load makes no edges");
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
	for (uint64_t seed = 1;; seed++) {
		struct dice dice = { seed };
		struct liquid_solve_options dsatur = { .method = "dsatur" };
		struct liquid_schedule *schedule;

		fabric = make_random(&dice, 10, 2);
		traffic = all_routes(fabric);
		if (liquid_export(fabric, traffic, LIQUID_MODEL_DIMACS, 0, stderr, &err)) {
			ok(strstr(err.text, "capacity 2") && strstr(err.text, ">s"),
			   "a link of capacity 2 is refused by name: %s", err.text);
			ok(liquid_solve(fabric, traffic, &dsatur, &schedule, &err) ==
			   LIQUID_BAD_INPUT, "dsatur refuses it too: %s", err.text);
			break;
		}
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

int main(void)
{
	test_graph();
	test_refused();
	if (run_picosat("--help") == 127) {
		ok(true, "# SKIP no picosat");
		return tap_exit();
	}
	test_cnf(31, draws(60), 1, 1);
	test_cnf(32, draws(100), 3, 1);
	test_cnf(34, draws(100), 3, 3);
	if (WEXITSTATUS(system("cadical --version >/dev/null 2>&1")) == 127)
		ok(true, "# SKIP no cadical");
	else
		test_proofs();
	return tap_exit();
}

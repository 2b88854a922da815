// SPDX-License-Identifier: LGPL-2.1-or-later
/* A plan that was left on a node: which files are one, and for which ranks it is good. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/place.h"
#include "plan/prepared.h"
#include "tap.h"

#define NODES 4
#define RANKS_MAX 8

static char path[] = "/tmp/test-prepared.XXXXXX";
static struct liquid_error err;

struct slice {
	void *bytes;
	size_t size;
};

static void give_up(void)
{
	printf("Bail out! %s\n", err.text);
	exit(1);
}

/* Who exchanges: all nodes; the first two; all, of which two each are the rails of a machine */
enum who { ALL, TWO, RAILS };

static bool exchange(enum who who, uint32_t a, uint32_t b)
{
	return who == TWO ? a < 2 && b < 2 && a != b : who == RAILS ? a / 2 != b / 2 : a != b;
}

static struct slice make_slice(enum who who, uint32_t units, uint32_t node)
{
	static const char *const params[] = { "leaves=2", "hosts=2", "spines=2" };
	struct liquid_fabric *fabric;
	struct liquid_traffic *traffic;
	struct liquid_schedule *schedule;
	struct liquid_plan *plan;
	struct slice slice;

	if (liquid_fabric_make("leaf-spine", params, 3, &fabric, &err) ||
	    liquid_traffic_new(&traffic, &err))
		give_up();
	for (uint32_t i = 0; i < NODES; i++)
		for (uint32_t k = 0; k < NODES; k++)
			if (exchange(who, i, k))
				liquid_traffic_add(traffic, i, k, units, &err);
	if (liquid_solve(fabric, traffic, NULL, &schedule, &err) ||
	    liquid_plan_make(fabric, schedule, NULL, &plan, &err) ||
	    liquid_plan_slice(plan, node, &slice.bytes, &slice.size, &err))
		give_up();
	liquid_plan_free(plan);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
	return slice;
}

/* @lines, and the slice except for its last @less bytes */
static void write_file(const char *lines, const struct slice *slice, size_t less)
{
	FILE *out = fopen(path, "we");

	fputs(lines, out);
	if (slice)
		fprintf(out, "slice %zu\n", slice->size);
	if (slice)
		fwrite(slice->bytes, 1, slice->size - less, out);
	fclose(out);
}

static bool reads(uid_t owner)
{
	struct prepared prepared;
	int status = prepared_read(&prepared, path, owner, &err);

	if (!status)
		prepared_clear(&prepared);
	return !status;
}

/* The plan of the file for the ranks on these places, as they were told, serves node @self. */
static bool serves_places(const host_name *names, uint32_t ranks, uint32_t self, uint64_t *unit)
{
	struct prepared prepared;
	struct liquid_plan *plan;
	struct map map;
	bool served;

	if (!map_make(&map, names, ranks) || prepared_read(&prepared, path, geteuid(), &err))
		give_up();
	served = !prepared_plan(&prepared, &map, names, self, &plan, unit, &err);
	liquid_plan_free(plan);
	prepared_clear(&prepared);
	map_clear(&map);
	return served;
}

/* The same for ranks of the first rails of these hosts */
static bool serves(const char *const *place, uint32_t ranks, uint32_t self, uint64_t *unit)
{
	host_name names[RANKS_MAX];

	for (uint32_t i = 0; i < ranks; i++)
		place_ask(names[i], place[i], 1);
	return serves_places((const host_name *)names, ranks, self, unit);
}

#define HEAD "liquid-plan 1\nrate 1000\nrail 1\n"
#define LINES HEAD "node h1\nnode h2\nnode h3\nnode h4\n"

static void check_file(const struct slice *slice)
{
	static const char *const wrong[] = {
		"", "liquid-plan 2\n", "liquid-plan 1", "liquid-plan 1\nnode\n",
		"liquid-plan 1\nnode h1\n", "liquid-plan 1\nslice 0\n", "liquid-plan 1\nslice 7\n",
		"liquid-plan 1\nslice 18446744073709551615\n", "liquid-plan 1\nslice x\n",
	};

	write_file(LINES, slice, 0);
	ok(reads(geteuid()), "a plan is read");
	ok(!reads(geteuid() + 1), "not where another user owns it");
	chmod(path, 0620);
	ok(!reads(geteuid()), "nor where a group may write to it");
	chmod(path, 0600);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		write_file(wrong[i], NULL, 0);
		ok(!reads(geteuid()), "no plan: case %zu", i);
	}
	write_file(LINES, slice, 1);
	ok(!reads(geteuid()), "nor is one without its last byte");
}

static void check_ranks(const struct slice *slice)
{
	static const char *const order[] = { "h1", "h2", "h3", "h4" };
	static const char *const other[] = { "h3", "h1", "h4", "h2" };
	static const char *const two[] = { "h1", "h1", "h2", "h2", "h3", "h3", "h4", "h4" };
	static const char *const uneven[] = { "h1", "h1", "h2", "h3", "h4" };
	static const char *const stranger[] = { "h1", "h2", "h3", "h5" };
	uint64_t unit;

	write_file(LINES, slice, 0);
	ok(serves(order, 4, 0, &unit) && unit == 1, "ranks in the order of the nodes");
	ok(serves(other, 4, 1, &unit) && unit == 1, "in another one");
	ok(!serves(other, 4, 0, &unit), "but not for a node whose slice it is not");
	ok(serves(two, 8, 0, &unit) && unit == 4, "two on each node: a transfer has four messages");
	ok(!serves(uneven, 5, 0, &unit), "not where a node has more of them than another");
	ok(!serves(order, 3, 0, &unit), "nor where a node has none");
	ok(!serves(stranger, 4, 0, &unit), "nor on a node that the plan does not have");
	write_file("liquid-plan 1\nrail 2\nnode h1\nnode h2\nnode h3\nnode h4\n", slice, 0);
	ok(!serves(order, 4, 0, &unit), "nor on another rail");
	write_file(HEAD "node h1\nnode h1\nnode h3\nnode h4\n", slice, 0);
	ok(!serves(order, 4, 0, &unit), "nor where the plan has a node twice");
}

/* ---- rails ---- */

#define ENDPOINTS "node n1/a/1\nnode n1/b/1\nnode n2/a/1\nnode n2/b/1\n"

/* What ranks on n1 and n2 are told when they ask for all rails; on the latter first */
static void find_places(host_name *names, uint32_t ranks)
{
	static const char *const endpoint[] = { "n1/a/1", "n1/b/1", "n2/a/1", "n2/b/1" };
	const struct place_book book = { .name = endpoint, .names = 4 };

	for (uint32_t i = 0; i < ranks; i++)
		place_ask(names[i], i < ranks / 2 ? "n2" : "n1", RAIL_ALL);
	place_find(names, ranks, &book);
}

static void append_line(const char *line)
{
	FILE *out = fopen(path, "ae");

	fputs(line, out);
	fclose(out);
}

static void append(const struct slice *slice, size_t less)
{
	FILE *out = fopen(path, "ae");

	fprintf(out, "slice %zu\n", slice->size);
	fwrite(slice->bytes, 1, slice->size - less, out);
	fclose(out);
}

static void check_rails(void)
{
	struct slice first = make_slice(RAILS, 1, 0), second = make_slice(RAILS, 1, 1);
	struct slice all = make_slice(ALL, 1, 0);
	host_name names[RANKS_MAX];
	const host_name *places = (const host_name *)names;
	uint64_t unit;

	write_file("liquid-plan 1\nrail all\n" ENDPOINTS, &first, 0);
	append(&second, 0);
	find_places(names, 4);
	ok(serves_places(places, 4, 2, &unit) && unit == 1 && serves_places(places, 4, 3, &unit),
	   "all rails: each of a node finds its slice");
	ok(!serves_places(places, 4, 0, &unit), "not that of another node");
	find_places(names, 8);
	ok(serves_places(places, 8, 3, &unit) && unit == 4, "with two ranks on each");
	find_places(names, 6);
	ok(!serves_places(places, 6, 2, &unit), "not where one has more of them than another");
	for (uint32_t i = 0; i < 4; i++)
		place_ask(names[i], i < 2 ? "n2" : "n1", RAIL_ALL);
	ok(!serves_places(places, 4, 0, &unit), "nor where they were told no endpoints");
	write_file("liquid-plan 1\nrail all\n" ENDPOINTS, &first, 0);
	append(&second, 1);
	ok(!reads(geteuid()), "no plan: the second slice is not whole");
	write_file("liquid-plan 1\nrail all\n" ENDPOINTS, &first, 0);
	append(&second, 0);
	append_line("node n3/a/1\n");
	ok(!reads(geteuid()), "no plan: a line after a slice");
	write_file("liquid-plan 1\nrail all\n" ENDPOINTS, &first, 0);
	for (int i = 0; i < PREPARED_SLICES_MAX - 1; i++)
		append(&second, 0);
	ok(reads(geteuid()), "as many slices as there may be");
	append(&second, 0);
	ok(!reads(geteuid()), "no plan: one more");
	write_file("liquid-plan 1\nrail all\n" ENDPOINTS, &all, 0);
	find_places(names, 4);
	ok(!serves_places(places, 4, 2, &unit),
	   "a plan in which rails of a machine exchange does not serve");
	free(first.bytes);
	free(second.bytes);
	free(all.bytes);
}

int main(void)
{
	struct slice all = make_slice(ALL, 1, 0), four = make_slice(ALL, 4, 0);
	struct slice some = make_slice(TWO, 1, 0);
	static const char *const order[] = { "h1", "h2", "h3", "h4" };
	static const char *const two[] = { "h1", "h1", "h2", "h2", "h3", "h3", "h4", "h4" };
	uint64_t unit;
	int fd = mkstemp(path);

	if (fd < 0)
		give_up();
	close(fd);
	check_file(&all);
	check_ranks(&all);
	write_file(LINES, &four, 0);
	ok(serves(two, 8, 0, &unit) && unit == 1 && !serves(order, 4, 0, &unit),
	   "a plan for two ranks on each node is for those alone");
	write_file(LINES, &some, 0);
	ok(!serves(order, 4, 0, &unit), "one for some of the nodes is for no exchange of all");
	check_rails();
	unlink(path);
	free(all.bytes);
	free(four.bytes);
	free(some.bytes);
	return tap_exit();
}

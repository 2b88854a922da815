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

/* The slice of node 0 of an exchange between all nodes, or between the first two */
static struct slice make_slice(bool all, uint32_t units)
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
			if (i != k && (all || (i < 2 && k < 2)))
				liquid_traffic_add(traffic, i, k, units, &err);
	if (liquid_solve(fabric, traffic, NULL, &schedule, &err) ||
	    liquid_plan_make(fabric, schedule, NULL, &plan, &err) ||
	    liquid_plan_slice(plan, 0, &slice.bytes, &slice.size, &err))
		give_up();
	liquid_plan_free(plan);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
	return slice;
}

/* @lines, and the slice but for its last @less bytes */
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

/* The plan of the file for the ranks on these places serves node @self. */
static bool serves(const char *const *place, uint32_t ranks, uint32_t self, uint64_t *unit)
{
	host_name names[RANKS_MAX];
	struct prepared prepared;
	struct liquid_plan *plan;
	struct map map;
	bool served;

	for (uint32_t i = 0; i < ranks; i++)
		place_ask(names[i], place[i], 1);
	if (!map_make(&map, names, ranks) || prepared_read(&prepared, path, geteuid(), &err))
		give_up();
	served = !prepared_plan(&prepared, &map, names, self, &plan, unit, &err);
	liquid_plan_free(plan);
	prepared_clear(&prepared);
	map_clear(&map);
	return served;
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

int main(void)
{
	struct slice all = make_slice(true, 1), four = make_slice(true, 4);
	struct slice some = make_slice(false, 1);
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
	unlink(path);
	free(all.bytes);
	free(four.bytes);
	free(some.bytes);
	return tap_exit();
}

// SPDX-License-Identifier: GPL-2.0-only
/* Unit test: generated fabrics have the counts, durations and congestions that are published. */
#include <stdlib.h>
#include <string.h>

#include "liquid.h"
#include "tap.h"

static struct liquid_fabric *make(const char *name, const char *const *params, size_t count)
{
	struct liquid_fabric *fabric;
	struct liquid_error err = { "" };

	if (liquid_fabric_make(name, params, count, &fabric, &err))
		printf("# %s: %s\n", name, err.text);
	return fabric;
}

/* Paths of all pairs of a sender and another receiver; false where one has none. */
struct paths {
	uint32_t (*links)[LIQUID_PATH_MAX];
	int *length;
	size_t count;
};

static bool collect(const struct liquid_fabric *fabric, struct paths *paths)
{
	uint32_t hosts = liquid_fabric_host_count(fabric);
	size_t most = (size_t)hosts * hosts;

	paths->links = malloc(most * sizeof(*paths->links));
	paths->length = malloc(most * sizeof(*paths->length));
	paths->count = 0;
	for (uint32_t src = 0; src < hosts; src++)
		for (uint32_t dst = 0; dst < hosts; dst++) {
			size_t n = paths->count;

			if (src == dst || liquid_fabric_host_out(fabric, src) == LIQUID_NONE ||
			    liquid_fabric_host_in(fabric, dst) == LIQUID_NONE)
				continue;
			paths->length[n] = liquid_fabric_route(fabric, src, dst, paths->links[n],
							       NULL);
			if (paths->length[n] < 0)
				return false;
			paths->count++;
		}
	return true;
}

static uint32_t duration(const struct liquid_fabric *fabric, const struct paths *paths)
{
	uint32_t links = liquid_fabric_link_count(fabric), longest = 0;
	uint32_t *load = calloc(links, sizeof(*load));

	for (size_t i = 0; i < paths->count; i++)
		for (int k = 0; k < paths->length[i]; k++)
			load[paths->links[i][k]]++;
	for (uint32_t l = 0; l < links; l++) {
		uint32_t capacity = liquid_fabric_link(fabric, l)->capacity;

		if ((load[l] + capacity - 1) / capacity > longest)
			longest = (load[l] + capacity - 1) / capacity;
	}
	free(load);
	return longest;
}

static bool congest(const struct paths *paths, size_t a, size_t b)
{
	for (int i = 0; i < paths->length[a]; i++)
		for (int k = 0; k < paths->length[b]; k++)
			if (paths->links[a][i] == paths->links[b][k])
				return true;
	return false;
}

static size_t congestions(const struct paths *paths)
{
	size_t edges = 0;

	for (size_t a = 0; a < paths->count; a++)
		for (size_t b = a + 1; b < paths->count; b++)
			edges += congest(paths, a, b);
	return edges;
}

static void free_paths(struct paths *paths)
{
	free(paths->links);
	free(paths->length);
}

static void test_papers(void)
{
	struct liquid_fabric *fabric = make("papers-5x5", NULL, 0);
	struct paths paths;

	ok(fabric && liquid_fabric_host_count(fabric) == 10 &&
	   liquid_fabric_switch_count(fabric) == 2 && liquid_fabric_link_count(fabric) == 12,
	   "papers-5x5: ten hosts, two switches, twelve links");
	ok(collect(fabric, &paths) && paths.count == 25, "papers-5x5: 25 transfers");
	ok(duration(fabric, &paths) == 6, "papers-5x5: duration 6");
	free_paths(&paths);
	liquid_fabric_free(fabric);
}

static void test_papers_paths(void)
{
	struct liquid_fabric *fabric = make("papers-5x5", NULL, 0);
	uint32_t path[LIQUID_PATH_MAX];
	char text[64];
	int length = liquid_fabric_route(fabric, liquid_fabric_find_host(fabric, "t4"),
					 liquid_fabric_find_host(fabric, "r3"), path, NULL);

	ok(length == 3 &&
	   !strcmp(liquid_fabric_link_name(fabric, path[1], text, sizeof(text)), "sb>sa"),
	   "papers-5x5: t4 to r3 crosses sb>sa");
	length = liquid_fabric_route(fabric, liquid_fabric_find_host(fabric, "t1"),
				     liquid_fabric_find_host(fabric, "r2"), path, NULL);
	ok(length == 2, "papers-5x5: t1 to r2 stays on its switch");
	liquid_fabric_free(fabric);
}

static void test_swiss_t1(void)
{
	struct liquid_fabric *fabric = make("swiss-t1", NULL, 0);
	struct paths paths;

	ok(fabric && liquid_fabric_host_count(fabric) == 64 &&
	   liquid_fabric_switch_count(fabric) == 8, "swiss-t1: 64 hosts, 8 switches");
	ok(collect(fabric, &paths) && paths.count == 1024, "swiss-t1: 1024 transfers");
	ok(duration(fabric, &paths) == 48, "swiss-t1: duration 48");
	ok(congestions(&paths) == 48704, "swiss-t1: 48,704 congestions (paper, appendix A)");
	free_paths(&paths);
	liquid_fabric_free(fabric);
}

int main(void)
{
	test_papers();
	test_papers_paths();
	test_swiss_t1();
	return tap_exit();
}

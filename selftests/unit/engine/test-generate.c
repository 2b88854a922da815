// SPDX-License-Identifier: GPL-2.0-only
/* Unit test: generated fabrics have the counts, durations and congestions that are published. */
#include <stdlib.h>
#include <string.h>

#include "liquidsched.h"
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

/* The duration of an all-to-all, as others have computed it for the same network. */
static const struct {
	const char *name;
	const char *params[4];
	uint32_t hosts, switches, links, duration;
} networks[] = {
	{ "leaf-spine", { "leaves=32", "hosts=32" }, 1024, 64, 4096, 1023 },
	{ "leaf-spine", { "leaves=32", "hosts=32", "spines=16" }, 1024, 48, 3072, 1984 },
	{ "leaf-spine", { "leaves=43", "hosts=24", "spines=8" }, 1032, 51, 2752, 3024 },
	{ "leaf-spine", { "leaves=16", "hosts=32", "spines=16", "capacity=2" }, 512, 32, 1536,
	  511 },
	{ "fat-tree", { "k=8" }, 128, 80, 768, 127 },
	{ "fat-tree", { "k=16" }, 1024, 320, 6144, 1023 },
	{ "torus", { "size=8x8" }, 64, 64, 384, 80 },
	{ "torus", { "size=8x8", "ties=balanced" }, 64, 64, 384, 64 },
	{ "torus", { "size=16x16" }, 256, 256, 1536, 576 },
	{ "torus", { "size=8x8x8" }, 512, 512, 4096, 640 },
	{ "mesh", { "size=4x4x4" }, 64, 64, 416, 64 },
	{ "mesh", { "size=9x9" }, 81, 81, 450, 180 },
	{ "mesh", { "size=3x5", "hosts=2" }, 30, 15, 104, 72 },
	{ "mesh", { "size=8x8x8" }, 512, 512, 3712, 1024 },
	{ "dragonfly", { "a=4", "p=2", "h=2" }, 72, 36, 324, 71 },
	{ "dragonfly", { "a=8", "p=4", "h=4" }, 1056, 264, 5016, 1055 },
	{ "dragonfly", { "a=4", "p=2", "h=2", "groups=5" }, 40, 20, 180, 39 },
	{ "dragonfly", { "a=4", "p=1", "h=4", "groups=3" }, 12, 12, 108, 11 },
	{ "dragonfly", { "a=4", "p=2", "h=4", "groups=2" }, 16, 8, 88, 15 },
};

/* Without keeping a million paths. */
static uint32_t alltoall_duration(const struct liquid_fabric *fabric)
{
	uint32_t links = liquid_fabric_link_count(fabric), hosts = liquid_fabric_host_count(fabric);
	uint32_t *load = calloc(links, sizeof(*load)), path[LIQUID_PATH_MAX], longest = 0;

	for (uint32_t src = 0; src < hosts; src++)
		for (uint32_t dst = 0; dst < hosts; dst++)
			for (int n = liquid_fabric_route(fabric, src, dst, path, NULL); n > 0; n--)
				load[path[n - 1]]++;
	for (uint32_t l = 0; l < links; l++) {
		uint32_t capacity = liquid_fabric_link(fabric, l)->capacity;

		if ((load[l] + capacity - 1) / capacity > longest)
			longest = (load[l] + capacity - 1) / capacity;
	}
	free(load);
	return longest;
}

static void test_networks(void)
{
	for (size_t i = 0; i < sizeof(networks) / sizeof(networks[0]); i++) {
		size_t params = 0;
		struct liquid_fabric *fabric;

		while (params < 4 && networks[i].params[params])
			params++;
		fabric = make(networks[i].name, networks[i].params, params);
		ok(fabric && liquid_fabric_host_count(fabric) == networks[i].hosts &&
		   liquid_fabric_switch_count(fabric) == networks[i].switches &&
		   liquid_fabric_link_count(fabric) == networks[i].links,
		   "%s %s: hosts, switches, links", networks[i].name, networks[i].params[0]);
		ok(fabric && alltoall_duration(fabric) == networks[i].duration,
		   "%s %s: duration %u", networks[i].name, networks[i].params[0],
		   networks[i].duration);
		liquid_fabric_free(fabric);
	}
}

/* Hashed routes reach everyone, and are the same each time. */
static void test_hash(const char *name, const char *size)
{
	const char *params[] = { size, "routes=hash" };
	struct liquid_fabric *one = make(name, params, 2), *two = make(name, params, 2);
	char first[LIQUID_DIGEST_HEX] = "", again[LIQUID_DIGEST_HEX] = "-";
	struct paths paths;

	ok(one && collect(one, &paths), "%s %s routes=hash: every pair has a route", name, size);
	liquid_fabric_digest(one, first, NULL);
	liquid_fabric_digest(two, again, NULL);
	ok(!strcmp(first, again), "%s %s routes=hash: the same each time", name, size);
	free_paths(&paths);
	liquid_fabric_free(one);
	liquid_fabric_free(two);
}

static void test_refused(const char *name, const char *param, const char *reason)
{
	struct liquid_fabric *fabric;
	struct liquid_error err = { "" };
	int status = liquid_fabric_make(name, &param, 1, &fabric, &err);

	ok(status == LIQUID_BAD_INPUT && !fabric && strstr(err.text, reason), "%s %s: %s", name,
	   param, err.text);
}

int main(void)
{
	test_networks();
	test_hash("leaf-spine", "leaves=4");
	test_hash("fat-tree", "k=4");
	test_refused("moebius", "k=4", "no generator");
	test_refused("fat-tree", "k=5", "even");
	test_refused("fat-tree", "k=4294967300", "expected a number");
	test_refused("fat-tree", "leaves=4", "unknown parameter");
	test_refused("torus", "size=8y8", "expected up to 3 numbers");
	test_refused("torus", "size=1024x1024x1024", "more than");
	test_refused("torus", "ties=both", "plus balanced");
	test_refused("mesh", "size=8y8", "expected up to 3 numbers");
	test_refused("mesh", "ties=plus", "unknown parameter");
	test_refused("dragonfly", "p=0", "expected a number 1");
	test_refused("dragonfly", "groups=10", "expected a number 2 ... 9");
	test_papers();
	test_papers_paths();
	test_swiss_t1();
	return tap_exit();
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* The leader's fabric and solver. Other ranks need no memory for either. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "node/place.h"
#include "plan/agree.h"
#include "plan/planner.h"
#include "plan/prepared.h"
#include "plan/turns.h"

#define TRIES	20		/* to read a file that is being written, 50 ms apart */
#define TOKEN_BYTES	25000	/* what 100 Gb/s carry in 2 us, the time of a token */

struct planner {
	const char *path, *plan;
	bool clock;
	const host_name *names;		/* by rank */
	const struct map *map;
	struct liquid_fabric *fabric;
	uint64_t stamp;			/* of the file when it was read */
	uint32_t *host;			/* by node */
};

struct planner *planner_new(const char *path, const char *plan, bool clock)
{
	struct planner *planner = calloc(1, sizeof(*planner));

	if (planner) {
		planner->path = path;
		planner->plan = plan;
		planner->clock = clock;
	}
	return planner;
}

bool planner_take_map(struct planner *planner, const host_name *names, const struct map *map)
{
	planner->names = names;
	planner->map = map;
	planner->host = calloc(map->nodes, sizeof(*planner->host));
	return planner->host;
}

void planner_free(struct planner *planner)
{
	if (!planner)
		return;
	liquid_fabric_free(planner->fabric);
	free(planner->host);
	free(planner);
}

static uint64_t stamp_mix(uint64_t sum, uint64_t value)
{
	return (sum ^ value) * UINT64_C(0x9e3779b97f4a7c15) + (sum >> 29);
}

bool planner_is_prepared(const struct planner *planner)
{
	return planner->plan && planner->path && !planner->fabric && access(planner->path, R_OK) &&
	       !access(planner->plan, R_OK);
}

uint64_t planner_stamp(const struct planner *planner)
{
	const char *path = planner_is_prepared(planner) ? planner->plan : planner->path;
	struct stat file;
	uint64_t stamp;

	if (!path || stat(path, &file))
		return 0;
	stamp = stamp_mix(stamp_mix(file.st_ino, (uint64_t)file.st_size),
			  stamp_mix((uint64_t)file.st_mtim.tv_sec, (uint64_t)file.st_mtim.tv_nsec));
	return stamp ? stamp : 1;
}

uint64_t planner_rate(const struct planner *planner)
{
	return planner->fabric ? liquid_fabric_unit_rate(planner->fabric) : 0;
}

static int read_file(struct planner *planner, struct liquid_error *err)
{
	FILE *in = fopen(planner->path, "r");
	int status;

	if (!in)
		return liquid_fail(err, LIQUID_IO, "%s: %s", planner->path, strerror(errno));
	status = liquid_fabric_read(in, planner->path, &planner->fabric, err);
	fclose(in);
	return status;
}

/* Then it may not be complete. */
static bool is_being_written(const struct planner *planner)
{
	struct timespec now;
	struct stat file;

	clock_gettime(CLOCK_REALTIME, &now);
	return !stat(planner->path, &file) && llabs(now.tv_sec - file.st_mtim.tv_sec) <= 1;
}

static int fabric_get(struct planner *planner, struct liquid_error *err)
{
	const struct timespec nap = { 0, 50000000 };
	uint64_t stamp = planner_stamp(planner);
	int status;

	if (planner->fabric && stamp == planner->stamp)
		return CANNOT_NOTHING;
	liquid_fabric_free(planner->fabric);
	planner->fabric = NULL;
	if (!planner->path) {
		liquid_fail(err, LIQUID_IO, "LIQUID_FABRIC names no file");
		return CANNOT_FABRIC;
	}
	status = read_file(planner, err);
	for (int i = 0; status && i < TRIES && is_being_written(planner); i++) {
		nanosleep(&nap, NULL);
		stamp = planner_stamp(planner);
		status = read_file(planner, err);
	}
	planner->stamp = stamp;
	return status ? CANNOT_FABRIC : CANNOT_NOTHING;
}

static uint32_t host_find(const struct liquid_fabric *fabric, const char *place)
{
	host_name endpoint;

	place_endpoint(place, endpoint);
	return liquid_fabric_find_host(fabric, endpoint);
}

static int hosts_find(struct planner *planner, struct liquid_error *err)
{
	for (uint32_t i = 0; i < planner->map->nodes; i++) {
		const char *name = planner->names[map_driver(planner->map, i)];
		char text[PLACE_TEXT];

		planner->host[i] = host_find(planner->fabric, name);
		if (planner->host[i] != LIQUID_NONE)
			continue;
		place_tell(name, text);
		liquid_fail(err, LIQUID_BAD_INPUT, "%s does not have %s", planner->path, text);
		return CANNOT_HOST;
	}
	return CANNOT_NOTHING;
}

/* The matrix of nodes: the sums over their ranks, without what stays on a machine */
static uint64_t *sum_nodes(const struct map *map, const uint64_t *bytes)
{
	uint64_t *sum = calloc((size_t)map->nodes * map->nodes, sizeof(*sum));

	for (uint32_t i = 0; sum && i < map->ranks; i++)
		for (uint32_t k = 0; k < map->ranks; k++)
			if (!map_is_near(map, i, k))
				sum[(size_t)map->node[i] * map->nodes + map->node[k]] +=
					bytes ? bytes[(size_t)i * map->ranks + k] : 1;
	return sum;
}

/* @sized: @bytes are sizes of messages, not numbers of equal messages between nodes. */
static int planner_solve(const struct planner *planner, const uint64_t *bytes, bool sized,
			 struct liquid_plan **plan, struct liquid_error *err)
{
	struct liquid_plan_options options = {
		.host_of_rank = planner->host,
		.ranks = planner->map->nodes, .piece_bytes = sized ? TOKEN_BYTES : 0,
	};
	int status = liquid_plan_make_matrix(planner->fabric, bytes, &options, NULL, plan, err);

	return !status ? CANNOT_NOTHING :
	       status == LIQUID_NO_MEMORY ? CANNOT_MEMORY : CANNOT_PLAN;
}

/* A frame is as long as the bytes of a message take. */
int planner_check_rate(const struct planner *planner, uint64_t rate, struct liquid_error *err)
{
	if (!planner->clock || rate)
		return CANNOT_NOTHING;
	liquid_fail(err, LIQUID_BAD_INPUT, "%s: no unit_rate", planner->path);
	return CANNOT_RATE;
}

int planner_plan(struct planner *planner, const uint64_t *bytes, struct liquid_plan **plan,
		 struct liquid_error *err)
{
	uint64_t *sums = sum_nodes(planner->map, bytes);
	int cannot = sums ? CANNOT_NOTHING : CANNOT_MEMORY;

	*plan = NULL;
	if (!cannot)
		cannot = fabric_get(planner, err);
	if (!cannot)
		cannot = planner_check_rate(planner, planner_rate(planner), err);
	if (!cannot)
		cannot = hosts_find(planner, err);
	if (!cannot)
		cannot = planner_solve(planner, sums, bytes, plan, err);
	free(sums);
	return cannot;
}

/* ---- for the window shuffle ---- */

/* The switch behind the first link of a host; hosts have lower numbers than switches. */
static void find_switches(const struct planner *planner, uint32_t *sw)
{
	const struct liquid_fabric *fabric = planner->fabric;

	for (uint32_t i = 0; i < planner->map->nodes; i++)
		sw[i] = liquid_fabric_link(fabric,
					   liquid_fabric_host_out(fabric, planner->host[i]))->to;
}

/*
 * Add the bytes from the ranks of node @from to the ranks of node @to to the links of their path.
 */
static bool add_pair(const struct planner *planner, uint32_t from, uint32_t to, uint64_t *load)
{
	uint64_t pairs = (uint64_t)map_members(planner->map, from) * map_members(planner->map, to);
	uint32_t path[LIQUID_PATH_MAX];
	struct liquid_error err;
	int length = liquid_fabric_route(planner->fabric, planner->host[from], planner->host[to],
					 path, &err);

	for (int i = 0; i < length; i++)
		load[path[i]] += pairs;
	return length > 0;
}

/* The first link of a path is the host's own, which has no buffer of a switch. */
static double busiest(const struct planner *planner, const uint64_t *load)
{
	uint32_t hosts = liquid_fabric_host_count(planner->fabric);
	uint64_t most = 0;

	for (uint32_t i = 0; i < liquid_fabric_link_count(planner->fabric); i++)
		if (liquid_fabric_link(planner->fabric, i)->from >= hosts && load[i] > most)
			most = load[i];
	return (double)most / (double)(planner->map->ranks - 1);
}

/* False: a pair has no route. */
static bool find_load(const struct planner *planner, uint64_t *load, double *result)
{
	const struct map *map = planner->map;
	bool routed = true;

	for (uint32_t i = 0; i < map->nodes && routed; i++)
		for (uint32_t k = 0; k < map->nodes && routed; k++)
			routed = map->machine[i] == map->machine[k] ||
				 add_pair(planner, i, k, load);
	*result = busiest(planner, load);
	return routed;
}

/* False: the fabric does not contain it, or out of memory. */
static bool shuffle_by_fabric(struct planner *planner, uint32_t *sw, double *load)
{
	struct liquid_error err;
	uint64_t *loads;
	bool told;

	if (!planner->path || fabric_get(planner, &err) || hosts_find(planner, &err))
		return false;
	find_switches(planner, sw);
	loads = calloc((size_t)liquid_fabric_link_count(planner->fabric) + 1, sizeof(*loads));
	told = loads && find_load(planner, loads, load);
	free(loads);
	return told;
}

bool planner_shuffle(struct planner *planner, uint32_t *id, double *load, bool *by_fabric)
{
	uint32_t *sw = calloc(planner->map->nodes, sizeof(*sw));
	bool made;

	if (!sw)
		return false;
	*by_fabric = shuffle_by_fabric(planner, sw, load);
	if (!*by_fabric)
		*load = turns_load(planner->map);
	made = turns_ids(planner->map, *by_fabric ? sw : NULL, id);
	free(sw);
	return made;
}

/* The plan for one rail has that rail of each host, so ranks need no more than they ask for. */
static void find_prepared(const struct planner *planner, host_name *places, uint32_t ranks)
{
	struct prepared prepared;
	struct liquid_error err;

	if (prepared_read(&prepared, planner->plan, 0, &err))
		return;
	if (prepared.rail == RAIL_ALL)
		place_find(places, ranks, &(struct place_book){
			.name = prepared.node, .names = prepared.nodes,
		});
	prepared_clear(&prepared);
}

void planner_find_places(struct planner *planner, host_name *places, uint32_t ranks)
{
	struct place_book book = { 0 };
	struct liquid_error err;

	if (planner_is_prepared(planner)) {
		find_prepared(planner, places, ranks);
	} else if (!fabric_get(planner, &err)) {
		book.fabric = planner->fabric;
		place_find(places, ranks, &book);
	}
}

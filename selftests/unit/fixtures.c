// SPDX-License-Identifier: GPL-2.0-only
/* Fabrics and traffics for the tests of traffic, solver and verifier. */
#include <time.h>

#include "fabric/fabric.h"
#include "fixtures.h"
#include "schedule/schedule.h"

void must(int status, const struct liquid_error *err)
{
	if (status < 0) {
		printf("Bail out! %s\n", err->text);
		exit(1);
	}
}

void must_by(const char *method, int status, const struct liquid_error *err)
{
	if (status < 0) {
		printf("Bail out! method %s: %s\n", method ? method : "auto", err->text);
		exit(1);
	}
}

double cpu_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

FILE *file_of(const char *text, size_t size)
{
	FILE *file = size ? fmemopen((void *)(uintptr_t)text, size, "r") : fopen("/dev/null", "r");

	if (!file) {
		printf("Bail out! no file in memory\n");
		exit(1);
	}
	return file;
}

struct liquid_fabric *make_fabric(const char *name, const char *const *params, size_t count)
{
	struct liquid_fabric *fabric;
	struct liquid_error err;

	must(liquid_fabric_make(name, params, count, &fabric, &err), &err);
	return fabric;
}

struct liquid_fabric *begin_fabric(const char *name, uint32_t hosts, uint32_t switches)
{
	struct liquid_fabric *fabric;
	struct liquid_error err;
	char node[16];

	must(liquid_fabric_new(name, &fabric, &err), &err);
	for (uint32_t i = 0; i < hosts; i++) {
		snprintf(node, sizeof(node), "h%" PRIu32, i);
		must(liquid_fabric_add_host(fabric, node, &err), &err);
	}
	for (uint32_t i = 0; i < switches; i++) {
		snprintf(node, sizeof(node), "s%" PRIu32, i);
		must(liquid_fabric_add_switch(fabric, node, &err), &err);
	}
	return fabric;
}

void add_cable(struct liquid_fabric *fabric, uint32_t from, uint32_t to, uint32_t capacity)
{
	struct liquid_link link = { .from = from, .to = to, .capacity = capacity };
	struct liquid_error err;

	must(liquid_fabric_add_link(fabric, &link, &err), &err);
}

struct liquid_fabric *make_triangle(uint32_t capacity)
{
	static const char *const names[] = { "t1", "t2", "t3", "r1", "r2", "r3" };
	struct liquid_fabric *fabric;
	struct liquid_error err;

	must(liquid_fabric_new("triangle", &fabric, &err), &err);
	for (int i = 0; i < 6; i++)
		must(liquid_fabric_add_host(fabric, names[i], &err), &err);
	must(liquid_fabric_add_switch(fabric, "a", &err), &err);
	must(liquid_fabric_add_switch(fabric, "b", &err), &err);
	must(liquid_fabric_add_switch(fabric, "c", &err), &err);
	for (uint32_t i = 0; i < 3; i++) {
		add_cable(fabric, i, 6 + i, 1);			/* link 3 i: t to its switch */
		add_cable(fabric, 6 + i, 6 + (i + 1) % 3, capacity);	/* 3 i + 1: ring */
		/* 3 i + 2: to its receiver */
		add_cable(fabric, 6 + i, 3 + (i + 1) % 3, 1);
	}
	/* r1 hangs on c, r2 on a, r3 on b: two ring links from t1, t2, t3. */
	for (uint32_t sw = 0; sw < 3; sw++)
		for (uint32_t r = 0; r < 3; r++)
			must(liquid_fabric_set_forward(fabric, sw, 3 + r, r == (sw + 1) % 3 ?
						       3 * sw + 2 : 3 * sw + 1, &err), &err);
	must(liquid_fabric_finish(fabric, &err), &err);
	return fabric;
}

struct liquid_traffic *triangle_traffic(uint32_t count)
{
	struct liquid_traffic *traffic;
	struct liquid_error err;

	must(liquid_traffic_new(&traffic, &err), &err);
	for (uint32_t i = 0; i < 3; i++)
		must(liquid_traffic_add(traffic, i, 3 + i, count, &err), &err);
	return traffic;
}

struct liquid_fabric *make_dumbbell(uint32_t senders, uint32_t capacity, uint32_t cables)
{
	struct liquid_fabric *fabric;
	struct liquid_error err;
	char name[16];

	must(liquid_fabric_new("dumbbell", &fabric, &err), &err);
	for (uint32_t i = 0; i < 2 * senders; i++) {
		snprintf(name, sizeof(name), "%c%" PRIu32, i < senders ? 's' : 'r',
			 i % senders + 1);
		must(liquid_fabric_add_host(fabric, name, &err), &err);
	}
	must(liquid_fabric_add_switch(fabric, "b", &err), &err);
	must(liquid_fabric_add_switch(fabric, "a", &err), &err);
	for (uint32_t i = 0; i < senders; i++)
		add_cable(fabric, i, 2 * senders + 1, 1);		/* link i */
	for (uint32_t i = senders; i < 2 * senders; i++)
		add_cable(fabric, 2 * senders, i, 1);			/* link i, to r */
	for (uint32_t i = 0; i < cables; i++)
		add_cable(fabric, 2 * senders + 1, 2 * senders, capacity);
	for (uint32_t i = senders; i < 2 * senders; i++) {
		must(liquid_fabric_set_forward(fabric, 0, i, i, &err), &err);
		must(liquid_fabric_set_forward(fabric, 1, i, 2 * senders, &err), &err);
	}
	must(liquid_fabric_finish(fabric, &err), &err);
	return fabric;
}

struct liquid_traffic *all_routes(const struct liquid_fabric *fabric)
{
	uint32_t hosts = liquid_fabric_host_count(fabric), path[LIQUID_PATH_MAX];
	struct liquid_traffic *traffic;
	struct liquid_error err;

	must(liquid_traffic_new(&traffic, &err), &err);
	for (uint32_t src = 0; src < hosts; src++)
		for (uint32_t dst = 0; dst < hosts; dst++)
			if (src != dst && liquid_fabric_route(fabric, src, dst, path, NULL) > 0)
				must(liquid_traffic_add(traffic, src, dst, 1, &err), &err);
	return traffic;
}

struct liquid_traffic *make_stencil(uint32_t x, uint32_t y, uint32_t z)
{
	uint32_t step[] = { y * z, z, 1 }, size[] = { x, y, z };
	struct liquid_traffic *traffic;
	struct liquid_error err;

	must(liquid_traffic_new(&traffic, &err), &err);
	for (uint32_t i = 0; i < x * y * z; i++)
		for (int d = 0; d < 3; d++) {
			uint32_t at = i / step[d] % size[d], line = i - at * step[d];

			must(liquid_traffic_add(traffic, i, line + (at + 1) % size[d] * step[d], 1,
						&err), &err);
			must(liquid_traffic_add(traffic, i, line + (at + size[d] - 1) % size[d] *
						step[d], 1, &err), &err);
		}
	return traffic;
}

/* ---- random small fabrics ---- */

uint32_t roll(struct dice *dice, uint32_t sides)
{
	dice->state = dice->state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((dice->state >> 33) % sides);
}

#define RANDOM_SWITCHES_MAX 5

struct random_fabric {
	struct liquid_fabric *fabric;
	uint32_t hosts, switches;
	uint32_t at[16];		/* by host: its switch */
	uint32_t link[RANDOM_SWITCHES_MAX][RANDOM_SWITCHES_MAX];	/* or LIQUID_NONE */
};

static void link_switches(struct random_fabric *random, struct dice *dice, uint32_t capacity)
{
	uint32_t next = 2 * random->hosts, density = roll(dice, 2) ? 8 : 1000;

	memset(random->link, 0xff, sizeof(random->link));
	for (uint32_t a = 0; a < random->switches; a++)
		for (uint32_t b = 0; b < random->switches; b++) {
			/* A ring, so that all is reachable, and a few more. */
			if (a == b || (b != (a + 1) % random->switches && roll(dice, density)))
				continue;
			add_cable(random->fabric, random->hosts + a, random->hosts + b,
				  1 + roll(dice, capacity));
			random->link[a][b] = next++;
		}
}

/* By the distance to each destination's switch; a tie goes to a random neighbour. */
static void route_to(struct random_fabric *random, struct dice *dice, uint32_t dst)
{
	uint32_t distance[RANDOM_SWITCHES_MAX], goal = random->at[dst];
	struct liquid_error err;

	for (uint32_t i = 0; i < random->switches; i++)
		distance[i] = i == goal ? 0 : 100;
	for (uint32_t round = 0; round < random->switches; round++)
		for (uint32_t a = 0; a < random->switches; a++)
			for (uint32_t b = 0; b < random->switches; b++)
				if (random->link[a][b] != LIQUID_NONE &&
				    distance[b] + 1 < distance[a])
					distance[a] = distance[b] + 1;
	for (uint32_t a = 0; a < random->switches; a++) {
		uint32_t chosen = a == goal ? 2 * dst + 1 : LIQUID_NONE, ties = 0;

		for (uint32_t b = 0; a != goal && b < random->switches; b++)
			if (random->link[a][b] != LIQUID_NONE && distance[b] + 1 == distance[a] &&
			    !roll(dice, ++ties))
				chosen = random->link[a][b];
		must(liquid_fabric_set_forward(random->fabric, a, dst, chosen, &err), &err);
	}
}

struct liquid_fabric *as_version_2(struct liquid_fabric *fabric)
{
	struct liquid_error err;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	must(liquid_fabric_write(fabric, file, &err), &err);
	fclose(file);
	liquid_fabric_free(fabric);
	text[strlen("liquid-fabric ")] = '2';
	file = file_of(text, size);
	must(liquid_fabric_read(file, "text", &fabric, &err), &err);
	fclose(file);
	free(text);
	return fabric;
}

struct liquid_fabric *make_mixed(struct dice *dice, uint32_t hosts, uint32_t capacity,
				 uint32_t ends)
{
	struct random_fabric random = { .hosts = hosts };
	struct liquid_error err;

	random.switches = 3 + roll(dice, RANDOM_SWITCHES_MAX - 2);
	random.fabric = begin_fabric("random", hosts, random.switches);
	for (uint32_t i = 0; i < hosts; i++) {		/* host i: links 2 i (out), 2 i + 1 (in) */
		random.at[i] = roll(dice, random.switches);
		add_cable(random.fabric, i, hosts + random.at[i],
			  ends > 1 ? 1 + roll(dice, ends) : 1);
		add_cable(random.fabric, hosts + random.at[i], i,
			  ends > 1 ? 1 + roll(dice, ends) : 1);
	}
	link_switches(&random, dice, capacity);
	for (uint32_t dst = 0; dst < hosts; dst++)
		route_to(&random, dice, dst);
	must(liquid_fabric_finish(random.fabric, &err), &err);
	return ends > 1 ? as_version_2(random.fabric) : random.fabric;
}

struct liquid_fabric *make_random(struct dice *dice, uint32_t hosts, uint32_t capacity)
{
	return make_mixed(dice, hosts, capacity, 1);
}

struct liquid_traffic *random_traffic(struct dice *dice, uint32_t hosts, uint32_t transfers)
{
	bool permutation = roll(dice, 2);
	uint32_t shift = 1 + roll(dice, hosts - 1);
	struct liquid_traffic *traffic;
	struct liquid_error err;

	must(liquid_traffic_new(&traffic, &err), &err);
	for (uint32_t i = 0; i < transfers; i++) {
		uint32_t src = roll(dice, hosts), dst = roll(dice, hosts - 1);

		if (permutation && i >= hosts)
			break;
		if (permutation)
			must(liquid_traffic_add(traffic, i, (i + shift) % hosts, 1, &err), &err);
		else
			must(liquid_traffic_add(traffic, src, dst + (dst >= src), 1, &err), &err);
	}
	return traffic;
}

/* ---- the shortest length by trying everything: the frames of one transfer after another ---- */

struct brute {
	const struct liquid_fabric *fabric;
	uint32_t count, hosts;
	uint32_t steps[BRUTE_TRANSFERS_MAX], path[BRUTE_TRANSFERS_MAX][LIQUID_PATH_MAX];
	uint32_t *used;			/* by frame and link */
	uint32_t links;
};

static bool brute_place(struct brute *brute, uint32_t transfer, uint32_t frame, int way)
{
	bool fits = true;

	for (uint32_t i = 0; i < brute->steps[transfer]; i++) {
		uint32_t link = brute->path[transfer][i];
		const struct liquid_link *ends = liquid_fabric_link(brute->fabric, link);
		bool endpoint = (ends->from < brute->hosts || ends->to < brute->hosts) &&
			brute->fabric->version == 1;
		uint32_t *used = &brute->used[frame * brute->links + link];

		*used += way;
		fits &= *used <= (endpoint ? 1 : ends->capacity);
	}
	return fits;
}

static bool brute_fits(struct brute *brute, uint32_t transfer, uint32_t frames, uint32_t open)
{
	if (transfer == brute->count)
		return true;
	for (uint32_t frame = 0; frame < frames && frame <= open; frame++) {
		bool fits = brute_place(brute, transfer, frame, 1) &&
			brute_fits(brute, transfer + 1, frames, open + (frame == open));

		brute_place(brute, transfer, frame, -1);
		if (fits)
			return true;
	}
	return false;
}

uint32_t brute_length(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(traffic);
	struct brute brute = { .fabric = fabric, .links = liquid_fabric_link_count(fabric),
			       .hosts = liquid_fabric_host_count(fabric) };
	struct liquid_error err;
	uint32_t frames = 0;

	for (size_t i = 0; i < liquid_traffic_pair_count(traffic); i++)
		for (uint32_t j = 0; j < pairs[i].count; j++) {
			int steps = liquid_fabric_route(fabric, pairs[i].src, pairs[i].dst,
							brute.path[brute.count], &err);

			must(steps, &err);
			brute.steps[brute.count++] = (uint32_t)steps;
		}
	brute.used = calloc((size_t)brute.links * (brute.count + 1), sizeof(*brute.used));
	while (!brute_fits(&brute, 0, frames, 0))
		frames++;
	free(brute.used);
	return frames;
}

/* ---- schedules as text ---- */

char *json_of(const struct liquid_schedule *schedule, const struct liquid_fabric *fabric)
{
	struct liquid_error err;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	must(liquid_schedule_write_json(schedule, fabric, out, &err), &err);
	fclose(out);
	return text;
}

int read_text(const char *text, const struct liquid_fabric *fabric,
	      struct liquid_schedule **schedule, struct liquid_error *err)
{
	FILE *in = file_of(text, strlen(text));
	int status = liquid_schedule_read_json(in, "text", fabric, schedule, err);

	fclose(in);
	return status;
}

char *replaced(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	char *copy = NULL;

	if (!at || asprintf(&copy, "%.*s%s%s", (int)(at - text), text, to,
			    at + strlen(from)) < 0) {
		printf("Bail out! '%s' is not in the text\n", from);
		exit(1);
	}
	return copy;
}

struct liquid_schedule *solve(const struct liquid_fabric *fabric,
			      const struct liquid_traffic *traffic)
{
	struct liquid_schedule *schedule;
	struct liquid_error err;

	must(liquid_solve(fabric, traffic, NULL, &schedule, &err), &err);
	return schedule;
}

struct liquid_schedule *solve_small(const struct liquid_fabric *fabric,
				    const struct liquid_traffic *traffic)
{
	struct liquid_solve_options options = { .work = 20000000 };
	struct liquid_schedule *schedule;
	struct liquid_error err;

	must(liquid_solve(fabric, traffic, &options, &schedule, &err), &err);
	return schedule;
}

const struct liquid_schedule_info *info_of(const struct liquid_schedule *schedule)
{
	return liquid_schedule_info(schedule);
}

bool verifies(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
	      const struct liquid_schedule *schedule)
{
	struct liquid_error err;

	if (!liquid_verify(fabric, traffic, schedule, NULL, NULL, &err))
		return true;
	printf("# %s\n", err.text);
	return false;
}

struct liquid_schedule *listed_copy(const struct liquid_fabric *fabric,
				    const struct liquid_schedule *schedule)
{
	struct liquid_error err;
	struct liquid_schedule *list;
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	must(liquid_schedule_write_json(schedule, NULL, file, &err), &err);
	fclose(file);
	file = file_of(text, size);
	must(liquid_schedule_read_json(file, "file", fabric, &list, &err), &err);
	fclose(file);
	free(text);
	if (!schedule_as_list(list, fabric, &err))
		return list;
	liquid_schedule_free(list);
	return NULL;
}

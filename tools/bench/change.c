// SPDX-License-Identifier: GPL-2.0-only
/*
 * Solving after a loss, alternately from the earlier schedule and anew
 *
 * usage: change [-r RANDOM] [-n RUNS] [-w WORK] link|host GENERATOR [KEY=VALUE]...
 *
 * The all-to-all of a generated fabric is solved. Then a link between switches, or a host, is
 * lost, chosen at random with seed RANDOM. A forwarding entry stays if its route still reaches
 * the destination. Otherwise the switch sends to the neighbour with the shortest such route;
 * among several, the destination's number chooses one. The time is that of the whole
 * liquid_solve(), in CPU time of one thread. Both results are verified again.
 *
 * Prints one line: transfers, duration, length anew, length from the earlier schedule, transfers
 * kept, transfers moved, median seconds anew, median seconds from the earlier schedule.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "liquidsched.h"

#define RUNS_MAX 99

struct loss {
	struct liquid_solve_options options;
	uint64_t random;		/* state of splitmix64 */
	uint32_t runs, lost_link, lost_host;
	struct liquid_fabric *old, *new;
	uint32_t *new_link;		/* by link of the old fabric, or LIQUID_NONE */
	uint32_t *first, *out;		/* by node of the new fabric: outgoing links */
	/* By node of the new fabric, for one destination: links to it, and if its entry stays */
	uint32_t *distance, *keeps;
	double seconds[2][RUNS_MAX];	/* anew, from the earlier schedule */
	struct liquid_error err;
};

static void die(const struct loss *loss)
{
	fprintf(stderr, "change: %s\n", loss->err.text);
	exit(1);
}

static void *array(uint64_t count)
{
	void *words = calloc(count + 1, sizeof(uint32_t));

	if (!words)
		exit(1);
	return words;
}

static uint32_t draw(struct loss *loss, uint32_t bound)
{
	uint64_t z = loss->random += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (uint32_t)((((z ^ z >> 31) >> 32) * bound) >> 32);
}

/* Choose the link between switches, or the host, that is lost. */
static void choose(struct loss *loss, bool host)
{
	uint32_t hosts = liquid_fabric_host_count(loss->old);
	const struct liquid_link *link;

	loss->lost_link = loss->lost_host = LIQUID_NONE;
	if (host) {
		loss->lost_host = draw(loss, hosts);
		return;
	}
	do {
		loss->lost_link = draw(loss, liquid_fabric_link_count(loss->old));
		link = liquid_fabric_link(loss->old, loss->lost_link);
	} while (link->from < hosts || link->to < hosts);
}

/* New number of @node after the loss of the host. */
static uint32_t renumber(const struct loss *loss, uint32_t node)
{
	return node - (loss->lost_host != LIQUID_NONE && node > loss->lost_host);
}

static bool goes(const struct loss *loss, uint32_t number)
{
	const struct liquid_link *link = liquid_fabric_link(loss->old, number);

	return number == loss->lost_link || link->from == loss->lost_host ||
	       link->to == loss->lost_host;
}

static void copy_nodes(struct loss *loss)
{
	uint32_t hosts = liquid_fabric_host_count(loss->old);
	uint32_t nodes = hosts + liquid_fabric_switch_count(loss->old);

	if (liquid_fabric_new("less", &loss->new, &loss->err))
		die(loss);
	for (uint32_t i = 0; i < nodes; i++) {
		const char *name = liquid_fabric_node_name(loss->old, i);

		if (i != loss->lost_host && (i < hosts ?
		    liquid_fabric_add_host(loss->new, name, &loss->err) :
		    liquid_fabric_add_switch(loss->new, name, &loss->err)))
			die(loss);
	}
}

static void copy_links(struct loss *loss)
{
	uint32_t links = liquid_fabric_link_count(loss->old), count = 0;

	loss->new_link = array(links);
	for (uint32_t i = 0; i < links; i++) {
		struct liquid_link link = *liquid_fabric_link(loss->old, i);

		loss->new_link[i] = LIQUID_NONE;
		if (goes(loss, i))
			continue;
		link.from = renumber(loss, link.from);
		link.to = renumber(loss, link.to);
		if (liquid_fabric_add_link(loss->new, &link, &loss->err))
			die(loss);
		loss->new_link[i] = count++;
	}
}

static void index_links(struct loss *loss)
{
	uint32_t nodes = liquid_fabric_host_count(loss->new) +
			 liquid_fabric_switch_count(loss->new);
	uint32_t links = liquid_fabric_link_count(loss->new);

	loss->first = array(nodes + 1);
	loss->out = array(links);
	loss->distance = array(nodes);
	loss->keeps = array(nodes);
	for (uint32_t i = 0; i < links; i++)
		loss->first[liquid_fabric_link(loss->new, i)->from + 1]++;
	for (uint32_t node = 0; node < nodes; node++)
		loss->first[node + 1] += loss->first[node];
	for (uint32_t i = 0; i < links; i++)
		loss->out[loss->first[liquid_fabric_link(loss->new, i)->from]++] = i;
	for (uint32_t node = nodes; node; node--)
		loss->first[node] = loss->first[node - 1];
	loss->first[0] = 0;
}

/* Number of links from switch @sw to host @dst by the old tables; LIQUID_NONE: broken. */
static uint32_t old_way(const struct loss *loss, uint32_t sw, uint32_t dst)
{
	uint32_t hosts = liquid_fabric_host_count(loss->old), at = hosts + sw, steps = 0;

	while (at != dst && steps < LIQUID_PATH_MAX) {
		uint32_t link = at < hosts ? LIQUID_NONE :
				liquid_fabric_forward(loss->old, at - hosts, dst);

		if (link == LIQUID_NONE || loss->new_link[link] == LIQUID_NONE)
			return LIQUID_NONE;
		at = liquid_fabric_link(loss->old, link)->to;
		steps++;
	}
	return at == dst ? steps : LIQUID_NONE;
}

/* Update the distance of a switch whose route is broken; true if it changed. */
static bool mend(struct loss *loss, uint32_t node)
{
	bool news = false;

	for (uint32_t i = loss->first[node]; i < loss->first[node + 1]; i++) {
		uint32_t to = liquid_fabric_link(loss->new, loss->out[i])->to;

		if (loss->distance[to] < loss->distance[node] - 1) {
			loss->distance[node] = loss->distance[to] + 1;
			news = true;
		}
	}
	return news;
}

static void measure(struct loss *loss, uint32_t old_dst, uint32_t dst)
{
	uint32_t hosts = liquid_fabric_host_count(loss->new);
	uint32_t nodes = hosts + liquid_fabric_switch_count(loss->new);
	bool news = true;

	memset(loss->distance, 0xff, nodes * sizeof(*loss->distance));
	loss->distance[dst] = 0;
	for (uint32_t node = hosts; node < nodes; node++) {
		loss->distance[node] = old_way(loss, node - hosts, old_dst);
		loss->keeps[node] = loss->distance[node] != LIQUID_NONE;
	}
	while (news) {
		news = false;
		for (uint32_t node = hosts; node < nodes; node++)
			news |= !loss->keeps[node] && mend(loss, node);
	}
}

/* Of the links from @node to its nearest neighbours, choose one by @turn. */
static uint32_t nearest(const struct loss *loss, uint32_t node, uint32_t turn)
{
	uint32_t good = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = loss->first[node]; i < loss->first[node + 1]; i++) {
			uint32_t to = liquid_fabric_link(loss->new, loss->out[i])->to;

			if (loss->distance[to] == LIQUID_NONE ||
			    loss->distance[to] + 1 != loss->distance[node])
				continue;
			if (pass && !turn--)
				return loss->out[i];
			good += !pass;
		}
		if (!good)
			return LIQUID_NONE;
		turn %= pass ? 1 : good;
	}
	return LIQUID_NONE;
}

static void route(struct loss *loss)
{
	uint32_t hosts = liquid_fabric_host_count(loss->new);
	uint32_t switches = liquid_fabric_switch_count(loss->new);

	for (uint32_t dst = 0; dst < hosts; dst++) {
		uint32_t old_dst = dst + (dst >= loss->lost_host);

		measure(loss, old_dst, dst);
		for (uint32_t sw = 0; sw < switches; sw++) {
			uint32_t link = loss->keeps[hosts + sw] ?
				loss->new_link[liquid_fabric_forward(loss->old, sw, old_dst)] :
				nearest(loss, hosts + sw, dst);

			if (link != LIQUID_NONE &&
			    liquid_fabric_set_forward(loss->new, sw, dst, link, &loss->err))
				die(loss);
		}
	}
	if (liquid_fabric_finish(loss->new, &loss->err))
		die(loss);
}

static struct liquid_traffic *alltoall(struct loss *loss, const struct liquid_fabric *fabric)
{
	struct liquid_traffic *traffic;

	if (liquid_traffic_alltoall(NULL, liquid_fabric_host_count(fabric), &traffic, &loss->err))
		die(loss);
	return traffic;
}

static struct liquid_schedule *solve(struct loss *loss, const struct liquid_fabric *fabric,
				     const struct liquid_traffic *traffic,
				     const struct liquid_schedule *from, double *seconds)
{
	struct liquid_schedule *schedule;
	struct timespec begin, end;

	loss->options.from = from;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
	if (liquid_solve(fabric, traffic, &loss->options, &schedule, &loss->err))
		die(loss);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	*seconds = (double)(end.tv_sec - begin.tv_sec) +
		   1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
	if (liquid_verify(fabric, traffic, schedule, NULL, NULL, &loss->err))
		die(loss);
	return schedule;
}

/* Write and read the schedule without a fabric, so that its hosts have names for the new fabric. */
static struct liquid_schedule *as_read(struct loss *loss, const struct liquid_schedule *schedule)
{
	struct liquid_schedule *read;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file || liquid_schedule_write_json(schedule, loss->old, file, &loss->err) ||
	    fclose(file))
		die(loss);
	file = fmemopen(text, size, "r");
	if (!file || liquid_schedule_read_json(file, "before", NULL, &read, &loss->err))
		die(loss);
	fclose(file);
	free(text);
	return read;
}

static int compare_seconds(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return left < right ? -1 : left > right;
}

static double median(double *seconds, uint32_t count)
{
	qsort(seconds, count, sizeof(*seconds), compare_seconds);
	return seconds[count / 2];
}

static void compare(struct loss *loss, const struct liquid_schedule *before)
{
	struct liquid_traffic *traffic = alltoall(loss, loss->new);
	struct liquid_schedule *anew = NULL, *from = NULL;
	const struct liquid_schedule_info *info;
	struct liquid_change change = { 0 };

	for (uint32_t run = 0; run < loss->runs; run++) {
		liquid_schedule_free(anew);
		liquid_schedule_free(from);
		anew = solve(loss, loss->new, traffic, NULL, &loss->seconds[0][run]);
		from = solve(loss, loss->new, traffic, before, &loss->seconds[1][run]);
	}
	info = liquid_schedule_info(from);
	if (liquid_schedule_compare(before, from, &change, NULL, NULL, &loss->err))
		die(loss);
	printf("%llu,%u,%u,%u,%llu,%llu,%.4f,%.4f\n", (unsigned long long)info->transfers,
	       info->duration, liquid_schedule_info(anew)->length, info->length,
	       (unsigned long long)change.kept, (unsigned long long)change.moved,
	       median(loss->seconds[0], loss->runs), median(loss->seconds[1], loss->runs));
	liquid_schedule_free(anew);
	liquid_schedule_free(from);
	liquid_traffic_free(traffic);
}

static int usage(void)
{
	fputs("usage: change [-r RANDOM] [-n RUNS] [-w WORK] link|host GENERATOR [KEY=VALUE]...\n",
	      stderr);
	return 2;
}

static bool parse(struct loss *loss, int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "+r:n:w:")) != -1) {
		unsigned long long number = option == '?' ? 0 : strtoull(optarg, NULL, 10);

		switch (option) {
		case 'r': loss->random = number; break;
		case 'n': loss->runs = (uint32_t)number; break;
		case 'w': loss->options.work = number; break;
		default: return false;
		}
	}
	return optind + 1 < argc && loss->runs >= 1 && loss->runs <= RUNS_MAX &&
	       (!strcmp(argv[optind], "link") || !strcmp(argv[optind], "host"));
}

int main(int argc, char **argv)
{
	static struct loss loss = { .random = 1, .runs = 1 };
	struct liquid_schedule *schedule, *before;
	struct liquid_traffic *traffic;
	double seconds;

	if (!parse(&loss, argc, argv))
		return usage();
	if (liquid_fabric_make(argv[optind + 1], (const char *const *)argv + optind + 2,
			       (size_t)(argc - optind - 2), &loss.old, &loss.err))
		die(&loss);
	traffic = alltoall(&loss, loss.old);
	schedule = solve(&loss, loss.old, traffic, NULL, &seconds);
	before = as_read(&loss, schedule);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	choose(&loss, !strcmp(argv[optind], "host"));
	copy_nodes(&loss);
	copy_links(&loss);
	index_links(&loss);
	route(&loss);
	compare(&loss, before);
	liquid_schedule_free(before);
	liquid_fabric_free(loss.old);
	liquid_fabric_free(loss.new);
	free(loss.new_link);
	free(loss.first);
	free(loss.out);
	free(loss.distance);
	free(loss.keeps);
	return 0;
}

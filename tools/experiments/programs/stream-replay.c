// SPDX-License-Identifier: GPL-2.0-only
/*
 * stream-replay: sender, receiver and code of stream without a network
 *
 * usage: stream-replay WAYS BLOCKS BLOCK_NS overlap|alone WHOLE_NS LASTING_NS TIMES SEED LINK...
 *
 * The same failures as of `stream-run clock`, and the same programs at both ends, but the time is a
 * number, and a packet takes a fixed time for each link of its way, or is lost if one is down when
 * it sets out. What the replay leaves out: queues, and the time that it takes to set a link down.
 *
 * WAYS has a line "WEIGHT LINK..." for each way. Prints what the three commands of stream-run
 * print, and how many packets were lost.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "stream.h"

#define LINK_NS 30000			/* 246 bytes at 100 Mbit/s, and 10 us */
#define FLIGHTS 1024			/* packets on a way at a time */
#define LINKS_MAX 64
#define STACK (1 << 20)

enum end { SENDER, RECEIVER };

struct flight {
	uint64_t at;			/* arrival */
	uint32_t size;
	union {
		struct packet packet;
		struct report report;
	};
};

/* What is under way to one end, in the order of arrival */
struct pipe {
	struct flight flight[FLIGHTS];
	uint32_t first, count;
};

struct route {
	char link[LINKS_MAX][16];
	uint32_t links, down;		/* links; those that are down */
	struct pipe to[2];
};

static struct route routes[WAYS_MAX];
static struct ways ways;
static uint64_t now, lost;
static const struct event *events;
static uint32_t event_count, next_event;

static ucontext_t context[2];
static enum end running;
static uint64_t until[2];		/* what an end waits for, if no packet comes before */

/* ---- failures ---- */

static void take_event(const struct event *event)
{
	for (uint32_t w = 0; w < ways.count; w++)
		for (uint32_t i = 0; i < routes[w].links; i++)
			if (!strcmp(routes[w].link[i], event->link))
				routes[w].down += event->down ? 1 : -1u;
	printf("%s %s %" PRIu64 " %" PRIu64 "\n", event->down ? "down" : "up", event->link,
	       event->at, event->at);
}

static void set_time(uint64_t time)
{
	now = time;
	for (; next_event < event_count && events[next_event].at <= now; next_event++)
		take_event(&events[next_event]);
}

/* ---- what the ends call ---- */

uint64_t now_ns(void)
{
	return now;
}

void send_on(const struct way *way, const void *data, uint32_t size)
{
	struct route *route = &routes[way - ways.way];
	struct pipe *pipe = &route->to[!running];
	struct flight *flight = &pipe->flight[(pipe->first + pipe->count) % FLIGHTS];

	if (route->down) {
		lost++;
		return;
	}
	if (pipe->count == FLIGHTS)
		die("too many packets on a way");
	pipe->count++;
	/* two links more, of the hosts */
	flight->at = now + (route->links + 2) * LINK_NS;
	flight->size = size;
	memcpy(&flight->packet, data, size);
}

/* The first packet under way to @end; NULL: none */
static struct pipe *first_pipe(enum end end)
{
	struct pipe *found = NULL;

	for (uint32_t w = 0; w < ways.count; w++) {
		struct pipe *pipe = &routes[w].to[end];

		if (pipe->count && (!found || pipe->flight[pipe->first].at <
					      found->flight[found->first].at))
			found = pipe;
	}
	return found;
}

/* When the end goes on */
static uint64_t wake_of(enum end end)
{
	const struct pipe *pipe = first_pipe(end);

	if (pipe && pipe->flight[pipe->first].at < until[end])
		return pipe->flight[pipe->first].at;
	return until[end];
}

static bool take_flight(struct packet *packet, uint32_t *way)
{
	struct pipe *pipe = first_pipe(running);
	struct flight *flight;

	if (!pipe || pipe->flight[pipe->first].at > now)
		return false;
	flight = &pipe->flight[pipe->first];
	memcpy(packet, &flight->packet, flight->size);
	pipe->first = (pipe->first + 1) % FLIGHTS;
	pipe->count--;
	for (*way = 0; pipe != &routes[*way].to[running];)
		++*way;
	return true;
}

/* Let the other end go on, if that is earlier. */
static void give_way(void)
{
	enum end own = running;

	if (wake_of(!own) > wake_of(own)) {
		set_time(wake_of(own));
		return;
	}
	if (wake_of(!own) > now)
		set_time(wake_of(!own));
	running = !own;
	swapcontext(&context[own], &context[running]);
}

bool wait_packet(const struct ways *unused, uint64_t time, struct packet *packet, uint32_t *way)
{
	(void)unused;
	for (;;) {
		if (take_flight(packet, way))
			return true;
		if (time <= now)
			return false;
		until[running] = time;
		give_way();
	}
}

/* ---- the run ---- */

static int received;

static void receive(void)
{
	received = run_receive(&ways);
	until[RECEIVER] = UINT64_MAX;
	running = SENDER;
}

static void read_routes(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[1024], *word;

	if (!file)
		die(path);
	while (fgets(line, sizeof(line), file)) {
		struct route *route = &routes[ways.count];

		word = strtok(line, " \n");
		if (!word || ways.count == WAYS_MAX)
			die(path);
		ways.way[ways.count++].weight = strtod(word, NULL);
		while ((word = strtok(NULL, " \n")) && route->links < LINKS_MAX)
			snprintf(route->link[route->links++], sizeof(route->link[0]), "%s", word);
	}
	fclose(file);
}

static void begin_receiver(void)
{
	char *stack = malloc(STACK);

	if (!stack || getcontext(&context[RECEIVER]))
		die("context");
	context[RECEIVER].uc_stack.ss_sp = stack;
	context[RECEIVER].uc_stack.ss_size = STACK;
	context[RECEIVER].uc_link = &context[SENDER];
	makecontext(&context[RECEIVER], receive, 0);
}

int main(int argc, char **argv)
{
	if (argc < 10) {
		fputs("usage: stream-replay WAYS BLOCKS BLOCK_NS overlap|alone WHOLE_NS "
		      "LASTING_NS TIMES SEED LINK...\n", stderr);
		return 2;
	}
	code_begin();
	read_routes(argv[1]);
	event_count = plan_failures(argv + 4, &events);
	begin_receiver();
	run_send(&ways, (uint32_t)number_of(argv[2]), number_of(argv[3]));
	until[SENDER] = UINT64_MAX;
	while (until[RECEIVER] != UINT64_MAX) {
		for (uint32_t w = 0; w < ways.count; w++)
			routes[w].to[SENDER].count = 0;
		give_way();
	}
	printf("replay lost=%" PRIu64 "\n", lost);
	free(context[RECEIVER].uc_stack.ss_sp);
	return received;
}

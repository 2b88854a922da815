// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Wormhole: a header takes the links of its path one by one and keeps them while it waits
 *
 * A port has one worm at a time, so the port's number is also that of the worm.
 */
#include <stdlib.h>

#include "simulate/simulate.h"

/* A lane that a worm holds, in the list of the link's holders */
struct hop {
	uint32_t link;
	uint32_t next, previous;	/* hops, or LIQUID_NONE */
};

struct worm {
	struct sim_unit unit;
	uint32_t links, held;		/* number of links: of its path; that it holds */
	uint64_t asked;			/* start of its wait, ns */
	uint32_t waits_for;		/* a link, or LIQUID_NONE */
	uint32_t behind;		/* next worm that waits for that link */
	uint64_t stamp;			/* number of the last search for deadlocks that came by */
};

struct worm_link {
	uint32_t lanes;			/* number of free lanes */
	uint32_t holders;		/* first of its hops */
	uint32_t first, last;		/* worms that wait for it */
};

struct sim_worms {
	struct worm *worm;		/* by port */
	struct hop *hop;		/* by port and place in the path */
	struct worm_link *link;
	uint32_t *stack;
	uint32_t ports, links;
	uint64_t stamp;
};

static void close_worms(struct sim *sim)
{
	if (!sim->worms)
		return;
	free(sim->worms->worm);
	free(sim->worms->hop);
	free(sim->worms->link);
	free(sim->worms->stack);
	free(sim->worms);
	sim->worms = NULL;
}

static int open_worms(struct sim *sim, struct liquid_error *err)
{
	struct sim_worms *worms = calloc(1, sizeof(*worms));

	if (!worms)
		return liquid_no_memory(err);
	sim->worms = worms;
	worms->ports = sim->ports;
	worms->links = liquid_fabric_link_count(sim->fabric);
	worms->worm = calloc(worms->ports, sizeof(*worms->worm));
	worms->hop = calloc((size_t)worms->ports * sim->hops + 1, sizeof(*worms->hop));
	worms->link = calloc((size_t)worms->links + 1, sizeof(*worms->link));
	worms->stack = calloc(worms->ports, sizeof(*worms->stack));
	if (!worms->worm || !worms->hop || !worms->link || !worms->stack)
		return liquid_no_memory(err);
	for (uint32_t link = 0; link < worms->links; link++)
		worms->link[link] = (struct worm_link){
			liquid_fabric_capacity(sim->fabric, link), LIQUID_NONE, LIQUID_NONE,
			LIQUID_NONE };
	for (uint32_t port = 0; port < worms->ports; port++)
		worms->worm[port].waits_for = LIQUID_NONE;
	return LIQUID_OK;
}

static uint64_t worms_memory(const struct sim *sim)
{
	const struct sim_worms *worms = sim->worms;

	return worms->ports * (sizeof(*worms->worm) + sizeof(*worms->stack) +
			       (uint64_t)sim->hops * sizeof(*worms->hop)) +
		worms->links * sizeof(*worms->link);
}

/* ---- lanes ---- */

static void take_lane(struct sim *sim, uint32_t port)
{
	struct worm *worm = &sim->worms->worm[port];
	uint32_t at = port * sim->hops + worm->held++;
	struct hop *hop = &sim->worms->hop[at];
	struct worm_link *link = &sim->worms->link[hop->link];

	link->lanes--;
	hop->next = link->holders;
	hop->previous = LIQUID_NONE;
	if (hop->next != LIQUID_NONE)
		sim->worms->hop[hop->next].previous = at;
	link->holders = at;
}

static void leave_lane(struct sim *sim, struct hop *hop)
{
	struct worm_link *link = &sim->worms->link[hop->link];

	if (hop->previous == LIQUID_NONE)
		link->holders = hop->next;
	else
		sim->worms->hop[hop->previous].next = hop->next;
	if (hop->next != LIQUID_NONE)
		sim->worms->hop[hop->next].previous = hop->previous;
	link->lanes++;
}

/* ---- a worm's path ---- */

static void put_worm_event(struct sim *sim, enum sim_kind kind, uint32_t port, uint64_t time)
{
	struct sim_event event = { .time = time, .kind = kind, .a = port };

	event.order = kind == SIM_END ? sim_ends(&sim->queue) : sim_asks(&sim->queue, port);
	sim_queue_put(&sim->queue, &event);
}

/* It has all its links. */
static void flow(struct sim *sim, uint32_t port)
{
	struct worm *worm = &sim->worms->worm[port];
	uint64_t way = (worm->links - 1) * sim->options.hop_ns;

	if (sim->sender->refit)
		sim->sender->refit(sim, port, sim->now - way, &worm->unit);
	put_worm_event(sim, SIM_END, port, sim->now + way +
		       sim_serialise(sim, worm->unit.wire));
}

/* It got a lane: it asks for the next link, or its bytes flow. */
static void go_on(struct sim *sim, uint32_t port)
{
	const struct worm *worm = &sim->worms->worm[port];

	if (worm->held == worm->links)
		flow(sim, port);
	else
		put_worm_event(sim, SIM_ASK, port, sim->now + sim->options.hop_ns);
}

static void waited(struct sim *sim, uint32_t port)
{
	const struct worm *worm = &sim->worms->worm[port];
	const struct hop *hop = &sim->worms->hop[(size_t)port * sim->hops];

	sim_waited(sim, port, worm->asked, true);
	for (uint32_t i = 0; i < worm->held; i++)
		sim->result->link[hop[i].link].blocked_ns += sim->now - worm->asked;
}

/* A lane of @l is free: the worm that has waited longest gets it. */
static void grant(struct sim *sim, uint32_t l)
{
	struct worm_link *link = &sim->worms->link[l];
	uint32_t port = link->first;
	struct worm *worm;

	if (port == LIQUID_NONE || !link->lanes)
		return;
	worm = &sim->worms->worm[port];
	link->first = worm->behind;
	if (link->first == LIQUID_NONE)
		link->last = LIQUID_NONE;
	waited(sim, port);
	worm->waits_for = LIQUID_NONE;
	take_lane(sim, port);
	go_on(sim, port);
}

static void give_back(struct sim *sim, uint32_t port)
{
	struct worm *worm = &sim->worms->worm[port];
	struct hop *hop = &sim->worms->hop[(size_t)port * sim->hops];

	for (uint32_t i = 0; i < worm->held; i++) {
		leave_lane(sim, &hop[i]);
		grant(sim, hop[i].link);
	}
	worm->held = 0;
}

/* ---- who waits for whom ---- */

/* Would @port, which must wait for @l, wait for ever? */
static bool is_deadlock(struct sim *sim, uint32_t port, uint32_t l)
{
	struct sim_worms *worms = sim->worms;
	uint32_t depth = 0;

	worms->stamp++;
	worms->worm[port].stamp = worms->stamp;
	for (;;) {
		for (uint32_t at = worms->link[l].holders; at != LIQUID_NONE;
		     at = worms->hop[at].next) {
			struct worm *holder = &worms->worm[at / sim->hops];

			if (holder->stamp == worms->stamp)
				continue;
			if (holder->waits_for == LIQUID_NONE)
				return false;
			holder->stamp = worms->stamp;
			worms->stack[depth++] = at / sim->hops;
		}
		if (!depth)
			return true;
		l = worms->worm[worms->stack[--depth]].waits_for;
	}
}

static void drop_worm(struct sim *sim, uint32_t port, uint32_t link)
{
	struct worm *worm = &sim->worms->worm[port];
	struct sim_unit unit = worm->unit;

	sim->result->shown.deadlocks++;
	give_back(sim, port);
	sim_dropped(sim, port, LIQUID_SIM_DEADLOCK, link, unit.packets, unit.payload);
	sim_free_port(sim, port);
}

static void wait_for(struct sim *sim, uint32_t port, uint32_t l)
{
	struct sim_worms *worms = sim->worms;
	struct worm_link *link = &worms->link[l];
	struct worm *worm = &worms->worm[port];

	worm->waits_for = l;
	worm->asked = sim->now;
	worm->behind = LIQUID_NONE;
	if (link->last == LIQUID_NONE)
		link->first = port;
	else
		worms->worm[link->last].behind = port;
	link->last = port;
}

static void ask(struct sim *sim, uint32_t port)
{
	const struct worm *worm = &sim->worms->worm[port];
	uint32_t l = sim->worms->hop[port * sim->hops + worm->held].link;
	struct worm_link *link = &sim->worms->link[l];

	if (link->lanes && link->first == LIQUID_NONE) {
		take_lane(sim, port);
		go_on(sim, port);
		return;
	}
	sim_waits(sim, port, l);
	if (is_deadlock(sim, port, l))
		drop_worm(sim, port, l);
	else
		wait_for(sim, port, l);
}

static void end(struct sim *sim, uint32_t port)
{
	struct worm *worm = &sim->worms->worm[port];
	const struct hop *hop = &sim->worms->hop[(size_t)port * sim->hops];
	uint64_t busy = sim_serialise(sim, worm->unit.wire) +
		(worm->links - 1) * sim->options.hop_ns;

	for (uint32_t i = 0; i < worm->links; i++) {
		sim->result->link[hop[i].link].bytes += worm->unit.wire;
		sim->result->link[hop[i].link].busy_ns += busy;
	}
	give_back(sim, port);
	sim_ended(sim, port, worm->unit.frame_end);
	sim_delivered(sim, port, worm->unit.dst, worm->unit.packets, worm->unit.payload,
		      worm->links);
	sim_free_port(sim, port);
}

static void inject(struct sim *sim, uint32_t port, const struct sim_unit *unit)
{
	struct worm *worm = &sim->worms->worm[port];
	struct hop *hop = &sim->worms->hop[(size_t)port * sim->hops];
	uint32_t link = liquid_fabric_host_out(sim->fabric, sim->host_of[port]);

	worm->unit = *unit;
	worm->links = 0;
	for (;;) {
		hop[worm->links++].link = link;
		if (link == liquid_fabric_host_in(sim->fabric, unit->dst))
			break;
		link = sim_next_link(sim, link, unit->dst);
	}
	sim_host(sim, port)->worms++;
	ask(sim, port);
}

static void worm_event(struct sim *sim, const struct sim_event *event)
{
	if (event->kind == SIM_ASK)
		ask(sim, event->a);
	else
		end(sim, event->a);
}

const struct sim_switching_ops sim_wormhole = {
	.open = open_worms,
	.close = close_worms,
	.inject = inject,
	.event = worm_event,
	.memory = worms_memory,
};

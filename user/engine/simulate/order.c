// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Senders that follow an order: message by message, or in turns
 *
 * Each sender has a sequence of pairs. By message (round-robin, random), it starts the next message
 * when the previous one has arrived. In turns (all at once, shuffle), it goes through the sequence
 * again and again, one unit of each pair at a time, until nothing is left; all at once, a
 * window has a part of the sequence, and the next message for one that has been sent. A host that
 * sends several transfers at once has that many senders, which share its sequence.
 */
#include <stdlib.h>
#include <string.h>

#include "simulate/shuffle.h"
#include "simulate/simulate.h"

struct sender {
	uint32_t first, count;		/* its part of the sequence */
	uint32_t at;			/* place of the message; in turns: of the last unit */
	uint32_t pairs_left;		/* in turns: pairs with something left in this cycle */
	uint32_t begun;			/* in turns: places that have or had turns */
	uint64_t left;			/* unsent bytes of the message */
	uint64_t outstanding;		/* packets under way */
	uint64_t cycle;
	uint64_t starts;		/* by message: start of the next one, ns; 0: not drawn */
};

struct sim_order {
	struct sender *sender;		/* by port */
	uint32_t *sequence;		/* pairs */
	uint64_t *left;			/* in turns, by place: unsent bytes */
	uint32_t *after;		/* in turns, by place: the next one with something left */
	uint64_t places;
	uint64_t window;		/* packets */
	uint64_t messages;		/* in turns: messages that have turns at a time */
	bool worms;			/* a unit is a worm */
};

static bool is_shuffle(const struct sim *sim)
{
	return sim->options.order == LIQUID_SIM_SHUFFLE_XOR ||
	       sim->options.order == LIQUID_SIM_SHUFFLE_ROTATION;
}

/* ---- by message ---- */

static void draw_sequence(struct sim *sim, uint32_t port)
{
	const struct sender *sender = &sim->order->sender[port];
	uint32_t *sequence = sim->order->sequence + sender->first;

	for (uint32_t i = sender->count; i > 1; i--) {
		uint32_t other = random_below(&sim->random[port], i), pair = sequence[i - 1];

		sequence[i - 1] = sequence[other];
		sequence[other] = pair;
	}
}

/* Choose the next message and its start. False: there is none. */
static bool next_message(struct sim *sim, uint32_t port)
{
	struct sender *sender = &sim->order->sender[port];

	if (sender->starts)
		return true;
	if (sender->at == sender->count) {
		if (++sender->cycle >= sim->options.cycles)
			return false;
		sender->at = 0;
	}
	if (!sender->at && sim->options.order == LIQUID_SIM_RANDOM)
		draw_sequence(sim, port);
	sender->starts = sim->now + sim_jitter(sim, port);
	return true;
}

static bool next_by_message(struct sim *sim, uint32_t port, struct sim_unit *unit)
{
	struct sender *sender = &sim->order->sender[port];

	if (!sender->left) {
		if (sender->outstanding || sender->cycle >= sim->options.cycles ||
		    !next_message(sim, port))
			return false;
		if (sender->starts > sim->now) {
			sim_wake_at(sim, port, sender->starts);
			return false;
		}
		sender->starts = 0;
		sender->left = sim->options.message_bytes;
		sender->at++;
	}
	sim_cut(sim, sender->left, sim->order->worms, unit);
	unit->pair = sim->order->sequence[sender->first + sender->at - 1];
	unit->dst = sim->pairs[unit->pair].dst;
	sender->left -= unit->payload;
	sender->outstanding += unit->packets;
	return true;
}

/* ---- in turns ---- */

/* All messages of a cycle are ready at once. */
static void fill(struct sim *sim, struct sender *sender)
{
	struct sim_order *order = sim->order;
	uint32_t begun = sender->count < order->messages ? sender->count :
		(uint32_t)order->messages;

	for (uint32_t i = 0; i < sender->count; i++) {
		uint32_t place = sender->first + i;

		order->left[place] = sim->pairs[order->sequence[place]].count *
			sim->options.message_bytes;
		order->after[place] = sender->first + (i + 1) % begun;
	}
	sender->at = sender->first + begun - 1;
	sender->begun = begun;
	sender->pairs_left = sender->count;
}

static bool has_turn(struct sim *sim, struct sender *sender)
{
	if (!sender->pairs_left && !sender->outstanding && sender->count &&
	    sender->cycle + 1 < sim->options.cycles) {
		sender->cycle++;
		fill(sim, sender);
	}
	return sender->pairs_left && sender->outstanding < sim->order->window;
}

/* Place @place has nothing left: the next message that has not begun has its turns. */
static void end_turns(struct sim_order *order, struct sender *sender, uint32_t place)
{
	uint32_t next = order->after[place];

	if (sender->begun < sender->count) {
		uint32_t fresh = sender->first + sender->begun++;

		order->after[fresh] = next == place ? fresh : next;
		next = fresh;
	}
	order->after[sender->at] = next;
	sender->pairs_left--;
}

static void count_under_way(struct sim *sim, uint64_t outstanding)
{
	struct liquid_sim_result *shown = &sim->result->shown;

	if (is_shuffle(sim) && outstanding > shown->under_way_most)
		shown->under_way_most = outstanding;
}

static bool next_in_turns(struct sim *sim, uint32_t port, struct sim_unit *unit)
{
	struct sim_order *order = sim->order;
	struct sender *sender = &order->sender[port];
	uint32_t place;
	uint64_t message;

	if (!has_turn(sim, sender))
		return false;
	place = order->after[sender->at];
	message = order->left[place] % sim->options.message_bytes;
	sim_cut(sim, message ? message : sim->options.message_bytes, order->worms, unit);
	unit->pair = order->sequence[place];
	unit->dst = sim->pairs[unit->pair].dst;
	order->left[place] -= unit->payload;
	sender->outstanding += unit->packets;
	count_under_way(sim, sender->outstanding);
	if (order->left[place])
		sender->at = place;
	else
		end_turns(order, sender, place);
	return true;
}

static void through(struct sim *sim, uint32_t port, uint64_t packets)
{
	sim->order->sender[port].outstanding -= packets;
}

const struct sim_sender_ops sim_by_message = { .next = next_by_message, .through = through };
const struct sim_sender_ops sim_in_turns = { .next = next_in_turns, .through = through };

/* ---- sequences ---- */

struct turn {
	uint32_t step, pair;
};

static int compare_turns(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	return x->step < y->step ? -1 : x->step > y->step;
}

/* Places of @pair: one for each of its messages; in turns just one, for all of them */
static uint32_t copies(const struct sim *sim, uint32_t pair)
{
	return sim->sender == &sim_by_message ? sim->pairs[pair].count : 1;
}

/*
 * Write one sender's pairs in the order of their steps. A pair with several places has one in each
 * round.
 */
static uint64_t put_sequence(struct sim *sim, const struct turn *turn, uint32_t count,
			     uint64_t place)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < count; i++)
		if (copies(sim, turn[i].pair) > most)
			most = copies(sim, turn[i].pair);
	for (uint32_t round = 0; round < most; round++)
		for (uint32_t i = 0; i < count; i++)
			if (round < copies(sim, turn[i].pair))
				sim->order->sequence[place++] = turn[i].pair;
	return place;
}

/* Split the sequence of @host, which starts at @begin: each of n ports gets every n-th place. */
static int deal_out(struct sim *sim, uint32_t host, uint32_t begin, uint32_t count,
		    struct liquid_error *err)
{
	uint32_t port = sim->first_port[host], ports = sim->first_port[host + 1] - port;
	uint32_t *sequence = sim->order->sequence + begin, *copy, at = 0;

	if (ports == 1) {
		sim->order->sender[port].first = begin;
		sim->order->sender[port].count = count;
		return LIQUID_OK;
	}
	copy = malloc(((size_t)count + 1) * sizeof(*copy));
	if (!copy)
		return liquid_no_memory(err);
	memcpy(copy, sequence, count * sizeof(*copy));
	for (uint32_t i = 0; i < ports; i++) {
		struct sender *sender = &sim->order->sender[port + i];

		sender->first = begin + at;
		for (uint32_t j = i; j < count; j += ports)
			sequence[at++] = copy[j];
		sender->count = begin + at - sender->first;
	}
	free(copy);
	return LIQUID_OK;
}

static uint32_t step_of(const struct sim *sim, const struct shuffle_ranks *ranks, uint32_t pair)
{
	if (sim->options.order == LIQUID_SIM_SHUFFLE_XOR ||
	    sim->options.order == LIQUID_SIM_PAIRWISE_XOR)
		return shuffle_step_xor(ranks, &sim->pairs[pair]);
	return shuffle_step_rotation(ranks, &sim->pairs[pair]);
}

static int put_sequences(struct sim *sim, const struct shuffle_ranks *ranks, struct turn *turn,
			 struct liquid_error *err)
{
	uint32_t begin = 0, end;
	uint64_t place = 0, next;
	int status = LIQUID_OK;

	for (; !status && begin < sim->pair_count; begin = end, place = next) {
		for (end = begin; end < sim->pair_count &&
		     sim->pairs[end].src == sim->pairs[begin].src; end++)
			turn[end - begin] = (struct turn){ step_of(sim, ranks, end), end };
		qsort(turn, end - begin, sizeof(*turn), compare_turns);
		next = put_sequence(sim, turn, end - begin, place);
		status = deal_out(sim, sim->pairs[begin].src, (uint32_t)place,
				  (uint32_t)(next - place), err);
	}
	return status;
}

static int make_sequences(struct sim *sim, struct liquid_error *err)
{
	struct turn *turn = calloc((size_t)sim->pair_count + 1, sizeof(*turn));
	struct shuffle_ranks ranks;
	int status;

	if (!turn)
		return liquid_no_memory(err);
	status = shuffle_ranks(sim->fabric, sim->pairs, sim->pair_count,
			       sim->options.contention_aware, sim->options.rank, &ranks, err);
	if (!status) {
		status = put_sequences(sim, &ranks, turn, err);
		shuffle_ranks_clear(&ranks);
	}
	free(turn);
	return status;
}

/* ---- setting up ---- */

static int find_window(struct sim *sim, const struct liquid_traffic *traffic,
		       struct liquid_error *err)
{
	const struct liquid_sim_options *options = &sim->options;
	uint64_t window = options->window;
	double load;
	int status = LIQUID_OK;

	sim->order->messages = options->order == LIQUID_SIM_ALL_AT_ONCE && window ? window :
		UINT64_MAX;
	if (!is_shuffle(sim))
		window = 0;
	if (window == LIQUID_SIM_WINDOW_AUTO) {
		status = shuffle_load(sim->fabric, traffic, &load, err);
		if (!status)
			window = shuffle_window(options->buffer_bytes /
						(options->packet_bytes + options->overhead), load);
	}
	if (status)
		return status;
	sim->options.window = window;
	sim->result->options.window = window;
	sim->order->window = window ? window : UINT64_MAX;
	return LIQUID_OK;
}

/*
 * The text's bound of what is under way on schedule, L / g rounded up, for the longest path.
 * Without a window nothing waits for acknowledgements, which take no time then.
 */
static uint64_t on_schedule(const struct sim *sim)
{
	const struct liquid_sim_options *o = &sim->options;
	uint64_t packet = sim_serialise(sim, o->packet_bytes + o->overhead);
	uint64_t hops = sim->hops, gap = packet, latency;

	if (o->switching == LIQUID_SIM_WORMHOLE)
		gap += (hops - 1) * o->hop_ns;
	latency = o->switching == LIQUID_SIM_PACKET ? hops * packet : gap;
	latency += (hops - 1) * o->hop_ns + (o->window ? hops * o->hop_ns : 0);
	return (latency + gap - 1) / gap;
}

static int new_order(struct sim *sim, struct liquid_error *err)
{
	bool turns = sim->sender == &sim_in_turns;
	struct sim_order *order = calloc(1, sizeof(*order));

	sim->order = order;
	if (!order)
		return liquid_no_memory(err);
	for (uint32_t pair = 0; pair < sim->pair_count; pair++)
		order->places += copies(sim, pair);
	order->sender = calloc(sim->ports, sizeof(*order->sender));
	order->sequence = calloc(order->places + 1, sizeof(*order->sequence));
	order->left = calloc(turns ? order->places + 1 : 1, sizeof(*order->left));
	order->after = calloc(turns ? order->places + 1 : 1, sizeof(*order->after));
	if (!order->sender || !order->sequence || !order->left || !order->after)
		return liquid_no_memory(err);
	return LIQUID_OK;
}

/* Each sender begins when its own clock shows 0, and late by its start skew. */
static void wake_all(struct sim *sim)
{
	uint64_t error = sim->options.clock_error_ns;

	sim->start = error;
	for (uint32_t host = 0; host < sim->result->shown.host_count; host++) {
		uint32_t port = sim->first_port[host];
		uint64_t begins;

		if (!sim->order->sender[port].count)	/* nor do the host's others */
			continue;
		begins = sim_skewed(sim, host, error);
		if (sim->options.start_skew_ns)
			begins += sim_late(sim, host);
		for (; port < sim->first_port[host + 1]; port++) {
			if (sim->sender == &sim_in_turns)
				fill(sim, &sim->order->sender[port]);
			sim_wake_at(sim, port, begins);
		}
	}
}

int sim_order_open(struct sim *sim, const struct liquid_traffic *traffic,
		   struct liquid_error *err)
{
	int status;

	sim->sender = sim->options.order <= LIQUID_SIM_RANDOM ||
		sim->options.order == LIQUID_SIM_PAIRWISE_XOR ? &sim_by_message : &sim_in_turns;
	status = new_order(sim, err);
	if (status)
		return status;
	sim->order->worms = sim->options.switching == LIQUID_SIM_WORMHOLE && !is_shuffle(sim);
	status = make_sequences(sim, err);
	if (!status)
		status = find_window(sim, traffic, err);
	if (!status && is_shuffle(sim))
		sim->result->shown.on_schedule_most = on_schedule(sim);
	if (!status)
		wake_all(sim);
	return status;
}

void sim_order_close(struct sim *sim)
{
	if (!sim->order)
		return;
	free(sim->order->sender);
	free(sim->order->sequence);
	free(sim->order->left);
	free(sim->order->after);
	free(sim->order);
}

uint64_t sim_order_memory(const struct sim *sim)
{
	const struct sim_order *order = sim->order;
	bool turns = sim->sender == &sim_in_turns;

	if (!order)
		return 0;
	return sim->ports * sizeof(*order->sender) +
		order->places * (sizeof(*order->sequence) +
				 (turns ? sizeof(*order->left) + sizeof(*order->after) : 0));
}

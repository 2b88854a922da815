// SPDX-License-Identifier: GPL-2.0-only
/* Plans for the tests, and what comes before what in them, found without the library's means. */
#include "plan-fixtures.h"

static void *array(size_t count, size_t size)
{
	void *memory = calloc(count + 1, size);

	if (!memory)
		abort();
	return memory;
}

static void number_pieces(struct pieces *pieces)
{
	struct liquid_error err;

	for (uint32_t rank = 0; rank < pieces->ranks; rank++) {
		uint32_t count;
		const struct liquid_piece *piece = liquid_plan_pieces(pieces->plan, rank, &count);

		for (uint32_t i = 0; i < count; i++) {
			uint32_t number = pieces->first[rank] + i, dst = piece[i].peer;

			pieces->rank[number] = rank;
			pieces->piece[number] = &piece[i];
			pieces->links[number] = liquid_fabric_route(pieces->fabric,
				pieces->host_of_rank ? pieces->host_of_rank[rank] : rank,
				pieces->host_of_rank ? pieces->host_of_rank[dst] : dst,
				pieces->path[number], &err);
			must(pieces->links[number], &err);
		}
	}
}

static void add_edge(struct pieces *pieces, uint32_t from, uint32_t to, bool token, bool again)
{
	pieces->edge[pieces->edges++] = (struct plan_edge){ from, to, token, again };
}

/* The piece of @rank that waits for @slot, or LIQUID_NONE */
static uint32_t waiter(const struct pieces *pieces, uint32_t rank, uint32_t slot, bool *again)
{
	for (uint32_t i = pieces->first[rank]; i < pieces->first[rank + 1]; i++) {
		const struct liquid_piece *piece = pieces->piece[i];

		*again = slot >= piece->slot + piece->waits - piece->again;
		if (slot >= piece->slot && slot < piece->slot + piece->waits)
			return i;
	}
	return LIQUID_NONE;
}

static void add_tokens(struct pieces *pieces, uint32_t number, uint8_t **told)
{
	uint32_t rank = pieces->rank[number], count, to;
	const struct liquid_token *token = liquid_plan_tokens(pieces->plan, rank,
		number - pieces->first[rank], &count);
	bool again;

	for (uint32_t i = 0; i < count; i++) {
		to = token[i].rank < pieces->ranks ?
			waiter(pieces, token[i].rank, token[i].slot, &again) : LIQUID_NONE;
		if (to == LIQUID_NONE || told[token[i].rank][token[i].slot]++)
			pieces->valid = false;
		else
			add_edge(pieces, number, to, true, again);
	}
}

uint32_t slots_of(const struct liquid_plan *plan, uint32_t rank)
{
	uint32_t slots;

	liquid_plan_givers(plan, rank, &slots);
	return slots;
}

static void find_edges(struct pieces *pieces)
{
	uint8_t **told = array(pieces->ranks, sizeof(*told));

	for (uint32_t rank = 0; rank < pieces->ranks; rank++)
		told[rank] = array(slots_of(pieces->plan, rank), 1);
	for (uint32_t i = 0; i < pieces->count; i++) {
		add_tokens(pieces, i, told);
		if (i > pieces->first[pieces->rank[i]] &&
		    pieces->piece[i]->lane == pieces->piece[i - 1]->lane)
			add_edge(pieces, i - 1, i, false, false);
	}
	for (uint32_t rank = 0; rank < pieces->ranks; rank++) {
		for (uint32_t i = 0; i < slots_of(pieces->plan, rank); i++)
			pieces->valid &= told[rank][i] == 1;
		free(told[rank]);
	}
	free(told);
}

void pieces_of(struct pieces *pieces, const struct liquid_fabric *fabric,
	       const struct liquid_plan *plan, const uint32_t *host_of_rank)
{
	const struct liquid_plan_info *info = liquid_plan_info(plan);
	uint32_t slots = 0, count;

	*pieces = (struct pieces){ .fabric = fabric, .plan = plan, .host_of_rank = host_of_rank,
				   .ranks = info->ranks, .count = (uint32_t)info->pieces,
				   .valid = true };
	pieces->first = array(pieces->ranks, sizeof(*pieces->first));
	for (uint32_t rank = 0; rank < pieces->ranks; rank++) {
		liquid_plan_pieces(plan, rank, &count);
		pieces->first[rank + 1] = pieces->first[rank] + count;
		slots += slots_of(plan, rank);
	}
	pieces->rank = array(pieces->count, sizeof(*pieces->rank));
	pieces->piece = array(pieces->count, sizeof(*pieces->piece));
	pieces->path = array(pieces->count, sizeof(*pieces->path));
	pieces->links = array(pieces->count, sizeof(*pieces->links));
	pieces->edge = array((size_t)pieces->count + slots, sizeof(*pieces->edge));
	number_pieces(pieces);
	find_edges(pieces);
}

void pieces_clear(struct pieces *pieces)
{
	free(pieces->first);
	free(pieces->rank);
	free(pieces->piece);
	free(pieces->path);
	free(pieces->links);
	free(pieces->edge);
}

static void join_rows(struct order *order, uint32_t from, uint32_t to)
{
	uint64_t *before = order->row + (size_t)from * order->words;
	uint64_t *after = order->row + (size_t)to * order->words;

	for (uint32_t word = 0; word < order->words; word++)
		after[word] |= before[word];
	after[from / 64] |= UINT64_C(1) << from % 64;
}

/* All of a rank's pieces of one epoch come before all of its next. */
static void join_epochs(struct order *order, const struct pieces *pieces, uint32_t epoch,
			uint32_t piece)
{
	uint32_t rank = pieces->rank[piece];

	for (uint32_t i = pieces->first[rank]; i < pieces->first[rank + 1]; i++)
		join_rows(order, (epoch - 1) * pieces->count + i, epoch * pieces->count + piece);
}

static void join_edges(struct order *order, const struct pieces *pieces, uint32_t epoch,
		       uint32_t piece)
{
	for (uint32_t i = 0; i < pieces->edges; i++) {
		const struct plan_edge *edge = &pieces->edge[i];

		if (edge->to == piece && epoch >= edge->again)
			join_rows(order, (epoch - edge->again) * pieces->count + edge->from,
				  epoch * pieces->count + piece);
	}
}

void order_of(struct order *order, const struct pieces *pieces, uint32_t epochs)
{
	uint32_t length = liquid_plan_info(pieces->plan)->length;

	order->nodes = pieces->count * epochs;
	order->words = order->nodes / 64 + 1;
	order->row = array((size_t)order->nodes * order->words, sizeof(*order->row));
	for (uint32_t epoch = 0; epoch < epochs; epoch++)
		for (uint32_t frame = 0; frame < length; frame++)
			for (uint32_t i = 0; i < pieces->count; i++) {
				if (pieces->piece[i]->frame != frame)
					continue;
				if (epoch)
					join_epochs(order, pieces, epoch, i);
				join_edges(order, pieces, epoch, i);
			}
}

void order_clear(struct order *order)
{
	free(order->row);
}

bool comes_before(const struct order *order, uint32_t a, uint32_t b)
{
	return order->row[(size_t)b * order->words + a / 64] >> a % 64 & 1;
}

struct liquid_plan *plan_of_schedule(const struct liquid_fabric *fabric,
				     const struct liquid_schedule *schedule, bool cyclic)
{
	struct liquid_plan_options options = { .cyclic = cyclic };
	struct liquid_plan *plan;
	struct liquid_error err;

	must(liquid_plan_make(fabric, schedule, &options, &plan, &err), &err);
	return plan;
}

static struct liquid_fabric *draw_fabric(struct dice *dice, uint32_t hosts, uint32_t *kind)
{
	*kind = roll(dice, PLAN_CASE_KINDS);
	switch (*kind) {
	case 0:
		return make_random(dice, hosts, 1);
	case 1:
		return make_random(dice, hosts, 3);
	default:
		return make_mixed(dice, hosts, 3, 3);
	}
}

void make_case(struct plan_case *made, struct dice *dice, uint32_t hosts, uint32_t transfers,
	       bool cyclic)
{
	struct liquid_traffic *traffic;

	made->fabric = draw_fabric(dice, hosts, &made->kind);
	traffic = random_traffic(dice, hosts, transfers);
	made->schedule = solve_small(made->fabric, traffic);
	liquid_traffic_free(traffic);
	made->plan = plan_of_schedule(made->fabric, made->schedule, cyclic);
}

void clear_case(struct plan_case *made)
{
	liquid_plan_free(made->plan);
	liquid_schedule_free(made->schedule);
	liquid_fabric_free(made->fabric);
}

/* What the plan says that @src sends to @dst; no pieces: nothing */
static struct liquid_incoming sent(const struct liquid_plan *plan, uint32_t src, uint32_t dst)
{
	struct liquid_incoming message = { .peer = src, .frame = LIQUID_NONE };
	uint32_t count;
	const struct liquid_piece *piece = liquid_plan_pieces(plan, src, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (piece[i].peer != dst)
			continue;
		message.pieces++;
		message.parts += piece[i].units;
		if (message.frame > piece[i].frame)
			message.frame = piece[i].frame;
	}
	return message;
}

static bool in_order(const struct liquid_incoming *a, const struct liquid_incoming *b)
{
	return a->frame < b->frame || (a->frame == b->frame && a->peer < b->peer);
}

/* Messages to @rank: those that are sent, each once, in order */
static bool messages_fit(const struct liquid_plan *plan, uint32_t rank)
{
	uint32_t count, senders = 0;
	const struct liquid_incoming *message = liquid_plan_incoming(plan, rank, &count);

	for (uint32_t i = 0; i < count; i++) {
		struct liquid_incoming wanted = sent(plan, message[i].peer, rank);

		if (memcmp(&message[i], &wanted, sizeof(wanted)) ||
		    (i && !in_order(&message[i - 1], &message[i])))
			return false;
	}
	for (uint32_t src = 0; src < liquid_plan_info(plan)->ranks; src++)
		senders += sent(plan, src, rank).pieces > 0;
	return count == senders;
}

/* Tokens from @giver in @slot of @rank */
static uint32_t tokens_in(const struct liquid_plan *plan, uint32_t giver, uint32_t rank,
			  uint32_t slot)
{
	uint32_t pieces, count, found = 0;

	liquid_plan_pieces(plan, giver, &pieces);
	for (uint32_t i = 0; i < pieces; i++) {
		const struct liquid_token *token = liquid_plan_tokens(plan, giver, i, &count);

		for (uint32_t j = 0; j < count; j++)
			found += token[j].rank == rank && token[j].slot == slot;
	}
	return found;
}

static bool givers_fit(const struct liquid_plan *plan, uint32_t rank)
{
	uint32_t count;
	const uint32_t *giver = liquid_plan_givers(plan, rank, &count);

	for (uint32_t slot = 0; slot < count; slot++)
		if (tokens_in(plan, giver[slot], rank, slot) != 1)
			return false;
	return true;
}

bool incoming_fits(const struct liquid_plan *plan)
{
	bool fits = true;

	for (uint32_t rank = 0; rank < liquid_plan_info(plan)->ranks; rank++)
		fits &= messages_fit(plan, rank);
	return fits;
}

bool all_givers_fit(const struct liquid_plan *plan)
{
	bool fits = true;

	for (uint32_t rank = 0; rank < liquid_plan_info(plan)->ranks; rank++)
		fits &= givers_fit(plan, rank);
	return fits;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* Holds the answers of reads until the plan's turn comes, or the time for it is over. */
#include <errno.h>
#include <stdlib.h>

#include "listener/answers.h"
#include "wire/patience.h"

static struct queue *queues_new(uint32_t count)
{
	struct queue *queue = malloc(count * sizeof(*queue));

	for (uint32_t i = 0; i < count && queue; i++)
		queue_new(&queue[i]);
	return queue;
}

int answers_new(struct answers *answers, struct exchange *exchange, uint32_t clients,
		int64_t timeout_ns)
{
	*answers = (struct answers){
		.exchange = exchange, .clients = clients, .alone = queues_new(clients),
		.rounds = queues_new(clients), .timeout_ns = timeout_ns,
	};
	return answers->alone && answers->rounds ? 0 : -ENOMEM;
}

void answers_free(struct answers *answers)
{
	free(answers->alone);
	free(answers->rounds);
}

static bool is_read(const struct slot *slot)
{
	return slot->request->kind == KIND_READ || slot->request->kind == KIND_READ_ALL;
}

bool answers_hold(struct answers *answers, struct slot *slot)
{
	const struct request *request = slot->request;
	struct queue *queue = request->flags & REQUEST_TOKENS ? answers->rounds : answers->alone;

	if (!answers->exchange || !is_read(slot) || request->client >= answers->clients)
		return false;
	queue_put(&queue[request->client], slot);
	return true;
}

static bool any(const struct answers *answers, const struct queue *queue)
{
	for (uint32_t i = 0; i < answers->clients; i++)
		if (queue[i].first)
			return true;
	return false;
}

/* By tokens a listener has an answer for each client in each epoch, if only an empty one. */
static bool round_is_complete(const struct answers *answers)
{
	for (uint32_t i = 0; i < answers->clients; i++)
		if (!answers->rounds[i].first)
			return false;
	return exchange_needs_rounds(answers->exchange);
}

/* A client that does not answer, because it is dead, must not hold up the others. */
static bool answers_begin(struct answers *answers)
{
	struct exchange *exchange = answers->exchange;

	if (!exchange_busy(exchange)) {
		answers->moved_ns = now_ns();
		if (round_is_complete(answers))
			exchange_rounds(exchange, 1);
	} else if (now_ns() - answers->moved_ns > answers->timeout_ns) {
		exchange_stop(exchange);
	}
	return exchange_begin(exchange, any(answers, answers->alone));
}

/* Without an order any more: whatever waits */
static struct slot *next_of_any(struct answers *answers)
{
	for (uint32_t i = 0; i < answers->clients; i++) {
		struct slot *slot = queue_take(&answers->alone[i]);

		if (!slot)
			slot = queue_take(&answers->rounds[i]);
		if (slot)
			return slot;
	}
	return NULL;
}

struct slot *answers_next(struct answers *answers)
{
	struct exchange *exchange = answers->exchange;
	uint32_t client;

	if (!exchange)
		return NULL;
	if (!answers_begin(answers))
		return next_of_any(answers);
	while (exchange_next(exchange, &client)) {
		struct queue *queue = exchange_collective(exchange) ? answers->rounds :
				      answers->alone;
		struct slot *slot = queue_take(&queue[client]);

		exchange_sent(exchange, client);
		answers->moved_ns = now_ns();
		if (slot) {
			exchange_stats(exchange, &slot->answer->epochs,
				       &slot->answer->unsynchronised);
			return slot;
		}
		exchange_left(exchange, client);
	}
	return NULL;
}

void answers_left(struct answers *answers, const struct slot *slot)
{
	answers->moved_ns = now_ns();
	exchange_left(answers->exchange, slot->request->client);
}

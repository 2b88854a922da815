// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The window shuffle of one rank (modified synchronous shuffle exchange, A. Tam and C.-L. Wang)
 *
 * A packet has left when the wire says that it has been acknowledged. So the window bounds how much
 * of this rank is on links and in the buffers of switches, for all receivers together.
 */
#include <stdlib.h>

#include "node/shuffle.h"
#include "settings/clock.h"

int shuffle_open(struct shuffle *shuffle, const struct shuffle_options *options,
		 const struct wire_ops *ops, struct wire *wire, const struct span *out,
		 struct liquid_error *err)
{
	*shuffle = (struct shuffle){
		.options = *options, .ops = ops, .wire = wire, .out = out,
		.posted = calloc((size_t)options->peers + 1, sizeof(uint64_t)),
	};
	if (!shuffle->posted)
		return liquid_no_memory(err);
	for (uint32_t i = 0; i < options->peers; i++)
		shuffle->unposted += out[options->peer[i]].bytes;
	shuffle->stats.epochs = 1;
	return LIQUID_OK;
}

void shuffle_close(struct shuffle *shuffle)
{
	free(shuffle->posted);
	shuffle->posted = NULL;
}

bool shuffle_done(const struct shuffle *shuffle)
{
	return !shuffle->unposted && !shuffle->flying;
}

static void end_wait(struct shuffle *shuffle)
{
	uint64_t waited;

	if (!shuffle->since)
		return;
	waited = (uint64_t)(clock_ns(CLOCK_MONOTONIC) - shuffle->since);
	shuffle->since = 0;
	shuffle->stats.wait_ns += waited;
	if (shuffle->stats.wait_max_ns < waited)
		shuffle->stats.wait_max_ns = waited;
}

void shuffle_left(struct shuffle *shuffle)
{
	shuffle->flying--;
	shuffle->stats.sent++;
	end_wait(shuffle);
}

/* Is anything to be sent? Then see if the window is open. */
static bool may_post(struct shuffle *shuffle)
{
	if (!shuffle->unposted)
		return false;
	if (shuffle->flying < shuffle->options.window)
		return true;
	if (!shuffle->since) {
		shuffle->since = clock_ns(CLOCK_MONOTONIC);
		shuffle->stats.waits++;
	}
	return false;
}

static uint64_t rest_of(const struct shuffle *shuffle, uint32_t turn)
{
	return shuffle->out[shuffle->options.peer[turn]].bytes - shuffle->posted[turn];
}

/* The next turn of a peer with bytes left to send; there must be one */
static uint32_t find_turn(const struct shuffle *shuffle)
{
	uint32_t turn = shuffle->next;

	while (!rest_of(shuffle, turn))
		turn = (turn + 1) % shuffle->options.peers;
	return turn;
}

static int shuffle_post(struct shuffle *shuffle, uint32_t turn, struct liquid_error *err)
{
	uint64_t rest = rest_of(shuffle, turn), most = shuffle->options.packet_bytes;
	uint32_t peer = shuffle->options.peer[turn];
	struct wire_post packet = {
		.peer = peer, .from = shuffle->out[peer].at + shuffle->posted[turn],
		.offset = shuffle->posted[turn], .bytes = rest < most ? rest : most,
	};

	shuffle->posted[turn] += packet.bytes;
	shuffle->unposted -= packet.bytes;
	shuffle->flying++;
	shuffle->next = (turn + 1) % shuffle->options.peers;
	return shuffle->ops->send(shuffle->wire, &packet, err);
}

/* The turn of a peer that is not ready yet is waited for, so that the order is kept. */
int shuffle_step(struct shuffle *shuffle, bool *moved, struct liquid_error *err)
{
	int status = LIQUID_OK;

	while (!status && may_post(shuffle)) {
		uint32_t turn = find_turn(shuffle);

		if (!shuffle->ops->may_send(shuffle->wire, shuffle->options.peer[turn]))
			break;
		status = shuffle_post(shuffle, turn, err);
		*moved = true;
	}
	return status;
}

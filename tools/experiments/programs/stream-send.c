// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sender of stream
 *
 * Each block has as many packets as the loss takes that the last report told of, and at least those
 * of the tolerance. A block that a report calls incomplete gets what it lacks to that number: so
 * the blocks at the beginning of a failure, which were sent before it was known, are completed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "liquidsched.h"
#include "stream.h"

struct block {
	uint32_t number;
	uint32_t goal;			/* packets to be sent: at first in its own time */
	uint32_t sent;			/* packets */
	uint32_t made;			/* packets that are coded */
	uint32_t by_way[WAYS_MAX];	/* packets sent in its own time */
	uint8_t data[CODED_MAX][LENGTH];
};

struct sender {
	const struct ways *ways;
	/*
	 * Packets that a way is behind its share: of blocks in their own time, and of those that
	 * are completed. The two alternate, so that with one account for both a way with an even
	 * number of packets between two of its own would carry one of them alone.
	 */
	double credit[2][WAYS_MAX];
	uint32_t least;			/* FEC_t, packets of a block */
	uint32_t blocks;
	uint32_t current;		/* block whose time it is */
	uint64_t begin, block_ns;	/* ns */
	struct block slot[SLOTS];
	bool reported;			/* there was a report, the newest on block @newest */
	uint32_t newest;
	double loss;			/* by that report */
	uint32_t size;			/* packets that a block takes at that loss */
	uint64_t packets;
	uint64_t completed;		/* packets of earlier blocks */
	uint64_t beyond;		/* blocks with all packets that the code has */
};

/* Packets of which @source arrive at this loss, or all that the code has: then DER is not held. */
static uint32_t size_at(double loss, uint32_t source)
{
	uint32_t size;

	if (loss >= 1 || liquid_fec_size(loss, source, DER, &size, NULL) || size > CODED_MAX)
		return CODED_MAX;
	return size;
}

static struct block *block_of(struct sender *sender, uint32_t number)
{
	struct block *block = &sender->slot[number % SLOTS];

	return block->number == number ? block : NULL;
}

static void begin_block(struct sender *sender, uint32_t number)
{
	struct block *block = &sender->slot[number % SLOTS];

	memset(block, 0, sizeof(*block));
	block->number = number;
	block->goal = sender->size;
	block->made = SOURCE;
	for (uint32_t i = 0; i < SOURCE; i++)
		code_source(number, i, block->data[i]);
	sender->beyond += sender->size == CODED_MAX;
	sender->current = number;
}

/* The way that is most behind its share */
static uint32_t next_way(const struct ways *ways, double credit[WAYS_MAX])
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < ways->count; i++) {
		credit[i] += ways->way[i].weight;
		if (credit[i] > credit[most])
			most = i;
	}
	credit[most]--;
	return most;
}

static uint32_t send_packet(struct sender *sender, struct block *block)
{
	bool late = block->number != sender->current;
	uint32_t way = next_way(sender->ways, sender->credit[late]);
	struct packet packet = {
		.head = { MAGIC, DATA, (uint16_t)way, block->number, block->sent },
	};

	if (block->sent >= block->made) {
		code_make(block->data, block->made, block->goal);
		block->made = block->goal;
	}
	memcpy(packet.data, block->data[block->sent++], LENGTH);
	send_on(&sender->ways->way[way], &packet, sizeof(packet));
	sender->packets++;
	return way;
}

/* ---- reports ---- */

static double loss_of(const struct sender *sender, const struct block *block,
		      const struct report *report)
{
	double loss = 0;

	for (uint32_t i = 0; i < sender->ways->count; i++)
		if (block->by_way[i] > report->arrived[i])
			loss += sender->ways->way[i].weight *
				(1 - (double)report->arrived[i] / block->by_way[i]);
	return loss;
}

/* After a report that nothing has arrived all stays as it was: no size would help. */
static void take_loss(struct sender *sender, double loss)
{
	if (loss >= 1 - 1e-9)
		return;
	if (loss != sender->loss)
		sender->size = loss <= TOLERANCE ? sender->least : size_at(loss, SOURCE);
	sender->loss = loss;
}

/* Packets that an incomplete block takes further: up to the size at this loss, or what it lacks. */
static void complete(struct sender *sender, struct block *block, uint32_t have)
{
	uint32_t lacks = size_at(sender->loss, SOURCE - have), all = block->sent + lacks;

	if (block->sent < block->goal)
		return;			/* they are on their way */
	if (all < sender->size)
		all = sender->size;
	block->goal = all < CODED_MAX ? all : CODED_MAX;
}

static void take_report(struct sender *sender, const struct report *report)
{
	uint32_t number = report->head.block;
	struct block *block = block_of(sender, number);

	if (!block || (sender->reported && number <= sender->newest))
		return;			/* too late, or one of its copies */
	sender->reported = true;
	sender->newest = number;
	take_loss(sender, loss_of(sender, block, report));
	for (uint32_t i = 0; i < WINDOW && i <= number; i++) {
		block = block_of(sender, number - i);
		if (block && report->have[i] < SOURCE)
			complete(sender, block, report->have[i]);
	}
}

/* ---- time ---- */

/* An earlier block that is to be completed; NULL: none */
static struct block *incomplete(struct sender *sender)
{
	for (uint32_t i = 1; i <= WINDOW && i <= sender->current; i++) {
		struct block *block = block_of(sender, sender->current - i);

		if (block && block->sent < block->goal)
			return block;
	}
	return NULL;
}

static void receive_until(struct sender *sender, uint64_t until)
{
	union {
		struct packet packet;
		struct report report;
	} got;
	uint32_t way;

	while (wait_packet(sender->ways, until, &got.packet, &way))
		if (got.packet.head.kind == REPORT)
			take_report(sender, &got.report);
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * The block's packets at equal distances in its time. Earlier blocks are completed meanwhile, by a
 * packet in each CODED_MAX-th of it.
 */
static void send_block(struct sender *sender, uint32_t number)
{
	uint64_t start = sender->begin + number * sender->block_ns, end = start + sender->block_ns;
	uint64_t due = start, other_due = start;
	struct block *block = &sender->slot[number % SLOTS];

	begin_block(sender, number);
	while (due < end) {
		struct block *other = incomplete(sender);

		receive_until(sender, other ? least_of(due, other_due) : due);
		if (now_ns() >= due) {
			block->by_way[send_packet(sender, block)]++;
			due = start + block->sent * sender->block_ns / block->goal;
		} else if (other) {
			send_packet(sender, other);
			sender->completed++;
			other_due = now_ns() + sender->block_ns / CODED_MAX;
		}
	}
	receive_until(sender, end);
}

static void send_end(struct sender *sender)
{
	struct packet end = { .head = { MAGIC, END, 0, sender->blocks, 0 } };

	receive_until(sender, now_ns() + 4 * sender->block_ns);
	for (int times = 0; times < 3; times++)
		for (uint32_t i = 0; i < sender->ways->count; i++)
			send_on(&sender->ways->way[i], &end, sizeof(end));
}

int run_send(const struct ways *ways, uint32_t blocks, uint64_t block_ns)
{
	static struct sender sender;

	sender.ways = ways;
	sender.blocks = blocks;
	sender.block_ns = block_ns;
	sender.least = sender.size = size_at(TOLERANCE, SOURCE);
	for (uint32_t i = 0; i < SLOTS; i++)
		sender.slot[i].number = UINT32_MAX;
	sender.begin = now_ns();
	for (uint32_t number = 0; number < blocks; number++)
		send_block(&sender, number);
	send_end(&sender);
	printf("sender begin=%" PRIu64 " blocks=%" PRIu32 " least=%" PRIu32 " packets=%" PRIu64
	       " extra=%" PRId64 " completed=%" PRIu64 " beyond=%" PRIu64 "\n", sender.begin,
	       blocks, sender.least, sender.packets,
	       (int64_t)(sender.packets - (uint64_t)blocks * sender.least), sender.completed,
	       sender.beyond);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The receiver of stream: decodes blocks, compares them with what was sent, and reports by all ways
 * what has arrived of a block when packets of a later one have come
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "stream.h"

#define IDLE_NS 20000000000ULL		/* without any packet for so long, the sender is gone */

struct block {
	uint32_t number;
	uint32_t have;			/* different packets, up to SOURCE */
	uint32_t index[SOURCE];
	uint8_t data[SOURCE][LENGTH];
	bool seen[CODED_MAX];
	uint16_t arrived[WAYS_MAX];	/* packets, by way */
};

struct receiver {
	const struct ways *ways;
	struct block slot[SLOTS];
	uint32_t next;			/* number after the newest block */
	bool unreported;		/* the block before the newest */
	uint64_t packets, decoded, wrong;
};

/* The number of an earlier block in this slot, or of none, is lower. */
static struct block *block_of(struct receiver *receiver, uint32_t number)
{
	return &receiver->slot[number % SLOTS];
}

static void begin_block(struct receiver *receiver, uint32_t number)
{
	struct block *block = block_of(receiver, number);

	if (number >= SLOTS && block->have < SOURCE)
		printf("undecoded %" PRIu32 " %" PRIu32 "\n", number - SLOTS, block->have);
	memset(block, 0, sizeof(*block));
	block->number = number;
}

/* On the block before the newest, and those before that */
static void report(struct receiver *receiver)
{
	uint32_t number = receiver->next - 2;
	struct report all = { .head = { MAGIC, REPORT, 0, number, 0 } };

	memcpy(all.arrived, block_of(receiver, number)->arrived, sizeof(all.arrived));
	for (uint32_t i = 0; i < WINDOW && i <= number; i++)
		all.have[i] = (uint8_t)block_of(receiver, number - i)->have;
	for (uint32_t i = 0; i < receiver->ways->count; i++)
		send_on(&receiver->ways->way[i], &all, sizeof(all));
	receiver->unreported = false;
}

static void see_block(struct receiver *receiver, uint32_t number)
{
	if (number < receiver->next)
		return;
	while (receiver->next <= number)
		begin_block(receiver, receiver->next++);
	receiver->unreported = number > 0;
}

static void take_packet(struct receiver *receiver, const struct packet *packet, uint32_t way)
{
	struct block *block = block_of(receiver, packet->head.block);
	uint32_t index = packet->head.index;

	receiver->packets++;
	if (block->number != packet->head.block || index >= CODED_MAX || block->seen[index])
		return;
	block->seen[index] = true;
	block->arrived[way]++;
	if (block->have == SOURCE)
		return;
	block->index[block->have] = index;
	memcpy(block->data[block->have++], packet->data, LENGTH);
	if (block->have < SOURCE)
		return;
	if (code_check(block->number, block->index, block->data))
		receiver->decoded++;
	else
		receiver->wrong++;
}

/* A report waits until all sockets are empty: what came by another way may be older. */
static bool next_packet(struct receiver *receiver, struct packet *packet, uint32_t *way)
{
	if (wait_packet(receiver->ways, 0, packet, way))
		return true;
	if (receiver->unreported)
		report(receiver);
	return wait_packet(receiver->ways, now_ns() + IDLE_NS, packet, way);
}

int run_receive(const struct ways *ways)
{
	static struct receiver receiver;
	struct packet packet = { 0 };
	uint32_t way;

	receiver.ways = ways;
	while (next_packet(&receiver, &packet, &way) && packet.head.kind != END) {
		if (packet.head.kind != DATA)
			continue;
		see_block(&receiver, packet.head.block);
		take_packet(&receiver, &packet, way);
	}
	for (uint32_t i = receiver.next < SLOTS ? 0 : receiver.next - SLOTS; i < receiver.next; i++)
		if (block_of(&receiver, i)->have < SOURCE)
			printf("undecoded %" PRIu32 " %" PRIu32 "\n", i,
			       block_of(&receiver, i)->have);
	printf("receiver blocks=%" PRIu32 " packets=%" PRIu64 " decoded=%" PRIu64 " wrong=%" PRIu64
	       "\n", receiver.next, receiver.packets, receiver.decoded, receiver.wrong);
	return packet.head.kind != END || receiver.wrong;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of stream share: ways, packets, reports, the erasure code. */
#ifndef LIQUID_STREAM_H
#define LIQUID_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#define SOURCE		20		/* packets of a block before coding: M of the thesis */
#define CODED_MAX	255		/* packets of a block: N of the code in GF(2^8) */
#define LENGTH		160		/* bytes of a packet: 20 ms of speech at 64 kbit/s */
#define WAYS_MAX	16
#define WINDOW		8		/* blocks that may still be completed */
#define SLOTS		16		/* blocks that either end keeps; more than WINDOW */
#define DER		1e-5
#define TOLERANCE	0.051

#define MAGIC		0x6c71736dU
enum kind { DATA, REPORT, END };

struct head {
	uint32_t magic;
	uint16_t kind, way;
	uint32_t block, index;		/* index: row of the code's matrix */
};

struct packet {
	struct head head;
	uint8_t data[LENGTH];
};

/* What has arrived of a block when the next one begins */
struct report {
	struct head head;
	uint16_t arrived[WAYS_MAX];	/* packets, by way */
	uint8_t have[WINDOW];		/* packets of it and of those before, up to SOURCE */
};

struct way {
	double weight;			/* share of the stream */
	int fd;				/* connected to the other end's address of this way */
};

struct ways {
	struct way way[WAYS_MAX];
	uint32_t count;
};

/* ---- stream-text.c ---- */

void die(const char *what) __attribute__((noreturn));
uint64_t number_of(const char *text);

/* ---- stream-wire.c ---- */

uint64_t now_ns(void);
void read_ways(const char *path, bool sends, struct ways *ways);
/* Wait for a packet until @until, ns; false: there is none. Sets @packet and @way. */
bool wait_packet(const struct ways *ways, uint64_t until, struct packet *packet, uint32_t *way);
/* A lost packet is no error. */
void send_on(const struct way *way, const void *data, uint32_t size);

/* ---- stream-code.c ---- */

void code_begin(void);
/* Source packet @index of @block: random bytes, the same at both ends */
void code_source(uint32_t block, uint32_t index, uint8_t data[LENGTH]);
/* Make packets @from ... @to - 1 of a block of which the source packets are there. */
void code_make(uint8_t data[CODED_MAX][LENGTH], uint32_t from, uint32_t to);
/* Are the source packets of @block, decoded from these SOURCE packets, what was sent? */
bool code_check(uint32_t block, const uint32_t index[SOURCE], uint8_t data[SOURCE][LENGTH]);

/* ---- the parts ---- */

int run_send(const struct ways *ways, uint32_t blocks, uint64_t block_ns);
int run_receive(const struct ways *ways);

/* ---- stream-clock.c ---- */

struct event {
	uint64_t at;			/* ns from the begin */
	bool down;
	const char *link;
};

/* overlap|alone WHOLE LASTING TIMES SEED LINK...: when links go down and up, in order */
uint32_t plan_failures(char **argv, const struct event **planned);
int run_clock(char **argv);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Connect the ranks of a group: each opens its wire, pairs exchange cards and prove the wire */
#ifndef LIQUID_MPI_WIRING_H
#define LIQUID_MPI_WIRING_H

#include "wire/wire.h"

/* ROOM and CONNECTED: all agree that none has failed. */
enum wiring_step { WIRING_ROOM, WIRING_CARDS, WIRING_CONNECTED, WIRING_PROOF };

struct wiring {
	MPI_Comm comm;
	const struct wire_ops *ops;
	const struct environment *env;
	uint32_t rank, ranks;
	uint8_t *use;			/* by rank: enum wire_use; the same seen from both ends */
	uint64_t *slots;
	uint32_t slot_count;
	struct wire *wire;
	/* While ranks connect: */
	unsigned char *cards;		/* those for others, then theirs for this rank */
	MPI_Request *request;
	int requests;
	enum wiring_step step;
	MPI_Request agreement;
	int failed;			/* on any rank: no memory, or it cannot connect */
	int status;			/* liquid_status of this rank */
	struct liquid_error err;
};

/*
 * Open a wire in place of the one before, with all its abilities and also @use and @slots. Both
 * return an MPI error; a failure of this rank alone is in ->status. The wire stays open then
 * until all know it: others may be about to prove that their messages reach this rank.
 */
int wiring_start(struct wiring *wiring, const uint8_t *use, uint32_t slots);
int wiring_step(struct wiring *wiring, bool *done, bool *moved);
/* Does the wire reach all of @use, and has it @slots? */
bool wiring_suffices(const struct wiring *wiring, const uint8_t *use, uint32_t slots);
void wiring_close(struct wiring *wiring);
void wiring_clear(struct wiring *wiring);

#endif

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Connect the ranks of a group
 *
 * All agree first that each has memory for its cards, as others wait for these. A rank that cannot
 * open its wire sends them all the same; that it has failed is agreed on afterwards. When all have
 * connected each proves that its messages arrive: a network that lets queue pairs connect
 * need not carry anything.
 */
#include <stdlib.h>
#include <string.h>

#include "wire/pages.h"
#include "wire/wiring.h"

enum { TAG_CARD = 3 };

bool wiring_suffices(const struct wiring *w, const uint8_t *use, uint32_t slots)
{
	if (!w->wire || slots > w->slot_count)
		return false;
	for (uint32_t i = 0; i < w->ranks; i++)
		if (use[i] & ~w->use[i])
			return false;
	return true;
}

void wiring_close(struct wiring *w)
{
	if (w->wire)
		w->ops->close(w->wire);
	w->wire = NULL;
}

static void end_cards(struct wiring *w)
{
	free(w->cards);
	free(w->request);
	w->cards = NULL;
	w->request = NULL;
	w->requests = 0;
}

static void drop_slots(struct wiring *w)
{
	pages_free(w->slots, w->slot_count * sizeof(*w->slots));
	w->slots = NULL;
	w->slot_count = 0;
}

void wiring_clear(struct wiring *w)
{
	wiring_close(w);
	end_cards(w);
	free(w->use);
	drop_slots(w);
	w->use = NULL;
}

/* A plan that needs some more slots than this one shall not need another wire. */
static int take_slots(struct wiring *w, uint32_t slots)
{
	uint32_t count = slots < w->slot_count ? w->slot_count : slots + slots / 2 + 8;

	drop_slots(w);
	w->slots = pages_new(count * sizeof(*w->slots));
	w->slot_count = w->slots ? count : 0;
	return w->slots ? LIQUID_OK : LIQUID_NO_MEMORY;
}

static void open_wire(struct wiring *w)
{
	struct wire_options options = {
		.comm = w->comm, .rank = w->rank, .ranks = w->ranks, .use = w->use,
		.slots = w->slots, .slot_count = w->slot_count, .env = w->env,
	};

	w->status = w->ops->open(&w->wire, &options, w->cards, &w->err);
}

/* The card for @rank, or from it */
static unsigned char *card(const struct wiring *w, uint32_t rank, bool from)
{
	return w->cards + (rank + (from ? w->ranks : 0)) * w->ops->card_bytes;
}

static int exchange_cards(struct wiring *w)
{
	int bytes = (int)w->ops->card_bytes, error = MPI_SUCCESS;

	for (uint32_t i = 0; i < w->ranks && !error; i++) {
		if (!w->use[i] || !bytes)
			continue;
		error = PMPI_Irecv(card(w, i, true), bytes, MPI_BYTE, (int)i, TAG_CARD, w->comm,
				   &w->request[w->requests++]);
		if (!error)
			error = PMPI_Isend(card(w, i, false), bytes, MPI_BYTE, (int)i, TAG_CARD,
					   w->comm, &w->request[w->requests++]);
	}
	return error;
}

static int wiring_take_memory(struct wiring *w, uint32_t slots)
{
	if (!w->use)
		w->use = calloc(w->ranks, 1);
	w->cards = calloc(2 * (size_t)w->ranks, w->ops->card_bytes + 1);
	w->request = calloc(2 * (size_t)w->ranks, sizeof(*w->request));
	return w->use && w->cards && w->request && !take_slots(w, slots) ? LIQUID_OK :
	       liquid_no_memory(&w->err);
}

static int wiring_agree(struct wiring *w, enum wiring_step step)
{
	w->step = step;
	w->failed = w->status != LIQUID_OK;
	return PMPI_Iallreduce(MPI_IN_PLACE, &w->failed, 1, MPI_INT, MPI_MAX, w->comm,
			       &w->agreement);
}

int wiring_start(struct wiring *w, const uint8_t *use, uint32_t slots)
{
	wiring_close(w);
	w->status = wiring_take_memory(w, slots);
	for (uint32_t i = 0; i < w->ranks && !w->status; i++)
		w->use[i] |= use[i];
	return wiring_agree(w, WIRING_ROOM);
}

static int wiring_end(struct wiring *w, bool *done)
{
	end_cards(w);
	*done = true;
	return MPI_SUCCESS;
}

static int send_cards(struct wiring *w, bool *done)
{
	if (w->failed)
		return wiring_end(w, done);
	w->step = WIRING_CARDS;
	open_wire(w);
	return exchange_cards(w);
}

/* Nothing can be proved before the other end has connected. */
static int connect_wire(struct wiring *w, bool *done)
{
	if (!w->status)
		w->status = w->ops->connect(w->wire, card(w, 0, true), &w->err);
	return w->ops->prove ? wiring_agree(w, WIRING_CONNECTED) : wiring_end(w, done);
}

static int wiring_prove(struct wiring *w, bool *done)
{
	bool proved = false;

	w->step = WIRING_PROOF;
	if (!w->failed)
		w->status = w->ops->prove(w->wire, &proved, &w->err);
	return proved || w->failed || w->status ? wiring_end(w, done) : MPI_SUCCESS;
}

/* What the step waits for. A proof is asked each time. */
static int test(struct wiring *w, int *arrived)
{
	*arrived = true;
	if (w->step == WIRING_PROOF)
		return MPI_SUCCESS;
	if (w->step == WIRING_CARDS)
		return PMPI_Testall(w->requests, w->request, arrived, MPI_STATUSES_IGNORE);
	return PMPI_Test(&w->agreement, arrived, MPI_STATUS_IGNORE);
}

int wiring_step(struct wiring *w, bool *done, bool *moved)
{
	enum wiring_step step = w->step;
	int arrived, error = test(w, &arrived);

	*done = false;
	if (error || !arrived)
		return error;
	if (step == WIRING_ROOM)
		error = send_cards(w, done);
	else
		error = step == WIRING_CARDS ? connect_wire(w, done) : wiring_prove(w, done);
	*moved |= step != WIRING_PROOF || *done;
	return error;
}

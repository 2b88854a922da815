// SPDX-License-Identifier: LGPL-2.1-or-later
/* Serves a request at once, or in the round of its collective call, and puts it in done. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "listener/serve.h"

void serve_new(struct serve *serve, uint32_t clients, int64_t timeout_ns)
{
	*serve = (struct serve){ .files = { .open = NULL } };
	gather_new(&serve->gather, clients, timeout_ns);
}

void serve_free(struct serve *serve)
{
	files_free(&serve->files);
	access_free(&serve->access);
}

/* ---- reads and writes ---- */

static bool writes(const struct slot *slot)
{
	return slot->request->kind == KIND_WRITE || slot->request->kind == KIND_WRITE_ALL;
}

static int read_room(struct slot *slot)
{
	struct answer *more;

	slot->data = slot->request->bytes;
	if (slot->data <= slot->data_room)
		return 0;
	more = realloc(slot->answer, sizeof(*more) + slot->data);
	if (!more)
		return -ENOMEM;
	slot->answer = more;
	slot->data_room = slot->data;
	return 0;
}

/* Add the runs of @slot to the access. */
static int add_slot(struct serve *serve, struct slot *slot)
{
	const struct run *run = slot_runs(slot);
	int error = writes(slot) ? 0 : read_room(slot);
	unsigned char *data;

	data = writes(slot) ? (unsigned char *)(run + slot->request->runs) :
	       (unsigned char *)(slot->answer + 1);
	for (uint32_t i = 0; i < slot->request->runs && !error; i++) {
		error = access_add(&serve->access, &run[i], data);
		data += run[i].length;
	}
	return error;
}

/* Access what all slots of @round ask for, as one. */
static int do_round(struct serve *serve, const struct queue *round)
{
	const struct request *first = round->first->request;
	uint32_t accesses = 0;
	int error = 0, done;

	for (struct slot *slot = round->first; slot && !error; slot = slot->next) {
		error = slot->request->kind == first->kind && slot->request->file == first->file ?
			add_slot(serve, slot) : -EINVAL;
		slot->answer->accesses = 0;
	}
	if (error)
		serve->access.parts = 0;
	done = access_do(&serve->access, &serve->files, first->file, writes(round->first),
			 &accesses);
	round->first->answer->accesses = accesses;
	return error ? error : done;
}

static void serve_answer(struct slot *slot, int error, struct queue *done)
{
	slot->answer->error = error;
	if (error)
		slot->data = 0;
	queue_put(done, slot);
}

static void serve_round(struct serve *serve, struct queue *round, struct queue *done)
{
	int error = do_round(serve, round);
	struct slot *slot;

	while ((slot = queue_take(round)))
		serve_answer(slot, error, done);
}

static void serve_rounds(struct serve *serve, struct queue *done)
{
	struct queue round;

	queue_new(&round);
	while (gather_round(&serve->gather, &round))
		serve_round(serve, &round, done);
}

static void serve_collective(struct serve *serve, struct slot *slot, struct queue *done)
{
	if (gather_put(&serve->gather, slot))
		serve_rounds(serve, done);
	else
		serve_answer(slot, -ETIMEDOUT, done);
}

static void serve_alone(struct serve *serve, struct slot *slot, struct queue *done)
{
	struct queue round;

	queue_new(&round);
	queue_put(&round, slot);
	serve_round(serve, &round, done);
}

/* ---- files ---- */

static int serve_file(struct files *files, const struct request *request)
{
	const void *rest = request + 1;

	switch (request->kind) {
	case KIND_OPEN:
		return files_open(files, request->file, rest, request->names);
	case KIND_CREATE:
		return files_create(files, rest, request->names);
	case KIND_DELETE:
		return files_delete(files, rest, request->names);
	case KIND_CLOSE:
		return files_close(files, request->file);
	case KIND_RESIZE:
		return files_resize(files, request->file, rest, request->runs);
	case KIND_FINISH:
		return 0;
	}
	return -EINVAL;
}

static void serve_errors(struct files *files, struct slot *slot, struct queue *done)
{
	memcpy(slot->answer->count, files->error, sizeof(files->error));
	memset(files->error, 0, sizeof(files->error));
	serve_answer(slot, 0, done);
}

void serve_slot(struct serve *serve, struct slot *slot, struct queue *done)
{
	slot->data = 0;
	slot->answer->accesses = 0;
	switch (slot->request->kind) {
	case KIND_WRITE_ALL:
	case KIND_READ_ALL:
		serve_collective(serve, slot, done);
		return;
	case KIND_WRITE:
	case KIND_READ:
		serve_alone(serve, slot, done);
		return;
	case KIND_ERRORS:
		serve_errors(&serve->files, slot, done);
		return;
	}
	serve_answer(slot, serve_file(&serve->files, slot->request), done);
}

void serve_late(struct serve *serve, struct queue *done)
{
	struct queue late;
	struct slot *slot;

	queue_new(&late);
	gather_late(&serve->gather, &late);
	while ((slot = queue_take(&late)))
		serve_answer(slot, -ETIMEDOUT, done);
	serve_rounds(serve, done);
}

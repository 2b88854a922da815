// SPDX-License-Identifier: GPL-2.0-only
/* A listener without MPI: what ranks ask for together becomes one access; late ranks; bad files */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "listener/serve.h"
#include "tap.h"

#define RANKS	4
#define RECORD	200

static char path[] = "/tmp/liquid-sfio-XXXXXX";

/* A request of @runs runs, with room for data */
static struct slot *new_slot(uint32_t kind, uint64_t call, uint64_t round, uint32_t flags,
			     uint32_t runs, uint64_t bytes)
{
	struct slot *slot = calloc(1, sizeof(*slot));

	slot->request = calloc(1, sizeof(*slot->request) + runs * sizeof(struct run) + bytes + 300);
	slot->answer = calloc(1, sizeof(*slot->answer));
	*slot->request = (struct request){
		.kind = kind, .flags = flags, .file = 1, .runs = runs, .bytes = bytes,
		.call = call, .round = round,
	};
	return slot;
}

static void free_slot(struct slot *slot)
{
	free(slot->request);
	free(slot->answer);
	free(slot);
}

static struct run *runs_of(struct slot *slot)
{
	return (struct run *)(slot->request + 1);
}

/* Records @rank, @rank + RANKS, ... of @count, filled with the rank's letter */
static struct slot *interleaved(uint32_t kind, uint64_t call, uint64_t round, uint32_t flags,
				uint32_t rank, uint32_t count)
{
	struct slot *slot = new_slot(kind, call, round, flags, count, (uint64_t)count * RECORD);
	struct run *run = runs_of(slot);

	for (uint32_t i = 0; i < count; i++)
		run[i] = (struct run){ (i * RANKS + rank) * RECORD, RECORD, 0 };
	memset(run + count, 'a' + (int)rank, count * RECORD);
	return slot;
}

static size_t length(const struct queue *queue)
{
	size_t slots = 0;

	for (const struct slot *slot = queue->first; slot; slot = slot->next)
		slots++;
	return slots;
}

/* The sum of the accesses of all answers, which are freed; -1: one has an error */
static int take_all(struct queue *done)
{
	struct slot *slot;
	int accesses = 0;

	while ((slot = queue_take(done))) {
		if (slot->answer->error || accesses < 0)
			accesses = -1;
		else
			accesses += (int)slot->answer->accesses;
		free_slot(slot);
	}
	return accesses;
}

static int open_path(struct serve *serve, struct queue *done, const char *name)
{
	struct slot *slot = new_slot(KIND_OPEN, 0, 0, 0, 0, 0);
	int error;

	memset(slot->request + 1, 0, sizeof(uint32_t));
	strcpy((char *)(slot->request + 1) + sizeof(uint32_t), name);
	slot->request->names = (uint32_t)(sizeof(uint32_t) + strlen(name) + 1);
	serve_slot(serve, slot, done);
	slot = queue_take(done);
	error = slot->answer->error;
	free_slot(slot);
	return error;
}

static bool file_has_letters(uint32_t records)
{
	static char data[RANKS * 64 * RECORD];
	int fd = open(path, O_RDONLY);
	ssize_t bytes = pread(fd, data, sizeof(data), 0);
	bool right = bytes == (ssize_t)records * RECORD;

	for (uint32_t i = 0; i < records * RECORD && right; i++)
		right = data[i] == 'a' + (char)(i / RECORD % RANKS);
	close(fd);
	return right;
}

static void together(struct serve *serve, struct queue *done)
{
	for (uint32_t i = 0; i < RANKS; i++) {
		ok(!done->first, "no answer before all ranks are there");
		serve_slot(serve, interleaved(KIND_WRITE_ALL, 1, 0, REQUEST_LAST, i, 50), done);
	}
	ok(length(done) == RANKS && take_all(done) == 1 && file_has_letters(RANKS * 50),
	   "200 records of 4 ranks are one access");
}

/* Rank 0 is a round and a call ahead of the others. */
static void ahead(struct serve *serve, struct queue *done)
{
	serve_slot(serve, interleaved(KIND_WRITE_ALL, 2, 0, 0, 0, 5), done);
	serve_slot(serve, interleaved(KIND_WRITE_ALL, 2, 1, REQUEST_LAST, 0, 5), done);
	serve_slot(serve, interleaved(KIND_WRITE_ALL, 2, 0, REQUEST_LAST, 1, 5), done);
	serve_slot(serve, interleaved(KIND_WRITE_ALL, 2, 0, REQUEST_LAST, 2, 5), done);
	ok(!done->first, "a rank ahead waits for the others");
	serve_slot(serve, interleaved(KIND_WRITE_ALL, 2, 0, REQUEST_LAST, 3, 5), done);
	ok(length(done) == 5 && take_all(done) == 1 + 5,
	   "ranks that have said they are done are not waited for");
}

static void reads(struct serve *serve, struct queue *done)
{
	struct slot *slot;
	bool right = true;

	for (uint32_t i = 0; i < RANKS; i++)
		serve_slot(serve, interleaved(KIND_READ_ALL, 3, 0, REQUEST_LAST, i, 50), done);
	for (slot = done->first; slot; slot = slot->next) {
		const char *data = (const char *)(slot->answer + 1);
		uint32_t rank = (uint32_t)(runs_of(slot)[0].at / RECORD);

		right = right && slot->data == 50 * RECORD;
		for (uint32_t i = 0; i < 50 * RECORD && right; i++)
			right = data[i] == 'a' + (char)rank;
	}
	ok(length(done) == RANKS && take_all(done) == 1 && right,
	   "what 4 ranks read is one access, and each gets its own");
}

static void late(struct serve *serve, struct queue *done)
{
	const struct timespec nap = { .tv_nsec = 250000000 };

	serve_slot(serve, interleaved(KIND_WRITE_ALL, 4, 0, REQUEST_LAST, 0, 5), done);
	serve_late(serve, done);
	ok(!done->first, "no one is late at once");
	nanosleep(&nap, NULL);
	serve_late(serve, done);
	ok(length(done) == 1 && done->first->answer->error == -ETIMEDOUT,
	   "one that waits in vain is informed");
	take_all(done);
	serve_slot(serve, interleaved(KIND_WRITE_ALL, 4, 0, REQUEST_LAST, 1, 5), done);
	ok(length(done) == 1 && done->first->answer->error == -ETIMEDOUT,
	   "and so are those who come later");
	take_all(done);
	for (uint32_t i = 0; i < RANKS; i++)
		serve_slot(serve, interleaved(KIND_WRITE_ALL, 5, 0, REQUEST_LAST, i, 50), done);
	ok(take_all(done) == 1, "the next call is whole again");
}

static void bad(struct serve *serve, struct queue *done)
{
	struct slot *slot = interleaved(KIND_WRITE, 0, 0, 0, 0, 5);

	slot->request->file = 77;
	serve_slot(serve, slot, done);
	ok(done->first->answer->error == -EBADF && take_all(done) == -1,
	   "a file that is not open");
	ok(open_path(serve, done, "/nowhere/file") == -ENOENT, "a path that is not there");
	ok(serve->files.error[ERROR_OPEN] == 1 && serve->files.error[ERROR_WRITE] == 1,
	   "both are counted");
}

int main(void)
{
	int fd = mkstemp(path);
	struct serve serve;
	struct queue done;

	close(fd);
	queue_new(&done);
	serve_new(&serve, RANKS, 200000000);
	ok(!open_path(&serve, &done, path), "a subfile is opened");
	together(&serve, &done);
	ahead(&serve, &done);
	reads(&serve, &done);
	late(&serve, &done);
	bad(&serve, &done);
	serve_free(&serve);
	unlink(path);
	return tap_exit();
}

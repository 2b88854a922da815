// SPDX-License-Identifier: LGPL-2.1-or-later
/* Domains, strips that are wanted of them, then rounds: copies, one exchange, one file access. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/exchange.h"
#include "exchange/strip.h"

/* Another rank: this one's strips of its domain, and its strips of this one's */
struct peer {
	int64_t at, end;		/* in its view: next byte that this rank wants, and end */
	struct reader reader;
};

/* Bytes of one round with each rank */
struct flow {
	int *counts, *places;
	char *bytes;
	size_t room;
};

struct state {
	const struct ground *ground;
	const struct access *access;
	int64_t base, width;		/* of the domains, bytes */
	struct peer *peers;
	struct strips wanted;		/* by this rank */
	struct strip *told;		/* by the others */
	struct flow mine, theirs;
	int64_t own;			/* wanted of its own domain in a round, bytes */
	int error;			/* errno */
};

/* Others wait for this rank in the exchange: there is no way to leave it alone. */
static void *need(const struct state *s, void *memory)
{
	if (!memory) {
		fprintf(stderr, "liquid: out of memory in a collective access to a file\n");
		MPI_Abort(s->ground->comm, 1);
	}
	return memory;
}

static void mpi_check(struct state *s, int mpi_error)
{
	if (mpi_error)
		s->error = EPROTO;
}

static int64_t min_of(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* ---- domains ---- */

static void cut_domains(struct state *s)
{
	const struct ground *g = s->ground;
	int64_t step = g->stripe * g->size;

	s->base = g->low / g->stripe * g->stripe;
	s->width = (g->high - s->base + step - 1) / step * g->stripe;
}

static int64_t domain(const struct state *s, int rank)
{
	return s->base + rank * s->width;
}

/* Where the view of this rank's access comes to offset @limit of the file */
static int64_t view_at(const struct access *access, int64_t limit)
{
	int64_t at = flat_below(access->view, access->disp, limit), first = access->start;

	return at < first ? first : min_of(at, first + access->bytes);
}

static void want(struct state *s)
{
	const struct access *a = s->access;

	for (int rank = 0; rank < s->ground->size && a->bytes; rank++) {
		s->peers[rank].at = view_at(a, domain(s, rank));
		s->peers[rank].end = view_at(a, domain(s, rank + 1));
	}
}

/* ---- exchange of strips ---- */

static int64_t strips_place(const struct state *s, struct flow *flow)
{
	int64_t place = 0;

	for (int rank = 0; rank < s->ground->size; rank++) {
		flow->places[rank] = (int)place;
		place += flow->counts[rank];
	}
	return place;
}

/* Append strips of the view's bytes from @from to @to, @most of them. False: no memory */
static bool list_strips(const struct access *access, int64_t from, int64_t to, size_t most,
			struct strips *strips)
{
	struct cursor view;

	cursor_seek(&view, access->view, access->disp, from);
	while (from < to && strips->count <= most) {
		struct run run = cursor_next(&view, to - from);

		if (!strips_add(strips, run.offset, run.length))
			return false;
		from += run.length;
	}
	return true;
}

void wish_make(struct wish *wish, const struct access *access)
{
	int64_t end = access->start + access->bytes;
	struct strips strips = { 0 };
	struct cursor view;

	cursor_seek(&view, access->view, access->disp, access->start);
	wish->low = cursor_offset(&view);
	cursor_seek(&view, access->view, access->disp, end - 1);
	wish->high = cursor_offset(&view) + 1;
	wish->bytes = access->bytes;
	if (list_strips(access, access->start, end, 1, &strips) && strips.count == 1)
		wish->strip = strips.list[0];
	free(strips.list);
}

/* Does each rank know from the wishes what all others want? */
static bool is_known(const struct ground *ground)
{
	for (int rank = 0; rank < ground->size; rank++)
		if (ground->wish[rank].bytes && !ground->wish[rank].strip.length)
			return false;
	return true;
}

static void know(struct state *s)
{
	const struct ground *g = s->ground;

	for (int rank = 0; rank < g->size; rank++) {
		const struct strip *strip = &g->wish[rank].strip;
		struct reader *reader = &s->peers[rank].reader;

		*reader = (struct reader){ .at = strip, .end = strip + (strip->length > 0) };
		reader_skip(reader, domain(s, g->rank));
	}
}

/* Strips of one domain must not continue those of another: each domain has its own list. */
static void list_wanted(struct state *s)
{
	for (int rank = 0; rank < s->ground->size; rank++) {
		const struct peer *peer = &s->peers[rank];
		struct strips part = { 0 }, *all = &s->wanted;

		need(s, list_strips(s->access, peer->at, peer->end, SIZE_MAX, &part) ? s : NULL);
		s->mine.counts[rank] = (int)part.count;
		s->mine.places[rank] = (int)all->count;
		all->list = need(s, realloc(all->list, (all->count + part.count + 1) *
					    sizeof(*all->list)));
		if (part.count)
			memcpy(all->list + all->count, part.list,
			       part.count * sizeof(*part.list));
		all->count += part.count;
		free(part.list);
	}
}

#define STRIP_WORDS ((int)(sizeof(struct strip) / sizeof(int64_t)))

/* From rank to rank: liquid skips calls of MPI_Alltoallv() after small ones. */
static void send_strips(struct state *s)
{
	const struct flow *mine = &s->mine, *theirs = &s->theirs;
	int size = s->ground->size, count = 0;
	MPI_Request *requests = need(s, calloc(2 * (size_t)size, sizeof(*requests)));

	for (int rank = 0; rank < size; rank++) {
		if (theirs->counts[rank])
			mpi_check(s, PMPI_Irecv(s->told + theirs->places[rank],
						theirs->counts[rank] * STRIP_WORDS, MPI_INT64_T,
						rank, 0, s->ground->comm, &requests[count++]));
		if (mine->counts[rank])
			mpi_check(s, PMPI_Isend(s->wanted.list + mine->places[rank],
						mine->counts[rank] * STRIP_WORDS, MPI_INT64_T,
						rank, 0, s->ground->comm, &requests[count++]));
	}
	mpi_check(s, PMPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
	free(requests);
}

static void exchange_tell(struct state *s)
{
	list_wanted(s);
	mpi_check(s, PMPI_Alltoall(s->mine.counts, 1, MPI_INT, s->theirs.counts, 1, MPI_INT,
				   s->ground->comm));
	s->told = need(s, malloc(((size_t)strips_place(s, &s->theirs) + 1) * sizeof(*s->told)));
	if (!s->error)
		send_strips(s);
	for (int rank = 0; rank < s->ground->size && !s->error; rank++) {
		struct strip *first = s->told + s->theirs.places[rank];

		s->peers[rank].reader = (struct reader){
			.at = first, .end = first + s->theirs.counts[rank],
		};
	}
}

/* ---- a round ---- */

static char *exchange_make_room(const struct state *s, struct flow *flow)
{
	size_t bytes = (size_t)strips_place(s, flow);

	if (bytes > flow->room) {
		free(flow->bytes);
		flow->bytes = need(s, malloc(bytes));
		flow->room = bytes;
	}
	return flow->bytes;
}

/* How much of each window this rank wants; the peers go behind it. */
static void count_mine(struct state *s, int64_t end)
{
	int own = s->ground->rank;

	for (int rank = 0; rank < s->ground->size; rank++) {
		struct peer *peer = &s->peers[rank];
		int64_t limit = min_of(domain(s, rank) + end, domain(s, rank + 1));
		int64_t to = peer->at < peer->end ? view_at(s->access, limit) : peer->at;

		s->mine.counts[rank] = (int)(to - peer->at);
		peer->at = to;
	}
	s->own = s->mine.counts[own];
	s->mine.counts[own] = 0;
	exchange_make_room(s, &s->mine);
}

static void count_theirs(struct state *s)
{
	for (int rank = 0; rank < s->ground->size; rank++) {
		struct reader reader = s->peers[rank].reader;
		struct run run;

		s->theirs.counts[rank] = 0;
		while (rank != s->ground->rank &&
		       (run = reader_next(&reader, s->ground->window->end)).length)
			s->theirs.counts[rank] += (int)run.length;
	}
	exchange_make_room(s, &s->theirs);
}

/* Between the program's buffer and what goes over the network */
static void copy_mine(const struct state *s)
{
	const struct access *a = s->access;

	for (int rank = 0; rank < s->ground->size; rank++) {
		int64_t left = s->mine.counts[rank];
		char *bytes = s->mine.bytes + s->mine.places[rank];
		struct cursor memory;

		if (left)
			cursor_seek(&memory, a->memory, 0, s->peers[rank].at - left - a->start);
		while (left) {
			struct run run = cursor_next(&memory, left);
			char *own = a->buffer + run.offset;

			memcpy(a->write ? bytes : own, a->write ? own : bytes, (size_t)run.length);
			bytes += run.length;
			left -= run.length;
		}
	}
}

/* Between the program's buffer and the window; bytes of this rank's domain take no other way. */
static void copy_own(struct state *s)
{
	const struct access *a = s->access;
	struct window *window = s->ground->window;
	struct peer *peer = &s->peers[s->ground->rank];
	struct cursor memory;
	struct run run;

	if (s->own)
		cursor_seek(&memory, a->memory, 0, peer->at - s->own - a->start);
	while ((run = reader_next(&peer->reader, window->end)).length) {
		char *bytes = window_mean(window, run.offset, run.length);

		while (run.length) {
			struct run part = cursor_next(&memory, run.length);
			char *own = a->buffer + part.offset;

			memcpy(a->write ? bytes : own, a->write ? own : bytes, (size_t)part.length);
			bytes += part.length;
			run.length -= part.length;
		}
	}
}

enum what { TAKE, MEAN, GIVE };

/* Between the window and the network's buffers; or only mark the ranges. */
static void copy_theirs(struct state *s, enum what what)
{
	struct window *window = s->ground->window;

	for (int rank = 0; rank < s->ground->size; rank++) {
		char *bytes = s->theirs.bytes + s->theirs.places[rank];
		struct reader reader = s->peers[rank].reader;
		struct run run;

		if (rank == s->ground->rank && what != MEAN)
			continue;
		while ((run = reader_next(&reader, window->end)).length) {
			char *own = what == GIVE ? window->bytes + run.offset - window->begin :
				    window_mean(window, run.offset, run.length);

			if (what != MEAN)
				memcpy(what == GIVE ? bytes : own, what == GIVE ? own : bytes,
				       (size_t)run.length);
			bytes += run.length;
		}
		if (what != MEAN)
			s->peers[rank].reader = reader;
	}
}

static void exchange_send(struct state *s, const struct flow *from, const struct flow *to)
{
	mpi_check(s, MPI_Alltoallv(from->bytes, from->counts, from->places, MPI_BYTE, to->bytes,
				   to->counts, to->places, MPI_BYTE, s->ground->comm));
}

static void exchange_note(struct state *s, int error)
{
	s->error = error > s->error ? error : s->error;
}

static void write_round(struct state *s)
{
	copy_mine(s);
	copy_own(s);
	exchange_send(s, &s->mine, &s->theirs);
	copy_theirs(s, TAKE);
	exchange_note(s, window_write(s->ground->window, s->ground->file));
}

static void read_round(struct state *s)
{
	copy_theirs(s, MEAN);
	exchange_note(s, window_read(s->ground->window, s->ground->file));
	copy_theirs(s, GIVE);
	copy_own(s);
	exchange_send(s, &s->theirs, &s->mine);
	copy_mine(s);
}

/* Bytes of each domain from @begin on */
static void round_at(struct state *s, int64_t begin)
{
	const struct ground *g = s->ground;
	int64_t end = begin + g->window->room, first = domain(s, g->rank);

	window_set(g->window, first + begin, min_of(first + end, domain(s, g->rank + 1)));
	count_mine(s, end);
	count_theirs(s);
	if (s->access->write)
		write_round(s);
	else
		read_round(s);
}

/* In the file */
static int64_t first_wanted(const struct state *s, const struct peer *peer)
{
	struct cursor view;

	cursor_seek(&view, s->access->view, s->access->disp, peer->at);
	return cursor_offset(&view);
}

/* Where the next window begins in all domains: none is for bytes that no rank wants. */
static int64_t next_round(struct state *s, int64_t begin)
{
	int64_t next = s->width, first;

	if (!s->ground->sparse)
		return begin;
	for (int rank = 0; rank < s->ground->size; rank++)
		if (s->peers[rank].at < s->peers[rank].end)
			next = min_of(next, first_wanted(s, &s->peers[rank]) - domain(s, rank));
	mpi_check(s, PMPI_Allreduce(&next, &first, 1, MPI_INT64_T, MPI_MIN, s->ground->comm));
	return s->error == EPROTO ? s->width : first / s->ground->stripe * s->ground->stripe;
}

static void rounds(struct state *s)
{
	int64_t begin = next_round(s, 0);

	while (begin < s->width && s->error != EPROTO) {
		round_at(s, begin);
		begin = next_round(s, begin + s->ground->window->room);
	}
}

/* ---- begin and end ---- */

static void make_state(struct state *s)
{
	size_t size = (size_t)s->ground->size;
	int *counts = calloc(4 * size, sizeof(*counts));

	s->peers = need(s, calloc(size, sizeof(*s->peers)));
	s->mine.counts = need(s, counts);
	s->mine.places = counts + size;
	s->theirs.counts = counts + 2 * size;
	s->theirs.places = counts + 3 * size;
}

static void free_state(struct state *s)
{
	free(s->mine.counts);
	free(s->mine.bytes);
	free(s->theirs.bytes);
	free(s->wanted.list);
	free(s->told);
	free(s->peers);
}

/* Returns an errno of this rank. */
static int go(const struct ground *ground, const struct access *access)
{
	struct state s = { .ground = ground, .access = access };

	cut_domains(&s);
	make_state(&s);
	want(&s);
	if (is_known(ground))
		know(&s);
	else
		exchange_tell(&s);
	if (s.error != EPROTO)
		rounds(&s);
	free_state(&s);
	return s.error;
}

/* One block of memory and of the file needs no window. */
static int go_alone(const struct ground *ground, const struct access *access)
{
	struct ground alone = *ground;
	struct cursor view, memory;
	struct run there, here;

	if (!access->bytes)
		return 0;
	cursor_seek(&view, access->view, access->disp, access->start);
	cursor_seek(&memory, access->memory, 0, 0);
	there = cursor_next(&view, access->bytes);
	here = cursor_next(&memory, access->bytes);
	if (there.length == access->bytes && here.length == access->bytes)
		return block_access(ground->file, access->write, access->buffer + here.offset,
				    there);
	alone.comm = ground->self;
	alone.wish = ground->wish + ground->rank;
	alone.rank = 0;
	alone.size = 1;
	return go(&alone, access);
}

int exchange(const struct ground *ground, const struct access *access)
{
	int error = ground->apart ? go_alone(ground, access) : go(ground, access), worst;

	if (PMPI_Allreduce(&error, &worst, 1, MPI_INT, MPI_MAX, ground->comm))
		worst = EPROTO;
	return worst;
}

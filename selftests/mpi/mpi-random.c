// SPDX-License-Identifier: GPL-2.0-only
/*
 * mpi-random: random collective calls, each compared with the same exchange by plain messages
 *
 *	mpi-random SEED CALLS [BYTES]
 *
 * Calls differ in function, communicator, counts, types, layout, and order of entry; up to
 * OUTSTANDING are under way at once. What is the same on all ranks is drawn from SEED and the
 * number of the call, and what is a rank's own from its rank as well. Messages have at most BYTES
 * (default 20000). Rank 0 prints one line of results. Exits 0 if all that came was right, gaps
 * between the elements included.
 */
#include <inttypes.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OUTSTANDING	4
#define RANKS_MAX	64
#define QUAD		4	/* basic elements of a derived type; counts are multiples of it */

static int rank, ranks;
static uint64_t seed, most_bytes = 20000;

/* ---- draws ---- */

enum what {
	PLACE, CALL, WAIT, LENGTH, KIND, IN_PLACE, BASE, FLUSH, RENEW, FORM, LAYOUT, DELAY, ORDER
};

static uint64_t mix(uint64_t value)
{
	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
	value = (value ^ value >> 27) * 0x94d049bb133111eb;
	return value ^ value >> 31;
}

/* The same on all ranks */
static unsigned int draw(unsigned int call, enum what what, uint64_t more, unsigned int bound)
{
	return (unsigned int)(mix(mix(mix(mix(seed) + call) + what) + more) % bound);
}

static unsigned int draw_own(unsigned int call, enum what what, uint64_t more, unsigned int bound)
{
	return draw(call, what, more + 1000000 * (1 + (uint64_t)rank), bound);
}

/* ---- types: the same quads of elements, each in several forms ---- */

#define BASES 3
#define FORMS 5

static const MPI_Datatype *bases(void)
{
	static MPI_Datatype types[BASES];

	types[0] = MPI_BYTE;
	types[1] = MPI_INT;
	types[2] = MPI_DOUBLE;
	return types;
}

static const int base_bytes[BASES] = { 1, sizeof(int), sizeof(double) };
static MPI_Datatype quads[BASES][FORMS];	/* form 0: the basic type, QUAD times the count */

static void make_quads(int base)
{
	MPI_Datatype type = bases()[base], whole, *quad = quads[base];
	int size = base_bytes[base];
	const int places[QUAD] = { 3, 0, 6, 1 };

	quad[0] = type;
	MPI_Type_contiguous(QUAD, type, &quad[1]);
	MPI_Type_vector(QUAD, 1, 2, type, &quad[2]);
	MPI_Type_contiguous(QUAD, type, &whole);
	MPI_Type_create_resized(whole, 0, QUAD * size + 5, &quad[3]);
	MPI_Type_free(&whole);
	MPI_Type_create_indexed_block(QUAD, 1, places, type, &quad[4]);
	for (int form = 1; form < FORMS; form++)
		MPI_Type_commit(&quad[form]);
}

static void free_quads(int base)
{
	for (int form = 1; form < FORMS; form++)
		MPI_Type_free(&quads[base][form]);
}

/* ---- communicators ---- */

enum place_name { WORLD, COPY, REVERSED, HALVES, FEW, BETWEEN, RING, GRID, GRAPH, PLACES };

static const char *const place_names[] = {
	"world", "copy", "reversed", "halves", "few", "between", "ring", "grid", "graph"
};

struct place {
	MPI_Comm comm;			/* MPI_COMM_NULL: this rank is not in it */
	MPI_Comm plain;			/* for the messages to compare with */
	bool neighbors, between;
	int to_count, from_count;
	int to[RANKS_MAX], from[RANKS_MAX];	/* ranks in it, or MPI_PROC_NULL */
	int to_world[RANKS_MAX], from_world[RANKS_MAX];
	int index;			/* which of several such, for halves */
};

static struct place places[PLACES];

static void make_between(struct place *place)
{
	MPI_Comm half;

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 77, &place->comm);
	MPI_Comm_free(&half);
	place->between = true;
}

static void make_ring(struct place *place)
{
	int size = ranks, around = 1;

	MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &around, 0, &place->comm);
	place->from_count = 2;
	MPI_Cart_shift(place->comm, 0, 1, &place->from[0], &place->from[1]);
}

/* Two rows; what lies beyond the edges is MPI_PROC_NULL, and one rank may have been left out. */
static void make_grid(struct place *place)
{
	int sizes[2] = { 2, ranks / 2 }, around[2] = { 0, 0 };

	MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, around, 0, &place->comm);
	place->from_count = 4;
	for (int i = 0; i < 2 && place->comm != MPI_COMM_NULL; i++)
		MPI_Cart_shift(place->comm, i, 1, &place->from[2 * i], &place->from[2 * i + 1]);
}

/* Each sends to itself, the next and, if it is even, to the one before; 0 gets nothing else. */
static bool graph_has(int from, int to)
{
	return from == to || to == (from + 1) % ranks ||
	       (from % 2 == 0 && to == (from + ranks - 1) % ranks);
}

static void make_graph(struct place *place)
{
	static const int weights[RANKS_MAX];

	for (int other = 0; other < ranks; other++) {
		if (graph_has(rank, other))
			place->to[place->to_count++] = other;
		if (graph_has(other, rank))
			place->from[place->from_count++] = other;
	}
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, place->from_count, place->from, weights,
				       place->to_count, place->to, weights, MPI_INFO_NULL, 0,
				       &place->comm);
}

static void list_all(struct place *place)
{
	if (place->between)
		MPI_Comm_remote_size(place->comm, &place->from_count);
	else
		MPI_Comm_size(place->comm, &place->from_count);
	for (int i = 0; i < place->from_count; i++)
		place->from[i] = i;
}

/* Ranks of the world, from which the lengths of messages are drawn */
static void find_world(struct place *place, const int *at, int *in_world, int count)
{
	MPI_Group group, world;

	if (place->between)
		MPI_Comm_remote_group(place->comm, &group);
	else
		MPI_Comm_group(place->comm, &group);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_translate_ranks(group, count, at, world, in_world);
	MPI_Group_free(&group);
	MPI_Group_free(&world);
}

static void make_place(enum place_name name)
{
	struct place *place = &places[name];

	*place = (struct place){ .comm = MPI_COMM_NULL, .plain = MPI_COMM_NULL,
				 .neighbors = name >= RING };
	switch (name) {
	case REVERSED:
		MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &place->comm);
		break;
	case HALVES:
		MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &place->comm);
		break;
	case FEW:
		MPI_Comm_split(MPI_COMM_WORLD, rank < 3 ? 0 : MPI_UNDEFINED, rank, &place->comm);
		break;
	case BETWEEN:
		make_between(place);
		break;
	case RING:
		make_ring(place);
		break;
	case GRID:
		make_grid(place);
		break;
	case GRAPH:
		make_graph(place);
		break;
	default:
		MPI_Comm_dup(MPI_COMM_WORLD, &place->comm);
	}
	if (name == WORLD) {
		place->plain = place->comm;
		place->comm = MPI_COMM_WORLD;
	} else if (place->comm != MPI_COMM_NULL) {
		MPI_Comm_dup(place->comm, &place->plain);
	}
	if (place->comm == MPI_COMM_NULL)
		return;
	if (!place->neighbors)
		list_all(place);
	if (!place->to_count) {
		place->to_count = place->from_count;
		memcpy(place->to, place->from, sizeof(place->to));
	}
	find_world(place, place->to, place->to_world, place->to_count);
	find_world(place, place->from, place->from_world, place->from_count);
}

static void free_place(enum place_name name)
{
	struct place *place = &places[name];

	if (place->comm == MPI_COMM_NULL)
		return;
	MPI_Comm_free(&place->plain);
	if (name != WORLD)
		MPI_Comm_free(&place->comm);
}

/* ---- a call ---- */

struct side {
	MPI_Datatype type;
	MPI_Aint extent;
	int per_quad;			/* elements of @type */
	int counts[RANKS_MAX], displs[RANKS_MAX];
	size_t bytes;
	unsigned char *buffer;
};

struct op {
	unsigned int call;
	enum place_name name;
	bool v, in_place;		/* v: each message has its own length */
	struct side send, recv;
	unsigned char *expected;	/* what recv.buffer was before, until it is compared */
	uint64_t sum;			/* of the send buffer, which no call may write to */
	MPI_Request request;
};

/* Lengths in quads, known to both sides: some 0, most small, some up to the limit */
static int length(const struct op *op, int base, int src, int dst)
{
	uint64_t pair = op->v ? (uint64_t)src << 20 | (uint64_t)dst << 8 : 0;
	uint64_t most = most_bytes / QUAD / (uint64_t)base_bytes[base];

	if (op->v && op->in_place && src > dst)
		return length(op, base, dst, src);
	switch (draw(op->call, KIND, pair, 8)) {
	case 0:
		return 0;
	case 1:
	case 2:
		return (int)draw(op->call, LENGTH, pair, 20);
	case 3:
		return (int)most;
	default:
		return (int)draw(op->call, LENGTH, pair, (unsigned int)most + 1);
	}
}

/*
 * Counts and places of the messages of a side, @sends: out of it. Without v they follow one
 * another. Else there may be gaps, and the last message may come first.
 */
static void lay_out(struct side *side, const struct op *op, int base, bool sends)
{
	const struct place *place = &places[op->name];
	int count = sends ? place->to_count : place->from_count, at = 0;
	unsigned int layout = op->v ? draw_own(op->call, LAYOUT, sends, 3) : 0;

	for (int i = 0; i < count; i++) {
		int m = layout == 2 ? count - 1 - i : i;
		int other = sends ? place->to_world[m] : place->from_world[m];
		bool none = (sends ? place->to[m] : place->from[m]) == MPI_PROC_NULL;
		int quad_count = none && op->v ? 0 :
				 length(op, base, sends ? rank : other, sends ? other : rank);

		side->counts[m] = quad_count * side->per_quad;
		side->displs[m] = at;
		at += side->counts[m] + (layout == 1 ? 3 : 0);
	}
	side->bytes = (size_t)at * (size_t)side->extent;
}

/* Most sides have the basic type; the others' forms differ from rank to rank. */
static void choose_type(struct side *side, const struct op *op, int base, bool sends)
{
	unsigned int form = draw_own(op->call, FORM, sends, 3 * FORMS);
	MPI_Aint lb;

	if (form >= FORMS)
		form = 0;
	side->type = quads[base][form];
	side->per_quad = form ? 1 : QUAD;
	MPI_Type_get_extent(side->type, &lb, &side->extent);
}

static void take_buffer(struct side *side, uint64_t salt)
{
	side->buffer = malloc(side->bytes + sizeof(uint64_t));
	if (!side->buffer)
		MPI_Abort(MPI_COMM_WORLD, 2);
	for (size_t i = 0; i < side->bytes; i += sizeof(salt), salt += 0x9e3779b97f4a7c15) {
		uint64_t word = mix(salt);

		memcpy(side->buffer + i, &word, sizeof(word));
	}
}

static uint64_t sum_of(const struct side *side)
{
	uint64_t sum = 0, word;

	for (size_t i = 0; i + sizeof(word) <= side->bytes; i += sizeof(word)) {
		memcpy(&word, side->buffer + i, sizeof(word));
		sum = (sum ^ word) * 0x100000001b3;
	}
	return sum;
}

static void make_op(struct op *op, unsigned int call, enum place_name name)
{
	bool may = name < BETWEEN;
	int base;

	memset(op, 0, sizeof(*op));
	op->call = call;
	op->name = name;
	op->request = MPI_REQUEST_NULL;
	op->v = draw(call, CALL, 0, 2);
	op->in_place = may && draw(call, IN_PLACE, 0, 8) == 0;
	base = (int)draw(call, BASE, 0, BASES);
	choose_type(&op->send, op, base, true);
	choose_type(&op->recv, op, base, false);
	if (op->in_place)
		op->send = op->recv;
	lay_out(&op->recv, op, base, false);
	if (op->in_place)
		op->send = op->recv;
	else
		lay_out(&op->send, op, base, true);
	take_buffer(&op->recv, mix(mix(seed) + call) + (uint64_t)rank);
	/* What goes in place is sent from a copy when it is compared. */
	take_buffer(&op->send, mix(mix(seed) + call) + (op->in_place ? (uint64_t)rank :
						   ~(uint64_t)rank));
	op->expected = malloc(op->recv.bytes + 1);
	if (!op->expected)
		MPI_Abort(MPI_COMM_WORLD, 2);
	memcpy(op->expected, op->recv.buffer, op->recv.bytes);
	op->sum = sum_of(&op->send);
}

static void free_op(struct op *op)
{
	free(op->send.buffer);
	free(op->recv.buffer);
	free(op->expected);
}

static void start_equal(struct op *op, const void *from, bool wait)
{
	const struct place *place = &places[op->name];
	struct side *send = &op->send, *recv = &op->recv;

	if (place->neighbors && wait)
		MPI_Neighbor_alltoall(from, send->counts[0], send->type, recv->buffer,
				      recv->counts[0], recv->type, place->comm);
	else if (place->neighbors)
		MPI_Ineighbor_alltoall(from, send->counts[0], send->type, recv->buffer,
				       recv->counts[0], recv->type, place->comm, &op->request);
	else if (wait)
		MPI_Alltoall(from, send->counts[0], send->type, recv->buffer, recv->counts[0],
			     recv->type, place->comm);
	else
		MPI_Ialltoall(from, send->counts[0], send->type, recv->buffer, recv->counts[0],
			      recv->type, place->comm, &op->request);
}

static void start_v(struct op *op, const void *from, bool wait)
{
	const struct place *place = &places[op->name];
	struct side *send = &op->send, *recv = &op->recv;

	if (place->neighbors && wait)
		MPI_Neighbor_alltoallv(from, send->counts, send->displs, send->type, recv->buffer,
				       recv->counts, recv->displs, recv->type, place->comm);
	else if (place->neighbors)
		MPI_Ineighbor_alltoallv(from, send->counts, send->displs, send->type,
					recv->buffer, recv->counts, recv->displs, recv->type,
					place->comm, &op->request);
	else if (wait)
		MPI_Alltoallv(from, send->counts, send->displs, send->type, recv->buffer,
			      recv->counts, recv->displs, recv->type, place->comm);
	else
		MPI_Ialltoallv(from, send->counts, send->displs, send->type, recv->buffer,
			       recv->counts, recv->displs, recv->type, place->comm, &op->request);
}

static void start(struct op *op)
{
	const void *from = op->in_place ? MPI_IN_PLACE : op->send.buffer;
	/* Open MPI 4.1.4's own MPI_Ialltoallv() in place brings wrong data now and then. */
	bool wait = draw(op->call, WAIT, 0, 5) < 2 || (op->v && op->in_place);

	if (draw_own(op->call, DELAY, 0, 20) == 0)
		usleep(draw_own(op->call, DELAY, 1, 5000));
	if (op->v)
		start_v(op, from, wait);
	else
		start_equal(op, from, wait);
}

/* ---- the same by plain messages ---- */

/* Returns whether the call has brought the same. */
static bool compare(struct op *op)
{
	const struct place *place = &places[op->name];
	MPI_Request requests[2 * RANKS_MAX];
	int count = 0, tag = (int)(op->call % 30000);

	for (int i = 0; i < place->from_count; i++)
		MPI_Irecv(op->expected + op->recv.displs[i] * op->recv.extent, op->recv.counts[i],
			  op->recv.type, place->from[i], tag, place->plain, &requests[count++]);
	for (int i = 0; i < place->to_count; i++)
		MPI_Isend(op->send.buffer + op->send.displs[i] * op->send.extent,
			  op->send.counts[i], op->send.type, place->to[i], tag, place->plain,
			  &requests[count++]);
	MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
	if (!memcmp(op->expected, op->recv.buffer, op->recv.bytes) &&
	    sum_of(&op->send) == op->sum)
		return true;
	fprintf(stderr, "mpi-random: seed %" PRIu64 ", call %u on '%s'%s%s, rank %d: wrong data\n",
		seed, op->call, place_names[op->name], op->v ? ", each its own length" : "",
		op->in_place ? ", in place" : "", rank);
	return false;
}

/* ---- all calls ---- */

static struct op ops[OUTSTANDING];
static unsigned int op_count;

/* Wait in this rank's own order, then compare in the common one. */
static unsigned int flush(unsigned int call)
{
	unsigned int wrong = 0, first = op_count ? draw_own(call, ORDER, 0, op_count) : 0;

	for (unsigned int i = 0; i < op_count; i++)
		MPI_Wait(&ops[(first + i) % op_count].request, MPI_STATUS_IGNORE);
	for (unsigned int i = 0; i < op_count; i++) {
		wrong += !compare(&ops[i]);
		free_op(&ops[i]);
	}
	op_count = 0;
	return wrong;
}

static unsigned int run(unsigned int calls, unsigned int *made)
{
	unsigned int wrong = 0, under_way = 0;

	for (unsigned int call = 0; call < calls; call++) {
		enum place_name name = (enum place_name)draw(call, PLACE, 0, PLACES);

		if (places[name].comm != MPI_COMM_NULL) {
			make_op(&ops[op_count], call, name);
			start(&ops[op_count++]);
			++*made;
		}
		if (++under_way < OUTSTANDING && draw(call, FLUSH, 0, 4))
			continue;
		wrong += flush(call);
		under_way = 0;
		if (draw(call, RENEW, 0, 10) == 0) {
			free_place(name);
			make_place(name);
		}
	}
	return wrong + flush(calls);
}

int main(int argc, char **argv)
{
	unsigned int mine[2] = { 0, 0 }, all[2];	/* calls made, and wrong ones */

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (argc < 3 || ranks < 4 || ranks > RANKS_MAX) {
		fputs("usage: mpi-random SEED CALLS [BYTES], with 4 to 64 ranks\n", stderr);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	seed = strtoull(argv[1], NULL, 0);
	if (argc > 3)
		most_bytes = strtoull(argv[3], NULL, 0);
	for (int base = 0; base < BASES; base++)
		make_quads(base);
	for (int name = 0; name < PLACES; name++)
		make_place((enum place_name)name);
	mine[1] = run((unsigned int)strtoul(argv[2], NULL, 0), &mine[0]);
	MPI_Reduce(mine, all, 2, MPI_UNSIGNED, MPI_SUM, 0, MPI_COMM_WORLD);
	for (int name = 0; name < PLACES; name++)
		free_place((enum place_name)name);
	for (int base = 0; base < BASES; base++)
		free_quads(base);
	if (!rank)
		printf("seed=%" PRIu64 " calls=%u compared=%u wrong=%u\n", seed, mine[0], all[0],
		       all[1]);
	MPI_Finalize();
	return mine[1] != 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * mpi-cases: calls in which one rank differs from the others
 *
 *	mpi-cases CASE CALLS BYTES [ARGUMENT]
 *
 * In each call every rank sends BYTES to each, and every word is checked. CASE says what is odd
 * about rank ODD:
 *
 *	plain		nothing
 *	empty		nothing; the first of equal calls has no bytes at all
 *	type		its receive buffer has gaps (a derived type)
 *	zero		it sends and gets nothing (MPI_Alltoallv)
 *	counts		it has room for more than the last rank sends to it (MPI_Alltoallv)
 *	in-place	all ranks give MPI_IN_PLACE
 *	file		rank 0 renames ARGUMENT.next to ARGUMENT after half of the calls
 *	written		rank 0 begins to write ARGUMENT.next to ARGUMENT then, and ends 300 ms later
 *	late		it enters every second call ARGUMENT ms after the others
 *	stops		it sleeps ARGUMENT ms before each step of a call
 *	fails		it has an error in a call of the MPI, which all get
 *	handles		the same in a non-blocking call, of which an error handler is informed
 *	killed		it dies in the middle of the calls, while one is under way
 *	two		it and all others run calls on two communicators at once
 *	waits		it waits for a message of rank 0, which has to complete the call first
 *	first		it pauses between a first non-blocking call and one that MPI itself serves
 *	small		it asks late for the second of two calls, the first of which is small
 *	frees		nothing; an attribute that MPI copies frees a communicator at its end
 *	attributes	nothing; attributes of a type make calls when it is copied and freed
 *	freed		each call has its own communicator, which is freed at once
 *	alive		nothing; each call has its own communicator, which stays
 *	crowded		the same, when the MPI has no more than one left
 *	ends		it ends MPI ARGUMENT ms after the others, which wait for it with their wires
 *	large		nothing; the forms of MPI 4 for large counts, two calls each time
 *
 * Rank 0 prints one line of results. Exits 0 if every word was right.
 */
#include <inttypes.h>
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ODD 1

static int rank, ranks;
static unsigned int calls;
static int words;		/* of a message */
static const char *argument;
static uint64_t *out, *in;
static int *counts, *places, *in_counts;
static unsigned int wrong;

static uint64_t word_at(int src, int dst, unsigned int call, int i)
{
	uint64_t place = (uint64_t)src << 48 | (uint64_t)dst << 32 | (uint64_t)i;

	return place * 0x9e3779b97f4a7c15 + call;
}

static void fill(uint64_t *to, unsigned int call, int gap)
{
	for (int dst = 0; dst < ranks; dst++)
		for (int i = 0; i < words; i++)
			to[(dst * words + i) * gap] = word_at(rank, dst, call, i);
}

static void check(const uint64_t *from, unsigned int call, int gap, bool odd_is_silent)
{
	for (int src = 0; src < ranks; src++)
		for (int i = 0; i < words; i++) {
			bool none = odd_is_silent && (src == ODD || rank == ODD);
			uint64_t word = none ? UINT64_MAX : word_at(src, rank, call, i);

			wrong += from[(src * words + i) * gap] != word;
		}
}

static void forget(void)
{
	memset(in, 0xff, 2 * (size_t)ranks * (size_t)words * sizeof(*in));
}

/* Non-blocking calls go liquid after a first blocking one. */
static void set_up(MPI_Comm comm)
{
	MPI_Alltoall(out, words, MPI_UINT64_T, in, words, MPI_UINT64_T, comm);
}

/* ---- the cases ---- */

static void plain(unsigned int call)
{
	fill(out, call, 1);
	forget();
	MPI_Alltoall(out, words, MPI_UINT64_T, in, words, MPI_UINT64_T, MPI_COMM_WORLD);
	check(in, call, 1, false);
}

static void type(unsigned int call)
{
	MPI_Datatype every_second;

	fill(out, call, 1);
	forget();
	MPI_Type_create_resized(MPI_UINT64_T, 0, 2 * sizeof(*in), &every_second);
	MPI_Type_commit(&every_second);
	MPI_Alltoall(out, words, MPI_UINT64_T, in, words,
		     rank == ODD ? every_second : MPI_UINT64_T, MPI_COMM_WORLD);
	MPI_Type_free(&every_second);
	check(in, call, rank == ODD ? 2 : 1, false);
}

static void zero(unsigned int call)
{
	for (int i = 0; i < ranks; i++) {
		counts[i] = i == ODD || rank == ODD ? 0 : words;
		places[i] = i * words;
	}
	fill(out, call, 1);
	forget();
	MPI_Alltoallv(out, counts, places, MPI_UINT64_T, in, counts, places, MPI_UINT64_T,
		      MPI_COMM_WORLD);
	check(in, call, 1, true);
}

/* The MPI itself puts up with it: the message is shorter than its place. */
static void counted(unsigned int call)
{
	for (int i = 0; i < ranks; i++) {
		counts[i] = words;
		places[i] = i * words;
	}
	fill(out, call, 1);
	forget();
	memcpy(in_counts, counts, (size_t)ranks * sizeof(*counts));
	in_counts[ranks - 1] += rank == ODD;
	MPI_Alltoallv(out, counts, places, MPI_UINT64_T, in, in_counts, places, MPI_UINT64_T,
		      MPI_COMM_WORLD);
	check(in, call, 1, false);
}

/* The first of equal calls. Not MPI_Alltoall(), which looks at the bytes itself in Open MPI. */
static void empty(unsigned int call)
{
	MPI_Request request;

	if (call) {
		plain(call);
		return;
	}
	zero(call);
	MPI_Ialltoall(out, 0, MPI_UINT64_T, in, 0, MPI_UINT64_T, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void in_place(unsigned int call)
{
	forget();
	fill(in, call, 1);
	MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, words, MPI_UINT64_T, MPI_COMM_WORLD);
	check(in, call, 1, false);
}

static void file(unsigned int call)
{
	char next[4096];

	if (call == calls / 2 && !rank) {
		snprintf(next, sizeof(next), "%s.next", argument);
		if (rename(next, argument))
			perror(next);
	}
	plain(call);
}

static void written(unsigned int call)
{
	char command[8192];

	snprintf(command, sizeof(command), "head -c 200 '%s.next' >'%s'; "
		 "(sleep 0.3; cat '%s.next' >'%s') &", argument, argument, argument, argument);
	if (call == calls / 2 && !rank && system(command))
		perror(command);
	plain(call);
}

static void late(unsigned int call)
{
	if (rank == ODD && call % 2)
		usleep(1000 * (useconds_t)atoi(argument));
	plain(call);
}

/* Whatever a call needs of ODD takes ARGUMENT ms. */
static void stops(unsigned int call)
{
	MPI_Request request;
	int done = 0;

	if (!call)
		set_up(MPI_COMM_WORLD);
	fill(out, call, 1);
	forget();
	MPI_Ialltoall(out, words, MPI_UINT64_T, in, words, MPI_UINT64_T, MPI_COMM_WORLD, &request);
	while (rank == ODD && !done) {
		usleep(1000 * (useconds_t)atoi(argument));
		MPI_Test(&request, &done, MPI_STATUS_IGNORE);
	}
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	check(in, call, 1, false);
}

/* Half of the calls are right; then one fails on ODD, and it or the next one on all others. */
static void fails(unsigned int call)
{
	bool failed = false;

	if (call < calls / 2) {
		plain(call);
		return;
	}
	if (call > calls / 2)
		return;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (rank == ODD)
		setenv("FAIL", "now", 1);
	for (int i = 0; i < 2 && !failed; i++)
		failed = MPI_Alltoall(out, words, MPI_UINT64_T, in, words, MPI_UINT64_T,
				      MPI_COMM_WORLD);
	wrong += !failed;
}

static int handled;

static void handle(MPI_Comm *comm, int *error, ...)
{
	(void)comm;
	handled += *error != MPI_SUCCESS;
}

/* The same of a non-blocking call. Open MPI 4.1 gives its error to MPI_COMM_WORLD's handler. */
static void handles(unsigned int call)
{
	MPI_Errhandler handler;
	MPI_Request request;
	MPI_Comm comm;

	if (call)
		return;
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_create_errhandler(handle, &handler);
	MPI_Comm_set_errhandler(comm, handler);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	set_up(comm);
	if (rank == ODD)
		setenv("FAIL", "now", 1);
	for (int i = 0; i < 2 && !handled; i++) {
		MPI_Ialltoall(out, words, MPI_UINT64_T, in, words, MPI_UINT64_T, comm, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	wrong += !handled;
	MPI_Errhandler_free(&handler);
}

static void killed(unsigned int call)
{
	MPI_Request request;

	if (call < calls / 2) {
		plain(call);
		return;
	}
	fill(out, call, 1);
	MPI_Ialltoall(out, words, MPI_UINT64_T, in, words, MPI_UINT64_T, MPI_COMM_WORLD, &request);
	if (rank == ODD)
		raise(SIGKILL);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void two(unsigned int call)
{
	static MPI_Comm other;
	MPI_Request requests[2];
	int half = ranks * words;

	if (!call) {
		MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &other);
		set_up(MPI_COMM_WORLD);
		set_up(other);
	}
	fill(out, call, 1);
	for (int dst = 0; dst < ranks; dst++)
		memcpy(out + half + dst * words, out + (ranks - 1 - dst) * words,
		       (size_t)words * sizeof(*out));
	forget();
	MPI_Ialltoall(out, words, MPI_UINT64_T, in, words, MPI_UINT64_T, MPI_COMM_WORLD,
		      &requests[0]);
	MPI_Ialltoall(out + half, words, MPI_UINT64_T, in + half, words, MPI_UINT64_T, other,
		      &requests[1]);
	/* Some ranks wait for the one, some for the other. */
	MPI_Wait(&requests[rank % 2], MPI_STATUS_IGNORE);
	MPI_Wait(&requests[1 - rank % 2], MPI_STATUS_IGNORE);
	check(in, call, 1, false);
	for (int src = 0; src < ranks; src++)
		wrong += memcmp(in + half + src * words, in + (ranks - 1 - src) * words,
				(size_t)words * sizeof(*in)) != 0;
}

/* An exchange goes on while its program is in another function of MPI. */
static void waits(unsigned int call)
{
	MPI_Request request;
	int token = 0;

	if (!call)
		set_up(MPI_COMM_WORLD);
	fill(out, call, 1);
	forget();
	MPI_Ialltoall(out, words, MPI_UINT64_T, in, words, MPI_UINT64_T, MPI_COMM_WORLD, &request);
	if (rank == ODD)
		MPI_Recv(&token, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	if (!rank)
		MPI_Send(&token, 1, MPI_INT, ODD, 5, MPI_COMM_WORLD);
	check(in, call, 1, false);
}

/* Collectives meet in the order in which they were started, also the first on a communicator. */
static void first(unsigned int call)
{
	MPI_Request requests[2];
	MPI_Comm comm;
	int sum = 0, done;

	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	fill(out, call, 1);
	forget();
	MPI_Ialltoall(out, words, MPI_UINT64_T, in, words, MPI_UINT64_T, comm, &requests[0]);
	for (int i = 0; rank == ODD && i < 50; i++) {
		usleep(1000);
		MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
	}
	MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[1]);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	check(in, call, 1, false);
	wrong += sum != ranks * (ranks - 1) / 2;
	set_up(comm);
	MPI_Comm_free(&comm);
}

static int deleted;
static MPI_Comm inner;

static int copy(MPI_Comm comm, int key, void *extra, void *value, void *to, int *flag)
{
	(void)comm, (void)key, (void)extra;
	*(void **)to = value;
	*flag = 1;
	return MPI_SUCCESS;
}

/* The second time it belongs to the duplicate that liquid has made. */
static int free_inner(MPI_Comm comm, int key, void *value, void *extra)
{
	(void)comm, (void)key, (void)value, (void)extra;
	if (++deleted == 2)
		MPI_Comm_free(&inner);
	return MPI_SUCCESS;
}

static void frees(unsigned int call)
{
	MPI_Comm outer;
	int key, least = 0;

	deleted = 0;
	MPI_Comm_dup(MPI_COMM_WORLD, &outer);
	MPI_Comm_dup(MPI_COMM_WORLD, &inner);
	MPI_Comm_create_keyval(copy, free_inner, &key, NULL);
	MPI_Comm_set_attr(outer, key, NULL);
	set_up(outer);
	set_up(inner);
	MPI_Comm_free(&outer);
	MPI_Comm_free_keyval(&key);
	/* The duplicate goes in a call after all ranks have left it. */
	for (int i = 0; i < 50 && least < 2; i++) {
		plain(call);
		MPI_Allreduce(&deleted, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	}
	wrong += deleted != 2;
}

static MPI_Comm beside;
static int type_calls;

static void call_beside(void)
{
	int sent[64], got[64] = { 0 };

	for (int i = 0; i < ranks; i++)
		sent[i] = i + 1;
	MPI_Alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, beside);
	for (int i = 0; i < ranks; i++)
		wrong += got[i] != rank + 1;
	type_calls++;
}

static int copy_type(MPI_Datatype type, int key, void *extra, void *value, void *to, int *flag)
{
	(void)type, (void)key, (void)extra;
	*(void **)to = value;
	*flag = 1;
	call_beside();
	return MPI_SUCCESS;
}

static int delete_type(MPI_Datatype type, int key, void *value, void *extra)
{
	(void)type, (void)key, (void)value, (void)extra;
	call_beside();
	return MPI_SUCCESS;
}

/* Functions of the type make calls of their own when it is copied and when it is freed. */
static void attributes(unsigned int call)
{
	MPI_Request request;
	MPI_Datatype pair;
	int key;

	MPI_Comm_dup(MPI_COMM_WORLD, &beside);
	if (!call)
		set_up(MPI_COMM_WORLD);
	type_calls = 0;
	call_beside();
	MPI_Type_contiguous(2, MPI_UINT64_T, &pair);
	MPI_Type_commit(&pair);
	MPI_Type_create_keyval(copy_type, delete_type, &key, NULL);
	MPI_Type_set_attr(pair, key, NULL);
	fill(out, call, 1);
	forget();
	MPI_Ialltoall(out, words / 2, pair, in, words, MPI_UINT64_T, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Type_free(&pair);
	MPI_Type_free_keyval(&key);
	wrong += type_calls != 4;
	check(in, call, 1, false);
	MPI_Comm_free(&beside);
}

static void freed(unsigned int call)
{
	MPI_Comm comm;

	fill(out, call, 1);
	forget();
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Alltoall(out, words, MPI_UINT64_T, in, words, MPI_UINT64_T, comm);
	MPI_Comm_free(&comm);
	check(in, call, 1, false);
}

/* A non-blocking call after the set-up, which may have failed on one rank. */
static void later(unsigned int call)
{
	MPI_Request request;
	MPI_Comm comm;

	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	set_up(comm);
	fill(out, call, 1);
	forget();
	MPI_Ialltoall(out, words, MPI_UINT64_T, in, words, MPI_UINT64_T, comm, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Comm_free(&comm);
	check(in, call, 1, false);
}

/* The small call goes the MPI's own way, and ends while the other one waits for an answer. */
static void small(unsigned int call)
{
	int sent[64] = { 0 }, got[64], one[64], at[64], done;
	MPI_Request requests[2];

	if (!call)
		set_up(MPI_COMM_WORLD);
	fill(out, call, 1);
	forget();
	for (int i = 0; i < ranks; i++) {
		one[i] = 1;
		at[i] = i;
	}
	MPI_Ialltoallv(sent, one, at, MPI_INT, got, one, at, MPI_INT, MPI_COMM_WORLD,
		       &requests[0]);
	for (int i = 0; i < 20 && rank == ODD; i++) {
		usleep(1000);
		MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
	}
	MPI_Ialltoall(out, words, MPI_UINT64_T, in, words, MPI_UINT64_T, MPI_COMM_WORLD,
		      &requests[1]);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	check(in, call, 1, false);
}

static void alive(unsigned int call)
{
	MPI_Comm comm;

	fill(out, call, 1);
	forget();
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Alltoall(out, words, MPI_UINT64_T, in, words, MPI_UINT64_T, comm);
	check(in, call, 1, false);
}

#define MOST 4096

/* Those of the calls end the program on an error, as they do by default. */
static void crowded(unsigned int call)
{
	static MPI_Comm comm[MOST];
	int taken = 0;

	if (!call) {
		MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
		while (taken < MOST && !MPI_Comm_dup(MPI_COMM_WORLD, &comm[taken]))
			taken++;
		MPI_Comm_free(&comm[taken - 1]);
		MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	}
	MPI_Comm_set_errhandler(comm[call], MPI_ERRORS_ARE_FATAL);
	fill(out, call, 1);
	forget();
	MPI_Alltoall(out, words, MPI_UINT64_T, in, words, MPI_UINT64_T, comm[call]);
	check(in, call, 1, false);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

static int64_t together_ms;	/* when all ranks were about to end MPI */

/* Deleted after the attributes that are set later, among them liquid's. MPI still works. */
static int ended(MPI_Comm comm, int key, void *value, void *extra)
{
	(void)comm, (void)key, (void)value, (void)extra;
	wrong += now_ms() - together_ms < atoi(argument);
	plain(calls);
	return MPI_SUCCESS;
}

static void ends(unsigned int call)
{
	int key;

	if (!call) {
		MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, ended, &key, NULL);
		MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
	}
	plain(call);
	if (call + 1 < calls)
		return;
	MPI_Barrier(MPI_COMM_WORLD);
	together_ms = now_ms();
}

static void end_late(void)
{
	if (together_ms && rank == ODD)
		usleep(1000 * (useconds_t)atoi(argument));
}

#if MPI_VERSION >= 4
static void large(unsigned int call)
{
	MPI_Count *wide = (MPI_Count *)counts;
	MPI_Aint *at = (MPI_Aint *)places;

	fill(out, call, 1);
	forget();
	MPI_Alltoall_c(out, words, MPI_UINT64_T, in, words, MPI_UINT64_T, MPI_COMM_WORLD);
	check(in, call, 1, false);
	for (int i = 0; i < ranks; i++) {
		wide[i] = words;
		at[i] = i * words;
	}
	forget();
	MPI_Alltoallv_c(out, wide, at, MPI_UINT64_T, in, wide, at, MPI_UINT64_T, MPI_COMM_WORLD);
	check(in, call, 1, false);
}
#else
#define large NULL
#endif

static const struct odd_case {
	const char *name;
	void (*run)(unsigned int call);
} cases[] = {
	{ "plain", plain }, { "empty", empty }, { "type", type }, { "zero", zero },
	{ "counts", counted }, { "in-place", in_place }, { "file", file },
	{ "written", written }, { "late", late }, { "stops", stops }, { "fails", fails },
	{ "handles", handles }, { "killed", killed }, { "two", two }, { "waits", waits },
	{ "first", first }, { "small", small }, { "frees", frees }, { "freed", freed },
	{ "later", later },
	{ "alive", alive }, { "crowded", crowded },
	{ "attributes", attributes }, { "ends", ends }, { "large", large }, { NULL, NULL }
};

static const struct odd_case *find_case(const char *name)
{
	const struct odd_case *found = cases;

	while (found->name && strcmp(found->name, name))
		found++;
	return found->run ? found : NULL;
}

static void *allocate(size_t bytes)
{
	void *memory = calloc(1, bytes);

	if (!memory)
		MPI_Abort(MPI_COMM_WORLD, 2);
	return memory;
}

static void take_memory(void)
{
	size_t all = 2 * (size_t)ranks * (size_t)words;

	out = allocate(all * sizeof(*out));
	in = allocate(all * sizeof(*in));
	counts = allocate((size_t)ranks * sizeof(MPI_Count));
	places = allocate((size_t)ranks * sizeof(MPI_Aint));
	in_counts = allocate((size_t)ranks * sizeof(*in_counts));
}

int main(int argc, char **argv)
{
	const struct odd_case *chosen = argc > 3 ? find_case(argv[1]) : NULL;
	unsigned int all;

	if (!chosen) {
		fputs("usage: mpi-cases CASE CALLS BYTES [ARGUMENT]\n", stderr);
		return 2;
	}
	calls = (unsigned int)strtoul(argv[2], NULL, 0);
	words = atoi(argv[3]) / (int)sizeof(uint64_t);
	argument = argc > 4 ? argv[4] : "0";
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	take_memory();
	for (unsigned int call = 0; call < calls; call++)
		chosen->run(call);
	MPI_Reduce(&wrong, &all, 1, MPI_UNSIGNED, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("calls=%u wrong=%u\n", calls, all);
	end_late();
	MPI_Finalize();
	return wrong != 0;
}

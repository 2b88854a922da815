// SPDX-License-Identifier: GPL-2.0-only
/*
 * Collective calls on files: each is made by MPI_File_*(), which a preloaded object may serve, and
 * by PMPI_File_*() on a second file. Buffers, statuses, pointers and files must come out equal.
 *
 * usage: mpiio-cases random DIR CALLS SEED
 *	  mpiio-cases unjudged DIR CALLS SEED: only errors, statuses and pointers are compared
 *	  mpiio-cases threads|files|fallback|errors|full|loop DIR
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "random-type.h"

#define SPAN 40000		/* bytes of a view that random calls ask for, about */
#define LENGTH (3 << 20)	/* of the files, bytes */

static int rank, size, wrong;
static int unjudged;		/* what the MPI itself writes and reads may be wrong */
static uint64_t common, own;	/* random numbers: of all ranks, of this one */

static void expect(int good, const char *what)
{
	if (good)
		return;
	if (wrong++ < 10)
		printf("rank %d: %s\n", rank, what);
	fflush(stdout);
}

/* ---- two files ---- */

struct pair {
	MPI_File here, there;
	char names[2][512];
	MPI_Datatype etype;
	MPI_Offset disp;
	int esize, parts;	/* parts: the view has a part of its own for each rank */
};

static void open_pair(struct pair *p, MPI_Comm comm, const char *dir, const char *name, int more)
{
	int mode = MPI_MODE_RDWR | MPI_MODE_CREATE | more;

	for (int i = 0; i < 2; i++)
		snprintf(p->names[i], sizeof(p->names[i]), "%s/%s.%d", dir, name, i);
	expect(!MPI_File_open(comm, p->names[0], mode, MPI_INFO_NULL, &p->here), "open");
	expect(!PMPI_File_open(comm, p->names[1], mode, MPI_INFO_NULL, &p->there), "own open");
	p->etype = MPI_BYTE;
	p->esize = 1;
	p->parts = 0;
	p->disp = 0;
}

static int same_bytes(const char *a, const char *b)
{
	static char here[1 << 16], there[1 << 16];
	FILE *x = fopen(a, "r"), *y = fopen(b, "r");
	int same = x && y;
	size_t got = 1;

	while (same && got) {
		got = fread(here, 1, sizeof(here), x);
		same = fread(there, 1, sizeof(there), y) == got && !memcmp(here, there, got);
	}
	if (x)
		fclose(x);
	if (y)
		fclose(y);
	return same;
}

static void compare_files(struct pair *p, MPI_Comm comm)
{
	int who;

	MPI_Barrier(comm);
	MPI_Comm_rank(comm, &who);
	if (!who)
		expect(unjudged || same_bytes(p->names[0], p->names[1]), "the files differ");
	MPI_Barrier(comm);
}

static void close_pair(struct pair *p)
{
	MPI_File_close(&p->here);
	PMPI_File_close(&p->there);
}

/* ---- views ---- */

/* Elements in a tile, each of one rank or of none; each rank has one at least. */
static MPI_Datatype make_parts(const struct pair *p)
{
	int tile = size + (int)draw(&common, 40), places[64], count = 0;
	MPI_Datatype part, view;

	for (int i = 0; i < tile; i++) {
		int whose = i < size ? i : (int)draw(&common, (uint64_t)size + 1);

		if (whose == rank)
			places[count++] = i;
	}
	MPI_Type_create_indexed_block(count, 1, places, p->etype, &part);
	MPI_Type_create_resized(part, 0, tile * p->esize, &view);
	MPI_Type_free(&part);
	return view;
}

/* Rows of an array, columns of which are this rank's */
static MPI_Datatype make_columns(const struct pair *p)
{
	int width = 1 + (int)draw(&common, 100), rows = 1 + (int)draw(&common, 5);
	int sizes[] = { rows, width * size }, parts[] = { rows, width };
	int starts[] = { 0, width * rank };
	MPI_Datatype view;

	MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, p->etype, &view);
	return view;
}

static void set_view(struct pair *p)
{
	static const MPI_Datatype etypes[] = { MPI_BYTE, MPI_INT, MPI_DOUBLE };
	MPI_Datatype view;
	int way = (int)draw(&common, 4);

	p->disp = (MPI_Offset)draw(&common, 300);
	p->etype = etypes[draw(&common, 3)];
	MPI_Type_size(p->etype, &p->esize);
	p->parts = way != 0;
	if (!p->parts)
		MPI_Type_dup(p->etype, &view);
	else
		view = way == 1 ? make_columns(p) : make_parts(p);
	MPI_Type_commit(&view);
	expect(!MPI_File_set_view(p->here, p->disp, p->etype, view, "native", MPI_INFO_NULL),
	       "view");
	PMPI_File_set_view(p->there, p->disp, p->etype, view, "native", MPI_INFO_NULL);
	MPI_Type_free(&view);
}

/* ---- a random call ---- */

/* The MPI's own calls get the same bytes in a row: some have errors with types in memory. */
struct memory {
	MPI_Datatype type;
	int count, bytes;
	size_t span;
	char *here, *there, *packed;
};

static void make_memory(struct memory *m, const struct pair *p, int depth)
{
	MPI_Aint low, extent, true_low, true_extent;
	int each;

	for (;;) {
		m->type = random_type(&own, p->etype, depth);
		MPI_Type_get_extent(m->type, &low, &extent);
		MPI_Type_get_true_extent(m->type, &true_low, &true_extent);
		MPI_Type_size(m->type, &each);
		if (each && each <= SPAN / 8 && extent < 200000)
			break;
		MPI_Type_free(&m->type);
	}
	MPI_Type_commit(&m->type);
	m->count = (int)draw(&own, 5) ? (int)draw(&own, (uint64_t)(SPAN / 8 / each) + 1) : 0;
	if (m->count > 300)
		m->count = 1 + m->count % 300;
	m->bytes = each * m->count;
	m->span = (size_t)(true_low + true_extent + m->count * extent) + 64;
	m->here = malloc(m->span);
	m->there = malloc(m->span);
	for (size_t i = 0; i < m->span; i++)
		m->here[i] = m->there[i] = (char)draw(&own, 256);
	m->packed = calloc(1, (size_t)m->bytes + 1);
}

static void pack(struct memory *m)
{
	int place = 0;

	MPI_Pack(m->there, m->count, m->type, m->packed, m->bytes, &place, MPI_COMM_WORLD);
}

static void unpack(struct memory *m)
{
	int place = 0;

	MPI_Unpack(m->packed, m->bytes, &place, m->there, m->count, m->type, MPI_COMM_WORLD);
}

static void free_memory(struct memory *m)
{
	free(m->here);
	free(m->there);
	free(m->packed);
	MPI_Type_free(&m->type);
}

static void compare_status(MPI_Status *a, MPI_Status *b, const struct memory *m)
{
	MPI_Count x = -1, y = -1;
	int i = -1, j = -1;

	MPI_Get_elements_x(a, MPI_BYTE, &x);
	MPI_Get_elements_x(b, MPI_BYTE, &y);
	MPI_Get_count(a, m->type, &i);
	MPI_Get_count(b, m->type, &j);
	if (x != y || i != j)
		printf("# status %lld, the MPI's own %lld, of %d\n", (long long)x, (long long)y,
		       m->bytes);
	expect(x == y && i == j, "the statuses differ");
}

static void compare_pointers(struct pair *p)
{
	MPI_Offset x, y;

	MPI_File_get_position(p->here, &x);
	MPI_File_get_position(p->there, &y);
	if (x != y)
		printf("# position %lld, the MPI's own %lld\n", (long long)x, (long long)y);
	expect(x == y, "the pointers differ");
}

static void move(struct pair *p, MPI_Offset to)
{
	MPI_File_seek(p->here, to, MPI_SEEK_SET);
	MPI_File_seek(p->there, to, MPI_SEEK_SET);
}

/* Where this rank's call begins, in elements; what ranks write must not overlap. */
static MPI_Offset random_place(const struct pair *p, int write, int past)
{
	MPI_Offset place = (MPI_Offset)draw(&own, (uint64_t)(SPAN / p->esize / size));

	if (past && draw(&own, 2))
		return LENGTH / p->esize - (p->parts ? 0 : (MPI_Offset)draw(&own, 100));
	return write && !p->parts ? (MPI_Offset)rank * (SPAN / p->esize) + place : place;
}

static int call_here(struct pair *p, int write, int at, MPI_Offset place, struct memory *m,
		     MPI_Status *status)
{
	if (at && write)
		return MPI_File_write_at_all(p->here, place, m->here, m->count, m->type, status);
	if (at)
		return MPI_File_read_at_all(p->here, place, m->here, m->count, m->type, status);
	return write ? MPI_File_write_all(p->here, m->here, m->count, m->type, status) :
		       MPI_File_read_all(p->here, m->here, m->count, m->type, status);
}

static int call_there(struct pair *p, int write, int at, MPI_Offset place, struct memory *m,
		      MPI_Status *status)
{
	int count = m->bytes / p->esize;

	if (at && write)
		return PMPI_File_write_at_all(p->there, place, m->packed, count, p->etype, status);
	if (at)
		return PMPI_File_read_at_all(p->there, place, m->packed, count, p->etype, status);
	return write ? PMPI_File_write_all(p->there, m->packed, count, p->etype, status) :
		       PMPI_File_read_all(p->there, m->packed, count, p->etype, status);
}

/*
 * How many bytes of a read past the end are in the file: ROMIO gives what its memory held for those
 * that are not.
 */
static size_t inside(const struct pair *p, MPI_Offset place, const struct memory *m)
{
	MPI_Offset left = LENGTH - p->disp - place * p->esize;

	if (p->parts || left <= 0)
		return 0;
	return left < m->bytes ? (size_t)left : (size_t)m->bytes;
}

/*
 * OMPIO's collective reads have zeros for some bytes of the file now and then, though not through
 * one type as through another: where the two differ, an independent read is right.
 */
static int differs(struct pair *p, int write, MPI_Offset place, struct memory *m, size_t length)
{
	if (unjudged || !memcmp(m->here, m->there, length))
		return 0;
	if (!write) {
		PMPI_File_read_at(p->there, place, m->packed, m->bytes / p->esize, p->etype,
				  MPI_STATUS_IGNORE);
		unpack(m);
	}
	return memcmp(m->here, m->there, length) != 0;
}

/* A read past the end goes the MPI's own way: into bytes in a row, as above. */
static void random_call(struct pair *p)
{
	int write = (int)draw(&common, 2), at = (int)draw(&common, 2), error, other;
	int past = !write && draw(&common, 5) == 0, ignore = draw(&own, 4) == 0;
	MPI_Offset place = random_place(p, write, past);
	MPI_Status here, there;
	struct memory m;

	make_memory(&m, p, past ? 0 : 3);
	if (!at)
		move(p, place);
	else if (write && !p->parts)
		move(p, place + SPAN / 2 / p->esize);
	memset(&here, 0, sizeof(here));
	memset(&there, 0, sizeof(there));
	pack(&m);
	error = call_here(p, write, at, place, &m, ignore ? MPI_STATUS_IGNORE : &here);
	other = call_there(p, write, at, place, &m, &there);
	if (!write)
		unpack(&m);
	expect(error == other, "the errors differ");
	expect(!differs(p, write, place, &m, past ? inside(p, place, &m) : m.span),
	       "the buffers differ");
	if (!ignore)
		compare_status(&here, &there, &m);
	compare_pointers(p);
	/* and on from there */
	if (!past && !at && draw(&common, 2)) {
		error = call_here(p, write, 0, 0, &m, &here);
		other = call_there(p, write, 0, 0, &m, &there);
		if (!write)
			unpack(&m);
		expect(error == other, "the errors of the second call differ");
		expect(!differs(p, write, place + m.bytes / p->esize, &m, m.span),
		       "the buffers of the second call differ");
		compare_pointers(p);
	}
	free_memory(&m);
}

static void random_calls(const char *dir, int calls, uint64_t seed)
{
	struct pair p;

	common = seed;
	own = seed + 1000 * (uint64_t)(rank + 1);
	open_pair(&p, MPI_COMM_WORLD, dir, "random", 0);
	MPI_File_set_size(p.here, LENGTH);
	MPI_File_set_size(p.there, LENGTH);
	for (int i = 0; i < calls; i++) {
		if (draw(&common, 8) == 0) {
			compare_files(&p, MPI_COMM_WORLD);
			set_view(&p);
		}
		random_call(&p);
	}
	compare_files(&p, MPI_COMM_WORLD);
	close_pair(&p);
}

/* ---- cases ---- */

/* Of odd thousands of bytes the last rank's block comes first, which takes an exchange. */
static void write_and_read(struct pair *p, MPI_Comm comm, int bytes)
{
	char *out = malloc((size_t)bytes), *in = malloc((size_t)bytes);
	int who, all;
	MPI_Offset at;

	MPI_Comm_rank(comm, &who);
	MPI_Comm_size(comm, &all);
	at = (MPI_Offset)(bytes / 1000 % 2 ? all - 1 - who : who) * bytes;
	memset(out, 'a' + who, (size_t)bytes);
	memset(in, 0, (size_t)bytes);
	expect(!MPI_File_write_at_all(p->here, at, out, bytes, MPI_BYTE, MPI_STATUS_IGNORE),
	       "write");
	PMPI_File_write_at(p->there, at, out, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
	expect(!MPI_File_read_at_all(p->here, at, in, bytes, MPI_BYTE, MPI_STATUS_IGNORE), "read");
	expect(!memcmp(in, out, (size_t)bytes), "what was written is not read");
	free(in);
	free(out);
}

/* Parts of the program, this rank alone, two files at once, and a handle that is used again */
static void files(const char *dir)
{
	struct pair all, half, self;
	MPI_Comm comm;

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm);
	open_pair(&all, MPI_COMM_WORLD, dir, "all", 0);
	open_pair(&half, comm, dir, rank % 2 ? "odd" : "even", 0);
	open_pair(&self, MPI_COMM_SELF, dir, rank % 2 ? "self-odd" : "self", 0);
	for (int i = 1; i < 4; i++) {
		write_and_read(&half, comm, 1000 * i);
		write_and_read(&all, MPI_COMM_WORLD, 3000 * i);
	}
	write_and_read(&self, MPI_COMM_SELF, 500);
	compare_files(&all, MPI_COMM_WORLD);
	compare_files(&half, comm);
	close_pair(&half);
	close_pair(&all);
	open_pair(&half, comm, dir, rank % 2 ? "odd" : "even", 0);
	write_and_read(&half, comm, 700);
	close_pair(&half);
	close_pair(&self);
	MPI_Comm_free(&comm);
}

struct job {
	MPI_Comm comm;
	struct pair pair;
};

static void *thread(void *arg)
{
	struct job *job = arg;

	for (int i = 1; i < 40; i++)
		write_and_read(&job->pair, job->comm, 100 * i);
	return NULL;
}

static void threads(const char *dir)
{
	pthread_t ids[3];
	struct job jobs[3];
	char name[16];

	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "thread%d", i);
		MPI_Comm_dup(MPI_COMM_WORLD, &jobs[i].comm);
		open_pair(&jobs[i].pair, jobs[i].comm, dir, name, 0);
	}
	for (int i = 0; i < 3; i++)
		pthread_create(&ids[i], NULL, thread, &jobs[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(ids[i], NULL);
	for (int i = 0; i < 3; i++) {
		compare_files(&jobs[i].pair, jobs[i].comm);
		close_pair(&jobs[i].pair);
		MPI_Comm_free(&jobs[i].comm);
	}
}

/* Rank 1 alone has a place, or a type, that is no case for the exchange; then all have one. */
static void fallback(const char *dir)
{
	int bytes = 4000, odd = rank == 1;
	char *out = malloc(8000), *in = calloc(1, 8000);
	MPI_Datatype type;
	struct pair p;

	memset(out, 'A' + rank, 8000);
	open_pair(&p, MPI_COMM_WORLD, dir, "fallback", 0);
	write_and_read(&p, MPI_COMM_WORLD, bytes);
	/* past the end of the file */
	MPI_File_read_at_all(p.here, odd ? 10000000 : 0, in, 10, MPI_BYTE, MPI_STATUS_IGNORE);
	/* more runs than are kept */
	MPI_Type_vector(odd ? 1 << 23 : 1, 1, 2, MPI_BYTE, &type);
	MPI_Type_commit(&type);
	MPI_File_write_at_all(p.here, (MPI_Offset)rank * bytes, out, 0, type, MPI_STATUS_IGNORE);
	MPI_Type_free(&type);
	/* all ranks: a representation that is not said to be the file's bytes */
	MPI_File_set_view(p.here, 0, MPI_INT, MPI_INT, "internal", MPI_INFO_NULL);
	MPI_File_write_at_all(p.here, (MPI_Offset)rank * 1000, out, 1000, MPI_INT,
			      MPI_STATUS_IGNORE);
	MPI_File_set_view(p.here, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
	write_and_read(&p, MPI_COMM_WORLD, bytes);
	/* all ranks: atomic */
	MPI_File_set_atomicity(p.here, 1);
	MPI_File_write_at_all(p.here, (MPI_Offset)rank * 10, out, 10, MPI_BYTE, MPI_STATUS_IGNORE);
	MPI_File_set_atomicity(p.here, 0);
	close_pair(&p);
	free(in);
	free(out);
}

/* One rank's arguments are wrong: it has the error, and no rank waits for ever. */
static void errors(const char *dir)
{
	char out[100] = "";
	int odd = rank == 1, error, class = 0;
	struct pair p;

	open_pair(&p, MPI_COMM_WORLD, dir, "errors", 0);
	error = MPI_File_write_at_all(p.here, rank * 100, out, odd ? -1 : 100, MPI_BYTE,
				      MPI_STATUS_IGNORE);
	MPI_Error_class(error, &class);
	expect(odd ? class == MPI_ERR_COUNT : !error, "a count below 0");
	error = MPI_File_read_at_all(p.here, 0, out, 1, odd ? MPI_DATATYPE_NULL : MPI_BYTE,
				     MPI_STATUS_IGNORE);
	MPI_Error_class(error, &class);
	expect(odd ? class == MPI_ERR_TYPE : !error, "no type");
	error = MPI_File_write_at_all(p.here, odd ? -5 : 0, out, 0, MPI_BYTE, MPI_STATUS_IGNORE);
	MPI_Error_class(error, &class);
	expect(odd ? class == MPI_ERR_ARG : !error, "an offset below 0");
	write_and_read(&p, MPI_COMM_WORLD, 300);
	close_pair(&p);
	error = MPI_File_open(MPI_COMM_WORLD, "/nowhere/at/all", MPI_MODE_RDWR, MPI_INFO_NULL,
			      &p.here);
	expect(error, "a file that is not there");
}

static void full(const char *dir)
{
	int bytes = 400000, error, class = 0;
	char *out = calloc(1, (size_t)bytes), name[512];
	MPI_Status status;
	MPI_File file;

	snprintf(name, sizeof(name), "%s/full", dir);
	MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
	error = MPI_File_write_at_all(file, (MPI_Offset)rank * bytes, out, bytes, MPI_BYTE,
				      &status);
	MPI_Error_class(error, &class);
	expect(class == MPI_ERR_NO_SPACE, "no error of a full disk");
	MPI_File_set_size(file, 0);	/* whose block has found room is chance */
	error = MPI_File_write_at_all(file, (MPI_Offset)rank * 10, out, 10, MPI_BYTE, &status);
	expect(!error, "the next call");
	MPI_File_close(&file);
	free(out);
}

/* Until it is killed */
static void loop(const char *dir)
{
	struct pair p;

	open_pair(&p, MPI_COMM_WORLD, dir, "loop", 0);
	write_and_read(&p, MPI_COMM_WORLD, 100000);
	if (!rank)
		printf("ready\n");
	fflush(stdout);
	for (int i = 0; ; i++) {
		if (rank == 1 && i == 20)
			kill(getpid(), SIGKILL);
		write_and_read(&p, MPI_COMM_WORLD, 100000);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "", *dir = argc > 2 ? argv[2] : ".";
	int provided, all;

	MPI_Init_thread(&argc, &argv, strcmp(what, "threads") ? MPI_THREAD_SINGLE :
			MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	unjudged = !strcmp(what, "unjudged");
	if (!strcmp(what, "random") || unjudged)
		random_calls(dir, argc > 3 ? atoi(argv[3]) : 100,
			     argc > 4 ? strtoull(argv[4], NULL, 10) : 1);
	else if (!strcmp(what, "threads"))
		threads(dir);
	else if (!strcmp(what, "files"))
		files(dir);
	else if (!strcmp(what, "fallback"))
		fallback(dir);
	else if (!strcmp(what, "errors"))
		errors(dir);
	else if (!strcmp(what, "full"))
		full(dir);
	else if (!strcmp(what, "loop"))
		loop(dir);
	else
		wrong++;
	MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (!rank)
		printf("wrong=%d\n", all);
	MPI_Finalize();
	return all != 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cases of libliquid-sfio. Subfiles are DIRECTORY/0, 1, ... on hosts p1, p2, ... in turn, or with
 * FIRST=N in the environment on hN, ...
 *
 * usage: sfio-cases random DIRECTORY SUBFILES HOSTS UNIT SEED CALLS
 *        sfio-cases counts DIRECTORY
 *        sfio-cases errors DIRECTORY
 *        sfio-cases full DIRECTORY
 *        sfio-cases until-error|until-error-all DIRECTORY [VICTIM]
 *        sfio-cases until-dead DIRECTORY VICTIM
 *        sfio-cases missing DIRECTORY
 *
 * The first rank prints "wrong=0" if all is as it should be. until-error writes until a call
 * fails, and prints the error. VICTIM, a compute rank, kills itself before its tenth call.
 * until-dead reads for a while; VICTIM is killed in the midst of a read.
 */
#include <errno.h>
#include <mio.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static MPI_Comm comm;
static int rank, ranks, wrong;

static void expect(bool right, const char *what)
{
	if (right)
		return;
	wrong++;
	fprintf(stderr, "rank %d: wrong: %s\n", rank, what);
}

static char *file_name(const char *dir, int subfiles, int hosts)
{
	char *name = calloc((size_t)subfiles, 300), *at = name;
	const char *first = getenv("FIRST");
	int host = first ? atoi(first) : 1;

	for (int i = 0; i < subfiles; i++)
		at += sprintf(at, "%c%d%s/%d;", first ? 'h' : 'p', i % hosts + host, dir, i);
	return name;
}

/* ---- random calls, in each of which a rank has bytes of its own ---- */

#define BLOCKS	20

static uint64_t state;

static uint64_t below(uint64_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return limit ? state % limit : 0;
}

struct random {
	MFILE *file;
	uint64_t size, record;		/* record i belongs to rank i % ranks */
	unsigned char *flat;
	unsigned char *memory[BLOCKS];
	struct sfio_block block[BLOCKS];
	uint32_t blocks;
};

static void draw(struct random *random)
{
	uint64_t records = random->size / random->record / (uint64_t)ranks;

	random->blocks = (uint32_t)below(BLOCKS + 1);
	for (uint32_t i = 0; i < random->blocks; i++) {
		uint64_t record = below(records) * (uint64_t)ranks + (uint64_t)rank;
		uint64_t from = below(random->record), bytes = below(random->record - from + 1);

		random->block[i] = (struct sfio_block){
			record * random->record + from, bytes, random->memory[i],
		};
	}
}

static void random_write(struct random *random, bool all)
{
	int error;

	for (uint32_t i = 0; i < random->blocks; i++)
		for (uint64_t k = 0; k < random->block[i].bytes; k++)
			random->memory[i][k] = (unsigned char)below(256);
	error = all ? sfio_write_all(random->file, random->block, random->blocks) :
		sfio_write(random->file, random->block, random->blocks);
	expect(!error, "an error of a write");
	for (uint32_t i = 0; i < random->blocks; i++)
		memcpy(random->flat + random->block[i].offset, random->memory[i],
		       random->block[i].bytes);
}

static void random_read(struct random *random, bool all)
{
	bool same = true;
	int error;

	for (uint32_t i = 0; i < random->blocks; i++)
		memset(random->memory[i], 0xee, random->record);
	error = all ? sfio_read_all(random->file, random->block, random->blocks) :
		sfio_read(random->file, random->block, random->blocks);
	expect(!error, "an error of a read");
	for (uint32_t i = 0; i < random->blocks; i++)
		same = same && !memcmp(random->memory[i], random->flat + random->block[i].offset,
				       random->block[i].bytes);
	expect(same, "a read differs from the flat file");
}

/* All that all ranks have written, through the single calls of the thesis */
static void compare_whole(struct random *random)
{
	unsigned char *all = calloc(random->size, 1), *read = malloc(random->size);

	for (uint64_t o = 0; o < random->size; o++)
		if (o / random->record % (uint64_t)ranks != (uint64_t)rank)
			random->flat[o] = 0;
	MPI_Allreduce(random->flat, all, (int)random->size, MPI_BYTE, MPI_BOR, comm);
	expect(!mreadc(random->file, 0, (char *)read, (unsigned)random->size), "a whole read");
	expect(!memcmp(all, read, random->size), "the whole file");
	expect(!mread(random->file, 1, (char *)read,
		      random->size < 500 ? (unsigned)random->size - 1 : 500), "mread");
	expect(!memcmp(all + 1, read, random->size < 500 ? random->size - 1 : 500), "mread's data");
	free(all);
	free(read);
}

static void print_epochs(void)
{
	struct sfio_stats stats;

	sfio_stats(&stats);
	if (!rank)
		printf("epochs=%llu unsynchronised=%llu "
		       "read_epochs=%llu read_unsynchronised=%llu\n",
		       (unsigned long long)stats.epochs, (unsigned long long)stats.unsynchronised,
		       (unsigned long long)stats.read_epochs,
		       (unsigned long long)stats.read_unsynchronised);
}

/* splitmix64's last step (Steele, Lea, Flood 2014): one product alone leaves whole kinds out */
static uint64_t mixed(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

static void random_calls(char **argv)
{
	uint64_t unit = strtoull(argv[2], NULL, 10), calls = strtoull(argv[4], NULL, 10);
	struct random random = { .record = 1 + unit / 2 };
	char *name = file_name(argv[-1], atoi(argv[0]), atoi(argv[1]));
	uint64_t common = strtoull(argv[3], NULL, 10) * 2 + 1;

	state = common + 1000003 * (uint64_t)rank + 1;
	if (random.record < 50)
		random.record = 50 + unit * 3;
	random.size = random.record * (uint64_t)ranks * 6;
	random.flat = calloc(random.size, 1);
	for (int i = 0; i < BLOCKS; i++)
		random.memory[i] = malloc(random.record);
	expect(!mcreate(name), "mcreate");
	random.file = sfio_open(name, unit);
	expect(random.file, "open");
	for (uint64_t i = 0; i < calls && random.file; i++) {
		/* the same on all ranks; the first four are of all kinds, whatever the seed */
		uint64_t what = i < 4 ? i : mixed(common + i);

		draw(&random);
		if (what & 1)
			random_write(&random, what & 2);
		else
			random_read(&random, what & 2);
	}
	MPI_Barrier(comm);
	compare_whole(&random);
	expect(!mclose(random.file), "close");
	expect(!mdelete(name), "delete");
	print_epochs();
	for (int i = 0; i < BLOCKS; i++)
		free(random.memory[i]);
	free(random.flat);
	free(name);
}

/* ---- messages and accesses ---- */

/* Messages and accesses of a call that writes or reads @blocks of @block, as they should be */
static void count(MFILE *file, const struct sfio_block *block, uint32_t blocks, uint64_t messages,
		  uint64_t accesses)
{
	for (int writes = 1; writes >= 0; writes--) {
		struct sfio_stats before, after;

		sfio_stats(&before);
		expect(!(writes ? sfio_write(file, block, blocks) :
			 sfio_read(file, block, blocks)), "a call that is counted");
		sfio_stats(&after);
		if (after.messages - before.messages != messages ||
		    after.accesses - before.accesses != accesses)
			fprintf(stderr, "%llu messages, %llu accesses\n",
				(unsigned long long)(after.messages - before.messages),
				(unsigned long long)(after.accesses - before.accesses));
		expect(after.messages - before.messages == messages, "number of messages");
		expect(after.accesses - before.accesses == accesses, "number of accesses");
	}
}

/* Two I/O nodes with two subfiles each, in units of 10 bytes */
static void counts(char **argv)
{
	char *name = file_name(argv[-1], 4, 2), memory[1000];
	MFILE *file = mopen(name, 10);
	struct sfio_stats before, after;
	struct sfio_block block[3] = { { 0, 1000, memory } };

	memset(memory, 1, sizeof(memory));
	count(file, block, 1, 2, 4);
	block[0] = (struct sfio_block){ 5, 5, memory };
	count(file, block, 1, 1, 1);
	block[0] = (struct sfio_block){ 0, 30, memory };
	count(file, block, 1, 2, 3);
	/* overlap in subfile 0; another run there */
	block[0] = (struct sfio_block){ 0, 8, memory };
	block[1] = (struct sfio_block){ 4, 5, memory + 100 };
	block[2] = (struct sfio_block){ 80, 2, memory + 200 };
	count(file, block, 3, 1, 2);
	block[0] = (struct sfio_block){ 3, 0, memory };
	count(file, block, 1, 0, 0);
	sfio_stats(&before);
	expect(!mwrite(file, 5, memory, 100), "mwrite");
	sfio_stats(&after);
	expect(after.messages - before.messages == 11, "mwrite: a message for each unit");
	expect(!mclose(file), "close");
	free(name);
}

/* ---- sizes and errors ---- */

static void errors(char **argv)
{
	char *name = file_name(argv[-1], 3, 2), path[300], buffer[100];
	unsigned long failed[MIO_ERRORS];
	struct stat one, two, three;
	MFILE *file = mopen(name, 10);

	expect(!mchsize(file, 57) && !mwritec(file, 50, "abcdefg", 7), "mchsize");
	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%d", argv[-1], i);
		stat(path, i == 0 ? &one : i == 1 ? &two : &three);
	}
	expect(one.st_size == 20 && two.st_size == 20 && three.st_size == 17, "sizes of subfiles");
	expect(!mchsize(file, 33) && !mreadc(file, 30, buffer, 27) && !buffer[20],
	       "a file that is cut");
	expect(!stat(path, &three) && three.st_size == 10, "a subfile that is cut");
	expect(mwritec(file, -1, buffer, 1) == -EINVAL, "an offset below 0");
	expect(!mclose(file) && !merrora(failed) && !failed[0], "nothing has failed");
	expect(!mopen("p1/nowhere/a;p2/nowhere/b", 10) && errno == ENOENT, "no such directory");
	expect(!mopen("nobody/tmp/a", 10) && errno == ENXIO, "no such host");
	expect(!mopen("nonsense", 10) && errno == EINVAL, "no such name");
	expect(!mopen(name, 0) && errno == EINVAL, "no stripe unit");
	expect(!mopen(name, 5 + rank) && errno == EINVAL, "ranks that differ");
	expect(mdelete("p1/nowhere/a;p2/nowhere/b") == -ENOENT, "mdelete of nothing");
	expect(!merrora(failed) && failed[0] == 2 && failed[3] == 2, "failures are counted");
	expect(!merrora(failed) && !failed[0] && !failed[3], "counters begin anew");
	expect(!prioerrora(), "prioerrora");
	expect(!mdelete(name), "mdelete");
	free(name);
}

static void full(char **argv)
{
	char *name = file_name(argv[-1], 2, 2), *buffer = calloc(1, 1 << 20);
	struct sfio_block block = { (uint64_t)rank << 20, 1 << 20, buffer };
	MFILE *file = mopen(name, 1000);
	unsigned long failed[MIO_ERRORS];

	expect(mwritec(file, (long)rank << 20, buffer, 1 << 20) == -ENOSPC, "a full disk");
	expect(!merrora(failed) && failed[6] >= 1, "is counted");
	expect(sfio_write_all(file, &block, 1) == -ENOSPC, "a full disk, collective");
	expect(!merrora(failed) && failed[6] >= 1, "is counted as well");
	expect(!mclose(file), "close");
	free(buffer);
	free(name);
}

/* ---- ranks that are killed ---- */

static void until_error(char **argv, bool all)
{
	char *name = file_name(argv[-1], 2, 2), *buffer = calloc(1, 1 << 20);
	struct sfio_block block = { (uint64_t)rank << 20, 1 << 20, buffer };
	int victim = argv[0] ? atoi(argv[0]) : -1, error = 0;
	MFILE *file = mopen(name, 1000);
	struct timespec begin, end;

	if (!rank)
		printf("ready\n");
	fflush(stdout);
	for (int i = 0; !error && i < 100000; i++) {
		if (rank == victim && i == 10)
			kill(getpid(), SIGKILL);
		clock_gettime(CLOCK_MONOTONIC, &begin);
		error = all ? sfio_write_all(file, &block, 1) :
			sfio_write(file, &block, 1);
		usleep(10000);
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("rank %d: error %d (%s) after %ld s\n", rank, -error, strerror(-error),
	       (long)(end.tv_sec - begin.tv_sec));
	fflush(stdout);
	free(buffer);
	free(name);
}

static void until_dead(char **argv)
{
	char *name = file_name(argv[-1], 2, 2), *buffer = calloc(1, 1 << 18);
	struct sfio_block block = { (uint64_t)rank << 18, 1 << 18, buffer };
	struct itimerval soon = { .it_value.tv_usec = 500000 };
	MFILE *file = mopen(name, 1000);
	double begin = MPI_Wtime(), longest = 0;
	int error = 0;

	printf("ready\n");
	fflush(stdout);
	if (rank == atoi(argv[0]))
		setitimer(ITIMER_REAL, &soon, NULL);
	while (!error && MPI_Wtime() - begin < 1.5) {
		double call = MPI_Wtime();

		error = sfio_read(file, &block, 1);
		call = MPI_Wtime() - call;
		longest = call > longest ? call : longest;
	}
	printf("rank %d: read on, error %d, longest %.1f s\n", rank, -error, longest);
	fflush(stdout);
	free(buffer);
	free(name);
}

/* A rank that does not come to a collective call: the others hear of it. */
static void missing(char **argv)
{
	char *name = file_name(argv[-1], 2, 2), buffer[100] = "";
	struct sfio_block block = { (uint64_t)rank * 100, 100, buffer };
	MFILE *file = mopen(name, 10);

	if (rank)
		expect(sfio_write_all(file, &block, 1) == -ETIMEDOUT, "a rank that is missing");
	MPI_Barrier(comm);
	if (!rank)
		expect(sfio_write_all(file, &block, 1) == -ETIMEDOUT, "a rank that is late");
	expect(!sfio_write_all(file, &block, 1), "the next call");
	expect(!mclose(file), "close");
	free(name);
}

/*
 * With sanitizers: what MPI_Init() leaves is not ours, nor is what components have left that are
 * closed by the end. Without sanitizers there are no such functions.
 */
extern void __lsan_disable(void) __attribute__((weak));
extern void __lsan_enable(void) __attribute__((weak));
extern void __lsan_do_leak_check(void) __attribute__((weak));

static void init(int *argc, char ***argv)
{
	if (__lsan_disable)
		__lsan_disable();
	MPI_Init(argc, argv);
	if (__lsan_enable)
		__lsan_enable();
}

static void finalize(void)
{
	if (__lsan_do_leak_check)
		__lsan_do_leak_check();
	MPI_Finalize();
}

int main(int argc, char **argv)
{
	int error, sum = 0;

	init(&argc, &argv);
	error = sfio_init(MPI_COMM_WORLD, &comm);
	if (error || argc < 3) {
		fprintf(stderr, "init: %s\n", strerror(-error));
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	if (comm == MPI_COMM_NULL) {
		finalize();
		return 0;
	}
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &ranks);
	if (!strcmp(argv[1], "random"))
		random_calls(argv + 3);
	else if (!strcmp(argv[1], "counts"))
		counts(argv + 3);
	else if (!strcmp(argv[1], "errors"))
		errors(argv + 3);
	else if (!strcmp(argv[1], "full"))
		full(argv + 3);
	else if (!strcmp(argv[1], "until-dead"))
		until_dead(argv + 3);
	else if (!strcmp(argv[1], "missing"))
		missing(argv + 3);
	else
		until_error(argv + 3, !strcmp(argv[1], "until-error-all"));
	if (!strncmp(argv[1], "until", 5)) {
		error = sfio_finish();
		printf("rank %d: finish %d\n", rank, -error);
		fflush(stdout);
		MPI_Abort(MPI_COMM_WORLD, 3);
	}
	MPI_Reduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, 0, comm);
	if (!rank)
		printf("wrong=%d\n", sum);
	error = sfio_finish();
	if (error) {
		fprintf(stderr, "finish: %s\n", strerror(-error));
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	finalize();
	return wrong != 0;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* The memory that ranks of a node share */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "node/node.h"
#include "settings/clock.h"

enum { TAG_NAME = 4, TAG_ANSWER = 5 };
enum { STEP_NAME, STEP_ANSWER };

static uint32_t member(const struct node *node, uint32_t place)
{
	return node->map->member[node->map->begin[node->self] + place];
}

/* ---- memory ---- */

static size_t seats_bytes(const struct node *node)
{
	return node->members * sizeof(struct seat_grants);
}

static size_t bytes_of(const struct node *node)
{
	return seats_bytes(node) +
	       2 * (size_t)node->members * node->map->nodes * sizeof(*node->sums);
}

static void node_take_memory(struct node *node, void *memory)
{
	node->memory = memory;
	node->seat = memory;
	node->sums = (uint64_t *)((char *)memory + seats_bytes(node));
}

/* Not ftruncate(): where memory is short a later write would kill the process. */
static bool take_pages(int fd, size_t bytes)
{
	int error;

	do
		error = posix_fallocate(fd, 0, (off_t)bytes);
	while (error == EINTR);
	return !error;
}

/* Size of the memory as it is now. To write beyond its end would kill the process. */
static bool has_pages(int fd, size_t bytes)
{
	struct stat stat;

	return !fstat(fd, &stat) && stat.st_size == (off_t)bytes;
}

/* Map the shared memory, which the driver makes and whose name it has given. */
static int map_memory(struct node *node, int flags)
{
	int fd = shm_open(node->name, flags, 0600);
	void *memory = MAP_FAILED;

	if (fd < 0)
		return errno;
	if (flags & O_CREAT ? take_pages(fd, node->bytes) : has_pages(fd, node->bytes))
		memory = mmap(NULL, node->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (memory == MAP_FAILED)
		return ENOMEM;
	node_take_memory(node, memory);
	return 0;
}

/* Without the memory the driver sends an empty name, so that no rank opens a part of it. */
static int make_shared(struct node *node)
{
	int error;

	snprintf(node->name, sizeof(node->name), "/liquid-mpi-%d-%llx", (int)getpid(),
		 (unsigned long long)clock_ns(CLOCK_MONOTONIC));
	error = map_memory(node, O_RDWR | O_CREAT | O_EXCL);
	if (!error)
		return 0;
	if (error == ENOMEM)
		shm_unlink(node->name);
	node->name[0] = '\0';
	return error;
}

static int make_memory(struct node *node)
{
	void *memory;

	if (node->members > 1)
		return make_shared(node);
	memory = calloc(1, node->bytes);
	if (!memory)
		return ENOMEM;
	node_take_memory(node, memory);
	return 0;
}

/* ---- set-up: the driver sends the name, the others answer, and the name is removed ---- */

static int tell_name(struct node *node)
{
	int error = MPI_SUCCESS;

	for (uint32_t i = 1; i < node->members && !error; i++) {
		int rank = (int)member(node, i);

		error = PMPI_Irecv(&node->answer[i], 1, MPI_INT, rank, TAG_ANSWER, node->comm,
				   &node->request[node->requests++]);
		if (!error)
			error = PMPI_Isend(node->name, sizeof(node->name), MPI_CHAR, rank, TAG_NAME,
					   node->comm, &node->request[node->requests++]);
	}
	return error;
}

static bool find_place(struct node *node, uint32_t rank)
{
	while (member(node, node->own) != rank)
		node->own++;
	node->request = calloc(2 * (size_t)node->members, sizeof(*node->request));
	node->answer = calloc(node->members, sizeof(*node->answer));
	return node->request && node->answer;
}

bool node_new(struct node *node, const struct map *map, MPI_Comm comm, uint32_t rank)
{
	*node = (struct node){
		.map = map, .comm = comm, .rank = rank, .self = map->node[rank],
		.members = map_members(map, map->node[rank]),
	};
	node->bytes = bytes_of(node);
	return find_place(node, rank);
}

int node_start(struct node *node)
{
	if (!node_drives(node))
		return PMPI_Irecv(node->name, sizeof(node->name), MPI_CHAR, (int)member(node, 0),
				  TAG_NAME, node->comm, &node->request[node->requests++]);
	node->step = STEP_ANSWER;
	node->failed = make_memory(node);
	return tell_name(node);
}

static int send_answer(struct node *node)
{
	node->failed = node->name[0] ? map_memory(node, O_RDWR) : ENOMEM;
	node->answer[0] = node->failed;
	node->requests = 1;
	return PMPI_Isend(node->answer, 1, MPI_INT, (int)member(node, 0), TAG_ANSWER, node->comm,
			  node->request);
}

static void end_setup(struct node *node)
{
	for (uint32_t i = 0; i < node->members; i++)
		node->failed |= node->answer[i];
	if (node_drives(node) && node->name[0])
		shm_unlink(node->name);
	free(node->request);
	free(node->answer);
	node->request = NULL;
	node->answer = NULL;
}

int node_step(struct node *node, bool *done, bool *moved)
{
	int error, arrived;

	*done = false;
	error = PMPI_Testall(node->requests, node->request, &arrived, MPI_STATUSES_IGNORE);
	if (error || !arrived)
		return error;
	*moved = true;
	if (node->step++ == STEP_NAME)
		return send_answer(node);
	end_setup(node);
	*done = true;
	return MPI_SUCCESS;
}

void node_clear(struct node *node)
{
	if (node->members > 1 && node->memory)
		munmap(node->memory, node->bytes);
	else
		free(node->memory);
	free(node->request);
	free(node->answer);
	*node = (struct node){ 0 };
}

/* ---- how much goes where ---- */

static uint64_t *sums_of(const struct node *node, uint32_t place)
{
	return node->sums + ((size_t)node->turn * node->members + place) * node->map->nodes;
}

void node_say(struct node *node, const uint64_t *bytes)
{
	uint64_t *sum;

	node->turn = !node->turn;
	if (!bytes || node->failed)
		return;
	sum = sums_of(node, node->own);
	memset(sum, 0, node->map->nodes * sizeof(*sum));
	for (uint32_t i = 0; i < node->map->ranks; i++)
		sum[node->map->node[i]] += bytes[i];
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

uint64_t node_sum(const struct node *node, uint32_t place, uint32_t to)
{
	return sums_of(node, place)[to];
}

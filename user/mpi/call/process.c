// SPDX-License-Identifier: LGPL-2.1-or-later
/* Global state of the process, from the first call that may go liquid to the end of MPI */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "call/process.h"
#include "settings/clock.h"

/* Others that take longer to end are not waited for: theirs may have ended by an error. */
#define LEAVE_NS	INT64_C(10000000000)

struct process process = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void unlink_group(struct group *group)
{
	struct group **place = &process.groups;

	while (*place && *place != group)
		place = &(*place)->next;
	if (*place)
		*place = group->next;
}

/* The program has freed the communicator. The duplicate goes later: MPI holds its locks now. */
static int communicator_freed(MPI_Comm comm, int key, void *value, void *extra)
{
	struct group *group = value;

	(void)comm, (void)key, (void)extra;
	/*
	 * Without the lock: functions of the program that MPI calls while this thread has it may
	 * free communicators. MPI_COMM_WORLD is freed after the end.
	 */
	if (process.open)
		atomic_store(&group->released, true);
	return MPI_SUCCESS;
}

/* Wait until no rank needs the wires of any group, all at once: their order is each rank's own. */
static void leave_groups(void)
{
	int64_t end = clock_ns(CLOCK_MONOTONIC) + LEAVE_NS;
	bool left = false;

	while (!left && clock_ns(CLOCK_MONOTONIC) < end) {
		left = true;
		for (struct group *group = process.groups; group; group = group->next)
			left &= group_left(group);
		if (!left)
			sched_yield();
	}
}

/* MPI_Finalize() deletes the attributes of MPI_COMM_SELF first, when MPI still works. */
static int mpi_ends(MPI_Comm comm, int key, void *value, void *extra)
{
	(void)comm, (void)key, (void)value, (void)extra;
	pthread_mutex_lock(&process.lock);
	leave_groups();
	while (process.groups) {
		struct group *group = process.groups;

		unlink_group(group);
		group_free(group, true);
	}
	agree_close(&process.agree);
	report_close(process.report);
	process.report = NULL;
	process.open = false;
	/* Other attributes of MPI_COMM_SELF follow, whose functions may call MPI. */
	process.env.mode = MODE_OFF;
	pthread_mutex_unlock(&process.lock);
	return MPI_SUCCESS;
}

void call_open(const struct environment *env, const struct call_ops *ops, int rank)
{
	process.env = *env;
	process.ops = ops;
	if (!env->stats || env->mode == MODE_OFF)
		return;
	process.report = report_open(env->stats, rank);
	if (!process.report && !rank)
		fprintf(stderr, "liquid: cannot write %s\n", env->stats);
}

/* At the first call that may go liquid, as MPI does not allow it earlier */
static int open_process(void)
{
	int error = process.open ? MPI_SUCCESS : agree_open(&process.agree);

	if (process.open || error)
		return error;
	error = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, communicator_freed, &process.key,
					NULL);
	if (!error)
		error = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, mpi_ends,
						&process.self_key, NULL);
	if (!error)
		error = PMPI_Comm_set_attr(MPI_COMM_SELF, process.self_key, NULL);
	process.open = !error;
	return error;
}

static struct group *new_group(MPI_Comm comm)
{
	struct group *group = open_process() ? NULL : group_new(&process.env, &process.agree, comm);

	if (group && PMPI_Comm_set_attr(comm, process.key, group)) {
		group_free(group, false);
		return NULL;
	}
	if (group) {
		group->next = process.groups;
		process.groups = group;
	}
	return group;
}

/* Groups of communicators that are gone, when their last call is complete */
static struct group *take_released(void)
{
	struct group *released = NULL;

	for (struct group **place = &process.groups; *place;) {
		struct group *group = *place;

		if (!group->released || group->head || group->apart || !group_left(group)) {
			place = &group->next;
			continue;
		}
		*place = group->next;
		process.duplicates -= group->comm != MPI_COMM_NULL && !group->error;
		group->next = released;
		released = group;
	}
	return released;
}

/* One that no call uses, where the set-up has found that none can, as on one node */
static MPI_Comm take_unused(void)
{
	for (struct group *group = process.groups; group; group = group->next)
		if (group->unused && !group->error && group->comm != MPI_COMM_NULL &&
		    group_left(group) && !group->error) {
			process.duplicates--;
			return group_take_duplicate(group);
		}
	return MPI_COMM_NULL;
}

void process_free_released(void)
{
	struct group *group, *next;
	MPI_Comm unused;

	pthread_mutex_lock(&process.lock);
	unused = take_unused();
	group = take_released();
	pthread_mutex_unlock(&process.lock);
	if (unused != MPI_COMM_NULL)
		PMPI_Comm_free(&unused);
	for (; group; group = next) {
		next = group->next;
		group_free(group, false);
	}
}

struct group *process_group(struct group **place, MPI_Comm comm)
{
	if (!*place)
		*place = new_group(comm);
	return *place;
}

/* The others wait for this rank in the set-up: it answers that it cannot. */
int process_refuse(struct group **place, MPI_Comm comm)
{
	uint64_t cannot = cannot_say(CANNOT_MEMORY, LEADER);
	MPI_Request request;
	int error = MPI_SUCCESS;

	if (!group_is_foreign(comm)) {
		error = agree_cannot(&cannot, comm, &request);
		if (!error)
			error = PMPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	process.none.env = &process.env;
	process.none.comm = MPI_COMM_NULL;
	process.none.off = cannot;
	process.none.rank = UINT32_MAX;
	*place = &process.none;
	return error;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* Threads that take the next part until none is left. */
#include <pthread.h>
#include <signal.h>

#include "base/parallel.h"

struct task {
	void (*part)(void *context, uint32_t number);
	void *context;
	uint32_t parts, next;		/* next: by atomic operations */
};

static void *take_parts(void *arg)
{
	struct task *task = arg;
	uint32_t number;

	while ((number = __atomic_fetch_add(&task->next, 1, __ATOMIC_RELAXED)) < task->parts)
		task->part(task->context, number);
	return NULL;
}

/* Signals are for the caller's own threads. */
static uint32_t create_threads(struct task *task, uint32_t count, pthread_t *thread)
{
	sigset_t all, before;
	uint32_t created = 0;

	sigfillset(&all);
	if (pthread_sigmask(SIG_SETMASK, &all, &before))
		return 0;
	while (created < count && !pthread_create(&thread[created], NULL, take_parts, task))
		created++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return created;
}

void parallel_do(uint32_t threads, uint32_t parts, void (*part)(void *context, uint32_t number),
		 void *context)
{
	struct task task = { .part = part, .context = context, .parts = parts };
	pthread_t thread[PARALLEL_THREADS_MAX];
	uint32_t created = 0;

	threads = threads < parts ? threads : parts;
	threads = threads < PARALLEL_THREADS_MAX ? threads : PARALLEL_THREADS_MAX;
	if (threads > 1)
		created = create_threads(&task, threads - 1, thread);
	take_parts(&task);
	for (uint32_t i = 0; i < created; i++)
		pthread_join(thread[i], NULL);
}

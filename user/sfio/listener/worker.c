// SPDX-License-Identifier: LGPL-2.1-or-later
/* Two queues, slots to serve and slots done, with one lock and conditions. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "listener/serve.h"
#include "listener/worker.h"

struct worker {
	pthread_t thread;
	pthread_mutex_t lock;		/* of the members up to ending */
	pthread_cond_t work;
	struct queue in, out;
	bool ending;
	struct serve serve;		/* the thread's own */
};

/* Wait for work, and at most for 100 ms: then requests may be late. */
static struct slot *wait_slot(struct worker *worker, bool *ending)
{
	struct timespec until;
	struct slot *slot;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 100000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&worker->lock);
	if (!worker->in.first && !worker->ending)
		pthread_cond_timedwait(&worker->work, &worker->lock, &until);
	slot = queue_take(&worker->in);
	*ending = worker->ending && !slot;
	pthread_mutex_unlock(&worker->lock);
	return slot;
}

static void put_done(struct worker *worker, struct queue *done)
{
	struct slot *slot;

	pthread_mutex_lock(&worker->lock);
	while ((slot = queue_take(done)))
		queue_put(&worker->out, slot);
	pthread_mutex_unlock(&worker->lock);
}

static void *work(void *context)
{
	struct worker *worker = context;
	struct queue done;
	bool ending = false;

	queue_new(&done);
	while (!ending) {
		struct slot *slot = wait_slot(worker, &ending);

		if (slot)
			serve_slot(&worker->serve, slot, &done);
		serve_late(&worker->serve, &done);
		if (done.first)
			put_done(worker, &done);
	}
	return NULL;
}

struct worker *worker_new(uint32_t clients, int64_t timeout_ns)
{
	struct worker *worker = calloc(1, sizeof(*worker));

	if (!worker)
		return NULL;
	pthread_mutex_init(&worker->lock, NULL);
	pthread_cond_init(&worker->work, NULL);
	queue_new(&worker->in);
	queue_new(&worker->out);
	serve_new(&worker->serve, clients, timeout_ns);
	if (!pthread_create(&worker->thread, NULL, work, worker))
		return worker;
	free(worker);
	return NULL;
}

void worker_put(struct worker *worker, struct slot *slot)
{
	pthread_mutex_lock(&worker->lock);
	queue_put(&worker->in, slot);
	pthread_cond_signal(&worker->work);
	pthread_mutex_unlock(&worker->lock);
}

struct slot *worker_take(struct worker *worker)
{
	struct slot *slot;

	pthread_mutex_lock(&worker->lock);
	slot = queue_take(&worker->out);
	pthread_mutex_unlock(&worker->lock);
	return slot;
}

void worker_free(struct worker *worker)
{
	if (!worker)
		return;
	pthread_mutex_lock(&worker->lock);
	worker->ending = true;
	pthread_cond_signal(&worker->work);
	pthread_mutex_unlock(&worker->lock);
	pthread_join(worker->thread, NULL);
	serve_free(&worker->serve);
	pthread_cond_destroy(&worker->work);
	pthread_mutex_destroy(&worker->lock);
	free(worker);
}

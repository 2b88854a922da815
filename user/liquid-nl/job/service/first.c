// SPDX-License-Identifier: GPL-2.0-only
/*
 * `agree first`: the first node of a job is its service, for as long as the job begins
 *
 * Each node has its own store, and begins with the job there. The first one also publishes the
 * job, as a controller does, and serves the others from a process that leaves when all have gated,
 * or when no prologue waits any more. Afterwards each node keeps its answers in its own store,
 * for `job status`, the process that stays, and the epilogue.
 *
 * Several jobs may begin on one node at once, so each has some ports, by its name. Two may have the
 * same, and then take different ones of them: a node tries all, and its credential names the job.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/clock-ns.h"
#include "util/command.h"
#include "job/service/client.h"
#include "job/service/first.h"
#include "job/service/server.h"

#define LINGER_NS INT64_C(1000000000)	/* after the last moment of a prologue */

unsigned int first_port(const struct conf *conf, const char *job)
{
	uint64_t groups = conf->ports / CONF_JOB_PORTS;
	uint32_t hash = 0;

	for (const char *at = job; *at; at++)
		hash = hash * 31 + (unsigned char)*at;
	return (unsigned int)(conf->port + hash % groups * CONF_JOB_PORTS);
}

/* ---- on the first node ---- */

/* Slurm waits for processes with its output, and kills those in its session. */
static void be_server(struct server *server)
{
	int null = open("/dev/null", O_RDWR);

	setsid();
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	/* For `job prepare`, which is to find the same store */
	setenv("SLURMD_NODENAME", server->args->node, 1);
	server->args->run.bound = NULL;
	_exit(job_drop_privileges() ? server_loop(server) : EXIT_IO);
}

int first_serve(struct job_args *args)
{
	const struct conf *conf = &args->conf;
	struct server server = {
		.args = args, .job = args->job, .store = &args->store, .epoll = -1, .inotify = -1,
		.until = clock_ns(CLOCK_MONOTONIC) + (int64_t)(conf->deadline_ns + conf->lead_ns) +
			 LINGER_NS,
	};
	int code;
	pid_t child;

	args->store.durable = true;
	code = server_begin(&server);
	if (!code) {
		fflush(NULL);
		child = fork();
		if (!child)
			be_server(&server);
		if (child < 0)
			code = complain(EXIT_IO, "cannot create a process: %s", strerror(errno));
	}
	server_leave(&server);
	return code;
}

/* ---- on each node ---- */

static bool is_first(const struct job_args *args)
{
	return !strcmp(args->first, args->node);
}

/*
 * The first node does not gate, so no node can: where nothing is decided, it decides in its store.
 * The process that serves, if there is one, may not have been reached.
 */
static void abort_round(const struct job_args *args)
{
	struct record_decision decision = { .positive = false, .cause = CAUSE_NETWORK };
	char round[JOB_ROUND_SIZE], reason[600];
	struct liquid_error err;

	if (!job_generation(&args->store, args->job, round) ||
	    !job_said_since(0, reason, sizeof(reason)))
		return;
	snprintf(decision.node, sizeof(decision.node), "%s", args->node);
	snprintf(decision.reason, sizeof(decision.reason), "%s", reason);
	record_put_decision(&args->store, RECORD_RELEASE, round, &decision, &err);
}

static void to_own_store(struct job_args *args)
{
	if (args->store.backend)
		args->store.backend->close(&args->store);
	args->store.dir = args->dir;
}

void first_failed(struct job_args *args)
{
	struct liquid_error err;
	char reason[600];

	to_own_store(args);
	if (is_first(args))
		abort_round(args);
	if (job_said_since(0, reason, sizeof(reason)))
		record_put(&args->store, RECORD_SKIP, args->job, NULL,
			   record_skip_json(true, CAUSE_NETWORK, reason), &err);
}

int first_open(struct job_args *args)
{
	int code = service_open(args, args->first);

	if (code)
		first_failed(args);
	return code;
}

/* The first node has all records already. */
void first_keep(struct job_args *args, bool gated)
{
	struct job_store local = args->store;
	char round[JOB_ROUND_SIZE];
	struct liquid_error err;
	int status = LIQUID_OK;

	local.backend = NULL;
	local.dir = args->dir;
	if (!is_first(args))
		status = service_keep(&args->store, &local, args->job, &err);
	to_own_store(args);
	if (!gated && is_first(args))
		abort_round(args);
	if (!status && !is_first(args) && job_in_force(&args->store, args->job, round))
		status = record_put(&args->store, RECORD_RUNNING, args->job, NULL, json_object(),
				    &err);
	if (status < 0)
		complain(0, "note: job %s: its records are not kept here: %s", args->job,
			 err.text);
}

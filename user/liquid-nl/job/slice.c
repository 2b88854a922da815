// SPDX-License-Identifier: GPL-2.0-only
/*
 * A node's slice of a round, from the process that makes it to the one that gives it to the kernel
 *
 * A child without privileges, `job prepare`, reads the files and solves. Its plan comes through a
 * pipe, not as a file, so that no other process can change it before it is staged.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/clock-ns.h"
#include "util/command.h"
#include "job/agree.h"
#include "job/order.h"
#include "job/service/client.h"

#define POLL_MS 50
#define LOOK_NS INT64_C(500000000)	/* between two looks for the job's end, ns */

struct slice {
	pid_t child;
	int fd;				/* read end of the child's stdout, O_NONBLOCK */
	char *text;			/* output so far */
	size_t length, room;		/* bytes of text, used and allocated */
};

/* ---- the child without privileges ---- */

/* The child has its own process group, so that its own children can be killed with it. */
static void be_prepare(const struct agreement *agreement, int out)
{
	const struct job_args *args = agreement->args;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (dup2(out, STDOUT_FILENO) >= 0 && job_drop_privileges())
		execl("/proc/self/exe", "liquid-nl", "job", "prepare", agreement->spec.round,
		      "--node", args->node, "--config", args->conf_path, (char *)NULL);
	_exit(EXIT_BAD_INPUT);
}

static int start(const struct agreement *agreement, struct slice *slice)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return complain(EXIT_IO, "cannot create a pipe: %s", strerror(errno));
	fflush(NULL);
	slice->child = fork();
	if (!slice->child)
		be_prepare(agreement, ends[1]);
	close(ends[1]);
	slice->fd = ends[0];
	if (slice->child > 0 && !fcntl(slice->fd, F_SETFL, O_NONBLOCK))
		return EXIT_OK;
	close(slice->fd);
	return complain(EXIT_IO, "cannot create a process: %s", strerror(errno));
}

/* ---- the child's output ---- */

/* Read what the child has written so far. NULL, or the reason of a failure */
static const char *take_text(struct slice *slice)
{
	for (;;) {
		ssize_t got;

		if (slice->length == slice->room) {
			size_t room = slice->room ? 2 * slice->room : 65536;
			char *larger = room > JOB_RECORD_MAX ? NULL : realloc(slice->text, room);

			if (!larger)
				return room > JOB_RECORD_MAX ? "the node's plan is too large" :
				       "out of memory for the node's plan";
			slice->text = larger;
			slice->room = room;
		}
		got = read(slice->fd, slice->text + slice->length, slice->room - slice->length);
		if (got <= 0)
			return NULL;
		slice->length += got;
	}
}

/* Why the wait ends early, or NULL. The store is read rarely, because that loads its server. */
static const char *why_stop(const struct agreement *agreement, int64_t *next)
{
	int64_t now = clock_ns(CLOCK_MONOTONIC);

	if (is_late(agreement))
		return "the schedule was not ready in time";
	if (now < *next)
		return NULL;
	*next = now + LOOK_NS;
	return job_is_over(agreement) ? "the job has ended" : NULL;
}

static int exit_code(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_BAD_INPUT;
}

/*
 * Wait until the child has exited, not until the pipe is closed: a process that the live-command
 * has left behind may keep that open. The child is killed at the deadline, and when the job ends.
 */
static int await(struct agreement *agreement, struct slice *slice)
{
	struct pollfd wait = { .fd = slice->fd, .events = POLLIN };
	int64_t next = clock_ns(CLOCK_MONOTONIC) + LOOK_NS;
	const char *stopped = NULL;
	int status = 0;

	for (;;) {
		pid_t ended = waitpid(slice->child, &status, WNOHANG);

		if (!stopped)
			stopped = take_text(slice);
		if (!stopped && !ended)
			stopped = why_stop(agreement, &next);
		if (ended < 0 && errno != EINTR)
			return complain(EXIT_IO, "cannot wait for `job prepare`: %s",
					strerror(errno));
		if (ended > 0)
			return stopped ? complain(EXIT_BAD_INPUT, "%s", stopped) :
			       exit_code(status);
		if (stopped) {
			wait.fd = -1;
			kill(-slice->child, SIGKILL);
			kill(slice->child, SIGKILL);
		}
		if (poll(&wait, 1, POLL_MS) > 0 && wait.revents & POLLHUP)
			wait.fd = -1;
		job_lease_keep(agreement->args);
	}
}

static int read_rail(const json_t *json, struct rail *rail, struct liquid_error *err)
{
	const char *endpoint = "";
	int idle = 0;

	if (json_unpack((json_t *)json, "{s?b, s?s}", "idle", &idle, "endpoint", &endpoint))
		return liquid_fail(err, LIQUID_BAD_INPUT, "malformed plan of a rail");
	rail->idle = idle;
	snprintf(rail->endpoint, sizeof(rail->endpoint), "%s", endpoint);
	return idle ? LIQUID_OK : push_plan_take(json, &rail->push.plan, err);
}

/* The first rail's plan has those of the others in "more". */
static int read_rails(struct agreement *agreement, const json_t *json, struct liquid_error *err)
{
	const json_t *more = json_object_get(json, "more");
	size_t rails = 1 + json_array_size(more);
	int status = LIQUID_OK;

	if (rails > CONF_RAILS_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT, "plans of %zu rails; a node has at most "
				   "%d", rails, CONF_RAILS_MAX);
	for (size_t i = 0; !status && i < rails; i++)
		status = read_rail(i ? json_array_get(more, i - 1) : json,
				   &agreement->rail[agreement->rails++], err);
	return status;
}

static int read_plan(struct agreement *agreement, const struct slice *slice)
{
	json_t *json = json_loadb(slice->text ? slice->text : "", slice->length,
				  JSON_REJECT_DUPLICATES, NULL);
	struct liquid_error err;
	const char *digest;
	int code = EXIT_OK;

	if (json_unpack(json, "{s:s}", "digest", &digest) ||
	    strlen(digest) != LIQUID_DIGEST_HEX - 1)
		code = complain(EXIT_BAD_INPUT, "round %s: malformed plan of node %s",
				agreement->spec.round, agreement->args->node);
	else
		strcpy(agreement->digest, digest);
	job_order_keep(agreement->args, code ? NULL : json_object_get(json, "order"));
	if (!code && read_rails(agreement, json, &err))
		code = complain(EXIT_BAD_INPUT, "round %s: %s", agreement->spec.round, err.text);
	json_decref(json);
	return code;
}

#define REST_NS INT64_C(50000000)	/* between two looks at the clock and the job's end, ns */

/* The service has it made for all nodes, and sends each its own. */
static int take_slice(struct agreement *agreement)
{
	struct job_args *args = agreement->args;
	int64_t next = clock_ns(CLOCK_MONOTONIC) + LOOK_NS;
	struct slice slice = { 0 };
	const char *why;
	int code;

	while (!service_slice(&args->store, agreement->spec.round, &slice.text, &slice.length,
			      &why)) {
		why = why_stop(agreement, &next);
		if (why)
			break;
		job_rest(args, REST_NS);
	}
	code = slice.text ? read_plan(agreement, &slice) : complain(EXIT_BAD_INPUT, "%s", why);
	free(slice.text);
	return code;
}

int slice_prepare(struct agreement *agreement)
{
	struct slice slice = { 0 };
	int code;

	if (agreement->args->store.backend)
		return take_slice(agreement);
	code = start(agreement, &slice);
	if (code)
		return code;
	code = await(agreement, &slice);
	close(slice.fd);
	if (!code)
		code = read_plan(agreement, &slice);
	free(slice.text);
	return code;
}

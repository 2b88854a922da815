// SPDX-License-Identifier: GPL-2.0-only
/*
 * The slices of a round, each of which goes to its node alone
 *
 * A process without privileges, `job prepare` without a node, solves once and writes the slices of
 * all nodes into a file without a name, then where each begins. Nothing of it is kept: a service
 * that was started anew has it made again, and the schedule comes out the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/clock-ns.h"
#include "util/command.h"
#include "job/service/server.h"

extern char **environ;

struct slices {
	struct source source;		/* the descriptor of the process */
	struct server *server;
	struct round *round;
	pid_t pid;			/* 0: it does not run */
	int file, said;			/* its stdout, its stderr */
	int64_t until;			/* CLOCK_MONOTONIC */
	enum taken state;
	json_t *index;			/* node: [offset, bytes] */
	char why[300];
};

/* ---- the process ---- */

static void tell_waiting(struct slices *slices)
{
	for (struct session *at = slices->server->sessions; at; at = at->next)
		if (!at->dead && !strcmp(at->slice_of, slices->round->spec.round))
			request_send_slice(at);
}

static void fail(struct slices *slices, const char *why)
{
	snprintf(slices->why, sizeof(slices->why), "%.290s", why);
	slices->state = TAKEN_BAD;
	complain(0, "round %s: no slices: %s", slices->round->spec.round, slices->why);
	tell_waiting(slices);
}

static void fail_said(struct slices *slices)
{
	off_t end = lseek(slices->said, 0, SEEK_END);
	char line[sizeof(slices->why)];

	fail(slices, job_last_line(slices->said, 0, end, line, sizeof(line)) ? line :
	     "the process that makes them was killed");
}

#define TRAILER 21			/* bytes: where the index begins, and a newline */

static bool read_index(struct slices *slices)
{
	off_t end = lseek(slices->file, 0, SEEK_END), at;
	char trailer[TRAILER + 1] = "", *text;

	if (end < TRAILER || pread(slices->file, trailer, TRAILER, end - TRAILER) != TRAILER)
		return false;
	at = (off_t)strtoull(trailer, NULL, 10);
	end -= TRAILER;
	if (at < 0 || at >= end || end - at > JOB_RECORD_MAX)
		return false;
	text = malloc((size_t)(end - at));
	if (text && pread(slices->file, text, (size_t)(end - at), at) == end - at)
		slices->index = json_loadb(text, (size_t)(end - at), JSON_REJECT_DUPLICATES, NULL);
	free(text);
	return json_is_object(slices->index);
}

static void stop(struct slices *slices)
{
	server_forget(slices->server, &slices->source);
	slices->pid = 0;
	slices->server->slicers--;
}

static void slices_ready(struct source *source, uint32_t events)
{
	struct slices *slices = (struct slices *)source;
	int status, fd = source->fd;

	(void)events;
	if (waitpid(slices->pid, &status, WNOHANG) != slices->pid)
		return;
	stop(slices);
	close(fd);
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		fail_said(slices);
	} else if (!read_index(slices)) {
		fail(slices, "they cannot be read");
	} else {
		slices->state = TAKEN_ONE;
		tell_waiting(slices);
	}
}

static void kill_it(struct slices *slices)
{
	int fd = slices->source.fd;

	if (!slices->pid)
		return;
	kill(-slices->pid, SIGKILL);
	kill(slices->pid, SIGKILL);
	while (waitpid(slices->pid, NULL, 0) < 0 && errno == EINTR)
		;
	stop(slices);
	if (fd >= 0)
		close(fd);
}

/* The service has no privileges, and NO_NEW_PRIVS, so it has none either. */
static int spawn(struct slices *slices)
{
	const struct job_args *args = slices->server->args;
	char *argv[] = { (char *)"liquid-nl", (char *)"job", (char *)"prepare",
			 slices->round->spec.round, (char *)"--config", (char *)args->conf_path,
			 NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int error = posix_spawn_file_actions_init(&actions);

	if (error)
		return error;
	error = posix_spawnattr_init(&attr);
	if (!error) {
		posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);
		error = posix_spawn_file_actions_adddup2(&actions, slices->file, STDOUT_FILENO);
		if (!error)
			error = posix_spawn_file_actions_adddup2(&actions, slices->said,
								 STDERR_FILENO);
		if (!error)
			error = posix_spawn(&slices->pid, "/proc/self/exe", &actions, &attr, argv,
					    environ);
		posix_spawnattr_destroy(&attr);
	}
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

static void run(struct slices *slices)
{
	struct server *server = slices->server;
	int error;

	slices->file = openat(server->store->fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	slices->said = memfd_create("said", MFD_CLOEXEC);
	error = slices->file < 0 || slices->said < 0 ? errno : spawn(slices);
	if (error) {
		slices->pid = 0;
		fail(slices, strerror(error));
		return;
	}
	server->slicers++;
	slices->source = (struct source){
		(int)syscall(SYS_pidfd_open, slices->pid, 0), slices_ready
	};
	if (slices->source.fd < 0 || !server_wait(server, &slices->source, EPOLLIN)) {
		kill_it(slices);
		fail(slices, strerror(errno));
	}
}

/* ---- from outside ---- */

struct slices *slices_start(struct server *server, struct round *round)
{
	struct slices *slices = calloc(1, sizeof(*slices));
	int64_t left = round->spec.deadline_ns - clock_ns(CLOCK_REALTIME);
	int64_t most = (int64_t)server->args->conf.deadline_ns;

	if (!slices)
		return NULL;
	*slices = (struct slices){
		.source = { .fd = -1 }, .server = server, .round = round, .file = -1, .said = -1,
		.until = clock_ns(CLOCK_MONOTONIC) + (left < most ? left : most),
	};
	slices_look(server, slices, clock_ns(CLOCK_MONOTONIC));
	return slices;
}

void slices_look(struct server *server, struct slices *slices, int64_t now)
{
	if (slices->state != TAKEN_NOTHING)
		return;
	if (now >= slices->until) {
		kill_it(slices);
		fail(slices, "the controller took too long to solve");
	} else if (!slices->pid && server->slicers < SLICERS_MAX) {
		run(slices);
	}
}

void slices_free(struct server *server, struct slices *slices)
{
	(void)server;
	kill_it(slices);
	if (slices->file >= 0)
		close(slices->file);
	if (slices->said >= 0)
		close(slices->said);
	json_decref(slices->index);
	free(slices);
}

static bool find(const struct slices *slices, const char *node, uint64_t *at, uint64_t *size)
{
	json_int_t offset, length;

	if (json_unpack(json_object_get(slices->index, node), "[I, I]", &offset, &length) ||
	    offset < 0 || length < 1 || length > JOB_RECORD_MAX)
		return false;
	*at = (uint64_t)offset;
	*size = (uint64_t)length;
	return true;
}

enum taken slices_find(struct slices *slices, const char *node, uint64_t *size, const char **why)
{
	uint64_t at;

	*why = slices->why;
	if (slices->state != TAKEN_ONE || find(slices, node, &at, size))
		return slices->state;
	*why = "the round has no slice of this node";
	return TAKEN_BAD;
}

ssize_t slices_read(const struct slices *slices, const char *node, uint64_t at, void *piece,
		    size_t room)
{
	uint64_t begin, size;

	if (!find(slices, node, &begin, &size) || at >= size)
		return -1;
	if (room > size - at)
		room = (size_t)(size - at);
	return pread(slices->file, piece, room, (off_t)(begin + at));
}

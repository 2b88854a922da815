// SPDX-License-Identifier: GPL-2.0-only
/* A program that is run with a time limit and a bound of its output. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/clock-ns.h"
#include "job/service/child.h"

#define REAP_NS 1000000L

/* Nothing of the caller's environment, which may be a user's */
static char *const environment[] = {
	(char *)"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
	(char *)"LC_ALL=C", NULL
};

static int spawn(struct child *child, char *const argv[], int in, int out)
{
	posix_spawn_file_actions_t actions;
	int error = posix_spawn_file_actions_init(&actions);

	if (error)
		return error;
	error = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
	if (!error)
		error = posix_spawnp(&child->pid, argv[0], &actions, NULL, argv, environment);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

bool child_start(struct child *child, char *const argv[], const char *input, size_t length)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 };
	int error = length > PIPE_BUF ? E2BIG :
		    pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) ? errno : 0;

	child->pid = 0;
	child->used = 0;
	child->until = clock_ns(CLOCK_MONOTONIC) + CHILD_NS;
	if (!error && length && write(in[1], input, length) != (ssize_t)length)
		error = errno;
	if (!error)
		error = spawn(child, argv, in[0], out[1]);
	for (int i = 0; i < 2; i++)
		if (in[i] >= 0)
			close(in[i]);
	if (out[1] >= 0)
		close(out[1]);
	child->fd = out[0];
	if (!error && !fcntl(child->fd, F_SETFL, O_NONBLOCK))
		return true;
	if (error)
		child->pid = 0;
	child_kill(child);
	errno = error;
	return false;
}

static int too_late(struct child *child)
{
	if (clock_ns(CLOCK_MONOTONIC) < child->until)
		return -1;
	child_kill(child);
	return CHILD_KILLED;
}

/*
 * Its output has ended, so it is about to exit, which takes a while where the machine is busy. Who
 * asks again at once, because the descriptor stays readable, leaves it some of the processor.
 */
static int reap(struct child *child)
{
	const struct timespec rest = { 0, REAP_NS };
	int status = 0;
	pid_t ended = waitpid(child->pid, &status, WNOHANG);

	if (!ended) {
		nanosleep(&rest, NULL);
		return too_late(child);
	}
	child->pid = ended == child->pid ? 0 : child->pid;
	child_kill(child);
	return ended > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : CHILD_KILLED;
}

int child_poll(struct child *child)
{
	ssize_t got;

	do {
		if (child->used == sizeof(child->out)) {
			child_kill(child);
			return CHILD_KILLED;
		}
		got = read(child->fd, child->out + child->used, sizeof(child->out) - child->used);
		child->used += got > 0 ? (size_t)got : 0;
	} while (got > 0);
	return !got || errno != EAGAIN ? reap(child) : too_late(child);
}

void child_kill(struct child *child)
{
	if (child->pid > 0) {
		kill(child->pid, SIGKILL);
		while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	child->pid = 0;
	if (child->fd >= 0)
		close(child->fd);
	child->fd = -1;
}

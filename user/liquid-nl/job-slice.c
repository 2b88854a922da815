// SPDX-License-Identifier: GPL-2.0-only
/*
 * A node's slice of a round, from the process that makes it to the one that gives it to the kernel
 *
 * To read files and to solve, a process of its own is started, which has no privileges. Its plan comes
 * through a pipe: it is never a file, which somebody might change before it is staged.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock-ns.h"
#include "cmd.h"
#include "job-agree.h"

#define POLL_MS 50

struct slice {
	pid_t child;
	int fd;				/* what it writes, not blocking */
	char *text;
	size_t length, room;
};

/* ---- the process, without privileges ---- */

/* Root, too, has none in what is called here; NO_NEW_PRIVS, which job-user.c has set, keeps it so. */
static bool drop_privileges(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	return !prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) &&
	       !syscall(SYS_capset, &head, none) && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* A group of its own, so that what it calls can be ended with it; it does not outlive who asked. */
static void be_prepare(const struct agreement *agreement, int out)
{
	const struct job_args *args = agreement->args;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (dup2(out, STDOUT_FILENO) >= 0 && drop_privileges())
		execl("/proc/self/exe", "liquid-nl", "job", "prepare", agreement->spec.round, "--node",
		      args->node, "--config", args->conf_path, (char *)NULL);
	_exit(EXIT_BAD_INPUT);
}

static int start(const struct agreement *agreement, struct slice *slice)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return complain(EXIT_BAD_INPUT, "no pipe: %s", strerror(errno));
	fflush(NULL);
	slice->child = fork();
	if (!slice->child)
		be_prepare(agreement, ends[1]);
	close(ends[1]);
	slice->fd = ends[0];
	if (slice->child > 0 && !fcntl(slice->fd, F_SETFL, O_NONBLOCK))
		return EXIT_OK;
	close(slice->fd);
	return complain(EXIT_BAD_INPUT, "no process: %s", strerror(errno));
}

/* ---- what it says ---- */

/* False: it is too much, or memory is out. */
static bool take_text(struct slice *slice)
{
	for (;;) {
		ssize_t got;

		if (slice->length == slice->room) {
			size_t room = slice->room ? 2 * slice->room : 65536;
			char *larger = room > JOB_RECORD_MAX ? NULL : realloc(slice->text, room);

			if (!larger)
				return false;
			slice->text = larger;
			slice->room = room;
		}
		got = read(slice->fd, slice->text + slice->length, slice->room - slice->length);
		if (got <= 0)
			return true;
		slice->length += got;
	}
}

/*
 * Until it has ended, not until its end of the pipe is closed: what a live-command has left behind may
 * hold that. Whatever it waits for, it has the time until the deadline.
 */
static int await(struct agreement *agreement, struct slice *slice)
{
	struct pollfd wait = { .fd = slice->fd, .events = POLLIN };
	int status = 0, code = EXIT_OK;

	for (;;) {
		pid_t ended = waitpid(slice->child, &status, WNOHANG);

		if (!take_text(slice))
			code = complain(EXIT_BAD_INPUT, "the node's plan is too large");
		else if (clock_ns(CLOCK_REALTIME) > agreement->spec.deadline_ns)
			code = complain(EXIT_BAD_INPUT, "the node's plan was not ready in time");
		if (ended > 0)
			return code ? code : WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_BAD_INPUT;
		if (code || (ended < 0 && errno != EINTR))
			break;
		if (poll(&wait, 1, POLL_MS) > 0 && wait.revents & POLLHUP)
			wait.fd = -1;
		job_lease_keep(agreement->args);
	}
	kill(-slice->child, SIGKILL);
	kill(slice->child, SIGKILL);
	waitpid(slice->child, &status, 0);
	return code ? code : EXIT_BAD_INPUT;
}

static int read_plan(struct agreement *agreement, const struct slice *slice)
{
	json_t *json = json_loadb(slice->text ? slice->text : "", slice->length,
				  JSON_REJECT_DUPLICATES, NULL);
	struct liquid_error err;
	const char *digest;
	int idle = 0, code = EXIT_OK;

	if (json_unpack(json, "{s:s, s?b}", "digest", &digest, "idle", &idle) ||
	    strlen(digest) != LIQUID_DIGEST_HEX - 1)
		code = complain(EXIT_BAD_INPUT, "round %s: no plan of node %s", agreement->spec.round,
				agreement->args->node);
	if (!code) {
		strcpy(agreement->digest, digest);
		agreement->idle = idle;
	}
	if (!code && !idle && job_plan_read(json, &agreement->push.plan, &err))
		code = complain(EXIT_BAD_INPUT, "round %s: %s", agreement->spec.round, err.text);
	json_decref(json);
	return code;
}

int slice_prepare(struct agreement *agreement)
{
	struct slice slice = { 0 };
	int code = start(agreement, &slice);

	if (code)
		return code;
	code = await(agreement, &slice);
	close(slice.fd);
	if (!code)
		code = read_plan(agreement, &slice);
	free(slice.text);
	return code;
}

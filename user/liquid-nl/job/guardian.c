// SPDX-License-Identifier: GPL-2.0-only
/*
 * The guardian of a node's commit
 *
 * Between the commit and the round's verdict a schedule waits in the kernel. The process that must
 * clear it on a cancel may be killed before. So its child, the guardian, waits for its end and
 * clears the schedule in its place.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/command.h"
#include "job/agree.h"

/* The parent was killed: cancel the round, unless it has been kept already. */
static void act_for_parent(const struct agreement *agreement)
{
	const struct job_args *args = agreement->args;
	struct record_decision decision = {
		.positive = false, .cause = CAUSE_KILLED,
		.reason = "the process that had committed was killed",
	};
	struct liquid_error err;

	snprintf(decision.node, sizeof(decision.node), "%s", args->node);
	record_put_decision(&args->store, RECORD_GO, agreement->spec.round, &decision, &err);
	if (!record_get_decision(&args->store, RECORD_GO, agreement->spec.round, &decision) ||
	    !decision.positive)
		job_clear_gate(args);
}

static void guard(const struct agreement *agreement, int fd)
{
	char word;
	ssize_t got;

	setsid();
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	do
		got = read(fd, &word, 1);
	while (got < 0);
	if (!got) {
		agreement->args->store.backend->forked(&agreement->args->store);
		act_for_parent(agreement);
	}
}

int guardian_start(struct agreement *agreement)
{
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return complain(EXIT_IO, "cannot create a pipe");
	fflush(NULL);
	child = fork();
	if (child < 0) {
		close(ends[0]);
		close(ends[1]);
		return complain(EXIT_IO, "cannot create a process");
	}
	if (!child) {
		int null = open("/dev/null", O_RDWR);

		/* A reader of the parent's output must not wait for the guardian to close it. */
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		close(ends[1]);
		guard(agreement, ends[0]);
		_exit(0);
	}
	close(ends[0]);
	agreement->guard_fd = ends[1];
	agreement->guard_pid = child;
	return EXIT_OK;
}

void guardian_dismiss(struct agreement *agreement)
{
	if (agreement->guard_fd < 0)
		return;
	if (write(agreement->guard_fd, "", 1) < 0)
		complain(0, "the process that opens the gate if this one is killed has exited");
	close(agreement->guard_fd);
	agreement->guard_fd = -1;
	/* The parent may live as long as the job, so it must reap its child. */
	while (waitpid(agreement->guard_pid, NULL, 0) < 0 && errno == EINTR)
		;
}

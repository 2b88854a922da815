// SPDX-License-Identifier: GPL-2.0-only
/*
 * Between a node's commit and the round's verdict a schedule waits in the kernel. If the process
 * that must clear it on a cancel is killed, nobody would: so a child of it waits for its end.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "gate/device.h"
#include "job/agree.h"

static bool is_own(const struct gate_sched *sched, const struct job_args *args)
{
	return sched->present && sched->base_time == args->base_ns;
}

static int clear(const struct job_args *args, bool own_only)
{
	const char *device = conf_device_of(&args->conf, args->node);
	struct netlink nl;
	struct gate gate;
	uint32_t ifindex;
	int code = EXIT_OK;

	if (args->dry_run)
		return EXIT_OK;
	if (!device)
		return complain(EXIT_BAD_INPUT, "%s: no device for node '%s'", args->conf_path,
				args->node);
	code = open_gate(device, &nl, &ifindex);
	if (code)
		return code;
	if (own_only && gate_get(&nl, ifindex, &gate))
		code = refused(&nl, device);
	else if (own_only && !is_own(&gate.oper, args) && !is_own(&gate.admin, args))
		code = EXIT_OK;
	else if (gate_sched_clear(&nl, ifindex))
		code = refused(&nl, device);
	netlink_close(&nl);
	return code;
}

int job_clear_gate(const struct job_args *args)
{
	return clear(args, false);
}

int job_clear_own(const struct job_args *args)
{
	return clear(args, true);
}

/* The parent is gone without a word: the round is cancelled unless it is kept already. */
static void act_for_parent(const struct agreement *agreement)
{
	const struct job_args *args = agreement->args;
	struct liquid_error err;
	char *go;

	job_decide(&args->store, agreement->spec.round, "go",
		   json_pack("{s:s, s:s, s:s}", "verdict", "cancel", "node", args->node, "reason",
			     "the process that had committed was killed"), &err);
	go = job_verdict(&args->store, agreement->spec.round, "go", NULL);
	if (!go || strcmp(go, "keep"))
		job_clear_gate(args);
	free(go);
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
	if (!got)
		act_for_parent(agreement);
}

int guardian_start(struct agreement *agreement)
{
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return complain(EXIT_IO, "no pipe");
	fflush(NULL);
	child = fork();
	if (child < 0) {
		close(ends[0]);
		close(ends[1]);
		return complain(EXIT_IO, "no process");
	}
	if (!child) {
		int null = open("/dev/null", O_RDWR);

		/* Who waits for the end of our output shall not wait for this process. */
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
		complain(0, "the guardian has gone");
	close(agreement->guard_fd);
	agreement->guard_fd = -1;
	/* A process that stays for the job's life leaves no dead ones about. */
	while (waitpid(agreement->guard_pid, NULL, 0) < 0 && errno == EINTR)
		;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * No store, whatever it does, holds a job for longer than liquid.conf says
 *
 * Who looks at a hard mount whose server is gone may be held there for ever, and on some file
 * systems cannot even be killed. So all that touches the store is done by a child, the worker; the
 * process that was called never does. It waits for the worker, but not beyond the bound; then it
 * kills the worker, whether that helps or not, opens the gate itself if need be, and goes. The
 * worker writes to files in memory, which are copied to where we write to: who reads our output
 * until its end shall not wait for the worker either.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock/clock-ns.h"
#include "cmd/cmd.h"
#include "job/job.h"

#define KILL_NS INT64_C(500000000)	/* what a worker may take to die */
#define COPY_NS 50000000L

struct stream {
	int from, to;
	off_t done;
};

struct worker {
	pid_t pid;
	struct stream out, err;
	struct job_bound *bound;	/* shared */
};

static void copy_on(struct stream *stream)
{
	char buffer[4096];
	ssize_t got, put;

	while ((got = pread(stream->from, buffer, sizeof(buffer), stream->done)) > 0) {
		put = write(stream->to, buffer, (size_t)got);
		/* Nobody is left who reads it. */
		if (put < 0 && errno != EINTR)
			put = got;
		stream->done += put > 0 ? put : 0;
	}
}

/* True: it has ended, with its exit code; false: it was killed, or is still there. */
static bool wait_until(struct worker *worker, int64_t until, bool extend, int *code)
{
	const struct timespec rest = { 0, COPY_NS };
	sigset_t child;
	int status;
	pid_t ended;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	for (;;) {
		ended = waitpid(worker->pid, &status, WNOHANG);
		copy_on(&worker->err);
		copy_on(&worker->out);
		if (ended == worker->pid) {
			*code = WEXITSTATUS(status);
			return WIFEXITED(status);
		}
		if (extend)
			until = atomic_load(&worker->bound->until_ns);
		if (clock_ns(CLOCK_MONOTONIC) >= until)
			return false;
		sigtimedwait(&child, NULL, &rest);
	}
}

/* What was said last before the bound, if anything, stands above. */
static int abandon(struct job_args *args, struct worker *worker)
{
	int code;

	if (clock_ns(CLOCK_MONOTONIC) >= atomic_load(&worker->bound->until_ns)) {
		kill(worker->pid, SIGKILL);
		wait_until(worker, clock_ns(CLOCK_MONOTONIC) + KILL_NS, false, &code);
		complain(0, "job %s: the store %s has not answered in time", args->job,
			 args->store.dir);
	} else {
		complain(0, "job %s: the process that was at it was killed", args->job);
	}
	args->run.base_ns = atomic_load(&worker->bound->base_ns);
	if (args->run.base_ns)
		job_clear_own(args);
	return EXIT_BAD_INPUT;
}

static bool make_files(struct worker *worker)
{
	worker->out = (struct stream){ memfd_create("stdout", MFD_CLOEXEC), STDOUT_FILENO, 0 };
	worker->err = (struct stream){ memfd_create("stderr", MFD_CLOEXEC), STDERR_FILENO, 0 };
	worker->bound = mmap(NULL, sizeof(*worker->bound), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return worker->out.from >= 0 && worker->err.from >= 0 && worker->bound != MAP_FAILED;
}

static void work(struct job_args *args, const struct worker *worker, const sigset_t *signals,
		 int (*serve)(struct job_args *args))
{
	int code;

	sigprocmask(SIG_SETMASK, signals, NULL);
	dup2(worker->out.from, STDOUT_FILENO);
	dup2(worker->err.from, STDERR_FILENO);
	args->run.bound = worker->bound;
	code = serve(args);
	fflush(NULL);
	_exit(code);
}

int job_bounded(struct job_args *args, uint64_t limit_ns, int (*serve)(struct job_args *args),
		bool *abandoned)
{
	struct worker worker;
	sigset_t child, signals;
	int code;

	*abandoned = false;
	if (!make_files(&worker))
		return complain(EXIT_IO, "no memory: %s", strerror(errno));
	atomic_store(&worker.bound->until_ns, clock_ns(CLOCK_MONOTONIC) + (int64_t)limit_ns);
	/* Who called us may have asked for none of them. */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &signals);
	fflush(NULL);
	args->run.caller = getpid();
	worker.pid = fork();
	if (worker.pid < 0)
		return complain(EXIT_IO, "no process: %s", strerror(errno));
	if (!worker.pid)
		work(args, &worker, &signals, serve);
	if (!job_keep_waiting_caps())
		complain(0, "privileges that are not needed cannot be given up: %s",
			 strerror(errno));
	*abandoned = !wait_until(&worker, 0, true, &code);
	return *abandoned ? abandon(args, &worker) : code;
}

/* To be called as the user that the worker stays: the kernel forgets it when that changes. */
void job_die_with_caller(const struct job_args *args)
{
	if (!args->run.bound)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (getppid() != args->run.caller)
		_exit(EXIT_BAD_INPUT);
}

/* ---- what was said last ---- */

off_t job_said(void)
{
	off_t at = lseek(STDERR_FILENO, 0, SEEK_CUR);

	return at < 0 ? 0 : at;
}

bool job_said_since(off_t since, char *line, size_t size)
{
	char text[4096];
	off_t end = job_said(), from = end - (off_t)sizeof(text) + 1;
	ssize_t got = pread(STDERR_FILENO, text, sizeof(text) - 1, from > since ? from : since);
	char *last;

	*line = '\0';
	while (got > 0 && text[got - 1] == '\n')
		got--;
	if (got <= 0)
		return false;
	text[got] = '\0';
	last = strrchr(text, '\n');
	last = last ? last + 1 : text;
	if (!strncmp(last, "liquid-nl: ", strlen("liquid-nl: ")))
		last += strlen("liquid-nl: ");
	snprintf(line, size, "%s", last);
	/* It goes into a record, which is UTF-8. */
	for (char *at = line; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
	return *line;
}

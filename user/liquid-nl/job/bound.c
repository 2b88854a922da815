// SPDX-License-Identifier: GPL-2.0-only
/*
 * What does not answer delays a job no longer than liquid.conf allows
 *
 * A process that asks a resolver or reads a disk may hang, and at times cannot even be killed. So
 * a child, the worker, does all of it. The process that was called, the caller, waits for the
 * worker, but not beyond the bound. Then it tries to kill the worker, opens the gate itself if
 * necessary, and exits.
 *
 * The worker writes its output to files in memory, and the caller copies it to its own stdout and
 * stderr. Otherwise a reader of that output would wait for the worker to close it.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/clock-ns.h"
#include "util/command.h"
#include "job/job.h"
#include "util/units.h"

#define KILL_NS INT64_C(500000000)	/* time for a worker to die, ns */
#define COPY_NS 50000000L		/* time between two copies of its output, ns */

struct stream {
	int from, to;			/* the worker's file, the caller's descriptor */
	off_t done;			/* bytes copied */
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
		/* The reader is gone: drop the output. */
		if (put < 0 && errno != EINTR)
			put = got;
		stream->done += put > 0 ? put : 0;
	}
}

/* True: the worker has exited with *@code; false: it was killed, or is still running. */
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

/* The worker's last message may be cut short by its end, and is made one line. */
static void tell_late(const struct job_args *args, const struct job_bound *bound, int64_t took,
		      char *text, size_t size)
{
	bool service = args->conf.service && args->node;
	char doing[sizeof(bound->doing)], limit[UNIT_TEXT];

	snprintf(doing, sizeof(doing), "%.*s", (int)sizeof(doing) - 1, bound->doing);
	for (char *at = doing; *at; at++)
		if ((unsigned char)*at < ' ' || (unsigned char)*at > '~')
			*at = '?';
	if (*doing)
		snprintf(text, size, "gave up after %s, while %s",
			 format_time((uint64_t)took / 100000000 * 100000000, limit), doing);
	else
		snprintf(text, size, "the %s %s has not answered in time",
			 service ? "service" : "store",
			 service ? args->conf.service : args->store.dir);
}

void job_doing(const struct job_args *args, const char *format, ...)
{
	struct job_bound *bound = args->run.bound;
	va_list ap;

	if (!bound)
		return;
	va_start(ap, format);
	vsnprintf(bound->doing, sizeof(bound->doing), format, ap);
	va_end(ap);
}

/* The worker's own messages, if any, were copied to stderr before. */
static int abandon(struct job_args *args, struct worker *worker, int64_t began)
{
	char *reason = args->run.outcome.reason;
	const size_t size = sizeof(args->run.outcome.reason);
	bool late = clock_ns(CLOCK_MONOTONIC) >= atomic_load(&worker->bound->until_ns);
	int code;

	if (late) {
		kill(worker->pid, SIGKILL);
		args->run.outcome = (struct job_outcome){ .known = true };
		tell_late(args, worker->bound, clock_ns(CLOCK_MONOTONIC) - began, reason, size);
		wait_until(worker, clock_ns(CLOCK_MONOTONIC) + KILL_NS, false, &code);
	} else {
		args->run.outcome = (struct job_outcome){ .known = true };
		snprintf(reason, size, "liquid-nl was killed while the nodes agreed (for want of "
			 "memory? see dmesg)");
	}
	complain(0, "job %s: %s", args->job, reason);
	args->run.base_ns = atomic_load(&worker->bound->base_ns);
	if (args->run.base_ns)
		job_clear_own(args);
	return EXIT_BAD_INPUT;
}

/* The worker is another user, and has read the store: its text is made one line, and ended. */
static void take_outcome(struct job_args *args, const struct job_outcome *shared)
{
	struct job_outcome *outcome = &args->run.outcome;

	*outcome = *shared;
	outcome->round[sizeof(outcome->round) - 1] = '\0';
	outcome->digest[sizeof(outcome->digest) - 1] = '\0';
	outcome->reason[sizeof(outcome->reason) - 1] = '\0';
	for (char *at = outcome->reason; *at; at++)
		if ((unsigned char)*at < ' ')
			*at = '?';
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
	int64_t began;
	int code;

	*abandoned = false;
	if (!make_files(&worker))
		return complain(EXIT_IO, "out of memory: %s", strerror(errno));
	began = clock_ns(CLOCK_MONOTONIC);
	atomic_store(&worker.bound->until_ns, began + (int64_t)limit_ns);
	/* The caller may have set it to be ignored, and then waitpid() would find no worker. */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &signals);
	fflush(NULL);
	args->run.caller = getpid();
	worker.pid = fork();
	if (worker.pid < 0)
		return complain(EXIT_IO, "cannot create a process: %s", strerror(errno));
	if (!worker.pid)
		work(args, &worker, &signals, serve);
	if (!job_keep_waiting_caps())
		complain(0, "cannot drop privileges: %s",
			 strerror(errno));
	*abandoned = !wait_until(&worker, 0, true, &code);
	take_outcome(args, &worker.bound->outcome);
	return *abandoned ? abandon(args, &worker, began) : code;
}

/* To be called after the change of user, which resets PR_SET_PDEATHSIG. */
void job_die_with_caller(const struct job_args *args)
{
	if (!args->run.bound)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (getppid() != args->run.caller)
		_exit(EXIT_BAD_INPUT);
}

/* ---- the last message on stderr ---- */

off_t job_said(void)
{
	off_t at = lseek(STDERR_FILENO, 0, SEEK_CUR);

	return at < 0 ? 0 : at;
}

bool job_last_line(int fd, off_t since, off_t end, char *line, size_t size)
{
	char text[4096], *last;
	off_t from = end - (off_t)sizeof(text) + 1;
	ssize_t got = pread(fd, text, sizeof(text) - 1, from > since ? from : since);

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
	/* The line goes into a record, which must be UTF-8. */
	for (char *at = line; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
	return *line;
}

bool job_said_since(off_t since, char *line, size_t size)
{
	return job_last_line(STDERR_FILENO, since, job_said(), line, size);
}

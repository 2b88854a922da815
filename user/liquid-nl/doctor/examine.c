// SPDX-License-Identifier: GPL-2.0-only
/*
 * The processes of the checks
 *
 * That of the user database comes first: most others look up the store's user, and do not run where
 * nothing answers that. Then comes that of liquid.conf, because all read that file, and run only if
 * it can be read. They run at the same time, so that many that hang take no longer than one.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/clock-ns.h"
#include "util/command.h"
#include "doctor/doctor.h"
#include "util/units.h"

#define KILL_NS INT64_C(300000000)	/* time for a killed process to end, ns */
#define CONFIGURATION 1			/* the place of its check in the table */

struct patient {
	pid_t pid;			/* 0: not running */
	int status;
};

/* In the process of a check: it holds no file of the caller's, whose reader would wait for it. */
static void isolate(pid_t parent, const sigset_t *signals)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int said = memfd_create("said", MFD_CLOEXEC);

	setpgid(0, 0);
	sigprocmask(SIG_SETMASK, signals, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (getppid() != parent)
		_exit(EXIT_BAD_INPUT);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(said < 0 ? null : said, STDERR_FILENO);
}

/* The first check reports a file that cannot be read, and then no other one runs. */
static bool read_conf(struct doctor *doctor)
{
	struct liquid_error err;

	if (conf_read_file(doctor->job.conf_path, &doctor->job.conf, &err)) {
		find(doctor, VERDICT_UNCHECKED, "", "%s", err.text);
		return false;
	}
	job_find_store(&doctor->job);
	return true;
}

static int begin(struct doctor *doctor, const struct check *check, struct patient *patient,
		 const sigset_t *signals)
{
	pid_t parent = getpid(), child = fork();

	if (child < 0)
		return complain(EXIT_IO, "cannot create a process: %s", strerror(errno));
	patient->pid = child;
	if (child)
		return EXIT_OK;
	isolate(parent, signals);
	if (check == &checks[CONFIGURATION] || read_conf(doctor))
		check->run(doctor);
	_exit(EXIT_OK);
}

/* Reap checks that have ended; true: all have. */
static bool all_ended(struct patient *patients, size_t count)
{
	bool all = true;

	for (size_t i = 0; i < count; i++) {
		if (patients[i].pid &&
		    waitpid(patients[i].pid, &patients[i].status, WNOHANG) == patients[i].pid)
			patients[i].pid = 0;
		all &= !patients[i].pid;
	}
	return all;
}

static bool wait_until(struct patient *patients, size_t count, int64_t until, const sigset_t *child)
{
	while (!all_ended(patients, count)) {
		int64_t left = until - clock_ns(CLOCK_MONOTONIC);
		struct timespec rest = { left / 1000000000, left % 1000000000 };

		if (left <= 0)
			return false;
		sigtimedwait(child, NULL, &rest);
	}
	return true;
}

/* Children of a check's process are in its process group. */
static void end_late(struct patient *patients, size_t count, const sigset_t *child)
{
	for (size_t i = 0; i < count; i++)
		if (patients[i].pid && kill(-patients[i].pid, SIGKILL))
			kill(patients[i].pid, SIGKILL);
	wait_until(patients, count, clock_ns(CLOCK_MONOTONIC) + KILL_NS, child);
}

static void tell_end(struct doctor *doctor, const struct check *check,
		     const struct patient *patient, bool late)
{
	char limit[UNIT_TEXT];

	if (late && doctor->findings->count && check == checks)
		return;
	if (late && check == checks)
		find(doctor, VERDICT_UNCHECKED, "", "liquid.conf has not been read in time");
	else if (late)
		find(doctor, VERDICT_WRONG, check->else_fix ? check->else_fix : "",
		     "it has not answered within %s", format_time(doctor->limit_ns, limit));
	else if (!WIFEXITED(patient->status))
		find(doctor, VERDICT_WRONG, "", "the process of this check was killed by signal %d",
		     WTERMSIG(patient->status));
	else if (!doctor->findings->count)
		find(doctor, VERDICT_UNCHECKED, "", "the check has found nothing");
}

/* Run @count checks from @first on at the same time. Exit code */
static int run(struct doctor *doctor, size_t first, size_t count,
	       struct findings *findings[CHECKS_MAX], const sigset_t *signals)
{
	int64_t until = clock_ns(CLOCK_MONOTONIC) + (int64_t)doctor->limit_ns;
	struct patient patients[CHECKS_MAX] = { 0 };
	bool late[CHECKS_MAX];
	sigset_t child;
	int code = EXIT_OK;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	for (size_t i = 0; !code && i < count; i++) {
		const struct check *check = &checks[first + i];

		doctor->findings = findings[first + i];
		if (check->of_node && !doctor->job.node)
			find(doctor, VERDICT_UNCHECKED, "", "of a node: --node NAME");
		else if (check->of_user && !doctor->user)
			find(doctor, VERDICT_UNCHECKED, "", "of a user: --job-user USER");
		else if (check->users && doctor->no_users)
			find(doctor, VERDICT_UNCHECKED, "", "needs the user database");
		else
			code = begin(doctor, check, &patients[i], signals);
	}
	if (code)
		until = 0;
	wait_until(patients, count, until, &child);
	for (size_t i = 0; i < count; i++)
		late[i] = patients[i].pid;
	end_late(patients, count, &child);
	for (size_t i = 0; !code && i < count; i++) {
		doctor->findings = findings[first + i];
		tell_end(doctor, &checks[first + i], &patients[i], late[i]);
	}
	return code;
}

static int run_all(struct doctor *doctor, size_t count, struct findings *findings[CHECKS_MAX])
{
	sigset_t child, signals;
	int code;

	/* The caller may have set it to be ignored, and then waitpid() would find no child. */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &signals);
	fflush(NULL);
	code = run(doctor, 0, 1, findings, &signals);
	doctor->no_users = !code && findings[0]->finding[0].verdict == VERDICT_WRONG;
	if (!code)
		code = run(doctor, CONFIGURATION, 1, findings, &signals);
	return code ? code : run(doctor, CONFIGURATION + 1, count - CONFIGURATION - 1, findings,
				 &signals);
}

/* A process that was abandoned may still write, and one that reads foreign files write anything. */
static struct findings *take(struct findings *own, const struct findings *shared)
{
	*own = *shared;
	if (own->count > FINDINGS_MAX)
		own->count = FINDINGS_MAX;
	for (unsigned int i = 0; i < own->count; i++) {
		struct finding *finding = &own->finding[i];

		finding->text[sizeof(finding->text) - 1] = '\0';
		finding->fix[sizeof(finding->fix) - 1] = '\0';
		if (finding->verdict > VERDICT_UNCHECKED)
			finding->verdict = VERDICT_WRONG;
	}
	return own;
}

int doctor_examine(struct doctor *doctor, struct findings *findings[CHECKS_MAX])
{
	static struct findings own[CHECKS_MAX];
	struct findings *shared;
	size_t count = 0;
	int code;

	while (checks[count].name)
		count++;
	shared = mmap(NULL, count * sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return no_memory();
	for (size_t i = 0; i < count; i++)
		findings[i] = &shared[i];
	code = run_all(doctor, count, findings);
	for (size_t i = 0; i < count; i++)
		findings[i] = take(&own[i], &shared[i]);
	return code;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Questions to the program `liquid`, and the one place that runs it */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ask/ask.h"
#include "util/command.h"
#include "util/clock-ns.h"
#include "util/open.h"

#define NOBODY 65534			/* user and group, alike on all distributions */
#define ANSWER_MAX (256u << 20)		/* bytes of an answer */
#define SAID_MAX (64u << 10)		/* bytes of messages */

/* ---- the question ---- */

void ask_begin(struct ask *ask, const char *question)
{
	*ask = (struct ask){ .limit_ns = ASK_NS };
	ask->question = json_pack("{s:s, s:s}", "question", question, "version", LIQUID_VERSION);
	if (!ask->question)
		ask->status = liquid_no_memory(&ask->err);
}

void ask_end(struct ask *ask)
{
	for (size_t i = 0; i < ask->count; i++)
		close(ask->fd[i]);
	free(ask->fd);
	json_decref(ask->question);
	*ask = (struct ask){ 0 };
}

static void set(struct ask *ask, json_t *to, const char *key, json_t *value)
{
	if (json_object_set_new(to, key, value) && !ask->status)
		ask->status = liquid_no_memory(&ask->err);
}

void ask_set(struct ask *ask, json_t *to, const char *key, json_t *value)
{
	set(ask, to, key, value);
}

void ask_set_number(struct ask *ask, const char *key, uint64_t value)
{
	set(ask, ask->question, key, json_integer((json_int_t)value));
}

void ask_set_text(struct ask *ask, const char *key, const char *text)
{
	if (text)
		set(ask, ask->question, key, json_string(text));
}

/* A copy of @fd that the child gets; -1: with a reason in ask->err */
static int give(struct ask *ask, int fd)
{
	int *larger = reallocarray(ask->fd, ask->count + 1, sizeof(*larger)), copy;

	if (larger)
		ask->fd = larger;
	copy = larger ? fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
	if (copy >= 0)
		return ask->fd[ask->count++] = copy;
	if (!ask->status)
		ask->status = liquid_fail(&ask->err, LIQUID_IO, "%s", strerror(errno));
	return -1;
}

void ask_set_file(struct ask *ask, json_t *to, const char *key, const char *path,
		  const char *label)
{
	struct liquid_error err;
	FILE *in;
	int fd, status = input_open(path, &in, &err);

	if (status) {
		if (!ask->status)
			ask->status = liquid_fail(&ask->err, status, "%s", err.text);
		return;
	}
	fd = give(ask, fileno(in));
	close_input(in);
	set(ask, to, key, json_pack("{s:i, s:s}", "fd", fd, "label",
				    label ? label : input_label(path)));
}

void ask_set_out(struct ask *ask, const char *key, int fd)
{
	ask->writes = true;
	set(ask, ask->question, key, json_integer(give(ask, fd)));
}

int ask_malformed(struct liquid_error *err)
{
	return liquid_fail(err, LIQUID_BAD_INPUT, "`liquid` has given a malformed answer");
}

/* ---- the child ---- */

struct child {
	char path[PATH_MAX];		/* of the program */
	/* the same, open: user nobody may not search its directories */
	int program;
	int in, out, said;		/* its stdin, stdout and stderr: files without a name */
};

bool ask_program(char path[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - sizeof("/liquid"));

	if (length < 0)
		return false;
	path[length] = '\0';
	strcpy(strrchr(path, '/'), "/liquid");
	return true;
}

/* A user's PATH says nothing about it. */
static int find_program(struct child *child, struct liquid_error *err)
{
	if (!ask_program(child->path))
		return liquid_fail(err, LIQUID_IO, "/proc/self/exe: %s", strerror(errno));
	child->program = open(child->path, O_PATH | O_CLOEXEC);
	return child->program >= 0 ? LIQUID_OK :
	       liquid_fail(err, LIQUID_IO, "%s: %s: the program `liquid` is needed with "
			   "liquid-nl", child->path, strerror(errno));
}

/* Where this process cannot change its user, it has no capabilities that matter. */
static bool drop_privileges(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	if (!geteuid() && !setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY) &&
	    setresuid(NOBODY, NOBODY, NOBODY))
		return false;
	return !prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) &&
	       !syscall(SYS_capset, &head, none) && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

static void limit(int resource, uint64_t most)
{
	const struct rlimit limits = { most, most };

	setrlimit(resource, &limits);
}

static void set_limits(const struct ask *ask)
{
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_DATA, memory / 4 * 3);
	limit(RLIMIT_NPROC, 0);
	if (!ask->writes && !ask->prints)
		limit(RLIMIT_FSIZE, ANSWER_MAX);
}

/* A kernel before 5.11 cannot mark them all at once. */
static void close_others(const struct ask *ask)
{
	if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC))
		for (int fd = STDERR_FILENO + 1; fd < (int)sysconf(_SC_OPEN_MAX); fd++)
			fcntl(fd, F_SETFD, FD_CLOEXEC);
	for (size_t i = 0; i < ask->count; i++)
		fcntl(ask->fd[i], F_SETFD, 0);
}

/* In the child; what goes wrong is one of its messages. */
static void be_liquid(const struct ask *ask, const struct child *child, pid_t parent)
{
	static char *const argv[] = { (char *)"liquid", (char *)"answer", NULL };
	static char *const environment[] = { (char *)"PATH=/usr/bin:/bin", (char *)"LC_ALL=C",
					     NULL };
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(child->in, STDIN_FILENO) >= 0 &&
	    (ask->prints || dup2(child->out, STDOUT_FILENO) >= 0) &&
	    dup2(child->said, STDERR_FILENO) >= 0 && drop_privileges()) {
		/* A change of the user has cleared it. */
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		if (getppid() != parent)
			_exit(EXIT_IO);
		close_others(ask);
		set_limits(ask);
		execve(child->path, argv, environment);
		if (errno == EACCES)
			syscall(SYS_execveat, child->program, "", argv, environment, AT_EMPTY_PATH);
	}
	dprintf(STDERR_FILENO, "%s: %s\n", child->path, strerror(errno));
	_exit(EXIT_IO);
}

/* ---- waiting for it ---- */

/* False: it did not end in time. */
static bool await_end(pid_t pid, int64_t limit_ns)
{
	int64_t until = clock_ns(CLOCK_MONOTONIC) + limit_ns, left = limit_ns;
	struct pollfd wait = { (int)syscall(SYS_pidfd_open, pid, 0), POLLIN, 0 };
	int ready = 0;

	while (wait.fd >= 0 && left > 0) {
		ready = poll(&wait, 1, (int)(left / 1000000 < INT_MAX ? left / 1000000 + 1 :
					     INT_MAX));
		if (ready > 0 || (ready < 0 && errno != EINTR))
			break;
		left = until - clock_ns(CLOCK_MONOTONIC);
	}
	if (wait.fd >= 0)
		close(wait.fd);
	return ready > 0;
}

/* An exit code of liquid as a status of the library */
static int status_of(int code)
{
	switch (code) {
	case EXIT_OK:
		return LIQUID_OK;
	case EXIT_NO_SCHEDULE:
		return LIQUID_LIMIT;
	case EXIT_IO:
		return LIQUID_IO;
	default:
		return LIQUID_BAD_INPUT;
	}
}

static int await(const struct ask *ask, pid_t pid, struct liquid_error *err)
{
	bool ended = await_end(pid, ask->limit_ns);
	int status;

	if (!ended)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return liquid_fail(err, LIQUID_IO, "cannot wait for `liquid`: %s",
					   strerror(errno));
	*err->text = '\0';
	if (WIFEXITED(status))
		return status_of(WEXITSTATUS(status));
	return !ended ? liquid_fail(err, LIQUID_IO, "`liquid` has not answered in %lld s",
				    (long long)(ask->limit_ns / 1000000000)) :
			liquid_fail(err, LIQUID_IO, "`liquid` was ended by signal %d",
				    WTERMSIG(status));
}

/* ---- its output ---- */

/* All of a file, to be freed; NULL: it has more than @most bytes, or cannot be read. */
static char *read_all(int fd, size_t most, size_t *size)
{
	struct stat st;
	char *text;

	if (fstat(fd, &st) || (uint64_t)st.st_size > most)
		return NULL;
	text = malloc((size_t)st.st_size + 1);
	*size = (size_t)st.st_size;
	if (text && pread(fd, text, *size, 0) == (ssize_t)*size) {
		text[*size] = '\0';
		return text;
	}
	free(text);
	return NULL;
}

/* Pass its messages on, without its name; the last is in @err after a failure. */
static void pass_messages(int said, int status, struct liquid_error *err)
{
	static const char name[] = "liquid: ";
	size_t size;
	char *text = read_all(said, SAID_MAX, &size), *rest = text, *line;

	while (rest && (line = strsep(&rest, "\n"))) {
		if (!strncmp(line, name, strlen(name)))
			line += strlen(name);
		if (!*line)
			continue;
		if (status && !*err->text && (!rest || !*rest))
			liquid_fail(err, status, "%s", line);
		else
			complain(0, "%s", line);
	}
	free(text);
	if (status && !*err->text)
		liquid_fail(err, status, "`liquid` has failed, and said nothing");
}

static int read_answer(int out, json_t **answer, struct liquid_error *err)
{
	size_t size;
	char *text = read_all(out, ANSWER_MAX, &size);

	*answer = text ? json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL) : NULL;
	free(text);
	if (json_is_object(*answer))
		return LIQUID_OK;
	json_decref(*answer);
	*answer = NULL;
	return ask_malformed(err);
}

static bool make_files(const struct ask *ask, struct child *child)
{
	child->in = memfd_create("question", MFD_CLOEXEC);
	child->out = memfd_create("answer", MFD_CLOEXEC);
	child->said = memfd_create("messages", MFD_CLOEXEC);
	return child->in >= 0 && child->out >= 0 && child->said >= 0 &&
	       !json_dumpfd(ask->question, child->in, JSON_COMPACT) &&
	       !lseek(child->in, 0, SEEK_SET);
}

static void close_child(const struct child *child)
{
	const int fds[] = { child->program, child->in, child->out, child->said };

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

static int run(const struct ask *ask, const struct child *child, struct liquid_error *err)
{
	pid_t own = getpid(), pid;
	int status;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return liquid_fail(err, LIQUID_IO, "cannot create a process: %s", strerror(errno));
	if (!pid)
		be_liquid(ask, child, own);
	status = await(ask, pid, err);
	pass_messages(child->said, status, err);
	return status;
}

int ask_answer(struct ask *ask, json_t **answer, struct liquid_error *err)
{
	struct child child = { .program = -1, .in = -1, .out = -1, .said = -1 };
	int status = ask->status;

	*answer = NULL;
	if (status)
		return liquid_fail(err, status, "%s", ask->err.text);
	status = find_program(&child, err);
	if (!status && !make_files(ask, &child))
		status = liquid_fail(err, LIQUID_IO, "cannot ask `liquid`: %s", strerror(errno));
	if (!status)
		status = run(ask, &child, err);
	if (!status && !ask->prints)
		status = read_answer(child.out, answer, err);
	close_child(&child);
	return status;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz what the service and its nodes read from the network
 *
 * The first byte of the input chooses: what a stranger sends, as bytes on a socket; what unmunge
 * prints; what a node asks for, and what a node is told, as messages parted by lines "--" that came
 * with the right MAC. A node's requests act on a store with a round of h1 and h2, of which h1 asks.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "job/service/link.h"
#include "job/service/server.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);

static const char spec[] =
	"{\"format\":\"liquid-round\",\"version\":1,\"round\":\"j-1\",\"fabric_digest\":\"f\","
	"\"traffic_digest\":\"t\",\"own_fabric\":false,\"frame_ns\":1000000,\"guard_ns\":0,"
	"\"guard_given\":false,\"unit_bytes\":0,\"link_rate_bps\":0,\"seed\":0,\"work\":0,"
	"\"deadline_ns\":1,\"lead_ns\":1,\"parts\":[{\"job\":\"j\",\"traffic\":\"alltoall\","
	"\"tasks_per_node\":1,\"nodes\":[\"h1\",\"h2\"]}]}";
static const struct {
	const char *path, *text;
} files[] = {
	{ "rounds/j-1/spec.json", spec },
	{ "rounds/j-1/places.json", "{\"h1\":[\"127.0.0.1\"],\"h2\":[\"127.0.0.2\"]}" },
	{ "jobs/j/gen-1.json", "{\"round\":\"j-1\"}" },
};
static const char *const directories[] = {
	"rounds", "rounds/j-1", "jobs", "jobs/j", "running"
};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char directory[64];
static struct job_args args = { .store = { .dir = directory, .fd = -1 } };

static const char *within(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

static void clean_up(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", directory);
	fuzz_check(!system(command));
	job_store_close(&args.store);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	snprintf(directory, sizeof(directory), "%s/fuzz-service.XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	fuzz_check(mkdtemp(directory) != NULL);
	for (size_t i = 0; i < COUNT(directories); i++)
		fuzz_check(!mkdir(within(directories[i]), 0700));
	for (size_t i = 0; i < COUNT(files); i++) {
		int fd = open(within(files[i].path), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		size_t length = strlen(files[i].text);

		fuzz_check(fd >= 0 && write(fd, files[i].text, length) == (ssize_t)length);
		close(fd);
	}
	args.store.keeper = geteuid();
	args.conf.deadline_ns = 1;
	fuzz_check(!job_store_open(&args.store, NULL));
	atexit(clean_up);
	/* What is complained of is not looked at; libFuzzer has the former stderr. */
	stderr = fopen("/dev/null", "w");
	fuzz_check(stderr != NULL);
	return 0;
}

/* ---- a stranger ---- */

static void stranger(const uint8_t *data, size_t size)
{
	struct channel channel;
	struct message message;
	struct hello hello;
	char nonce[CHANNEL_NONCE], text[HELLO_TEXT], *line;
	int ends[2];

	fuzz_check(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends));
	if (size)
		(void)!write(ends[1], data, size);
	close(ends[1]);
	channel_open(&channel, ends[0], ROLE_SERVICE, CHANNEL_REQUEST_MAX);
	channel_fill(&channel);
	if (channel_take_line(&channel, &line) == TAKEN_ONE) {
		fuzz_check(strlen(line) < CHANNEL_LINE_MAX);
		(void)greeting_read(line, nonce);
		(void)channel_has_line(&channel);
		channel_key(&channel, (const uint8_t *)"0123456789abcdef0123456789abcdef");
		channel_fill(&channel);
		/* No one guesses the MAC. */
		fuzz_check(channel_take(&channel, &message) != TAKEN_ONE);
	}
	channel_close(&channel);
	if (!hello_read((const char *)data, size, &hello))
		return;
	hello_write(&hello, text);
	fuzz_check(job_name_fits(hello.node) && strlen(text) == size && !memcmp(text, data, size));
}

static void unmunge(const uint8_t *data, size_t size)
{
	const char *payload;
	size_t length;
	uid_t uid;

	if (unmunge_read((const char *)data, size, 0, &uid, &payload, &length))
		return;
	fuzz_check(payload >= (const char *)data && length <= size &&
		   payload + length == (const char *)data + size);
}

/* ---- messages ---- */

/* Send the messages that the input has; the text is a format's argument, so nothing is added. */
static void send_all(struct channel *channel, const char *text, size_t size)
{
	while (size) {
		const char *end = memmem(text, size, "\n--\n", 4);
		size_t length = end ? (size_t)(end - text) : size;
		const char *body = memchr(text, '\n', length);
		size_t words = body ? (size_t)(body - text) : length;

		if (words < 400 && !memchr(text, '\0', words))
			channel_put(channel, CHANNEL_MESSAGE_MAX, body ? body + 1 : NULL,
				    body ? length - words - 1 : 0, "%.*s", (int)words, text);
		length += end ? 4 : 0;
		text += length;
		size -= length;
	}
	channel_flush(channel);
}

static void node_asks(const uint8_t *data, size_t size)
{
	static const char *const made[] = {
		"rounds/j-1/release.json", "rounds/j-1/go.json", "rounds/j-1/open.h1.json",
		"jobs/j/end.json"
	};
	struct server server = { .args = &args, .store = &args.store, .jobs_watch = -1 };
	struct session *session = calloc(1, sizeof(*session));
	struct sockaddr_in *peer = (struct sockaddr_in *)&session->peer;
	struct message message;
	struct channel node;
	int ends[2];

	server.epoll = epoll_create1(EPOLL_CLOEXEC);
	server.inotify = inotify_init1(IN_CLOEXEC);
	fuzz_check(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends));
	*session = (struct session){
		.source = { .fd = ends[0] }, .server = &server, .known = true,
		.child = { .fd = -1 }, .child_source = { .fd = -1 },
		.hello = { .node = "h1", .process = 1 }, .link = &server.sessions,
	};
	*peer = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr = { htonl(0x7f000001) } };
	server.sessions = session;
	server.session_count = 1;
	channel_open(&session->channel, ends[0], ROLE_SERVICE, CHANNEL_REQUEST_MAX);
	channel_key(&session->channel, (const uint8_t *)"0123456789abcdef0123456789abcdef");
	channel_open(&node, ends[1], ROLE_NODE, CHANNEL_MESSAGE_MAX);
	channel_key(&node, (const uint8_t *)"0123456789abcdef0123456789abcdef");
	send_all(&node, (const char *)data, size);
	channel_fill(&session->channel);
	while (!session->dead && channel_take(&session->channel, &message) == TAKEN_ONE)
		request_take(session, &message);
	session_kill(session);
	sessions_sweep(&server);
	fuzz_check(!server.jobs && !server.rounds && !server.slicers);
	channel_close(&node);
	close(server.epoll);
	close(server.inotify);
	/* h2 has said nothing, so there is no positive decision. */
	for (size_t i = 0; i < COUNT(made); i++) {
		struct record_decision decision;

		if (i < 2 && record_get_decision(&args.store, i ? RECORD_GO : RECORD_RELEASE, "j-1",
						 &decision))
			fuzz_check(!decision.positive && !strcmp(decision.node, "h1"));
		unlink(within(made[i]));
	}
}

static void node_is_told(const uint8_t *data, size_t size)
{
	struct link link = { .host = "service", .epoch = 1, .slice = { .epoch = 1 }, .told = true,
			     .watched = { { .job = "j" } }, .watched_count = 1 };
	struct channel service, node;
	struct message message;
	int ends[2];

	fuzz_check(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends));
	channel_open(&service, ends[0], ROLE_SERVICE, CHANNEL_REQUEST_MAX);
	channel_key(&service, (const uint8_t *)"0123456789abcdef0123456789abcdef");
	channel_open(&node, ends[1], ROLE_NODE, CHANNEL_MESSAGE_MAX);
	channel_key(&node, (const uint8_t *)"0123456789abcdef0123456789abcdef");
	send_all(&service, (const char *)data, size);
	channel_fill(&node);
	while (channel_take(&node, &message) == TAKEN_ONE)
		if (!link_take(&link, &message))
			break;
	fuzz_check(link.slice.length <= link.slice.total || !link.slice.text);
	link_forget(&link);
	free(link.records);
	free(link.slice.text);
	free(link.running);
	channel_close(&service);
	channel_close(&node);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const readers[])(const uint8_t *data, size_t size) = {
		stranger, unmunge, node_asks, node_is_told
	};

	if (size)
		readers[data[0] % COUNT(readers)](data + 1, size - 1);
	return 0;
}

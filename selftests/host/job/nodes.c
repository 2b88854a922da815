// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many nodes of one job in one process, each with a socket, an address and its own credential
 *
 * usage: nodes PORT MUNGE-SOCKET KEEPER JOB COUNT [bare|newer|half|deaf|first]
 *
 * Node hI of h1 to hCOUNT calls from 127.1.x.y with I = 256 x + y, takes its slice, is ready,
 * releases, commits and says go, as `job ready` does, except for the kernel. With "bare" no node
 * asks for its slice; with "newer" all first say what no service knows yet. Prints how many have
 * gated, and what was received by all.
 *
 * With "first" the service is that of the job's first node, h1, which is another process.
 *
 * With "half" and "deaf" none agrees. Each sends the first half of a message, and stays for a
 * minute; or asks on and on without reading answers, until the service has cut it off.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "util/clock-ns.h"
#include "job/service/channel.h"
#include "job/service/child.h"

#define NODES_MAX 8192
#define CALLS_MAX 16	/* that have not shown a credential: each has ten seconds for it */
#define NODES_A_MINUTE 1024	/* two processors: a munge and an unmunge for each */
#define MINUTE_NS INT64_C(60000000000)

enum state { TO_CALL, TO_CONNECT, TO_GREET, IN_MUNGE, KEYED, ASKING, DONE };

struct node {
	enum state state;
	struct channel channel;
	struct child munge;
	struct hello hello;
	char round[JOB_ROUND_SIZE], digest[LIQUID_DIGEST_HEX];
	char *slice;
	size_t length, total;
	bool committed, gated;
};

static struct node nodes[NODES_MAX];
static size_t count, done, gated, calls;
static uint64_t messages, bytes;
static const char *munge_socket, *job;
static uid_t keeper;
static int port;
static bool bare, newer, half, deaf, first;
static uint64_t unknown;		/* answers to that */

__attribute__((format(printf, 1, 2), noreturn))
static void fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

__attribute__((format(printf, 3, 4)))
static void ask(struct node *node, const char *body, const char *format, ...)
{
	char words[256];
	va_list args;

	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	if (!channel_put(&node->channel, CHANNEL_MESSAGE_MAX, body, strlen(body), "%s", words) ||
	    !channel_flush(&node->channel))
		fail("%s: cannot send", node->hello.node);
}

/* ---- connecting ---- */

static void call(struct node *node)
{
	size_t number = node->hello.process;
	struct sockaddr_in from = { .sin_family = AF_INET }, to = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	from.sin_addr.s_addr = htonl(0x7f010000 + (uint32_t)number);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	to.sin_port = htons((uint16_t)port);
	if (fd < 0 || bind(fd, (struct sockaddr *)&from, sizeof(from)) ||
	    (connect(fd, (struct sockaddr *)&to, sizeof(to)) && errno != EINPROGRESS))
		fail("node %zu: %s", number, strerror(errno));
	channel_open(&node->channel, fd, ROLE_NODE, CHANNEL_MESSAGE_MAX);
	calls++;
	node->state = TO_CONNECT;
}

static void greet(struct node *node)
{
	char text[HELLO_TEXT], *line;

	if (channel_take_line(&node->channel, &line) != TAKEN_ONE)
		return;
	if (!greeting_read(line, node->hello.nonce) ||
	    getrandom(node->hello.key, CHANNEL_KEY, 0) != CHANNEL_KEY)
		fail("%s: %s", node->hello.node, line);
	hello_write(&node->hello, text);
	if (!munge_start(&node->munge, munge_socket, text, keeper))
		fail("munge: %s", strerror(errno));
	node->state = IN_MUNGE;
}

static void take_munge(struct node *node)
{
	int code = child_poll(&node->munge);
	const char *credential;

	if (code < 0)
		return;
	calls--;
	credential = code ? NULL : munge_credential(&node->munge);
	if (!credential || !channel_put_line(&node->channel, credential))
		fail("%s: munge: %.*s", node->hello.node, (int)node->munge.used, node->munge.out);
	channel_key(&node->channel, node->hello.key);
	node->state = KEYED;
	if (newer) {
		ask(node, "{}", "put tomorrow %s %s", job, node->hello.node);
		ask(node, "", "tomorrow %s", job);
	}
	ask(node, "", "watch %s", job);
}

/* ---- nodes that do not keep to the protocol ---- */

/* Ten bytes of the hundred that the length says */
static void send_half(struct node *node)
{
	static const uint8_t bytes_of[] = { 0, 0, 0, 100, 'w', 'a', 't', 'c', 'h', ' ' };

	if (send(node->channel.fd, bytes_of, sizeof(bytes_of), MSG_NOSIGNAL) != sizeof(bytes_of))
		fail("%s: cannot send half a message", node->hello.node);
	node->state = DONE;
	done++;
}

static void ask_on(struct node *node)
{
	bool there = true;

	while (there && channel_waiting(&node->channel) < CHANNEL_PIECE)
		there = channel_put(&node->channel, CHANNEL_MESSAGE_MAX, NULL, 0, "tomorrow");
	if (there && channel_flush(&node->channel))
		return;
	node->state = DONE;
	done++;
	channel_close(&node->channel);
}

/* ---- the agreement ---- */

static void is_done(struct node *node, bool gates)
{
	node->state = DONE;
	node->gated = gates;
	gated += gates;
	done++;
	channel_close(&node->channel);
}

static void say(struct node *node, const char *word)
{
	char body[256];

	snprintf(body, sizeof(body), "{\"node\":\"%s\",\"digest\":\"%s\"}", node->hello.node,
		 node->digest);
	ask(node, body, "put %s %s %s", word, node->round, node->hello.node);
}

static void decide(struct node *node, const char *record, const char *verdict)
{
	char body[300];
	int used = snprintf(body, sizeof(body), "{\"verdict\":\"%s\",\"node\":\"%s\"", verdict,
			    node->hello.node);

	if (!strcmp(record, "release"))
		used += snprintf(body + used, sizeof(body) - (size_t)used,
				 ",\"digest\":\"%s\",\"base_ns\":%lld", node->digest,
				 (long long)clock_ns(CLOCK_TAI) + 1000000000);
	snprintf(body + used, sizeof(body) - (size_t)used, "}");
	ask(node, body, "put %s %s -", record, node->round);
}

static void take_slice(struct node *node, const struct message *message)
{
	json_t *json;
	const char *digest;

	if (!strcmp(message->word[1], "-"))
		fail("%s: no slice: %.*s", node->hello.node, (int)message->length, message->body);
	node->total = strtoul(message->word[2], NULL, 10);
	if (!node->slice)
		node->slice = malloc(node->total);
	if (!node->slice || message->length > node->total - node->length)
		fail("%s: a slice of another size", node->hello.node);
	memcpy(node->slice + node->length, message->body, message->length);
	node->length += message->length;
	if (node->length < node->total)
		return;
	json = json_loadb(node->slice, node->length, 0, NULL);
	if (json_unpack(json, "{s:s}", "digest", &digest) ||
	    strlen(digest) != LIQUID_DIGEST_HEX - 1)
		fail("%s: a malformed slice", node->hello.node);
	strcpy(node->digest, digest);
	json_decref(json);
	free(node->slice);
	node->slice = NULL;
	say(node, "ready");
}

static bool positive(const struct message *message, const char *verdict)
{
	return memmem(message->body, message->length, verdict, strlen(verdict));
}

static void take_record(struct node *node, const struct message *message)
{
	const char *record = message->word[1];

	if (!strcmp(record, "spec") && !*node->round) {
		snprintf(node->round, sizeof(node->round), "%s", message->word[2]);
		if (bare)
			memset(node->digest, '0', LIQUID_DIGEST_HEX - 1);
		if (bare)
			say(node, "ready");
		else
			ask(node, "", "slice %s", node->round);
	} else if (!strcmp(record, "release")) {
		if (!positive(message, "\"commit\""))
			is_done(node, false);
		else if (!node->committed)
			say(node, "committed");
		node->committed = true;
	} else if (!strcmp(record, "go")) {
		is_done(node, positive(message, "\"keep\""));
	}
}

static void take_words(struct node *node, const struct message *message)
{
	if (strcmp(message->word[3], message->word[4]))
		return;
	if (!strcmp(message->word[1], "ready"))
		decide(node, "release", "commit");
	else
		decide(node, "go", "keep");
}

static void take(struct node *node, const struct message *message)
{
	const char *verb = message->word[0];

	messages++;
	bytes += message->length;
	if (half)
		send_half(node);
	else if (deaf)
		node->state = ASKING;
	else if (!strcmp(verb, "record"))
		take_record(node, message);
	else if (!strcmp(verb, "words"))
		take_words(node, message);
	else if (!strcmp(verb, "slice"))
		take_slice(node, message);
	else if (newer && (!strcmp(verb, "unknown") || (!strcmp(verb, "put") && message->length)))
		unknown++;
	else if (!strcmp(verb, "refused") || (!strcmp(verb, "put") &&
					      !strcmp(message->word[1], "failed")))
		fail("%s: %s: %.*s", node->hello.node, verb, (int)message->length, message->body);
}

static void receive(struct node *node)
{
	bool there = channel_fill(&node->channel);
	struct message message;
	enum taken taken;
	char *line;

	if (node->state == TO_GREET)
		greet(node);
	if (node->state != KEYED)
		return;
	if (channel_has_line(&node->channel) &&
	    channel_take_line(&node->channel, &line) == TAKEN_ONE)
		fail("%s: %s", node->hello.node, line);
	while (node->state == KEYED &&
	       (taken = channel_take(&node->channel, &message)) != TAKEN_NOTHING) {
		if (taken == TAKEN_BAD)
			fail("%s: a forged message", node->hello.node);
		take(node, &message);
	}
	if (!there && node->state != DONE)
		fail("%s: the connection was lost", node->hello.node);
}

/* ---- all of them ---- */

static void turn(void)
{
	static struct pollfd wait[NODES_MAX];

	for (size_t i = 0; i < count; i++) {
		struct node *node = &nodes[i];

		if (node->state == TO_CALL && calls < CALLS_MAX)
			call(node);
		wait[i] = (struct pollfd){ .fd = node->state == DONE || node->state == TO_CALL ?
						 -1 :
					   node->state == IN_MUNGE ? node->munge.fd :
					   node->channel.fd,
					   .events = node->state == TO_CONNECT ||
						     node->state == ASKING ? POLLOUT : POLLIN };
	}
	if (poll(wait, count, 1000) < 0)
		fail("poll: %s", strerror(errno));
	for (size_t i = 0; i < count; i++) {
		struct node *node = &nodes[i];

		if (!wait[i].revents)
			continue;
		if (node->state == TO_CONNECT)
			node->state = TO_GREET;
		else if (node->state == ASKING)
			ask_on(node);
		else if (node->state == IN_MUNGE)
			take_munge(node);
		else
			receive(node);
	}
}

/* What came of nodes that do not agree. Those with half a message stay. */
static int stray(void)
{
	printf("%zu of %zu %s\n", done, count, half ? "have sent half a message" : "were cut off");
	fflush(stdout);
	if (half)
		sleep(60);
	return done < count;
}

int main(int argc, char **argv)
{
	struct rlimit limit = { 2 * NODES_MAX, 2 * NODES_MAX };
	int64_t until = clock_ns(CLOCK_MONOTONIC) + MINUTE_NS;

	if (argc < 6)
		fail("usage: nodes PORT MUNGE-SOCKET KEEPER JOB COUNT "
		     "[bare|newer|half|deaf|first]");
	setrlimit(RLIMIT_NOFILE, &limit);
	munge_socket = argv[2];
	keeper = (uid_t)atoi(argv[3]);
	job = argv[4];
	count = strtoul(argv[5], NULL, 10);
	bare = argc > 6 && !strcmp(argv[6], "bare");
	newer = argc > 6 && !strcmp(argv[6], "newer");
	half = argc > 6 && !strcmp(argv[6], "half");
	deaf = argc > 6 && !strcmp(argv[6], "deaf");
	first = argc > 6 && !strcmp(argv[6], "first");
	count -= first;
	if (!count || count > NODES_MAX)
		fail("expected 1 to %d nodes", NODES_MAX);
	port = atoi(argv[1]);
	until += (int64_t)(count / NODES_A_MINUTE) * MINUTE_NS;
	for (size_t i = 0; i < count; i++) {
		struct hello *hello = &nodes[i].hello;

		nodes[i].munge.fd = -1;
		hello->process = i + 1 + first;
		snprintf(hello->node, sizeof(hello->node), "h%zu", hello->process);
		if (first)
			snprintf(hello->job, sizeof(hello->job), "%s", job);
	}
	while (done < count && clock_ns(CLOCK_MONOTONIC) < until)
		turn();
	if (half || deaf)
		return stray();
	printf("%zu of %zu gate; %llu messages, %llu bytes, %llu unknown\n", gated, count,
	       (unsigned long long)messages, (unsigned long long)bytes,
	       (unsigned long long)unknown);
	return done < count;
}

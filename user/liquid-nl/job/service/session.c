// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connections of nodes, from accept() to their end
 *
 * Anyone who reaches the port may open connections. Until one has shown a credential of root or of
 * the keeper it gets HELLO_NS, CHANNEL_LINE_MAX bytes and one run of unmunge. An address may have
 * SESSIONS_OF_ADDRESS connections.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <nettle/base16.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "util/clock-ns.h"
#include "util/command.h"
#include "job/service/server.h"

#define MINUTE_NS INT64_C(60000000000)

/* ---- addresses ---- */

/* An IPv4 address in IPv6 is the IPv4 address. */
static bool plain(const struct sockaddr_storage *from, const uint8_t **bytes, size_t *length)
{
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)from;
	const struct sockaddr_in *four = (const struct sockaddr_in *)from;
	bool mapped = from->ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&six->sin6_addr);

	*length = from->ss_family == AF_INET || mapped ? 4 : 16;
	*bytes = from->ss_family == AF_INET ? (const uint8_t *)&four->sin_addr :
		 six->sin6_addr.s6_addr + (mapped ? 12 : 0);
	return from->ss_family == AF_INET || from->ss_family == AF_INET6;
}

bool address_same(const struct sockaddr_storage *one, const struct sockaddr_storage *other)
{
	const uint8_t *a, *b;
	size_t length, second;

	return plain(one, &a, &length) && plain(other, &b, &second) && length == second &&
	       !memcmp(a, b, length);
}

bool address_is_own(const struct sockaddr_storage *address)
{
	static const uint8_t six[16] = { [15] = 1 };
	const uint8_t *bytes;
	size_t length;

	return plain(address, &bytes, &length) &&
	       (length == 4 ? bytes[0] == 127 : !memcmp(bytes, six, sizeof(six)));
}

bool address_read(const char *text, struct sockaddr_storage *address)
{
	struct sockaddr_in *four = (struct sockaddr_in *)address;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)address;
	char copy[INET6_ADDRSTRLEN];

	/* A scope, as of fe80::1%eth0, is not compared. */
	snprintf(copy, sizeof(copy), "%.*s", (int)strcspn(text, "%"), text);
	*address = (struct sockaddr_storage){ .ss_family = AF_INET };
	if (inet_pton(AF_INET, copy, &four->sin_addr) == 1)
		return true;
	address->ss_family = AF_INET6;
	return inet_pton(AF_INET6, copy, &six->sin6_addr) == 1;
}

void address_write(const struct sockaddr_storage *address, char text[INET6_ADDRSTRLEN])
{
	const uint8_t *bytes;
	size_t length;

	if (!plain(address, &bytes, &length) ||
	    !inet_ntop(length == 4 ? AF_INET : AF_INET6, bytes, text, INET6_ADDRSTRLEN))
		strcpy(text, "?");
}

const char *session_name(const struct session *session)
{
	static char text[INET6_ADDRSTRLEN + JOB_NAME_MAX + 16];
	char address[INET6_ADDRSTRLEN];

	address_write(&session->peer, address);
	snprintf(text, sizeof(text), "%s%s%s", session->known ? session->hello.node : "",
		 session->known ? " at " : "", address);
	return text;
}

/* ---- the end of a session ---- */

/* Callers may still hold it, its jobs and rounds: sessions_sweep() frees them after this turn. */
void session_kill(struct session *session)
{
	struct server *server = session->server;

	if (session->dead)
		return;
	session->dead = true;
	session->next_dead = server->dead;
	server->dead = session;
	server->queued -= session->queued;
	session->queued = false;
	server_forget(server, &session->child_source);
	if (session->child.pid) {
		child_kill(&session->child);
		*(session->known ? &server->lookups : &server->unmunges) -= 1;
	}
	server_forget(server, &session->source);
	channel_close(&session->channel);
	server->session_count--;
}

void sessions_sweep(struct server *server)
{
	while (server->dead) {
		struct session *session = server->dead;

		server->dead = session->next_dead;
		*session->link = session->next;
		if (session->next)
			session->next->link = session->link;
		while (session->job_count)
			jobs_unwatch(server, session->jobs[--session->job_count]);
		free(session->credential);
		free(session);
	}
}

/* ---- sending ---- */

static void set_events(struct session *session)
{
	/* What follows a credential is not read before that. */
	uint32_t events = (session->known || !session->credential ? EPOLLIN : 0) |
			  (channel_waiting(&session->channel) ? EPOLLOUT : 0);

	if (events == session->events)
		return;
	session->events = events;
	if (!server_wait(session->server, &session->source, events))
		session_kill(session);
}

static void flush(struct session *session)
{
	if (!channel_flush(&session->channel))
		session_kill(session);
	else
		set_events(session);
}

void session_send(struct session *session, const void *body, size_t length,
		  const char *format, ...)
{
	char words[512];
	va_list args;

	if (session->dead)
		return;
	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	if (channel_put(&session->channel, WAITING_MAX, body, length, "%s", words)) {
		flush(session);
		return;
	}
	complain(0, "refused %s: it does not read messages", session_name(session));
	session_kill(session);
}

/* Callers that are refused again and again do not fill the log. */
static void tell_refused(struct server *server, const char *name, const char *reason)
{
	if (server->refusals++ < REFUSALS_TOLD)
		complain(0, "refused %s: %s", name, reason);
}

static void tell_refusals(struct server *server, int64_t now)
{
	if (now < server->minute_ns)
		return;
	if (server->refusals > REFUSALS_TOLD)
		complain(0, "refused %u more callers within a minute",
			 server->refusals - REFUSALS_TOLD);
	server->refusals = 0;
	server->minute_ns = now + MINUTE_NS;
}

/* The part that it does not take at once is dropped. */
void session_refuse_stranger(struct session *session, const char *reason)
{
	if (session->dead)
		return;
	tell_refused(session->server, session->hello.node, reason);
	session_send(session, reason, strlen(reason), "refused " REFUSED_STRANGER);
	session_kill(session);
}

void session_refuse(struct session *session, const char *reason)
{
	char line[300];

	if (session->dead)
		return;
	tell_refused(session->server, session_name(session), reason);
	if (session->channel.keyed) {
		session_send(session, reason, strlen(reason), "refused");
	} else {
		snprintf(line, sizeof(line), "refused %s", reason);
		if (channel_put_line(&session->channel, line))
			channel_flush(&session->channel);
	}
	session_kill(session);
}

bool session_watches(const struct session *session, const struct job *job)
{
	for (size_t i = 0; i < session->job_count; i++)
		if (session->jobs[i] == job)
			return true;
	return false;
}

/* ---- the credential ---- */

static void receive(struct session *session);

/* NULL, or why the credential does not do */
static const char *judge(struct session *session, int code)
{
	const struct child *child = &session->child;
	const char *payload, *wrong;
	uid_t uid;
	size_t size;

	wrong = unmunge_read(child->out, child->used, code, &uid, &payload, &size);
	if (wrong)
		return wrong;
	if (uid && uid != session->server->store->keeper)
		return "neither root nor `user` of liquid.conf calls";
	if (!hello_read(payload, size, &session->hello) ||
	    strcmp(session->hello.nonce, session->nonce))
		return "the credential is for another connection";
	return strcmp(session->hello.job, session->server->job) ? REFUSED_JOB : NULL;
}

static void start_next(struct server *server);

static void unmunge_ready(struct source *source, uint32_t events)
{
	struct session *session = (struct session *)((char *)source -
				  offsetof(struct session, child_source));
	struct server *server = session->server;
	const char *wrong;
	int code;

	(void)events;
	/* It closes the descriptor, which epoll then forgets by itself. */
	code = child_poll(&session->child);
	if (code < 0)
		return;
	source->fd = -1;
	server->unmunges--;
	wrong = judge(session, code);
	start_next(server);
	if (wrong) {
		session_refuse(session, wrong);
		return;
	}
	session->known = true;
	free(session->credential);
	session->credential = NULL;
	channel_key(&session->channel, session->hello.key);
	session_send(session, NULL, 0, "welcome " FEATURE_SAMPLES " " FEATURE_PLACE);
	receive(session);
}

static void start_unmunge(struct session *session)
{
	struct server *server = session->server;

	if (!unmunge_start(&session->child, server->args->conf.munge_socket,
			   session->credential)) {
		session_refuse(session, "unmunge cannot be run");
		return;
	}
	server->unmunges++;
	session->child_source = (struct source){ session->child.fd, unmunge_ready };
	if (!server_wait(server, &session->child_source, EPOLLIN))
		session_kill(session);
}

/* The oldest that waits: sessions are listed with the newest first. */
static void start_next(struct server *server)
{
	struct session *oldest = NULL;

	if (!server->queued)
		return;
	for (struct session *at = server->sessions; at; at = at->next)
		if (at->queued && !at->dead)
			oldest = at;
	if (!oldest)
		return;
	server->queued--;
	oldest->queued = false;
	start_unmunge(oldest);
}

static void take_credential(struct session *session, const char *line)
{
	struct server *server = session->server;

	if (session->credential) {
		session_refuse(session, "a second credential");
		return;
	}
	session->credential = strdup(line);
	if (!session->credential) {
		session_kill(session);
	} else if (server->unmunges < UNMUNGES_MAX) {
		start_unmunge(session);
	} else {
		session->queued = true;
		server->queued++;
	}
	if (!session->dead)
		set_events(session);
}

/* ---- receiving ---- */

/* Messages that come with the credential wait until it has been read. */
static void receive_line(struct session *session)
{
	char *line;

	if (session->credential)
		return;
	switch (channel_take_line(&session->channel, &line)) {
	case TAKEN_ONE:
		take_credential(session, line);
		return;
	case TAKEN_BAD:
		session_refuse(session, "no credential");
		return;
	case TAKEN_NOTHING:
		return;
	}
}

static void receive(struct session *session)
{
	bool there = channel_fill(&session->channel);
	struct message message;
	enum taken taken;

	if (!session->known)
		receive_line(session);
	while (!session->dead && session->known &&
	       (taken = channel_take(&session->channel, &message)) != TAKEN_NOTHING) {
		if (taken == TAKEN_BAD)
			session_refuse(session, "a message is malformed or forged");
		else
			request_take(session, &message);
	}
	if (!there)
		session_kill(session);
}

static void session_ready(struct source *source, uint32_t events)
{
	struct session *session = (struct session *)source;

	if (events & EPOLLOUT) {
		flush(session);
		if (!session->dead)
			request_send_slice(session);
	}
	if (!session->dead && events & (EPOLLIN | EPOLLHUP | EPOLLERR))
		receive(session);
	if (!session->dead && events & (EPOLLHUP | EPOLLERR))
		session_kill(session);
}

/* ---- accept ---- */

/*
 * Make room for another one from this address: the oldest that has shown nothing goes, among those
 * of the address if they are too many. False: there is none.
 */
static bool make_room(struct server *server, const struct sockaddr_storage *peer)
{
	struct session *silent = NULL, *own = NULL;
	size_t same = 0;

	for (struct session *at = server->sessions; at; at = at->next) {
		bool is_own = !at->dead && address_same(&at->peer, peer);

		same += is_own;
		if (at->dead || at->known)
			continue;
		silent = at;
		if (is_own)
			own = at;
	}
	if (same >= SESSIONS_OF_ADDRESS) {
		if (own)
			session_kill(own);
		return own;
	}
	if (server->session_count >= SESSIONS_MAX && silent)
		session_kill(silent);
	return server->session_count < SESSIONS_MAX;
}

static void set_socket(int fd)
{
	static const struct {
		int level, name, value;
	} option[] = {
		{ IPPROTO_TCP, TCP_NODELAY, 1 }, { SOL_SOCKET, SO_KEEPALIVE, 1 },
		{ IPPROTO_TCP, TCP_KEEPIDLE, 60 }, { IPPROTO_TCP, TCP_KEEPINTVL, 10 },
		{ IPPROTO_TCP, TCP_KEEPCNT, 3 }, { IPPROTO_TCP, TCP_USER_TIMEOUT, 30000 },
	};

	for (size_t i = 0; i < sizeof(option) / sizeof(option[0]); i++)
		setsockopt(fd, option[i].level, option[i].name, &option[i].value, sizeof(int));
}

static void greet(struct session *session)
{
	uint8_t random[(CHANNEL_NONCE - 1) / 2];
	char line[CHANNEL_LINE_MAX];

	if (getrandom(random, sizeof(random), 0) != sizeof(random)) {
		session_kill(session);
		return;
	}
	base16_encode_update(session->nonce, sizeof(random), random);
	greeting_write(session->nonce, line);
	if (channel_put_line(&session->channel, line))
		flush(session);
	else
		session_kill(session);
}

static void session_new(struct server *server, int fd, const struct sockaddr_storage *peer)
{
	struct session *session = calloc(1, sizeof(*session));

	if (!session) {
		close(fd);
		return;
	}
	*session = (struct session){
		.source = { fd, session_ready }, .server = server, .peer = *peer,
		.child = { .fd = -1 }, .child_source = { .fd = -1 },
		.until = clock_ns(CLOCK_MONOTONIC) + HELLO_NS,
		.next = server->sessions, .link = &server->sessions,
	};
	if (session->next)
		session->next->link = &session->next;
	server->sessions = session;
	server->session_count++;
	set_socket(fd);
	channel_open(&session->channel, fd, ROLE_SERVICE, CHANNEL_REQUEST_MAX);
	set_events(session);
	if (!session->dead)
		greet(session);
}

void sessions_accept(struct server *server, int listener)
{
	for (;;) {
		struct sockaddr_storage peer = { 0 };
		socklen_t size = sizeof(peer);
		int fd = accept4(listener, (struct sockaddr *)&peer, &size,
				 SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd < 0)
			return;
		if (make_room(server, &peer))
			session_new(server, fd, &peer);
		else
			close(fd);
	}
}

/* Sessions that have shown nothing in time, or whose unmunge or getent takes too long */
void sessions_look(struct server *server, int64_t now)
{
	tell_refusals(server, now);
	if (server->unmunges < UNMUNGES_MAX)
		start_next(server);
	for (struct session *at = server->sessions; at; at = at->next) {
		if (!at->dead && at->child.pid && now >= at->child.until)
			at->child_source.ready(&at->child_source, 0);
		/* One whose credential waits for its unmunge has shown it. */
		if (!at->dead && !at->known && !at->credential && now >= at->until)
			session_refuse(at, "no credential in time");
	}
}

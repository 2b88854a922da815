// SPDX-License-Identifier: GPL-2.0-only
/*
 * A node's side of the service
 *
 * The service sends each record of a watched job as soon as there is one, and this side keeps
 * them: looking for a record sends nothing. If the connection is lost, another one is made, with a
 * new credential; the service then sends all records again, and this side repeats its messages.
 * Meanwhile no record counts as missing. Nothing here waits longer than it was given.
 */
#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/clock-ns.h"
#include "util/command.h"
#include "job/service/client.h"
#include "job/service/first.h"
#include "job/service/link.h"

#define SECOND INT64_C(1000000000)
#define OPEN_NS (3 * SECOND)		/* until the service has answered for the first time */
#define SHAKE_NS (10 * SECOND)		/* from connect() to the service's first message */
#define PATIENCE_NS (2 * SECOND)	/* of record_put(), if nothing else is set */
#define PAUSE_NS_MAX (2 * SECOND)
#define TRY_NS SECOND			/* for one of several ports to answer */
#define PAUSE_NS_FIRST (2 * PAUSE_NS)	/* at most, of a node that is about to listen */
#define OPEN_NS_FIRST (10 * SECOND)	/* until it does */
#define PAUSE_NS_STRANGER (60 * SECOND)	/* for a process that stays: routes may change */

/* ---- the connection ---- */

static int64_t next_pause(struct link *link)
{
	const int64_t most = link->first ? PAUSE_NS_FIRST : PAUSE_NS_MAX;
	int64_t pause = link->pause_ns;

	if (link->stranger)
		return PAUSE_NS_STRANGER;
	/* The ports of a job are tried one after the other. */
	if (link->first && link->place && link->place->ai_next)
		return 0;
	link->pause_ns = pause * 2 < most ? pause * 2 : most;
	return pause;
}

static void drop(struct link *link, const char *why)
{
	if (why && !link->denied)
		link_set_why(link, why, strlen(why));
	channel_close(&link->channel);
	child_kill(&link->munge);
	link->state = LINK_NONE;
	link->retry_ns = clock_ns(CLOCK_MONOTONIC) + next_pause(link);
	link->place = link->place && link->place->ai_next ? link->place->ai_next : link->places;
}

/*
 * The service's refusal of this node is the reason that counts, not that other ports are shut.
 * @why may be in the channel, which is closed.
 */
static void deny(struct link *link, const char *why)
{
	bool for_good = link->first && strcmp(why, REFUSED_JOB);

	link->denied = false;
	drop(link, why);
	link->denied = for_good;
}

static void connect_to(struct link *link)
{
	const struct addrinfo *place = link->place;
	int one = 1, fd = socket(place->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	link->shake_ns = clock_ns(CLOCK_MONOTONIC) + (link->first ? TRY_NS : SHAKE_NS);
	channel_open(&link->channel, fd, ROLE_NODE, CHANNEL_MESSAGE_MAX);
	if (fd < 0) {
		drop(link, strerror(errno));
		return;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
	if (connect(fd, place->ai_addr, place->ai_addrlen) && errno != EINPROGRESS)
		drop(link, strerror(errno));
	else
		link->state = LINK_CONNECTING;
}

static void connected(struct link *link)
{
	int error = 0;
	socklen_t size = sizeof(error);

	if (getsockopt(link->channel.fd, SOL_SOCKET, SO_ERROR, &error, &size) || error)
		drop(link, strerror(error));
	else
		link->state = LINK_GREETING;
}

static void ask_munge(struct link *link, const char *line)
{
	char text[HELLO_TEXT];

	if (!strncmp(line, "refused ", 8)) {
		deny(link, line + 8);
		return;
	}
	if (!greeting_read(line, link->hello.nonce) ||
	    getrandom(link->hello.key, CHANNEL_KEY, 0) != CHANNEL_KEY) {
		drop(link, "something else answers there");
		return;
	}
	hello_write(&link->hello, text);
	link->shake_ns = clock_ns(CLOCK_MONOTONIC) + SHAKE_NS;
	if (munge_start(&link->munge, link->munge_socket, text, link->keeper))
		link->state = LINK_MUNGE;
	else
		drop(link, "munge cannot be run");
}

/* Watch again, and repeat all messages: a service that was started anew knows nothing of it. */
static bool say_again(struct link *link)
{
	bool fine = true;

	for (size_t i = 0; i < link->watched_count; i++) {
		link->watched[i].synced = false;
		fine &= channel_put(&link->channel, CHANNEL_MESSAGE_MAX, NULL, 0, "watch %s",
				    link->watched[i].job);
	}
	return fine;
}

static void munge_done(struct link *link, int code)
{
	const char *credential = code ? NULL : munge_credential(&link->munge);
	char why[200];

	if (!credential) {
		snprintf(why, sizeof(why), "munge gives no credential: %.*s",
			 (int)(link->munge.used < 100 ? link->munge.used : 100), link->munge.out);
		deny(link, why);
		return;
	}
	if (!channel_put_line(&link->channel, credential)) {
		drop(link, "out of memory");
		return;
	}
	channel_key(&link->channel, link->hello.key);
	link->puts = link->answers = 0;
	link->state = LINK_KEYED;
	if (!say_again(link) || !channel_flush(&link->channel))
		drop(link, "the connection was lost");
}

static bool send_put(struct link *link, enum record record, const char *of, const char *part,
		     json_t *json)
{
	char *text = json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII);
	bool fine;

	fine = text && channel_put(&link->channel, CHANNEL_MESSAGE_MAX, text, strlen(text),
				   "put %s %s %s", channel_record_name(record), of,
				   part ? part : "-") && channel_flush(&link->channel);
	free(text);
	link->puts += fine;
	return fine;
}

/* The first message proves that the service has the key. */
static void go_live(struct link *link)
{
	link->state = LINK_LIVE;
	link->epoch++;
	link->takes_samples = link->takes_place = link->stranger = link->denied = false;
	link_forget(link);
	for (size_t i = 0; i < link->said_count; i++)
		send_put(link, link->said[i].record, link->said[i].round, link->said[i].node,
			 link->said[i].json);
}

static void receive(struct link *link)
{
	bool there = channel_fill(&link->channel);
	struct message message;
	enum taken taken;
	char *line;

	if (link->state == LINK_KEYED && channel_has_line(&link->channel)) {
		taken = channel_take_line(&link->channel, &line);
		if (taken == TAKEN_ONE)
			deny(link, strncmp(line, "refused ", 8) ? line : line + 8);
		if (taken != TAKEN_NOTHING || there)
			return;
	}
	while (link->state >= LINK_KEYED &&
	       (taken = channel_take(&link->channel, &message)) != TAKEN_NOTHING) {
		if (taken == TAKEN_ONE && link->state == LINK_KEYED)
			go_live(link);
		if (taken == TAKEN_BAD)
			drop(link, "a message is malformed or forged");
		else if (!link_take(link, &message))
			drop(link, NULL);
	}
	if (!there && link->state >= LINK_KEYED)
		drop(link, "the connection was lost");
}

static int wait_fd(int fd, short events, int64_t until)
{
	struct pollfd wait = { .fd = fd, .events = events };
	int64_t left = until - clock_ns(CLOCK_MONOTONIC);
	struct timespec time = { left > 0 ? left / SECOND : 0, left > 0 ? left % SECOND : 0 };

	return ppoll(&wait, fd >= 0, &time, NULL) > 0 ? wait.revents : 0;
}

/* Advance by one event, or wait until @until. */
static void step(struct link *link, int64_t until)
{
	int64_t now = clock_ns(CLOCK_MONOTONIC);
	int events, code;
	char *line;

	if (link->state != LINK_NONE && link->state != LINK_LIVE) {
		if (now > link->shake_ns)
			drop(link, "no answer in time");
		until = until < link->shake_ns ? until : link->shake_ns + 1;
	}

	switch (link->state) {
	case LINK_NONE:
		if (now >= link->retry_ns)
			connect_to(link);
		else
			wait_fd(-1, 0, until < link->retry_ns ? until : link->retry_ns);
		return;
	case LINK_CONNECTING:
		if (wait_fd(link->channel.fd, POLLOUT, until))
			connected(link);
		return;
	case LINK_GREETING:
		if (!wait_fd(link->channel.fd, POLLIN, until))
			return;
		if (!channel_fill(&link->channel))
			drop(link, "the connection was lost");
		else if (channel_take_line(&link->channel, &line) == TAKEN_ONE)
			ask_munge(link, line);
		return;
	case LINK_MUNGE:
		wait_fd(link->munge.fd, POLLIN, until);
		code = child_poll(&link->munge);
		if (code >= 0)
			munge_done(link, code);
		return;
	case LINK_KEYED:
	case LINK_LIVE:
		events = wait_fd(link->channel.fd, POLLIN |
				 (channel_waiting(&link->channel) ? POLLOUT : 0), until);
		if (events & POLLOUT && !channel_flush(&link->channel))
			drop(link, "the connection was lost");
		else if (events)
			receive(link);
	}
}

/* ---- watching a job ---- */

static struct watched *find_watched(struct link *link, const char *job)
{
	for (size_t i = 0; i < link->watched_count; i++)
		if (!strcmp(link->watched[i].job, job))
			return &link->watched[i];
	return NULL;
}

/* Only the first time this waits for the service. */
static const struct watched *watch(struct link *link, const char *job)
{
	struct watched *watched = find_watched(link, job);
	int64_t until = clock_ns(CLOCK_MONOTONIC) + link->patience_ns;

	if (watched || link->watched_count == JOBS_MAX || strlen(job) > JOB_NAME_MAX)
		return watched;
	watched = &link->watched[link->watched_count++];
	*watched = (struct watched){ .synced = false };
	strcpy(watched->job, job);
	if (link->state >= LINK_KEYED &&
	    (!channel_put(&link->channel, CHANNEL_MESSAGE_MAX, NULL, 0, "watch %s", job) ||
	     !channel_flush(&link->channel)))
		drop(link, "the connection was lost");
	while (!watched->synced && !link->stranger && clock_ns(CLOCK_MONOTONIC) < until)
		step(link, until);
	return watched;
}

/* ---- the backend ---- */

static enum record_state look(const struct job_store *store, enum record record, const char *of,
			      const char *part)
{
	struct link *link = store->link;
	const struct watched *watched = record < RECORD_ROUND ? watch(link, of) : NULL;

	if (link_find(link, record, of, part))
		return RECORD_PRESENT;
	return link->state == LINK_LIVE && (!watched || watched->synced) ? RECORD_ABSENT :
	       RECORD_UNKNOWN;
}

static json_t *get(const struct job_store *store, enum record record, const char *of,
		   const char *part, struct liquid_error *err)
{
	struct link *link = store->link;
	struct mirrored *at;

	if (record < RECORD_ROUND)
		watch(link, of);
	at = link_find(link, record, of, part);
	err->text[0] = '\0';
	return at ? json_incref(at->json) : NULL;
}

/* The words of a former round are of no use any more. */
static void remember(struct link *link, enum record record, const char *round, const char *node,
		     json_t *json)
{
	struct said *said;

	while (link->said_count && (record == RECORD_READY || link->said_count == SAID_MAX))
		json_decref(link->said[--link->said_count].json);
	said = &link->said[link->said_count++];
	said->record = record;
	snprintf(said->round, sizeof(said->round), "%s", round);
	snprintf(said->node, sizeof(said->node), "%s", node);
	said->json = json_incref(json);
}

/* An older service would end the connection. */
static bool is_taken(const struct link *link, enum record record)
{
	return link->takes_samples || (record != RECORD_FIRST && record != RECORD_LAST);
}

static int put_now(struct link *link, enum record record, const char *of, const char *part,
		   json_t *json, struct liquid_error *err)
{
	int64_t until = clock_ns(CLOCK_MONOTONIC) + link->patience_ns;
	uint64_t epoch = 0, number = 0;

	do {
		if (link->state == LINK_LIVE && !is_taken(link, record))
			return liquid_fail(err, LIQUID_IO, "the service %s is older than this "
					   "node, and takes no samples", link->host);
		if (link->state == LINK_LIVE && epoch != link->epoch) {
			epoch = link->epoch;
			if (!send_put(link, record, of, part, json))
				drop(link, "the connection was lost");
			number = link->puts;
		}
		if (link->state == LINK_LIVE && epoch == link->epoch && link->answers >= number)
			break;
		step(link, until);
	} while (clock_ns(CLOCK_MONOTONIC) < until);
	if (link->state != LINK_LIVE || epoch != link->epoch || link->answers < number)
		return liquid_fail(err, LIQUID_IO, "the service %s has not answered in time%s%s",
				   link->host, *link->why ? ": " : "", link->why);
	if (link->answer == PUT_FAILED)
		return liquid_fail(err, LIQUID_IO, "the service %s: %s", link->host, link->why);
	return link->answer == PUT_DONE ? JOB_PUT_DONE : JOB_PUT_LOST;
}

static int put(const struct job_store *store, enum record record, const char *of,
	       const char *part, json_t *json, struct liquid_error *err)
{
	struct link *link = store->link;
	int status;

	if (!json || !channel_record_name(record)) {
		json_decref(json);
		return liquid_no_memory(err);
	}
	status = put_now(link, record, of, part, json, err);
	if (record == RECORD_OPEN ||
	    (!status && (record == RECORD_READY || record == RECORD_COMMITTED)))
		remember(link, record, of, part, json);
	json_decref(json);
	return status;
}

static int list_running(const struct job_store *store, struct liquid_names *names,
			struct liquid_error *err)
{
	struct link *link = store->link;
	int64_t until = clock_ns(CLOCK_MONOTONIC) + link->patience_ns;
	char *rest = NULL;

	*names = (struct liquid_names){ 0 };
	free(link->running);
	link->running = NULL;
	if (link->state == LINK_LIVE && channel_put(&link->channel, CHANNEL_MESSAGE_MAX, NULL, 0,
						    "running"))
		channel_flush(&link->channel);
	while (!link->running && clock_ns(CLOCK_MONOTONIC) < until)
		step(link, until);
	if (!link->running)
		return liquid_fail(err, LIQUID_IO, "the service %s has not answered in time",
				   link->host);
	for (char *job = strtok_r(link->running, "\n", &rest); job;
	     job = strtok_r(NULL, "\n", &rest))
		if (job_name_fits(job) && !job_names_add(names, job))
			return liquid_no_memory(err);
	return LIQUID_OK;
}

static bool words(const struct job_store *store, enum record word, const char *round, bool ask,
		  struct record_words *words)
{
	struct link *link = store->link;
	const struct counted *counted = &link->counted[word == RECORD_COMMITTED];
	int64_t until = clock_ns(CLOCK_MONOTONIC) + link->patience_ns;
	uint64_t times = counted->times;

	if (ask && link->state == LINK_LIVE &&
	    channel_put(&link->channel, CHANNEL_MESSAGE_MAX, NULL, 0, "count %s %s",
			channel_record_name(word), round)) {
		channel_flush(&link->channel);
		while (counted->times == times && clock_ns(CLOCK_MONOTONIC) < until)
			step(link, until);
	}
	if (strcmp(counted->round, round) || (ask && counted->times == times))
		return false;
	*words = counted->words;
	return true;
}

static void rest(const struct job_store *store, int64_t ns)
{
	struct link *link = store->link;
	int64_t until = clock_ns(CLOCK_MONOTONIC) + ns;
	uint64_t news = link->news;

	do
		step(link, until);
	while (link->news == news && clock_ns(CLOCK_MONOTONIC) < until);
}

static void forked(const struct job_store *store)
{
	struct link *link = store->link;

	drop(link, NULL);
	link->retry_ns = 0;
}

static void patience(const struct job_store *store, int64_t ns)
{
	((struct link *)store->link)->patience_ns = ns;
}

static bool refused(const struct job_store *store)
{
	return ((struct link *)store->link)->stranger;
}

/* ---- stored messages ---- */

static int make_dir(const struct job_store *local, enum record record, const char *of,
		    struct liquid_error *err)
{
	char path[JOB_PATH_MAX];
	int status = LIQUID_OK;

	/* An earlier run of a job on other nodes may have had the name. */
	if (record == RECORD_SPEC)
		status = job_remove_dir(local, record_path(path, RECORD_ROUND, of, NULL), err);
	return status || record != RECORD_SPEC ? status :
	       record_make_dir(local, RECORD_ROUND, of, err);
}

static int keep_at(const struct mirrored *at, const struct job_store *local,
		   struct liquid_error *err)
{
	int status = make_dir(local, at->record, at->of, err);

	if (!status)
		status = record_put(local, at->record, at->of, at->part, json_incref(at->json),
				    err);
	return status < 0 ? status : LIQUID_OK;
}

/* A node that has opened its gate alone may have lost the service. */
static int keep_open(const struct link *link, const struct job_store *local,
		     struct liquid_error *err)
{
	int status = LIQUID_OK;

	for (size_t i = 0; status >= 0 && i < link->said_count; i++)
		if (link->said[i].record == RECORD_OPEN)
			status = record_put(local, RECORD_OPEN, link->said[i].round,
					    link->said[i].node, json_incref(link->said[i].json),
					    err);
	return status < 0 ? status : LIQUID_OK;
}

/* The directory of a round comes first, and a job's records lead to it. */
int service_keep(const struct job_store *store, const struct job_store *local, const char *job,
		 struct liquid_error *err)
{
	static const enum record kept[] = {
		RECORD_SPEC, RECORD_RELEASE, RECORD_GO, RECORD_GENERATION, RECORD_SKIP,
	};
	const struct link *link = store->link;
	int status = LIQUID_OK;

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		for (size_t n = 0; !status && n < link->record_count; n++) {
			const struct mirrored *at = &link->records[n];

			if (at->record == kept[i] &&
			    (at->record > RECORD_ROUND || !strcmp(at->of, job)))
				status = keep_at(at, local, err);
		}
	return status ? status : keep_open(link, local, err);
}

static void link_free(struct job_store *store)
{
	struct link *link = store->link;

	store->backend = NULL;
	store->link = NULL;
	channel_close(&link->channel);
	child_kill(&link->munge);
	link_forget(link);
	free(link->records);
	while (link->said_count)
		json_decref(link->said[--link->said_count].json);
	free(link->slice.text);
	free(link->running);
	if (link->places)
		freeaddrinfo(link->places);
	free(link);
}

static const struct record_backend backend = {
	.look = look, .get = get, .put = put, .list_running = list_running, .words = words,
	.rest = rest, .forked = forked, .patience = patience, .refused = refused,
	.close = link_free,
};

/* ---- the node's address ---- */

/* An older service is not asked. */
void service_ask_place(const struct job_store *store, struct service_place *place)
{
	struct link *link = store->link;
	int64_t until = clock_ns(CLOCK_MONOTONIC) + link->patience_ns;

	link->known_as = (struct service_place){ .verdict = "" };
	if (link->state == LINK_LIVE && link->takes_place &&
	    channel_put(&link->channel, CHANNEL_MESSAGE_MAX, NULL, 0, "place") &&
	    channel_flush(&link->channel))
		while (!*link->known_as.verdict && link->state == LINK_LIVE &&
		       clock_ns(CLOCK_MONOTONIC) < until)
			step(link, until);
	*place = link->known_as;
}

/* ---- slices ---- */

bool service_slice(const struct job_store *store, const char *round, char **text, size_t *length,
		   const char **why)
{
	struct link *link = store->link;

	*text = NULL;
	*why = NULL;
	if (link->state != LINK_LIVE)
		return false;
	if (strcmp(link->slice.round, round) || link->slice.epoch != link->epoch) {
		free(link->slice.text);
		link->slice.text = NULL;
		link->slice.length = link->slice.total = 0;
		link->slice.done = false;
		link->slice.epoch = link->epoch;
		snprintf(link->slice.round, sizeof(link->slice.round), "%s", round);
		if (!channel_put(&link->channel, CHANNEL_MESSAGE_MAX, NULL, 0, "slice %s", round) ||
		    !channel_flush(&link->channel))
			drop(link, "the connection was lost");
		return false;
	}
	if (!link->slice.done)
		return false;
	if (!link->slice.text)
		*why = *link->why ? link->why : "the service gives no slice";
	*text = link->slice.text;
	*length = link->slice.length;
	link->slice.text = NULL;
	link->slice.round[0] = '\0';
	return true;
}

/* ---- the beginning ---- */

int service_resolve(const char *service, struct addrinfo **places)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	char host[300], *colon, *at = host;
	const char *port = SERVICE_PORT;

	snprintf(host, sizeof(host), "%s", service);
	colon = strrchr(host, ':');
	if (*host == '[' && strchr(host, ']')) {
		char *end = strchr(host, ']');

		colon = end[1] == ':' ? end + 1 : NULL;
		*end = '\0';
		at++;
	} else if (colon && strchr(host, ':') != colon) {
		colon = NULL;
	}
	if (colon) {
		*colon = '\0';
		port = colon + 1;
	}
	return getaddrinfo(at, port, &hints, places);
}

/* Its places are of all ports, one after the other. */
static int resolve_first(const struct job_args *args, const char *first, struct link *link)
{
	unsigned int port = first_port(&args->conf, args->job);
	struct addrinfo **end = &link->places;
	char text[JOB_NAME_MAX + 16];
	int failed = 0;

	/* A node knows itself by addresses that lead nowhere, as 127.0.1.1. */
	if (!strcmp(first, args->node))
		first = "127.0.0.1";
	for (unsigned int i = 0; !failed && i < CONF_JOB_PORTS; i++) {
		snprintf(text, sizeof(text), "%s:%u", first, port + i);
		failed = service_resolve(text, end);
		while (!failed && *end)
			end = &(*end)->ai_next;
	}
	return failed;
}

static int resolve(struct job_args *args, const char *first, struct link *link)
{
	int failed;

	link->first = first;
	link->host = first ? link->name : args->conf.service;
	if (first) {
		snprintf(link->name, sizeof(link->name), "of job %s on node %s", args->job, first);
		strcpy(link->hello.job, args->job);
	}
	job_doing(args, "asking for the address of %s (DNS?)", first ? first : link->host);
	failed = first ? resolve_first(args, first, link) :
		 service_resolve(args->conf.service, &link->places);
	job_doing(args, "%s", "");
	return failed ? complain(EXIT_BAD_INPUT, "the service %s: %s", link->host,
				 gai_strerror(failed)) : EXIT_OK;
}

/* The first node may begin later than this one, but not later than all must be ready. */
static int64_t open_until(const struct job_args *args, const struct link *link)
{
	const struct job_bound *bound = args->run.bound;
	int64_t until = clock_ns(CLOCK_MONOTONIC) + (link->first ? OPEN_NS_FIRST : OPEN_NS);
	int64_t most = bound ? atomic_load(&bound->until_ns) - (int64_t)args->conf.lead_ns : until;

	return until < most ? until : most;
}

static int tell_shut(const struct job_args *args, const struct link *link)
{
	unsigned int port = link->first ? first_port(&args->conf, args->job) : 0;
	const char *why = *link->why ? link->why : "is liquid-job.service running there?";

	if (link->first)
		return complain(EXIT_BAD_INPUT, "the service %s does not answer at its ports %u to "
				"%u: %s (is a firewall between the nodes? `agree first` of %s "
				"names the ports)", link->host, port, port + CONF_JOB_PORTS - 1,
				why, args->conf_path);
	return complain(EXIT_BAD_INPUT, "the service %s does not answer: %s", link->host, why);
}

int service_open(struct job_args *args, const char *first)
{
	struct link *link = calloc(1, sizeof(*link));
	int64_t until;
	int code;

	if (!link)
		return complain(EXIT_IO, "out of memory");
	*link = (struct link){
		.munge_socket = args->conf.munge_socket,
		.keeper = args->store.keeper, .channel = { .fd = -1 }, .munge = { .fd = -1 },
		.pause_ns = PAUSE_NS, .patience_ns = PATIENCE_NS,
	};
	args->store.backend = &backend;
	args->store.link = link;
	snprintf(link->hello.node, sizeof(link->hello.node), "%s", args->node);
	code = resolve(args, first, link);
	args->store.dir = link->host;
	if (code)
		return code;
	until = open_until(args, link);
	link->place = link->places;
	if (getrandom(&link->hello.process, sizeof(link->hello.process), 0) < 0)
		return complain(EXIT_IO, "no random numbers: %s", strerror(errno));
	link->hello.process |= 1;
	if (args->job)
		watch(link, args->job);
	while (link->state != LINK_LIVE && !link->stranger && clock_ns(CLOCK_MONOTONIC) < until)
		step(link, until);
	if (link->stranger)
		return EXIT_BAD_INPUT;
	return link->state == LINK_LIVE ? EXIT_OK : tell_shut(args, link);
}

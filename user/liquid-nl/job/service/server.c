// SPDX-License-Identifier: GPL-2.0-only
/* job serve, on the controller: the loop that everything is called from. */
#include <errno.h>
#include <netdb.h>
#include <signal.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <unistd.h>

#include "util/clock-ns.h"
#include "util/command.h"
#include "job/service/client.h"
#include "job/service/first.h"
#include "job/service/server.h"

#define EVENTS 256
#define LOOK_MS 100			/* between two looks at time limits */
#define BACKLOG 1024
#define FILES_OF_ITS_OWN 256
#define AFTER_NS INT64_C(1000000000)	/* the base time: nodes look for a verdict until then */

bool server_wait(struct server *server, struct source *source, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = source };

	return !epoll_ctl(server->epoll, EPOLL_CTL_ADD, source->fd, &event) ||
	       (errno == EEXIST &&
		!epoll_ctl(server->epoll, EPOLL_CTL_MOD, source->fd, &event));
}

void server_forget(struct server *server, struct source *source)
{
	if (source->fd >= 0)
		epoll_ctl(server->epoll, EPOLL_CTL_DEL, source->fd, NULL);
	source->fd = -1;
}

/* ---- listening ---- */

/* There is one server in a process. */
static struct server *the_server;

static void accept_ready(struct source *source, uint32_t events)
{
	(void)events;
	sessions_accept(the_server, source->fd);
}

/* @also_four: an IPv6 address takes callers by IPv4 too. */
static int listen_at(struct server *server, const struct addrinfo *place, bool also_four)
{
	struct source *source = &server->listener[server->listeners];
	int one = 1, alone = !also_four;
	int fd = socket(place->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (place->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &alone, sizeof(alone));
	*source = (struct source){ .fd = fd, .ready = accept_ready };
	if (bind(fd, place->ai_addr, place->ai_addrlen) || listen(fd, BACKLOG) ||
	    !server_wait(server, source, EPOLLIN)) {
		int error = errno;

		close(fd);
		return -error;
	}
	server->listeners++;
	return 0;
}

/* It listens where nodes connect to, so that a wrong address is found when the service starts. */
static int listen_all(struct server *server)
{
	const struct conf *conf = &server->args->conf;
	struct addrinfo *places;
	int error = service_resolve(conf->service, &places);

	if (error)
		return complain(EXIT_BAD_INPUT, "%s: %s: %s", server->args->conf_path,
				conf->service, gai_strerror(error));
	for (struct addrinfo *at = places; at && server->listeners < 4; at = at->ai_next)
		error = listen_at(server, at, false);
	freeaddrinfo(places);
	if (server->listeners)
		return EXIT_OK;
	return complain(EXIT_IO, "cannot listen at %s: %s", conf->service, strerror(-error));
}

/* At all addresses of the node: it does not know by which the others call. */
static int listen_for_job(struct server *server)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_addr = in6addr_any };
	struct sockaddr_in four = { .sin_family = AF_INET };
	const struct addrinfo any[] = {
		{ .ai_family = AF_INET6, .ai_addr = (struct sockaddr *)&six,
		  .ai_addrlen = sizeof(six) },
		{ .ai_family = AF_INET, .ai_addr = (struct sockaddr *)&four,
		  .ai_addrlen = sizeof(four) },
	};
	unsigned int first = first_port(&server->args->conf, server->job);
	int error = 0;

	for (unsigned int i = 0; i < 2 * CONF_JOB_PORTS && !server->listeners; i++) {
		six.sin6_port = four.sin_port = htons((uint16_t)(first + i / 2));
		error = listen_at(server, &any[i % 2], true);
	}
	if (server->listeners)
		return EXIT_OK;
	return complain(EXIT_IO, "cannot listen at one of its ports %u to %u on node %s: %s "
			"(`ss -ltnp` shows who does)", first, first + CONF_JOB_PORTS - 1,
			server->args->node, strerror(-error));
}

/* ---- the beginning ---- */

/* A session has one descriptor, and another one while its credential is read. */
static void raise_limit(void)
{
	const rlim_t wanted = SESSIONS_MAX + FILES_OF_ITS_OWN;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= wanted)
		return;
	limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
	if (setrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur < wanted)
		complain(0, "note: %lu open files are allowed: for all nodes that it can serve, "
			 "LimitNOFILE=%lu in liquid-job.service", (unsigned long)limit.rlim_cur,
			 (unsigned long)wanted);
}

int server_begin(struct server *server)
{
	char path[4096];

	the_server = server;
	server->epoll = epoll_create1(EPOLL_CLOEXEC);
	server->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (server->epoll < 0 || server->inotify < 0)
		return complain(EXIT_IO, "epoll or inotify: %s", strerror(errno));
	snprintf(path, sizeof(path), "%s/" RECORDS_JOBS, server->store->dir);
	server->jobs_watch = inotify_add_watch(server->inotify, path, IN_CREATE | IN_MOVED_TO |
					       IN_MOVED_FROM | IN_DELETE | IN_ONLYDIR);
	if (server->jobs_watch < 0)
		return complain(EXIT_IO, "%s: inotify: %s", path, strerror(errno));
	server->notifier = (struct source){ .fd = server->inotify, .ready = jobs_notified };
	if (!server_wait(server, &server->notifier, EPOLLIN))
		return complain(EXIT_IO, "epoll: %s", strerror(errno));
	return *server->job ? listen_for_job(server) : listen_all(server);
}

void server_leave(struct server *server)
{
	while (server->listeners)
		close(server->listener[--server->listeners].fd);
	if (server->inotify >= 0)
		close(server->inotify);
	if (server->epoll >= 0)
		close(server->epoll);
}

static void look(struct server *server)
{
	int64_t now = clock_ns(CLOCK_MONOTONIC);

	if (now - server->looked_ns < LOOK_MS * INT64_C(1000000))
		return;
	server->looked_ns = now;
	sessions_look(server, now);
	for (struct round *round = server->rounds; round; round = round->next)
		if (round->slices)
			slices_look(server, round->slices, now);
}

/*
 * On a job's first node: all have gated and gone, or the job has ended, or no prologue waits any
 * more. A node that comes late to a job that is not gated shall get the reason.
 */
static bool is_over(const struct server *server)
{
	if (!*server->job)
		return false;
	return clock_ns(CLOCK_MONOTONIC) > server->until ||
	       (!server->session_count &&
		((server->base_ns && clock_ns(CLOCK_TAI) > server->base_ns + AFTER_NS) ||
		 record_has(server->store, RECORD_END, server->job, NULL)));
}

int server_loop(struct server *server)
{
	struct epoll_event event[EVENTS];

	while (!is_over(server)) {
		int count = epoll_wait(server->epoll, event, EVENTS, LOOK_MS);

		if (count < 0 && errno != EINTR)
			return complain(EXIT_IO, "epoll: %s", strerror(errno));
		for (int i = 0; i < count; i++) {
			struct source *source = event[i].data.ptr;

			/* It may have been closed by another event of this turn. */
			if (source->fd >= 0)
				source->ready(source, event[i].events);
		}
		look(server);
		sessions_sweep(server);
	}
	return EXIT_OK;
}

int job_serve(struct job_args *args)
{
	struct server server = { .args = args, .job = "", .store = &args->store };
	int code;

	if (!args->conf.service)
		return complain(EXIT_BAD_INPUT, "%s: there is no `agree service HOST` to serve",
				args->conf_path);
	args->store.durable = true;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	raise_limit();
	code = server_begin(&server);
	if (code)
		return code;
	complain(0, "serves at %s, store %s", args->conf.service, args->store.dir);
	return server_loop(&server);
}

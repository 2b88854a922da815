/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The service from within: one thread, which waits in epoll_wait() alone
 *
 * The store on the controller's own disk is all that the service knows and keeps. `job start`, `job
 * reroute` and `job end` write there, and inotify reports it. A decision is written and synced
 * before any node is informed, so that a service which is started anew says the same. Who is ready
 * or has committed is held in memory only: nodes say so again when they connect again.
 *
 * A session is a node's connection. It is listened to once munge has confirmed that root or the
 * store's keeper is its other end, and it takes part in a round only if it comes from an address
 * that the controller found for its node's name when the round was published.
 */
#ifndef LIQUID_NL_SERVER_H
#define LIQUID_NL_SERVER_H

#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "job/job.h"
#include "job/service/channel.h"
#include "job/service/child.h"

#define SESSIONS_MAX 8192
#define SESSIONS_OF_ADDRESS 64		/* from one address */
#define SESSION_JOBS 64			/* watched by one session */
#define UNMUNGES_MAX 16			/* that run at once */
#define SLICERS_MAX 2			/* solving at once */
#define LOOKUPS_MAX 2			/* of addresses, at once */
#define STRANGERS_MAX 8			/* of a round, whose refusal is recorded */
#define REFUSALS_TOLD 60		/* to the log, in a minute */
#define HELLO_NS INT64_C(10000000000)	/* until a session has shown its credential */
#define WAITING_MAX (4 << 20)		/* bytes that may wait for one session */

/* Objects of epoll */
struct source {
	int fd;
	void (*ready)(struct source *source, uint32_t events);
};

struct server;

/* A record as it is sent */
struct blob {
	struct blob *next;
	enum record record;
	char of[JOB_ROUND_SIZE], part[16];
	char *text;
	size_t length;
};

/* A round of a job that is watched */
struct round {
	struct round *next;
	struct job_spec spec;
	struct place *places;		/* of its nodes, sorted by name */
	size_t count, strangers;	/* callers by the name of a node, from elsewhere */
	struct tally {
		size_t said;
		char digest[LIQUID_DIGEST_HEX];		/* of the first */
		char other[JOB_NAME_MAX + 1];		/* the first that differs, or "" */
	} tally[2];			/* ready, committed */
	struct slices *slices;		/* NULL: not asked for, or not needed any more */
	unsigned int jobs;		/* that have it */
	int64_t base_ns;		/* CLOCK_TAI; 0: this process has not released it */
};

/* A node of a round */
struct place {
	char node[JOB_NAME_MAX + 1];
	struct sockaddr_storage *address;
	size_t addresses;
	uint64_t process[2];		/* that is ready, has committed; 0: none */
	bool refused;			/* another address has called by this name */
};

/* A job that is watched */
struct job {
	struct job *next;
	char name[JOB_NAME_MAX + 1];
	int watch;			/* of inotify; -1: it has no directory */
	ino_t directory;		/* 0: it has none */
	struct blob *blobs;		/* its records and its rounds' */
	struct round **rounds;
	size_t round_count;
	unsigned int watchers;
};

struct session {
	struct source source;
	struct server *server;
	struct session *next, **link, *next_dead;
	struct channel channel;
	struct sockaddr_storage peer;
	struct child child;		/* unmunge, later getent */
	struct source child_source;
	bool known, dead, queued;	/* has shown its credential; is closed; waits for unmunge */
	bool looked_up;			/* it has asked for its addresses, which it may once */
	uint32_t events;		/* that epoll waits for */
	char *credential;
	char nonce[CHANNEL_NONCE];
	struct hello hello;
	int64_t until;			/* for the credential, CLOCK_MONOTONIC */
	struct job *jobs[SESSION_JOBS];
	size_t job_count;
	char slice_of[JOB_ROUND_SIZE];	/* the round whose slice it waits for, or "" */
	uint64_t slice_at;		/* bytes of it that were sent */
};

struct server {
	struct job_args *args;
	const char *job;		/* that begins, on its first node; "" on a controller */
	int64_t until;			/* end of that, CLOCK_MONOTONIC */
	int64_t base_ns;		/* of a round that all gate by, CLOCK_TAI; 0: none yet */
	struct job_store *store;
	int epoll, inotify, jobs_watch;
	struct source listener[4], notifier;
	size_t listeners;
	struct session *sessions;	/* the newest first */
	struct session *dead;		/* closed in this turn of the loop */
	size_t session_count, unmunges, queued, slicers, lookups;
	struct job *jobs;
	struct round *rounds;
	int64_t looked_ns;		/* the last look at time limits */
	int64_t minute_ns;		/* end of the minute in which refusals are counted */
	unsigned int refusals;
};

/* server.c */
/* Make ready to listen at the service's addresses, or with a job at one of its ports. Exit code */
int server_begin(struct server *server);
/* Close what server_begin() has opened: a copy of this process has it. */
void server_leave(struct server *server);
int server_loop(struct server *server);
bool server_wait(struct server *server, struct source *source, uint32_t events);
void server_forget(struct server *server, struct source *source);
int job_serve(struct job_args *args);

/* session.c: connections */
void sessions_accept(struct server *server, int listener);
void sessions_look(struct server *server, int64_t now);	/* at time limits */
void sessions_sweep(struct server *server);		/* free closed ones */
/* Send; a session that takes nothing is closed. */
void session_send(struct session *session, const void *body, size_t length,
		  const char *format, ...) __attribute__((format(printf, 4, 5)));
void session_refuse(struct session *session, const char *reason);
/* It is not a node of the job, and should not call again. */
void session_refuse_stranger(struct session *session, const char *reason);
void session_kill(struct session *session);
const char *session_name(const struct session *session);	/* until the next call */
bool address_same(const struct sockaddr_storage *one, const struct sockaddr_storage *other);
/* A loopback address */
bool address_is_own(const struct sockaddr_storage *address);
/* As getnameinfo() with NI_NUMERICHOST writes it */
bool address_read(const char *text, struct sockaddr_storage *address);
void address_write(const struct sockaddr_storage *address, char text[INET6_ADDRSTRLEN]);
bool session_watches(const struct session *session, const struct job *job);

/* request.c: requests of a session */
void request_take(struct session *session, const struct message *message);
void request_send_words(struct session *session, const struct round *round, enum record word);
void request_send_slice(struct session *session);

/* jobs.c: jobs that are watched, their records and rounds */
struct job *jobs_watch(struct server *server, const char *name);
void jobs_unwatch(struct server *server, struct job *job);
void jobs_look(struct server *server, struct job *job);	/* read its records again */
void jobs_notified(struct source *source, uint32_t events);
/* Send all records of a job to a session that has begun to watch it. */
void jobs_tell(struct session *session, const struct job *job);
bool jobs_has_round(const struct job *job, const struct round *round);
void jobs_refuse_stranger(struct session *session, const struct job *job);
/* Announce a decision of this round. */
void jobs_decided(struct server *server, const struct round *round);
struct round *jobs_round(const struct server *server, const char *name);

/* round.c: nodes of a round, their messages and decisions */
struct round *round_open(struct server *server, const char *name, struct liquid_error *err);
void round_close(struct server *server, struct round *round);
/* The node's place, if it is a node of the round and calls from its address; else NULL */
struct place *round_place(const struct round *round, const struct session *session);
/* JOB_PUT_DONE, JOB_PUT_LOST or an error */
int round_say(struct round *round, struct place *place, uint64_t process, enum record word,
	      const char *digest, struct liquid_error *err);
bool round_all_said(const struct round *round, enum record word, const char *digest);
int round_decide(struct server *server, struct round *round, const struct place *place,
		 enum record record, const json_t *json, struct liquid_error *err);
void round_missing(const struct round *round, enum record word, char *text, size_t size);

/*
 * Why a caller is not a node of the round: another address than its node's, which is recorded, or
 * another name
 */
void round_tell_stranger(struct server *server, struct round *round, const char *job,
			 const struct session *session, char *text, size_t size);

/*
 * lookup.c: report to a session which addresses the controller's resolver has for its node's name
 */
void lookup_start(struct session *session);

/* slices.c: all slices of a round, from a process without privileges */
struct slices *slices_start(struct server *server, struct round *round);
void slices_free(struct server *server, struct slices *slices);
void slices_look(struct server *server, struct slices *slices, int64_t now);
/* How far it is: not yet, ready with its size, or failed with the reason */
enum taken slices_find(struct slices *slices, const char *node, uint64_t *size, const char **why);
ssize_t slices_read(const struct slices *slices, const char *node, uint64_t at, void *piece,
		    size_t room);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* A node's connection to the service from within, and the answers on it. */
#ifndef LIQUID_NL_SERVICE_LINK_H
#define LIQUID_NL_SERVICE_LINK_H

#include "job/service/channel.h"
#include "job/service/child.h"
#include "job/service/client.h"

#define JOBS_MAX 64			/* watched by one process */
#define PAUSE_NS INT64_C(100000000)	/* between two connections, at first */
#define SAID_MAX 3			/* ready, committed and open, of the newest round */

enum state { LINK_NONE, LINK_CONNECTING, LINK_GREETING, LINK_MUNGE, LINK_KEYED, LINK_LIVE };

struct mirrored {
	enum record record;
	char of[JOB_ROUND_SIZE], part[JOB_NAME_MAX + 1];
	json_t *json;
};

struct watched {
	char job[JOB_NAME_MAX + 1];
	bool synced;
};

struct said {
	enum record record;
	char round[JOB_ROUND_SIZE], node[JOB_NAME_MAX + 1];
	json_t *json;
};

struct counted {
	char round[JOB_ROUND_SIZE];
	uint64_t times;			/* that the service has reported */
	struct record_words words;
};

struct link {
	const char *host, *munge_socket;
	bool first;			/* it is the job's first node, which has several ports */
	bool denied;			/* the reason below is that of a refusal there */
	char name[2 * JOB_NAME_MAX + 32];	/* of that service, for messages */
	uid_t keeper;
	struct addrinfo *places, *place;
	enum state state;
	struct channel channel;
	struct child munge;
	struct hello hello;
	int64_t retry_ns, pause_ns, shake_ns;	/* CLOCK_MONOTONIC, a duration, CLOCK_MONOTONIC */
	int64_t patience_ns;
	uint64_t epoch;			/* connections that have become live */
	bool takes_samples;		/* the service of this connection does */
	bool takes_place;
	bool stranger;			/* it is refused for good */
	struct service_place known_as;	/* the answer; its verdict is "" if there is none */
	uint64_t news;			/* messages of this and former connections */
	struct mirrored *records;
	size_t record_count;
	struct watched watched[JOBS_MAX];
	size_t watched_count;
	struct said said[SAID_MAX];
	size_t said_count;
	uint64_t puts, answers;		/* of this connection */
	enum { PUT_DONE, PUT_LOST, PUT_FAILED } answer;
	struct counted counted[2];	/* ready, committed */
	struct {
		uint64_t epoch;
		char round[JOB_ROUND_SIZE];
		char *text;
		size_t length, total;
		bool done;
	} slice;
	char *running;			/* the answer, or NULL */
	bool told;			/* a refusal was printed */
	char why[256];			/* what went wrong last */
};

/* mirror.c */
struct mirrored *link_find(const struct link *link, enum record record, const char *of,
			   const char *part);
void link_forget(struct link *link);	/* all records */
void link_set_why(struct link *link, const char *text, size_t length);
/* Take a message. False: the service ends the connection. */
bool link_take(struct link *link, const struct message *message);

#endif

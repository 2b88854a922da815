/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A connection between a node and the service: lines at first, then messages with a MAC
 *
 *	service		liquid-job 1 NONCE
 *	node		CREDENTIAL		of munge, whose payload is struct hello
 *
 * From then on both have the key that is in the credential, which no one else can decode. Each
 * message is its length (32 bits, big endian), its text and an HMAC-SHA256 of direction, number and
 * text. So a message can be neither forged nor replayed, and a node knows the service by its first.
 * The nonce ties the credential to this connection. In place of a message the service may say
 * "refused REASON" in a line, which proves nothing and is only printed.
 *
 * A text is a line of words, and their object:
 *
 *	node		watch JOB
 *			put RECORD OF PART, JSON
 *			count RECORD ROUND
 *			slice ROUND
 *			running
 *			place				which addresses are the node's?
 *	service		record RECORD OF PART, JSON	a new one of a job that is watched
 *			forget JOB			it has none any more
 *			synced JOB			all that there are have been sent
 *			put done|lost|failed, REASON
 *			words RECORD ROUND SAID OF DIGEST OTHER, MISSING
 *			slice OFFSET TOTAL, BYTES	or slice - -, REASON
 *			running, JOBS
 *			place same|other|none|busy FROM, KNOWN
 *			refused [stranger], REASON	the connection ends; for good
 *			welcome FEATURE...		the first one: features that it takes
 *			unknown WORD			of a request that it does not know
 *
 * Controller and nodes are not upgraded at the same instant. So either end ignores messages,
 * records and members that it does not know, the service answers such a request ("put failed",
 * "unknown"), and a node sends what came later than the first release of the service only where
 * its feature is named: `samples`, the records `first` and `last`; `place`, the request.
 */
#ifndef LIQUID_NL_CHANNEL_H
#define LIQUID_NL_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "job/store/records.h"

#define SERVICE_PORT "6816"
#define CHANNEL_KEY 32			/* bytes of the key */
#define CHANNEL_NONCE 33		/* a nonce in hexadecimal digits, with its 0 */
#define CHANNEL_LINE_MAX 2048		/* bytes of a line: a credential has some 400 */
#define CHANNEL_REQUEST_MAX 8192	/* bytes of a node's message */
#define CHANNEL_MESSAGE_MAX (1 << 20)	/* bytes of a message of the service */
#define CHANNEL_PIECE 65536		/* bytes of a slice in one message */
#define CHANNEL_WORDS 8
#define FEATURE_SAMPLES "samples"
#define FEATURE_PLACE "place"
#define REFUSED_STRANGER "stranger"
#define REFUSED_JOB "another job begins at this port"

struct bytes {
	uint8_t *at;
	size_t first, end, room;
};

enum role { ROLE_NODE = 'N', ROLE_SERVICE = 'S' };

struct channel {
	int fd;				/* O_NONBLOCK */
	enum role role;			/* of this end */
	bool keyed;
	uint8_t key[CHANNEL_KEY];
	uint64_t sent, taken;		/* messages */
	size_t most;			/* bytes of a message that is taken */
	struct bytes in, out;
};

struct message {
	char *word[CHANNEL_WORDS];	/* unused ones are "" */
	size_t words;
	const char *body;		/* not ended by a 0 */
	size_t length;
};

void channel_open(struct channel *channel, int fd, enum role role, size_t most);
void channel_close(struct channel *channel);
void channel_key(struct channel *channel, const uint8_t key[CHANNEL_KEY]);
/* Receive waiting bytes, up to the bound of a message. False: the other end is gone. */
bool channel_fill(struct channel *channel);
enum taken { TAKEN_NOTHING, TAKEN_ONE, TAKEN_BAD };
/* A line before there is a key. It is valid until the next call of a function of the channel. */
enum taken channel_take_line(struct channel *channel, char **line);
/* In place of a message came a line, or some of it: no message begins with an 'r'. */
bool channel_has_line(const struct channel *channel);
/* A message; likewise. Its words are cut out of the channel's own memory. */
enum taken channel_take(struct channel *channel, struct message *message);
/* Append to the output; false: out of memory, or more than @most bytes would wait. */
bool channel_put_line(struct channel *channel, const char *line);
bool channel_put(struct channel *channel, size_t most, const void *body, size_t length,
		 const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Send as much as goes; false: the other end is gone. */
bool channel_flush(struct channel *channel);
static inline size_t channel_waiting(const struct channel *channel)
{
	return channel->out.end - channel->out.first;
}

/* The names of records in messages; -1: no record that a message may be about. */
const char *channel_record_name(enum record record);
int channel_record_of(const char *name);

/* Contents of a node's credential */
struct hello {
	char nonce[CHANNEL_NONCE];
	uint8_t key[CHANNEL_KEY];
	uint64_t process;		/* distinguishes processes of one node; not 0 */
	char node[JOB_NAME_MAX + 1];
	char job[JOB_NAME_MAX + 1];	/* whose first node it is for; "": for a controller */
};
#define HELLO_TEXT 320
void hello_write(const struct hello *hello, char text[HELLO_TEXT]);
bool hello_read(const char *text, size_t length, struct hello *hello);
/* The nonce of the service's first line */
bool greeting_read(const char *line, char nonce[CHANNEL_NONCE]);
void greeting_write(const char *nonce, char line[CHANNEL_LINE_MAX]);

#endif

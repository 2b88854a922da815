// SPDX-License-Identifier: GPL-2.0-only
/* Lines and messages on a socket that never blocks; every length has a bound. */
#include <errno.h>
#include <inttypes.h>
#include <nettle/base16.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "job/service/channel.h"
#include "util/digest.h"

#define LENGTH 4			/* bytes of a message's length */
#define MAC SHA256_DIGEST_SIZE
#define HEAD_MAX 512			/* bytes of a message's words */

/* ---- bytes that wait ---- */

static bool bytes_room(struct bytes *bytes, size_t more)
{
	size_t used = bytes->end - bytes->first, room = bytes->room ? bytes->room : 512;
	uint8_t *larger;

	if (bytes->first) {
		memmove(bytes->at, bytes->at + bytes->first, used);
		bytes->first = 0;
		bytes->end = used;
	}
	while (room < used + more)
		room *= 2;
	if (room == bytes->room)
		return true;
	larger = realloc(bytes->at, room);
	if (!larger)
		return false;
	bytes->at = larger;
	bytes->room = room;
	return true;
}

static void bytes_add(struct bytes *bytes, const void *data, size_t length)
{
	if (length)
		memcpy(bytes->at + bytes->end, data, length);
	bytes->end += length;
}

static void bytes_clear(struct bytes *bytes)
{
	free(bytes->at);
	*bytes = (struct bytes){ 0 };
}

/* ---- the channel ---- */

void channel_open(struct channel *channel, int fd, enum role role, size_t most)
{
	*channel = (struct channel){ .fd = fd, .role = role, .most = most };
}

void channel_close(struct channel *channel)
{
	if (channel->fd >= 0)
		close(channel->fd);
	bytes_clear(&channel->in);
	bytes_clear(&channel->out);
	memset(channel->key, 0, sizeof(channel->key));
	*channel = (struct channel){ .fd = -1 };
}

void channel_key(struct channel *channel, const uint8_t key[CHANNEL_KEY])
{
	memcpy(channel->key, key, CHANNEL_KEY);
	channel->keyed = true;
}

bool channel_fill(struct channel *channel)
{
	size_t most = channel->keyed ? channel->most + LENGTH + MAC : CHANNEL_LINE_MAX;

	for (;;) {
		size_t used = channel->in.end - channel->in.first;
		size_t more = used < most ? most - used : 0;
		ssize_t got;

		if (more > CHANNEL_PIECE)
			more = CHANNEL_PIECE;
		if (!more)
			return true;
		if (channel->in.end + more > channel->in.room && !bytes_room(&channel->in, more))
			return false;
		got = recv(channel->fd, channel->in.at + channel->in.end, more, MSG_DONTWAIT);
		if (got <= 0)
			return got && (errno == EAGAIN || errno == EINTR);
		channel->in.end += (size_t)got;
	}
}

enum taken channel_take_line(struct channel *channel, char **line)
{
	struct bytes *in = &channel->in;
	size_t used = in->end - in->first;
	uint8_t *at = in->at + in->first, *end = used ? memchr(at, '\n', used) : NULL;

	if (!end)
		return used >= CHANNEL_LINE_MAX ? TAKEN_BAD : TAKEN_NOTHING;
	*end = 0;
	if ((size_t)(end - at) >= CHANNEL_LINE_MAX || strlen((char *)at) != (size_t)(end - at))
		return TAKEN_BAD;
	in->first += (size_t)(end - at) + 1;
	*line = (char *)at;
	return TAKEN_ONE;
}

bool channel_has_line(const struct channel *channel)
{
	const struct bytes *in = &channel->in;

	return !channel->taken && in->end > in->first && in->at[in->first] == 'r';
}

static void make_mac(const struct channel *channel, enum role from, uint64_t number,
		     const uint8_t *text, size_t length, uint8_t mac[MAC])
{
	struct hmac_sha256_ctx hmac;
	uint8_t head[9] = { from };

	for (int i = 0; i < 8; i++)
		head[8 - i] = (uint8_t)(number >> 8 * i);
	hmac_sha256_set_key(&hmac, CHANNEL_KEY, channel->key);
	hmac_sha256_update(&hmac, sizeof(head), head);
	hmac_sha256_update(&hmac, length, text);
	hmac_sha256_digest(&hmac, MAC, mac);
}

/* Words of printable characters with one space between two, then a newline and the body */
static bool cut(uint8_t *text, size_t length, struct message *message)
{
	uint8_t *end = memchr(text, '\n', length);
	char *at = (char *)text;

	if (!end)
		return false;
	*end = 0;
	*message = (struct message){ .body = (char *)end + 1,
				     .length = length - (size_t)(end - text) - 1 };
	for (uint8_t *c = text; c < end; c++)
		if (*c < ' ' || *c > '~')
			return false;
	while (at) {
		char *space = strchr(at, ' ');

		if (message->words == CHANNEL_WORDS)
			return false;
		if (space)
			*space++ = '\0';
		if (!*at)
			return false;
		message->word[message->words++] = at;
		at = space;
	}
	for (size_t i = message->words; i < CHANNEL_WORDS; i++)
		message->word[i] = (char *)end;
	return true;
}

enum taken channel_take(struct channel *channel, struct message *message)
{
	enum role other = channel->role == ROLE_NODE ? ROLE_SERVICE : ROLE_NODE;
	struct bytes *in = &channel->in;
	uint8_t *at = in->at + in->first, mac[MAC];
	size_t used = in->end - in->first, length;

	if (used < LENGTH)
		return TAKEN_NOTHING;
	length = (size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 | at[3];
	if (!length || length > channel->most)
		return TAKEN_BAD;
	if (used < LENGTH + length + MAC)
		return TAKEN_NOTHING;
	make_mac(channel, other, channel->taken++, at + LENGTH, length, mac);
	if (!memeql_sec(mac, at + LENGTH + length, MAC) || !cut(at + LENGTH, length, message))
		return TAKEN_BAD;
	in->first += LENGTH + length + MAC;
	return TAKEN_ONE;
}

bool channel_put_line(struct channel *channel, const char *line)
{
	size_t length = strlen(line);

	if (!bytes_room(&channel->out, length + 1))
		return false;
	bytes_add(&channel->out, line, length);
	bytes_add(&channel->out, "\n", 1);
	return true;
}

bool channel_put(struct channel *channel, size_t most, const void *body, size_t length,
		 const char *format, ...)
{
	char head[HEAD_MAX];
	uint8_t mac[MAC], size[LENGTH], *text;
	size_t whole;
	va_list args;
	int words;

	va_start(args, format);
	words = vsnprintf(head, sizeof(head) - 1, format, args);
	va_end(args);
	if (words < 0 || (size_t)words >= sizeof(head) - 1)
		return false;
	head[words++] = '\n';
	whole = (size_t)words + length;
	if (whole > CHANNEL_MESSAGE_MAX || channel_waiting(channel) + whole > most ||
	    !bytes_room(&channel->out, LENGTH + whole + MAC))
		return false;
	for (int i = 0; i < LENGTH; i++)
		size[LENGTH - 1 - i] = (uint8_t)(whole >> 8 * i);
	bytes_add(&channel->out, size, LENGTH);
	text = channel->out.at + channel->out.end;
	bytes_add(&channel->out, head, (size_t)words);
	bytes_add(&channel->out, body, length);
	make_mac(channel, channel->role, channel->sent++, text, whole, mac);
	bytes_add(&channel->out, mac, MAC);
	return true;
}

bool channel_flush(struct channel *channel)
{
	struct bytes *out = &channel->out;

	while (out->first < out->end) {
		ssize_t put = send(channel->fd, out->at + out->first, out->end - out->first,
				   MSG_NOSIGNAL | MSG_DONTWAIT);

		if (put < 0)
			return errno == EAGAIN || errno == EINTR;
		out->first += (size_t)put;
	}
	/* What idles needs no memory. */
	if (out->room > CHANNEL_REQUEST_MAX)
		bytes_clear(out);
	else
		out->first = out->end = 0;
	return true;
}

/* ---- records in messages ---- */

static const char *const names[] = {
	[RECORD_JOB] = "job", [RECORD_GENERATION] = "generation", [RECORD_SKIP] = "skip",
	[RECORD_UNTIL] = "until", [RECORD_END] = "end", [RECORD_VOID] = "void",
	[RECORD_SPEC] = "spec", [RECORD_RELEASE] = "release", [RECORD_GO] = "go",
	[RECORD_READY] = "ready", [RECORD_COMMITTED] = "committed", [RECORD_OPEN] = "open",
	[RECORD_FIRST] = "first", [RECORD_LAST] = "last",
};

const char *channel_record_name(enum record record)
{
	return record < sizeof(names) / sizeof(names[0]) ? names[record] : NULL;
}

int channel_record_of(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i] && !strcmp(names[i], name))
			return (int)i;
	return -1;
}

/* ---- the beginning ---- */

#define GREETING "liquid-job 1 "

void greeting_write(const char *nonce, char line[CHANNEL_LINE_MAX])
{
	snprintf(line, CHANNEL_LINE_MAX, GREETING "%s", nonce);
}

bool greeting_read(const char *line, char nonce[CHANNEL_NONCE])
{
	if (strncmp(line, GREETING, strlen(GREETING)) ||
	    !is_hex(line + strlen(GREETING), CHANNEL_NONCE - 1))
		return false;
	strcpy(nonce, line + strlen(GREETING));
	return true;
}

void hello_write(const struct hello *hello, char text[HELLO_TEXT])
{
	char hex[2 * CHANNEL_KEY + 1];

	base16_encode_update(hex, CHANNEL_KEY, hello->key);
	hex[2 * CHANNEL_KEY] = '\0';
	snprintf(text, HELLO_TEXT, GREETING "%s %s %016" PRIx64 " %s%s%s", hello->nonce, hex,
		 hello->process, hello->node, *hello->job ? " " : "", hello->job);
}

bool hello_read(const char *text, size_t length, struct hello *hello)
{
	char copy[HELLO_TEXT], *word[5] = { NULL }, *rest = NULL;
	struct base16_decode_ctx hex;
	size_t size = CHANNEL_KEY;

	if (length >= HELLO_TEXT || length < strlen(GREETING) || memchr(text, '\0', length) ||
	    strncmp(text, GREETING, strlen(GREETING)))
		return false;
	snprintf(copy, sizeof(copy), "%.*s", (int)(length - strlen(GREETING)),
		 text + strlen(GREETING));
	for (int i = 0; i < 5; i++) {
		word[i] = strtok_r(i ? NULL : copy, " ", &rest);
		if (!word[i] && i < 4)
			return false;
	}
	if (strtok_r(NULL, " ", &rest) || !is_hex(word[0], CHANNEL_NONCE - 1) ||
	    !is_hex(word[1], 2 * CHANNEL_KEY) || !is_hex(word[2], 16) ||
	    !job_name_fits(word[3]) || (word[4] && !job_name_fits(word[4])))
		return false;
	strcpy(hello->nonce, word[0]);
	strcpy(hello->node, word[3]);
	strcpy(hello->job, word[4] ? word[4] : "");
	hello->process = strtoull(word[2], NULL, 16);
	base16_decode_init(&hex);
	return base16_decode_update(&hex, &size, hello->key, 2 * CHANNEL_KEY, word[1]) &&
	       size == CHANNEL_KEY && hello->process;
}

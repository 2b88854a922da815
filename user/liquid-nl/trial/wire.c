// SPDX-License-Identifier: GPL-2.0-only
/* Lines of JSON on a socket. Nothing waits longer than its deadline, no line exceeds its bound. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock/clock-ns.h"
#include "trial/trial.h"

int64_t trial_deadline(uint64_t ns)
{
	return clock_ns(CLOCK_MONOTONIC) + (int64_t)ns;
}

bool trial_wire_open(struct trial_wire *wire, int fd)
{
	*wire = (struct trial_wire){ .fd = fd, .buffer = malloc(TRIAL_LINE_MAX) };
	return wire->buffer && !fcntl(fd, F_SETFL, O_NONBLOCK);
}

void trial_wire_close(struct trial_wire *wire)
{
	if (wire->fd >= 0 && wire->buffer)
		close(wire->fd);
	free(wire->buffer);
	*wire = (struct trial_wire){ .fd = -1 };
}

static bool wait_for(int fd, short events, int64_t deadline)
{
	struct pollfd poll_fd = { .fd = fd, .events = events };
	int64_t left = deadline - clock_ns(CLOCK_MONOTONIC);
	int got;

	if (left < 0)
		return false;
	got = poll(&poll_fd, 1, left / 1000000 > 1000000 ? 1000000 : (int)(left / 1000000) + 1);
	return got > 0 || (got < 0 && errno == EINTR);
}

static bool send_all(int fd, const char *data, size_t size, int64_t deadline)
{
	while (size) {
		ssize_t done = send(fd, data, size, MSG_NOSIGNAL);

		if (done < 0 && errno != EAGAIN && errno != EINTR)
			return false;
		if (done < 0 && !wait_for(fd, POLLOUT, deadline))
			return false;
		if (done > 0) {
			data += done;
			size -= (size_t)done;
		}
	}
	return true;
}

bool trial_put(struct trial_wire *wire, json_t *json, int64_t deadline)
{
	char *text = json ? json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
	size_t size = text ? strlen(text) : 0;
	bool sent = false;

	json_decref(json);
	if (size && size < TRIAL_LINE_MAX - 1) {
		text[size] = '\n';	/* in place of its 0 */
		sent = send_all(wire->fd, text, size + 1, deadline);
	}
	free(text);
	return sent;
}

/* The first line, which is removed from the buffer; NULL: it is not whole, or is no object. */
static json_t *take_line(struct trial_wire *wire, bool *gone)
{
	char *end = memchr(wire->buffer, '\n', wire->used);
	json_t *json;

	if (!end) {
		*gone |= wire->used == TRIAL_LINE_MAX;
		return NULL;
	}
	json = json_loadb(wire->buffer, (size_t)(end - wire->buffer), JSON_REJECT_DUPLICATES, NULL);
	wire->used -= (size_t)(end + 1 - wire->buffer);
	memmove(wire->buffer, end + 1, wire->used);
	if (!json_is_object(json)) {
		json_decref(json);
		json = NULL;
		*gone = true;
	}
	return json;
}

json_t *trial_take_some(struct trial_wire *wire, bool *gone)
{
	json_t *json;
	ssize_t got;

	*gone = false;
	json = take_line(wire, gone);
	if (json || *gone)
		return json;
	got = recv(wire->fd, wire->buffer + wire->used, TRIAL_LINE_MAX - wire->used, 0);
	if (got > 0) {
		wire->used += (size_t)got;
		return take_line(wire, gone);
	}
	*gone = !got || (errno != EAGAIN && errno != EINTR);
	return NULL;
}

json_t *trial_take(struct trial_wire *wire, int64_t deadline)
{
	bool gone;

	for (;;) {
		json_t *json = trial_take_some(wire, &gone);

		if (json || gone || !wait_for(wire->fd, POLLIN, deadline))
			return json;
	}
}

const char *trial_text(const json_t *json, const char *name)
{
	const char *text = json_string_value(json_object_get(json, name));

	return text ? text : "";
}

int64_t trial_integer(const json_t *json, const char *name, int64_t otherwise)
{
	const json_t *value = json_object_get(json, name);

	return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

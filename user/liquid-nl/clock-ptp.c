// SPDX-License-Identifier: GPL-2.0-only
/* Ask ptp4l how it stands: PTP management messages (IEEE 1588, 15) over its UNIX socket. */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "clock.h"

#define HEADER 34			/* bytes of a PTP header */
#define MANAGEMENT (HEADER + 14)	/* where the TLV begins */
#define DATA (MANAGEMENT + 6)		/* type, length, management id */

#define TYPE_MANAGEMENT 0x0d
#define TLV_MANAGEMENT 0x0001
#define ACTION_GET 0
#define ACTION_RESPONSE 2
#define CONTROL_MANAGEMENT 4

#define ID_PORT_DATA_SET 0x2004
#define ID_TIME_STATUS_NP 0xc000

#define STATE_AT 10			/* in PORT_DATA_SET, after the port's identity */
#define STATE_MASTER 6
#define STATE_SLAVE 9
#define PRESENT_AT 38			/* in TIME_STATUS_NP */
#define TIME_STATUS_BYTES 50

#define ANSWER_MS 500

static void put16(uint8_t *at, uint16_t value)
{
	at[0] = value >> 8;
	at[1] = value & 0xff;
}

static uint16_t get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static uint64_t get64(const uint8_t *at)
{
	uint64_t value = 0;

	for (int i = 0; i < 8; i++)
		value = value << 8 | at[i];
	return value;
}

size_t ptp_put_get(uint8_t *message, uint16_t id, uint16_t sequence)
{
	memset(message, 0, DATA);
	message[0] = TYPE_MANAGEMENT;
	message[1] = 2;			/* version */
	put16(message + 2, DATA);
	put16(message + 28, getpid() & 0xffff);	/* source port; its clock's identity stays 0 */
	put16(message + 30, sequence);
	message[32] = CONTROL_MANAGEMENT;
	message[33] = 0x7f;		/* no interval */
	memset(message + HEADER, 0xff, 10);	/* to every port */
	message[HEADER + 12] = ACTION_GET;
	put16(message + MANAGEMENT, TLV_MANAGEMENT);
	put16(message + MANAGEMENT + 2, 2);
	put16(message + MANAGEMENT + 4, id);
	return DATA;
}

const uint8_t *ptp_take_response(const uint8_t *message, size_t length, uint16_t id,
				 uint16_t sequence, size_t *data_length)
{
	size_t tlv_length;

	if (length < DATA || (message[0] & 0x0f) != TYPE_MANAGEMENT ||
	    (message[HEADER + 12] & 0x0f) != ACTION_RESPONSE ||
	    get16(message + 30) != sequence || get16(message + MANAGEMENT) != TLV_MANAGEMENT ||
	    get16(message + MANAGEMENT + 4) != id)
		return NULL;
	tlv_length = get16(message + MANAGEMENT + 2);
	if (tlv_length < 2 || tlv_length - 2 > length - DATA)
		return NULL;
	*data_length = tlv_length - 2;
	return message + DATA;
}

/* An answer needs an address to come to. */
static int open_socket(const char *path, char own[64])
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(address.sun_path))
		return -1;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	snprintf(own, 64, "/var/run/liquid-nl.%d", (int)getpid());
	unlink(own);
	strcpy(address.sun_path, own);
	if (!bind(fd, (struct sockaddr *)&address, sizeof(address))) {
		memset(address.sun_path, 0, sizeof(address.sun_path));
		strcpy(address.sun_path, path);
		if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
			return fd;
		unlink(own);
	}
	close(fd);
	return -1;
}

/* The first answer of @least bytes of data into @message; several ports answer one after the other. */
static const uint8_t *ask(int fd, uint16_t id, uint16_t sequence, size_t least,
			  uint8_t message[PTP_MESSAGE_MAX])
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	if (send(fd, message, ptp_put_get(message, id, sequence), 0) < 0)
		return NULL;
	/* Answers to earlier questions may be in the way. */
	for (int tries = 0; tries < 64 && poll(&wait, 1, ANSWER_MS) > 0; tries++) {
		ssize_t got = recv(fd, message, PTP_MESSAGE_MAX, 0);
		const uint8_t *data;
		size_t length;

		if (got < 0)
			return NULL;
		data = ptp_take_response(message, got, id, sequence, &length);
		if (data && length >= least)
			return data;
	}
	return NULL;
}

static const char *state_name(uint8_t state)
{
	static const char *const names[] = {
		"?", "INITIALIZING", "FAULTY", "DISABLED", "LISTENING", "PRE_MASTER", "MASTER",
		"PASSIVE", "UNCALIBRATED", "SLAVE",
	};

	return names[state < sizeof(names) / sizeof(names[0]) ? state : 0];
}

static bool ask_both(int fd, struct clock_source *source)
{
	uint8_t message[PTP_MESSAGE_MAX];
	const uint8_t *data = ask(fd, ID_PORT_DATA_SET, 1, STATE_AT + 1, message);
	int64_t offset;
	bool present;
	uint8_t state;

	if (!data)
		return false;
	state = data[STATE_AT];
	data = ask(fd, ID_TIME_STATUS_NP, 2, TIME_STATUS_BYTES, message);
	if (!data)
		return false;
	offset = (int64_t)get64(data);
	present = data[PRESENT_AT] || data[PRESENT_AT + 1] || data[PRESENT_AT + 2] ||
		  data[PRESENT_AT + 3];
	source->kind = CLOCK_SOURCE_PTP;
	/* A grandmaster is its own reference. */
	source->locked = state == STATE_MASTER || (state == STATE_SLAVE && present);
	source->error_ns = offset < 0 ? -(uint64_t)offset : (uint64_t)offset;
	snprintf(source->text, sizeof(source->text),
		 "ptp4l: port %s, grandmaster %s, offset of its clock from the master %" PRId64
		 " ns", state_name(state), present ? "present" : "absent", offset);
	return true;
}

bool clock_ask_ptp(const char *socket_path, struct clock_source *source)
{
	char own[64];
	int fd = open_socket(socket_path, own);
	bool answered;

	if (fd < 0)
		return false;
	answered = ask_both(fd, source);
	close(fd);
	unlink(own);
	return answered;
}

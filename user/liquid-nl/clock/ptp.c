// SPDX-License-Identifier: GPL-2.0-only
/* The state of ptp4l: PTP management messages (IEEE 1588, 15) over its UNIX socket. */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <sys/un.h>
#include <unistd.h>

#include "clock/clock.h"

#define HEADER 34			/* bytes of a PTP header */
#define MANAGEMENT (HEADER + 14)	/* where the TLV begins */
#define DATA (MANAGEMENT + 6)		/* type, length, management id */

#define TYPE_MANAGEMENT 0x0d
#define TLV_MANAGEMENT 0x0001
#define ACTION_GET 0
#define ACTION_RESPONSE 2
#define CONTROL_MANAGEMENT 4

#define ID_DEFAULT_DATA_SET 0x2000
#define ID_TIME_PROPERTIES_DATA_SET 0x2003
#define ID_TIME_STATUS_NP 0xc000
#define ID_PORT_PROPERTIES_NP 0xc004

#define PORTS_AT 2			/* in DEFAULT_DATA_SET */
#define DEFAULT_DATA_SET_BYTES 20
#define FLAGS_AT 2			/* in TIME_PROPERTIES_DATA_SET */
#define FLAG_TAI 0x08			/* the network's time is TAI */
#define TIME_PROPERTIES_BYTES 4
#define PORT_STATE_AT 10		/* in PORT_PROPERTIES_NP, after the port's identity */
#define PORT_STAMPS_AT 11
#define PORT_NAME_AT 12			/* a length, and the text */
#define STAMPS_SOFTWARE 0
#define PRESENT_AT 38			/* in TIME_STATUS_NP */
#define TIME_STATUS_BYTES 50

#define STATE_MASTER 6
#define STATE_SLAVE 9

#define PORTS_MAX 64
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

/* ---- the socket ---- */

static int connect_to(const char *path, const char *suffix)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) + strlen(suffix) >= sizeof(address.sun_path))
		return -1;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	strcpy(stpcpy(address.sun_path, path), suffix);
	/*
	 * ptp4l answers to the sender's address, so bind to one that the kernel chooses. It is no
	 * file, so any user may have it, and it ends with this process. Bind after connect(), so
	 * that only ptp4l can send to it.
	 */
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)) &&
	    !bind(fd, (struct sockaddr *)&(struct sockaddr_un){ .sun_family = AF_UNIX },
		  sizeof(sa_family_t)))
		return fd;
	close(fd);
	return -1;
}

/* The first socket is for root alone. Since linuxptp 4 there is another one for all users. */
void clock_ptp_open(struct clock_asker *asker)
{
	asker->ptp_fd = connect_to(asker->ptp_socket, "");
	if (asker->ptp_fd < 0)
		asker->ptp_fd = connect_to(asker->ptp_socket, "ro");
}

void clock_ptp_close(struct clock_asker *asker)
{
	if (asker->ptp_fd >= 0)
		close(asker->ptp_fd);
	asker->ptp_fd = -1;
}

/* ---- a question and its answers, one from each port ---- */

struct question {
	uint16_t id, sequence;
	size_t least;			/* bytes of data that an answer must have */
	uint8_t message[PTP_MESSAGE_MAX];
};

static bool ask(int fd, struct question *question, uint16_t id, size_t least)
{
	size_t length;

	question->id = id;
	question->sequence++;
	question->least = least;
	length = ptp_put_get(question->message, id, question->sequence);
	return send(fd, question->message, length, 0) > 0;
}

/* The data of the next answer, in question->message; NULL: there is none */
static const uint8_t *answer(int fd, struct question *question, size_t *length)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	/* Late answers to earlier questions may come first. */
	for (int tries = 0; tries < 2 * PORTS_MAX && poll(&wait, 1, ANSWER_MS) > 0; tries++) {
		ssize_t got = recv(fd, question->message, PTP_MESSAGE_MAX, MSG_DONTWAIT);
		const uint8_t *data;

		if (got < 0)
			return NULL;
		data = ptp_take_response(question->message, got, question->id, question->sequence,
					 length);
		if (data && *length >= question->least)
			return data;
	}
	return NULL;
}

static const uint8_t *ask_one(int fd, struct question *question, uint16_t id, size_t least)
{
	size_t length;

	return ask(fd, question, id, least) ? answer(fd, question, &length) : NULL;
}

bool ptp_parse_port(const uint8_t *data, size_t length, struct ptp_port *port)
{
	size_t name = length > PORT_NAME_AT ? data[PORT_NAME_AT] : 0;

	if (!name || name >= sizeof(port->device) || name > length - PORT_NAME_AT - 1)
		return false;
	*port = (struct ptp_port){
		.state = data[PORT_STATE_AT], .hardware = data[PORT_STAMPS_AT] != STAMPS_SOFTWARE,
	};
	memcpy(port->device, data + PORT_NAME_AT + 1, name);
	return true;
}

static const char *state_name(uint8_t state)
{
	static const char *const names[] = {
		"?", "INITIALIZING", "FAULTY", "DISABLED", "LISTENING", "PRE_MASTER", "MASTER",
		"PASSIVE", "UNCALIBRATED", "SLAVE",
	};

	return names[state < sizeof(names) / sizeof(names[0]) ? state : 0];
}

/* The port with the clock's state: a follower (or one about to be) before a leader. */
static bool ask_ports(int fd, struct question *question, struct ptp_port *port)
{
	const uint8_t *data = ask_one(fd, question, ID_DEFAULT_DATA_SET, DEFAULT_DATA_SET_BYTES);
	unsigned int count = data ? get16(data + PORTS_AT) : 0;
	struct ptp_port one;
	bool found = false;
	size_t length;

	if (!count || !ask(fd, question, ID_PORT_PROPERTIES_NP, PORT_NAME_AT + 1))
		return false;
	for (unsigned int i = 0; i < count && i < PORTS_MAX; i++) {
		data = answer(fd, question, &length);
		if (!data)
			break;
		if (!ptp_parse_port(data, length, &one) || (found && one.state <= port->state))
			continue;
		*port = one;
		found = true;
	}
	return found;
}

/* ---- the adapter's clock against the system clock ---- */

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

static int compare_clocks(struct clock_asker *asker, struct clock_difference *difference)
{
	return asker->phc_fd < 0 ? -asker->phc_error : clock_phc_read(asker->phc_fd, difference);
}

/*
 * Add the difference between CLOCK_TAI and the adapter's clock, which has TAI, or else the
 * network's own time scale.
 */
static void add_system(struct clock_asker *asker, struct question *question,
		       struct clock_source *source)
{
	const uint8_t *data = ask_one(asker->ptp_fd, question, ID_TIME_PROPERTIES_DATA_SET,
				      TIME_PROPERTIES_BYTES);
	struct timex timex = { 0 };
	struct clock_difference difference;
	size_t used = strlen(source->text);
	int status = compare_clocks(asker, &difference);

	if (status) {
		snprintf(source->unknown, sizeof(source->unknown), "%s: %s", asker->phc,
			 strerror(-status));
		return;
	}
	if ((!data || data[FLAGS_AT] & FLAG_TAI) && adjtimex(&timex) >= 0)
		difference.ns -= timex.tai * INT64_C(1000000000);
	source->error_ns += magnitude(difference.ns) + difference.doubt_ns;
	snprintf(source->text + used, sizeof(source->text) - used,
		 ", of %s from the system's %" PRId64 " ns (+- %" PRIu64 ")",
		 asker->phc, difference.ns, difference.doubt_ns);
}

static bool ask_all(struct clock_asker *asker, struct clock_source *source)
{
	struct question question = { .sequence = 0 };
	struct ptp_port port;
	const uint8_t *data;
	int64_t offset;
	bool present;

	if (asker->ptp_fd < 0 || !ask_ports(asker->ptp_fd, &question, &port))
		return false;
	data = ask_one(asker->ptp_fd, &question, ID_TIME_STATUS_NP, TIME_STATUS_BYTES);
	if (!data)
		return false;
	offset = (int64_t)get64(data);
	present = data[PRESENT_AT] || data[PRESENT_AT + 1] || data[PRESENT_AT + 2] ||
		  data[PRESENT_AT + 3];
	*source = (struct clock_source){
		.kind = CLOCK_SOURCE_PTP,
		/* A grandmaster is its own reference. */
		.locked = port.state == STATE_MASTER || (port.state == STATE_SLAVE && present),
		.follows = port.state == STATE_SLAVE,
		.error_ns = magnitude(offset),
	};
	snprintf(source->text, sizeof(source->text),
		 "ptp4l: port %s, grandmaster %s, offset of its clock from the master %" PRId64
		 " ns", state_name(port.state), present ? "present" : "absent", offset);
	if (!port.hardware)
		return true;
	if (!asker->phc[0])
		clock_phc_open(asker, port.device);
	add_system(asker, &question, source);
	return true;
}

/* A restarted ptp4l has another socket, which this user may be unable to reach. */
bool clock_ask_ptp(struct clock_asker *asker, struct clock_source *source)
{
	if (ask_all(asker, source))
		return true;
	clock_ptp_close(asker);
	clock_ptp_open(asker);
	return ask_all(asker, source);
}

// SPDX-License-Identifier: GPL-2.0-only
/* A node's part of a trial: it does what the conductor tells, one thing after the other. */
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock/clock-ns.h"
#include "clock/clock.h"
#include "cmd/cmd.h"
#include "trial/trial.h"

#define SECOND_NS	INT64_C(1000000000)
#define ANSWER_NS	(10 * SECOND_NS)
#define IDLE_NS		(120 * SECOND_NS)	/* and the time of a measurement */
#define RETRY_NS	200000000
#define TICK_NS		(4 * SECOND_NS)		/* between renewals of the gate's lease */
#define PARTS		20			/* of a measurement */
#define COOL_DOWN_NS	(SECOND_NS / 2)		/* traffic goes on while others still measure */
#define FRAMES_MAX	64

struct node {
	const struct trial *trial;
	struct trial_wire wire;
	char device[16], own[TRIAL_ADDRESS];
	char address[TRIAL_NODES_MAX][TRIAL_ADDRESS], session[TRIAL_HEX];
	unsigned int count, mtu;
	size_t buffer_bytes;
	struct trial_flow *flow;
	enum trial_transport transport;
	struct trial_guardian guardian;
	struct trial_gate_args gate;
	uint32_t slice[FRAMES_MAX];
	bool gated;
	struct trial_secrets secrets;
	char why[TRIAL_WHY];
};

/* An answer with a reason, NULL: out of memory */
static json_t *refuse(struct node *node)
{
	json_t *text = json_string(node->why);

	trial_secrets_remove(&node->secrets, text);
	return json_pack("{s:o}", "error", text);
}

static json_t *refuse_because(struct node *node, const char *why)
{
	snprintf(node->why, sizeof(node->why), "%s", why);
	return refuse(node);
}

static json_t *done(bool success, struct node *node)
{
	return success ? json_object() : refuse(node);
}

/* ---- what this node is like ---- */

static json_t *clock_record(void)
{
	static const char *const sources[] = { "none", "ptp4l", "chrony" };
	struct clock_asker asker = CLOCK_ASKER_CLOSED;
	struct clock_findings findings;
	struct clock_report report;
	int status = clock_read(&asker, &report);

	clock_close(&asker);
	if (status)
		return json_null();
	clock_judge(&report, 0, &findings);
	return json_pack("{s:s, s:b, s:b, s:I, s:I, s:i, s:i}",
			 "source", sources[report.source.kind],
			 "locked", report.source.locked,
			 "synchronised", report.kernel.synchronised,
			 "error_ns", (json_int_t)clock_error_ns(&report),
			 "kernel_bound_ns", (json_int_t)report.kernel.max_error_ns,
			 "tai_offset", report.kernel.tai_offset,
			 "findings", findings.count);
}

/* The device that carries the connection to the conductor, unless one was named */
static bool find_device_and_address(struct node *node)
{
	struct sockaddr_storage own;
	socklen_t size = sizeof(own);

	if (node->trial->device) {
		snprintf(node->device, sizeof(node->device), "%s", node->trial->device);
		return trial_address_of(node->device, node->own);
	}
	return !getsockname(node->wire.fd, (struct sockaddr *)&own, &size) &&
	       trial_address_text((struct sockaddr *)&own, node->own) &&
	       trial_device_of(node->own, node->device);
}

static json_t *do_facts(struct node *node, const json_t *command)
{
	uint64_t rate = node->trial->rate_bps;
	const char *why;
	json_t *record;

	(void)command;
	if (!find_device_and_address(node))
		return refuse_because(node, "no device with an address: state one by --device");
	if (!rate)
		rate = trial_device_rate(node->device);
	if (!rate)
		return refuse_because(node, "the device does not report its rate: state it by "
				      "--rate");
	if (!trial_guardian_start(&node->guardian, node->device))
		return refuse_because(node, "cannot create a process");
	why = trial_gate_possible(node->device, node->why);
	record = json_pack("{s:o, s:o}", "facts", trial_facts(node->device), "clock",
			   clock_record());
	return json_pack("{s:o, s:s, s:I, s:i, s:s}", "record", record, "address", node->own,
			 "rate_bps", (json_int_t)rate, "mtu", (int)trial_device_mtu(node->device),
			 "no_gate", why ? why : "");
}

static json_t *do_ping(struct node *node, const json_t *command)
{
	(void)node;
	(void)command;
	return json_pack("{s:I}", "time_ns", (json_int_t)clock_ns(CLOCK_TAI));
}

static json_t *do_clock(struct node *node, const json_t *command)
{
	(void)node;
	(void)command;
	return json_pack("{s:o}", "record", clock_record());
}

/* ---- traffic ---- */

static json_t *do_peers(struct node *node, const json_t *command)
{
	const json_t *list = json_object_get(command, "addresses");
	struct sockaddr_storage address;
	socklen_t size;

	node->count = (unsigned int)json_array_size(list);
	if (node->count != node->trial->names.count || node->count > TRIAL_NODES_MAX)
		return refuse_because(node, "another number of nodes");
	for (unsigned int i = 0; i < node->count; i++) {
		const char *text = json_string_value(json_array_get(list, i));

		if (!text || strlen(text) >= TRIAL_ADDRESS ||
		    !trial_address(text, 0, &address, &size))
			return refuse_because(node, "invalid address");
		snprintf(node->address[i], TRIAL_ADDRESS, "%s", text);
	}
	snprintf(node->session, sizeof(node->session), "%s", trial_text(command, "session"));
	node->mtu = (unsigned int)trial_integer(command, "mtu", 1500);
	node->buffer_bytes = (size_t)trial_integer(command, "buffer_bytes", 1 << 20);
	if (node->mtu < 576 || node->mtu > UINT16_MAX || node->buffer_bytes > 1 << 28)
		return refuse_because(node, "numbers that are out of range");
	return json_object();
}

static json_t *do_open(struct node *node, const json_t *command)
{
	const struct trial_flow_args args = {
		.transport = strcmp(trial_text(command, "transport"), "udp") ? TRIAL_TCP :
									       TRIAL_UDP,
		.device = node->device, .address = node->address, .session = node->session,
		.count = node->count, .self = node->trial->self, .mtu = node->mtu,
		.port = node->trial->port, .buffer_bytes = node->buffer_bytes,
	};

	if (node->flow || node->count < 2)
		return refuse_because(node, "not now");
	node->transport = args.transport;
	node->flow = trial_flow_open(&args, node->why);
	return done(node->flow, node);
}

static json_t *do_connect(struct node *node, const json_t *command)
{
	(void)command;
	if (!node->flow)
		return refuse_because(node, "not now");
	return done(trial_flow_connect(node->flow, node->why), node);
}

static json_t *do_close(struct node *node, const json_t *command)
{
	(void)command;
	trial_flow_close(node->flow);
	node->flow = NULL;
	return json_object();
}

/* ---- a measurement ---- */

struct run {
	struct trial_counts first, last;
	uint64_t part[PARTS];		/* bytes received in each part of the time */
	int64_t begin, end;		/* CLOCK_MONOTONIC */
};

/* False: the conductor has gone, or wants something else. */
static bool wait_until(struct node *node, int64_t until)
{
	struct pollfd wire = { .fd = node->wire.fd, .events = POLLIN | POLLRDHUP };

	for (;;) {
		int64_t left = until - clock_ns(CLOCK_MONOTONIC);

		if (left <= 0)
			return true;
		if (left > TICK_NS)
			left = TICK_NS;
		if (poll(&wire, 1, (int)(left / 1000000) + 1) > 0)
			return false;
		if (node->gated)
			trial_gate_renew(node->device);
	}
}

static uint64_t sum_of(const uint64_t bytes[TRIAL_NODES_MAX])
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < TRIAL_NODES_MAX; i++)
		sum += bytes[i];
	return sum;
}

static bool watch(struct node *node, struct run *run, int64_t length)
{
	struct trial_counts counts;
	uint64_t before;

	trial_flow_count(node->flow, &run->first);
	run->begin = clock_ns(CLOCK_MONOTONIC);
	before = sum_of(run->first.received);
	for (unsigned int i = 0; i < PARTS; i++) {
		if (!wait_until(node, run->begin + length * (i + 1) / PARTS))
			return false;
		trial_flow_count(node->flow, &counts);
		run->part[i] = sum_of(counts.received) - before;
		before += run->part[i];
	}
	run->last = counts;
	run->end = clock_ns(CLOCK_MONOTONIC);
	return true;
}

static json_t *counts_json(const uint64_t *first, const uint64_t *last, unsigned int count)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < count; i++)
		json_array_append_new(array, json_integer((json_int_t)(last[i] -
								       (first ? first[i] : 0))));
	return array;
}

static json_t *run_json(const struct node *node, const struct run *run)
{
	const char *wrong = trial_flow_wrong(node->flow);

	return json_pack("{s:s, s:b, s:I, s:o, s:o, s:o, s:o}",
			 "transport", trial_transports[node->transport], "gated", node->gated,
			 "ns", (json_int_t)(run->end - run->begin),
			 "sent", counts_json(run->first.sent, run->last.sent, node->count),
			 "received", counts_json(run->first.received, run->last.received,
						 node->count),
			 "parts", counts_json(NULL, run->part, PARTS),
			 "wrong", wrong ? json_string(wrong) : json_null());
}

static struct trial_stamps *start_stamps(struct node *node)
{
	const struct trial_stamps_args args = {
		.device = node->device, .own = node->own,
		.peer = node->address[(node->trial->self + 1) % node->count],
		.port = node->trial->port + TRIAL_PORT_STAMPS,
		.hardware = trial_device_stamps(node->device),
		.tai_offset = node->gate.tai_offset,
		.cycle = {
			.slice = node->slice, .frames = node->gate.frames,
			.dest = (node->trial->self + 1) % node->count,
			.base_ns = node->gate.base_ns, .frame_ns = node->gate.frame_ns,
			.guard_ns = node->gate.guard_ns,
		},
	};

	return node->gated ? trial_stamps_start(&args, node->why) : NULL;
}

/* What is read of the gate before and after. */
static json_t *gate_state(struct node *node)
{
	json_t *json = node->gated ? trial_gate_json(node->device, node->why) : NULL;

	return json ? json : json_null();
}

static json_t *measure(struct node *node, int64_t length, bool *stopped)
{
	json_t *gate = gate_state(node), *record;
	struct trial_stamps *stamps = start_stamps(node);
	struct trial_load *load = trial_load_begin(node->device);
	struct run run = { .begin = 0 };

	*stopped = !watch(node, &run, length);
	record = run_json(node, &run);
	json_object_set_new(record, "load", trial_load_end(load));
	json_object_set_new(record, "stamps", stamps ? trial_stamps_end(stamps) : json_null());
	json_object_set_new(record, "gate", json_pack("{s:o, s:o}", "before", gate, "after",
						      gate_state(node)));
	return record;
}

static json_t *do_run(struct node *node, const json_t *command)
{
	int64_t seconds = trial_integer(command, "seconds", 0), warm_up;
	bool stopped;
	json_t *record;

	if (!node->flow || seconds < 1 || seconds > 86400)
		return refuse_because(node, "not now");
	if (!trial_flow_start(node->flow, node->why))
		return refuse(node);
	warm_up = seconds < 10 ? seconds * SECOND_NS / 5 : 2 * SECOND_NS;
	if (!wait_until(node, clock_ns(CLOCK_MONOTONIC) + warm_up))
		return refuse_because(node, "stopped");
	record = measure(node, seconds * SECOND_NS, &stopped);
	/* The answer must not be lost among the traffic. */
	if (!stopped && wait_until(node, clock_ns(CLOCK_MONOTONIC) + COOL_DOWN_NS))
		json_decref(do_close(node, NULL));
	if (!stopped)
		return json_pack("{s:o}", "record", record);
	json_decref(record);
	return refuse_because(node, "stopped");
}

/* ---- the gate ---- */

static bool take_slice(struct node *node, const json_t *list)
{
	node->gate.frames = (uint32_t)json_array_size(list);
	if (!node->gate.frames || node->gate.frames > FRAMES_MAX)
		return false;
	for (uint32_t i = 0; i < node->gate.frames; i++) {
		const json_t *dest = json_array_get(list, i);
		json_int_t number = json_integer_value(dest);

		if (!json_is_null(dest) && (!json_is_integer(dest) || number < 0 ||
					    number >= node->count))
			return false;
		node->slice[i] = json_is_null(dest) ? LIQUID_NONE : (uint32_t)number;
	}
	return true;
}

static json_t *do_gate(struct node *node, const json_t *command)
{
	node->gate = (struct trial_gate_args){
		.device = node->device, .address = node->address, .count = node->count,
		.slice = node->slice,
		.rate_bps = (uint64_t)trial_integer(command, "rate_bps", 0),
		.frame_ns = (uint64_t)trial_integer(command, "frame_ns", 0),
		.guard_ns = (uint64_t)trial_integer(command, "guard_ns", 0),
		.base_ns = trial_integer(command, "base_ns", 0),
		.tai_offset = (int32_t)trial_integer(command, "tai_offset", 0),
	};
	if (node->gated || node->count < 2 || !node->gate.frame_ns ||
	    node->gate.frame_ns > (uint64_t)SECOND_NS ||
	    node->gate.guard_ns >= node->gate.frame_ns ||
	    !take_slice(node, json_object_get(command, "slice")))
		return refuse_because(node, "invalid schedule");
	node->gated = trial_gate_make(&node->gate, &node->guardian, node->why);
	return done(node->gated, node);
}

static json_t *do_ungate(struct node *node, const json_t *command)
{
	(void)command;
	node->gated = false;
	if (trial_guardian_end(&node->guardian))
		return json_object();
	return refuse_because(node, "the gate could not be removed: `liquid-nl detach` does it");
}

/* ---- commands ---- */

static const struct verb {
	const char *name;
	json_t *(*act)(struct node *node, const json_t *command);
} verbs[] = {
	{ "facts", do_facts }, { "peers", do_peers }, { "ping", do_ping }, { "clock", do_clock },
	{ "open", do_open }, { "connect", do_connect }, { "run", do_run }, { "close", do_close },
	{ "gate", do_gate }, { "ungate", do_ungate }, { NULL, NULL }
};

static json_t *obey(struct node *node, const json_t *command)
{
	json_t *answer;

	for (const struct verb *verb = verbs; verb->name; verb++) {
		if (strcmp(verb->name, trial_text(command, "do")))
			continue;
		answer = verb->act(node, command);
		trial_secrets_remove(&node->secrets, json_object_get(answer, "record"));
		trial_secrets_remove(&node->secrets, json_object_get(answer, "no_gate"));
		return answer;
	}
	return refuse_because(node, "an unknown command");
}

static int serve(struct node *node)
{
	int64_t idle = IDLE_NS + (int64_t)node->trial->seconds * SECOND_NS;

	for (;;) {
		json_t *command = trial_take(&node->wire, trial_deadline((uint64_t)idle)), *answer;
		bool well = json_is_true(json_object_get(command, "well"));

		if (!command || !strcmp(trial_text(command, "do"), "end")) {
			json_decref(command);
			return well ? EXIT_OK : complain(EXIT_IO, "node%u: the first node has "
							 "ended the trial", node->trial->self);
		}
		answer = obey(node, command);
		json_decref(command);
		if (*trial_text(answer, "error"))
			trial_say("node%u: %s", node->trial->self, trial_text(answer, "error"));
		trial_put(&node->wire, answer, trial_deadline(ANSWER_NS));
	}
}

/* ---- reaching the conductor ---- */

static int try_to_connect(const struct trial *trial)
{
	const struct timeval limit = { .tv_sec = 5 };
	int fd = socket(trial->conductor.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

	if (fd < 0)
		return -1;
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (!connect(fd, (const struct sockaddr *)&trial->conductor, trial->conductor_size))
		return fd;
	close(fd);
	return -1;
}

static int reach_conductor(const struct trial *trial)
{
	const struct timespec pause = { .tv_nsec = RETRY_NS };
	int64_t deadline = trial_deadline(trial->wait_ns);
	bool said = false;
	int fd;

	while ((fd = try_to_connect(trial)) < 0 && clock_ns(CLOCK_MONOTONIC) < deadline) {
		if (!said)
			trial_say("node%u: waits for the first node, %s, for up to %u s",
				  trial->self, trial->names.name[0],
				  (unsigned int)(trial->wait_ns / SECOND_NS));
		said = true;
		nanosleep(&pause, NULL);
	}
	return fd;
}

/* Both ends prove that they have the key. False with a reason */
static bool introduce(struct node *node)
{
	const struct trial *trial = node->trial;
	int64_t deadline = trial_deadline(trial->wait_ns);
	char own[TRIAL_HEX], proof[TRIAL_PROOF], role[16];
	json_t *other;

	snprintf(node->why, sizeof(node->why), "the first node does not answer as one with this "
		 "--key does");
	if (!trial_nonce(own) ||
	    !trial_put(&node->wire, json_pack("{s:s, s:s}", "trial", LIQUID_VERSION, "nonce", own),
		       deadline))
		return false;
	other = trial_take(&node->wire, deadline);
	trial_proof(trial->key, "conductor", own, trial_text(other, "nonce"), proof);
	if (!trial_same(proof, trial_text(other, "proof"))) {
		json_decref(other);
		return false;
	}
	snprintf(role, sizeof(role), "node%u", trial->self);
	trial_proof(trial->key, role, own, trial_text(other, "nonce"), proof);
	json_decref(other);
	return trial_put(&node->wire,
			 json_pack("{s:i, s:i, s:s}", "node", (int)trial->self, "count",
				   (int)trial->names.count, "proof", proof), deadline);
}

static bool is_welcome(struct node *node)
{
	json_t *answer = trial_take(&node->wire, trial_deadline(ANSWER_NS));
	bool welcome = json_is_true(json_object_get(answer, "welcome"));

	snprintf(node->why, sizeof(node->why), "%s", trial_text(answer, "refused"));
	json_decref(answer);
	return welcome;
}

static bool read_secrets(struct node *node)
{
	for (size_t i = 0; i < node->trial->names.count; i++)
		if (!trial_secrets_add(&node->secrets, node->trial->names.name[i]))
			return false;
	return trial_secrets_add(&node->secrets, node->trial->key) &&
	       trial_secrets_read(&node->secrets);
}

static int take_part(struct node *node)
{
	int fd = reach_conductor(node->trial);

	if (fd < 0)
		return complain(EXIT_IO, "node%u: the first node, %s, was not reached at port %u "
				"in time", node->trial->self, node->trial->names.name[0],
				node->trial->port);
	if (!trial_wire_open(&node->wire, fd))
		return no_memory();
	if (!read_secrets(node))
		return no_memory();
	if (!introduce(node))
		return complain(EXIT_BAD_INPUT, "node%u: %s", node->trial->self, node->why);
	if (!is_welcome(node))
		return complain(EXIT_BAD_INPUT, "node%u: %s", node->trial->self,
				*node->why ? node->why : "the first node does not want it");
	return serve(node);
}

int trial_node(const struct trial *trial)
{
	struct node node = { .trial = trial, .wire.fd = -1, .guardian.fd = -1 };
	int code = take_part(&node);

	trial_flow_close(node.flow);
	trial_wire_close(&node.wire);
	if (!trial_guardian_end(&node.guardian))
		code = complain(EXIT_REFUSED, "node%u: the gate could not be removed: "
				"`liquid-nl detach` does it", trial->self);
	trial_secrets_clear(&node.secrets);
	return code;
}

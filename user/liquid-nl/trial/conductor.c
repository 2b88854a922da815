// SPDX-License-Identifier: GPL-2.0-only
/*
 * The conductor of a trial: what is measured, in which order
 *
 * A part that is impossible here is left out, with the reason; a node that has gone ends the trial.
 */
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock/clock-ns.h"
#include "cmd/cmd.h"
#include "trial/trial.h"
#include "util/say.h"
#include "util/units.h"

#define SECOND_NS	INT64_C(1000000000)
/*
 * For what does not take time by itself. A node that is switched off is noticed by that alone: of a
 * connection beside a flood of UDP any number of packets may be lost, keep-alives too.
 */
#define ANSWER_NS	(30 * SECOND_NS)
#define GREETING_NS	(2 * SECOND_NS)		/* a stranger holds up the others for so long */
#define LEAD_NS		(3 * SECOND_NS)		/* from a schedule's commit to its base time */
#define PINGS		100
#define BUFFER_LEAST	(1 << 17)
#define BUFFER_MOST	(64 << 20)

struct conductor {
	const struct trial *trial;
	unsigned int count;
	struct trial_wire wire[TRIAL_NODES_MAX];
	json_t *answer[TRIAL_NODES_MAX];
	char address[TRIAL_NODES_MAX][TRIAL_ADDRESS];
	struct trial_report report;
	struct trial_plan plan;
	struct trial_times times;
	uint64_t rate_bps;
	unsigned int mtu;
	int32_t tai_offset;
	char no_gate[TRIAL_WHY];	/* why there can be no gate, or "" */
	char why[TRIAL_WHY];
	unsigned int culprit;		/* node that @why is of */
	bool lost;			/* a node has gone */
};

void trial_say(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s trial: ", program.name);
	va_start(args, format);
	vsay_line(stderr, "", format, args);
	va_end(args);
}

/* ---- asking all nodes ---- */

static void forget_answers(struct conductor *conductor)
{
	for (unsigned int i = 0; i < conductor->count; i++) {
		json_decref(conductor->answer[i]);
		conductor->answer[i] = NULL;
	}
}

static bool lose(struct conductor *conductor, unsigned int node, const char *how)
{
	trial_say("node%u, %s, %s: the trial ends", node, conductor->trial->names.name[node], how);
	conductor->lost = true;
	return false;
}

static bool send_all(struct conductor *conductor, json_t *command)
{
	bool sent = true;

	for (unsigned int i = 0; i < conductor->count && sent; i++)
		if (!trial_put(&conductor->wire[i], json_incref(command),
			       trial_deadline(GREETING_NS)))
			sent = lose(conductor, i, "has gone");
	json_decref(command);
	return sent;
}

/* One look at all that have not answered yet; false: one of them has gone. */
static bool take_answers(struct conductor *conductor, unsigned int *missing)
{
	bool gone;

	*missing = 0;
	for (unsigned int i = 0; i < conductor->count; i++) {
		if (conductor->answer[i])
			continue;
		conductor->answer[i] = trial_take_some(&conductor->wire[i], &gone);
		if (gone)
			return lose(conductor, i, "has gone");
		*missing += !conductor->answer[i];
	}
	return true;
}

static bool wait_for_all(struct conductor *conductor, int64_t deadline)
{
	struct pollfd polls[TRIAL_NODES_MAX];
	unsigned int missing;

	while (take_answers(conductor, &missing)) {
		int64_t left = (deadline - clock_ns(CLOCK_MONOTONIC)) / 1000000;

		if (!missing)
			return true;
		for (unsigned int i = 0; i < conductor->count; i++)
			polls[i] = (struct pollfd){
				.fd = conductor->answer[i] ? -1 : conductor->wire[i].fd,
				.events = POLLIN,
			};
		if (left > 0 && poll(polls, conductor->count, (int)left + 1) >= 0)
			continue;
		for (unsigned int i = 0; i < conductor->count && left <= 0; i++)
			if (!conductor->answer[i])
				return lose(conductor, i, "has not answered in time");
	}
	return false;
}

/* The first refusal goes to why and culprit. */
static bool answers_are_good(struct conductor *conductor)
{
	for (unsigned int i = 0; i < conductor->count; i++) {
		const char *error = trial_text(conductor->answer[i], "error");

		if (!*error)
			continue;
		snprintf(conductor->why, sizeof(conductor->why), "%s", error);
		conductor->culprit = i;
		return false;
	}
	return true;
}

/* False: a node has refused, which is in why and culprit, or has gone. Takes @command. */
static bool ask(struct conductor *conductor, json_t *command, int64_t limit_ns)
{
	forget_answers(conductor);
	return send_all(conductor, command) &&
	       wait_for_all(conductor, trial_deadline((uint64_t)limit_ns)) &&
	       answers_are_good(conductor);
}

static bool ask_to(struct conductor *conductor, const char *what)
{
	return ask(conductor, json_pack("{s:s}", "do", what), ANSWER_NS);
}

/* ---- the record ---- */

static void append(json_t *json, const char *name, json_t *value)
{
	json_t *array = json_object_get(json, name);

	if (!array) {
		array = json_array();
		json_object_set_new(json, name, array);
	}
	json_array_append_new(array, value);
}

static void leave_out(struct conductor *conductor, const char *part, const char *why)
{
	trial_say("left out: %s: %s", part, why);
	append(conductor->report.trial, "left_out", json_pack("{s:s, s:s}", "part", part, "why",
							      why));
}

/* For the reason that a node has given */
static void leave_out_for(struct conductor *conductor, const char *part)
{
	char why[TRIAL_WHY + 16];

	if (conductor->lost)
		return;
	snprintf(why, sizeof(why), "node%u: %s", conductor->culprit, conductor->why);
	leave_out(conductor, part, why);
}

/* Put what each node has answered as "record" into an array of its file. */
static void keep_records(struct conductor *conductor, const char *name)
{
	for (unsigned int i = 0; i < conductor->count; i++)
		append(conductor->report.node[i], name,
		       json_incref(json_object_get(conductor->answer[i], "record")));
}

/* ---- coming together ---- */

int trial_listen(const struct trial *trial)
{
	int one = 1, fd = socket(trial->conductor.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) &&
	    !bind(fd, (const struct sockaddr *)&trial->conductor, trial->conductor_size) &&
	    !listen(fd, 4 * TRIAL_NODES_MAX))
		return fd;
	complain(0, "%s port %u: cannot listen: %s", trial->names.name[0], trial->port,
		 strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

static bool refuse(struct trial_wire *wire, const char *why)
{
	trial_say("a connection is refused: %s", why);
	trial_put(wire, json_pack("{s:s}", "refused", why), trial_deadline(GREETING_NS));
	return false;
}

/* Does what the other end has answered prove that it has the key? */
static bool is_proven(const char *key, const json_t *answer, const char *other, const char *own)
{
	char proof[TRIAL_PROOF], role[16];

	snprintf(role, sizeof(role), "node%u", (unsigned int)trial_integer(answer, "node", 0));
	trial_proof(key, role, other, own, proof);
	return trial_same(proof, trial_text(answer, "proof"));
}

/* Prove to have the key, and ask for the same. What the other end answers, or NULL */
static json_t *swap_proofs(const char *key, struct trial_wire *wire, const char *other)
{
	int64_t deadline = trial_deadline(GREETING_NS);
	char own[TRIAL_HEX], proof[TRIAL_PROOF];
	json_t *answer;

	if (!trial_nonce(own))
		return NULL;
	trial_proof(key, "conductor", other, own, proof);
	if (!trial_put(wire, json_pack("{s:s, s:s}", "nonce", own, "proof", proof), deadline))
		return NULL;
	answer = trial_take(wire, deadline);
	if (answer && is_proven(key, answer, other, own))
		return answer;
	json_decref(answer);
	return NULL;
}

/* The number of the node at the other end; false: it has not the key, or is not wanted. */
static bool greet(const struct conductor *conductor, struct trial_wire *wire, unsigned int *node)
{
	json_t *hello = trial_take(wire, trial_deadline(GREETING_NS));
	json_t *answer = swap_proofs(conductor->trial->key, wire, trial_text(hello, "nonce"));
	bool same = !strcmp(trial_text(hello, "trial"), LIQUID_VERSION);
	int64_t number = trial_integer(answer, "node", -1);
	int64_t count = trial_integer(answer, "count", 0);
	bool proven = answer;

	json_decref(hello);
	json_decref(answer);
	if (!proven)
		return refuse(wire, "its --key differs");
	if (!same)
		return refuse(wire, "its liquid-nl is of another version");
	if (count != conductor->count || number < 0 || number >= count)
		return refuse(wire, "it has other --nodes");
	*node = (unsigned int)number;
	if (conductor->wire[number].fd >= 0)
		return refuse(wire, "there is another node with its number");
	return true;
}

static void take_in(struct conductor *conductor, int fd)
{
	struct trial_wire wire;
	unsigned int node;
	int one = 1;

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (!trial_wire_open(&wire, fd)) {
		close(fd);
		return;
	}
	if (!greet(conductor, &wire, &node) ||
	    !trial_put(&wire, json_pack("{s:b}", "welcome", 1), trial_deadline(GREETING_NS))) {
		trial_wire_close(&wire);
		return;
	}
	conductor->wire[node] = wire;
	trial_say("node%u is %s", node, conductor->trial->names.name[node]);
}

static unsigned int missing_nodes(const struct conductor *conductor, char names[TRIAL_WHY])
{
	unsigned int missing = 0;
	size_t used = 0;

	names[0] = 0;
	for (unsigned int i = 0; i < conductor->count; i++)
		if (conductor->wire[i].fd < 0 && used < TRIAL_WHY) {
			used += (size_t)snprintf(names + used, TRIAL_WHY - used, "%s%s",
						 missing++ ? ", " : "",
						 conductor->trial->names.name[i]);
		}
	return missing;
}

static int gather(struct conductor *conductor, int listener)
{
	int64_t deadline = trial_deadline(conductor->trial->wait_ns);
	char names[TRIAL_WHY];
	unsigned int missing;

	while ((missing = missing_nodes(conductor, names))) {
		struct pollfd poll_fd = { .fd = listener, .events = POLLIN };
		int64_t left = (deadline - clock_ns(CLOCK_MONOTONIC)) / 1000000;
		int fd;

		trial_say("waits for %u of %u nodes, up to %u s: %s", missing, conductor->count,
			  left > 0 ? (unsigned int)(left / 1000) : 0, names);
		if (left <= 0 || poll(&poll_fd, 1, (int)left) <= 0)
			return complain(EXIT_IO, "%u of %u nodes did not come in time: %s",
					missing, conductor->count, names);
		fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0)
			take_in(conductor, fd);
	}
	return EXIT_OK;
}

/* ---- before ---- */

static void take_facts(struct conductor *conductor, unsigned int node)
{
	const json_t *answer = conductor->answer[node], *record, *clock;
	uint64_t rate = (uint64_t)trial_integer(answer, "rate_bps", 0);
	unsigned int mtu = (unsigned int)trial_integer(answer, "mtu", 1500);
	const char *no_gate = trial_text(answer, "no_gate");
	int32_t tai_offset;

	record = json_object_get(answer, "record");
	clock = json_object_get(record, "clock");
	snprintf(conductor->address[node], TRIAL_ADDRESS, "%s", trial_text(answer, "address"));
	if (!node || rate < conductor->rate_bps)
		conductor->rate_bps = rate;
	if (!node || mtu < conductor->mtu)
		conductor->mtu = mtu;
	tai_offset = (int32_t)trial_integer(clock, "tai_offset", 0);
	if (!node)
		conductor->tai_offset = tai_offset;
	if (*conductor->no_gate)
		return;
	if (*no_gate)
		snprintf(conductor->no_gate, TRIAL_WHY, "node%u: %.*s", node, TRIAL_WHY - 32,
			 no_gate);
	else if (tai_offset != conductor->tai_offset)
		snprintf(conductor->no_gate, TRIAL_WHY, "node%u: its kernel's TAI - UTC offset "
			 "is %d s, that of node0 %d s", node, tai_offset, conductor->tai_offset);
	else if (!json_is_true(json_object_get(clock, "synchronised")))
		snprintf(conductor->no_gate, TRIAL_WHY, "node%u: its clock is not synchronised: "
			 "`liquid-nl clock` tells why", node);
}

static int get_facts(struct conductor *conductor)
{
	if (!ask_to(conductor, "facts"))
		return conductor->lost ? EXIT_IO : complain(EXIT_BAD_INPUT, "node%u: %s",
							    conductor->culprit, conductor->why);
	for (unsigned int i = 0; i < conductor->count; i++) {
		take_facts(conductor, i);
		json_object_update(conductor->report.node[i],
				   json_object_get(conductor->answer[i], "record"));
	}
	return EXIT_OK;
}

/* Room for what waits behind a gate, or for twice a cycle */
static json_int_t buffer_bytes(const struct conductor *conductor)
{
	uint64_t ns = 2 * conductor->times.cycle_ns;
	uint64_t bytes = conductor->rate_bps / 8 * (ns / 1000) / 1000000;

	return bytes < BUFFER_LEAST ? BUFFER_LEAST : bytes > BUFFER_MOST ? BUFFER_MOST :
									   (json_int_t)bytes;
}

static bool tell_peers(struct conductor *conductor)
{
	char session[TRIAL_HEX];
	json_t *addresses;

	snprintf(conductor->why, sizeof(conductor->why), "no random numbers");
	if (!trial_nonce(session))
		return false;
	addresses = json_array();
	for (unsigned int i = 0; i < conductor->count; i++)
		json_array_append_new(addresses, json_string(conductor->address[i]));
	return ask(conductor, json_pack("{s:s, s:o, s:s, s:i, s:I}", "do", "peers", "addresses",
					addresses, "session", session, "mtu",
					(int)conductor->mtu, "buffer_bytes",
					buffer_bytes(conductor)), ANSWER_NS);
}

/* ---- clocks ---- */

struct difference {
	int64_t ns;			/* a node's CLOCK_TAI - the conductor's */
	uint64_t doubt_ns;		/* largest error of ns */
};

/* The quickest of many messages says most. */
static bool compare_clock(struct conductor *conductor, unsigned int node,
			  struct difference *difference)
{
	struct trial_wire *wire = &conductor->wire[node];
	int64_t deadline = trial_deadline(ANSWER_NS);

	*difference = (struct difference){ .doubt_ns = UINT64_MAX };
	for (unsigned int i = 0; i < PINGS; i++) {
		int64_t before = clock_ns(CLOCK_TAI), after, there;
		json_t *answer = NULL;

		if (trial_put(wire, json_pack("{s:s}", "do", "ping"), deadline))
			answer = trial_take(wire, deadline);
		after = clock_ns(CLOCK_TAI);
		there = trial_integer(answer, "time_ns", 0);
		json_decref(answer);
		if (!answer)
			return lose(conductor, node, "has gone");
		if (after < before || (uint64_t)(after - before) / 2 >= difference->doubt_ns)
			continue;
		difference->doubt_ns = (uint64_t)(after - before + 1) / 2;
		difference->ns = there - before - (after - before) / 2;
	}
	return true;
}

static uint64_t distance(int64_t ns)
{
	return ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
}

/* What a locked daemon says is used if the messages do not contradict it. */
static uint64_t error_of(const struct conductor *conductor, unsigned int node,
			 const struct difference *difference)
{
	const json_t *clock = json_object_get(conductor->report.node[node], "clock");
	uint64_t bound = distance(difference->ns) + difference->doubt_ns;
	uint64_t claimed = (uint64_t)trial_integer(clock, "error_ns", INT64_MAX);

	if (json_is_true(json_object_get(clock, "locked")) && claimed < bound &&
	    distance(difference->ns) <= claimed + difference->doubt_ns)
		return claimed;
	return bound;
}

static bool compare_clocks(struct conductor *conductor, const char *when)
{
	struct difference difference;
	char error[UNIT_TEXT];

	conductor->times.error_ns = 0;
	for (unsigned int i = 0; i < conductor->count; i++) {
		uint64_t bound;

		if (!compare_clock(conductor, i, &difference))
			return false;
		bound = error_of(conductor, i, &difference);
		if (bound > conductor->times.error_ns)
			conductor->times.error_ns = bound;
		append(conductor->report.trial, "clocks",
		       json_pack("{s:i, s:s, s:I, s:I, s:I}", "node", (int)i, "when", when,
				 "offset_ns", (json_int_t)difference.ns,
				 "doubt_ns", (json_int_t)difference.doubt_ns,
				 "error_ns", (json_int_t)bound));
	}
	trial_say("clocks %s: off by %s at most", when,
		  format_time(conductor->times.error_ns, error));
	return true;
}

/* ---- the plan ---- */

static int make_plan(struct conductor *conductor)
{
	json_t *trial = conductor->report.trial;
	struct trial_times *times = &conductor->times;
	struct liquid_error err;
	char why[TRIAL_WHY] = "";
	int status = trial_plan_make(&conductor->plan, conductor->count, conductor->rate_bps,
				     &err);

	if (status)
		return complain_of(status, &err);
	if (!trial_plan_times(times, conductor->rate_bps, conductor->mtu, conductor->plan.frames,
			      conductor->trial->frame_ns, why) && !*conductor->no_gate)
		memcpy(conductor->no_gate, why, sizeof(why));
	json_object_set_new(trial, "rate_bps", json_integer((json_int_t)conductor->rate_bps));
	json_object_set_new(trial, "mtu", json_integer(conductor->mtu));
	json_object_set_new(trial, "ipv6", json_boolean(strchr(conductor->address[0], ':')));
	json_object_set_new(trial, "clock_error_ns", json_integer((json_int_t)times->error_ns));
	json_object_set_new(trial, "guard_ns", json_integer((json_int_t)times->guard_ns));
	json_object_set_new(trial, "frame_ns", json_integer((json_int_t)times->frame_ns));
	json_object_set_new(trial, "frames", json_integer(conductor->plan.frames));
	return EXIT_OK;
}

/* ---- measurements ---- */

static bool exchange(struct conductor *conductor, const char *transport)
{
	int64_t seconds = (int64_t)conductor->trial->seconds;

	return ask(conductor, json_pack("{s:s, s:s}", "do", "open", "transport", transport),
		   ANSWER_NS) &&
	       ask_to(conductor, "connect") &&
	       ask(conductor, json_pack("{s:s, s:I}", "do", "run", "seconds", (json_int_t)seconds),
		   seconds * SECOND_NS + ANSWER_NS);
}

static bool measure(struct conductor *conductor, enum trial_transport transport, bool gated)
{
	const char *name = trial_transports[transport];
	char part[32];

	snprintf(part, sizeof(part), "%s with%s a gate", name, gated ? "" : "out");
	trial_say("%s: %llu s", part, (unsigned long long)conductor->trial->seconds);
	if (exchange(conductor, name))
		keep_records(conductor, "measurements");
	else
		leave_out_for(conductor, part);
	if (!conductor->lost && !ask_to(conductor, "close"))
		leave_out_for(conductor, part);
	return !conductor->lost;
}

static json_t *slice_json(const struct trial_plan *plan, unsigned int node)
{
	uint32_t *slice = trial_plan_slice(plan, node);
	json_t *array = json_array();

	for (uint32_t i = 0; slice && i < plan->frames; i++)
		json_array_append_new(array, slice[i] == LIQUID_NONE ? json_null() :
								       json_integer(slice[i]));
	free(slice);
	return array;
}

/* Each node has a slice of its own. */
static bool send_slices(struct conductor *conductor, int64_t base)
{
	for (unsigned int i = 0; i < conductor->count; i++) {
		json_t *command = json_pack("{s:s, s:I, s:I, s:I, s:I, s:i, s:o}", "do", "gate",
					    "rate_bps", (json_int_t)conductor->rate_bps,
					    "frame_ns", (json_int_t)conductor->times.frame_ns,
					    "guard_ns", (json_int_t)conductor->times.guard_ns,
					    "base_ns", (json_int_t)base,
					    "tai_offset", (int)conductor->tai_offset,
					    "slice", slice_json(&conductor->plan, i));

		if (!trial_put(&conductor->wire[i], command, trial_deadline(GREETING_NS)))
			return lose(conductor, i, "has gone");
	}
	return true;
}

static bool gate_all(struct conductor *conductor)
{
	int64_t base = clock_ns(CLOCK_TAI) + LEAD_NS, left;
	struct timespec rest;

	forget_answers(conductor);
	if (!send_slices(conductor, base) ||
	    !wait_for_all(conductor, trial_deadline(ANSWER_NS)) || !answers_are_good(conductor))
		return false;
	left = base - clock_ns(CLOCK_TAI);
	rest.tv_sec = left > 0 && left <= LEAD_NS ? left / SECOND_NS + 1 : 0;
	rest.tv_nsec = 0;
	nanosleep(&rest, NULL);
	return true;
}

static bool measure_gated(struct conductor *conductor)
{
	if (*conductor->no_gate) {
		leave_out(conductor, "with a gate", conductor->no_gate);
		return true;
	}
	if (gate_all(conductor)) {
		if (!measure(conductor, TRIAL_TCP, true) || !measure(conductor, TRIAL_UDP, true))
			return false;
	} else if (!conductor->lost) {
		leave_out_for(conductor, "with a gate");
	}
	if (!conductor->lost && !ask_to(conductor, "ungate"))
		leave_out_for(conductor, "removing the gate");
	return !conductor->lost;
}

/* ---- the whole ---- */

static bool measure_all(struct conductor *conductor)
{
	return measure(conductor, TRIAL_TCP, false) && measure(conductor, TRIAL_UDP, false) &&
	       measure_gated(conductor) && compare_clocks(conductor, "after");
}

static int prepare(struct conductor *conductor, int listener)
{
	int code = gather(conductor, listener);

	close(listener);
	if (!code)
		code = get_facts(conductor);
	if (code)
		return code;
	if (!compare_clocks(conductor, "before"))
		return EXIT_IO;
	code = make_plan(conductor);
	if (code)
		return code;
	if (tell_peers(conductor))
		return EXIT_OK;
	return conductor->lost ? EXIT_IO : complain(EXIT_BAD_INPUT, "node%u: %s",
						    conductor->culprit, conductor->why);
}

static bool make_records(struct conductor *conductor)
{
	struct trial_report *report = &conductor->report;

	report->count = conductor->count;
	report->trial = json_pack("{s:s, s:i, s:s, s:i, s:I}", "format", "liquid-trial",
				  "version", 1, "tool", LIQUID_VERSION,
				  "nodes", (int)conductor->count,
				  "seconds", (json_int_t)conductor->trial->seconds);
	for (unsigned int i = 0; i < conductor->count; i++) {
		report->node[i] = json_pack("{s:i}", "node", (int)i);
		if (!report->node[i])
			return false;
	}
	return report->trial;
}

/* All nodes remove what they have, whether they are told so or see the connection closed. */
static void end(struct conductor *conductor, bool well)
{
	for (unsigned int i = 0; i < conductor->count; i++) {
		if (conductor->wire[i].fd >= 0)
			trial_put(&conductor->wire[i],
				  json_pack("{s:s, s:b}", "do", "end", "well", well),
				  trial_deadline(GREETING_NS));
		trial_wire_close(&conductor->wire[i]);
	}
}

/* What was measured before a node went is kept. */
static int write_report(struct conductor *conductor, bool finished)
{
	int code;

	json_object_set_new(conductor->report.trial, "finished", json_boolean(finished));
	code = trial_report_write(conductor->trial, &conductor->report, &conductor->plan);
	return finished || code ? code : EXIT_IO;
}

int trial_conduct(const struct trial *trial, int listener)
{
	struct conductor conductor = {
		.trial = trial, .count = (unsigned int)trial->names.count,
	};
	int code;

	for (unsigned int i = 0; i < TRIAL_NODES_MAX; i++)
		conductor.wire[i].fd = -1;
	if (!make_records(&conductor)) {
		close(listener);
		return no_memory();
	}
	code = prepare(&conductor, listener);
	if (!code) {
		bool finished = measure_all(&conductor);

		end(&conductor, finished);
		code = write_report(&conductor, finished);
	}
	end(&conductor, false);
	forget_answers(&conductor);
	trial_plan_clear(&conductor.plan);
	trial_report_clear(&conductor.report);
	return code;
}

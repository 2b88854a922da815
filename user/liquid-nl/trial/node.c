// SPDX-License-Identifier: GPL-2.0-only
/*
 * A node of a trial: the measurements, and their order
 *
 * A part that a node cannot do is left out by all, and that node's record says why; a node that has
 * gone ends the trial. A worker does all this. It may end at any moment, by a signal that cannot be
 * caught; so its parent waits for it, and then removes the gate in its place. If both are killed at
 * once, the gate's lease ends, and the gate opens.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/clock-ns.h"
#include "clock/clock.h"
#include "util/command.h"
#include "gate/gate.h"
#include "trial/trial.h"

#define LEAD_NS		(3 * TRIAL_SECOND)	/* from a gate's commit to its base time */
#define RENEW_NS	(4 * TRIAL_SECOND)	/* between renewals of the gate's lease */
#define SETTLE_NS	(TRIAL_SECOND / 2)
#define PROTOCOL	0x6c697100000200	/* the first step; another for other words */
#define BUFFER_LEAST	(1 << 17)
#define BUFFER_MOST	(64 << 20)

struct node {
	const struct trial *trial;
	char *gated_device;			/* shared with the parent, which removes its gate */
	struct trial_net net;
	int mesh[TRIAL_NODES_MAX];
	struct trial_word word[TRIAL_NODES_MAX];
	struct trial_cycle cycle;
	uint64_t rate_bps;			/* the least of all, as the MTU */
	unsigned int mtu;
	json_t *record;
	bool gated, lost;			/* another node has gone, or what reads stdout */
	char why[TRIAL_WHY];
};

/* ---- with the others ---- */

static bool lose(struct node *node, const char *why)
{
	complain(0, "trial: node%u: %s: the trial ends", node->net.self, why);
	node->lost = true;
	return false;
}

/* All begin the next step. False: one cannot, or has gone. If it is this one, why says why. */
static bool agree(struct node *node, bool ok)
{
	struct trial_word *own = &node->word[node->net.self];
	char why[TRIAL_WHY];

	own->step++;
	own->ok = ok;
	own->time_ns = clock_ns(CLOCK_TAI);
	if (!trial_exchange(&node->net, node->mesh, node->word, why))
		return lose(node, why);
	for (unsigned int i = 0; i < node->net.count; i++)
		ok = ok && node->word[i].ok;
	return ok;
}

/* @why: of this node; "": another one has a reason. */
static bool leave_out(struct node *node, const char *part, const char *why)
{
	if (node->lost)
		return false;
	complain(0, "trial: node%u: left out: %s: %s", node->net.self, part,
		  *why ? why : "another node cannot");
	if (*why)
		json_array_append_new(json_object_get(node->record, "left_out"),
				      json_pack("{s:s, s:s}", "part", part, "why", why));
	return true;
}

/* ---- before ---- */

static bool take_word(struct node *node, const struct trial_word *word)
{
	if (word->rate_bps < 1 || word->mtu < 576 || word->mtu > UINT16_MAX || word->error_ns < 0 ||
	    word->seconds < 1 || word->seconds > 3600 || word->frame_ns < 0 ||
	    word->frame_ns > TRIAL_SECOND)
		return false;
	if ((uint64_t)word->rate_bps < node->rate_bps)
		node->rate_bps = (uint64_t)word->rate_bps;
	if (word->mtu < node->mtu)
		node->mtu = (unsigned int)word->mtu;
	if ((uint64_t)word->error_ns > node->cycle.error_ns)
		node->cycle.error_ns = (uint64_t)word->error_ns;
	return true;
}

/* Hear what all are like. False: lost, or with a reason that ends the trial for all. */
static bool introduce(struct node *node, const struct clock_report *clock)
{
	struct trial_word *own = &node->word[node->net.self];
	int64_t mbps = trial_device_number(node->net.device, "speed");

	*own = (struct trial_word){
		.step = PROTOCOL, .rate_bps = (int64_t)node->trial->rate_bps,
		.mtu = trial_device_number(node->net.device, "mtu"),
		.tai_offset = clock->kernel.tai_offset,
		.error_ns = (int64_t)clock_error_ns(clock),
		.seconds = (int64_t)node->trial->seconds,
		.frame_ns = (int64_t)node->trial->frame_ns,
	};
	if (!own->rate_bps && mbps > 0 && mbps < UINT32_MAX)
		own->rate_bps = 1000000 * mbps;
	snprintf(node->why, TRIAL_WHY, "%s", own->rate_bps ? "" :
		 "the device does not report its rate: state it by --rate");
	if (!agree(node, own->rate_bps))
		return false;
	for (unsigned int i = 0; i < node->net.count; i++)
		if (!take_word(node, &node->word[i])) {
			snprintf(node->why, TRIAL_WHY, "node%u has said figures that are out of "
				 "range", i);
			return false;
		}
	return agree(node, true);
}

/* Why this node can have no gate, or "". By now the words of all are from about the same moment. */
static const char *why_no_gate(struct node *node, const struct clock_report *clock,
			       char why[TRIAL_WHY])
{
	const struct trial_word *own = &node->word[node->net.self], *first = &node->word[0];
	bool planned;

	node->cycle.self = node->net.self;
	node->cycle.count = node->net.count;
	node->cycle.frame_ns = (uint64_t)first->frame_ns;
	node->cycle.tai_offset = (int32_t)first->tai_offset;
	planned = trial_plan_times(&node->cycle, node->rate_bps, node->mtu, why);
	if (!clock->kernel.synchronised)
		return "its clock is not synchronised: `liquid-nl clock` says why";
	if (own->tai_offset != first->tai_offset)
		return "its kernel has another TAI - UTC offset than that of node0";
	if (llabs(own->time_ns - first->time_ns) > TRIAL_SECOND)
		return "its clock is off by more than a second from that of node0";
	if (!planned)
		return why;
	return trial_gate_possible(node->net.device, why) ? "" : why;
}

/* ---- a measurement ---- */

static bool lose_any(struct node *node, const struct pollfd polls[TRIAL_NODES_MAX + 1])
{
	char why[TRIAL_WHY] = "what has started this one has gone";

	for (unsigned int i = TRIAL_NODES_MAX; i--;)
		if (polls[i].revents)
			snprintf(why, TRIAL_WHY, "node%u, %s, has gone", i, node->net.node[i].text);
	return lose(node, why);
}

/* False: another node has gone, or what reads stdout. */
static bool rest(struct node *node, int64_t ns)
{
	int64_t until = clock_ns(CLOCK_MONOTONIC) + ns, now;
	struct pollfd polls[TRIAL_NODES_MAX + 1];

	for (unsigned int i = 0; i < TRIAL_NODES_MAX; i++)
		polls[i] = (struct pollfd){ .fd = node->mesh[i], .events = POLLRDHUP };
	polls[TRIAL_NODES_MAX] = (struct pollfd){ .fd = STDOUT_FILENO };
	while ((now = clock_ns(CLOCK_MONOTONIC)) < until) {
		if (node->gated)
			trial_gate_renew(node->net.device);
		ns = until - now < RENEW_NS ? until - now : RENEW_NS;
		if (poll(polls, TRIAL_NODES_MAX + 1, (int)(ns / 1000000) + 1) > 0)
			return lose_any(node, polls);
	}
	return true;
}

/* Measure traffic that runs. NULL: lost, or with a reason */
static json_t *watch(struct node *node, struct trial_flow *flow, bool udp)
{
	int64_t before[TRIAL_FIGURES], after[TRIAL_FIGURES];
	struct gate gate, gate_after;
	json_t *json;
	int wrong;

	if (node->gated && !trial_gate_read(node->net.device, &gate, node->why))
		return NULL;
	trial_count(node->net.device, before);
	trial_flow_count(flow, before);
	if (!rest(node, node->word[0].seconds * TRIAL_SECOND))
		return NULL;
	wrong = trial_flow_count(flow, after);
	trial_count(node->net.device, after);
	if (node->gated && !trial_gate_read(node->net.device, &gate_after, node->why))
		return NULL;
	json = json_pack("{s:b, s:b, s:s*}", "udp", udp, "gated", node->gated, "error",
			 wrong ? strerror(wrong) : NULL);
	for (unsigned int i = 0; i < TRIAL_FIGURES; i++)
		json_object_set_new(json, trial_figures[i], json_integer(after[i] - before[i]));
	if (node->gated)
		json_object_set_new(json, "gate", trial_gate_json(&gate, &gate_after));
	return json;
}

/*
 * Before others send, all must have the words by which this begins; and traffic goes on while
 * others still measure. NULL: it could not be measured.
 */
static json_t *run_traffic(struct node *node, struct trial_flow *flow, bool udp)
{
	int64_t length = node->word[0].seconds * TRIAL_SECOND;
	json_t *json = NULL;

	if (rest(node, SETTLE_NS) && trial_flow_start(flow, node->why) &&
	    rest(node, length < 10 * TRIAL_SECOND ? length / 5 : 2 * TRIAL_SECOND))
		json = watch(node, flow, udp);
	if (json)
		rest(node, SETTLE_NS);
	return json;
}

/* Room for what waits behind a gate, or for twice a cycle */
static int buffer_bytes(const struct node *node)
{
	uint64_t us = 2 * node->cycle.frame_ns * (node->net.count - 1) / 1000;
	uint64_t bytes = node->rate_bps / 8 * us / 1000000;

	return bytes < BUFFER_LEAST ? BUFFER_LEAST : bytes > BUFFER_MOST ? BUFFER_MOST : (int)bytes;
}

/* False: the trial ends. */
static bool measure(struct node *node, bool udp)
{
	struct trial_flow *flow;
	json_t *json = NULL;
	char part[32];

	snprintf(part, sizeof(part), "%s with%s a gate", udp ? "udp" : "tcp",
		 node->gated ? "" : "out");
	if (!node->net.self)
		complain(0, "trial: %s: %jd s", part, (intmax_t)node->word[0].seconds);
	node->why[0] = 0;
	flow = trial_flow_open(&node->net, udp, node->mtu, buffer_bytes(node), node->why);
	if (agree(node, flow))
		json = run_traffic(node, flow, udp);
	trial_flow_close(flow);
	if (!node->lost && agree(node, json))
		json_array_append(json_object_get(node->record, "measurements"), json);
	else
		leave_out(node, part, node->why);
	json_decref(json);
	return !node->lost;
}

/* A gate that another has made since the beginning is not removed. */
static bool make_gate(struct node *node)
{
	node->cycle.base_ns = node->word[0].time_ns + LEAD_NS;
	if (trial_gate_possible(node->net.device, node->why)) {
		memcpy(node->gated_device, node->net.device, sizeof(node->net.device));
		node->gated = trial_gate_make(&node->net, &node->cycle, node->rate_bps, node->why);
	}
	return agree(node, node->gated) && rest(node, LEAD_NS);
}

static bool measure_all(struct node *node, const char *no_gate)
{
	if (!measure(node, false) || !measure(node, true))
		return false;
	snprintf(node->why, TRIAL_WHY, "%s", no_gate);
	if (!agree(node, !*no_gate) || !make_gate(node))
		return leave_out(node, "with a gate", node->why);
	return measure(node, false) && measure(node, true);
}

/* ---- the whole ---- */

static json_t *new_record(const struct node *node, const struct clock_report *clock)
{
	const struct trial_cycle *cycle = &node->cycle;

	return json_pack("{s:s, s:i, s:s, s:i, s:i, s:I, s:I, s:i, s:b, s:I, s:I, s:I, s:I, s:o, "
			 "s:[], s:[]}", "format", "liquid-trial", "version", 2,
			 "tool", LIQUID_VERSION, "node", node->net.self, "nodes", node->net.count,
			 "seconds", (json_int_t)node->word[0].seconds,
			 "rate_bps", (json_int_t)node->rate_bps, "mtu", node->mtu,
			 "ipv6", strchr(node->net.node[0].text, ':') != NULL,
			 "own_clock_error_ns", (json_int_t)clock_error_ns(clock),
			 "clock_error_ns", (json_int_t)cycle->error_ns,
			 "guard_ns", (json_int_t)cycle->guard_ns,
			 "frame_ns", (json_int_t)cycle->frame_ns,
			 "facts", trial_facts(node->net.device), "measurements", "left_out");
}

/* Measurements until another node has gone are printed. */
static int take_part(struct node *node)
{
	struct clock_report clock = { .kernel = { .max_error_ns = INT32_MAX } };
	struct clock_asker asker = CLOCK_ASKER_CLOSED;
	char why[TRIAL_WHY], no_gate[TRIAL_WHY];
	bool finished;

	if (!trial_mesh_open(&node->net, 0, node->trial->wait_ns, node->mesh, node->why))
		return complain(EXIT_IO, "trial: node%u: %s", node->net.self, node->why);
	(void)clock_read(&asker, &clock);
	clock_close(&asker);
	if (!introduce(node, &clock))
		return node->lost ? EXIT_IO :
		       complain(EXIT_BAD_INPUT, "trial: node%u: %s", node->net.self,
				*node->why ? node->why : "another node has ended the trial");
	snprintf(no_gate, TRIAL_WHY, "%s", why_no_gate(node, &clock, why));
	node->record = new_record(node, &clock);
	finished = measure_all(node, no_gate);
	json_object_set_new(node->record, "finished", json_boolean(finished));
	if (json_dumpf(node->record, stdout, JSON_COMPACT | JSON_ENSURE_ASCII) ||
	    putchar('\n') < 0 || fflush(stdout))
		return stdout_lost();
	return finished ? EXIT_OK : EXIT_IO;
}

static int remove_gate(const char *device, int code)
{
	if (!*device || trial_gate_remove(device))
		return code;
	return complain(EXIT_REFUSED, "trial: %s: the gate could not be removed: `liquid-nl "
			"detach` does it", device);
}

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
static pid_t worker;

static void pass_on(int number)
{
	kill(worker, number);
}

/* The others wait for a worker that is stopped, so it is ended. */
static int await_worker(void)
{
	int status = 0;

	while (waitpid(worker, &status, WUNTRACED) < 0 ? errno == EINTR : WIFSTOPPED(status))
		if (WIFSTOPPED(status))
			kill(worker, SIGKILL);
	return status;
}

int trial_measure(const struct trial *trial)
{
	struct node node = { .trial = trial, .rate_bps = UINT64_MAX, .mtu = UINT16_MAX };
	int status;

	if (!trial_net_find(&node.net, trial, node.why))
		return complain(EXIT_BAD_INPUT, "trial: %s", node.why);
	node.gated_device = mmap(NULL, sizeof(node.net.device), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (node.gated_device == MAP_FAILED)
		return no_memory();
	fflush(NULL);
	worker = fork();
	if (worker < 0)
		return complain(EXIT_IO, "trial: cannot create a process");
	/* Only the worker is ended by a signal; writing to a closed pipe fails. */
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], worker ? pass_on : SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	if (!worker)
		_exit(remove_gate(node.gated_device, take_part(&node)));
	status = await_worker();
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	return remove_gate(node.gated_device, complain(EXIT_IO, "trial: ended by signal %d",
						       WTERMSIG(status)));
}

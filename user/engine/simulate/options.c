// SPDX-License-Identifier: LGPL-2.1-or-later
/* The options of a simulation: limits and default values. */
#include "schedule/schedule.h"
#include "simulate/simulate.h"

#define MESSAGE_BYTES 65536u
#define PACKET_BYTES 4096u
#define BUFFER_PACKETS 16u
#define BYTES_MAX (UINT64_C(1) << 40)
#define TIME_MAX (UINT64_C(1) << 52)
#define RATE_MAX (UINT64_C(1) << 50)
#define OVERHEAD_MAX 65536u
#define LANES_MAX 256u
#define TOKEN_NS 2000u
#define SHARE_MAX 1000.0

static int check_bytes(const char *what, uint64_t bytes, struct liquid_error *err)
{
	if (bytes <= BYTES_MAX)
		return LIQUID_OK;
	return liquid_fail(err, LIQUID_BAD_INPUT, "%s: more than 2^40 bytes", what);
}

static int check_time(const char *what, uint64_t ns, struct liquid_error *err)
{
	if (ns <= TIME_MAX)
		return LIQUID_OK;
	return liquid_fail(err, LIQUID_BAD_INPUT, "%s: more than 2^52 ns", what);
}

static int check_switch(const struct liquid_sim_options *o, struct liquid_error *err)
{
	if ((unsigned int)o->queues > LIQUID_SIM_FIFO ||
	    (unsigned int)o->lane_by > LIQUID_SIM_BY_LAYERS || o->lanes > LANES_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "unknown queues or lane rule, or more than %u virtual lanes",
				   LANES_MAX);
	if (o->queues == LIQUID_SIM_VOQ && o->switching != LIQUID_SIM_CUT_THROUGH)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "virtual output queues go with cut-through");
	if (o->lanes > 1 && o->switching == LIQUID_SIM_WORMHOLE)
		return liquid_fail(err, LIQUID_BAD_INPUT, "a worm has no buffers: "
				   "virtual lanes go with cut-through and packet");
	return LIQUID_OK;
}

/* Of a message's time; not NaN */
static bool is_share(double share)
{
	return share >= 0 && share <= SHARE_MAX;
}

static int check_sync(const struct liquid_sim_options *o, struct liquid_error *err)
{
	int status = LIQUID_OK;

	if ((unsigned int)o->sync > LIQUID_SIM_SYNC_ORDER || !is_share(o->jitter_share) ||
	    !is_share(o->frame_slack))
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "unknown sync, or a share of a message's time above %.0f",
				   SHARE_MAX);
	if (o->token_ns != LIQUID_SIM_DEFAULT)
		status = check_time("token", o->token_ns, err);
	if (!status)
		status = check_time("token timeout", o->token_timeout_ns, err);
	return status ? status : check_time("start skew", o->start_skew_ns, err);
}

static int check(const struct liquid_sim_options *o, struct liquid_error *err)
{
	int status = LIQUID_OK;

	if ((unsigned int)o->switching > LIQUID_SIM_PACKET ||
	    (unsigned int)o->order > LIQUID_SIM_PAIRWISE_XOR ||
	    (unsigned int)o->jitter > LIQUID_SIM_EXPONENTIAL)
		return liquid_fail(err, LIQUID_BAD_INPUT, "unknown switching, order or jitter");
	if (o->rate_bps > RATE_MAX || o->overhead > OVERHEAD_MAX || o->cycles > SIM_TRANSFERS_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "the rate is above 2^50 bit/s, the overhead above 65536 bytes, "
				   "or there are more than 2^40 cycles");
	status = check_switch(o, err);
	if (!status)
		status = check_sync(o, err);
	if (!status)
		status = check_bytes("message", o->message_bytes, err);
	if (!status)
		status = check_bytes("packet", o->packet_bytes, err);
	if (!status)
		status = check_bytes("worm", o->worm_bytes, err);
	if (!status)
		status = check_bytes("buffer", o->buffer_bytes, err);
	if (!status)
		status = check_time("hop latency", o->hop_ns, err);
	if (!status)
		status = check_time("jitter", o->jitter_ns, err);
	return status ? status : check_time("clock error", o->clock_error_ns, err);
}

/* Bytes that a message takes on the wire */
static uint64_t wire_bytes(const struct liquid_sim_options *o)
{
	uint64_t packets = o->message_bytes / o->packet_bytes +
		(o->message_bytes % o->packet_bytes != 0);

	return o->message_bytes + packets * o->overhead;
}

/* The time of a worm is rounded up once; else that of each packet is. */
static uint64_t message_ns(const struct liquid_sim_options *o)
{
	uint64_t whole = o->message_bytes / o->packet_bytes;
	uint64_t rest = o->message_bytes % o->packet_bytes;

	if (o->switching == LIQUID_SIM_WORMHOLE)
		return sim_wire_ns(o->rate_bps, wire_bytes(o));
	return whole * sim_wire_ns(o->rate_bps, o->packet_bytes + o->overhead) +
		(rest ? sim_wire_ns(o->rate_bps, rest + o->overhead) : 0);
}

static void default_bytes(const struct liquid_schedule *schedule, struct liquid_sim_options *o)
{
	bool worms = o->switching == LIQUID_SIM_WORMHOLE;

	if (!o->rate_bps && schedule)
		o->rate_bps = schedule->info.link_rate_bps;
	if (!o->rate_bps)
		o->rate_bps = 100000000000;
	if (!o->message_bytes && schedule)
		o->message_bytes = schedule->info.unit_bytes;
	if (!o->message_bytes)
		o->message_bytes = MESSAGE_BYTES;
	if (schedule && schedule->info.parts > 1)	/* a frame carries parts */
		o->message_bytes = (o->message_bytes - 1) / schedule->info.parts + 1;
	if (!o->packet_bytes)
		o->packet_bytes = worms || o->message_bytes < PACKET_BYTES ? o->message_bytes :
			PACKET_BYTES;
	if (o->packet_bytes > o->message_bytes)
		o->packet_bytes = o->message_bytes;
	if (!o->worm_bytes || o->worm_bytes > wire_bytes(o))
		o->worm_bytes = wire_bytes(o);
	if (!o->buffer_bytes)
		o->buffer_bytes = BUFFER_PACKETS * (o->packet_bytes + o->overhead);
	if (o->buffer_bytes > BYTES_MAX)
		o->buffer_bytes = BYTES_MAX;
	if (!o->cycles)
		o->cycles = 1;
	if (!o->lanes)
		o->lanes = 1;
}

/*
 * Two clocks differ by twice the error at most. A worm's tail is late by the latency of its header
 * and by its own; a stored packet is late by the time that it takes on every further link.
 */
static uint64_t default_guard(const struct liquid_sim_options *o, uint32_t hops)
{
	uint64_t packet = sim_wire_ns(o->rate_bps, o->packet_bytes + o->overhead);
	uint64_t hop = o->hop_ns;

	if (o->switching == LIQUID_SIM_WORMHOLE)
		hop = 2 * o->hop_ns;
	else if (o->switching == LIQUID_SIM_PACKET)
		hop += packet;
	return 2 * o->clock_error_ns + (hops - 1) * hop;
}

static uint64_t at_most(uint64_t most, double value)
{
	return value < (double)most ? (uint64_t)value : most;
}

static void resolve_jitter(struct liquid_sim_options *o)
{
	o->jitter_ns += at_most(TIME_MAX, o->jitter_share * (double)message_ns(o));
	if (!o->jitter_ns)
		o->jitter = LIQUID_SIM_NO_JITTER;
}

/* Bytes of a message that are sent within @ns: whole packets, and a part of one. */
static uint64_t sent_within(const struct liquid_sim_options *o, uint64_t ns)
{
	uint64_t packet = sim_wire_ns(o->rate_bps, o->packet_bytes + o->overhead);
	uint64_t packets = o->switching == LIQUID_SIM_WORMHOLE ? 0 : ns / packet;
	uint64_t rest = at_most(BYTES_MAX, (double)(ns - packets * packet) * 1e-9 *
				(double)o->rate_bps / 8);

	return at_most(BYTES_MAX, (double)packets * (double)o->packet_bytes) +
		(rest > o->overhead ? rest - o->overhead : 0);
}

/* With a clock a frame has no guard: what began goes on. */
static void resolve_sync(const struct liquid_schedule *schedule, struct liquid_sim_options *o)
{
	uint64_t message = message_ns(o);

	if (o->token_ns == LIQUID_SIM_DEFAULT)
		o->token_ns = TOKEN_NS;
	if (!o->token_timeout_ns)
		o->token_timeout_ns = at_most(TIME_MAX, 10.0 * schedule->info.length *
					      (double)message + (double)o->start_skew_ns);
	o->guard_ns = 0;
	if (o->sync != LIQUID_SIM_SYNC_CLOCK)
		o->frame_ns = 0;
	else if (o->frame_ns == LIQUID_SIM_DEFAULT)
		o->frame_ns = at_most(2 * TIME_MAX, (1 + o->frame_slack) * (double)message +
				      2 * (double)o->clock_error_ns);
}

static int resolve_frame(uint32_t hops, struct liquid_sim_options *o, struct liquid_error *err)
{
	uint64_t packet = sim_wire_ns(o->rate_bps, o->packet_bytes + o->overhead);

	if (o->guard_ns == LIQUID_SIM_DEFAULT)
		o->guard_ns = default_guard(o, hops);
	if (o->frame_ns == LIQUID_SIM_DEFAULT)
		o->frame_ns = message_ns(o) + o->guard_ns + sim_jitter_most(o);
	if (check_time("guard", o->guard_ns, err))
		return LIQUID_BAD_INPUT;
	if (!o->frame_ns || packet + o->guard_ns > o->frame_ns)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "a packet takes %llu ns: none fits into a frame of %llu ns "
				   "with a guard of %llu ns",
				   (unsigned long long)packet, (unsigned long long)o->frame_ns,
				   (unsigned long long)o->guard_ns);
	return LIQUID_OK;
}

int sim_resolve(const struct liquid_sim_options *given, const struct liquid_schedule *schedule,
		uint32_t hops, struct liquid_sim_options *options, struct liquid_error *err)
{
	int status = check(given, err);

	*options = *given;
	if (status)
		return status;
	default_bytes(schedule, options);
	status = check(options, err);		/* of what the schedule gave, too */
	if (!status && (double)wire_bytes(options) * 8e9 / (double)options->rate_bps > 0x1p59)
		status = liquid_fail(err, LIQUID_BAD_INPUT, "a message takes more than 2^59 ns");
	if (status)
		return status;
	resolve_jitter(options);
	if (schedule && options->sync != LIQUID_SIM_SYNC_GATES)
		resolve_sync(schedule, options);
	else if (schedule)
		status = resolve_frame(hops, options, err);
	if (!status && schedule)
		status = check_time("frame", options->frame_ns, err);
	return status ? status : check_time("jitter", options->jitter_ns, err);
}

/*
 * Three quarters of the mean jitter, though pieces then overlap now and then. With all of it the
 * heads of FIFOs block so much that exchanges of 256 hosts and more can lose a third. Overlap is no
 * good where it can deadlock, nor where a switch drops its contents no room for.
 */
static int covered_jitter(struct sim *sim, uint64_t *ns, struct liquid_error *err)
{
	bool can_deadlock;
	int status;

	*ns = 0;
	if (sim->options.sync != LIQUID_SIM_SYNC_TOKENS || !sim->options.jitter ||
	    sim->options.switching == LIQUID_SIM_PACKET)
		return LIQUID_OK;
	status = sim_can_deadlock(sim, &can_deadlock, err);
	if (!status && !can_deadlock)
		*ns = sim_jitter_mean(&sim->options) * 3 / 4;
	return status;
}

/*
 * What is sent while a token is under way, and until the next piece begins. A piece that comes to a
 * shared link over fewer links than the piece before it is sooner there; the shortest path has two.
 */
int sim_resolve_tail(struct sim *sim, struct liquid_error *err)
{
	struct liquid_sim_options *o = &sim->options;
	uint64_t sooner = sim->hops > 2 ? (sim->hops - 2) * o->hop_ns : 0, jitter, ns;
	int status;

	if (o->tail_bytes != LIQUID_SIM_DEFAULT || o->sync == LIQUID_SIM_SYNC_GATES)
		return LIQUID_OK;
	status = covered_jitter(sim, &jitter, err);
	ns = o->token_ns + jitter;
	o->tail_bytes = sent_within(o, ns > sooner ? ns - sooner : 0);
	return status;
}

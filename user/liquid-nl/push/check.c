// SPDX-License-Identifier: GPL-2.0-only
/* Does the slice fit its frames? The guard, and warnings before traffic runs. */
#include <inttypes.h>
#include <stdarg.h>

#include "push/push.h"
#include "gate/times.h"
#include "gate/unit-rate.h"
#include "util/gate-frames.h"
#include "util/units.h"

/* Half of TCP's minimum retransmission timeout, which is 200 ms */
#define CYCLE_WARN_NS 100000000ULL

/* From fewer runs nothing is concluded: 1 in 1000 of them would be a handful. */
#define LAG_RUNS_MIN 10000

__attribute__((format(printf, 2, 3)))
static void warn(struct push_check *check, const char *format, ...)
{
	va_list args;

	if (check->warning_count == PUSH_WARNINGS_MAX)
		return;
	va_start(args, format);
	vsnprintf(check->warning[check->warning_count++], sizeof(check->warning[0]), format, args);
	va_end(args);
}

static void check_guard(const struct push_args *args, struct push_check *check)
{
	char given[UNIT_TEXT], needed[UNIT_TEXT];

	if (args->guard_given && args->guard_ns < check->guard_needed_ns)
		warn(check,
		     "the guard of %s is shorter than the %s that the clock error, the release "
		     "lag and the path ask for: packets may meet packets of the next frame",
		     format_time(args->guard_ns, given),
		     format_time(check->guard_needed_ns, needed));
}

static void check_cycle(const struct push_args *args, const struct push_plan *plan,
			struct push_check *check)
{
	uint64_t cycle = args->frame_ns * plan->frames;
	char text[UNIT_TEXT];

	if (cycle >= CYCLE_WARN_NS)
		warn(check,
		     "the cycle of %s is at least half of TCP's shortest retransmission timeout "
		     "(200 ms): raise rto_min on the route, or shorten the frames",
		     format_time(cycle, text));
}

static void check_room(const struct push_args *args, const struct push_plan *plan,
		       const struct wire *wire, uint32_t permille, struct push_check *check)
{
	uint64_t open_ns = args->frame_ns / plan->parts - check->guard_ns;
	uint64_t room = frame_room_bytes(wire, open_ns, permille);
	uint64_t needed = message_wire_bytes(wire, plan->unit_bytes);
	uint64_t packet = wire_packet_bytes(wire, wire->max_packet);
	char rate[UNIT_TEXT], open[UNIT_TEXT], time[UNIT_TEXT];

	if (wire_time_ns(packet, wire->rate_bps) > open_ns)
		warn(check,
		     "the largest packet takes %s on the wire, and a frame without its guard has "
		     "%s: such packets are dropped",
		     format_time(wire_time_ns(packet, wire->rate_bps), time),
		     format_time(open_ns, open));
	if (plan->unit_bytes && needed > room)
		warn(check,
		     "a %s without its guard carries %" PRIu64 " bytes at %s with %u.%u %% "
		     "for others, but a transfer of %" PRIu64 " bytes takes at least %" PRIu64
		     " on the wire", plan->parts > 1 ? "part of a frame" : "frame", room,
		     format_rate(wire->rate_bps, rate), permille / 10, permille % 10,
		     plan->unit_bytes, needed);
}

int push_check_lag(const struct push_args *args, const struct gate *gate, struct push_check *check,
		   struct liquid_error *err)
{
	const struct gate_hist *xmit = &gate->times.xmit;
	char lag[UNIT_TEXT], text[UNIT_TEXT];

	check->lag_runs = times_count(xmit);
	if (check->lag_runs < LAG_RUNS_MIN)
		return LIQUID_OK;
	check->lag_ns = times_exceeded_ns(xmit);
	if (check->lag_ns <= gate->state.launch_ns / 2)	/* the driver has packets in time */
		return LIQUID_OK;
	format_time(check->lag_ns, lag);
	if (check->guard_ns < check->lag_ns && !args->force)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "%s: the guard of %s is shorter than the release lag: of %"
				   PRIu64 " runs of packets, 1 in 1000 took longer than %s; state "
				   "--release-lag, or --force", args->device,
				   format_time(check->guard_ns, text), check->lag_runs, lag);
	if (args->terms.release_lag_ns < check->lag_ns)
		warn(check, "1 in 1000 of %" PRIu64 " runs of packets had a release lag of more "
		     "than %s, and %s is stated", check->lag_runs, lag,
		     format_time(args->terms.release_lag_ns, text));
	return LIQUID_OK;
}

int push_check(const struct push_args *args, const struct push_plan *plan,
	       const struct gate_options *options, uint64_t rate_bps,
	       struct push_check *check, struct liquid_error *err)
{
	bool shares = options->policy == LIQUID_POLICY_SHARE;
	uint32_t permille = options->control + (shares ? options->reserve : 0);
	struct guard_terms terms = args->terms;
	struct wire wire = {
		.rate_bps = rate_bps, .overhead = options->overhead, .mpu = options->mpu,
		.max_packet = args->max_packet,
	};
	const struct unit_rate unit = {
		.device = args->device, .what = "the schedule", .bps = plan->link_rate_bps,
		.stated_bps = args->unit_bps, .capacity = plan->capacity,
		.parts = plan->parts,
	};
	uint64_t frame_ns = args->frame_ns / plan->parts;
	char frame[UNIT_TEXT], guard[UNIT_TEXT];
	int status = unit_rate_check(&unit, rate_bps, err);

	if (!status)
		status = gate_frames_check(plan->frames, plan->parts, args->frame_ns, err);
	*check = (struct push_check){ 0 };
	if (status)
		return status;
	if (!terms.hops)
		terms.hops = plan->hops ? plan->hops : 1;
	check->hops = terms.hops;
	check->guard_needed_ns = guard_needed_ns(&wire, &terms);
	check->guard_ns = args->guard_given ? args->guard_ns : check->guard_needed_ns;
	if (check->guard_ns >= frame_ns)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "a %s of %s has no room besides the guard "
				   "of %s that it needs; lengthen it, or state --guard",
				   plan->parts > 1 ? "part of a frame" : "frame",
				   format_time(frame_ns, frame),
				   format_time(check->guard_ns, guard));
	check_guard(args, check);
	check_cycle(args, plan, check);
	check_room(args, plan, &wire, permille, check);
	return push_tcp_needs(args, plan, &wire, frame_ns - check->guard_ns, &check->tcp, err);
}

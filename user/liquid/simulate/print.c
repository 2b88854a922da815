// SPDX-License-Identifier: GPL-2.0-only
/* The result of a simulation, as text. */
#include <inttypes.h>

#include "simulate/simulate.h"
#include "util/units.h"

static void print_time(const char *name, uint64_t ns)
{
	char text[UNIT_TEXT];

	printf("%-12s %s\n", name, format_time(ns, text));
}

static double share(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

static void print_sync(const struct liquid_sim_result *result)
{
	const struct liquid_sim_options *o = result->options;
	char time[UNIT_TEXT];

	printf("%-12s %u frames by %s", "schedule", result->length, simulate_syncs[o->sync]);
	if (o->sync == LIQUID_SIM_SYNC_TOKENS)
		printf(" of %s, tails of %" PRIu64 " bytes", format_time(o->token_ns, time),
		       o->tail_bytes);
	if (o->sync == LIQUID_SIM_SYNC_CLOCK)
		printf(", %s each", format_time(o->frame_ns, time));
	printf("; the traffic's duration is %u\n", result->duration);
}

static void print_sender(const struct liquid_sim_result *result)
{
	const struct liquid_sim_options *o = result->options;
	char frame[UNIT_TEXT], guard[UNIT_TEXT];

	if (result->scheduled && o->sync != LIQUID_SIM_SYNC_GATES)
		print_sync(result);
	else if (result->scheduled)
		printf("%-12s %u frames of %s (guard %s), the traffic's duration is %u\n",
		       "schedule", result->length, format_time(o->frame_ns, frame),
		       format_time(o->guard_ns, guard), result->duration);
	else
		printf("%-12s %s%s, the traffic's duration is %u\n", "order",
		       simulate_orders[o->order],
		       o->contention_aware ? " with contention-aware mapping" : "",
		       result->duration);
	if (o->window)
		printf("%-12s %" PRIu64 " packets\n", "window", o->window);
}

static const char *queues_text(const struct liquid_sim_options *o)
{
	static const char *const text[] = {
		[LIQUID_SIM_FIFO_SPEEDUP] = " with input FIFOs with speedup",
		[LIQUID_SIM_VOQ] = " with virtual output queues",
		[LIQUID_SIM_FIFO] = " with input FIFOs",
	};

	return o->switching == LIQUID_SIM_CUT_THROUGH ? text[o->queues] : "";
}

static void print_model(const struct liquid_sim_result *result)
{
	const struct liquid_sim_options *o = result->options;
	char rate[UNIT_TEXT];

	printf("%-12s %s%s, %s a unit\n", "switching",
	       simulate_switchings[o->switching], queues_text(o), format_rate(o->rate_bps, rate));
	if (o->lanes > 1)
		printf("%-12s %" PRIu32 " virtual lanes by %s\n", "lanes", o->lanes,
		       simulate_lane_rules[o->lane_by]);
	printf("%-12s %" PRIu64 " of %" PRIu64 " bytes, packets of %" PRIu64 " + %" PRIu64
	       " bytes\n", "messages", result->transfers, o->message_bytes, o->packet_bytes,
	       o->overhead);
}

static void print_throughput(const struct liquid_sim_result *result)
{
	print_time("time", result->time_ns);
	printf("%-12s %.6g MB/s: %.2f %% of the liquid one, %.2f %% of a crossbar's\n",
	       "throughput", result->throughput / 1e6,
	       share(result->throughput, result->liquid_throughput),
	       share(result->throughput, result->crossbar_throughput));
}

static void print_waits(const struct liquid_sim_result *result)
{
	const struct liquid_sim_host *total = result->total;
	char mean[UNIT_TEXT], most[UNIT_TEXT];

	printf("%-12s %" PRIu64, "waits", total->waits);
	if (total->waits)
		printf(", %s on average, %s at most",
		       format_time(total->wait_ns / total->waits, mean),
		       format_time(total->wait_max_ns, most));
	putchar('\n');
	if (total->late)
		printf("%-12s %" PRIu64 " ended after their frame, by %s at most\n", "late",
		       total->late, format_time(total->late_max_ns, most));
}

static void print_tokens(const struct liquid_sim_result *result)
{
	char mean[UNIT_TEXT], most[UNIT_TEXT];

	if (!result->scheduled || result->options->sync != LIQUID_SIM_SYNC_TOKENS)
		return;
	printf("%-12s %" PRIu64 " sent, %" PRIu64 " waits for them", "tokens", result->tokens,
	       result->token_waits);
	if (result->token_waits)
		printf(", %s on average, %s at most",
		       format_time(result->token_wait_ns / result->token_waits, mean),
		       format_time(result->token_wait_max_ns, most));
	printf("\n%-12s %" PRIu64 " waits for tokens, %" PRIu64 " pieces went without\n",
	       "timed out", result->token_timeouts, result->unsynchronised);
}

static void print_drops(const struct liquid_sim_result *result)
{
	if (result->on_schedule_most)
		printf("%-12s at most %" PRIu64 " packets of a sender, on schedule %" PRIu64 "\n",
		       "under way", result->under_way_most, result->on_schedule_most);
	if (result->deadlocks)
		printf("%-12s %" PRIu64 "\n", "deadlocks", result->deadlocks);
	for (int drop = 0; drop < LIQUID_SIM_DROPS; drop++)
		if (result->total->drops[drop])
			printf("%-12s %" PRIu64 " packets: %s\n", "dropped",
			       result->total->drops[drop], drop_names[drop]);
}

static void print_losses(const struct liquid_sim_result *result)
{
	double time = (double)result->time_ns;

	if (result->scheduled && result->options->frame_ns && result->time_ns)
		printf("%-12s length %.2f %%, headers %.2f %%, guard %.2f %%, other %.2f %%\n",
		       "lost time", share(result->lost_length_ns, time),
		       share(result->lost_headers_ns, time), share(result->lost_guard_ns, time),
		       share(result->lost_other_ns, time));
}

void simulate_print(const struct liquid_fabric *fabric, const struct liquid_sim_result *result,
		    double seconds)
{
	printf("%-12s %s\n", "fabric", liquid_fabric_name(fabric));
	print_sender(result);
	print_model(result);
	print_throughput(result);
	print_losses(result);
	print_tokens(result);
	print_waits(result);
	print_drops(result);
	printf("%-12s %.3f s, %" PRIu64 " events, %.1f MB\n", "simulation", seconds, result->events,
	       (double)result->memory_bytes / 1e6);
}

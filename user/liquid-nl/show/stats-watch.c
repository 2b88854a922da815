// SPDX-License-Identifier: GPL-2.0-only
/* stats --watch: rates at intervals, as a table on a terminal, else as one line per gate. */
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util/command.h"
#include "gate/device.h"
#include "show/stats.h"
#include "gate/times.h"
#include "util/units.h"

static volatile sig_atomic_t interrupted;

static void note_signal(int signal)
{
	(void)signal;
	interrupted = 1;
}

static uint64_t drops_of(const struct gate_stats *stats)
{
	uint64_t drops = 0;

	for (unsigned int attr = 1; attr <= stats_table.max; attr++)
		if (stats_table.row[attr].name && !strncmp(stats_table.row[attr].name, "DROP_", 5))
			drops += stats->counter[attr];
	return drops;
}

static const struct gate *gate_before(const struct stats_sample *before, uint32_t ifindex)
{
	static const struct gate none;

	for (size_t i = 0; i < before->gates.count; i++)
		if (before->gates.gate[i].ifindex == ifindex)
			return &before->gates.gate[i];
	return &none;
}

static const struct gate_dest *dest_before(const struct stats_sample *before, uint32_t id)
{
	static const struct gate_dest none;

	for (size_t i = 0; i < before->dests.count; i++)
		if (before->dests.dest[i].id == id)
			return &before->dests.dest[i];
	return &none;
}

/* Print packets/s, bit/s, waits/s, late/s, drops/s, packets in queues; the line goes on. */
static void print_rates(const char *name, const struct gate_stats *before,
			const struct gate_stats *after, uint64_t ns, uint32_t qlen)
{
	const uint64_t *old = before->counter, *new = after->counter;
	char rate[UNIT_TEXT];
	double bits = 8 * stats_rate(old[LIQUID_STATS_A_BYTES], new[LIQUID_STATS_A_BYTES], ns);

	printf("%-24s %12.0f %16s %10.0f %8.0f %8.0f %10u", name,
	       stats_rate(old[LIQUID_STATS_A_PACKETS], new[LIQUID_STATS_A_PACKETS], ns),
	       format_rate((uint64_t)bits, rate),
	       stats_rate(old[LIQUID_STATS_A_WAITS], new[LIQUID_STATS_A_WAITS], ns),
	       stats_rate(old[LIQUID_STATS_A_LATE], new[LIQUID_STATS_A_LATE], ns),
	       stats_rate(drops_of(before), drops_of(after), ns), qlen);
}

/* Print the wait that 50 % and 99 % of the packets since the last sample did not exceed. */
static void print_waits(const struct gate_hist *before, const struct gate_hist *after,
			uint64_t packets_before, uint64_t packets)
{
	struct gate_hist since = times_since(before, after);
	uint64_t released = packets >= packets_before ? packets - packets_before : packets;
	uint64_t passed = times_passed(&since, released);
	char half[TIMES_TEXT], most[TIMES_TEXT];

	printf(" %12s %12s\n",
	       times_format(TIMES_COARSE, times_quantile(&since, passed, 500), half),
	       times_format(TIMES_COARSE, times_quantile(&since, passed, 990), most));
}

static void print_sample(const struct stats_sample *before, const struct stats_sample *after)
{
	uint64_t ns = after->time_ns - before->time_ns;
	char name[IF_NAMESIZE], dest[32 + ADDR_KEY_TEXT], address[ADDR_KEY_TEXT];

	for (size_t i = 0; i < after->gates.count; i++) {
		const struct gate *gate = &after->gates.gate[i];
		const struct gate *from = gate_before(before, gate->ifindex);

		print_rates(device_name(gate->ifindex, name), &from->stats, &gate->stats, ns,
			    gate->state.qlen);
		print_waits(&from->times.wait, &gate->times.wait,
			    from->stats.counter[LIQUID_STATS_A_PACKETS],
			    gate->stats.counter[LIQUID_STATS_A_PACKETS]);
	}
	for (size_t i = 0; i < after->dests.count; i++) {
		const struct gate_dest *to = &after->dests.dest[i];
		const struct gate_dest *from = dest_before(before, to->id);

		snprintf(dest, sizeof(dest), "  %u %s", to->id,
			 to->key_count ? addr_key_format(&to->key[0], address) : "");
		print_rates(dest, &from->stats, &to->stats, ns, to->qlen);
		print_waits(&from->times.wait, &to->times.wait,
			    from->stats.counter[LIQUID_STATS_A_PACKETS],
			    to->stats.counter[LIQUID_STATS_A_PACKETS]);
	}
}

static void print_head(void)
{
	printf("%-24s %12s %16s %10s %8s %8s %10s %12s %12s\n", "gate", "packets/s", "rate",
	       "waits/s", "late/s", "drops/s", "waiting", "wait 50 %", "wait 99 %");
}

static bool pause_for(uint64_t ns)
{
	struct timespec rest = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	return !nanosleep(&rest, NULL) && !interrupted;
}

static int watch_loop(struct netlink *nl, const struct stats *stats, struct stats_sample *before)
{
	bool terminal = isatty(STDOUT_FILENO);

	if (!terminal)
		print_head();
	for (uint64_t times = 0; !stats->count || times < stats->count; times++) {
		struct stats_sample after;
		int code;

		if (!pause_for(stats->interval_ns))
			break;
		code = stats_read(nl, stats, &after);
		if (code)
			return code;
		if (terminal) {
			fputs("\033[H\033[J", stdout);
			print_head();
		}
		print_sample(before, &after);
		stats_clear(before);
		*before = after;
		if (fflush(stdout))
			return stdout_lost();
	}
	return EXIT_OK;
}

int stats_watch(struct netlink *nl, const struct stats *stats)
{
	struct sigaction action = { .sa_handler = note_signal };
	struct stats_sample before;
	int code = stats_read(nl, stats, &before);

	if (code)
		return code;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	code = watch_loop(nl, stats, &before);
	stats_clear(&before);
	return code;
}

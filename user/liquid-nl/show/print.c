// SPDX-License-Identifier: GPL-2.0-only
/* Gates, destinations, frames and counters as text. */
#include <ctype.h>
#include <inttypes.h>
#include <pwd.h>
#include <string.h>
#include <time.h>

#include "gate/device.h"
#include "gate/options.h"
#include "show/print.h"
#include "util/say.h"
#include "util/units.h"

static bool has(uint64_t present, unsigned int attr)
{
	return present >> attr & 1;
}

/* A newer kernel may have values without a name here: they are printed as numbers. */
static const char *named(const char *const *names, uint32_t value, char text[16])
{
	const char *name = value_name(names, value);

	if (name)
		return name;
	snprintf(text, 16, "%u", value);
	return text;
}

const char *format_tai(int64_t ns, char text[TAI_TEXT])
{
	time_t seconds = ns / 1000000000;
	struct tm tm;
	size_t length;

	if (ns < 0 || !gmtime_r(&seconds, &tm)) {
		snprintf(text, TAI_TEXT, "%" PRId64 " ns TAI", ns);
		return text;
	}
	length = strftime(text, TAI_TEXT, "%Y-%m-%d %H:%M:%S", &tm);
	snprintf(text + length, TAI_TEXT - length, ".%09d TAI", (int)(ns % 1000000000));
	return text;
}

const char *format_repeat(const struct gate_sched *sched, char text[64])
{
	char number[16];

	if (!sched->cycles)
		snprintf(text, 64, "forever");
	else
		snprintf(text, 64, "%" PRIu64 " cycle%s, then %s", sched->cycles,
			 sched->cycles == 1 ? "" : "s", named(then_names, sched->then, number));
	return text;
}

/* The purpose of the schedule */
static void print_job(FILE *out, const struct gate_sched *sched)
{
	const struct passwd *user = NULL;
	bool known = has(sched->present, LIQUID_SCHED_A_USER);

	if (known)
		user = getpwuid(sched->user);
	if (!known && !has(sched->present, LIQUID_SCHED_A_LABEL))
		return;
	fputs("         for ", out);
	put_escaped(out, sched->label);
	if (known)
		fprintf(out, "%suser %u", sched->label[0] ? ", " : "", sched->user);
	if (user) {
		fputs(" (", out);
		put_escaped(out, user->pw_name);
		fputc(')', out);
	}
	fputc('\n', out);
}

static void print_sched(FILE *out, const char *which, const struct gate_sched *sched,
			const struct gate_state *state)
{
	char frame[UNIT_TEXT], guard[UNIT_TEXT], cycle[UNIT_TEXT], wait[UNIT_TEXT];
	char base[TAI_TEXT], start[TAI_TEXT], repeat[64];

	if (!sched->present)
		return;
	fprintf(out, "  %-5s  %u frame%s of %s (guard %s), cycle %s, %s\n", which, sched->frames,
		sched->frames == 1 ? "" : "s", format_time(sched->frame_ns, frame),
		format_time(sched->guard_ns, guard),
		format_time(sched->frame_ns * sched->frames, cycle),
		format_repeat(sched, repeat));
	fprintf(out, "         base %s, %u destinations, %u idle frames\n",
		format_tai(sched->base_time, base), sched->dests, sched->idle_frames);
	print_job(out, sched);
	if (has(sched->present, LIQUID_SCHED_A_START_TIME))
		fprintf(out, "         %s %s%s%s\n",
			state->now < sched->start_time ? "starts" : "started",
			format_tai(sched->start_time, start),
			state->now < sched->start_time ? ", in " : "",
			state->now < sched->start_time ?
			format_time(sched->start_time - state->now, wait) : "");
}

static void print_mode(FILE *out, const struct gate *gate)
{
	const struct gate_state *state = &gate->state;
	char name[IF_NAMESIZE], number[16];

	fprintf(out, "%s: %s", device_name(gate->ifindex, name),
		named(mode_names, state->mode, number));
	if (has(state->present, LIQUID_STATE_A_FRAME))
		fprintf(out, ", frame %u", state->frame);
	if (has(state->present, LIQUID_STATE_A_FRAME_DEST))
		fprintf(out, " to destination %u", state->frame_dest);
	else if (has(state->present, LIQUID_STATE_A_FRAME))
		fprintf(out, ", idle");
	fputc('\n', out);
}

const char *leak_text(unsigned int leak)
{
	static const char *const texts[] = {
		[LIQUID_LEAK_STACKED] = "sends through other devices, without frames",
		[LIQUID_LEAK_XDP] = "an XDP program may send past the gate",
		[LIQUID_LEAK_XSK] = "AF_XDP sockets send past the gate",
		[LIQUID_LEAK_OFFLOAD] = "the device forwards or encrypts by itself, past the gate",
		[LIQUID_LEAK_VERBS] = "RDMA through the same port, which the gate does not hold",
	};

	return leak < sizeof(texts) / sizeof(texts[0]) ? texts[leak] : NULL;
}

/* What may pass the gate */
static void print_leaks(FILE *out, uint32_t leaks)
{
	for (unsigned int i = 0; leak_text(i); i++)
		if (leaks >> i & 1)
			fprintf(out, "  leak   %s\n", leak_text(i));
}

static void print_queues(FILE *out, const struct gate_state *state)
{
	char now[TAI_TEXT], lease[UNIT_TEXT], left[UNIT_TEXT];

	fprintf(out, "  clock  %s, TAI - UTC %d s\n", format_tai(state->now, now),
		state->tai_offset);
	fprintf(out,
		"  queues %u packets, %" PRIu64 " bytes wait (control %u, unscheduled %u "
		"packets)\n", state->qlen, state->backlog, state->control_qlen,
		state->unsched_qlen);
	fprintf(out, "         %u TX queue%s; %u destinations\n", state->tx_queues,
		state->tx_queues == 1 ? "" : "s", state->dests);
	if (has(state->present, LIQUID_STATE_A_LEASE_NS))
		fprintf(out, "  lease  %s, %s left\n", format_time(state->lease_ns, lease),
			format_time(state->lease_left_ns, left));
	print_leaks(out, state->leaks);
}

static void print_wire(FILE *out, const struct gate *gate)
{
	char rate[UNIT_TEXT], ahead[UNIT_TEXT];

	fprintf(out, "  wire   %s (%s), overhead %d, mpu %u bytes, ahead %s",
		format_rate(gate->state.link_rate_bps, rate),
		gate->options.rate_bps ? "given" : "reported", gate->options.overhead,
		gate->options.mpu, format_time(gate->options.ahead_ns, ahead));
	if (gate->options.launch_ns)
		fprintf(out, ", launch %s%s", format_time(gate->options.launch_ns, ahead),
			gate->state.launch_ns ? "" : " (off: a TX queue takes no launch times)");
	if (gate->options.wake_early_ns)
		fprintf(out, ", early %s", format_time(gate->options.wake_early_ns, ahead));
	if (gate->options.cpu_latency_ns)
		fprintf(out, ", CPU latency %s", format_time(gate->options.cpu_latency_ns, ahead));
	fputc('\n', out);
}

static void print_select(FILE *out, const struct gate_options *options)
{
	char text[RULE_TEXT], number[16];

	if (options->select == LIQUID_SELECT_MARK)
		fprintf(out, "  select mark=0x%x/0x%x", options->select_mark, options->select_mask);
	else if (options->select == LIQUID_SELECT_DSCP)
		fprintf(out, "  select dscp=%u", options->select_dscp);
	else if (options->select == LIQUID_SELECT_RULE)
		fprintf(out, "  select %s", format_rule(&options->select_rule, text));
	else
		fprintf(out, "  select %s", named(select_names, options->select, number));
	fprintf(out, "%s%s\n", options->match_mark ? ", match by mark first" : "",
		options->skip_open ? ", skipped while open" : "");
	for (uint32_t i = 0; i < options->rule_count; i++)
		fprintf(out, "  bypass %s\n", format_rule(&options->rule[i], text));
}

static void print_options(FILE *out, const struct gate_options *options)
{
	char number[16];

	fprintf(out, "  policy %s, reserve %u.%u %%, control %u.%u %%, acks ",
		named(policy_names, options->policy, number), options->reserve / 10,
		options->reserve % 10, options->control / 10, options->control % 10);
	fprintf(out, "%s\n", named(acks_names, options->acks, number));
	fprintf(out, "  limits %u packets, %" PRIu64 " bytes; a destination %u packets, %" PRIu64
		" bytes; horizon %u ms\n", options->limit_packets, options->limit_bytes,
		options->dest_limit_packets, options->dest_limit_bytes, options->horizon_ms);
	print_select(out, options);
}

void print_gate(FILE *out, const struct gate *gate)
{
	print_mode(out, gate);
	print_wire(out, gate);
	print_options(out, &gate->options);
	print_queues(out, &gate->state);
	print_sched(out, "oper", &gate->oper, &gate->state);
	print_sched(out, "admin", &gate->admin, &gate->state);
	print_release_lag(out, gate);
}

void print_dest_name(FILE *out, const struct gate_dest *dest)
{
	if (!dest->name)
		return;
	fputc(' ', out);
	put_escaped(out, dest->name);
}

void print_dests(FILE *out, const struct gate_dests *dests)
{
	char text[ADDR_KEY_TEXT];

	for (size_t i = 0; i < dests->count; i++) {
		const struct gate_dest *dest = &dests->dest[i];

		fprintf(out, "  destination %u:", dest->id);
		print_dest_name(out, dest);
		for (uint32_t k = 0; k < dest->key_count; k++)
			fprintf(out, " %s", addr_key_format(&dest->key[k], text));
		fprintf(out, ", %u frames, %u packets, %" PRIu64 " bytes wait\n", dest->frames,
			dest->qlen, dest->backlog);
	}
}

void print_runs(FILE *out, const char *which, const struct gate_runs *runs)
{
	uint64_t frame = 0;

	for (size_t i = 0; i < runs->count; frame += runs->run[i++].run) {
		const struct gate_run *run = &runs->run[i];

		fprintf(out, "  %s frame %" PRIu64, which, frame);
		if (run->run > 1)
			fprintf(out, "-%" PRIu64, frame + run->run - 1);
		if (run->dest == LIQUID_NONE)
			fprintf(out, ": idle\n");
		else
			fprintf(out, ": destination %u\n", run->dest);
	}
}

void print_stats(FILE *out, const char *indent, const struct gate_stats *stats)
{
	for (unsigned int i = 1; i <= stats_table.max; i++) {
		const char *name = stats_table.row[i].name;

		if (!name || !has(stats->present, i))
			continue;
		fputs(indent, out);
		for (; *name; name++)
			fputc(*name == '_' ? ' ' : tolower((unsigned char)*name), out);
		fprintf(out, ": %" PRIu64 "\n", stats->counter[i]);
	}
}

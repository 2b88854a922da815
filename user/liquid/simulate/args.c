// SPDX-License-Identifier: GPL-2.0-only
/* The options of liquid simulate. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "util/command.h"
#include "simulate/simulate.h"
#include "util/units.h"

/* In the order of the library's enums */
const char *const simulate_switchings[] = { "wormhole", "cut-through", "packet", NULL };
const char *const simulate_queues[] = { "fifo-speedup", "voq", "fifo", NULL };
const char *const simulate_lane_rules[] = { "destination", "source", "layers", NULL };
const char *const simulate_jitters[] = { "none", "uniform", "normal", "exp", NULL };

const char *const simulate_syncs[] = { "gates", "tokens", "clock", "order", NULL };

static const char *const mappings[] = { "linear", "contention-aware", NULL };
static const char *const windows[] = { "auto", NULL };
static const char *const jitter_words[] = { "uniform:", "normal:", "exp:", NULL };

#define PERCENT_MAX 100000.0	/* of a message's time */

static const char *take_window(void *member, const char *text)
{
	uint64_t *window = member;

	if (!strcmp(text, "auto")) {
		*window = LIQUID_SIM_WINDOW_AUTO;
		return NULL;
	}
	return parse_number(text, INT64_MAX, window) && *window ? NULL :
	       "a number of packets, at least 1, or auto";
}

/* 5% as a share */
static bool parse_percent(const char *text, double *share)
{
	double percent;
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	percent = strtod(text, &end);
	if (strcmp(end, "%") || !(percent <= PERCENT_MAX))
		return false;
	*share = percent / 100;
	return true;
}

static const char *take_percent(void *member, const char *text)
{
	return parse_percent(text, member) ? NULL : "a percentage, such as 5%";
}

/* KIND:TIME or KIND:PERCENT% */
static const char *take_jitter(void *member, const char *text)
{
	struct liquid_sim_options *options = member;
	const char *colon = strchr(text, ':');

	for (unsigned int i = LIQUID_SIM_UNIFORM; colon && simulate_jitters[i]; i++) {
		if (strlen(simulate_jitters[i]) != (size_t)(colon - text) ||
		    strncmp(simulate_jitters[i], text, colon - text))
			continue;
		options->jitter = i;
		options->jitter_ns = 0;
		options->jitter_share = 0;
		if (parse_percent(colon + 1, &options->jitter_share) ||
		    (parse_time(colon + 1, &options->jitter_ns) && options->jitter_ns <= INT64_MAX))
			return NULL;
	}
	return "uniform:TIME, normal:TIME or exp:TIME, TIME also as a percentage of a message's";
}

#define MEMBER(member) OPT_MEMBER(struct simulate, member)
#define MODEL(member) OPT_MEMBER(struct simulate, options.member)

const struct opt simulate_opts[] = {
	{ "FABRIC", 0, KIND_TEXT, MEMBER(fabric), .positional = true, .required = true,
	  .help = "a file, as `fabric import` and `fabric make` write it" },
	{ "schedule", 0, KIND_TEXT, MEMBER(schedule), .value = "SCHEDULE",
	  .help = "send as this schedule says" },
	{ "sync", 0, KIND_CHOICE, MODEL(sync), .words = simulate_syncs, .value = "HOW",
	  .help = "held to the schedule by gates, or by a run of its plan" },
	{ "token-latency", 0, KIND_TIME, MODEL(token_ns), .max = INT64_MAX, .value = "TIME",
	  .help = "of a token on its way; by default 2us" },
	{ "tail", 0, KIND_SIZE, MODEL(tail_bytes), .max = INT64_MAX, .value = "SIZE",
	  .help = "bytes that follow when the tokens are given; by default the delays' bytes" },
	{ "token-timeout", 0, KIND_TIME, MODEL(token_timeout_ns), .min = 1, .max = INT64_MAX,
	  .value = "TIME",
	  .help = "of a wait for tokens; by default ten times the schedule's time" },
	{ "start-skew", 0, KIND_TIME, MODEL(start_skew_ns), .max = INT64_MAX, .value = "TIME",
	  .help = "a host begins late by up to this time" },
	{ "frame-slack", 0, KIND_OTHER, MODEL(frame_slack), .take = take_percent,
	  .value = "PERCENT%",
	  .help = "of a message's time, that frames of --sync clock are longer; by default 5%" },
	{ "order", 0, KIND_CHOICE, MODEL(order), .words = simulate_orders, .value = "ORDER",
	  .help = "or send in an order, without frames" },
	{ "mapping", 0, KIND_CHOICE, MODEL(contention_aware), .words = mappings, .value = "MAPPING",
	  .help = "of ranks to hosts, in an order" },
	{ "window", 0, KIND_OTHER, MODEL(window), .take = take_window, .words = windows,
	  .value = "PACKETS", .help = "packets of a shuffle that are under way, or auto; "
	  "messages of all-at-once" },
	OPT_GROUP(struct simulate, traffic, traffic_opts),
	{ "switching", 0, KIND_CHOICE, MODEL(switching), .words = simulate_switchings,
	  .value = "HOW", .help = "how packets cross switches" },
	{ "message", 0, KIND_SIZE, MODEL(message_bytes), .min = 1, .value = "SIZE",
	  .help = "of a transfer; by default as in the schedule, or 128 KiB" },
	{ "packet", 0, KIND_SIZE, MODEL(packet_bytes), .min = 1, .value = "SIZE",
	  .help = "of a packet; by default the message (wormhole), or 4096" },
	{ "worm", 0, KIND_SIZE, MODEL(worm_bytes), .min = 1, .value = "SIZE",
	  .help = "longest worm on the wire; by default the message" },
	{ "buffer", 0, KIND_SIZE, MODEL(buffer_bytes), .min = 1, .value = "SIZE",
	  .help = "of a switch for each link; by default 16 packets" },
	{ "queues", 0, KIND_CHOICE, MODEL(queues), .words = simulate_queues, .value = "QUEUES",
	  .help = "of a buffer: with cut-through by default one for each output" },
	{ "lanes", 0, KIND_NUMBER, MODEL(lanes), .min = 1, .max = 256, .value = "N",
	  .help = "virtual lanes of each link, with separate buffers; as few as needed" },
	{ "lane-by", 0, KIND_CHOICE, MODEL(lane_by), .words = simulate_lane_rules, .value = "RULE",
	  .help = "of a packet: number of that switch modulo N, or layers without a cycle" },
	{ "rate", 0, KIND_RATE, MODEL(rate_bps), .min = 1, .value = "RATE",
	  .help = "of a link of capacity 1; by default as in the schedule, or 100G" },
	{ "overhead", 0, KIND_NUMBER, MODEL(overhead), .max = INT64_MAX, .value = "BYTES",
	  .help = "that the wire adds to a packet" },
	{ "hop-latency", 0, KIND_TIME, MODEL(hop_ns), .max = INT64_MAX, .value = "TIME",
	  .help = "of a header from link to link; by default 130ns with cut-through" },
	{ "frame-time", 0, KIND_TIME, MODEL(frame_ns), .max = INT64_MAX, .value = "TIME",
	  .help = "length of a frame of the schedule; by default what its transfers need" },
	{ "guard", 0, KIND_TIME, MODEL(guard_ns), .max = INT64_MAX, .value = "TIME",
	  .help = "end of a frame in which nothing starts" },
	{ "cycles", 0, KIND_NUMBER, MODEL(cycles), .min = 1, .max = INT64_MAX, .value = "N",
	  .help = "how often the traffic is sent" },
	{ "jitter", 0, KIND_OTHER, MEMBER(options), .take = take_jitter, .words = jitter_words,
	  .value = "KIND:TIME", .help = "random delay of each start: uniform, normal or exp" },
	{ "clock-error", 0, KIND_TIME, MODEL(clock_error_ns), .max = INT64_MAX, .value = "TIME",
	  .help = "a host's clock is off by up to this time" },
	{ "seed", 0, KIND_NUMBER, MODEL(seed), .max = INT64_MAX, .value = "N",
	  .help = "seed of the random choices" },
	{ "progress", 0, KIND_FLAG, MEMBER(progress), .help = "show progress on a terminal" },
	OPT_HTML(MEMBER(html)),
	OPT_JSON(struct simulate),
	{ 0 }
};

static bool has_frame(const struct liquid_sim_options *options)
{
	return options->frame_ns != LIQUID_SIM_DEFAULT || options->guard_ns != LIQUID_SIM_DEFAULT;
}

static bool has_sync(const struct liquid_sim_options *options)
{
	return options->sync || options->token_ns != LIQUID_SIM_DEFAULT ||
		options->tail_bytes != LIQUID_SIM_DEFAULT || options->token_timeout_ns ||
		options->frame_slack >= 0;
}

/* Options that the mode of --sync has no use for. */
static int check_sync(const struct liquid_sim_options *options)
{
	bool tokens = options->sync == LIQUID_SIM_SYNC_TOKENS;
	bool clock = options->sync == LIQUID_SIM_SYNC_CLOCK;

	if (!tokens && (options->token_ns != LIQUID_SIM_DEFAULT || options->token_timeout_ns ||
			options->tail_bytes != LIQUID_SIM_DEFAULT))
		return usage_error("simulate", "--token-latency, --tail and --token-timeout go "
				   "with --sync tokens");
	if (options->frame_slack >= 0 && !clock)
		return usage_error("simulate", "--frame-slack goes with --sync clock");
	if (options->guard_ns != LIQUID_SIM_DEFAULT && options->sync)
		return usage_error("simulate", "--guard goes with --sync gates");
	if (options->frame_ns != LIQUID_SIM_DEFAULT && options->sync && !clock)
		return usage_error("simulate", "--frame-time goes with --sync gates or clock");
	return 0;
}

static int check_args(const struct simulate *simulate)
{
	const struct liquid_sim_options *options = &simulate->options;

	if (!simulate->schedule == !simulate->has_order)
		return usage_error("simulate", "expected either --schedule or --order");
	if (simulate->schedule && traffic_args_given(&simulate->traffic))
		return usage_error("simulate",
				   "--schedule has its own traffic: leave out the other");
	if (simulate->schedule && (options->window || options->contention_aware))
		return usage_error("simulate", "--window and --mapping go with --order");
	if (options->window && (options->order == LIQUID_SIM_ALL_AT_ONCE ?
				options->window == LIQUID_SIM_WINDOW_AUTO :
				!strstr(simulate_orders[options->order], "shuffle")))
		return usage_error("simulate", "--window goes with the orders shuffle-xor and "
				   "shuffle-rotation, and a number of messages with all-at-once");
	if (options->contention_aware && options->order == LIQUID_SIM_RANDOM)
		return usage_error("simulate", "--mapping goes with every order but random");
	if (!simulate->schedule && has_sync(options))
		return usage_error("simulate",
				   "--sync goes with --schedule, and --token-latency, --tail, "
				   "--token-timeout and --frame-slack with --sync");
	if (simulate->schedule && !options->sync && options->start_skew_ns)
		return usage_error("simulate", "--start-skew goes with --order, and --sync tokens, "
				   "clock or order");
	if (simulate->has_order && has_frame(options))
		return usage_error("simulate", "--frame-time and --guard go with --schedule");
	if (check_sync(options))
		return EXIT_USAGE;
	return check_traffic_args(&simulate->traffic, "simulate");
}

#define NOT_GIVEN UINT32_MAX
#define NO_SLACK -1.0
#define FRAME_SLACK 0.05

/*
 * Other values are as in the model, as far as the switching has it: the papers' worms, and
 * packets that are stored, have hops without latency and neither queues nor lanes.
 */
static void take_model(struct simulate *simulate)
{
	struct liquid_sim_options *options = &simulate->options, model;
	bool cut_through = options->switching == LIQUID_SIM_CUT_THROUGH;

	simulate_model(&model);
	simulate->any_lanes = cut_through && !options->lanes && options->lane_by == NOT_GIVEN;
	if (options->queues == NOT_GIVEN)
		options->queues = cut_through ? model.queues : LIQUID_SIM_FIFO;
	if (options->lane_by == NOT_GIVEN)
		options->lane_by = LIQUID_SIM_BY_DESTINATION;
	if (options->hop_ns == LIQUID_SIM_DEFAULT)
		options->hop_ns = cut_through ? model.hop_ns : 0;
	if (options->token_ns == LIQUID_SIM_DEFAULT)
		options->token_ns = model.token_ns;
	if (options->order == NOT_GIVEN)
		options->order = LIQUID_SIM_PAIRWISE;
	if (options->frame_slack < 0)
		options->frame_slack = FRAME_SLACK;
}

int simulate_parse(int argc, char **argv, struct simulate *simulate)
{
	struct liquid_sim_options *options = &simulate->options;
	int code;

	simulate_model(options);
	options->order = NOT_GIVEN;
	options->queues = NOT_GIVEN;
	options->lane_by = NOT_GIVEN;
	options->hop_ns = LIQUID_SIM_DEFAULT;
	options->token_ns = LIQUID_SIM_DEFAULT;
	options->frame_slack = NO_SLACK;
	code = take_options(argc, argv, simulate_opts, simulate);
	simulate->has_order = options->order != NOT_GIVEN;
	if (!code)
		code = check_args(simulate);
	take_model(simulate);
	return code;
}

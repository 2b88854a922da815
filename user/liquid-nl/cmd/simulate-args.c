// SPDX-License-Identifier: GPL-2.0-only
/* The options of liquid-nl simulate. */
#include <getopt.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/simulate.h"
#include "util/units.h"

enum { OPT_SCHEDULE = 256, OPT_ORDER, OPT_MAPPING, OPT_WINDOW, OPT_SWITCHING, OPT_MESSAGE, OPT_WORM,
       OPT_PACKET, OPT_BUFFER, OPT_RATE, OPT_OVERHEAD, OPT_HOP, OPT_FRAME, OPT_GUARD, OPT_CYCLES,
       OPT_JITTER, OPT_CLOCK_ERROR, OPT_SEED, OPT_JSON, OPT_PROGRESS };

/* In the order of the library's enums */
const char *const simulate_switchings[] = { "wormhole", "cut-through", "packet", NULL };
const char *const simulate_orders[] = { "round-robin", "random", "all-at-once", "shuffle-xor",
					"shuffle-rotation", NULL };
const char *const simulate_jitters[] = { "none", "uniform", "normal", "exp", NULL };

static int not_expected(const char *option, const char *expected)
{
	return usage_error("simulate", "--%s '%s': %s was expected", option, optarg, expected);
}

static int take_word(const char *option, const char *const *words, unsigned int *value)
{
	char known[128] = "";
	size_t used = 0;

	for (unsigned int i = 0; words[i]; i++) {
		if (!strcmp(words[i], optarg)) {
			*value = i;
			return EXIT_OK;
		}
		used += snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "",
				 words[i]);
	}
	return usage_error("simulate", "--%s '%s': one of %s was expected", option, optarg, known);
}

static int take_size(const char *option, uint64_t *bytes)
{
	if (!parse_size(optarg, bytes) || !*bytes)
		return not_expected(option, "a size of 1 byte or more (4096, 64Ki)");
	return EXIT_OK;
}

static int take_time(const char *option, uint64_t *ns)
{
	if (!parse_time(optarg, ns) || *ns > INT64_MAX)
		return not_expected(option, "a time (500ns, 2us, 1.5ms)");
	return EXIT_OK;
}

static int take_number(const char *option, uint64_t least, uint64_t *value)
{
	if (!parse_number(optarg, INT64_MAX, value) || *value < least)
		return not_expected(option, least ? "a number, 1 or more" : "a number");
	return EXIT_OK;
}

static int take_order(struct simulate *simulate)
{
	unsigned int order = 0;
	int code = take_word("order", simulate_orders, &order);

	simulate->options.order = order;
	simulate->has_order = true;
	return code;
}

static int take_switching(struct simulate *simulate)
{
	unsigned int switching = 0;
	int code = take_word("switching", simulate_switchings, &switching);

	simulate->options.switching = switching;
	return code;
}

static int take_mapping(struct simulate *simulate)
{
	static const char *const mappings[] = { "linear", "contention-aware", NULL };
	unsigned int mapping = 0;
	int code = take_word("mapping", mappings, &mapping);

	simulate->options.contention_aware = mapping;
	return code;
}

static int take_window(struct simulate *simulate)
{
	if (!strcmp(optarg, "auto")) {
		simulate->options.window = LIQUID_SIM_WINDOW_AUTO;
		return EXIT_OK;
	}
	if (!parse_number(optarg, INT64_MAX, &simulate->options.window) ||
	    !simulate->options.window)
		return not_expected("window", "packets, 1 or more, or auto");
	return EXIT_OK;
}

/* KIND:TIME */
static int take_jitter(struct simulate *simulate)
{
	static const char expected[] = "uniform:TIME, normal:TIME or exp:TIME";
	const char *colon = strchr(optarg, ':');

	if (!colon || !parse_time(colon + 1, &simulate->options.jitter_ns) ||
	    simulate->options.jitter_ns > INT64_MAX)
		return not_expected("jitter", expected);
	for (unsigned int i = LIQUID_SIM_UNIFORM; simulate_jitters[i]; i++)
		if (strlen(simulate_jitters[i]) == (size_t)(colon - optarg) &&
		    !strncmp(simulate_jitters[i], optarg, colon - optarg)) {
			simulate->options.jitter = i;
			return EXIT_OK;
		}
	return not_expected("jitter", expected);
}

static int take_model_option(struct liquid_sim_options *options, int option)
{
	switch (option) {
	case OPT_MESSAGE:
		return take_size("message", &options->message_bytes);
	case OPT_WORM:
		return take_size("worm", &options->worm_bytes);
	case OPT_PACKET:
		return take_size("packet", &options->packet_bytes);
	case OPT_BUFFER:
		return take_size("buffer", &options->buffer_bytes);
	case OPT_RATE:
		if (!parse_rate(optarg, &options->rate_bps) || !options->rate_bps)
			return not_expected("rate", "bit/s (100G)");
		return EXIT_OK;
	case OPT_OVERHEAD:
		return take_number("overhead", 0, &options->overhead);
	case OPT_HOP:
		return take_time("hop-latency", &options->hop_ns);
	case OPT_FRAME:
		return take_time("frame-time", &options->frame_ns);
	case OPT_GUARD:
		return take_time("guard", &options->guard_ns);
	case OPT_CYCLES:
		return take_number("cycles", 1, &options->cycles);
	case OPT_CLOCK_ERROR:
		return take_time("clock-error", &options->clock_error_ns);
	case OPT_SEED:
		return take_number("seed", 0, &options->seed);
	default:
		return EXIT_USAGE;
	}
}

static int take_option(struct simulate *simulate, int option)
{
	switch (option) {
	case OPT_SCHEDULE:
		simulate->schedule = optarg;
		return EXIT_OK;
	case OPT_ORDER:
		return take_order(simulate);
	case OPT_MAPPING:
		return take_mapping(simulate);
	case OPT_WINDOW:
		return take_window(simulate);
	case OPT_SWITCHING:
		return take_switching(simulate);
	case OPT_JITTER:
		return take_jitter(simulate);
	case OPT_JSON:
		simulate->json = true;
		return EXIT_OK;
	case OPT_PROGRESS:
		simulate->progress = true;
		return EXIT_OK;
	default:
		return take_model_option(&simulate->options, option);
	}
}

static bool has_frame(const struct liquid_sim_options *options)
{
	return options->frame_ns != LIQUID_SIM_DEFAULT || options->guard_ns != LIQUID_SIM_DEFAULT;
}

static int check_args(const struct simulate *simulate)
{
	const struct liquid_sim_options *options = &simulate->options;

	if (!simulate->schedule == !simulate->has_order)
		return usage_error("simulate", "either --schedule or --order says what is sent when");
	if (simulate->schedule && traffic_args_given(&simulate->traffic))
		return usage_error("simulate", "--schedule has its own traffic: leave out the other");
	if (simulate->schedule && (options->window || options->contention_aware))
		return usage_error("simulate", "--window and --mapping go with --order");
	if (options->window && options->order < LIQUID_SIM_SHUFFLE_XOR)
		return usage_error("simulate", "--window goes with the orders shuffle-xor and "
				   "shuffle-rotation");
	if (options->contention_aware && options->order == LIQUID_SIM_RANDOM)
		return usage_error("simulate", "--mapping goes with every order but random");
	if (simulate->has_order && has_frame(options))
		return usage_error("simulate", "--frame-time and --guard go with --schedule");
	return check_traffic_args(&simulate->traffic, "simulate");
}

int simulate_parse(int argc, char **argv, struct simulate *simulate)
{
	static const struct option options[] = {
		TRAFFIC_OPTIONS,
		{ "schedule", required_argument, NULL, OPT_SCHEDULE },
		{ "order", required_argument, NULL, OPT_ORDER },
		{ "mapping", required_argument, NULL, OPT_MAPPING },
		{ "window", required_argument, NULL, OPT_WINDOW },
		{ "switching", required_argument, NULL, OPT_SWITCHING },
		{ "message", required_argument, NULL, OPT_MESSAGE },
		{ "worm", required_argument, NULL, OPT_WORM },
		{ "packet", required_argument, NULL, OPT_PACKET },
		{ "buffer", required_argument, NULL, OPT_BUFFER },
		{ "rate", required_argument, NULL, OPT_RATE },
		{ "overhead", required_argument, NULL, OPT_OVERHEAD },
		{ "hop-latency", required_argument, NULL, OPT_HOP },
		{ "frame-time", required_argument, NULL, OPT_FRAME },
		{ "guard", required_argument, NULL, OPT_GUARD },
		{ "cycles", required_argument, NULL, OPT_CYCLES },
		{ "jitter", required_argument, NULL, OPT_JITTER },
		{ "clock-error", required_argument, NULL, OPT_CLOCK_ERROR },
		{ "seed", required_argument, NULL, OPT_SEED },
		{ "json", no_argument, NULL, OPT_JSON },
		{ "progress", no_argument, NULL, OPT_PROGRESS },
		{ 0 }
	};
	int option, code;

	simulate->options.frame_ns = LIQUID_SIM_DEFAULT;
	simulate->options.guard_ns = LIQUID_SIM_DEFAULT;
	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (option == ':' || option == '?')
			return option_error("simulate", option, argv[optind - 1]);
		if (take_traffic_option(&simulate->traffic, option, optarg))
			continue;
		code = take_option(simulate, option);
		if (code)
			return code;
	}
	if (optind + 1 != argc)
		return usage_error("simulate", optind == argc ? "a fabric is missing" :
				   "'%s' is one argument too many", argv[argc - 1]);
	simulate->fabric = argv[optind];
	return check_args(simulate);
}

// SPDX-License-Identifier: GPL-2.0-only
/* The options of push. */
#include <stdlib.h>
#include <string.h>

#include "util/command.h"
#include "gate/label.h"
#include "gate/options.h"
#include "push/push.h"
#include "util/units.h"

struct push_words {
	struct push_args args;
	struct opt_list addr;
};

static const char *take_label(void *member, const char *text)
{
	struct push_args *args = member;
	size_t length = strlen(text);

	args->label = text;
	for (size_t i = 0; i < length; i++)
		if (text[i] < ' ' || text[i] > '~')
			length = 0;
	return length && length <= LIQUID_LABEL_MAX ? NULL :
	       "1 to 63 printable characters of ASCII";
}

static const char *take_base_time(void *member, const char *text)
{
	struct push_args *args = member;

	args->base_relative = text[0] == '+';
	return parse_time(text + args->base_relative, &args->base_ns) &&
	       args->base_ns <= INT64_MAX ? NULL :
	       "ns of CLOCK_TAI, or a time from now such as +500ms";
}

#define MEMBER(member) OPT_MEMBER(struct push_words, args.member)
#define NOT_GIVEN UINT64_MAX

const struct opt push_opts[] = {
	{ "DEV", 0, KIND_TEXT, MEMBER(device), .positional = true, .required = true,
	  .help = "the device of the gate" },
	{ "schedule", 0, KIND_TEXT, MEMBER(schedule), .required = true, .value = "SCHEDULE",
	  .help = "as `solve` wrote it" },
	{ "node", 0, KIND_TEXT, MEMBER(node), .required = true, .value = "NAME",
	  .help = "the node whose frames they are" },
	{ "frame-time", 0, KIND_TIME, MEMBER(frame_ns), .required = true,
	  .min = LIQUID_FRAME_NS_MIN, .max = LIQUID_FRAME_NS_MAX, .value = "TIME",
	  .help = "length of a frame with its guard, the same on all nodes" },
	{ "fabric", 0, KIND_TEXT, MEMBER(fabric), .value = "FABRIC",
	  .help = "verify the schedule on this fabric first" },
	{ "addr-map", 0, KIND_TEXT, MEMBER(map_file), .value = "FILE",
	  .help = "addresses of destinations, in lines of NAME ADDR [ADDR]..." },
	{ "addr", 0, KIND_LIST, OPT_MEMBER(struct push_words, addr), .value = "NAME=ADDR[,ADDR]...",
	  .help = "addresses of one destination; may repeat" },
	{ "guard", 0, KIND_TIME, MEMBER(guard_ns), .value = "TIME",
	  .help = "end of a frame in which nothing starts; by default the sum of the terms below" },
	{ "clock-error", 0, KIND_TIME, MEMBER(terms.clock_error_ns), .value = "TIME",
	  .help = "largest error of a node's clock; 1us by default" },
	{ "release-lag", 0, KIND_TIME, MEMBER(terms.release_lag_ns), .value = "TIME",
	  .help = "longest time from a packet's release to the wire; 10us by default" },
	{ "hops", 0, KIND_NUMBER, MEMBER(terms.hops), .max = LIQUID_PATH_MAX, .value = "N",
	  .help = "links of the longest path whose switches store and forward" },
	{ "max-packet", 0, KIND_NUMBER, MEMBER(max_packet), .min = 64, .max = UINT16_MAX,
	  .value = "BYTES", .help = "largest packet with its link-layer header; 1514 by default" },
	{ "base-time", 0, KIND_OTHER, OPT_MEMBER(struct push_words, args),
	  .take = take_base_time, .value = "NS|+TIME",
	  .help = "start of frame 0: ns of CLOCK_TAI, or a time from now; +0 by default" },
	{ "cycles", 0, KIND_NUMBER, MEMBER(cycles), .value = "N",
	  .help = "end after N cycles; 0 (the default): never" },
	{ "then", 0, KIND_CHOICE, MEMBER(then), .words = then_names, .value = "WHAT",
	  .help = "state of the gate after --cycles" },
	{ "tai-offset", 0, KIND_NUMBER, MEMBER(tai_offset), .max = 1000, .value = "S",
	  .help = "TAI - UTC that the nodes have agreed on; 37 by default" },
	{ "replace", 0, KIND_FLAG, MEMBER(replace),
	  .help = "replace a schedule that waits for its base time" },
	{ "force", 0, KIND_FLAG, MEMBER(force),
	  .help = "go on if the gate has measured a release lag that the guard is too short for" },
	{ "lease", 0, KIND_TIME, MEMBER(lease_ns), OPT_LEASE,
	  .help = "open the gate when `renew` does not come in this time" },
	{ "stay", 0, KIND_FLAG, MEMBER(stay),
	  .help = "renew the lease until a signal comes, then open the gate" },
	{ "label", 0, KIND_OTHER, OPT_MEMBER(struct push_words, args), .take = take_label,
	  .value = "TEXT",
	  .help = "its purpose, which `show` and `monitor` show to all users" },
	{ "user", 0, KIND_NUMBER, MEMBER(user), .max = PUSH_NO_USER - 1, .value = "UID",
	  .expected = "the number of a user",
	  .help = "this user may read its destinations and frames" },
	{ "unit-rate", 0, KIND_RATE, MEMBER(unit_bps), .min = 1, .value = "RATE",
	  .help = "rate of a unit, whatever the schedule says" },
	{ "dry-run", 0, KIND_FLAG, MEMBER(dry_run),
	  .help = "print what would be pushed, without the kernel" },
	{ "rate", 0, KIND_RATE, MEMBER(rate_bps), .value = "RATE",
	  .help = "of the gate, with --dry-run" },
	{ "json", 'j', KIND_FLAG, MEMBER(json), .help = "print JSON" },
	{ 0 }
};

static int check_args(const struct push_args *args)
{
	if (args->guard_given && args->guard_ns >= args->frame_ns)
		return usage_error("push", "--guard: shorter than the frame time");
	if (args->rate_bps && !args->dry_run)
		return usage_error("push",
				   "--rate goes with --dry-run; `liquid-nl set` changes a gate's");
	if (args->stay && (!args->lease_ns || args->cycles || args->dry_run))
		return usage_error("push", "--stay: needs --lease, and neither --cycles nor "
				   "--dry-run");
	if (args->stay && args->label && strlen(args->label) > LABEL_TEXT_MAX)
		return usage_error("push", "--label: with --stay at most %d characters, because "
				   "the schedule's digest is added", LABEL_TEXT_MAX);
	return EXIT_OK;
}

static int add_addresses(struct push_words *words)
{
	struct liquid_error err;
	int status = 0;

	for (size_t i = 0; i < words->addr.count && !status; i++)
		status = addr_map_add(&words->args.map, words->addr.text[i], &err);
	return status ? complain_of(status, &err) : EXIT_OK;
}

int push_parse(int argc, char **argv, struct push_args *args)
{
	struct push_words words = { .args = {
		.base_relative = true, .tai_offset = 37, .max_packet = 1514, .guard_ns = NOT_GIVEN,
		.user = PUSH_NO_USER,
		.terms = { .clock_error_ns = 1000, .release_lag_ns = 10000 },
	} };
	int code = take_options(argc, argv, push_opts, &words);

	words.args.guard_given = words.args.guard_ns != NOT_GIVEN;
	if (!words.args.guard_given)
		words.args.guard_ns = 0;
	if (!code)
		code = add_addresses(&words);
	if (!code)
		code = check_args(&words.args);
	free(words.addr.text);
	*args = words.args;
	return code;
}

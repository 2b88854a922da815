// SPDX-License-Identifier: GPL-2.0-only
/* Schedules in the interchange form: there and back, every wrong field named, slices. */
#include "fixtures.h"
#include "schedule/load.h"
#include "tap.h"

static struct liquid_fabric *fabric;
static char *text;			/* of papers-5x5, as it is written */

static uint32_t find_name(const struct liquid_schedule *schedule, const char *name)
{
	for (uint32_t host = 0; host < liquid_schedule_host_count(schedule); host++)
		if (!strcmp(liquid_schedule_host_name(schedule, host), name))
			return host;
	return LIQUID_NONE;
}

static void test_round_trip(void)
{
	struct liquid_schedule *schedule;
	struct liquid_error err;
	char *again;

	must(read_text(text, fabric, &schedule, &err), &err);
	again = json_of(schedule, fabric);
	ok(!strcmp(text, again), "what is read is written the same, byte for byte");
	free(again);
	liquid_schedule_free(schedule);
}

static void test_figures(void)
{
	struct liquid_solve_options options = { .unit_bytes = 65536, .link_rate_bps = 100000000000,
						.seed = 5, .work = 1000000 };
	struct liquid_traffic *traffic = all_routes(fabric);
	const struct liquid_schedule_info *info;
	struct liquid_schedule *schedule, *back;
	struct liquid_error err;
	char *written;

	must(liquid_solve(fabric, traffic, &options, &schedule, &err), &err);
	written = json_of(schedule, fabric);
	must(read_text(written, fabric, &back, &err), &err);
	info = liquid_schedule_info(back);
	ok(info->unit_bytes == 65536 && info->link_rate_bps == 100000000000 && info->seed == 5 &&
	   info->work == 1000000 && !strcmp(info->fabric_name, "papers-5x5") &&
	   !strcmp(info->method, "auto"), "unit, rate, seed, work, fabric and method are kept");
	ok(info->transfers == 25 && info->duration == 6 && info->length == 6 &&
	   info->lower_bound == 6 && info->fluid_bound == 6 && !info->witness_json &&
	   info->certificate == LIQUID_CERT_LIQUID, "figures and certificate are kept");
	free(written);
	liquid_schedule_free(schedule);
	liquid_schedule_free(back);
	liquid_traffic_free(traffic);
}

/* Of a fabric that says the rate of its unit: version 2, and nothing may contradict it. */
static void test_unit_rate(void)
{
	struct liquid_solve_options options = { .link_rate_bps = 100000000000 };
	struct liquid_fabric *papers = make_fabric("papers-5x5", NULL, 0);
	struct liquid_traffic *traffic = all_routes(papers);
	struct liquid_schedule *schedule, *back;
	struct liquid_error err = { "" };
	char *written, *again, *other;

	must(liquid_fabric_set_unit_rate(papers, 25000000000, &err), &err);
	ok(liquid_solve(papers, traffic, &options, &schedule, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "100000000000") && strstr(err.text, "25000000000"), "%s", err.text);
	options.link_rate_bps = 0;
	must(liquid_solve(papers, traffic, &options, &schedule, &err), &err);
	written = json_of(schedule, papers);
	ok(strstr(written, "\"version\":2,") && strstr(written, "\"link_rate_bps\":25000000000,"),
	   "the schedule is of version 2 and says the fabric's rate");
	must(read_text(written, papers, &back, &err), &err);
	again = json_of(back, papers);
	ok(!strcmp(written, again), "version 2: what is read is written the same, byte for byte");
	ok(!liquid_verify(papers, NULL, back, NULL, NULL, &err), "it holds");
	liquid_schedule_free(back);
	other = replaced(written, "\"link_rate_bps\":25000000000", "\"link_rate_bps\":25000000001");
	must(read_text(other, papers, &back, &err), &err);
	ok(liquid_verify(papers, NULL, back, NULL, NULL, &err) == LIQUID_INVALID &&
	   strstr(err.text, "link_rate_bps"), "an edited rate: %s", err.text);
	liquid_schedule_free(back);
	free(other);
	other = replaced(written, "\"witness\":null,", "");
	ok(read_text(other, papers, &back, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "\"witness\" is missing"), "version 2: %s", err.text);
	free(other);
	free(written);
	free(again);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(papers);
}

static void test_witness_kept(void)
{
	struct liquid_fabric *triangle = make_triangle(1);
	struct liquid_traffic *traffic = triangle_traffic(1);
	struct liquid_schedule *schedule = solve(triangle, traffic), *back;
	char *written = json_of(schedule, triangle);
	struct liquid_error err;

	must(read_text(written, triangle, &back, &err), &err);
	ok(liquid_schedule_info(back)->witness_json &&
	   !strcmp(liquid_schedule_info(back)->witness_json,
		   liquid_schedule_info(schedule)->witness_json), "the witness is kept");
	free(written);
	liquid_schedule_free(schedule);
	liquid_schedule_free(back);
	liquid_traffic_free(traffic);
	liquid_fabric_free(triangle);
}

/* ---- wrong fields ---- */

static const struct {
	const char *from, *to, *error;
} bad[] = {
	{ "{\"format\"", "[\"format\"", "text:1: " },
	{ "\"liquid-schedule\"", "\"other\"", "\"format\" is 'other'" },
	{ "\"format\"", "\"form\"", "\"format\" is missing" },
	{ "\"format\":", "\"x\":1,\"x\":", "duplicate object key" },
	{ "\"version\":1", "\"version\":3", "\"version\" is 3" },
	{ "\"version\":1", "\"version\":2,\"needs\":[\"table\"]",
	  "the schedule needs 'table', which" },
	{ "\"version\":1", "\"version\":2,\"needs\":[\"orbits\"]",
	  "'orbits' and 'named-traffic' go together" },
	{ "\"version\":1", "\"version\":2,\"needs\":[7]", "\"needs\" must be an array of strings" },
	{ "\"version\":1", "\"version\":2,\"needs\":\"orbits\"", "\"needs\" must be an array" },
	{ "\"version\":1", "\"version\":2,\"needs\":[\"parts\"]",
	  "\"parts\" and the feature of that name go together" },
	{ "\"version\":1", "\"version\":2,\"parts\":2",
	  "\"parts\" and the feature of that name go together" },
	{ "\"version\":1", "\"version\":2,\"needs\":[\"parts\"],\"parts\":1",
	  "\"parts\" must be an integer from 2 to 64" },
	{ "\"version\":1", "\"version\":2,\"needs\":[\"parts\"],\"parts\":0",
	  "\"parts\" must be an integer from 2 to 64" },
	{ "\"version\":1", "\"version\":2,\"needs\":[\"parts\"],\"parts\":65", "\"parts\" is 65" },
	{ "\"version\":1", "\"version\":2,\"needs\":[\"parts\"],\"parts\":\"2\"",
	  "\"parts\" must be an integer" },
	{ "\"version\":1", "\"version\":2,\"needs\":[\"orbits\",\"named-traffic\",\"parts\"],"
	  "\"parts\":2", "a compact schedule has no \"parts\"" },
	{ "\"version\":1", "\"version\":\"1\"", "\"version\" must be an integer" },
	{ "\"seed\":0", "\"seed\":-1", "\"seed\" is -1" },
	{ "\"seed\":0", "\"seed\":0.5", "\"seed\" must be an integer" },
	{ "\"work\":", "\"werk\":", "\"work\" is missing" },
	{ "\"fabric\":\"papers-5x5\"", "\"fabric\":\"\"", "\"fabric\" must be a string of 1" },
	{ "\"fabric\":\"papers-5x5\"", "\"fabric\":\"a\\u0000b\"", "text:1: " },
	{ "\"fabric_digest\":\"", "\"fabric_digest\":\"0", "\"fabric_digest\" must be 64" },
	{ "\"traffic_digest\":\"", "\"traffic_digest\":\"Z", "\"traffic_digest\" must be 64" },
	{ "\"unit_bytes\":null", "\"unit_bytes\":\"4k\"",
	  "\"unit_bytes\" must be an integer or null" },
	{ "\"transfers\":25", "\"transfers\":1e3", "\"transfers\" must be an integer" },
	{ "\"transfers\":25", "\"transfers\":99999999999", "\"transfers\" is 99999999999" },
	{ "\"duration\":6", "\"duration\":-6", "\"duration\" is -6" },
	{ "\"fluid_bound\":6.0", "\"fluid_bound\":null", "\"fluid_bound\" must be a number" },
	{ "\"length\":6", "\"length\":7", "\"length\" is 7, but \"frames\" has 6" },
	{ "\"certificate\":\"liquid\"", "\"certificate\":\"good\"",
	  "\"certificate\" must be liquid" },
	{ "\"witness\":null", "\"witness\":[]", "\"witness\" must be an object or null" },
	{ "\"witness\":null", "\"wit\":null", "\"witness\" is missing" },
	{ "\"method\":\"auto\"", "\"method\":\"\\u001b[2J\"", "\"method\" must be of letters" },
	{ "\"method\":\"auto\"", "\"method\":\"by hand\"", "\"method\" must be of letters" },
	{ "\"method\":\"auto\"", "\"method\":\"\"", "\"method\" must be a string of 1" },
	{ "\"frames\":[", "\"frames\":7,\"f\":[", "\"frames\" must be an array" },
	{ "\"frames\":[", "\"frames\":[0,", "frame 0: must be an array" },
	{ "\"frames\":[", "\"frames\":[[1],", "frame 0, transfer 0: must be [\"src\",\"dst\"]" },
	{ "\"frames\":[", "\"frames\":[[[\"t1\"]],", "frame 0, transfer 0: must be" },
	{ "\"frames\":[", "\"frames\":[[[\"t1\",7]],",
	  "frame 0, transfer 0: a host must be a string" },
	{ "\"frames\":[", "\"frames\":[[[\"t1\",\"\"]],", "frame 0, transfer 0: a host must be" },
	{ "\"frames\":[", "\"frames\":[[[\"t1\",\"r 1\"]],", "host 'r 1' has white space" },
	{ "\"frames\":[", "\"frames\":[[[\"t1\",\"t1\"]],", "'t1' sends to itself" },
	{ "\"frames\":[", "\"frames\":[[[\"t1\",\"r9\"]],",
	  "frame 0, transfer 0: the fabric 'papers-5x5' has no host 'r9'; near it: r1, r2" },
	{ "\"frames\":[", "\"frames\":[[[\"t1\",\"r1\",\"r2\"]],", "frame 0, transfer 0: must be" },
	{ "\"frames\":[", "\"frames\":[[],[[]],", "frame 1, transfer 0: must be" },
	{ "\"frames\":[", "\"frames\":[[[\"t1\",\"r1\",]],", "frame 0, transfer 0: must be" },
	{ "\"frames\":[", "\"frames\":[],\"frames\":[", "duplicate object key" },
	{ "\"frames\":[", "\"fr\\u0061mes\":[],\"frames\":[", "duplicate object key" },
	{ "\"frames\":[", "\"frames\":[,", "text:1: a frame expected near ','" },
	{ "\"frames\":[", "\"frames\":[[,", "text:1: a transfer expected near ','" },
	{ "\"frames\":[", "\"frames\":[\n[[],]", "frame 0, transfer 0: must be" },
	{ "\"frames\":[", "\"frames\":[[[\"t1\"\"r1\"]],",
	  "text:1: ',' or ']' expected near '\"'" },
	{ "\"frames\":[", "\"frames\":[[[\"t\x01\",", "text:1: a character of a host's name" },
	{ "\"frames\":[", "\"frames\":[[[\"t\xff\",", "text:1: unable to decode byte 0xff" },
	{ "\"frames\":[", "\"frames\":[[[\"t\\u0000\",", "text:1: \\u0000 is not allowed" },
	{ "\"frames\":[", "\"frames\":[[[\"t\\q\",", "text:1: invalid escape" },
	{ "]\n]}", "]\n],\"x\":}", "text:8: unexpected token" },
	{ "]\n]}", "],\n]}", "text:8: a frame expected near ']'" },
	{ "{\"format\"", "{7,\"format\"", "text:1: string or '}' expected near '7'" },
};

static void test_bad_fields(void)
{
	struct liquid_schedule *schedule;
	struct liquid_error err;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char *copy = replaced(text, bad[i].from, bad[i].to);
		int status = read_text(copy, fabric, &schedule, &err);

		if (!ok(status == LIQUID_BAD_INPUT && !schedule && strstr(err.text, bad[i].error) &&
			!strncmp(err.text, "text:", 5), "%s: %s", bad[i].to, bad[i].error))
			printf("# %d %s\n", status, err.text);
		free(copy);
	}
}

/* ---- what is JSON, but unusual ---- */

static const struct {
	const char *from, *to, *name;
} unusual[] = {
	{ "\"frames\"", "\"fr\\u0061mes\"", "the key written with an escape" },
	{ "[\"t1\",", "[\"\\u0074\\u0031\",", "a name written with escapes" },
	{ "\"frames\":[", "\n \"frames\"\t:\r\n [\n\n", "white space around the frames" },
	{ "[\"t1\",", "[ \n\"t1\"\t, ", "white space in a transfer" },
	{ "\"witness\":null", "\"witness\":null,\"x\":\"frames\"",
	  "a value that is called frames" },
	{ "\"witness\":null", "\"witness\":null,\"x\":{\"frames\":[7]}",
	  "frames of another object" },
	{ "\"witness\":null", "\"witness\":null,\"\\\\\\\"\":[\"]},[{\",\"\\\\\"]",
	  "brackets, quotes and backslashes in strings" },
};

static void test_unusual(void)
{
	struct liquid_schedule *schedule;
	struct liquid_error err;

	for (size_t i = 0; i < sizeof(unusual) / sizeof(unusual[0]); i++) {
		char *copy = replaced(text, unusual[i].from, unusual[i].to), *again = NULL;

		if (!read_text(copy, fabric, &schedule, &err))
			again = json_of(schedule, fabric);
		if (!ok(again && !strcmp(text, again), "%s", unusual[i].name) && !again)
			printf("# %s\n", err.text);
		liquid_schedule_free(schedule);
		free(again);
		free(copy);
	}
}

/* The keys may have any order; errors of format and version are reported first. */
static void test_order(void)
{
	char *end = replaced(text, "{\"format\":\"liquid-schedule\",\"version\":1,", "{");
	char *later = replaced(end, "]\n]}", "]\n],\"version\":1,\"format\":\"liquid-schedule\"}");
	char *newer = replaced(text, "\"version\":1", "\"version\":77");
	char *other = replaced(newer, "\"frames\":[", "\"frames\":[{\"orbit\":1},");
	char *wrong = replaced(later, "\"frames\":[", "\"frames\":[7,");
	struct liquid_schedule *schedule;
	struct liquid_error err;

	ok(!read_text(later, fabric, &schedule, &err), "format and version may be at the end");
	liquid_schedule_free(schedule);
	ok(read_text(other, fabric, &schedule, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "\"version\" is 77"), "a newer version comes before its frames: %s",
	   err.text);
	ok(read_text(wrong, fabric, &schedule, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "frame 0: must be an array"),
	   "nothing is missing behind wrong frames: %s", err.text);
	free(end);
	free(later);
	free(newer);
	free(other);
	free(wrong);
}

/* A name of as many bytes as may be, each written as an escape, and one more */
static void test_long_names(void)
{
	char name[6 * (LIQUID_NAME_MAX + 1) + 16], *copy;
	struct liquid_schedule *schedule;
	struct liquid_error err;

	for (int length = LIQUID_NAME_MAX; length <= LIQUID_NAME_MAX + 1; length++)
		for (int escaped = 0; escaped < 2; escaped++) {
			size_t used = (size_t)sprintf(name, "[\"");

			for (int i = 0; i < length; i++)
				used += (size_t)sprintf(name + used, escaped ? "\\u0061" : "a");
			strcpy(name + used, "\",");
			copy = replaced(text, "[\"t1\",", name);
			ok(!read_text(copy, NULL, &schedule, &err) == (length == LIQUID_NAME_MAX) &&
			   (schedule || strstr(err.text, "must be a string of 1 ... 255 bytes")),
			   "a name of %d bytes%s", length, escaped ? ", in escapes" : "");
			liquid_schedule_free(schedule);
			free(copy);
		}
}

/* Numbered anew is the same as read with the fabric. */
static void test_renumber(void)
{
	struct liquid_fabric *other = make_triangle(1);
	struct liquid_schedule *schedule;
	struct liquid_error err;
	char *again;

	must(read_text(text, NULL, &schedule, &err), &err);
	ok(liquid_schedule_renumber(schedule, other, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "has no host"), "a fabric that lacks a host is refused: %s", err.text);
	again = json_of(schedule, fabric);
	ok(liquid_schedule_host_count(schedule) == 10,
	   "a fabric that is refused changes nothing in the schedule");
	free(again);
	must(liquid_schedule_renumber(schedule, fabric, &err), &err);
	again = json_of(schedule, fabric);
	ok(!strcmp(text, again) && find_name(schedule, "t1") == liquid_fabric_find_host(fabric,
											"t1"),
	   "renumbered, its hosts are the fabric's and its frames are sorted");
	free(again);
	liquid_schedule_free(schedule);
	liquid_fabric_free(other);
}

/* Cut off anywhere, it is refused; nothing is read past the end. */
static void test_truncated(void)
{
	struct liquid_schedule *schedule;
	size_t refused = 0, length = strlen(text) - 1;
	struct liquid_error err;

	for (size_t size = 0; size < length; size++) {
		FILE *in = file_of(text, size);

		refused += liquid_schedule_read_json(in, "cut", fabric, &schedule, &err) ==
			LIQUID_BAD_INPUT && !schedule;
		fclose(in);
	}
	ok(refused == length, "cut off after any of %zu bytes it is refused", length);
}

/* ---- without a fabric, slices, the sum of the frames ---- */

static void test_slice(const struct liquid_schedule *schedule, const char *how)
{
	uint32_t dst[6], sent = 0, idle = 0, t1 = find_name(schedule, "t1");
	bool seen[10] = { false };
	struct liquid_error err;

	must(liquid_schedule_slice(schedule, t1, 1, dst, &err), &err);
	for (int frame = 0; frame < 6; frame++) {
		idle += dst[frame] == LIQUID_NONE;
		sent += dst[frame] != LIQUID_NONE && !seen[dst[frame]];
		if (dst[frame] != LIQUID_NONE)
			seen[dst[frame]] = true;
	}
	ok(sent == 5 && idle == 1, "%s: t1's slice has five receivers and an idle frame", how);
}

/* @schedule: t1 has five frames of six; in the first it sends to r1 and r2 besides. */
static void test_parts(const struct liquid_schedule *schedule)
{
	uint32_t t1 = find_name(schedule, "t1"), most = liquid_schedule_at_once(schedule, t1);
	uint32_t dst[6 * 6], r1 = find_name(schedule, "r1"), r2 = find_name(schedule, "r2");
	uint32_t shared = 0, whole = 0;
	struct liquid_error err;

	must(liquid_schedule_slice(schedule, t1, most, dst, &err), &err);
	for (uint32_t frame = 1; frame < 6; frame++) {
		const uint32_t *part = dst + frame * most;

		shared += part[0] == LIQUID_NONE;
		whole += part[0] == part[most - 1];
	}
	ok(most >= 2 && most <= 3 && (dst[0] == r1 || dst[1] == r1) &&
	   (dst[most - 2] == r2 || dst[most - 1] == r2 || dst[1] == r2),
	   "frames cut into %u parts: the first is for r1 and r2", most);
	ok(whole == 5 && shared <= 1, "a frame with one transfer has it in all its parts");
	must(liquid_schedule_slice(schedule, t1, 2 * most, dst, &err), &err);
	ok(dst[0] == dst[1] && dst[2 * most - 2] == dst[2 * most - 1] &&
	   dst[0] != dst[2 * most - 1], "twice as many parts: two each");
	ok(liquid_schedule_at_once(schedule, find_name(schedule, "t2")) == 1 &&
	   !liquid_schedule_at_once(schedule, r1), "t2 sends one at once, r1 none");
}

static void test_names(void)
{
	struct liquid_schedule *schedule;
	struct liquid_traffic *traffic;
	struct liquid_error err;
	uint32_t dst[6];
	char *copy;

	must(read_text(text, NULL, &schedule, &err), &err);
	ok(liquid_schedule_host_count(schedule) == 10 &&
	   !liquid_schedule_host_name(schedule, 10), "without a fabric: ten names");
	test_slice(schedule, "without a fabric");
	must(liquid_schedule_traffic(schedule, NULL, &traffic, &err), &err);
	ok(liquid_traffic_pair_count(traffic) == 25, "the frames carry 25 pairs");
	liquid_traffic_free(traffic);
	ok(liquid_schedule_slice(schedule, 10, 1, dst, &err) == LIQUID_BAD_INPUT,
	   "a slice of a host that is not there is refused");
	liquid_schedule_free(schedule);
	must(read_text(text, fabric, &schedule, &err), &err);
	test_slice(schedule, "with the fabric");
	liquid_schedule_free(schedule);
	copy = replaced(text, "\"frames\":[\n[", "\"frames\":[\n[[\"t1\",\"r1\"],[\"t1\",\"r2\"],");
	must(read_text(copy, NULL, &schedule, &err), &err);
	ok(liquid_schedule_slice(schedule, find_name(schedule, "t1"), 1, dst, &err) ==
	   LIQUID_BAD_INPUT && strstr(err.text, "frame 0: 't1' sends to"),
	   "a slice with two transfers in a frame is refused: %s", err.text);
	test_parts(schedule);
	liquid_schedule_free(schedule);
	free(copy);
}

static void test_frames(void)
{
	struct liquid_schedule *schedule;
	const struct liquid_transfer *transfers;
	bool sorted = true;
	size_t count, total = 0;
	struct liquid_error err;

	must(read_text(text, fabric, &schedule, &err), &err);
	for (uint32_t frame = 0; frame < 6; frame++) {
		transfers = liquid_schedule_frame(schedule, frame, &count);
		total += count;
		for (size_t i = 1; i < count; i++)
			sorted &= transfers[i - 1].src < transfers[i].src;
	}
	ok(sorted && total == 25, "frames come sorted");
	ok(!liquid_schedule_frame(schedule, 6, &count) && !count,
	   "there is no frame past the last");
	liquid_schedule_free(schedule);
}

static void test_empty(void)
{
	struct liquid_traffic *traffic;
	struct liquid_schedule *schedule, *back;
	struct liquid_error err;
	char *written;

	must(liquid_traffic_new(&traffic, &err), &err);
	schedule = solve(fabric, traffic);
	written = json_of(schedule, fabric);
	must(read_text(written, NULL, &back, &err), &err);
	ok(!liquid_schedule_info(back)->length && !liquid_schedule_host_count(back),
	   "an empty schedule is written and read");
	free(written);
	liquid_schedule_free(schedule);
	liquid_schedule_free(back);
	liquid_traffic_free(traffic);
}

/* ---- names that shall collide ---- */

#define FLOOD_NAMES 20000u
#define FLOOD_SLOTS 65536u	/* of a table that has two to four for each of them */

/* FNV-1a of 32 bits, folded, which has no key: what is easily made to collide */
static uint32_t plain_hash(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return hash ^ hash >> 15;
}

/* A schedule whose names belong into one of @parts parts of a table. Returns seconds. */
static double load_names(uint32_t parts)
{
	struct schedule_file file;
	struct liquid_error err;
	char name[24], *names = NULL;
	size_t size;
	FILE *out = open_memstream(&names, &size);
	double begin;

	fputs("{\"frames\":[[", out);
	for (uint32_t i = 0, count = 0; count < FLOOD_NAMES; i++) {
		snprintf(name, sizeof(name), "h%ux", i);
		if (plain_hash(name) % FLOOD_SLOTS < FLOOD_SLOTS / parts)
			fprintf(out, "%s[\"a\",\"%s\"]", count++ ? "," : "", name);
	}
	fputs("]]}", out);
	fclose(out);
	out = file_of(names, size);
	begin = cpu_seconds();
	must(schedule_file_load(out, "text", &file, &err), &err);
	must(file.frames_status, &file.reason);
	begin = cpu_seconds() - begin;
	fclose(out);
	schedule_file_clear(&file);
	free(names);
	return begin;
}

static void test_flood(void)
{
	double plain = load_names(1), flood = load_names(256);

	ok(flood < 3 * plain + 0.1, "names that were made to collide: %.3f s, others %.3f s",
	   flood, plain);
}

int main(void)
{
	struct liquid_traffic *traffic;
	struct liquid_schedule *schedule;

	fabric = make_fabric("papers-5x5", NULL, 0);
	traffic = all_routes(fabric);
	schedule = solve(fabric, traffic);
	text = json_of(schedule, fabric);
	test_round_trip();
	test_figures();
	test_unit_rate();
	test_witness_kept();
	test_bad_fields();
	test_truncated();
	test_unusual();
	test_order();
	test_long_names();
	test_renumber();
	test_names();
	test_frames();
	test_empty();
	free(text);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
	test_flood();
	return tap_exit();
}

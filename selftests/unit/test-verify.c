// SPDX-License-Identifier: GPL-2.0-only
/* The verifier: schedules broken in every way, and what it says of each. */
#include "fixtures.h"
#include "tap.h"

/* What the verifier found, in one string. */
struct findings {
	char text[65536];
	size_t used;
	uint32_t count;
};

static void collect(void *context, const char *text)
{
	struct findings *findings = context;

	findings->count++;
	findings->used += snprintf(findings->text + findings->used,
				   sizeof(findings->text) - findings->used, "%s\n", text);
}

/* Read @json for @fabric and verify it; LIQUID_OK or LIQUID_INVALID. */
static int verify(const char *json, const struct liquid_fabric *fabric,
		  const struct liquid_traffic *traffic, struct findings *findings)
{
	struct liquid_schedule *schedule;
	struct liquid_error err = { "" };
	int status;

	*findings = (struct findings){ .used = 0 };
	must(read_text(json, fabric, &schedule, &err), &err);
	status = liquid_verify(fabric, traffic, schedule, collect, findings, &err);
	liquid_schedule_free(schedule);
	/* The error is the first finding. */
	if (status == LIQUID_INVALID && strncmp(err.text, findings->text, strlen(err.text)))
		return LIQUID_BAD_INPUT;
	return status;
}

static void expect(const char *json, const struct liquid_fabric *fabric,
		   const struct liquid_traffic *traffic, const char *finding, const char *what)
{
	struct findings findings;
	int status = verify(json, fabric, traffic, &findings);

	if (!ok(status == LIQUID_INVALID && strstr(findings.text, finding), "%s: %s", what,
		finding))
		printf("# %d %s\n", status, findings.text);
}

/* @from made @to in the schedule is found, and the finding says @finding. */
static void broken(const char *json, const struct liquid_fabric *fabric,
		   const struct liquid_traffic *traffic, const char *from, const char *to,
		   const char *finding)
{
	char *copy = replaced(json, from, to);

	expect(copy, fabric, traffic, finding, to);
	free(copy);
}

/* ---- a hand-made schedule, of which every line is known ---- */

#define HEAD "{\"format\":\"liquid-schedule\",\"version\":1,\"fabric\":\"papers-5x5\"," \
	"\"fabric_digest\":\"%s\",\"traffic_digest\":\"%s\",\"method\":\"hand\",\"seed\":0," \
	"\"work\":0,\"unit_bytes\":null,\"link_rate_bps\":null,\"transfers\":4,\"duration\":2," \
	"\"fluid_bound\":2.0,\"length\":2,\"lower_bound\":2,\"certificate\":\"liquid\"," \
	"\"witness\":null,\"frames\":[[[\"t1\",\"r4\"],[\"t4\",\"r1\"]],[[\"t2\",\"r5\"],[\"t5\",\"r1\"]]]}"

static char *hand_made(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic)
{
	char fabric_digest[LIQUID_DIGEST_HEX], traffic_digest[LIQUID_DIGEST_HEX], *json;
	struct liquid_error err;

	must(liquid_fabric_digest(fabric, fabric_digest, &err), &err);
	must(liquid_traffic_digest(fabric, traffic, traffic_digest, &err), &err);
	if (asprintf(&json, HEAD, fabric_digest, traffic_digest) < 0)
		exit(1);
	return json;
}

static struct liquid_traffic *hand_traffic(const struct liquid_fabric *fabric)
{
	static const char text[] = "t1 r4\nt2 r5\nt4 r1\nt5 r1\n";
	struct liquid_traffic *traffic;
	struct liquid_error err;
	FILE *in = file_of(text, sizeof(text) - 1);

	must(liquid_traffic_read(in, "text", fabric, &traffic, &err), &err);
	fclose(in);
	return traffic;
}

static void test_frames(const char *json, const struct liquid_fabric *fabric,
			const struct liquid_traffic *traffic)
{
	char *longer;

	broken(json, fabric, traffic, "[[\"t1\",\"r4\"],", "[[\"t1\",\"r4\"],[\"t2\",\"r5\"],",
	       "frame 0: link sa>sb carries 2 transfers, its capacity is 1: t1>r4, t2>r5");
	broken(json, fabric, traffic, "[[\"t1\",\"r4\"],", "[[\"t1\",\"r4\"],[\"t1\",\"r2\"],",
	       "frame 0: host 't1' sends 2 transfers at once: t1>r2, t1>r4");
	broken(json, fabric, traffic, "[[\"t1\",\"r4\"],", "[[\"t1\",\"r4\"],[\"t5\",\"r4\"],",
	       "frame 0: host 'r4' receives 2 transfers at once: t1>r4, t5>r4");
	broken(json, fabric, traffic, "[[\"t1\",\"r4\"],", "[[\"r1\",\"t4\"],",
	       "frame 0: r1>t4 has no route in the fabric");
	broken(json, fabric, traffic, "[[\"t1\",\"r4\"],", "[", "t1>r4: 1 missing (the traffic has 1");
	broken(json, fabric, traffic, "[[\"t1\",\"r4\"],", "[[\"t1\",\"r2\"],[\"t2\",\"r4\"],",
	       "t1>r2: 1 extra (the traffic has 0, the frames 1)");
	broken(json, fabric, traffic, "[\"t5\",\"r1\"]", "[\"t4\",\"r1\"]",
	       "t4>r1: 1 extra (the traffic has 1, the frames 2)");
	longer = replaced(json, "\"length\":2", "\"length\":3");
	broken(longer, fabric, traffic, "[\"t5\",\"r1\"]]]", "[\"t5\",\"r1\"]],[]]",
	       "frame 2 is empty");
	broken(longer, fabric, traffic, "[\"t5\",\"r1\"]]]", "[\"t5\",\"r1\"]],[]]",
	       "certificate 'liquid', but the length is 3 and the duration 2");
	free(longer);
}

static void test_figures(const char *json, const struct liquid_fabric *fabric,
			 const struct liquid_traffic *traffic)
{
	broken(json, fabric, traffic, "\"transfers\":4", "\"transfers\":5",
	       "\"transfers\" is 5, but there are 4");
	broken(json, fabric, traffic, "\"duration\":2", "\"duration\":1",
	       "\"duration\" is 1, but the loads make it 2");
	broken(json, fabric, traffic, "\"fluid_bound\":2.0", "\"fluid_bound\":1.5",
	       "\"fluid_bound\" is 1.5, but the loads make it 2");
	broken(json, fabric, traffic, "\"lower_bound\":2", "\"lower_bound\":1",
	       "\"lower_bound\" 1 is below the duration 2");
	broken(json, fabric, traffic, "\"lower_bound\":2", "\"lower_bound\":3",
	       "\"lower_bound\" 3 is above the length 2");
	broken(json, fabric, traffic, "\"lower_bound\":2", "\"lower_bound\":3",
	       "above the duration 2 and has no witness");
	broken(json, fabric, traffic, "\"certificate\":\"liquid\"", "\"certificate\":\"optimal\"",
	       "certificate 'optimal', but the length 2 is not above the duration 2");
	broken(json, fabric, traffic, "\"certificate\":\"liquid\"", "\"certificate\":\"gap\"",
	       "certificate 'gap', but the length 2 is not above the lower bound 2");
	broken(json, fabric, traffic, "\"fabric_digest\":\"",
	       "\"fabric_digest\":\"0000000000000000000000000000000000000000000000000000000000000000\","
	       "\"x\":\"", "the schedule was made for another fabric");
	broken(json, fabric, traffic, "\"traffic_digest\":\"",
	       "\"traffic_digest\":\"0000000000000000000000000000000000000000000000000000000000000000\","
	       "\"x\":\"", "\"traffic_digest\" is 0000000000000000..., the traffic's is");
}

static void test_hand_made(void)
{
	struct liquid_fabric *fabric = make_fabric("papers-5x5", NULL, 0);
	struct liquid_traffic *traffic = hand_traffic(fabric), *other = all_routes(fabric);
	char *json = hand_made(fabric, traffic);
	struct findings findings;

	ok(!verify(json, fabric, traffic, &findings) && !findings.count,
	   "a schedule made by hand holds");
	ok(!verify(json, fabric, NULL, &findings), "it holds for the traffic that it says");
	ok(verify(json, fabric, other, &findings) == LIQUID_INVALID && findings.count > 21 &&
	   strstr(findings.text, "t1>r1: 1 missing"), "not for another: all that is missing is named");
	test_frames(json, fabric, traffic);
	test_figures(json, fabric, traffic);
	free(json);
	liquid_traffic_free(traffic);
	liquid_traffic_free(other);
	liquid_fabric_free(fabric);
}

/* Schedules of one fabric on another of the same hosts. */
static void test_other_fabric(void)
{
	struct liquid_fabric *narrow = make_triangle(1), *wide = make_triangle(2);
	struct liquid_traffic *traffic = triangle_traffic(1);
	struct liquid_schedule *schedule = solve(wide, traffic);
	char *json = json_of(schedule, wide);
	struct findings findings;

	ok(!verify(json, wide, traffic, &findings), "capacity 2: one frame for all three holds");
	expect(json, narrow, traffic, "the schedule was made for another fabric", "capacity 1");
	expect(json, narrow, traffic, "frame 0: link b>c carries 2 transfers, its capacity is 1: "
	       "t1>r1, t2>r2", "capacity 1");
	expect(json, narrow, traffic, "\"duration\" is 1, but the loads make it 2", "capacity 1");
	free(json);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(narrow);
	liquid_fabric_free(wide);
}

/* ---- witnesses ---- */

static const char *const good_witnesses[] = {
	"{\"kind\":\"clique\",\"transfers\":[[\"t1\",\"r1\"],[\"t2\",\"r2\"],[\"t3\",\"r3\"]]}",
	"{\"kind\":\"multipliers\",\"denominator\":2,\"links\":[[\"a>b\",1],[\"b>c\",1],[\"c>a\",1]]}",
	"{\"kind\":\"search\",\"frames\":2}",
};

static const struct {
	const char *witness, *finding;
} bad_witnesses[] = {
	{ "null", "lower_bound\" 3 is above the duration 2 and has no witness" },
	{ "{}", "witness: \"kind\" must be" },
	{ "{\"kind\":\"oracle\"}", "witness: \"kind\" must be" },
	{ "{\"kind\":\"clique\"}", "witness: a clique has 1" },
	{ "{\"kind\":\"clique\",\"transfers\":[[\"t1\",\"r1\"],[\"t2\",\"r2\"]]}",
	  "the witness proves a lower bound of 2, not of 3" },
	{ "{\"kind\":\"clique\",\"transfers\":[[\"t1\",\"r1\"],[\"t1\",\"r1\"],[\"t2\",\"r2\"]]}",
	  "witness: t1>r1 and t1>r1 are the same" },
	{ "{\"kind\":\"clique\",\"transfers\":[[\"t1\",\"r2\"]]}",
	  "witness: t1>r2 is not in the traffic" },
	{ "{\"kind\":\"clique\",\"transfers\":[7]}", "witness: transfer 0 must be" },
	{ "{\"kind\":\"multipliers\",\"denominator\":0,\"links\":[[\"a>b\",1]]}",
	  "witness: multipliers need a denominator" },
	{ "{\"kind\":\"multipliers\",\"denominator\":1,\"links\":[[\"a>b\",1]]}",
	  "the witness proves a lower bound of 2, not of 3" },
	{ "{\"kind\":\"multipliers\",\"denominator\":4,\"links\":[[\"a>b\",1]]}",
	  "witness: the multipliers weigh less than 1 a frame" },
	{ "{\"kind\":\"multipliers\",\"denominator\":2,\"links\":[[\"a>c\",1]]}",
	  "witness: link 'a>c' is unknown" },
	{ "{\"kind\":\"multipliers\",\"denominator\":2,\"links\":[[\"a>b\",1],[\"a>b\",1]]}",
	  "witness: link 'a>b' is named twice" },
	{ "{\"kind\":\"multipliers\",\"denominator\":2,\"links\":[[\"a>b\",-1]]}",
	  "witness: link 0 must be" },
	{ "{\"kind\":\"search\",\"frames\":0}", "witness: a search names its frames" },
	{ "{\"kind\":\"search\",\"frames\":1}", "the witness proves a lower bound of 2, not of 3" },
	{ "{\"kind\":\"search\",\"frames\":3}", "witness: the traffic does fit in 3 frames" },
	{ "{\"kind\":\"search\",\"frames\":65}", "witness: the search for 65 frames is too large" },
};

static void test_witnesses(void)
{
	struct liquid_fabric *fabric = make_triangle(1);
	struct liquid_traffic *traffic = triangle_traffic(1);
	struct liquid_schedule *schedule = solve(fabric, traffic);
	char *json = json_of(schedule, fabric), *witness, *blank;
	struct findings findings;

	if (asprintf(&witness, "\"witness\":%s",
		     liquid_schedule_info(schedule)->witness_json) < 0)
		exit(1);
	blank = replaced(json, witness, "\"witness\":NONE");
	for (size_t i = 0; i < sizeof(good_witnesses) / sizeof(good_witnesses[0]); i++) {
		char *copy = replaced(blank, "NONE", good_witnesses[i]);

		ok(!verify(copy, fabric, traffic, &findings), "holds: %s", good_witnesses[i]);
		free(copy);
	}
	for (size_t i = 0; i < sizeof(bad_witnesses) / sizeof(bad_witnesses[0]); i++) {
		char *copy = replaced(blank, "NONE", bad_witnesses[i].witness);

		expect(copy, fabric, traffic, bad_witnesses[i].finding, bad_witnesses[i].witness);
		free(copy);
	}
	free(blank);
	free(witness);
	free(json);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* Transfers that share only a link of capacity 2 do not congest; three halves of 6 hold 3 a frame. */
static void test_witness_capacity(void)
{
	struct liquid_fabric *fabric = make_triangle(2);
	struct liquid_traffic *traffic = triangle_traffic(1);
	struct liquid_schedule *schedule = solve(fabric, traffic);
	char *json = json_of(schedule, fabric), *copy;
	struct findings findings;

	copy = replaced(json, "\"witness\":null", "\"witness\":{\"kind\":\"clique\",\"transfers\":"
			"[[\"t1\",\"r1\"],[\"t2\",\"r2\"]]}");
	expect(copy, fabric, traffic, "t1>r1 and t2>r2 do not congest", "a clique over capacity 2");
	free(copy);
	copy = replaced(json, "\"witness\":null", "\"witness\":{\"kind\":\"multipliers\","
			"\"denominator\":2,\"links\":[[\"a>b\",1],[\"b>c\",1],[\"c>a\",1]]}");
	ok(!verify(copy, fabric, traffic, &findings), "multipliers count capacities: a bound of 1");
	free(copy);
	free(json);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* All findings are counted; only so many are told. */
static void test_many_findings(void)
{
	struct liquid_fabric *fabric = make_fabric("swiss-t1", NULL, 0);
	struct liquid_traffic *traffic = all_routes(fabric), *empty;
	struct liquid_schedule *schedule;
	struct findings findings;
	struct liquid_error err;
	char *json;

	must(liquid_traffic_new(&empty, &err), &err);
	schedule = solve(fabric, empty);
	json = json_of(schedule, fabric);
	ok(verify(json, fabric, traffic, &findings) == LIQUID_INVALID && findings.count == 101 &&
	   strstr(findings.text, "\nand 930 more\n"),
	   "of 1030 findings 100 are told, and the number of the rest");
	free(json);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_traffic_free(empty);
	liquid_fabric_free(fabric);
}

/* Any transfer of a liquid schedule moved to another frame, or dropped, is noticed. */
static void test_random_moves(void)
{
	struct dice dice = { 99 };
	struct liquid_fabric *fabric = make_fabric("papers-5x5", NULL, 0);
	struct liquid_traffic *traffic = all_routes(fabric);
	struct liquid_schedule *schedule = solve(fabric, traffic);
	uint32_t noticed = 0;

	for (int round = 0; round < 100; round++) {
		uint32_t frame = roll(&dice, 6);
		const struct liquid_transfer *transfers;
		char entry[64], *json = json_of(schedule, fabric), *copy, *moved;
		struct findings findings;
		size_t count;

		transfers = liquid_schedule_frame(schedule, frame, &count);
		transfers += roll(&dice, (uint32_t)count);
		snprintf(entry, sizeof(entry), "[\"%s\",\"%s\"]",
			 liquid_fabric_node_name(fabric, transfers->src),
			 liquid_fabric_node_name(fabric, transfers->dst));
		/* Taken out of its frame and put into the first one; there it may be already. */
		copy = replaced(json, entry, "[\"t1\",\"r1\"]");
		moved = roll(&dice, 2) ? replaced(copy, "\"frames\":[\n[", "\"frames\":[\n[[\"t1\",\"r1\"],") :
			strdup(copy);
		noticed += !strcmp(moved, json) ||
			verify(moved, fabric, traffic, &findings) == LIQUID_INVALID;
		free(moved);
		free(copy);
		free(json);
	}
	ok(noticed == 100, "100 random changes of a liquid schedule are all noticed");
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

int main(void)
{
	test_hand_made();
	test_other_fabric();
	test_witnesses();
	test_witness_capacity();
	test_many_findings();
	test_random_moves();
	return tap_exit();
}

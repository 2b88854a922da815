// SPDX-License-Identifier: GPL-2.0-only
/* The verifier: schedules broken in every way, and what it says of each. */
#include "fixtures.h"
#include "tap.h"
#include "schedule/schedule.h"
#include "verify/packing.h"
#include "verify/verify.h"

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
	if (status == LIQUID_INVALID &&
	    (!*err.text || strncmp(err.text, findings->text, strlen(err.text))))
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

#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"
#define HEAD "{\"format\":\"liquid-schedule\",\"version\":1,\"fabric\":\"papers-5x5\"," \
	"\"fabric_digest\":\"%s\",\"traffic_digest\":\"%s\",\"method\":\"hand\",\"seed\":0," \
	"\"work\":0,\"unit_bytes\":null,\"link_rate_bps\":null,\"transfers\":4,\"duration\":2," \
	"\"fluid_bound\":2.0,\"length\":2,\"lower_bound\":2,\"certificate\":\"liquid\"," \
	"\"witness\":null," \
	"\"frames\":[[[\"t1\",\"r4\"],[\"t4\",\"r1\"]],[[\"t2\",\"r5\"],[\"t5\",\"r1\"]]]}"

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
	broken(json, fabric, traffic, "[[\"t1\",\"r4\"],", "[",
	       "t1>r4: 1 missing (the traffic has 1");
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

/* @from made @to in the schedule: of what is missing or extra all this is said, and no more. */
static void differs(const char *json, const struct liquid_fabric *fabric,
		    const struct liquid_traffic *traffic, const char *from, const char *to,
		    const char *differences)
{
	char *copy = replaced(json, from, to), found[1024] = "";
	struct findings findings;
	int status = verify(copy, fabric, traffic, &findings);

	for (char *line = strtok(findings.text, "\n"); line; line = strtok(NULL, "\n"))
		if (strstr(line, "(the traffic has"))
			strcat(strcat(found, line), "\n");
	if (!ok(status == LIQUID_INVALID && !strcmp(found, differences), "%s: what differs, and "
		"nothing else", to))
		printf("# %s\n", found);
	free(copy);
}

static void test_differences(const char *json, const struct liquid_fabric *fabric,
			     const struct liquid_traffic *traffic)
{
	struct liquid_traffic *more;
	struct liquid_error err;

	differs(json, fabric, traffic, "[[\"t1\",\"r4\"],", "[",
		"t1>r4: 1 missing (the traffic has 1, the frames 0)\n");
	differs(json, fabric, traffic, "[[\"t1\",\"r4\"],", "[[\"t1\",\"r4\"],[\"t3\",\"r3\"],",
		"t3>r3: 1 extra (the traffic has 0, the frames 1)\n");
	differs(json, fabric, traffic, "[\"t5\",\"r1\"]]]", "[\"t5\",\"r5\"]]]",
		"t5>r1: 1 missing (the traffic has 1, the frames 0)\n"
		"t5>r5: 1 extra (the traffic has 0, the frames 1)\n");
	must(liquid_traffic_new(&more, &err), &err);
	for (size_t i = 0; i < liquid_traffic_pair_count(traffic); i++) {
		const struct liquid_pair *pair = &liquid_traffic_pairs(traffic)[i];

		must(liquid_traffic_add(more, pair->src, pair->dst, 5, &err), &err);
	}
	differs(json, fabric, more, "[[\"t1\",\"r4\"],", "[[\"t1\",\"r4\"],[\"t5\",\"r1\"],",
		"t1>r4: 4 missing (the traffic has 5, the frames 1)\n"
		"t2>r5: 4 missing (the traffic has 5, the frames 1)\n"
		"t4>r1: 4 missing (the traffic has 5, the frames 1)\n"
		"t5>r1: 3 missing (the traffic has 5, the frames 2)\n");
	liquid_traffic_free(more);
	broken(json, fabric, NULL, "[[\"t1\",\"r4\"],", "[[\"r1\",\"t4\"],",
	       "r1>t4 of the traffic has no route in the fabric");
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
	       "\"fabric_digest\":\"" ZEROS "\","
	       "\"x\":\"", "the schedule was made for another fabric");
	broken(json, fabric, traffic, "\"traffic_digest\":\"",
	       "\"traffic_digest\":\"" ZEROS "\","
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
	   strstr(findings.text, "t1>r1: 1 missing"),
	   "not for another: all that is missing is named");
	test_frames(json, fabric, traffic);
	test_differences(json, fabric, traffic);
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
	"{\"kind\":\"multipliers\",\"denominator\":2,"
	"\"links\":[[\"a>b\",1],[\"b>c\",1],[\"c>a\",1]]}",
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
	  "witness: the transfers of a frame are worth less than 1" },
	{ "{\"kind\":\"multipliers\",\"denominator\":2,\"links\":[[\"a>c\",1]]}",
	  "witness: link 'a>c' is unknown" },
	{ "{\"kind\":\"multipliers\",\"denominator\":2,\"links\":[[\"a>b\",1],[\"a>b\",1]]}",
	  "witness: link 'a>b' is named twice" },
	{ "{\"kind\":\"multipliers\",\"denominator\":2,\"links\":[[\"a>b\",-1]]}",
	  "witness: link 0 must be" },
	{ "{\"kind\":\"search\",\"frames\":0}", "witness: a search needs its \"frames\"" },
	{ "{\"kind\":\"search\",\"frames\":1}", "the witness proves a lower bound of 2, not of 3" },
	{ "{\"kind\":\"search\",\"frames\":3}", "witness: the traffic can be carried in 3 frames" },
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

/*
 * Transfers that share only a link of capacity 2 do not congest; three halves of 6 hold 3 a frame.
 */
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

/*
 * @claimed, which is @plain with a witness, holds, which @what says, and takes little longer: in
 * time of the processor.
 */
static void verifies_soon(const char *plain, const char *claimed,
			  const struct liquid_fabric *fabric,
			  const struct liquid_traffic *traffic, const char *what)
{
	double begin = cpu_seconds(), without, with;
	struct findings findings;

	verify(plain, fabric, traffic, &findings);
	without = cpu_seconds() - begin;
	ok(!verify(claimed, fabric, traffic, &findings), "%s", what);
	with = cpu_seconds() - begin - without;
	ok(with < 4 * without + 0.5, "and is verified within %.3f s, %.3f s without it", with,
	   without);
}

/* Where each name is compared with all links, this takes seconds. */
static void test_every_link_named(void)
{
	static const char *const params[] = { "k=16" };
	struct liquid_fabric *fabric = make_fabric("fat-tree", params, 1);
	struct liquid_traffic *traffic;
	struct liquid_schedule *schedule;
	struct liquid_error err;
	char *json, *copy, *witness, name[600];
	size_t size;
	FILE *out = open_memstream(&witness, &size);

	must(liquid_traffic_new(&traffic, &err), &err);
	must(liquid_traffic_add(traffic, 0, 1, 1, &err), &err);
	schedule = solve(fabric, traffic);
	json = json_of(schedule, fabric);
	fputs("\"witness\":{\"kind\":\"multipliers\",\"denominator\":1,\"links\":", out);
	for (uint32_t link = 0; link < liquid_fabric_link_count(fabric); link++)
		fprintf(out, "%s[\"%s\",1]", link ? "," : "[",
			liquid_fabric_link_name(fabric, link, name, sizeof(name)));
	fputs("]}", out);
	fclose(out);
	copy = replaced(json, "\"witness\":null", witness);
	verifies_soon(json, copy, fabric, traffic, "a witness that names every link holds");
	free(copy);
	free(witness);
	free(json);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* ---- what a forger writes ---- */

struct claim {
	uint32_t transfers, duration, length, bound;
	double fluid;
	const char *certificate, *witness, *frames;
};

static char *forged(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		    const struct claim *claim)
{
	char fabric_digest[LIQUID_DIGEST_HEX], traffic_digest[LIQUID_DIGEST_HEX], *json;
	struct liquid_error err;

	must(liquid_fabric_digest(fabric, fabric_digest, &err), &err);
	must(liquid_traffic_digest(fabric, traffic, traffic_digest, &err), &err);
	if (asprintf(&json, "{\"format\":\"liquid-schedule\",\"version\":1,\"fabric\":\"forged\","
		     "\"fabric_digest\":\"%s\",\"traffic_digest\":\"%s\",\"method\":\"hand\","
		     "\"seed\":0,\"work\":0,\"unit_bytes\":null,\"link_rate_bps\":null,"
		     "\"transfers\":%" PRIu32 ",\"duration\":%" PRIu32 ",\"fluid_bound\":%.17g,"
		     "\"length\":%" PRIu32 ",\"lower_bound\":%" PRIu32 ",\"certificate\":\"%s\","
		     "\"witness\":%s,\"frames\":[%s]}", fabric_digest, traffic_digest,
		     claim->transfers, claim->duration, claim->fluid, claim->length,
		     claim->bound, claim->certificate, claim->witness, claim->frames) < 0)
		exit(1);
	return json;
}

/* s1>r1, s2>r2, ... , @count of them. */
static struct liquid_traffic *straight(uint32_t senders, uint32_t count)
{
	struct liquid_traffic *traffic;
	struct liquid_error err;

	must(liquid_traffic_new(&traffic, &err), &err);
	for (uint32_t i = 0; i < count; i++)
		must(liquid_traffic_add(traffic, i, senders + i, 1, &err), &err);
	return traffic;
}

/*
 * @claim for the first transfers of a dumbbell of 4; @finding NULL: it holds, and nothing is said.
 */
static void claimed_on(uint32_t capacity, uint32_t cables, const struct claim *claim,
		       const char *finding, const char *what)
{
	struct liquid_fabric *fabric = make_dumbbell(4, capacity, cables);
	struct liquid_traffic *traffic = straight(4, claim->transfers);
	char *json = forged(fabric, traffic, claim);
	struct findings findings;

	if (finding)
		expect(json, fabric, traffic, finding, what);
	else
		ok(!verify(json, fabric, traffic, &findings) && !findings.count, "holds: %s", what);
	free(json);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

static void claimed(uint32_t capacity, const struct claim *claim, const char *finding,
		    const char *what)
{
	claimed_on(capacity, 1, claim, finding, what);
}

#define S1 "[\"s1\",\"r1\"]"
#define S2 "[\"s2\",\"r2\"]"
#define S3 "[\"s3\",\"r3\"]"
#define S4 "[\"s4\",\"r4\"]"

static void test_capacities(void)
{
	claimed(2, &(struct claim){ 3, 2, 2, 2, 1.5, "liquid", "null", "[" S1 "," S2 "],[" S3 "]" },
		NULL, "two over a link of capacity 2");
	claimed(2, &(struct claim){ 3, 2, 1, 2, 1.5, "liquid", "null", "[" S1 "," S2 "," S3 "]" },
		"frame 0: link a>b carries 3 transfers, its capacity is 2: s1>r1, s2>r2, s3>r3",
		"three over a link of capacity 2");
	claimed(3, &(struct claim){ 4, 2, 2, 2, 4. / 3, "liquid", "null",
				    "[" S1 "," S2 "," S3 "],[" S4 "]" },
		NULL, "three over a link of capacity 3");
	claimed(3, &(struct claim){ 4, 2, 1, 2, 4. / 3, "liquid", "null",
				    "[" S1 "," S2 "," S3 "," S4 "]" },
		"frame 0: link a>b carries 4 transfers, its capacity is 3: s1>r1, s2>r2, s3>r3, "
		"s4>r4",
		"four over a link of capacity 3");
}

/* Who congests is named, as many as there is room for. */
static void test_many_users(void)
{
	struct liquid_fabric *fabric = make_dumbbell(99, 2, 1);
	struct liquid_traffic *traffic = straight(99, 99);
	char *frames = NULL, *json, *users;
	struct findings findings;
	size_t size;
	FILE *out = open_memstream(&frames, &size);

	for (int i = 1; i <= 99; i++)
		fprintf(out, "%s[\"s%d\",\"r%d\"]", i > 1 ? "," : "[", i, i);
	fputs("]", out);
	fclose(out);
	json = forged(fabric, traffic, &(struct claim){ 99, 50, 1, 50, 49.5, "liquid", "null",
							frames });
	ok(verify(json, fabric, traffic, &findings) == LIQUID_INVALID && findings.count == 3,
	   "99 over a link of capacity 2: its frame, the length, the bound");
	users = strstr(findings.text, "its capacity is 2: s1>r1, s2>r2, s3>r3, ");
	ok(users && strcspn(users, "\n") == strlen("its capacity is 2: ") + 399 &&
	   strstr(users, "...\n"),
	   "the first of them are named, and then \"...\"");
	free(json);
	free(frames);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/*
 * Three transfers over a link of capacity 2 take two frames; what calls three the fewest is false.
 */
static const struct {
	const char *witness, *finding, *what;
} false_bounds[] = {
	{ "{\"kind\":\"multipliers\",\"denominator\":1,\"links\":[[\"a>b\",1]]}",
	  "the witness proves a lower bound of 2, not of 3",
	  "a frame is worth the link's capacity" },
	{ "{\"kind\":\"multipliers\",\"denominator\":2,\"links\":[[\"a>b\",1]]}",
	  "the witness proves a lower bound of 0, not of 3",
	  "a frame of worth, none in a transfer" },
	{ "{\"kind\":\"multipliers\",\"denominator\":1,\"links\":[[\"s4>a\",1]]}",
	  "the witness proves a lower bound of 0, not of 3", "a link that no one uses" },
	{ "{\"kind\":\"multipliers\",\"denominator\":1073741824,\"links\":[[\"a>b\",1073741824]]}",
	  "the witness proves a lower bound of 2, not of 3", "the largest numbers" },
	{ "{\"kind\":\"multipliers\",\"denominator\":1,\"links\":[[\"a>b\",1073741824],"
	  "[\"s1>a\",1073741824],[\"s2>a\",1073741824],[\"s3>a\",1073741824]]}",
	  "the witness proves a lower bound of 2, not of 3", "large sums" },
	{ "{\"kind\":\"multipliers\",\"denominator\":1,\"links\":[[\"a>b\",1073741825]]}",
	  "witness: link 0 must be [\"link\",1 ... 1073741824]", "a number too large" },
	{ "{\"kind\":\"multipliers\",\"denominator\":1,\"links\":[[\"a>b\",0]]}",
	  "witness: link 0 must be", "a multiplier of 0" },
	{ "{\"kind\":\"multipliers\",\"denominator\":1,\"links\":[[\"a>b\",1,1]]}",
	  "witness: link 0 must be", "three in a link" },
	{ "{\"kind\":\"multipliers\",\"denominator\":1,\"links\":[[\"a>b\",1.0]]}",
	  "witness: link 0 must be", "a real number" },
	{ "{\"kind\":\"multipliers\",\"denominator\":1,\"links\":[[7,1]]}",
	  "witness: link 0 must be", "a link without a name" },
	{ "{\"kind\":\"multipliers\",\"denominator\":1,\"links\":[]}",
	  "witness: multipliers need a denominator, 1 ... 1073741824, and links", "no links" },
	{ "{\"kind\":\"multipliers\",\"denominator\":1}",
	  "witness: multipliers need a denominator", "no key links" },
	{ "{\"kind\":\"multipliers\",\"links\":[[\"a>b\",1]]}",
	  "witness: multipliers need a denominator", "no denominator" },
	{ "{\"kind\":\"multipliers\",\"denominator\":1073741825,\"links\":[[\"a>b\",1]]}",
	  "witness: multipliers need a denominator", "a denominator too large" },
	{ "{\"kind\":\"multipliers\",\"denominator\":1.0,\"links\":[[\"a>b\",1]]}",
	  "witness: multipliers need a denominator", "a real denominator" },
	{ "{\"kind\":\"multipliers\",\"denominator\":2,\"links\":[[\"a>b\",2],[\"a>b\",2]]}",
	  "witness: link 'a>b' is named twice", "one link twice" },
	{ "{\"kind\":\"clique\",\"transfers\":[" S1 "," S2 "," S3 "]}",
	  "witness: s1>r1 and s2>r2 do not congest", "a clique over a link of capacity 2" },
	{ "{\"kind\":\"clique\",\"transfers\":[" S1 "]}",
	  "the witness proves a lower bound of 1, not of 3", "a clique of one" },
	{ "{\"kind\":\"clique\",\"transfers\":[" S1 "," S1 "," S1 "]}",
	  "witness: s1>r1 and s1>r1 are the same", "one transfer three times" },
	{ "{\"kind\":\"clique\",\"transfers\":[" S1 "," S4 "]}",
	  "witness: s4>r4 is not in the traffic", "a pair that no one sends" },
	{ "{\"kind\":\"clique\",\"transfers\":[[\"s1\",\"r9\"]]}",
	  "witness: s1>r9 is not in the traffic", "a host that is not there" },
	{ "{\"kind\":\"clique\",\"transfers\":[[\"s1\",\"r1\",\"r1\"]]}",
	  "witness: transfer 0 must be", "three in a transfer" },
	{ "{\"kind\":\"clique\",\"transfers\":[[\"s1\",1]]}",
	  "witness: transfer 0 must be", "a number for a host" },
	{ "{\"kind\":\"clique\",\"transfers\":[]}", "witness: a clique has 1", "an empty clique" },
	{ "{\"kind\":\"search\",\"frames\":1}",
	  "the witness proves a lower bound of 2, not of 3", "a true search for too few" },
	{ "{\"kind\":\"search\",\"frames\":2}",
	  "witness: the traffic can be carried in 2 frames", "a search that does find" },
	{ "{\"kind\":\"search\",\"frames\":2,\"denominator\":1,\"links\":[[\"s1>a\",1]],"
	  "\"transfers\":[" S1 "]}",
	  "witness: the traffic can be carried in 2 frames", "the keys of other kinds" },
	{ "{\"kind\":\"search\"}", "witness: a search needs its \"frames\"", "no frames" },
	{ "{\"kind\":\"search\",\"frames\":2.0}", "witness: a search needs its \"frames\"",
	  "real frames" },
	{ "{\"kind\":\"search\",\"frames\":-1}", "witness: a search needs its \"frames\"",
	  "frames below 0" },
	{ "{\"kind\":\"search\",\"frames\":268435456}", "witness: a search needs its \"frames\"",
	  "2^28 frames" },
	{ "{\"kind\":\"search\",\"frames\":4294967297}", "witness: a search needs its \"frames\"",
	  "2^32 + 1 frames" },
	{ "{\"kind\":\"search\",\"frames\":268435455}", "too large to be checked",
	  "the most frames" },
	{ "{\"kind\":7}", "witness: \"kind\" must be", "a kind that is a number" },
	{ "null", "\"lower_bound\" 3 is above the duration 2 and has no witness", "no witness" },
};

static void test_false_bounds(void)
{
	static const char frames[] = "[" S1 "],[" S2 "],[" S3 "]";

	for (size_t i = 0; i < sizeof(false_bounds) / sizeof(false_bounds[0]); i++)
		claimed(2, &(struct claim){ 3, 2, 3, 3, 1.5, "optimal", false_bounds[i].witness,
					    frames }, false_bounds[i].finding,
					    false_bounds[i].what);
	claimed(2, &(struct claim){ 3, 2, 3, 2, 1.5, "gap", false_bounds[1].witness, frames },
		"the witness proves a lower bound of 0, not of 2",
		"a bound that needs no witness, with one that proves nothing");
	claimed(2, &(struct claim){ 3, 2, 3, 2, 1.5, "gap", false_bounds[0].witness, frames }, NULL,
		"a bound that needs no witness, with one that proves it");
	claimed_on(2, 2, &(struct claim){ 3, 2, 3, 2, 1.5, "gap", false_bounds[0].witness, frames },
		   "witness: link 'a>b' is unknown or not the only one of this name",
		   "a link that has a twin");
	claimed(2, &(struct claim){ 3, 2, 3, 2, 1.5, "gap", "null", frames }, NULL,
		"a gap that is one");
	claimed(2, &(struct claim){ 3, 2, 3, 2, 1.5, "optimal", "null", frames },
		"certificate 'optimal', but the lower bound 2 is not the length 3",
		"the fewest frames, with a bound below");
	claimed(2, &(struct claim){ 3, 2, 3, 2, 1.5, "liquid", "null", frames },
		"certificate 'liquid', but the length is 3 and the duration 2",
		"liquid, but longer");
	claimed(2, &(struct claim){ 3, 2, 2, 2, 1.5, "gap", "null", "[" S1 "," S2 "],[" S3 "]" },
		"certificate 'gap', but the length 2 is not above the lower bound 2", "no gap");
}

/* All of one sender congest on its own link, the first of their ways. */
static void test_clique_of_sender(void)
{
	static const char witness[] = "{\"kind\":\"clique\",\"transfers\":[[\"s1\",\"r3\"],"
		"[\"s1\",\"r1\"],[\"s1\",\"r4\"],[\"s1\",\"r2\"]]}";
	static const char frames[] = "[[\"s1\",\"r1\"]],[[\"s1\",\"r2\"]],[[\"s1\",\"r3\"]],"
		"[[\"s1\",\"r3\"]],[[\"s1\",\"r4\"]]";
	struct liquid_fabric *fabric = make_dumbbell(4, 3, 1);
	struct liquid_traffic *traffic;
	struct findings findings;
	struct liquid_error err;
	char *json;

	must(liquid_traffic_new(&traffic, &err), &err);
	for (uint32_t i = 0; i < 4; i++)
		must(liquid_traffic_add(traffic, 0, 4 + i, 1 + (i == 2), &err), &err);
	json = forged(fabric, traffic, &(struct claim){ 5, 5, 5, 5, 5, "liquid", witness, frames });
	ok(!verify(json, fabric, traffic, &findings),
	   "a clique of one sender's transfers, with counts");
	free(json);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* Hosts h0 ... send to the last over @switches switches in a row, with links of capacity 2. */
static struct liquid_fabric *make_row(uint32_t senders, uint32_t switches)
{
	struct liquid_fabric *fabric = begin_fabric("row", senders + 1, switches);
	struct liquid_error err;

	for (uint32_t h = 0; h < senders; h++)
		add_cable(fabric, h, senders + 1, 1);			/* link h */
	for (uint32_t sw = 0; sw < switches; sw++) {
		bool last = sw == switches - 1;

		add_cable(fabric, senders + 1 + sw, last ? senders : senders + 2 + sw,
			  last ? 1 : 2);				/* link senders + sw */
		must(liquid_fabric_set_forward(fabric, sw, senders, senders + sw, &err), &err);
	}
	must(liquid_fabric_finish(fabric, &err), &err);
	return fabric;
}

/* Where each two compare all links of theirs, this takes seconds. */
static void test_large_clique(void)
{
	enum { SENDERS = 1024 };
	struct liquid_fabric *fabric = make_row(SENDERS, LIQUID_PATH_MAX - 1);
	char *frames, *members, *plain, *json, *witness;
	size_t frames_size, members_size;
	FILE *of_frames = open_memstream(&frames, &frames_size);
	FILE *of_members = open_memstream(&members, &members_size);
	struct claim claim = { SENDERS, SENDERS, SENDERS, SENDERS, SENDERS, "liquid", "null",
			       NULL };
	struct liquid_traffic *traffic = all_routes(fabric);

	for (int h = 0; h < SENDERS; h++) {
		fprintf(of_frames, "%s[[\"h%d\",\"h%d\"]]", h ? "," : "", h, SENDERS);
		fprintf(of_members, "%s[\"h%d\",\"h%d\"]", h ? "," : "", h, SENDERS);
	}
	fclose(of_frames);
	fclose(of_members);
	if (asprintf(&witness, "{\"kind\":\"clique\",\"transfers\":[%s]}", members) < 0)
		exit(1);
	claim.frames = frames;
	plain = forged(fabric, traffic, &claim);
	claim.witness = witness;
	json = forged(fabric, traffic, &claim);
	verifies_soon(plain, json, fabric, traffic, "a clique of 1024 on long ways holds");
	free(json);
	free(plain);
	free(witness);
	free(members);
	free(frames);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* ---- routes that are kept, if there are more transfers than those ---- */

/* h0 and h1 send to h2 and h3 over @switches switches in a row: by two links more */
static struct liquid_fabric *make_line(uint32_t switches)
{
	struct liquid_fabric *fabric = begin_fabric("line", 4, switches);
	struct liquid_error err;

	for (uint32_t h = 0; h < 2; h++)
		add_cable(fabric, h, 4, 1);			/* link h */
	for (uint32_t h = 2; h < 4; h++)
		add_cable(fabric, 3 + switches, h, 1);		/* link h */
	for (uint32_t sw = 0; sw < switches; sw++) {
		bool last = sw == switches - 1;

		if (!last)
			add_cable(fabric, 4 + sw, 5 + sw, 2);	/* link 4 + sw */
		for (uint32_t h = 2; h < 4; h++)
			must(liquid_fabric_set_forward(fabric, sw, h, last ? h : 4 + sw, &err),
			     &err);
	}
	must(liquid_fabric_finish(fabric, &err), &err);
	return fabric;
}

static void test_long_routes(void)
{
	for (uint32_t switches = 7; switches <= 8; switches++) {
		struct liquid_fabric *fabric = make_line(switches);
		struct liquid_traffic *traffic;
		struct liquid_schedule *schedule;
		struct liquid_error err;

		must(liquid_traffic_new(&traffic, &err), &err);
		for (uint32_t i = 0; i < 4; i++)
			must(liquid_traffic_add(traffic, i / 2, 2 + i % 2, switches, &err), &err);
		schedule = solve_small(fabric, traffic);
		ok(verifies(fabric, traffic, schedule), "routes of %" PRIu32 " links, each of "
		   "several transfers", switches + 1);
		liquid_schedule_free(schedule);
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
}

static struct liquid_fabric *fabric_of(const char *text)
{
	FILE *in = file_of(text, strlen(text));
	struct liquid_fabric *fabric;
	struct liquid_error err;

	must(liquid_fabric_read(in, "text", &fabric, &err), &err);
	fclose(in);
	return fabric;
}

/* A fabric whose links have a rate, and one of other hosts */
static void test_rate(void)
{
	struct liquid_fabric *fabric = fabric_of("liquid-fabric 2\nname x\nunit 1000\n"
		"hosts a,b\nswitches s\nlink a s 1\nlink s a 1\n  to a\nlink b s 1\nlink s b 1\n"
		"  to b\nend\n"), *other = make_dumbbell(4, 1, 1);
	struct claim claim = { 1, 1, 1, 1, 1, "liquid", "null", "[[\"a\",\"b\"]]" };
	struct liquid_traffic *traffic = straight(1, 1);
	char *json = forged(fabric, traffic, &claim), *rated;
	struct liquid_schedule *schedule;
	struct findings findings;
	struct liquid_error err;

	expect(json, fabric, traffic, "\"version\" is 1, but the fabric needs version 2: it has a "
	       "unit rate", "a rate");
	rated = replaced(json, "\"version\":1", "\"version\":2");
	expect(rated, fabric, traffic, "\"link_rate_bps\" is 0, a unit of the fabric is 1000",
	       "no rate");
	broken(rated, fabric, traffic, "\"link_rate_bps\":null", "\"link_rate_bps\":999",
	       "\"link_rate_bps\" is 999, a unit of the fabric is 1000");
	free(json);
	json = replaced(rated, "\"link_rate_bps\":null", "\"link_rate_bps\":1000");
	ok(!verify(json, fabric, traffic, &findings), "the rate of the fabric");
	must(read_text(json, fabric, &schedule, &err), &err);
	ok(liquid_verify(other, NULL, schedule, NULL, NULL, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "was not read for this fabric: 2 hosts, not 8"), "%s", err.text);
	liquid_schedule_free(schedule);
	free(rated);
	free(json);
	liquid_traffic_free(traffic);
	liquid_fabric_free(other);
	liquid_fabric_free(fabric);
}

/* A host has no route to itself, by whatever address: what others take there is not its own. */
static void test_own_address(void)
{
	struct liquid_fabric *fabric = fabric_of("liquid-fabric 2\nname x\nneeds alias\nhosts a,b\n"
		"alias a.1 a\nswitches s\nlink a s 1\nlink s a 1\n  to a,a.1\nlink b s 1\n"
		"link s b 1\n  to b\nend\n");
	struct claim claim = { 3, 2, 2, 2, 2, "liquid", "null",
			       "[[\"b\",\"a.1\"],[\"a\",\"b\"]],[[\"a\",\"a.1\"]]" };
	struct liquid_traffic *traffic = straight(1, 1);
	char *json = forged(fabric, traffic, &claim);
	struct liquid_schedule *schedule;
	struct liquid_error err;

	expect(json, fabric, NULL, "frame 1: a>a.1 has no route in the fabric", "an alias");
	broken(json, fabric, NULL, "\"version\":1", "\"version\":2,\"needs\":[\"marks\"],\"marks\":"
	       "[{\"frame\":0,\"src\":\"b\",\"dst\":\"a.1\",\"reverse\":true}]",
	       "frame 0: a.1 is to ask b for a transfer, but has no route to it");
	must(read_text(json, fabric, &schedule, &err), &err);
	schedule->transfers[2].dst = 0;
	ok(liquid_verify(fabric, NULL, schedule, NULL, NULL, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "from a host to itself"), "a>a: %s", err.text);
	liquid_schedule_free(schedule);
	free(json);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* What the verifier's search gives up proves nothing: not where it is too large, nor too long. */
static void test_given_up(void)
{
	struct liquid_fabric *fabric = make_dumbbell(1, 1, 1);
	struct liquid_traffic *traffic;
	struct liquid_error err;

	must(liquid_traffic_new(&traffic, &err), &err);
	must(liquid_traffic_add(traffic, 0, 1, 1024, &err), &err);
	ok(verify_search(fabric, traffic, 64) == VERIFY_NO,
	   "search: 1024 units do not fit in 64 frames");
	ok(verify_search(fabric, traffic, 65) == VERIFY_UNDECIDED,
	   "search: 65 frames are too many");
	must(liquid_traffic_add(traffic, 0, 1, 1, &err), &err);
	ok(verify_search(fabric, traffic, 64) == VERIFY_UNDECIDED,
	   "search: 1025 units are too many");
	ok(verify_search(fabric, traffic, 0) == VERIFY_UNDECIDED,
	   "search: no frames are no question");
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/*
 * A million units fit in a frame, of either pair: the search for one that is worth more takes them
 * one after the other, and then all the way back.
 */
static void test_deep_packing(void)
{
	uint32_t first[] = { 0, 1, 2 }, path[] = { 0, 0 }, capacity[] = { 1000000 };
	uint32_t most[] = { 1000000, 1000000 };
	uint64_t price[] = { 1, 1 }, multiplier[] = { 0 };
	struct packing packing = {
		.items = 2, .links = 1, .first = first, .path = path, .most = most,
		.price = price, .capacity = capacity, .multiplier = multiplier,
	};

	ok(packing_exceeds(&packing, 999999) == VERIFY_YES, "a frame of a million units is found");
	ok(packing_exceeds(&packing, 1000000) == VERIFY_NO, "and none with one more");
}

/* 15 frames do for the torus, but the verifier does not find them in the time that it takes. */
static void test_too_long(void)
{
	static const char *const params[] = { "size=4x4" };
	struct liquid_solve_options options = { .method = "round-robin" };
	struct liquid_fabric *fabric = make_fabric("torus", params, 1);
	struct liquid_traffic *traffic = all_routes(fabric);
	struct liquid_schedule *schedule;
	struct liquid_error err;
	char *json, *claim;

	must(liquid_solve(fabric, traffic, &options, &schedule, &err), &err);
	json = json_of(schedule, fabric);
	claim = replaced(json, "\"lower_bound\":15,\"certificate\":\"gap\",\"witness\":null",
			 "\"lower_bound\":17,\"certificate\":\"gap\",\"witness\":"
			 "{\"kind\":\"search\",\"frames\":16}");
	expect(claim, fabric, traffic,
	       "witness: the search for 16 frames is too large to be checked",
	       "a search that is given up");
	free(claim);
	free(json);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* All of @traffic, twice. */
static char *two_frames(const struct liquid_fabric *fabric,
			     const struct liquid_traffic *traffic)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(traffic);
	size_t count = liquid_traffic_pair_count(traffic), size;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < 2 * count; i++)
		fprintf(out, "%s[\"%s\",\"%s\"]", i ? i == count ? "],[" : "," : "[",
			liquid_fabric_node_name(fabric, pairs[i % count].src),
			liquid_fabric_node_name(fabric, pairs[i % count].dst));
	fputs("]", out);
	fclose(out);
	return text;
}

/* All findings are counted; only so many are reported. */
static void test_many_findings(void)
{
	struct liquid_fabric *fabric = make_fabric("swiss-t1", NULL, 0);
	struct liquid_traffic *traffic = all_routes(fabric), *empty;
	struct liquid_schedule *schedule;
	struct findings findings;
	struct liquid_error err;
	char *json, *frames;

	must(liquid_traffic_new(&empty, &err), &err);
	schedule = solve(fabric, empty);
	json = json_of(schedule, fabric);
	ok(verify(json, fabric, traffic, &findings) == LIQUID_INVALID && findings.count == 101 &&
	   strstr(findings.text, "\nand 930 more\n"),
	   "of 1030 findings 100 are reported, and the number of the rest");
	free(json);
	frames = two_frames(fabric, traffic);
	json = forged(fabric, traffic, &(struct claim){ 1024, 48, 2, 48, 48, "liquid", "{}",
							frames });
	free(frames);
	ok(verify(json, fabric, traffic, &findings) == LIQUID_INVALID && findings.count == 101 &&
	   strstr(findings.text, "\nand 1119 more\n"),
	   "96 links overfull in each of two frames, 1024 "
	   "transfers extra, length, bound and witness: all are counted");
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
		moved = roll(&dice, 2) ? replaced(copy, "\"frames\":[\n[",
						  "\"frames\":[\n[[\"t1\",\"r1\"],") :
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

/* ---- messages in parts ---- */

/* The hand-made schedule in two parts: each of its frames twice, and not in a row. */
static char *in_parts(const char *json)
{
	static const char *const edits[][2] = {
		{ "\"version\":1", "\"version\":2,\"needs\":[\"parts\"],\"parts\":2" },
		{ "\"transfers\":4,\"duration\":2,\"fluid_bound\":2.0,",
		  "\"transfers\":8,\"duration\":4,\"fluid_bound\":4.0," },
		{ "\"length\":2,\"lower_bound\":2", "\"length\":4,\"lower_bound\":4" },
		{ "[\"t5\",\"r1\"]]]", "[\"t5\",\"r1\"]],[[\"t1\",\"r4\"],[\"t5\",\"r1\"]],"
		  "[[\"t2\",\"r5\"],[\"t4\",\"r1\"]]]" },
	};
	char *copy = strdup(json);

	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		char *edited = replaced(copy, edits[i][0], edits[i][1]);

		free(copy);
		copy = edited;
	}
	return copy;
}

static void refused_in_memory(const char *json, const struct liquid_fabric *fabric,
			      uint32_t version, uint32_t parts)
{
	struct liquid_schedule *schedule;
	struct findings findings = { .used = 0 };
	struct liquid_error err;

	must(read_text(json, fabric, &schedule, &err), &err);
	schedule->info.version = version;
	schedule->info.parts = parts;
	ok(liquid_verify(fabric, NULL, schedule, collect, &findings, &err) == LIQUID_INVALID &&
	   findings.count == 1 && strstr(err.text, "\"parts\" is"), "%u parts in version %u: %s",
	   parts, version, err.text);
	liquid_schedule_free(schedule);
}

/* More parts than a traffic can have are an error, and nothing is cut off to 32 bits. */
static void test_parts_overflow(const char *json, const struct liquid_fabric *fabric)
{
	struct liquid_traffic *large;
	struct liquid_schedule *schedule;
	struct liquid_error err;

	must(liquid_traffic_new(&large, &err), &err);
	must(liquid_traffic_add(large, 0, liquid_fabric_find_host(fabric, "r4"), 1u << 26, &err),
	     &err);
	must(read_text(json, fabric, &schedule, &err), &err);
	schedule->info.parts = LIQUID_PARTS_MAX;	/* 2^32 in all */
	ok(liquid_verify(fabric, large, schedule, NULL, NULL, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "more than 268435456 transfers"), "2^32 parts: %s", err.text);
	liquid_schedule_free(schedule);
	liquid_traffic_free(large);
}

static void test_parts(void)
{
	struct liquid_fabric *fabric = make_fabric("papers-5x5", NULL, 0);
	struct liquid_traffic *traffic = hand_traffic(fabric);
	char *whole = hand_made(fabric, traffic), *json = in_parts(whole), *without;
	struct findings findings;

	ok(!verify(json, fabric, traffic, &findings) && !verify(json, fabric, NULL, &findings),
	   "each message in two parts");
	broken(json, fabric, traffic, ",[\"t5\",\"r1\"]],[[\"t1\"", "],[[\"t1\"",
	       "t5>r1: 1 missing (the traffic has 2, the frames 1)");
	broken(json, fabric, NULL, ",[\"t5\",\"r1\"]],[[\"t1\"", "],[[\"t1\"",
	       "t5>r1: 1 missing (the traffic has 2, the frames 1)");
	broken(json, fabric, traffic, "[\"t5\",\"r1\"]],[[\"t1\"", "[\"t4\",\"r1\"]],[[\"t1\"",
	       "t4>r1: 1 extra (the traffic has 2, the frames 3)");
	broken(json, fabric, traffic, "\"parts\":2", "\"parts\":4",
	       "t1>r4: 2 missing (the traffic has 4, the frames 2)");
	broken(json, fabric, NULL, "\"parts\":2", "\"parts\":3",
	       "t1>r4: 1 missing (the traffic has 3, the frames 2)");
	broken(json, fabric, NULL, "\"duration\":4", "\"duration\":2", "\"duration\" is 2");
	broken(json, fabric, NULL, "\"lower_bound\":4", "\"lower_bound\":2",
	       "\"lower_bound\" 2 is below the duration 4");
	without = replaced(json, "\"needs\":[\"parts\"],\"parts\":2,", "");
	expect(without, fabric, NULL, "the traffic's is", "the digest is that of whole messages");
	refused_in_memory(json, fabric, 2, 0);
	refused_in_memory(json, fabric, 2, LIQUID_PARTS_MAX + 1);
	refused_in_memory(json, fabric, 1, 2);
	test_parts_overflow(json, fabric);
	free(without);
	free(json);
	free(whole);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

int main(void)
{
	test_hand_made();
	test_other_fabric();
	test_witnesses();
	test_witness_capacity();
	test_every_link_named();
	test_capacities();
	test_many_users();
	test_false_bounds();
	test_clique_of_sender();
	test_large_clique();
	test_long_routes();
	test_own_address();
	test_rate();
	test_given_up();
	test_deep_packing();
	test_too_long();
	test_many_findings();
	test_random_moves();
	test_parts();
	return tap_exit();
}

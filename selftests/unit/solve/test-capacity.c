// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hosts that send and receive several transfers a frame: each method, certificates, the verifier.
 */
#include "fabric/fabric.h"
#include "fixtures.h"
#include "tap.h"

/* Few pairs and several units of each, so that units of a pair meet in a frame. */
static struct liquid_traffic *thick_traffic(struct dice *dice, uint32_t hosts, uint32_t transfers)
{
	struct liquid_traffic *traffic;
	struct liquid_error err;

	must(liquid_traffic_new(&traffic, &err), &err);
	while (transfers) {
		uint32_t src = roll(dice, hosts), dst = roll(dice, hosts - 1);
		uint32_t count = 1 + roll(dice, transfers < 5 ? transfers : 5);

		must(liquid_traffic_add(traffic, src, dst + (dst >= src), count, &err), &err);
		transfers -= count;
	}
	return traffic;
}

static struct liquid_traffic *some_traffic(struct dice *dice, uint32_t hosts, uint32_t round)
{
	return round % 2 ? random_traffic(dice, hosts, 1 + roll(dice, 10)) :
		thick_traffic(dice, hosts, 2 + roll(dice, 9));
}

/* ---- against brute force ---- */

static bool certificate_is_right(const struct liquid_schedule_info *info, uint32_t shortest)
{
	if (info->length < shortest || info->lower_bound > shortest ||
	    info->lower_bound < info->duration)
		return false;
	if (info->certificate == LIQUID_CERT_LIQUID)
		return info->length == info->duration;
	return info->length > info->duration &&
		(info->certificate == LIQUID_CERT_OPTIMAL) == (info->length == info->lower_bound);
}

/* Does a frame of @schedule have a pair more than once? */
static bool has_copies(const struct liquid_schedule *schedule)
{
	for (uint32_t frame = 0; frame < info_of(schedule)->length; frame++) {
		const struct liquid_transfer *transfers;
		size_t count;

		transfers = liquid_schedule_frame(schedule, frame, &count);
		for (size_t i = 1; i < count; i++)
			if (!memcmp(&transfers[i], &transfers[i - 1], sizeof(*transfers)))
				return true;
	}
	return false;
}

static void test_auto(void)
{
	struct dice dice = { 2026 };
	uint32_t rounds = 600, right = 0, proven = 0, above = 0, copies = 0;

	for (uint32_t i = 0; i < rounds; i++) {
		uint32_t hosts = 3 + roll(&dice, 7);
		struct liquid_fabric *fabric = make_mixed(&dice, hosts, 3, 3);
		struct liquid_traffic *traffic = some_traffic(&dice, hosts, i);
		struct liquid_schedule *schedule = solve_small(fabric, traffic);
		uint32_t shortest = brute_length(fabric, traffic);

		right += certificate_is_right(info_of(schedule), shortest) &&
			verifies(fabric, traffic, schedule);
		proven += info_of(schedule)->length == shortest &&
			info_of(schedule)->certificate != LIQUID_CERT_GAP;
		above += shortest > info_of(schedule)->duration;
		copies += has_copies(schedule);
		liquid_schedule_free(schedule);
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
	ok(right == rounds, "%u mixed fabrics: verified, certificates true (%u)", rounds, right);
	ok(proven == rounds, "all as short as brute force has it, and proven so (%u)", proven);
	ok(above && copies > rounds / 20,
	   "%u have no liquid schedule, %u several units of a pair in a "
	   "frame", above, copies);
}

/* By @method; 0 where it refuses, by its name. */
static uint32_t length_by(const char *method, const struct liquid_fabric *fabric,
			  const struct liquid_traffic *traffic)
{
	struct liquid_solve_options options = { .method = method, .work = 2000000 };
	struct liquid_schedule *schedule;
	struct liquid_error err;
	uint32_t length;
	int status = liquid_solve(fabric, traffic, &options, &schedule, &err);

	if (status == LIQUID_BAD_INPUT && !strncmp(err.text, method, strlen(method)))
		return 0;
	if (status == LIQUID_LIMIT)
		return LIQUID_NONE;
	must(status, &err);
	length = verifies(fabric, traffic, schedule) ? info_of(schedule)->length : 1;
	liquid_schedule_free(schedule);
	return length;
}

/* At most @most of the schedules are longer than need be. */
static void test_method(const char *method, uint32_t most)
{
	struct dice dice = { 77 };
	uint32_t rounds = 150, below = 0, longer = 0, refused = 0;

	for (uint32_t i = 0; i < rounds; i++) {
		uint32_t hosts = 3 + roll(&dice, 6), length, shortest;
		struct liquid_fabric *fabric = make_mixed(&dice, hosts, 3, 3);
		struct liquid_traffic *traffic = some_traffic(&dice, hosts, i);

		shortest = brute_length(fabric, traffic);
		length = length_by(method, fabric, traffic);
		refused += !length;
		below += length && length < shortest;
		longer += length > shortest;
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
	ok(!below, "%s: no schedule of %u mixed fabrics is too short (%u refused)", method, rounds,
	   refused);
	ok(longer <= most, "%s: at most %u are longer than brute force has it (%u)", method, most,
	   longer);
}

/* ---- larger fabrics with some fast hosts ---- */

/* Capacities of the links of host h: @of[h % 8]; the others' times @trunk. In version 2. */
static struct liquid_fabric *speed_up(struct liquid_fabric *fabric, const uint32_t of[8],
				      uint32_t trunk)
{
	uint32_t hosts = liquid_fabric_host_count(fabric);
	struct liquid_fabric *faster;
	struct liquid_error err;

	must(liquid_fabric_new("faster", &faster, &err), &err);
	for (uint32_t h = 0; h < hosts; h++)
		must(liquid_fabric_add_host(faster, liquid_fabric_node_name(fabric, h), &err),
		     &err);
	for (uint32_t s = 0; s < liquid_fabric_switch_count(fabric); s++)
		must(liquid_fabric_add_switch(faster, liquid_fabric_node_name(fabric, hosts + s),
					      &err), &err);
	for (uint32_t l = 0; l < liquid_fabric_link_count(fabric); l++) {
		struct liquid_link link = *liquid_fabric_link(fabric, l);
		uint32_t host = link.from < hosts ? link.from : link.to;

		link.capacity *= host < hosts ? of[host % 8] : trunk;
		must(liquid_fabric_add_link(faster, &link, &err), &err);
	}
	for (uint32_t s = 0; s < liquid_fabric_switch_count(fabric); s++)
		for (uint32_t h = 0; h < hosts; h++)
			if (liquid_fabric_forward(fabric, s, h) != LIQUID_NONE)
				must(liquid_fabric_set_forward(faster, s, h,
							       liquid_fabric_forward(fabric, s, h),
							       &err), &err);
	must(liquid_fabric_finish(faster, &err), &err);
	liquid_fabric_free(fabric);
	return as_version_2(faster);
}

/* @units of each pair, and of pairs between fast hosts as many again. */
static struct liquid_traffic *all_to_all(const struct liquid_fabric *fabric, uint32_t units,
					 uint32_t more)
{
	uint32_t hosts = liquid_fabric_host_count(fabric);
	struct liquid_traffic *traffic;
	struct liquid_error err;

	must(liquid_traffic_new(&traffic, &err), &err);
	for (uint32_t src = 0; src < hosts; src++)
		for (uint32_t dst = 0; dst < hosts; dst++) {
			bool fast = liquid_fabric_host_capacity(fabric, src) > 1 &&
				liquid_fabric_host_capacity(fabric, dst) > 1;

			if (src != dst)
				must(liquid_traffic_add(traffic, src, dst, units + fast * more,
							&err),
				     &err);
		}
	return traffic;
}

static uint32_t duration_of(const struct liquid_fabric *fabric,
			    const struct liquid_traffic *traffic)
{
	struct liquid_solve_options options = { .method = "first-fit" };
	struct liquid_schedule *schedule;
	struct liquid_error err;
	uint32_t duration;

	must(liquid_solve(fabric, traffic, &options, &schedule, &err), &err);
	duration = info_of(schedule)->duration;
	liquid_schedule_free(schedule);
	return duration;
}

/*
 * Each of @methods (ends with NULL) finds a liquid schedule, or refuses where it is marked by '-'.
 */
static void test_large(const char *name, const char *const *params, size_t count,
		       const uint32_t of[8], uint32_t trunk, uint32_t units, uint32_t more,
		       const char *const *methods)
{
	struct liquid_fabric *fabric = speed_up(make_fabric(name, params, count), of, trunk);
	struct liquid_traffic *traffic = all_to_all(fabric, units, more);
	uint32_t duration = duration_of(fabric, traffic);

	for (; *methods; methods++) {
		struct liquid_solve_options options = { .method = *methods + (**methods == '-'),
							.work = 400000000 };
		struct liquid_schedule *schedule;
		struct liquid_error err = { "" };
		int status = liquid_solve(fabric, traffic, &options, &schedule, &err);

		if (**methods == '-')
			ok(status == LIQUID_BAD_INPUT && !schedule,
			   "%s, %u units + %u: %s refuses: %s",
			   name, units, more, options.method, err.text);
		else
			ok(!status && info_of(schedule)->length == duration &&
			   verifies(fabric, traffic, schedule),
			   "%s, %u units + %u: %s in %u frames, liquid (%u) %s", name, units, more,
			   options.method, duration, status ? 0 : info_of(schedule)->length,
			   err.text);
		liquid_schedule_free(schedule);
	}
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

static void test_structures(void)
{
	static const uint32_t one_in_eight[8] = { 2, 1, 1, 1, 1, 1, 1, 1 };
	static const uint32_t leafs[8] = { 3, 3, 1, 1, 1, 1, 2, 2 },
	all[8] = { 2, 2, 2, 2, 2, 2, 2, 2 };
	static const char *const tree[] = { "leaves=4", "hosts=8", "spines=8" };
	static const char *const torus[] = { "size=4x4" };
	static const char *const any[] = { "auto", "quotient", "twins", "ejection", NULL };
	static const char *const tori[] = { "auto", "ejection", NULL };
	static const char *const plain[] = { "auto", "-quotient", "ejection", NULL };
	static const char *const found[] = { "auto", "ejection", NULL };

	test_large("leaf-spine", tree, 3, one_in_eight, 2, 1, 0, any);
	test_large("leaf-spine", tree, 3, leafs, 2, 3, 0, any);
	test_large("leaf-spine", tree, 3, leafs, 2, 1, 3, plain);
	test_large("leaf-spine", tree, 3, all, 2, 2, 0, found);
	test_large("torus", torus, 1, all, 1, 2, 0, tori);
	test_large("torus", torus, 1, leafs, 2, 1, 0, found);
}

/* ---- hand-made: one switch; a and b send and receive 2 and 3 at once, the others one ---- */

static const char star_text[] =
	"liquid-fabric 2\nname star\nhosts a,b,c,d,e,f\nswitches s\n"
	"link a s 2\nlink s a 2\nto a\nlink b s 3\nlink s b 3\nto b\nlink c s 1\nlink s c 1\nto c\n"
	"link d s 1\nlink s d 1\nto d\nlink e s 1\nlink s e 1\nto e\nlink f s 1\nlink s f 1\nto "
	"f\nend\n";

static struct liquid_fabric *make_star(char version)
{
	struct liquid_fabric *fabric;
	struct liquid_error err;
	char text[sizeof(star_text)];
	FILE *in;

	memcpy(text, star_text, sizeof(text));
	text[strlen("liquid-fabric ")] = version;
	in = file_of(text, sizeof(text) - 1);
	must(liquid_fabric_read(in, "text", &fabric, &err), &err);
	fclose(in);
	return fabric;
}

struct claim {
	const char *pairs;		/* "ab ac": all in one frame; "|" begins the next */
	uint32_t duration, lower_bound;
	double fluid_bound;
	const char *certificate, *witness;
};

/* The schedule that @claim says, and the traffic that it carries. */
static struct liquid_schedule *claimed(const struct liquid_fabric *fabric,
				       const struct claim *claim,
				       struct liquid_traffic **traffic)
{
	char fabric_digest[LIQUID_DIGEST_HEX], traffic_digest[LIQUID_DIGEST_HEX];
	char frames[1000] = "[[", *json;
	uint32_t length = 1, transfers = 0;
	struct liquid_schedule *schedule;
	struct liquid_error err;

	must(liquid_traffic_new(traffic, &err), &err);
	for (const char *at = claim->pairs; *at; at++) {
		char end = frames[strlen(frames) - 1];

		if (*at == '|') {
			strcat(frames, "],[");
			length++;
		} else if (*at != ' ') {
			sprintf(frames + strlen(frames), "%s[\"%c\",\"%c\"]", end == '[' ? "" : ",",
				at[0], at[1]);
			must(liquid_traffic_add(*traffic, at[0] - 'a', at[1] - 'a', 1, &err), &err);
			transfers++;
			at++;
		}
	}
	must(liquid_fabric_digest(fabric, fabric_digest, &err), &err);
	must(liquid_traffic_digest(fabric, *traffic, traffic_digest, &err), &err);
	if (asprintf(&json, "{\"format\":\"liquid-schedule\",\"version\":%d,\"fabric\":\"star\","
		     "\"fabric_digest\":\"%s\",\"traffic_digest\":\"%s\",\"method\":\"hand\","
		     "\"seed\":0,"
		     "\"work\":0,\"unit_bytes\":null,\"link_rate_bps\":null,\"transfers\":%u,"
		     "\"duration\":%u,\"fluid_bound\":%.17g,\"length\":%u,\"lower_bound\":%u,"
		     "\"certificate\":\"%s\",\"witness\":%s,\"frames\":%s]]}",
		     (int)fabric->version, fabric_digest, traffic_digest, transfers,
		     claim->duration, claim->fluid_bound, length,
		     claim->lower_bound, claim->certificate, claim->witness, frames) < 0)
		exit(1);
	must(read_text(json, fabric, &schedule, &err), &err);
	free(json);
	return schedule;
}

/* @finding NULL: it holds. Else this is the first that is wrong. */
static void judge(char version, const struct claim *claim, const char *finding)
{
	struct liquid_fabric *fabric = make_star(version);
	struct liquid_traffic *traffic;
	struct liquid_schedule *schedule = claimed(fabric, claim, &traffic);
	struct liquid_error err = { "holds" };
	int status = liquid_verify(fabric, traffic, schedule, NULL, NULL, &err);

	if (!ok(finding ? status == LIQUID_INVALID && strstr(err.text, finding) : !status,
		"version %c, %s: %s", version, claim->pairs, finding ? finding : "holds"))
		printf("# %s\n", err.text);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

static void judge_frame(char version, const char *pairs, double fluid_bound, const char *finding)
{
	struct claim claim = { pairs, 1, 1, fluid_bound, "liquid", "null" };

	judge(version, &claim, finding);
}

static void test_verifier(void)
{
	static const struct claim clique = { "ab|ab", 1, 2, 1, "optimal",
		"{\"kind\":\"clique\",\"transfers\":[[\"a\",\"b\"]]}" };
	static const struct claim search = { "ab|ab", 1, 2, 1, "optimal",
		"{\"kind\":\"search\",\"frames\":1}" };
	static const struct claim fast = { "ac ad|ae af", 2, 2, 2, "liquid",
		"{\"kind\":\"multipliers\",\"denominator\":1,\"links\":[[\"a>s\",1]]}" };
	static const struct claim wide = { "ac ad|ae", 2, 2, 1.5, "liquid",
		"{\"kind\":\"clique\",\"transfers\":[[\"a\",\"c\"],[\"a\",\"d\"]]}" };

	judge_frame('2', "ac ad", 1, NULL);
	judge_frame('2', "ac ad ae", 1,
		    "frame 0: host 'a' sends 3 transfers at once, its capacity is 2: "
		    "a>c, a>d, a>e");
	judge_frame('2', "ca da", 1, NULL);
	judge_frame('2', "ca da ea", 1,
		    "frame 0: host 'a' receives 3 transfers at once, its capacity is "
		    "2: c>a, d>a, e>a");
	judge_frame('2', "bc bd be", 1, NULL);
	judge_frame('2', "bc bd be bf", 1,
		    "frame 0: host 'b' sends 4 transfers at once, its capacity is "
		    "3: b>c, b>d, b>e, b>f");
	judge_frame('2', "cb db eb", 1, NULL);
	judge_frame('2', "cb db eb fb", 1,
		    "frame 0: host 'b' receives 4 transfers at once, its capacity "
		    "is 3: c>b, d>b, e>b, f>b");
	judge_frame('2', "cd ce", 1, "frame 0: host 'c' sends 2 transfers at once: c>d, c>e");
	judge_frame('1', "ac ad", 1, "frame 0: host 'a' sends 2 transfers at once: a>c, a>d");
	judge_frame('1', "ca da", 1, "frame 0: host 'a' receives 2 transfers at once: c>a, d>a");
	/* Several units of a pair */
	judge_frame('2', "ab ab", 1, NULL);
	judge_frame('2', "ab ab ab", 1,
		    "frame 0: host 'a' sends 3 transfers at once, its capacity is 2: "
		    "a>b, a>b, a>b");
	judge_frame('2', "ac ac", 1, "frame 0: host 'c' receives 2 transfers at once: a>c, a>c");
	judge_frame('1', "ab ab", 1, "frame 0: host 'a' sends 2 transfers at once: a>b, a>b");
	/* Bounds that are none */
	judge('2', &clique, "witness: the transfers of a>b do not congest");
	judge('2', &search, "witness: the traffic can be carried in 1 frames");
	judge('2', &fast, NULL);
	judge('2', &wide, "witness: a>c and a>d do not congest");
}

/* ---- from an earlier schedule, and why ---- */

static void test_change(void)
{
	struct dice dice = { 5 };
	uint32_t rounds = 40, kept = 0, held = 0, told = 0;

	for (uint32_t i = 0; i < rounds; i++) {
		uint32_t hosts = 4 + roll(&dice, 5);
		struct liquid_fabric *fabric = make_mixed(&dice, hosts, 2, 3);
		struct liquid_traffic *traffic = thick_traffic(&dice, hosts, 20);
		struct liquid_traffic *more = thick_traffic(&dice, hosts, 22);
		struct liquid_schedule *first = solve_small(fabric, traffic), *again, *other, *poor;
		struct liquid_solve_options options = { .work = 20000000,
							.from = first };
		struct liquid_change change = { 0 };
		struct liquid_error err;
		char *text;

		must(liquid_solve(fabric, traffic, &options, &again, &err), &err);
		must(liquid_schedule_compare(first, again, &change, NULL, NULL, &err), &err);
		kept += change.kept == 20 && !change.moved && verifies(fabric, traffic, again);
		must(liquid_solve(fabric, more, &options, &other, &err), &err);
		held += verifies(fabric, more, other);
		options = (struct liquid_solve_options){ .method = "round-robin" };
		must(liquid_solve(fabric, traffic, &options, &poor, &err), &err);
		told += !liquid_explain(fabric, traffic, poor, 0, &text, &err) && *text;
		free(text);
		liquid_schedule_free(first);
		liquid_schedule_free(again);
		liquid_schedule_free(other);
		liquid_schedule_free(poor);
		liquid_traffic_free(traffic);
		liquid_traffic_free(more);
		liquid_fabric_free(fabric);
	}
	ok(kept == rounds, "solved again from itself, a schedule stays as it is (%u of %u)", kept,
	   rounds);
	ok(held == rounds, "from a schedule of another traffic: verified (%u)", held);
	ok(told == rounds, "what a poor schedule lacks is reported (%u)", told);
}

/* ---- simulated ---- */

static uint64_t simulate(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
			 const struct liquid_schedule *schedule,
			 enum liquid_sim_switching switching,
			 enum liquid_sim_order order, uint64_t *waits)
{
	const struct liquid_sim_options options = {
		.switching = switching, .order = order, .rate_bps = 8000000000,
		.message_bytes = 1000,
		.packet_bytes = 100, .buffer_bytes = 100000, .frame_ns = 1000, .guard_ns = 0,
	};
	struct liquid_sim_result *result;
	struct liquid_error err;
	uint64_t time;

	must(liquid_simulate(fabric, traffic, schedule, &options, &result, &err), &err);
	time = result->total->received_bytes == 1000 * result->transfers ? result->time_ns : 0;
	*waits = result->total->late;
	if (switching == LIQUID_SIM_WORMHOLE)
		*waits += result->total->waits;
	liquid_sim_free(result);
	return time;
}

/*
 * Worms flow side by side, without a wait. Packets go one after the other over a fast link, so the
 * last frame may end later by some packets' time; or earlier, where links are fast all along.
 */
static bool flows_in(uint64_t time, uint64_t whole, enum liquid_sim_switching switching)
{
	if (switching == LIQUID_SIM_WORMHOLE)
		return time == whole;
	return time > whole - 1000 && time <= whole + 1000;
}

static void test_simulated(void)
{
	struct dice dice = { 8 };
	uint32_t rounds = 60, flows[2] = { 0 }, copies = 0;

	for (uint32_t i = 0; i < rounds; i++) {
		uint32_t hosts = 4 + roll(&dice, 5);
		struct liquid_fabric *fabric = make_mixed(&dice, hosts, 2, 3);
		struct liquid_traffic *traffic = thick_traffic(&dice, hosts, 30);
		struct liquid_schedule *schedule = solve_small(fabric, traffic);
		uint64_t waits, whole = 1000 * info_of(schedule)->length;

		for (int s = LIQUID_SIM_WORMHOLE; s <= LIQUID_SIM_CUT_THROUGH; s++)
			flows[s] += flows_in(simulate(fabric, NULL, schedule, s, 0, &waits),
					     whole, s) && !waits;
		copies += has_copies(schedule);
		liquid_schedule_free(schedule);
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
	ok(flows[0] == rounds && flows[1] == rounds,
	   "schedules flow, worms without a wait: %u, packets: %u of %u",
	   flows[0], flows[1], rounds);
	ok(copies > rounds / 4, "%u of them have several units of a pair in a frame", copies);
}

/* a sends to c, d, e and f, and is sent to by them. */
static void test_orders(void)
{
	for (char version = '1'; version <= '2'; version++) {
		struct liquid_fabric *fabric = make_star(version);
		struct claim claim = { "ac ad ae af ca da ea fa", 2, 2, 2, "liquid", "null" };
		struct liquid_traffic *traffic;
		struct liquid_schedule *schedule = claimed(fabric, &claim, &traffic);
		const struct liquid_sim_options options = {
			.message_bytes = 1000, .frame_ns = 2000,
		};
		uint64_t wanted = version == '1' ? 4000 : 2000, waits, time[2];
		struct liquid_sim_result *result;
		struct liquid_error err = { "" };

		time[0] = simulate(fabric, traffic, NULL, LIQUID_SIM_WORMHOLE,
				   LIQUID_SIM_PAIRWISE,
				   &waits);
		time[1] = simulate(fabric, traffic, NULL, LIQUID_SIM_WORMHOLE,
				   LIQUID_SIM_ALL_AT_ONCE, &waits);
		ok(time[0] == wanted && time[1] == wanted,
		   "version %c: four messages to and from a fast host take %u ns (%u, %u)",
		   version, (uint32_t)wanted, (uint32_t)time[0], (uint32_t)time[1]);
		time[0] = simulate(fabric, traffic, NULL, LIQUID_SIM_CUT_THROUGH,
				   LIQUID_SIM_PAIRWISE, &waits);
		time[1] = simulate(fabric, traffic, NULL, LIQUID_SIM_CUT_THROUGH,
				   LIQUID_SIM_ALL_AT_ONCE, &waits);
		wanted += version == '1' ? 0 : 50;	/* the last packet, on its slower link */
		ok(time[0] == 4000 && time[1] == wanted,
		   "version %c: packets one at a time 4000 ns (%u), all at once %u ns (%u)",
		   version, (uint32_t)time[0], (uint32_t)wanted, (uint32_t)time[1]);
		ok(liquid_simulate(fabric, NULL, schedule, &options, &result, &err) ==
		   LIQUID_BAD_INPUT && strstr(err.text, version == '1' ?
		   "frame 0: 'a' sends to more than one at once" :
		   "frame 0: 'a' sends to more than its link takes at once"),
		   "version %c: four in a frame are refused: %s", version, err.text);
		liquid_schedule_free(schedule);
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
}

int main(void)
{
	static const struct {
		const char *name;
		uint32_t longer;
	} methods[] = {
		{ "auto", 0 }, { "frames", 1 }, { "ejection", 0 }, { "teams", 0 },
		{ "first-fit", 10 }, { "dsatur", 10 }, { "round-robin", 75 }, { "quotient", 10 },
		{ "product", 0 }, { "closure", 10 }, { "twins", 10 }, { "learning", 10 },
	};

	test_auto();
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		test_method(methods[i].name, methods[i].longer);
	test_structures();
	test_verifier();
	test_change();
	test_simulated();
	test_orders();
	return tap_exit();
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The verifier against forgers: nothing that it accepts is false, nothing that the solver writes
 * is refused. What is true is judged here by routes, loads and a shortest length of the test's
 * own, which tries every way to part the transfers into frames.
 *
 * `make check-long` takes ten times the rounds.
 */
#include <jansson.h>
#include <math.h>

#include "fixtures.h"
#include "tap.h"
#include "verify/verify.h"

#define HOSTS_MAX 6
#define SWITCHES_MAX 4
#define LINKS_MAX 64
#define TRANSFERS_MAX 9

/* ---- a fabric and a traffic, and what is true of them ---- */

struct world {
	uint32_t hosts, switches, links;
	uint32_t at[HOSTS_MAX];			/* by host: its switch */
	uint32_t from[LINKS_MAX], to[LINKS_MAX], capacity[LINKS_MAX];
	uint32_t next[SWITCHES_MAX][HOSTS_MAX];	/* link by switch and destination */
	bool ports;
	uint32_t version;		/* of its schedules: 2 if a host takes several at once */
	uint32_t transfers;
	uint32_t src[TRANSFERS_MAX], dst[TRANSFERS_MAX];	/* a pair may be there again */
	uint32_t shortest, duration;
	double fluid;
	struct liquid_fabric *fabric;
	struct liquid_traffic *traffic;
};

static void join(struct world *world, uint32_t from, uint32_t to, uint32_t capacity)
{
	world->from[world->links] = from;
	world->to[world->links] = to;
	world->capacity[world->links++] = capacity;
}

/*
 * Links 2 h and 2 h + 1 are host h's; then a ring of switches, and others, some of them parallel.
 * Half of the worlds are a mere ring: where many go round it, no schedule may be liquid. In half of
 * them hosts have links of capacity 1 ... 3, what they send and what they receive each by itself.
 */
static void join_all(struct world *world, struct dice *dice)
{
	bool ring = roll(dice, 2);
	uint32_t most = 1 + roll(dice, 3), host_most = roll(dice, 2) ? 3 : 1;

	for (uint32_t h = 0; h < world->hosts; h++) {
		world->at[h] = ring ? h % world->switches : roll(dice, world->switches);
		join(world, h, world->hosts + world->at[h], 1 + roll(dice, host_most));
		join(world, world->hosts + world->at[h], h, 1 + roll(dice, host_most));
	}
	world->version = 1;
	for (uint32_t l = 0; l < world->links; l++)
		if (world->capacity[l] > 1)
			world->version = 2;
	for (uint32_t a = 0; a < world->switches; a++)
		for (uint32_t b = 0; b < world->switches; b++) {
			uint32_t cables = b == (a + 1) % world->switches ?
				1 + !(ring || roll(dice, 2)) : !(ring || roll(dice, 4));

			for (; a != b && cables; cables--)
				join(world, world->hosts + a, world->hosts + b,
				     1 + roll(dice, most));
		}
}

/* The nearest way to each destination; where several are as near, or cables parallel, any. */
static void route_all(struct world *world, struct dice *dice)
{
	for (uint32_t dst = 0; dst < world->hosts; dst++) {
		uint32_t distance[SWITCHES_MAX];

		for (uint32_t sw = 0; sw < world->switches; sw++)
			distance[sw] = sw == world->at[dst] ? 0 : 100;
		for (uint32_t round = 0; round < world->switches; round++)
			for (uint32_t l = 2 * world->hosts; l < world->links; l++) {
				uint32_t a = world->from[l] - world->hosts;
				uint32_t b = world->to[l] - world->hosts;

				if (distance[b] + 1 < distance[a])
					distance[a] = distance[b] + 1;
			}
		for (uint32_t sw = 0, ties; sw < world->switches; sw++) {
			world->next[sw][dst] = 2 * dst + 1;
			ties = 0;
			for (uint32_t l = 2 * world->hosts; l < world->links; l++)
				if (world->from[l] == world->hosts + sw && sw != world->at[dst] &&
				    distance[world->to[l] - world->hosts] + 1 == distance[sw] &&
				    !roll(dice, ++ties))
					world->next[sw][dst] = l;
		}
	}
}

static void build(struct world *world)
{
	uint32_t out[HOSTS_MAX + SWITCHES_MAX] = { 0 }, in[HOSTS_MAX + SWITCHES_MAX] = { 0 };
	struct liquid_error err;

	world->fabric = begin_fabric("world", world->hosts, world->switches);
	for (uint32_t l = 0; l < world->links; l++) {
		struct liquid_link link = { .from = world->from[l], .to = world->to[l],
					    .capacity = world->capacity[l] };

		if (world->ports) {
			link.from_port = ++out[link.from];
			link.to_port = ++in[link.to];
		}
		must(liquid_fabric_add_link(world->fabric, &link, &err), &err);
	}
	for (uint32_t sw = 0; sw < world->switches; sw++)
		for (uint32_t dst = 0; dst < world->hosts; dst++)
			must(liquid_fabric_set_forward(world->fabric, sw, dst, world->next[sw][dst],
						       &err), &err);
	must(liquid_fabric_finish(world->fabric, &err), &err);
}

/* One more or one less on each link of the way; false where one is overfull then. */
static bool use(const struct world *world, uint32_t src, uint32_t dst, int way, uint32_t *used)
{
	uint32_t link = 2 * src;
	bool fits = true;

	for (;;) {
		used[link] += way;
		fits &= used[link] <= world->capacity[link];
		if (world->to[link] == dst)
			return fits;
		link = world->next[world->to[link] - world->hosts][dst];
	}
}

/* The transfers whose bits are set in one frame? */
static bool go_together(const struct world *world, uint32_t set)
{
	uint32_t used[LINKS_MAX] = { 0 };
	bool fits = true;

	for (uint32_t i = 0; i < world->transfers; i++)
		if (set >> i & 1)
			fits &= use(world, world->src[i], world->dst[i], 1, used);
	return fits;
}

/* May one frame hold two units of a pair of this traffic? */
static bool sends_copies(const struct world *world)
{
	for (uint32_t i = 1; i < world->transfers; i++)
		for (uint32_t j = 0; j < i; j++)
			if (world->src[i] == world->src[j] && world->dst[i] == world->dst[j] &&
			    go_together(world, 1u << i | 1u << j))
				return true;
	return false;
}

/* least[set]: frames for these, the frame of the first of them being any that can be. */
static uint32_t find_shortest(const struct world *world)
{
	uint32_t all = (1u << world->transfers) - 1;
	uint8_t together[1 << TRANSFERS_MAX], least[1 << TRANSFERS_MAX];

	least[0] = 0;
	for (uint32_t set = 1; set <= all; set++) {
		uint32_t first = set & -set;

		together[set] = go_together(world, set);
		least[set] = UINT8_MAX;
		for (uint32_t part = set; part; part = (part - 1) & set)
			if (part & first && together[part] && least[set ^ part] + 1 < least[set])
				least[set] = least[set ^ part] + 1;
	}
	return least[all];
}

static void weigh(struct world *world)
{
	uint32_t load[LINKS_MAX] = { 0 };

	for (uint32_t i = 0; i < world->transfers; i++)
		use(world, world->src[i], world->dst[i], 1, load);
	world->duration = 0;
	world->fluid = 0;
	for (uint32_t l = 0; l < world->links; l++) {
		uint32_t frames = 0;

		while (frames * world->capacity[l] < load[l])
			frames++;
		world->duration = frames > world->duration ? frames : world->duration;
		world->fluid = fmax(world->fluid, (double)load[l] / world->capacity[l]);
	}
	world->shortest = find_shortest(world);
}

static void fill_world(struct world *world, struct dice *dice)
{
	struct liquid_error err;
	uint32_t scattered = roll(dice, 2), first;

	*world = (struct world){ .hosts = 3 + roll(dice, HOSTS_MAX - 2), .ports = roll(dice, 4) };
	world->switches = 2 + roll(dice, SWITCHES_MAX - 1);
	join_all(world, dice);
	route_all(world, dice);
	build(world);
	must(liquid_traffic_new(&world->traffic, &err), &err);
	world->transfers = 1 + roll(dice, TRANSFERS_MAX);
	first = roll(dice, world->hosts - 1);
	for (uint32_t i = 0; i < world->transfers; i++) {
		/* Half of them send no host twice, if they can, so that the cables decide. */
		uint32_t src = scattered ? i % world->hosts : roll(dice, world->hosts);
		uint32_t shift = (scattered ? first + i / world->hosts :
				  roll(dice, world->hosts)) % (world->hosts - 1);
		uint32_t dst = (src + 1 + shift) % world->hosts;

		if (i && !roll(dice, 5)) {
			src = world->src[i - 1];
			dst = world->dst[i - 1];
		}
		world->src[i] = src;
		world->dst[i] = dst;
		must(liquid_traffic_add(world->traffic, src, dst, 1, &err), &err);
	}
	weigh(world);
}

static void free_world(struct world *world)
{
	liquid_traffic_free(world->traffic);
	liquid_fabric_free(world->fabric);
}

/* Where a liquid schedule exists there is little to prove: one in @liquid of these is taken. */
static void make_world(struct world *world, struct dice *dice, uint32_t liquid)
{
	fill_world(world, dice);
	while (world->shortest == world->duration && roll(dice, liquid)) {
		free_world(world);
		fill_world(world, dice);
	}
}

/* ---- is what a schedule says true? ---- */

static int64_t integer_of(const json_t *root, const char *key)
{
	json_t *value = json_object_get(root, key);

	return json_is_integer(value) ? json_integer_value(value) : -1;
}

static const char *text_of(const json_t *root, const char *key)
{
	const char *text = json_string_value(json_object_get(root, key));

	return text ? text : "";
}

static uint32_t host_of(const struct world *world, json_t *transfer, size_t end)
{
	const char *name = json_string_value(json_array_get(transfer, end));
	uint32_t h = 0;

	while (h < world->hosts && (!name || name[0] != 'h' || name[1] != (char)('0' + h) ||
				    name[2]))
		h++;
	return json_array_size(transfer) == 2 && h < world->hosts ? h : LIQUID_NONE;
}

/* Each transfer of the traffic once, and no link overfull. */
static bool frames_are_true(const struct world *world, const json_t *frames)
{
	uint32_t left[HOSTS_MAX][HOSTS_MAX] = { { 0 } }, count = 0;

	for (uint32_t i = 0; i < world->transfers; i++)
		left[world->src[i]][world->dst[i]]++;
	for (size_t f = 0; f < json_array_size(frames); f++) {
		json_t *frame = json_array_get(frames, f);
		uint32_t used[LINKS_MAX] = { 0 };

		for (size_t i = 0; i < json_array_size(frame); i++) {
			uint32_t src = host_of(world, json_array_get(frame, i), 0);
			uint32_t dst = host_of(world, json_array_get(frame, i), 1);

			if (src == LIQUID_NONE || dst == LIQUID_NONE || !left[src][dst]-- ||
			    !use(world, src, dst, 1, used))
				return false;
			count++;
		}
		if (!json_array_size(frame))
			return false;
	}
	return count == world->transfers;
}

static bool figures_are_true(const struct world *world, const json_t *root)
{
	int64_t length = (int64_t)json_array_size(json_object_get(root, "frames"));
	int64_t bound = integer_of(root, "lower_bound");
	const char *certificate = text_of(root, "certificate");
	double fluid = json_number_value(json_object_get(root, "fluid_bound"));

	/*
	 * Version 2 has all that version 1 has: it may stand where that would do, not the reverse.
	 */
	if (integer_of(root, "version") < world->version || integer_of(root, "version") > 2 ||
	    integer_of(root, "length") != length ||
	    integer_of(root, "transfers") != world->transfers ||
	    integer_of(root, "duration") != world->duration ||
	    fabs(fluid - world->fluid) > 1e-6 || bound < world->duration ||
	    bound > world->shortest || !json_object_get(root, "witness"))
		return false;
	if (!strcmp(certificate, "liquid"))
		return length == world->duration;
	if (!strcmp(certificate, "optimal"))
		return length > world->duration && length == world->shortest && bound == length;
	return !strcmp(certificate, "gap") && length > bound;
}

/* Every frame in its own place, no timeslot without one. */
static bool rounds_are_true(const json_t *root)
{
	json_t *rounds = json_object_get(root, "wavelengths"), *places;
	int64_t count = integer_of(rounds, "count"), slots = integer_of(rounds, "timeslots");
	int64_t bound = integer_of(root, "lower_bound");
	uint32_t taken[TRANSFERS_MAX] = { 0 }, used = 0;

	if (!rounds || json_is_null(rounds))
		return true;
	places = json_object_get(rounds, "frames");
	if (count < 1 || slots < 0 || slots > TRANSFERS_MAX ||
	    json_array_size(places) != json_array_size(json_object_get(root, "frames")) ||
	    integer_of(rounds, "lower_bound") != (bound + count - 1) / count)
		return false;
	for (size_t f = 0; f < json_array_size(places); f++) {
		json_t *place = json_array_get(places, f);
		int64_t slot = json_integer_value(json_array_get(place, 0));
		int64_t wave = json_integer_value(json_array_get(place, 1));

		if (slot < 0 || slot >= slots || wave < 0 || wave >= count)
			return false;
		for (size_t g = 0; g < f; g++)
			if (json_equal(place, json_array_get(places, g)))
				return false;
		used += !taken[slot]++;
	}
	return used == slots;
}

static bool is_true(const struct world *world, const json_t *root, const json_t *original)
{
	return frames_are_true(world, json_object_get(root, "frames")) &&
	       figures_are_true(world, root) && rounds_are_true(root) &&
	       json_equal(json_object_get(root, "format"), json_object_get(original, "format")) &&
	       json_equal(json_object_get(root, "fabric_digest"),
			  json_object_get(original, "fabric_digest")) &&
	       json_equal(json_object_get(root, "traffic_digest"),
			  json_object_get(original, "traffic_digest"));
}

static bool accepted(const struct world *world, const char *text)
{
	struct liquid_schedule *schedule;
	struct liquid_error err;
	bool good;

	if (read_text(text, world->fabric, &schedule, &err))
		return false;
	good = !liquid_verify(world->fabric, world->traffic, schedule, NULL, NULL, &err);
	liquid_schedule_free(schedule);
	return good;
}

/* ---- what the solver writes ---- */

/* NULL where the method is not for it; whatever else goes wrong is counted. */
static char *solve_by(const struct world *world, const char *method, uint64_t seed, uint32_t *wrong)
{
	struct liquid_solve_options options = { .method = method, .seed = seed,
						.work = 2000000 };
	struct liquid_schedule *schedule;
	struct liquid_error err;
	char *text;
	int status = liquid_solve(world->fabric, world->traffic, &options, &schedule, &err);

	if (status) {
		if (status != LIQUID_BAD_INPUT && status != LIQUID_LIMIT && !(*wrong)++)
			printf("# %s: %s\n", method, err.text);
		return NULL;
	}
	if (seed % 4 == 1)
		must(liquid_schedule_set_wavelengths(schedule, 1 + seed % 3, &err), &err);
	text = json_of(schedule, world->fabric);
	liquid_schedule_free(schedule);
	return text;
}

/* Bits for what a world is, and three more for what it is not */
static uint32_t kinds_of(const struct world *world)
{
	uint32_t kinds = world->ports | (world->version == 2) << 1 |
		(world->shortest > world->duration) << 2;

	return kinds | (~kinds & 7) << 3;
}

static void test_solver(uint32_t rounds)
{
	uint32_t schedules = 0, wrong = 0, refused = 0, untrue = 0, optimal = 0, open = 0, fast = 0;
	uint32_t kinds = 0;
	struct dice dice = { 31 };

	for (uint32_t i = 0; i < rounds; i++) {
		struct world world;

		make_world(&world, &dice, 3);
		fast += sends_copies(&world);
		kinds |= kinds_of(&world);
		for (size_t m = 0; liquid_method_name(m); m++) {
			char *text = solve_by(&world, liquid_method_name(m), i, &wrong);
			json_t *root = text ? json_loads(text, 0, NULL) : NULL;

			if (!text)
				continue;
			schedules++;
			if (!accepted(&world, text) && !refused++)
				printf("# refused: %s\n", text);
			if ((!is_true(&world, root, root) ||
			     integer_of(root, "version") != world.version) && !untrue++)
				printf("# untrue, the shortest is %" PRIu32 ": %s\n",
				       world.shortest,
				       text);
			optimal += !strcmp(text_of(root, "certificate"), "optimal");
			if (!strcmp(liquid_method_name(m), "auto") && world.ports &&
			    !strcmp(text_of(root, "certificate"), "gap") && !open++)
				printf("# a gap: %s\n", text);
			json_decref(root);
			free(text);
		}
		free_world(&world);
	}
	ok(!wrong, "%" PRIu32 " random traffics: each method finds a schedule or says why not",
	   rounds);
	ok(fast > rounds / 20, "in %" PRIu32 " of them a frame may hold several units of a pair",
	   fast);
	ok(kinds == 63, "there are some with and without ports, wide links at hosts, and a liquid "
	   "schedule");
	ok(schedules > 5 * rounds && !refused, "%" PRIu32 " schedules of theirs: all are accepted",
	   schedules);
	ok(!untrue, "all they claim is true by brute force");
	ok(optimal > rounds / 100, "%" PRIu32 " of them are optimal above the duration", optimal);
	ok(!open, "auto leaves no gap where each link has a distinct name");
}

/* ---- the verifier's own search ---- */

struct doubts {
	uint32_t lost;			/* schedules that exist and were not found */
	uint32_t found;			/* schedules that were found and do not exist */
};

static void search_around(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
			  uint32_t shortest, struct doubts *doubts)
{
	for (uint32_t frames = shortest > 1 ? shortest - 1 : 1; frames <= shortest + 1; frames++) {
		enum verify_answer answer = verify_search(fabric, traffic, frames);

		doubts->lost += frames >= shortest && answer != VERIFY_YES;
		doubts->found += frames < shortest && answer != VERIFY_NO;
	}
}

/* On these worlds, and on larger traffics by the brute force of the solver's tests. */
static void test_search(uint32_t rounds)
{
	struct doubts doubts = { 0 };
	struct dice dice = { 8 };

	for (uint32_t i = 0; i < rounds; i++) {
		struct liquid_fabric *fabric = make_random(&dice, 8, 1 + i % 3);
		struct liquid_traffic *traffic = random_traffic(&dice, 8, 8 + roll(&dice, 5));
		struct world world;

		search_around(fabric, traffic, brute_length(fabric, traffic), &doubts);
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
		make_world(&world, &dice, 3);
		search_around(world.fabric, world.traffic, world.shortest, &doubts);
		free_world(&world);
	}
	ok(!doubts.lost,
	   "the verifier's search: of %" PRIu32 " traffics it finds the shortest schedule",
	   2 * rounds);
	ok(!doubts.found, "the verifier's search finds no schedule that is too short");
}

/* ---- forgers ---- */

static const int64_t numbers[] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, -1, 63, 64, 65, 1024, 1 << 28, (1 << 28) - 1, 1 << 30,
	(1 << 30) + 1, INT32_MAX, UINT32_MAX, INT64_C(1) << 32, (INT64_C(1) << 32) + 1,
	INT64_C(1) << 53, INT64_MAX, INT64_MIN,
};

static const char *const words[] = {
	"h0", "h1", "h2", "h3", "h4", "h5", "s0", "s1", "s2", "liquid", "optimal", "gap", "clique",
	"multipliers", "search", "", "s0>s1", "h0>s0", "h0[1]>s0[1]", "s0[1]>s1[1]", "witness",
};

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

static json_t *random_number(struct dice *dice, const json_t *old)
{
	int64_t value = json_integer_value(old);

	switch (roll(dice, 4)) {
	case 0:
		return json_integer(value < INT64_MAX ? value + 1 : 0);
	case 1:
		return json_integer(value > INT64_MIN ? value - 1 : 0);
	case 2:
		return json_real((double)value + roll(dice, 3) / 2.0);
	default:
		return json_integer(numbers[roll(dice, COUNT(numbers))]);
	}
}

static json_t *random_link(const struct world *world, struct dice *dice)
{
	char name[64];

	liquid_fabric_link_name(world->fabric, roll(dice, world->links), name, sizeof(name));
	return json_string(name);
}

static json_t *random_pair(const struct world *world, struct dice *dice)
{
	uint32_t i = roll(dice, world->transfers), src = world->src[i], dst = world->dst[i];
	char from[16], to[16];

	if (!roll(dice, 20))
		dst = roll(dice, HOSTS_MAX);
	snprintf(from, sizeof(from), "h%" PRIu32, src);
	snprintf(to, sizeof(to), "h%" PRIu32, dst);
	return json_pack("[s,s]", from, to);
}

static json_t *random_clique(const struct world *world, struct dice *dice)
{
	json_t *members = json_array();

	for (uint32_t i = roll(dice, world->transfers + 2); i; i--) {
		json_t *member = random_pair(world, dice);
		bool there = false;

		for (size_t j = 0; j < json_array_size(members); j++)
			there |= json_equal(member, json_array_get(members, j));
		if (there && roll(dice, 20))
			json_decref(member);
		else
			json_array_append_new(members, member);
	}
	return json_pack("{s:s,s:o}", "kind", "clique", "transfers", members);
}

static json_t *random_multipliers(const struct world *world, struct dice *dice)
{
	static const int64_t denominators[] = { 1, 2, 2, 2, 3, 4, 1 << 30, (1 << 30) - 1 };
	int64_t denominator = denominators[roll(dice, COUNT(denominators))];
	json_t *links = json_array();
	bool even = roll(dice, 2);

	for (uint32_t i = 1 + roll(dice, 6); i; i--) {
		int64_t u = even ? denominator / 2 + denominator % 2 : 1 + roll(dice, 4);

		json_array_append_new(links, json_pack("[o,I]", random_link(world, dice),
						       (json_int_t)u));
	}
	return json_pack("{s:s,s:I,s:o}", "kind", "multipliers", "denominator",
			 (json_int_t)denominator, "links", links);
}

static json_t *random_witness(const struct world *world, struct dice *dice)
{
	json_t *witness = NULL, *other;

	switch (roll(dice, 8)) {
	case 0:
		return json_null();
	case 1:
	case 2:
		witness = random_clique(world, dice);
		break;
	case 3:
		witness = json_pack("{s:s,s:i}", "kind", "search", "frames",
				    (int)roll(dice, world->shortest + 2));
		break;
	default:
		witness = random_multipliers(world, dice);
	}
	if (!roll(dice, 10)) {		/* with what belongs to another kind */
		other = random_witness(world, dice);
		if (json_is_object(other))
			json_object_update_missing(witness, other);
		json_decref(other);
	}
	return witness;
}

/*
 * Forgeries of a schedule share what they do not change: copies that are a forgery's own, of a
 * member, and of an element
 */
static json_t *own_member(json_t *object, const char *key)
{
	json_t *copy = json_copy(json_object_get(object, key));

	json_object_set_new(object, key, copy);
	return copy;
}

static json_t *own_element(json_t *array, size_t at)
{
	json_t *copy = json_copy(json_array_get(array, at));

	json_array_set_new(array, at, copy);
	return copy;
}

/* Some transfer out of its frame into one of its own, so that the schedule is longer. */
static void stretch(json_t *root, struct dice *dice)
{
	json_t *frames = own_member(root, "frames");
	json_t *frame = own_element(frames, roll(dice, (uint32_t)json_array_size(frames)));
	json_t *alone;
	size_t at = roll(dice, (uint32_t)json_array_size(frame));

	if (json_array_size(frame) < 2)
		return;
	alone = json_array();
	json_array_append(alone, json_array_get(frame, at));
	json_array_remove(frame, at);
	json_array_append_new(frames, alone);
	json_object_set_new(root, "length", json_integer((json_int_t)json_array_size(frames)));
	json_object_del(root, "wavelengths");
}

/* All that can be checked by itself is right, except for the bound and what shall prove it. */
static void forge_bound(const struct world *world, json_t *root, struct dice *dice)
{
	int64_t length, bound;

	for (uint32_t i = roll(dice, 3); i; i--)
		stretch(root, dice);
	length = (int64_t)json_array_size(json_object_get(root, "frames"));
	bound = roll(dice, 3) ? length : world->duration + roll(dice, 3);
	json_object_set_new(root, "lower_bound", json_integer(bound));
	json_object_set_new(root, "certificate", json_string(
			    length == world->duration && roll(dice, 10) ? "liquid" :
			    bound < length && roll(dice, 10) ? "gap" : "optimal"));
	json_object_set_new(root, "witness", random_witness(world, dice));
}

/* ---- edits of anything ---- */

static json_t *random_value(const struct world *world, struct dice *dice, const json_t *old)
{
	switch (roll(dice, 8)) {
	case 0:
		return random_witness(world, dice);
	case 1:
		return random_pair(world, dice);
	case 2:
		return random_link(world, dice);
	case 3:
		return json_string(words[roll(dice, COUNT(words))]);
	case 4:
		return roll(dice, 2) ? json_null() : json_array();
	default:
		return json_is_string(old) ? json_string(words[roll(dice, COUNT(words))]) :
			random_number(dice, old);
	}
}

static void edit_array(const struct world *world, json_t *array, struct dice *dice)
{
	size_t size = json_array_size(array), a = size ? roll(dice, (uint32_t)size) : 0;
	size_t b = size ? roll(dice, (uint32_t)size) : 0;
	json_t *first = json_incref(json_array_get(array, a));

	switch (size ? roll(dice, 5) : 4) {
	case 0:
		json_array_remove(array, a);
		break;
	case 1:
		json_array_insert(array, b, first);
		break;
	case 2:
		json_array_set(array, a, json_array_get(array, b));
		break;
	case 3:
		json_array_set(array, a, json_array_get(array, b));
		json_array_set(array, b, first);
		break;
	default:
		json_array_insert_new(array, a, random_value(world, dice, first));
	}
	json_decref(first);
}

static const char *random_key(json_t *object, struct dice *dice)
{
	uint32_t at = roll(dice, (uint32_t)json_object_size(object));
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value)
		if (!at--)
			return key;
	return NULL;
}

/*
 * One change somewhere below @value, which is a forgery's own; what holds nothing is changed by who
 * holds it.
 */
static void edit(const struct world *world, json_t *value, struct dice *dice)
{
	json_t *child = NULL;
	const char *key = NULL;
	size_t at = 0;

	if (json_is_array(value)) {
		at = roll(dice, (uint32_t)json_array_size(value) + 1);
		child = json_array_get(value, at);
		if (!child)
			edit_array(world, value, dice);
	} else if (json_object_size(value)) {
		key = random_key(value, dice);
		child = json_object_get(value, key);
	}
	if (!child)
		return;
	if ((json_is_array(child) || json_is_object(child)) && roll(dice, 8)) {
		edit(world, key ? own_member(value, key) : own_element(value, at), dice);
	} else if (key && !roll(dice, 8)) {
		json_object_del(value, key);
	} else {
		child = random_value(world, dice, child);
		if (key)
			json_object_set_new(value, key, child);
		else
			json_array_set_new(value, at, child);
	}
}

struct tally {
	uint32_t tried, accepted, false_ones, above;
};

static void try_one(const struct world *world, json_t *root, const json_t *original,
		    struct tally *tally)
{
	char *text = json_dumps(root, JSON_COMPACT);

	tally->tried++;
	if (accepted(world, text)) {
		tally->accepted++;
		tally->above += integer_of(root, "lower_bound") > world->duration;
		if (!is_true(world, root, original) && !tally->false_ones++)
			printf("# accepted, though the shortest is %" PRIu32 ": %s\n",
			       world->shortest, text);
	}
	free(text);
}

#define EDITS 200	/* of a schedule */

/* @edits in all, each of a schedule as the solver or a forger would write it. */
static void test_edits(uint32_t edits)
{
	static const char *const methods[] = { "auto", "round-robin", "first-fit", "frames" };
	struct tally bounds = { 0 }, others = { 0 };
	struct dice dice = { 77 };
	uint32_t wrong = 0;

	while (bounds.tried + others.tried < edits) {
		struct world world;
		char *text;
		json_t *original;

		make_world(&world, &dice, 20);
		text = solve_by(&world, methods[roll(&dice, COUNT(methods))], roll(&dice, 4),
				&wrong);
		original = json_loads(text, 0, NULL);
		for (uint32_t i = 0; i < EDITS; i++) {
			json_t *root = json_copy(original);

			if (i % 2)
				forge_bound(&world, root, &dice);
			if (i % 2 && i % 8 != 1) {
				try_one(&world, root, original, &bounds);
			} else {
				for (uint32_t j = 1 + !roll(&dice, 3); j; j--)
					edit(&world, root, &dice);
				try_one(&world, root, original, &others);
			}
			json_decref(root);
		}
		json_decref(original);
		free(text);
		free_world(&world);
	}
	ok(!bounds.false_ones, "%" PRIu32 " forged bounds: none accepted that is false",
	   bounds.tried);
	ok(bounds.above > bounds.tried / 1000,
	   "%" PRIu32 " are accepted, %" PRIu32 " of them with a "
	   "bound above the duration: the forgers hit the truth too", bounds.accepted,
	   bounds.above);
	ok(!others.false_ones, "%" PRIu32 " edits of any field: none accepted that is false",
	   others.tried);
	ok(others.accepted > others.tried / 100 && !wrong, "%" PRIu32 " are accepted: they change "
	   "nothing that matters", others.accepted);
}

int main(void)
{
	test_solver(draws(300));
	test_search(draws(2000));
	test_edits(draws(100000));
	return tap_exit();
}

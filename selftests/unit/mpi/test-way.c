// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * auto: at most 2 % slower than the MPI's own way, in any 200 calls after the first trial
 *
 *	test-way [SEED [DRAWS]]
 *
 * Calls have simulated times: a mean of each way, which may change, and noise. What is judged is
 * the sum of the means, because the noise is not the choice's. A choice by noisy times can be
 * wrong, and is in one of 400 draws at most. Draws have the seeds from SEED on (default 1).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "plan/way.h"
#include "problem/random.h"
#include "tap.h"

#define MESSAGE (1 << 20)
#define OWN_NS 10000000.
#define WINDOW 200
#define CALLS (10 * WINDOW)
#define DRAW_WRONG 400	/* one of these draws may exceed the bar */
#define DELAY_MOST 3

static uint64_t first_seed = 1;
static unsigned int rounds = 100;

/* ---- simulated times ---- */

enum noise { NONE, EVEN, TAIL, SPIKES, NOISES };

static const char *const noise_names[] = { "no noise", "even noise", "a tail", "spikes" };

static double draw(struct random *random)
{
	return (double)(random_next(random) >> 11) / (double)(1ULL << 53);
}

/* A factor of about 1 on average */
static double noise(struct random *random, enum noise kind)
{
	double x = draw(random);

	switch (kind) {
	case EVEN:
		return 0.9 + 0.2 * x;
	case TAIL:		/* mostly small, seldom 60 % */
		return 0.95 + 0.15 * x * x * x * (1 + 3 * (draw(random) < 0.1));
	case SPIKES:
		return x < 0.02 ? 8 : 0.97 + 0.06 * x;
	default:
		return 1;
	}
}

/* The means of both ways at a call; @at is when something changes, @by how. */
struct course {
	const char *name;
	double (*own)(unsigned int call, unsigned int at, double by);
	double (*liquid)(unsigned int call, unsigned int at, double by);
	double least, most;		/* of @by */
	unsigned int delay;		/* number of calls, at most, until a time is reported */
};

static double same(unsigned int call, unsigned int at, double by)
{
	(void)call, (void)at, (void)by;
	return 1;
}

static double ratio(unsigned int call, unsigned int at, double by)
{
	(void)call, (void)at;
	return by;
}

static double step(unsigned int call, unsigned int at, double by)
{
	return call < at ? 0.8 : by;
}

static double drift(unsigned int call, unsigned int at, double by)
{
	double done = call < at ? 0 : (call - at) / 400.;

	return 0.8 + (by - 0.8) * (done < 1 ? done : 1);
}

static double down(unsigned int call, unsigned int at, double by)
{
	return call < at ? 1 : by;
}

static double before(unsigned int call, unsigned int at, double by)
{
	(void)call, (void)at, (void)by;
	return 0.85;
}

/* Both are slower from then on: another job shares the network. */
static double both(unsigned int call, unsigned int at, double by)
{
	return call < at ? 1 : by;
}

static double both_liquid(unsigned int call, unsigned int at, double by)
{
	return 0.85 * both(call, at, by);
}

/* Slow for 40 calls, fast for 40 */
static double waves(unsigned int call, unsigned int at, double by)
{
	return (call + at) / 40 % 2 ? by : 0.8;
}

static const struct course courses[] = {
	{ "liquid always 0.5 to 5 times the own", same, ratio, 0.5, 5, 3 },
	{ "liquid nearly as fast", same, ratio, 0.95, 1.08, 3 },
	{ "liquid suddenly 3 times as slow", same, step, 1, 3, 0 },
	{ "liquid suddenly slow, which is known late", same, step, 1, 2, 3 },
	{ "liquid ever slower", same, drift, 1, 2, 3 },
	{ "the own suddenly faster", down, before, 0.75, 0.85, 3 },
	{ "both slower", both, both_liquid, 0.5, 3, 3 },
	{ "liquid slow in waves", same, waves, 1, 3, 0 },
	{ "liquid slow in waves, which is known late", same, waves, 1, 2, 3 },
};

#define COURSES (sizeof(courses) / sizeof(courses[0]))

/* ---- a program that calls ---- */

struct tally {
	double own, taken;		/* sums of means */
	unsigned int calls, liquid;
};

struct job {
	struct way_book book;
	struct random random;
	unsigned int delay;		/* calls after which a time is known */
	struct { enum way way; bool measured; int64_t ns; } late[DELAY_MOST + 1];
	unsigned int calls;
};

static void learn(struct job *job, unsigned int call)
{
	unsigned int place = call % (DELAY_MOST + 1);

	if (job->late[place].measured)
		way_learn(&job->book, MESSAGE, job->late[place].way, job->late[place].ns);
}

static enum way call_once(struct job *job, double own, double liquid, enum noise kind)
{
	unsigned int call = job->calls++, place = call % (DELAY_MOST + 1);
	enum way way = way_next(&job->book, MESSAGE);
	double ns = OWN_NS * (way == WAY_OWN ? own : liquid) * noise(&job->random, kind);

	job->late[place].way = way;
	job->late[place].measured = way_measures(&job->book, MESSAGE);
	job->late[place].ns = (int64_t)ns;
	if (call >= job->delay)
		learn(job, call - job->delay);
	return way;
}

static bool in_trial(const struct job *job)
{
	return job->book.class[20].state == WAY_TRIAL;
}

/* The worst of the windows after the first trial; @all is the sum over them. */
static double worst_window(struct job *job, const struct course *course, enum noise kind,
			   struct tally *all)
{
	unsigned int at = 60 + random_below(&job->random, CALLS), trial = 0;
	double by = course->least + (course->most - course->least) * draw(&job->random);
	double worst = 0;
	struct tally window = { 0 };

	for (unsigned int call = 0; call < CALLS + trial; call++) {
		double own = course->own(call, at, by), liquid = course->liquid(call, at, by);
		bool first = trial == call && in_trial(job);
		enum way way = call_once(job, own, liquid, kind);

		if (first) {
			trial = call + 1;
			continue;
		}
		window.own += own;
		window.taken += way == WAY_OWN ? own : liquid;
		window.liquid += way == WAY_LIQUID;
		if (++window.calls < WINDOW)
			continue;
		worst = window.taken / window.own > worst ? window.taken / window.own : worst;
		all->own += window.own;
		all->taken += window.taken;
		all->liquid += window.liquid;
		all->calls += window.calls;
		window = (struct tally){ 0 };
	}
	return worst;
}

static void new_job(struct job *job, uint64_t seed, unsigned int delay)
{
	memset(job, 0, sizeof(*job));
	way_init(&job->book, MODE_AUTO, 1 << 16);
	job->random.state = seed;
	job->delay = random_below(&job->random, delay + 1);
}

static void check_course(const struct course *course, enum noise kind)
{
	unsigned int wrong = 0;
	uint64_t worst_seed = 0;
	double worst = 0;

	for (uint64_t seed = first_seed; seed < first_seed + rounds; seed++) {
		struct tally all = { 0 };
		struct job job;
		double window;

		new_job(&job, seed, course->delay);
		window = worst_window(&job, course, kind, &all);
		wrong += window > 1.02;
		if (window > worst) {
			worst = window;
			worst_seed = seed;
		}
	}
	ok(wrong <= (kind == NONE ? 0 : (rounds + DRAW_WRONG - 1) / DRAW_WRONG),
	   "%s, %s: 200 calls take at most 1.02 times the own way's", course->name,
	   noise_names[kind]);
	printf("# of %u draws %u above; worst %.4f, seed %" PRIu64 "\n", rounds, wrong, worst,
	       worst_seed);
}

/* ---- what it is good for ---- */

static double mean_share(const struct course *course, enum noise kind, double *liquid)
{
	struct tally all = { 0 };

	for (uint64_t seed = first_seed; seed < first_seed + rounds; seed++) {
		struct job job;

		new_job(&job, seed, course->delay);
		worst_window(&job, course, kind, &all);
	}
	*liquid = (double)all.liquid / all.calls;
	return all.taken / all.own;
}

static void check_gain(void)
{
	static const struct course gain = { "gain", same, ratio, 0.85, 0.85, 3 };

	for (enum noise kind = NONE; kind < NOISES; kind++) {
		double liquid, share = mean_share(&gain, kind, &liquid);

		ok(share <= (kind == SPIKES ? 0.9 : 0.875),
		   "of a gain of 15 %% most is kept, with %s", noise_names[kind]);
		printf("# time %.4f of the own way's, %.3f of the calls liquid\n", share, liquid);
	}
}

static void check_trial_ends(void)
{
	unsigned int longest = 0;

	for (uint64_t seed = first_seed; seed < first_seed + rounds; seed++) {
		unsigned int calls = 0;
		struct job job;

		new_job(&job, seed, DELAY_MOST);
		while (in_trial(&job) && calls < 1000) {
			call_once(&job, 1, 0.97 + 0.1 * draw(&job.random), EVEN);
			calls++;
		}
		longest = calls > longest ? calls : longest;
	}
	ok(longest <= 2 * WAY_TIMES + 2 + DELAY_MOST, "a trial has at most 30 calls (longest %u)",
	   longest);
}

/* Calls that cannot go liquid tell nothing. */
static void check_no_answers(void)
{
	struct way_book book = { 0 };
	unsigned int liquid = 0;

	way_init(&book, MODE_AUTO, 1);
	for (unsigned int call = 0; call < 1000; call++)
		liquid += way_next(&book, MESSAGE) == WAY_LIQUID;
	ok(liquid <= 100, "without results the own way is kept (%u of 1000 calls were tried)",
	   liquid);
}

static void check_looks_again(void)
{
	unsigned int liquid = 0;
	struct job job;

	new_job(&job, first_seed, DELAY_MOST);
	for (unsigned int call = 0; call < 300; call++)
		call_once(&job, 1, 1.3, EVEN);
	for (unsigned int call = 0; call < 2000; call++)
		liquid += call_once(&job, 1.5, 1.1, EVEN) == WAY_LIQUID;
	ok(liquid > 1000, "where the own way slows by half, liquid is tried again and kept");
	printf("# %u of 2000 calls\n", liquid);
}

/* ---- modes, sizes ---- */

static void check_modes(void)
{
	static const enum env_mode fixed[] = { MODE_TOKENS, MODE_CLOCK, MODE_ORDER };
	struct way_book book;
	bool always = true, measured = false;

	for (size_t i = 0; i < 3; i++) {
		memset(&book, 0, sizeof(book));
		way_init(&book, fixed[i], 1000);
		for (unsigned int call = 0; call < 100; call++) {
			always &= way_next(&book, 1000) == WAY_LIQUID;
			always &= way_next(&book, 999) == WAY_OWN;
			measured |= way_measures(&book, 1000);
			way_learn(&book, 1000, WAY_LIQUID, 1000000 * (call + 1));
		}
	}
	ok(always && !measured, "tokens, clock and order: always liquid from the threshold on");
	memset(&book, 0, sizeof(book));
	way_init(&book, MODE_OFF, 0);
	ok(way_next(&book, UINT64_MAX) == WAY_OWN, "off: never");
}

static void check_sizes(void)
{
	struct way_book book = { 0 };
	bool below = true;

	way_init(&book, MODE_AUTO, 1 << 16);
	for (unsigned int call = 0; call < 100; call++)
		below &= way_next(&book, (1 << 16) - 1) == WAY_OWN &&
			 !way_measures(&book, (1 << 16) - 1);
	ok(below, "auto: below the threshold nothing is tried or measured");
	for (unsigned int call = 0; call < 40; call++) {
		enum way small = way_next(&book, 1 << 17), large = way_next(&book, 1 << 20);

		way_learn(&book, 1 << 17, small, small == WAY_OWN ? 1000 : 2000);
		way_learn(&book, 1 << 20, large, large == WAY_OWN ? 2000 : 1000);
	}
	ok(book.class[17].state == WAY_KEEPS_OWN && book.class[20].state == WAY_KEEPS_LIQUID,
	   "each class of sizes has its own choice");
	ok(way_next(&book, 0) == WAY_OWN && way_next(&book, UINT64_MAX) == WAY_OWN,
	   "0 bytes and 2^64 - 1 are sizes");
}

/* Times at the ends of their range, in any order, have no overflow (the sanitizer looks). */
static void check_extremes(void)
{
	static const int64_t ns[] = { 0, 1, 3, INT64_MAX / 2, INT64_MAX, -1, 1000000 };
	struct random random = { first_seed };
	struct way_book book = { 0 };
	unsigned int calls;

	way_init(&book, MODE_AUTO, 0);
	for (calls = 0; calls < 100000; calls++) {
		enum way way = way_next(&book, MESSAGE);

		way_learn(&book, MESSAGE, random_below(&random, 10) ? way : !way,
			  ns[random_below(&random, sizeof(ns) / sizeof(ns[0]))]);
	}
	ok(calls == 100000, "any times at all are taken");
}

int main(int argc, char **argv)
{
	if (argc > 1)
		first_seed = strtoull(argv[1], NULL, 0);
	if (argc > 2)
		rounds = (unsigned int)strtoul(argv[2], NULL, 0);
	printf("# from seed %" PRIu64 " on\n", first_seed);
	for (size_t i = 0; i < COURSES; i++)
		for (enum noise kind = NONE; kind < NOISES; kind++)
			check_course(&courses[i], kind);
	check_gain();
	check_trial_ends();
	check_no_answers();
	check_looks_again();
	check_modes();
	check_sizes();
	check_extremes();
	return tap_exit();
}

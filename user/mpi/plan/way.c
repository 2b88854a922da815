// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The choice between the MPI's own way and liquid
 *
 * A class of sizes is in one of three states. In a *trial* calls go both ways by turns, until one
 * way is faster with little doubt; with doubt it is the own way. Where the *own* way is kept,
 * nothing is lost: it is only measured now and then, and after a time there is another trial. Where
 * *liquid* is kept, each call is measured, and some calls go the own way to know its time
 * now. Whatever liquid loses against it is a debt, and if the debt is too large the own way is
 * kept. The loss decides how long it is until the next trial.
 *
 * So liquid loses about two calls' time, then nothing for 200 calls and more: at most 2 % of 200
 * calls. It can lose more only if its calls take more than 3 times as long all of a sudden; or
 * twice as long, if each call's time is reported as late as after three more calls.
 */
#include <stdlib.h>
#include <string.h>

#include "plan/way.h"

#define TRIAL_LEAST 5		/* calls of each way before a trial is decided */
#define TRIAL_TURNS 100		/* calls until a trial without results ends */
#define TRIAL_EVERY 4		/* calls, of which one goes liquid, in all trials but the first */
#define RECENT 5		/* calls whose median is a way's present time */
#define LOOK_EVERY 16		/* calls from one look at the own way to the next */
#define MEASURE_EVERY 32	/* calls, while the own way is kept */
#define SLOW_MOST 3		/* such calls that are slow, until there is a new trial */
#define WAIT_LEAST 200		/* calls between two trials */
#define WAIT_MOST 100000
#define HELD 200		/* calls after which a choice of liquid was no failure */
#define NS_MOST (INT64_C(1) << 52)	/* 52 days; a longer call counts as one of these */

void way_init(struct way_book *book, enum env_mode mode, uint64_t min_bytes)
{
	book->mode = mode;
	book->min_bytes = min_bytes;
}

static unsigned int class_of(uint64_t bytes)
{
	unsigned int class = bytes ? 63 - (unsigned int)__builtin_clzll(bytes) : 0;

	return class < WAY_CLASSES ? class : WAY_CLASSES - 1;
}

static bool decides(const struct way_book *book, uint64_t bytes)
{
	return book->mode == MODE_AUTO && bytes >= book->min_bytes;
}

/* ---- times ---- */

static void add_time(struct way_times *times, int64_t ns)
{
	times->ns[times->count++ % WAY_TIMES] = ns;
}

static uint32_t times_known(const struct way_times *times)
{
	return times->count < WAY_TIMES ? times->count : WAY_TIMES;
}

static int compare_ns(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The median of the last @most calls; INT64_MAX: there was none */
static int64_t median(const struct way_times *times, uint32_t most)
{
	uint32_t count = times_known(times);
	int64_t ns[WAY_TIMES];

	if (count > most)
		count = most;
	for (uint32_t i = 0; i < count; i++)
		ns[i] = times->ns[(times->count - 1 - i) % WAY_TIMES];
	qsort(ns, count, sizeof(ns[0]), compare_ns);
	return count ? ns[(count - 1) / 2] / 2 + ns[count / 2] / 2 : INT64_MAX;
}

/* Of all pairs of a call each way, how many was liquid faster in? (Mann and Whitney's U) */
static uint32_t liquid_wins(const struct way_class *class)
{
	uint32_t wins = 0;

	for (uint32_t i = 0; i < times_known(&class->own); i++)
		for (uint32_t j = 0; j < times_known(&class->liquid); j++)
			wins += class->liquid.ns[j] < class->own.ns[i];
	return wins;
}

/* ---- states ---- */

static void way_enter(struct way_class *class, enum way_state state)
{
	class->state = state;
	class->calls = 0;
	class->looks = 0;
	class->slow = 0;
	class->debt_ns = 0;
	class->lost_ns = 0;
}

static void begin_trial(struct way_class *class)
{
	class->own.count = 0;
	class->liquid.count = 0;
	way_enter(class, WAY_TRIAL);
}

/* Number of calls of whose time a trial has lost half a per cent */
static uint32_t soonest(const struct way_class *class, int64_t own)
{
	int64_t lost = class->lost_ns / (own / 64 + 1), calls = WAIT_LEAST;

	if (class->state == WAY_TRIAL && lost > 0)
		calls += lost < WAIT_MOST ? WAIT_LEAST * lost / 64 : WAIT_MOST;
	return (uint32_t)(calls < WAIT_MOST ? calls : WAIT_MOST);
}

static void keep_own(struct way_class *class)
{
	uint32_t twice = class->failures < 9 ? class->failures : 9;

	class->record_ns = median(&class->own, RECENT);
	class->soonest = soonest(class, class->record_ns);
	class->wait = class->soonest << twice;
	class->failures++;
	way_enter(class, WAY_KEEPS_OWN);
}

/* ---- decide ---- */

/*
 * In all trials but the first, the own way is known to be faster so far: liquid calls are rare
 * enough for each to be judged before the next.
 */
static enum way next_in_trial(struct way_class *class)
{
	class->measured = true;
	return class->calls % (class->failures ? TRIAL_EVERY : 2) ? WAY_OWN : WAY_LIQUID;
}

static enum way next_of_liquid(struct way_class *class)
{
	class->measured = true;
	if (class->calls >= HELD)
		class->failures = 0;
	if (class->looks) {
		class->looks--;
		return WAY_OWN;
	}
	return class->calls % LOOK_EVERY ? WAY_LIQUID : WAY_OWN;
}

enum way way_next(struct way_book *book, uint64_t bytes)
{
	struct way_class *class = &book->class[class_of(bytes)];

	if (!decides(book, bytes))
		return book->mode == MODE_OFF || bytes < book->min_bytes ? WAY_OWN : WAY_LIQUID;
	class->calls++;
	if (class->state == WAY_KEEPS_LIQUID)
		return next_of_liquid(class);
	if (class->state == WAY_TRIAL && class->calls > TRIAL_TURNS)
		keep_own(class);
	if (class->state == WAY_KEEPS_OWN && class->calls > class->wait) {
		begin_trial(class);
		class->calls = 1;
	}
	if (class->state == WAY_TRIAL)
		return next_in_trial(class);
	class->measured = class->calls % MEASURE_EVERY == 0;
	return WAY_OWN;
}

bool way_measures(const struct way_book *book, uint64_t bytes)
{
	return decides(book, bytes) && book->class[class_of(bytes)].measured;
}

/* ---- learn ---- */

/*
 * Returns true if liquid has lost too much: by two slow calls, or several that are slightly slow.
 * In a trial that is not the first, one slow call is enough.
 */
static bool owes(struct way_class *class, int64_t ns)
{
	int64_t own = median(&class->own, RECENT), most = own / 4 * 3, loss = ns - own;
	bool again = class->state == WAY_TRIAL && class->failures;

	if (!class->own.count)
		return false;
	class->debt_ns += loss < most ? loss : most;
	class->lost_ns += loss;
	if (class->debt_ns <= 0) {
		class->debt_ns = 0;
		class->lost_ns = 0;
	}
	return class->debt_ns > 0 && class->debt_ns >= (again ? own / 2 : own / 4 * 5);
}

static void judge_trial(struct way_class *class)
{
	uint32_t own = times_known(&class->own), liquid = times_known(&class->liquid);
	uint32_t wins = liquid_wins(class), all = own * liquid;
	int64_t own_ns = median(&class->own, WAY_TIMES);
	bool last = own == WAY_TIMES && liquid == WAY_TIMES;

	if (own < TRIAL_LEAST || liquid < TRIAL_LEAST)
		return;
	if (wins * 100 >= all * (last ? 70 : 85) &&
	    median(&class->liquid, WAY_TIMES) <= own_ns - own_ns / 50)
		way_enter(class, WAY_KEEPS_LIQUID);
	else if (last || wins * 2 <= all)
		keep_own(class);
}

static void learn_in_trial(struct way_class *class, enum way way, int64_t ns)
{
	bool *warm = way == WAY_OWN ? &class->warm_own : &class->warm_liquid;

	if (!*warm) {
		*warm = true;
		return;
	}
	add_time(way == WAY_OWN ? &class->own : &class->liquid, ns);
	if (way == WAY_LIQUID && owes(class, ns))
		keep_own(class);
	else
		judge_trial(class);
}

static bool is_slow(int64_t ns, int64_t usual)
{
	return ns / 5 * 4 > usual;
}

/*
 * A liquid call that is slow, and an own call that is faster than liquid, are followed by own
 * calls: they show whether both have become slower, or the own way faster, and nothing is lost.
 */
static void learn_of_liquid(struct way_class *class, enum way way, int64_t ns)
{
	int64_t own = median(&class->own, RECENT), liquid = median(&class->liquid, RECENT);
	bool odd = way == WAY_OWN ? ns < liquid : is_slow(ns, own);

	add_time(way == WAY_OWN ? &class->own : &class->liquid, ns);
	if (way == WAY_LIQUID ? owes(class, ns) : odd && median(&class->own, RECENT) < liquid)
		keep_own(class);
	else if (odd && !class->looks)
		class->looks = RECENT - 1;
}

static void learn_of_own(struct way_class *class, int64_t ns)
{
	class->slow = is_slow(ns, class->record_ns) ? class->slow + 1 : 0;
	if (class->slow >= SLOW_MOST)
		class->wait = class->soonest;
}

void way_learn(struct way_book *book, uint64_t bytes, enum way way, int64_t slowest_ns)
{
	struct way_class *class = &book->class[class_of(bytes)];

	if (!decides(book, bytes))
		return;
	slowest_ns = slowest_ns < 0 ? 0 : slowest_ns < NS_MOST ? slowest_ns : NS_MOST;
	if (class->state == WAY_TRIAL)
		learn_in_trial(class, way, slowest_ns);
	else if (class->state == WAY_KEEPS_LIQUID)
		learn_of_liquid(class, way, slowest_ns);
	else if (way == WAY_OWN)
		learn_of_own(class, slowest_ns);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * released: what a gate with several TX queues has charged its packets, by the trace
 *
 *	released TRACE BEATS SLACK PLAN...
 *
 * TRACE has the events liquid_dequeue and net_dev_start_xmit by the clock "mono", with addresses as
 * they are; PLANs are outputs of "wire plan", and SLACK is in ns. Each packet has wire time that
 * must lie inside a frame of its destination and before the guard, and on no other packet's.
 *
 * The driver should get a packet SLACK after its wire time at the latest. It may get it later where
 * the host takes the guest's processor away after the gate has read the clock: no software of the
 * guest can help that. BEATS, the output of "heartbeat" with an interrupt every ms, shows when that
 * was so. A packet that is late even without such time is unexplained.
 *
 * Exits with 1 where a packet was charged wrongly or is unexplained.
 */
#include <time.h>

#include "plan.h"

#define CPUS_MAX	64
#define PLANS_MAX	8
#define REPORTS_MAX	20
#define EXACT_NS	1000		/* by which clocks and roundings may differ */
#define AWAY_NS		1500000		/* without an interrupt: was taken away */

struct interval {
	int64_t from, until;
};

struct cpu {
	int64_t last;			/* its last interrupt */
	struct interval *away;		/* when it was taken away */
	size_t away_count;
};

/* A packet; times are ns of CLOCK_MONOTONIC */
struct release {
	int64_t from, until;		/* its wire time */
	int64_t stamp;			/* of the gate's event */
	uint64_t skb;
	int32_t dest;
	unsigned int cpu;
	bool sent;
};

static struct cpu cpus[CPUS_MAX];
static struct plan plans[PLANS_MAX];
static unsigned int plan_count;
static struct release *releases;
static size_t release_count, first_waiting;
static int64_t slack;
static uint64_t scheduled, faults, late, unexplained;
static int64_t latest;

static bool report(void)
{
	return faults++ < REPORTS_MAX;
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* CLOCK_TAI - CLOCK_MONOTONIC, of the two readings that were closest */
static int64_t read_offset(void)
{
	int64_t best = INT64_MAX, offset = 0;

	for (int i = 0; i < 1000; i++) {
		int64_t before = clock_ns(CLOCK_MONOTONIC), tai = clock_ns(CLOCK_TAI);
		int64_t apart = clock_ns(CLOCK_MONOTONIC) - before;

		if (apart < best) {
			best = apart;
			offset = tai - before - apart / 2;
		}
	}
	return offset;
}

/* Read a plan, with times of CLOCK_MONOTONIC. */
static void add_plan(const char *name, int64_t offset)
{
	struct plan *plan = &plans[plan_count++];

	if (plan_count > PLANS_MAX)
		fail("too many plans", name);
	read_plan(plan, name);
	plan->base -= offset;
	plan->start -= offset;
}

/* The plan in force at @now; NULL: none */
static const struct plan *plan_at(int64_t now)
{
	const struct plan *best = NULL;

	for (unsigned int i = 0; i < plan_count; i++)
		if (plans[i].start <= now + EXACT_NS && (!best || plans[i].start > best->start))
			best = &plans[i];
	return best;
}

/* --- when processors were taken away --- */

static void on_beat(struct cpu *cpu, int64_t now)
{
	if (cpu->last && now - cpu->last > AWAY_NS) {
		cpu->away = grow(cpu->away, cpu->away_count, sizeof(*cpu->away));
		cpu->away[cpu->away_count++] = (struct interval){ cpu->last, now };
	}
	cpu->last = now;
}

static void read_beats(const char *name)
{
	FILE *in = fopen(name, "r");
	unsigned int number;
	int64_t now;

	if (!in || fscanf(in, "ready") == EOF)
		fail("cannot be read", name);
	while (fscanf(in, "%u %" SCNd64, &number, &now) == 2)
		if (number < CPUS_MAX)
			on_beat(&cpus[number], now);
	fclose(in);
}


/* ns between @from and @until that @cpu was taken away */
static int64_t away_between(const struct cpu *cpu, int64_t from, int64_t until)
{
	int64_t sum = 0;

	for (size_t i = cpu->away_count; i-- && cpu->away[i].until > from;) {
		int64_t first = cpu->away[i].from > from ? cpu->away[i].from : from;
		int64_t last = cpu->away[i].until < until ? cpu->away[i].until : until;

		sum += last > first ? last - first : 0;
	}
	return sum;
}

/* --- the trace --- */

static int64_t wire_ns(const struct plan *plan, int64_t length)
{
	int64_t bytes = length + plan->overhead;

	if (bytes < plan->mpu)
		bytes = plan->mpu;
	return (bytes * 8000000000 + plan->rate - 1) / plan->rate;
}

static void on_dequeue(const char *line, const char *event, unsigned int cpu, int64_t now)
{
	struct release release = { .cpu = cpu, .stamp = now };
	int64_t length;

	if (sscanf(event, " liquid_dequeue: ifindex=%*d skb=%" SCNx64 " dest=%" SCNd32
		   " len=%" SCNd64 " vfinish=%" SCNd64, &release.skb, &release.dest, &length,
		   &release.until) != 4)
		fail("not an event of a gate", line);
	release.from = release.until - wire_ns(&plans[0], length);
	releases = grow(releases, release_count, sizeof(release));
	releases[release_count++] = release;
}

/* The driver gets a packet. */
static void on_xmit(const char *line, const char *event, int64_t now)
{
	const char *at = strstr(event, "skbaddr=");
	uint64_t skb = at ? strtoull(at + 8, NULL, 16) : 0;

	while (first_waiting < release_count && releases[first_waiting].sent)
		first_waiting++;
	for (size_t i = first_waiting; i < release_count; i++) {
		struct release *release = &releases[i];
		int64_t over = now - release->until;

		if (release->sent || release->skb != skb)
			continue;
		release->sent = true;
		if (over > latest)
			latest = over;
		if (over <= slack)
			return;
		late++;
		/* The gate has read the clock before @from. */
		over -= away_between(&cpus[release->cpu], release->from, now);
		if (over > slack && unexplained++ < REPORTS_MAX)
			printf("# late by %" PRId64 " ns beside what was taken away: %s", over,
			       line);
		return;
	}
}

static void on_line(const char *line)
{
	const char *at = strstr(line, " [");
	unsigned int number, micro;
	int64_t now;
	long second;
	int size;

	if (!at || sscanf(at, " [%u] %*s %ld.%u:%n", &number, &second, &micro, &size) != 3 ||
	    number >= CPUS_MAX)
		return;
	now = (second * 1000000LL + micro) * 1000;
	at += size;
	if (strstr(at, " liquid_dequeue: "))
		on_dequeue(line, at, number, now);
	else if (strstr(at, " net_dev_start_xmit: "))
		on_xmit(line, at, now);
}

static void read_trace(const char *name)
{
	FILE *in = fopen(name, "r");
	char line[512];

	if (!in)
		fail("cannot be read", name);
	while (fgets(line, sizeof(line), in))
		on_line(line);
	fclose(in);
}

/* --- the verdict --- */

/* Its wire time is in a frame of its destination, before the guard and before the next plan. */
static bool in_frame(const struct release *release, const struct plan *plan)
{
	int64_t from = release->from + EXACT_NS, until = release->until - EXACT_NS;
	int64_t frame = floor_divide(from - plan->base, plan->frame_ns);
	int64_t end = plan->base + (frame + 1) * plan->frame_ns - plan->guard_ns;

	return slot_of(plan, frame) == release->dest && until <= end && plan_at(until) == plan;
}

static int compare_releases(const void *a, const void *b)
{
	const struct release *x = a, *y = b;

	return x->until < y->until ? -1 : x->until > y->until;
}

static void judge_release(const struct release *release, const struct release *before)
{
	const struct plan *plan = plan_at(release->from);

	scheduled += release->dest >= 0;
	if (before && release->from + 2 < before->until && report())
		printf("# wire time from %" PRId64 " overlaps that until %" PRId64 "\n",
		       release->from, before->until);
	if (plan && release->dest >= 0 && !in_frame(release, plan) && report())
		printf("# to %" PRId32 " from %" PRId64 " to %" PRId64
		       ", not in its frame: frame %" PRId64 " begins at %" PRId64 "\n",
		       release->dest, release->from, release->until,
		       floor_divide(release->from - plan->base, plan->frame_ns),
		       plan->base + plan->frame_ns *
		       floor_divide(release->from - plan->base, plan->frame_ns));
	if (!release->sent && report())
		printf("# released at %" PRId64 ", but the driver has not got it\n",
		       release->stamp);
}

int main(int argc, char **argv)
{
	int64_t offset = read_offset();

	if (argc < 5)
		fail("takes a trace, beats, the slack, and plans", "usage");
	slack = strtoll(argv[3], NULL, 10);
	for (int i = 4; i < argc; i++)
		add_plan(argv[i], offset);
	read_beats(argv[2]);
	read_trace(argv[1]);
	if (!release_count)
		fail("nothing was released", argv[1]);
	qsort(releases, release_count, sizeof(*releases), compare_releases);
	for (size_t i = 0; i < release_count; i++)
		judge_release(&releases[i], i ? &releases[i - 1] : NULL);
	printf("scheduled=%" PRIu64 " faults=%" PRIu64 " late=%" PRIu64 " unexplained=%" PRIu64
	       " latest=%" PRId64 "\n", scheduled, faults, late, unexplained, latest);
	return faults + unexplained > 0;
}

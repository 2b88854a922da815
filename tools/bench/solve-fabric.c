// SPDX-License-Identifier: GPL-2.0-only
/*
 * One call of liquid_solve(), timed and verified
 *
 * usage: solve-fabric [-l] [-d PARTS] [-m METHOD] [-s SEED] [-w WORK] [-T THREADS] [-r RANDOM]
 *                     [-a PERCENT | -x HOSTS] [-u UNITS] [-p PERMUTATIONS | -t TARGETS]
 *                     GENERATOR [KEY=VALUE]... | -
 *
 * With - the fabric is read from the standard input. The traffic is an all-to-all of all hosts, of
 * a random PERCENT of them, or of all but a random number HOSTS, with a random 1 to UNITS units for
 * each pair. Or it is the sum of random PERMUTATIONS of the hosts, or from each host to a number of
 * random TARGETS. RANDOM is the seed of the traffic, SEED that of the solver. The time is that of
 * the whole call: routes from the forwarding tables, search, digests, and the library's
 * verification. The schedule is verified again afterwards.
 *
 * Prints one line: method, transfers, duration, proven lower bound, length, certificate, CPU s,
 * wall s, largest resident set so far in MB, CPU s of the proof alone, ms of a slice (the longest
 * of 16), the member of the method that found the schedule, and the share of the work, in %, of
 * each that had at least 1 %. With -d messages may be sent in up to
 * PARTS parts, 0: in few; then come the parts and the frames per message.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "liquidsched.h"

enum { MEMBERS_MAX = 64 };

/* What the members of a method have done, by what the solver reports its progress */
struct members {
	const char *name[MEMBERS_MAX], *winner;
	uint64_t spent[MEMBERS_MAX], before;	/* @before: what all have, of one search */
	uint32_t count, length;
};

struct job {
	struct liquid_solve_options options;
	uint64_t random;		/* state of splitmix64 */
	uint32_t percent, without, units, permutations, targets;
	struct liquid_fabric *fabric;
	struct liquid_traffic *traffic;
	struct members members;
	struct liquid_error err;
};

static void die(const struct job *job)
{
	fprintf(stderr, "solve-fabric: %s\n", job->err.text);
	exit(1);
}

static uint32_t draw(struct job *job, uint32_t bound)
{
	uint64_t z = job->random += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (uint32_t)((((z ^ z >> 31) >> 32) * bound) >> 32);
}

static void shuffle(struct job *job, uint32_t *host, uint32_t count)
{
	for (uint32_t i = count; i > 1; i--) {
		uint32_t j = draw(job, i), swap = host[j];

		host[j] = host[i - 1];
		host[i - 1] = swap;
	}
}

static void add(struct job *job, uint32_t src, uint32_t dst)
{
	if (src != dst && liquid_traffic_add(job->traffic, src, dst, 1, &job->err))
		die(job);
}

static void make_sparse(struct job *job, uint32_t *host, uint32_t count)
{
	if (liquid_traffic_new(&job->traffic, &job->err))
		die(job);
	for (uint32_t k = 0; k < job->permutations; k++) {
		shuffle(job, host, count);
		for (uint32_t i = 0; i < count; i++)
			add(job, i, host[i]);
	}
	for (uint32_t k = 0; k < job->targets; k++)
		for (uint32_t i = 0; i < count; i++)
			add(job, i, draw(job, count));
}

static void make_uneven(struct job *job, const uint32_t *host, uint32_t count)
{
	if (liquid_traffic_new(&job->traffic, &job->err))
		die(job);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t j = 0; j < count; j++)
			if (i != j && liquid_traffic_add(job->traffic, host[i], host[j],
							 1 + draw(job, job->units), &job->err))
				die(job);
}

/* Number of hosts of @count that take part. */
static uint32_t part_of(const struct job *job, uint32_t count)
{
	if (job->without)
		return job->without < count ? count - job->without : 0;
	return (uint32_t)((uint64_t)count * job->percent / 100);
}

static void make_traffic(struct job *job)
{
	uint32_t count = liquid_fabric_host_count(job->fabric);
	uint32_t taken = part_of(job, count);
	uint32_t *host = malloc(count * sizeof(*host));

	if (!host)
		exit(1);
	for (uint32_t i = 0; i < count; i++)
		host[i] = i;
	if (job->permutations || job->targets) {
		make_sparse(job, host, count);
	} else {
		if (taken < count)
			shuffle(job, host, count);
		if (job->units > 1)
			make_uneven(job, host, taken);
		else if (liquid_traffic_alltoall(host, taken, &job->traffic, &job->err))
			die(job);
	}
	free(host);
}

static double clock_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- who won, and who spent ---- */

static uint32_t member_of(struct members *members, const char *name)
{
	uint32_t i = 0;

	while (i < members->count && strcmp(members->name[i], name))
		i++;
	if (i == members->count && i < MEMBERS_MAX)
		members->name[members->count++] = name;
	return i < MEMBERS_MAX ? i : 0;
}

static int note(void *context, const struct liquid_progress *progress)
{
	struct members *members = context;
	uint32_t i = member_of(members, progress->phase), length = progress->best_length;

	if (progress->work < members->before)
		members->before = 0;
	members->spent[i] += progress->work - members->before;
	members->before = progress->work;
	if (length && (!members->length || length < members->length)) {
		members->winner = members->name[i];
		members->length = length;
	}
	return 0;
}

/* Without a turn, a method's first look has solved it, or it has no members. */
static void print_members(const struct members *members)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < members->count; i++)
		all += members->spent[i];
	printf(",%s,", members->winner ? members->winner : "at once");
	for (uint32_t i = 0; i < members->count; i++)
		if (100 * members->spent[i] >= all)
			printf("%s %.0f ", members->name[i], 100. * members->spent[i] / all);
}

/* ms; hosts that take no part have none */
static double longest_slice(struct job *job, const struct liquid_schedule *schedule)
{
	uint32_t *dst = calloc((size_t)liquid_schedule_info(schedule)->length + 1, sizeof(*dst));
	uint32_t hosts = liquid_fabric_host_count(job->fabric);
	double longest = 0;

	for (uint64_t i = 0; dst && i < 16; i++) {
		double begin = clock_of(CLOCK_PROCESS_CPUTIME_ID), time;

		if (liquid_schedule_slice(schedule, (uint32_t)(hosts * i / 16), 1, dst, &job->err))
			continue;
		time = clock_of(CLOCK_PROCESS_CPUTIME_ID) - begin;
		longest = time > longest ? time : longest;
	}
	free(dst);
	return 1e3 * longest;
}

static void solve(struct job *job)
{
	double proof, wall = clock_of(CLOCK_MONOTONIC), cpu = clock_of(CLOCK_PROCESS_CPUTIME_ID);
	const struct liquid_schedule_info *info;
	struct liquid_schedule *schedule;
	struct rusage usage;

	if (liquid_solve(job->fabric, job->traffic, &job->options, &schedule, &job->err))
		die(job);
	cpu = clock_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	wall = clock_of(CLOCK_MONOTONIC) - wall;
	getrusage(RUSAGE_SELF, &usage);
	proof = clock_of(CLOCK_PROCESS_CPUTIME_ID);
	if (liquid_verify(job->fabric, job->traffic, schedule, NULL, NULL, &job->err))
		die(job);
	proof = clock_of(CLOCK_PROCESS_CPUTIME_ID) - proof;
	info = liquid_schedule_info(schedule);
	printf("%s,%llu,%u,%u,%u,%s,%.4f,%.4f,%.1f", info->method,
	       (unsigned long long)info->transfers, info->duration, info->lower_bound,
	       info->length, liquid_certificate_name(info->certificate), cpu, wall,
	       (double)usage.ru_maxrss / 1024);
	printf(",%.4f,%.3f", proof, longest_slice(job, schedule));
	print_members(&job->members);
	if (job->options.parts)
		printf(",%u,%.4f", info->parts, (double)info->length / info->parts);
	putchar('\n');
	liquid_schedule_free(schedule);
}

static int usage(void)
{
	fputs("usage: solve-fabric [-l] [-d PARTS] [-m METHOD] [-s SEED] [-w WORK]\n"
	      "                    [-T THREADS] [-r RANDOM] [-a PERCENT | -x HOSTS] [-u UNITS]\n"
	      "                    [-p PERMUTATIONS | -t TARGETS] GENERATOR [KEY=VALUE]... | -\n",
	      stderr);
	return 2;
}

static bool parse(struct job *job, int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "+ld:m:s:w:T:r:a:x:u:p:t:")) != -1) {
		unsigned long long number = optarg ? strtoull(optarg, NULL, 10) : 0;

		switch (option) {
		case 'l': job->options.list = true; break;
		case 'd': job->options.parts = number ? (uint32_t)number : LIQUID_PARTS_FEW; break;
		case 'm': job->options.method = optarg; break;
		case 's': job->options.seed = number; break;
		case 'w': job->options.work = number; break;
		case 'T': job->options.threads = number; break;
		case 'r': job->random = number; break;
		case 'a': job->percent = (uint32_t)number; break;
		case 'x': job->without = (uint32_t)number; break;
		case 'u': job->units = (uint32_t)number; break;
		case 'p': job->permutations = (uint32_t)number; break;
		case 't': job->targets = (uint32_t)number; break;
		default: return false;
		}
	}
	return optind < argc && job->percent >= 1 && job->percent <= 100;
}

int main(int argc, char **argv)
{
	static struct job job = { .percent = 100, .random = 1 };

	if (!parse(&job, argc, argv))
		return usage();
	job.options.progress = note;
	job.options.context = &job.members;
	if (strcmp(argv[optind], "-") ?
	    liquid_fabric_make(argv[optind], (const char *const *)argv + optind + 1,
			       (size_t)(argc - optind - 1), &job.fabric, &job.err) :
	    liquid_fabric_read(stdin, "-", &job.fabric, &job.err))
		die(&job);
	make_traffic(&job);
	solve(&job);
	liquid_traffic_free(job.traffic);
	liquid_fabric_free(job.fabric);
	return 0;
}

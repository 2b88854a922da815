// SPDX-License-Identifier: GPL-2.0-only
/*
 * rdma-alltoall: an exchange by RDMA writes that follows a schedule without clock or gate
 *
 *	rdma-alltoall [OPTION]... FABRIC SCHEDULE MAP
 *	  --order tokens|clock|order	a run of the schedule's plan (tokens)
 *	  --order all-at-once		each sender its messages in rotation, all of them
 *	  --order window --window N	... N at a time
 *	  --order pairwise		... one at a time, after what comes in the same step
 *	  --message BYTES		of a message (393216)
 *	  --tail BYTES			end of a piece that is under way while its tokens go (0)
 *	  --ahead BYTES			end of the tail that does not hold up the next piece (0)
 *	  --exchanges N			one after another, without a barrier (1)
 *	  --processes one|each		all nodes in one process (one), or one for each
 *	  --frame NS			length of a frame, with a clock
 *	  --nap NS			between two looks at the memory (200000)
 *	  --patience NS			longest wait for a token, or for a message (10 s)
 *	  --limit S			time after the start to give up (100)
 *	  --ack-timeout N		4.096 us * 2^N until a packet is sent again (20)
 *	  --die HOST --die-after NS	end the process of that host so long after the start
 *
 * MAP has lines `HOST ADDRESS`; the hosts of the schedule are the ranks, in that order. Host H has
 * the soft-RoCE device rH. Its packets are of 4 KiB. Tokens are words of 8 bytes that others write
 * into slots of a rank's memory, which it looks at; so are the flags by which a receiver sees that
 * a message is there. All ranks are on one machine: processes are forked, and tell each other their
 * queue pairs by shared memory. The exchange itself has no other means than RDMA writes. All times
 * are those of CLOCK_MONOTONIC, which nobody can set.
 *
 * Every word received is checked at the end. Prints one line of results, and returns 0 if all
 * messages have arrived and every word is right.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define NODES_MAX	1
#include "machine.h"
#include "rdma-alltoall.h"

#define PAGE		4096
#define SETUP_NS	(120 * SECOND)
#define LEAD_NS		(SECOND / 10)

static void check(int status, const struct liquid_error *err)
{
	if (!status)
		return;
	fprintf(stderr, "rdma-alltoall: %s\n", err->text);
	exit(2);
}

/* ---- the job ---- */

static const char *const orders[] = {
	[ORDER_TOKENS] = "tokens", [ORDER_CLOCK] = "clock", [ORDER_ORDER] = "order",
	[ORDER_ALL_AT_ONCE] = "all-at-once", [ORDER_WINDOW] = "window",
	[ORDER_PAIRWISE] = "pairwise",
};

static enum order find_order(const char *name)
{
	for (unsigned int i = 0; i < sizeof(orders) / sizeof(*orders); i++)
		if (!strcmp(orders[i], name))
			return i;
	fail(name);
}

static const char *dying;

static void option(struct job *job, const char *name, const char *value)
{
	uint64_t number = strtoull(value, NULL, 10);

	errno = EINVAL;
	if (!strcmp(name, "--order"))
		job->order = find_order(value);
	else if (!strcmp(name, "--window"))
		job->window = (uint32_t)number;
	else if (!strcmp(name, "--message"))
		job->message = number;
	else if (!strcmp(name, "--tail"))
		job->tail = number;
	else if (!strcmp(name, "--ahead"))
		job->ahead = number;
	else if (!strcmp(name, "--exchanges"))
		job->exchanges = (uint32_t)number;
	else if (!strcmp(name, "--processes"))
		job->process_per_node = !strcmp(value, "each");
	else if (!strcmp(name, "--frame"))
		job->frame = (int64_t)number;
	else if (!strcmp(name, "--nap"))
		job->nap = (int64_t)number;
	else if (!strcmp(name, "--patience"))
		job->patience = (int64_t)number;
	else if (!strcmp(name, "--limit"))
		job->limit = (int64_t)number * SECOND;
	else if (!strcmp(name, "--ack-timeout"))
		job->ack_timeout = (uint8_t)number;
	else if (!strcmp(name, "--die"))
		dying = value;
	else if (!strcmp(name, "--die-after"))
		job->die_after = (int64_t)number;
	else
		fail(name);
}

static void check_options(struct job *job)
{
	errno = EINVAL;
	if (!job->message || job->message % sizeof(uint64_t) || job->message > 1 << 26)
		fail("--message");
	if (!job->exchanges || job->exchanges > 100)
		fail("--exchanges");
	if (job->order == ORDER_WINDOW && !job->window)
		fail("--window");
	if (job->order == ORDER_PAIRWISE)
		job->window = 1;
	if (job->order == ORDER_ALL_AT_ONCE)
		job->window = UINT32_MAX;
}

static FILE *open_file(const char *name)
{
	FILE *in = fopen(name, "r");

	if (!in)
		fail(name);
	return in;
}

static bool takes_part(const struct liquid_schedule *schedule, uint32_t host)
{
	uint32_t length = liquid_schedule_info(schedule)->length;
	size_t count;

	for (uint32_t f = 0; f < length; f++) {
		const struct liquid_transfer *transfer = liquid_schedule_frame(schedule, f, &count);

		for (size_t i = 0; i < count; i++)
			if (transfer[i].src == host || transfer[i].dst == host)
				return true;
	}
	return false;
}

static void read_map(struct job *job, const struct liquid_schedule *schedule, const char *name)
{
	FILE *in = open_file(name);
	char host[256], address[64];

	job->die = LIQUID_NONE;
	while (fscanf(in, "%255s %63s", host, address) == 2) {
		uint32_t number = liquid_fabric_find_host(job->fabric, host);

		errno = EINVAL;
		if (number == LIQUID_NONE || !takes_part(schedule, number))
			continue;
		if (job->ranks == RANKS_MAX)
			fail("too many ranks");
		if (dying && !strcmp(dying, host))
			job->die = job->ranks;
		if (inet_pton(AF_INET, address, &job->address[job->ranks]) != 1)
			fail(address);
		job->host_of_rank[job->ranks++] = number;
	}
	fclose(in);
}

/* The matrix of messages: the endpoints know their own rows and columns, from their slices. */
static void count_work(struct job *job)
{
	for (uint32_t r = 0; r < job->ranks; r++) {
		uint32_t count;
		const struct liquid_piece *piece = liquid_plan_pieces(job->plan, r, &count);

		for (uint32_t i = 0; i < count; i++)
			job->parts[r][piece[i].peer] = piece[i].parts;
	}
}

static void read_job(struct job *job, char **files)
{
	struct liquid_plan_options options = { 0 };
	FILE *in = open_file(files[0]);
	struct liquid_schedule *schedule;
	struct liquid_error err;

	check(liquid_fabric_read(in, files[0], &job->fabric, &err), &err);
	fclose(in);
	in = open_file(files[1]);
	check(liquid_schedule_read_json(in, files[1], job->fabric, &schedule, &err), &err);
	fclose(in);
	read_map(job, schedule, files[2]);
	options.host_of_rank = job->host_of_rank;
	options.ranks = job->ranks;
	options.cyclic = job->exchanges > 1;
	check(liquid_plan_make(job->fabric, schedule, &options, &job->plan, &err), &err);
	liquid_schedule_free(schedule);
	count_work(job);
}

/* ---- memory ---- */

uint64_t job_word(uint32_t src, uint32_t dst, uint64_t exchange, uint64_t place)
{
	return ((uint64_t)src << 52 | (uint64_t)dst << 40 | place) * 0x9e3779b97f4a7c15ULL +
	       exchange;
}

static void *make_shared(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		fail("memory");
	return memory;
}

static void lay_out(struct job *job)
{
	uint64_t slots = 0, in = 0, out = 0;

	for (uint32_t r = 0; r < job->ranks; r++) {
		uint32_t own, senders, receivers = 0;

		liquid_plan_givers(job->plan, r, &own);
		liquid_plan_incoming(job->plan, r, &senders);
		for (uint32_t peer = 0; peer < job->ranks; peer++)
			receivers += job->parts[r][peer] > 0;
		slots = slots > own ? slots : own;
		in = in > senders ? in : senders;
		out = out > receivers ? out : receivers;
	}
	job->slots_at = RANKS_MAX * sizeof(uint64_t);
	job->in_at = (job->slots_at + slots * sizeof(uint64_t) + PAGE - 1) / PAGE * PAGE;
	job->out_at = job->in_at + in * job->exchanges * job->message;
	job->memory_bytes = job->out_at + out * job->exchanges * job->message;
	for (uint32_t r = 0; r < job->ranks; r++)
		job->memory[r] = make_shared(job->memory_bytes);
	job->shared = make_shared(sizeof(*job->shared));
}

/* ---- a process: some of the ranks ---- */

static void nap(const struct job *job)
{
	const struct timespec time = { job->nap / SECOND, job->nap % SECOND };

	nanosleep(&time, NULL);
}

/* Wait until @word is @value, during the set-up; the parent gives up for all. */
static void await(const struct job *job, const uint32_t *word, uint32_t value)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < value)
		nap(job);
}

static void maybe_die(const struct job *job, const struct endpoint *e, int64_t now)
{
	if (e->rank == job->die && now >= job->shared->start + job->die_after)
		raise(SIGKILL);
}

static void exchange(const struct job *job, struct endpoint *endpoints, uint32_t count)
{
	int64_t now = clock_ns(CLOCK_MONOTONIC), end = job->shared->start + job->limit;
	uint32_t done = 0;

	while (done < count && now < end) {
		bool busy = false;

		done = 0;
		for (uint32_t i = 0; i < count; i++) {
			now = clock_ns(CLOCK_MONOTONIC);
			maybe_die(job, &endpoints[i], now);
			if (endpoint_done(&endpoints[i]))
				done++;
			else
				busy |= endpoint_step(&endpoints[i], now);
		}
		if (!busy)
			nap(job);
	}
}

static void __attribute__((noreturn)) serve(const struct job *job, uint32_t first, uint32_t count,
					     uint32_t processes)
{
	struct endpoint *endpoints = calloc(count, sizeof(*endpoints));
	struct shared *shared = job->shared;

	if (!endpoints)
		fail("memory");
	for (uint32_t i = 0; i < count; i++)
		endpoint_open(&endpoints[i], job, first + i);
	__atomic_add_fetch(&shared->ready, 1, __ATOMIC_ACQ_REL);
	await(job, &shared->ready, processes);
	for (uint32_t i = 0; i < count; i++)
		wire_join(&endpoints[i].wire, job->ranks, job->ack_timeout);
	__atomic_add_fetch(&shared->joined, 1, __ATOMIC_ACQ_REL);
	while (!__atomic_load_n(&shared->start, __ATOMIC_ACQUIRE))
		nap(job);
	await_time(CLOCK_MONOTONIC, shared->start);
	exchange(job, endpoints, count);
	exit(0);
}

/* ---- all processes ---- */

static pid_t children[RANKS_MAX];
static uint32_t processes, died;

static void __attribute__((noreturn)) give_up(const char *what, int error)
{
	for (uint32_t i = 0; i < processes; i++)
		kill(children[i], SIGKILL);
	errno = error;
	fail(what);
}

/* The process of some ranks; it ends with this one, for nobody else would tell it to. */
static pid_t begin(const struct job *job, uint32_t first, uint32_t count)
{
	pid_t parent = getpid(), child = fork();

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(2);
	serve(job, first, count, job->ranks / count);
}

static void start(const struct job *job)
{
	uint32_t each = job->process_per_node ? 1 : job->ranks;

	while (processes < job->ranks / each) {
		pid_t child = begin(job, processes * each, each);

		if (child < 0)
			give_up("fork", errno);
		children[processes++] = child;
	}
}

/* Wait until all processes have connected, and set the time of the start. */
static void set_start(const struct job *job)
{
	int64_t end = clock_ns(CLOCK_MONOTONIC) + SETUP_NS;
	int status;

	while (__atomic_load_n(&job->shared->joined, __ATOMIC_ACQUIRE) < processes) {
		if (clock_ns(CLOCK_MONOTONIC) > end || waitpid(-1, &status, WNOHANG) > 0)
			give_up("the processes do not come up", ETIME);
		nap(job);
	}
	__atomic_store_n(&job->shared->start, clock_ns(CLOCK_MONOTONIC) + LEAD_NS,
			 __ATOMIC_RELEASE);
}

static void await_end(void)
{
	int status;

	for (uint32_t i = 0; i < processes; i++)
		if (waitpid(children[i], &status, 0) > 0)
			died += !WIFEXITED(status) || WEXITSTATUS(status);
}

/* ---- results ---- */

struct sum {
	uint64_t messages, arrived, wrong, failed, unfinished, tokens, token_us, token_min_us;
	struct liquid_run_stats run;
	int64_t end;
};

static uint64_t wrong_words(const struct job *job, uint32_t src, uint32_t dst, uint64_t exchange)
{
	const uint64_t *word = (void *)(job->memory[dst] + exchange * job->message +
					job->shared->cards[dst].messages_at[src]);
	uint64_t wrong = 0;

	for (uint64_t i = 0; i < job->message / sizeof(*word); i++)
		wrong += word[i] != job_word(src, dst, exchange, i);
	return wrong;
}

static void check_messages(const struct job *job, uint32_t src, uint32_t dst, struct sum *sum)
{
	uint64_t arrived = ((uint64_t *)job->memory[dst])[src];

	if (!job->parts[src][dst])
		return;
	sum->messages += job->exchanges;
	sum->arrived += arrived;
	for (uint64_t x = 0; x < arrived; x++)
		sum->wrong += wrong_words(job, src, dst, x);
}

static void add_result(const struct result *result, struct sum *sum)
{
	sum->failed += result->failed;
	sum->tokens += result->tokens;
	if (result->token_us && (!sum->token_us || result->token_min_us < sum->token_min_us))
		sum->token_min_us = result->token_min_us;
	sum->token_us += result->token_us;
	sum->unfinished += !result->end;
	if (sum->end < result->end)
		sum->end = result->end;
	sum->run.waits += result->run.waits;
	sum->run.wait_ns += result->run.wait_ns;
	sum->run.timeouts += result->run.timeouts;
	sum->run.unsynchronised += result->run.unsynchronised;
}

static int report(const struct job *job, uint64_t idle)
{
	struct sum sum = { 0 };

	for (uint32_t r = 0; r < job->ranks; r++) {
		add_result(&job->shared->results[r], &sum);
		for (uint32_t src = 0; src < job->ranks; src++)
			check_messages(job, src, r, &sum);
	}
	printf("ranks=%u messages=%" PRIu64 " arrived=%" PRIu64 " wrong=%" PRIu64 " failed=%" PRIu64
	       " died=%u unfinished=%" PRIu64 " ns=%" PRId64 " tokens=%" PRIu64
	       " token_us=%" PRIu64 " token_min_us=%" PRIu64 " waits=%" PRIu64 " wait_us=%" PRIu64
	       " timeouts=%" PRIu64 " unsynchronised=%" PRIu64 " idle_permille=%" PRIu64 "\n",
	       job->ranks, sum.messages, sum.arrived, sum.wrong, sum.failed, died, sum.unfinished,
	       sum.end - job->shared->start, sum.tokens,
	       sum.tokens ? sum.token_us / sum.tokens : 0, sum.token_min_us, sum.run.waits,
	       sum.run.waits ? sum.run.wait_ns / sum.run.waits / 1000 : 0, sum.run.timeouts,
	       sum.run.unsynchronised, idle);
	return sum.arrived != sum.messages || sum.wrong || sum.failed || died || sum.unfinished;
}

int main(int argc, char **argv)
{
	struct job job = {
		.message = 393216, .exchanges = 1, .nap = 200000, .patience = 10 * SECOND,
		.limit = 100 * SECOND, .ack_timeout = 20,
	};
	struct load before;
	uint64_t idle;
	int i = 1;

	for (; i + 1 < argc && !strncmp(argv[i], "--", 2); i += 2)
		option(&job, argv[i], argv[i + 1]);
	if (argc - i != 3) {
		fputs("usage: rdma-alltoall [OPTION]... FABRIC SCHEDULE MAP\n", stderr);
		return 2;
	}
	check_options(&job);
	read_job(&job, argv + i);
	lay_out(&job);
	give_way();
	start(&job);
	set_start(&job);
	before = read_load();
	await_end();
	idle = idle_permille(&before);
	return report(&job, idle);
}

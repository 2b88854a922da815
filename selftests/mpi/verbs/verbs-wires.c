// SPDX-License-Identifier: GPL-2.0-only
/*
 * verbs-wires: wires of user/mpi/wire/verbs in one process, without MPI
 *
 *	verbs-wires CASE [VALUE] DEVICE...
 *	  exchange REGISTRATION	random messages and tokens between the devices, every byte checked
 *	  remap REGISTRATION	10,000 messages from and to memory that is mapped anew each time
 *	  refuse		what cannot be opened or registered is refused, and says why
 *	  token			time of a token while a long message leaves the same device
 *	  left			time at which posts count as left
 *	  late			a rank that comes late is waited for
 *	  dead			a rank that is gone is noticed
 *	  deaf			so is one that does not take what it shall be sent
 *	  many RANKS		memory of a wire to RANKS ranks
 *	  apart REGISTRATION	messages whose memory is in more places than a cache keeps
 *
 * Prints results of tests as `ok TEXT` or `not ok TEXT`, and figures as `# TEXT`. Exits 1 after an
 * error that leaves nothing to be tested.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "settings/environment.h"
#include "wire/wire.h"

#define ENDS_MAX	8
#define SLOTS		64
#define EVENTS		8
#define SECOND		1000000000LL
#define LIMIT_NS	(60 * SECOND)
#define NAP_NS		100000
#define GUARD		64		/* bytes around a message that no one writes */
#define FILLER		0xa5

struct message {
	unsigned char *out, *in;	/* NULL: none */
	uint64_t bytes, posted, posts, left;
};

struct end {
	struct environment env;
	struct wire *wire;
	uint64_t slots[SLOTS];
	struct message to[ENDS_MAX];	/* out of these; @in is the receiver's */
};

static struct end ends[ENDS_MAX];
static uint32_t count;
static uint64_t epoch;
static const struct wire_ops *const ops = &wire_verbs;

static void __attribute__((noreturn)) fail(const char *what, const struct liquid_error *err)
{
	printf("not ok %s\n# %s\n", what, err ? err->text : strerror(errno));
	exit(1);
}

static void verdict(bool right, const char *name)
{
	printf("%sok %s\n", right ? "" : "not ", name);
	fflush(stdout);
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * SECOND + now.tv_nsec;
}

static void nap(void)
{
	const struct timespec time = { 0, NAP_NS };

	nanosleep(&time, NULL);
}

static uint64_t draw(uint64_t below)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (state >> 24) % below;
}

/* ---- wires ---- */

static int open_end(uint32_t rank, void *cards, struct liquid_error *err)
{
	struct end *end = &ends[rank];
	uint8_t use[ENDS_MAX];
	struct wire_options options = {
		.rank = rank, .ranks = count, .use = use, .slots = end->slots,
		.slot_count = SLOTS, .env = &end->env,
	};

	for (uint32_t r = 0; r < count; r++)
		use[r] = r == rank ? 0 : WIRE_DATA | WIRE_TOKENS;
	return ops->open(&end->wire, &options, cards, err);
}

static void prove(uint32_t rank)
{
	int64_t end = now_ns() + LIMIT_NS;
	struct liquid_error err = { "in time" };
	bool proved = false;

	while (!proved) {
		if (ops->prove(ends[rank].wire, &proved, &err) || now_ns() > end)
			fail("wires prove that they get through", &err);
		nap();
	}
}

static void open_all(const char *registration, char **devices, int device_count)
{
	static unsigned char cards[ENDS_MAX][ENDS_MAX][512], mine[ENDS_MAX * 512];
	struct liquid_error err;

	count = (uint32_t)device_count;
	for (uint32_t r = 0; r < count; r++) {
		ends[r].env = (struct environment){
			.device = devices[r], .gid = -1, .pkey = 0xffff, .timeout_ns = 2 * SECOND,
			.registration = (char *)registration,
		};
		if (open_end(r, mine, &err))
			fail("wires open", &err);
		for (uint32_t peer = 0; peer < count; peer++)
			memcpy((unsigned char *)cards[peer] + r * ops->card_bytes,
			       mine + peer * ops->card_bytes, ops->card_bytes);
	}
	for (uint32_t r = 0; r < count; r++)
		if (ops->connect(ends[r].wire, cards[r], &err))
			fail("wires connect", &err);
	for (uint32_t r = 0; r < count; r++)
		prove(r);
}

static void close_all(void)
{
	for (uint32_t r = 0; r < count; r++)
		ops->close(ends[r].wire);
}

/* ---- an exchange of the messages in ends[].to[] ---- */

static int prepare(uint32_t rank, struct liquid_error *err)
{
	struct span out[ENDS_MAX] = { 0 }, in[ENDS_MAX] = { 0 };

	for (uint32_t r = 0; r < count; r++) {
		const struct message *sent = &ends[rank].to[r], *received = &ends[r].to[rank];

		out[r] = (struct span){ sent->out, sent->bytes };
		in[r] = (struct span){ received->in, received->bytes };
	}
	return ops->prepare(ends[rank].wire, out, in, epoch, err);
}

static void start(uint32_t rank)
{
	struct liquid_error err;

	if (ops->start(ends[rank].wire, &err))
		fail("an exchange begins", &err);
}

static void prepare_all(void)
{
	struct liquid_error err;

	for (uint32_t r = 0; r < count; r++)
		if (prepare(r, &err))
			fail("an exchange is prepared", &err);
	for (uint32_t r = 0; r < count; r++)
		if (ops->may_send(ends[r].wire, (r + 1) % count))
			fail("no one sends before the receiver is ready", NULL);
}

/* Post a part of a message, or the rest of it. */
static void post(uint32_t rank, uint32_t peer)
{
	struct message *message = &ends[rank].to[peer];
	uint64_t left = message->bytes - message->posted;
	uint64_t bytes = draw(3) ? left : 1 + draw(left);
	struct wire_post what = {
		.peer = peer, .from = message->out + message->posted, .offset = message->posted,
		.bytes = bytes, .id = (uint64_t)peer << 32 | message->posts,
	};
	struct liquid_error err;

	if (ops->send(ends[rank].wire, &what, &err))
		fail("a message is posted", &err);
	message->posted += bytes;
	message->posts++;
}

static void post_all(uint32_t rank)
{
	for (uint32_t r = 0; r < count; r++)
		while (ends[rank].to[r].posted < ends[rank].to[r].bytes &&
		       ops->may_send(ends[rank].wire, r))
			post(rank, r);
}

/* Events to one peer come in order. */
static bool take_events(uint32_t rank, struct liquid_error *err, int *status)
{
	struct wire_event event[EVENTS];
	uint32_t events;

	*status = ops->poll(ends[rank].wire, event, 1 + (uint32_t)draw(EVENTS), &events, err);
	for (uint32_t i = 0; i < events; i++) {
		struct message *message = &ends[rank].to[event[i].id >> 32];

		if ((uint32_t)event[i].id != message->left++)
			fail("posts leave in order", NULL);
	}
	return events;
}

static bool has_posted(uint32_t rank)
{
	for (uint32_t r = 0; r < count; r++)
		if (ends[rank].to[r].posted < ends[rank].to[r].bytes)
			return false;
	return true;
}

static bool step(uint32_t rank)
{
	struct liquid_error err;
	int status;

	post_all(rank);
	take_events(rank, &err, &status);
	if (status)
		fail("an exchange goes on", &err);
	return has_posted(rank) && ops->complete(ends[rank].wire);
}

static void run(void)
{
	int64_t end = now_ns() + LIMIT_NS;
	uint32_t done = 0;

	while (done < count) {
		done = 0;
		for (uint32_t r = 0; r < count; r++)
			done += step(r);
		if (now_ns() > end)
			fail("an exchange ends in time", NULL);
		if (done < count)
			nap();
	}
	for (uint32_t r = 0; r < count; r++)
		ops->finish(ends[r].wire);
}

static bool all_left(void)
{
	for (uint32_t i = 0; i < count * count; i++)
		if (ends[i / count].to[i % count].left != ends[i / count].to[i % count].posts)
			return false;
	return true;
}

/* ---- cases ---- */

static unsigned char byte_at(uint32_t src, uint32_t dst, uint64_t place)
{
	return (unsigned char)((place * 0x9e3779b97f4a7c15ULL >> 40) + src * 37 + dst * 11 + epoch);
}

static unsigned char *with_guard(uint64_t bytes)
{
	unsigned char *memory = malloc(bytes + 2 * GUARD);

	if (!memory)
		fail("memory", NULL);
	memset(memory, FILLER, bytes + 2 * GUARD);
	return memory + GUARD;
}

static uint64_t draw_bytes(void)
{
	static const uint64_t sizes[] = { 0, 1, 8, 4095, 4096, 65536, 300001, 9 << 20 };
	uint64_t size = sizes[draw(64) ? draw(7) : 7];

	return size < 100000 || size > 1 << 20 ? size : draw(size);
}

static void make_message(uint32_t src, uint32_t dst)
{
	struct message *message = &ends[src].to[dst];
	uint64_t bytes = src == dst ? 0 : draw_bytes();

	*message = (struct message){ .bytes = bytes };
	if (!bytes)
		return;
	message->out = with_guard(bytes);
	message->in = with_guard(bytes);
	for (uint64_t i = 0; i < bytes; i++)
		message->out[i] = byte_at(src, dst, i);
}

static bool is_right(uint32_t src, uint32_t dst)
{
	const struct message *message = &ends[src].to[dst];

	for (int i = 0; message->bytes && i < GUARD; i++)
		if (message->in[-1 - i] != FILLER || message->in[message->bytes + i] != FILLER)
			return false;
	for (uint64_t i = 0; i < message->bytes; i++)
		if (message->in[i] != byte_at(src, dst, i))
			return false;
	return true;
}

static bool check_messages(void)
{
	bool right = true;

	for (uint32_t i = 0; i < count * count; i++) {
		struct message *message = &ends[i / count].to[i % count];

		right &= is_right(i / count, i % count);
		if (message->bytes) {
			free(message->out - GUARD);
			free(message->in - GUARD);
		}
	}
	return right;
}

static void tell_all(void)
{
	struct liquid_error err;

	for (uint32_t i = 0; i < count * count; i++)
		for (uint32_t s = 0; i / count != i % count && s < SLOTS / ENDS_MAX; s++)
			if (ops->tell(ends[i / count].wire, i % count,
				      i / count * (SLOTS / ENDS_MAX) + s, epoch, &err))
				fail("a token is sent", &err);
}

/* Slots of those that have told carry the epoch, the others nothing. */
static bool told_all(void)
{
	for (uint32_t i = 0; i < count * SLOTS; i++) {
		uint32_t from = i % SLOTS / (SLOTS / ENDS_MAX), to = i / SLOTS;

		if (ends[to].slots[i % SLOTS] != (from < count && from != to ? epoch : 0))
			return false;
	}
	return true;
}

static void exchange(char **argv, int argc)
{
	bool right = true, left = true, told = true;

	open_all(argv[0], argv + 1, argc - 1);
	for (epoch = 1; epoch <= 15; epoch++) {
		for (uint32_t i = 0; i < count * count; i++)
			make_message(i / count, i % count);
		prepare_all();
		for (uint32_t r = 0; r < count; r++)
			start(r);
		tell_all();
		run();
		left &= all_left();
		told &= told_all();
		right &= check_messages();
	}
	verdict(right, "every byte is right, and none beside");
	verdict(left, "every post has left");
	verdict(told, "every token is in its slot");
	close_all();
}

#define REMAP_BYTES	16384
#define REMAPS		2500

static void *map_at(void *at, size_t bytes)
{
	void *memory = mmap(at, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);

	if (memory == MAP_FAILED)
		fail("memory", NULL);
	return memory;
}

/* Other memory at the same address, in one of four ways. What is behind it stays. */
static void map_anew(unsigned char *at, uint64_t way)
{
	void *moved;

	if (way == 0)
		munmap(at, REMAP_BYTES);
	if (way == 1) {
		moved = mremap(at, REMAP_BYTES, 2 * REMAP_BYTES, MREMAP_MAYMOVE);
		if (moved == MAP_FAILED || moved == at)
			fail("mremap", NULL);
		munmap(moved, 2 * REMAP_BYTES);
	}
	if (way == 2)
		madvise(at, REMAP_BYTES, MADV_DONTNEED);
	else
		map_at(at, REMAP_BYTES);
}

/* The break goes down and up again, unless malloc() has moved it. */
static void move_break(unsigned char *at)
{
	if (sbrk(0) == at + REMAP_BYTES && (sbrk(-REMAP_BYTES) == (void *)-1 ||
					    sbrk(REMAP_BYTES) != at))
		fail("sbrk", NULL);
}

static void remap(char **argv, int argc)
{
	struct message *message = &ends[0].to[1];
	unsigned char *out = map_at(NULL, 2 * REMAP_BYTES);
	unsigned char *in = map_at(NULL, 2 * REMAP_BYTES), *top = sbrk(REMAP_BYTES);
	bool right = true;

	open_all(argv[0], argv + 1, argc - 1);
	for (epoch = 1; epoch <= REMAPS; epoch++) {
		bool at_break = epoch % 8 == 0;

		map_anew(out, draw(4));
		map_anew(in, draw(4));
		move_break(top);
		*message = (struct message){ .out = at_break ? top : out, .in = in,
					     .bytes = REMAP_BYTES };
		for (uint64_t i = 0; i < REMAP_BYTES; i += 64)
			message->out[i] = byte_at(0, 1, i);
		prepare_all();
		start(0);
		start(1);
		run();
		for (uint64_t i = 0; i < REMAP_BYTES; i += 64)
			right &= in[i] == byte_at(0, 1, i);
	}
	verdict(right, "every message is what its memory was at that time");
	close_all();
}

/* ---- refusals ---- */

static void refuse_open(const char *name, struct environment env, const char *text)
{
	unsigned char card[2 * 512];
	uint8_t use[2] = { 0, WIRE_DATA };
	struct wire_options options = { .ranks = 2, .use = use, .env = &env };
	struct liquid_error err = { "it opens" };
	struct wire *wire;
	int status = ops->open(&wire, &options, card, &err);

	verdict(status == LIQUID_IO && !strcmp(err.text, text), name);
	if (strcmp(err.text, text))
		printf("# %s\n", err.text);
}

static void refuse_memory(char **devices)
{
	struct message *message = &ends[0].to[1];
	struct liquid_error err = { "" };
	unsigned char *hole = map_at(NULL, REMAP_BYTES);
	int status;

	open_all("call", devices, 2);
	munmap(hole, REMAP_BYTES);
	epoch = 1;
	*message = (struct message){ .out = hole, .in = with_guard(REMAP_BYTES),
				     .bytes = REMAP_BYTES };
	status = prepare(0, &err);
	verdict(status == LIQUID_IO && strstr(err.text, "cannot be registered") &&
		strstr(err.text, devices[0]), "memory that is not there is refused by name");
	printf("# %s\n", err.text);
	message->out = with_guard(REMAP_BYTES);
	prepare_all();
	start(0);
	start(1);
	run();
	verdict(!memcmp(message->out, message->in, REMAP_BYTES),
		"after memory that was refused the wire goes on");
	verdict(ops->tell(ends[0].wire, 1, SLOTS, 1, &err) == LIQUID_BAD_INPUT,
		"a slot that the other rank does not have is refused");
	close_all();
}

static void refuse(char **argv, int argc)
{
	struct environment env = { .device = argv[0], .gid = -1, .pkey = 0xffff,
				   .timeout_ns = SECOND };
	struct environment other = env;
	char text[128];

	(void)argc;
	other.device = (char *)"nothing0";
	refuse_open("a device that is not there", other,
		    "device nothing0: no such device");
	other = env;
	other.port = 9;
	snprintf(text, sizeof(text), "device %s: port 9 is not active", argv[0]);
	refuse_open("a port that is not there", other, text);
	other = env;
	other.pkey = 0x8123;
	snprintf(text, sizeof(text), "device %s:1: partition key 0x8123 is not in its table",
		 argv[0]);
	refuse_open("a partition that the port is not in", other, text);
	other = env;
	other.gid = 300;
	snprintf(text, sizeof(text), "device %s:1: no GID of that index", argv[0]);
	refuse_open("a GID that is not there", other, text);
	refuse_memory(argv);
}

/* ---- times ---- */

#define LONG_BYTES	(1 << 20)

static void send_long(char **argv, int argc)
{
	open_all("call", argv, argc);
	epoch = 1;
	ends[0].to[1] = (struct message){ .out = with_guard(LONG_BYTES),
					  .in = with_guard(LONG_BYTES), .bytes = LONG_BYTES };
	prepare_all();
	for (uint32_t r = 0; r < count; r++)
		start(r);
	while (!ops->may_send(ends[0].wire, 1))
		nap();
}

static void poll_all(void)
{
	struct liquid_error err;
	int status;

	for (uint32_t r = 0; r < count; r++) {
		take_events(r, &err, &status);
		if (status)
			fail("an exchange goes on", &err);
	}
}

/* The message takes some 400 ms at 20 Mbit/s; a token that was behind it would take as long. */
static void token(char **argv, int argc)
{
	struct message *message = &ends[0].to[1];
	int64_t begin, took, longest = 0;
	struct liquid_error err;

	send_long(argv, argc);
	post_all(0);
	for (uint64_t i = 1; i <= 16; i++) {
		begin = now_ns();
		if (ops->tell(ends[0].wire, 1, 0, i, &err))
			fail("a token is sent", &err);
		while (__atomic_load_n(&ends[1].slots[0], __ATOMIC_ACQUIRE) != i)
			poll_all();
		took = now_ns() - begin;
		longest = took > longest ? took : longest;
	}
	verdict(message->left < message->posts, "tokens have come while the message was under way");
	printf("# token_us=%" PRId64 "\n", longest / 1000);
	run();
	close_all();
}

#define SLOW_NS		400		/* of a byte at 20 Mbit/s */
#define AHEAD_BYTES	(32 << 10)	/* half of a post, and what is on its way through queues */

/* Can all that was posted have left by now, except for what is on its way? */
static bool may_have_left(const struct message *message, int64_t begin)
{
	int64_t bytes = (int64_t)message->posted - AHEAD_BYTES;

	return now_ns() - begin >= bytes * SLOW_NS;
}

static void left(char **argv, int argc)
{
	bool right = true;
	int64_t start_ns;
	const uint64_t parts[] = { 360448, 32768, 8192 };
	struct message *message = &ends[0].to[1];
	struct liquid_error err;
	int64_t begin;

	send_long(argv, argc);
	start_ns = now_ns();
	for (uint64_t part = 0; message->posted < message->bytes; part++) {
		uint64_t bytes = parts[part % 3] < message->bytes - message->posted ?
				 parts[part % 3] : message->bytes - message->posted;
		struct wire_post what = {
			.peer = 1, .from = message->out + message->posted,
			.offset = message->posted, .bytes = bytes,
			.id = 1ULL << 32 | message->posts,
		};
		uint64_t before = message->posts;

		begin = now_ns();
		if (ops->send(ends[0].wire, &what, &err))
			fail("a message is posted", &err);
		message->posted += bytes;
		message->posts++;
		while (part % 3 && message->left <= before)
			poll_all();
		right &= !(part % 3) || may_have_left(message, start_ns);
		printf("# post bytes=%" PRIu64 " us=%" PRId64 "\n", bytes,
		       (now_ns() - begin) / 1000);
	}
	begin = now_ns();
	run();
	printf("# rest_us=%" PRId64 "\n", (now_ns() - begin) / 1000);
	verdict(right, "no post counts as left before its bytes can have");
	verdict(message->left == message->posts, "every post has left");
	close_all();
}

/* ---- ranks that are late or gone ---- */

static void late(char **argv, int argc)
{
	struct message *message = &ends[0].to[1];
	int64_t begin;

	open_all("call", argv, argc);
	epoch = 1;
	*message = (struct message){ .out = with_guard(4096), .in = with_guard(4096),
				     .bytes = 4096 };
	prepare_all();
	start(1);
	for (begin = now_ns(); now_ns() - begin < 5 * SECOND; nap())
		poll_all();
	verdict(!message->left && !ops->complete(ends[1].wire),
		"a rank that is late is waited for");
	start(0);
	run();
	verdict(!memcmp(message->out, message->in, 4096), "its message comes");
	close_all();
}

static void dead(char **argv, int argc)
{
	int64_t begin = now_ns();
	struct liquid_error err;
	int status = 0;
	char text[64];

	open_all("call", argv, argc);
	epoch = 1;
	ends[0].to[1] = (struct message){ .out = with_guard(4096), .in = with_guard(4096),
					  .bytes = 4096 };
	prepare_all();
	start(1);
	ops->close(ends[0].wire);
	while (!status && now_ns() - begin < 30 * SECOND) {
		take_events(1, &err, &status);
		nap();
	}
	verdict(status == LIQUID_IO, "a rank that is gone is noticed");
	snprintf(text, sizeof(text), "device %s:1: a note to rank 0 was not sent: ", argv[1]);
	verdict(!strncmp(err.text, text, strlen(text)), "the error names device, rank and reason");
	printf("# %s\n# dead_ms=%" PRId64 "\n", err.text, (now_ns() - begin) / 1000000);
	verdict(ops->tell(ends[1].wire, 0, 0, 1, &err) == LIQUID_IO, "then nothing goes on");
	ops->finish(ends[1].wire);
	ops->close(ends[1].wire);
}

/* It sends nothing, so its message is not missed. */
static void deaf(char **argv, int argc)
{
	int64_t begin = now_ns();
	struct liquid_error err;
	int status = 0;

	open_all("call", argv, argc);
	epoch = 1;
	ends[1].to[0] = (struct message){ .out = with_guard(4096), .in = with_guard(4096),
					  .bytes = 4096 };
	prepare_all();
	start(1);
	ops->close(ends[0].wire);
	while (!status && now_ns() - begin < 30 * SECOND) {
		take_events(1, &err, &status);
		nap();
	}
	verdict(status == LIQUID_IO, "a rank that is gone before it takes a message is noticed");
	printf("# deaf_ms=%" PRId64 "\n", (now_ns() - begin) / 1000000);
	ops->finish(ends[1].wire);
	ops->close(ends[1].wire);
}

/* ---- memory ---- */

static uint64_t free_bytes(void)
{
	unsigned long long kib = 0;
	FILE *in = fopen("/proc/meminfo", "r");
	char line[128];

	while (in && fgets(line, sizeof(line), in))
		if (sscanf(line, "MemAvailable: %llu", &kib) == 1)
			break;
	if (!in || !kib)
		fail("/proc/meminfo", NULL);
	fclose(in);
	return kib * 1024;
}

static void many(char **argv, int argc)
{
	uint32_t ranks = (uint32_t)strtoul(argv[0], NULL, 10);
	uint8_t *use = malloc(ranks);
	struct environment env = { .device = argv[1], .gid = -1, .pkey = 0xffff,
				   .timeout_ns = SECOND };
	struct wire_options options = { .ranks = ranks, .use = use, .slots = ends[0].slots,
					.slot_count = SLOTS, .env = &env };
	void *cards = calloc(ranks, ops->card_bytes);
	uint64_t before = free_bytes();
	struct liquid_error err;
	struct wire *wire;

	(void)argc;
	memset(use, WIRE_DATA | WIRE_TOKENS, ranks);
	use[0] = 0;
	if (ops->open(&wire, &options, cards, &err))
		fail("a wire to many ranks opens", &err);
	before -= free_bytes();
	ops->close(wire);
	verdict(before > 1 << 20 && before <= 64 << 20, "a wire to them takes at most 64 MiB");
	printf("# memory_bytes=%" PRIu64 " card_bytes=%zu\n", before, ops->card_bytes);
}

/* Messages so far apart that each is registered alone: more of them than a cache keeps */
static void apart(char **argv, int argc)
{
	uint32_t ranks = 600, far = 3 * 4096;
	unsigned char *from = map_at(NULL, 2 * (size_t)ranks * far);
	struct span *out = calloc(2 * ranks, sizeof(*out)), *in = out + ranks;
	struct environment env = { .device = argv[1], .gid = -1, .pkey = 0xffff,
				   .timeout_ns = SECOND, .registration = argv[0] };
	uint8_t *use = calloc(ranks, 1);
	struct wire_options options = { .ranks = ranks, .use = use, .slots = ends[0].slots,
					.slot_count = SLOTS, .env = &env };
	void *cards = calloc(ranks, ops->card_bytes);
	struct liquid_error err = { "" };
	struct wire *wire;
	bool right = true;

	(void)argc;
	if (!out || !use || !cards || ops->open(&wire, &options, cards, &err))
		fail("a wire opens", &err);
	for (uint32_t i = 0; i < 2 * ranks; i++)
		out[i] = (struct span){ from + (size_t)i * far, i % ranks ? 100 : 0 };
	for (epoch = 1; epoch <= 3; epoch++) {
		right &= !ops->prepare(wire, out, in, epoch, &err);
		ops->finish(wire);
	}
	verdict(right, "600 messages apart from each other are registered");
	printf("# %s\n", err.text);
	ops->close(wire);
}

static const struct {
	const char *name;
	void (*run)(char **argv, int argc);
} cases[] = {
	{ "exchange", exchange }, { "remap", remap }, { "refuse", refuse }, { "token", token },
	{ "left", left }, { "late", late }, { "dead", dead }, { "deaf", deaf },
	{ "many", many }, { "apart", apart },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 2 && i < sizeof(cases) / sizeof(*cases); i++)
		if (!strcmp(cases[i].name, argv[1])) {
			cases[i].run(argv + 2, argc - 2);
			return 0;
		}
	fputs("usage: verbs-wires CASE [VALUE] DEVICE...\n", stderr);
	return 2;
}

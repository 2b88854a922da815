// SPDX-License-Identifier: GPL-2.0-only
/*
 * flood: fills a gate's table with chosen keys, and measures what that costs
 *
 *	flood DEV KIND COUNT [READY SEED]	COUNT keys, a request for 512 at a time
 *	flood fetch				where a kprobe on the table finds its seed
 *
 * KIND:
 *	random4, random6	addresses by chance
 *	constants6		addresses that an earlier hash, whose constants are in the source,
 *				put into one place whatever its seed
 *	leaked4			addresses that all look for the same place of their segments, by the
 *				table's own hash and its seed: it is read from file SEED as soon as
 *				that exists, after READY was made and two requests were sent
 *	overrun4		addresses by chance, and in the end 200 for a part of the table that
 *				cannot be divided, by a seed as above
 *
 * Each destination has 8 keys. Prints for each of four fills, and for what overruns:
 *	keys=N worst=NS mean=NS packet=NS	a request since the line before; a packet to one key
 *						after the other
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "packets/table.h"

#include "nl.h"

#define REQUEST_KEYS	512U
#define DEST_KEYS	8U
#define KEYS_MAX	524288U
#define PACKETS		2000U
#define OVERRUN_KEYS	200U
#define OVERRUN_BITS	12	/* of the hash: more than a directory of so few keys has */

static struct liquid_key keys[KEYS_MAX + OVERRUN_KEYS];
static struct nl_message message;
static struct liquid_seed seed;
static uint16_t family;
static uint32_t ifindex, sent;
static int netlink, packets;

static void __attribute__((noreturn)) fail(const char *what)
{
	fprintf(stderr, "flood: %s: %s\n", what, strerror(errno));
	exit(2);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t next_random(void)
{
	static uint64_t state = 1;
	uint64_t word = state += 0x9e3779b97f4a7c15ULL;

	word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9ULL;
	word = (word ^ word >> 27) * 0x94d049bb133111ebULL;
	return word ^ word >> 31;
}

/* ---- keys ---- */

/* No two alike: an odd multiple of the number. */
static struct liquid_key random4(uint32_t i)
{
	return (struct liquid_key){ .a = (uint32_t)(i * 2654435761U + 12345),
				    .kind = LIQUID_KEY_A_IPV4 };
}

static struct liquid_key random6(uint32_t i)
{
	return (struct liquid_key){ .a = next_random(), .b = i, .kind = LIQUID_KEY_A_IPV6 };
}

static struct liquid_key constants6(uint32_t i)
{
	const uint64_t product = 0xd6e8feb86659fd93ULL * 0x9e3779b97f4a7c15ULL;
	uint64_t inverse = product;

	for (int round = 0; round < 6; round++)
		inverse *= 2 - product * inverse;
	return (struct liquid_key){ .a = 0xfd00ULL << 48, .b = i * inverse,
				    .kind = LIQUID_KEY_A_IPV6 };
}

/* The next address that looks for the first place of its segment, with @bits of its hash 0 */
static struct liquid_key leaked4(unsigned int bits)
{
	static uint32_t address = 1U << 24;
	uint64_t hash;

	do {
		hash = liquid_hash(&seed, LIQUID_KEY_A_IPV4, ++address, 0);
	} while (liquid_first_place(hash) || (bits && hash >> (64 - bits)));
	return (struct liquid_key){ .a = address, .kind = LIQUID_KEY_A_IPV4 };
}

/* ---- requests ---- */

static void put_key(const struct liquid_key *key)
{
	uint32_t words[4] = { htonl((uint32_t)key->a) }, kind = key->kind;
	size_t nest = nl_nest(&message, LIQUID_DEST_A_KEY);

	if (kind == LIQUID_KEY_A_IPV6) {
		words[0] = htonl((uint32_t)(key->a >> 32));
		words[1] = htonl((uint32_t)key->a);
		words[2] = htonl((uint32_t)(key->b >> 32));
		words[3] = htonl((uint32_t)key->b);
	}
	nl_put(&message, (uint16_t)kind, words, kind == LIQUID_KEY_A_IPV6 ? 16 : 4);
	nl_nest_end(&message, nest);
}

/* The next @count keys; how long that took */
static uint64_t request(uint32_t count)
{
	struct genlmsghdr head = { .cmd = LIQUID_CMD_DEST_SET, .version = LIQUID_GENL_VERSION };
	uint32_t end = sent + count;
	struct nl_verdict verdict;
	uint64_t begin;
	size_t nest;

	nl_start(&message, family, 0, &head, sizeof(head));
	nl_put(&message, LIQUID_A_IFINDEX, &ifindex, sizeof(ifindex));
	nest = nl_nest(&message, LIQUID_A_DESTS);
	while (sent < end) {
		uint32_t id = sent / DEST_KEYS;
		size_t dest = nl_nest(&message, LIQUID_A_DEST);

		nl_put(&message, LIQUID_DEST_A_ID, &id, sizeof(id));
		for (uint32_t i = 0; i < DEST_KEYS; i++)
			put_key(&keys[sent++]);
		nl_nest_end(&message, dest);
	}
	nl_nest_end(&message, nest);
	begin = now_ns();
	verdict = nl_talk(netlink, &message, NULL, NULL);
	begin = now_ns() - begin;
	if (verdict.error) {
		fprintf(stderr, "flood: %s: %s\n", strerror(verdict.error), verdict.text);
		exit(1);
	}
	return begin;
}

/* ---- packets ---- */

static size_t build_packet(const struct liquid_key *key, unsigned char *bytes)
{
	unsigned char head4[20] = { 0x45, 0, 0, 46, 0, 0, 0, 0, 64, 17, 0, 0, 10 };
	unsigned char head6[40] = { 0x60, 0, 0, 0, 0, 26, 17, 64, 0xfd };
	bool six = key->kind == LIQUID_KEY_A_IPV6;
	uint64_t words[2] = { __builtin_bswap64(key->a), __builtin_bswap64(key->b) };
	uint32_t address = htonl((uint32_t)key->a);
	size_t size = 14;

	memset(bytes, 0, 100);
	bytes[0] = bytes[6] = 2;
	bytes[12] = six ? 0x86 : 0x08;
	bytes[13] = six ? 0xdd : 0x00;
	memcpy(head4 + 16, &address, 4);
	memcpy(head6 + 24, words, 16);
	memcpy(bytes + size, six ? head6 : head4, six ? 40 : 20);
	size += six ? 40 : 20;
	bytes[size + 2] = 0x0f;		/* UDP to port 4001 */
	bytes[size + 3] = 0xa1;
	return size + 26;
}

/* Mean time of a packet to each of the keys in turn, or to some of many */
static uint64_t measure_packets(void)
{
	uint32_t step = sent / PACKETS + !(sent / PACKETS), count = 0;
	struct sockaddr_ll where = { .sll_family = AF_PACKET, .sll_ifindex = (int)ifindex,
				     .sll_protocol = htons(ETH_P_ALL), .sll_halen = 6 };
	unsigned char bytes[100];
	uint64_t sum = 0, begin;

	for (uint32_t i = 0; i < sent; i += step, count++) {
		size_t size = build_packet(&keys[i], bytes);

		begin = now_ns();
		if (sendto(packets, bytes, size, 0, (const void *)&where, sizeof(where)) < 0)
			fail("sendto");
		sum += now_ns() - begin;
	}
	return sum / count;
}

static void report(uint64_t worst, uint64_t sum, uint32_t requests)
{
	printf("keys=%u worst=%" PRIu64 " mean=%" PRIu64 " packet=%" PRIu64 "\n", sent, worst,
	       sum / (requests + !requests), measure_packets());
}

static void fill(uint32_t count)
{
	uint64_t worst = 0, sum = 0, took;
	uint32_t requests = 0, quarter = 1;

	while (sent < count) {
		took = request(count - sent < REQUEST_KEYS ? count - sent : REQUEST_KEYS);
		worst = took > worst ? took : worst;
		sum += took;
		requests++;
		if (sent >= (uint64_t)count * quarter / 4) {
			report(worst, sum, requests);
			worst = 0;
			sum = 0;
			requests = 0;
			quarter++;
		}
	}
}

/*
 * Two requests, so that a look at the table that the second changes finds the seed; then wait for
 * it.
 */
static void learn_seed(const char *ready, const char *from)
{
	unsigned long long word[3] = { 0 };
	FILE *file;

	for (uint32_t i = 0; i < 2 * DEST_KEYS; i++)
		keys[i] = random4(i);
	request(DEST_KEYS);
	request(DEST_KEYS);
	file = fopen(ready, "w");
	if (!file || fclose(file))
		fail(ready);
	while (!(file = fopen(from, "r")))
		usleep(10000);
	if (fscanf(file, "%llu %llu %llu", &word[0], &word[1], &word[2]) != 3)
		fail(from);
	fclose(file);
	seed.flip = word[0];
	seed.mult[0] = word[1];
	seed.mult[1] = word[2];
}

static void make_keys(const char *kind, uint32_t count)
{
	for (uint32_t i = sent; i < count; i++) {
		if (!strcmp(kind, "random6"))
			keys[i] = random6(i);
		else if (!strcmp(kind, "constants6"))
			keys[i] = constants6(i);
		else if (!strcmp(kind, "leaked4"))
			keys[i] = leaked4(0);
		else
			keys[i] = random4(i);
	}
}

/* All that the place for a seed tells, at an offset from the pointer in the first register */
static int print_fetch(void)
{
	size_t at = offsetof(struct liquid_table, seed);

	printf("flip=+%zu(%%di):u64 first=+%zu(%%di):u64 second=+%zu(%%di):u64\n",
	       at + offsetof(struct liquid_seed, flip), at + offsetof(struct liquid_seed, mult[0]),
	       at + offsetof(struct liquid_seed, mult[1]));
	return 0;
}

int main(int argc, char **argv)
{
	uint32_t count;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 2 && !strcmp(argv[1], "fetch"))
		return print_fetch();
	count = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 0) / DEST_KEYS * DEST_KEYS : 0;
	if (!count || count > KEYS_MAX) {
		fputs("usage: flood DEV KIND COUNT [READY SEED]\n", stderr);
		return 2;
	}
	ifindex = if_nametoindex(argv[1]);
	netlink = nl_open(NETLINK_GENERIC);
	packets = socket(AF_PACKET, SOCK_RAW, 0);
	family = netlink < 0 ? 0 : nl_family(netlink, LIQUID_GENL_NAME);
	if (!family || packets < 0 || !ifindex)
		fail(argv[1]);
	if (argc > 5)
		learn_seed(argv[4], argv[5]);
	make_keys(argv[2], count);
	fill(count);
	if (!strcmp(argv[2], "overrun4")) {
		for (uint32_t i = 0; i < OVERRUN_KEYS; i++)
			keys[count + i] = leaked4(OVERRUN_BITS);
		count = (uint32_t)request(OVERRUN_KEYS);
		report(count, count, 1);
	}
	return 0;
}

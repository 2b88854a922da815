// SPDX-License-Identifier: GPL-2.0-only
/*
 * Traffics: pairs add up, files are read with every error named, the digest depends on names alone.
 */
#include "fabric/fabric.h"
#include "fixtures.h"
#include "tap.h"
#include "traffic/traffic.h"

static struct liquid_fabric *fabric;

static int read_traffic(const char *text, size_t size, struct liquid_traffic **traffic,
			struct liquid_error *err)
{
	FILE *in = file_of(text, size);
	int status = liquid_traffic_read(in, "file", fabric, traffic, err);

	fclose(in);
	return status;
}

static void test_pairs_add_up(void)
{
	struct liquid_traffic *traffic;
	const struct liquid_pair *pairs;
	struct liquid_error err;

	must(liquid_traffic_new(&traffic, &err), &err);
	must(liquid_traffic_add(traffic, 5, 2, 3, &err), &err);
	must(liquid_traffic_add(traffic, 1, 2, 1, &err), &err);
	must(liquid_traffic_add(traffic, 5, 2, 4, &err), &err);
	pairs = liquid_traffic_pairs(traffic);
	ok(liquid_traffic_pair_count(traffic) == 2 && liquid_traffic_transfer_count(traffic) == 8,
	   "repeated pairs add up");
	ok(pairs[0].src == 1 && pairs[1].src == 5 && pairs[1].count == 7,
	   "pairs come sorted by source and destination");
	must(liquid_traffic_add(traffic, 1, 2, 1, &err), &err);
	ok(liquid_traffic_pairs(traffic)[0].count == 2, "adding after looking adds up, too");
	ok(liquid_traffic_add(traffic, 4, 4, 1, &err) == LIQUID_BAD_INPUT,
	   "a self pair is refused");
	ok(liquid_traffic_add(traffic, 4, 5, 0, &err) == LIQUID_BAD_INPUT,
	   "a count of 0 is refused");
	ok(liquid_traffic_add(traffic, LIQUID_NONE, 5, 1, &err) == LIQUID_BAD_INPUT,
	   "a pair without a source is refused");
	ok(liquid_traffic_add(traffic, 4, 5, UINT32_MAX, &err) == LIQUID_BAD_INPUT,
	   "a count beyond the limit is refused");
	must(liquid_traffic_add(traffic, 4, 5, (1u << 28) - 9, &err), &err);
	ok(liquid_traffic_add(traffic, 4, 6, 1, &err) == LIQUID_BAD_INPUT,
	   "a sum of counts beyond the limit is refused");
	ok(liquid_traffic_transfer_count(traffic) == 1u << 28, "what was refused is not counted");
	liquid_traffic_free(traffic);
}

static void test_sets(void)
{
	uint32_t senders[] = { 3, 1, 3, 0 }, receivers[] = { 1, 7 };
	struct liquid_traffic *traffic;
	struct liquid_error err;

	must(liquid_traffic_cross(senders, 4, receivers, 2, &traffic, &err), &err);
	ok(liquid_traffic_pair_count(traffic) == 5 && liquid_traffic_transfer_count(traffic) == 5,
	   "senders x receivers: each once, a host in both not to itself");
	liquid_traffic_free(traffic);
	must(liquid_traffic_alltoall(senders, 4, &traffic, &err), &err);
	ok(liquid_traffic_pair_count(traffic) == 6,
	   "all-to-all: every ordered pair of distinct hosts");
	liquid_traffic_free(traffic);
	must(liquid_traffic_alltoall(NULL, 3, &traffic, &err), &err);
	ok(liquid_traffic_pair_count(traffic) == 6 && liquid_traffic_pairs(traffic)[5].src == 2 &&
	   liquid_traffic_pairs(traffic)[5].dst == 1, "all-to-all of NULL and 3: hosts 0 to 2");
	liquid_traffic_free(traffic);
	must(liquid_traffic_alltoall(NULL, 0, &traffic, &err), &err);
	ok(!liquid_traffic_pair_count(traffic), "all-to-all of no hosts is empty");
	liquid_traffic_free(traffic);
}

static bool has_hosts(const struct liquid_traffic *traffic)
{
	size_t count;

	return traffic_hosts(traffic, &count) && count;
}

/* The digest of an all-to-all is that of its pairs, which need not be listed for it. */
static bool same_digest(const struct liquid_fabric *of, const struct liquid_traffic *one,
			const struct liquid_traffic *other)
{
	char hex[LIQUID_DIGEST_HEX], same[LIQUID_DIGEST_HEX];
	struct liquid_error err;

	must(liquid_traffic_digest(of, one, hex, &err), &err);
	must(liquid_traffic_digest(of, other, same, &err), &err);
	return !strcmp(hex, same);
}

/* What changes is not told by its hosts any more. */
static void test_alltoall(void)
{
	const char *params[] = { "leaves=3", "hosts=4", "spines=1" };
	struct liquid_fabric *leaves = make_fabric("leaf-spine", params, 3);
	uint32_t hosts[] = { 1, 9, 3, 10 };	/* h2, h10, h4, h11: not as names are sorted */
	struct liquid_traffic *exchange, *pairs;
	struct liquid_error err;

	must(liquid_traffic_alltoall(hosts, 4, &exchange, &err), &err);
	must(liquid_traffic_cross(hosts, 4, hosts, 4, &pairs, &err), &err);
	ok(has_hosts(exchange) && !has_hosts(pairs) && same_digest(leaves, exchange, pairs),
	   "the digest of an all-to-all is that of its pairs");
	must(liquid_traffic_add(exchange, 3, 9, 2, &err), &err);
	must(liquid_traffic_add(pairs, 3, 9, 2, &err), &err);
	ok(!has_hosts(exchange) && same_digest(leaves, exchange, pairs) &&
	   liquid_traffic_transfer_count(exchange) == 14 &&
	   liquid_traffic_pair_count(exchange) == 12, "with two transfers more it is none");
	liquid_traffic_free(exchange);
	liquid_traffic_free(pairs);
	liquid_fabric_free(leaves);
}

/* a, b and c on a switch that has no entry for c */
static void test_lost(void)
{
	struct liquid_fabric *star = begin_fabric("lost", 3, 1);
	const uint32_t hosts[] = { 0, 1, 2 };
	struct liquid_traffic *exchange, *lost;
	struct liquid_error err;

	for (uint32_t h = 0; h < 3; h++) {
		add_cable(star, h, 3, 1);
		add_cable(star, 3, h, 1);
		if (h < 2)
			must(liquid_fabric_set_forward(star, 0, h, 2 * h + 1, &err), &err);
	}
	star->import.allow_unreachable = true;
	must(liquid_fabric_finish(star, &err), &err);
	must(liquid_traffic_alltoall(hosts, 3, &exchange, &err), &err);
	must(liquid_traffic_take_lost(exchange, star, &lost, &err), &err);
	ok(lost && liquid_traffic_pair_count(lost) == 2 && !has_hosts(exchange) &&
	   liquid_traffic_pair_count(exchange) == 4, "nor without what has no route");
	liquid_traffic_free(exchange);
	liquid_traffic_free(lost);
	liquid_fabric_free(star);
}

static void test_file(void)
{
	static const char text[] = "# shuffle\nt1 r2\t3 # thrice\r\n\n  t2   r1\nt1 r2";
	struct liquid_traffic *traffic;
	struct liquid_error err;

	must(read_traffic(text, sizeof(text) - 1, &traffic, &err), &err);
	ok(liquid_traffic_pair_count(traffic) == 2 && liquid_traffic_transfer_count(traffic) == 5,
	   "a file with comments, blank lines, CR and no final newline is read");
	liquid_traffic_free(traffic);
	must(read_traffic("", 0, &traffic, &err), &err);
	ok(!liquid_traffic_transfer_count(traffic), "an empty file is an empty traffic");
	liquid_traffic_free(traffic);
}

static void test_bad_files(void)
{
	static const struct {
		const char *text, *error;
	} bad[] = {
		{ "t1 r1\nt1\n", "file:2: too few words" },
		{ "t1 r1 1 1\n", "file:1: too many words" },
		{ "t1 r9\n", "file:1: the fabric has no host 'r9'; near it: r1, r2, r3" },
		{ "sa r1\n", "file:1: the fabric has no host 'sa'" },
		{ "t1 t1\n", "file:1: 't1' sends to itself" },
		{ "t1 r1 0\n", "file:1: count is 0" },
		{ "t1 r1 -1\n", "file:1: count '-1' is not a whole number" },
		{ "t1 r1 1.5\n", "file:1: count '1.5' is not a whole number" },
		{ "t1 r1 99999999999999999999\n", "file:1: count 99999999999999999999 is more" },
		{ "t1 r1 268435456\nt1 r2\n", "file:2: more than 268435456 transfers" },
	};
	struct liquid_traffic *traffic;
	struct liquid_error err;
	int status;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		status = read_traffic(bad[i].text, strlen(bad[i].text), &traffic, &err);
		ok(status == LIQUID_BAD_INPUT && !traffic &&
		   !strncmp(err.text, bad[i].error, strlen(bad[i].error)), "%s", bad[i].error);
	}
	status = read_traffic("t1\0r1\n", 6, &traffic, &err);
	ok(status == LIQUID_BAD_INPUT && strstr(err.text, "file:1: a zero byte"),
	   "a file with a zero byte is refused");
}

static void test_digest(void)
{
	/* printf 't1 r2 3\nt2 r1 1\n' | sha256sum */
	static const char expected[] =
		"18db77c5b13e6abd40b5fdc5809fedb66df64e4bc1bc9203f565e08a9095e25e";
	const char *params[] = { "leaves=8", "hosts=8", "spines=1" };
	struct liquid_fabric *other = make_fabric("leaf-spine", params, 3);
	char hex[LIQUID_DIGEST_HEX], other_hex[LIQUID_DIGEST_HEX], again[LIQUID_DIGEST_HEX];
	struct liquid_traffic *traffic;
	struct liquid_error err;

	must(read_traffic("t2 r1\nt1 r2 3\n", 14, &traffic, &err), &err);
	must(liquid_traffic_digest(fabric, traffic, hex, &err), &err);
	ok(!strcmp(hex, expected), "the digest is the SHA-256 of the canonical file");
	must(liquid_traffic_digest(other, traffic, other_hex, &err), &err);
	must(liquid_traffic_digest(fabric, traffic, again, &err), &err);
	ok(strcmp(other_hex, hex) && !strcmp(again, hex), "by other names of hosts it is another");
	must(liquid_traffic_add(traffic, 0, 1, 1, &err), &err);
	must(liquid_traffic_digest(fabric, traffic, again, &err), &err);
	ok(strcmp(again, hex), "and with a transfer more");
	liquid_fabric_free(other);
	liquid_traffic_free(traffic);
	must(liquid_traffic_new(&traffic, &err), &err);
	must(liquid_traffic_add(traffic, 0, 4000, 1, &err), &err);
	ok(liquid_traffic_digest(fabric, traffic, hex, &err) == LIQUID_BAD_INPUT,
	   "hosts that the fabric has not: no digest");
	liquid_traffic_free(traffic);
}

/* Two hosts at a switch, whose numbers are those of the order given */
static struct liquid_fabric *order_hosts(const char *hosts)
{
	struct liquid_fabric *star;
	struct liquid_error err;
	char text[256];
	FILE *in;

	snprintf(text, sizeof(text), "liquid-fabric 1\nname star\nhosts %s\nswitches s\n"
		 "link a s 1\nlink b s 1\nlink s a 1\n  to a\nlink s b 1\n  to b\nend\n", hosts);
	in = file_of(text, strlen(text));
	must(liquid_fabric_read(in, "star", &star, &err), &err);
	fclose(in);
	return star;
}

/* Fabrics that differ in the order of hosts alone have one digest, but a traffic has numbers. */
static void test_numbers(void)
{
	struct liquid_fabric *one = order_hosts("a,b"), *other = order_hosts("b,a");
	char hex[2][LIQUID_DIGEST_HEX], there[LIQUID_DIGEST_HEX];
	struct liquid_traffic *traffic;
	struct liquid_error err;

	must(liquid_fabric_digest(one, hex[0], &err), &err);
	must(liquid_fabric_digest(other, hex[1], &err), &err);
	ok(!strcmp(hex[0], hex[1]), "the digest of a fabric is not that of the order of its hosts");
	must(liquid_traffic_new(&traffic, &err), &err);
	must(liquid_traffic_add(traffic, 0, 1, 1, &err), &err);
	must(liquid_traffic_digest(one, traffic, hex[0], &err), &err);
	must(liquid_traffic_digest(other, traffic, there, &err), &err);
	ok(strcmp(hex[0], there), "that of a traffic is by the names of its numbers there");
	liquid_traffic_free(traffic);
	liquid_fabric_free(one);
	liquid_fabric_free(other);
}

static void test_loads(void)
{
	struct liquid_traffic *traffic = all_routes(fabric);
	uint64_t *load = calloc(liquid_fabric_link_count(fabric), sizeof(*load)), most = 0, sum = 0;
	struct liquid_error err;

	must(liquid_traffic_loads(fabric, traffic, load, &err), &err);
	for (uint32_t link = 0; link < liquid_fabric_link_count(fabric); link++) {
		most = load[link] > most ? load[link] : most;
		sum += load[link];
	}
	ok(most == 6 && sum == 2 * 25 + 2 * 6,
	   "papers-5x5: load 6 between the switches, 5 elsewhere");
	free(load);
	liquid_traffic_free(traffic);
}

int main(void)
{
	fabric = make_fabric("papers-5x5", NULL, 0);
	test_pairs_add_up();
	test_sets();
	test_alltoall();
	test_lost();
	test_file();
	test_bad_files();
	test_digest();
	test_numbers();
	test_loads();
	liquid_fabric_free(fabric);
	return tap_exit();
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The digest of a traffic: SHA-256 of its file in canonical form, which has the lines
 * "src dst count" sorted by the bytes of (src, dst) and no comments. Other tools can
 * compute it. It depends on the names of hosts, not on their numbers.
 */
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>

#include "traffic/traffic.h"
#include "liquidsched.h"

struct named_host {
	const char *name;
	uint32_t host;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct named_host *)a)->name, ((const struct named_host *)b)->name);
}

/* Sort @hosts by name; rank[host] is the host's index in @hosts. */
static void rank_hosts(const struct liquid_fabric *fabric, struct named_host *hosts, uint32_t *rank)
{
	uint32_t count = liquid_fabric_host_count(fabric);

	for (uint32_t host = 0; host < count; host++) {
		hosts[host].name = liquid_fabric_node_name(fabric, host);
		hosts[host].host = host;
	}
	qsort(hosts, count, sizeof(*hosts), compare_names);
	for (uint32_t i = 0; i < count; i++)
		rank[hosts[i].host] = i;
}

/* For a counting sort by source or destination: index at which the pairs of each key begin. */
static void count_keys(const struct liquid_pair *pairs, size_t count, bool by_src, size_t *begin,
		       uint32_t keys)
{
	memset(begin, 0, ((size_t)keys + 1) * sizeof(*begin));
	for (size_t i = 0; i < count; i++)
		begin[(by_src ? pairs[i].src : pairs[i].dst) + 1]++;
	for (uint32_t key = 0; key < keys; key++)
		begin[key + 1] += begin[key];
}

/* Sort by (source, destination): stable counting sorts by destination, then by source. */
static void sort_pairs(struct liquid_pair *pairs, struct liquid_pair *other, size_t count,
		       size_t *begin, uint32_t hosts)
{
	count_keys(pairs, count, false, begin, hosts);
	for (size_t i = 0; i < count; i++)
		other[begin[pairs[i].dst]++] = pairs[i];
	count_keys(other, count, true, begin, hosts);
	for (size_t i = 0; i < count; i++)
		pairs[begin[other[i].src]++] = other[i];
}

static char *append(char *at, const char *text, char last)
{
	size_t length = strlen(text);

	memcpy(at, text, length);
	at[length] = last;
	return at + length + 1;
}

static void hash_pair(struct sha256_ctx *sha, const char *src, const char *dst, uint32_t count)
{
	char line[2 * (LIQUID_NAME_MAX + 1) + 16], number[12] = "1", *end;

	if (count != 1)
		snprintf(number, sizeof(number), "%u", count);
	end = append(append(append(line, src, ' '), dst, ' '), number, '\n');
	sha256_update(sha, (size_t)(end - line), (const uint8_t *)line);
}

static void print_hex(const uint8_t *bytes, size_t count, char *hex)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < count; i++) {
		hex[2 * i] = digits[bytes[i] >> 4];
		hex[2 * i + 1] = digits[bytes[i] & 15];
	}
	hex[2 * count] = '\0';
}

static void digest_ranked(const struct named_host *hosts, struct liquid_pair *pairs, size_t count,
			  char hex[LIQUID_DIGEST_HEX])
{
	uint8_t bytes[SHA256_DIGEST_SIZE];
	struct sha256_ctx sha;

	sha256_init(&sha);
	for (size_t i = 0; i < count; i++)
		hash_pair(&sha, hosts[pairs[i].src].name, hosts[pairs[i].dst].name,
			  pairs[i].count);
	sha256_digest(&sha, sizeof(bytes), bytes);
	print_hex(bytes, sizeof(bytes), hex);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The lines of a sender in the all-to-all of hosts of these names, sorted; returns their end. */
static char *write_lines(char *at, const char *const *name, const size_t *length, size_t count,
			 size_t src)
{
	for (size_t dst = 0; dst < count; dst++) {
		if (dst == src)
			continue;
		memcpy(at, name[src], length[src]);
		at += length[src];
		*at++ = ' ';
		memcpy(at, name[dst], length[dst]);
		at += length[dst];
		memcpy(at, " 1\n", 3);
		at += 3;
	}
	return at;
}

/* The same lines of an all-to-all, which need not be listed */
static int digest_alltoall(const struct liquid_fabric *fabric, const uint32_t *hosts, size_t count,
			   char hex[LIQUID_DIGEST_HEX], struct liquid_error *err)
{
	const char **name = calloc(count + 1, sizeof(*name));
	size_t *length = calloc(count + 1, sizeof(*length)), longest = 0;
	uint8_t bytes[SHA256_DIGEST_SIZE];
	struct sha256_ctx sha;
	char *lines = NULL;

	for (size_t i = 0; name && i < count; i++)
		name[i] = liquid_fabric_node_name(fabric, hosts[i]);
	if (name)
		qsort(name, count, sizeof(*name), compare_texts);
	for (size_t i = 0; name && length && i < count; i++) {
		length[i] = strlen(name[i]);
		longest = length[i] > longest ? length[i] : longest;
	}
	if (name && length)
		lines = malloc((2 * longest + 4) * count + 1);
	sha256_init(&sha);
	for (size_t i = 0; lines && i < count; i++)
		sha256_update(&sha, (size_t)(write_lines(lines, name, length, count, i) - lines),
			      (const uint8_t *)lines);
	sha256_digest(&sha, sizeof(bytes), bytes);
	print_hex(bytes, sizeof(bytes), hex);
	free(name);
	free(length);
	free(lines);
	return lines ? LIQUID_OK : liquid_no_memory(err);
}

static int digest_pairs(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
			char hex[LIQUID_DIGEST_HEX], struct liquid_error *err)
{
	uint32_t host_count = liquid_fabric_host_count(fabric);
	size_t count = liquid_traffic_pair_count(traffic);
	const struct liquid_pair *pairs = liquid_traffic_pairs(traffic);
	struct named_host *hosts = calloc(host_count + 1, sizeof(*hosts));
	uint32_t *rank = calloc(host_count + 1, sizeof(*rank));
	struct liquid_pair *ranked = calloc(count + 1, sizeof(*ranked));
	struct liquid_pair *other = calloc(count + 1, sizeof(*other));
	size_t *begin = calloc((size_t)host_count + 1, sizeof(*begin));
	int status = LIQUID_OK;

	if (!hosts || !rank || !ranked || !other || !begin) {
		status = liquid_no_memory(err);
		goto out;
	}
	rank_hosts(fabric, hosts, rank);
	for (size_t i = 0; i < count; i++) {
		if (pairs[i].src >= host_count || pairs[i].dst >= host_count) {
			status = liquid_fail(err, LIQUID_BAD_INPUT,
					     "the traffic has hosts that the fabric does not have");
			goto out;
		}
		ranked[i] = (struct liquid_pair){ rank[pairs[i].src], rank[pairs[i].dst],
						  pairs[i].count };
	}
	sort_pairs(ranked, other, count, begin, host_count);
	digest_ranked(hosts, ranked, count, hex);
out:
	free(hosts);
	free(rank);
	free(ranked);
	free(other);
	free(begin);
	return status;
}

int liquid_traffic_digest(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
			  char hex[LIQUID_DIGEST_HEX], struct liquid_error *err)
{
	size_t count;
	const uint32_t *hosts = traffic_hosts(traffic, &count);

	if (!hosts)
		return digest_pairs(fabric, traffic, hex, err);
	if (count && hosts[count - 1] >= liquid_fabric_host_count(fabric))
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "the traffic has hosts that the fabric does not have");
	return digest_alltoall(fabric, hosts, count, hex, err);
}

int traffic_alltoall_digest(const char *const *names, size_t count, char hex[LIQUID_DIGEST_HEX],
			   struct liquid_error *err)
{
	const char **sorted = calloc(count + 1, sizeof(*sorted));
	uint8_t bytes[SHA256_DIGEST_SIZE];
	struct sha256_ctx sha;

	if (!sorted)
		return liquid_no_memory(err);
	memcpy(sorted, names, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_texts);
	sha256_init(&sha);
	sha256_update(&sha, strlen("alltoall\n"), (const uint8_t *)"alltoall\n");
	for (size_t i = 0; i < count; i++) {
		sha256_update(&sha, strlen(sorted[i]), (const uint8_t *)sorted[i]);
		sha256_update(&sha, 1, (const uint8_t *)"\n");
	}
	sha256_digest(&sha, sizeof(bytes), bytes);
	print_hex(bytes, sizeof(bytes), hex);
	free(sorted);
	return LIQUID_OK;
}

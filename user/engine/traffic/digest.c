// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The digest of a traffic: SHA-256 of its file in canonical form, which has the lines
 * "src dst count" sorted by the bytes of (src, dst) and no comments. Other tools can
 * compute it. It depends on the names of hosts, not on their numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"
#include "traffic/traffic.h"
#include "liquidsched.h"

#define SHORT_NAME 16			/* a copy of so many bytes is one instruction */

struct named_host {
	const char *name;
	size_t length;
	uint32_t host;
	char begin[SHORT_NAME];		/* of its name */
};

static struct named_host name_host(const struct liquid_fabric *fabric, uint32_t host)
{
	struct named_host named = { .name = liquid_fabric_node_name(fabric, host), .host = host };

	named.length = strlen(named.name);
	memcpy(named.begin, named.name, named.length < SHORT_NAME ? named.length : SHORT_NAME);
	return named;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct named_host *)a)->name, ((const struct named_host *)b)->name);
}

/* Sort @hosts by name; rank[host] is the host's index in @hosts. */
static void rank_hosts(const struct liquid_fabric *fabric, struct named_host *hosts, uint32_t *rank)
{
	uint32_t count = liquid_fabric_host_count(fabric);

	for (uint32_t host = 0; host < count; host++)
		hosts[host] = name_host(fabric, host);
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

/* Lines are hashed many at a time: a call of nettle costs more than a line. */
struct line_hash {
	struct sha256_ctx sha;
	size_t used;
	char text[8192];
};

static void flush_lines(struct line_hash *hash)
{
	sha256_update(&hash->sha, hash->used, (const uint8_t *)hash->text);
	hash->used = 0;
}

static inline char *append_name(char *at, const struct named_host *host)
{
	if (host->length <= SHORT_NAME)
		memcpy(at, host->begin, SHORT_NAME);
	else
		memcpy(at, host->name, host->length);
	at[host->length] = ' ';
	return at + host->length + 1;
}

static inline void hash_pair(struct line_hash *hash, const struct named_host *src,
			     const struct named_host *dst, uint32_t count)
{
	char number[12], *at;

	if (sizeof(hash->text) - hash->used < 2 * (LIQUID_NAME_MAX + 1) + sizeof(number))
		flush_lines(hash);
	at = append_name(append_name(hash->text + hash->used, src), dst);
	if (count == 1)
		*at++ = '1';
	else
		at += sprintf(at, "%u", count);
	*at++ = '\n';
	hash->used = (size_t)(at - hash->text);
}

/* The same lines of an all-to-all, which need not be listed */
static int digest_alltoall(const struct liquid_fabric *fabric, const uint32_t *hosts, size_t count,
			   char hex[LIQUID_DIGEST_HEX], struct liquid_error *err)
{
	struct named_host *named = calloc(count + 1, sizeof(*named));
	struct line_hash hash = { .used = 0 };

	if (!named)
		return liquid_no_memory(err);
	for (size_t i = 0; i < count; i++)
		named[i] = name_host(fabric, hosts[i]);
	qsort(named, count, sizeof(*named), compare_names);
	sha256_init(&hash.sha);
	for (size_t src = 0; src < count; src++)
		for (size_t dst = 0; dst < count; dst++)
			if (dst != src)
				hash_pair(&hash, &named[src], &named[dst], 1);
	flush_lines(&hash);
	digest_end(&hash.sha, hex);
	free(named);
	return LIQUID_OK;
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
	struct line_hash hash = { .used = 0 };
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
	sha256_init(&hash.sha);
	for (size_t i = 0; i < count; i++)
		hash_pair(&hash, &hosts[ranked[i].src], &hosts[ranked[i].dst], ranked[i].count);
	flush_lines(&hash);
	digest_end(&hash.sha, hex);
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
	char of[LIQUID_DIGEST_HEX];
	size_t count;
	const uint32_t *hosts = traffic_hosts(traffic, &count);
	int status;

	fabric_names_digest(fabric, of);
	if (kept_digest_get(traffic_digest(traffic), of, hex))
		return LIQUID_OK;
	if (!hosts)
		status = digest_pairs(fabric, traffic, hex, err);
	else if (count && hosts[count - 1] >= liquid_fabric_host_count(fabric))
		status = liquid_fail(err, LIQUID_BAD_INPUT,
				     "the traffic has hosts that the fabric does not have");
	else
		status = digest_alltoall(fabric, hosts, count, hex, err);
	if (!status)
		kept_digest_put(traffic_digest(traffic), of, hex);
	return status;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int traffic_alltoall_digest(const char *const *names, size_t count, char hex[LIQUID_DIGEST_HEX],
			   struct liquid_error *err)
{
	const char **sorted = calloc(count + 1, sizeof(*sorted));
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
	digest_end(&sha, hex);
	free(sorted);
	return LIQUID_OK;
}

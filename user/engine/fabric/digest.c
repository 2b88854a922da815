// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The fabric's digest: SHA-256 of its links, capacities and routes, independent of numbering.
 *
 * Each link is hashed as this text:
 *	link FROM PORT TO PORT CAPACITY\n
 *	to HOST\n			for each destination routed over it, sorted by name
 * The digest is the hash of these hashes in sorted order. It does not depend on the order
 * of hosts, switches and links, nor on the name of the fabric. Parallel links without port
 * numbers differ by their destinations.
 *
 * If the fabric needs version 2 for its unit rate or a host's capacity, the hash of this text
 * is among them:
 *	liquid-fabric 2\n
 *	unit RATE\n			if the fabric has one
 * and for each alias that of
 *	alias NAME HOST\n
 */
#include <nettle/base16.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"

struct link_digest {
	uint8_t byte[SHA256_DIGEST_SIZE];
};

static void update_text(struct sha256_ctx *sha, const char *text)
{
	sha256_update(sha, strlen(text), (const uint8_t *)text);
}

static int compare_names(const void *a, const void *b, void *fabric)
{
	const struct liquid_fabric *f = fabric;

	return strcmp(f->host[*(const uint32_t *)a].name, f->host[*(const uint32_t *)b].name);
}

static int compare_digests(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct link_digest));
}

static void digest_link(const struct liquid_fabric *fabric, uint32_t l, const uint32_t *by_name,
			struct link_digest *digest)
{
	const struct liquid_link *link = &fabric->link[l];
	char line[2 * LIQUID_NAME_MAX + 64];
	struct sha256_ctx sha;

	sha256_init(&sha);
	snprintf(line, sizeof(line), "link %s %u %s %u %u\n",
		 liquid_fabric_node_name(fabric, link->from), link->from_port,
		 liquid_fabric_node_name(fabric, link->to), link->to_port, link->capacity);
	update_text(&sha, line);
	for (uint32_t i = 0; i < fabric->hosts && link->from >= fabric->hosts; i++) {
		if (liquid_fabric_forward(fabric, link->from - fabric->hosts, by_name[i]) != l)
			continue;
		snprintf(line, sizeof(line), "to %s\n", fabric->host[by_name[i]].name);
		update_text(&sha, line);
	}
	sha256_digest(&sha, sizeof(digest->byte), digest->byte);
}

static void digest_unit(const struct liquid_fabric *fabric, struct link_digest *digest)
{
	char text[64] = "";
	struct sha256_ctx sha;

	if (fabric->unit_bps)
		snprintf(text, sizeof(text), "unit %llu\n", (unsigned long long)fabric->unit_bps);
	sha256_init(&sha);
	update_text(&sha, "liquid-fabric 2\n");
	update_text(&sha, text);
	sha256_digest(&sha, sizeof(digest->byte), digest->byte);
}

static void digest_alias(const struct liquid_fabric *fabric, uint32_t alias,
			 struct link_digest *digest)
{
	char line[2 * LIQUID_NAME_MAX + 64];
	struct sha256_ctx sha;

	snprintf(line, sizeof(line), "alias %s %s\n", fabric->host[alias].name,
		 fabric->host[fabric->host[alias].owner].name);
	sha256_init(&sha);
	update_text(&sha, line);
	sha256_digest(&sha, sizeof(digest->byte), digest->byte);
}

static void digest_all(const struct liquid_fabric *fabric, uint32_t *by_name,
		       struct link_digest *digest, char hex[LIQUID_DIGEST_HEX])
{
	uint8_t whole[SHA256_DIGEST_SIZE];
	uint32_t texts = fabric->links;
	struct sha256_ctx sha;

	for (uint32_t h = 0; h < fabric->hosts; h++)
		by_name[h] = h;
	qsort_r(by_name, fabric->hosts, sizeof(*by_name), compare_names, (void *)fabric);
	for (uint32_t l = 0; l < fabric->links; l++)
		digest_link(fabric, l, by_name, &digest[l]);
	if (fabric->unit_bps || fabric_has_host_capacities(fabric))
		digest_unit(fabric, &digest[texts++]);
	for (uint32_t h = fabric->hosts - fabric->aliases; h < fabric->hosts; h++)
		digest_alias(fabric, h, &digest[texts++]);
	qsort(digest, texts, sizeof(*digest), compare_digests);
	sha256_init(&sha);
	sha256_update(&sha, texts * sizeof(*digest), (const uint8_t *)digest);
	sha256_digest(&sha, sizeof(whole), whole);
	base16_encode_update(hex, sizeof(whole), whole);
	hex[LIQUID_DIGEST_HEX - 1] = '\0';
}

int liquid_fabric_digest(const struct liquid_fabric *fabric, char hex[LIQUID_DIGEST_HEX],
			 struct liquid_error *err)
{
	uint32_t *by_name = malloc((fabric->hosts + 1) * sizeof(*by_name));
	struct link_digest *digest = malloc(((size_t)fabric->links + fabric->aliases + 1) *
					     sizeof(*digest));
	int status = LIQUID_OK;

	if (by_name && digest)
		digest_all(fabric, by_name, digest, hex);
	else
		status = liquid_fail(err, LIQUID_NO_MEMORY, "out of memory");
	free(by_name);
	free(digest);
	return status;
}

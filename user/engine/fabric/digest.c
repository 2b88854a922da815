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
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
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

#define SHORT_LINE 16			/* bytes: most lines; copied without asking how long */
#define LINES_BYTES 8192		/* lines that are hashed at once */

struct texts {
	char *to;			/* by host: its line, in @stride bytes */
	uint32_t stride;
	uint16_t *length;		/* by host: of its line */
	uint32_t *by_name;		/* hosts */
};

/* The destinations of a switch by link, see fabric_sort_forwards() */
struct sorted {
	uint32_t *first, *host;
};

/* SHA-256 of the lines of @count hosts; more bytes at once than a line has cost less. */
static void update_lines(struct sha256_ctx *sha, const struct texts *texts, const uint32_t *host,
			 uint32_t count)
{
	uint8_t bytes[LINES_BYTES];
	uint32_t used = 0;

	for (uint32_t i = 0; i < count; i++) {
		const char *line = texts->to + (size_t)host[i] * texts->stride;

		if (used + texts->stride > sizeof(bytes)) {
			sha256_update(sha, used, bytes);
			used = 0;
		}
		/* a copy of constant size is one instruction */
		if (texts->stride == SHORT_LINE)
			memcpy(bytes + used, line, SHORT_LINE);
		else
			memcpy(bytes + used, line, texts->length[host[i]]);
		used += texts->length[host[i]];
	}
	sha256_update(sha, used, bytes);
}

static void digest_link(const struct liquid_fabric *fabric, uint32_t l, const struct texts *texts,
			const struct sorted *sorted, struct link_digest *digest)
{
	const struct liquid_link *link = &fabric->link[l];
	uint32_t n = fabric->place[l];
	char line[2 * LIQUID_NAME_MAX + 64];
	struct sha256_ctx sha;

	sha256_init(&sha);
	snprintf(line, sizeof(line), "link %s %u %s %u %u\n",
		 liquid_fabric_node_name(fabric, link->from), link->from_port,
		 liquid_fabric_node_name(fabric, link->to), link->to_port, link->capacity);
	update_text(&sha, line);
	if (n != LIQUID_NONE)
		update_lines(&sha, texts, sorted->host + sorted->first[n],
			     sorted->first[n + 1] - sorted->first[n]);
	sha256_digest(&sha, sizeof(digest->byte), digest->byte);
}

static uint32_t most_links(const struct liquid_fabric *fabric)
{
	uint32_t most = 0;

	for (uint32_t s = 0; s < fabric->switches; s++)
		most = fabric->sw[s].outs > most ? fabric->sw[s].outs : most;
	return most;
}

/* The links of switches, which many threads may share */
struct digesting {
	const struct liquid_fabric *fabric;
	const struct texts *texts;
	struct link_digest *digest;	/* by link */
	uint32_t parts;
	bool failed[PARALLEL_THREADS_MAX];	/* no memory */
};

/* One switch in a number of them, whose destinations are sorted once */
static void digest_switches(void *context, uint32_t part)
{
	struct digesting *digesting = context;
	const struct liquid_fabric *fabric = digesting->fabric;
	struct sorted sorted = {
		.first = calloc((size_t)most_links(fabric) + 2, sizeof(*sorted.first)),
		.host = calloc((size_t)fabric->hosts + 1, sizeof(*sorted.host)),
	};

	digesting->failed[part] = !sorted.first || !sorted.host;
	for (uint32_t s = part; !digesting->failed[part] && s < fabric->switches;
	     s += digesting->parts) {
		fabric_sort_forwards(fabric, s, digesting->texts->by_name, sorted.first,
				     sorted.host);
		for (uint32_t n = 0; n < fabric->sw[s].outs; n++) {
			uint32_t l = fabric->sw[s].out[n];

			digest_link(fabric, l, digesting->texts, &sorted, &digesting->digest[l]);
		}
	}
	free(sorted.first);
	free(sorted.host);
}

static bool digest_links(const struct liquid_fabric *fabric, uint32_t threads,
			 const struct texts *texts, struct link_digest *digest)
{
	struct digesting digesting = { fabric, texts, digest, .parts = threads };
	bool done = true;

	for (uint32_t l = 0; l < fabric->links; l++)
		if (fabric->place[l] == LIQUID_NONE)
			digest_link(fabric, l, texts, NULL, &digest[l]);
	parallel_do(threads, digesting.parts, digest_switches, &digesting);
	for (uint32_t i = 0; i < digesting.parts; i++)
		done &= !digesting.failed[i];
	return done;
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

static bool digest_all(const struct liquid_fabric *fabric, uint32_t threads,
		       const struct texts *texts, struct link_digest *digest,
		       char hex[LIQUID_DIGEST_HEX])
{
	uint32_t count = fabric->links;
	struct sha256_ctx sha;

	if (!digest_links(fabric, threads, texts, digest))
		return false;
	if (fabric->unit_bps || fabric_has_host_capacities(fabric))
		digest_unit(fabric, &digest[count++]);
	for (uint32_t h = fabric->hosts - fabric->aliases; h < fabric->hosts; h++)
		digest_alias(fabric, h, &digest[count++]);
	qsort(digest, count, sizeof(*digest), compare_digests);
	sha256_init(&sha);
	sha256_update(&sha, count * sizeof(*digest), (const uint8_t *)digest);
	digest_end(&sha, hex);
	return true;
}

static bool make_lines(const struct liquid_fabric *fabric, struct texts *texts)
{
	size_t longest = SHORT_LINE;

	for (uint32_t h = 0; h < fabric->hosts; h++) {
		size_t length = strlen(fabric->host[h].name) + sizeof("to \n");

		longest = length > longest ? length : longest;
	}
	texts->stride = (uint32_t)longest;
	texts->to = calloc((size_t)fabric->hosts + 1, texts->stride);
	texts->length = calloc((size_t)fabric->hosts + 1, sizeof(*texts->length));
	for (uint32_t h = 0; texts->to && texts->length && h < fabric->hosts; h++)
		texts->length[h] = (uint16_t)snprintf(texts->to + (size_t)h * texts->stride,
						      texts->stride, "to %s\n",
						      fabric->host[h].name);
	return texts->to && texts->length;
}

static bool make_texts(const struct liquid_fabric *fabric, struct texts *texts)
{
	bool done;

	texts->by_name = calloc((size_t)fabric->hosts + 1, sizeof(*texts->by_name));
	done = make_lines(fabric, texts) && texts->by_name;
	for (uint32_t h = 0; done && h < fabric->hosts; h++)
		texts->by_name[h] = h;
	if (done)
		qsort_r(texts->by_name, fabric->hosts, sizeof(*texts->by_name), compare_names,
			(void *)fabric);
	return done;
}

static int make_digest(const struct liquid_fabric *fabric, uint32_t threads,
		       char hex[LIQUID_DIGEST_HEX], struct liquid_error *err)
{
	struct link_digest *digest = malloc(((size_t)fabric->links + fabric->aliases + 1) *
					     sizeof(*digest));
	struct texts texts = { 0 };
	int status = LIQUID_OK;

	if (!digest || !make_texts(fabric, &texts) ||
	    !digest_all(fabric, threads, &texts, digest, hex))
		status = liquid_no_memory(err);
	free(texts.to);
	free(texts.length);
	free(texts.by_name);
	free(digest);
	return status;
}

void fabric_names_digest(const struct liquid_fabric *fabric, char hex[LIQUID_DIGEST_HEX])
{
	struct sha256_ctx sha;

	if (kept_digest_get(&fabric->digest->names, "", hex))
		return;
	sha256_init(&sha);
	for (uint32_t h = 0; h < fabric->hosts; h++)
		sha256_update(&sha, strlen(fabric->host[h].name) + 1,
			      (const uint8_t *)fabric->host[h].name);
	digest_end(&sha, hex);
	if (fabric->phase == FABRIC_FINISHED)
		kept_digest_put(&fabric->digest->names, "", hex);
}

int fabric_digest_by(const struct liquid_fabric *fabric, uint32_t threads,
		     char hex[LIQUID_DIGEST_HEX], struct liquid_error *err)
{
	int status;

	if (kept_digest_get(&fabric->digest->whole, "", hex))
		return LIQUID_OK;
	status = make_digest(fabric, threads, hex, err);
	if (!status && fabric->phase == FABRIC_FINISHED)
		kept_digest_put(&fabric->digest->whole, "", hex);
	return status;
}

int liquid_fabric_digest(const struct liquid_fabric *fabric, char hex[LIQUID_DIGEST_HEX],
			 struct liquid_error *err)
{
	return fabric_digest_by(fabric, fabric->threads, hex, err);
}

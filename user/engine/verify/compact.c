// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The proof of a compact schedule: over blocks, not over transfers
 *
 * All hosts of a block send one transfer a frame into the same switch, so that they take the same
 * links from there, and in each turn of a pattern the block as a whole sends to the same receivers.
 * It suffices that no pattern overfills a link, and that each block has each receiver once.
 */
#include <stdlib.h>
#include <string.h>

#include "liquidsched.h"

struct proof {
	const struct liquid_fabric *fabric;
	const struct liquid_compact *compact;
	const struct liquid_compact_info *info;
	uint32_t *home;			/* by host of the fabric: its block, or LIQUID_NONE */
	uint64_t *load;			/* by link: of all transfers */
	uint32_t *used, *last;		/* by link: in the pattern last */
	unsigned char *seen;		/* by block and host of the fabric */
	uint32_t found;			/* hosts in blocks */
};

static const char *name_of(const struct proof *proof, uint32_t host)
{
	return liquid_fabric_node_name(proof->fabric, host);
}

/* Is every host in one block, and are those of a block twins? */
static int check_blocks(struct proof *proof, struct liquid_error *err)
{
	uint32_t hosts = liquid_fabric_host_count(proof->fabric);

	for (uint32_t b = 0; b < proof->info->blocks; b++) {
		const uint32_t *block = liquid_compact_block(proof->compact, b);
		uint32_t first = LIQUID_NONE;

		for (uint32_t j = 0; j < proof->info->turns; j++) {
			uint32_t host = block[j], out, to;

			if (host == LIQUID_NONE)
				continue;
			if (host >= hosts || proof->home[host] != LIQUID_NONE)
				return liquid_fail(err, LIQUID_INVALID,
						   "block %u: a host that is none, or in two slots", b);
			proof->home[host] = b;
			proof->found++;
			out = liquid_fabric_host_out(proof->fabric, host);
			to = out == LIQUID_NONE ? 0 : liquid_fabric_link(proof->fabric, out)->to;
			if (to < hosts || liquid_fabric_capacity(proof->fabric, out) != 1 ||
			    (first != LIQUID_NONE && to != first))
				return liquid_fail(err, LIQUID_INVALID,
						   "block %u: %.200s is no twin of the others", b,
						   name_of(proof, host));
			first = to;
		}
	}
	if (proof->found != proof->info->hosts)
		return liquid_fail(err, LIQUID_INVALID, "%u hosts in blocks instead of %u",
				   proof->found, proof->info->hosts);
	return LIQUID_OK;
}

/* Some host of @block other than @dst, and how many there are */
static uint32_t sender_to(const struct proof *proof, uint32_t block, uint32_t dst, uint32_t *count)
{
	const uint32_t *host = liquid_compact_block(proof->compact, block);
	uint32_t some = LIQUID_NONE;

	*count = 0;
	for (uint32_t j = 0; j < proof->info->turns; j++) {
		if (host[j] == LIQUID_NONE || host[j] == dst)
			continue;
		some = host[j];
		++*count;
	}
	return some;
}

static int check_unit(struct proof *proof, uint32_t pattern, uint32_t block, uint32_t dst,
		      struct liquid_error *err)
{
	uint32_t hosts = liquid_fabric_host_count(proof->fabric), path[LIQUID_PATH_MAX], count, src;
	unsigned char *seen;
	int links;

	if (dst >= hosts || proof->home[dst] == LIQUID_NONE)
		return liquid_fail(err, LIQUID_INVALID,
				   "pattern %u: block %u sends to a host that is in no block",
				   pattern, block);
	seen = proof->seen + (size_t)block * hosts + dst;
	if (*seen)
		return liquid_fail(err, LIQUID_INVALID, "block %u sends to %.200s twice", block,
				   name_of(proof, dst));
	*seen = 1;
	src = sender_to(proof, block, dst, &count);
	if (src == LIQUID_NONE)
		return LIQUID_OK;
	links = liquid_fabric_route(proof->fabric, src, dst, path, err);
	if (links < 0)
		return links;
	for (int k = 1; k < links; k++) {	/* the first is the sender's own */
		uint32_t link = path[k];
		char name[600];

		if (proof->last[link] != pattern)
			proof->used[link] = 0;
		proof->last[link] = pattern;
		if (++proof->used[link] > liquid_fabric_capacity(proof->fabric, link))
			return liquid_fail(err, LIQUID_INVALID, "pattern %u: too many on link %s",
					   pattern, liquid_fabric_link_name(proof->fabric, link, name,
									    sizeof(name)));
		proof->load[link] += count;
	}
	return LIQUID_OK;
}

static int check_patterns(struct proof *proof, struct liquid_error *err)
{
	const struct liquid_compact_info *info = proof->info;
	int status = LIQUID_OK;

	for (uint32_t p = 0; p < info->patterns; p++) {
		for (uint32_t b = 0; b < info->blocks; b++) {
			const uint32_t *dst = liquid_compact_pattern(proof->compact, p, b);

			for (uint32_t j = 0; !status && j < info->turns; j++) {
				if (dst[j] != LIQUID_NONE)
					status = check_unit(proof, p, b, dst[j], err);
			}
		}
	}
	return status;
}

static int check_complete(const struct proof *proof, struct liquid_error *err)
{
	uint32_t hosts = liquid_fabric_host_count(proof->fabric), count;

	for (uint32_t b = 0; b < proof->info->blocks; b++) {
		for (uint32_t h = 0; h < hosts; h++) {
			if (proof->home[h] == LIQUID_NONE || proof->seen[(size_t)b * hosts + h])
				continue;
			if (sender_to(proof, b, h, &count) != LIQUID_NONE)
				return liquid_fail(err, LIQUID_INVALID,
						   "block %u never sends to %.200s", b,
						   name_of(proof, h));
		}
	}
	return LIQUID_OK;
}

static int check_figures(const struct proof *proof, struct liquid_error *err)
{
	const struct liquid_compact_info *info = proof->info;
	uint32_t links = liquid_fabric_link_count(proof->fabric);
	uint64_t duration = info->hosts - 1;	/* what each host sends */
	double fluid = info->hosts - 1;

	for (uint32_t l = 0; l < links; l++) {
		uint32_t capacity = liquid_fabric_capacity(proof->fabric, l);
		uint64_t frames = (proof->load[l] + capacity - 1) / capacity;

		duration = frames > duration ? frames : duration;
		if ((double)proof->load[l] / capacity > fluid)
			fluid = (double)proof->load[l] / capacity;
	}
	if (info->duration != duration || info->fluid_bound < fluid || info->fluid_bound > fluid ||
	    info->length != (uint64_t)info->patterns * info->turns ||
	    info->transfers != (uint64_t)info->hosts * (info->hosts - 1))
		return liquid_fail(err, LIQUID_INVALID, "the figures are not those of the patterns");
	return LIQUID_OK;
}

int liquid_compact_verify(const struct liquid_fabric *fabric, const struct liquid_compact *compact,
			  struct liquid_error *err)
{
	struct proof proof = {
		.fabric = fabric, .compact = compact, .info = liquid_compact_info(compact),
	};
	size_t hosts = liquid_fabric_host_count(fabric), links = liquid_fabric_link_count(fabric);
	int status = LIQUID_OK;

	proof.home = malloc((hosts + 1) * sizeof(*proof.home));
	proof.load = calloc(links + 1, sizeof(*proof.load));
	proof.used = calloc(links + 1, sizeof(*proof.used));
	proof.last = malloc((links + 1) * sizeof(*proof.last));
	proof.seen = calloc(hosts * proof.info->blocks + 1, 1);
	if (!proof.home || !proof.load || !proof.used || !proof.last || !proof.seen) {
		status = liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the proof");
	} else {
		memset(proof.home, 0xff, hosts * sizeof(*proof.home));
		memset(proof.last, 0xff, links * sizeof(*proof.last));
		status = check_blocks(&proof, err);
	}
	if (!status)
		status = check_patterns(&proof, err);
	if (!status)
		status = check_complete(&proof, err);
	if (!status)
		status = check_figures(&proof, err);
	free(proof.home);
	free(proof.load);
	free(proof.used);
	free(proof.last);
	free(proof.seen);
	return status;
}

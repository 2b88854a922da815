// SPDX-License-Identifier: GPL-2.0-only
/* Finds the hosts of two addresses, and adds up bytes in a matrix of hosts. */
#include <stdlib.h>
#include <string.h>

#include "flows/flows.h"

struct flow_key {
	struct addr_key key;
	uint32_t host;
};

static int compare_keys(const void *a, const void *b)
{
	return addr_key_compare(&((const struct flow_key *)a)->key,
				&((const struct flow_key *)b)->key);
}

static int take_keys(struct flows *flows, const struct addr_map *map,
		     const struct liquid_names *host, struct liquid_error *err)
{
	for (uint32_t i = 0; i < host->count; i++) {
		const struct addr_entry *entry = addr_map_find(map, host->name[i]);

		if (!entry)
			return liquid_fail(err, LIQUID_BAD_INPUT, "host '%s' has no address in %s",
					   host->name[i], map->count ? map->entry->label :
					   "the empty map");
		for (unsigned int k = 0; k < entry->key_count; k++)
			flows->key[flows->keys++] = (struct flow_key){ entry->key[k], i };
	}
	qsort(flows->key, flows->keys, sizeof(*flows->key), compare_keys);
	for (size_t i = 1; i < flows->keys; i++)
		if (!compare_keys(&flows->key[i - 1], &flows->key[i]))
			return liquid_fail(err, LIQUID_BAD_INPUT, "host '%s' is named twice",
					   host->name[flows->key[i].host]);
	return LIQUID_OK;
}

int flows_open(struct flows *flows, const struct addr_map *map, const struct liquid_names *host,
	       struct liquid_error *err)
{
	size_t hosts = host->count;

	*flows = (struct flows){ .hosts = hosts };
	flows->bytes = calloc(hosts * hosts + 1, sizeof(*flows->bytes));
	flows->input = calloc(hosts * hosts + 1, sizeof(*flows->input));
	flows->key = calloc(hosts * LIQUID_DEST_KEYS_MAX + 1, sizeof(*flows->key));
	if (!flows->bytes || !flows->input || !flows->key)
		return liquid_fail(err, LIQUID_NO_MEMORY, "out of memory for %zu hosts", hosts);
	return take_keys(flows, map, host, err);
}

void flows_close(struct flows *flows)
{
	free(flows->bytes);
	free(flows->input);
	free(flows->key);
	*flows = (struct flows){ 0 };
}

static uint32_t find_host(const struct flows *flows, const struct addr_key *key)
{
	struct flow_key wanted = { .key = *key }, *found;

	if (!flows->keys)
		return LIQUID_NONE;
	found = bsearch(&wanted, flows->key, flows->keys, sizeof(wanted), compare_keys);
	return found ? found->host : LIQUID_NONE;
}

bool flows_add(struct flows *flows, const struct addr_key *src, const struct addr_key *dst,
	       uint64_t bytes)
{
	uint32_t from = find_host(flows, src), to = find_host(flows, dst);
	uint64_t *sum = &flows->left_out;

	if (from != LIQUID_NONE && from == to)
		return true;
	if (from != LIQUID_NONE && to != LIQUID_NONE)
		sum = &flows->input[(size_t)from * flows->hosts + to];
	return !__builtin_add_overflow(*sum, bytes, sum);
}

bool flows_end_input(struct flows *flows, bool sum)
{
	bool fits = true;

	for (size_t i = 0; i < (size_t)flows->hosts * flows->hosts; i++) {
		uint64_t *all = &flows->bytes[i], bytes = flows->input[i];

		if (sum)
			fits &= !__builtin_add_overflow(*all, bytes, all);
		else if (bytes > *all)
			*all = bytes;
		flows->input[i] = 0;
	}
	return fits;
}

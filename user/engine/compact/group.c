// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Symmetries of an exchange
 *
 * Hosts are numbered in the order of their switches, so that places count through the fabric as
 * its builder did: hosts of a switch, switches of a row or pod, rows of a plane. A shift turns one
 * digit of that number. Whether the tables keep it is not guessed: its image of switches and links
 * follows from that of the hosts, and is checked on each entry for each host.
 */
#include <stdlib.h>
#include <string.h>

#include "compact/group.h"
#include "fabric/fabric.h"

#define NEAR_ENTRIES 16		/* entries that are looked at one by one after one of a new link */

/* The switch that @host sends to, from 0 */
static uint32_t home_of(const struct liquid_fabric *fabric, uint32_t host)
{
	uint32_t out = liquid_fabric_host_out(fabric, host);

	return liquid_fabric_link(fabric, out)->to - liquid_fabric_host_count(fabric);
}

static int check_host(const struct liquid_fabric *fabric, uint32_t host, struct liquid_error *err)
{
	uint32_t hosts = liquid_fabric_host_count(fabric);
	uint32_t out = liquid_fabric_host_out(fabric, host);
	const char *name = liquid_fabric_node_name(fabric, host);

	if (host >= hosts)
		return liquid_fail(err, LIQUID_BAD_INPUT, "no host %u", host);
	if (out == LIQUID_NONE || liquid_fabric_host_in(fabric, host) == LIQUID_NONE)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%.200s does not both send and receive: "
				   "not for a compact schedule", name);
	if (liquid_fabric_link(fabric, out)->to < hosts)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "%.200s has no switch: not for a compact schedule", name);
	if (liquid_fabric_capacity(fabric, out) != 1)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%.200s sends more than one transfer a "
				   "frame: not for a compact schedule", name);
	return LIQUID_OK;
}

struct key {
	uint32_t home, host;
};

static int compare_keys(const void *a, const void *b)
{
	const struct key *one = a, *other = b;

	if (one->home != other->home)
		return one->home < other->home ? -1 : 1;
	return one->host < other->host ? -1 : one->host > other->host;
}

static int number_places(struct group *group, const uint32_t *hosts, struct liquid_error *err)
{
	struct key *key = calloc((size_t)group->places + 1, sizeof(*key));
	int status = key ? LIQUID_OK : liquid_no_memory(err);

	for (uint32_t i = 0; !status && i < group->places; i++) {
		status = check_host(group->fabric, hosts[i], err);
		if (!status)
			key[i] = (struct key){ home_of(group->fabric, hosts[i]), hosts[i] };
	}
	if (!status)
		qsort(key, group->places, sizeof(*key), compare_keys);
	for (uint32_t i = 0; !status && i < group->places; i++) {
		if (group->place[key[i].host] != LIQUID_NONE)
			status = liquid_fail(err, LIQUID_BAD_INPUT, "%.200s is there twice",
					     liquid_fabric_node_name(group->fabric, key[i].host));
		group->host[i] = key[i].host;
		group->place[key[i].host] = i;
	}
	free(key);
	return status;
}

int group_make(const struct liquid_fabric *fabric, const uint32_t *hosts, size_t count,
	       struct group *group, struct liquid_error *err)
{
	size_t all = liquid_fabric_host_count(fabric);

	*group = (struct group){ .fabric = fabric, .places = (uint32_t)count };
	if (liquid_fabric_alias_count(fabric))
		return liquid_fail(err, LIQUID_BAD_INPUT, "the fabric has aliases: not for a "
				   "compact schedule");
	if (count < 2 || count > all)
		return liquid_fail(err, LIQUID_BAD_INPUT, "an exchange has two hosts or more, "
				   "each once");
	group->host = calloc(count + 1, sizeof(*group->host));
	group->place = malloc((all + 1) * sizeof(*group->place));
	group->first = calloc(count + 2, sizeof(*group->first));
	group->home = calloc(count + 1, sizeof(*group->home));
	group->block = calloc(count + 1, sizeof(*group->block));
	if (!group->host || !group->place || !group->first || !group->home || !group->block)
		return liquid_no_memory(err);
	memset(group->place, 0xff, all * sizeof(*group->place));
	return number_places(group, hosts, err);
}

void group_drop(struct group *group)
{
	for (uint32_t i = 0; i < LIQUID_SHIFTS_MAX; i++)
		free(group->link_to[i]);
	free(group->host);
	free(group->place);
	free(group->first);
	free(group->home);
	free(group->block);
}

int group_cut(struct group *group, uint32_t turns, struct liquid_error *err)
{
	uint32_t run = 0, most = 0;

	for (uint32_t p = 0; p < group->places; p++) {
		bool same = p && home_of(group->fabric, group->host[p]) ==
				 home_of(group->fabric, group->host[p - 1]);

		run = same ? run + 1 : 1;
		most = run > most ? run : most;
	}
	group->turns = turns && turns < most ? turns : most;
	group->blocks = 0;
	for (uint32_t p = 0; p < group->places; p++) {
		uint32_t home = home_of(group->fabric, group->host[p]), last = group->blocks - 1;

		if (!p || group->home[last] != home || p - group->first[last] == group->turns) {
			group->first[group->blocks] = p;
			group->home[group->blocks++] = home;
		}
		group->block[p] = group->blocks - 1;
	}
	group->first[group->blocks] = group->places;
	if (!group->turns)
		return liquid_fail(err, LIQUID_BAD_INPUT, "no host exchanges");
	return LIQUID_OK;
}

int group_path(const struct group *group, uint32_t block, uint32_t place, uint32_t *path)
{
	uint32_t hosts = liquid_fabric_host_count(group->fabric), dst = group->host[place];
	uint32_t sw = group->home[block];

	for (int n = 0; n < LIQUID_PATH_MAX;) {
		uint32_t link = liquid_fabric_forward(group->fabric, sw, dst), to;

		if (link == LIQUID_NONE)
			return -1;
		path[n++] = link;
		to = liquid_fabric_link(group->fabric, link)->to;
		if (to < hosts)
			return n;
		sw = to - hosts;
	}
	return -1;
}

uint32_t group_last_link(const struct group *group, uint32_t place)
{
	return liquid_fabric_host_in(group->fabric, group->host[place]);
}

/* ---- shifts ---- */

struct trial {
	struct group *group;
	uint32_t hosts;
	uint32_t *image;		/* by switch, or LIQUID_NONE; with room for all below */
	uint32_t *queue, queued;	/* switches with an image */
	uint32_t *link_to, *link_of;	/* by link: image, and what it is the image of */
	uint32_t *shifted;		/* by place: the host of its image */
};

static bool map_switch(struct trial *trial, uint32_t from, uint32_t to)
{
	if (trial->image[from] != LIQUID_NONE)
		return trial->image[from] == to;
	trial->image[from] = to;
	trial->queue[trial->queued++] = from;
	return true;
}

static bool map_link(struct trial *trial, uint32_t from, uint32_t to)
{
	const struct liquid_fabric *fabric = trial->group->fabric;
	uint32_t far;

	if (from == LIQUID_NONE || to == LIQUID_NONE)
		return from == to;
	if (trial->link_to[from] != LIQUID_NONE || trial->link_of[to] != LIQUID_NONE)
		return trial->link_to[from] == to && trial->link_of[to] == from;
	if (liquid_fabric_capacity(fabric, from) != liquid_fabric_capacity(fabric, to))
		return false;
	trial->link_to[from] = to;
	trial->link_of[to] = from;
	far = liquid_fabric_link(fabric, from)->to;
	if (far < trial->hosts)
		return liquid_fabric_link(fabric, to)->to < trial->hosts;
	return liquid_fabric_link(fabric, to)->to >= trial->hosts &&
	       map_switch(trial, far - trial->hosts,
			  liquid_fabric_link(fabric, to)->to - trial->hosts);
}

/* Most entries name links that are known; after one that does not, others are near. */
static bool is_switch_kept(struct trial *trial, uint32_t sw)
{
	const struct group *group = trial->group;
	uint32_t to = trial->image[sw], p = 0;

	for (;;) {
		p += fabric_forwards_kept(group->fabric, sw, group->host + p, to,
						 trial->shifted + p, group->places - p,
						 trial->link_to);
		for (uint32_t k = 0; k < NEAR_ENTRIES; k++, p++) {
			if (p == group->places)
				return true;
			if (!map_link(trial,
				      liquid_fabric_forward(group->fabric, sw, group->host[p]),
				      liquid_fabric_forward(group->fabric, to, trial->shifted[p])))
				return false;
		}
	}
}

/* All entries of all switches that hosts of the exchange can reach */
static bool is_kept(struct trial *trial)
{
	const struct group *group = trial->group;

	for (uint32_t p = 0; p < group->places; p++)
		if (!map_switch(trial, home_of(group->fabric, group->host[p]),
				home_of(group->fabric, trial->shifted[p])))
			return false;
	for (uint32_t i = 0; i < trial->queued; i++)
		if (!is_switch_kept(trial, trial->queue[i]))
			return false;
	return true;
}

static bool is_translation(struct trial *trial, const struct liquid_shift *shift)
{
	const struct group *group = trial->group;
	size_t links = liquid_fabric_link_count(group->fabric);

	memset(trial->image, 0xff,
	       liquid_fabric_switch_count(group->fabric) * sizeof(*trial->image));
	memset(trial->link_to, 0xff, links * sizeof(*trial->link_to));
	memset(trial->link_of, 0xff, links * sizeof(*trial->link_of));
	trial->queued = 0;
	for (uint32_t p = 0; p < group->places; p++)
		trial->shifted[p] = group->host[shift_step(shift, p)];
	return is_kept(trial);
}

/* Shifts turn the hosts of each switch, or blocks. They are kept in the order of their strides. */
static int try_shift(void *context, const struct liquid_shift *shift)
{
	struct trial *trial = context;
	struct group *group = trial->group;
	size_t links = liquid_fabric_link_count(group->fabric);
	uint32_t *link_to, i;

	if ((shift->stride % group->turns && (shift->stride > 1 || shift->count != group->turns)) ||
	    !is_translation(trial, shift))
		return 0;
	link_to = malloc((links + 1) * sizeof(*link_to));
	if (!link_to)
		return LIQUID_NO_MEMORY;
	memcpy(link_to, trial->link_to, links * sizeof(*link_to));
	for (i = group->shifts++; i && group->shift[i - 1].stride > shift->stride; i--) {
		group->shift[i] = group->shift[i - 1];
		group->link_to[i] = group->link_to[i - 1];
	}
	group->shift[i] = *shift;
	group->link_to[i] = link_to;
	return 1;
}

bool group_is_even(const struct group *group)
{
	for (uint32_t b = 0; b < group->blocks; b++)
		if (group->first[b + 1] - group->first[b] != group->turns)
			return false;
	return true;
}

int group_find_shifts(struct group *group, struct liquid_error *err)
{
	size_t switches = liquid_fabric_switch_count(group->fabric);
	size_t links = liquid_fabric_link_count(group->fabric);
	struct trial trial = { .group = group, .hosts = liquid_fabric_host_count(group->fabric) };
	struct shifts shifts;
	int status;

	if (!group_is_even(group))
		return LIQUID_OK;
	trial.image = malloc((2 * (switches + links) + group->places) * sizeof(*trial.image));
	if (!trial.image)
		return liquid_no_memory(err);
	trial.queue = trial.image + switches;
	trial.link_to = trial.queue + switches;
	trial.link_of = trial.link_to + links;
	trial.shifted = trial.link_of + links;
	status = shifts_find(group->places, try_shift, &trial, &shifts);
	free(trial.image);
	return status ? liquid_no_memory(err) : LIQUID_OK;
}

uint32_t group_order(const struct group *group)
{
	uint32_t order = 1;

	for (uint32_t i = 0; i < group->shifts; i++)
		order *= group->shift[i].count;
	return order;
}

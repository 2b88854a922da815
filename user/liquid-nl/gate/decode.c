// SPDX-License-Identifier: GPL-2.0-only
/* The module's replies as structures. Attributes of a newer module are ignored. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/genetlink.h>

#include "gate/gate.h"

int gate_take(const struct nlmsghdr *nlh, void *context)
{
	struct gate_list *list = context;
	struct gate *gate = array_append(&list->gate, &list->count, &list->room, sizeof(*gate));

	if (!gate)
		return -ENOMEM;
	return attrs_parse_message(&liquid_table, nlh, sizeof(struct genlmsghdr), gate) ? 0 :
	       -EPROTO;
}

/* A kind of key that only a newer module knows keeps its number. */
static bool take_key(struct gate_dest *dest, const struct nlattr *nest)
{
	struct addr_key *key = &dest->key[dest->key_count];
	const struct nlattr *attr = mnl_attr_get_payload(nest);
	uint16_t length;

	if (dest->key_count == LIQUID_DEST_KEYS_MAX ||
	    !mnl_attr_ok(attr, mnl_attr_get_payload_len(nest)))
		return false;
	key->kind = mnl_attr_get_type(attr);
	length = addr_key_length(key->kind);
	key->length = mnl_attr_get_payload_len(attr);
	if (key->length > sizeof(key->value) || (length && key->length != length))
		return false;
	memcpy(key->value, mnl_attr_get_payload(attr), key->length);
	dest->key_count++;
	return true;
}

static bool take_dest(struct gate_dest *dest, const struct nlattr *nest)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, nest)
		if (mnl_attr_get_type(attr) == LIQUID_DEST_A_KEY && !take_key(dest, attr))
			return false;
	return attrs_parse(&dest_table, nest, dest);
}

/* The nest of @type in a reply, or NULL */
static const struct nlattr *find_nest(const struct nlmsghdr *nlh, uint16_t type)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == type)
			return attr;
	return NULL;
}

int gate_take_dests(const struct nlmsghdr *nlh, void *context)
{
	const struct nlattr *attr, *nest = find_nest(nlh, LIQUID_A_DESTS);
	struct gate_dests *dests = context;

	if (!nest)
		return 0;
	mnl_attr_for_each_nested(attr, nest) {
		struct gate_dest *dest;

		if (mnl_attr_get_type(attr) != LIQUID_A_DEST)
			continue;
		dest = array_append(&dests->dest, &dests->count, &dests->room, sizeof(*dest));
		if (!dest)
			return -ENOMEM;
		if (!take_dest(dest, attr))
			return -EPROTO;
	}
	return 0;
}

bool gate_runs_append(struct gate_runs *runs, uint32_t dest, uint32_t frames)
{
	struct gate_run *last = runs->count ? &runs->run[runs->count - 1] : NULL;

	if (last && last->dest == dest && last->run <= UINT32_MAX - frames) {
		last->run += frames;
		return true;
	}
	last = array_append(&runs->run, &runs->count, &runs->room, sizeof(*last));
	if (!last)
		return false;
	*last = (struct gate_run){ frames, dest };
	return true;
}

int gate_take_runs(const struct nlmsghdr *nlh, void *context)
{
	const struct nlattr *attr, *field, *nest = find_nest(nlh, LIQUID_A_ENTRIES);

	if (!nest)
		return 0;
	mnl_attr_for_each_nested(attr, nest) {
		uint32_t run = 0, dest = LIQUID_NONE;

		if (mnl_attr_get_type(attr) != LIQUID_A_ENTRY)
			continue;
		mnl_attr_for_each_nested(field, attr) {
			if (mnl_attr_get_payload_len(field) != sizeof(uint32_t))
				continue;
			if (mnl_attr_get_type(field) == LIQUID_ENTRY_A_RUN)
				run = mnl_attr_get_u32(field);
			if (mnl_attr_get_type(field) == LIQUID_ENTRY_A_DEST)
				dest = mnl_attr_get_u32(field);
		}
		if (!run)
			return -EPROTO;
		if (!gate_runs_append(context, dest, run))
			return -ENOMEM;
	}
	return 0;
}

void gate_list_clear(struct gate_list *list)
{
	free(list->gate);
	*list = (struct gate_list){ 0 };
}

void gate_dests_clear(struct gate_dests *dests)
{
	free(dests->dest);
	*dests = (struct gate_dests){ 0 };
}

void gate_dests_name(struct gate_dests *dests, const struct addr_map *map)
{
	for (size_t i = 0; i < dests->count; i++) {
		struct gate_dest *dest = &dests->dest[i];

		for (uint32_t k = 0; k < dest->key_count && !dest->name; k++)
			dest->name = addr_map_name(map, &dest->key[k]);
	}
}

void gate_runs_clear(struct gate_runs *runs)
{
	free(runs->run);
	*runs = (struct gate_runs){ 0 };
}

int gate_take_event(const struct nlmsghdr *nlh, void *context)
{
	const struct nlattr *device = find_nest(nlh, LIQUID_A_IFINDEX);
	const struct nlattr *nest = find_nest(nlh, LIQUID_A_EVENT);
	struct gate_event *event = context;

	*event = (struct gate_event){ 0 };
	if (!device || mnl_attr_get_payload_len(device) != sizeof(uint32_t) || !nest)
		return -EPROTO;
	event->ifindex = mnl_attr_get_u32(device);
	return attrs_parse(&event_info_table, nest, event) ? 0 : -EPROTO;
}

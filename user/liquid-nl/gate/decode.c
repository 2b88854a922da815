// SPDX-License-Identifier: GPL-2.0-only
/* The module's replies as structures. Attributes of a newer module are ignored. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/genetlink.h>

#include "gate/gate.h"

/* A zeroed new element at the end of a growing array, or NULL. */
static void *append(void **array, size_t *count, size_t *room, size_t size)
{
	char *element;

	if (*count == *room) {
		size_t more = *room ? *room * 2 : 16;
		void *moved = reallocarray(*array, more, size);

		if (!moved)
			return NULL;
		*array = moved;
		*room = more;
	}
	element = (char *)*array + *count * size;
	memset(element, 0, size);
	++*count;
	return element;
}

static bool take_rules(struct gate_options *options, const struct nlattr *gate)
{
	const struct nlattr *bypass, *rule;

	mnl_attr_for_each_nested(bypass, gate) {
		if (mnl_attr_get_type(bypass) != LIQUID_GATE_A_BYPASS)
			continue;
		options->present |= 1ULL << LIQUID_GATE_A_BYPASS;
		mnl_attr_for_each_nested(rule, bypass) {
			struct gate_rule *to = &options->rule[options->rule_count];

			if (mnl_attr_get_type(rule) != LIQUID_GATE_A_RULE)
				continue;
			if (options->rule_count == LIQUID_BYPASS_MAX ||
			    !attrs_parse(&rule_table, rule, to, &to->present))
				return false;
			options->rule_count++;
		}
	}
	return true;
}

/* A newer module may have more buckets: their times are longer than the bounds known here. */
static void add_buckets(struct gate_hist *hist, const struct nlattr *attr)
{
	const char *payload = mnl_attr_get_payload(attr);
	uint64_t count;

	for (size_t i = 0; i < mnl_attr_get_payload_len(attr) / sizeof(count); i++) {
		memcpy(&count, payload + i * sizeof(count), sizeof(count));
		hist->bucket[i < LIQUID_HIST_BUCKETS ? i : LIQUID_HIST_BUCKETS - 1] += count;
	}
}

static bool take_hist(struct gate_hist *hist, const struct nlattr *nest)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, nest) {
		if (mnl_attr_get_type(attr) != LIQUID_HIST_A_BUCKETS)
			continue;
		if (mnl_attr_get_payload_len(attr) % sizeof(hist->bucket[0]))
			return false;
		add_buckets(hist, attr);
	}
	return attrs_parse(&hist_table, nest, hist, &hist->present);
}

static bool take_times(struct gate_times *times, const struct nlattr *nest)
{
	struct gate_hist *const hist[LIQUID_TIMES_A_MAX + 1] = {
		[LIQUID_TIMES_A_WAIT] = &times->wait,
		[LIQUID_TIMES_A_LATE] = &times->late,
		[LIQUID_TIMES_A_LAG] = &times->lag,
		[LIQUID_TIMES_A_XMIT] = &times->xmit,
		[LIQUID_TIMES_A_OVERRUN] = &times->overrun,
	};
	const struct nlattr *attr;

	times->present = true;
	mnl_attr_for_each_nested(attr, nest) {
		uint16_t type = mnl_attr_get_type(attr);

		if (type <= LIQUID_TIMES_A_MAX && hist[type] && !take_hist(hist[type], attr))
			return false;
	}
	return true;
}

static bool take_selector(struct gate_options *options, const struct nlattr *gate)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, gate) {
		if (mnl_attr_get_type(attr) != LIQUID_GATE_A_SELECT_RULE)
			continue;
		if (!attrs_parse(&rule_table, attr, &options->select_rule,
				 &options->select_rule.present))
			return false;
		options->present |= 1ULL << LIQUID_GATE_A_SELECT_RULE;
	}
	return true;
}

static bool take_gate_nest(struct gate *gate, const struct nlattr *attr)
{
	switch (mnl_attr_get_type(attr)) {
	case LIQUID_A_IFINDEX:
		if (mnl_attr_get_payload_len(attr) != sizeof(uint32_t))
			return false;
		gate->ifindex = mnl_attr_get_u32(attr);
		return true;
	case LIQUID_A_GATE:
		return attrs_parse(&gate_table, attr, &gate->options, &gate->options.present) &&
		       take_rules(&gate->options, attr) && take_selector(&gate->options, attr);
	case LIQUID_A_STATE:
		return attrs_parse(&state_table, attr, &gate->state, &gate->state.present);
	case LIQUID_A_STATS:
		return attrs_parse(&stats_table, attr, &gate->stats, &gate->stats.present);
	case LIQUID_A_OPER:
		return attrs_parse(&sched_table, attr, &gate->oper, &gate->oper.present);
	case LIQUID_A_ADMIN:
		return attrs_parse(&sched_table, attr, &gate->admin, &gate->admin.present);
	case LIQUID_A_TIMES:
		return take_times(&gate->times, attr);
	default:
		return true;
	}
}

int gate_take(const struct nlmsghdr *nlh, void *context)
{
	struct gate_list *list = context;
	const struct nlattr *attr;
	struct gate *gate = append((void **)&list->gate, &list->count, &list->room, sizeof(*gate));

	if (!gate)
		return -ENOMEM;
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		if (!take_gate_nest(gate, attr))
			return -EPROTO;
	return 0;
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

	if (!attrs_parse(&dest_table, nest, dest, &dest->present))
		return false;
	mnl_attr_for_each_nested(attr, nest) {
		if (mnl_attr_get_type(attr) == LIQUID_DEST_A_KEY && !take_key(dest, attr))
			return false;
		if (mnl_attr_get_type(attr) == LIQUID_DEST_A_STATS &&
		    !attrs_parse(&stats_table, attr, &dest->stats, &dest->stats.present))
			return false;
		if (mnl_attr_get_type(attr) == LIQUID_DEST_A_TIMES &&
		    !take_times(&dest->times, attr))
			return false;
	}
	return true;
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
		dest = append((void **)&dests->dest, &dests->count, &dests->room, sizeof(*dest));
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
	last = append((void **)&runs->run, &runs->count, &runs->room, sizeof(*last));
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
	return attrs_parse(&event_info_table, nest, event, &event->present) ? 0 : -EPROTO;
}

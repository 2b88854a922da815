// SPDX-License-Identifier: GPL-2.0-only
/* The tables of the wire's attributes, of the rows that its specification gives; see net/attrs.h */
#include <linux/rtnetlink.h>

#include "gate/gate.h"

#define TABLE(rows) { (rows), sizeof(rows) / sizeof((rows)[0]) - 1 }

#define SIZEOF(object, member) sizeof(((struct object *)NULL)->member)
#define NAMES(names, ...) const char *const names[] = { __VA_ARGS__, NULL };
#define BEGIN(set) static const struct attr_row set##_rows[] = {
#define END(set) }; const struct attr_table set##_table = TABLE(set##_rows);
#define NAME(prefix, attr, member, kind) [prefix##attr] = { .name = #attr, .type = ATTR_##kind },
#define NEST(prefix, attr, member, set) \
	[prefix##attr] = { .name = #attr, .type = ATTR_NEST, .nest = &set##_table },
#define VALUE(prefix, attr, member, kind, object, names) \
	[prefix##attr] = { .name = #attr, .type = ATTR_##kind, .values = names, \
			   .size = SIZEOF(object, member), \
			   .offset = offsetof(struct object, member) },
#define NUMBERS(prefix, attr, text, object, member) \
	[prefix##attr] = { .name = #attr, .type = ATTR_ARRAY, .size = SIZEOF(object, member), \
			   .offset = offsetof(struct object, member) },
#define PART(prefix, attr, text, object, member, set) \
	[prefix##attr] = { .name = #attr, .type = ATTR_NEST, .nest = &set##_table, \
			   .size = SIZEOF(object, member), \
			   .offset = offsetof(struct object, member) },
#define LIST(prefix, attr, member, object, set) \
	[prefix##attr] = { .name = #attr, .type = ATTR_LIST, .nest = &set##_table, \
			   .size = SIZEOF(object, member[0]), \
			   .offset = offsetof(struct object, member), \
			   .count = offsetof(struct object, member##_count), \
			   .most = SIZEOF(object, member) / SIZEOF(object, member[0]) },
#define SAME(prefix, attr, member, set) \
	[prefix##attr] = { .name = #attr, .type = ATTR_SAME, .nest = &set##_table },
#define COUNTER(prefix, attr, member) \
	[prefix##attr] = { .name = #attr, .type = ATTR_U64, \
			   .offset = offsetof(struct gate_stats, counter[prefix##attr]) },

#include "gate/rows-gen.h"

static const struct attr_row route_rows[] = {
	[TCA_KIND] = { .name = "KIND" },
	[TCA_OPTIONS] = { .name = "OPTIONS", .type = ATTR_NEST, .nest = &gate_table },
};
const struct attr_table route_table = TABLE(route_rows);

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables of netlink attributes: name, type, and the member of a structure that holds the value.
 * Encoding, decoding, JSON and the names in error messages come from the same row.
 */
#ifndef LIQUID_NL_ATTRS_H
#define LIQUID_NL_ATTRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>
#include <libmnl/libmnl.h>

#define ATTR_TEXT_MAX	63

enum attr_type {
	ATTR_BYTES,	/* these have their own code */
	ATTR_ARRAY,
	ATTR_FLAG,
	ATTR_PAD,
	ATTR_U8,
	ATTR_U16,
	ATTR_U32,
	ATTR_S32,
	ATTR_U64,
	ATTR_S64,
	ATTR_TEXT,	/* a string; its member has room for ATTR_TEXT_MAX bytes and a 0 */
	ATTR_NEST,
};

struct attr_table;

struct attr_row {
	const char *name;			/* NULL: no such attribute */
	enum attr_type type;
	size_t offset;				/* of the value in the structure */
	const char *const *values;		/* names of an enum's values, ends with NULL */
	const struct attr_table *nest;
};

struct attr_table {
	const struct attr_row *row;		/* indexed by the attribute's type */
	uint16_t max;
};

/*
 * Scalars are numbers and texts. Read those of @nest into @object and set the bit of each in
 * @present. Attributes that the table does not have are ignored: they are of a newer module. False
 * if one has the wrong length, or a text no end.
 */
bool attrs_parse(const struct attr_table *table, const struct nlattr *nest, void *object,
		 uint64_t *present);
/* Append those scalars of @object whose bits are set in @present. */
void attrs_put(struct nlmsghdr *nlh, const struct attr_table *table, const void *object,
	       uint64_t present);
/* Add the scalars of @object as members named like the attributes, in lower case. */
bool attrs_json(json_t *json, const struct attr_table *table, const void *object,
		uint64_t present);
/* A number as an unsigned one, for text. */
uint64_t attr_value(const struct attr_row *row, const void *object);
/* The name of an enum's value, or NULL */
const char *value_name(const char *const *names, uint64_t value);
/* The value that has this name, or -1 */
int value_of_name(const char *const *names, const char *name);

/* "GATE.RATE_BPS": the attribute at @offset from the start of @request; false: there is none. */
bool attr_path(const struct nlmsghdr *request, size_t family_header,
	       const struct attr_table *table, uint32_t offset, char *path, size_t size);

#endif

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

enum attr_type {
	ATTR_BYTES,	/* these have their own code */
	ATTR_FLAG,
	ATTR_PAD,
	ATTR_U8,
	ATTR_U16,
	ATTR_U32,
	ATTR_S32,
	ATTR_U64,
	ATTR_S64,
	ATTR_TEXT,	/* a string, with the 0 at its end */
	ATTR_ARRAY,	/* of u64; excess elements are added to its last */
	ATTR_NEST,	/* of a structure, which is the member; without @size of own code */
	ATTR_LIST,	/* one of several such nests; the member is an array */
	ATTR_SAME,	/* a nest whose attributes are members of the same structure */
};

struct attr_table;

struct attr_row {
	const char *name;			/* NULL: no such attribute */
	enum attr_type type;
	size_t offset;				/* of the value in the structure */
	const char *const *values;		/* names of an enum's values, ends with NULL */
	const struct attr_table *nest;
	size_t size;				/* of the member, or of an element of a list */
	size_t count;				/* list: offset of the number of elements */
	uint32_t most;				/* list: the elements that there is room for */
};

struct attr_table {
	const struct attr_row *row;		/* indexed by the attribute's type */
	uint16_t max;
};

/*
 * A structure that a table describes begins with uint64_t present: a bit for each attribute, by its
 * number, and bit 0 if it is that of a nest which was there.
 *
 * Read the attributes of @nest, or of a message behind its @header bytes, into @object. Attributes
 * that the table does not have are ignored: they are of a newer module. False if one has the wrong
 * length, a text no end, or a list more elements than there is room for.
 */
bool attrs_parse(const struct attr_table *table, const struct nlattr *nest, void *object);
bool attrs_parse_message(const struct attr_table *table, const struct nlmsghdr *nlh, size_t header,
			 void *object);
/* Append those attributes of @object that are present. */
void attrs_put(struct nlmsghdr *nlh, const struct attr_table *table, const void *object);
/* Add the numbers and texts of @object as members named like the attributes, in lower case. */
bool attrs_json(json_t *json, const struct attr_table *table, const void *object);
/* A zeroed new element of @size bytes at the end of the growing array *@array, or NULL */
void *array_append(void *array, size_t *count, size_t *room, size_t size);
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

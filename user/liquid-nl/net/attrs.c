// SPDX-License-Identifier: GPL-2.0-only
/* Encoding, decoding and naming attributes by their tables. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/attrs.h"

static uint16_t attr_length(enum attr_type type)
{
	switch (type) {
	case ATTR_U8:
		return 1;
	case ATTR_U16:
		return 2;
	case ATTR_U32:
	case ATTR_S32:
		return 4;
	case ATTR_U64:
	case ATTR_S64:
		return 8;
	default:
		return 0;
	}
}

static const struct attr_row *find_row(const struct attr_table *table, uint16_t type)
{
	if (type > table->max || !table->row[type].name)
		return NULL;
	return &table->row[type];
}

static bool is_scalar(const struct attr_row *row)
{
	return row->type == ATTR_TEXT || attr_length(row->type);
}

/* The attribute's value is as long as the member of @row takes. */
static bool fits(const struct attr_row *row, const struct nlattr *attr)
{
	const char *value = mnl_attr_get_payload(attr);
	uint16_t length = mnl_attr_get_payload_len(attr);

	if (row->type != ATTR_TEXT)
		return length == attr_length(row->type);
	return length && length <= row->size && !value[length - 1];
}

static uint64_t present_of(const void *object)
{
	return *(const uint64_t *)object;
}

static bool take_array(const struct attr_row *row, const struct nlattr *attr, uint64_t *to)
{
	size_t room = row->size / sizeof(*to), count = mnl_attr_get_payload_len(attr) / sizeof(*to);
	const char *from = mnl_attr_get_payload(attr);
	uint64_t value;

	if (mnl_attr_get_payload_len(attr) % sizeof(*to))
		return false;
	for (size_t i = 0; i < count; i++) {
		memcpy(&value, from + i * sizeof(value), sizeof(value));
		to[i < room ? i : room - 1] += value;
	}
	return true;
}

static bool take_nest(const struct attr_row *row, const struct nlattr *attr, void *at)
{
	*(uint64_t *)at |= 1;
	return attrs_parse(row->nest, attr, at);
}

static bool take_element(const struct attr_row *row, const struct nlattr *attr, void *object)
{
	uint32_t *count = (uint32_t *)((char *)object + row->count);

	return *count < row->most &&
	       take_nest(row, attr, (char *)object + row->offset + row->size * (*count)++);
}

static bool take_attr(const struct attr_table *table, const struct nlattr *attr, void *object)
{
	const struct attr_row *row = find_row(table, mnl_attr_get_type(attr));
	char *at = row ? (char *)object + row->offset : NULL;

	if (!row || (!is_scalar(row) && !row->size && row->type != ATTR_SAME))
		return true;
	if (row->type == ATTR_LIST)
		return take_element(row, attr, object);
	*(uint64_t *)object |= 1ULL << mnl_attr_get_type(attr);
	if (row->type == ATTR_SAME)
		return attrs_parse(row->nest, attr, object);
	if (row->type == ATTR_NEST)
		return take_nest(row, attr, at);
	if (row->type == ATTR_ARRAY)
		return take_array(row, attr, (uint64_t *)at);
	if (!fits(row, attr))
		return false;
	memcpy(at, mnl_attr_get_payload(attr), mnl_attr_get_payload_len(attr));
	return true;
}

bool attrs_parse(const struct attr_table *table, const struct nlattr *nest, void *object)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, nest)
		if (!take_attr(table, attr, object))
			return false;
	return true;
}

bool attrs_parse_message(const struct attr_table *table, const struct nlmsghdr *nlh, size_t header,
			 void *object)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, header)
		if (!take_attr(table, attr, object))
			return false;
	return true;
}

static void put_nest(struct nlmsghdr *nlh, uint16_t type, const struct attr_table *table,
		     const void *object)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, type);

	attrs_put(nlh, table, object);
	mnl_attr_nest_end(nlh, nest);
}

void attrs_put(struct nlmsghdr *nlh, const struct attr_table *table, const void *object)
{
	for (uint16_t type = 1; type <= table->max; type++) {
		const struct attr_row *row = find_row(table, type);
		const char *at = row ? (const char *)object + row->offset : NULL;
		const char *counted = row ? (const char *)object + row->count : NULL;
		const uint32_t *count = (const uint32_t *)counted;

		if (row && row->type == ATTR_LIST)
			for (uint32_t i = 0; i < *count; i++)
				put_nest(nlh, type, row->nest, at + i * row->size);
		if (!row || !(present_of(object) >> type & 1))
			continue;
		if (row->type == ATTR_SAME)
			put_nest(nlh, type, row->nest, object);
		else if (row->type == ATTR_NEST && row->size)
			put_nest(nlh, type, row->nest, at);
		else if (is_scalar(row))
			mnl_attr_put(nlh, type, row->type == ATTR_TEXT ? strlen(at) + 1 :
				     attr_length(row->type), at);
	}
}

void *array_append(void *array, size_t *count, size_t *room, size_t size)
{
	void **at = array;

	if (*count == *room) {
		size_t more = *room ? *room * 2 : 16;
		void *moved = reallocarray(*at, more, size);

		if (!moved)
			return NULL;
		*at = moved;
		*room = more;
	}
	return memset((char *)*at + (*count)++ * size, 0, size);
}

uint64_t attr_value(const struct attr_row *row, const void *object)
{
	const void *at = (const char *)object + row->offset;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	switch (row->type) {
	case ATTR_U8:
		return *(const uint8_t *)at;
	case ATTR_U16:
		memcpy(&u16, at, sizeof(u16));
		return u16;
	case ATTR_U32:
		memcpy(&u32, at, sizeof(u32));
		return u32;
	case ATTR_S32:
		memcpy(&u32, at, sizeof(u32));
		return (int64_t)(int32_t)u32;
	default:
		memcpy(&u64, at, sizeof(u64));
		return u64;
	}
}

const char *value_name(const char *const *names, uint64_t value)
{
	for (uint64_t i = 0; names[i]; i++)
		if (i == value)
			return names[i];
	return NULL;
}

int value_of_name(const char *const *names, const char *name)
{
	for (int i = 0; names[i]; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

bool attrs_json(json_t *json, const struct attr_table *table, const void *object)
{
	for (uint16_t type = 1; type <= table->max; type++) {
		const struct attr_row *row = find_row(table, type);
		const char *name = NULL;
		char key[64];
		size_t i = 0;
		json_t *value;

		if (!row || !is_scalar(row) || !(present_of(object) >> type & 1))
			continue;
		for (; row->name[i] && i + 1 < sizeof(key); i++)
			key[i] = tolower((unsigned char)row->name[i]);
		key[i] = 0;
		if (row->type == ATTR_TEXT)
			name = (const char *)object + row->offset;
		else if (row->values)
			name = value_name(row->values, attr_value(row, object));
		value = name ? json_string(name) : json_integer(attr_value(row, object));
		if (json_object_set_new(json, key, value))
			return false;
	}
	return true;
}

/* Add ".NAME" (or the number of an attribute that has none) to @path. */
static void append_name(char *path, size_t size, const struct attr_row *row, uint16_t type)
{
	size_t used = strlen(path);
	const char *dot = used ? "." : "";

	if (row)
		snprintf(path + used, size - used, "%s%s", dot, row->name);
	else
		snprintf(path + used, size - used, "%sattribute %u", dot, type);
}

bool attr_path(const struct nlmsghdr *request, size_t family_header,
	       const struct attr_table *table, uint32_t offset, char *path, size_t size)
{
	const char *base = (const char *)request;
	size_t at = MNL_NLMSG_HDRLEN + MNL_ALIGN(family_header), end = request->nlmsg_len;

	path[0] = 0;
	while (table && at + sizeof(struct nlattr) <= end) {
		const struct nlattr *attr = (const void *)(base + at);
		size_t next = at + MNL_ALIGN(attr->nla_len);
		const struct attr_row *row = find_row(table, mnl_attr_get_type(attr));

		if (attr->nla_len < sizeof(*attr))
			return false;
		if (offset >= next) {
			at = next;
			continue;
		}
		append_name(path, size, row, mnl_attr_get_type(attr));
		if (offset < at + sizeof(*attr) || !row || !row->nest)
			return true;
		table = row->nest;
		end = next;
		at += sizeof(*attr);
	}
	return path[0];
}

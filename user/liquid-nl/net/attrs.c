// SPDX-License-Identifier: GPL-2.0-only
/* Encoding, decoding and naming attributes by their tables. */
#include <ctype.h>
#include <stdio.h>
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
	return length && length <= ATTR_TEXT_MAX + 1 && !value[length - 1];
}

bool attrs_parse(const struct attr_table *table, const struct nlattr *nest, void *object,
		 uint64_t *present)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, nest) {
		const struct attr_row *row = find_row(table, mnl_attr_get_type(attr));

		if (!row || !is_scalar(row))
			continue;
		if (!fits(row, attr))
			return false;
		memcpy((char *)object + row->offset, mnl_attr_get_payload(attr),
		       mnl_attr_get_payload_len(attr));
		*present |= 1ULL << mnl_attr_get_type(attr);
	}
	return true;
}

void attrs_put(struct nlmsghdr *nlh, const struct attr_table *table, const void *object,
	       uint64_t present)
{
	for (uint16_t type = 1; type <= table->max; type++) {
		const struct attr_row *row = find_row(table, type);
		const char *value = row ? (const char *)object + row->offset : NULL;

		if (!row || !is_scalar(row) || !(present >> type & 1))
			continue;
		mnl_attr_put(nlh, type, row->type == ATTR_TEXT ? strlen(value) + 1 :
			     attr_length(row->type), value);
	}
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

bool attrs_json(json_t *json, const struct attr_table *table, const void *object,
		uint64_t present)
{
	for (uint16_t type = 1; type <= table->max; type++) {
		const struct attr_row *row = find_row(table, type);
		const char *name = NULL;
		char key[64];
		size_t i = 0;
		json_t *value;

		if (!row || !is_scalar(row) || !(present >> type & 1))
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
		if (offset < at + sizeof(*attr) || !row || row->type != ATTR_NEST)
			return true;
		table = row->nest;
		end = next;
		at += sizeof(*attr);
	}
	return path[0];
}

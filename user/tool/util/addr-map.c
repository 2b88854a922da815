// SPDX-License-Identifier: GPL-2.0-only
/* The address map: names of the schedule to addresses of the gated network. */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/addr-map.h"
#include "util/units.h"

uint8_t addr_key_length(uint32_t kind)
{
	switch (kind) {
	case LIQUID_KEY_A_IPV4:
	case LIQUID_KEY_A_MARK:
		return 4;
	case LIQUID_KEY_A_IPV6:
		return 16;
	case LIQUID_KEY_A_ETHER:
		return 6;
	default:
		return 0;
	}
}

static bool parse_ether(const char *text, uint8_t value[6])
{
	for (int i = 0; i < 6; i++, text += 3) {
		char byte[] = { '0', 'x', text[0], text[0] ? text[1] : 0, 0 };
		uint64_t number;

		if (!byte[2] || !byte[3] || !parse_number(byte, 255, &number))
			return false;
		if (text[2] != (i < 5 ? ':' : 0))
			return false;
		value[i] = number;
	}
	return true;
}

static bool parse_mark(const char *text, uint8_t value[4])
{
	uint64_t number;
	uint32_t mark;

	if (strncmp(text, "mark:", 5) || !parse_number(text + 5, UINT32_MAX, &number))
		return false;
	mark = number;
	memcpy(value, &mark, sizeof(mark));
	return true;
}

static bool all_zero(const struct addr_key *key)
{
	for (int i = 0; i < key->length; i++)
		if (key->value[i])
			return false;
	return true;
}

/* A destination must be a unicast address: a group has several receivers, and no frame. */
static const char *not_one_host(const struct addr_key *key)
{
	if (key->kind == LIQUID_KEY_A_MARK)
		return NULL;
	if (all_zero(key))
		return "is the unspecified address";
	if (key->kind == LIQUID_KEY_A_IPV4 && key->value[0] >= 224)
		return "is not the address of one host (multicast, broadcast or reserved)";
	if (key->kind == LIQUID_KEY_A_IPV6 && key->value[0] == 0xff)
		return "is a multicast address";
	if (key->kind == LIQUID_KEY_A_ETHER && key->value[0] & 1)
		return "is a multicast or broadcast address";
	return NULL;
}

int addr_key_parse(const char *text, struct addr_key *key, struct liquid_error *err)
{
	struct addr_key parsed = { 0 };
	const char *reason;

	if (inet_pton(AF_INET, text, parsed.value) == 1)
		parsed.kind = LIQUID_KEY_A_IPV4;
	else if (inet_pton(AF_INET6, text, parsed.value) == 1)
		parsed.kind = LIQUID_KEY_A_IPV6;
	else if (parse_ether(text, parsed.value))
		parsed.kind = LIQUID_KEY_A_ETHER;
	else if (parse_mark(text, parsed.value))
		parsed.kind = LIQUID_KEY_A_MARK;
	else
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "'%.64s' is not an IPv4, IPv6 or Ethernet address or "
				   "mark:NUMBER",
				   text);
	parsed.length = addr_key_length(parsed.kind);
	/* inet_pton() and parse_ether() may leave bytes of a failed attempt behind */
	memset(parsed.value + parsed.length, 0, sizeof(parsed.value) - parsed.length);
	reason = not_one_host(&parsed);
	if (reason)
		return liquid_fail(err, LIQUID_BAD_INPUT, "'%s' %s", text, reason);
	*key = parsed;
	return LIQUID_OK;
}

const char *addr_key_format(const struct addr_key *key, char text[ADDR_KEY_TEXT])
{
	const uint8_t *v = key->value;
	uint32_t mark;

	switch (key->kind) {
	case LIQUID_KEY_A_IPV4:
		return inet_ntop(AF_INET, v, text, ADDR_KEY_TEXT);
	case LIQUID_KEY_A_IPV6:
		return inet_ntop(AF_INET6, v, text, ADDR_KEY_TEXT);
	case LIQUID_KEY_A_ETHER:
		snprintf(text, ADDR_KEY_TEXT, "%02x:%02x:%02x:%02x:%02x:%02x",
			 v[0], v[1], v[2], v[3], v[4], v[5]);
		return text;
	case LIQUID_KEY_A_MARK:
		memcpy(&mark, v, sizeof(mark));
		snprintf(text, ADDR_KEY_TEXT, "mark:0x%x", mark);
		return text;
	default:
		snprintf(text, ADDR_KEY_TEXT, "key of kind %u", key->kind);
		return text;
	}
}

int addr_key_compare(const struct addr_key *a, const struct addr_key *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return memcmp(a->value, b->value, sizeof(a->value));
}

/* "label:line: " for errors, or "label: " */
static const char *place(const struct addr_entry *entry, char text[300])
{
	if (entry->line)
		snprintf(text, 300, "%.250s:%u", entry->label, entry->line);
	else
		snprintf(text, 300, "%.250s", entry->label);
	return text;
}

static struct addr_entry *append_entry(struct addr_map *map, const char *name, const char *label,
				       unsigned int line)
{
	struct addr_entry *entry = map->entry;

	if (map->count == map->room) {
		size_t room = map->room ? map->room * 2 : 16;

		entry = reallocarray(map->entry, room, sizeof(*entry));
		if (!entry)
			return NULL;
		map->entry = entry;
		map->room = room;
	}
	entry += map->count;
	*entry = (struct addr_entry){ .name = strdup(name), .label = label, .line = line };
	if (!entry->name)
		return NULL;
	map->count++;
	return entry;
}

/* The words of @words, separated by @separators, are the addresses of @name. */
static int add_words(struct addr_map *map, const char *name, char *words, const char *separators,
		     const char *label, unsigned int line, struct liquid_error *err)
{
	struct addr_entry *entry = append_entry(map, name, label, line);
	struct liquid_error reason;
	char *save, at[300];

	if (!entry)
		return liquid_no_memory(err);
	place(entry, at);
	if (strlen(name) > LIQUID_NAME_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s: a name has more than %d bytes", at,
				   LIQUID_NAME_MAX);
	for (char *word = strtok_r(words, separators, &save); word;
	     word = strtok_r(NULL, separators, &save)) {
		if (entry->key_count == LIQUID_DEST_KEYS_MAX)
			return liquid_fail(err, LIQUID_BAD_INPUT,
					   "%s: '%s' has more than %u addresses", at, name,
					   LIQUID_DEST_KEYS_MAX);
		if (addr_key_parse(word, &entry->key[entry->key_count++], &reason))
			return liquid_fail(err, LIQUID_BAD_INPUT, "%s: %s", at, reason.text);
	}
	if (!entry->key_count)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s: '%s' has no address", at, name);
	return LIQUID_OK;
}

static int add_line(struct addr_map *map, char *line, const char *label, unsigned int number,
		    struct liquid_error *err)
{
	char *comment = strchr(line, '#');
	char *name;

	if (comment)
		*comment = 0;
	name = line + strspn(line, " \t\r\n");
	if (!*name)
		return LIQUID_OK;
	line = name + strcspn(name, " \t\r\n");
	if (*line)
		*line++ = 0;
	return add_words(map, name, line, " \t\r\n", label, number, err);
}

int addr_map_read(struct addr_map *map, FILE *in, const char *label, struct liquid_error *err)
{
	unsigned int number = 0;
	int status = LIQUID_OK;
	char *line = NULL;
	size_t room = 0;
	ssize_t length;

	while (!status && (length = getline(&line, &room, in)) >= 0) {
		number++;
		if (strlen(line) != (size_t)length)
			status = liquid_fail(err, LIQUID_BAD_INPUT,
					     "%s:%u: a zero byte in the line",
					     label, number);
		else
			status = add_line(map, line, label, number, err);
	}
	if (!status && !feof(in))
		status = liquid_fail(err, LIQUID_IO, "%s: %s", label, strerror(errno));
	free(line);
	return status;
}

int addr_map_add(struct addr_map *map, const char *argument, struct liquid_error *err)
{
	const char *equals = strrchr(argument, '=');
	char *name, *words;
	int status;

	if (!equals || equals == argument)
		return liquid_fail(err, LIQUID_BAD_INPUT, "--addr: expected NAME=ADDR, got '%.64s'",
				   argument);
	name = strndup(argument, equals - argument);
	words = strdup(equals + 1);
	if (!name || !words)
		status = liquid_no_memory(err);
	else
		status = add_words(map, name, words, ",", "--addr", 0, err);
	free(name);
	free(words);
	return status;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct addr_entry *)a)->name, ((const struct addr_entry *)b)->name);
}

static int compare_owned(const void *a, const void *b)
{
	return addr_key_compare(((const struct addr_owner *)a)->key,
				((const struct addr_owner *)b)->key);
}

static int refuse_same_names(const struct addr_map *map, struct liquid_error *err)
{
	char here[300], there[300];

	for (size_t i = 1; i < map->count; i++) {
		if (strcmp(map->entry[i - 1].name, map->entry[i].name))
			continue;
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s: '%s' is given at %s already",
				   place(&map->entry[i], here), map->entry[i].name,
				   place(&map->entry[i - 1], there));
	}
	return LIQUID_OK;
}

static int refuse_same_keys(const struct addr_owner *keys, size_t count, struct liquid_error *err)
{
	char text[ADDR_KEY_TEXT], here[300];

	for (size_t i = 1; i < count; i++) {
		if (compare_owned(&keys[i - 1], &keys[i]))
			continue;
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "%s: address %s is given to '%s' and to '%s'",
				   place(keys[i].entry, here), addr_key_format(keys[i].key, text),
				   keys[i - 1].entry->name, keys[i].entry->name);
	}
	return LIQUID_OK;
}

int addr_map_finish(struct addr_map *map, struct liquid_error *err)
{
	int status;

	if (!map->count)
		return LIQUID_OK;
	qsort(map->entry, map->count, sizeof(*map->entry), compare_names);
	status = refuse_same_names(map, err);
	if (status)
		return status;
	map->owner = calloc(map->count, LIQUID_DEST_KEYS_MAX * sizeof(*map->owner));
	if (!map->owner)
		return liquid_no_memory(err);
	for (size_t i = 0; i < map->count; i++)
		for (unsigned int k = 0; k < map->entry[i].key_count; k++)
			map->owner[map->owner_count++] = (struct addr_owner){
				&map->entry[i].key[k], &map->entry[i]
			};
	qsort(map->owner, map->owner_count, sizeof(*map->owner), compare_owned);
	return refuse_same_keys(map->owner, map->owner_count, err);
}

const char *addr_map_name(const struct addr_map *map, const struct addr_key *key)
{
	const struct addr_owner wanted = { .key = key }, *found = NULL;

	if (map->owner_count)
		found = bsearch(&wanted, map->owner, map->owner_count, sizeof(wanted),
				compare_owned);
	return found ? found->entry->name : NULL;
}

const struct addr_entry *addr_map_find(const struct addr_map *map, const char *name)
{
	struct addr_entry wanted = { .name = (char *)name };

	if (!map->count)
		return NULL;
	return bsearch(&wanted, map->entry, map->count, sizeof(*map->entry), compare_names);
}

void addr_map_clear(struct addr_map *map)
{
	for (size_t i = 0; i < map->count; i++)
		free(map->entry[i].name);
	free(map->entry);
	free(map->owner);
	*map = (struct addr_map){ 0 };
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Which addresses the hosts of a schedule have on the gated network. */
#ifndef LIQUID_TOOL_ADDR_MAP_H
#define LIQUID_TOOL_ADDR_MAP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <linux/liquid.h>

#include "liquidsched.h"

struct addr_key {
	uint32_t kind;			/* enum liquid_key_attr */
	uint8_t length;			/* of value, as the kind says */
	uint8_t value[16];
};

/* Bytes of the value of a kind; 0: there is no such kind */
uint8_t addr_key_length(uint32_t kind);

/* IPv4, IPv6, Ethernet (52:54:00:12:34:56), or mark:NUMBER. */
int addr_key_parse(const char *text, struct addr_key *key, struct liquid_error *err);
#define ADDR_KEY_TEXT 64
const char *addr_key_format(const struct addr_key *key, char text[ADDR_KEY_TEXT]);
int addr_key_compare(const struct addr_key *a, const struct addr_key *b);

struct addr_entry {
	char *name;
	const char *label;		/* file or option that it is from, borrowed */
	unsigned int line;		/* line of the file; 0: not from a file */
	unsigned int key_count;
	struct addr_key key[LIQUID_DEST_KEYS_MAX];
};

struct addr_owner {
	const struct addr_key *key;
	const struct addr_entry *entry;
};

struct addr_map {
	struct addr_entry *entry;	/* sorted by name once the map is finished */
	size_t count, room;
	struct addr_owner *owner;	/* sorted by address, once the map is finished */
	size_t owner_count;
};

/* Lines "NAME ADDR [ADDR...]", # comments. @label is kept by reference. */
int addr_map_read(struct addr_map *map, FILE *in, const char *label, struct liquid_error *err);
/* "NAME=ADDR[,ADDR...]" */
int addr_map_add(struct addr_map *map, const char *argument, struct liquid_error *err);
/* Refuse a name that is given twice and an address of two names; to be called before any find. */
int addr_map_finish(struct addr_map *map, struct liquid_error *err);
const struct addr_entry *addr_map_find(const struct addr_map *map, const char *name);
/* The name that has this address; NULL: none */
const char *addr_map_name(const struct addr_map *map, const struct addr_key *key);
void addr_map_clear(struct addr_map *map);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of destinations, for commands that print them. */
#ifndef LIQUID_NL_NAMES_H
#define LIQUID_NL_NAMES_H

#include "util/addr-map.h"
#include "util/opt.h"

#define OPT_ADDR_MAP(type) \
	{ "addr-map", 0, KIND_TEXT, OPT_MEMBER(type, map_file), .value = "FILE", \
	  .help = "names of destinations by their addresses; by default that of liquid.conf" }

/*
 * Read the address map @file. NULL: the one that liquid.conf names, if both can be read; without it
 * there are no names. The map must be cleared, also after an error. Exit code
 */
int names_read(const char *file, struct addr_map *map);

#endif

// SPDX-License-Identifier: GPL-2.0-only
/* Names of destinations: from an address map, by default that of jobs. */
#include "util/command.h"
#include "job/conf.h"
#include "push/push.h"
#include "cmd/names.h"

static int read_map(const char *file, struct addr_map *map, struct liquid_error *err)
{
	struct push_args args = { .map_file = file };
	int status = push_read_map(&args, err);

	*map = args.map;
	return status;
}

/* It was not asked for: its faults are for `doctor` to report. */
static void read_jobs_map(struct addr_map *map)
{
	struct liquid_error err;
	struct conf conf = { 0 };

	if (!conf_read_file(CONF_PATH, &conf, &err) && conf.addresses &&
	    read_map(conf.addresses, map, &err)) {
		addr_map_clear(map);
		*map = (struct addr_map){ 0 };
	}
	conf_clear(&conf);
}

int names_read(const char *file, struct addr_map *map)
{
	struct liquid_error err;
	int status;

	*map = (struct addr_map){ 0 };
	if (!file)
		read_jobs_map(map);
	status = file ? read_map(file, map, &err) : LIQUID_OK;
	return status ? complain_of(status, &err) : EXIT_OK;
}

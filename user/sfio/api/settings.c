// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reads the environment on the first rank, and broadcasts it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/settings.h"

#define BUFFER		(1 << 20)
#define BUFFER_MIN	256
#define BUFFER_MAX	(1 << 30)
#define TIMEOUT_S	60
#define TIMEOUT_MAX_S	86400

static void wrong(struct settings *settings, const char *name, const char *expected,
		  const char *value)
{
	if (!settings->wrong[0])
		snprintf(settings->wrong, sizeof(settings->wrong), "%s: expected %s, got '%.80s'",
			 name, expected, value);
}

/* A whole number within limits */
static uint64_t env_number(struct settings *settings, const char *name, const char *expected,
			   uint64_t usual, uint64_t least, uint64_t most)
{
	const char *value = getenv(name);
	unsigned long long read;
	char *end;

	if (!value || !*value)
		return usual;
	read = strtoull(value, &end, 10);
	if (*value != '-' && !*end && read >= least && read <= most)
		return read;
	wrong(settings, name, expected, value);
	return usual;
}

static void read_order(struct settings *settings)
{
	static const char *const names[] = { "none", "order", "tokens", "round-robin" };
	const char *value = getenv("LIQUID_SFIO_ORDER");

	settings->order = settings->fabric[0] ? ORDER_TOKENS : ORDER_NONE;
	if (!value || !*value)
		return;
	for (uint32_t i = 0; i < 4; i++)
		if (!strcmp(value, names[i])) {
			settings->order = i;
			if (i && !settings->fabric[0])
				wrong(settings, "LIQUID_SFIO_FABRIC", "the file of a fabric", "");
			return;
		}
	wrong(settings, "LIQUID_SFIO_ORDER", "none, order, tokens or round-robin", value);
}

static void read_listeners(struct settings *settings)
{
	const char *value = getenv("LIQUID_SFIO_LISTENERS");

	if (value && !strcmp(value, "node")) {
		settings->listeners = 0;
		return;
	}
	settings->listeners = (uint32_t)env_number(settings, "LIQUID_SFIO_LISTENERS",
						   "a number of ranks, or node", 1, 1, 1 << 20);
}

void settings_read(struct settings *settings)
{
	const char *fabric = getenv("LIQUID_SFIO_FABRIC");

	memset(settings, 0, sizeof(*settings));
	if (fabric && strlen(fabric) < sizeof(settings->fabric))
		strcpy(settings->fabric, fabric);
	else if (fabric)
		wrong(settings, "LIQUID_SFIO_FABRIC", "a path of at most 1023 bytes", fabric);
	read_listeners(settings);
	settings->buffer = env_number(settings, "LIQUID_SFIO_BUFFER", "256 to 1073741824 bytes",
				      BUFFER, BUFFER_MIN, BUFFER_MAX);
	settings->timeout_ns = (int64_t)env_number(settings, "LIQUID_SFIO_TIMEOUT",
						   "1 to 86400 seconds", TIMEOUT_S, 1,
						   TIMEOUT_MAX_S) * INT64_C(1000000000);
	read_order(settings);
}

void settings_host(char *name, size_t room)
{
	const char *value = getenv("LIQUID_SFIO_HOST");

	if (value && *value)
		snprintf(name, room, "%s", value);
	else if (gethostname(name, room))
		snprintf(name, room, "localhost");
	name[room - 1] = 0;
}

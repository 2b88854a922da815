// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reads the environment on the first rank, and broadcasts it. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/settings.h"
#include "settings/environment.h"

#define BUFFER		(INT64_C(4) << 20)
#define BUFFER_MIN	4096
#define BUFFER_MAX	(INT64_C(1) << 30)

/* An empty value is none. */
static const char *settings_value_of(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static void wrong(struct settings *settings, const char *name, const char *expected)
{
	settings->mode = MODE_OFF;
	if (!settings->wrong[0])
		snprintf(settings->wrong, sizeof(settings->wrong), "%s: expected %s, got '%.40s'",
			 name, expected, getenv(name));
}

static int64_t env_number(struct settings *settings, const char *name, const char *expected,
			  const int64_t limits[3])
{
	const char *value = settings_value_of(name);
	char *end;
	long long read;

	if (!value)
		return limits[0];
	read = strtoll(value, &end, 10);
	if (isdigit((unsigned char)*value) && !*end && read >= limits[1] && read <= limits[2])
		return read;
	wrong(settings, name, expected);
	return limits[0];
}

static void read_mode(struct settings *settings)
{
	const char *value = settings_value_of("LIQUID_MPIIO");

	settings->mode = MODE_AUTO;
	if (!value || !strcmp(value, "auto"))
		return;
	if (!strcmp(value, "on"))
		settings->mode = MODE_ORDER;
	else if (!strcmp(value, "off"))
		settings->mode = MODE_OFF;
	else
		wrong(settings, "LIQUID_MPIIO", "auto, on or off");
}

void settings_read(struct settings *settings)
{
	static const int64_t buffer[] = { BUFFER, BUFFER_MIN, BUFFER_MAX }, flag[] = { 0, 0, 1 };

	memset(settings, 0, sizeof(*settings));
	read_mode(settings);
	settings->buffer = env_number(settings, "LIQUID_MPIIO_BUFFER", "4096 to 1073741824 bytes",
				      buffer);
	settings->verbose = env_number(settings, "LIQUID_MPIIO_VERBOSE", "0 or 1", flag);
}

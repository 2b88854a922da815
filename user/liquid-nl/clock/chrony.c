// SPDX-License-Identifier: GPL-2.0-only
/* The state of chronyd, through chronyc. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock/clock.h"

/* Fields of `chronyc -c tracking`, from 0 */
enum { FIELD_NAME = 1, FIELD_OFFSET = 4, FIELD_DELAY = 10, FIELD_DISPERSION = 11, FIELD_LEAP = 13,
       FIELDS };

static bool seconds_of(const char *text, double *seconds)
{
	char *end;

	*seconds = strtod(text, &end);
	return end != text && !*end && isfinite(*seconds) && fabs(*seconds) < 1e9;
}

/* Split in place; false if there are too few fields. */
static bool split(char *line, char *field[FIELDS])
{
	line[strcspn(line, "\n")] = '\0';
	for (int i = 0; i < FIELDS; i++) {
		field[i] = strsep(&line, ",");
		if (!field[i])
			return false;
	}
	return true;
}

bool chrony_parse_tracking(const char *line, struct clock_source *source)
{
	double offset, delay, dispersion, error;
	char copy[512], *field[FIELDS];

	if (strlen(line) >= sizeof(copy))
		return false;
	strcpy(copy, line);
	if (!split(copy, field) || !seconds_of(field[FIELD_OFFSET], &offset) ||
	    !seconds_of(field[FIELD_DELAY], &delay) ||
	    !seconds_of(field[FIELD_DISPERSION], &dispersion))
		return false;
	/* The root distance (RFC 5905, 11.2), and the offset that is still being corrected */
	error = fabs(offset) + fabs(delay) / 2 + fabs(dispersion);
	*source = (struct clock_source){
		.kind = CLOCK_SOURCE_CHRONY,
		.locked = strcmp(field[FIELD_LEAP], "Not synchronised") != 0,
		.error_ns = (uint64_t)ceil(error * 1e9),
	};
	snprintf(source->text, sizeof(source->text),
		 "chrony: %s %.64s, offset %.0f ns, root distance %.0f ns",
		 source->locked ? "follows" : "follows none; last was",
		 *field[FIELD_NAME] ? field[FIELD_NAME] : "-", offset * 1e9,
		 (fabs(delay) / 2 + fabs(dispersion)) * 1e9);
	return true;
}

bool clock_ask_chrony(struct clock_source *source)
{
	/* -n: no DNS look-up, which could take long */
	FILE *pipe = popen("chronyc -n -c tracking 2>/dev/null", "r");
	char line[512];
	bool answered;

	if (!pipe)
		return false;
	answered = fgets(line, sizeof(line), pipe) && chrony_parse_tracking(line, source);
	pclose(pipe);
	return answered;
}

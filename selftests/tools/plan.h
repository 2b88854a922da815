/* SPDX-License-Identifier: GPL-2.0-only */
/* Plans, as "wire plan" prints them, for the programs that judge by them */
#ifndef LIQUID_TEST_PLAN_H
#define LIQUID_TEST_PLAN_H

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum key_kind { KEY_IPV4, KEY_IPV6, KEY_ETHER, KEY_MARK };

struct dest {
	uint32_t id;
	enum key_kind kind;
	unsigned char key[16];
};

struct plan {
	int64_t frame_ns, guard_ns, base, start, cycles, then;
	uint32_t frames, filled;
	int32_t *slot;			/* destination of each frame; -1: idle */
	struct dest *dests;
	uint32_t dest_count;
	int64_t rate, overhead, mpu;
};

static void __attribute__((noreturn)) fail(const char *what, const char *about)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, about, what);
	exit(2);
}

static void *grow(void *old, size_t count, size_t size)
{
	/* doubled at each power of two */
	if (count & (count - 1))
		return old;
	old = realloc(old, (count ? 2 * count : 1) * size);
	if (!old)
		fail("no memory", "records");
	return old;
}

static enum key_kind kind_of(const char *name)
{
	static const char *const names[] = { "ipv4", "ipv6", "ether", "mark" };

	for (int i = 0; i < 4; i++)
		if (!strcmp(name, names[i]))
			return (enum key_kind)i;
	fail("no such kind of key", name);
}

static void read_dest(struct plan *plan, const char *line)
{
	struct dest dest = { 0 };
	char kind[16], hex[40];
	unsigned int byte;

	if (sscanf(line, "dest %" SCNu32 " %15s %39s", &dest.id, kind, hex) != 3)
		fail("not a destination", line);
	dest.kind = kind_of(kind);
	for (size_t i = 0; i < sizeof(dest.key) && sscanf(hex + 2 * i, "%2x", &byte) == 1; i++)
		dest.key[i] = (unsigned char)byte;
	plan->dests = grow(plan->dests, plan->dest_count, sizeof(dest));
	plan->dests[plan->dest_count++] = dest;
}

static void read_schedule(struct plan *plan, char *line)
{
	char *save, *name, *value;

	strtok_r(line, " \n", &save);
	while ((name = strtok_r(NULL, " \n", &save)) && (value = strtok_r(NULL, " \n", &save))) {
		int64_t number = strtoll(value, NULL, 10);

		if (!strcmp(name, "frame_ns"))
			plan->frame_ns = number;
		else if (!strcmp(name, "guard_ns"))
			plan->guard_ns = number;
		else if (!strcmp(name, "frames"))
			plan->frames = (uint32_t)number;
		else if (!strcmp(name, "cycles"))
			plan->cycles = number;
		else if (!strcmp(name, "then"))
			plan->then = number;
		else if (!strcmp(name, "base_time"))
			plan->base = number;
		else if (!strcmp(name, "start_time"))
			plan->start = number;
	}
	plan->slot = calloc(plan->frames, sizeof(*plan->slot));
	if (!plan->slot || plan->frame_ns <= 0)
		fail("not a schedule", line);
}

static void read_entry(struct plan *plan, const char *line)
{
	int64_t run, dest;

	if (sscanf(line, "entry %" SCNd64 " %" SCNd64, &run, &dest) != 2)
		fail("not an entry", line);
	while (run-- > 0 && plan->filled < plan->frames)
		plan->slot[plan->filled++] = (int32_t)dest;
}

static void read_plan(struct plan *plan, const char *name)
{
	FILE *in = fopen(name, "r");
	char line[512];

	if (!in)
		fail("cannot be read", name);
	while (fgets(line, sizeof(line), in)) {
		if (!strncmp(line, "rate ", 5))
			plan->rate = strtoll(line + 5, NULL, 10);
		else if (!strncmp(line, "overhead ", 9))
			plan->overhead = strtoll(line + 9, NULL, 10);
		else if (!strncmp(line, "mpu ", 4))
			plan->mpu = strtoll(line + 4, NULL, 10);
		else if (!strncmp(line, "dest ", 5))
			read_dest(plan, line);
		else if (!strncmp(line, "schedule ", 9))
			read_schedule(plan, line);
		else if (!strncmp(line, "entry ", 6))
			read_entry(plan, line);
	}
	fclose(in);
	if (!plan->frames || plan->filled != plan->frames || plan->rate <= 0)
		fail("not a whole plan", name);
}

static int64_t floor_divide(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

static bool has_ended(const struct plan *plan, int64_t frame)
{
	return plan->cycles && frame >= plan->cycles * (int64_t)plan->frames;
}

static int32_t slot_of(const struct plan *plan, int64_t frame)
{
	if (has_ended(plan, frame))
		return -1;
	frame %= plan->frames;
	return plan->slot[frame < 0 ? frame + plan->frames : frame];
}

#endif

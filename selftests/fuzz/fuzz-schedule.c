// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz the readers of schedules and the verifiers behind them: what is read is written the same. */
#include <string.h>

#include "fuzz.h"
#include "liquidsched.h"

static char *write_text(const struct liquid_schedule *schedule, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	fuzz_check(!liquid_schedule_write_json(schedule, NULL, out, NULL));
	fclose(out);
	return text;
}

static void read_again(const struct liquid_schedule *schedule)
{
	struct liquid_schedule *other;
	size_t size, second_size;
	char *text = write_text(schedule, &size), *second;
	FILE *in = fuzz_file(text, size);

	fuzz_check(!liquid_schedule_read_json(in, "again", NULL, &other, NULL));
	fclose(in);
	second = write_text(other, &second_size);
	fuzz_check(size == second_size);
	liquid_schedule_free(other);
	free(text);
	free(second);
}

static void take_slice(const struct liquid_schedule *schedule)
{
	uint32_t length = liquid_schedule_info(schedule)->length;
	uint32_t parts = liquid_schedule_host_count(schedule) ?
		liquid_schedule_at_once(schedule, 0) : 0;
	uint32_t *dst = calloc((size_t)length * parts + 1, sizeof(*dst));

	fuzz_check(dst != NULL);
	fuzz_check(!parts || liquid_schedule_slice(schedule, 0, parts - 1, dst, NULL));
	if (!liquid_schedule_slice(schedule, 0, parts, dst, NULL))
		for (size_t part = 0; part < (size_t)length * parts; part++)
			fuzz_check(dst[part] == LIQUID_NONE ||
				   dst[part] < liquid_schedule_host_count(schedule));
	free(dst);
}

/* A compact schedule that is read is written the same, and its slices stay within it. */
static void try_compact(const uint8_t *data, size_t size, const struct liquid_fabric *fabric)
{
	struct liquid_schedule *schedule, *none;
	struct liquid_compact *compact, *other;
	FILE *in = fuzz_file(data, size), *out;
	size_t first_size = 0, second_size = 0;
	char *first, *second;
	uint32_t *dst;
	int status = liquid_schedule_read_any(in, "file", NULL, &schedule, &compact, NULL);

	fclose(in);
	fuzz_check(!status == (!!schedule + !!compact == 1));
	liquid_schedule_free(schedule);
	if (!compact)
		return;
	out = open_memstream(&first, &first_size);
	fuzz_check(!liquid_compact_write_json(compact, out, NULL));
	fclose(out);
	in = fuzz_file(first, first_size);
	fuzz_check(!liquid_schedule_read_any(in, "again", NULL, &none, &other, NULL) && other);
	fclose(in);
	out = open_memstream(&second, &second_size);
	fuzz_check(!liquid_compact_write_json(other, out, NULL));
	fclose(out);
	fuzz_check(first_size == second_size && !memcmp(first, second, first_size));
	dst = calloc((size_t)liquid_compact_info(compact)->length + 1, sizeof(*dst));
	fuzz_check(dst != NULL);
	if (!liquid_compact_slice(compact, 0, dst, NULL))
		for (uint32_t f = 0; f < liquid_compact_info(compact)->length; f++)
			fuzz_check(dst[f] == LIQUID_NONE || liquid_compact_name(compact, dst[f]));
	liquid_compact_verify(fabric, compact, NULL);
	free(dst);
	free(first);
	free(second);
	liquid_compact_free(compact);
	liquid_compact_free(other);
}

static struct liquid_schedule *read_input(const uint8_t *data, size_t size,
					  const struct liquid_fabric *fabric)
{
	struct liquid_schedule *schedule;
	struct liquid_error err = { "" };
	FILE *in = fuzz_file(data, size);
	int status = liquid_schedule_read_json(in, "file", fabric, &schedule, &err);

	fuzz_check(!status == !!schedule && !status == !err.text[0]);
	fclose(in);
	return schedule;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct liquid_schedule *schedule = read_input(data, size, NULL);
	struct liquid_error err = { "" };
	struct liquid_fabric *fabric;
	int status;

	if (schedule) {
		read_again(schedule);
		take_slice(schedule);
		liquid_schedule_free(schedule);
	}
	fuzz_check(!liquid_fabric_make("papers-5x5", NULL, 0, &fabric, NULL));
	schedule = read_input(data, size, fabric);
	if (schedule) {
		status = liquid_verify(fabric, NULL, schedule, NULL, NULL, &err);
		fuzz_check(status == LIQUID_OK || err.text[0]);
		liquid_schedule_free(schedule);
	}
	liquid_fabric_free(fabric);
	fuzz_check(!liquid_fabric_make("leaf-spine", NULL, 0, &fabric, NULL));
	try_compact(data, size, fabric);
	liquid_fabric_free(fabric);
	return 0;
}

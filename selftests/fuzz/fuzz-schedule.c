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

static void try_fabric(const uint8_t *data, size_t size, const char *generator)
{
	struct liquid_error err = { "" };
	struct liquid_schedule *schedule;
	struct liquid_fabric *fabric;
	int status;

	fuzz_check(!liquid_fabric_make(generator, NULL, 0, &fabric, NULL));
	schedule = read_input(data, size, fabric);
	if (schedule) {
		status = liquid_verify(fabric, NULL, schedule, NULL, NULL, &err);
		fuzz_check(status == LIQUID_OK || err.text[0]);
		liquid_schedule_free(schedule);
	}
	liquid_fabric_free(fabric);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct liquid_schedule *schedule = read_input(data, size, NULL);

	if (schedule) {
		read_again(schedule);
		take_slice(schedule);
		liquid_schedule_free(schedule);
	}
	try_fabric(data, size, "papers-5x5");
	try_fabric(data, size, "leaf-spine");	/* whose hosts the compact one of the corpus has */
	return 0;
}

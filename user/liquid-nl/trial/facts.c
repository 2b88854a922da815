// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a node is like
 *
 * Each fact is asked for by name. A word is cut off where it has a character that is not usual in
 * names of kernels and drivers, and a kernel's release where its numbers end.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "trial/trial.h"

#define WORD_MAX 63
#define IDLE_STATES_MAX 16

/* The first line of a file; false: there is none. */
__attribute__((format(printf, 2, 0)))
static bool read_line(char line[256], const char *format, va_list args)
{
	char path[256];
	bool got;
	FILE *in;

	vsnprintf(path, sizeof(path), format, args);
	in = fopen(path, "re");
	if (!in)
		return false;
	got = fgets(line, 256, in);
	fclose(in);
	return got;
}

json_t *trial_file_number(const char *format, ...)
{
	char line[256], *end;
	va_list args;
	long long value;
	bool got;

	va_start(args, format);
	got = read_line(line, format, args);
	va_end(args);
	if (!got)
		return json_null();
	errno = 0;
	value = strtoll(line, &end, 10);
	return end == line || errno ? json_null() : json_integer(value);
}

json_t *trial_word(const char *text)
{
	char word[WORD_MAX + 1];
	size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			       "0123456789._-");

	snprintf(word, sizeof(word), "%.*s", (int)length, text);
	return *word ? json_string(word) : json_null();
}

json_t *trial_file_word(const char *format, ...)
{
	char line[256];
	va_list args;
	bool got;

	va_start(args, format);
	got = read_line(line, format, args);
	va_end(args);
	return got ? trial_word(line) : json_null();
}

/* "6.1.0-18" of "6.1.0-18-amd64": what follows the numbers may be an owner's name. */
static json_t *release(const char *text)
{
	char numbers[WORD_MAX + 1];
	size_t length = strspn(text, "0123456789.-");

	while (length && strchr(".-", text[length - 1]))
		length--;
	snprintf(numbers, sizeof(numbers), "%.*s", (int)length, text);
	return json_string(numbers);
}

static json_t *kernel_facts(void)
{
	struct utsname names = { 0 };

	uname(&names);
	return json_pack("{s:o, s:o, s:o}", "release", release(names.release),
			 "machine", trial_word(names.machine),
			 "realtime", trial_file_number("/sys/kernel/realtime"));
}

static json_t *idle_states(void)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < IDLE_STATES_MAX; i++) {
		json_t *state, *latency;

		latency = trial_file_number("/sys/devices/system/cpu/cpu0/cpuidle/state%u/latency",
					    i);
		if (json_is_null(latency))
			break;
		state = json_pack("{s:o, s:o}", "exit_us", latency, "disabled", trial_file_number(
				  "/sys/devices/system/cpu/cpu0/cpuidle/state%u/disable", i));
		json_array_append_new(array, state);
	}
	return array;
}

static json_t *processor_facts(void)
{
	return json_pack("{s:I, s:o, s:o}", "online", (json_int_t)sysconf(_SC_NPROCESSORS_ONLN),
			 "governor", trial_file_word(
			 "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
			 "idle_states", idle_states());
}

json_t *trial_facts(const char *device)
{
	return json_pack("{s:o, s:s, s:o, s:o, s:o}", "kernel", kernel_facts(),
			 "tool", LIQUID_VERSION,
			 "module", trial_file_word("/sys/module/liquid/version"),
			 "processors", processor_facts(), "device", trial_device_facts(device));
}

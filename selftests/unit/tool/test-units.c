// SPDX-License-Identifier: GPL-2.0-only
/* Numbers with units on the command line: exact, or refused. */
#include <inttypes.h>
#include <string.h>

#include "util/units.h"
#include "tap.h"

typedef bool (*parser)(const char *text, uint64_t *value);

static const struct good {
	parser parse;
	const char *text;
	uint64_t value;
} goods[] = {
	{ parse_rate, "10G", 10000000000 }, { parse_rate, "2.5Gbit", 2500000000 },
	{ parse_rate, "1000000", 1000000 }, { parse_rate, "100Mbit", 100000000 },
	{ parse_rate, "10T", 10000000000000 }, { parse_rate, "56k", 56000 },
	{ parse_time, "100us", 100000 }, { parse_time, "1.5ms", 1500000 },
	{ parse_time, "2s", 2000000000 }, { parse_time, "7", 7 }, { parse_time, "7ns", 7 },
	{ parse_time, "0.000000001s", 1 }, { parse_time, "0", 0 },
	{ parse_time, "18446744073709551615", UINT64_MAX },
	{ parse_size, "64k", 64000 }, { parse_size, "64Ki", 65536 },
	{ parse_size, "1MiB", 1048576 },
	{ parse_size, "0.5Ki", 512 }, { parse_size, "9000B", 9000 },
	{ parse_share, "5%", 50 }, { parse_share, "2.5%", 25 }, { parse_share, "20", 20 },
};

static const struct bad {
	parser parse;
	const char *text;
	const char *why;
} bads[] = {
	{ parse_rate, "", "nothing" }, { parse_rate, "G", "no digit" },
	{ parse_rate, "-1G", "a sign" }, { parse_rate, "1Gi", "binary rate" },
	{ parse_rate, "1 G", "white space" }, { parse_rate, "10X", "no such unit" },
	{ parse_rate, "1.5", "half a bit" }, { parse_rate, "1..5k", "two points" },
	{ parse_rate, "0x10", "hexadecimal" }, { parse_rate, "nan", "no number" },
	{ parse_time, "18446744073709551616", "2^64" },
	{ parse_time, "18446744074s", "2^64 by its unit" },
	{ parse_time, "0.1ns", "a tenth of the smallest unit" }, { parse_time, "1m", "minutes" },
	{ parse_time, "1e3", "an exponent" },
	{ parse_size, "1KB", "a K of neither kind" }, { parse_size, "0.0001Ki", "part of a byte" },
	{ parse_share, "0.05%", "half a permille" }, { parse_share, "%", "no digit" },
};

static void check_lists(void)
{
	for (size_t i = 0; i < sizeof(goods) / sizeof(goods[0]); i++) {
		uint64_t value = 12345;
		bool fine = goods[i].parse(goods[i].text, &value) && value == goods[i].value;

		ok(fine, "'%s' is %" PRIu64, goods[i].text, goods[i].value);
	}
	for (size_t i = 0; i < sizeof(bads) / sizeof(bads[0]); i++) {
		uint64_t value = 12345;
		bool refused = !bads[i].parse(bads[i].text, &value) && value == 12345;

		ok(refused, "'%s' is refused: %s", bads[i].text, bads[i].why);
	}
}

static void check_numbers(void)
{
	uint64_t value = 0;

	ok(parse_number("0x1F", 31, &value) && value == 31, "hexadecimal number");
	ok(!parse_number("32", 31, &value) && value == 31, "a number beyond its limit is refused");
	ok(!parse_number("0x", 31, &value), "0x alone is refused");
	ok(!parse_number("1f", 31, &value), "hexadecimal digits need 0x");
	ok(!parse_number("0x10000000000000000", UINT64_MAX, &value), "2^64 is refused");
	ok(parse_number("18446744073709551615", UINT64_MAX, &value) && value == UINT64_MAX,
	   "2^64 - 1 is the largest number");
}

static void check_text(const char *got, const char *wanted)
{
	ok(!strcmp(got, wanted), "shown as '%s'", wanted);
}

int main(void)
{
	char text[UNIT_TEXT];

	check_lists();
	check_numbers();
	check_text(format_time(0, text), "0 ns");
	check_text(format_time(999, text), "999 ns");
	check_text(format_time(22300, text), "22.3 us");
	check_text(format_time(1000000, text), "1 ms");
	check_text(format_time(1000001, text), "1.000001 ms");
	check_text(format_time(UINT64_MAX, text), "18446744073.709551615 s");
	check_text(format_rate(10000000000, text), "10 Gbit/s");
	check_text(format_rate(2500000001, text), "2.500000001 Gbit/s");
	check_text(format_rate(UINT64_MAX, text), "18446744.073709551615 Tbit/s");
	return tap_exit();
}

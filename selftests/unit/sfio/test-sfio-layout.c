// SPDX-License-Identifier: GPL-2.0-only
/* Names and stripes of a file, against the formula of the layout byte by byte */
#include <errno.h>
#include <string.h>

#include "layout/layout.h"
#include "layout/name.h"
#include "tap.h"

static void names(void)
{
	static const char *const bad[] = {
		"", ";", "node1", "/tmp/a", "node1/", "a/b;;c/d", "a/b;c",
	};
	struct file_name name;

	ok(!name_parse("node1/tmp/a.txt;node2/b", &name) && name.count == 2 &&
	   !strcmp(name.subfile[0].host, "node1") && !strcmp(name.subfile[0].path, "/tmp/a.txt") &&
	   !strcmp(name.subfile[1].host, "node2") && !strcmp(name.subfile[1].path, "/b"),
	   "a name of two subfiles");
	name_free(&name);
	ok(!name_parse("p1/a;p2/a;p1/b;", &name) && name.count == 3, "a last semicolon");
	name_free(&name);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(name_parse(bad[i], &name) == -EINVAL && !name.subfile, "refused: '%s'", bad[i]);
}

/* Each byte of a file of @size is where the formula says, and subfiles have as many bytes. */
static bool holds(const struct layout *layout, uint64_t size)
{
	uint64_t bytes[8] = { 0 };
	bool right = true;

	for (uint64_t o = 0; o < size; o++) {
		uint64_t block = o / layout->unit;
		uint32_t subfile = (uint32_t)(block % layout->subfiles);
		uint64_t at = block / layout->subfiles * layout->unit + o % layout->unit;

		right = right && layout_offset(layout, subfile, at) == o && at == bytes[subfile];
		bytes[subfile]++;
	}
	for (uint32_t i = 0; i < layout->subfiles; i++)
		right = right && layout_size(layout, i, size) == bytes[i];
	return right;
}

static void stripes(void)
{
	static const uint64_t units[] = { 1, 2, 5, 75, 200, 1005 };

	for (uint32_t subfiles = 1; subfiles <= 7; subfiles++) {
		bool right = true;

		for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
			for (uint64_t size = 0; size < 30 && right; size++) {
				struct layout layout = { subfiles, units[i] };

				right = holds(&layout, size) && holds(&layout, size * units[i]) &&
					holds(&layout, size * units[i] / 2 + size);
			}
		ok(right, "%u subfiles: every byte is where the formula says", subfiles);
	}
}

static void large(void)
{
	struct layout layout = { 7, 1000000 };
	uint64_t size = UINT64_C(1) << 62, sum = 0;

	for (uint32_t i = 0; i < 7; i++)
		sum += layout_size(&layout, i, size);
	ok(sum == size, "a file of 4 EiB: the sizes of its subfiles are its size");
}

int main(void)
{
	names();
	stripes();
	large();
	return tap_exit();
}

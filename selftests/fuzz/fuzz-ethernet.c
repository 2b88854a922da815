// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz what a fabric of Ethernet switches is made of: the files of two switches, parted by lines
 * "--"
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

static const char *const files[] = {
	"s1/lldp.json", "s1/fdb.json", "s1/routes.json", "s1/speeds",
	"s2/lldp.json", "s2/fdb.json", "s2/routes.json", "s2/speeds",
};
#define FILES (sizeof(files) / sizeof(files[0]))

static char dir[64];

static void remove_all(void)
{
	int at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (size_t i = 0; i < FILES; i++)
		unlinkat(at, files[i], 0);
	unlinkat(at, "s1", AT_REMOVEDIR);
	unlinkat(at, "s2", AT_REMOVEDIR);
	close(at);
	rmdir(dir);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char path[sizeof(dir) + 8];

	(void)argc, (void)argv;
	fuzz_make_directory(dir, sizeof(dir), "ethernet");
	atexit(remove_all);
	for (int i = 1; i <= 2; i++) {
		snprintf(path, sizeof(path), "%s/s%d", dir, i);
		fuzz_check(!mkdir(path, 0700));
	}
	return 0;
}

static void put_file(const char *name, const void *data, size_t size)
{
	char path[sizeof(dir) + 24];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	out = fopen(path, "w");
	fuzz_check(out && fwrite(data, 1, size, out) == size);
	fclose(out);
}

static void note(void *context, const char *text)
{
	(void)context;
	fuzz_check(*text != 0);
}

static void import(void)
{
	static const struct liquid_import_host hosts[] = {
		{ "h1", 0x020000000101, 0x0a000101 }, { "h2", 0x020000000102, 0x0a000102 },
		{ "h3", 0x020000000203, 0x0a000203 },
	};
	struct liquid_import options = { .from = "ethernet", .dir = dir, .host = hosts, .hosts = 3,
					 .name = "fuzz", .note = note };
	struct liquid_fabric *fabric;
	struct liquid_error err;

	if (liquid_fabric_import(&options, &fabric, &err))
		return;
	fuzz_same_again(fabric);
	liquid_fabric_free(fabric);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_text rest = { (const char *)data, size };

	for (size_t i = 0; i < FILES; i++) {
		struct fuzz_text part = fuzz_next_part(&rest);

		put_file(files[i], part.text, part.size);
	}
	import();
	return 0;
}

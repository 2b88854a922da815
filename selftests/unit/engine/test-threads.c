// SPDX-License-Identifier: GPL-2.0-only
/* Unit test: several threads read a fabric as one does, and tell the same errors. */
#include <stdlib.h>
#include <string.h>

#include "../fixtures.h"
#include "../tap.h"

static struct liquid_error err;

/* What is read: a file and a digest, or the error; to be freed */
static char *read_by(const char *file, uint32_t threads)
{
	FILE *in = file_of(file, strlen(file)), *out;
	struct liquid_fabric *fabric;
	char *text, digest[LIQUID_DIGEST_HEX];
	size_t size;
	int status = liquid_fabric_read_by(in, "f", threads, &fabric, &err);

	out = open_memstream(&text, &size);
	if (status) {
		fprintf(out, "%d %s", status, err.text);
	} else {
		must(liquid_fabric_digest(fabric, digest, &err), &err);
		must(liquid_fabric_write(fabric, out, &err), &err);
		fputs(digest, out);
	}
	fclose(out);
	fclose(in);
	liquid_fabric_free(fabric);
	return text;
}

/* By 1, 2, 3 and 7 threads; what is read, to be freed, or NULL if it differs */
static char *read_alike(const char *file)
{
	static const uint32_t threads[] = { 2, 3, 7 };
	char *one = read_by(file, 1);

	for (size_t i = 0; one && i < sizeof(threads) / sizeof(*threads); i++) {
		char *other = read_by(file, threads[i]);

		if (strcmp(one, other)) {
			printf("# by 1: %.200s\n# by %u: %.200s\n", one, threads[i], other);
			free(one);
			one = NULL;
		}
		free(other);
	}
	return one;
}

static char *written(struct liquid_fabric *fabric)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	must(liquid_fabric_write(fabric, out, &err), &err);
	fclose(out);
	liquid_fabric_free(fabric);
	return text;
}

/* Files in which some bytes are wrong */
static void faults_agree(const char *name, const char *param, uint32_t count)
{
	struct dice dice = { .state = 7 };
	char *file = written(make_fabric(name, &param, 1));
	uint32_t size = (uint32_t)strlen(file), alike = 0, refused = 0;

	for (uint32_t i = 0; i < count; i++) {
		char *wrong = strdup(file), *told;

		for (uint32_t faults = 1 + roll(&dice, 3); faults; faults--)
			wrong[roll(&dice, size)] = " 0123456789,[]\nt"[roll(&dice, 16)];
		told = read_alike(wrong);
		alike += told != NULL;
		refused += told && *told == '-';
		free(told);
		free(wrong);
	}
	ok(alike == count && refused > count / 2, "%s %s: %u of %u are read alike, %u refused",
	   name, param, alike, count, refused);
	free(file);
}

/* Line @number of @file with its last byte changed */
static void break_line(char *file, uint32_t number)
{
	for (; number; number--)
		file = strchr(file, '\n') + 1;
	file[-2] = 'x';
}

/*
 * More lines "to" than wait at once; the first with an error is reported, whichever is found first.
 */
static void many_lines(void)
{
	static const char *const params[] = { "leaves=180", "hosts=2", "spines=150" };
	static const uint32_t broken[] = { 90001, 40001, 40000 };
	char *file = written(make_fabric("leaf-spine", params, 3)), *told = read_by(file, 3);

	ok(!strncmp(told, file, strlen(file)), "a file of %zu bytes", strlen(file));
	free(told);
	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++)
		break_line(file, broken[i]);
	told = read_alike(file);
	ok(told && strstr(told, "f:40000: host list"), "its first fault: %.80s", told);
	free(told);
	free(file);
}

/* A switch of this many links that its table grows while lines wait */
static void wide_table(void)
{
	static const char *const params[] = { "leaves=2", "hosts=300", "spines=1" };
	char *file = written(make_fabric("leaf-spine", params, 3)), *told = read_alike(file);

	ok(told && !strncmp(told, file, strlen(file)), "a table of two bytes an entry");
	free(told);
	free(file);
}

int main(void)
{
	faults_agree("fat-tree", "k=4", draws(60));
	faults_agree("torus", "size=3x4", draws(60));
	many_lines();
	wide_table();
	return tap_exit();
}

// SPDX-License-Identifier: GPL-2.0-only
/* Unit test: hosts that are found by the numbers in their names are those found by name. */
#include <stdlib.h>
#include <string.h>

#include "fabric/series.h"
#include "tap.h"

static uint64_t state;

static uint32_t draw(uint32_t count)
{
	state = state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)((state >> 33) % count);
}

static const char *const stems[] = { "n", "n0", "n1", "", "rack1-n", "rack2-n", "n1x", "9" };

#define STEMS (sizeof(stems) / sizeof(stems[0]))

/* Some of these are refused, because there is such a host already. */
static void add_hosts(struct liquid_fabric *fabric, uint32_t runs)
{
	struct liquid_error err;
	char name[64];

	for (uint32_t i = 0; i < runs; i++) {
		const char *stem = stems[draw(STEMS)];
		uint32_t first = draw(120), digits = 1 + draw(3);

		for (uint32_t n = first; n <= first + draw(30); n++) {
			snprintf(name, sizeof(name), "%s%0*u", stem, (int)digits, n);
			liquid_fabric_add_host(fabric, name, &err);
		}
	}
}

static void draw_list(const struct liquid_fabric *fabric, FILE *out)
{
	uint32_t parts = 1 + draw(4);

	for (uint32_t i = 0; i < parts; i++) {
		uint32_t ranges = draw(4), digits = 1 + draw(3);

		fputs(i ? "," : "", out);
		if (!ranges) {
			uint32_t host = draw(liquid_fabric_host_count(fabric));

			fputs(liquid_fabric_node_name(fabric, host), out);
			continue;
		}
		fprintf(out, "%s[", stems[draw(STEMS)]);
		for (uint32_t r = 0; r < ranges; r++) {
			uint32_t first = draw(140);

			fprintf(out, "%s%0*u", r ? "," : "", (int)digits, first);
			if (draw(2))
				fprintf(out, "-%u", first + draw(draw(2) ? 3 : 40));
		}
		fputs("]", out);
	}
}

/* 1: all are hosts, and the same; 0: one is none, and both say so; -1: they differ */
static int compare(struct host_series *all, const char *list)
{
	struct liquid_names names;
	struct liquid_error err = { "" };
	int status = series_expand(all, list, &err), result = 1;
	char why[128];

	liquid_hostlist_expand(list, &names, NULL);
	for (size_t i = 0; result > 0 && i < names.count; i++) {
		uint32_t host = liquid_fabric_find_host(all->fabric, names.name[i]);

		snprintf(why, sizeof(why), "no host '%s'", names.name[i]);
		if (host == LIQUID_NONE)
			result = status == LIQUID_BAD_INPUT && !strcmp(err.text, why) ? 0 : -1;
		else if (status ? i >= all->hosts : all->hosts != names.count)
			result = -1;
		else if (all->host[i] != host)
			result = -1;
	}
	liquid_names_clear(&names);
	return result;
}

/* Lists between which hosts are added */
static void test_random(uint64_t seed)
{
	struct liquid_fabric *fabric;
	struct host_series all;
	struct liquid_error err;
	uint32_t count[3] = { 0 }, wrong = 0;

	state = seed;
	liquid_fabric_new("names", &fabric, &err);
	series_new(fabric, &all, &err);
	for (uint32_t i = 0; i < 20; i++) {
		add_hosts(fabric, 10);
		for (uint32_t k = 0; k < 500; k++) {
			char *list;
			size_t size;
			FILE *out = open_memstream(&list, &size);
			int result;

			draw_list(fabric, out);
			fclose(out);
			result = compare(&all, list);
			count[result + 1]++;
			if (result < 0 && !wrong++)
				printf("# %s\n", list);
			free(list);
		}
	}
	ok(!count[0] && count[1] > 1000 && count[2] > 1000,
	   "%u lists of hosts and %u of others give what their names give", count[2], count[1]);
	series_free(&all);
	liquid_fabric_free(fabric);
}

static void test_many(void)
{
	struct liquid_fabric *fabric;
	struct host_series all;
	struct liquid_error err = { "" };
	uint32_t wrong = 0;

	liquid_fabric_new("many", &fabric, &err);
	series_new(fabric, &all, &err);
	ok(series_expand(&all, "n1", &err) && strstr(err.text, "no host 'n1'"),
	   "a fabric without hosts: %s", err.text);
	for (uint32_t h = 0; h < FABRIC_HOSTS_MAX; h++) {
		char name[16];

		snprintf(name, sizeof(name), "n%u", h + 1);
		liquid_fabric_add_host(fabric, name, &err);
	}
	ok(!series_expand(&all, "n[1-65536]", &err) && all.hosts == FABRIC_HOSTS_MAX,
	   "all hosts of the largest fabric");
	for (uint32_t i = 0; i < all.hosts; i++)
		wrong += all.host[i] != i;
	ok(!wrong && all.count == 1, "they are one series");
	ok(series_expand(&all, "n[1-65536],n1", &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "more than 65536 names"), "one more: %s", err.text);
	ok(series_expand(&all, "n[1-65536,1]", &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "more than 65536 names"), "one more in brackets: %s", err.text);
	ok(series_expand(&all, "n[1,4294967298]", &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "no host 'n4294967298'"), "a number of more than 32 bits: %s",
	   err.text);
	ok(series_expand(&all, "n[65530-65537]", &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "no host 'n65537'"), "one that is none: %s", err.text);
	series_free(&all);
	liquid_fabric_free(fabric);
}

/* A name without a number is not that with a 0. */
static void test_no_number(void)
{
	struct liquid_fabric *fabric;
	struct host_series all;
	struct liquid_error err = { "" };

	liquid_fabric_new("zero", &fabric, &err);
	liquid_fabric_add_host(fabric, "n0", &err);
	liquid_fabric_add_host(fabric, "m", &err);
	series_new(fabric, &all, &err);
	ok(series_expand(&all, "n0,n", &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "no host 'n'"), "after n0: %s", err.text);
	ok(series_expand(&all, "m,m[0]", &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "no host 'm0'"), "after m: %s", err.text);
	series_free(&all);
	liquid_fabric_free(fabric);
}

int main(void)
{
	for (uint64_t seed = 1; seed <= 5; seed++)
		test_random(seed);
	test_many();
	test_no_number();
	return tap_exit();
}

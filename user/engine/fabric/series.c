// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Hosts of a list by their numbers
 *
 * The tables of 65,536 hosts and 5,120 switches name 335 million hosts. Nearly all of them follow
 * from the host that was named before: "n[1,33,65]" is three times the same stem, and names of the
 * same stem stand side by side in most fabrics.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/series.h"

/* Does @host, whose name has this stem and number, come next in @series? */
static bool extends(const struct host_series *all, const struct series *series, uint32_t host,
		    const struct hostlist_number *number)
{
	const char *name = all->fabric->host[host].name;

	return number->digits && series->digits && number->length == series->length &&
	       number->value == series->first + series->count &&
	       hostlist_prints_alike(number->value, series->digits, number->digits) &&
	       !memcmp(name, all->fabric->host[series->host].name, series->length);
}

int series_new(const struct liquid_fabric *fabric, struct host_series *all,
	       struct liquid_error *err)
{
	*all = (struct host_series){
		.fabric = fabric,
		.series = calloc(FABRIC_HOSTS_MAX, sizeof(*all->series)),
		.of = calloc(FABRIC_HOSTS_MAX, sizeof(*all->of)),
		.host = calloc(FABRIC_HOSTS_MAX, sizeof(*all->host)),
	};
	return all->series && all->of && all->host ? LIQUID_OK : liquid_no_memory(err);
}

/* Give a series to hosts that have been added since. */
static void learn_hosts(struct host_series *all)
{
	for (; all->known < all->fabric->hosts; all->known++) {
		struct hostlist_number number =
			hostlist_number(all->fabric->host[all->known].name);

		if (!all->count ||
		    !extends(all, &all->series[all->count - 1], all->known, &number))
			all->series[all->count++] = (struct series){
				.host = all->known, .first = number.value,
				.digits = number.digits, .length = number.length,
			};
		all->series[all->count - 1].count++;
		all->of[all->known] = all->count - 1;
	}
}

void series_free(struct host_series *all)
{
	free(all->series);
	free(all->of);
	free(all->host);
	*all = (struct host_series){ 0 };
}

static int too_many(struct liquid_error *err)
{
	return liquid_fail(err, LIQUID_BAD_INPUT, "host list: more than %u names",
			   FABRIC_HOSTS_MAX);
}

static bool has_stem(const struct host_series *all, const struct hostlist_part *part)
{
	const struct series *series = &all->series[all->latest];

	return series->digits && part->digits && part->length == series->length &&
	       !memcmp(part->stem, all->fabric->host[series->host].name, part->length);
}

/* How many of the numbers from @value to part->last are those of hosts in the latest series? */
static uint32_t count_alike(const struct host_series *all, const struct hostlist_part *part,
			    uint64_t value)
{
	const struct series *series = &all->series[all->latest];
	uint64_t end = series->first + series->count;

	if (value < series->first || value >= end || !has_stem(all, part) ||
	    !hostlist_prints_alike(value, part->digits, series->digits))
		return 0;
	return (uint32_t)((part->last < end ? part->last + 1 : end) - value);
}

#define FEW_DIGITS 9			/* such a number fits in uint32_t */

/*
 * The place in @series of the number at *@at, which becomes the text after it; at least
 * series->count: none has it, or more than a number is there
 */
static uint64_t take_place(const struct series *series, const char **at)
{
	const char *start = *at, *end = start;
	uint32_t value = 0, digit;
	int digits;

	for (; (digit = (uint32_t)*end - '0') < 10 && end - start < FEW_DIGITS; end++)
		value = 10 * value + digit;
	digits = (int)(end - start);
	*at = end;
	/* All digits that a name has: a 0 before them may only be one of its own */
	if ((*end != ',' && *end != ']') ||
	    (digits != series->digits && (digits < series->digits || *start == '0')))
		return UINT64_MAX;
	return value - series->first;
}

/*
 * Add the hosts of the numbers that come next, up to one that is not in the latest series. Most
 * tables are made of these: a number takes a few instructions for each digit and ten more.
 */
static void add_numbers(struct host_series *all, struct hostlist_part *part)
{
	const struct series series = all->series[all->latest];
	uint32_t *host = all->host + all->hosts, *end = all->host + FABRIC_HOSTS_MAX;
	const char *at = part->more, *next;

	if (*at != ',' || !has_stem(all, part))
		return;
	for (; *at == ',' && host < end; at = next) {
		uint64_t place;

		next = at + 1;
		place = take_place(&series, &next);
		if (place >= series.count)
			break;
		*host++ = series.host + (uint32_t)place;
	}
	part->more = at;
	all->hosts = (uint32_t)(host - all->host);
}

static int add_named(struct host_series *all, const struct hostlist_part *part, uint64_t value,
		     struct liquid_error *err)
{
	char name[LIQUID_NAME_MAX + 1];
	uint32_t host;

	hostlist_print(part, value, name);
	host = liquid_fabric_find_host(all->fabric, name);
	if (host == LIQUID_NONE)
		return liquid_fail(err, LIQUID_BAD_INPUT, "no host '%s'", name);
	all->latest = all->of[host];
	all->host[all->hosts++] = host;
	return LIQUID_OK;
}

static int add_part(void *context, struct hostlist_part *part, struct liquid_error *err)
{
	struct host_series *all = context;
	uint64_t value = part->first;
	int status = LIQUID_OK;

	if (part->last - part->first >= FABRIC_HOSTS_MAX - all->hosts)
		return too_many(err);
	while (!status && value <= part->last) {
		const struct series *series = &all->series[all->latest];
		uint32_t alike = count_alike(all, part, value);
		uint32_t host = (uint32_t)(series->host + (value - series->first));

		for (uint32_t i = 0; i < alike; i++)
			all->host[all->hosts++] = host + i;
		if (!alike)
			status = add_named(all, part, value, err);
		value += alike ? alike : 1;
	}
	if (!status)
		add_numbers(all, part);
	return status;
}

int series_expand(struct host_series *all, const char *list, struct liquid_error *err)
{
	learn_hosts(all);
	all->hosts = 0;
	return hostlist_walk(list, add_part, all, err);
}

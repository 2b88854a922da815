// SPDX-License-Identifier: LGPL-2.1-or-later
/* Ranks ask by name, the leader answers with endpoints, and each finds its device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node/place.h"

#define MARK '#'			/* no name of a fabric has it */
#define ALL "all"

void place_ask(host_name place, const char *host, uint32_t rail)
{
	size_t room = sizeof(host_name);

	if (rail == RAIL_ALL)
		snprintf(place, room, "%.*s%c" ALL, (int)room - 8, host, MARK);
	else
		snprintf(place, room, "%.*s%c%u", (int)room - 12, host, MARK, rail);
}

void place_endpoint(const char *place, host_name endpoint)
{
	snprintf(endpoint, sizeof(host_name), "%.*s", (int)strcspn(place, "#"), place);
}

/* 0: the place has no rail; RAIL_ALL: all of them */
static uint32_t rail_of(const char *place)
{
	const char *rail = strchr(place, MARK);

	return !rail ? 0 : !strcmp(rail + 1, ALL) ? RAIL_ALL :
	       (uint32_t)strtoul(rail + 1, NULL, 10);
}

void place_tell(const char *place, char text[PLACE_TEXT])
{
	uint32_t rail = rail_of(place);
	host_name endpoint;

	place_endpoint(place, endpoint);
	if (rail > 1 && rail != RAIL_ALL)
		snprintf(text, PLACE_TEXT, "rail %u of the host %s", rail, endpoint);
	else
		snprintf(text, PLACE_TEXT, "the host %s", endpoint);
}

/* ---- in the book ---- */

/* Its endpoint number @i; NULL: there are fewer. An alias of another one is "". */
static const char *book_endpoint(const struct place_book *book, uint32_t i)
{
	if (!book->fabric)
		return i < book->names ? book->name[i] : NULL;
	if (i >= liquid_fabric_host_count(book->fabric))
		return NULL;
	return liquid_fabric_owner(book->fabric, i) == i ?
	       liquid_fabric_node_name(book->fabric, i) : "";
}

static bool book_has(const struct place_book *book, const char *name)
{
	if (book->fabric)
		return liquid_fabric_find_host(book->fabric, name) != LIQUID_NONE;
	for (uint32_t i = 0; i < book->names; i++)
		if (!strcmp(book->name[i], name))
			return true;
	return false;
}

/* The endpoints of @host in a book of names alone, which are counted */
static void count_rails(const struct place_book *book, const char *host,
			struct liquid_rails *rails)
{
	size_t length = strlen(host);
	const char *name;

	*rails = (struct liquid_rails){ 0 };
	for (uint32_t i = 0; (name = book_endpoint(book, i)); i++)
		if (!strncmp(name, host, length) && name[length] == '/' &&
		    rails->count < LIQUID_RAILS_MAX) {
			rails->host[rails->count] = i;
			rails->number[rails->count] = rails->count + 1;
			rails->count++;
		}
}

static void find_rails(const struct place_book *book, const char *host, struct liquid_rails *rails)
{
	if (book->fabric)
		liquid_fabric_rails(book->fabric, host, rails);
	else
		count_rails(book, host, rails);
}

/* How many ranks before @rank have asked for the same */
static uint32_t turn_of(const host_name *asked, uint32_t rank)
{
	uint32_t turn = 0;

	for (uint32_t i = 0; i < rank; i++)
		turn += !strcmp(asked[i], asked[rank]);
	return turn;
}

/* With or without its domain */
static bool is_host(const struct place_book *book, char *host)
{
	if (book_has(book, host))
		return true;
	host[strcspn(host, ".")] = '\0';
	return book_has(book, host);
}

/* Is the only endpoint of @host that of the rail which was asked for? */
static bool is_on(const struct place_book *book, const char *host, uint32_t rail)
{
	struct liquid_rails rails;

	if (!book->fabric || !rail || rail == RAIL_ALL)
		return true;
	liquid_fabric_rails(book->fabric, host, &rails);
	return rails.only || (rails.count && rails.number[0] == rail);
}

static void find_endpoint(host_name place, const char *host, uint32_t rail, uint32_t turn,
			  const struct place_book *book)
{
	struct liquid_rails rails;

	find_rails(book, host, &rails);
	if (rail == RAIL_ALL && rails.count)
		rail = rails.number[turn % rails.count];
	for (uint32_t i = 0; i < rails.count; i++)
		if (rails.number[i] == rail)
			place_ask(place, book_endpoint(book, rails.host[i]), rail);
}

static void find_one(host_name place, const host_name *asked, uint32_t rank,
		     const struct place_book *book)
{
	uint32_t rail = rail_of(asked[rank]);
	host_name host;

	place_endpoint(asked[rank], host);
	if (!is_host(book, host))
		find_endpoint(place, host, rail, rail == RAIL_ALL ? turn_of(asked, rank) : 0,
			      book);
	else if (is_on(book, host, rail))
		memcpy(place, host, sizeof(host));
}

/* Without memory all stay as they are, and the plan will not find them. */
void place_find(host_name *places, uint32_t ranks, const struct place_book *book)
{
	host_name *asked = malloc(ranks * sizeof(*asked));

	if (!asked)
		return;
	memcpy(asked, places, ranks * sizeof(*asked));
	for (uint32_t i = 0; i < ranks; i++)
		find_one(places[i], asked, i, book);
	free(asked);
}

/* The name before the adapter, which endpoints of one node have in common */
static size_t machine_length(const char *place)
{
	return strchr(place, MARK) ? strcspn(place, "/#") : strlen(place);
}

bool place_is_same_machine(const char *a, const char *b)
{
	size_t length = machine_length(a);

	return length == machine_length(b) && !strncmp(a, b, length);
}

/* ---- the device ---- */

/* "NODE/ADAPTER/PORT#N": the adapter is the device's name, or its GUID. */
static bool take_endpoint(const char *place, struct environment *env)
{
	const char *adapter = strchr(place, '/'), *port = adapter ? strchr(adapter + 1, '/') : NULL;
	unsigned long number = port ? strtoul(port + 1, NULL, 10) : 0;

	if (!strchr(place, MARK) || !number || number > UINT8_MAX)
		return true;
	env->device = strndup(adapter + 1, (size_t)(port - adapter - 1));
	env->port = (uint8_t)number;
	return env->device;
}

bool place_choose_device(const char *place, struct environment *env)
{
	uint32_t rail = rail_of(place);

	if (!env->device)
		return take_endpoint(place, env);
	return environment_take_device(env, rail && rail != RAIL_ALL ? rail : 1);
}

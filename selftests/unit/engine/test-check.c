// SPDX-License-Identifier: GPL-2.0-only
/* Unit test: what is refused of routes is what following each of them by itself finds. */
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"
#include "tap.h"

#define SWITCHES_MAX 80u
#define OWNERS 4u			/* hosts that may have aliases, and so have a link in */

static uint64_t state;

static uint32_t draw(uint32_t count)
{
	state = state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)((state >> 33) % count);
}

/* ---- route by route ---- */

static uint32_t next_switch(const struct liquid_fabric *fabric, uint32_t sw, uint32_t host,
			    bool *arrives)
{
	uint32_t link = liquid_fabric_forward(fabric, sw, host), to;

	*arrives = false;
	if (link == LIQUID_NONE)
		return LIQUID_NONE;
	to = fabric->link[link].to;
	*arrives = to == fabric->host[host].owner;
	return to < fabric->hosts ? LIQUID_NONE : to - fabric->hosts;
}

/* Follow the route from @first; false: it must be refused, as in @text. */
static bool follow(const struct liquid_fabric *fabric, uint32_t first, uint32_t host, char *text)
{
	uint32_t way[SWITCHES_MAX + 1], length = 0;
	bool seen[SWITCHES_MAX] = { false }, arrives = false;

	for (uint32_t sw = first; sw != LIQUID_NONE; sw = next_switch(fabric, sw, host, &arrives)) {
		if (seen[sw]) {
			sprintf(text, "the route to host %s loops through switch %s",
				fabric->host[host].name, fabric->sw[sw].name);
			return false;
		}
		seen[sw] = true;
		way[length++] = sw;
	}
	if (!arrives || length < LIQUID_PATH_MAX)
		return true;
	sprintf(text, "the route from switch %s to host %s has more than %d links",
		fabric->sw[way[length - LIQUID_PATH_MAX]].name, fabric->host[host].name,
		LIQUID_PATH_MAX - 1);
	return false;
}

static bool follow_all(const struct liquid_fabric *fabric, char *text)
{
	for (uint32_t h = 0; h < fabric->hosts; h++)
		for (uint32_t s = 0; s < fabric->switches; s++)
			if (!follow(fabric, s, h, text))
				return false;
	return true;
}

/* ---- fabrics with more or fewer faults ---- */

static void add_link(struct liquid_fabric *fabric, uint32_t from, uint32_t to)
{
	struct liquid_error err;

	liquid_fabric_add_link(fabric, &(struct liquid_link){ from, to, 0, 0, 1 }, &err);
}

/* A chain, or switches of which many are connected */
static void add_links(struct liquid_fabric *fabric, bool chain)
{
	uint32_t hosts = fabric->hosts, count = fabric->switches;

	for (uint32_t a = 0; a < count; a++)
		for (uint32_t b = 0; b < count; b++)
			if (a != b && (chain ? a + 1 == b || b + 1 == a : draw(3)))
				add_link(fabric, hosts + a, hosts + b);
	for (uint32_t h = 0; h < hosts - fabric->aliases; h++) {
		uint32_t sw = hosts + (chain && draw(2) ? 0 : draw(count));

		if (h < OWNERS || draw(20))
			add_link(fabric, sw, h);
		add_link(fabric, h, sw);
	}
	/* A switch of this many links has a table of two bytes */
	for (uint32_t i = 0; count > 1 && !chain && i < 300 && !(state >> 60 & 7); i++)
		add_link(fabric, hosts, hosts + 1);
}

static uint32_t find_link(const struct liquid_fabric *fabric, uint32_t from, uint32_t to)
{
	uint32_t found = LIQUID_NONE;

	for (uint32_t l = 0; l < fabric->links; l++)
		if (fabric->link[l].from == from && fabric->link[l].to == to &&
		    (found == LIQUID_NONE || draw(2)))
			found = l;
	return found;
}

/* Entries for @host of the switches that reach it, by ways as short as they can be. */
static void set_routes(struct liquid_fabric *fabric, uint32_t host)
{
	uint32_t queue[SWITCHES_MAX + 1], used = 0, in = liquid_fabric_host_in(fabric, host);
	bool seen[SWITCHES_MAX] = { false };
	struct liquid_error err;

	if (in == LIQUID_NONE)
		return;
	queue[used++] = fabric->link[in].from;
	seen[queue[0] - fabric->hosts] = true;
	liquid_fabric_set_forward(fabric, queue[0] - fabric->hosts, host, in, &err);
	for (uint32_t i = 0; i < used; i++)
		for (uint32_t s = 0; s < fabric->switches; s++) {
			uint32_t link = seen[s] ? LIQUID_NONE :
					find_link(fabric, fabric->hosts + s, queue[i]);

			if (link == LIQUID_NONE)
				continue;
			seen[s] = true;
			queue[used++] = fabric->hosts + s;
			liquid_fabric_set_forward(fabric, s, host, link, &err);
		}
}

/* An entry is lost, or leads somewhere. */
static void break_entry(struct liquid_fabric *fabric)
{
	struct fabric_switch *sw = &fabric->sw[draw(fabric->switches)];
	uint32_t host = draw(fabric->hosts), n = draw(sw->outs + 1);
	bool lost = n == sw->outs || fabric->link[sw->out[n]].to < fabric->hosts;

	if (sw->width == 1)
		((uint8_t *)sw->forward)[host] = lost ? UINT8_MAX : (uint8_t)n;
	else if (sw->width == 2)
		((uint16_t *)sw->forward)[host] = lost ? UINT16_MAX : (uint16_t)n;
}

static struct liquid_fabric *make(bool chain, uint32_t faults)
{
	uint32_t hosts = 1 + draw(chain ? 6 : 90), switches = chain ? 62 + draw(6) : 1 + draw(6);
	struct liquid_fabric *fabric;
	struct liquid_error err;
	char name[16];

	liquid_fabric_new("check", &fabric, &err);
	for (uint32_t h = 0; h < hosts; h++) {
		snprintf(name, sizeof(name), "h%u", h);
		liquid_fabric_add_host(fabric, name, &err);
	}
	for (uint32_t a = 0; a < 3; a++) {
		snprintf(name, sizeof(name), "a%u", a);
		fabric_add_alias(fabric, name, draw(hosts < OWNERS ? hosts : OWNERS), &err);
	}
	for (uint32_t s = 0; s < switches; s++) {
		snprintf(name, sizeof(name), "s%u", s);
		liquid_fabric_add_switch(fabric, name, &err);
	}
	add_links(fabric, chain);
	for (uint32_t h = 0; h < fabric->hosts; h++)
		set_routes(fabric, h);
	for (uint32_t i = 0; i < faults; i++)
		break_entry(fabric);
	return fabric;
}

/* 0: accepted, 1: a loop, 2: too long; -1: the check and the routes say different things */
static int compare(bool chain, uint32_t faults)
{
	struct liquid_fabric *fabric = make(chain, faults);
	char text[sizeof(((struct liquid_error *)0)->text)] = "";
	struct liquid_error err = { "" };
	bool right = follow_all(fabric, text);
	int kind = right ? 0 : strstr(text, "loops") ? 1 : 2, status;

	fabric->threads = 1 + (state >> 62);
	status = liquid_fabric_finish(fabric, &err);
	if (right ? status != LIQUID_OK : status != LIQUID_BAD_INPUT || strcmp(text, err.text)) {
		printf("# '%s', not '%s'\n", err.text, text);
		kind = -1;
	}
	liquid_fabric_free(fabric);
	return kind;
}

int main(void)
{
	uint32_t count[4] = { 0 }, drawn = draws(1000);

	for (uint32_t i = 0; i < drawn; i++) {
		state = i;
		draw(1);
		count[1 + compare(draw(10) == 0, draw(3) ? draw(4) : 0)]++;
	}
	ok(!count[0] && count[1] > drawn / 4 && count[2] > drawn / 20 && count[3] > drawn / 100,
	   "fabrics of which %u are right, %u have a loop, %u too long a route", count[1], count[2],
	   count[3]);
	return tap_exit();
}

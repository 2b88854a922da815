// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reads the JSON files of each switch: neighbours by LLDP, links, routes. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/import/ethernet.h"

#define MBPS_MAX 100000000		/* 100 Tbit/s */

/* ---- files ---- */

/* NULL with LIQUID_OK: there is no such file */
static int load(const char *dir, const char *sw, const char *name, json_t **json,
		struct liquid_error *err)
{
	char path[PATH_MAX];
	json_error_t wrong;
	FILE *in;

	*json = NULL;
	snprintf(path, sizeof(path), "%s/%s/%s", dir, sw, name);
	in = fopen(path, "r");
	if (!in && errno == ENOENT)
		return LIQUID_OK;
	if (!in)
		return liquid_fail(err, LIQUID_IO, "%s: %s", path, strerror(errno));
	*json = json_loadf(in, 0, &wrong);
	fclose(in);
	if (!*json)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s:%d: %s", path, wrong.line,
				   wrong.text);
	return LIQUID_OK;
}

static int load_array(const char *dir, const char *sw, const char *name, bool required,
		      json_t **json, struct liquid_error *err)
{
	int status = load(dir, sw, name, json, err);

	if (!status && !*json && required)
		status = liquid_fail(err, LIQUID_BAD_INPUT, "%s/%s/%s is missing", dir, sw, name);
	if (!status && *json && !json_is_array(*json))
		status = liquid_fail(err, LIQUID_BAD_INPUT, "%s/%s/%s: expected an array", dir, sw,
				     name);
	return status;
}

/* ---- LLDP ---- */

/* The string @key of the first of the array @list of @json; NULL: there is none */
static const char *first(const json_t *json, const char *list, const char *key)
{
	return json_string_value(json_object_get(json_array_get(json_object_get(json, list), 0),
						 key));
}

static bool is_mac(const json_t *json)
{
	const char *type = first(json, "id", "type");

	return type && !strcmp(type, "mac");
}

uint64_t ether_mac(const char *text)
{
	uint64_t mac = 0;

	for (int i = 0; i < 17; i++) {
		int c = tolower((unsigned char)text[i]);

		if (i % 3 == 2 ? c != ':' : !isxdigit(c))
			return 0;
		if (i % 3 != 2)
			mac = mac << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	return text[17] || mac >> 40 & 1 ? 0 : mac;
}

static void take_mac(struct ether_port *port, const json_t *json)
{
	const char *text = first(json, "id", "value");

	if (!port->far_mac && is_mac(json) && text)
		port->far_mac = ether_mac(text);
}

static bool copy_text(char **copy, const char *text)
{
	*copy = text ? strdup(text) : NULL;
	return *copy || !text;
}

static const char *take_interface(struct ether_switch *sw, const json_t *interface)
{
	const json_t *chassis = json_array_get(json_object_get(interface, "chassis"), 0);
	const json_t *far = json_array_get(json_object_get(interface, "port"), 0);
	const char *name = json_string_value(json_object_get(interface, "name"));
	struct ether_port *port = &sw->port[sw->ports];

	if (!name)
		return "an interface without a name: is it 'lldpcli -f json0 show neighbors'?";
	if (!first(chassis, "name", "value"))
		return NULL;		/* one without a name cannot be told from others */
	sw->ports++;
	take_mac(port, far);
	take_mac(port, chassis);
	return copy_text(&port->name, name) &&
	       copy_text(&port->neighbor, first(chassis, "name", "value")) &&
	       copy_text(&port->far_id, is_mac(far) ? NULL : first(far, "id", "value")) &&
	       copy_text(&port->far_text, first(far, "descr", "value")) ? NULL : "out of memory";
}

static int read_lldp(struct ether_switch *sw, const char *dir, struct liquid_error *err)
{
	const json_t *list, *interface;
	const char *why = NULL;
	json_t *json;
	size_t i;
	int status = load(dir, sw->name, "lldp.json", &json, err);

	if (status)
		return status;
	list = json_object_get(json_array_get(json_object_get(json, "lldp"), 0), "interface");
	sw->port = calloc(json_array_size(list) + 1, sizeof(*sw->port));
	if (!sw->port)
		why = "out of memory";
	else if (!json_array_size(list))
		why = "no neighbours: is it 'lldpcli -f json0 show neighbors'?";
	json_array_foreach(list, i, interface)
		why = why ? : take_interface(sw, interface);
	json_decref(json);
	return why ? liquid_fail(err, LIQUID_BAD_INPUT, "%s/%s/lldp.json: %s", dir, sw->name,
				 why) : LIQUID_OK;
}

/* ---- speeds ---- */

bool ether_number(const char *text, unsigned long max, unsigned long *number)
{
	*number = strtoul(text, NULL, 10);
	return *text && !text[strspn(text, "0123456789")] && *number <= max;
}

/* Ports that are down have none, or -1, or what the kernel knows as unknown: all count as 0. */
static void take_speed(struct ether_switch *sw, char *line)
{
	char *save, *name = strtok_r(line, " \t\r\n", &save);
	char *speed = name ? strtok_r(NULL, " \t\r\n", &save) : NULL;
	unsigned long mbps;

	for (size_t i = 0; speed && i < sw->ports; i++)
		if (!strcmp(sw->port[i].name, name) && ether_number(speed, MBPS_MAX, &mbps))
			sw->port[i].mbps = (uint32_t)mbps;
}

static int read_speeds(struct ether_switch *sw, const char *dir, struct liquid_error *err)
{
	char path[PATH_MAX], *line = NULL;
	int status = LIQUID_OK;
	size_t room = 0;
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s/speeds", dir, sw->name);
	in = fopen(path, "r");
	if (!in)
		return errno == ENOENT ? LIQUID_OK :
		       liquid_fail(err, LIQUID_IO, "%s: %s", path, strerror(errno));
	while (getline(&line, &room, in) >= 0)
		take_speed(sw, line);
	if (ferror(in))
		status = liquid_fail(err, LIQUID_IO, "%s: %s", path, strerror(errno));
	free(line);
	fclose(in);
	return status;
}

/* ---- all switches ---- */

static int read_switch(struct ether_switch *sw, const char *dir, struct liquid_error *err)
{
	int status = read_lldp(sw, dir, err);

	if (!status)
		status = load_array(dir, sw->name, "fdb.json", true, &sw->fdb, err);
	if (!status)
		status = load_array(dir, sw->name, "routes.json", false, &sw->routes, err);
	return status ? status : read_speeds(sw, dir, err);
}

static int no_dot(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

int ether_read(struct ether_net *net, const char *dir, struct liquid_error *err)
{
	struct dirent **entry;
	int status = LIQUID_OK, count = scandir(dir, &entry, no_dot, compare_names);

	*net = (struct ether_net){ 0 };
	if (count < 0)
		return liquid_fail(err, LIQUID_IO, "%s: %s", dir, strerror(errno));
	net->sw = calloc((size_t)count + 1, sizeof(*net->sw));
	if (!net->sw)
		status = liquid_no_memory(err);
	for (int i = 0; i < count && !status; i++) {
		struct ether_switch *sw = &net->sw[net->switches++];

		sw->name = strdup(entry[i]->d_name);
		status = sw->name ? read_switch(sw, dir, err) : liquid_no_memory(err);
	}
	for (int i = 0; i < count; i++)
		free(entry[i]);
	free(entry);
	if (!status && !count)
		status = liquid_fail(err, LIQUID_BAD_INPUT, "%s: no directory of a switch", dir);
	return status;
}

void ether_drop_port(struct ether_switch *sw, size_t port)
{
	struct ether_port *dropped = &sw->port[port];

	free(dropped->name);
	free(dropped->neighbor);
	free(dropped->far_id);
	free(dropped->far_text);
	memmove(dropped, dropped + 1, (--sw->ports - port) * sizeof(*dropped));
}

void ether_clear(struct ether_net *net)
{
	for (size_t i = 0; i < net->switches; i++) {
		struct ether_switch *sw = &net->sw[i];

		while (sw->ports)
			ether_drop_port(sw, sw->ports - 1);
		free(sw->port);
		free(sw->name);
		json_decref(sw->fdb);
		json_decref(sw->routes);
	}
	free(net->sw);
	*net = (struct ether_net){ 0 };
}

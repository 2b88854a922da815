// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the nodes of a round call from
 *
 * The holder of the cluster's munge key, as root on any node has, can make credentials of root for
 * any other node. So a node is also known by the address that the controller's own resolver has for
 * its name. `job start` and `job reroute` look that up, which may take time, and the service reads
 * it.
 */
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>

#include "util/command.h"
#include "job/job.h"
#include "job/store/records.h"

static json_t *addresses_of(const char *node)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *places = NULL;
	json_t *array = json_array();
	char text[NI_MAXHOST];

	if (!getaddrinfo(node, NULL, &hints, &places)) {
		for (struct addrinfo *at = places; at; at = at->ai_next)
			if (!getnameinfo(at->ai_addr, at->ai_addrlen, text, sizeof(text), NULL, 0,
					 NI_NUMERICHOST))
				json_array_append_new(array, json_string(text));
		freeaddrinfo(places);
	}
	return array;
}

int places_find(const struct job_args *args, const struct job_spec *spec)
{
	json_t *json = json_object();

	for (size_t i = 0; i < spec->part_count; i++)
		for (size_t n = 0; n < spec->part[i].nodes.count; n++) {
			const char *node = spec->part[i].nodes.name[n];
			json_t *addresses;

			job_doing(args, "asking for the address of node %s (DNS?)", node);
			addresses = addresses_of(node);
			job_doing(args, "%s", "");

			if (!json_array_size(addresses)) {
				json_decref(addresses);
				json_decref(json);
				return complain(EXIT_BAD_INPUT, "node %s: no address is known for "
						"this name on %s, so it cannot take part",
						node, job_publisher(args));
			}
			json_object_set_new(json, node, addresses);
		}
	return job_put_record(&args->store, RECORD_PLACES, spec->round, NULL, json);
}

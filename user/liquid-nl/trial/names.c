// SPDX-License-Identifier: GPL-2.0-only
/* Who takes part, and by which addresses. */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "trial/trial.h"

static bool is_loopback(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET) {
		const struct sockaddr_in *in = (const struct sockaddr_in *)address;

		return ntohl(in->sin_addr.s_addr) >> 24 == 127;
	}
	return address->sa_family == AF_INET6 &&
	       IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
}

static bool is_of_link(const struct sockaddr *address)
{
	return address->sa_family == AF_INET6 &&
	       IN6_IS_ADDR_LINKLOCAL(&((const struct sockaddr_in6 *)address)->sin6_addr);
}

static struct addrinfo *look_up(const char *name)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
	struct addrinfo *list;

	return getaddrinfo(name, NULL, &hints, &list) ? NULL : list;
}

/* False: it has no address but loopback. */
static bool resolve(const char *name, struct sockaddr_storage *address, socklen_t *size)
{
	struct addrinfo *list = look_up(name);
	bool found = false;

	for (struct addrinfo *at = list; at && !found; at = at->ai_next) {
		if (is_loopback(at->ai_addr))
			continue;
		memcpy(address, at->ai_addr, at->ai_addrlen);
		*size = at->ai_addrlen;
		found = true;
	}
	if (list)
		freeaddrinfo(list);
	return found;
}

static bool is_local(const struct sockaddr_storage *address, socklen_t size)
{
	int fd = socket(address->ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool local = fd >= 0 && !bind(fd, (const struct sockaddr *)address, size);

	if (fd >= 0)
		close(fd);
	return local;
}

/* A host's own name may stand for loopback there. */
static bool is_here(const char *name)
{
	struct addrinfo *list = look_up(name);
	bool here = false;

	for (struct addrinfo *at = list; at && !here; at = at->ai_next) {
		struct sockaddr_storage address = { 0 };

		memcpy(&address, at->ai_addr, at->ai_addrlen);
		here = is_local(&address, at->ai_addrlen);
	}
	if (list)
		freeaddrinfo(list);
	return here;
}

static int find_by_name(struct trial *trial)
{
	for (size_t i = 0; i < trial->names.count; i++)
		if (!strcmp(trial->names.name[i], trial->node)) {
			trial->self = (unsigned int)i;
			return EXIT_OK;
		}
	return complain(EXIT_BAD_INPUT, "--node: '%s' is not among --nodes", trial->node);
}

static int find_by_address(struct trial *trial)
{
	unsigned int found = 0;

	for (size_t i = 0; i < trial->names.count; i++)
		if (is_here(trial->names.name[i]) && !found++)
			trial->self = (unsigned int)i;
	if (found == 1)
		return EXIT_OK;
	return complain(EXIT_BAD_INPUT, "%u of --nodes have an address of this machine: state "
			"which of them this is by --node", found);
}

static void set_port(struct sockaddr_storage *address, uint16_t port)
{
	if (address->ss_family == AF_INET)
		((struct sockaddr_in *)address)->sin_port = htons(port);
	else
		((struct sockaddr_in6 *)address)->sin6_port = htons(port);
}

int trial_find_self(struct trial *trial)
{
	int code = trial->node ? find_by_name(trial) : find_by_address(trial);

	if (code)
		return code;
	if (!resolve(trial->names.name[0], &trial->conductor, &trial->conductor_size))
		return complain(EXIT_BAD_INPUT, "%s: no address that other nodes can reach; give "
				"addresses in --nodes", trial->names.name[0]);
	set_port(&trial->conductor, trial->port);
	return EXIT_OK;
}

bool trial_address_text(const struct sockaddr *address, char text[TRIAL_ADDRESS])
{
	socklen_t size = address->sa_family == AF_INET ? sizeof(struct sockaddr_in) :
							 sizeof(struct sockaddr_in6);

	return !getnameinfo(address, size, text, TRIAL_ADDRESS, NULL, 0, NI_NUMERICHOST);
}

bool trial_address(const char *text, uint16_t port, struct sockaddr_storage *address,
		   socklen_t *size)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };

	*address = (struct sockaddr_storage){ 0 };
	if (inet_pton(AF_INET, text, &in.sin_addr) == 1) {
		memcpy(address, &in, sizeof(in));
		*size = sizeof(in);
		return true;
	}
	memcpy(address, &in6, sizeof(in6));
	if (inet_pton(AF_INET6, text, &in6.sin6_addr) != 1)
		return false;
	memcpy(address, &in6, sizeof(in6));
	*size = sizeof(in6);
	return true;
}

bool trial_device_of(const char *address, char device[16])
{
	char text[TRIAL_ADDRESS];
	struct ifaddrs *list;
	bool found = false;

	if (getifaddrs(&list))
		return false;
	for (struct ifaddrs *at = list; at && !found; at = at->ifa_next)
		if (at->ifa_addr && trial_address_text(at->ifa_addr, text) &&
		    !strcmp(text, address)) {
			snprintf(device, IF_NAMESIZE, "%s", at->ifa_name);
			found = true;
		}
	freeifaddrs(list);
	return found;
}

static bool is_usable(const struct sockaddr *address, int family)
{
	return address && address->sa_family == family && !is_of_link(address);
}

/* IPv4 first */
bool trial_address_of(const char *device, char address[TRIAL_ADDRESS])
{
	static const int families[] = { AF_INET, AF_INET6 };
	struct ifaddrs *list;
	bool found = false;

	if (getifaddrs(&list))
		return false;
	for (unsigned int i = 0; i < 2; i++)
		for (struct ifaddrs *at = list; at && !found; at = at->ifa_next)
			if (!strcmp(at->ifa_name, device) && is_usable(at->ifa_addr, families[i]))
				found = trial_address_text(at->ifa_addr, address);
	freeifaddrs(list);
	return found;
}

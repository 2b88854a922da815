// SPDX-License-Identifier: GPL-2.0-only
/*
 * The last look at what leaves a node
 *
 * Facts are numbers and words of a kernel, a driver or this tool. In case such a word tells more
 * (a kernel may be named after its owner), texts that have a name or an address of this node in
 * them are replaced.
 */
#include <ctype.h>
#include <ifaddrs.h>
#include <netpacket/packet.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "trial/trial.h"

#define SHORTEST 3	/* characters of a secret: a node named "a" would be found everywhere */
#define REPLACEMENT "removed"

bool trial_secrets_add(struct trial_secrets *secrets, const char *word)
{
	if (strlen(word) < SHORTEST)
		return true;
	if (secrets->count == secrets->room) {
		size_t room = secrets->room ? 2 * secrets->room : 32;
		char **words = reallocarray(secrets->word, room, sizeof(*words));

		if (!words)
			return false;
		secrets->word = words;
		secrets->room = room;
	}
	secrets->word[secrets->count] = strdup(word);
	return secrets->word[secrets->count++] != NULL;
}

void trial_secrets_clear(struct trial_secrets *secrets)
{
	for (size_t i = 0; i < secrets->count; i++)
		free(secrets->word[i]);
	free(secrets->word);
	*secrets = (struct trial_secrets){ 0 };
}

/* A whole name, and its first part */
static bool add_host(struct trial_secrets *secrets, const char *name)
{
	char part[256];

	snprintf(part, sizeof(part), "%s", name);
	part[strcspn(part, ".")] = 0;
	return trial_secrets_add(secrets, name) && trial_secrets_add(secrets, part);
}

static bool add_mac(struct trial_secrets *secrets, const struct sockaddr_ll *link)
{
	char text[3 * sizeof(link->sll_addr)] = "";
	int used = 0;

	for (unsigned int i = 0; i < link->sll_halen && i < sizeof(link->sll_addr); i++)
		used += sprintf(text + used, "%s%02x", i ? ":" : "", link->sll_addr[i]);
	return trial_secrets_add(secrets, text);
}

static bool add_device(struct trial_secrets *secrets, const struct ifaddrs *at)
{
	char text[TRIAL_ADDRESS];

	if (!trial_secrets_add(secrets, at->ifa_name))
		return false;
	if (!at->ifa_addr)
		return true;
	if (at->ifa_addr->sa_family == AF_PACKET)
		return add_mac(secrets, (const struct sockaddr_ll *)at->ifa_addr);
	return !trial_address_text(at->ifa_addr, text) || trial_secrets_add(secrets, text);
}

static bool add_devices(struct trial_secrets *secrets)
{
	struct ifaddrs *list;
	bool added = true;

	if (getifaddrs(&list))
		return false;
	for (struct ifaddrs *at = list; at && added; at = at->ifa_next)
		added = add_device(secrets, at);
	freeifaddrs(list);
	return added;
}

bool trial_secrets_read(struct trial_secrets *secrets)
{
	static const char *const variables[] = { "USER", "SUDO_USER", "LOGNAME", "HOME" };
	struct utsname names;

	if (uname(&names) || !add_host(secrets, names.nodename) ||
	    !trial_secrets_add(secrets, names.domainname) || !add_devices(secrets))
		return false;
	for (unsigned int i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *value = getenv(variables[i]);

		if (value && !trial_secrets_add(secrets, value))
			return false;
	}
	return true;
}

static bool has_secret(const struct trial_secrets *secrets, const char *text)
{
	for (size_t i = 0; i < secrets->count; i++)
		if (strcasestr(text, secrets->word[i]))
			return true;
	return false;
}

void trial_secrets_remove(const struct trial_secrets *secrets, json_t *json)
{
	const char *key;
	size_t index;
	json_t *value;

	if (json_is_string(json) && has_secret(secrets, json_string_value(json)))
		json_string_set(json, REPLACEMENT);
	json_object_foreach(json, key, value)
		trial_secrets_remove(secrets, value);
	json_array_foreach(json, index, value)
		trial_secrets_remove(secrets, value);
}

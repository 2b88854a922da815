// SPDX-License-Identifier: GPL-2.0-only
/*
 * Credentials of munge, by its programs: the licence of its library does not allow to link it
 *
 * munged on the service's host decodes a credential once, and not after some minutes. A credential
 * proves which user has asked for it, on a machine that has the cluster's key.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "job/service/channel.h"
#include "job/service/child.h"

#define SHORT_LIVED "60"		/* s, that a credential is good for */

bool munge_start(struct child *child, const char *socket, const char *payload, uid_t reader)
{
	char uid[16], own[4096];
	char *argv[] = { (char *)"munge", (char *)"--restrict-uid", uid, (char *)"--ttl",
			 (char *)SHORT_LIVED, socket ? (char *)"--socket" : NULL, own, NULL };

	snprintf(uid, sizeof(uid), "%u", (unsigned int)reader);
	snprintf(own, sizeof(own), "%s", socket ? socket : "");
	return child_start(child, argv, payload, strlen(payload));
}

/* The credential, which is one line, after the program has exited with 0 */
const char *munge_credential(struct child *child)
{
	size_t length = child->used;

	while (length && child->out[length - 1] == '\n')
		length--;
	if (!length || length >= CHANNEL_LINE_MAX - 1 || memchr(child->out, '\n', length))
		return NULL;
	child->out[length] = '\0';
	return strlen(child->out) == length ? child->out : NULL;
}

bool unmunge_start(struct child *child, const char *socket, const char *credential)
{
	char own[4096];
	char *argv[] = { (char *)"unmunge", (char *)"--numeric", (char *)"--keys",
			 (char *)"STATUS,UID,LENGTH",
			 socket ? (char *)"--socket" : NULL, own, NULL };

	snprintf(own, sizeof(own), "%s", socket ? socket : "");
	return child_start(child, argv, credential, strlen(credential));
}

/* The number after "KEY:" at the beginning of a line of the metadata */
static bool number_of(const char *out, const char *end, const char *key, uint64_t *value)
{
	size_t length = strlen(key);

	while (out < end) {
		const char *newline = memchr(out, '\n', (size_t)(end - out));
		size_t line = (size_t)((newline ? newline : end) - out);
		char digits[32], *rest;

		if (line > length && line - length < sizeof(digits) && !memcmp(out, key, length)) {
			snprintf(digits, sizeof(digits), "%.*s", (int)(line - length),
				 out + length);
			*value = strtoull(digits, &rest, 10);
			return rest != digits && !*rest;
		}
		out += line + 1;
	}
	return false;
}

/* Exit codes of unmunge are munge's errors, see munge_enum(3). */
static const char *why(int code)
{
	switch (code) {
	case CHILD_KILLED:
		return "unmunge takes too long";
	case 6:
		return "unmunge cannot reach munged";
	case 14:
		return "the credential is of another key of munge, or was changed";
	case 15:
		return "the credential has expired: look at the clocks";
	case 16:
		return "the credential is of the future: look at the clocks";
	case 17:
		return "the credential was used before";
	case 18:
		return "the credential is for another user: `user` of liquid.conf must be the "
		       "same, with the same number, on nodes and on the controller";
	}
	return "unmunge refuses the credential";
}

const char *unmunge_read(const char *out, size_t length, int code, uid_t *uid,
			 const char **payload, size_t *size)
{
	const char *end = length ? memmem(out, length, "\n\n", 2) : NULL;
	uint64_t status, user, bytes;

	if (code)
		return why(code);
	if (!end || !number_of(out, end, "STATUS:", &status) ||
	    !number_of(out, end, "UID:", &user) || !number_of(out, end, "LENGTH:", &bytes))
		return "the answer of unmunge is malformed";
	*payload = end + 2;
	*size = length - (size_t)(*payload - out);
	if (status || user >= UINT32_MAX || *size != bytes)
		return "the answer of unmunge is malformed";
	*uid = (uid_t)user;
	return NULL;
}

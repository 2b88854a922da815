// SPDX-License-Identifier: GPL-2.0-only
/* The digest at the end of a label. */
#include <stdio.h>
#include <string.h>

#include <linux/liquid.h>

#include "gate/label.h"

_Static_assert(sizeof(LABEL_DIGEST) - 1 == 7, "LABEL_TEXT_MAX reckons with it");

void label_with_digest(char *label, const char *text, const char *digest)
{
	snprintf(label, LIQUID_LABEL_MAX + 1, "%.*s%s" LABEL_DIGEST "%.*s", LABEL_TEXT_MAX, text,
		 *text ? " " : "", LABEL_DIGEST_HEX, digest);
}

const char *label_digest(const char *label)
{
	size_t length = strlen(label), size = strlen(LABEL_DIGEST) + LABEL_DIGEST_HEX;
	const char *digest = length >= size ? label + length - size : NULL;

	if (!digest || strncmp(digest, LABEL_DIGEST, strlen(LABEL_DIGEST)) ||
	    strspn(digest + strlen(LABEL_DIGEST), "0123456789abcdef") != LABEL_DIGEST_HEX)
		return NULL;
	return digest == label || digest[-1] == ' ' ? digest : NULL;
}

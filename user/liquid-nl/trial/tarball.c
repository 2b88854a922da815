// SPDX-License-Identifier: GPL-2.0-only
/* ustar archives: without owner, times and paths of whoever writes them. */
#include <string.h>

#include "trial/trial.h"

#define BLOCK 512

struct header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100];
	char magic[6], version[2], user[32], group[32], major[8], minor[8], prefix[155], pad[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "a header is a block");

static void set_sum(struct header *header)
{
	const unsigned char *byte = (const unsigned char *)header;
	unsigned int sum = 0;

	memset(header->sum, ' ', sizeof(header->sum));
	for (unsigned int i = 0; i < BLOCK; i++)
		sum += byte[i];
	snprintf(header->sum, sizeof(header->sum), "%06o", sum);
}

bool trial_tar_put(FILE *out, const char *name, const char *data, size_t size)
{
	static const char zeros[BLOCK];
	struct header header = { .type = '0', .magic = "ustar", .version = { '0', '0' } };

	snprintf(header.name, sizeof(header.name), "%s", name);
	snprintf(header.mode, sizeof(header.mode), "%07o", 0644);
	snprintf(header.uid, sizeof(header.uid), "%07o", 0);
	snprintf(header.gid, sizeof(header.gid), "%07o", 0);
	snprintf(header.size, sizeof(header.size), "%011zo", size);
	snprintf(header.mtime, sizeof(header.mtime), "%011o", 0);
	set_sum(&header);
	return fwrite(&header, BLOCK, 1, out) == 1 && fwrite(data, 1, size, out) == size &&
	       (size % BLOCK == 0 || fwrite(zeros, BLOCK - size % BLOCK, 1, out) == 1);
}

bool trial_tar_end(FILE *out)
{
	static const char zeros[2 * BLOCK];

	return fwrite(zeros, sizeof(zeros), 1, out) == 1;
}

/* False: no octal number */
static bool octal(const char *text, size_t length, size_t *value)
{
	*value = 0;
	for (size_t i = 0; i < length && text[i] && text[i] != ' '; i++) {
		if (text[i] < '0' || text[i] > '7')
			return false;
		*value = *value * 8 + (size_t)(text[i] - '0');
	}
	return true;
}

const char *trial_tar_find(const char *tar, size_t size, const char *name, size_t *length)
{
	for (size_t at = 0; size - at >= BLOCK;) {
		const struct header *header = (const struct header *)(tar + at);

		at += BLOCK;
		if (!header->name[0] || !octal(header->size, sizeof(header->size) - 1, length) ||
		    *length > size - at)
			return NULL;
		if (!strncmp(header->name, name, sizeof(header->name)))
			return tar + at;
		*length = (*length + BLOCK - 1) / BLOCK * BLOCK;
		at += *length < size - at ? *length : size - at;
	}
	return NULL;
}

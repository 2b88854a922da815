// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Two machines may have files of one inode and name that are not the same, as in /tmp, or may not
 * see the other one's writes at once, as by NFS. Only cluster file systems are known to be one
 * on several machines; a file of any other is bound to the running kernel, and to its device there.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "file/identity.h"

#define LUSTRE_MAGIC 0x0bd00bd0
#define GPFS_MAGIC 0x47504653
#define BEEGFS_MAGIC 0x19830326
#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define BOOT_ID_BYTES 36

struct place {
	uint64_t type, device, inode;
	char boot[40];			/* of the kernel that has the file, and zeros */
};

static bool is_cluster(uint64_t type)
{
	return type == LUSTRE_MAGIC || type == GPFS_MAGIC || type == BEEGFS_MAGIC;
}

/* All containers of one kernel have the same. */
static bool read_boot(char *boot)
{
	int file = open(BOOT_ID, O_RDONLY | O_CLOEXEC);
	ssize_t got = file < 0 ? -1 : read(file, boot, BOOT_ID_BYTES);

	if (file >= 0)
		close(file);
	return got == BOOT_ID_BYTES;
}

static int64_t digest(const void *bytes, size_t count)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < count; i++)
		sum = (sum ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
	return (int64_t)(sum >> 1);
}

int64_t identity_of(int file)
{
	struct place place = { 0 };
	struct statfs fs;
	struct stat st;

	if (fstat(file, &st) || !S_ISREG(st.st_mode) || fstatfs(file, &fs))
		return -1;
	place.type = (uint32_t)fs.f_type;
	place.inode = st.st_ino;
	if (!is_cluster(place.type)) {
		place.device = st.st_dev;
		if (!read_boot(place.boot))
			return -1;
	}
	return digest(&place, sizeof(place));
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* The notice of a job: what is taken from it, and which files are none. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "settings/environment.h"
#include "settings/notice.h"
#include "tap.h"

static char directory[] = "/tmp/test-notice.XXXXXX";

static void path_of(char path[128], const char *name)
{
	snprintf(path, 128, "%s/%s", directory, name);
}

static void write_file(const char *name, const char *text)
{
	char path[128];
	FILE *out;

	path_of(path, name);
	out = fopen(path, "we");
	fputs(text, out);
	fclose(out);
	chmod(path, 0400);
}

static bool reads(const char *job, const char *node)
{
	struct notice notice;
	bool read = notice_read(&notice, directory, geteuid(), job, node);

	notice_clear(&notice);
	return read;
}

static void check_text(void)
{
	struct notice notice;

	write_file("17@h1", "fabric /etc/liquid/a fabric\nhost h1\nrail 2\nnew\nfabric /no\n");
	ok(notice_read(&notice, directory, geteuid(), "17", "h1") && notice.fabric &&
	   !strcmp(notice.fabric, "/etc/liquid/a fabric") && notice.host &&
	   !strcmp(notice.host, "h1") && notice.rail == 2,
	   "fabric, host and rail are read, not what is unknown or comes twice");
	notice_clear(&notice);
	ok(!notice.fabric && !notice.host, "and freed");
	write_file("18@h1", "rail\n");
	ok(notice_read(&notice, directory, geteuid(), "18", "h1") && !notice.fabric &&
	   !notice.host && !notice.rail, "what is not there is not told");
	notice_clear(&notice);
	write_file("18@h1", "fabric /f\nhost h1\nrail all\n");
	ok(notice_read(&notice, directory, geteuid(), "18", "h1") && notice.rail == RAIL_ALL,
	   "a job of all rails: its ranks take them in turn");
	notice_clear(&notice);
	ok(!reads("17", "h2") && !reads("1", "h1"), "another node and another job have none");
}

static void check_owner(void)
{
	struct notice notice;
	char path[128];

	ok(reads("17", "h1") && !notice_read(&notice, directory, geteuid() + 1, "17", "h1"),
	   "what another user owns is none");
	path_of(path, "17@h1");
	chmod(path, 0420);
	ok(!reads("17", "h1"), "nor what its group may write");
	chmod(path, 0402);
	ok(!reads("17", "h1"), "nor what all may write");
	chmod(path, 0440);
	ok(reads("17", "h1"), "the group may read it");
	chmod(directory, 0733);
	ok(!reads("17", "h1"), "none is taken from a directory where others may write");
	chmod(directory, 0711);
	ok(reads("17", "h1"), "one that others may enter will do");
}

static void check_names(void)
{
	char path[128], link[128];

	path_of(path, "17@h1");
	path_of(link, "19@h1");
	ok(!symlink(path, link) && !reads("19", "h1"), "a symbolic link is none");
	unlink(link);
	ok(!mkfifo(link, 0400) && !reads("19", "h1"), "nor a pipe, which holds up no one");
	unlink(link);
	ok(!mkdir(link, 0700) && !reads("19", "h1"), "nor a directory");
	ok(!reads("19@h1/../17", "h1") && !reads("17", "h1/../17@h1"),
	   "names do not lead elsewhere");
	rmdir(link);
}

int main(void)
{
	if (!mkdtemp(directory))
		return 1;
	check_text();
	check_owner();
	check_names();
	for (int job = 17; job < 19; job++) {
		char name[16], path[128];

		snprintf(name, sizeof(name), "%d@h1", job);
		path_of(path, name);
		unlink(path);
	}
	rmdir(directory);
	return tap_exit();
}

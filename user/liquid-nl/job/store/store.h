/* SPDX-License-Identifier: GPL-2.0-only */
/* Small JSON files on shared storage, each of which appears whole or not at all. */
#ifndef LIQUID_NL_JOB_STORE_H
#define LIQUID_NL_JOB_STORE_H

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "liquidsched.h"

#define JOB_NAME_MAX 64			/* letters, digits, . _ - */
#define JOB_PATH_MAX 512
#define JOB_KEPT_MAX 3
struct job_store {
	const char *dir;		/* for messages */
	int fd;				/* the directory itself, whatever its name leads to now; -1: closed */
	uid_t keeper;			/* owns all that is trusted */
	struct job_kept {		/* directories in it that are looked at again and again */
		char path[JOB_PATH_MAX];
		int fd;
	} kept[JOB_KEPT_MAX];
	size_t kept_count;
};

#define JOB_RECORD_MAX (64 << 20)	/* bytes */
#define JOB_DIR_MODE 0750

/* LIQUID_OK, JOB_STORE_ABSENT or an error, also where others than the keeper may write. */
#define JOB_STORE_ABSENT 1
int job_store_open(struct job_store *store, struct liquid_error *err);
void job_store_close(struct job_store *store);
/* The same, and makes what is missing. */
int job_store_make(struct job_store *store, struct liquid_error *err);
/* Is @name fit for a file's name? */
bool job_name_fits(const char *name);
enum job_put { JOB_PUT_DONE = 0, JOB_PUT_LOST = 1 };	/* lost: another was first */
/* Creates @path (within the store); never replaces. JOB_PUT_* or a status. Takes @json. */
int job_put(const struct job_store *store, const char *path, json_t *json,
	    struct liquid_error *err);
/* NULL where there is none (err->text is "" then), or it cannot be read. */
json_t *job_get(const struct job_store *store, const char *path, struct liquid_error *err);
bool job_has(const struct job_store *store, const char *path);
/* Is it surely not there? A store that cannot be read neither has a record nor lacks it. */
bool job_lacks(const struct job_store *store, const char *path);
/* A record's file to read, a regular one of the keeper's; -1 with err. */
int job_open(const struct job_store *store, const char *path, struct liquid_error *err);
/* As job_put(), of what @fd has from its beginning. */
int job_put_file(const struct job_store *store, const char *path, int fd,
		 struct liquid_error *err);
int job_remove(const struct job_store *store, const char *path, struct liquid_error *err);
/* "" is the store itself; -1 with errno */
int job_open_dir(const struct job_store *store, const char *path);
/*
 * To walk to a directory and to check it costs a server more than the look-up in it: it is open until
 * job_store_forget(). One that has got another name meanwhile is still the same.
 */
void job_store_keep(struct job_store *store, const char *path);
void job_store_forget(struct job_store *store);
/* What is remembered of a directory is out of date: on NFS the server is asked whether it has changed. */
void job_refresh(const struct job_store *store, const char *path);
int job_rename(const struct job_store *store, const char *from, const char *to,
	       struct liquid_error *err);
/* A directory and the files in it; LIQUID_OK when it is not there. */
int job_remove_dir(const struct job_store *store, const char *path, struct liquid_error *err);
/* When a record was made, by the clock of the storage; false: there is none. */
bool job_made_at(const struct job_store *store, const char *path, time_t *when);
int job_make_dir(const struct job_store *store, const char *path, struct liquid_error *err);
/* Names in a directory of the store, sorted; none where it is not there. liquid_names_clear() frees. */
int job_list(const struct job_store *store, const char *path, struct liquid_names *names,
	     struct liquid_error *err);
bool job_names_add(struct liquid_names *names, const char *name);
/* One publisher at a time; the descriptor is closed to unlock. -1 with err. */
int job_lock(const struct job_store *store, struct liquid_error *err);

/* job/store/mount.c: does a look at the store tell how it is now? The option that helps is in @err. */
bool job_store_fresh(const struct job_store *store, struct liquid_error *err);

#endif

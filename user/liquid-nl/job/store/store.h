/* SPDX-License-Identifier: GPL-2.0-only */
/* Records: small files, each of which appears whole or not at all. */
#ifndef LIQUID_NL_JOB_STORE_H
#define LIQUID_NL_JOB_STORE_H

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "liquidsched.h"

#define JOB_NAME_MAX 64			/* letters, digits, . _ - */
#define JOB_PATH_MAX 512
struct record_backend;
struct job_store {
	const char *dir;		/* the path as configured, for messages */
	const struct record_backend *backend;	/* NULL: the files below */
	void *link;			/* of the backend */
	bool durable;			/* sync directories: a record outlives a crash */
	int fd;				/* the open directory; -1: closed */
	uid_t keeper;			/* the owner of everything that is trusted */
};

#define JOB_RECORD_MAX (64 << 20)	/* bytes */
#define JOB_DIR_MODE 0750

/* LIQUID_OK, JOB_STORE_ABSENT, or an error; one is that other users than the keeper may write. */
#define JOB_STORE_ABSENT 1
int job_store_open(struct job_store *store, struct liquid_error *err);
void job_store_close(struct job_store *store);
/* The same, but create it if it is missing. */
int job_store_make_dir(struct job_store *store, struct liquid_error *err);
/* And all directories in it. */
int job_store_make(struct job_store *store, struct liquid_error *err);
/* Can @name be part of a file's name? */
bool job_name_fits(const char *name);
/* This node's own name: that of its slurmd, or the host's without its domain. False: none fits. */
bool job_own_name(char name[JOB_NAME_MAX + 1]);
enum job_put { JOB_PUT_DONE = 0, JOB_PUT_LOST = 1 };	/* lost: the record exists already */
/* Create @path below the store; never replaces. JOB_PUT_* or a status. Takes @json. */
int job_put(const struct job_store *store, const char *path, json_t *json,
	    struct liquid_error *err);
/* NULL: there is no such record, with "" in @err, or it cannot be read, with a reason. */
json_t *job_get(const struct job_store *store, const char *path, struct liquid_error *err);
bool job_has(const struct job_store *store, const char *path);
/* The record certainly does not exist. In an unreadable store job_has() is false as well. */
bool job_lacks(const struct job_store *store, const char *path);
/* Open a record for reading, if it is a regular file of the keeper; -1 with @err. */
int job_open(const struct job_store *store, const char *path, struct liquid_error *err);
/* As job_put(), with the whole contents of @fd. */
int job_put_file(const struct job_store *store, const char *path, int fd,
		 struct liquid_error *err);
int job_remove(const struct job_store *store, const char *path, struct liquid_error *err);
/* Open a directory below the store, or with "" the store; -1 with errno. */
int job_open_dir(const struct job_store *store, const char *path);
int job_rename(const struct job_store *store, const char *from, const char *to,
	       struct liquid_error *err);
/* Remove a directory and the files in it; LIQUID_OK if there is none. */
int job_remove_dir(const struct job_store *store, const char *path, struct liquid_error *err);
/* The time when a record was created, by the clock of the storage; false: there is none. */
bool job_made_at(const struct job_store *store, const char *path, time_t *when);
int job_make_dir(const struct job_store *store, const char *path, struct liquid_error *err);
/* The names in a directory, sorted; none if it does not exist. liquid_names_clear() frees. */
int job_list(const struct job_store *store, const char *path, struct liquid_names *names,
	     struct liquid_error *err);
bool job_names_add(struct liquid_names *names, const char *name);
/* Lock the store, for one publisher at a time. Close the descriptor to unlock; -1 with @err. */
int job_lock(const struct job_store *store, struct liquid_error *err);

#endif

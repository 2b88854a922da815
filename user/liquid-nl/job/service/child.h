/* SPDX-License-Identifier: GPL-2.0-only */
/* A program that is run with a time limit and a bound of its output: munge and unmunge. */
#ifndef LIQUID_NL_CHILD_H
#define LIQUID_NL_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CHILD_OUT 4096
#define CHILD_NS INT64_C(5000000000)	/* its time */
#define CHILD_KILLED 255

struct child {
	pid_t pid;			/* 0: none runs */
	int fd;				/* its stdout and stderr */
	int64_t until;			/* CLOCK_MONOTONIC */
	size_t used;
	char out[CHILD_OUT];
};

/* @input: at most PIPE_BUF bytes. False with errno */
bool child_start(struct child *child, char *const argv[], const char *input, size_t length);
/* -1: it still runs; else its exit code, or CHILD_KILLED where it was killed or said too much. */
int child_poll(struct child *child);
void child_kill(struct child *child);

/*
 * munge.c: a credential that only the user @reader can decode, with @payload; and what unmunge says
 * of one. NULL, or why it is refused
 */
bool munge_start(struct child *child, const char *socket, const char *payload, uid_t reader);
const char *munge_credential(struct child *child);
bool unmunge_start(struct child *child, const char *socket, const char *credential);
const char *unmunge_read(const char *out, size_t length, int code, uid_t *uid,
			 const char **payload, size_t *size);

#endif

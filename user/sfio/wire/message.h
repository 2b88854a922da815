/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Messages between compute ranks and listeners. A request is one message: the header, the runs
 * or names, and the data of a write. The answer is one as well: the header, and the data of a read.
 */
#ifndef LIQUID_SFIO_MESSAGE_H
#define LIQUID_SFIO_MESSAGE_H

#include <stdint.h>

#include "cache/cache.h"

enum kind {
	KIND_OPEN, KIND_CREATE, KIND_DELETE,	/* names behind the header */
	KIND_CLOSE,
	KIND_RESIZE,				/* runs: the size of each subfile, as ->at */
	KIND_ERRORS,
	KIND_WRITE, KIND_READ,
	KIND_WRITE_ALL, KIND_READ_ALL,		/* of a collective call */
	KIND_FINISH,
};

enum { REQUEST_LAST = 1, REQUEST_ACKNOWLEDGE = 2, REQUEST_TOKENS = 4 };

/* A compute rank has at most this number of requests for a listener under way. */
#define DEPTH	2

struct request {
	/*
	 * LAST: of the rank's in a collective call. ACKNOWLEDGE: confirm receipt. TOKENS:
	 * all ranks have equally many requests for all listeners, which answer by tokens.
	 */
	uint32_t kind, flags;
	uint32_t file;			/* number of the open file, the same on all ranks */
	uint32_t flight;		/* below DEPTH; gives the tag of the answer */
	uint32_t client;		/* compute rank */
	uint32_t runs;			/* behind the header */
	uint32_t names;			/* bytes of names: number of the subfile, path, 0 */
	uint64_t bytes;			/* of data */
	uint64_t call;			/* collective calls count from 1 */
	uint64_t round;			/* message of the rank in that call, from 0 */
};

enum { ERROR_OPEN, ERROR_CLOSE, ERROR_CREAT, ERROR_UNLINK, ERROR_FTRUNCATE, ERROR_LSEEK,
       ERROR_WRITE, ERROR_READ, ERRORS };

struct answer {
	int32_t error;			/* 0 or -errno */
	uint32_t accesses;		/* of subfiles; a round's are counted on one rank */
	uint32_t acknowledge;		/* confirm receipt */
	uint64_t epochs, unsynchronised;	/* of the listener's order so far */
	uint64_t count[ERRORS];		/* KIND_ERRORS: calls that have failed */
};

enum { TAG_REQUEST = 1, TAG_TOKEN = 2, TAG_ANSWER = 16, TAG_RECEIVED = TAG_ANSWER + DEPTH,
       TAG_TAKEN = TAG_RECEIVED + DEPTH };

#endif

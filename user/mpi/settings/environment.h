/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings of MPI programs from the environment: Documentation/mpi.rst has the table. */
#ifndef LIQUID_MPI_ENVIRONMENT_H
#define LIQUID_MPI_ENVIRONMENT_H

#include <liquidsched.h>

enum env_mode { MODE_AUTO, MODE_OFF, MODE_TOKENS, MODE_CLOCK, MODE_ORDER, MODE_SHUFFLE };
enum env_wire { ENV_WIRE_AUTO, ENV_WIRE_VERBS, ENV_WIRE_P2P };

#define RAIL_ALL UINT32_MAX		/* the ranks of a host in turn on its rails */

struct environment {
	enum env_mode mode;		/* without a fabric MODE_OFF or MODE_SHUFFLE */
	enum env_wire wire;
	char *fabric;			/* file, or NULL */
	char *plan;			/* of the job, if there is no such file; or NULL */
	char *host;			/* this rank's name in the fabric */
	uint64_t min_bytes;		/* smaller messages go the MPI's own way */
	uint64_t tail_bytes;		/* UINT64_MAX: measure */
	uint64_t window;		/* of a shuffle, packets; 0: find it */
	uint64_t packet_bytes;		/* of a shuffle: what goes to a peer in its turn */
	uint64_t buffer_bytes;		/* of a switch for one link, to find the window */
	uint32_t rail;			/* of this rank's host, from 1, or RAIL_ALL */
	char *device;			/* NULL: that of the rail, or the first that works */
	uint8_t port;			/* 0: the first that is active */
	int gid;			/* index; -1: choose */
	uint8_t sl;
	uint16_t pkey;
	char *stats;			/* file, or NULL */
	bool verbose;
	int64_t timeout_ns;		/* longest wait for tokens */
	char *devices;			/* of rails 2, 3 ..., with commas; or NULL */
	char *registration;		/* "call", "bounce" or "cache" */
};

/* LIQUID_BAD_INPUT: the error names the variable. Then nothing is held, and @env is off. */
int environment_read(struct environment *env, struct liquid_error *err);
void environment_clear(struct environment *env);
/* Make the device of @rail the only one. False: several are named, and none for it. */
bool environment_take_device(struct environment *env, uint32_t rail);

#endif

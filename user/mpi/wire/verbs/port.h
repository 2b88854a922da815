/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The port of an RDMA device over which a wire goes, and what its queue pairs share. */
#ifndef LIQUID_MPI_VERBS_PORT_H
#define LIQUID_MPI_VERBS_PORT_H

#include <infiniband/verbs.h>

#include "settings/environment.h"

#define ACK_TRIES	7		/* of a write, each of ack_timeout */

struct write;

struct port {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;		/* of all queue pairs */
	char name[IBV_SYSFS_NAME_MAX + 8];	/* "DEVICE:PORT", for messages */
	uint8_t number;
	bool ethernet;			/* RoCE: addresses are GIDs, else LIDs */
	bool global;			/* packets have a global header */
	uint8_t sl;
	uint16_t pkey_index;
	uint8_t gid_index, ack_timeout;
	union ibv_gid gid;
	uint16_t lid;
	enum ibv_mtu mtu;
	uint32_t write_max;		/* longest write, bytes */

	uint32_t credits;		/* entries of the completion queue for writes */
	uint32_t in_progress;		/* writes that are not complete */
	bool starved;			/* a queue pair has waited for a credit */
	struct write *ready, *ready_last;	/* they have left, for the caller */
	struct write *spare;		/* memory for writes */
	uint32_t spares;
};

/*
 * Open LIQUID_MPI_DEVICE, or the first port that is active. @writes and @receives are the numbers
 * that queue pairs could have in progress.
 */
int port_open(struct port *port, const struct environment *env, uint32_t writes,
	      uint32_t receives, struct liquid_error *err);
void port_close(struct port *port);

#endif

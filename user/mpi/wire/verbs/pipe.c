// SPDX-License-Identifier: LGPL-2.1-or-later
/* Joins a reliable queue pair, posts writes in parts, and hands each back when acknowledged. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wire/verbs/pipe.h"

/* How often a write is sent again. With soft-RoCE 7 would be for ever. */
#define RETRIES		(ACK_TRIES - 1)
#define RNR_TIMER	12		/* 0.64 ms: a receive is posted before it is needed */
#define HOPS		64
#define PSN_MASK	0xffffff
#define RECEIVE		(1u << 31)	/* in an id, where a write has its bytes */

/* ---- the queue pair ---- */

int pipe_open(struct pipe *pipe, struct port *port, uint32_t number, uint32_t depth,
	      uint32_t receives, struct liquid_error *err)
{
	struct ibv_qp_init_attr how = {
		.send_cq = port->cq, .recv_cq = port->cq, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = depth, .max_send_sge = 1, .max_recv_wr = receives,
			 .max_inline_data = sizeof(((struct write *)NULL)->words) },
	};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = port->number,
		.pkey_index = port->pkey_index, .qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};

	*pipe = (struct pipe){ .number = number, .depth = depth };
	pipe->qp = ibv_create_qp(port->pd, &how);
	if (!pipe->qp)
		return liquid_fail(err, LIQUID_IO, "device %s: no queue pair: %s", port->name,
				   strerror(errno));
	errno = ibv_modify_qp(pipe->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			      IBV_QP_ACCESS_FLAGS);
	return !errno ? LIQUID_OK :
	       liquid_fail(err, LIQUID_IO, "device %s: a queue pair cannot be prepared: %s",
			   port->name, strerror(errno));
}

static int make_receive(struct pipe *pipe, const struct port *port, const struct far_end *far)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR, .dest_qp_num = far->qp, .rq_psn = far->psn & PSN_MASK,
		.path_mtu = far->mtu < port->mtu ? far->mtu : port->mtu,
		.max_dest_rd_atomic = 0, .min_rnr_timer = RNR_TIMER,
		.ah_attr = { .dlid = far->lid, .sl = port->sl, .port_num = port->number,
			     .is_global = port->global },
	};

	if (port->global)
		attr.ah_attr.grh = (struct ibv_global_route){
			.dgid = far->gid, .sgid_index = port->gid_index, .hop_limit = HOPS,
		};
	return ibv_modify_qp(pipe->qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			     IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			     IBV_QP_MIN_RNR_TIMER);
}

static int make_send(struct pipe *pipe, const struct port *port, uint32_t psn)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS, .timeout = port->ack_timeout, .retry_cnt = RETRIES,
		.rnr_retry = RETRIES, .sq_psn = psn & PSN_MASK, .max_rd_atomic = 0,
	};

	return ibv_modify_qp(pipe->qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			     IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

int pipe_join(struct pipe *pipe, const struct port *port, const struct far_end *far, uint32_t psn,
	      struct liquid_error *err)
{
	if (far->ethernet != port->ethernet)
		return liquid_fail(err, LIQUID_IO, "device %s: one end is Ethernet, one InfiniBand",
				   port->name);
	errno = make_receive(pipe, port, far);
	if (!errno)
		errno = make_send(pipe, port, psn);
	return !errno ? LIQUID_OK :
	       liquid_fail(err, LIQUID_IO, "device %s: a queue pair cannot be connected: %s",
			   port->name, strerror(errno));
}

void pipe_close(struct pipe *pipe)
{
	struct write *next;

	if (pipe->qp)
		ibv_destroy_qp(pipe->qp);
	for (; pipe->first; pipe->first = next) {
		next = pipe->first->next;
		free(pipe->first);
	}
	*pipe = (struct pipe){ 0 };
}

/* ---- writes ---- */

/*
 * The next part of a write: at most what one work request can take, and cut for @ahead. A short
 * write is cut in the middle: that is reported later than it should be, but before the whole.
 */
static uint32_t next_part(const struct port *port, const struct write *write)
{
	uint64_t left = write->bytes - write->posted, last = write->bytes / 2;

	if (write->ahead < last)
		last = write->ahead;
	if (left > last)
		left -= last;
	return left < port->write_max ? (uint32_t)left : port->write_max;
}

static int post_part(struct pipe *pipe, struct port *port, struct write *write)
{
	uint32_t bytes = next_part(port, write);
	struct ibv_sge place = {
		.addr = (uintptr_t)(write->from ? write->from + write->posted :
				    (const unsigned char *)write->words),
		.length = bytes, .lkey = write->lkey,
	};
	struct ibv_send_wr *bad, work = {
		.wr_id = (uint64_t)pipe->number << 32 | bytes,
		.sg_list = &place, .num_sge = bytes > 0,
		.opcode = write->announces ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_RDMA_WRITE,
		.imm_data = htonl((uint32_t)write->words[0]),
		.send_flags = IBV_SEND_SIGNALED | (write->from ? 0 : IBV_SEND_INLINE),
		.wr.rdma = { .remote_addr = write->to + write->posted, .rkey = write->rkey },
	};
	int error = ibv_post_send(pipe->qp, &work, &bad);

	if (error)
		return error;
	pipe->in_progress++;
	port->in_progress++;
	write->posted += bytes;
	if (write->posted == write->bytes)
		pipe->unposted = write->next;
	return 0;
}

int pipe_post(struct pipe *pipe, struct port *port, struct liquid_error *err)
{
	while (pipe->unposted && pipe->in_progress < pipe->depth) {
		if (port->in_progress == port->credits) {
			port->starved = true;
			return LIQUID_OK;
		}
		errno = post_part(pipe, port, pipe->unposted);
		if (errno)
			return liquid_fail(err, LIQUID_IO, "device %s: a write cannot be posted: "
					   "%s", port->name, strerror(errno));
	}
	return LIQUID_OK;
}

void pipe_release(struct port *port, struct write *write)
{
	write->next = port->spare;
	port->spare = write;
	port->spares++;
}

bool pipe_reserve(struct port *port, uint32_t writes)
{
	while (port->spares < writes) {
		struct write *write = malloc(sizeof(*write));

		if (!write)
			return false;
		pipe_release(port, write);
	}
	return true;
}

int pipe_write(struct pipe *pipe, struct port *port, const struct write *write,
	       struct liquid_error *err)
{
	struct write *copy;

	if (!pipe_reserve(port, 1))
		return liquid_no_memory(err);
	copy = port->spare;
	port->spare = copy->next;
	port->spares--;
	*copy = *write;
	copy->next = NULL;
	copy->posted = 0;
	pipe->queued += copy->bytes;
	copy->end = pipe->queued;
	if (pipe->first)
		pipe->last->next = copy;
	else
		pipe->first = copy;
	pipe->last = copy;
	if (!pipe->unposted)
		pipe->unposted = copy;
	return pipe_post(pipe, port, err);
}

/* ---- completions ---- */

static void hand_back(struct port *port, struct write *write)
{
	if (!write->is_told) {
		pipe_release(port, write);
		return;
	}
	write->next = NULL;
	if (port->ready)
		port->ready_last->next = write;
	else
		port->ready = write;
	port->ready_last = write;
}

void pipe_acked(struct pipe *pipe, struct port *port, uint64_t id)
{
	uint32_t bytes = (uint32_t)id;
	struct write *write;

	pipe->in_progress--;
	port->in_progress--;
	pipe->acked += bytes;
	while ((write = pipe->first) && write != pipe->unposted &&
	       pipe->acked + write->ahead >= write->end) {
		pipe->first = write->next;
		hand_back(port, write);
	}
}

uint32_t pipe_number(uint64_t id)
{
	return (uint32_t)(id >> 32);
}

/* ---- what comes ---- */

int pipe_receive(struct pipe *pipe, const struct port *port, struct liquid_error *err)
{
	struct ibv_recv_wr *bad, work = { .wr_id = (uint64_t)pipe->number << 32 | RECEIVE };

	errno = ibv_post_recv(pipe->qp, &work, &bad);
	return !errno ? LIQUID_OK :
	       liquid_fail(err, LIQUID_IO, "device %s: a receive cannot be posted: %s", port->name,
			   strerror(errno));
}

bool pipe_is_receive(uint64_t id)
{
	return id & RECEIVE;
}

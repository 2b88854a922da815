// SPDX-License-Identifier: GPL-2.0-only
/* Queue pairs of rdma-alltoall. A call that fails ends the program. */
#include <arpa/inet.h>

#define NODES_MAX	1
#include "machine.h"
#include "rdma-wire.h"

#define RETRIES		3

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;

	for (int i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			context = ibv_open_device(list[i]);
	if (!context)
		fail(name);
	ibv_free_device_list(list);
	return context;
}

static void find_gid(struct wire *wire, uint32_t address, union ibv_gid *gid)
{
	const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };

	for (int i = 0; i < 256; i++)
		if (!ibv_query_gid(wire->context, 1, i, gid) && !memcmp(gid->raw, mapped, 12) &&
		    !memcmp(gid->raw + 12, &address, 4)) {
			wire->gid_index = (uint8_t)i;
			return;
		}
	errno = ENOENT;
	fail("a GID");
}

void wire_open(struct wire *wire, const char *device, uint32_t address, void *memory, size_t bytes,
	       uint32_t writes)
{
	struct card *card = &wire->cards[wire->rank];

	wire->memory = memory;
	wire->context = open_device(device);
	wire->pd = ibv_alloc_pd(wire->context);
	wire->cq = ibv_create_cq(wire->context, (int)writes + 1, NULL, NULL, 0);
	if (!wire->pd || !wire->cq)
		fail(device);
	wire->mr = ibv_reg_mr(wire->pd, memory, bytes,
			      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	if (!wire->mr)
		fail("memory region");
	find_gid(wire, address, &card->gid);
	card->address = (uintptr_t)memory;
	card->key = wire->mr->rkey;
}

static struct ibv_qp *make_qp(struct wire *wire, uint32_t writes)
{
	struct ibv_qp_init_attr how = {
		.send_cq = wire->cq, .recv_cq = wire->cq, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = writes, .max_recv_wr = 1, .max_send_sge = 1,
			 .max_recv_sge = 1, .max_inline_data = sizeof(uint64_t) },
	};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
	struct ibv_qp *qp = ibv_create_qp(wire->pd, &how);

	if (!qp || ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				 IBV_QP_ACCESS_FLAGS))
		fail("queue pair");
	return qp;
}

void wire_make_out(struct wire *wire, enum channel channel, uint32_t peer, uint32_t writes)
{
	wire->out[channel][peer] = make_qp(wire, writes + 1);
	wire->cards[wire->rank].out[channel][peer] = wire->out[channel][peer]->qp_num;
}

void wire_make_in(struct wire *wire, enum channel channel, uint32_t peer)
{
	wire->in[channel][peer] = make_qp(wire, 1);
	wire->cards[wire->rank].in[channel][peer] = wire->in[channel][peer]->qp_num;
}

static void join(const struct wire *wire, struct ibv_qp *qp, uint32_t number,
		 const union ibv_gid *gid, uint8_t timeout)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_4096, .dest_qp_num = number,
		.max_dest_rd_atomic = 1, .min_rnr_timer = 12,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .dgid = *gid, .sgid_index = wire->gid_index,
				      .hop_limit = 64 } },
	};

	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			  IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
		fail("ready to receive");
	attr = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS, .timeout = timeout,
				     .retry_cnt = RETRIES, .rnr_retry = RETRIES,
				     .max_rd_atomic = 1 };
	if (ibv_modify_qp(qp, &attr,
			  IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			  IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC))
		fail("ready to send");
}

void wire_join(struct wire *wire, uint32_t ranks, uint8_t timeout)
{
	for (uint32_t peer = 0; peer < ranks; peer++)
		for (int c = 0; c < CHANNELS; c++) {
			const struct card *card = &wire->cards[peer];

			if (wire->out[c][peer])
				join(wire, wire->out[c][peer], card->in[c][wire->rank], &card->gid,
				     timeout);
			if (wire->in[c][peer])
				join(wire, wire->in[c][peer], card->out[c][wire->rank], &card->gid,
				     timeout);
		}
}

static void post(struct wire *wire, enum channel channel, uint32_t peer, struct ibv_sge *place,
		 unsigned int flags, size_t to, uint64_t id)
{
	const struct card *card = &wire->cards[peer];
	struct ibv_send_wr *bad, work = {
		.wr_id = id, .sg_list = place, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED | flags,
		.wr.rdma = { .remote_addr = card->address + to, .rkey = card->key },
	};

	errno = ibv_post_send(wire->out[channel][peer], &work, &bad);
	if (errno)
		fail("post");
}

void wire_write(struct wire *wire, enum channel channel, uint32_t peer, size_t from, size_t bytes,
		size_t to, uint64_t id)
{
	struct ibv_sge place = {
		.addr = (uintptr_t)(wire->memory + from), .length = (uint32_t)bytes,
		.lkey = wire->mr->lkey,
	};

	post(wire, channel, peer, &place, 0, to, id);
}

void wire_write_word(struct wire *wire, enum channel channel, uint32_t peer, uint64_t word,
		     size_t to, uint64_t id)
{
	struct ibv_sge place = { .addr = (uintptr_t)&word, .length = sizeof(word) };

	post(wire, channel, peer, &place, IBV_SEND_INLINE, to, id);
}

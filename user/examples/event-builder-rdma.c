// SPDX-License-Identifier: GPL-2.0-only
/*
 * event-builder-rdma: event-builder.c with the data over RDMA (RoCE version 2)
 *
 *	cc event-builder-rdma.c $(pkg-config --cflags --libs liquidsched libibverbs)
 *
 * Each ADDRESS is that of the interface whose RDMA device the rank uses. A piece is written into
 * the other rank's memory, and takes a receive there, which completes when all of it has come. It
 * has left when the write completes: that is an acknowledgement. TCP carries what the ranks have to
 * know of each other before, and says when one has ended.
 *
 * A rank has room for two events of each other one. Who sends event 3 has all data of event 2, so
 * the other one has begun event 2, and has taken all of event 1, which event 3 overwrites.
 */
#define RDMA
#include "event-builder.c"
#include <fcntl.h>
#include <infiniband/verbs.h>

#define RETRIES		6	/* with soft-RoCE 7 would be for ever */
#define ACK_TIMEOUT	17	/* 4.096 us * 2^17: all retries take 4 s, or up to 4 times that */
#define RNR_TIMER	12	/* 0.64 ms; receives are posted before they are needed */

/* What a rank has to know of another one to write into its memory */
struct card {
	uint64_t at;
	uint32_t key, qp, psn, mtu;
};

static struct ibv_gid_entry here;
static struct ibv_comp_channel *channel;
static struct ibv_cq *cq;
static struct ibv_qp *qp[RANKS_MAX];
static struct card mine[RANKS_MAX], theirs[RANKS_MAX];
static struct ibv_mr *from, *into;
static uint64_t sent[RANKS_MAX];	/* bytes, of all events */
static bool in_flight[RANKS_MAX];

static void must(int error, const char *what)
{
	errno = error;
	check(!error, what);
}

/* Cards are exchanged by TCP with all ranks: so all have come as far as this one. */
static void rdma_meet(void)
{
	for (uint32_t rank = 0; rank < ranks; rank++)
		if (rank != me && send(out[rank], &mine[rank], sizeof(struct card),
				       MSG_NOSIGNAL) != sizeof(struct card))
			fail("rank %u has ended", rank);
	for (uint32_t rank = 0; rank < ranks; rank++)
		if (rank != me && recv(in[rank], &theirs[rank], sizeof(struct card),
				       MSG_WAITALL) != sizeof(struct card))
			fail("rank %u does not go on", rank);
}

static union ibv_gid gid_of(uint32_t rank)
{
	union ibv_gid gid = { .raw = { [10] = 0xff, [11] = 0xff } };

	memcpy(gid.raw + 12, &address[rank].sin_addr, 4);
	return gid;
}

/* The device, and in it the port and the entry, of which this rank's address is a GID */
static struct ibv_context *open_device(void)
{
	static struct ibv_gid_entry gids[1024];
	struct ibv_device **list = ibv_get_device_list(NULL);
	const union ibv_gid gid = gid_of(me);

	for (int i = 0; list && list[i]; i++) {
		struct ibv_context *context = ibv_open_device(list[i]);
		ssize_t count = context ? ibv_query_gid_table(context, gids, 1024, 0) : 0;

		while (count-- > 0) {
			here = gids[count];
			if (here.gid_type == IBV_GID_TYPE_ROCE_V2 && !memcmp(&here.gid, &gid, 16))
				return context;
		}
	}
	fail("no RDMA device has the address %s", inet_ntoa(address[me].sin_addr));
	return NULL;
}

static void post_receive(uint32_t rank)
{
	struct ibv_recv_wr *bad, work = { .wr_id = rank };

	must(ibv_post_recv(qp[rank], &work, &bad), "receive");
}

static void new_queue_pair(struct ibv_pd *pd, uint32_t rank, uint32_t receives)
{
	struct ibv_qp_init_attr how = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC, .sq_sig_all = 1,
		.cap = { .max_send_wr = 1, .max_send_sge = 1, .max_recv_wr = receives },
	};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = (uint8_t)here.port_num,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};

	qp[rank] = ibv_create_qp(pd, &how);
	check(qp[rank], "queue pair");
	must(ibv_modify_qp(qp[rank], &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			   IBV_QP_ACCESS_FLAGS), "queue pair");
	while (receives--)
		post_receive(rank);
}

static void join(uint32_t rank)
{
	uint32_t mtu = be32toh(mine[rank].mtu), other = be32toh(theirs[rank].mtu);
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = mtu < other ? mtu : other,
		.dest_qp_num = be32toh(theirs[rank].qp), .rq_psn = be32toh(theirs[rank].psn),
		.min_rnr_timer = RNR_TIMER,
		.ah_attr = { .is_global = 1, .port_num = (uint8_t)here.port_num,
			     .grh = { .dgid = gid_of(rank), .hop_limit = 64,
				      .sgid_index = (uint8_t)here.gid_index } },
		/* and of the way to it: */
		.timeout = ACK_TIMEOUT, .retry_cnt = RETRIES, .rnr_retry = RETRIES,
		.sq_psn = be32toh(mine[rank].psn),
	};

	must(ibv_modify_qp(qp[rank], &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			   IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			   IBV_QP_MIN_RNR_TIMER), "the way from a rank");
	attr.qp_state = IBV_QPS_RTS;
	must(ibv_modify_qp(qp[rank], &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			   IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC),
	     "the way to a rank");
}

static void rdma_open(const struct liquid_plan *plan, char *message)
{
	struct ibv_context *context = open_device();
	struct ibv_pd *pd = ibv_alloc_pd(context);
	char *landing = malloc(2 * ranks * bytes);
	struct ibv_port_attr port;
	int completions = 1;
	uint32_t count;
	const struct liquid_incoming *incoming = liquid_plan_incoming(plan, me, &count);

	for (uint32_t i = 0; i < count; i++)
		completions += 2 * (int)incoming[i].pieces;
	channel = ibv_create_comp_channel(context);
	check(pd && channel && !fcntl(channel->fd, F_SETFL, O_NONBLOCK) &&
	      !ibv_query_port(context, (uint8_t)here.port_num, &port), "device");
	ready = channel->fd;
	cq = ibv_create_cq(context, completions, NULL, channel, 0);
	check(cq, "completion queue");
	from = ibv_reg_mr(pd, message, bytes, 0);
	into = !landing ? NULL : ibv_reg_mr(pd, landing, 2 * ranks * bytes,
					    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	check(from && into, "memory (see ulimit -l)");
	for (uint32_t i = 0; i < count; i++) {
		uint32_t rank = incoming[i].peer;

		new_queue_pair(pd, rank, 2 * incoming[i].pieces);
		mine[rank] = (struct card){
			.at = htobe64((uintptr_t)landing + 2 * rank * bytes),
			.key = htobe32(into->rkey), .qp = htobe32(qp[rank]->qp_num),
			.psn = htobe32((uint32_t)now() & 0xffffff), .mtu = htobe32(port.active_mtu),
		};
	}
	rdma_meet();
	for (uint32_t i = 0; i < count; i++)
		join(incoming[i].peer);
	rdma_meet();
}

static void transport_receive(void)
{
	struct ibv_cq *which;
	struct ibv_wc done;
	void *context;
	char byte;

	for (uint32_t rank = 0; rank < ranks; rank++) {
		errno = 0;
		if (rank != me && recv(in[rank], &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 1 &&
		    errno != EAGAIN)
			fail("rank %u has ended", rank);
	}
	while (!ibv_get_cq_event(channel, &which, &context))
		ibv_ack_cq_events(which, 1);
	must(ibv_req_notify_cq(cq, 0), "completion queue");
	for (; ibv_poll_cq(cq, 1, &done) > 0; moved = now()) {
		uint32_t rank = (uint32_t)done.wr_id;
		const char *data = (char *)into->addr + 2 * rank * bytes + got[rank] % (2 * bytes);

		if (done.status != IBV_WC_SUCCESS)
			fail("rank %u: %s", rank, ibv_wc_status_str(done.status));
		if (done.opcode == IBV_WC_RDMA_WRITE) {
			in_flight[rank] = false;
			continue;
		}
		take(rank, data, done.byte_len);
		post_receive(rank);
	}
}

static void transport_send(uint32_t peer, const char *message, struct liquid_cut *cut)
{
	struct ibv_sge place = { .addr = (uintptr_t)message + cut->offset,
				 .length = (uint32_t)cut->main, .lkey = from->lkey };
	struct ibv_send_wr *bad, work = {
		.wr_id = peer, .sg_list = &place, .num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
		.wr.rdma = { .rkey = be32toh(theirs[peer].key), .remote_addr =
			     be64toh(theirs[peer].at) + sent[peer] % (2 * bytes) },
	};

	must(ibv_post_send(qp[peer], &work, &bad), "write");
	sent[peer] += cut->main;
	cut->main = 0;
	in_flight[peer] = true;
}

static bool transport_has_left(uint32_t peer)
{
	return !in_flight[peer];
}

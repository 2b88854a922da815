// SPDX-License-Identifier: GPL-2.0-only
/*
 * verbs: send messages by RDMA writes from every sender to every receiver, like streams over TCP
 *
 *	verbs gated|pairwise [OPTION]... NODE...
 *	  --cycles N	messages of each sender to each receiver (3)
 *	  --message N	bytes of a message (116000)
 *	  --at TAI_NS	base time
 *	  --limit S	time after the base time to give up (100)
 *
 * Node k sends by device rtk (10.1.0.k) and receives by rrk (10.2.0.k), with packets of 4 KiB over
 * a reliable connection for each pair. Gated: all messages are posted before the base time.
 * Pairwise: in step i the sender of rank r writes to the receiver of rank r + i, and waits for
 * the acknowledgement before it writes the next message. The memory of the receivers is checked
 * at the end. Prints one line of results. Returns 0 if all messages have arrived.
 */
#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <inttypes.h>

#define NODES_MAX	16
#include "plan.h"

#define NAP_NS		200000

struct port {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	unsigned char *bytes;		/* a message for (or from) each node of the other side */
	union ibv_gid gid;
	uint8_t gid_index;
};

static struct port sender[NODES_MAX], receiver[NODES_MAX];
static struct ibv_qp *out[NODES_MAX][NODES_MAX], *in[NODES_MAX][NODES_MAX];
static uint64_t step[NODES_MAX];	/* by sender: messages posted */
static uint64_t through, failed;
static int64_t last;

static unsigned char byte_of(unsigned int src, unsigned int dst, uint64_t place)
{
	return (unsigned char)((src * 31 + dst * 7 + place) * 131 >> 3);
}

/* ---- set up ---- */

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

/* Find the GID of the node's IPv4 address. */
static void find_gid(struct port *port, unsigned int net, unsigned int rank)
{
	uint32_t address = htonl(10u << 24 | net << 16 | node[rank]);

	for (int i = 0; i < 64; i++)
		if (!ibv_query_gid(port->context, 1, i, &port->gid) && port->gid.raw[10] == 0xff &&
		    port->gid.raw[11] == 0xff && !memcmp(port->gid.raw + 12, &address, 4)) {
			port->gid_index = (uint8_t)i;
			return;
		}
	errno = ENOENT;
	fail("a GID");
}

static void open_port(struct port *port, char side, unsigned int rank)
{
	char name[16];

	snprintf(name, sizeof(name), "r%c%u", side, node[rank]);
	port->context = open_device(name);
	port->pd = ibv_alloc_pd(port->context);
	port->cq = ibv_create_cq(port->context, (int)(nodes * (plan.cycles + 1)), NULL, NULL, 0);
	port->bytes = calloc(nodes, plan.message);
	if (!port->pd || !port->cq || !port->bytes)
		fail(name);
	port->mr = ibv_reg_mr(port->pd, port->bytes, nodes * plan.message,
			      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	if (!port->mr)
		fail("memory region");
	find_gid(port, side == 't' ? 1 : 2, rank);
}

static struct ibv_qp *make_qp(struct port *port)
{
	struct ibv_qp_init_attr how = {
		.send_cq = port->cq, .recv_cq = port->cq, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = (uint32_t)plan.cycles + 1, .max_recv_wr = 1,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
	struct ibv_qp *qp = ibv_create_qp(port->pd, &how);

	if (!qp || ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				 IBV_QP_ACCESS_FLAGS))
		fail("queue pair");
	return qp;
}

/* The acknowledgement timeout, 4.096 us * 2^24, is longer than any cycle. */
static void join(struct ibv_qp *qp, const struct port *port, const struct ibv_qp *peer,
		 const struct port *there)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_4096, .dest_qp_num = peer->qp_num,
		.max_dest_rd_atomic = 1, .min_rnr_timer = 12,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .dgid = there->gid, .sgid_index = port->gid_index,
				      .hop_limit = 64 } },
	};

	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			  IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
		fail("ready to receive");
	attr = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS, .timeout = 24, .retry_cnt = 7,
				     .rnr_retry = 7,
				     .max_rd_atomic = 1 };
	if (ibv_modify_qp(qp, &attr,
			  IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			  IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC))
		fail("ready to send");
}

static void open_all(void)
{
	for (unsigned int i = 0; i < nodes; i++) {
		open_port(&sender[i], 't', i);
		open_port(&receiver[i], 'r', i);
	}
	for (unsigned int s = 0; s < nodes; s++)
		for (unsigned int r = 0; r < nodes; r++) {
			out[s][r] = make_qp(&sender[s]);
			in[s][r] = make_qp(&receiver[r]);
			join(out[s][r], &sender[s], in[s][r], &receiver[r]);
			join(in[s][r], &receiver[r], out[s][r], &sender[s]);
			for (uint64_t i = 0; i < plan.message; i++)
				sender[s].bytes[r * plan.message + i] = byte_of(s, r, i);
		}
}

/* ---- the exchange ---- */

static void next_message(unsigned int src)
{
	unsigned int dst = (unsigned int)((src + step[src]++) % nodes);
	struct ibv_sge place = {
		.addr = (uintptr_t)(sender[src].bytes + dst * plan.message),
		.length = (uint32_t)plan.message,
		.lkey = sender[src].mr->lkey,
	};
	struct ibv_send_wr *bad, work = {
		.wr_id = src, .sg_list = &place, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = (uintptr_t)(receiver[dst].bytes + src * plan.message),
			     .rkey = receiver[dst].mr->rkey },
	};

	if (ibv_post_send(out[src][dst], &work, &bad))
		fail("post");
}

static void look(unsigned int src)
{
	struct ibv_wc done;

	while (ibv_poll_cq(sender[src].cq, 1, &done) > 0) {
		through++;
		failed += done.status != IBV_WC_SUCCESS;
		last = clock_ns(CLOCK_TAI);
		if (!plan.gated && step[src] < plan.cycles * nodes)
			next_message(src);
	}
}

static void run(void)
{
	const struct timespec nap = { 0, NAP_NS };

	for (unsigned int i = 0; plan.gated && i < nodes; i++)
		while (step[i] < plan.cycles * nodes)
			next_message(i);
	await_base(plan.at);
	for (unsigned int i = 0; !plan.gated && i < nodes; i++)
		next_message(i);
	while (through < plan.cycles * nodes * nodes && !failed &&
	       clock_ns(CLOCK_TAI) < plan_end()) {
		for (unsigned int i = 0; i < nodes; i++)
			look(i);
		nanosleep(&nap, NULL);
	}
}

static uint64_t count_wrong(void)
{
	uint64_t wrong = 0;

	for (unsigned int r = 0; r < nodes; r++)
		for (unsigned int s = 0; s < nodes; s++)
			for (uint64_t i = 0; i < plan.message; i++)
				wrong += receiver[r].bytes[s * plan.message + i] != byte_of(s, r,
											    i);
	return wrong;
}

int main(int argc, char **argv)
{
	uint64_t wrong, idle;
	struct load before;

	parse_plan(argc, argv, 3);
	if (plan.cycles > 1000 || plan.message > 1 << 24)
		fail("a count is too large");
	give_way();
	open_all();
	before = read_load();
	run();
	idle = idle_permille(&before);
	wrong = count_wrong();
	printf("nodes=%u expected=%" PRIu64 " arrived=%" PRIu64 " failed=%" PRIu64 " "
	       "corrupt=%" PRIu64
	       " ns=%" PRId64 " idle_permille=%" PRIu64 "\n", nodes, plan.cycles * nodes * nodes,
	       through,
	       failed, wrong, last - plan.at, idle);
	return through != plan.cycles * nodes * nodes || failed || wrong;
}

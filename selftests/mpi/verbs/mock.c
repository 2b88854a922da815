// SPDX-License-Identifier: GPL-2.0-only
/*
 * A libibverbs for LD_PRELOAD, whose queue pairs carry writes from process to process of one
 * machine by process_vm_writev(), with the faults that the environment asks for:
 *
 *	MOCK_ENTRIES=N	a completion queue has at most N entries
 *	MOCK_LATE=US	a write of more than 64 bytes is placed up to US microseconds after others
 *			that follow it on its queue pair; one with immediate waits for all before
 *	MOCK_LOSES=N	packets of N bytes and more do not leave this process: such writes fail ...
 *	MOCK_FAILS=MS	... after MS milliseconds (100)
 *	MOCK_FORK=N	the kernel does not copy pages for children, and ibv_fork_init() returns N
 *
 * A completion queue that could overrun ends the process, and a write with immediate for which no
 * receive is posted fails at once. The number of a queue pair contains its process, and where in
 * the memory of that its receives are counted.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#undef ibv_query_port
#undef ibv_reg_mr

#define PAIRS		1024
#define SMALL		64		/* bytes of a write that is never late */
#define RECEIVES	64
#define INBOXES		0x6d0c00000000

/* What has come at a queue pair with immediate, in the memory of its process */
struct inbox {
	uint64_t posted, arrived, taken;	/* receives */
	uint64_t id[RECEIVES];
	uint32_t immediate[RECEIVES];
};

struct job {
	struct job *next;
	uint64_t id, to;
	int64_t due;
	bool tells, placed;
	uint32_t immediate;
	int status;
	size_t bytes;
	char data[];
};

struct pair {
	struct ibv_qp qp;		/* first */
	bool used;
	uint32_t far;
	uint32_t sends, sends_max, receives_max;
	struct job *first, **end;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ibv_device device = { .name = "mock0", .dev_name = "mock0" };
static struct ibv_context context;
static struct pair pairs[PAIRS];
static struct inbox *inboxes;

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000L + now.tv_nsec;
}

static long setting(const char *name, long without)
{
	const char *text = getenv(name);

	return text ? atol(text) : without;
}

/* ---- between processes ---- */

static bool put(uint32_t far, void *from, uint64_t to, size_t bytes)
{
	struct iovec own = { from, bytes }, there = { (void *)to, bytes };

	return !bytes ||
	       process_vm_writev((int)(far / PAIRS), &own, 1, &there, 1, 0) == (ssize_t)bytes;
}

static bool get(uint32_t far, void *to, uint64_t from, size_t bytes)
{
	struct iovec own = { to, bytes }, there = { (void *)from, bytes };

	return process_vm_readv((int)(far / PAIRS), &own, 1, &there, 1, 0) == (ssize_t)bytes;
}

/* The job takes a receive of the other end. */
static int announce(const struct pair *pair, struct job *job)
{
	uint64_t at = (uint64_t)(inboxes + pair->far % PAIRS);
	struct inbox inbox;
	uint64_t *arrived = &inbox.arrived;

	if (!get(pair->far, &inbox, at, sizeof(inbox)))
		return IBV_WC_RETRY_EXC_ERR;
	if (*arrived == inbox.posted)
		return IBV_WC_RNR_RETRY_EXC_ERR;
	put(pair->far, &job->immediate, at + offsetof(struct inbox, immediate) +
	    *arrived % RECEIVES * sizeof(job->immediate), sizeof(job->immediate));
	++*arrived;
	put(pair->far, arrived, at + offsetof(struct inbox, arrived), sizeof(*arrived));
	return IBV_WC_SUCCESS;
}

static void place(const struct pair *pair, struct job *job)
{
	job->placed = true;
	if (job->status)
		return;
	if (!put(pair->far, job->data, job->to, job->bytes))
		job->status = IBV_WC_RETRY_EXC_ERR;
	else if (job->tells)
		job->status = announce(pair, job);
}

/* All that is due; with immediate only what has nothing before it. */
static void place_due(struct pair *pair)
{
	bool all = true;
	int64_t now = now_ns();

	for (struct job *job = pair->first; job; job = job->next) {
		if (!job->placed && job->due <= now && (all || !job->tells))
			place(pair, job);
		all &= job->placed;
	}
}

/* ---- queues ---- */

/* All that is posted may complete before the next look at the queue. */
static void look_for_room(const struct ibv_cq *cq)
{
	uint64_t work = 0;

	for (int i = 0; i < PAIRS; i++)
		if (pairs[i].used && pairs[i].qp.send_cq == cq)
			work += pairs[i].sends + inboxes[i].posted - inboxes[i].taken;
	if (work <= (uint64_t)cq->cqe)
		return;
	fprintf(stderr, "mock: %lu work requests for a queue of %d\n", work, cq->cqe);
	abort();
}

static struct job *new_job(const struct ibv_send_wr *wr)
{
	size_t bytes = wr->num_sge ? wr->sg_list[0].length : 0;
	long late = setting("MOCK_LATE", 0);
	struct job *job = calloc(1, sizeof(*job) + bytes);

	job->id = wr->wr_id;
	job->to = wr->wr.rdma.remote_addr;
	job->bytes = bytes;
	job->tells = wr->opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
	job->immediate = wr->imm_data;
	if (bytes)
		memcpy(job->data, (void *)wr->sg_list[0].addr, bytes);
	if ((long)bytes >= setting("MOCK_LOSES", bytes + 1)) {
		job->status = IBV_WC_RETRY_EXC_ERR;
		job->due = now_ns() + setting("MOCK_FAILS", 100) * 1000000;
	} else if (late && bytes > SMALL) {
		job->due = now_ns() + rand() % (late + 1) * 1000;
	}
	return job;
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct pair *pair = (struct pair *)qp;
	struct job *job;

	*bad = wr;
	if (pair->sends == pair->sends_max)
		return ENOMEM;
	job = new_job(wr);
	pthread_mutex_lock(&lock);
	pair->sends++;
	*pair->end = job;
	pair->end = &job->next;
	look_for_room(qp->send_cq);
	place_due(pair);
	pthread_mutex_unlock(&lock);
	return 0;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct pair *pair = (struct pair *)qp;
	struct inbox *inbox = &inboxes[qp->qp_num % PAIRS];

	*bad = wr;
	if (inbox->posted - inbox->taken == pair->receives_max)
		return ENOMEM;
	pthread_mutex_lock(&lock);
	inbox->id[inbox->posted % RECEIVES] = wr->wr_id;
	__atomic_add_fetch(&inbox->posted, 1, __ATOMIC_RELEASE);
	look_for_room(qp->send_cq);
	pthread_mutex_unlock(&lock);
	return 0;
}

static bool take_sent(struct pair *pair, struct ibv_wc *wc)
{
	struct job *job = pair->first;

	if (!job || !job->placed)
		return false;
	*wc = (struct ibv_wc){ .wr_id = job->id, .status = job->status,
			       .opcode = IBV_WC_RDMA_WRITE, .qp_num = pair->qp.qp_num };
	pair->first = job->next;
	if (!pair->first)
		pair->end = &pair->first;
	pair->sends--;
	free(job);
	return true;
}

static bool take_come(struct pair *pair, struct ibv_wc *wc)
{
	struct inbox *inbox = &inboxes[pair->qp.qp_num % PAIRS];

	if (__atomic_load_n(&inbox->arrived, __ATOMIC_ACQUIRE) == inbox->taken)
		return false;
	*wc = (struct ibv_wc){ .wr_id = inbox->id[inbox->taken % RECEIVES],
			       .imm_data = inbox->immediate[inbox->taken % RECEIVES],
			       .opcode = IBV_WC_RECV_RDMA_WITH_IMM, .wc_flags = IBV_WC_WITH_IMM,
			       .qp_num = pair->qp.qp_num };
	inbox->taken++;
	return true;
}

static int poll_cq(struct ibv_cq *cq, int most, struct ibv_wc *wc)
{
	int count = 0;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < PAIRS; i++) {
		if (!pairs[i].used || pairs[i].qp.send_cq != cq)
			continue;
		place_due(&pairs[i]);
		while (count < most &&
		       (take_sent(&pairs[i], &wc[count]) || take_come(&pairs[i], &wc[count])))
			count++;
	}
	pthread_mutex_unlock(&lock);
	return count;
}

/* ---- queue pairs ---- */

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	int i = 0;

	while (i < PAIRS && pairs[i].used)
		i++;
	if (i == PAIRS) {
		errno = ENOMEM;
		return NULL;
	}
	pairs[i] = (struct pair){
		.used = true, .sends_max = attr->cap.max_send_wr,
		.receives_max = attr->cap.max_recv_wr,
		.qp = { .context = pd->context, .send_cq = attr->send_cq,
			.qp_num = (uint32_t)getpid() * PAIRS + i },
	};
	pairs[i].end = &pairs[i].first;
	memset(&inboxes[i], 0, sizeof(inboxes[i]));
	return &pairs[i].qp;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	if (mask & IBV_QP_DEST_QPN)
		((struct pair *)qp)->far = attr->dest_qp_num;
	return 0;
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
	((struct pair *)qp)->used = false;
	return 0;
}

/* ---- the device ---- */

struct ibv_device **ibv_get_device_list(int *count)
{
	static struct ibv_device *list[2];

	list[0] = &device;
	if (count)
		*count = 1;
	return list;
}

void ibv_free_device_list(struct ibv_device **list)
{
	(void)list;
}

const char *ibv_get_device_name(struct ibv_device *dev)
{
	return dev->name;
}

__be64 ibv_get_device_guid(struct ibv_device *dev)
{
	(void)dev;
	return 1;
}

struct ibv_context *ibv_open_device(struct ibv_device *dev)
{
	void *at = (void *)INBOXES;

	if (!inboxes)
		inboxes = mmap(at, PAIRS * sizeof(*inboxes), PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (inboxes != at)
		return NULL;
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	context.device = dev;
	context.ops.post_send = post_send;
	context.ops.post_recv = post_recv;
	context.ops.poll_cq = poll_cq;
	return &context;
}

int ibv_close_device(struct ibv_context *of)
{
	(void)of;
	return 0;
}

int ibv_query_device(struct ibv_context *of, struct ibv_device_attr *attr)
{
	(void)of;
	*attr = (struct ibv_device_attr){ .max_cqe = (int)setting("MOCK_ENTRIES", 65536),
					  .phys_port_cnt = 1 };
	return 0;
}

int ibv_query_port(struct ibv_context *of, uint8_t port, struct _compat_ibv_port_attr *result)
{
	struct ibv_port_attr *attr = (struct ibv_port_attr *)result;

	(void)of, (void)port;
	attr->state = IBV_PORT_ACTIVE;
	attr->active_mtu = attr->max_mtu = IBV_MTU_4096;
	attr->gid_tbl_len = attr->pkey_tbl_len = 1;
	attr->max_msg_sz = 1u << 30;
	attr->link_layer = IBV_LINK_LAYER_ETHERNET;
	return 0;
}

int ibv_query_gid(struct ibv_context *of, uint8_t port, int index, union ibv_gid *gid)
{
	(void)of, (void)port, (void)index;
	*gid = (union ibv_gid){ .raw = { [10] = 0xff, [11] = 0xff, [12] = 10, [15] = 1 } };
	return 0;
}

int _ibv_query_gid_ex(struct ibv_context *of, uint32_t port, uint32_t index,
		      struct ibv_gid_entry *entry, uint32_t flags, size_t size)
{
	(void)flags, (void)size;
	entry->gid_type = IBV_GID_TYPE_ROCE_V2;
	return ibv_query_gid(of, (uint8_t)port, (int)index, &entry->gid);
}

int ibv_query_pkey(struct ibv_context *of, uint8_t port, int index, __be16 *pkey)
{
	(void)of, (void)port, (void)index;
	*pkey = htons(0xffff);
	return 0;
}

/* ---- memory and completion queues ---- */

struct ibv_pd *ibv_alloc_pd(struct ibv_context *of)
{
	struct ibv_pd *pd = calloc(1, sizeof(*pd));

	pd->context = of;
	return pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
	free(pd);
	return 0;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *of, int entries, void *own,
			     struct ibv_comp_channel *channel, int vector)
{
	struct ibv_cq *cq = calloc(1, sizeof(*cq));

	(void)own, (void)channel, (void)vector;
	cq->context = of;
	cq->cqe = entries;
	return cq;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
	free(cq);
	return 0;
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *at, size_t bytes, int access)
{
	struct ibv_mr *mr = calloc(1, sizeof(*mr));

	(void)access;
	*mr = (struct ibv_mr){ .context = pd->context, .pd = pd, .addr = at, .length = bytes,
			       .lkey = 1, .rkey = 1 };
	return mr;
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *at, size_t bytes, uint64_t iova,
				unsigned int access)
{
	(void)iova;
	return ibv_reg_mr(pd, at, bytes, (int)access);
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
	free(mr);
	return 0;
}

enum ibv_fork_status ibv_is_fork_initialized(void)
{
	return getenv("MOCK_FORK") ? IBV_FORK_DISABLED : IBV_FORK_UNNEEDED;
}

int ibv_fork_init(void)
{
	return (int)setting("MOCK_FORK", EINVAL);
}

const char *ibv_wc_status_str(enum ibv_wc_status status)
{
	return status == IBV_WC_RETRY_EXC_ERR ? "transport retry counter exceeded" : "error";
}

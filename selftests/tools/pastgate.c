// SPDX-License-Identifier: GPL-2.0-only
/*
 * pastgate: puts on a device what may send past its gate, until it is killed
 *
 *	pastgate DEV xdp	an XDP program that lets every packet pass
 *	pastgate DEV xsk	an AF_XDP socket, bound to queue 0
 *
 * Prints "ready" when that is done.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <linux/if_xdp.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROOM	(64 * 4096)	/* bytes of the memory for packets */
#define RING	32		/* descriptors of a ring */

static void __attribute__((noreturn)) fail(const char *what)
{
	fprintf(stderr, "pastgate: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int bpf(int command, union bpf_attr *attr, const char *what)
{
	long fd = syscall(SYS_bpf, command, attr, sizeof(*attr));

	if (fd < 0)
		fail(what);
	return (int)fd;
}

static void attach_program(unsigned int ifindex)
{
	static const struct bpf_insn program[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr load, link;

	memset(&load, 0, sizeof(load));
	load.prog_type = BPF_PROG_TYPE_XDP;
	load.insns = (uintptr_t)program;
	load.insn_cnt = sizeof(program) / sizeof(program[0]);
	load.license = (uintptr_t)"GPL";
	memset(&link, 0, sizeof(link));
	link.link_create.prog_fd = (uint32_t)bpf(BPF_PROG_LOAD, &load, "BPF_PROG_LOAD");
	link.link_create.target_ifindex = ifindex;
	link.link_create.attach_type = BPF_XDP;
	link.link_create.flags = XDP_FLAGS_SKB_MODE;
	bpf(BPF_LINK_CREATE, &link, "BPF_LINK_CREATE");
}

static void set(int fd, int option, const void *value, socklen_t size, const char *what)
{
	if (setsockopt(fd, SOL_XDP, option, value, size))
		fail(what);
}

static void bind_socket(unsigned int ifindex)
{
	struct sockaddr_xdp where = { .sxdp_family = AF_XDP, .sxdp_flags = XDP_COPY,
				      .sxdp_ifindex = ifindex };
	struct xdp_umem_reg memory = { .len = ROOM, .chunk_size = 4096 };
	int fd = socket(AF_XDP, SOCK_RAW, 0), ring = RING;
	void *room = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (fd < 0 || room == MAP_FAILED)
		fail("AF_XDP");
	memory.addr = (uintptr_t)room;
	set(fd, XDP_UMEM_REG, &memory, sizeof(memory), "XDP_UMEM_REG");
	set(fd, XDP_UMEM_FILL_RING, &ring, sizeof(ring), "XDP_UMEM_FILL_RING");
	set(fd, XDP_UMEM_COMPLETION_RING, &ring, sizeof(ring), "XDP_UMEM_COMPLETION_RING");
	set(fd, XDP_TX_RING, &ring, sizeof(ring), "XDP_TX_RING");
	if (bind(fd, (const struct sockaddr *)&where, sizeof(where)))
		fail("bind");
}

int main(int argc, char **argv)
{
	unsigned int ifindex = argc == 3 ? if_nametoindex(argv[1]) : 0;

	if (!ifindex || (strcmp(argv[2], "xdp") && strcmp(argv[2], "xsk"))) {
		fputs("usage: pastgate DEV xdp | xsk\n", stderr);
		return 2;
	}
	if (!strcmp(argv[2], "xdp"))
		attach_program(ifindex);
	else
		bind_socket(ifindex);
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * ynl-client: a client of the family by the code that the kernel's YNL tools make of liquid.yaml
 *
 *	ynl-client IFINDEX
 *
 * Gives the gate of the device a rate, two destinations and a schedule, prints all gates and their
 * destinations, and the text with which a wrong request is refused.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

#include "liquid-user.h"
#include "ynl.h"

#define DESTS 2

static struct ynl_sock *sock;
static unsigned int ifindex;

static int said(const char *what, int err)
{
	if (err)
		printf("%s: %s\n", what, sock->err.msg);
	return err;
}

static int set_rate(void)
{
	struct liquid_gate_set_req *req = liquid_gate_set_req_alloc();
	int err;

	liquid_gate_set_req_set_ifindex(req, ifindex);
	liquid_gate_set_req_set_gate_rate_bps(req, 1000000000);
	liquid_gate_set_req_set_gate_overhead(req, 38);
	err = said("gate-set", liquid_gate_set(sock, req));
	liquid_gate_set_req_free(req);
	return err;
}

/* Destination 0 by an IPv4 address, 1 by a mark */
static int set_dests(void)
{
	struct liquid_dest_set_req *req = liquid_dest_set_req_alloc();
	struct liquid_dest *dests = liquid_dest_alloc(DESTS);
	int i, err;

	for (i = 0; i < DESTS; i++) {
		struct liquid_key *key = liquid_key_alloc(1);

		if (i == 0)
			liquid_key_set_ipv4(key, htonl(0x0a000002));
		else
			liquid_key_set_mark(key, 7);
		liquid_dest_set_id(&dests[i], i);
		__liquid_dest_set_key(&dests[i], key, 1);
	}
	liquid_dest_set_req_set_ifindex(req, ifindex);
	__liquid_dest_set_req_set_dests_dest(req, dests, DESTS);
	err = said("dest-set", liquid_dest_set(sock, req));
	liquid_dest_set_req_free(req);
	return err;
}

static int begin(unsigned int guard_ns)
{
	struct liquid_sched_begin_req *req = liquid_sched_begin_req_alloc();
	int err;

	liquid_sched_begin_req_set_ifindex(req, ifindex);
	liquid_sched_begin_req_set_sched_frame_ns(req, 1000000);
	liquid_sched_begin_req_set_sched_guard_ns(req, guard_ns);
	liquid_sched_begin_req_set_sched_frames(req, DESTS);
	err = said("sched-begin", liquid_sched_begin(sock, req));
	liquid_sched_begin_req_free(req);
	return err;
}

static int entries(void)
{
	struct liquid_sched_entries_req *req = liquid_sched_entries_req_alloc();
	struct liquid_entry *entry = liquid_entry_alloc(DESTS);
	int i, err;

	for (i = 0; i < DESTS; i++) {
		liquid_entry_set_run(&entry[i], 1);
		liquid_entry_set_dest(&entry[i], i);
	}
	liquid_sched_entries_req_set_ifindex(req, ifindex);
	__liquid_sched_entries_req_set_entries_entry(req, entry, DESTS);
	err = said("sched-entries", liquid_sched_entries(sock, req));
	liquid_sched_entries_req_free(req);
	return err;
}

static int commit(void)
{
	struct liquid_sched_commit_req *req = liquid_sched_commit_req_alloc();
	int err;

	liquid_sched_commit_req_set_ifindex(req, ifindex);
	liquid_sched_commit_req_set_base_time(req, 0);
	err = said("sched-commit", liquid_sched_commit(sock, req));
	liquid_sched_commit_req_free(req);
	return err;
}

static void print_gate(const struct liquid_gate_get_rsp *gate)
{
	/* One that waits has not begun if nobody has looked at the clock since. */
	const struct liquid_sched *sched = gate->_present.admin ? &gate->admin : &gate->oper;

	printf("gate %u rate %llu dests %u frames %u guard %llu\n", gate->ifindex,
	       (unsigned long long)gate->gate.rate_bps, gate->state.dests, sched->frames,
	       (unsigned long long)sched->guard_ns);
}

static int print_gates(void)
{
	struct liquid_gate_get_list *list = liquid_gate_get_dump(sock);

	if (!list)
		return said("gate-get", -1);
	ynl_dump_foreach(list, gate)
		print_gate(gate);
	liquid_gate_get_list_free(list);
	return 0;
}

static void print_dest(const struct liquid_dest *dest)
{
	printf("dest %u keys %u%s%s\n", dest->id, dest->_count.key,
	       dest->key[0]._present.ipv4 ? " ipv4" : "",
	       dest->key[0]._present.mark ? " mark" : "");
}

static int print_dests(void)
{
	struct liquid_dest_get_req *req = liquid_dest_get_req_alloc();
	struct liquid_dest_get_list *list;
	unsigned int i;

	liquid_dest_get_req_set_ifindex(req, ifindex);
	list = liquid_dest_get_dump(sock, req);
	liquid_dest_get_req_free(req);
	if (!list)
		return said("dest-get", -1);
	ynl_dump_foreach(list, reply) {
		for (i = 0; i < reply->dests._count.dest; i++)
			print_dest(&reply->dests.dest[i]);
	}
	liquid_dest_get_list_free(list);
	return 0;
}

int main(int argc, char **argv)
{
	struct ynl_error error;
	int err;

	if (argc != 2)
		return 2;
	ifindex = strtoul(argv[1], NULL, 0);
	sock = ynl_sock_create(&ynl_liquid_family, &error);
	if (!sock) {
		printf("%s\n", error.msg);
		return 1;
	}
	err = set_rate() || set_dests() || begin(10000) || entries() || commit() ||
	      print_gates() || print_dests() || !begin(1000000);
	ynl_sock_destroy(sock);
	return err;
}

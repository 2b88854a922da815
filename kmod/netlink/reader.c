// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may read what
 *
 * All users may read the sums of a gate. Destinations, their counters and the frames say with whom
 * a job talks, and when: they are for the administrator of the network namespace, and for the user
 * that the schedule names. What matters is who has opened the socket and who reads from it: neither
 * may lend the other what only one of them may read.
 */
#include <linux/cred.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <net/sock.h>

#include "gate.h"
#include "netlink/reader.h"
#include "frames/schedule.h"

static bool liquid_hide_peers = true;
module_param_named(hide_peers, liquid_hide_peers, bool, 0644);
MODULE_PARM_DESC(hide_peers, "destinations and frames only for CAP_NET_ADMIN and the schedule's "
		 "user (default: Y); N: for everybody");

/* The reader that @request, of a request or a dump, comes from; in the context of that process */
struct liquid_reader liquid_reader_of(struct sk_buff *request)
{
	const struct sock *sk = NETLINK_CB(request).sk;
	struct liquid_reader reader = { .user = INVALID_UID };

	if (uid_eq(current_euid(), sk->sk_uid))
		reader.user = sk->sk_uid;
	reader.all = !READ_ONCE(liquid_hide_peers) ||
		     netlink_ns_capable(request, sock_net(sk)->user_ns, CAP_NET_ADMIN);
	return reader;
}

bool liquid_reads(const struct liquid_reader *reader, const struct liquid_sched *sched)
{
	return reader->all ||
	       (uid_valid(reader->user) && uid_eq(reader->user, sched->job.user));
}

/* The schedule is the gate's, or NULL: may the destination be read because of it? */
enum liquid_say { LIQUID_SAYS_NOTHING, LIQUID_SAYS_YES, LIQUID_SAYS_NO };

static enum liquid_say liquid_sched_says(const struct liquid_reader *reader,
					 const struct liquid_sched *sched, u32 id)
{
	if (!sched || !liquid_sched_has(sched, id))
		return LIQUID_SAYS_NOTHING;
	return liquid_reads(reader, sched) ? LIQUID_SAYS_YES : LIQUID_SAYS_NO;
}

/* A destination in schedules of several users is none of theirs: its counters are of all. */
bool liquid_reads_dest(const struct liquid_reader *reader, const struct liquid_gate *gate, u32 id)
{
	enum liquid_say oper, admin;

	if (reader->all)
		return true;
	rcu_read_lock();
	oper = liquid_sched_says(reader, rcu_dereference(gate->oper), id);
	admin = liquid_sched_says(reader, rcu_dereference(gate->admin), id);
	rcu_read_unlock();
	return max(oper, admin) == LIQUID_SAYS_YES;
}

/* A schedule of the gate is one that @reader may read. */
bool liquid_reads_gate(const struct liquid_reader *reader, const struct liquid_gate *gate)
{
	const struct liquid_sched *oper, *admin;
	bool reads;

	if (reader->all)
		return true;
	rcu_read_lock();
	oper = rcu_dereference(gate->oper);
	admin = rcu_dereference(gate->admin);
	reads = (oper && liquid_reads(reader, oper)) || (admin && liquid_reads(reader, admin));
	rcu_read_unlock();
	return reads;
}

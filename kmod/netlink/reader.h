/* SPDX-License-Identifier: GPL-2.0-only */
/* The reader of a gate, and the data that it may read */
#ifndef LIQUID_READER_H
#define LIQUID_READER_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct liquid_gate;
struct liquid_sched;
struct sk_buff;

struct liquid_reader {
	bool all;		/* destinations and frames of all users */
	kuid_t user;		/* else of this user's schedules; or INVALID_UID */
};

struct liquid_reader liquid_reader_of(struct sk_buff *request);
bool liquid_reads(const struct liquid_reader *reader, const struct liquid_sched *sched);
bool liquid_reads_dest(const struct liquid_reader *reader, const struct liquid_gate *gate, u32 id);
bool liquid_reads_gate(const struct liquid_reader *reader, const struct liquid_gate *gate);

#endif /* LIQUID_READER_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trial of gates on a few nodes, from within
 *
 * The operator starts the same command on all nodes, by srun or ssh, and gets a line of JSON from
 * each. Before each step all exchange a few numbers, by which they wait for each other and decide
 * alike. A record has only numbers and words of the kernel.
 */
#ifndef LIQUID_NL_TRIAL_H
#define LIQUID_NL_TRIAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>

#include "liquidsched.h"
#include "util/opt.h"

#define TRIAL_NODES_MAX	8
#define TRIAL_ADDRESS	64		/* an address in text, with its 0 */
#define TRIAL_WHY	512		/* a reason, with its 0 */
#define TRIAL_MARK	0x6c697100u	/* SO_MARK of packets that the gate selects */
#define TRIAL_SECOND	INT64_C(1000000000)

struct trial {
	const char *nodes;
	struct opt_list files;		/* to show */
	uint64_t seconds;		/* of each measurement */
	uint64_t wait_ns;		/* for all nodes to come */
	uint64_t rate_bps, frame_ns;	/* 0: that of the device; by the guard */
	uint16_t port;			/* of TCP and UDP */
	struct liquid_names names;
};

/* node.c; exit codes */
int trial_measure(const struct trial *trial);

/* ---- mesh.c: who takes part, and the connections between all of them ---- */

struct trial_node {
	struct sockaddr_storage at;
	socklen_t size;
	char text[TRIAL_ADDRESS];	/* its address */
};
struct trial_net {
	struct trial_node node[TRIAL_NODES_MAX];
	unsigned int count, self;
	char device[16];		/* that has this node's address */
	uint16_t port;
};
/* False with a reason, as in all of the following */
bool trial_net_find(struct trial_net *net, const struct trial *trial, char why[TRIAL_WHY]);
/* On this node's address and device; @bytes: of buffers, for the gate's packets. -1 with errno */
int trial_socket(const struct trial_net *net, int type, uint16_t port, int bytes);
bool trial_connect(const struct trial_net *net, int fd, unsigned int node, uint16_t port);
/* A connection of TCP with each node: fd[], -1 for this node, and for all after a failure */
bool trial_mesh_open(const struct trial_net *net, int bytes, uint64_t wait_ns,
		     int fd[TRIAL_NODES_MAX], char why[TRIAL_WHY]);
void trial_mesh_close(int fd[TRIAL_NODES_MAX]);
/* A node's message to all others at the begin of a step */
struct trial_word {
	int64_t step, ok;		/* the same on all; not 0 if it is ready */
	int64_t time_ns, tai_offset, error_ns;	/* its CLOCK_TAI */
	int64_t rate_bps, mtu;
	int64_t seconds, frame_ns;	/* options: the first node's count */
};
/* word[self] goes to all, and theirs come. */
bool trial_exchange(const struct trial_net *net, const int fd[TRIAL_NODES_MAX],
		    struct trial_word word[TRIAL_NODES_MAX], char why[TRIAL_WHY]);

/* ---- facts.c: properties of this node, and the cost of a measurement ---- */

/* The number in a file of the device's folder in /sys/class/net; -1: there is none */
int64_t trial_device_number(const char *device, const char *name);
json_t *trial_facts(const char *device);
/* Counters: the difference of two samples is in the record, under these names. */
enum trial_figure {
	TRIAL_NS, TRIAL_SENT, TRIAL_RECEIVED,	/* time; bytes */
	TRIAL_SEGMENTS, TRIAL_SENT_AGAIN,	/* of TCP */
	TRIAL_BUSY_MS, TRIAL_SOFTIRQ_MS,	/* of all processors */
	TRIAL_TX_DROPPED, TRIAL_RX_DROPPED,	/* by the device */
	TRIAL_FIGURES
};
extern const char *const trial_figures[TRIAL_FIGURES];
/* Time, and what /proc and the device count */
void trial_count(const char *device, int64_t figure[TRIAL_FIGURES]);

/* ---- plan.c: an all-to-all on one switch, in one frame less than there are nodes ---- */

struct trial_cycle {
	unsigned int self, count;	/* this node; of nodes */
	uint64_t error_ns;		/* largest error of a clock */
	uint64_t guard_ns, frame_ns;
	int64_t base_ns;		/* CLOCK_TAI */
	int32_t tai_offset;
};
/* False with a reason: no gate makes sense with such clocks. frame_ns 0: choose one. */
bool trial_plan_times(struct trial_cycle *cycle, uint64_t rate_bps, unsigned int mtu,
		      char why[TRIAL_WHY]);
/* Where this node sends in @frame */
uint32_t trial_plan_dest(const struct trial_cycle *cycle, uint32_t frame);

/* ---- flow.c: traffic between all nodes ---- */

struct trial_flow;
/* Connected to all nodes; @bytes of buffers. NULL with a reason */
struct trial_flow *trial_flow_open(const struct trial_net *net, bool udp, unsigned int mtu,
				   int bytes, char why[TRIAL_WHY]);
bool trial_flow_start(struct trial_flow *flow, char why[TRIAL_WHY]);
/* Bytes sent and received. 0, or errno of an error while it ran */
int trial_flow_count(struct trial_flow *flow, int64_t figure[TRIAL_FIGURES]);
void trial_flow_close(struct trial_flow *flow);

/* ---- gate.c: this node's gate ---- */

/* False with a reason: there can be no gate here. */
bool trial_gate_possible(const char *device, char why[TRIAL_WHY]);
bool trial_gate_make(const struct trial_net *net, const struct trial_cycle *cycle,
		     uint64_t rate_bps, char why[TRIAL_WHY]);
void trial_gate_renew(const char *device);
/* Only a gate is removed. False: it is still there. */
bool trial_gate_remove(const char *device);
struct gate;
/* False with a reason, also if it is open */
bool trial_gate_read(const char *device, struct gate *gate, char why[TRIAL_WHY]);
/* What its counters and histograms have more than @before */
json_t *trial_gate_json(const struct gate *before, const struct gate *after);

/* ---- summary.c: records of nodes as text ---- */

/* An exit code, after a message */
int trial_show(const struct opt_list *files);
/* @nodes: an array of records. False: they are not of one trial. */
bool trial_summary(FILE *out, const json_t *nodes);

#endif

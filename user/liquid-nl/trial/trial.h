/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trial of gates on a few nodes, from within
 *
 * Every node is started with the same arguments. The first node of the list is also the conductor,
 * in a process of its own: it listens, and tells all nodes, its own among them, what to do next. A
 * node does one thing at a time and answers in one line of JSON. What it answers under "record"
 * goes into the tarball, and has only numbers and words that no operator has chosen.
 */
#ifndef LIQUID_NL_TRIAL_H
#define LIQUID_NL_TRIAL_H

#include <jansson.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>

#include "liquidsched.h"

#define TRIAL_NODES_MAX	8
#define TRIAL_KEY_MIN	16		/* characters of a key */
#define TRIAL_HEX	33		/* a nonce in text, with its 0 */
#define TRIAL_PROOF	65		/* a proof in text, with its 0 */
#define TRIAL_ADDRESS	64		/* an address in text, with its 0 */
#define TRIAL_WHY	512		/* a reason, with its 0 */
/* Offsets of ports from --port: 0 is the conductor's, 1 a node's for TCP. */
#define TRIAL_PORT_TCP	1
#define TRIAL_PORT_STAMPS 2		/* UDP, packets whose time is taken */
#define TRIAL_PORT_UDP	3		/* UDP, and the number of the node that sends */
#define TRIAL_MARK	0x6c697100u	/* SO_MARK of packets that the gate selects */

struct trial {
	const char *nodes, *node, *device, *key, *output, *show;
	uint64_t seconds;		/* of each measurement */
	uint64_t wait_ns;		/* for the nodes to come together */
	uint64_t rate_bps, frame_ns;	/* 0: that of the device; by the guard */
	uint16_t port;
	bool json;
	struct liquid_names names;
	unsigned int self;		/* number of this node */
	struct sockaddr_storage conductor;	/* where the first node listens */
	socklen_t conductor_size;
};

/* ---- wire.c: lines of JSON on a socket, each by a deadline on CLOCK_MONOTONIC ---- */

#define TRIAL_LINE_MAX	(256 * 1024)
struct trial_wire {
	int fd;				/* -1: closed */
	char *buffer;			/* of TRIAL_LINE_MAX bytes */
	size_t used;
};
int64_t trial_deadline(uint64_t ns);
bool trial_wire_open(struct trial_wire *wire, int fd);
void trial_wire_close(struct trial_wire *wire);
/* False: timed out, or the other end has gone. Frees @json, which may be NULL. */
bool trial_put(struct trial_wire *wire, json_t *json, int64_t deadline);
/* A new object, or NULL */
json_t *trial_take(struct trial_wire *wire, int64_t deadline);
/* One read of what has come; an object once a line is whole. *@gone: no more will come. */
json_t *trial_take_some(struct trial_wire *wire, bool *gone);
/* Members of objects from outside; 0, "" or @otherwise if missing or of another type */
const char *trial_text(const json_t *json, const char *name);
int64_t trial_integer(const json_t *json, const char *name, int64_t otherwise);

/* ---- key.c: both ends prove that they have the key, which does not go over the wire ---- */

bool trial_nonce(char hex[TRIAL_HEX]);
void trial_proof(const char *key, const char *role, const char *first, const char *second,
		 char hex[TRIAL_PROOF]);
bool trial_same(const char *one, const char *other);

/* ---- names.c: who takes part; exit codes ---- */

int trial_find_self(struct trial *trial);
/* An address in text, and back with a port */
bool trial_address_text(const struct sockaddr *address, char text[TRIAL_ADDRESS]);
bool trial_address(const char *text, uint16_t port, struct sockaddr_storage *address,
		   socklen_t *size);
/* The device that has @address; the first address of @device */
bool trial_device_of(const char *address, char device[16]);
bool trial_address_of(const char *device, char address[TRIAL_ADDRESS]);

/* ---- secrets.c: the last look at what leaves a node ---- */

struct trial_secrets {
	char **word;
	size_t count, room;
};
bool trial_secrets_add(struct trial_secrets *secrets, const char *word);
/* Names and addresses of this node: of its host, its devices, its user */
bool trial_secrets_read(struct trial_secrets *secrets);
void trial_secrets_clear(struct trial_secrets *secrets);
/* Replace each text below @json that has a secret in it. */
void trial_secrets_remove(const struct trial_secrets *secrets, json_t *json);

/* ---- facts.c, facts-device.c: what this node and its device are like ---- */

json_t *trial_facts(const char *device);
json_t *trial_device_facts(const char *device);
/* The first number, or word of harmless characters, of a file; null if there is none */
json_t *trial_file_number(const char *format, ...) __attribute__((format(printf, 1, 2)));
json_t *trial_file_word(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* @text with harmless characters alone, cut off at the first other one */
json_t *trial_word(const char *text);
uint64_t trial_device_rate(const char *device);
unsigned int trial_device_mtu(const char *device);
/* Are hardware stamps of sent packets on? They are never turned on here. */
bool trial_device_stamps(const char *device);

/* ---- plan.c: an all-to-all on one switch ---- */

struct trial_plan {
	struct liquid_fabric *fabric;
	struct liquid_schedule *schedule;
	uint32_t frames;
};
int trial_plan_make(struct trial_plan *plan, unsigned int count, uint64_t rate_bps,
		    struct liquid_error *err);
void trial_plan_clear(struct trial_plan *plan);
/* Of one node: a destination for each frame; to be freed, NULL: out of memory */
uint32_t *trial_plan_slice(const struct trial_plan *plan, unsigned int node);

struct trial_times {
	uint64_t error_ns;		/* largest error of a clock */
	uint64_t guard_ns, frame_ns, cycle_ns;
};
/* False with a reason: no gate makes sense with such clocks. @frame_ns 0: choose one. */
bool trial_plan_times(struct trial_times *times, uint64_t rate_bps, unsigned int mtu,
		      uint32_t frames, uint64_t frame_ns, char why[TRIAL_WHY]);

/* A gate's cycle, as one destination sees it */
struct trial_cycle {
	const uint32_t *slice;		/* a destination for each frame */
	uint32_t frames, dest;
	int64_t base_ns;
	uint64_t frame_ns, guard_ns;
};
struct trial_place {
	bool inside;			/* in a frame of the destination, before the guard */
	bool in_guard;
	uint64_t offset_ns;		/* since the frame's begin; outside: since its end */
};
/* Where @time, ns of CLOCK_TAI, lies in the cycle */
struct trial_place trial_plan_place(const struct trial_cycle *cycle, int64_t time);

/* ---- flow.c: traffic between all nodes ---- */

enum trial_transport { TRIAL_TCP, TRIAL_UDP };
extern const char *const trial_transports[];

struct trial_flow;
struct trial_flow_args {
	enum trial_transport transport;
	const char *device;
	char (*address)[TRIAL_ADDRESS];	/* of each node */
	const char *session;		/* what connections of this trial begin with */
	unsigned int count, self, mtu;
	uint16_t port;
	size_t buffer_bytes;		/* of each socket */
};
struct trial_counts {
	uint64_t sent[TRIAL_NODES_MAX], received[TRIAL_NODES_MAX];	/* bytes */
};
/* NULL with a reason */
struct trial_flow *trial_flow_open(const struct trial_flow_args *args, char why[TRIAL_WHY]);
/* All nodes must have opened theirs. False with a reason */
bool trial_flow_connect(struct trial_flow *flow, char why[TRIAL_WHY]);
bool trial_flow_start(struct trial_flow *flow, char why[TRIAL_WHY]);
void trial_flow_count(struct trial_flow *flow, struct trial_counts *counts);
/* What went wrong while it ran, or NULL */
const char *trial_flow_wrong(const struct trial_flow *flow);
void trial_flow_close(struct trial_flow *flow);
/* A socket of the trial's own on a node's address; -1 with errno */
int trial_socket(const struct trial_flow_args *args, int type, uint16_t port, bool listening);

/* ---- stamps.c: when packets really leave, by time stamps ---- */

struct trial_stamps_args {
	const char *device;
	const char *own, *peer;		/* addresses */
	uint16_t port;
	bool hardware;
	int32_t tai_offset;
	struct trial_cycle cycle;
};
struct trial_stamps;
/* NULL with a reason */
struct trial_stamps *trial_stamps_start(const struct trial_stamps_args *args,
					char why[TRIAL_WHY]);
json_t *trial_stamps_end(struct trial_stamps *stamps);
/* ---- load.c: what it costs: processors, instructions, locks, the network's counters ---- */

struct trial_load;
struct trial_load *trial_load_begin(const char *device);
/* What was added since; frees @load */
json_t *trial_load_end(struct trial_load *load);

/* ---- gate.c: this node's gate, and the process that removes it whatever happens ---- */

struct trial_guardian {
	int fd;				/* -1: none */
	int pid;
	bool gated;			/* it was told that there will be a gate */
	char device[16];
};
bool trial_guardian_start(struct trial_guardian *guardian, const char *device);
/* Remove the gate if there is one; false: it is still there. */
bool trial_guardian_end(struct trial_guardian *guardian);

struct trial_gate_args {
	const char *device;
	char (*address)[TRIAL_ADDRESS];
	unsigned int count;
	uint64_t rate_bps, frame_ns, guard_ns;
	int64_t base_ns;
	int32_t tai_offset;
	uint32_t frames;
	const uint32_t *slice;
};
/* NULL, or why there can be no gate here; nothing has changed then. */
const char *trial_gate_possible(const char *device, char why[TRIAL_WHY]);
bool trial_gate_make(const struct trial_gate_args *args, struct trial_guardian *guardian,
		     char why[TRIAL_WHY]);
void trial_gate_renew(const char *device);
/* State, options, counters and all histograms; NULL with a reason */
json_t *trial_gate_json(const char *device, char why[TRIAL_WHY]);

/* ---- node.c, conductor.c: the two roles; exit codes ---- */

int trial_node(const struct trial *trial);
/* Listens from now on; -1 after a message */
int trial_listen(const struct trial *trial);
int trial_conduct(const struct trial *trial, int listener);
/* "liquid-nl trial: TEXT" on stderr; from a node, "liquid-nl trial: nodeN: TEXT" */
void trial_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- tarball.c: ustar ---- */

bool trial_tar_put(FILE *out, const char *name, const char *data, size_t size);
bool trial_tar_end(FILE *out);
/* A file of a tarball that is in memory; NULL: it is not there */
const char *trial_tar_find(const char *tar, size_t size, const char *name, size_t *length);

/* ---- report.c: files of the tarball, and back; exit codes ---- */

struct trial_report {
	json_t *trial;			/* trial.json */
	json_t *node[TRIAL_NODES_MAX];	/* nodeN.json */
	unsigned int count;
};
void trial_report_clear(struct trial_report *report);
int trial_report_write(const struct trial *trial, const struct trial_report *report,
		       const struct trial_plan *plan);
/* False: no report of a trial */
bool trial_report_parse(const char *tar, size_t size, struct trial_report *report);
int trial_report_show(const char *path, bool json);

/* ---- summary.c: the table ---- */

void trial_summary(FILE *out, const struct trial_report *report);

#endif

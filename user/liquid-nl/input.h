/* SPDX-License-Identifier: GPL-2.0-only */
/* What solve and verify read: a fabric's file, and the traffic that the options name. */
#ifndef LIQUID_NL_INPUT_H
#define LIQUID_NL_INPUT_H

#include "liquid.h"

/* All return an exit code and complain by themselves. */

/* @path may be "-": stdin. close_input() spares stdin. */
int open_input(const char *path, FILE **in);
void close_input(FILE *in);
int read_fabric(const char *path, struct liquid_fabric **fabric);

struct traffic_args {
	const char *traffic;		/* "alltoall", a file, or NULL: not said */
	const char *hosts, *senders, *receivers;	/* hostlists, or NULL */
};
/* Characters for getopt_long(); all at 512 and above. */
enum { OPT_TRAFFIC = 512, OPT_HOSTS, OPT_SENDERS, OPT_RECEIVERS };
#define TRAFFIC_OPTIONS \
	{ "traffic", required_argument, NULL, OPT_TRAFFIC }, \
	{ "hosts", required_argument, NULL, OPT_HOSTS }, \
	{ "senders", required_argument, NULL, OPT_SENDERS }, \
	{ "receivers", required_argument, NULL, OPT_RECEIVERS }
/* Is @option one of them? Then @value is taken. */
bool take_traffic_option(struct traffic_args *args, int option, const char *value);
bool traffic_args_given(const struct traffic_args *args);
/* @command: for the usage, when the options contradict each other */
int check_traffic_args(const struct traffic_args *args, const char *command);
int read_traffic(const struct traffic_args *args, const struct liquid_fabric *fabric,
		 struct liquid_traffic **traffic);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* `agree first`: the first node of a job is its service, for as long as the job begins. */
#ifndef LIQUID_NL_SERVICE_FIRST_H
#define LIQUID_NL_SERVICE_FIRST_H

#include "job/job.h"

/* The first of the CONF_JOB_PORTS ports of a job */
unsigned int first_port(const struct conf *conf, const char *job);
/* On that node: listen, and serve in a separate process. Exit code, after a message */
int first_serve(struct job_args *args);
/* Connect to it; if it does not answer, record why. Exit code, after a message */
int first_open(struct job_args *args);
/* The agreement is over: go on with this node's own store, with the records of the job in it. */
void first_keep(struct job_args *args, bool gated);
/* The job was not published for this node: record why, which was the last message. */
void first_failed(struct job_args *args);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* A node's side of the service: the records that it received, as a backend of the store. */
#ifndef LIQUID_NL_SERVICE_CLIENT_H
#define LIQUID_NL_SERVICE_CLIENT_H

#include "job/job.h"

struct addrinfo;
/* "HOST", "HOST:PORT" or "[ADDRESS]:PORT"; as getaddrinfo(). */
int service_resolve(const char *service, struct addrinfo **places);
/*
 * Connect, wait for the service and make it the store's backend; exit code, after a message. With
 * `agree first` it is that of the job's node @first.
 */
int service_open(struct job_args *args, const char *first);
/* Write the records of @job and of its round, as far as they are known here, to @local. */
int service_keep(const struct job_store *store, const struct job_store *local, const char *job,
		 struct liquid_error *err);

/* The address that this node calls from, and those that the controller knows for its name */
struct service_place {
	char verdict[8];		/* "same", "other", "none", "busy", or "": not answered */
	char from[64], known[256];
};
void service_ask_place(const struct job_store *store, struct service_place *place);

/*
 * Ask for the node's slice of a round, and take it when it has come. To be called until it says
 * something: the plan as text, to be freed; or with *@why a reason why there is none.
 */
bool service_slice(const struct job_store *store, const char *round, char **text, size_t *length,
		   const char **why);

#endif

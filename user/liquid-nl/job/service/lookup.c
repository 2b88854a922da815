// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which addresses does the controller's resolver have for a node's name?
 *
 * `job start` asks the same, so the answer shows whether the node could take part in a job. A
 * resolver may take long, so another process asks it.
 */
#include <string.h>

#include "job/service/server.h"

static void tell(struct session *session, const char *verdict, const char *known)
{
	char from[INET6_ADDRSTRLEN];

	address_write(&session->peer, from);
	session_send(session, known, strlen(known), "place %s %s", verdict, from);
}

/* "ADDRESS STREAM NAME": there are other lines for other kinds of sockets. */
static bool take_line(char *line, struct sockaddr_storage *address)
{
	char *rest = NULL, *text = strtok_r(line, " ", &rest), *kind = strtok_r(NULL, " ", &rest);

	return kind && !strcmp(kind, "STREAM") && address_read(text, address);
}

static void tell_known(struct session *session, char *out)
{
	char known[256] = "", text[INET6_ADDRSTRLEN], *rest = NULL;
	struct sockaddr_storage address;
	bool same = false;
	size_t used = 0;

	for (char *line = strtok_r(out, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (!take_line(line, &address))
			continue;
		same |= address_same(&address, &session->peer);
		address_write(&address, text);
		if (used + sizeof(text) + 2 < sizeof(known))
			used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
						 used ? ", " : "", text);
	}
	tell(session, same ? "same" : used ? "other" : "none", known);
}

static void lookup_ready(struct source *source, uint32_t events)
{
	struct session *session = (struct session *)((char *)source -
				  offsetof(struct session, child_source));
	struct child *child = &session->child;
	int code = child_poll(child);

	(void)events;
	if (code < 0)
		return;
	source->fd = -1;
	session->server->lookups--;
	if (code == CHILD_KILLED || child->used == sizeof(child->out)) {
		tell(session, "busy", "");
		return;
	}
	child->out[child->used] = '\0';
	tell_known(session, child->out);
}

void lookup_start(struct session *session)
{
	struct server *server = session->server;
	char *argv[] = { (char *)"getent", (char *)"ahosts", (char *)"--", session->hello.node,
			 NULL };

	if (session->looked_up || server->lookups == LOOKUPS_MAX ||
	    !child_start(&session->child, argv, "", 0)) {
		tell(session, "busy", "");
		return;
	}
	session->looked_up = true;
	server->lookups++;
	session->child_source = (struct source){ session->child.fd, lookup_ready };
	if (!server_wait(server, &session->child_source, EPOLLIN))
		session_kill(session);
}

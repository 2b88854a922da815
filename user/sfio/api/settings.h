/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The environment. Its first rank's settings count for the whole program. */
#ifndef LIQUID_SFIO_SETTINGS_H
#define LIQUID_SFIO_SETTINGS_H

#include <stddef.h>
#include <stdint.h>

enum order { ORDER_NONE, ORDER_ORDER, ORDER_TOKENS, ORDER_ROUND_ROBIN };

struct settings {
	uint32_t listeners;		/* the last ranks; 0: the last rank of each host */
	uint32_t order;			/* enum order */
	uint64_t buffer;		/* bytes */
	int64_t timeout_ns;
	char fabric[1024];
	char wrong[256];		/* their error; "": none */
};

void settings_read(struct settings *settings);
/* The name of this rank's host: LIQUID_SFIO_HOST, or that of the system */
void settings_host(char *name, size_t room);

#endif

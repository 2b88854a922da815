/* SPDX-License-Identifier: GPL-2.0-only */
/* Net devices by name, and the messages for requests that the kernel refuses. */
#ifndef LIQUID_NL_DEVICE_H
#define LIQUID_NL_DEVICE_H

#include <net/if.h>

#include "gate/gate.h"

/* EXIT_OK, or EXIT_BAD_INPUT after a message. */
int find_device(const char *name, uint32_t *ifindex);
/* The device's number, and a socket for requests to its gate; an exit code, after a message. */
int open_gate(const char *device, struct netlink *nl, uint32_t *ifindex);
/* The name now; "if7" when the device is gone. */
const char *device_name(uint32_t ifindex, char name[IF_NAMESIZE]);
/* "DEV: reason" from nl->text; EXIT_REFUSED. @device may be NULL. */
int refused(const struct netlink *nl, const char *device);
/* Print the kernel's warning to a request that succeeded. */
void pass_warning(const struct netlink *nl, const char *device);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands of liquid. */
#ifndef LIQUID_COMMANDS_H
#define LIQUID_COMMANDS_H

#include "util/command.h"
#include "util/of-liquid.h"

#define DECLARE(name) extern const struct command cmd_##name;
OF_LIQUID(DECLARE)
DECLARE(answer)

#endif

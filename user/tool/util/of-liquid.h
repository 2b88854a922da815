/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands of liquid, in the order of its help; liquid-nl runs liquid for them. */
#ifndef LIQUID_TOOL_OF_LIQUID_H
#define LIQUID_TOOL_OF_LIQUID_H

/* @each: a macro, for the name of each */
#define OF_LIQUID(each) \
	each(advise) each(fabric) each(solve) each(verify) each(slice) each(plot) each(simulate) \
	each(ranks) each(choose) each(capillary) each(route) each(matrix) each(diff)

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Covers of a kind of base frames: what they suit, and what the places of orbits use */
#ifndef LIQUID_COVER_KIND_H
#define LIQUID_COVER_KIND_H

#include "problem/cover.h"
#include "solve/symmetry/orbit.h"

/* Whether covers of @frames base frames of @kind can be searched for, and some cell is tight. */
bool cover_suits(const struct orbit_problem *problem, const struct orbit_kind *kind,
		 uint32_t frames);
/* Tell @cover the cells of all places, and the tight ones. Returns false if out of memory. */
bool cover_fill(struct cover *cover, const struct orbit_problem *problem,
		const struct orbit_kind *kind, uint32_t frames);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Orbits: place each set of units that are translations of each other once
 *
 * A subgroup H of the translations is given as the kernel of a homomorphism onto
 * the integers modulo t: a schedule that t translations carry into itself. A *base frame*
 * of that kind stands for t frames, one a coset of H; an orbit placed in it at
 * coset o puts its unit x into frame (potential of x - o) mod t. What the orbit takes of a
 * resource is the same for all resources of one H-orbit, which are one *cell* here.
 */
#ifndef LIQUID_ORBIT_H
#define LIQUID_ORBIT_H

#include "problem/budget.h"
#include "solve/symmetry/symmetry.h"

/* The orbits of the whole group, on units and on resources. */
struct orbits {
	uint32_t count;
	uint32_t *of;			/* by element: its orbit */
	uint32_t *size, *sample;	/* by orbit; one of its elements */
	uint32_t *next;			/* elements, orbit by orbit, its sample first */
	uint32_t *from;			/* by element: the one it was reached from, or itself */
	uint8_t *by;			/* and by which generator */
};

/* A kind of base frame: the homomorphism, and what follows from it. */
struct orbit_kind {
	uint32_t modulus;		/* t */
	uint32_t factor[SYMMETRY_GENERATORS_MAX];	/* what each generator counts */
	uint32_t *unit_potential, *resource_potential;
	uint32_t *unit_cosets;		/* by unit orbit: different places, a divisor of t */
	uint32_t *first_cell;		/* by resource orbit */
	uint32_t cells, words;		/* words of a mask over the cells */
	uint32_t *cell_orbit;		/* by cell: its resource orbit */
	uint32_t *grain;		/* by resource orbit: what amounts are multiples of */
	uint32_t *capacity;		/* by cell, in grains */
	uint32_t *first_slot;		/* by cell: one slot a grain */
	uint32_t *first_place;		/* by unit orbit: its places, one a coset */
	uint32_t places;
	uint64_t *mask;			/* by place; NULL where frames have many cells */
	uint32_t *first_use, *use;	/* by place: its cells, one entry a grain */
	uint32_t *first_turn;		/* by unit orbit: resource orbits of its sample ... */
	uint32_t *turn_orbit;
	uint8_t *turn;			/* ... and which of their cells, at coset 0 */
	bool *fits;			/* by unit orbit: whether it fits an empty frame */
};

/* Cosets of one base frame: sets of them are words. */
#define ORBIT_MODULUS_MAX 64u

struct orbit_problem {
	const struct units *units;
	const struct symmetry *symmetry;
	struct orbits unit_orbits, resource_orbits;
};

int orbit_problem_init(struct orbit_problem *problem, const struct units *units,
		       const struct symmetry *symmetry, struct liquid_error *err);
void orbit_problem_clear(struct orbit_problem *problem);

/* *@useful is false where the orbits do not divide evenly, or the tables would be too large. */
int orbit_kind_init(struct orbit_kind *kind, const struct orbit_problem *problem, uint32_t modulus,
		    const uint32_t *factor, bool *useful, struct liquid_error *err);
void orbit_kind_clear(struct orbit_kind *kind);

/* Base frames: so many of each kind, each used @repeat times over. */
#define ORBIT_KINDS_MAX 4
struct orbit_layout {
	uint32_t kinds;
	const struct orbit_kind *kind[ORBIT_KINDS_MAX];
	uint32_t frames[ORBIT_KINDS_MAX];
	uint32_t repeat;
};

/* A search for a place for every orbit; it can be continued. */
struct orbit_search;
int orbit_search_new(const struct orbit_problem *problem, const struct orbit_layout *layout,
		     uint64_t seed, struct orbit_search **search, struct liquid_error *err);
/* Returns the number of items without a place; 0: done. */
uint32_t orbit_search_run(struct orbit_search *search, struct budget *budget);
int orbit_search_plan(const struct orbit_search *search, struct unit_plan *plan,
		      struct liquid_error *err);
void orbit_search_free(struct orbit_search *search);

/* Variant for more than ORBIT_MANY items; orbit_eject_suits() tells where it applies. */
#define ORBIT_MANY 4096u
struct orbit_eject;
bool orbit_eject_suits(const struct orbit_problem *problem, const struct orbit_layout *layout);
int orbit_eject_new(const struct orbit_problem *problem, const struct orbit_layout *layout,
		    uint64_t seed, struct orbit_eject **search, struct liquid_error *err);
uint32_t orbit_eject_run(struct orbit_eject *search, struct budget *budget);
int orbit_eject_plan(const struct orbit_eject *search, struct unit_plan *plan,
		     struct liquid_error *err);
void orbit_eject_free(struct orbit_eject *search);

#endif

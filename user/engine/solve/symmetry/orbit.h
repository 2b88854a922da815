/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Orbits: sets of units that are translations of each other, placed together
 *
 * A subgroup H of the translations is given as the kernel of a homomorphism onto the integers
 * modulo t. A *base frame* means t frames, one for each coset of H, which the translations
 * map to each other. An orbit that is placed in it at coset o has its unit x in frame
 * (potential of x - o) mod t. It uses the same amount of all resources of an orbit of H, which
 * are therefore one *cell*. A cell's capacity is counted in *grains*, the unit of these amounts.
 */
#ifndef LIQUID_ORBIT_H
#define LIQUID_ORBIT_H

#include "problem/budget.h"
#include "solve/symmetry/symmetry.h"

/* The orbits of the whole group, on units and on resources. */
struct orbits {
	uint32_t count;
	uint32_t *of;			/* by element: its orbit */
	uint32_t *size, *sample;	/* by orbit: number of elements; one of them */
	uint32_t *next, *first;		/* elements sorted by orbit, each sample first; by orbit */
	uint32_t *from;			/* by element: its predecessor, or itself */
	uint8_t *by;			/* by element: generator that maps it from there */
};

/* A kind of base frame: the homomorphism, and tables computed from it. */
struct orbit_kind {
	uint32_t modulus;		/* t */
	uint32_t factor[SYMMETRY_GENERATORS_MAX];	/* by generator: its image modulo t */
	uint32_t *unit_potential, *resource_potential;
	uint32_t *unit_cosets;		/* by unit orbit: number of its places, a divisor of t */
	uint32_t *first_cell;		/* by resource orbit: its first cell */
	uint32_t cells;
	uint32_t *cell_orbit;		/* by cell: its resource orbit */
	uint32_t *grain;		/* by resource orbit: common divisor of the amounts */
	uint32_t *capacity;		/* by cell, in grains */
	uint64_t slots;			/* grains that all cells have room for */
	uint32_t *first_place;		/* by unit orbit: its first place; one for each coset */
	uint32_t places;
	uint32_t *first_use, *use;	/* by place: its cells, one entry for each grain */
	bool *fits;			/* by unit orbit: it fits into an empty frame */
};

/* Limit of the cosets of a base frame: a set of them is a 64-bit word. */
#define ORBIT_MODULUS_MAX 64u

struct orbit_problem {
	const struct routes *units;
	const struct symmetry *symmetry;
	struct orbits unit_orbits, resource_orbits;
};

int orbit_problem_init(struct orbit_problem *problem, const struct routes *units,
		       const struct symmetry *symmetry, struct liquid_error *err);
void orbit_problem_clear(struct orbit_problem *problem);

/*
 * A generator maps to its weight times the least number modulo @modulus that its order allows. Sets
 * *@useful to false if orbits do not divide evenly, or tables would be too large.
 */
int orbit_kind_init(struct orbit_kind *kind, const struct orbit_problem *problem, uint32_t modulus,
		    const uint32_t *weight, bool *useful, struct liquid_error *err);
void orbit_kind_clear(struct orbit_kind *kind);

/* Numbers of base frames by kind; each base frame is used @repeat times. */
#define ORBIT_KINDS_MAX 2
struct orbit_layout {
	uint32_t kinds;
	const struct orbit_kind *kind[ORBIT_KINDS_MAX];
	uint32_t frames[ORBIT_KINDS_MAX];
	uint32_t repeat;
};

/* Where an item of @orbit is: from frame @first on, which is used @repeat times */
struct orbit_place {
	const struct orbit_kind *kind;
	uint32_t orbit, coset;
	uint32_t first, repeat;
};

/*
 * Add the units of the item at @place to @plan. @left: by unit: copies without a place; a unit
 * that has none is omitted. Returns false if out of memory.
 */
bool orbit_plan_add(const struct orbit_problem *problem, const struct orbit_place *place,
		    uint32_t *left, struct unit_plan *plan);

/* Whether ejection can place @orbit in base frames of @kind */
bool orbit_has_choices(const struct orbit_kind *kind, uint32_t orbit);

/* A search for a place of each orbit, that has one in some kind; it can be continued. */
struct orbit_eject;
int orbit_eject_new(const struct orbit_problem *problem, const struct orbit_layout *layout,
		    uint64_t seed, struct orbit_eject **search, struct liquid_error *err);
/* Returns the number of items without a place; 0: done. */
uint32_t orbit_eject_run(struct orbit_eject *search, struct budget *budget);
int orbit_eject_plan(const struct orbit_eject *search, struct unit_plan *plan,
		     struct liquid_error *err);
void orbit_eject_free(struct orbit_eject *search);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inside the search for a compact schedule: choices of shifts and phases, and their results */
#ifndef LIQUID_ORBITS_SOLVER_H
#define LIQUID_ORBITS_SOLVER_H

#include "compact/bundles.h"
#include "compact/pack.h"
#include "schedule/orbits.h"

#define CHOICES_MAX 96
#define TURNS_UNITS_MAX 10000000	/* where blocks are smaller than switches have hosts */

/* Numbers that each shift of blocks is weighed with: units modulo the phases */
struct factors {
	uint32_t of[LIQUID_SHIFTS_MAX];
};

/* A way to describe the exchange */
struct choice_of_kinds {
	struct group group;		/* link_to[] are those of the solver's group */
	uint32_t fine, phases;		/* of base frames of the two kinds; 0: none */
	struct factors factors;
	struct cells cells[PACK_ARENAS];	/* while it is weighed or packed */
	uint32_t arenas, frames[PACK_ARENAS];
	uint32_t classes, *origin;
	size_t resources;		/* of all units */
	uint64_t bound;			/* frames; 0: impossible, or not tried */
	uint64_t aside;			/* the bound if it is to be tried last */
	uint32_t length;		/* as packed */
	uint64_t rating;		/* of a trial: the less, the better */
	bool rest;			/* the first arena is for what the second leaves */
	bool self;			/* units of blocks to themselves have a base frame */
	bool weighed;			/* @frames, @resources, @bound and @self are known */
	bool settled;			/* whether it is to be tried, too */
};

struct solver {
	struct group group;
	struct liquid_solve_options options;
	struct liquid_schedule_info figures;
	struct choice_of_kinds *choice;	/* room for CHOICES_MAX */
	uint32_t choices;
	uint64_t least;			/* of the bounds of choices */
	uint64_t most;			/* bounds from here on are of no use */
	uint32_t threads;		/* at least 1 */
	struct budget budget;
	/* That it is a part of: all work counts then, and its end is the end. Or NULL */
	struct budget *outer;
	struct liquid_error *err;
};

/* Is there to be no other choice, if one has been fitted? */
static inline bool solver_is_late(const struct solver *solver)
{
	return solver->outer && !budget_left(&solver->budget);
}

/* Find the size of blocks, and the choices, of which one at least is weighed. */
int choices_find(struct solver *solver);
/* Find what @choice needs, if that is not known. */
int choice_weigh(struct solver *solver, struct choice_of_kinds *choice);
/* A place of each class of @choice */
int choice_find_origins(struct solver *solver, struct choice_of_kinds *choice);
/* The cells of its kinds of base frames; also after an error they must be dropped. */
int choice_make_cells(struct solver *solver, struct choice_of_kinds *choice);
void choice_drop_cells(struct choice_of_kinds *choice);

/* Duration and fluid bound */
int result_measure(struct solver *solver);
/*
 * Make @pack for @choice, which stays where it is. @bundles: find those of the first arena
 * (LIQUID_LIMIT: there are none); NULL: each link is for itself. Call pack_free() and
 * choice_drop_cells() also on failure.
 */
int solver_start_pack(struct solver *solver, struct choice_of_kinds *choice,
		      struct bundles *bundles, struct pack *pack);
/* Try exact covers where they suit; *@schedule is replaced by what is shorter. */
int tile_choices(struct solver *solver, struct liquid_schedule **schedule);
/*
 * Cut the hosts of each switch into blocks that share base frames turn by turn, and pack them. Only
 * without shifts. *@schedule is replaced by what is shorter; LIQUID_OK also if nothing was found.
 */
int windows_solve(struct solver *solver, struct liquid_schedule **schedule);
/* A schedule of what was packed */
int result_make(struct solver *solver, struct pack *pack, const struct choice_of_kinds *choice,
		struct liquid_schedule **schedule);
/*
 * A schedule of @orbits, which it takes over: names, figures and digests. @idle: its last frame is
 * left out.
 */
int result_of(struct solver *solver, struct orbits *orbits, bool idle,
	      struct liquid_schedule **schedule);
/* @other becomes *@best if it is shorter or that is NULL; the longer one is freed. */
void result_keep(struct liquid_schedule **best, struct liquid_schedule *other);
/* The figures that depend on who takes part */
int result_take_figures(struct solver *solver, struct liquid_schedule *schedule);

/* All that is known before the search; @solver has nothing but err. Then, always, solver_end(). */
int solver_begin(struct solver *solver, const struct liquid_fabric *fabric, const uint32_t *hosts,
		 size_t count, const struct liquid_solve_options *options);
/* The best of all choices, if it is shorter than *@schedule or there is none */
int solver_search(struct solver *solver, struct liquid_schedule **schedule);
/* It may be NULL. */
void solver_end(struct solver *solver);

/* The schedule of more hosts without those that are not there; none: *@schedule stays NULL. */
int whole_solve(struct solver *solver, struct liquid_schedule **schedule);

#endif

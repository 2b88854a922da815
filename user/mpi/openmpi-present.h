/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Do all ranks of MPI_COMM_WORLD have the component? */
#ifndef LIQUID_MPI_OPENMPI_PRESENT_H
#define LIQUID_MPI_OPENMPI_PRESENT_H

#include <limits.h>

#include <ompi_config.h>

#include <ompi/communicator/communicator.h>
#include <opal/mca/base/base.h>

#define PRESENT_EVERYWHERE INT_MAX

/*
 * Announce to other processes that this one has the component, while components are opened,
 * before announcements are exchanged.
 */
void present_tell(const mca_base_component_t *component);
/*
 * Agree, among those ranks of MPI_COMM_WORLD that have it, on *@absent: a rank that does not, or
 * PRESENT_EVERYWHERE. *@first is true on one rank, or a few, of those. Returns an error of the MPI.
 */
int present_agree(const mca_base_component_t *component, struct ompi_communicator_t *world,
		  int *absent, bool *first);

#endif

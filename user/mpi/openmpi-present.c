// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A rank without the component takes no part in its exchanges, and others would wait for it. So
 * each process that has it publishes that by PMIx, and those agree without the others, on a tree of
 * all ranks.
 *
 * A rank asks for its parent and its children in the tree alone, as each question goes to a server.
 * Missing ranks get no messages; a rank that finds one missing informs its neighbors. What
 * remains of the tree hears of it, as each of its parts ends at a missing rank.
 */
#include "openmpi-present.h"

#include <stdlib.h>
#include <string.h>

#include <ompi/constants.h>
#include <ompi/mca/coll/base/coll_tags.h>
#include <ompi/mca/pml/pml.h>
#include <ompi/proc/proc.h>
#include <opal/mca/pmix/pmix.h>

#define CHILDREN 2

/* Ranks with another version may exchange other data. */
static const char version[] = "liquid " LIQUID_VERSION;

void present_tell(const mca_base_component_t *component)
{
	int status;

	/* ompi_info opens components, too, and there is no PMIx. */
	if (opal_pmix.put)
		OPAL_MODEX_SEND(status, OPAL_PMIX_GLOBAL, component, version, sizeof(version));
	(void)status;
}

static bool has_it(const mca_base_component_t *component, struct ompi_communicator_t *world,
		   int rank)
{
	ompi_proc_t *proc = ompi_comm_peer_lookup(world, rank);
	char *told = NULL;
	size_t size = 0;
	bool same;
	int status;

	if (!proc || !opal_pmix.get)
		return false;
	OPAL_MODEX_RECV(status, component, &proc->super.proc_name, (void **)&told, &size);
	same = !status && told && size == sizeof(version) && !memcmp(told, version, size);
	free(told);
	return same;
}

/* ---- the tree ---- */

static int send_to(struct ompi_communicator_t *world, int rank, const int *absent)
{
	return MCA_PML_CALL(send(absent, 1, MPI_INT, rank, MCA_COLL_BASE_TAG_ALLREDUCE,
				 MCA_PML_BASE_SEND_STANDARD, world));
}

static int receive_from(struct ompi_communicator_t *world, int rank, int *absent)
{
	int told = 0;
	int error = MCA_PML_CALL(recv(&told, 1, MPI_INT, rank, MCA_COLL_BASE_TAG_ALLREDUCE, world,
				      MPI_STATUS_IGNORE));

	if (!error && told < *absent)
		*absent = told;
	return error;
}

struct tree {
	int parent;			/* -1: none, or it does not have the component */
	int child[CHILDREN];		/* likewise */
};

/* The neighbor @rank, or -1. One that should be there and is not counts as absent. */
static int neighbor(const mca_base_component_t *component, struct ompi_communicator_t *world,
		    int rank, int *absent)
{
	if (rank < 0 || rank >= ompi_comm_size(world))
		return -1;
	if (has_it(component, world, rank))
		return rank;
	if (rank < *absent)
		*absent = rank;
	return -1;
}

static void find_tree(const mca_base_component_t *component, struct ompi_communicator_t *world,
		      struct tree *tree, int *absent)
{
	int rank = ompi_comm_rank(world);

	tree->parent = neighbor(component, world, rank ? (rank - 1) / CHILDREN : -1, absent);
	for (int i = 0; i < CHILDREN; i++)
		tree->child[i] = neighbor(component, world, CHILDREN * rank + 1 + i, absent);
}

int present_agree(const mca_base_component_t *component, struct ompi_communicator_t *world,
		  int *absent, bool *first)
{
	struct tree tree;
	int error = OMPI_SUCCESS;

	*absent = PRESENT_EVERYWHERE;
	find_tree(component, world, &tree, absent);
	*first = tree.parent < 0;
	for (int i = 0; i < CHILDREN && !error; i++)
		if (tree.child[i] >= 0)
			error = receive_from(world, tree.child[i], absent);
	if (!error && tree.parent >= 0)
		error = send_to(world, tree.parent, absent);
	if (!error && tree.parent >= 0)
		error = receive_from(world, tree.parent, absent);
	for (int i = 0; i < CHILDREN && !error; i++)
		if (tree.child[i] >= 0)
			error = send_to(world, tree.child[i], absent);
	return error;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Open MPI's component: mca_coll_liquid.so
 *
 * It has a higher priority than the MPI's own components, takes over four collectives with their
 * non-blocking forms on each communicator, and keeps the previous functions for all calls that go
 * the MPI's own way. It knows the inside of one series of Open MPI and refuses others.
 */
#include <stdlib.h>
#include <string.h>

#include <ompi_config.h>

#include <mpi.h>
#include <ompi/communicator/communicator.h>
#include <ompi/constants.h>
#include <ompi/mca/coll/base/base.h>
#include <ompi/mca/coll/coll.h>
#include <ompi/request/request.h>
#include <opal/class/opal_pointer_array.h>
#include <opal/runtime/opal_progress.h>

#include "call/call.h"
#include "openmpi-present.h"
#include "shared.h"

struct liquid_module {
	mca_coll_base_module_t super;
	struct group *group;
	mca_coll_base_comm_coll_t own;	/* what serves the communicator without this component */
	int id;				/* of the communicator; -1: not enabled */
};

/* Enabled modules, by the id of their communicator */
static opal_pointer_array_t modules;

OBJ_CLASS_DECLARATION(liquid_module);
typedef struct liquid_module liquid_module;

/* Each function of the component: its name, the names of both forms of its arguments */
#define EACH_FUNCTION(f)		\
	f(alltoall)			\
	f(alltoallv)			\
	f(ialltoall)			\
	f(ialltoallv)			\
	f(neighbor_alltoall)		\
	f(neighbor_alltoallv)		\
	f(ineighbor_alltoall)		\
	f(ineighbor_alltoallv)

static void construct(liquid_module *module)
{
	module->group = NULL;
	module->id = -1;
	memset(&module->own, 0, sizeof(module->own));
}

static void destruct(liquid_module *module)
{
	if (module->id >= 0)
		opal_pointer_array_set_item(&modules, module->id, NULL);
#define RELEASE(name)							\
	if (module->own.coll_##name##_module)				\
		OBJ_RELEASE(module->own.coll_##name##_module);
	EACH_FUNCTION(RELEASE)
}

OBJ_CLASS_INSTANCE(liquid_module, mca_coll_base_module_t, construct, destruct);

/* ---- the MPI's own way ---- */

static liquid_module *module_of(mca_coll_base_module_t *module)
{
	return (liquid_module *)module;
}

/*
 * The functions that serve @comm without this component. c_coll does not show them:
 * another component, such as monitoring, may be stacked above this one and would call it again.
 */
static const mca_coll_base_comm_coll_t *own_of(MPI_Comm comm)
{
	liquid_module *module = opal_pointer_array_get_item(&modules, (int)comm->c_contextid);

	return module ? &module->own : comm->c_coll;
}

#define OWN_EVEN(a)	(a)->send.buffer, (int)(a)->send.count, (a)->send.type,		\
			(a)->recv.buffer, (int)(a)->recv.count, (a)->recv.type
#define OWN_UNEVEN(a)	(a)->send.buffer, (a)->send.counts, (a)->send.places, (a)->send.type,	\
			(a)->recv.buffer, (a)->recv.counts, (a)->recv.places, (a)->recv.type
#define OWN(own, name, ...) ((own)->coll_##name(__VA_ARGS__, (own)->coll_##name##_module))

static int own_call(const struct args *a)
{
	const mca_coll_base_comm_coll_t *own = own_of(a->comm);

	switch (a->kind) {
	case CALL_ALLTOALL:
		return OWN(own, alltoall, OWN_EVEN(a), a->comm);
	case CALL_ALLTOALLV:
		return OWN(own, alltoallv, OWN_UNEVEN(a), a->comm);
	case CALL_NEIGHBOR_ALLTOALL:
		return OWN(own, neighbor_alltoall, OWN_EVEN(a), a->comm);
	default:
		return OWN(own, neighbor_alltoallv, OWN_UNEVEN(a), a->comm);
	}
}

static int own_start(const struct args *a, MPI_Comm comm, MPI_Request *request)
{
	const mca_coll_base_comm_coll_t *own = own_of(comm);

	switch (a->kind) {
	case CALL_ALLTOALL:
		return OWN(own, ialltoall, OWN_EVEN(a), comm, request);
	case CALL_ALLTOALLV:
		return OWN(own, ialltoallv, OWN_UNEVEN(a), comm, request);
	case CALL_NEIGHBOR_ALLTOALL:
		return OWN(own, ineighbor_alltoall, OWN_EVEN(a), comm, request);
	default:
		return OWN(own, ineighbor_alltoallv, OWN_UNEVEN(a), comm, request);
	}
}

/* ---- requests for the program ---- */

/*
 * Open MPI takes a component's request for one of this class: MPI_Ialltoall() writes the types that
 * it holds behind the request. In a generalized one that would be its functions. The header of the
 * class is not installed whole, but the class knows its size.
 */
OMPI_DECLSPEC OBJ_CLASS_DECLARATION(ompi_coll_base_nbc_request_t);

static int request_release(ompi_request_t **place)
{
	ompi_request_t *request = *place;

	if (!REQUEST_COMPLETE(request))
		return MPI_ERR_REQUEST;
	OBJ_RELEASE(request->req_mpi_object.comm);
	OMPI_REQUEST_FINI(request);
	OBJ_RELEASE(request);
	*place = MPI_REQUEST_NULL;
	return MPI_SUCCESS;
}

/* Its errors go to the error handler of @comm, which the program may free before. */
static int request_new(MPI_Comm comm, void **state, MPI_Request *mpi)
{
	opal_class_t *class = OBJ_CLASS(ompi_coll_base_nbc_request_t);
	ompi_request_t *request = (ompi_request_t *)opal_obj_new(class);

	if (!request)
		return MPI_ERR_NO_MEM;
	OMPI_REQUEST_INIT(request, false);
	request->req_type = OMPI_REQUEST_COLL;
	request->req_state = OMPI_REQUEST_ACTIVE;
	request->req_status = ompi_status_empty;
	request->req_free = request_release;
	request->req_cancel = NULL;
	request->req_mpi_object.comm = comm;
	OBJ_RETAIN(comm);
	*state = request;
	*mpi = request;
	return MPI_SUCCESS;
}

static int request_end(void *state, int error)
{
	ompi_request_t *request = state;

	request->req_status.MPI_ERROR = error;
	return ompi_request_complete(request, true);
}

static bool progresses;

static void progress_on(void)
{
	if (!progresses)
		opal_progress_register(call_progress);
	progresses = true;
}

static const struct call_ops ops = {
	.own = own_call,
	.own_start = own_start,
	.request_new = request_new,
	.request_end = request_end,
	.progress_on = progress_on,
};

/* ---- the collectives ---- */

/* Open MPI's functions have the arguments of MPI's, and the module. */
#define EVEN_ARGS	const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, int rcount, \
			MPI_Datatype rtype, MPI_Comm comm
#define EVEN_SIDES	.send = { .buffer = (void *)sbuf, .count = scount, .type = stype },	\
			.recv = { .buffer = rbuf, .count = rcount, .type = rtype }
#define UNEVEN_ARGS	const void *sbuf, const int *scounts, const int *splaces,		\
			MPI_Datatype stype, void *rbuf, const int *rcounts, const int *rplaces,	\
			MPI_Datatype rtype, MPI_Comm comm
#define UNEVEN_SIDES	.send = { .buffer = (void *)sbuf, .counts = scounts,			\
				  .places = splaces, .type = stype },				\
			.recv = { .buffer = rbuf, .counts = rcounts, .places = rplaces,		\
				  .type = rtype }

#define BLOCKING(name, number, ARGS, SIDES)							\
static int liquid_##name(ARGS, mca_coll_base_module_t *module)					\
{												\
	const struct args args = { .kind = number, SIDES, .comm = comm };			\
												\
	return call_run(&module_of(module)->group, &args);					\
}

#define NON_BLOCKING(name, number, ARGS, SIDES)							\
static int liquid_##name(ARGS, MPI_Request *request, mca_coll_base_module_t *module)		\
{												\
	const struct args args = { .kind = number, SIDES, .comm = comm };			\
												\
	return call_start(&module_of(module)->group, &args, request);				\
}

BLOCKING(alltoall, CALL_ALLTOALL, EVEN_ARGS, EVEN_SIDES)
BLOCKING(alltoallv, CALL_ALLTOALLV, UNEVEN_ARGS, UNEVEN_SIDES)
BLOCKING(neighbor_alltoall, CALL_NEIGHBOR_ALLTOALL, EVEN_ARGS, EVEN_SIDES)
BLOCKING(neighbor_alltoallv, CALL_NEIGHBOR_ALLTOALLV, UNEVEN_ARGS, UNEVEN_SIDES)
NON_BLOCKING(ialltoall, CALL_ALLTOALL, EVEN_ARGS, EVEN_SIDES)
NON_BLOCKING(ialltoallv, CALL_ALLTOALLV, UNEVEN_ARGS, UNEVEN_SIDES)
NON_BLOCKING(ineighbor_alltoall, CALL_NEIGHBOR_ALLTOALL, EVEN_ARGS, EVEN_SIDES)
NON_BLOCKING(ineighbor_alltoallv, CALL_NEIGHBOR_ALLTOALLV, UNEVEN_ARGS, UNEVEN_SIDES)

/* ---- the component ---- */

/* The one symbol that Open MPI looks for */
extern mca_coll_base_component_2_0_0_t mca_coll_liquid_component;

static int priority = 95;
static struct environment environment;

/* The environment of the first process counts for all, if none has failed. */
static int share_environment(const mca_coll_base_comm_coll_t *coll, MPI_Comm comm)
{
	int rank = ompi_comm_rank(comm), failed, first, error;
	struct shared shared;
	struct liquid_error err;

	failed = environment_read(&environment, &err) ? rank : SHARED_NONE_FAILED;
	shared_take(&shared, &environment);
	error = coll->coll_bcast(&shared, sizeof(shared), MPI_BYTE, 0, comm,
				 coll->coll_bcast_module);
	if (!error)
		error = coll->coll_allreduce(&failed, &first, 1, MPI_INT, MPI_MIN, comm,
					     coll->coll_allreduce_module);
	if (error)
		return error;
	if (first == rank)
		fprintf(stderr, "liquid: %s\n", err.text);
	shared_give(&shared, first, &environment);
	call_open(&environment, &ops, rank);
	return OMPI_SUCCESS;
}

/* Others would wait in each call for the rank @absent. It is said only if liquid is wanted. */
static int do_nothing(MPI_Comm comm, int absent, bool says)
{
	struct liquid_error err;

	if (!environment_read(&environment, &err) && environment.mode != MODE_OFF && says)
		fprintf(stderr, "liquid: rank %d does not have this mca_coll_liquid.so, so all "
			"ranks go the MPI's own way\n", absent);
	environment.mode = MODE_OFF;
	call_open(&environment, &ops, ompi_comm_rank(comm));
	return OMPI_SUCCESS;
}

static int openmpi_begin(const mca_coll_base_comm_coll_t *coll, MPI_Comm comm)
{
	int absent, error;
	bool first;

	error = present_agree(&mca_coll_liquid_component.collm_version, comm, &absent, &first);
	if (error)
		return error;
	return absent == PRESENT_EVERYWHERE ? share_environment(coll, comm) :
	       do_nothing(comm, absent, first);
}

/* Components are enabled by rising priority: the present one is the MPI's own. */
static int enable(mca_coll_base_module_t *super, struct ompi_communicator_t *comm)
{
	liquid_module *module = module_of(super);

#define SAVE(name)								\
	if (!comm->c_coll->coll_##name)						\
		return OMPI_ERR_NOT_AVAILABLE;					\
	module->own.coll_##name = comm->c_coll->coll_##name;			\
	module->own.coll_##name##_module = comm->c_coll->coll_##name##_module;	\
	OBJ_RETAIN(module->own.coll_##name##_module);
	EACH_FUNCTION(SAVE)
	if (opal_pointer_array_set_item(&modules, (int)comm->c_contextid, module))
		return OMPI_ERR_OUT_OF_RESOURCE;
	module->id = (int)comm->c_contextid;
	return comm == MPI_COMM_WORLD ? openmpi_begin(comm->c_coll, comm) : OMPI_SUCCESS;
}

/* For a communicator for which there is no memory: others would wait for this rank there. */
static liquid_module *spare;

static liquid_module *new_module(void)
{
	liquid_module *module = OBJ_NEW(liquid_module);

	if (!module) {
		module = spare;
		spare = NULL;
	} else if (!spare) {
		spare = OBJ_NEW(liquid_module);
	}
	return module;
}

static mca_coll_base_module_t *comm_query(struct ompi_communicator_t *comm, int *given)
{
	liquid_module *module;

	if (OMPI_COMM_IS_INTER(comm) || ompi_comm_size(comm) < 2)
		return NULL;
	module = new_module();
	if (!module)
		return NULL;
	*given = priority;
	module->super.coll_module_enable = enable;
#define OFFER(name)	module->super.coll_##name = liquid_##name;
	EACH_FUNCTION(OFFER)
	return &module->super;
}

/* "Open MPI v4.1.4, package: ..." of the library that is loaded, which mpi.h may not be of */
static int check_series(void)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING], series[64];
	int length;

	PMPI_Get_library_version(text, &length);
	snprintf(series, sizeof(series), "Open MPI v%d.%d.", OMPI_MAJOR_VERSION,
		 OMPI_MINOR_VERSION);
	if (!strncmp(text, series, strlen(series)))
		return OMPI_SUCCESS;
	fprintf(stderr, "liquid: mca_coll_liquid.so was built for %sx and does nothing in %.*s\n",
		series, (int)strcspn(text, ","), text);
	return OMPI_ERR_NOT_SUPPORTED;
}

static int register_parameters(void)
{
	mca_base_component_var_register(&mca_coll_liquid_component.collm_version, "priority",
					"Above that of the components that it replaces",
					MCA_BASE_VAR_TYPE_INT, NULL, 0, 0, OPAL_INFO_LVL_6,
					MCA_BASE_VAR_SCOPE_READONLY, &priority);
	return OMPI_SUCCESS;
}

/* After an error Open MPI closes the component. */
static int open_component(void)
{
	int error;

	OBJ_CONSTRUCT(&modules, opal_pointer_array_t);
	error = check_series();
	if (error)
		return error;
	spare = OBJ_NEW(liquid_module);
	if (!spare)
		return OMPI_ERR_OUT_OF_RESOURCE;
	present_tell(&mca_coll_liquid_component.collm_version);
	return OMPI_SUCCESS;
}

/* The component may be unloaded after this. */
static int close_component(void)
{
	if (progresses)
		opal_progress_unregister(call_progress);
	progresses = false;
	environment_clear(&environment);
	if (spare)
		OBJ_RELEASE(spare);
	spare = NULL;
	OBJ_DESTRUCT(&modules);
	return OMPI_SUCCESS;
}

static int init_query(bool progress_threads, bool mpi_threads)
{
	(void)progress_threads, (void)mpi_threads;
	return OMPI_SUCCESS;
}

__attribute__((visibility("default"))) mca_coll_base_component_2_0_0_t mca_coll_liquid_component = {
	.collm_version = {
		MCA_COLL_BASE_VERSION_2_0_0,
		.mca_component_name = "liquid",
		MCA_BASE_MAKE_VERSION(component, OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION,
				      OMPI_RELEASE_VERSION),
		.mca_open_component = open_component,
		.mca_close_component = close_component,
		.mca_register_component_params = register_parameters,
	},
	.collm_data = { MCA_BASE_METADATA_PARAM_CHECKPOINT },
	.collm_init_query = init_query,
	.collm_comm_query = comm_query,
};

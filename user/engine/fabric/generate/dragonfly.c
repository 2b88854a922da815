// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Dragonflies (Kim et al., 2008) with minimal routes: local, global, local.
 *
 * There are @groups groups of @a routers, a * h + 1 if nothing else is said. A router has @p hosts
 * and up to @h global cables. Any two groups are joined by as many cables as their ports allow: one
 * between a * h + 1 groups. Global port n of group i (on router n / h) leads to group
 * i + n % (groups - 1) + 1 modulo the number of groups; ports that are left over have no cable.
 *
 * Of several cables to a group, a router with cables of its own takes one of those, by the number
 * of the router that it sends to; another takes one of all, by the sum of both numbers and of how
 * many groups ahead the other group is.
 */
#include "fabric/generate/generate.h"

struct dragonfly {
	uint32_t a, p, h;
	uint32_t groups, cables;	/* cables: between two groups */
};

/* A router's ports: hosts, the other routers of its group in order, global cables. */
static uint32_t host_port(const struct dragonfly *f, uint32_t host)
{
	return 1 + host % f->p;
}

static uint32_t local_port(const struct dragonfly *f, uint32_t from, uint32_t to)
{
	return 1 + f->p + (to > from ? to - 1 : to);
}

static uint32_t global_port(const struct dragonfly *f, uint32_t n)
{
	return f->p + f->a + n % f->h;
}

/* Global port of group @from that leads to group @to by the cable of this number. */
static uint32_t global_to(const struct dragonfly *f, uint32_t from, uint32_t to, uint32_t cable)
{
	return cable * (f->groups - 1) + (to + f->groups - from) % f->groups - 1;
}

static int dragonfly_params(struct dragonfly *f, struct gen_params *params,
			    struct liquid_error *err)
{
	int status = gen_number(params, "a", 1, 256, &f->a, err);

	if (!status)
		status = gen_number(params, "p", 1, 256, &f->p, err);
	if (!status)
		status = gen_number(params, "h", 1, 256, &f->h, err);
	f->groups = f->a * f->h + 1;
	if (!status)
		status = gen_number(params, "groups", 2, f->groups, &f->groups, err);
	f->cables = f->a * f->h / (f->groups - 1);
	if (!status && (uint64_t)f->groups * f->a * f->p > FABRIC_HOSTS_MAX)
		status = liquid_fail(err, LIQUID_BAD_INPUT, "more than %u hosts", FABRIC_HOSTS_MAX);
	return status ? status : gen_params_done(params, err);
}

static int local_links(struct liquid_fabric *fabric, const struct dragonfly *f, uint32_t group,
		       struct liquid_error *err)
{
	uint32_t first = fabric->hosts + group * f->a;
	int status = LIQUID_OK;

	for (uint32_t i = 0; i < f->a; i++)
		for (uint32_t j = i + 1; j < f->a && !status; j++)
			status = fabric_add_cable(fabric, first + i, local_port(f, i, j), first + j,
						  local_port(f, j, i), 1, err);
	return status;
}

static int global_links(struct liquid_fabric *fabric, const struct dragonfly *f, uint32_t group,
			struct liquid_error *err)
{
	int status = LIQUID_OK;

	for (uint32_t other = group + 1; other < f->groups; other++)
		for (uint32_t c = 0; c < f->cables && !status; c++) {
			uint32_t there = global_to(f, group, other, c);
			uint32_t back = global_to(f, other, group, c);

			status = fabric_add_cable(fabric,
						  fabric->hosts + group * f->a + there / f->h,
						  global_port(f, there),
						  fabric->hosts + other * f->a + back / f->h,
						  global_port(f, back), 1, err);
		}
	return status;
}

/* The global port of group @from by which @router there sends to router @to of group @target. */
static uint32_t global_for(const struct dragonfly *f, uint32_t from, uint32_t router,
			   uint32_t target, uint32_t to)
{
	uint32_t own = 0, ahead = (target + f->groups - from) % f->groups, nth;

	for (uint32_t c = 0; c < f->cables; c++)
		own += global_to(f, from, target, c) / f->h == router;
	nth = own ? to % own : (router + to + ahead) % f->cables;
	for (uint32_t c = 0;; c++) {
		uint32_t n = global_to(f, from, target, c);

		if ((!own || n / f->h == router) && !nth--)
			return n;
	}
}

/* The port by which router @sw sends to another router @to, or what is behind it. */
static uint32_t next_port(const struct dragonfly *f, uint32_t sw, uint32_t to)
{
	uint32_t group = sw / f->a, router = sw % f->a, target = to / f->a, n;

	if (group == target)
		return local_port(f, router, to % f->a);
	n = global_for(f, group, router, target, to % f->a);
	if (n / f->h == router)
		return global_port(f, n);
	return local_port(f, router, n / f->h);
}

/* To all hosts of router @to: others have one way to them. */
static int dragonfly_routes(struct liquid_fabric *fabric, const struct dragonfly *f, uint32_t to,
			    struct liquid_error *err)
{
	int status = LIQUID_OK;

	for (uint32_t sw = 0; sw < fabric->switches; sw++) {
		uint32_t port = sw == to ? 0 : next_port(f, sw, to);

		for (uint32_t dst = to * f->p; dst < (to + 1) * f->p && !status; dst++) {
			uint32_t out = fabric_find_link(fabric, fabric->hosts + sw,
							sw == to ? host_port(f, dst) : port);

			status = liquid_fabric_set_forward(fabric, sw, dst, out, err);
		}
	}
	return status;
}

int generate_dragonfly(struct liquid_fabric *fabric, struct gen_params *params,
		       struct liquid_error *err)
{
	struct dragonfly f = { .a = 4, .p = 2, .h = 2 };
	int status = dragonfly_params(&f, params, err);

	if (!status)
		status = gen_hosts(fabric, "h%u", f.groups * f.a * f.p, err);
	if (!status)
		status = gen_switches(fabric, "r%u", f.groups * f.a, err);
	for (uint32_t h = 0; h < fabric->hosts && !status; h++)
		status = fabric_add_cable(fabric, h, 1, fabric->hosts + h / f.p, host_port(&f, h),
					  1, err);
	for (uint32_t g = 0; g < f.groups && !status; g++)
		status = local_links(fabric, &f, g, err);
	for (uint32_t g = 0; g < f.groups && !status; g++)
		status = global_links(fabric, &f, g, err);
	for (uint32_t to = 0; to < fabric->switches && !status; to++)
		status = dragonfly_routes(fabric, &f, to, err);
	return status;
}

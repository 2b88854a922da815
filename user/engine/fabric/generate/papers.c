// SPDX-License-Identifier: LGPL-2.1-or-later
/* The networks of the papers. Senders have one outgoing link, receivers one incoming link. */
#include "fabric/generate/generate.h"

/* Add a link between a host and its switch. */
static int host_link(struct liquid_fabric *fabric, uint32_t from, uint32_t to,
		     struct liquid_error *err)
{
	struct liquid_link link = { .from = from, .to = to, .capacity = 1 };

	return liquid_fabric_add_link(fabric, &link, err);
}

/* Connect sender and receiver @i of @count to switch @sw. */
static int node_pair(struct liquid_fabric *fabric, uint32_t i, uint32_t count, uint32_t sw,
		     struct liquid_error *err)
{
	int status = host_link(fabric, i, fabric->hosts + sw, err);

	if (!status)
		status = host_link(fabric, fabric->hosts + sw, count + i, err);
	if (!status)
		status = liquid_fabric_set_forward(fabric, sw, count + i,
						   fabric->host[count + i].in, err);
	return status;
}

/* t1..t3 and r1..r3 on switch sa, the others on sb; 5 + 5 + 2 links. */
int generate_papers_5x5(struct liquid_fabric *fabric, struct gen_params *params,
			struct liquid_error *err)
{
	int status = gen_params_done(params, err);

	if (!status)
		status = gen_hosts(fabric, "t%u", 5, err);
	if (!status)
		status = gen_hosts(fabric, "r%u", 5, err);
	if (!status)
		status = liquid_fabric_add_switch(fabric, "sa", err);
	if (!status)
		status = liquid_fabric_add_switch(fabric, "sb", err);
	for (uint32_t i = 0; i < 5 && !status; i++)
		status = node_pair(fabric, i, 5, i < 3 ? 0 : 1, err);
	if (!status)
		status = fabric_add_cable(fabric, 10, 0, 11, 0, 1, err);
	/* Link 10 goes from sa to sb, link 11 back */
	for (uint32_t i = 0; i < 5 && !status; i++)
		status = liquid_fabric_set_forward(fabric, i < 3 ? 1 : 0, 5 + i, i < 3 ? 11 : 10,
						   err);
	return status;
}

#define T1_SWITCHES 8u
#define T1_NODES 32u

/* Table 2: the next switch from switch i to switch j, from 1; 0: they are neighbours. */
static const uint8_t t1_through[T1_SWITCHES][T1_SWITCHES] = {
	{ 0, 0, 2, 0, 4, 0, 8, 0 },
	{ 0, 0, 0, 7, 0, 3, 0, 5 },
	{ 2, 0, 0, 0, 4, 0, 8, 0 },
	{ 0, 7, 0, 0, 0, 7, 0, 3 },
	{ 4, 0, 4, 0, 0, 0, 6, 0 },
	{ 0, 3, 0, 7, 0, 0, 0, 1 },
	{ 8, 0, 8, 0, 6, 0, 0, 0 },
	{ 0, 5, 0, 3, 0, 1, 0, 0 },
};

/* Add the cables of Figure 39; link[i][j] becomes the link from switch i to switch j. */
static int t1_cables(struct liquid_fabric *fabric, uint32_t link[T1_SWITCHES][T1_SWITCHES],
		     struct liquid_error *err)
{
	int status = LIQUID_OK;

	for (uint32_t i = 0; i < T1_SWITCHES; i++)
		for (uint32_t j = i + 1; j < T1_SWITCHES && !status; j++) {
			if (t1_through[i][j])
				continue;
			link[i][j] = fabric->links;
			link[j][i] = fabric->links + 1;
			status = fabric_add_cable(fabric, fabric->hosts + i, 0, fabric->hosts + j,
						  0, 1, err);
		}
	return status;
}

int generate_swiss_t1(struct liquid_fabric *fabric, struct gen_params *params,
		      struct liquid_error *err)
{
	uint32_t link[T1_SWITCHES][T1_SWITCHES];
	uint32_t on, via;
	int status = gen_params_done(params, err);

	if (!status)
		status = gen_hosts(fabric, "t%u", T1_NODES, err);
	if (!status)
		status = gen_hosts(fabric, "r%u", T1_NODES, err);
	if (!status)
		status = gen_switches(fabric, "s%u", T1_SWITCHES, err);
	for (uint32_t i = 0; i < T1_NODES && !status; i++)
		status = node_pair(fabric, i, T1_NODES, i / 4, err);
	if (!status)
		status = t1_cables(fabric, link, err);
	for (uint32_t i = 0; i < T1_NODES; i++)
		for (uint32_t sw = 0; sw < T1_SWITCHES && !status; sw++) {
			on = i / 4;
			if (sw == on)
				continue;
			via = t1_through[sw][on] ? t1_through[sw][on] - 1u : on;
			status = liquid_fabric_set_forward(fabric, sw, T1_NODES + i, link[sw][via],
							   err);
		}
	return status;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wormhole: a worm holds all links that it has got until its last byte is delivered
 *
 * A port has one worm at a time. Its packets stay in their TX queue until they are
 * through, so what the worm is made of shows as it flows.
 */
#include <linux/string.h>

#include "model.h"

static struct list_head *lfab_worm_queue(struct lfab_model *model, const struct lfab_worm *worm)
{
	struct lfab_port *port = &model->port[worm->port];

	return &port->queue[port->turn];
}

static struct lfab_packet *lfab_worm_head(struct lfab_model *model, const struct lfab_worm *worm)
{
	return list_first_entry_or_null(lfab_worm_queue(model, worm), struct lfab_packet, node);
}

/* The time of a byte from one end of the path to the other, ns */
static u64 lfab_worm_delay(const struct lfab_model *model, const struct lfab_worm *worm)
{
	return (u64)(worm->links - 1) * model->hop_ns;
}

static void lfab_worm_flow(struct lfab_model *model, struct lfab_worm *worm,
			   const struct lfab_packet *packet)
{
	worm->bytes += packet->wire;
	lfab_schedule(model, &worm->event, worm->start + lfab_wire_ns(model, worm->bytes),
		      LFAB_THROUGH, worm->port);
}

/* The worm has all links that it needs. */
static void lfab_worm_begin(struct lfab_model *model, struct lfab_worm *worm, u64 time)
{
	worm->start = time;
	worm->through = time;
	worm->bytes = 0;
	lfab_worm_flow(model, worm, lfab_worm_head(model, worm));
}

void lfab_worm_granted(struct lfab_model *model, struct lfab_worm *worm, struct lfab_lane *lane,
		       u64 time)
{
	struct lfab_port *port = &model->port[worm->port];

	port->held[worm->hop++] = lane;
	if (worm->hop < worm->links) {
		lfab_schedule(model, &worm->event, time + model->hop_ns, LFAB_ASK, worm->port);
		return;
	}
	port->worms++;
	lfab_worm_begin(model, worm, time);
}

static void lfab_worm_give_back(struct lfab_model *model, struct lfab_worm *worm, u64 time)
{
	struct lfab_port *port = &model->port[worm->port];
	u32 i;

	for (i = 0; i < worm->hop; i++)
		lfab_release_lane(model, port->held[i], time);
	lfab_port_done(model, worm->port, time);
}

static void lfab_worm_count_busy(struct lfab_model *model, struct lfab_worm *worm, u32 bytes,
				 u64 time)
{
	u32 i;

	for (i = 0; i < worm->links; i++) {
		model->link[worm->link[i]].bytes += bytes;
		model->link[worm->link[i]].busy_ns += time - worm->through;
	}
	worm->through = time;
}

/* Does @packet belong to the worm that has @bytes for @dst? One that goes another way does not. */
static bool lfab_worm_takes(const struct lfab_model *model, const struct lfab_port *port, u32 dst,
			    u32 bytes, const struct lfab_packet *packet)
{
	return packet && packet->dst == dst && bytes + packet->wire <= model->worm_bytes &&
	       packet->path[0] == port->path[0] &&
	       !memcmp(packet->path, port->path, lfab_path_bytes(port->path));
}

/* A link that was down while the packet had bytes on its path; NULL: none */
static struct lfab_link *lfab_worm_lost_on(struct lfab_model *model,
					   const struct lfab_packet *packet)
{
	u32 i;

	for (i = 1; i <= packet->path[0]; i++) {
		struct lfab_link *link = &model->link[packet->path[i]];

		if (lfab_was_down(link, packet->worm.start))
			return link;
	}
	return NULL;
}

/* The packet's last byte has arrived, unless a link was down. */
void lfab_worm_deliver(struct lfab_model *model, struct lfab_packet *packet, u64 time)
{
	struct lfab_link *link = lfab_worm_lost_on(model, packet);

	if (!link) {
		lfab_deliver(model, packet, time);
		return;
	}
	link->drops++;
	lfab_drop(model, packet, LFAB_DROP_LINK_DOWN);
}

/*
 * The first packet has left. The next one continues the worm, or the worm ends here. It also ends
 * if a link is down: the next header finds out.
 */
void lfab_worm_through(struct lfab_model *model, struct lfab_worm *worm, u64 time)
{
	struct lfab_packet *packet = lfab_worm_head(model, worm);
	struct lfab_port *port = &model->port[worm->port];
	u64 delay = lfab_worm_delay(model, worm);
	bool cut = worm->links < packet->path[0], ends;
	u32 dst = packet->dst;

	packet->worm.start = worm->through;
	ends = cut || lfab_worm_lost_on(model, packet);
	lfab_worm_count_busy(model, worm, packet->wire, time);
	port->sent_packets++;
	port->sent_bytes += packet->wire - model->overhead;
	list_del(&packet->node);
	lfab_leave_ring(model, packet);
	if (cut)
		lfab_drop(model, packet, LFAB_DROP_LINK_DOWN);
	else if (delay)
		lfab_schedule(model, &packet->worm.event, time + delay, LFAB_DELIVER, worm->port);
	else
		lfab_worm_deliver(model, packet, time);
	packet = lfab_worm_head(model, worm);
	if (!ends && lfab_worm_takes(model, port, dst, worm->bytes, packet))
		lfab_worm_flow(model, worm, packet);
	else if (delay)
		lfab_schedule(model, &worm->event, time + delay, LFAB_RELEASE, worm->port);
	else
		lfab_worm_give_back(model, worm, time);
}

void lfab_worm_release(struct lfab_model *model, struct lfab_worm *worm, u64 time)
{
	lfab_worm_count_busy(model, worm, 0, time);
	lfab_worm_give_back(model, worm, time);
}

/* Break a deadlock: drop all packets of the worm, whose bytes do not flow yet. */
void lfab_worm_drop(struct lfab_model *model, struct lfab_worm *worm, u64 time)
{
	struct lfab_packet *packet = lfab_worm_head(model, worm);
	const struct lfab_port *port = &model->port[worm->port];
	u32 dst = packet->dst, bytes = 0;

	lfab_forget_request(model, worm, time);
	do {
		bytes += packet->wire;
		list_del(&packet->node);
		lfab_drop(model, packet, LFAB_DROP_DEADLOCK);
		packet = lfab_worm_head(model, worm);
	} while (lfab_worm_takes(model, port, dst, bytes, packet));
	lfab_worm_give_back(model, worm, time);
}

/*
 * The next link is down. The worm's first packet flows up to it and is lost there; without a link,
 * it is dropped at once. The worm ends with it.
 */
void lfab_worm_cut(struct lfab_model *model, struct lfab_worm *worm, u64 time)
{
	struct lfab_packet *packet = lfab_worm_head(model, worm);

	lfab_forget_request(model, worm, time);
	worm->links = worm->hop;
	if (worm->hop) {
		lfab_worm_begin(model, worm, time);
		return;
	}
	list_del(&packet->node);
	lfab_drop(model, packet, LFAB_DROP_LINK_DOWN);
	lfab_worm_give_back(model, worm, time);
}

/* Its port goes down: release all its lanes. The caller drops its packets. */
void lfab_worm_abort(struct lfab_model *model, struct lfab_worm *worm, u64 time)
{
	struct lfab_port *port = &model->port[worm->port];
	u32 i;

	if (worm->hop == worm->links)
		lfab_worm_count_busy(model, worm, 0, time);
	lfab_forget_request(model, worm, time);
	for (i = 0; i < worm->hop; i++)
		lfab_release_lane(model, port->held[i], time);
	port->busy = false;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints: events/liquid */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM liquid

#if !defined(LIQUID_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define LIQUID_TRACE_H

#include <linux/skbuff.h>
#include <linux/tracepoint.h>
#include <net/sch_generic.h>

TRACE_EVENT(liquid_enqueue,
	TP_PROTO(const struct Qdisc *sch, const struct sk_buff *skb, u32 dest, u32 qlen),
	TP_ARGS(sch, skb, dest, qlen),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u32, dest)
		__field(const void *, skb)
		__field(u32, len)
		__field(u32, qlen)
	),
	TP_fast_assign(
		__entry->ifindex = qdisc_dev(sch)->ifindex;
		__entry->dest = dest;
		__entry->skb = skb;
		__entry->len = skb->len;
		__entry->qlen = qlen;
	),
	TP_printk("ifindex=%d skb=%p dest=%d len=%u qlen=%u", __entry->ifindex, __entry->skb,
		  (int)__entry->dest, __entry->len, __entry->qlen)
);

/* vfinish: end of the transmission, ns of CLOCK_MONOTONIC */
TRACE_EVENT(liquid_dequeue,
	TP_PROTO(const struct Qdisc *sch, const struct sk_buff *skb, u32 dest, s64 vfinish),
	TP_ARGS(sch, skb, dest, vfinish),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u32, dest)
		__field(const void *, skb)
		__field(u32, len)
		__field(s64, vfinish)
	),
	TP_fast_assign(
		__entry->ifindex = qdisc_dev(sch)->ifindex;
		__entry->dest = dest;
		__entry->skb = skb;
		__entry->len = skb->len;
		__entry->vfinish = vfinish;
	),
	TP_printk("ifindex=%d skb=%p dest=%d len=%u vfinish=%lld", __entry->ifindex, __entry->skb,
		  (int)__entry->dest, __entry->len, __entry->vfinish)
);

TRACE_EVENT(liquid_frame,
	TP_PROTO(int ifindex, s64 frame, u32 index, u32 dest, s64 start),
	TP_ARGS(ifindex, frame, index, dest, start),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u32, index)
		__field(s64, frame)
		__field(s64, start)
		__field(u32, dest)
	),
	TP_fast_assign(
		__entry->ifindex = ifindex;
		__entry->index = index;
		__entry->frame = frame;
		__entry->start = start;
		__entry->dest = dest;
	),
	TP_printk("ifindex=%d frame=%lld index=%u dest=%d start=%lld", __entry->ifindex,
		  __entry->frame, __entry->index, (int)__entry->dest, __entry->start)
);

TRACE_EVENT(liquid_swap,
	TP_PROTO(int ifindex, u32 seq, s64 now, s64 start),
	TP_ARGS(ifindex, seq, now, start),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u32, seq)
		__field(s64, now)
		__field(s64, start)
	),
	TP_fast_assign(
		__entry->ifindex = ifindex;
		__entry->seq = seq;
		__entry->now = now;
		__entry->start = start;
	),
	TP_printk("ifindex=%d seq=%u now=%lld start=%lld", __entry->ifindex, __entry->seq,
		  __entry->now, __entry->start)
);

TRACE_EVENT(liquid_clock_step,
	TP_PROTO(int ifindex, s64 step),
	TP_ARGS(ifindex, step),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(s64, step)
	),
	TP_fast_assign(
		__entry->ifindex = ifindex;
		__entry->step = step;
	),
	TP_printk("ifindex=%d step=%lld", __entry->ifindex, __entry->step)
);

#endif /* LIQUID_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>

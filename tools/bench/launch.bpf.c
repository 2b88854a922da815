// SPDX-License-Identifier: GPL-2.0-only
/* A peer of the bench: set the launch time for fq to the next frame of the packet's destination. */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define FRAME_NS	1000000ULL

/* Frames by destination. The cycle has one frame, so that all packets may leave at once. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, __u32);
} frame_of SEC(".maps");

SEC("tc")
int launch(struct __sk_buff *skb)
{
	void *data = (void *)(long)skb->data;
	void *end = (void *)(long)skb->data_end;
	struct ethhdr *ether = data;
	struct iphdr *ip = data + sizeof(*ether);
	__u64 now, cycle = FRAME_NS, start;
	__u32 key, first = 0, *frame;

	if ((void *)(ip + 1) > end || ether->h_proto != bpf_htons(ETH_P_IP))
		return TC_ACT_OK;
	key = ip->daddr;
	frame = bpf_map_lookup_elem(&frame_of, &key);
	if (!frame) {
		bpf_map_update_elem(&frame_of, &key, &first, BPF_ANY);
		return TC_ACT_OK;
	}
	now = bpf_ktime_get_ns();
	start = now / cycle * cycle + *frame * FRAME_NS;
	if (start + FRAME_NS <= now)
		start += cycle;
	skb->tstamp = start > now ? start : now;
	return TC_ACT_OK;
}

char _license[] SEC("license") = "GPL";

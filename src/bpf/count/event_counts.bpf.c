/* Counts a tracepoint by thread and CPU, into one of two tables. */
#include "bpf/count/event_counts_shared.h"
#include "bpf/load/verifier.bpf.h"

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile struct event_counts_settings settings = {};
struct event_counts_control control = {};

/* Memory is allocated in advance: a tracepoint may be inside the kernel's allocator. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, struct event_count_key);
	__type(value, __u64);
} counts_0 SEC(".maps"), counts_1 SEC(".maps");

/* The key has the CPU, so no other CPU adds to a count; losses are shared, and two at the same time may be counted as one. */
INLINE int count(void *counts)
{
	__u64 id = bpf_get_current_pid_tgid(), one = 1, *n;
	struct event_count_key key = { .tid = id, .pid = id >> 32, .cpu = bpf_get_smp_processor_id() };
	if (settings.without_pid && key.pid == settings.without_pid)
		return 0;
	n = bpf_map_lookup_elem(counts, &key);
	if (n)
		(*n)++;
	else if (bpf_map_update_elem(counts, &key, &one, BPF_ANY))
		control.lost++;
	return 0;
}

/* Attached to the tracepoint that is counted. */
SEC("raw_tp")
int count_event(void *ctx)
{
	switch (control.side) {
	case 1:
		return count(&counts_0);
	case 2:
		return count(&counts_1);
	default:
		return 0;
	}
}

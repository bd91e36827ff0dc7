/*
 * Finds the table for the code at an address.
 *
 * The mapping of the current process (unwind_mapping.bpf.h) is cached per CPU for a quarter of a second, or until the process
 * maps or unmaps code. A file is requested from user space once for all processes: a new process costs user space nothing. The
 * kernel does not nest programs of samples on a CPU: cache entries are consistent.
 */
#pragma once
#include "bpf/unwind/script.bpf.h"
#include "bpf/unwind/unwind_mapping.bpf.h"

#define KNOWN_MAPPINGS 512
#define KNOWN_WAYS     4
/* A mapping that spans several blocks of this size has a cache entry for each. */
#define KNOWN_PIECE_BITS 21
#define KNOWN_SETS_BITS	 7
#define KNOWN_NS_BITS	 28
/* Times between two requests for a file, whose table may be in preparation, and for one of which user space was unsure. */
#define REQUEST_AGAIN_NS    200000000ULL
#define REQUEST_ANEW_NS	    1000000000ULL

struct known_mapping {
	__u64 tag; /* of the process, its mappings and the time: code_tag() */
	__u64 start, bytes;
	__u64 bias; /* address - bias: offset in the table */
	__u32 pages, pages_nr;
	__u32 rows;
	__u32 kind; /* enum unwind_code_kind */
};

struct known_code {
	struct known_mapping mapping[KNOWN_MAPPINGS];
	__u32 turn, unused;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct known_code);
} known SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, UNWIND_FILES);
	__type(key, struct unwind_file_key);
	__type(value, struct unwind_file_code);
} files SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 256 << 10);
} requests SEC(".maps");

INLINE struct known_code *this_known(void)
{
	__u32 zero = 0;
	return bpf_map_lookup_elem(&known, &zero);
}

INLINE void request_file(struct found_mapping *f)
{
	bpf_ringbuf_output(&requests, &f->request, sizeof(f->request), BPF_RB_FORCE_WAKEUP);
}

/* The entry that user space has made for the file; 0 if it has been requested. */
INLINE struct unwind_file_code *code_of(struct found_mapping *f)
{
	struct unwind_file_code *c = bpf_map_lookup_elem(&files, &f->request.key);
	__u64 now = bpf_ktime_get_ns();
	if (!c) {
		struct unwind_file_code fresh = { .requested_ns = now, .state = UNWIND_FILE_REQUESTED };
		if (!bpf_map_update_elem(&files, &f->request.key, &fresh, BPF_NOEXIST))
			request_file(f);
		return 0;
	}
	if (c->state == UNWIND_FILE_READY)
		return c;
	if (now - c->requested_ns > (c->state == UNWIND_FILE_UNSURE ? REQUEST_ANEW_NS : REQUEST_AGAIN_NS)) {
		c->requested_ns = now;
		request_file(f);
	}
	return c->state == UNWIND_FILE_UNSURE ? c : 0;
}

INLINE __u32 set_of(__u64 tag, __u64 ip)
{
	return (((tag ^ ip >> KNOWN_PIECE_BITS) * 0x9e3779b97f4a7c15ULL) >> (64 - KNOWN_SETS_BITS)) * KNOWN_WAYS;
}

/* Puts the mapping of ip into a set of the cache. */
GLOBAL int learn_mapping(__u64 tag, __u64 ip, __u32 pid, __u32 set)
{
	struct found_mapping f = { .request.pid = pid };
	struct known_code *k = this_known();
	struct unwind_file_code *c = 0;
	struct known_mapping *m;
	int found;
	__u32 i;
	if (!k)
		return CODE_UNKNOWN;
	found = find_vma(ip, &f);
	if (found || !f.is_code)
		return found ? found : CODE_NONE;
	if (f.is_of_file && !(c = code_of(&f)))
		return CODE_UNKNOWN;
	if (c && c->has_interpreter)
		meet_interpreter(pid, &f);
	i = (set + k->turn++ % KNOWN_WAYS) & (KNOWN_MAPPINGS - 1);
	m = &k->mapping[i];
	m->tag = tag;
	m->start = f.request.start;
	m->bytes = f.request.end - f.request.start;
	m->kind = UNWIND_CODE_BARE;
	m->pages_nr = 0;
	if (c) {
		m->kind = c->kind;
		m->bias = f.request.start - c->delta;
		m->pages = c->pages;
		m->pages_nr = c->pages_nr;
		m->rows = c->rows;
	}
	return i;
}

INLINE _Bool is_inside(const struct known_mapping *m, __u64 tag, __u64 ip)
{
	return m->tag == tag && ip - m->start < m->bytes;
}

/* The cache index of the mapping of ip, or CODE_UNKNOWN or CODE_NONE. */
GLOBAL int known_at(__u64 tag, __u64 ip, __u32 pid)
{
	struct known_code *k = this_known();
	__u32 set = set_of(tag, ip);
	if (!k)
		return CODE_UNKNOWN;
#pragma unroll
	for (int way = 0; way < KNOWN_WAYS; way++) {
		__u32 i = (set + way) & (KNOWN_MAPPINGS - 1);
		if (is_inside(&k->mapping[i], tag, ip))
			return i;
	}
	return learn_mapping(tag, ip, pid, set);
}

/* Identifies the process and its mappings: it contains the size of mapped code, which a dlopen(3) or dlclose(3) changes. */
INLINE __u64 mappings_tag(struct task_struct *task, struct mm_struct *mm)
{
	__u64 code_pages = 0, tag = (__u64)mm;
	bpf_probe_read_kernel(&code_pages, sizeof(code_pages), &mm->exec_vm);
	tag = (tag ^ (__u64)task->tgid << 32 ^ code_pages) * 0xff51afd7ed558ccdULL;
	return tag ^ tag >> 32;
}

/* Contains the time, too, since a file may be replaced by one of the same size. */
INLINE __u64 code_tag(struct task_struct *task, struct mm_struct *mm)
{
	return (mappings_tag(task, mm) ^ bpf_ktime_get_ns() >> KNOWN_NS_BITS) * 0xc4ceb9fe1a85ec53ULL | 1;
}

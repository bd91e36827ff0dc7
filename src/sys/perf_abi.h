/*
 * The perf_event ABI as of Linux 6.19, for build machines with older headers (Debian 12: 6.1).
 *
 * Source: include/uapi/linux/perf_event.h and include/uapi/linux/fs.h of the kernel, perf_event_open(2). Only additions
 * are here, each guarded, so that a newer header is used as it is. An attr of ours is 128 bytes (PERF_ATTR_SIZE_VER7)
 * in memory and on disk; fields that later kernels append are passed by sys_perf_event_open_wide().
 */
#pragma once
#include <linux/ioctl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PERF_ABI_ATTR_BYTES 128 /* supported by every perf of the last years; = PERF_ATTR_SIZE_VER7 */

#ifndef PERF_ATTR_SIZE_VER8
#define PERF_ATTR_SIZE_VER8 136 /* config3, Linux 6.3 */
#endif
#ifndef PERF_ATTR_SIZE_VER9
#define PERF_ATTR_SIZE_VER9 144 /* config4, Linux 6.18 */
#endif

/* #ifdef cannot test enumerators: ours have their own names. */
#define PERF_ABI_RECORD_CALLCHAIN_DEFERRED    22 /* Linux 6.19 */
#define PERF_ABI_CONTEXT_USER_DEFERRED        ((uint64_t)-640)
#define PERF_ABI_SAMPLE_BRANCH_COUNTERS       (1u << 19) /* Linux 6.8 */
#define PERF_ABI_SAMPLE_BRANCH_COUNTERS_SHIFT 19
#define PERF_ABI_CALLCHAIN_CONTEXT_MAX        ((uint64_t)-4095)
#define PERF_ABI_RECORD_KNOWN_MAX             23 /* first unknown kernel record type */

/* Bits of the flag word after read_format, counted as the bit-fields are declared. */
enum perf_abi_attr_bit {
	PERF_ABI_ATTR_DEFER_CALLCHAIN = 38, /* Linux 6.19 */
	PERF_ABI_ATTR_DEFER_OUTPUT = 39,
};

/* Bits of the word after aux_sample_size, Linux 6.13. */
enum perf_abi_aux_action {
	PERF_ABI_AUX_START_PAUSED = 1 << 0,
	PERF_ABI_AUX_PAUSE = 1 << 1,
	PERF_ABI_AUX_RESUME = 1 << 2,
};

#define PERF_ABI_FLAGS_OFFSET      40 /* the flag word, whose first bit is `disabled` */
#define PERF_ABI_AUX_ACTION_OFFSET 116

static inline uint64_t perf_abi_attr_mask(unsigned bit)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? (uint64_t)1 << (63 - bit) : (uint64_t)1 << bit;
}

static inline void perf_abi_attr_set(struct perf_event_attr *attr, enum perf_abi_attr_bit bit, bool on)
{
	uint64_t flags;
	memcpy(&flags, (char *)attr + PERF_ABI_FLAGS_OFFSET, sizeof(flags));
	flags = on ? flags | perf_abi_attr_mask(bit) : flags & ~perf_abi_attr_mask(bit);
	memcpy((char *)attr + PERF_ABI_FLAGS_OFFSET, &flags, sizeof(flags));
}

static inline bool perf_abi_attr_get(const struct perf_event_attr *attr, enum perf_abi_attr_bit bit)
{
	uint64_t flags;
	memcpy(&flags, (const char *)attr + PERF_ABI_FLAGS_OFFSET, sizeof(flags));
	return flags & perf_abi_attr_mask(bit);
}

static inline void perf_abi_attr_set_aux_action(struct perf_event_attr *attr, uint32_t actions)
{
	memcpy((char *)attr + PERF_ABI_AUX_ACTION_OFFSET, &actions, sizeof(actions));
}

static inline uint32_t perf_abi_attr_aux_action(const struct perf_event_attr *attr)
{
	uint32_t actions;
	memcpy(&actions, (const char *)attr + PERF_ABI_AUX_ACTION_OFFSET, sizeof(actions));
	return actions;
}

_Static_assert(offsetof(struct perf_event_attr, aux_sample_size) == PERF_ABI_AUX_ACTION_OFFSET - 4, "attr layout");
_Static_assert(offsetof(struct perf_event_attr, read_format) == PERF_ABI_FLAGS_OFFSET - 8, "attr layout");
_Static_assert(sizeof(struct perf_event_attr) >= PERF_ABI_ATTR_BYTES, "the perf_event.h of this machine is too old");

/*
 * One mapping of a process, looked up by address on an open /proc/PID/maps: Linux 6.11. ENOTTY before that, ENOENT when
 * no mapping matches, ENAMETOOLONG when a buffer is too small.
 */
#ifndef PROCMAP_QUERY
#define PROCMAP_QUERY _IOWR('f', 17, struct procmap_query)

enum procmap_query_flags {
	PROCMAP_QUERY_VMA_READABLE = 0x01,
	PROCMAP_QUERY_VMA_WRITABLE = 0x02,
	PROCMAP_QUERY_VMA_EXECUTABLE = 0x04,
	PROCMAP_QUERY_VMA_SHARED = 0x08,
	PROCMAP_QUERY_COVERING_OR_NEXT_VMA = 0x10,
	PROCMAP_QUERY_FILE_BACKED_VMA = 0x20,
};

struct procmap_query {
	uint64_t size;
	uint64_t query_flags; /* PROCMAP_QUERY_VMA_* that must be set, and the kind of search */
	uint64_t query_addr;
	uint64_t vma_start;
	uint64_t vma_end;
	uint64_t vma_flags; /* PROCMAP_QUERY_VMA_* of the mapping found */
	uint64_t vma_page_size;
	uint64_t vma_offset;
	uint64_t inode;
	uint32_t dev_major;
	uint32_t dev_minor;
	uint32_t vma_name_size; /* in: size of the buffer; out: bytes with NUL, 0 = no name */
	uint32_t build_id_size; /* in: size of the buffer; out: bytes, 0 = none */
	uint64_t vma_name_addr;
	uint64_t build_id_addr;
};
#endif

/* Counts nothing and has no samples: opened for the side-band records of its ring (mappings, names, exits). */
static inline bool perf_attr_is_dummy(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY;
}

/* Counts time. */
static inline bool perf_attr_is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

/*
 * A record: the bytes of one PERF_RECORD_* in memory; names and layouts of types.
 *
 * Types, fixed layouts and names come from records.def: decode, encode, swap and dump follow from it. Outside of
 * perfdata/ records have native byte order (payloads of RAW samples and of feature sections remain as recorded; see
 * env->swapped). Sources: perf_event_open(2), <linux/perf_event.h>, and
 * tools/perf/Documentation/perf.data-file-format.txt for the types from 64 on.
 */
#pragma once
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A value; the bytes belong to its source, usually until the next record. */
struct record {
	const struct perf_event_header *hdr; /* hdr->size bytes follow from here, checked */
	uint64_t file_offset;                /* offset in the input, for messages and dumps */
};

/*
 * For walks over records in memory: the header of a record has the position of the next, so that hardware prefetching does not work. May
 * prefetch beyond the last record.
 */
#define RECORD_PREFETCH_BYTES 2048
static inline void record_prefetch(const void *at)
{
	__builtin_prefetch((const char *)at + RECORD_PREFETCH_BYTES);
	__builtin_prefetch((const char *)at + RECORD_PREFETCH_BYTES + 64);
}

/* Types newer than Debian 12's kernel header, and the user-space types of the file format. */
enum record_type {
	RECORD_CALLCHAIN_DEFERRED = 22,
	RECORD_USER_FIRST = 64,
	RECORD_HEADER_ATTR = 64,
	RECORD_HEADER_EVENT_TYPE = 65,
	RECORD_HEADER_TRACING_DATA = 66,
	RECORD_HEADER_BUILD_ID = 67,
	RECORD_FINISHED_ROUND = 68,
	RECORD_ID_INDEX = 69,
	RECORD_AUXTRACE_INFO = 70,
	RECORD_AUXTRACE = 71,
	RECORD_AUXTRACE_ERROR = 72,
	RECORD_THREAD_MAP = 73,
	RECORD_CPU_MAP = 74,
	RECORD_STAT_CONFIG = 75,
	RECORD_STAT = 76,
	RECORD_STAT_ROUND = 77,
	RECORD_EVENT_UPDATE = 78,
	RECORD_TIME_CONV = 79,
	RECORD_HEADER_FEATURE = 80,
	RECORD_COMPRESSED = 81,
	RECORD_FINISHED_INIT = 82, /* perf ignores its content; in a stream it may have code of scripts (writer_scripts()) */
	RECORD_COMPRESSED2 = 83,
	RECORD_BPF_METADATA = 84,
	RECORD_SCHEDSTAT_CPU = 85,
	RECORD_SCHEDSTAT_DOMAIN = 86,
	RECORD_TYPE_LIMIT = 96, /* tables are this long; higher types are unknown */
	RECORD_TIMED = 4096,    /* only in memory, never in files: struct record_timed */
};

/* Whether a kernel record is complete in the remaining bytes, which include its header. */
static inline bool record_is_whole(const struct perf_event_header *hdr, size_t left)
{
	return !((uintptr_t)hdr & 7) && hdr->size >= sizeof(*hdr) && hdr->size <= left && hdr->type < RECORD_USER_FIRST;
}

/* The head of a record that is made in memory and sorted by time with those of the kernel; its creator defines the payload. */
struct record_timed {
	struct perf_event_header header;
	uint64_t time_ns;
};

/* "MMAP2", "SAMPLE", …; NULL for an unknown type. */
const char *record_type_name(uint32_t type);
/* The minimum size of a kernel record, including the header, without trailer; 0 for other types. */
uint32_t record_least_bytes(uint32_t type);

/* The fixed layout of a type, from records.def. */
enum record_field_kind {
	RECORD_FIELD_END,
	RECORD_FIELD_U8,
	RECORD_FIELD_U16,
	RECORD_FIELD_U32,
	RECORD_FIELD_U64,
	RECORD_FIELD_CHARS,    /* `bytes` of them */
	RECORD_FIELD_STRING,   /* to its NUL, padded to 8 */
	RECORD_FIELD_MMAP2_ID, /* build-id or inode, 24 bytes */
	RECORD_FIELD_REPEAT,   /* the following fields are repeated up to the end */
	RECORD_FIELD_REST,     /* bytes to the end */
};
struct record_field {
	const char *name;
	uint8_t kind, bytes; /* bytes: size of the field; 0: variable */
};
/* Fields up to one of kind END; NULL for an unknown type. */
const struct record_field *record_fields(uint32_t type);

/* A field of a record in record_walk(). */
struct record_value {
	const struct record_field *field;
	const void *data; /* in the record */
	size_t bytes;     /* a string's without NUL and padding */
	uint64_t number;  /* of U8 … U64 */
};
struct record_walk {
	struct record r;
	const struct record_field *at, *repeat;
	uint32_t offset, end;
};
/* Walks the fields of a record, trailer_bytes (sample_layout.tail_bytes) left out. */
struct record_walk record_walk(struct record r, uint32_t trailer_bytes);
bool record_walk_next(struct record_walk *w, struct record_value *ret);

/*
 * From the other byte order to ours, in place: bytes is writable, holds a whole record whose size was checked, and its
 * header is swapped already. trailer_bytes as above. Samples are sample_swap()'s.
 */
void record_swap(void *bytes, uint32_t trailer_bytes);
/* The header alone. */
void record_swap_header(struct perf_event_header *hdr);
/* A recorded attr: n bytes of it, of any size. Bit-fields are mirrored as compilers of the other byte order lay them. */
void record_swap_attr(void *attr, size_t n);

/*
 * In a sample: the user part of its chain is truncated, as marked by the recorder (record --call-graph eh). The kernel
 * reserves this bit for tools, which use it in other records (PERF_RECORD_MISC_PROC_MAP_PARSE_TIMEOUT).
 */
#define RECORD_MISC_CHAIN_CUT (1u << 12)
/* The maximum number of addresses in such a part, unless the event has a lower limit. */
#define RECORD_CHAIN_WALKED_MAX 512

#define RECORD_BUILD_ID_MAX 20

/* Decoded side-band records; pointers go into the record. Fields that a short record lacks are 0 or "". */
struct record_mmap {
	uint32_t pid, tid;
	uint64_t start, len, pgoff;
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	uint32_t prot, flags;
	uint8_t build_id[RECORD_BUILD_ID_MAX];
	uint8_t build_id_len; /* 0 = the record carries an inode instead */
	bool is_mmap2;
	bool is_data;         /* PERF_RECORD_MISC_MMAP_DATA */
	const char *filename;
};
struct record_comm {
	uint32_t pid, tid;
	bool exec;
	const char *comm;
};
struct record_task { /* FORK and EXIT */
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};
struct record_ksymbol {
	uint64_t addr;
	uint32_t len;
	uint16_t ksym_type, flags; /* flags & 1: unregister */
	const char *name;
};
struct record_namespaces {
	uint32_t pid, tid;
	uint64_t nr;
	const struct perf_ns_link_info *links;
};
struct record_cgroup {
	uint64_t id;
	const char *path;
};
struct record_lost {
	uint64_t id, lost;
};
struct record_switch {
	bool cpu_wide, out, preempt;
	uint32_t next_prev_pid, next_prev_tid;
};

/* ID_INDEX: CPU and thread of each ID, and for guests the virtual machine. -1 = none. */
struct record_id_index {
	uint64_t nr;                                 /* number in the record */
	const struct record_id_entry { uint64_t id, idx, cpu, tid; } *entries;
	const struct record_id_guest { uint64_t machine_pid, vcpu; } *guests; /* by the same index, or NULL */
};

/* Each returns false if the record is too short or a string has no end: the record is damaged. */
bool record_decode_mmap(struct record r, struct record_mmap *ret); /* MMAP and MMAP2 */
bool record_decode_comm(struct record r, struct record_comm *ret);
bool record_decode_task(struct record r, struct record_task *ret);
bool record_decode_ksymbol(struct record r, struct record_ksymbol *ret);
bool record_decode_namespaces(struct record r, struct record_namespaces *ret);
bool record_decode_cgroup(struct record r, struct record_cgroup *ret);
bool record_decode_lost(struct record r, struct record_lost *ret); /* LOST; LOST_SAMPLES has its id in the trailer */
bool record_decode_switch(struct record r, struct record_switch *ret);
struct record_id_index record_decode_id_index(struct record r);

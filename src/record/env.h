/*
 * The environment of a recording: machine, events, build IDs and all feature sections.
 *
 * Filled in by perfdata/ from a header (or the first records of a stream) or by capture/ from the live system, and
 * const afterwards. Strings and arrays live in `arena`. Fields that a recording lacks are NULL or 0. Feature sections
 * are also kept as bytes, so that rewriting a file preserves unknown parts.
 */
#pragma once
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/u64map.h"
#include "base/vector.h"
#include "record/record.h"
#include "record/sample.h"

/* Bits of the header's feature bitmap (perf.data-file-format.txt). */
enum env_feature_bit {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CPUDESC = 8,
	FEATURE_CPUID = 9,
	FEATURE_TOTAL_MEM = 10,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_CPU_TOPOLOGY = 13,
	FEATURE_NUMA_TOPOLOGY = 14,
	FEATURE_BRANCH_STACK = 15,
	FEATURE_PMU_MAPPINGS = 16,
	FEATURE_GROUP_DESC = 17,
	FEATURE_AUXTRACE = 18,
	FEATURE_STAT = 19,
	FEATURE_CACHE = 20,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_MEM_TOPOLOGY = 22,
	FEATURE_CLOCKID = 23,
	FEATURE_DIR_FORMAT = 24,
	FEATURE_BPF_PROG_INFO = 25,
	FEATURE_BPF_BTF = 26,
	FEATURE_COMPRESSED = 27,
	FEATURE_CPU_PMU_CAPS = 28,
	FEATURE_CLOCK_DATA = 29,
	FEATURE_HYBRID_TOPOLOGY = 30,
	FEATURE_PMU_CAPS = 31,
	FEATURE_CPU_DOMAIN_INFO = 32,
	FEATURE_E_MACHINE = 33,
	FEATURE_CLN_SIZE = 34,
	FEATURE_BITS = 256,
};

struct env_event {
	struct perf_event_attr attr; /* the part known to this build; the rest of a larger one is in attr_raw */
	const void *attr_raw;        /* as recorded, attr_bytes long */
	uint32_t attr_bytes;
	const char *name;            /* never NULL: from EVENT_DESC, or made from the attr */
	const uint64_t *ids;
	uint32_t ids_nr;
	uint32_t leader;             /* index of the group's leader; its own when not grouped */
	uint32_t group_members;      /* in a leader: members, itself among them; else 0 or 1 */
	const char *group_name;      /* or NULL */
	const char *unit;            /* EVENT_UPDATE, or NULL */
	double scale;                /* 1.0 where none */
	const uint32_t *own_cpus;    /* EVENT_UPDATE cpus */
	uint32_t own_cpus_nr;
	struct sample_layout layout;
};

struct env_build_id {
	int32_t pid;          /* -1: host kernel and files of any process; guests have their own */
	uint16_t cpumode;     /* PERF_RECORD_MISC_KERNEL, _USER … */
	uint8_t build_id[RECORD_BUILD_ID_MAX];
	uint8_t build_id_len;
	const char *filename; /* "[kernel.kallsyms]", "[vdso]", a path */
};

struct env_cpu { /* CPU_TOPOLOGY, by CPU number; -1 where unknown */
	int32_t core, socket, die;
};

struct env_numa_node {
	uint32_t node;
	uint64_t mem_total_kb, mem_free_kb;
	const char *cpus;
};

struct env_cache {
	uint32_t level, line_bytes, sets, ways;
	const char *type, *size, *cpus;
};

struct env_pmu {
	uint32_t type;
	const char *name;
};

struct env_caps { /* CPU_PMU_CAPS and PMU_CAPS: "name=value" strings of one PMU */
	const char *pmu;
	const char *const *caps;
	uint32_t caps_nr;
};

struct env_hybrid {
	const char *pmu, *cpus;
};

struct env_domain { /* CPU_DOMAIN_INFO: a scheduling domain of a CPU */
	uint32_t cpu, domain;
	const char *name; /* "MC"; NULL before version 17 of /proc/schedstat */
	const char *mask, *cpus; /* "0000000f", "0-3" */
};

struct env_bpf_prog { /* BPF_PROG_INFO */
	uint32_t id;
	uint32_t info_bytes, data_bytes;
	uint64_t arrays;        /* bit mask of the arrays of struct bpf_prog_info in data, in the tools' numbering */
	const void *info, *data; /* struct bpf_prog_info with offsets into data in place of pointers; as recorded */
};

struct env_bpf_btf {
	uint32_t id, bytes;
	const void *data;
};

struct env_auxtrace {
	uint64_t file_offset, bytes;
};

struct env_mem_node {
	uint64_t node, blocks;   /* blocks: bits of the node, as recorded */
	uint64_t bits;           /* of the bitmap */
	const uint64_t *bitmap;
};

struct env_section {
	uint32_t bit;
	uint64_t bytes;
	const void *data; /* as recorded, in the byte order of the file */
	uint64_t room;    /* size of data in the arena; 0: not in the arena */
};

/* The code of scripts (interp/script_table.h): in a stream or a live profile it grows piece by piece. */
#define ENV_SECTION_SCRIPTS 240
#define ENV_SCRIPTS_MAGIC   0x50495243 /* "CRIP": begins its pieces in a stream */

struct env {
	struct arena arena;
	bool swapped;    /* recorded on a machine of the other byte order */
	bool is_pipe;
	uint32_t file_version; /* 1 or 2 */
	struct { /* of a file: offset of its data, and modification time */
		uint64_t data_offset, data_bytes;
		int64_t modified_s;
		const char *kcore_dir; /* the kernel's memory, beside the data in a directory (record --kcore); NULL: none */
	} file;

	const char *hostname, *os_release, *tool_version, *arch, *cpu_desc, *cpuid;
	uint32_t e_machine, e_flags; /* E_MACHINE: of the recorded ELF machine; 0 where unknown */
	uint32_t cache_line_bytes;   /* CLN_SIZE; 0 where unknown */
	uint32_t cpus_online, cpus_available;
	uint64_t total_mem_kb;
	const char *const *cmdline;
	uint32_t cmdline_nr;

	VEC(struct env_event) events;
	struct u64map event_by_id;    /* id → index */
	bool one_layout;              /* all events decode alike: no look-up by id is needed to decode */
	bool one_time;                /* or at least their times have the same offset */

	VEC(struct env_build_id) build_ids;
	VEC(struct env_cpu) cpus;     /* index is the CPU number */
	VEC(const char *) core_siblings, die_siblings, thread_siblings;
	VEC(struct env_numa_node) numa;
	VEC(struct env_cache) caches;
	VEC(struct env_pmu) pmus;
	VEC(struct env_caps) pmu_caps;
	uint64_t mem_block_bytes, mem_version;
	VEC(struct env_mem_node) mem_nodes;
	VEC(struct env_hybrid) hybrid; /* HYBRID_TOPOLOGY */
	uint32_t schedstat_version;    /* CPU_DOMAIN_INFO; 0 where unknown */
	VEC(struct env_domain) domains; /* by CPU */
	VEC(struct env_bpf_prog) bpf_progs;
	VEC(struct env_bpf_btf) bpf_btfs;
	VEC(struct env_auxtrace) auxtrace; /* AUXTRACE: where payloads are */

	uint64_t first_sample_ns, last_sample_ns; /* SAMPLE_TIME; 0 where unknown */
	uint64_t clockid_res_ns;                  /* CLOCKID */
	bool has_clockid;
	struct {
		bool present;
		uint32_t clockid;
		uint64_t wall_ns, clockid_ns;
	} clock_data;
	struct { /* TIME_CONV, or from a live ring */
		bool present;
		uint64_t shift, mult, zero, cycles, mask;
		bool cap_user_time_zero, cap_user_time_short;
	} time_conv;
	struct {
		bool present;
		uint32_t version, type, level, ratio, mmap_bytes;
	} compressed;
	bool has_branch_stack, has_stat, has_auxtrace;
	bool has_dir_format;
	uint64_t dir_version;
	const void *tracing_data; /* the TRACING_DATA section as bytes, or NULL */
	uint64_t tracing_data_bytes;

	VEC(struct env_section) sections;
};

struct env *env_create(void);
void env_destroy(struct env *e);

/* Adds an event with its layout, attr copy and IDs. Strings are copied. Returns its index. */
uint32_t env_add_event(struct env *e, const void *attr, uint32_t attr_bytes, const char *name, const uint64_t *ids,
		       uint32_t ids_nr);
/*
 * An event of a copy whose ev->attr was changed: its layout and its attr as bytes follow, these in arena. The part of the attr
 * that this build does not know stays as recorded.
 */
void env_event_changed(struct arena *arena, struct env_event *ev);
/* Adds IDs to a known event (ID_INDEX, late ATTR). */
void env_add_ids(struct env *e, uint32_t event, const uint64_t *ids, uint32_t ids_nr);
struct attr_names;
/* The meaning of the numbers in the event's attr, from the recording. Borrowed. */
struct attr_names env_attr_names(const struct env *e, const struct env_event *ev);
/* perf's name for an attr: "cycles:u", "raw 0x1a8", … in arena. */
const char *env_attr_name(struct arena *a, const struct perf_event_attr *attr);

/*
 * The event of a sample, by IDENTIFIER, ID, or because there is only one; env->events.len: none.
 */
uint32_t env_event_of_sample(const struct env *e, struct record r);
/* The layout that decodes a record's trailer (all events agree on it in a valid file). */
const struct sample_layout *env_tail_layout(const struct env *e);
/* Decodes a sample and sets its event; false: damaged, or no event. */
bool env_decode_sample(const struct env *e, struct record r, struct sample *ret);
/* The time of any record: of a sample, of a RECORD_TIMED, or in a trailer; false: none. */
bool env_record_time_of_any(const struct env *e, struct record r, uint64_t *ret_ns);
/* The same; inlined for samples of events whose times have the same offset, which most records are. */
static inline bool env_record_time(const struct env *e, struct record r, uint64_t *ret_ns)
{
	if (r.hdr->type != PERF_RECORD_SAMPLE || !e->one_time)
		return env_record_time_of_any(e, r, ret_ns);
	uint16_t at = e->events.data[0].layout.time;
	if (r.hdr->size < at + sizeof(*ret_ns)) /* that is so of SAMPLE_NO_OFFSET, too */
		return false;
	*ret_ns = sample_word(r, at);
	return true;
}
/* Whether samples of this event have weight 1, as in perf: if they have no period. */
bool env_counts_samples(const struct env *e, uint32_t event);
/* The difference between the time of day and times of the recording. ERROR_NOT_FOUND if it does not contain that. */
struct strobe_error *env_wall_offset(const struct env *e, uint64_t *ret_ns) _must_check_;
const struct env_section *env_section(const struct env *e, uint32_t bit);
/* Adds or replaces a section; data is borrowed. */
void env_set_section(struct env *e, uint32_t bit, const void *data, uint64_t bytes);
/* Appends to a section; existing data does not move, since it may be borrowed. Data is copied. */
void env_append_section(struct env *e, uint32_t bit, const void *data, uint64_t bytes);
/* Swaps a record of the other byte order, whose header is swapped already, in place; false: damaged. */
bool env_swap_record(const struct env *e, void *record);

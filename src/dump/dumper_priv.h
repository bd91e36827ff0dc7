/* The inside of struct dumper, for the files that print its parts. */
#pragma once
#include "arch/arch.h"
#include "base/arena.h"
#include "base/idset.h"
#include "base/vector.h"
#include "decode/tracepoint.h"
#include "dump/dumper.h"

/* The text of one frame, kept. */
struct frame_text {
	uint64_t ip;
	const struct map *map;
	const struct symbol *symbol;
	struct dso *dso;
	uint32_t kind;        /* of event: fields differ */
	uint32_t bytes;
	const char *text;
	bool stops;           /* its symbol is one of stop_at */
};

struct dumper {
	const struct env *env;
	struct machine *machine;
	struct symbols *symbols;
	struct tracepoints *tracepoints; /* NULL until a sample wants them */
	struct dump_options options;
	const struct arch *arch;
	size_t name_width;     /* of the event column; 0 until the first sample */
	uint64_t first_ns, previous_ns;
	bool seen_time;
	size_t data_src_width; /* of the widest so far */
	struct arena arena;
	struct idset frames_index;
	VEC(struct frame_text) frames;
	struct out scratch;
	struct trace_names trace_names;
};

/* ---- columns.c ---- */
struct dump_task {
	uint32_t pid, tid, cpu;
	uint64_t time_ns;
	const char *comm;
	uint16_t misc, type; /* of the record's header */
};
void dump_columns(struct dumper *d, struct out *out, const struct env_event *e, const struct dump_task *task);

/* ---- frames.c ---- */
/* " name+0x1f (dso)" by the fields. */
void dump_symbol_part(struct dumper *d, struct out *out, uint64_t of, const struct resolved_frame *f);
void dump_chain(struct dumper *d, struct out *out, unsigned kind, const struct resolved_sample *s);
void dump_leaf(struct dumper *d, struct out *out, unsigned kind, const struct resolved_sample *s);
/* The frame of any address at a sample's time. */
struct resolved_frame dump_lookup(struct dumper *d, const struct resolved_sample *s, uint16_t cpumode, uint64_t ip);
/* As an offset into its file, where it has one and is no kernel. */
uint64_t dump_shown_address(const struct resolved_frame *f);
const char *dump_dso_name(const struct dumper *d, const struct resolved_frame *f);

/* ---- extras.c: fields behind the address ---- */
void dump_registers(struct dumper *d, struct out *out, const struct sample_regs *regs);
void dump_branches(struct dumper *d, struct out *out, uint64_t of, const struct resolved_sample *s);
void dump_bpf_output(struct out *out, const void *raw, uint32_t bytes);
const char *dump_page_size(uint64_t bytes);
const char *dump_branch_type(const struct perf_branch_entry *b);

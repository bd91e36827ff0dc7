/* The inside of struct dumper, for the files that print its parts. */
#pragma once
#include "arch/arch.h"
#include "base/arena.h"
#include "base/idset.h"
#include "base/u64map.h"
#include "base/vector.h"
#include "decode/tracepoint.h"
#include "disasm/disasm.h"
#include "dump/dumper.h"

/* The text of one frame, kept. */
struct frame_text {
	uint64_t ip;
	const struct map *map;
	const struct symbol *symbol;
	struct dso *dso;
	const char *file;     /* of one address, inlined calls and the function around them have lines of their own */
	uint32_t line;
	uint32_t kind;        /* of event: fields differ */
	uint32_t bytes;
	const char *text;
	bool stops;           /* its symbol is one of stop_at */
	bool inlined;
};

/* The text of a whole stack, kept: most samples of a recording share few stacks. */
struct stack_text {
	uint64_t space;        /* resolved_sample.chain_space */
	const uint64_t *words; /* the raw callchain */
	uint32_t words_nr, bytes;
	const char *text;
	unsigned kind;
};

struct stack_texts {
	struct arena arena;
	struct idset index;
	VEC(struct stack_text) all;
	uint64_t hits, misses;
	uint64_t hash;          /* of the stack that was asked for last */
	uint32_t known;         /* its index, or IDSET_NONE */
	bool off;               /* stacks hardly come again here */
};

/* The task's columns as they were printed last. comm is interned: the same pointer is the same name. */
struct task_text {
	const struct env_event *event;
	const char *comm; /* NULL: nothing is kept */
	uint64_t guest;
	uint32_t pid, tid, cpu, bytes;
	char text[80];
};

/* The event column, padded. */
struct name_text {
	const char *text;
	uint32_t bytes;
};

struct srccode;

struct dumper {
	const struct env *env;
	struct machine *machine;
	struct symbols *symbols;
	struct tracepoints *tracepoints; /* NULL until a sample wants them */
	struct dump_options options;
	const struct arch *arch;
	struct task_text task;
	struct name_text *names; /* by event; NULL until the first sample */
	size_t names_nr;
	uint64_t first_ns, previous_ns;
	bool seen_time;
	size_t data_src_width; /* of the widest so far */
	struct arena arena;
	struct idset frames_index;
	VEC(struct frame_text) frames;
	struct stack_texts stacks;
	struct out scratch;
	struct trace_names trace_names;
	struct u64map guests;   /* id of an event → machine_pid << 32 | vcpu */
	struct disasm *disasm, *disasm_32bit; /* NULL where no field wants them */
	struct srccode *srccode; /* NULL until a source line is wanted */
};

/* ---- columns.c ---- */
struct dump_task {
	uint32_t pid, tid, cpu;
	uint64_t time_ns;
	const char *comm;
	uint16_t misc, type; /* of the record's header */
	uint64_t id;         /* of the event as it was opened; 0 = not known */
};
void dump_columns(struct dumper *d, struct out *out, const struct env_event *e, const struct dump_task *task);

/* ---- frames.c ---- */
/* " name+0x1f (dso)" by the fields. */
void dump_symbol_part(struct dumper *d, struct out *out, uint64_t of, const struct resolved_frame *f);
void dump_chain(struct dumper *d, struct out *out, unsigned kind, const struct resolved_sample *s);
/* ---- stacks.c ---- */
void dump_stack(struct dumper *d, struct out *out, unsigned kind, const struct resolved_sample *s);
void stack_texts_init(struct stack_texts *t);
void stack_texts_deinit(struct stack_texts *t);
/* ---- frames.c ---- */
void dump_leaf(struct dumper *d, struct out *out, unsigned kind, const struct resolved_sample *s);
/* The frame of any address at a sample's time. */
struct resolved_frame dump_lookup(struct dumper *d, const struct resolved_sample *s, uint16_t cpumode, uint64_t ip);
/* As an offset into its file, where it has one and is no kernel. */
uint64_t dump_shown_address(const struct resolved_frame *f);
const char *dump_dso_name(const struct dumper *d, const struct resolved_frame *f);

/* ---- srccode.c ---- */
/* The frame that a sample's place is told by. */
const struct resolved_frame *dump_place(const struct resolved_sample *s);
/* The text of a frame's source line; NULL where its file is not there. */
const char *dump_source_code(struct dumper *d, const struct resolved_frame *f, size_t *ret_bytes);
/* "|12      text": a line of its own, where the task was on another one before. */
void dump_srccode(struct dumper *d, struct out *out, const struct resolved_sample *s);
void dump_srccode_destroy(struct srccode *c);

/* ---- extras.c: fields behind the address ---- */
void dump_registers(struct dumper *d, struct out *out, const struct sample_regs *regs);
void dump_branches(struct dumper *d, struct out *out, uint64_t of, const struct resolved_sample *s);
/* The end of a branch: its frame, in the kernel or outside of it. */
struct resolved_frame dump_branch_end(struct dumper *d, const struct resolved_sample *s, uint64_t ip);
void dump_bpf_output(struct out *out, const void *raw, uint32_t bytes);
const char *dump_page_size(uint64_t bytes);
const char *dump_branch_type(const struct perf_branch_entry *b);

/* ---- dumper.c ---- */
/* The format of a sample's tracepoint; d->tracepoints is read on the first call. NULL where it is not known. */
const struct tracepoint *dump_tracepoint(struct dumper *d, const struct resolved_sample *s);

/* ---- insns.c ---- */
struct json;
/* insn, insnlen and disasm as keys of the object that is open. */
void dump_insn_json(struct dumper *d, struct json *j, uint64_t of, const struct resolved_sample *s);
/* ERROR_UNSUPPORTED where a field was asked for that wants instructions decoded, and nothing here does. */
struct strobe_error *dump_open_disasm(struct dumper *d) _must_check_;
/* insn, insnlen, disasm, and the way that brstackinsn and its kin show. */
void dump_insns(struct dumper *d, struct out *out, uint64_t of, const struct resolved_sample *s);

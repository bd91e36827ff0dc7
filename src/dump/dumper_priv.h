/* Shared by the files of the dumper. */
#pragma once
#include "arch/arch.h"
#include "base/arena.h"
#include "base/idset.h"
#include "base/strbuf.h"
#include "base/u64map.h"
#include "base/vector.h"
#include "decode/tracepoint.h"
#include "disasm/disasm.h"
#include "dump/dumper.h"

/* The key of a frame's text; fields other than kind, symbol, dso, of and inlined are 0 if the text does not depend on the address. */
struct frame_key {
	uint64_t ip;
	const struct map *map;
	const struct symbol *symbol;
	struct dso *dso;
	const struct mapped_file *of;
	const char *file;     /* inlined calls and the function around them have separate lines at one address */
	uint32_t line;
	uint16_t kind;        /* kind of event, since fields differ; and whether it is a leaf */
	bool inlined;
};

/* Cached text of frames after their address, mostly one per function. */
struct frame_text {
	const char *text;
	uint32_t bytes;
	uint32_t offset_at;   /* position of the offset into the function; UINT32_MAX: not shown */
	bool stops;           /* its symbol is one of stop_at */
};

/* Cached text of a whole stack: most samples of a recording share few stacks. */
struct stack_text {
	uint64_t space;        /* resolved_sample.chain_space */
	const uint64_t *words; /* the raw callchain */
	uint32_t words_nr, bytes;
	const char *text;
	unsigned kind;
};

/* A word of the last printed stack. */
struct stack_level {
	uint64_t word;
	/* Its text and that of its callers, as distances from the end of the buffer. */
	size_t start, end;
};

/*
 * The last printed stack. Its text is written from the end of the buffer backwards, so that a stack with the same callers can reuse their
 * text.
 */
struct last_stack {
	uint64_t space;
	unsigned kind;
	VEC(struct stack_level) levels; /* outermost first; empty: no stack */
	char *text;
	size_t cap, used;
};

/* The state of the last looked-up stack. */
enum stack_known { STACK_UNKNOWN, STACK_KEPT, STACK_LAST, STACK_CALLERS };

struct stack_texts {
	struct arena arena;
	struct idset index;
	VEC(struct stack_text) all;
	struct last_stack last;
	uint32_t *noted;        /* partial hashes of stacks seen; NULL until the first */
	uint64_t hits, misses;
	bool is_repeated;       /* the last looked-up stack is repeated, but not cached yet */
	enum stack_known known;
	uint64_t hash;          /* of the stack that was looked up last */
	uint32_t kept;          /* STACK_KEPT: its index */
	uint64_t callers;       /* STACK_CALLERS: levels that it shares with the last one */
	bool off;               /* caching is disabled, since stacks are rarely repeated */
};

/* The last printed task columns. comm is interned: equal pointers are equal names. */
struct task_text {
	const struct env_event *event;
	const char *comm; /* NULL: nothing cached */
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
	struct tracepoints *tracepoints; /* NULL until a sample needs them */
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
	VEC(struct frame_key) frame_keys;
	VEC(struct frame_text) frames; /* of those keys */
	/* By kind of event, of leaves (second) or others: by number of the frame cache, index + 1 in frames. */
	VEC(uint32_t) numbered[2][DUMP_KINDS];
	struct stack_texts stacks;
	struct out scratch;
	struct strbuf words; /* likewise */
	struct trace_names trace_names;
	struct u64map guests;   /* id of an event → machine_pid << 32 | vcpu */
	struct disasm *disasm, *disasm_32bit; /* NULL: no field needs them */
	struct srccode *srccode; /* NULL until a source line is needed */
};

/* ---- columns.c ---- */
struct dump_task {
	uint32_t pid, tid, cpu;
	uint64_t time_ns;
	const char *comm;
	uint16_t misc, type; /* of the record's header */
	uint64_t id;         /* of the opened event; 0 = unknown */
};
void dump_columns(struct dumper *d, struct out *out, const struct env_event *e, const struct dump_task *task);

/* ---- frames.c ---- */
/* " name+0x1f (dso)" by the fields. */
void dump_symbol_part(struct dumper *d, struct out *out, uint64_t of, const struct resolved_frame *f);
void dump_chain(struct dumper *d, struct out *out, unsigned kind, const struct resolved_sample *s);
/* The text of a frame of a chain after its address; valid until the next call. */
const struct frame_text *dump_frame_text(struct dumper *d, const struct resolved_frame *f, unsigned kind);
/* A complete frame: indent, address in 16 columns, and the rest; returns its size. */
size_t dump_frame_bytes(const struct resolved_frame *f, const struct frame_text *t);
void dump_write_frame(char *to, char before, const struct resolved_frame *f, const struct frame_text *t);
/* ---- stacks.c ---- */
void dump_stack(struct dumper *d, struct out *out, unsigned kind, const struct resolved_sample *s);
void stack_texts_init(struct stack_texts *t);
void stack_texts_deinit(struct stack_texts *t);
/* ---- frames.c ---- */
void dump_leaf(struct dumper *d, struct out *out, unsigned kind, const struct resolved_sample *s);
/* The frame of any address at a sample's time, such as an end of a branch. */
struct resolved_frame dump_lookup(struct dumper *d, const struct resolved_sample *s, uint64_t ip);
/* As an offset into its file, unless it has none or is kernel code. */
uint64_t dump_shown_address(const struct resolved_frame *f);
const char *dump_dso_name(const struct dumper *d, const struct resolved_frame *f);

/* ---- srccode.c ---- */
/* The frame of a sample's own address. */
const struct resolved_frame *dump_place(const struct resolved_sample *s);
/* The text of a frame's source line; NULL: no such file. */
const char *dump_source_code(struct dumper *d, const struct resolved_frame *f, size_t *ret_bytes);
/* "|12      text": a separate line, if the source line of the task has changed. */
void dump_srccode(struct dumper *d, struct out *out, const struct resolved_sample *s);
void dump_srccode_destroy(struct srccode *c);

/* ---- extras.c: fields after the address ---- */
void dump_registers(struct dumper *d, struct out *out, const struct sample_regs *regs);
void dump_branches(struct dumper *d, struct out *out, uint64_t of, const struct resolved_sample *s);
void dump_bpf_output(struct out *out, const void *raw, uint32_t bytes);
const char *dump_branch_type(const struct perf_branch_entry *b);

/* ---- dumper.c ---- */
/* The format of a sample's tracepoint; d->tracepoints is read on the first call. NULL: unknown. */
const struct tracepoint *dump_tracepoint(struct dumper *d, const struct resolved_sample *s);

/* ---- insns.c ---- */
struct json;
/* insn, insnlen and disasm as keys of the object that is open. */
void dump_insn_json(struct dumper *d, struct json *j, uint64_t of, const struct resolved_sample *s);
/* ERROR_UNSUPPORTED if a field needs decoded instructions, and no disassembler is installed. */
struct strobe_error *dump_open_disasm(struct dumper *d) _must_check_;
/* insn, insnlen, disasm, and the code of brstackinsn and similar fields. */
void dump_insns(struct dumper *d, struct out *out, uint64_t of, const struct resolved_sample *s);

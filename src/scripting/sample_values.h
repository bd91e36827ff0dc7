/*
 * A resolved sample as values for a script: the dict of process_event(), call chains, and resolved addresses.
 *
 * Names and contents are perf's: perf-script-python(1), and the output of `perf script -s`. Repeated frames are copied from their
 * first encoding. One thread; everything it refers to is borrowed and must outlive it.
 */
#pragma once
#include "arch/arch.h"
#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vector.h"
#include "machine/machine.h"
#include "record/env.h"
#include "resolve/resolve.h"
#include "scripting/values.h"
#include "symbol/symbol.h"

/* perf's value if data_src was not recorded: PERF_MEM_OP_NA, and so on for each part. */
#define SAMPLE_VALUES_NO_DATA_SRC 0x5080021u

/* The encoding of a frame, without new strings in it. */
struct sample_values_frame {
	const char *bytes;
	uint32_t len;
};

struct sample_values {
	struct value_stream *to;
	const struct env *env;
	struct machine *machine;
	struct symbols *symbols;
	const struct arch *arch;
	bool has_symbol_offset;   /* frames have sym_off */
	bool kernel_path;         /* show the path of the kernel's image instead of [kernel.kallsyms] */
	struct arena arena;
	VEC(struct sample_values_frame) frames; /* by index in the frame cache; bytes NULL: not encoded yet */
	VEC(const char *) build_ids;            /* in hexadecimal, by mapped_file.id; NULL: not encoded yet */
	uint64_t data_src;        /* data_src of the cached text */
	const char *data_src_text;
	struct strbuf text;
};

void sample_values_init(struct sample_values *v, struct value_stream *to, const struct env *env, struct machine *machine,
			struct symbols *symbols);
void sample_values_deinit(struct sample_values *v);

/* The list of frames, innermost first; empty if the sample has none. */
void sample_values_chain(struct sample_values *v, const struct resolved_sample *s);
/* The dict with all values of the sample. */
void sample_values_dict(struct sample_values *v, const struct resolved_sample *s);

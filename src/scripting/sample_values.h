/*
 * A resolved sample as values for a script: what process_event(param_dict) is given, call chains, and where addresses are.
 *
 * Names and contents are perf's: perf-script-python(1), and what `perf script -s` passes. Frames that come again are copied as they
 * were written. One thread; all that it is made of is borrowed and outlives it.
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

/* What perf gives where data_src was not recorded: PERF_MEM_OP_NA, and so on for each part. */
#define SAMPLE_VALUES_NO_DATA_SRC 0x5080021u

/* A frame as it was written, without new strings in it. */
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
	bool kernel_path;         /* the path of the kernel's image in place of [kernel.kallsyms] */
	struct arena arena;
	VEC(struct sample_values_frame) frames; /* by number of the frame cache; bytes NULL: not yet */
	VEC(const char *) build_ids;            /* in hexadecimal, by mapped_file.id; NULL: not yet */
	uint64_t data_src;        /* whose text this is, where there is one */
	const char *data_src_text;
	struct strbuf text;
};

void sample_values_init(struct sample_values *v, struct value_stream *to, const struct env *env, struct machine *machine,
			struct symbols *symbols);
void sample_values_deinit(struct sample_values *v);

/* The list of frames, innermost first; empty where the sample has none. */
void sample_values_chain(struct sample_values *v, const struct resolved_sample *s);
/* The dict of all there is. */
void sample_values_dict(struct sample_values *v, const struct resolved_sample *s);

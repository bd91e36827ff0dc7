/*
 * Lists single samples: selection, level of detail, and text.
 *
 * Strings of a choice are borrowed; the text of samples is owned by the caller.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "base/vector.h"

enum listed_detail {
	DETAIL_LINES,   /* a line each: thread, CPU, time, event, function */
	DETAIL_STACKS,
	DETAIL_CODE,    /* with the instruction */
	DETAIL_SOURCE,  /* with file and line */
	DETAIL_CONTEXT, /* all samples around one of them, on its CPU */
	DETAILS_NR,
};

/* Selects samples; unset fields match all. */
struct listed_choice {
	const char *symbol, *dso, *comm;
	bool by_tid, by_cpu;
	uint64_t tid, cpu;
	uint64_t from_ns, to_ns; /* in the recording's clock, inclusive; to_ns 0: no limit */
	const struct listed_sample *around; /* DETAIL_CONTEXT: the sample of DETAIL_LINES to show the context of */
};

struct listed_sample {
	size_t at; /* start of its text, which ends at the next one's */
	uint64_t time_ns;
	uint32_t cpu;
	bool has_time, has_cpu;
};

/* Samples as text; starts zeroed. Text after the last sample gives the reason if the list is incomplete. */
struct listed_samples {
	struct strbuf text;
	VEC(struct listed_sample) all;
};

static inline void listed_samples_deinit(struct listed_samples *s)
{
	strbuf_deinit(&s->text);
	vec_deinit(&s->all);
}

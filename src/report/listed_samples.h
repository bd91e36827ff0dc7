/*
 * Samples one by one: which of them, with how much detail, and their text.
 *
 * Strings of a choice are borrowed; the text of samples is the caller's.
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

/* Which samples; unset fields let all through. */
struct listed_choice {
	const char *symbol, *dso, *comm;
	bool by_tid, by_cpu;
	uint64_t tid, cpu;
	uint64_t from_ns, to_ns; /* of the recording's clock, both included; to_ns 0: at any time */
	const struct listed_sample *around; /* DETAIL_CONTEXT: the sample of DETAIL_LINES that it is the context of */
};

struct listed_sample {
	size_t at; /* where its text begins; it ends where the next one's does */
	uint64_t time_ns;
	uint32_t cpu;
	bool has_time, has_cpu;
};

/* Samples as text; starts zeroed. What follows the last sample's text says why there are not all of them. */
struct listed_samples {
	struct strbuf text;
	VEC(struct listed_sample) all;
};

static inline void listed_samples_deinit(struct listed_samples *s)
{
	strbuf_deinit(&s->text);
	vec_deinit(&s->all);
}

/*
 * Streams the samples of a profile.proto without keeping them, for reports that only sum over them. Its tables are a profile without
 * rows.
 *
 * Sums do not need distinct samples. If these are needed, because some are negative (pprof sums the sizes of samples that it has
 * merged), or if a sample is invalid, there is no stream: exchange_read_bytes() reads the file, or reports the error. One thread.
 */
#pragma once
#include "exchange/exchange.h"
#include "profile/callgraph.h"

struct pprof_stream;

/* Reads the tables. The bytes are borrowed. */
struct strobe_error *pprof_stream_create(const struct exchange_bytes *bytes, struct pprof_stream **ret) _must_check_;
/* Checks all samples, and sums one of their values, named as in profile_choose_event(). Call it before the functions below. */
struct strobe_error *pprof_stream_sum(struct pprof_stream *s, const char *value) _must_check_;
void pprof_stream_destroy(struct pprof_stream *s);
/* All but its samples. */
const struct profile *pprof_stream_tables(const struct pprof_stream *s);
int64_t pprof_stream_total(const struct pprof_stream *s);
/* The samples of that value; NULL if they cannot be summed. */
const struct callgraph_samples *pprof_stream_samples(const struct pprof_stream *s);

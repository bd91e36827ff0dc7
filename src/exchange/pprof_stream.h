/*
 * A profile.proto whose samples are read when needed, and never kept: for reports that only sum over them. Its tables
 * are a profile without rows.
 *
 * Sums do not need distinct samples; where they are needed, because some are negative (pprof sums the sizes of samples that
 * it has joined), or where anything is wrong with one, there is no stream: exchange_read_bytes() reads it, or says what is wrong.
 * One thread.
 */
#pragma once
#include "exchange/exchange.h"
#include "profile/callgraph.h"

struct pprof_stream;

/* Reads the tables. The bytes are borrowed. */
struct strobe_error *pprof_stream_create(const struct exchange_bytes *bytes, struct pprof_stream **ret) _must_check_;
/* Checks all samples, and sums one value of them, as profile_choose_event() names it: before anything below is called. */
struct strobe_error *pprof_stream_sum(struct pprof_stream *s, const char *value) _must_check_;
void pprof_stream_destroy(struct pprof_stream *s);
/* All of it but its samples. */
const struct profile *pprof_stream_tables(const struct pprof_stream *s);
int64_t pprof_stream_total(const struct pprof_stream *s);
/* Of that value; NULL where they are not to be summed. */
const struct callgraph_samples *pprof_stream_samples(const struct pprof_stream *s);

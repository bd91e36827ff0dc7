/*
 * Contents of a recording other than samples, as text: numbers of records, counts of threads, tasks and their mappings, symbols.
 *
 * Layouts are those of perf report --stats, -T, --tasks and --mmaps, and of perf top -D. No state; one thread.
 */
#pragma once
#include "base/out.h"
#include "machine/machine.h"
#include "record/env.h"
#include "resolve/resolve.h"
#include "session/peek.h"

/* Records by type, and the samples of each event; skip_empty: without events that have none. */
void facts_stats(struct out *out, const struct env *env, const struct resolve_stats *stats, bool skip_empty);
/* The counts of READ records, a line for each thread; raw: a line for each thread and event. */
void facts_reads(struct out *out, const struct env *env, const struct thread_reads *reads, bool raw);
/* Each thread below its parent; the machine must be sealed. */
void facts_tasks(struct out *out, struct machine *m, bool with_maps);
/* For each file in use a line with its name and the source of its symbols, then a line per symbol. */
void facts_symbols(struct out *out, struct symbols *symbols);

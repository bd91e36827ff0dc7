/*
 * What a recording has besides its samples, as text: numbers of records, counts of threads, tasks and their mappings, symbols.
 *
 * The layouts are those of perf report --stats, -T, --tasks and --mmaps, and of perf top -D. Nothing is kept; one thread.
 */
#pragma once
#include "base/out.h"
#include "machine/machine.h"
#include "record/env.h"
#include "resolve/resolve.h"
#include "session/peek.h"

/* Records by type, and the samples of each event; skip_empty: no events without any. */
void facts_stats(struct out *out, const struct env *env, const struct resolve_stats *stats, bool skip_empty);
/* The counts of READ records, a line for each thread; raw: a line for each thread and event. */
void facts_reads(struct out *out, const struct env *env, const struct thread_reads *reads, bool raw);
/* Each thread below the one that started it; the machine is sealed. */
void facts_tasks(struct out *out, struct machine *m, bool with_maps);
/* For each file that was looked at a line with its name and where its symbols come from, then a line for each symbol. */
void facts_symbols(struct out *out, struct symbols *symbols);

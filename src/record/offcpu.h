/*
 * Samples of off-CPU time, as written by perf since 6.15 → ordinary samples.
 *
 * The fields of such a sample belong to the thread that runs next on the CPU; the waiting thread, time, stack and cgroup are in the raw
 * bytes: process and thread (4 bytes each), nanoseconds, the number of addresses and these, and the cgroup. The source delivers these
 * samples with that in their fields, with a chain and without raw bytes; other records are unchanged. Its environment is a copy with a
 * corresponding attr of the event; the raw attr, which headers show, is that of the recording.
 * Source: util/off_cpu.h of perf 6.15.
 */
#pragma once
#include "record/source.h"

/* Whether some event has such samples. */
bool offcpu_is_embedded(const struct env *env);
/* Takes ownership of input, whose events must be known, even in a stream. Later additions are followed. */
struct record_source *offcpu_create(struct record_source *input);

/*
 * Samples of off-CPU time as perf writes them since 6.15 → samples as of any other event.
 *
 * The kernel's part of such a sample is about the thread that runs next on the CPU; who waited, for how long, where and in which cgroup
 * is in the raw bytes: process and thread (4 bytes each), nanoseconds, the number of addresses and these, and the cgroup. The source
 * gives these samples with that in their fields, with a chain and without raw bytes; other records as they are. Its environment is a copy
 * in which the event's attr says so; the attr as bytes, which headers show, stays as recorded.
 * Source: util/off_cpu.h of perf 6.15.
 */
#pragma once
#include "record/source.h"

/* Whether some event has such samples. */
bool offcpu_is_embedded(const struct env *env);
/* Takes ownership of input, which knows its events: a stream, too, begins with them. What it says later is followed. */
struct record_source *offcpu_create(struct record_source *input);

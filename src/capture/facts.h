/*
 * The environment of a live system: what the feature sections of a recording say about the machine.
 *
 * facts_fill() sets every field of env that does not depend on the recording; events, clocks and times are the
 * session's. What is absent on this machine stays unset. Strings live in env's arena.
 */
#pragma once
#include "record/env.h"
#include "sys/sys.h"

/* argv is the recorder's command line, copied. */
void facts_fill(struct env *env, const struct sys *sys, const char *tool_version, int argc, char *const argv[]);
/* CLOCKID and CLOCK_DATA: the recording's clock, and the wall clock read together with it. */
void facts_clock(struct env *env, const struct sys *sys, int32_t clockid);
/* BPF_PROG_INFO and BPF_BTF: the programs that are loaded, where they may be seen. */
void facts_bpf(struct env *env);

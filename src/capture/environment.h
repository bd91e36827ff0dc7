/*
 * The environment of a live system: what the feature sections of a recording say about the machine and the command that made it.
 *
 * environment_fill() sets every field of env that does not depend on the recording; events, clocks and times are the
 * session's. What is absent on this machine stays unset. Strings live in env's arena.
 */
#pragma once
#include "capture/options.h"
#include "record/env.h"
#include "sys/sys.h"

/*
 * The command line is what the user typed, before options were reordered: /proc/self/cmdline. full_path: it begins with the path of
 * this program.
 */
void environment_fill(struct env *env, const struct sys *sys, const char *tool_version, bool full_path);
/* The same, with the programs and the clock that a session with these options has. */
void environment_fill_session(struct env *env, const struct sys *sys, const char *tool_version, const struct capture_options *o);
/* CLOCKID and CLOCK_DATA: the recording's clock, and the wall clock read together with it. */
void environment_clock(struct env *env, const struct sys *sys, int32_t clockid);
/* BPF_PROG_INFO and BPF_BTF: the programs that are loaded, where they may be seen. */
void environment_bpf(struct env *env);

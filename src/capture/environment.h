/*
 * The environment of a live system: the contents of feature sections about the machine and the command line.
 *
 * environment_fill() sets every field of env that does not depend on the recording; events, clocks and times are the
 * session's. Fields that this machine does not have remain unset. Strings live in env's arena.
 */
#pragma once
#include "capture/options.h"
#include "record/env.h"
#include "sys/sys.h"

/*
 * The command line is that typed by the user, before options were reordered: /proc/self/cmdline. full_path: it begins with the path of
 * this program.
 */
void environment_fill(struct env *env, const struct sys *sys, const char *tool_version, bool full_path);
/* The same, with the programs and the clock that a session with these options has. */
void environment_fill_session(struct env *env, const struct sys *sys, const char *tool_version, const struct capture_options *o);
/* CLOCKID and CLOCK_DATA: the recording's clock, and the wall clock read together with it. */
void environment_clock(struct env *env, const struct sys *sys, int32_t clockid);
/* BPF_PROG_INFO and BPF_BTF: the loaded programs, if permitted. */
void environment_bpf(struct env *env);

/*
 * -P: the calls on one file. BPF programs select descriptors of the file (by its directory and name), and strings whose last component is
 * one of its names. Whether such a string refers to the file is checked here, by the working directory of the process.
 *
 * The path is resolved when the trace begins; the file need not exist, but its directory must, for descriptors.
 * Owns its strings. One thread.
 */
#pragma once
#include "bpf/trace/stream_tracer.h"
#include "tracing/open_files.h"

struct path_choice {
	char *given, *real; /* absolute path of the name and of its target, without links, except the last component of given */
	struct stream_path stream;
};

/* path: "…*": all paths with this prefix, as programs spell them. Copied. */
void path_choice_init(struct path_choice *p, const char *path);
void path_choice_deinit(struct path_choice *p);
/* Whether a call that the programs were not sure of (TRACE_FLAG_MAYBE) names the file. */
bool path_choice_has(const struct path_choice *p, struct open_files *f, const struct syscall_event *ev);

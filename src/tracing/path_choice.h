/*
 * -P: the calls on one file. BPF programs choose by what they can know: descriptors of the file (its directory and its name there),
 * and strings that end like one of its names. Whether such a string leads to the file is known here, by where the process stands.
 *
 * The file is what the path leads to from here when the trace begins; it need not be there, its directory must, for descriptors.
 * Owns its strings. One thread.
 */
#pragma once
#include "bpf/trace/stream_tracer.h"
#include "tracing/open_files.h"

struct path_choice {
	char *given, *real; /* where the path lies, and where it leads: from the root on, without links but for given's last name */
	struct stream_path stream;
};

/* path: "…*": all paths that begin so, as programs spell them. Kept. */
void path_choice_init(struct path_choice *p, const char *path);
void path_choice_deinit(struct path_choice *p);
/* Whether a call that the programs were not sure of (TRACE_FLAG_MAYBE) names the file. */
bool path_choice_has(const struct path_choice *p, struct open_files *f, const struct syscall_event *ev);

/*
 * The input of `strobe flamegraph`: a recording, aggregated according to its options, or a file of another program (folded
 * stacks, the text of `perf script`, a pprof profile), or a server.
 */
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "profile/profile.h"
#include "session/profile_fetch.h"
#include "session/session.h"

struct flame_input_options {
	struct symbols_options symbol_files;
	struct sample_choice choice; /* of recordings alone */
	struct profile_fetch server; /* source NULL: the input is a file */
	const char *binary;          /* the main binary of a profile of another program, in place of the one in the profile; or NULL */
	uint64_t max_stack;
	bool force, inlines, no_scripts;
	bool with_pid, with_tid;
	bool for_page;   /* keep threads, addresses, lines, and the time of each sample if recorded */
	bool in_time;    /* keep the order of samples, or of lines */
	bool with_wakers; /* in recordings of waits: put the wakers' stacks on top */
	bool single;     /* folded lines have one value; a second number is part of the stack */
};

struct flame_input {
	struct arena arena;
	const char *path;
	struct session session;       /* closed if the input is not a recording; its profile is below */
	struct profile *profile;      /* NULL if nothing could be read */
	bool is_folded, two_values;
	uint32_t base_event;          /* with two_values: the event of the first one */
};

/*
 * path NULL: standard input if it is a pipe, else perf.data. On an error ret->profile may still have the complete part. Call
 * flame_input_close() in any case.
 */
struct strobe_error *flame_input_read(const struct session_host *host, const char *path, const struct flame_input_options *o,
				      struct flame_input *ret) _must_check_;
void flame_input_close(struct flame_input *in);

/*
 * inject: copies a recording to a file or a stream, with additions and changes by its options.
 *
 * If a change requires more than the preceding records, the recording is read twice; a stream is stored in a file for that. The
 * output file becomes visible once it is complete. Messages go through the host. One thread.
 */
#pragma once
#include <stdbool.h>

#include "base/error.h"
#include "session/host.h"
#include "symbol/symbol.h"

/* Strings are borrowed. */
struct injection_options {
	const char *input;     /* as in session_open() */
	const char *output;    /* "-" is standard output, in pipe format */
	const char *known_ids; /* build_ids_read_known(); or NULL */
	struct symbols_options symbol_files;
	bool force;            /* skip the ownership check */
	bool build_ids, all_build_ids; /* of the files with samples, of all files */
	bool mmap_ids;         /* build IDs in MMAP2 records */
	bool drop_unused;      /* the same, and drop mappings without samples */
	bool convert;          /* convert stack dumps to call chains */
	bool jit;              /* convert code of jitdumps to ELF files */
	bool sleeps;           /* merge sched_stat samples with sched_switch samples */
	bool aslr;             /* replace addresses */
	unsigned verbose;
};

/* Checks for options that exclude each other: ERROR_USAGE. */
struct strobe_error *injection_check(const struct injection_options *o) _must_check_;
struct strobe_error *injection_run(const struct session_host *host, const struct injection_options *o) _must_check_;

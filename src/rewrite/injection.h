/*
 * inject: a recording copied into a file or a stream, with what its options say added or changed on the way.
 *
 * Where a change needs more than the records before it, the recording is read twice; a stream is kept in a file for that. The
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
	bool drop_unused;      /* the same, without mappings that no sample lies in */
	bool convert;          /* stack dumps become call chains */
	bool jit;              /* code of jitdumps becomes ELF files */
	bool sleeps;           /* sched_stat samples are merged with sched_switch samples */
	bool aslr;             /* other addresses */
	unsigned verbose;
};

/* Which options exclude each other: ERROR_USAGE. */
struct strobe_error *injection_check(const struct injection_options *o) _must_check_;
struct strobe_error *injection_run(const struct session_host *host, const struct injection_options *o) _must_check_;

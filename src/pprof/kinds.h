/*
 * The reports of go tool pprof by name: options of its command line, commands at its prompt. A constant table.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum pprof_output {
	OUTPUT_TOP, OUTPUT_TREE, OUTPUT_PEEK, OUTPUT_TRACES, OUTPUT_TAGS, OUTPUT_COMMENTS, OUTPUT_PROTO, OUTPUT_RAW, OUTPUT_DOT,
	OUTPUT_SVG, OUTPUT_CALLGRIND, OUTPUT_LIST, OUTPUT_DISASM, OUTPUT_WEBLIST, OUTPUT_PNG, OUTPUT_PDF, OUTPUT_PS, OUTPUT_TOPPROTO,
};

static inline bool pprof_output_is_picture(enum pprof_output o)
{
	return o == OUTPUT_DOT || o == OUTPUT_SVG || o == OUTPUT_PNG || o == OUTPUT_PDF || o == OUTPUT_PS;
}

struct pprof_report_kind {
	const char *name;
	enum pprof_output output;
	bool has_argument;
	const char *suffix;  /* of the file, if the report is not text for a terminal; else NULL */
	const char *help;    /* as go tool pprof describes it at the prompt */
	const char *usage;   /* further help, or NULL */
	const char *viewers; /* programs that show the file, separated by "|": the first one found is run; or NULL */
};
/* In the order of their names. */
extern const struct pprof_report_kind pprof_kinds[];
extern const size_t pprof_kinds_nr;
/* The name has n bytes. NULL: unknown. */
const struct pprof_report_kind *pprof_kind(const char *name, size_t n);

/*
 * One function → a code listing: its bytes decoded, its source lines read, its costs laid beside them.
 *
 * Code comes through a `struct code_source`: files that processes map (annotate/dso_code.h), and whatever else has bytes,
 * addresses and perhaps names and lines, such as code that a JIT compiler wrote. No program is run for it.
 *
 *	struct code_source source = dso_code_source(&code);
 *	TRY(annotate_function(&source, &function, &options, &listing));
 *	for each hit: listing_add_value(listing, addr, event, samples, value);
 *	listing_finish(listing);
 *	listing_destroy(listing);
 *
 * Bytes are hostile: they are decoded one instruction after the other, and what is none is listed as bytes. Source files
 * are read where the debug information says they are; that they are the ones that were compiled is not known.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/error.h"
#include "disasm/disasm.h"
#include "table/listing.h"

#define CODE_PLACES_MAX 64
/* A function that is larger is refused: what looks like one is rather a file without symbols. */
#define ANNOTATE_MAX_BYTES (16u << 20)

/* Where an address came from; innermost first, each but the last was inlined into the next. Strings live as the source. */
struct code_place {
	const char *function, *file; /* NULL: unknown */
	uint32_t line;               /* 0: unknown */
};

struct code_source {
	const struct arch *arch;
	/* The bytes at addr, and how many follow; NULL where there are none. They outlive the listing. */
	const void *(*bytes)(void *ctx, uint64_t addr, size_t *ret_bytes);
	/* How the instructions of the function at addr lie there. May be NULL itself: as usual. */
	enum disasm_encoding (*encoding)(void *ctx, uint64_t addr);
	/* What is at addr, and where that begins; NULL: unknown. May be NULL itself. */
	const char *(*name)(void *ctx, uint64_t addr, uint64_t *ret_start);
	/* Returns how many; 0: nothing is known. May be NULL itself. */
	unsigned (*places)(void *ctx, uint64_t addr, struct code_place ret[CODE_PLACES_MAX]);
	void *ctx;
};

/* What to list; all is borrowed but for the time of the call. */
struct annotate_function {
	const char *name, *raw_name, *object, *object_path, *build_id, *section, *debug_origin;
	uint64_t start, end;
	const struct listing_event *events; /* samples and value are added up later */
	size_t events_nr;
};

struct annotate_options {
	enum disasm_syntax syntax;
	bool without_source;       /* do not read source files; places are known all the same */
	/* Absolute source paths: the first `strip` directories are taken off, then the prefix is put before them. */
	const char *source_prefix; /* or NULL */
	uint64_t source_strip;
	const char *source_root;   /* looked below first (--symfs), or NULL */
};

/*
 * The caller adds values, and finishes. ERROR_UNSUPPORTED if nothing decodes the architecture, ERROR_NOT_FOUND if
 * there are no bytes, ERROR_FORMAT if it has no size, ERROR_LIMIT if it is too large.
 */
struct strobe_error *annotate_function(const struct code_source *source, const struct annotate_function *f,
				       const struct annotate_options *options, struct listing **ret) _must_check_;

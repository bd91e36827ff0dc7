/*
 * Makes a code listing of a function: decodes its bytes, reads its source lines, and adds costs.
 *
 * Code is read through a `struct code_source`: from files that processes map (annotate/dso_code.h), or from any other source of bytes
 * and addresses, and possibly names and lines, such as a JIT compiler's code. No program is run for it.
 *
 *	struct code_source source = dso_code_source(&code);
 *	TRY(annotate_function(&source, &function, &options, &listing));
 *	for each hit: listing_add_value(listing, addr, event, samples, value);
 *	listing_finish(listing);
 *	listing_destroy(listing);
 *
 * Bytes are hostile: they are decoded one instruction after the other, and undecodable ones are listed as bytes. Source files are
 * read from the paths in the debug information; they may have changed since compilation.
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
/* Larger functions are rejected: they are probably files without symbols. */
#define ANNOTATE_MAX_BYTES (16u << 20)

/* The origin of an address; innermost first, each except the last was inlined into the next. Strings live as long as the source. */
struct code_place {
	const char *function, *file; /* NULL: unknown */
	uint32_t line;               /* 0: unknown */
};

struct code_source {
	const struct arch *arch;
	/* The bytes at addr, and the number of bytes from there; NULL if there are none. They outlive the listing. */
	const void *(*bytes)(void *ctx, uint64_t addr, size_t *ret_bytes);
	/* The encoding of the function at addr. May be NULL: the usual one. */
	enum disasm_encoding (*encoding)(void *ctx, uint64_t addr);
	/* The name of the symbol at addr, and its start; NULL: unknown. May be NULL. */
	const char *(*name)(void *ctx, uint64_t addr, uint64_t *ret_start);
	/* Returns the number of places; 0: unknown. May be NULL. */
	unsigned (*places)(void *ctx, uint64_t addr, struct code_place ret[CODE_PLACES_MAX]);
	void *ctx;
};

/* The function to list; everything is borrowed, only for the time of the call. */
struct annotate_function {
	const char *name, *raw_name, *object, *object_path, *build_id, *section, *debug_origin;
	uint64_t start, end;
	const struct listing_event *events; /* samples and value are added up later */
	size_t events_nr;
};

struct annotate_options {
	enum disasm_syntax syntax;
	bool without_source;       /* do not read source files; places are known anyway */
	/* Absolute source paths: removes the first `strip` directories, then prepends the prefix. */
	const char *source_prefix; /* or NULL */
	uint64_t source_strip;
	const char *source_root;   /* searched first: --symfs, object/sysroot.h; or NULL */
};

/*
 * The caller adds values, and calls listing_finish(). ERROR_UNSUPPORTED if no library decodes the architecture, ERROR_NOT_FOUND if
 * there are no bytes, ERROR_FORMAT if it has no size, ERROR_LIMIT if it is too large.
 */
struct strobe_error *annotate_function(const struct code_source *source, const struct annotate_function *f,
				       const struct annotate_options *options, struct listing **ret) _must_check_;

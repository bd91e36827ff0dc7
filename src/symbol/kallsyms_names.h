/*
 * Symbols of the kernel by their names, from the text of /proc/kallsyms: all with a name, and their modules, which the list for
 * addresses (kallsyms.h) does not have. Read-only. Source: proc_kallsyms(5).
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "base/vector.h"

struct kallsyms_place {
	size_t name_index;    /* in the names that were searched for */
	uint64_t start, end;  /* up to the next symbol of its module; the last one ends with the page after its start */
	char type;
	const char *module;   /* in the text; not terminated; of 0 bytes for the kernel itself */
	size_t module_bytes;
};

typedef VEC(struct kallsyms_place) kallsyms_places;

/* Appends the text of the running kernel (path NULL), or of a copy. */
struct strobe_error *kallsyms_read(const char *path, struct strbuf *ret) _must_check_;
/*
 * Appends the symbols that have one of these names, in the order of the names; equal names with code first, then by address. False:
 * every address is 0, since the kernel hides them.
 */
bool kallsyms_find_names(const char *text, size_t bytes, const char *const *names, size_t names_nr, kallsyms_places *ret);
/* The error for hidden addresses of the running kernel (path NULL), with advice, or of a copy. */
struct strobe_error *kallsyms_hidden_error(const char *path) _must_check_;

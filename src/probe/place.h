/*
 * From a definition to its places, and to definitions in the syntax of tracefs.
 *
 * A function means all of its code: all symbols of that name and, with debug information, each inlined instance. A glob means all
 * functions that match. Source: the kernel's kprobetrace.rst, uprobetracer.rst.
 */
#pragma once
#include <stdint.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vector.h"
#include "probe/definition.h"
#include "probe/target.h"

#define PROBE_PLACES_MAX 128 /* maximum number per definition, unless the user allows more */

struct probe_search {
	bool no_inlines;
	uint32_t max_places;    /* 0: PROBE_PLACES_MAX */
	const char *source_dir; /* directory of source files, in place of that in the debug information; or NULL */
};

struct probe_place {
	const struct probe_function *function; /* at or before it; lives with the target; NULL: unknown */
	uint64_t address;                      /* of the target */
	uint64_t offset;                       /* of it in the function */
	const char *name;                      /* base of the event's name; lives with the target; NULL: none */
	const char *source_name;               /* of the function in the debug information; NULL: unknown */
	bool is_inlined;
	bool is_after_prologue; /* moved after the prologue, which stores parameters */
	/* Of a marker: */
	uint64_t semaphore;    /* offset in the file; 0: none */
	const char *group;     /* or NULL */
	const char *arguments; /* for tracefs, in the arena; or NULL */
};

struct probe_places {
	struct arena arena;
	VEC(struct probe_place) list; /* by address, each once */
};

/* Finds at least one place, or returns an error with the reason. Call probe_places_deinit() unless there is an error. */
struct strobe_error *probe_places_find(struct probe_target *t, const struct probe_definition *d, const struct probe_search *search,
				       struct probe_places *ret) _must_check_;
void probe_places_deinit(struct probe_places *places);
/* "p:GROUP/EVENT PATH:0x114a n=%di:s64" */
struct strobe_error *probe_place_line(struct probe_target *t, const struct probe_definition *d, const struct probe_place *p,
				      const char *group, const char *event, struct strbuf *ret) _must_check_;
/* The last part of such a line: " n=%di:s64". */
struct strobe_error *probe_place_arguments(struct probe_target *t, const struct probe_definition *d, const struct probe_place *p,
					   struct strbuf *ret) _must_check_;

/* The site for looking up variables of arguments. */
struct probe_site;
struct probe_site probe_place_site(struct probe_target *t, const struct probe_definition *d, const struct probe_place *p);

/* The address of an installed probe in its target; false: unknown. */
bool probe_place_of_installed(const struct probe_target *t, const struct probe_installed *event, uint64_t *ret_address);
/*
 * "mid:4@src/b.c": function, line relative to its declaration, and the end of the path; without debug information "mid+4", "mid"; an
 * address without a known function.
 */
void probe_address_text(struct probe_target *t, uint64_t address, bool is_return, struct strbuf *ret);

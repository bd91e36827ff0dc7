/*
 * From a definition to the places it means, and to the lines that tracefs takes for them.
 *
 * A function means all of its code: what symbols of that name point to, and with debug information each place where it was inlined. A
 * glob means the functions that it matches. Source: the kernel's kprobetrace.rst, uprobetracer.rst.
 */
#pragma once
#include <stdint.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vector.h"
#include "probe/definition.h"
#include "probe/target.h"

#define PROBE_PLACES_MAX 128 /* of a definition, unless the user allows more */

struct probe_search {
	bool no_inlines;
	uint32_t max_places;    /* 0: PROBE_PLACES_MAX */
	const char *source_dir; /* where source files are, instead of where the debug information says; or NULL */
};

struct probe_place {
	const struct probe_function *function; /* at or before it; lives with the target; NULL: none is known */
	uint64_t address;                      /* of the target */
	uint64_t offset;                       /* of it in the function */
	const char *name;                      /* what its event is called after; lives with the target; NULL: nothing */
	const char *source_name;               /* of the function in the debug information; NULL: not known */
	bool is_inlined;
	bool is_after_prologue; /* of a function, since its variables are not stored before */
	/* Of a marker: */
	uint64_t semaphore;    /* where it is in the file; 0: none */
	const char *group;     /* or NULL */
	const char *arguments; /* for tracefs, in the arena; or NULL */
};

struct probe_places {
	struct arena arena;
	VEC(struct probe_place) list; /* by address, each once */
};

/* Finds at least one place, or says what hinders it. *ret is for probe_places_deinit() unless there is an error. */
struct strobe_error *probe_places_find(struct probe_target *t, const struct probe_definition *d, const struct probe_search *search,
				       struct probe_places *ret) _must_check_;
void probe_places_deinit(struct probe_places *places);
/* "p:GROUP/EVENT PATH:0x114a n=%di:s64" */
struct strobe_error *probe_place_line(struct probe_target *t, const struct probe_definition *d, const struct probe_place *p,
				      const char *group, const char *event, struct strbuf *ret) _must_check_;
/* The last part of such a line: " n=%di:s64". */
struct strobe_error *probe_place_arguments(struct probe_target *t, const struct probe_definition *d, const struct probe_place *p,
					   struct strbuf *ret) _must_check_;

/* Whose variables an argument of the definition means there. */
struct probe_site;
struct probe_site probe_place_site(struct probe_target *t, const struct probe_definition *d, const struct probe_place *p);

/* Where an installed probe is, in its target: false where that is not known. */
bool probe_place_of_installed(const struct probe_target *t, const struct probe_installed *event, uint64_t *ret_address);
/*
 * "mid:4@src/b.c": function, line after that of its declaration, and the end of the path; without debug information "mid+4", "mid"; an
 * address where no function is known.
 */
void probe_address_text(struct probe_target *t, uint64_t address, bool is_return, struct strbuf *ret);

/* Shared by source.c and kept_names.c. */
#pragma once
#include "base/brief_lock.h"
#include "base/idset.h"
#include "base/mem.h"
#include "base/vector.h"
#include "object/dwarf/dwarf.h"
#include "object/gopclntab.h"
#include "symbol/source.h"
#include "symbol/symbol_priv.h"

/*
 * Names of functions, and symbols of inlined ones, interned by name and range; they outlive the debug information. Several shares, by
 * hash: threads mostly take different locks. While names are deferred, by processor, so that threads hardly ever wait: then a name may be
 * in several.
 */
struct inlined_share {
	pthread_mutex_t lock;
	struct arena texts; /* names, mangled and not */
	struct arena arena;
	VEC(struct kept_name *) names;
	VEC(struct made_symbol *) all;
	struct idset texts_index, places_index, index;
} THREAD_OWN;
#define INLINED_SHARES 8

struct dso_source {
	_Atomic bool is_read;                     /* the fields up to origin are set */
	struct dwarf *dwarf;                      /* NULL: there is none */
	bool has_go;                              /* lines of a Go program without DWARF */
	struct gopclntab go;
	struct object *module, *debug_object, *supplement; /* to be closed, or NULL */
	VEC(uint64_t) expected;                   /* addresses that will be requested, ascending; of the object, once it is read */
	int64_t shift;                            /* as dso.shift, of the file with the debug information */
	struct dwarf_strings strings;             /* of dwarf, also when that is forgotten */
	bool defers_names;                        /* until they are read together */
	const char *origin;
	struct inlined_share inlined[INLINED_SHARES];
};

/* The share that things of that hash are looked for in, and added to. */
static inline struct inlined_share *inlined_share_of(struct dso_source *s, uint64_t hash)
{
	return &s->inlined[s->defers_names ? brief_lock_part(INLINED_SHARES) : (hash >> 32) % INLINED_SHARES];
}

/* d->source_lines, created if needed. Call it under d->lock. */
struct dso_source *dso_source_need(struct dso *d);

/* ---- kept_names.c ---- */
#define UNKNOWN_NAME "??"
/* For struct dwarf_files, with the DSO as ctx: each returns a struct kept_name. */
const void *kept_name_of_text(void *ctx, const char *name);
const void *kept_name_of_place(void *ctx, uint64_t place);
/* Closes the file of deferred names, once they are read or none are deferred. */
void kept_names_close(struct dso_source *s);

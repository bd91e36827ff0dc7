/*
 * The objects that a finished profile names, found again on this machine: for profiles that bring addresses without names,
 * and for the code of functions.
 *
 * Only what a mapping says to be a file is looked for, under its path and in the build-id cache; a file with another
 * build-id than the profile has is not used. Paths come from anywhere: what is no regular ELF file has no symbols. One
 * thread. The profile is borrowed, and must live as long.
 */
#pragma once
#include "profile/profile.h"
#include "symbol/symbol.h"

struct profile_objects;

struct profile_objects *profile_objects_create(const struct profile *p, const struct symbols_options *options);
void profile_objects_destroy(struct profile_objects *o);

/* What code of a mapping comes from; NULL where that is no file. Lives as long as the objects. */
struct dso *profile_object(struct profile_objects *o, mapping_id mapping);
const struct mapped_file *profile_object_file(struct profile_objects *o, mapping_id mapping);
/* The frame's address in the object's own space; false where its mapping is no file. */
bool profile_object_address(struct profile_objects *o, const struct profile_frame *f, struct dso **ret_dso, uint64_t *ret_addr);

/* How C++ names are shown. */
enum resolve_names {
	RESOLVE_SHORT,     /* without parameters and template arguments, as pprof has them */
	RESOLVE_TEMPLATES, /* without parameters */
	RESOLVE_FULL,
	RESOLVE_RAW,       /* as linked */
};

/* A C++ name as it is shown, without the parts that are left out. */
str_id resolve_readable_name(struct profile *dst, const char *name, enum resolve_names names);

/*
 * A new profile: with the functions, inlined ones too, and lines of mappings of which no frame has a name. With names_only
 * functions as tables of symbols have them, which need no debug information: nothing inlined, no files, no lines.
 */
struct profile *resolve_profile(const struct profile *p, struct profile_objects *o, enum resolve_names names, bool names_only);
/* Whether there is such a mapping, with a path. */
bool resolve_profile_is_needed(const struct profile *p);

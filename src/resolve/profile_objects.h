/*
 * Finds the objects of a finished profile on this machine, for profiles with addresses but no names, and for the code of
 * functions.
 *
 * Only mappings of files are looked up, by path and in the build ID cache; a file with another build ID than in the
 * profile is not used. Paths are untrusted: only regular ELF files have symbols. One thread. The profile is borrowed,
 * and must outlive the objects.
 */
#pragma once
#include "profile/profile.h"
#include "symbol/symbol.h"

struct profile_objects;

struct profile_objects *profile_objects_create(const struct profile *p, const struct symbols_options *options);
void profile_objects_destroy(struct profile_objects *o);

/* The file of a mapping; NULL: not a file. Lives as long as the objects. */
struct dso *profile_object(struct profile_objects *o, mapping_id mapping);
const struct mapped_file *profile_object_file(struct profile_objects *o, mapping_id mapping);
/* The frame's address in the object; false: the mapping is not a file. */
bool profile_object_address(struct profile_objects *o, const struct profile_frame *f, struct dso **ret_dso, uint64_t *ret_addr);

/* How C++ names are shown. */
enum resolve_names {
	RESOLVE_SHORT,     /* without parameters and template arguments, as in pprof */
	RESOLVE_TEMPLATES, /* without parameters */
	RESOLVE_FULL,
	RESOLVE_RAW,       /* as linked */
};

/* A C++ name without the parts that are not shown. */
str_id resolve_readable_name(struct profile *dst, const char *name, enum resolve_names names);

/*
 * A new profile, in which mappings without any named frame get functions, including inlined ones, and lines. With names_only
 * only functions of symbol tables, without debug information: nothing inlined, no files, no lines.
 */
struct profile *resolve_profile(const struct profile *p, struct profile_objects *o, enum resolve_names names, bool names_only);
/* Whether there is such a mapping, with a path. */
bool resolve_profile_is_needed(const struct profile *p);

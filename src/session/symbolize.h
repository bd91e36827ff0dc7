/*
 * Symbols for profiles with only addresses (of gperftools, of C programs), from the binaries on this machine.
 */
#pragma once
#include "profile/profile.h"
#include "resolve/profile_objects.h"
#include "session/host.h"
#include "session/profile_fetch.h"

/* By default binaries first, then the server that the profile came from. */
enum symbolize_where { SYMBOLIZE_ANY, SYMBOLIZE_LOCAL, SYMBOLIZE_REMOTE };

struct symbolize {
	enum symbolize_where where;
	bool is_off, names_only; /* names_only: from symbol tables, without inlined functions and lines */
	enum resolve_names names;
};

/* "local", "fastlocal", "remote", "none", followed by ":demangle=full|templates|none"; NULL or "": any. ERROR_USAGE. */
struct strobe_error *symbolize_parse(const char *word, struct symbolize *ret) _must_check_;
/* Call it for a profile being read: overrides the file and build ID of its main binary (NULL: as in the profile). */
void symbolize_use_binary(struct profile *p, const char *path, const char *build_id);
/* Whether it has addresses without names. */
bool symbolize_is_needed(const struct symbolize *s, const struct profile *p);
/*
 * *Replaces *p if it has mappings without names; reports files that cannot be read. Binaries are searched for below
 * $PPROF_BINARY_PATH (~/pprof/binaries) first, by build ID and by name.
 */
struct strobe_error *symbolize_profile(const struct session_host *host, const struct symbolize *s, struct profile **p) _must_check_;
/* Removes the profile's drop_frames; *p is replaced if it has any. */
struct strobe_error *symbolize_drop_uninteresting(struct profile **p) _must_check_;
/*
 * The profile for display: with names, and without its drop_frames (such as those of an allocator). *p is replaced if anything changes.
 */
struct strobe_error *symbolize_for_views(const struct session_host *host, struct profile **p) _must_check_;
/* The source name for a name from a symbol table or a server. */
str_id symbolize_readable(struct profile *dst, const char *linked, enum resolve_names form);
/*
 * In a foreign profile: converts mangled names, and names with parameters, to the form; with another form than RESOLVE_SHORT all
 * names are made from the linkage names. *p is replaced if any name changes.
 */
void symbolize_names(const struct symbolize *s, struct profile **p);
/* Whether any name would, or might, change. */
bool symbolize_changes_names(const struct symbolize *s, const struct profile *p);
/*
 * symbolize_profile() by the server of the profile, for addresses without a name. A refusal is an error if names must come from
 * there.
 */
struct strobe_error *symbolize_remote(const struct symbolize *s, const struct profile_fetch *server,
				      struct profile **p) _must_check_;

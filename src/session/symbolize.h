/*
 * Names for profiles that bring addresses alone (of gperftools, of C programs), from the binaries on this machine.
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
	bool is_off, names_only; /* from tables of symbols: nothing inlined, no lines */
	enum resolve_names names;
};

/* "local", "fastlocal", "remote", "none", followed by ":demangle=full|templates|none"; NULL or "": any. ERROR_USAGE. */
struct strobe_error *symbolize_parse(const char *word, struct symbolize *ret) _must_check_;
/* While a profile is being read: its main binary is another file, or of another build (NULL: as the profile says). */
void symbolize_use_binary(struct profile *p, const char *path, const char *build_id);
/* Whether it has addresses without names. */
bool symbolize_is_needed(const struct symbolize *s, const struct profile *p);
/*
 * *p is replaced where it has mappings without names; what cannot be read is said. Binaries are looked for below
 * $PPROF_BINARY_PATH (~/pprof/binaries) first, by build-id and by name.
 */
struct strobe_error *symbolize_profile(const struct session_host *host, const struct symbolize *s, struct profile **p) _must_check_;
/* Without the frames that the profile says are of no interest; *p is replaced where it names any. */
struct strobe_error *symbolize_drop_uninteresting(struct profile **p) _must_check_;
/*
 * The profile as it is shown: with names, and without the frames that it says are of no interest (an allocator's own). *p is replaced
 * where anything changes.
 */
struct strobe_error *symbolize_for_views(const struct session_host *host, struct profile **p) _must_check_;
/* A name that a table of symbols or a server has, as it is written in the source. */
str_id symbolize_readable(struct profile *dst, const char *linked, enum resolve_names form);
/*
 * In a foreign profile: names that are mangled or have parameters, as form has them; with another form than RESOLVE_SHORT all
 * names are made anew from what is linked. *p is replaced where any name changes.
 */
void symbolize_names(const struct symbolize *s, struct profile **p);
/* Whether any would, or might. */
bool symbolize_changes_names(const struct symbolize *s, const struct profile *p);
/*
 * symbolize_profile(), by the server that it came from: addresses that have no name yet. A refusal is an error where the names
 * must come from there.
 */
struct strobe_error *symbolize_remote(const struct symbolize *s, const struct profile_fetch *server,
				      struct profile **p) _must_check_;

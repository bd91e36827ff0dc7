/*
 * Names for profiles that bring addresses alone (of gperftools, of C programs), from the binaries on this machine.
 */
#pragma once
#include "cmd/cmd.h"
#include "profile/profile.h"
#include "resolve/profile_objects.h"

struct symbolize {
	bool is_off, names_only; /* from tables of symbols: nothing inlined, no lines */
	enum resolve_names names;
};

/* "local", "fastlocal", "none", with ":demangle=full|templates|none" behind it; NULL or "": local. ERROR_USAGE. */
struct strobe_error *symbolize_parse(const char *word, struct symbolize *ret) _must_check_;
/* The profile's main binary is another file: as the command line named it. */
void symbolize_use_binary(struct profile *p, const char *path);
void symbolize_use_build_id(struct profile *p, const char *build_id);
/* Whether it has addresses without names. */
bool symbolize_is_wanted(const struct symbolize *s, const struct profile *p);
/*
 * *p is replaced where it has mappings without names; what cannot be read is said. Binaries are looked for below
 * $PPROF_BINARY_PATH (~/pprof/binaries) first, by build-id and by name.
 */
struct strobe_error *symbolize_profile(struct cmd_context *ctx, const struct symbolize *s, struct profile **p) _must_check_;

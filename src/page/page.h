/*
 * Shared by `report --html`, `report --web`, `flamegraph -o PAGE.html`, `web` and `pprof -http`: the options of a page, its code and
 * its base.
 */
#pragma once
#include "annotate/source_files.h"
#include "base/arena.h"
#include "disasm/disasm.h"
#include "profile/profile.h"
#include "record/env.h"
#include "resolve/resolve.h"
#include "session/session.h"
#include "view/html/html.h"

/* Options of the page, with facts from the environment of a recording (NULL: none). Everything is in the arena. */
struct html_options page_options(struct arena *arena, const struct env *env, const char *path);
/*
 * Reads the file of a base (path NULL: none) and replaces *profile by one that also has the base's rows, as separate events
 * (HTML_BASE_PREFIX), for the page to compare with. ret_difference (may be NULL) gets the profile less its base, for readers other
 * than the page, which subtracts by itself; the caller destroys it.
 */
struct strobe_error *page_read_base(const struct session_host *host, const char *path, bool force, struct profile **profile,
				    struct profile **ret_difference) _must_check_;
/*
 * Code from a resolver's files, which must outlive the options; function addresses are those of its profile, or of a profile filtered
 * from it or joined with a base.
 */
struct html_code page_code(struct arena *arena, const struct env *env, struct resolver *resolver);

/*
 * The same for a profile from another program: from binaries and source files named in it that exist here. The arena, the host and the
 * profile must outlive it.
 */
struct page_profile_code;
struct strobe_error *page_profile_code_create(struct arena *arena, const struct session_host *host, const struct profile *p,
					      const struct source_paths *paths, enum disasm_syntax syntax,
					      struct page_profile_code **ret) _must_check_;
/*
 * page_code() of a session that has a resolver, else code of the profile's own binaries, with sources below the current directory:
 * *ret_owner (NULL: none) is owned by the caller.
 */
struct strobe_error *page_any_code(struct arena *arena, const struct session *s, const struct profile *p,
				   struct page_profile_code **ret_owner, struct html_code *ret) _must_check_;
/* NULL is fine. */
void page_profile_code_destroy(struct page_profile_code *c);
struct html_code page_profile_code(struct page_profile_code *c);

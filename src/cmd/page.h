/*
 * What `report --html`, `report --web`, `web` and `pprof -http` share: a profile that becomes a page, and its base.
 */
#pragma once
#include "base/arena.h"
#include "cmd/cmd.h"
#include "profile/profile.h"
#include "record/env.h"
#include "view/html/html.h"

/* Reads a recording or profile for a page, and makes its options. */
struct strobe_error *page_read(struct cmd_context *ctx, struct arena *arena, const char *path, bool force, struct profile **ret,
			       struct html_options *ret_options) _must_check_;
/* Options of the page, with facts out of the environment of a recording (NULL: there is none). All live in the arena. */
struct html_options page_options(struct arena *arena, const struct env *env, const char *path);
/*
 * A profile that has base's rows as events of their own (HTML_BASE_PREFIX), for the page to compare with; the caller's.
 * base is changed, and no use any more but to be destroyed.
 */
struct profile *page_with_base(const struct profile *p, struct profile *base);
/* Reads the file of a base and joins it; path NULL: *profile stays as it is. Else it is replaced by a new one. */
struct strobe_error *page_read_base(struct cmd_context *ctx, const char *path, struct profile **profile) _must_check_;

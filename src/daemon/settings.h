/*
 * The settings of a daemon: "base" of [daemon], and "run" of each [session-NAME], the options of a recording. Source: perf-daemon(1).
 * All strings are in the arena.
 */
#pragma once
#include "base/arena.h"
#include "base/error.h"
#include "base/vector.h"
#include "cli/config.h"

struct daemon_setting {
	const char *name, *run;
};

struct daemon_settings {
	struct arena arena;
	const char *base; /* an absolute directory */
	VEC(struct daemon_setting) sessions;
};

/* base: overrides the setting, or NULL. ERROR_USAGE names what is missing or invalid. */
struct strobe_error *daemon_settings_of(const struct config *c, const char *base, struct daemon_settings *ret) _must_check_;
/* The same from a file; NULL: the user's. */
struct strobe_error *daemon_settings_read(const char *path, const char *base, struct daemon_settings *ret) _must_check_;
/* Call in any case. */
void daemon_settings_deinit(struct daemon_settings *s);
/* NULL: unknown name. */
const struct daemon_setting *daemon_settings_find(const struct daemon_settings *s, const char *name);
/* Splits options at blanks, with quotes '…' and "…" as in a shell; the result ends with NULL. ERROR_USAGE if a quote is not closed. */
struct strobe_error *daemon_words(struct arena *a, const char *run, char ***ret) _must_check_;

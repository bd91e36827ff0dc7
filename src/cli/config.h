/*
 * The user's settings, from ini files: [section "sub"] key = value is looked up as section.sub.key.
 *
 * Files are /etc/strobeconfig, ~/.perfconfig and ~/.strobeconfig; later ones override earlier ones. STROBE_CONFIG (or PERF_CONFIG)
 * names one file to read instead. A file in the home directory that belongs to neither the user nor root is skipped. The working
 * directory is never read: a settings file can name programs to run (CVE-2011-2905). Sections and keys are compared ignoring case.
 * Format: perf-config(1).
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define CONFIG_SYSTEM_FILE    "/etc/strobeconfig"
#define CONFIG_FILE_MAX_BYTES (1u << 20)

/* All: the system's and the user's, or the one file that the environment names. */
enum config_scope { CONFIG_ALL, CONFIG_USER, CONFIG_SYSTEM };

struct config;

/* Missing files are ignored; a syntax error names its line. */
struct strobe_error *config_load(enum config_scope scope, struct config **ret) _must_check_;
/* The same from text: adds to c. name is for messages. */
struct strobe_error *config_parse(struct config *c, const char *name, const char *text, size_t bytes) _must_check_;
struct config *config_create(void);
void config_destroy(struct config *c);
static inline void config_destroyp(struct config **c)
{
	config_destroy(*c);
}
#define _cleanup_config_ _cleanup_(config_destroyp)

/* The value of "section.key", or NULL. A key without "= value" is "true". */
const char *config_get(const struct config *c, const char *key);
/* True, yes, on, 1 (and a bare key) are true, false, no, off, 0 false; anything else is an error naming the key. */
struct strobe_error *config_bool(const struct config *c, const char *key, bool fallback, bool *ret) _must_check_;
/* A directory, where "~/" is the home; fallback: the default. Owned by the caller; NULL: below the home directory, and there is none. */
char *config_directory(const struct config *c, const char *key, const char *fallback);
/* A new set with the last value of each key, keys of a section together, in the order of their first entries. */
struct config *config_effective(const struct config *c);
/*
 * The file that settings of that scope are written to, the user's for CONFIG_ALL: ~/.strobeconfig if it exists, else ~/.perfconfig.
 * Owned by the caller; NULL without a home directory.
 */
char *config_path(enum config_scope scope);
/* All, in the order of the files; a key may be repeated. */
size_t config_count(const struct config *c);
void config_at(const struct config *c, size_t i, const char **ret_key, const char **ret_value);

/*
 * The user's settings, from ini files: [section "sub"] key = value is looked up as section.sub.key.
 *
 * Read are /etc/strobeconfig, ~/.perfconfig and ~/.strobeconfig; later files win. STROBE_CONFIG (or PERF_CONFIG) names one
 * file that is read instead of them all. A file in the home directory that belongs to neither the user nor root is left
 * out. Nothing is ever read from the working directory: a settings file can name programs to run (CVE-2011-2905).
 * Section and key compare without regard to case. Format: perf-config(1).
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct config;

/* Missing files are fine; a file that does not parse is an error naming its line. */
struct strobe_error *config_load(struct config **ret) _must_check_;
/* The same from text: adds to c. name is for messages. */
struct strobe_error *config_parse(struct config *c, const char *name, const char *text, size_t bytes) _must_check_;
struct config *config_create(void);
void config_destroy(struct config *c);

/* The value of "section.key", or NULL. A key without "= value" is "true". */
const char *config_get(const struct config *c, const char *key);
/* True, yes, on, 1 (and a bare key) are true, false, no, off, 0 false; anything else is an error naming the key. */
struct strobe_error *config_bool(const struct config *c, const char *key, bool fallback, bool *ret) _must_check_;
/* All, in the order of the files; a key may come more than once. */
size_t config_count(const struct config *c);
void config_at(const struct config *c, size_t i, const char **ret_key, const char **ret_value);

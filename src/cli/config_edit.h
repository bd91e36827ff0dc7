/*
 * Changes settings in a file and preserves all else: comments, blank lines, order. Format: perf-config(1).
 */
#pragma once
#include "base/strbuf.h"
#include "cli/config.h"

struct config_change {
	const char *key, *value; /* "section.name"; the section is the part before the last dot */
};

/*
 * Splits "section.name" or "section.name=value" (value NULL without =) in place. ERROR_USAGE if a part is missing, or the name is
 * invalid in a file.
 */
struct strobe_error *config_change_parse(char *text, struct config_change *ret) _must_check_;
/*
 * The text with the change: the value of the key's last entry is replaced; a key that is new follows the last entry of its section,
 * and a section that is new is appended. name is for messages; syntax errors in the text are errors.
 */
struct strobe_error *config_edit(const char *name, const char *text, size_t bytes, const struct config_change *change,
				 struct strbuf *ret) _must_check_;
/*
 * The same with the file of that scope (CONFIG_ALL: the user's), which is created (0600) if there is none. It is replaced
 * atomically, and keeps its mode.
 */
struct strobe_error *config_change_file(enum config_scope scope, const struct config_change *changes, size_t changes_nr) _must_check_;

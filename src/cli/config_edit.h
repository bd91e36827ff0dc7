/*
 * Changes settings in a file and keeps all else: comments, blank lines, order. Format: perf-config(1).
 */
#pragma once
#include "base/strbuf.h"
#include "cli/config.h"

struct config_change {
	const char *key, *value; /* "section.name"; the section is what precedes the last dot */
};

/*
 * Splits "section.name" or "section.name=value" (value NULL without =) in place. ERROR_USAGE if a part lacks, or where a file
 * could not have that name.
 */
struct strobe_error *config_change_parse(char *text, struct config_change *ret) _must_check_;
/*
 * The text with the change: the value of the key's last entry is replaced; a key that is new follows the last entry of its section,
 * and a section that is new is appended. name is for messages; a text that does not parse is an error.
 */
struct strobe_error *config_edit(const char *name, const char *text, size_t bytes, const struct config_change *change,
				 struct strbuf *ret) _must_check_;
/*
 * The same with the file of that scope, CONFIG_ALL is the user's, which is made (0600) if there is none. It is replaced when it
 * is whole, and keeps its mode.
 */
struct strobe_error *config_change_file(enum config_scope scope, const struct config_change *changes, size_t changes_nr) _must_check_;

/* Shared by config.c, which reads settings, and config_edit.c, which changes their text. */
#pragma once
#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vector.h"
#include "cli/config.h"

struct config_entry {
	const char *key, *value;
	size_t value_at, value_end; /* in the text: with quotes, without blanks around; equal: no = */
	bool is_bare;
};

struct config_section {
	const char *name;
	size_t end; /* in the text: after the header, or after the last entry */
};

/* Offsets are those of the text that was parsed last. */
struct config {
	struct arena arena;
	VEC(struct config_entry) entries;
	VEC(struct config_section) sections;
};

/* Reads one file; a missing one is empty. With check_owner, one that belongs to neither the user nor root is skipped. */
struct strobe_error *config_load_file(struct config *c, const char *path, bool check_owner) _must_check_;

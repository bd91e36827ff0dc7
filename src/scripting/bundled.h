/*
 * Scripts by name: shell scripts NAME-record and NAME-report that run `perf record` and `perf script -s` with the events and options
 * of the script.
 *
 * They are in scripts/LANGUAGE/bin of the user's folder for strobe ($XDG_CONFIG_HOME/strobe, ~/.config/strobe) and of
 * script_exec_path(). In them `perf` runs strobe. One thread. Source: perf-script(1), and what `perf script -l` lists.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/vector.h"
#include "table/table.h"

struct bundled_script {
	const char *name;
	const char *language;       /* "python": its folder */
	const char *place;          /* the folder that has scripts/: PERF_EXEC_PATH of its commands */
	const char *record, *report; /* paths; NULL: none */
	const char *arguments, *description; /* from the head of the report; "" */
};

struct bundled_scripts {
	struct arena arena;
	VEC(struct bundled_script) list; /* by place, language and name */
};

void bundled_scripts_find(struct bundled_scripts *s);
void bundled_scripts_deinit(struct bundled_scripts *s);
/* The first with that name; ERROR_NOT_FOUND. */
struct strobe_error *bundled_scripts_get(const struct bundled_scripts *s, const char *name, const struct bundled_script **ret) _must_check_;
/* Scripts with a report, in perf's wording. */
void bundled_scripts_table(const struct bundled_scripts *s, struct table *t);

enum bundled_action { BUNDLED_RECORD, BUNDLED_REPORT, BUNDLED_LIVE };

struct bundled_request {
	enum bundled_action action; /* live: the report reads from the recorder through a pipe */
	char *const *words;         /* after the name, terminated by NULL */
	size_t words_nr;
	/* Whether record would run a command with these words, or the error in its options. */
	struct strobe_error *(*find_command)(char *const *words, size_t n, bool *ret);
};

/*
 * Replaces the process; returns only on failure. ERROR_NOT_FOUND: the script lacks that part. ERROR_USAGE: arguments are missing, or
 * options are wrong.
 */
struct strobe_error *bundled_run(const struct bundled_script *s, const struct bundled_request *r) _must_check_;

/* The number of words after the script's name that are for the report; the others are for record. Names that end in "top" take all. */
struct strobe_error *bundled_report_words(const struct bundled_script *s, size_t words_nr, size_t *ret) _must_check_;

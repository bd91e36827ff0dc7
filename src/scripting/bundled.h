/*
 * Scripts by name: shell scripts NAME-record and NAME-report that run `perf record` and `perf script -s` with what a script needs.
 *
 * They are in scripts/LANGUAGE/bin of the user's folder for strobe ($XDG_CONFIG_HOME/strobe, ~/.config/strobe) and of
 * script_exec_path(). In them perf is this program. One thread. Source: perf-script(1), and what `perf script -l` lists.
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
	const char *record, *report; /* paths; NULL: it has none */
	const char *arguments, *description; /* as the report says; "" */
};

struct bundled_scripts {
	struct arena arena;
	VEC(struct bundled_script) list; /* by place, language and name */
};

void bundled_scripts_find(struct bundled_scripts *s);
void bundled_scripts_deinit(struct bundled_scripts *s);
/* The first of that name; ERROR_NOT_FOUND. */
struct strobe_error *bundled_scripts_get(const struct bundled_scripts *s, const char *name, const struct bundled_script **ret) _must_check_;
/* Those that have a report, with perf's text. */
void bundled_scripts_table(const struct bundled_scripts *s, struct table *t);

enum bundled_action { BUNDLED_RECORD, BUNDLED_REPORT, BUNDLED_LIVE };

struct bundled_request {
	enum bundled_action action; /* live: the report reads from the recorder through a pipe */
	char *const *words;         /* after the name, ended by NULL */
	size_t words_nr;
	/* Whether record would run a command, given these words, or what is wrong with its options. */
	struct strobe_error *(*find_command)(char *const *words, size_t n, bool *ret);
};

/*
 * Replaces the process, and returns only where that fails. ERROR_NOT_FOUND: the script has no such part. ERROR_USAGE: arguments are
 * missing, or options are wrong.
 */
struct strobe_error *bundled_run(const struct bundled_script *s, const struct bundled_request *r) _must_check_;

/* How many of the words after its name are the report's: the others are those of record. Names that end in "top" take all. */
struct strobe_error *bundled_report_words(const struct bundled_script *s, size_t words_nr, size_t *ret) _must_check_;

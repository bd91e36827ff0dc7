/*
 * strobe pprof in parts: settings, sources, reports, the prompt. One session a run; one thread.
 */
#pragma once
#include "base/out.h"
#include "cli/line_editor.h"
#include "cmd/cmd.h"
#include "profile/profile.h"
#include "profile/select.h"
#include "profile/select_labels.h"
#include "session/profile_sources.h"

enum pprof_output {
	OUTPUT_TOP, OUTPUT_TREE, OUTPUT_PEEK, OUTPUT_TRACES, OUTPUT_TAGS, OUTPUT_COMMENTS, OUTPUT_PROTO, OUTPUT_RAW, OUTPUT_DOT,
	OUTPUT_SVG, OUTPUT_CALLGRIND, OUTPUT_LIST, OUTPUT_DISASM, OUTPUT_WEBLIST, OUTPUT_PNG, OUTPUT_PDF, OUTPUT_PS, OUTPUT_TOPPROTO,
};

static inline bool pprof_output_is_picture(enum pprof_output o)
{
	return o == OUTPUT_DOT || o == OUTPUT_SVG || o == OUTPUT_PNG || o == OUTPUT_PDF || o == OUTPUT_PS;
}

/* A report by name: an option of the command line, a command at the prompt. */
struct pprof_report_kind {
	const char *name;
	enum pprof_output output;
	bool has_argument;
	const char *suffix; /* of the file for what is no text for a terminal; NULL: it is */
	const char *help;   /* as go tool pprof describes it at the prompt */
	const char *usage;  /* more of it, or NULL */
	const char *viewers; /* programs to show the file with, the first that there is, "|" between them; NULL: none */
};
extern const struct pprof_report_kind pprof_kinds[];
extern const size_t pprof_kinds_nr;
const struct pprof_report_kind *pprof_kind(const char *name, size_t n);

/* What can be set at the prompt by name. Texts are NULL or "" where nothing is set. */
struct pprof_config {
	struct profile_select select;
	struct profile_label_select labels;
	const char *sample_index, *unit, *output, *sort, *granularity, *trim_path, *source_path;
	int64_t node_count;
	double node_fraction, edge_fraction, divide_by;
	bool trim, drop_negative, compact_labels, relative, normalize, no_inlines, mean, call_tree, intel_syntax;
};

struct pprof_session {
	struct cmd_context *ctx;
	struct merged_profile merged;
	bool is_interactive;
};

/* Saves a profile that was fetched under a new name in $PPROF_TMPDIR, ~/pprof or /tmp, and prints where. */
struct strobe_error *pprof_save_fetched(const struct pprof_session *s) _must_check_;

/* One report of the session's profile, which stays as it is. argument: of peek, list, disasm and weblist. */
struct strobe_error *pprof_report(const struct pprof_session *s, const struct pprof_config *config,
				  const struct pprof_report_kind *kind, const char *argument, struct out *out) _must_check_;
/* The same into config->output, or a new file where it is no text for a terminal, or standard output. */
struct strobe_error *pprof_report_to_output(const struct pprof_session *s, const struct pprof_config *config,
					    const struct pprof_report_kind *kind, const char *argument) _must_check_;
/* cmd_write_file() to a file that pprof_new_file() made: an error leaves none. */
struct strobe_error *pprof_write_reserved(const char *path, struct strobe_error *(*write)(void *ctx, struct out *out),
					  void *ctx) _must_check_;
/* Creates STEM001.SUFFIX, or with the first number that is free. */
struct strobe_error *pprof_new_file(struct arena *arena, const char *stem, const char *suffix, const char **ret) _must_check_;
/* What is said of the profile when the prompt opens. */
void pprof_out_greeting(const struct pprof_session *s, const struct pprof_config *config, struct out *out);

void pprof_config_defaults(struct pprof_config *config);
/* Whether all values can be used, wherever they come from. ERROR_USAGE. */
struct strobe_error *pprof_config_check(const struct pprof_config *config) _must_check_;
/* Whether a profile that is written is what was read. */
bool pprof_config_keeps_all(const struct pprof_config *config);
/* Whether a report shows nothing of functions but their names: no line, no file, nothing that was inlined. */
bool pprof_config_needs_names_only(const struct pprof_config *config, const struct pprof_report_kind *kind);
/* Whether a report is made of sums over all samples, by functions. */
bool pprof_config_only_sums(const struct pprof_config *config, const struct pprof_report_kind *kind);
/* Sets by name; texts are kept in the session's arena. ERROR_USAGE. */
struct strobe_error *pprof_config_set(const struct pprof_session *s, struct pprof_config *config, const char *name,
				      const char *value) _must_check_;
bool pprof_config_knows(const char *name);
/* Whether a name alone sets it: true or false, and the choices of granularity and sort. */
bool pprof_config_is_flag(const char *name);
/* All settings and their values, as lines. */
void pprof_config_out(const struct pprof_session *s, const struct pprof_config *config, struct out *out);
void pprof_config_out_help(struct out *out);
/* Help on one; NULL where there is none of that name. */
const char *pprof_config_help(const char *name);

/* Adds the settings that begin so; as_typed: with "=" behind those that want a value, and choices that can be typed alone. */
void pprof_config_complete(const char *word, bool as_typed, struct line_choices *to);
/* line_complete; ctx: the session, const. */
void pprof_complete(void *ctx, const char *before, struct line_choices *ret);
/* Reads commands from standard input until it ends. */
int pprof_prompt(struct pprof_session *s, struct pprof_config *config);

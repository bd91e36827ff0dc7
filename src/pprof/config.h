/*
 * The settings of go tool pprof: selection, sorting, trimming and output of reports. Sets them by name, lists and explains them.
 *
 * Strings are borrowed, NULL or "" if unset. One thread.
 */
#pragma once
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/out.h"
#include "profile/profile.h"
#include "profile/select.h"
#include "profile/select_labels.h"

struct pprof_config {
	struct profile_select select;
	struct profile_label_select labels;
	const char *format; /* "text" or "json"; NULL: text */
	const char *sample_index, *unit, *output, *sort, *granularity, *trim_path, *source_path;
	int64_t node_count; /* -1: depends on the report */
	double node_fraction, edge_fraction, divide_by;
	bool trim, drop_negative, compact_labels, relative, normalize, no_inlines, mean, call_tree, intel_syntax;
};

void pprof_config_defaults(struct pprof_config *config);
/* Whether all values are valid, whatever their source. ERROR_USAGE. */
struct strobe_error *pprof_config_check(const struct pprof_config *config) _must_check_;
static inline bool pprof_config_is_json(const struct pprof_config *config)
{
	return config->format && !strcmp(config->format, "json");
}
/* Sets by name; texts are copied into the arena. p: its values are valid names for sample_index. ERROR_USAGE. */
struct strobe_error *pprof_config_set(struct pprof_config *config, const struct profile *p, struct arena *arena, const char *name,
				      const char *value) _must_check_;
bool pprof_config_knows(const char *name);
/* Whether a name alone sets it: true or false, and the choices of granularity and sort. */
bool pprof_config_is_flag(const char *name);
/* Prints all settings and their values, as lines. p: as for pprof_config_set(). */
void pprof_config_out(const struct pprof_config *config, const struct profile *p, struct out *out);
void pprof_config_out_help(struct out *out);
/* Help on a setting; NULL: no such setting. */
const char *pprof_config_help(const char *name);
/* Calls add() with each setting and choice with this prefix; with_equals: append "=" to settings that require a value. */
void pprof_config_complete(const char *word, bool with_equals, void (*add)(void *ctx, const char *text), void *ctx);
/* The settings as URL parameters of a page: names and values in turn, NULL-terminated, in the arena. */
const char *const *pprof_config_page(const struct pprof_config *config, struct arena *arena);

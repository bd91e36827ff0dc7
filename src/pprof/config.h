/*
 * The settings of go tool pprof: what a report selects, how it sorts, trims and shows. Set by name, listed, explained.
 *
 * Strings are borrowed, NULL or "" where nothing is set. One thread.
 */
#pragma once
#include "base/arena.h"
#include "base/error.h"
#include "base/out.h"
#include "profile/profile.h"
#include "profile/select.h"
#include "profile/select_labels.h"

struct pprof_config {
	struct profile_select select;
	struct profile_label_select labels;
	const char *sample_index, *unit, *output, *sort, *granularity, *trim_path, *source_path;
	int64_t node_count; /* -1: what suits the report */
	double node_fraction, edge_fraction, divide_by;
	bool trim, drop_negative, compact_labels, relative, normalize, no_inlines, mean, call_tree, intel_syntax;
};

void pprof_config_defaults(struct pprof_config *config);
/* Whether all values can be used, wherever they come from. ERROR_USAGE. */
struct strobe_error *pprof_config_check(const struct pprof_config *config) _must_check_;
/* Sets by name; texts are copied into the arena. p: whose values sample_index may name. ERROR_USAGE. */
struct strobe_error *pprof_config_set(struct pprof_config *config, const struct profile *p, struct arena *arena, const char *name,
				      const char *value) _must_check_;
bool pprof_config_knows(const char *name);
/* Whether a name alone sets it: true or false, and the choices of granularity and sort. */
bool pprof_config_is_flag(const char *name);
/* All settings and their values, as lines. p: as for pprof_config_set(). */
void pprof_config_out(const struct pprof_config *config, const struct profile *p, struct out *out);
void pprof_config_out_help(struct out *out);
/* Help on one; NULL: there is none of that name. */
const char *pprof_config_help(const char *name);
/* Calls add() with each setting and choice that begins so; with_equals: "=" follows the settings that need a value. */
void pprof_config_complete(const char *word, bool with_equals, void (*add)(void *ctx, const char *text), void *ctx);
/* The same settings as parameters of a page's address: names and values in turn, NULL-terminated, in the arena. */
const char *const *pprof_config_page(const struct pprof_config *config, struct arena *arena);

#include "pprof/config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"

enum setting_kind { SETTING_TEXT, SETTING_FLAG, SETTING_INTEGER, SETTING_NUMBER };

struct setting_choice {
	const char *name;
	const char *help;
};

struct setting {
	const char *name;
	enum setting_kind kind;
	size_t offset;
	const char *help; /* the first line is shown in the list of all settings */
	const struct setting_choice *choices; /* in the order of the list in help, ends without a name; or NULL */
};

#define AT(field) offsetof(struct pprof_config, field)

#define MATCHED "\nMatched against the names of functions, source files and objects."
#define TAG_FILTER                                                                                                      \
	"\nMay be limited to a key: key=regexp, key=range.\nRanges: 1kb, 1kb:10kb, 32mb:, :1s\n"                       \
	"Regular expressions: foo, foo.*bar, and several separated by \",\", all of which must match"

static const struct setting_choice granularities[] = {
	{ "functions", "Aggregate at the function level.\nFunctions of the same name in several source files share one row." },
	{ "filefunctions", "Aggregate at the function level.\nFunctions of the same name in several source files have one row each." },
	{ "files", "Aggregate at the file level." },
	{ "lines", "Aggregate at the source code line level." },
	{ "addresses", "Aggregate at the address level.\nRows have the address before the name." },
	{},
};
static const struct setting_choice sorts[] = {
	{ "cum", "Sort entries based on cumulative weight" },
	{ "flat", "Sort entries based on own weight" },
	{},
};

/* In the order of their names. */
static const struct setting settings[] = {
	{ "call_tree", SETTING_FLAG, AT(call_tree), "Create a context-sensitive call tree\nFunctions are separated by call path." },
	{ "compact_labels", SETTING_FLAG, AT(compact_labels), "Show minimal headers" },
	{ "divide_by", SETTING_NUMBER, AT(divide_by),
	  "Ratio to divide all samples before visualization\nBy the number of runs or processors, say." },
	{ "drop_negative", SETTING_FLAG, AT(drop_negative), "Ignore negative differences\nValues that are larger in the base "
		"are not shown." },
	{ "edgefraction", SETTING_NUMBER, AT(edge_fraction), "Hide edges below <f>*total" },
	{ "focus", SETTING_TEXT, AT(select.focus),
	  "Restricts to samples going through a node matching regexp\nAll other samples are ignored." MATCHED },
	{ "granularity", SETTING_TEXT, AT(granularity), "Granularity of report rows", granularities },
	{ "hide", SETTING_TEXT, AT(select.hide),
	  "Skips nodes matching regexp\nTheir callees become callees of their callers." MATCHED },
	{ "ignore", SETTING_TEXT, AT(select.ignore),
	  "Skips paths going through any nodes matching regexp\nSuch samples are ignored." MATCHED },
	{ "intel_syntax", SETTING_FLAG, AT(intel_syntax), "Show assembly in Intel syntax\nIn the reports disasm and weblist." },
	{ "mean", SETTING_FLAG, AT(mean),
	  "Average sample value over first value (count)\nThe memory of one allocation, say, or the time of one event." },
	{ "nodecount", SETTING_INTEGER, AT(node_count),
	  "Max number of nodes to show\nIn graphs, the most important ones; dotted edges skip omitted nodes." },
	{ "nodefraction", SETTING_NUMBER, AT(node_fraction), "Hide nodes below <f>*total" },
	{ "noinlines", SETTING_FLAG, AT(no_inlines), "Ignore inlines.\nInlined functions are attributed to their callers." },
	{ "normalize", SETTING_FLAG, AT(normalize), "Scales profile based on the base profile." },
	{ "output", SETTING_TEXT, AT(output), "Output filename for file-based outputs" },
	{ "prune_from", SETTING_TEXT, AT(select.prune_from),
	  "Drops any functions below the matched frame.\nThe callees of the innermost match are attributed to it." },
	{ "relative_percentages", SETTING_FLAG, AT(relative),
	  "Show percentages relative to focused subgraph\nOtherwise they are of the whole profile, and comparable between reports." },
	{ "sample_index", SETTING_TEXT, AT(sample_index),
	  "Sample value to report (0-based index or name)\nA sample may have several: \"options\" lists their names." },
	{ "show", SETTING_TEXT, AT(select.show), "Only show nodes matching regexp\nAll others are removed from stacks." MATCHED },
	{ "show_from", SETTING_TEXT, AT(select.show_from),
	  "Drops functions above the highest matched frame.\nStacks without a match are ignored." MATCHED },
	{ "sort", SETTING_TEXT, AT(sort), "Sort order of rows", sorts },
	{ "source_path", SETTING_TEXT, AT(source_path), "Search path for source files" },
	{ "tagfocus", SETTING_TEXT, AT(labels.focus), "Restricts to samples with tags in range or matched by regexp" TAG_FILTER },
	{ "taghide", SETTING_TEXT, AT(labels.hide), "Skip tags matching this regexp\nMatched against their keys." },
	{ "tagignore", SETTING_TEXT, AT(labels.ignore), "Discard samples with tags in range or matched by regexp" TAG_FILTER },
	{ "tagleaf", SETTING_TEXT, AT(labels.leaf),
	  "Adds pseudo stack frames for labels key/value pairs at the callstack leaf.\n"
	  "Keys are separated by \",\"; the last one is innermost." },
	{ "tagroot", SETTING_TEXT, AT(labels.root),
	  "Adds pseudo stack frames for labels key/value pairs at the callstack root.\n"
	  "Keys are separated by \",\"; the first one is outermost." },
	{ "tagshow", SETTING_TEXT, AT(labels.show), "Only consider tags matching this regexp\nMatched against their keys." },
	{ "trim", SETTING_FLAG, AT(trim),
	  "Honor nodefraction/edgefraction/nodecount defaults\nfalse shows all of the profile, however small." },
	{ "trim_path", SETTING_TEXT, AT(trim_path), "Path to trim from source paths before search" },
	{ "unit", SETTING_TEXT, AT(unit),
	  "Measurement units to display\nOf time: ns, us, ms, s, min, hr; of memory: B, kB, MB, GB.\n"
	  "auto: chosen for each value." },
};
#define SETTINGS (sizeof(settings) / sizeof(*settings))

void pprof_config_defaults(struct pprof_config *config)
{
	*config = (struct pprof_config){
		.unit = "minimum",
		.sort = "flat",
		.granularity = "functions",
		.node_count = -1,
		.node_fraction = 0.005,
		.edge_fraction = 0.001,
		.divide_by = 1,
		.trim = true,
	};
}

static const struct setting *find(const char *name)
{
	for (size_t i = 0; i < SETTINGS; i++)
		if (!strcmp(settings[i].name, name))
			return &settings[i];
	return NULL;
}

static const struct setting_choice *find_choice(const struct setting *s, const char *word)
{
	for (const struct setting_choice *c = s->choices; c && c->name; c++)
		if (!strcmp(c->name, word))
			return c;
	return NULL;
}

/* "lines" alone is "granularity=lines". */
static const struct setting *find_by_choice(const char *word)
{
	for (size_t i = 0; i < SETTINGS; i++)
		if (find_choice(&settings[i], word))
			return &settings[i];
	return NULL;
}

bool pprof_config_knows(const char *name)
{
	return find(name) || find_by_choice(name);
}

bool pprof_config_is_flag(const char *name)
{
	const struct setting *s = find(name);
	return s ? s->kind == SETTING_FLAG : find_by_choice(name) != NULL;
}

const char *pprof_config_help(const char *name)
{
	const struct setting *s = find(name);
	if (s)
		return s->help;
	s = find_by_choice(name);
	return s ? find_choice(s, name)->help : NULL;
}

static struct strobe_error *parse_flag(const char *value, bool *ret)
{
	static const char *const words[] = { "true", "t", "yes", "y", "1", "", "false", "f", "no", "n", "0" };
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcasecmp(value, words[i]))
			continue;
		*ret = i < 6;
		return NULL;
	}
	return error_create(ERROR_USAGE, "illegal value \"%s\" for bool variable", value);
}

static struct strobe_error *set_number(const struct setting *s, void *at, const char *value)
{
	char *end;
	errno = 0;
	if (s->kind == SETTING_INTEGER) {
		int64_t n = strtoll(value, &end, 10);
		if (!*value || *end || errno)
			return error_create(ERROR_USAGE, "invalid integer '%s'", value);
		*(int64_t *)at = n;
		return NULL;
	}
	double n = strtod(value, &end);
	if (!*value || *end || errno)
		return error_create(ERROR_USAGE, "invalid number '%s'", value);
	*(double *)at = n;
	return NULL;
}

struct strobe_error *pprof_config_check(const struct pprof_config *config)
{
	if (config->format && strcmp(config->format, "text") && !pprof_config_is_json(config))
		return error_create(ERROR_USAGE, "unknown format '%s': expected text or json", config->format);
	return config->divide_by ? NULL : error_create(ERROR_USAGE, "cannot divide by 0");
}

static struct strobe_error *check_sample_index(const struct profile *p, const char **value)
{
	uint32_t event;
	if (!**value)
		return NULL;
	TRY(profile_choose_event(p, *value, &event));
	*value = profile_event_name(p, event);
	return NULL;
}

struct strobe_error *pprof_config_set(struct pprof_config *config, const struct profile *p, struct arena *arena, const char *name,
				      const char *value)
{
	const struct setting *s = find(name);
	if (!s) {
		bool is_on;
		s = find_by_choice(name);
		if (!s)
			return error_create(ERROR_USAGE, "unknown setting '%s'", name);
		TRY(parse_flag(value, &is_on));
		if (!is_on)
			return error_create(ERROR_USAGE, "%s is a choice: use %s=", name, s->name);
		value = name;
	}
	void *at = (char *)config + s->offset;
	if (s->kind == SETTING_FLAG)
		return parse_flag(value, at);
	if (s->kind != SETTING_TEXT) {
		struct pprof_config changed = *config;
		TRY(set_number(s, (char *)&changed + s->offset, value));
		TRY(pprof_config_check(&changed));
		*config = changed;
		return NULL;
	}
	if (s->choices && !find_choice(s, value))
		return error_create(ERROR_USAGE, "invalid \"%s\" value \"%s\"", s->name, value);
	if (s->offset == AT(sample_index))
		TRY(check_sample_index(p, &value));
	/* the unit "" is valid, too: seconds and bytes */
	bool is_set = *value || s->offset == AT(unit);
	*(const char **)at = is_set ? arena_strdup(arena, value) : NULL;
	return NULL;
}

static void value_text(const struct setting *s, const struct pprof_config *config, struct strbuf *ret)
{
	const void *at = (const char *)config + s->offset;
	const char *text = s->kind == SETTING_TEXT ? *(const char *const *)at : NULL;
	if (s->kind == SETTING_FLAG)
		strbuf_addstr(ret, *(const bool *)at ? "true" : "false");
	else if (s->kind == SETTING_INTEGER)
		strbuf_addf(ret, "%" PRId64, *(const int64_t *)at);
	else if (s->kind == SETTING_NUMBER)
		strbuf_addf(ret, "%.15g", *(const double *)at);
	else
		strbuf_addstr(ret, text && *text ? text : "\"\"");
}

static void sample_index_text(const struct pprof_config *config, const struct profile *p, struct strbuf *value, struct strbuf *comment)
{
	bool is_set = config->sample_index && *config->sample_index;
	strbuf_reset(value);
	strbuf_addstr(value, is_set ? config->sample_index : profile_str(p, vec_last(&p->events).name));
	for (size_t i = 0; i < p->events.len; i++)
		strbuf_addf(comment, "%s%s", i ? " | " : "", profile_event_name(p, i));
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "cum | flat", in alphabetical order. */
static void add_choices(const struct setting *s, struct strbuf *to)
{
	VEC(const char *) names = {};
	for (const struct setting_choice *c = s->choices; c && c->name; c++)
		vec_push(&names, c->name);
	if (names.len)
		qsort(names.data, names.len, sizeof(*names.data), compare_names);
	for (size_t i = 0; i < names.len; i++)
		strbuf_addf(to, "%s%s", i ? " | " : "", names.data[i]);
	vec_deinit(&names);
}

void pprof_config_out(const struct pprof_config *config, const struct profile *p, struct out *out)
{
	for (size_t i = 0; i < SETTINGS; i++) {
		const struct setting *s = &settings[i];
		_cleanup_strbuf_ struct strbuf value = {}, comment = {}, line = {};
		value_text(s, config, &value);
		add_choices(s, &comment);
		if (s->offset == AT(sample_index) && p->events.len)
			sample_index_text(config, p, &value, &comment);
		strbuf_addf(&line, "  %-25s = %-20s ", s->name, strbuf_str(&value));
		if (comment.len)
			strbuf_addf(&line, "//: [%s]", strbuf_str(&comment));
		else if (s->offset == AT(node_count) && config->node_count == -1)
			strbuf_addstr(&line, "//: default");
		if (s->offset == AT(source_path))
			continue;
		out_text(out, strbuf_str(&line), line.len);
		out_ch(out, '\n');
	}
}

/* The name, and the first line of the help. */
static void out_help_line(const char *indent, const char *name, const char *help, struct out *out)
{
	out_f(out, "%s%-16s %.*s\n", indent, name, (int)strcspn(help, "\n"), help);
}

/* Choices can be typed alone. */
static void out_choices(const struct setting *s, struct out *out)
{
	out_f(out, "    %-16s \n", s->name);
	for (const struct setting_choice *c = s->choices; c->name; c++)
		out_help_line("      ", c->name, c->help, out);
}

void pprof_config_out_help(struct out *out)
{
	for (size_t i = 0; i < SETTINGS; i++)
		if (!settings[i].choices)
			out_help_line("    ", settings[i].name, settings[i].help, out);
	out_str(out, "\n  Option groups (only set one per group):\n");
	for (size_t i = 0; i < SETTINGS; i++)
		if (settings[i].choices)
			out_choices(&settings[i], out);
}

void pprof_config_complete(const char *word, bool with_equals, void (*add)(void *ctx, const char *text), void *ctx)
{
	for (const struct setting *s = settings; s < settings + SETTINGS; s++) {
		_cleanup_strbuf_ struct strbuf name = {};
		strbuf_addf(&name, "%s%s", s->name, with_equals && s->kind != SETTING_FLAG ? "=" : "");
		if (text_has_prefix(s->name, word))
			add(ctx, strbuf_str(&name));
		for (const struct setting_choice *c = s->choices; c && c->name; c++)
			if (text_has_prefix(c->name, word))
				add(ctx, c->name);
	}
}

/* The settings of strobe pprof by name, as its prompt sets and lists them. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "cmd/pprof/pprof.h"

enum setting_kind { SETTING_TEXT, SETTING_FLAG, SETTING_INTEGER, SETTING_NUMBER };

struct setting {
	const char *name;
	enum setting_kind kind;
	size_t offset;
	const char *choices; /* in alphabetical order, " | " between them */
	const char *help;
};

#define AT(field) offsetof(struct pprof_config, field)

/* In the order of their names. */
static const struct setting settings[] = {
	{ "call_tree", SETTING_FLAG, AT(call_tree), NULL, "Create a context-sensitive call tree" },
	{ "compact_labels", SETTING_FLAG, AT(compact_labels), NULL, "Show minimal headers" },
	{ "divide_by", SETTING_NUMBER, AT(divide_by), NULL, "Ratio to divide all samples before visualization" },
	{ "drop_negative", SETTING_FLAG, AT(drop_negative), NULL, "Ignore negative differences" },
	{ "edgefraction", SETTING_NUMBER, AT(edge_fraction), NULL, "Hide edges below <f>*total" },
	{ "focus", SETTING_TEXT, AT(select.focus), NULL, "Restricts to samples going through a node matching regexp" },
	{ "granularity", SETTING_TEXT, AT(granularity), "addresses | filefunctions | files | functions | lines",
	  "What is one row of a report" },
	{ "hide", SETTING_TEXT, AT(select.hide), NULL, "Skips nodes matching regexp" },
	{ "ignore", SETTING_TEXT, AT(select.ignore), NULL, "Skips paths going through any nodes matching regexp" },
	{ "intel_syntax", SETTING_FLAG, AT(intel_syntax), NULL, "Show assembly in Intel syntax" },
	{ "mean", SETTING_FLAG, AT(mean), NULL, "Average sample value over first value (count)" },
	{ "nodecount", SETTING_INTEGER, AT(node_count), NULL, "Max number of nodes to show" },
	{ "nodefraction", SETTING_NUMBER, AT(node_fraction), NULL, "Hide nodes below <f>*total" },
	{ "noinlines", SETTING_FLAG, AT(no_inlines), NULL, "Ignore inlines." },
	{ "normalize", SETTING_FLAG, AT(normalize), NULL, "Scales profile based on the base profile." },
	{ "output", SETTING_TEXT, AT(output), NULL, "Output filename for file-based outputs" },
	{ "prune_from", SETTING_TEXT, AT(select.prune_from), NULL, "Drops any functions below the matched frame." },
	{ "relative_percentages", SETTING_FLAG, AT(relative), NULL, "Show percentages relative to focused subgraph" },
	{ "sample_index", SETTING_TEXT, AT(sample_index), NULL, "Sample value to report (0-based index or name)" },
	{ "show", SETTING_TEXT, AT(select.show), NULL, "Only show nodes matching regexp" },
	{ "show_from", SETTING_TEXT, AT(select.show_from), NULL, "Drops functions above the highest matched frame." },
	{ "sort", SETTING_TEXT, AT(sort), "cum | flat", "What rows are sorted by" },
	{ "source_path", SETTING_TEXT, AT(source_path), NULL, "Search path for source files" },
	{ "tagfocus", SETTING_TEXT, AT(labels.focus), NULL, "Restricts to samples with tags in range or matched by regexp" },
	{ "taghide", SETTING_TEXT, AT(labels.hide), NULL, "Skip tags matching this regexp" },
	{ "tagignore", SETTING_TEXT, AT(labels.ignore), NULL, "Discard samples with tags in range or matched by regexp" },
	{ "tagleaf", SETTING_TEXT, AT(labels.leaf), NULL,
	  "Adds pseudo stack frames for labels key/value pairs at the callstack leaf." },
	{ "tagroot", SETTING_TEXT, AT(labels.root), NULL,
	  "Adds pseudo stack frames for labels key/value pairs at the callstack root." },
	{ "tagshow", SETTING_TEXT, AT(labels.show), NULL, "Only consider tags matching this regexp" },
	{ "trim", SETTING_FLAG, AT(trim), NULL, "Honor nodefraction/edgefraction/nodecount defaults" },
	{ "trim_path", SETTING_TEXT, AT(trim_path), NULL, "Path to trim from source paths before search" },
	{ "unit", SETTING_TEXT, AT(unit), NULL, "Measurement units to display" },
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

static bool is_choice(const struct setting *s, const char *word)
{
	size_t n = strlen(word);
	for (const char *at = s->choices; at && *at; at += strcspn(at, " |") , at += strspn(at, " |"))
		if (strcspn(at, " |") == n && !memcmp(at, word, n))
			return true;
	return false;
}

/* "lines" alone is "granularity=lines". */
static const struct setting *find_by_choice(const char *word)
{
	for (size_t i = 0; i < SETTINGS; i++)
		if (is_choice(&settings[i], word))
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
	return s ? s->help : NULL;
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
			return error_create(ERROR_USAGE, "'%s' is no whole number", value);
		*(int64_t *)at = n;
		return NULL;
	}
	double n = strtod(value, &end);
	if (!*value || *end || errno)
		return error_create(ERROR_USAGE, "'%s' is no number", value);
	*(double *)at = n;
	return NULL;
}

struct strobe_error *pprof_config_check(const struct pprof_config *config)
{
	return config->divide_by ? NULL : error_create(ERROR_USAGE, "values cannot be divided by 0");
}

bool pprof_config_keeps_all(const struct pprof_config *c)
{
	return !profile_selects(&c->select) && !profile_selects_labels(&c->labels) && !c->labels.root && !c->labels.leaf &&
	       !c->sample_index && !c->mean && c->divide_by == 1;
}

bool pprof_config_needs_names_only(const struct pprof_config *c, const struct pprof_report_kind *kind)
{
	enum pprof_output o = kind->output;
	bool shows_names = o == OUTPUT_TOP || o == OUTPUT_TREE || o == OUTPUT_PEEK || o == OUTPUT_TAGS || o == OUTPUT_SVG;
	/* expressions match files, too */
	return shows_names && c->no_inlines && !strcmp(c->granularity, "functions") && !profile_selects(&c->select);
}

bool pprof_config_only_sums(const struct pprof_config *c, const struct pprof_report_kind *kind)
{
	enum pprof_output o = kind->output;
	/* peek has them too, but of all edges: those are found sooner along stacks that are in order */
	bool sums = o == OUTPUT_TOP || o == OUTPUT_TREE || pprof_output_is_picture(o);
	return sums && !profile_selects(&c->select) && !profile_selects_labels(&c->labels) && !c->labels.root && !c->labels.leaf &&
	       !strcmp(c->granularity, "functions") && !c->call_tree && !c->mean;
}

static struct strobe_error *check_sample_index(const struct pprof_session *session, const char **value)
{
	uint32_t event;
	if (!**value)
		return NULL;
	TRY(profile_choose_event(session->profile, *value, &event));
	*value = profile_str(session->profile, session->profile->events.data[event].name);
	return NULL;
}

struct strobe_error *pprof_config_set(const struct pprof_session *session, struct pprof_config *config, const char *name,
				      const char *value)
{
	const struct setting *s = find(name);
	if (!s) {
		bool is_wanted;
		s = find_by_choice(name);
		if (!s)
			return error_create(ERROR_USAGE, "unknown setting '%s'", name);
		TRY(parse_flag(value, &is_wanted));
		if (!is_wanted)
			return error_create(ERROR_USAGE, "%s can only be chosen, by %s=", name, s->name);
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
	if (s->choices && !is_choice(s, value))
		return error_create(ERROR_USAGE, "invalid \"%s\" value \"%s\"", s->name, value);
	if (s->offset == AT(sample_index))
		TRY(check_sample_index(session, &value));
	/* no unit is one too: the largest that is of no other, seconds and bytes */
	bool is_kept = *value || s->offset == AT(unit);
	*(const char **)at = is_kept ? arena_strdup(&session->ctx->words, value) : NULL;
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

static void sample_index_text(const struct pprof_session *session, const struct pprof_config *config, struct strbuf *value,
			      struct strbuf *comment)
{
	const struct profile *p = session->profile;
	bool is_set = config->sample_index && *config->sample_index;
	strbuf_reset(value);
	strbuf_addstr(value, is_set ? config->sample_index : profile_str(p, vec_last(&p->events).name));
	for (size_t i = 0; i < p->events.len; i++)
		strbuf_addf(comment, "%s%s", i ? " | " : "", profile_str(p, p->events.data[i].name));
}

void pprof_config_out(const struct pprof_session *session, const struct pprof_config *config, struct out *out)
{
	for (size_t i = 0; i < SETTINGS; i++) {
		const struct setting *s = &settings[i];
		_cleanup_strbuf_ struct strbuf value = {}, comment = {}, line = {};
		value_text(s, config, &value);
		strbuf_addstr(&comment, s->choices ? s->choices : "");
		if (s->offset == AT(sample_index) && session->profile->events.len)
			sample_index_text(session, config, &value, &comment);
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

/* The choices of a setting, a line each: they can be typed alone. */
static void out_choices(const struct setting *s, struct out *out)
{
	out_f(out, "    %-16s %s\n", s->name, s->help);
	for (const char *at = s->choices; *at; at += strspn(at, " |")) {
		size_t n = strcspn(at, " |");
		out_f(out, "      %.*s\n", (int)n, at);
		at += n;
	}
}

void pprof_config_out_help(struct out *out)
{
	for (size_t i = 0; i < SETTINGS; i++)
		if (!settings[i].choices)
			out_f(out, "    %-16s %s\n", settings[i].name, settings[i].help);
	out_str(out, "\n  Option groups (only set one per group):\n");
	for (size_t i = 0; i < SETTINGS; i++)
		if (settings[i].choices)
			out_choices(&settings[i], out);
}

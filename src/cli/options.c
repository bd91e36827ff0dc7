#include "cli/options.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/vector.h"

struct parser {
	const struct option *table;
	char *fields; /* the command's options struct */
	int argc, at; /* at: the current word */
	char **argv;
	struct options_result *result;
	bool permute;
};

/* The option that a word of the command line names. */
struct match {
	const struct option *option;
	size_t base; /* see struct option_walk */
	bool negated;
	bool is_short;
	char short_name;
};

struct option_walk option_walk(const struct option *table)
{
	return (struct option_walk){ .next = table };
}

static bool is_end(const struct option *o)
{
	return o->kind == OPTION_GROUP && !o->help;
}

bool option_next(struct option_walk *w)
{
	if (is_end(w->next) && w->outer) {
		w->next = w->outer;
		w->outer = NULL;
		w->base = 0;
	}
	if (w->next->kind == OPTION_TABLE) {
		w->base = w->next->offset;
		w->outer = w->next + 1;
		w->next = w->next->rows;
	}
	w->row = w->next;
	return !is_end(w->next++);
}

bool option_takes_value(const struct option *o)
{
	switch (o->kind) {
	case OPTION_GROUP:
	case OPTION_TABLE:
	case OPTION_BOOL:
	case OPTION_OFF:
	case OPTION_COUNT:
		return false;
	case OPTION_CALL:
		return o->arg != NULL;
	default:
		return true;
	}
}

/* "switch `F'" or "option `freq'", as it was typed. */
static struct strobe_error *fault(struct parser *p, struct match m, const char *what)
{
	p->result->at_fault = m.option;
	if (m.is_short)
		return error_create(ERROR_USAGE, "switch `%c' %s", m.short_name, what);
	return error_create(ERROR_USAGE, "option `%s%s' %s", m.negated ? "no-" : "", m.option->long_name, what);
}

static void *field_of(const struct parser *p, struct match m)
{
	return p->fields + m.base + m.option->offset;
}

static struct strobe_error *store_number(struct parser *p, struct match m, const char *value)
{
	char *field = field_of(p, m);
	bool ok;
	switch (m.option->kind) {
	case OPTION_U64:
		ok = text_to_u64(value, (uint64_t *)field);
		break;
	case OPTION_I64:
		ok = text_to_i64(value, (int64_t *)field);
		break;
	default:
		ok = text_to_f64(value, (double *)field);
		break;
	}
	return ok ? NULL : fault(p, m, "expects a numerical value");
}

static void clear(struct parser *p, struct match m)
{
	void *field = field_of(p, m);
	switch (m.option->kind) {
	case OPTION_BOOL:
		*(bool *)field = false;
		break;
	case OPTION_OFF:
		*(bool *)field = true;
		break;
	case OPTION_COUNT:
		*(unsigned *)field = 0;
		break;
	case OPTION_STRING:
		*(const char **)field = NULL;
		break;
	case OPTION_U64:
		*(uint64_t *)field = 0;
		break;
	case OPTION_I64:
		*(int64_t *)field = 0;
		break;
	case OPTION_F64:
		*(double *)field = 0;
		break;
	case OPTION_GROUP:
	case OPTION_TABLE:
	case OPTION_CALL:
		break;
	}
}

static struct strobe_error *call(struct parser *p, struct match m, const char *value)
{
	struct strobe_error *err = m.option->parse(field_of(p, m), value, m.negated);
	if (!err)
		return NULL;
	p->result->at_fault = m.option;
	if (m.is_short)
		return error_prefix(err, "-%c", m.short_name);
	return error_prefix(err, "--%s%s", m.negated ? "no-" : "", m.option->long_name);
}

/* value: NULL if none was given (or is possible). */
static struct strobe_error *apply(struct parser *p, struct match m, const char *value)
{
	const struct option *o = m.option;
	if (o->set_offset)
		*(bool *)(p->fields + m.base + o->set_offset) = true;
	if (o->kind == OPTION_CALL)
		return call(p, m, !value && !m.negated && option_takes_value(o) ? o->default_arg : value);
	if (m.negated) {
		clear(p, m);
		return NULL;
	}
	switch (o->kind) {
	case OPTION_BOOL:
		*(bool *)field_of(p, m) = true;
		return NULL;
	case OPTION_OFF:
		*(bool *)field_of(p, m) = false;
		return NULL;
	case OPTION_COUNT:
		++*(unsigned *)field_of(p, m);
		return NULL;
	case OPTION_STRING:
		*(const char **)field_of(p, m) = value ? value : o->default_arg;
		return NULL;
	default:
		value = value ? value : o->default_arg;
		return value ? store_number(p, m, value) : NULL;
	}
}

static bool names_file(const struct option *o)
{
	return o->arg && (!strcmp(o->arg, "file") || !strcmp(o->arg, "dir") || !strcmp(o->arg, "directory"));
}

/* If a file name was forgotten, the next option would be taken for it. "-" alone is a file name; others can be written "./-x". */
static bool is_forgotten(const struct parser *p, const struct option *o)
{
	const char *next = p->argv[p->at + 1];
	return names_file(o) && next[0] == '-' && next[1];
}

/* Applies an option that must have a value. glued: the value in the same word; NULL: it is the next word. */
static struct strobe_error *apply_with_value(struct parser *p, struct match m, const char *glued)
{
	if (m.negated || !option_takes_value(m.option)) {
		if (glued)
			return fault(p, m, "takes no value");
		return apply(p, m, NULL);
	}
	if (glued || m.option->optional_arg)
		return apply(p, m, glued);
	if (m.option->default_arg && (p->at + 1 >= p->argc || p->argv[p->at + 1][0] == '-'))
		return apply(p, m, NULL);
	if (p->at + 1 >= p->argc)
		return fault(p, m, "requires a value");
	if (is_forgotten(p, m.option))
		return fault(p, m, "requires a file name, and an option follows (write ./ before a name that begins with -)");
	return apply(p, m, p->argv[++p->at]);
}

/* option is NULL: none. */
static struct match find_short(const struct option *table, char c)
{
	for (struct option_walk w = option_walk(table); option_next(&w);)
		if (w.row->kind != OPTION_GROUP && w.row->short_name == c)
			return (struct match){ .option = w.row, .base = w.base, .is_short = true, .short_name = c };
	return (struct match){};
}

/* A cluster such as -ag, -ns comm or -F99. */
static struct strobe_error *parse_short(struct parser *p, const char *word)
{
	for (const char *c = word + 1; *c; c++) {
		struct match m = find_short(p->table, *c);
		if (!m.option && *c == 'h') {
			p->result->help = true;
			continue;
		}
		if (!m.option) {
			p->result->at_fault = NULL;
			return error_create(ERROR_USAGE, "unknown switch `%c'", *c);
		}
		if (option_takes_value(m.option))
			return apply_with_value(p, m, c[1] ? c + 1 : NULL);
		TRY(apply(p, m, NULL));
	}
	return NULL;
}

/* Both rows have the same effect, so that a prefix of both is not ambiguous. */
static bool same_effect(struct match a, struct match b)
{
	return a.negated == b.negated &&
	       (a.option == b.option || (a.option->kind == b.option->kind && a.base + a.option->offset == b.base + b.option->offset &&
					 a.option->parse == b.option->parse));
}

/* The three spellings of a long option: itself, its negation, and the name without a "no-" of its own. */
#define SPELLINGS 3

static const char *spelling(const struct option *o, int i, struct strbuf *scratch)
{
	switch (i) {
	case 0:
		return o->long_name;
	case 1:
		strbuf_reset(scratch);
		strbuf_addf(scratch, "no-%s", o->long_name);
		return strbuf_str(scratch);
	default:
		return text_has_prefix(o->long_name, "no-") ? o->long_name + 3 : NULL;
	}
}

static struct strobe_error *ambiguous(const char *name, size_t len, const struct match *matches, size_t n)
{
	_cleanup_strbuf_ struct strbuf list = {};
	for (size_t i = 0; i < n; i++)
		strbuf_addf(&list, "%s--%s%s", i ? i + 1 < n ? ", " : " or " : "", matches[i].negated ? "no-" : "",
			    matches[i].option->long_name);
	return error_create(ERROR_USAGE, "ambiguous option: %.*s (could be %s)", (int)len, name, strbuf_str(&list));
}

static struct strobe_error *unknown_long(const struct option *table, const char *name, size_t len)
{
	_cleanup_free_ char *typed = strndup(name, len);
	VEC(const char *) names = {};
	for (struct option_walk w = option_walk(table); option_next(&w);)
		if (w.row->kind != OPTION_GROUP && w.row->long_name && !w.row->hidden)
			vec_push(&names, w.row->long_name);
	const char *near = typed ? text_nearest(typed, names.data, names.len) : NULL;
	struct strobe_error *err =
		near ? error_create(ERROR_USAGE, "unknown option `%.*s'; did you mean --%s?", (int)len, name, near) :
		       error_create(ERROR_USAGE, "unknown option `%.*s'", (int)len, name);
	vec_deinit(&names);
	return err;
}

/* An exact spelling, or else a prefix of only one option. */
static struct strobe_error *find_long(struct parser *p, const char *name, size_t len, struct match *ret)
{
	_cleanup_strbuf_ struct strbuf scratch = {};
	VEC(struct match) matches = {};
	bool exact = false;
	for (struct option_walk w = option_walk(p->table); !exact && option_next(&w);) {
		const struct option *o = w.row;
		if (o->kind == OPTION_GROUP || !o->long_name)
			continue;
		for (int i = 0; i < SPELLINGS && !exact; i++) {
			const char *s = spelling(o, i, &scratch);
			if (!s || strncmp(s, name, len))
				continue;
			struct match m = { .option = o, .base = w.base, .negated = i != 0 };
			exact = !s[len];
			if (exact)
				vec_clear(&matches);
			else if (o->hidden)
				continue;
			if (!matches.len || !same_effect(m, vec_last(&matches)))
				vec_push(&matches, m);
		}
	}
	struct strobe_error *err = NULL;
	if (matches.len == 1)
		*ret = matches.data[0];
	else if (matches.len)
		err = ambiguous(name, len, matches.data, matches.len);
	else
		err = unknown_long(p->table, name, len);
	vec_deinit(&matches);
	return err;
}

static struct strobe_error *parse_long(struct parser *p, const char *word)
{
	const char *name = word + 2;
	if (!strcmp(name, "help")) {
		p->result->help = p->result->manual = true;
		return NULL;
	}
	if (!strcmp(name, "list-opts")) {
		p->result->list_opts = true;
		return NULL;
	}
	size_t len = strcspn(name, "=");
	struct match m;
	TRY(find_long(p, name, len, &m));
	return apply_with_value(p, m, name[len] ? name + len + 1 : NULL);
}

struct strobe_error *options_parse(const struct option *table, void *options, int argc, char **argv, bool permute,
				   struct options_result *ret)
{
	*ret = (struct options_result){ .argv = argv + (argc > 0), .typed = argv + (argc > 0) };
	struct parser p = { .table = table, .fields = options, .argc = argc, .argv = argv, .result = ret, .permute = permute };
	int rest = argc > 0; /* words that are not options are moved to here */
	ret->argv = argv + rest;
	for (p.at = rest; p.at < argc; p.at++) {
		char *word = argv[p.at];
		bool is_option = word[0] == '-' && word[1];
		if (!strcmp(word, "--")) {
			ret->had_dashes = true;
			p.at++;
			break;
		}
		if (!is_option && !p.permute)
			break;
		if (!is_option) {
			argv[rest++] = word;
			continue;
		}
		TRY(word[1] == '-' ? parse_long(&p, word) : parse_short(&p, word));
		if (ret->help) { /* the rest are keywords */
			p.at++;
			break;
		}
	}
	if (permute)
		while (p.at < argc)
			argv[rest++] = argv[p.at++];
	else /* the words of options are kept, before these */
		ret->argv = argv + p.at;
	ret->argc = (int)(argv + (permute ? rest : argc) - ret->argv);
	if (ret->help && ret->argc)
		ret->help_keyword = ret->argv[0];
	return NULL;
}

/* Whether the n bytes of a word name a boolean option. */
static bool is_flag(const struct option *table, const char *word, size_t n)
{
	for (struct option_walk w = option_walk(table); option_next(&w);)
		if (w.row->long_name && !strncmp(w.row->long_name, word, n) && !w.row->long_name[n])
			return w.row->kind == OPTION_BOOL || w.row->kind == OPTION_OFF;
	return false;
}

/* As in Go: 1 for true, 0 for false, else -1. */
static int truth(const char *value)
{
	static const char *const words[] = { "1", "t", "T", "TRUE", "true", "True", "0", "f", "F", "FALSE", "false", "False" };
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(value, words[i]))
			return i < 6;
	return -1;
}

void options_double_dashes(const struct option *table, struct arena *words, int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		const char *word = argv[i];
		bool is_long = word[0] == '-' && word[1] && word[1] != '-' && word[2];
		if (!is_long && strncmp(word, "--", 2))
			continue;
		word += strspn(word, "-");
		const char *equals = strchr(word, '=');
		int on = equals && is_flag(table, word, (size_t)(equals - word)) ? truth(equals + 1) : -1;
		int n = on >= 0 ? (int)(equals - word) : (int)strlen(word);
		_cleanup_free_ char *made = xasprintf("--%s%.*s", on ? "" : "no-", n, word);
		argv[i] = arena_strdup(words, made);
	}
}

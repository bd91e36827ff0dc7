#include "profile/select_labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "profile/pattern.h"
#include "profile/transfer_priv.h"

/* ---- one filter ---- */

struct range {
	bool is_range;         /* else expressions */
	bool has_least, has_most;
	double least, most;
	const char *unit;      /* of both, as used by scale() */
};

struct filter {
	const struct profile_label_select *select;
	char *text;            /* what key and value point into */
	const char *key;       /* or NULL: any */
	const char *value;
	struct range range;
	VEC(regex_t) patterns;
};

/* Parses "-12kb" at the beginning of s; returns its length; 0: none. */
static size_t parse_quantity(const char *s, int64_t *ret_value, char ret_unit[static 32])
{
	char *end;
	size_t n = strspn(s, "+-") ? 1 : 0, letters = 0;
	if (!strspn(s + n, "0123456789"))
		return 0;
	*ret_value = strtoll(s, &end, 10);
	while ((end[letters] | 32) >= 'a' && (end[letters] | 32) <= 'z' && letters < 31)
		letters++;
	memcpy(ret_unit, end, letters);
	ret_unit[letters] = 0;
	return (size_t)(end - s) + letters;
}

static void parse_range(struct filter *f, char units[2][32])
{
	const char *s = f->value;
	bool has_no_least = *s == ':';
	int64_t value;
	size_t n = parse_quantity(s + has_no_least, &value, units[0]);
	if (!n)
		return;
	struct range r = { .is_range = true, .has_least = !has_no_least, .has_most = true };
	double scaled = f->select->scale(value, units[0], units[0], &r.unit);
	r.least = r.most = scaled;
	s += has_no_least + n;
	if (*s == ':' && !has_no_least) {
		const char *unit;
		s++;
		r.has_most = *s != 0;
		n = parse_quantity(s, &value, units[1]);
		if (r.has_most && !n)
			return;
		if (r.has_most) {
			r.most = f->select->scale(value, units[1], r.unit, &unit);
			s += n;
			if (strcmp(unit, r.unit))
				return;
		}
	}
	if (!*s)
		f->range = r;
}

static struct strobe_error *parse_patterns(struct filter *f)
{
	_cleanup_strbuf_ struct strbuf one = {};
	for (const char *s = f->value;;) {
		size_t n = strcspn(s, ",");
		regex_t re;
		strbuf_reset(&one);
		strbuf_add(&one, s, n);
		TRY(pattern_compile(strbuf_str(&one), &re));
		vec_push(&f->patterns, re);
		if (!s[n])
			return NULL;
		s += n + 1;
	}
}

static struct strobe_error *filter_init(struct filter *f, const struct profile_label_select *select, const char *text,
					char units[2][32])
{
	*f = (struct filter){ .select = select, .text = xstrdup(text) };
	char *equals = strchr(f->text, '=');
	f->value = equals ? equals + 1 : f->text;
	if (equals) {
		*equals = 0;
		f->key = f->text;
	}
	parse_range(f, units);
	return f->range.is_range ? NULL : parse_patterns(f);
}

static void filter_deinit(struct filter *f)
{
	for (size_t i = 0; i < f->patterns.len; i++)
		regfree(&f->patterns.data[i]);
	vec_deinit(&f->patterns);
	free(f->text);
}

static bool is_in_range(const struct filter *f, const struct profile *p, uint32_t column, uint64_t value)
{
	const struct range *r = &f->range;
	const char *unit;
	double scaled = f->select->scale(profile_label_number(value), profile_column_unit(p, column), r->unit, &unit);
	return !strcmp(unit, r->unit) && (!r->has_least || scaled >= r->least) && (!r->has_most || scaled <= r->most);
}

static bool matches_text(const struct filter *f, const regex_t *re, const char *key, const char *text)
{
	_cleanup_strbuf_ struct strbuf both = {};
	if (f->key)
		return !regexec(re, text, 0, NULL, 0);
	strbuf_addf(&both, "%s:%s", key, text);
	return !regexec(re, strbuf_str(&both), 0, NULL, 0);
}

static bool has_text(const struct filter *f, const struct profile *p, const uint64_t *values, const regex_t *re)
{
	for (size_t i = 0; i < p->columns.len; i++) {
		const struct profile_label_column *c = &p->columns.data[i];
		const char *key = profile_str(p, c->name);
		if (values[i] && c->type == COLUMN_STRING && (!f->key || !strcmp(f->key, key)) &&
		    matches_text(f, re, key, profile_str(p, (str_id)values[i])))
			return true;
	}
	return false;
}

static bool matches(const struct filter *f, const struct profile *p, const uint64_t *values)
{
	if (f->range.is_range) {
		for (uint32_t i = 0; i < p->columns.len; i++) {
			const struct profile_label_column *c = &p->columns.data[i];
			bool is_number = c->type == COLUMN_I64 || c->type == COLUMN_U64 || c->type == COLUMN_HEX;
			if (profile_has_label(p, c, values[i]) && is_number && (!f->key || !strcmp(f->key, profile_str(p, c->name))) &&
			    is_in_range(f, p, i, values[i]))
				return true;
		}
		return false;
	}
	/* with a key one matching expression is enough; without one each must match some label */
	for (size_t i = 0; i < f->patterns.len; i++)
		if (has_text(f, p, values, &f->patterns.data[i]) == (f->key != NULL))
			return f->key != NULL;
	return f->key == NULL;
}

/* ---- rows ---- */

struct keeper {
	uint8_t *selected; /* by label set; the last: of rows without any */
};

static bool keep_row(void *ctx, const struct profile *p, const struct profile_row *row)
{
	const struct keeper *k = ctx;
	return k->selected[row->labels == PROFILE_NONE ? p->labels_nr : row->labels];
}

static struct strobe_error *apply_filter(struct keeper *k, const struct profile *p, const struct profile_label_select *select,
					 const char *text, bool selected)
{
	char units[2][32];
	struct filter f;
	uint64_t *none = xcalloc(p->columns.len + 1, sizeof(*none));
	struct strobe_error *err = filter_init(&f, select, text, units);
	for (uint32_t i = 0; i <= p->labels_nr && !err; i++)
		if (matches(&f, p, i < p->labels_nr ? profile_label_values(p, i) : none) != selected)
			k->selected[i] = false;
	filter_deinit(&f);
	free(none);
	return err;
}

/* ---- columns ---- */

static struct strobe_error *mark_columns(const struct profile *p, const char *expression, bool hides, bool *hidden)
{
	regex_t re;
	if (!expression)
		return NULL;
	TRY(pattern_compile(expression, &re));
	for (size_t i = 0; i < p->columns.len; i++)
		if (!regexec(&re, profile_str(p, p->columns.data[i].name), 0, NULL, 0) == hides)
			hidden[i] = true;
	regfree(&re);
	return NULL;
}

static void clear_columns(struct profile *p, const bool *hidden)
{
	for (uint32_t set = 0; set < p->labels_nr; set++)
		for (size_t i = 0; i < p->columns.len; i++)
			if (hidden[i])
				p->labels.data[(size_t)set * p->columns.len + i] = 0;
}

struct strobe_error *profile_select_labels(const struct profile *p, const struct profile_label_select *select,
					   struct profile **ret)
{
	struct keeper k = { .selected = xmalloc((size_t)p->labels_nr + 1) };
	bool *hidden = xcalloc(p->columns.len + 1, sizeof(*hidden));
	struct strobe_error *err = NULL;
	memset(k.selected, true, (size_t)p->labels_nr + 1);
	*ret = NULL;
	if (select->focus)
		err = apply_filter(&k, p, select, select->focus, true);
	if (!err && select->ignore)
		err = apply_filter(&k, p, select, select->ignore, false);
	if (!err)
		err = mark_columns(p, select->show, false, hidden);
	if (!err)
		err = mark_columns(p, select->hide, true, hidden);
	if (!err) {
		*ret = profile_filter(p, keep_row, &k);
		clear_columns(*ret, hidden);
	}
	free(k.selected);
	free(hidden);
	return err;
}

/* ---- labels as frames ---- */

typedef VEC(char *) key_list;

static void keys_init(key_list *k, const char *list)
{
	while (list && *list) {
		size_t n = strcspn(list, ",");
		vec_push(k, xstrndup(list, n));
		list += n + (list[n] == ',');
	}
}

static void keys_deinit(key_list *k)
{
	for (size_t i = 0; i < k->len; i++)
		free(k->data[i]);
	vec_deinit(k);
}

/* Whether any number of this key in the set has a unit. */
static bool has_unit(const struct profile *p, str_id key, const uint64_t *values)
{
	for (size_t i = 0; i < p->columns.len; i++) {
		const struct profile_label_column *c = &p->columns.data[i];
		if (c->name == key && c->type != COLUMN_STRING && c->unit && profile_has_label(p, c, values[i]))
			return true;
	}
	return false;
}

static void add_value(struct strbuf *to, const char *text)
{
	strbuf_addf(to, "%s%s", to->len ? "," : "", text);
}

/* All texts of a key, then all numbers. */
static void label_text(const struct profile *p, const struct profile_label_select *select, const char *name, labels_id labels,
		       struct strbuf *ret)
{
	str_id key = strtab_find(&p->strings, name);
	const uint64_t *values = labels == PROFILE_NONE ? NULL : profile_label_values(p, labels);
	for (size_t i = 0; values && i < p->columns.len; i++)
		if (p->columns.data[i].name == key && p->columns.data[i].type == COLUMN_STRING && values[i])
			add_value(ret, profile_str(p, (str_id)values[i]));
	bool with_units = values && has_unit(p, key, values);
	for (size_t i = 0; values && i < p->columns.len; i++) {
		const struct profile_label_column *c = &p->columns.data[i];
		if (c->name != key || c->type == COLUMN_STRING || !profile_has_label(p, c, values[i]))
			continue;
		char *text = select->label(profile_label_number(values[i]), profile_str(p, c->unit), with_units ? select->unit : "");
		add_value(ret, text);
		free(text);
	}
}

static frame_id label_frame(struct profile_transfer *t, const struct profile_label_select *select, const char *key,
			    labels_id labels)
{
	_cleanup_strbuf_ struct strbuf text = {};
	label_text(t->src, select, key, labels, &text);
	struct profile_function fn = { .mapping = PROFILE_NONE, .file = strtab_add(&t->dst->strings, key),
				       .name = strtab_add(&t->dst->strings, strbuf_str(&text)) };
	struct profile_frame frame = { .mapping = PROFILE_NONE, .function = profile_function(t->dst, &fn) };
	return profile_frame(t->dst, &frame);
}

/* The stack of a row with added frames; copied frame by frame, since its root changes. */
static stack_id wrap(struct profile_transfer *t, const struct profile_label_select *select, const key_list *root,
		     const key_list *leaf, const struct profile_row *row)
{
	stack_id at = PROFILE_NONE;
	for (size_t i = 0; i < root->len; i++)
		at = profile_stack(t->dst, at, label_frame(t, select, root->data[i], row->labels));
	vec_clear(&t->path);
	for (stack_id s = row->stack; s != PROFILE_NONE; s = t->src->stacks.data[s].caller)
		vec_push(&t->path, s);
	for (size_t i = t->path.len; i--;)
		at = profile_stack(t->dst, at, profile_transfer_frame(t, t->src->stacks.data[t->path.data[i]].frame));
	for (size_t i = 0; i < leaf->len; i++)
		at = profile_stack(t->dst, at, label_frame(t, select, leaf->data[i], row->labels));
	return at;
}

struct profile *profile_frames_of_labels(const struct profile *p, const struct profile_label_select *select)
{
	struct profile *ret = profile_create();
	struct profile_transfer t;
	key_list root = {}, leaf = {};
	profile_transfer_init(&t, ret, p);
	profile_transfer_origin(&t);
	for (uint32_t i = 0; i < p->events.len; i++)
		profile_transfer_event(&t, i);
	keys_init(&root, select->root);
	keys_init(&leaf, select->leaf);
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct profile_row *row = &p->rows.data[i];
		profile_add(ret, wrap(&t, select, &root, &leaf, row), profile_transfer_labels(&t, row->labels),
			    profile_transfer_event(&t, row->event), row->samples, row->value, row->weight);
	}
	keys_deinit(&root);
	keys_deinit(&leaf);
	profile_transfer_deinit(&t);
	return ret;
}

/*
 * Reads the rows of rows.c: CSV, whose frames have only names, and JSON, which has complete frames.
 *
 * CSV is RFC 4180's. It has no types: columns named pid, tid and cpu are numbers, comm and cgroup are texts, and others are numbers
 * if all their values are.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "exchange/exchange.h"
#include "exchange/foreign.h"

/* ---- CSV ---- */

#define CSV_RECORDING "event,unit,samples,value,"
#define CSV_VALUES    "event,unit,count,value,"
enum { CSV_EVENT, CSV_UNIT, CSV_SAMPLES, CSV_VALUE, CSV_LABELS };

struct csv {
	const char *at, *end;
	size_t line;          /* of the current row */
	struct strbuf text;   /* fields of the row, each with a NUL after it */
	VEC(size_t) fields;   /* their offsets */
};

static const char *field(const struct csv *c, size_t i)
{
	return c->text.data + c->fields.data[i];
}

/* Reads a field up to its comma or line end; false if a quote is not closed, or followed by something else. */
static bool next_field(struct csv *c)
{
	vec_push(&c->fields, c->text.len);
	if (c->at < c->end && *c->at == '"') {
		for (c->at++;; c->at++) {
			if (c->at == c->end)
				return false;
			if (*c->at == '"' && (c->at + 1 == c->end || c->at[1] != '"'))
				break;
			c->at += *c->at == '"';
			c->line += *c->at == '\n';
			strbuf_addch(&c->text, *c->at);
		}
		c->at++;
		if (c->at < c->end && *c->at != ',' && *c->at != '\n' && *c->at != '\r')
			return false;
	} else {
		const char *begin = c->at;
		while (c->at < c->end && *c->at != ',' && *c->at != '\n' && *c->at != '\r')
			c->at++;
		strbuf_add(&c->text, begin, (size_t)(c->at - begin));
	}
	strbuf_addch(&c->text, 0);
	return true;
}

/* The fields of the next row that has some; *ret_end if there is none. */
static struct strobe_error *next_row(struct csv *c, bool *ret_end)
{
	c->text.len = 0;
	vec_clear(&c->fields);
	while (c->at < c->end && (*c->at == '\n' || *c->at == '\r'))
		c->line += *c->at++ == '\n';
	*ret_end = c->at == c->end;
	size_t line = c->line;
	while (!*ret_end) {
		if (!next_field(c))
			return error_create(ERROR_FORMAT, "line %zu: a quote is not closed, or text follows the closing quote", line);
		if (c->at == c->end || *c->at != ',')
			break;
		c->at++;
	}
	return NULL;
}

static bool is_number(const char *name, const char *value)
{
	int64_t number;
	if (!strcmp(name, "comm") || !strcmp(name, "cgroup"))
		return false;
	return !*value || text_to_i64(value, &number);
}

/* The columns of labels by the header's names; all values are examined, since the file has no types. */
static struct strobe_error *declare_columns(struct profile *p, struct csv c, size_t *ret_fields)
{
	bool end;
	struct strobe_error *err = next_row(&c, &end);
	size_t fields = *ret_fields = c.fields.len, labels = fields > CSV_LABELS ? fields - CSV_LABELS - 1 : 0;
	VEC(char *) names = {};
	bool *is_text = xcalloc(labels + 1, sizeof(*is_text));
	if (!err && (fields < CSV_LABELS + 1 || strcmp(field(&c, fields - 1), "stack")))
		err = error_create(ERROR_FORMAT, "its header does not end in 'stack'");
	for (size_t i = 0; !err && i < labels; i++)
		vec_push(&names, xstrdup(field(&c, CSV_LABELS + i)));
	while (!err && !(err = next_row(&c, &end)) && !end)
		for (size_t i = 0; i < labels && c.fields.len == fields; i++)
			is_text[i] |= !is_number(names.data[i], field(&c, CSV_LABELS + i));
	for (size_t i = 0; !err && i < labels; i++)
		if (profile_column(p, names.data[i], is_text[i] ? COLUMN_STRING : COLUMN_I64) != i)
			err = error_create(ERROR_FORMAT, "its header has the column %s twice", names.data[i]);
	for (size_t i = 0; i < names.len; i++)
		free(names.data[i]);
	vec_deinit(&names);
	free(is_text);
	strbuf_deinit(&c.text);
	vec_deinit(&c.fields);
	return err;
}

static stack_id stack_of_names(struct profile *p, char *names)
{
	stack_id stack = PROFILE_NONE;
	for (char *next; *names; names = next) {
		next = names + strcspn(names, ";");
		if (*next)
			*next++ = 0;
		struct foreign_frame f = { .name = names, .file = "", .module = "" };
		if (!strncmp(names, "0x", 2)) { /* a frame without a name has its address */
			f.name = "";
			f.address = strtoull(names, NULL, 16);
		}
		stack = profile_stack(p, stack, foreign_to_frame(p, &f));
	}
	return stack;
}

static struct strobe_error *take_row(struct profile *p, const struct csv *c, size_t line, uint64_t *values)
{
	uint64_t samples;
	int64_t value;
	if (!text_to_u64(field(c, CSV_SAMPLES), &samples) || !text_to_i64(field(c, CSV_VALUE), &value))
		return error_create(ERROR_FORMAT, "line %zu has no valid number of samples or no valid value", line);
	for (size_t i = 0; i < p->columns.len; i++) {
		const char *text = field(c, CSV_LABELS + i);
		int64_t number = 0;
		if (p->columns.data[i].type == COLUMN_STRING)
			values[i] = strtab_add(&p->strings, text);
		else
			values[i] = text_to_i64(text, &number) ? profile_label_of_number(number) : 0;
	}
	uint32_t event = profile_event(p, field(c, CSV_EVENT), field(c, CSV_UNIT));
	stack_id stack = stack_of_names(p, c->text.data + c->fields.data[c->fields.len - 1]);
	profile_add(p, stack, profile_labels(p, values), event, samples, (uint64_t)value, 0);
	return NULL;
}

static struct strobe_error *read_rows(struct profile *p, struct csv *c)
{
	size_t fields;
	bool end;
	TRY(declare_columns(p, (struct csv){ .at = c->at, .end = c->end, .line = 1 }, &fields));
	TRY(next_row(c, &end));
	uint64_t *values = xcalloc(p->columns.len + 1, sizeof(*values));
	struct strobe_error *err;
	for (size_t line = c->line; !(err = next_row(c, &end)) && !end; line = c->line) {
		if (c->fields.len == fields)
			err = take_row(p, c, line, values);
		else
			err = error_create(ERROR_FORMAT, "line %zu has %zu fields, and the header %zu", c->line, c->fields.len, fields);
		if (err)
			break;
	}
	free(values);
	return err;
}

struct strobe_error *csv_read(const uint8_t *bytes, size_t n, struct profile **ret)
{
	struct csv c = { .at = (const char *)bytes, .end = (const char *)bytes + n, .line = 1 };
	struct profile *p = profile_create();
	p->origin.events_are_values = n >= strlen(CSV_VALUES) && !memcmp(bytes, CSV_VALUES, strlen(CSV_VALUES));
	struct strobe_error *err = read_rows(p, &c);
	strbuf_deinit(&c.text);
	vec_deinit(&c.fields);
	return foreign_finish(p, err, ret);
}

bool csv_probe(const uint8_t *p, size_t n)
{
	return (n >= strlen(CSV_RECORDING) && !memcmp(p, CSV_RECORDING, strlen(CSV_RECORDING))) ||
	       (n >= strlen(CSV_VALUES) && !memcmp(p, CSV_VALUES, strlen(CSV_VALUES)));
}

/* ---- JSON ---- */

struct json_rows {
	struct json_doc doc;
	struct profile *p;
	VEC(frame_id) frames;
	foreign_columns columns; /* as declared, and their keys in rows */
	VEC(const char *) keys;
	uint64_t *values; /* of a set of labels */
};

static void read_frames(struct json_rows *r)
{
	const struct json_doc *d = &r->doc;
	for (uint32_t v = json_first(d, json_member(d, 0, "frames")); v != JSON_NONE; v = json_next(d, v))
		vec_push(&r->frames, foreign_read_frame(r->p, d, v, v));
}

static void read_columns(struct json_rows *r)
{
	const struct json_doc *d = &r->doc;
	for (uint32_t v = json_first(d, json_member(d, 0, "columns")); v != JSON_NONE; v = json_next(d, v)) {
		bool is_text = json_is(d, json_member(d, v, "text"), JSON_KIND_TRUE);
		const char *name = json_text(d, json_member(d, v, "name")), *key = json_text(d, json_member(d, v, "key"));
		foreign_declare_column(r->p, name, is_text, json_text(d, json_member(d, v, "unit")), &r->columns);
		vec_push(&r->keys, *key ? key : name);
	}
	r->values = xcalloc(r->p->columns.len + 1, sizeof(*r->values));
}

static uint32_t column_of(const struct json_rows *r, const char *key)
{
	for (size_t i = 0; i < r->keys.len; i++)
		if (!strcmp(r->keys.data[i], key))
			return r->columns.data[i];
	return PROFILE_NONE;
}

static labels_id labels_of(struct json_rows *r, uint32_t labels)
{
	const struct json_doc *d = &r->doc;
	memset(r->values, 0, r->p->columns.len * sizeof(*r->values));
	for (uint32_t v = json_first(d, labels); v != JSON_NONE; v = json_next(d, v)) {
		uint32_t c = column_of(r, json_key_of(d, v));
		double number = json_number(d, v, 0);
		if (c == PROFILE_NONE)
			continue;
		if (r->p->columns.data[c].type == COLUMN_STRING)
			r->values[c] = strtab_add(&r->p->strings, json_text(d, v));
		else if (number > -9e18 && number < 9e18)
			r->values[c] = profile_label_of_number((int64_t)number);
	}
	return profile_labels(r->p, r->values);
}

static struct strobe_error *take_json_row(struct json_rows *r, uint32_t row)
{
	const struct json_doc *d = &r->doc;
	const char *name = json_text(d, json_member(d, row, "event"));
	double samples = json_number(d, json_member(d, row, "samples"), 0), value = json_number(d, json_member(d, row, "value"), 0);
	uint32_t event = 0;
	stack_id stack = PROFILE_NONE;
	while (event < r->p->events.len && strcmp(profile_event_name(r->p, event), name))
		event++;
	if (event == r->p->events.len)
		return error_create(ERROR_FORMAT, "a row has the event '%s', which is not one of its events", name);
	if (!(samples >= 0 && samples < 9e18 && value > -9e18 && value < 9e18))
		return error_create(ERROR_FORMAT, "a row has no valid number of samples or no valid value");
	for (uint32_t v = json_first(d, json_member(d, row, "stack")); v != JSON_NONE; v = json_next(d, v)) {
		uint32_t frame = json_index(d, v);
		if (frame >= r->frames.len)
			return error_create(ERROR_FORMAT, "a stack refers to a frame that does not exist");
		stack = profile_stack(r->p, stack, r->frames.data[frame]);
	}
	labels_id labels = labels_of(r, json_member(d, row, "labels"));
	profile_add(r->p, stack, labels, event, (uint64_t)samples, (uint64_t)(int64_t)value, 0);
	return NULL;
}

static struct strobe_error *read_json_rows(struct json_rows *r)
{
	const struct json_doc *d = &r->doc;
	uint32_t rows = json_member(d, 0, "rows");
	if (!json_is(d, 0, JSON_KIND_OBJECT) || !json_is(d, rows, JSON_KIND_ARRAY))
		return error_create(ERROR_FORMAT, "it has no rows");
	r->p->origin.events_are_values = !json_is(d, json_member(d, 0, "is_recording"), JSON_KIND_TRUE);
	for (uint32_t v = json_first(d, json_member(d, 0, "events")); v != JSON_NONE; v = json_next(d, v))
		profile_event(r->p, json_text(d, json_member(d, v, "name")), json_text(d, json_member(d, v, "unit")));
	read_columns(r);
	read_frames(r);
	for (uint32_t v = json_first(d, rows); v != JSON_NONE; v = json_next(d, v))
		TRY(take_json_row(r, v));
	return NULL;
}

struct strobe_error *profile_json_read(const uint8_t *bytes, size_t n, struct profile **ret)
{
	struct json_rows r = { .p = profile_create() };
	struct strobe_error *err = json_parse(bytes, n, &r.doc);
	if (!err)
		err = read_json_rows(&r);
	json_doc_deinit(&r.doc);
	vec_deinit(&r.frames);
	vec_deinit(&r.columns);
	vec_deinit(&r.keys);
	free(r.values);
	return foreign_finish(r.p, err, ret);
}

bool profile_json_probe(const uint8_t *p, size_t n)
{
	static const char head[] = "{\"format\":\"strobe-profile\",";
	return n > strlen(head) && !memcmp(p, head, strlen(head)) && memmem(p, n > 4096 ? 4096 : n, "\"columns\"", 9);
}

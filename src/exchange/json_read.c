#include "exchange/json_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

#define DEPTH_MAX 256

struct parser {
	const uint8_t *start, *at, *end;
	struct json_doc *doc;
	uint32_t open[DEPTH_MAX], last[DEPTH_MAX]; /* arrays and objects being read, and the child read last of each */
	unsigned depth;
};

static struct strobe_error *bad(const struct parser *p, const char *what)
{
	return error_create(ERROR_FORMAT, "it is not valid JSON: %s at byte %zu", what, (size_t)(p->at - p->start));
}

static void skip_blanks(struct parser *p)
{
	while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r'))
		p->at++;
}

/* ---- strings ---- */

static int hex4(struct parser *p)
{
	int value = 0;
	if (p->end - p->at < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		uint8_t c = p->at[i] | 32, digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 255;
		if (digit == 255 || (p->at[i] < '0'))
			return -1;
		value = value << 4 | digit;
	}
	p->at += 4;
	return value;
}

static void push_utf8(struct parser *p, uint32_t c)
{
	char bytes[UTF8_MAX];
	size_t n = utf8_encode(c, bytes);
	memcpy(vec_extend(&p->doc->text, n), bytes, n);
}

static bool read_unicode(struct parser *p)
{
	int c = hex4(p), low;
	if (c < 0)
		return false;
	bool is_high = c >= 0xd800 && c < 0xdc00;
	if (is_high && p->end - p->at >= 6 && p->at[0] == '\\' && p->at[1] == 'u') {
		p->at += 2;
		low = hex4(p);
		if (low >= 0xdc00 && low < 0xe000) {
			push_utf8(p, 0x10000 + ((uint32_t)(c - 0xd800) << 10) + (uint32_t)(low - 0xdc00));
			return true;
		}
		p->at -= low < 0 ? 2 : 6;
	}
	/* a NUL would end the text for all users */
	push_utf8(p, (c >= 0xd800 && c < 0xe000) || !c ? 0xfffd : (uint32_t)c);
	return true;
}

static bool read_escape(struct parser *p)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	if (p->at == p->end)
		return false;
	char c = (char)*p->at++;
	if (c == 'u')
		return read_unicode(p);
	const char *found = c ? strchr(from, c) : NULL;
	if (found)
		vec_push(&p->doc->text, to[found - from]);
	return found != NULL;
}

/* After the opening quote. */
static struct strobe_error *read_string(struct parser *p, uint32_t *ret_text, uint32_t *ret_bytes)
{
	*ret_text = (uint32_t)p->doc->text.len;
	for (;;) {
		const uint8_t *from = p->at;
		while (p->at < p->end && *p->at != '"' && *p->at != '\\' && *p->at >= 0x20)
			p->at++;
		memcpy(vec_extend(&p->doc->text, (size_t)(p->at - from)), from, (size_t)(p->at - from));
		if (p->at == p->end || *p->at < 0x20)
			return bad(p, "a string does not end");
		if (*p->at++ == '"')
			break;
		if (!read_escape(p))
			return bad(p, "invalid escape");
	}
	if (p->doc->text.len >= UINT32_MAX)
		return error_create(ERROR_LIMIT, "it has more than 4 GB of text");
	*ret_bytes = (uint32_t)p->doc->text.len - *ret_text;
	vec_push(&p->doc->text, 0);
	return NULL;
}

/* ---- values ---- */

static bool take_word(struct parser *p, const char *word)
{
	size_t n = strlen(word);
	if ((size_t)(p->end - p->at) < n || memcmp(p->at, word, n))
		return false;
	p->at += n;
	return true;
}

/* Nearly all numbers are whole: these by hand, others by strtod() on a copy, since the text is not NUL-terminated. */
static struct strobe_error *read_number(struct parser *p, double *ret)
{
	char text[64];
	const uint8_t *from = p->at;
	bool is_negative = p->at < p->end && *p->at == '-';
	uint64_t whole = 0;
	p->at += is_negative;
	while (p->at < p->end && *p->at >= '0' && *p->at <= '9' && p->at - from < 16)
		whole = whole * 10 + (*p->at++ - '0');
	bool is_whole = p->at == p->end || !strchr("0123456789.eE+-", *p->at);
	if (p->at - from > is_negative && is_whole) {
		*ret = is_negative ? -(double)whole : (double)whole;
		return NULL;
	}
	while (p->at < p->end && *p->at && strchr("0123456789.eE+-", *p->at))
		p->at++;
	size_t n = (size_t)(p->at - from);
	char *end = text;
	if (n && n < sizeof(text)) {
		memcpy(text, from, n);
		text[n] = 0;
		*ret = strtod(text, &end);
	}
	return n && end == text + n && isfinite(*ret) ? NULL : bad(p, "invalid number");
}

static struct strobe_error *push_value(struct parser *p, const struct json_value *v)
{
	uint32_t id = (uint32_t)p->doc->values.len;
	if (p->doc->values.len >= UINT32_MAX - 1)
		return error_create(ERROR_LIMIT, "it has more than 4 billion values");
	vec_push(&p->doc->values, *v);
	if (p->depth) {
		struct json_value *parent = &p->doc->values.data[p->open[p->depth - 1]];
		uint32_t *last = &p->last[p->depth - 1];
		if (parent->nr++)
			p->doc->values.data[*last].next = id;
		else
			parent->first = id;
		*last = id;
	}
	if (v->kind < JSON_KIND_ARRAY)
		return NULL;
	if (p->depth == DEPTH_MAX)
		return error_create(ERROR_LIMIT, "its JSON is nested more than %d deep", DEPTH_MAX);
	p->open[p->depth++] = id;
	return NULL;
}

static struct strobe_error *read_value(struct parser *p, struct json_value *v)
{
	char c = p->at < p->end ? (char)*p->at : 0;
	v->next = JSON_NONE;
	if (c == '"') {
		p->at++;
		v->kind = JSON_KIND_STRING;
		TRY(read_string(p, &v->text, &v->bytes));
	} else if (c == '[' || c == '{') {
		p->at++;
		v->kind = c == '[' ? JSON_KIND_ARRAY : JSON_KIND_OBJECT;
		v->first = JSON_NONE;
		v->nr = 0;
	} else if (c == '-' || (c >= '0' && c <= '9')) {
		v->kind = JSON_KIND_NUMBER;
		TRY(read_number(p, &v->number));
	} else if (take_word(p, "true")) {
		v->kind = JSON_KIND_TRUE;
	} else if (take_word(p, "false")) {
		v->kind = JSON_KIND_FALSE;
	} else if (take_word(p, "null")) {
		v->kind = JSON_KIND_NULL;
	} else {
		return bad(p, "something unexpected");
	}
	return push_value(p, v);
}

static struct strobe_error *read_key(struct parser *p, struct json_value *v)
{
	if (p->at == p->end || *p->at != '"')
		return bad(p, "expected a name");
	p->at++;
	TRY(read_string(p, &v->key, &v->key_bytes));
	skip_blanks(p);
	if (p->at == p->end || *p->at != ':')
		return bad(p, "expected ':'");
	p->at++;
	skip_blanks(p);
	return NULL;
}

/* After a value: closes the arrays and objects that end here. *ret_is_over: the last one was closed. */
static struct strobe_error *close_or_go_on(struct parser *p, bool *ret_is_over)
{
	while (p->depth) {
		const struct json_value *in = &p->doc->values.data[p->open[p->depth - 1]];
		skip_blanks(p);
		if (p->at == p->end)
			return bad(p, "unexpected end");
		char c = (char)*p->at;
		bool closes = c == (in->kind == JSON_KIND_ARRAY ? ']' : '}');
		if (!closes && in->nr && c != ',')
			return bad(p, "expected ','");
		if (!closes) {
			p->at += in->nr != 0;
			return NULL;
		}
		p->at++;
		p->depth--;
	}
	*ret_is_over = true;
	return NULL;
}

struct strobe_error *json_parse(const uint8_t *text, size_t n, struct json_doc *ret)
{
	struct parser p = { .start = text, .at = text, .end = text + n, .doc = ret };
	bool is_over = false;
	*ret = (struct json_doc){};
	vec_push(&ret->text, 0);
	while (!is_over) {
		struct json_value v = {};
		skip_blanks(&p);
		if (p.depth && ret->values.data[p.open[p.depth - 1]].kind == JSON_KIND_OBJECT)
			TRY(read_key(&p, &v));
		TRY(read_value(&p, &v));
		TRY(close_or_go_on(&p, &is_over));
	}
	skip_blanks(&p);
	return p.at == p.end ? NULL : bad(&p, "unexpected text after the end");
}

void json_doc_deinit(struct json_doc *d)
{
	vec_deinit(&d->values);
	vec_deinit(&d->text);
}

/* ---- look-ups ---- */

const char *json_key_of(const struct json_doc *d, uint32_t v)
{
	return d->text.data + d->values.data[v].key;
}

uint32_t json_member(const struct json_doc *d, uint32_t object, const char *key)
{
	if (!json_is(d, object, JSON_KIND_OBJECT))
		return JSON_NONE;
	for (uint32_t v = json_first(d, object); v != JSON_NONE; v = json_next(d, v))
		if (!strcmp(json_key_of(d, v), key))
			return v;
	return JSON_NONE;
}

double json_number(const struct json_doc *d, uint32_t v, double otherwise)
{
	return json_is(d, v, JSON_KIND_NUMBER) ? d->values.data[v].number : otherwise;
}

const char *json_text(const struct json_doc *d, uint32_t v)
{
	return json_is(d, v, JSON_KIND_STRING) ? d->text.data + d->values.data[v].text : "";
}

uint32_t json_index(const struct json_doc *d, uint32_t v)
{
	double n = json_number(d, v, -1);
	return n >= 0 && n < JSON_NONE && n == floor(n) ? (uint32_t)n : JSON_NONE;
}

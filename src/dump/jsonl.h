/*
 * Reads the stream of `strobe script --format jsonl`: one header without libraries, for C99 and C++.
 *
 *	static struct strobe_jsonl_reader r;
 *	strobe_jsonl_open(&r, 0);
 *	while (strobe_jsonl_next(&r) > 0)
 *		if (!strcmp(r.record.type, "sample"))
 *			puts(r.record.leaf.sym ? r.record.leaf.sym : "?");
 *	if (r.error)
 *		errx(1, "line %llu: %s", (unsigned long long)r.line, r.error);
 *	strobe_jsonl_close(&r);
 *
 * A line may be anything: it is read whole or refused, it takes time in proportion to its length, and no memory beyond the line (up to
 * STROBE_JSONL_LINE_MAX bytes) and the struct. What does not fit into the arrays of the struct is counted in `lost`. Strings point into
 * the line: they are valid until the next one is read; NULL is a member that the line does not have. A reader is for one thread at a time.
 * Not for trace or top: the stream has to begin with a header of strobe-script. Source: strobe-script(1), JSON; RFC 8259.
 */
#pragma once
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STROBE_JSONL_VERSION 1 /* of the stream */
#define STROBE_JSONL_LINE_MAX (16u << 20)
#define STROBE_JSONL_DEPTH_MAX 64u /* of values that are skipped */
#define STROBE_JSONL_FRAMES_MAX 1024u
#define STROBE_JSONL_BRANCHES_MAX 128u
#define STROBE_JSONL_EVENTS_MAX 256u
#define STROBE_JSONL_FIELDS_MAX 128u
#define STROBE_JSONL_NUMBERS_MAX 1024u

/* Bits of `has`: numbers of which 0 is a value. */
enum {
	STROBE_JSONL_PID = 1u << 0,
	STROBE_JSONL_TID = 1u << 1,
	STROBE_JSONL_CPU = 1u << 2,
	STROBE_JSONL_TIME = 1u << 3,
	STROBE_JSONL_PERIOD = 1u << 4,
	STROBE_JSONL_ADDR = 1u << 5,
	STROBE_JSONL_IP = 1u << 6,
	STROBE_JSONL_WEIGHT = 1u << 7,
	STROBE_JSONL_DATA_SRC = 1u << 8,
	STROBE_JSONL_PHYS_ADDR = 1u << 9,
	STROBE_JSONL_SYMOFF = 1u << 10,
	STROBE_JSONL_DSOFF = 1u << 11
};

struct strobe_jsonl_frame {
	const char *sym, *dso, *file;
	uint64_t ip, symoff, dsoff, line;
	uint32_t has;
	bool inlined;
};

struct strobe_jsonl_branch {
	struct strobe_jsonl_frame from, to;
	uint64_t cycles;
	const char *type;
	bool predicted, mispredicted, in_tx, abort; /* neither of the first two: not known */
};

struct strobe_jsonl_event {
	const char *name;
	uint64_t type, config;
};

/* A named value: of a tracepoint, a register, a member that has no place of its own. */
struct strobe_jsonl_field {
	const char *name, *text;  /* text: of strings */
	uint64_t number;          /* of numbers, modulo 2^64; of "0x…"; of true */
	const uint64_t *numbers;  /* of arrays of numbers */
	uint32_t numbers_nr;
	bool is_number, is_negative;
};

struct strobe_jsonl_list {
	struct strobe_jsonl_field items[STROBE_JSONL_FIELDS_MAX];
	uint32_t nr;
};

struct strobe_jsonl_record {
	const char *type; /* member "record": "header", "sample", "MMAP2" */
	const char *format, *arch, *event, *comm, *trace, *cgroup;
	uint64_t version, time, period, addr, weight, data_src, phys_addr; /* time: nanoseconds */
	int32_t pid, tid;
	uint32_t cpu, has;
	uint32_t frames_nr, branches_nr, events_nr, numbers_nr, lost;
	struct strobe_jsonl_frame leaf;                               /* where the sample is */
	struct strobe_jsonl_frame frames[STROBE_JSONL_FRAMES_MAX];    /* callchain, innermost first */
	struct strobe_jsonl_branch branches[STROBE_JSONL_BRANCHES_MAX]; /* brstack, newest first */
	struct strobe_jsonl_event events[STROBE_JSONL_EVENTS_MAX];    /* of the header */
	struct strobe_jsonl_list fields, iregs, uregs, memory, others;
	uint64_t numbers[STROBE_JSONL_NUMBERS_MAX];
};

struct strobe_jsonl_reader {
	int fd;
	char *buffer;
	size_t capacity, begin, end;
	bool at_end;
	uint64_t line;     /* of the record, from 1 */
	const char *error; /* NULL, or why the stream ended early: a constant */
	struct strobe_jsonl_record record;
};

/* ---- one line ---- */

struct strobe_jsonl_cursor {
	char *p;
	const char *end;
	const char *error;
	struct strobe_jsonl_record *record;
};

/* A scalar or an array of numbers. */
struct strobe_jsonl_value {
	const char *text;
	uint64_t number;
	const uint64_t *numbers;
	uint32_t numbers_nr;
	bool is_number, is_negative, is_true;
};

static inline bool strobe_jsonl_fail(struct strobe_jsonl_cursor *c, const char *error)
{
	if (!c->error)
		c->error = error;
	return false;
}

/* The next character but blanks; 0 at the end. */
static inline char strobe_jsonl_peek(struct strobe_jsonl_cursor *c)
{
	while (c->p < c->end && (*c->p == ' ' || *c->p == '\t' || *c->p == '\r'))
		c->p++;
	return c->p < c->end ? *c->p : '\0';
}

static inline bool strobe_jsonl_take(struct strobe_jsonl_cursor *c, char ch)
{
	if (strobe_jsonl_peek(c) != ch || !ch)
		return false;
	c->p++;
	return true;
}

static inline int strobe_jsonl_digit(char ch)
{
	if (ch >= '0' && ch <= '9')
		return ch - '0';
	return ch >= 'a' && ch <= 'f' ? ch - 'a' + 10 : ch >= 'A' && ch <= 'F' ? ch - 'A' + 10 : -1;
}

/* The four digits of a \u; -1: they are none. */
static inline int32_t strobe_jsonl_unit(const char *p, const char *end)
{
	int32_t unit = 0;
	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int digit = strobe_jsonl_digit(p[i]);
		if (digit < 0)
			return -1;
		unit = unit * 16 + digit;
	}
	return unit;
}

static inline char *strobe_jsonl_utf8(char *to, uint32_t code)
{
	if (code < 0x80) {
		*to++ = (char)code;
		return to;
	}
	if (code < 0x800) {
		*to++ = (char)(0xc0 | code >> 6);
	} else if (code < 0x10000) {
		*to++ = (char)(0xe0 | code >> 12);
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
	} else {
		*to++ = (char)(0xf0 | code >> 18);
		*to++ = (char)(0x80 | (code >> 12 & 0x3f));
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
	}
	*to++ = (char)(0x80 | (code & 0x3f));
	return to;
}

/* What stands after a \u, at c->p; halves of pairs and 0, which would end the string, become U+FFFD. NULL: not hexadecimal. */
static inline char *strobe_jsonl_take_unicode(struct strobe_jsonl_cursor *c, char *to)
{
	int32_t unit = strobe_jsonl_unit(c->p, c->end), low = -1;
	if (unit < 0)
		return NULL;
	c->p += 4;
	if (unit >= 0xd800 && unit < 0xdc00 && c->end - c->p >= 6 && c->p[0] == '\\' && c->p[1] == 'u')
		low = strobe_jsonl_unit(c->p + 2, c->end);
	if (low >= 0xdc00 && low < 0xe000) {
		c->p += 6;
		return strobe_jsonl_utf8(to, 0x10000 + ((uint32_t)(unit - 0xd800) << 10) + (uint32_t)(low - 0xdc00));
	}
	return strobe_jsonl_utf8(to, !unit || (unit >= 0xd800 && unit < 0xe000) ? 0xfffd : (uint32_t)unit);
}

/* After a backslash. */
static inline char *strobe_jsonl_take_escape(struct strobe_jsonl_cursor *c, char *to)
{
	static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
	if (c->p == c->end)
		return NULL;
	char ch = *c->p++;
	if (ch == 'u')
		return strobe_jsonl_take_unicode(c, to);
	const char *at = ch ? strchr(from, ch) : NULL;
	if (!at)
		return NULL;
	*to++ = into[at - from];
	return to;
}

/* Unescaped where it stands, which never takes more room, and ended by a NUL in place of the quotation mark at the latest. */
static inline bool strobe_jsonl_string(struct strobe_jsonl_cursor *c, const char **ret)
{
	*ret = NULL;
	if (!strobe_jsonl_take(c, '"'))
		return strobe_jsonl_fail(c, "expected a string");
	char *to = c->p;
	*ret = to;
	while (c->p < c->end && *c->p != '"') {
		char ch = *c->p++;
		if ((unsigned char)ch < 0x20)
			return strobe_jsonl_fail(c, "control character in a string");
		if (ch == '\\')
			to = strobe_jsonl_take_escape(c, to);
		else
			*to++ = ch;
		if (!to)
			return strobe_jsonl_fail(c, "unknown escape in a string");
	}
	if (c->p == c->end)
		return strobe_jsonl_fail(c, "string without end");
	*to = '\0';
	c->p++;
	return true;
}

static inline bool strobe_jsonl_is_digit(const struct strobe_jsonl_cursor *c)
{
	return c->p < c->end && *c->p >= '0' && *c->p <= '9';
}

/* Decimals and exponents are read over: the stream has whole numbers. */
static inline bool strobe_jsonl_number(struct strobe_jsonl_cursor *c, struct strobe_jsonl_value *v)
{
	v->is_negative = strobe_jsonl_take(c, '-');
	if (!strobe_jsonl_is_digit(c))
		return strobe_jsonl_fail(c, "expected a value");
	for (; strobe_jsonl_is_digit(c); c->p++)
		v->number = v->number * 10 + (uint64_t)(*c->p - '0');
	while (c->p < c->end && strchr("+-.eE0123456789", *c->p) && *c->p)
		c->p++;
	v->number = v->is_negative ? 0 - v->number : v->number;
	v->is_number = true;
	return true;
}

/* Addresses are strings: "0x7f…". */
static inline uint64_t strobe_jsonl_hex(const char *text)
{
	uint64_t number = 0;
	if (text[0] != '0' || text[1] != 'x')
		return 0;
	for (const char *p = text + 2; *p; p++) {
		int digit = strobe_jsonl_digit(*p);
		if (digit < 0)
			return 0;
		number = number << 4 | (uint64_t)digit;
	}
	return number;
}

static inline bool strobe_jsonl_word(struct strobe_jsonl_cursor *c, const char *word)
{
	size_t n = strlen(word);
	if ((size_t)(c->end - c->p) < n || memcmp(c->p, word, n) != 0)
		return strobe_jsonl_fail(c, "expected a value");
	c->p += n;
	return true;
}

static inline bool strobe_jsonl_scalar(struct strobe_jsonl_cursor *c, struct strobe_jsonl_value *v)
{
	memset(v, 0, sizeof(*v));
	switch (strobe_jsonl_peek(c)) {
	case '"':
		if (!strobe_jsonl_string(c, &v->text))
			return false;
		v->number = strobe_jsonl_hex(v->text);
		return true;
	case 't':
		v->is_true = true;
		v->number = 1;
		return strobe_jsonl_word(c, "true");
	case 'f':
		return strobe_jsonl_word(c, "false");
	case 'n':
		return strobe_jsonl_word(c, "null");
	default:
		return strobe_jsonl_number(c, v);
	}
}

/* Any value, objects and arrays whole: only that their brackets match is checked. */
static inline bool strobe_jsonl_skip(struct strobe_jsonl_cursor *c)
{
	struct strobe_jsonl_value v;
	char closes[STROBE_JSONL_DEPTH_MAX];
	unsigned depth = 0;
	do {
		char ch = strobe_jsonl_peek(c);
		bool opens = ch == '{' || ch == '[', is_end = depth && ch == closes[depth - 1];
		if (opens && depth == STROBE_JSONL_DEPTH_MAX)
			return strobe_jsonl_fail(c, "nested too deeply");
		if (opens)
			closes[depth++] = ch == '{' ? '}' : ']';
		if (is_end)
			depth--;
		if (opens || is_end || (depth && (ch == ',' || ch == ':')))
			c->p++;
		else if (!strobe_jsonl_scalar(c, &v))
			return false;
	} while (depth);
	return true;
}

/* Whether the value is a scalar, which is read; others are skipped. */
static inline bool strobe_jsonl_plain(struct strobe_jsonl_cursor *c, struct strobe_jsonl_value *v)
{
	char ch = strobe_jsonl_peek(c);
	if (ch != '{' && ch != '[')
		return strobe_jsonl_scalar(c, v);
	strobe_jsonl_skip(c);
	return false;
}

/* The name of the next member of an object, which was opened; false at its end and on errors. */
static inline bool strobe_jsonl_member(struct strobe_jsonl_cursor *c, bool *is_first, const char **name)
{
	if (c->error || strobe_jsonl_take(c, '}'))
		return false;
	if (!*is_first && !strobe_jsonl_take(c, ','))
		return strobe_jsonl_fail(c, "expected ',' or '}'");
	*is_first = false;
	if (!strobe_jsonl_string(c, name))
		return false;
	return strobe_jsonl_take(c, ':') || strobe_jsonl_fail(c, "expected ':'");
}

/* Whether an array, which was opened, has another item. */
static inline bool strobe_jsonl_item(struct strobe_jsonl_cursor *c, bool *is_first)
{
	if (c->error || strobe_jsonl_take(c, ']'))
		return false;
	if (!*is_first && !strobe_jsonl_take(c, ','))
		return strobe_jsonl_fail(c, "expected ',' or ']'");
	*is_first = false;
	return true;
}

static inline bool strobe_jsonl_open_by(struct strobe_jsonl_cursor *c, char ch)
{
	return strobe_jsonl_take(c, ch) || strobe_jsonl_fail(c, ch == '{' ? "expected an object" : "expected an array");
}

/* ---- parts of a record ---- */

/* Of an array of other things, the numbers that it has. */
static inline void strobe_jsonl_numbers(struct strobe_jsonl_cursor *c, struct strobe_jsonl_value *v)
{
	struct strobe_jsonl_record *r = c->record;
	bool is_first = true;
	memset(v, 0, sizeof(*v));
	v->numbers = r->numbers + r->numbers_nr;
	c->p++;
	while (strobe_jsonl_item(c, &is_first)) {
		struct strobe_jsonl_value item;
		if (!strobe_jsonl_plain(c, &item))
			continue;
		if (r->numbers_nr == STROBE_JSONL_NUMBERS_MAX) {
			r->lost++;
			continue;
		}
		r->numbers[r->numbers_nr++] = item.number;
		v->numbers_nr++;
	}
}

static inline void strobe_jsonl_field(struct strobe_jsonl_cursor *c, struct strobe_jsonl_list *l, const char *name)
{
	struct strobe_jsonl_value v;
	bool is_array = strobe_jsonl_peek(c) == '[';
	if (is_array)
		strobe_jsonl_numbers(c, &v);
	else if (!strobe_jsonl_plain(c, &v))
		return;
	if (c->error)
		return;
	if (l->nr == STROBE_JSONL_FIELDS_MAX) {
		c->record->lost++;
		return;
	}
	struct strobe_jsonl_field *f = &l->items[l->nr++];
	f->name = name;
	f->text = v.text;
	f->number = v.number;
	f->numbers = v.numbers;
	f->numbers_nr = v.numbers_nr;
	f->is_number = v.is_number;
	f->is_negative = v.is_negative;
}

static inline void strobe_jsonl_fields(struct strobe_jsonl_cursor *c, struct strobe_jsonl_list *l)
{
	const char *name = NULL;
	bool is_first = true;
	l->nr = 0;
	if (strobe_jsonl_open_by(c, '{'))
		while (strobe_jsonl_member(c, &is_first, &name))
			strobe_jsonl_field(c, l, name);
}

/* Whether `name` is a member of a frame: it is then read. */
static inline bool strobe_jsonl_frame_member(struct strobe_jsonl_cursor *c, struct strobe_jsonl_frame *f, const char *name)
{
	struct strobe_jsonl_value v;
	const char **text = !strcmp(name, "sym") ? &f->sym : !strcmp(name, "dso") ? &f->dso : !strcmp(name, "file") ? &f->file : NULL;
	uint64_t *number = !strcmp(name, "ip") ? &f->ip : !strcmp(name, "symoff") ? &f->symoff : !strcmp(name, "dsoff") ? &f->dsoff :
			   !strcmp(name, "line") ? &f->line : NULL;
	bool is_inlined = !strcmp(name, "inlined");
	if (!text && !number && !is_inlined)
		return false;
	if (!strobe_jsonl_scalar(c, &v))
		return true;
	if (text)
		*text = v.text;
	else if (number)
		*number = v.number;
	else
		f->inlined = v.is_true;
	if (number == &f->ip)
		f->has |= STROBE_JSONL_IP;
	else if (number == &f->symoff)
		f->has |= STROBE_JSONL_SYMOFF;
	else if (number == &f->dsoff)
		f->has |= STROBE_JSONL_DSOFF;
	return true;
}

static inline void strobe_jsonl_frame(struct strobe_jsonl_cursor *c, struct strobe_jsonl_frame *f)
{
	const char *name = NULL;
	bool is_first = true;
	memset(f, 0, sizeof(*f));
	if (strobe_jsonl_open_by(c, '{'))
		while (strobe_jsonl_member(c, &is_first, &name))
			if (!strobe_jsonl_frame_member(c, f, name))
				strobe_jsonl_skip(c);
}

static inline void strobe_jsonl_branch(struct strobe_jsonl_cursor *c, struct strobe_jsonl_branch *b)
{
	struct strobe_jsonl_value v;
	const char *name = NULL;
	bool is_first = true;
	memset(b, 0, sizeof(*b));
	if (!strobe_jsonl_open_by(c, '{'))
		return;
	while (strobe_jsonl_member(c, &is_first, &name)) {
		if (!strcmp(name, "from") || !strcmp(name, "to")) {
			strobe_jsonl_frame(c, *name == 'f' ? &b->from : &b->to);
			continue;
		}
		bool is_known = !strcmp(name, "predicted") && strobe_jsonl_peek(c) != 'n';
		if (!strobe_jsonl_plain(c, &v))
			continue;
		if (is_known) {
			b->predicted = v.is_true;
			b->mispredicted = !v.is_true;
		}
		b->cycles = !strcmp(name, "cycles") ? v.number : b->cycles;
		b->type = !strcmp(name, "type") ? v.text : b->type;
		b->in_tx = !strcmp(name, "in_tx") ? v.is_true : b->in_tx;
		b->abort = !strcmp(name, "abort") ? v.is_true : b->abort;
	}
}

static inline void strobe_jsonl_event(struct strobe_jsonl_cursor *c, struct strobe_jsonl_event *e)
{
	struct strobe_jsonl_value v;
	const char *name = NULL;
	bool is_first = true;
	memset(e, 0, sizeof(*e));
	if (!strobe_jsonl_open_by(c, '{'))
		return;
	while (strobe_jsonl_member(c, &is_first, &name)) {
		if (!strobe_jsonl_plain(c, &v))
			continue;
		e->name = !strcmp(name, "name") ? v.text : e->name;
		e->type = !strcmp(name, "type") ? v.number : e->type;
		e->config = !strcmp(name, "config") ? v.number : e->config;
	}
}

/* "callchain", "brstack" or "events"; false: another name. */
static inline bool strobe_jsonl_array(struct strobe_jsonl_cursor *c, const char *name)
{
	struct strobe_jsonl_record *r = c->record;
	uint32_t *nr = !strcmp(name, "callchain") ? &r->frames_nr : !strcmp(name, "brstack") ? &r->branches_nr :
		       !strcmp(name, "events") ? &r->events_nr : NULL;
	uint32_t most = *name == 'c' ? STROBE_JSONL_FRAMES_MAX : *name == 'b' ? STROBE_JSONL_BRANCHES_MAX : STROBE_JSONL_EVENTS_MAX;
	bool is_first = true;
	if (!nr)
		return false;
	*nr = 0;
	if (!strobe_jsonl_open_by(c, '['))
		return true;
	while (strobe_jsonl_item(c, &is_first)) {
		if (*nr == most) {
			r->lost++;
			strobe_jsonl_skip(c);
			continue;
		}
		if (nr == &r->frames_nr)
			strobe_jsonl_frame(c, &r->frames[(*nr)++]);
		else if (nr == &r->branches_nr)
			strobe_jsonl_branch(c, &r->branches[(*nr)++]);
		else
			strobe_jsonl_event(c, &r->events[(*nr)++]);
	}
	return true;
}

static inline bool strobe_jsonl_object(struct strobe_jsonl_cursor *c, const char *name)
{
	struct strobe_jsonl_record *r = c->record;
	struct strobe_jsonl_list *l = !strcmp(name, "fields") ? &r->fields : !strcmp(name, "iregs") ? &r->iregs :
				      !strcmp(name, "uregs") ? &r->uregs : !strcmp(name, "memory") ? &r->memory : NULL;
	if (l)
		strobe_jsonl_fields(c, l);
	return l != NULL;
}

static inline bool strobe_jsonl_text(struct strobe_jsonl_cursor *c, const char *name)
{
	struct strobe_jsonl_record *r = c->record;
	const struct {
		const char *name, **at;
	} rows[] = { { "record", &r->type }, { "format", &r->format }, { "arch", &r->arch }, { "event", &r->event }, { "comm", &r->comm },
		     { "trace", &r->trace }, { "cgroup", &r->cgroup } };
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(name, rows[i].name)) {
			struct strobe_jsonl_value v;
			if (strobe_jsonl_scalar(c, &v))
				*rows[i].at = v.text;
			return true;
		}
	return false;
}

static inline bool strobe_jsonl_count(struct strobe_jsonl_cursor *c, const char *name)
{
	struct strobe_jsonl_record *r = c->record;
	uint64_t pid = 0, tid = 0, cpu = 0;
	const struct {
		const char *name;
		uint64_t *at;
		uint32_t bit;
	} rows[] = { { "pid", &pid, STROBE_JSONL_PID }, { "tid", &tid, STROBE_JSONL_TID }, { "cpu", &cpu, STROBE_JSONL_CPU },
		     { "time", &r->time, STROBE_JSONL_TIME }, { "period", &r->period, STROBE_JSONL_PERIOD },
		     { "addr", &r->addr, STROBE_JSONL_ADDR }, { "weight", &r->weight, STROBE_JSONL_WEIGHT },
		     { "data_src", &r->data_src, STROBE_JSONL_DATA_SRC }, { "phys_addr", &r->phys_addr, STROBE_JSONL_PHYS_ADDR },
		     { "version", &r->version, 0 } };
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(name, rows[i].name)) {
			struct strobe_jsonl_value v;
			if (!strobe_jsonl_scalar(c, &v))
				return true;
			*rows[i].at = v.number;
			r->has |= rows[i].bit;
			r->pid = rows[i].at == &pid ? (int32_t)pid : r->pid;
			r->tid = rows[i].at == &tid ? (int32_t)tid : r->tid;
			r->cpu = rows[i].at == &cpu ? (uint32_t)cpu : r->cpu;
			return true;
		}
	return false;
}

/* The record without its arrays, which are large and whose numbers say how much of them counts. */
static inline void strobe_jsonl_reset(struct strobe_jsonl_record *r)
{
	r->type = r->format = r->arch = r->event = r->comm = r->trace = r->cgroup = NULL;
	r->version = r->time = r->period = r->addr = r->weight = r->data_src = r->phys_addr = 0;
	r->pid = r->tid = 0;
	r->cpu = r->has = r->frames_nr = r->branches_nr = r->events_nr = r->numbers_nr = r->lost = 0;
	r->fields.nr = r->iregs.nr = r->uregs.nr = r->memory.nr = r->others.nr = 0;
	memset(&r->leaf, 0, sizeof(r->leaf));
}

/* A line of n bytes, without its end; it is changed, and r points into it. NULL, or a constant that says what is wrong. */
static inline const char *strobe_jsonl_parse(char *line, size_t n, struct strobe_jsonl_record *r)
{
	struct strobe_jsonl_cursor c;
	const char *name = NULL;
	bool is_first = true;
	c.p = line;
	c.end = line + n;
	c.error = NULL;
	c.record = r;
	strobe_jsonl_reset(r);
	if (strobe_jsonl_open_by(&c, '{'))
		while (strobe_jsonl_member(&c, &is_first, &name))
			if (!strobe_jsonl_text(&c, name) && !strobe_jsonl_count(&c, name) &&
			    !strobe_jsonl_frame_member(&c, &r->leaf, name) && !strobe_jsonl_array(&c, name) &&
			    !strobe_jsonl_object(&c, name))
				strobe_jsonl_field(&c, &r->others, name);
	r->has |= r->leaf.has & STROBE_JSONL_IP;
	if (!c.error && strobe_jsonl_peek(&c))
		c.error = "more than one value in a line";
	if (!c.error && c.p != c.end)
		c.error = "NUL in a line";
	if (!c.error && !r->type)
		c.error = "member \"record\" is missing";
	return c.error;
}

/* ---- the stream ---- */

/* fd stays the caller's. */
static inline void strobe_jsonl_open(struct strobe_jsonl_reader *r, int fd)
{
	memset(r, 0, sizeof(*r));
	r->fd = fd;
}

static inline void strobe_jsonl_close(struct strobe_jsonl_reader *r)
{
	free(r->buffer);
	r->buffer = NULL;
	r->capacity = r->begin = r->end = 0;
	r->at_end = true;
}

static inline int strobe_jsonl_stop(struct strobe_jsonl_reader *r, const char *error)
{
	r->error = error;
	r->at_end = true;
	r->begin = r->end;
	return -1;
}

/* More bytes; false at the end and on errors. */
static inline bool strobe_jsonl_fill(struct strobe_jsonl_reader *r)
{
	if (r->begin) {
		memmove(r->buffer, r->buffer + r->begin, r->end - r->begin);
		r->end -= r->begin;
		r->begin = 0;
	}
	if (r->end == r->capacity) {
		size_t capacity = r->capacity ? 2 * r->capacity : 1u << 16;
		char *buffer = r->capacity < STROBE_JSONL_LINE_MAX ? (char *)realloc(r->buffer, capacity) : NULL;
		if (!buffer) {
			strobe_jsonl_stop(r, r->capacity < STROBE_JSONL_LINE_MAX ? "out of memory" : "the line is too long");
			return false;
		}
		r->buffer = buffer;
		r->capacity = capacity;
	}
	ssize_t n;
	do
		n = read(r->fd, r->buffer + r->end, r->capacity - r->end);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		strobe_jsonl_stop(r, "cannot read");
	r->at_end = n <= 0;
	r->end += n > 0 ? (size_t)n : 0;
	return n > 0;
}

/* 1: r->record is the next one, the header first; 0: the end; -1: r->error. */
static inline int strobe_jsonl_next(struct strobe_jsonl_reader *r)
{
	size_t searched = 0;
	char *end = NULL;
	if (r->error)
		return -1;
	r->line++;
	for (;;) {
		size_t n = r->end - r->begin;
		end = n > searched ? (char *)memchr(r->buffer + r->begin + searched, '\n', n - searched) : NULL;
		searched = n;
		if (end || r->at_end || !strobe_jsonl_fill(r))
			break;
	}
	if (r->error)
		return -1;
	if (!end)
		return r->begin < r->end ? strobe_jsonl_stop(r, "the last line is not whole") :
		       r->line == 1 ? strobe_jsonl_stop(r, "the stream is empty") : 0;
	char *line = r->buffer + r->begin;
	r->begin += (size_t)(end - line) + 1;
	const char *error = strobe_jsonl_parse(line, (size_t)(end - line), &r->record);
	if (error)
		return strobe_jsonl_stop(r, error);
	const struct strobe_jsonl_record *h = &r->record;
	if (r->line == 1 && (strcmp(h->type, "header") != 0 || !h->format || strcmp(h->format, "strobe-script") != 0))
		return strobe_jsonl_stop(r, "this is not the stream of strobe script --format jsonl");
	if (r->line == 1 && h->version != STROBE_JSONL_VERSION)
		return strobe_jsonl_stop(r, "the stream is of another version");
	return 1;
}

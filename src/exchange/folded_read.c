#include <string.h>

#include "base/text.h"
#include "exchange/exchange.h"
#include "exchange/foreign.h"

struct line {
	const char *stack;
	size_t stack_n;
	uint64_t value;
};

/* "a;b c 12": the value is the last word. False if that is not a number. */
static bool split(const char *p, size_t n, struct line *ret)
{
	while (n && (p[n - 1] == '\r' || p[n - 1] == ' '))
		n--;
	size_t digits = 0;
	while (digits < n && p[n - 1 - digits] >= '0' && p[n - 1 - digits] <= '9')
		digits++;
	/* a fraction, as some tools write it, is cut off */
	size_t number = digits;
	if (digits < n && p[n - 1 - digits] == '.') {
		size_t whole = digits + 1;
		while (whole < n && p[n - 1 - whole] >= '0' && p[n - 1 - whole] <= '9')
			whole++;
		if (whole > digits + 1)
			number = whole;
	}
	if (!number || number > 20 + digits || number >= n || p[n - 1 - number] != ' ')
		return false;
	*ret = (struct line){ .stack = p, .stack_n = n - number - 1 };
	for (const char *at = p + n - number; at < p + n && *at != '.'; at++)
		if (__builtin_mul_overflow(ret->value, 10, &ret->value) ||
		    __builtin_add_overflow(ret->value, (uint64_t)(*at - '0'), &ret->value))
			return false;
	return true;
}

static const char *line_end(const char *p, const char *end)
{
	const char *newline = memchr(p, '\n', (size_t)(end - p));
	return newline ? newline : end;
}

/* Recognized by the first line, or by most of the first lines: something else may precede them. */
#define PROBED_LINES 16

bool folded_probe(const uint8_t *p, size_t n)
{
	const char *at = (const char *)p, *end = at + n, *next;
	unsigned good = 0, bad = 0;
	for (; at < end && good + bad < PROBED_LINES; at = next + 1) {
		struct line line;
		next = line_end(at, end);
		if (next == at || *at == '#')
			continue;
		if (memchr(at, 0, (size_t)(next - at)))
			return false;
		*(split(at, (size_t)(next - at), &line) ? &good : &bad) += 1;
		if (good && !bad)
			return true;
	}
	return good > bad;
}

/* The marks of stackcollapse-perf.pl give the kind of a frame. */
static frame_id make_frame(struct profile *p, const char *s, size_t n)
{
	struct profile_frame f = { .mapping = PROFILE_NONE, .function = PROFILE_NONE, .space = SPACE_USER };
	if (n > 4 && !memcmp(s + n - 4, "_[k]", 4)) {
		str_id kernel = strtab_add(&p->strings, "[kernel]");
		f.mapping = profile_mapping(p, &(struct profile_mapping){ .name = kernel, .path = kernel, .space = SPACE_KERNEL });
		f.space = SPACE_KERNEL;
		n -= 4;
	} else if (n > 4 && !memcmp(s + n - 4, "_[i]", 4)) {
		f.flags = FRAME_INLINED;
		n -= 4;
	} else if (n > 4 && !memcmp(s + n - 4, "_[j]", 4)) {
		/* a perf map without a process, since only "JIT code" is known */
		str_id jit = strtab_add(&p->strings, "[jit]"), map = strtab_add(&p->strings, "/tmp/perf-0.map");
		f.mapping = profile_mapping(p, &(struct profile_mapping){ .name = jit, .path = map, .space = SPACE_USER });
		n -= 4;
	}
	str_id name = strtab_add_n(&p->strings, s, n);
	f.function = profile_function(p, &(struct profile_function){ .mapping = f.mapping, .name = name, .system_name = name });
	return profile_frame(p, &f);
}

static stack_id make_stack(struct profile *p, const char *s, size_t n)
{
	stack_id at = PROFILE_NONE;
	for (const char *end = s + n; s < end;) {
		const char *semicolon = memchr(s, ';', (size_t)(end - s));
		const char *name_end = semicolon ? semicolon : end;
		if (name_end > s)
			at = profile_stack(p, at, make_frame(p, s, (size_t)(name_end - s)));
		s = name_end + 1;
	}
	return at;
}

/* Both values of a line; one if two are not needed or not present. */
static unsigned split_columns(const char *p, size_t n, unsigned most, struct line *ret, uint64_t *ret_before)
{
	struct line before;
	if (!split(p, n, ret))
		return 0;
	if (most < 2 || !split(ret->stack, ret->stack_n, &before))
		return 1;
	*ret_before = before.value;
	ret->stack_n = before.stack_n;
	return 2;
}

struct reading {
	struct profile *p;
	struct folded_form form;
	uint32_t before, event;             /* of the first value of two, and of the only one */
	uint64_t lines, one, two;           /* of all, by how many values they have */
	uint64_t first_bad;                 /* its number; 0: none */
};

static void add_line(struct reading *r, const char *at, size_t n)
{
	struct line line;
	uint64_t old = 0;
	unsigned columns = split_columns(at, n, r->form.two_values ? 2 : 1, &line, &old);
	if (!columns) {
		r->first_bad = r->first_bad ? r->first_bad : r->lines;
		r->p->origin.skipped++;
		return;
	}
	*(columns == 2 ? &r->two : &r->one) += 1;
	stack_id stack = make_stack(r->p, line.stack, line.stack_n);
	labels_id labels = profile_labels(r->p, &r->lines);
	if (columns == 2)
		profile_add(r->p, stack, labels, r->before, old, old, 0);
	profile_add(r->p, stack, labels, r->event, line.value, line.value, 0);
}

static struct strobe_error *check_lines(const struct reading *r)
{
	if (r->first_bad && !r->one && !r->two)
		return error_create(ERROR_FORMAT, "line %llu does not end in a blank and a number", (unsigned long long)r->first_bad);
	if (r->form.two_values && r->one)
		return error_create(ERROR_FORMAT, "%s of its lines end in two numbers, as a comparison requires",
				    r->two ? "not all" : "none");
	return NULL;
}

struct strobe_error *folded_read_as(const uint8_t *bytes, size_t n, struct folded_form form, struct profile **ret)
{
	struct profile *p = profile_create();
	struct reading r = { .p = p, .form = form };
	p->origin.events_are_values = p->origin.names_are_short = true;
	r.before = form.two_values ? profile_event(p, FOLDED_BASE_EVENT, "count") : 0;
	r.event = profile_event(p, "samples", "count");
	if (form.keep_order)
		profile_column(p, "line", COLUMN_U64);
	const char *at = (const char *)bytes, *end = at + n, *next;
	for (; at < end; at = next + 1) {
		next = line_end(at, end);
		r.lines++;
		if (next != at && *at != '#')
			add_line(&r, at, (size_t)(next - at));
	}
	struct strobe_error *err = check_lines(&r);
	return foreign_finish(p, err, ret);
}

struct strobe_error *folded_read(const uint8_t *bytes, size_t n, struct profile **ret)
{
	return folded_read_as(bytes, n, (struct folded_form){ 0 }, ret);
}

bool folded_has_two_values(const uint8_t *bytes, size_t n)
{
	const char *at = (const char *)bytes, *end = at + n, *next;
	for (; at < end; at = next + 1) {
		struct line line;
		uint64_t before;
		next = line_end(at, end);
		if (next != at && *at != '#')
			return split_columns(at, (size_t)(next - at), 2, &line, &before) == 2;
	}
	return false;
}

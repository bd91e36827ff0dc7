/*
 * Callgrind's output: the cost of each line of each function, and the inclusive cost of its calls.
 *
 * Calls are known from one function to the next, not as stacks. A function's cost is divided among its callers in proportion to what
 * their calls of it cost, from the outermost functions down. A path with too small a part of the total, or one that returns to a
 * function on it, is not followed: the rest of that function's cost gets a stack with only this function, so that the cost of each
 * function is exact. Source: "Callgrind Format Specification" in Valgrind's manual.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "base/u64map.h"
#include "exchange/foreign.h"
#include "exchange/readers/readers.h"

#define EVENTS_MAX 64
#define DEPTH_MAX  256
#define PARTS      20000 /* a path with a smaller part of all is not followed */

/* Files, objects and functions have numbers of their own. */
enum names { FILES, OBJECTS, FUNCTIONS, NAMES };

struct position {
	str_id object, file;
};

struct function {
	struct position at;
	str_id name;
	uint32_t lines, calls; /* the first of each list; PROFILE_NONE: none */
	double self, with_calls, called; /* of the current event: own cost; inclusive cost; cost in its callers' calls */
	double given;          /* part of its own cost that has been given to stacks */
	bool is_on_path;
};

/* Costs of one line of a function; linked to the next line of the same function. */
struct line {
	uint32_t number, next, costs; /* costs: index in all */
};
struct call {
	uint32_t to, next, costs;
};

struct reader {
	struct profile *p;
	const char *at, *end;
	uint64_t row;                    /* of the text */
	unsigned positions, line_at;     /* columns before the costs, and the index of the line's */
	unsigned events_nr;
	uint32_t events[EVENTS_MAX];     /* in the profile */
	struct u64map numbers[NAMES];    /* (5) → text */
	struct u64map by_name;           /* hash of place and name → index + 1 */
	VEC(struct function) functions;
	VEC(struct line) lines;
	VEC(struct call) calls;
	VEC(uint64_t) costs;             /* events_nr for each line and call */
	struct position here, callee;
	str_id file_of_line;             /* differs from the function's for inlined code */
	uint32_t function, called_function; /* PROFILE_NONE: not named yet */
	bool is_call;                    /* the next costs are of a call */
	uint64_t position[2];
	unsigned event;                  /* the current one */
	double total;
};

static struct strobe_error *damaged(const struct reader *r, const char *what)
{
	return error_create(ERROR_FORMAT, "line %llu: %s", (unsigned long long)r->row, what);
}

/* ---- names ---- */

/* "(5) name", later "(5)"; or "name" alone. */
static struct strobe_error *read_name(struct reader *r, enum names kind, const char *text, size_t n, str_id *ret)
{
	char *end;
	if (!n || *text != '(') {
		*ret = strtab_add_n(&r->p->strings, text, n);
		return NULL;
	}
	uint64_t number = strtoull(text + 1, &end, 10);
	if (end >= text + n || *end != ')')
		return damaged(r, "a number in brackets is not closed");
	for (end++; end < text + n && *end == ' '; end++)
		;
	bool is_new;
	uint64_t *known = u64map_put(&r->numbers[kind], number, &is_new);
	if (end < text + n)
		*known = strtab_add_n(&r->p->strings, end, (size_t)(text + n - end));
	else if (is_new)
		return damaged(r, "a number in brackets has no name yet");
	*ret = (str_id)*known;
	return NULL;
}

static uint32_t find_function(struct reader *r, struct position at, str_id name)
{
	/* Functions with the same name, object and file are one. Ids are below 2^32: three are mixed into one key. */
	uint64_t key = ((uint64_t)at.object << 42) ^ ((uint64_t)at.file << 21) ^ name;
	for (;; key += 0x9e3779b97f4a7c15ull) {
		bool is_new;
		uint64_t *index = u64map_put(&r->by_name, key, &is_new);
		if (is_new) {
			*index = r->functions.len;
			vec_push(&r->functions, ((struct function){ .at = at, .name = name, .lines = PROFILE_NONE,
								    .calls = PROFILE_NONE }));
			return (uint32_t)*index;
		}
		const struct function *f = &r->functions.data[*index];
		if (f->name == name && f->at.object == at.object && f->at.file == at.file)
			return (uint32_t)*index;
	}
}

/* ---- lines ---- */

/* A number, "+3" or "-3" from the one before, or "*" for the same. */
static bool take_position(struct reader *r, const char **at, unsigned i)
{
	char *end;
	while (**at == ' ' || **at == '\t')
		(*at)++;
	char sign = **at;
	if (sign == '*') {
		(*at)++;
		return true;
	}
	if (!(sign >= '0' && sign <= '9') && sign != '+' && sign != '-')
		return false;
	uint64_t value = strtoull(*at + (sign == '+' || sign == '-'), &end, 0);
	if (end == *at + (sign == '+' || sign == '-'))
		return false;
	r->position[i] = sign == '+' ? r->position[i] + value : sign == '-' ? r->position[i] - value : value;
	*at = end;
	return true;
}

/* Costs that a line omits are 0. */
static uint32_t take_costs(struct reader *r, const char *at)
{
	uint32_t first = (uint32_t)r->costs.len;
	for (unsigned i = 0; i < r->events_nr; i++) {
		char *end;
		uint64_t cost = strtoull(at, &end, 10);
		vec_push(&r->costs, end == at ? 0 : cost);
		at = end;
	}
	return first;
}

static struct strobe_error *read_costs(struct reader *r, const char *at)
{
	for (unsigned i = 0; i < r->positions; i++)
		if (!take_position(r, &at, i))
			return damaged(r, "expected a position");
	if (r->function == PROFILE_NONE)
		return damaged(r, "costs of no function");
	uint32_t costs = take_costs(r, at);
	struct function *f = &r->functions.data[r->function];
	if (r->is_call) {
		vec_push(&r->calls, ((struct call){ .to = r->called_function, .next = f->calls, .costs = costs }));
		f->calls = (uint32_t)r->calls.len - 1;
	} else {
		uint64_t number = r->line_at < r->positions && r->file_of_line == r->here.file ? r->position[r->line_at] : 0;
		vec_push(&r->lines, ((struct line){ .number = (uint32_t)number, .next = f->lines, .costs = costs }));
		f->lines = (uint32_t)r->lines.len - 1;
	}
	r->is_call = false;
	return NULL;
}

static struct strobe_error *set_function(struct reader *r, const char *text, size_t n)
{
	str_id name;
	TRY(read_name(r, FUNCTIONS, text, n, &name));
	r->function = find_function(r, r->here, name);
	r->file_of_line = r->here.file;
	r->callee = r->here;
	return NULL;
}

static struct strobe_error *set_called(struct reader *r, const char *text, size_t n)
{
	str_id name;
	TRY(read_name(r, FUNCTIONS, text, n, &name));
	r->called_function = find_function(r, r->callee, name);
	r->callee = r->here;
	return NULL;
}

static struct strobe_error *set_call(struct reader *r)
{
	if (r->called_function == PROFILE_NONE)
		return damaged(r, "a call of no function");
	r->is_call = true;
	return NULL;
}

static struct strobe_error *set_file(struct reader *r, const char *text, size_t n)
{
	TRY(read_name(r, FILES, text, n, &r->here.file));
	r->file_of_line = r->callee.file = r->here.file;
	return NULL;
}

static struct strobe_error *set_object(struct reader *r, const char *text, size_t n)
{
	TRY(read_name(r, OBJECTS, text, n, &r->here.object));
	r->callee.object = r->here.object;
	return NULL;
}

static bool starts(const char *line, const char *word)
{
	return !strncmp(line, word, strlen(word));
}

static struct strobe_error *read_assignment(struct reader *r, const char *line, size_t n)
{
	const char *value = strchr(line, '=') + 1;
	size_t rest = n - (size_t)(value - line);
	if (starts(line, "fn="))
		return set_function(r, value, rest);
	if (starts(line, "cfn="))
		return set_called(r, value, rest);
	if (starts(line, "calls="))
		return set_call(r);
	if (starts(line, "fl="))
		return set_file(r, value, rest);
	if (starts(line, "fi=") || starts(line, "fe="))
		return read_name(r, FILES, value, rest, &r->file_of_line);
	if (starts(line, "cfi=") || starts(line, "cfl="))
		return read_name(r, FILES, value, rest, &r->callee.file);
	if (starts(line, "ob="))
		return set_object(r, value, rest);
	if (starts(line, "cob="))
		return read_name(r, OBJECTS, value, rest, &r->callee.object);
	return NULL; /* jumps: how often they were taken */
}

static struct strobe_error *read_events(struct reader *r, const char *words)
{
	if (r->events_nr)
		return NULL; /* in a further part, with the same content */
	while (*words) {
		size_t n = strcspn(words, " \t");
		if (n && r->events_nr == EVENTS_MAX)
			return damaged(r, "too many events");
		_cleanup_free_ char *name = xstrndup(words, n);
		if (n)
			r->events[r->events_nr++] = profile_event(r->p, name, "count");
		words += n + strspn(words + n, " \t");
	}
	return NULL;
}

static struct strobe_error *read_header(struct reader *r, const char *line)
{
	if (starts(line, "events:"))
		return read_events(r, line + 7 + strspn(line + 7, " "));
	if (!starts(line, "positions:"))
		return NULL;
	bool has_address = strstr(line, "instr"), has_line = strstr(line, "line");
	r->positions = (unsigned)has_address + has_line;
	r->line_at = has_line ? has_address : 2;
	return r->positions ? NULL : damaged(r, "unknown positions");
}

static struct strobe_error *read_line(struct reader *r, const char *line, size_t n)
{
	const char *first = line + strspn(line, " \t");
	if (!*first || *first == '#')
		return NULL;
	if ((*first >= '0' && *first <= '9') || *first == '+' || *first == '-' || *first == '*')
		return r->events_nr ? read_costs(r, first) : damaged(r, "costs before \"events:\"");
	if (strchr(first, '=') && strcspn(first, "=") < strcspn(first, ": "))
		return read_assignment(r, first, n - (size_t)(first - line));
	return read_header(r, first);
}

static struct strobe_error *read_text(struct reader *r)
{
	struct strobe_error *err = NULL;
	while (r->at < r->end && !err) {
		const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
		size_t n = newline ? (size_t)(newline - r->at) : (size_t)(r->end - r->at);
		while (n && r->at[n - 1] == '\r')
			n--;
		char *line = xstrndup(r->at, n);
		r->row++;
		err = read_line(r, line, strlen(line));
		free(line);
		r->at = newline ? newline + 1 : r->end;
	}
	return err;
}

/* ---- stacks ---- */

/* Sums the costs of the current event. */
static void sum_up(struct reader *r)
{
	r->total = 0;
	for (size_t i = 0; i < r->functions.len; i++)
		r->functions.data[i].self = r->functions.data[i].called = r->functions.data[i].given = 0;
	for (size_t i = 0; i < r->functions.len; i++) {
		struct function *f = &r->functions.data[i];
		for (uint32_t l = f->lines; l != PROFILE_NONE; l = r->lines.data[l].next)
			f->self += (double)r->costs.data[r->lines.data[l].costs + r->event];
		f->with_calls = f->self;
		for (uint32_t c = f->calls; c != PROFILE_NONE; c = r->calls.data[c].next) {
			double cost = (double)r->costs.data[r->calls.data[c].costs + r->event];
			if (r->calls.data[c].to == i)
				continue; /* recursion: its own cost again */
			f->with_calls += cost;
			r->functions.data[r->calls.data[c].to].called += cost;
		}
		r->total += f->self;
	}
	double outermost = 0;
	for (size_t i = 0; i < r->functions.len; i++)
		outermost += r->functions.data[i].with_calls > r->functions.data[i].called ?
			r->functions.data[i].with_calls - r->functions.data[i].called : 0;
	/* In inconsistent files the outermost functions may have more: paths are limited by the costs that they begin with. */
	r->total = outermost > r->total ? outermost : r->total;
}

static stack_id add_frame(struct reader *r, stack_id caller, const struct function *f, uint32_t line)
{
	struct profile *p = r->p;
	const struct foreign_frame frame = {
		.name = profile_str(p, f->name),
		.file = strcmp(profile_str(p, f->at.file), "???") ? profile_str(p, f->at.file) : "",
		.module = strcmp(profile_str(p, f->at.object), "???") ? profile_str(p, f->at.object) : "",
		.line = line,
	};
	return profile_stack(p, caller, foreign_to_frame(p, &frame));
}

/* A share of a function's own cost, to its lines below a caller: the remainder of rounding is carried to the next line. */
static void give(struct reader *r, stack_id caller, struct function *f, double share)
{
	double due = 0, most = f->self - f->given;
	uint64_t given = 0;
	for (uint32_t l = f->lines; l != PROFILE_NONE; l = r->lines.data[l].next) {
		due += (double)r->costs.data[r->lines.data[l].costs + r->event] * share;
		uint64_t until = (uint64_t)((due < most ? due : most) + 0.5);
		if (until <= given)
			continue;
		stack_id stack = add_frame(r, caller, f, r->lines.data[l].number);
		profile_add(r->p, stack, PROFILE_NONE, r->events[r->event], until - given, until - given, 0);
		given = until;
	}
	f->given += (double)given;
}

/* amount: of the function's cost with calls, for this path. */
static void follow(struct reader *r, stack_id caller, uint32_t index, double amount, unsigned depth)
{
	struct function *f = &r->functions.data[index];
	double share = f->with_calls > 0 ? amount / f->with_calls : 0;
	share = share < 1 ? share : 1;
	f->is_on_path = true;
	give(r, caller, f, share);
	stack_id here = f->calls == PROFILE_NONE ? PROFILE_NONE : add_frame(r, caller, f, 0);
	for (uint32_t c = f->calls; c != PROFILE_NONE; c = r->calls.data[c].next) {
		const struct call *call = &r->calls.data[c];
		double part = (double)r->costs.data[call->costs + r->event] * share;
		if (!r->functions.data[call->to].is_on_path && part >= r->total / PARTS && depth < DEPTH_MAX)
			follow(r, here, call->to, part, depth + 1);
	}
	f->is_on_path = false;
}

static void make_stacks(struct reader *r)
{
	sum_up(r);
	for (uint32_t i = 0; i < r->functions.len; i++) {
		const struct function *f = &r->functions.data[i];
		double outermost = f->with_calls - f->called;
		if (outermost > 0 && outermost >= r->total / PARTS)
			follow(r, PROFILE_NONE, i, outermost, 0);
	}
	for (uint32_t i = 0; i < r->functions.len; i++) {
		struct function *f = &r->functions.data[i];
		if (f->self > f->given)
			give(r, PROFILE_NONE, f, (f->self - f->given) / f->self);
	}
}

struct strobe_error *callgrind_read(const uint8_t *p, size_t n, struct profile **ret)
{
	struct reader r = {
		.p = profile_create(),
		.at = (const char *)p,
		.end = (const char *)p + n,
		.positions = 1,
		.function = PROFILE_NONE,
		.called_function = PROFILE_NONE,
	};
	r.p->origin.events_are_values = true;
	struct strobe_error *err = read_text(&r);
	if (!err && !r.lines.len)
		err = error_create(ERROR_FORMAT, "it has no costs in the format of callgrind");
	for (r.event = 0; !err && r.event < r.events_nr; r.event++)
		make_stacks(&r);
	for (unsigned i = 0; i < NAMES; i++)
		u64map_deinit(&r.numbers[i]);
	u64map_deinit(&r.by_name);
	vec_deinit(&r.functions);
	vec_deinit(&r.lines);
	vec_deinit(&r.calls);
	vec_deinit(&r.costs);
	return foreign_finish(r.p, err, ret);
}

bool callgrind_probe(const uint8_t *p, size_t n)
{
	size_t head = n > 4096 ? 4096 : n;
	return n > 16 && (!memcmp(p, "# callgrind format", 16) || (memmem(p, head, "\nevents:", 8) && memmem(p, head, "\nfn=", 4)) ||
			  (memmem(p, head, "creator: callgrind", 18) && memmem(p, head, "\nevents:", 8)));
}

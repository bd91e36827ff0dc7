/*
 * Lines of system calls, as strace and perf trace print them: a row is a call of a process, its value the time spent in it.
 *
 * The prefix of a call (process, time, counters) depends on options and is parsed from right to left. The name of a process
 * is that of its last execve(2), or its parent's. Source: strace(1), perf-trace(1).
 */
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "base/u64map.h"
#include "exchange/foreign.h"
#include "exchange/piece.h"
#include "exchange/readers/readers.h"

#define PROBED_LINES 64
#define NS_PER_S     1e9
#define NS_PER_MS    1e6

struct call {
	struct piece name, args, result; /* result: after "= "; n 0: none */
	struct piece comm;               /* perf trace's; n 0: none */
	uint64_t tid;                    /* 0: unknown */
	uint64_t ns;
	bool has_time;
	bool is_begun;                   /* it continues in a later line, and is counted there */
};

struct reader {
	struct profile *p;
	uint32_t event;
	struct u64map comms;             /* by process: str_id */
	uint64_t first_comm;             /* of the process without a number */
	VEC(frame_id) frames;            /* of the stack after a call, innermost first */
	struct call call;                /* the last one, until its stack has been read */
	bool has_call;
	uint64_t calls;
};

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static bool starts(struct piece s, const char *word)
{
	size_t n = strlen(word);
	return s.n >= n && !memcmp(s.p, word, n);
}

/* "0.000123" in units of unit_ns; false: not a number. */
static bool to_ns(struct piece s, double unit_ns, uint64_t *ret)
{
	char text[32], *end;
	s = piece_trim(s);
	if (!s.n || s.n >= sizeof(text) || *s.p < '0' || *s.p > '9')
		return false;
	memcpy(text, s.p, s.n);
	text[s.n] = 0;
	double value = strtod(text, &end);
	if (*end || !(value >= 0 && value < 1e9))
		return false;
	*ret = (uint64_t)(value * unit_ns + 0.5);
	return true;
}

static uint64_t to_number(struct piece s)
{
	uint64_t n = 0;
	for (size_t i = 0; i < s.n && i < 10 && s.p[i] >= '0' && s.p[i] <= '9'; i++)
		n = n * 10 + (uint64_t)(s.p[i] - '0');
	return n;
}

/* "name(…": at the first bracket that follows a name. */
static bool find_name(struct piece line, struct call *ret, size_t *ret_open)
{
	for (size_t i = 1; i < line.n; i++) {
		size_t begin = i;
		if (line.p[i] != '(')
			continue;
		while (begin && is_name_char(line.p[begin - 1]))
			begin--;
		if (begin == i || (line.p[begin] >= '0' && line.p[begin] <= '9') || (begin && !strchr(" >]", line.p[begin - 1])))
			continue;
		ret->name = (struct piece){ line.p + begin, i - begin };
		*ret_open = i;
		return true;
	}
	return false;
}

/* ") = 3": the last such bracket, since string arguments may contain the same text. */
static void find_result(struct piece line, size_t open, struct call *ret)
{
	ret->args = (struct piece){ line.p + open + 1, line.n - open - 1 };
	for (size_t i = line.n; i-- > open;) {
		if (line.p[i] != ')')
			continue;
		struct piece rest = piece_trim((struct piece){ line.p + i + 1, line.n - i - 1 });
		if (!rest.n || *rest.p != '=')
			continue;
		ret->args.n = i - open - 1;
		ret->result = piece_trim((struct piece){ rest.p + 1, rest.n - 1 });
		return;
	}
}

/* ---- strace ---- */

/* "[pid  123] " or "123 " or "123<comm> " at the start of the line. */
static uint64_t take_pid(struct piece line)
{
	struct piece s = piece_trim(line);
	if (starts(s, "[pid "))
		return to_number(piece_trim((struct piece){ s.p + 5, s.n - 5 }));
	size_t n = 0;
	while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9')
		n++;
	return n && n < s.n && (s.p[n] == ' ' || s.p[n] == '<') ? to_number(s) : 0;
}

/* Removes "<0.000123>" from the end. */
static void take_duration(struct piece *line, struct call *ret)
{
	const char *open = line->n && line->p[line->n - 1] == '>' ? memrchr(line->p, '<', line->n) : NULL;
	if (!open || !to_ns((struct piece){ open + 1, line->n - (size_t)(open - line->p) - 2 }, NS_PER_S, &ret->ns))
		return;
	ret->has_time = true;
	*line = piece_trim((struct piece){ line->p, (size_t)(open - line->p) });
}

/* "<... read resumed>" continues a call of an earlier line. */
static bool find_resumed(struct piece line, struct call *ret, size_t *ret_open)
{
	static const char begin[] = "<... ", end[] = " resumed>";
	const char *at = memmem(line.p, line.n, begin, sizeof(begin) - 1);
	if (!at)
		return false;
	const char *name = at + sizeof(begin) - 1, *stop = memmem(name, line.n - (size_t)(name - line.p), end, sizeof(end) - 1);
	if (!stop)
		return false;
	ret->name = (struct piece){ name, (size_t)(stop - name) };
	*ret_open = (size_t)(stop - line.p) + sizeof(end) - 2;
	return true;
}

static bool parse_strace(struct piece line, struct call *ret)
{
	size_t open;
	*ret = (struct call){ .tid = take_pid(line) };
	line = piece_trim(line);
	ret->is_begun = piece_ends(line, "<unfinished ...>");
	if (!ret->is_begun)
		take_duration(&line, ret);
	if (!find_resumed(line, ret, &open) && !find_name(line, ret, &open))
		return false;
	find_result(line, open, ret);
	return ret->is_begun || ret->result.n;
}

/* " > /usr/lib/libc.so.6(write+0x17) [0x10d3f7]" of strace -k. */
static bool add_frame(struct reader *r, struct piece line)
{
	line = piece_trim(line);
	if (!starts(line, "> ") || line.n < 3)
		return false;
	line = piece_trim((struct piece){ line.p + 2, line.n - 2 });
	const char *bracket = memrchr(line.p, '[', line.n);
	const char *open = bracket ? memrchr(line.p, '(', (size_t)(bracket - line.p)) : NULL;
	if (!open)
		return true; /* a message that the stack could not be unwound */
	_cleanup_strbuf_ struct strbuf module = {}, name = {};
	size_t symbol_n = strcspn(open + 1, "+)");
	strbuf_add(&module, line.p, (size_t)(open - line.p));
	strbuf_add(&name, open + 1, symbol_n);
	struct foreign_frame f = { .name = strbuf_str(&name), .file = "", .module = strbuf_str(&module) };
	if (!text_hex(bracket + 3, line.n - (size_t)(bracket + 3 - line.p), &f.address))
		f.address = 0;
	vec_push(&r->frames, foreign_to_frame(r->p, &f));
	return true;
}

/* ---- perf trace ---- */

/* "   0.055 ( 0.016 ms): ls/3997 openat(dfd: CWD, …) = 3"; without a time in brackets the line is the first or second part of a call. */
static bool parse_perf_trace(struct piece line, struct call *ret)
{
	uint64_t begin_ns;
	size_t open;
	*ret = (struct call){};
	const char *bracket = memchr(line.p, '(', line.n), *close = memmem(line.p, line.n, "):", 2);
	if (!bracket || !close || close < bracket)
		return false;
	struct piece when = piece_trim((struct piece){ line.p, (size_t)(bracket - line.p) });
	struct piece lasted = piece_trim((struct piece){ bracket + 1, (size_t)(close - bracket) - 1 });
	if (!(when.n == 1 && *when.p == '?') && !to_ns(when, NS_PER_MS, &begin_ns))
		return false;
	if (piece_ends(lasted, " ms"))
		ret->has_time = to_ns((struct piece){ lasted.p, lasted.n - 3 }, NS_PER_MS, &ret->ns);
	else if (lasted.n)
		return false;
	line = piece_trim((struct piece){ close + 2, line.n - (size_t)(close + 2 - line.p) });
	if (!find_name(line, ret, &open))
		return false;
	struct piece task = piece_trim((struct piece){ line.p, (size_t)(ret->name.p - line.p) });
	const char *slash = task.n ? memrchr(task.p, '/', task.n) : NULL;
	if (slash) {
		ret->comm = (struct piece){ task.p, (size_t)(slash - task.p) };
		ret->tid = to_number((struct piece){ slash + 1, task.n - (size_t)(slash + 1 - task.p) });
	}
	ret->is_begun = piece_ends(line, "...");
	find_result(line, open, ret);
	return ret->is_begun || ret->result.n;
}

/* ---- both ---- */

/* A str_id, 0: unknown; valid until the next call. */
static uint64_t *comm_of(struct reader *r, uint64_t tid)
{
	return tid ? u64map_put(&r->comms, tid, NULL) : &r->first_comm;
}

/* Names of processes change with a successful execve(2) and with a new process. */
static void note_names(struct reader *r, const struct call *c)
{
	struct piece path = piece_trim(c->args);
	bool is_exec = starts(c->name, "exec"), failed = starts(c->result, "-");
	if (failed)
		return;
	if (is_exec && path.n > 1 && *path.p == '"') {
		size_t n = 1;
		while (n < path.n && path.p[n] != '"')
			n++;
		const char *slash = memrchr(path.p, '/', n), *begin = slash ? slash + 1 : path.p + 1;
		*comm_of(r, c->tid) = strtab_add_n(&r->p->strings, begin, (size_t)(path.p + n - begin));
	} else if (starts(c->name, "clone") || starts(c->name, "fork") || starts(c->name, "vfork")) {
		uint64_t parent = *comm_of(r, c->tid);
		uint64_t child = to_number(c->result);
		if (child && !*comm_of(r, child))
			*comm_of(r, child) = parent;
	}
}

static frame_id call_frame(struct reader *r, struct piece name)
{
	str_id text = strtab_add_n(&r->p->strings, name.p, name.n);
	struct profile_function fn = { .mapping = PROFILE_NONE, .name = text, .system_name = text };
	struct profile_frame frame = { .mapping = PROFILE_NONE, .function = profile_function(r->p, &fn), .space = SPACE_KERNEL };
	return profile_frame(r->p, &frame);
}

/* Adds the current call, once its stack is complete. */
static void finish_call(struct reader *r)
{
	const struct call *c = &r->call;
	if (!r->has_call)
		return;
	r->has_call = false;
	stack_id stack = PROFILE_NONE;
	while (r->frames.len)
		stack = profile_stack(r->p, stack, r->frames.data[--r->frames.len]);
	stack = profile_stack(r->p, stack, call_frame(r, c->name));
	str_id comm = c->comm.n ? strtab_add_n(&r->p->strings, c->comm.p, c->comm.n) : (str_id)*comm_of(r, c->tid);
	labels_id labels = foreign_thread_labels(r->p, profile_str(r->p, comm), c->tid, c->tid);
	profile_add(r->p, stack, labels, r->event, 1, c->ns, 0);
	r->calls++;
}

typedef bool (*parse_fn)(struct piece line, struct call *ret);

static void read_line(struct reader *r, struct piece line, parse_fn parse)
{
	struct call c;
	if (add_frame(r, line))
		return;
	finish_call(r);
	vec_clear(&r->frames);
	if (!piece_trim(line).n || !parse(line, &c))
		return;
	note_names(r, &c);
	r->has_call = !c.is_begun;
	r->call = c;
}

static struct strobe_error *read_lines(const uint8_t *p, size_t n, parse_fn parse, struct profile **ret)
{
	struct reader r = { .p = profile_create() };
	struct piece text = { (const char *)p, n };
	r.p->origin.events_are_values = true;
	foreign_declare_threads(r.p);
	r.event = profile_event(r.p, "syscalls", "nanoseconds");
	while (text.n)
		read_line(&r, piece_take_line(&text), parse);
	finish_call(&r);
	struct strobe_error *err = NULL;
	if (!r.calls)
		err = error_create(ERROR_FORMAT, "it has no lines of system calls");
	u64map_deinit(&r.comms);
	vec_deinit(&r.frames);
	return foreign_finish(r.p, err, ret);
}

/* Other lines may precede calls: the first calls decide. */
static bool probe(const uint8_t *p, size_t n, parse_fn parse)
{
	struct piece text = { (const char *)p, n };
	for (unsigned i = 0; i < PROBED_LINES && text.n; i++) {
		struct piece line = piece_take_line(&text);
		struct call c;
		if (memchr(line.p, 0, line.n))
			return false;
		if (parse(line, &c) && (c.result.n || c.is_begun))
			return true;
	}
	return false;
}

bool strace_probe(const uint8_t *p, size_t n)
{
	return probe(p, n, parse_strace);
}

struct strobe_error *strace_read(const uint8_t *p, size_t n, struct profile **ret)
{
	return read_lines(p, n, parse_strace, ret);
}

bool perf_trace_probe(const uint8_t *p, size_t n)
{
	return probe(p, n, parse_perf_trace);
}

struct strobe_error *perf_trace_read(const uint8_t *p, size_t n, struct profile **ret)
{
	return read_lines(p, n, parse_perf_trace, ret);
}

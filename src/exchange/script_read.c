/*
 * The text of `perf script` as a profile: a head for each sample, then its frames on the following lines up to an empty line, or its
 * only place after the head. Fields may be absent (-F). Source: perf-script(1) and its output.
 */
#include <string.h>

#include "base/text.h"
#include "exchange/exchange.h"
#include "exchange/foreign.h"
#include "exchange/piece.h"

/* The log of samples is kept up to this many; rows count all of them. */
#define LOG_MAX 4000000

struct head {
	struct piece comm, event; /* event.n 0: none */
	uint32_t pid, tid, cpu;   /* pid UINT32_MAX: only the thread's ID is given */
	uint64_t time_ns, period; /* period 0: none */
	struct piece rest;        /* after the event: a tracepoint's fields, or the place of a sample without a stack */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits at the front; saturated. Returns how many. */
static size_t take_number(struct piece *s, uint64_t *ret)
{
	size_t n = 0;
	*ret = 0;
	for (; n < s->n && is_digit(s->p[n]); n++)
		if (__builtin_mul_overflow(*ret, 10, ret) || __builtin_add_overflow(*ret, (uint64_t)(s->p[n] - '0'), ret))
			*ret = UINT64_MAX;
	s->p += n;
	s->n -= n;
	return n;
}

/* " 123/456 " or " 456 ", after the name. */
static bool take_ids(struct piece s, struct head *h, struct piece *ret_rest)
{
	uint64_t first, second;
	size_t blanks = 0;
	while (blanks < s.n && piece_is_blank(s.p[blanks]))
		blanks++;
	s.p += blanks;
	s.n -= blanks;
	if (!blanks || !take_number(&s, &first))
		return false;
	h->pid = UINT32_MAX;
	h->tid = (uint32_t)first;
	if (s.n && *s.p == '/') {
		s.p++, s.n--;
		if (!take_number(&s, &second))
			return false;
		h->pid = (uint32_t)first;
		h->tid = (uint32_t)second;
	}
	if (!s.n || !piece_is_blank(*s.p))
		return false;
	*ret_rest = piece_trim(s);
	return true;
}

static void take_cpu(struct piece *s, struct head *h)
{
	struct piece at = *s;
	uint64_t cpu;
	h->cpu = UINT32_MAX;
	if (!at.n || *at.p != '[')
		return;
	at.p++, at.n--;
	if (!take_number(&at, &cpu) || !at.n || *at.p != ']')
		return;
	at.p++, at.n--;
	h->cpu = (uint32_t)cpu;
	*s = piece_trim(at);
}

/* "1410597.984841:" */
static void take_time(struct piece *s, struct head *h)
{
	struct piece at = *s;
	uint64_t seconds, fraction;
	h->time_ns = 0;
	if (!take_number(&at, &seconds) || !at.n || *at.p != '.')
		return;
	at.p++, at.n--;
	size_t digits = take_number(&at, &fraction);
	if (!digits || digits > 9 || !at.n || *at.p != ':' || seconds > UINT64_MAX / 2000000000)
		return;
	for (; digits < 9; digits++)
		fraction *= 10;
	at.p++, at.n--;
	h->time_ns = seconds * 1000000000 + fraction;
	*s = piece_trim(at);
}

/* "  10101010 cpu-clock: ", the period is optional. */
static bool take_event(struct piece *s, struct head *h)
{
	struct piece at = *s;
	h->period = 0;
	if (take_number(&at, &h->period) && (!at.n || !piece_is_blank(*at.p)))
		return false;
	at = piece_trim(at);
	size_t n = 0;
	while (n < at.n && !piece_is_blank(at.p[n]))
		n++;
	if (n < 2 || at.p[n - 1] != ':')
		return false;
	h->event = (struct piece){ at.p, n - 1 };
	*s = piece_trim((struct piece){ at.p + n, at.n - n });
	return true;
}

/*
 * Names may hold blanks and numbers: the first word that is a number is taken for the task's ID. "swapper
 *     0 [001] 12.345: cycles: ".
 */
static bool parse_head(struct piece line, struct head *ret)
{
	line = piece_trim(line);
	for (size_t i = 1; i < line.n; i++) {
		struct piece rest;
		*ret = (struct head){ .comm = { line.p, i } };
		if (!piece_is_blank(line.p[i]) || piece_is_blank(line.p[i - 1]) ||
		    !take_ids((struct piece){ line.p + i, line.n - i }, ret, &rest))
			continue;
		take_cpu(&rest, ret);
		take_time(&rest, ret);
		if (!take_event(&rest, ret))
			continue;
		ret->rest = rest;
		return true;
	}
	return false;
}

struct frame {
	uint64_t ip;
	struct piece symbol, module;
};

/* "	ffffffff8104f45a native_write_msr_safe+0xa ([kernel.kallsyms])" */
static bool parse_frame(struct piece s, struct frame *ret)
{
	s = piece_trim(s);
	size_t n = text_hex(s.p, s.n, &ret->ip), open;
	if (!n || n >= s.n || !piece_is_blank(s.p[n]) || s.p[s.n - 1] != ')')
		return false;
	s = (struct piece){ s.p + n, s.n - n };
	for (open = s.n; open && !(s.p[open - 1] == '(' && open >= 2 && s.p[open - 2] == ' '); open--)
		;
	if (open < 3)
		return false;
	ret->module = (struct piece){ s.p + open, s.n - open - 1 };
	ret->symbol = piece_trim((struct piece){ s.p, open - 2 });
	/* a blank name is shown as a blank, as stackcollapse-perf.pl does */
	if (!ret->symbol.n)
		ret->symbol = (struct piece){ " ", 1 };
	return true;
}

/* The symbol without "+0x1f". */
static struct piece bare_symbol(struct piece s)
{
	size_t n = s.n;
	while (n && text_hex_digit(s.p[n - 1]) >= 0)
		n--;
	if (n < s.n && n > 3 && !memcmp(s.p + n - 3, "+0x", 3))
		s.n = n - 3;
	return s;
}

static bool is(struct piece s, const char *word)
{
	return s.n == strlen(word) && !memcmp(s.p, word, s.n);
}

/* All names in brackets but these are the kernel or one of its modules. */
static bool is_kernel(struct piece module)
{
	static const char *const user[] = { "[vdso]", "[vdso32]", "[vdsox32]", "[vsyscall]", "[heap]", "[stack]", "[anon]", "[unknown]" };
	for (size_t i = 0; i < sizeof(user) / sizeof(*user); i++)
		if (is(module, user[i]))
			return false;
	size_t base = module.n;
	while (base && module.p[base - 1] != '/')
		base--;
	/* "/boot/vmlinux-6.1.0-13-amd64" */
	bool is_version = module.n - base > 8 && !memcmp(module.p + base, "vmlinux-", 8);
	return (module.n && *module.p == '[') || piece_ends(module, "vmlinux") || piece_ends(module, ".ko") || is_version;
}

struct reading {
	struct profile *p;
	struct head head;
	bool in_sample, is_tracepoint;
	VEC(frame_id) frames; /* innermost first */
	uint64_t lines, samples;
};

static mapping_id make_mapping(struct profile *p, struct piece module)
{
	if (is(module, "[unknown]") || is(module, "inlined"))
		return PROFILE_NONE;
	size_t slash = module.n;
	while (slash && module.p[slash - 1] != '/')
		slash--;
	bool anonymous = slash && piece_ends(module, ".map"); /* a perf map keeps its path, which marks names */
	struct profile_mapping m = {
		.name = strtab_add_n(&p->strings, module.p + (anonymous ? 0 : slash), module.n - (anonymous ? 0 : slash)),
		.path = strtab_add_n(&p->strings, module.p, module.n),
		.space = is_kernel(module) ? SPACE_KERNEL : SPACE_USER,
	};
	return profile_mapping(p, &m);
}

static void add_frame(struct reading *r, const struct frame *f)
{
	struct profile *p = r->p;
	struct profile_frame frame = {
		.mapping = make_mapping(p, f->module),
		.function = PROFILE_NONE,
		.addr = f->ip,
		.ip = f->ip,
		.space = is_kernel(f->module) ? SPACE_KERNEL : SPACE_USER,
		.flags = is(f->module, "inlined") ? FRAME_INLINED : 0,
	};
	if (!is(f->symbol, "[unknown]")) {
		struct piece bare = bare_symbol(f->symbol);
		str_id name = strtab_add_n(&p->strings, bare.p, bare.n);
		struct profile_function fn = { .mapping = frame.mapping, .name = name, .system_name = name };
		frame.function = profile_function(p, &fn);
	}
	vec_push(&r->frames, profile_frame(p, &frame));
}

static void finish_sample(struct reading *r)
{
	struct profile *p = r->p;
	const struct head *h = &r->head;
	if (!r->in_sample)
		return;
	r->in_sample = false;
	stack_id stack = PROFILE_NONE;
	while (r->frames.len)
		stack = profile_stack(p, stack, r->frames.data[--r->frames.len]);
	uint64_t labels[] = { strtab_add_n(&p->strings, h->comm.p, h->comm.n), h->pid, h->tid };
	str_id name = strtab_add_n(&p->strings, h->event.p, h->event.n);
	uint32_t event = profile_event(p, strtab_get(&p->strings, name), "");
	p->events.data[event].is_tracepoint |= r->is_tracepoint;
	uint32_t row = profile_add(p, stack, profile_labels(p, labels), event, 1, h->period ? h->period : 1, 0);
	struct profile_log_entry entry = { .time_ns = h->time_ns, .cpu = h->cpu, .tid = h->tid, .row = row };
	if (p->log.len < LOG_MAX)
		vec_push(&p->log, entry);
	else
		p->log_dropped++;
	r->samples++;
}

static void read_line(struct reading *r, struct piece line)
{
	struct frame frame;
	struct head head;
	if (!piece_trim(line).n) {
		finish_sample(r);
		return;
	}
	/*
	 * Frames are indented, unless the blanks were removed; so are the heads of samples without a stack, which begin
	 * with a name.
	 */
	bool is_frame = r->in_sample && parse_frame(line, &frame), is_indented = piece_is_blank(*line.p);
	bool is_head = !(is_frame && is_indented) && parse_head(line, &head);
	if (is_frame && !is_head)
		add_frame(r, &frame);
	if (!is_head)
		return;
	finish_sample(r);
	r->head = head;
	r->in_sample = true;
	r->is_tracepoint = memchr(head.event.p, ':', head.event.n) && head.rest.n && !parse_frame(head.rest, &frame);
	if (head.rest.n && !r->is_tracepoint && parse_frame(head.rest, &frame)) {
		add_frame(r, &frame);
		finish_sample(r);
	}
}

bool script_probe(const uint8_t *p, size_t n)
{
	struct piece text = { (const char *)p, n };
	while (text.n) {
		struct piece line = piece_take_line(&text);
		struct head head;
		if (!piece_trim(line).n || *line.p == '#')
			continue;
		return !memchr(line.p, 0, line.n) && parse_head(line, &head);
	}
	return false;
}

struct strobe_error *script_read(const uint8_t *p, size_t n, struct profile **ret)
{
	struct reading r = { .p = profile_create() };
	struct piece text = { (const char *)p, n };
	profile_column(r.p, "comm", COLUMN_STRING);
	profile_column(r.p, "pid", COLUMN_I64);
	profile_column(r.p, "tid", COLUMN_I64);
	while (text.n) {
		struct piece line = piece_take_line(&text);
		if (!line.n || *line.p != '#')
			read_line(&r, line);
	}
	/* the empty line at the end is often missing */
	finish_sample(&r);
	vec_deinit(&r.frames);
	struct strobe_error *err = NULL;
	if (!r.samples)
		err = error_create(ERROR_FORMAT, "it has no samples in the format of 'perf script'");
	return foreign_finish(r.p, err, ret);
}

#include "view/html/html.h"

#include <stdlib.h>
#include <stdio.h>

#include "view/html/language.h"
#include "view/html/letters.h"
#include "view/html/pack.h"
#include "view/view_testing.h"

/* ---- the columns, read by the words of pack.h ---- */

struct unpacked {
	struct out out;
	const uint8_t *bytes;
	size_t n;
	char *head;
	size_t body;
};

static void unpack(struct out *out, struct unpacked *u)
{
	u->bytes = (const uint8_t *)out_mem(out, &u->n);
	assert_memory_equal(u->bytes, "STRB", 4);
	uint32_t head_bytes = u->bytes[4] | u->bytes[5] << 8 | u->bytes[6] << 16 | (uint32_t)u->bytes[7] << 24;
	u->head = strndup((const char *)u->bytes + 8, head_bytes);
	u->body = 8 + head_bytes;
}

/* The bytes of a column, and what the header says of it. */
static const uint8_t *column(const struct unpacked *u, const char *name, size_t *ret_n, unsigned *ret_planes, char coding[16])
{
	size_t at = u->body;
	const char *s = strstr(u->head, "\"columns\":[") + strlen("\"columns\":[");
	for (; *s != ']'; s += *s == ',') {
		char found[64];
		assert_int_equal(sscanf(s, "[\"%63[^\"]\",%zu,%u,\"%15[^\"]\"]", found, ret_n, ret_planes, coding), 4);
		assert_true(at + *ret_n * *ret_planes <= u->n);
		if (!strcmp(found, name))
			return u->bytes + at;
		at += *ret_n * *ret_planes;
		s = strchr(s, ']') + 1;
	}
	fail_msg("no column %s in %s", name, u->head);
	return NULL;
}

static int64_t number(const struct unpacked *u, const char *name, size_t i)
{
	size_t n;
	unsigned planes;
	char coding[16];
	int64_t sum = 0;
	const uint8_t *p = column(u, name, &n, &planes, coding);
	assert_true(i < n);
	for (size_t j = strcmp(coding, "delta") ? i : 0; j <= i; j++) {
		uint64_t v = 0;
		for (unsigned plane = 0; plane < planes; plane++)
			v |= (uint64_t)p[plane * n + j] << (8 * plane);
		if (!strcmp(coding, "plain"))
			return (int64_t)v;
		int64_t d = (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
		if (!strcmp(coding, "signed"))
			return d;
		sum += d;
	}
	return sum;
}

static size_t length(const struct unpacked *u, const char *name)
{
	size_t n;
	unsigned planes;
	char coding[16];
	column(u, name, &n, &planes, coding);
	return n;
}

static const char *string(const struct unpacked *u, int64_t id)
{
	size_t n;
	unsigned planes;
	char coding[16];
	const char *s = (const char *)column(u, "strings", &n, &planes, coding), *end = s + n;
	while (id--) {
		s += strlen(s) + 1;
		assert_true(s < end);
	}
	return s;
}

/* By hand: 13 bits, the lowest first, as two digits of base 91; '#' is 0, '~' is 90, '<' is none. */
static void bytes_are_letters(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *letters;
	} cases[] = {
		{ "", 0, "" },
		{ "\1", 1, "#$" },
		{ "\xff\x1f", 2, "~$##" },         /* 8191 = 90 * 91 + 1, and three bits of 0 */
		{ "\x18\0", 2, "#;##" },           /* 24 is the last before '<' */
		{ "\x19\0", 2, "#=##" },
		{ "\0\x20\0\4\x80", 5, "###$#$#$" }, /* 1 << 13, 1 << 26, 1 << 39: nothing, and three ones */
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct out out;
		size_t n;
		out_init_mem(&out);
		letters_write((const uint8_t *)cases[i].bytes, cases[i].n, &out);
		const char *text = out_mem(&out, &n);
		assert_int_equal(n, strlen(cases[i].letters));
		assert_memory_equal(text, cases[i].letters, n);
		assert_null(out_close(&out));
	}
}

static void numbers_keep_their_values(void **state)
{
	static const uint64_t values[] = { 0, 1, 255, 256, 65536, UINT64_MAX, UINT64_MAX - 1, (uint64_t)INT64_MIN, 7 };
	const size_t n = sizeof(values) / sizeof(*values);
	struct unpacked u;
	struct pack k;
	struct out out;
	pack_init(&k);
	pack_numbers(&k, "plain", values, n, PACK_PLAIN);
	pack_numbers(&k, "small", values, 3, PACK_PLAIN);
	pack_numbers(&k, "signed", values, n, PACK_SIGNED);
	pack_numbers(&k, "delta", values, n, PACK_DELTA);
	pack_numbers(&k, "none", values, 0, PACK_DELTA);
	pack_numbers(&k, "zero", values, 1, PACK_PLAIN);
	pack_text(&k, "text", "a\0b", 4);
	out_init_mem(&out);
	pack_finish(&k, &out);
	unpack(&out, &u);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(number(&u, "plain", i), (int64_t)values[i]);
		assert_int_equal(number(&u, "signed", i), (int64_t)values[i]);
		assert_int_equal(number(&u, "delta", i), (int64_t)values[i]);
	}
	/* 0, 1 and 255 need one byte each, 0 alone needs none: 3 * 9 * 8 + 3 + 4 of text */
	assert_int_equal(u.n - u.body, 3 * 72 + 3 + 4);
	assert_int_equal(length(&u, "none"), 0);
	free(u.head);
	pack_deinit(&k);
	assert_ok(out_close(&out));
}

/* ---- the profile ---- */

static void pack_profile(const struct profile *p, struct out *out, struct unpacked *u)
{
	out_init_mem(out);
	assert_ok(view_html_data(p, &(struct html_options){ .title = "t" }, out));
	unpack(out, u);
}

/* Frames of nodes as page/data.js reads them, for trees of up to 16 nodes. */
static void read_nodes(const struct unpacked *u, int64_t frames[16], int depths[16])
{
	int64_t callees[16][16], next = 0;
	int had[16] = {}, path[16], level = 0;
	size_t n = length(u, "node.callee"), i = 0;
	bool is_level = !strstr(u->head, "\"branch.up\"");
	for (size_t b = 0; b < length(u, "branch.run"); b++) {
		for (size_t end = i + (size_t)number(u, "branch.run", b); i < end; i++) {
			int64_t caller = level ? frames[path[level - 1]] + 1 : 0, code = number(u, "node.callee", i);
			assert_true(i < n && n <= 16 && caller < 16 && code <= had[caller]);
			if (!code)
				callees[caller][had[caller]++] = number(u, "callee.frame", (size_t)next++);
			frames[i] = callees[caller][(code ? code : had[caller]) - 1];
			depths[i] = level;
			path[level++] = (int)i;
		}
		level = is_level ? (int)number(u, "branch.level", b) : level - (int)number(u, "branch.up", b);
	}
	assert_int_equal(i, n);
	assert_int_equal(next, length(u, "callee.frame"));
	for (size_t f = 0; f < length(u, "callees.nr"); f++)
		assert_int_equal(number(u, "callees.nr", f), had[f]);
}

static const char *frame_name(const struct unpacked *u, int64_t frame)
{
	return string(u, number(u, "fn.name", (size_t)number(u, "frame.fn", (size_t)frame)));
}

/*
 * main>b, main>a>x, other>x and main are main(a(x) b) other(x) in preorder, siblings by name. Rows in that order: main 2,
 * main>a>x 7, main>b 5, other>x 1. main is the first of all: 2 - 1 after -1; the others are each the next that calls nothing.
 */
static void stacks_stand_in_preorder(void **state)
{
	static const char *const names[] = { "main", "a", "x", "b", "other", "x" };
	static const int expected_depths[] = { 0, 1, 2, 1, 0, 1 };
	struct profile *p = test_profile((struct test_sample[]){ { "sh", "main>b", 5 }, { "sh", "main>a>x", 7 }, { "sh", "other>x", 1 },
		{ "zsh", "main", 2 } }, 4);
	struct unpacked u;
	struct out out;
	int64_t frames[16];
	int depths[16];
	pack_profile(p, &out, &u);
	read_nodes(&u, frames, depths);
	assert_int_equal(length(&u, "node.callee"), 6);
	for (size_t i = 0; i < 6; i++) {
		assert_string_equal(frame_name(&u, frames[i]), names[i]);
		assert_int_equal(depths[i], expected_depths[i]);
	}
	static const int codes[] = { 2, 0, 0, 0 }, values[] = { 2, 7, 5, 1 };
	assert_int_equal(length(&u, "row.node"), 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(number(&u, "row.node", i), codes[i]);
		assert_int_equal(number(&u, "row.value", i), values[i]);
		assert_int_equal(number(&u, "row.samples", i), 1);
	}
	assert_string_equal(string(&u, number(&u, "thread.comm", (size_t)number(&u, "row.thread", 0))), "zsh");
	assert_string_equal(string(&u, number(&u, "thread.comm", (size_t)number(&u, "row.thread", 3))), "sh");
	assert_int_equal(length(&u, "node.box"), 0); /* no two siblings are one */
	free(u.head);
	assert_ok(out_close(&out));
	profile_destroy(p);
}

/*
 * main at two addresses, each of which calls a and one b, the other c: by frames main(a b) main(a c), by functions
 * main(a b c). So the nodes are boxes 0 1 2, 0 1 3.
 */
static void siblings_of_one_function_are_one_box(void **state)
{
	static const int boxes[] = { 0, 1, 2, 0, 1, 3 };
	static const char *const leaves[][2] = { { "a", "b" }, { "a", "c" } };
	struct profile *p = test_profile((struct test_sample[]){ { "sh", "main", 1 } }, 1);
	struct profile_frame outer = p->frames.data[p->stacks.data[p->rows.data[0].stack].frame];
	for (uint64_t i = 0; i < 4; i++) {
		const char *name = leaves[i / 2][i % 2];
		struct profile_function fn = { .mapping = PROFILE_NONE, .name = strtab_add(&p->strings, name) };
		struct profile_frame inner = { .function = profile_function(p, &fn), .mapping = PROFILE_NONE };
		outer.addr = 4096 + i / 2;
		stack_id caller = profile_stack(p, PROFILE_NONE, profile_frame(p, &outer));
		stack_id stack = profile_stack(p, caller, profile_frame(p, &inner));
		profile_add(p, stack, p->rows.data[0].labels, 0, 0, 1, 1);
	}
	p->rows.data[0].samples = p->rows.data[0].value = 0; /* main alone, at its own address */
	struct unpacked u;
	struct out out;
	pack_profile(p, &out, &u);
	assert_int_equal(length(&u, "node.box"), 6);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(number(&u, "node.box", i), boxes[i]);
	free(u.head);
	assert_ok(out_close(&out));
	profile_destroy(p);
}

static void code_without_symbols_has_its_objects_name(void **state)
{
	struct profile *p = test_profile((struct test_sample[]){ { "sh", "?@/lib/libc.so.6>?@[kernel.kallsyms]", 1 } }, 1);
	struct unpacked u;
	struct out out;
	pack_profile(p, &out, &u);
	assert_string_equal(frame_name(&u, 0), "[libc.so.6]");
	assert_string_equal(frame_name(&u, 1), "[kernel.kallsyms]");
	assert_int_equal(number(&u, "frame.flags", 0), 0);
	assert_int_equal(number(&u, "frame.flags", 1), 2);
	free(u.head);
	assert_ok(out_close(&out));
	profile_destroy(p);
}

/* Times are in units of a microsecond from the first; an entry of a row that is not shown is left out. */
static void the_log_goes_with_its_rows(void **state)
{
	struct profile *p = test_profile((struct test_sample[]){ { "sh", "main>b", 5 }, { "sh", "main", 7 } }, 2);
	uint32_t none = profile_add(p, PROFILE_NONE, 0, 0, 1, 1, 0);
	const struct profile_log_entry log[] = { { 5000000, 3, 41, 0 }, { 5001000, UINT32_MAX, 41, none }, { 5003999, UINT32_MAX, 41, 1 } };
	for (size_t i = 0; i < 3; i++)
		vec_push(&p->log, log[i]);
	struct unpacked u;
	struct out out;
	pack_profile(p, &out, &u);
	assert_int_equal(length(&u, "log.time"), 2);
	assert_int_equal(number(&u, "log.time", 0), 0);
	assert_int_equal(number(&u, "log.time", 1), 3);
	assert_int_equal(number(&u, "log.cpu", 0), 4); /* 0 stands for: not recorded */
	assert_int_equal(number(&u, "log.cpu", 1), 0);
	assert_int_equal(number(&u, "log.row", 0), 1); /* main>b is the second node */
	assert_int_equal(number(&u, "log.row", 1), 0);
	assert_non_null(strstr(u.head, "\"timeUnitNs\":1000,"));
	free(u.head);
	assert_ok(out_close(&out));
	profile_destroy(p);
}

/* Times further apart than 2^31 microseconds get a larger unit. */
static void long_recordings_have_a_larger_unit(void **state)
{
	struct profile *p = test_profile((struct test_sample[]){ { "sh", "main", 5 } }, 1);
	const struct profile_log_entry log[] = { { 1000, 0, 41, 0 }, { 1000 + UINT64_C(10000000000000), 0, 41, 0 } };
	vec_push(&p->log, log[0]);
	vec_push(&p->log, log[1]);
	struct unpacked u;
	struct out out;
	pack_profile(p, &out, &u);
	assert_non_null(strstr(u.head, "\"timeUnitNs\":10000,"));
	assert_int_equal(number(&u, "log.time", 1), 1000000000);
	free(u.head);
	assert_ok(out_close(&out));
	profile_destroy(p);
}

/* ---- the page ---- */

static void hostile_names_stay_data(void **state)
{
	static const char evil[] = "</script><script>alert(1)</script><!--";
	struct profile *p = test_profile((struct test_sample[]){ { evil, evil, 1 } }, 1);
	struct html_options o = { .title = evil };
	struct out out;
	size_t n;
	out_init_mem(&out);
	assert_ok(view_html(p, &o, &out));
	const char *bytes = out_mem(&out, &n);
	char *page = strndup(bytes, n);
	assert_null(strstr(page, "alert(1)</script>"));
	assert_null(strstr(page, "<script>alert"));
	assert_non_null(strstr(page, "<title>&lt;/script&gt;"));
	/* two script elements, the data and the page's own; nothing is loaded */
	int scripts = 0;
	for (const char *s = page; (s = strstr(s, "<script")); s++)
		scripts++;
	assert_int_equal(scripts, 2);
	assert_null(strstr(page, " src="));
	assert_non_null(strstr(page, "default-src 'none'"));
	free(page);
	assert_ok(out_close(&out));
	const char *const names[] = { evil };
	out_init_mem(&out);
	view_html_live(names, 1, &out);
	bytes = out_mem(&out, &n);
	page = strndup(bytes, n);
	assert_null(strstr(page, "<script>alert"));
	assert_non_null(strstr(page, "[\"\\u003c/script>"));
	free(page);
	assert_ok(out_close(&out));
	profile_destroy(p);
}

static void an_empty_profile_is_a_page_too(void **state)
{
	struct profile *p = profile_create();
	struct unpacked u;
	struct out out;
	pack_profile(p, &out, &u);
	assert_int_equal(length(&u, "branch.run"), 0);
	assert_int_equal(length(&u, "row.node"), 0);
	free(u.head);
	assert_ok(out_close(&out));
	profile_destroy(p);
}

/* Of a recording: not the first by name or number. Of a profile, whose values are of each sample: the last. */
static void the_event_with_most_samples_is_shown_first(void **state)
{
	static const uint64_t samples[] = { 2, 7, 3, 0 };
	static const char *const names[] = { "a-clock", "faults", "switches", "zeros" };
	static const char *const expected[] = { "\"event\":1", "\"event\":2" };
	struct profile *p = profile_create();
	stack_id stack = test_stack(p, "main>work");
	for (uint32_t i = 0; i < 4; i++) {
		profile_event(p, names[i], "");
		if (samples[i])
			profile_add(p, stack, PROFILE_NONE, i, samples[i], 100 - samples[i], 0);
	}
	for (size_t i = 0; i < 2; i++) {
		struct unpacked u;
		struct out out;
		p->origin.events_are_values = i;
		pack_profile(p, &out, &u);
		assert_non_null(strstr(u.head, expected[i]));
		free(u.head);
		assert_ok(out_close(&out));
	}
	profile_destroy(p);
}

static void a_number_0_of_others_is_0(void **state)
{
	struct profile *p = profile_create();
	struct unpacked u;
	struct out out;
	p->origin.events_are_values = true;
	profile_column(p, "pid", COLUMN_I64);
	profile_column(p, "bytes", COLUMN_I64);
	profile_column(p, "none", COLUMN_I64);
	profile_event(p, "cpu", "nanoseconds");
	uint64_t labels[] = { profile_label_of_number(0), profile_label_of_number(0), 0 };
	stack_id stack = profile_stack(p, PROFILE_NONE, test_frame(p, "main", 4));
	profile_add(p, stack, profile_labels(p, labels), 0, 1, 5, 0);
	pack_profile(p, &out, &u);
	assert_int_equal(number(&u, "thread.pid", 0), 0);
	assert_int_equal(length(&u, "pair.number"), 1);
	assert_int_equal(number(&u, "pair.number", 0), 0);
	free(u.head);
	assert_ok(out_close(&out));
	profile_destroy(p);
}

static void symbols_have_a_language(void **state)
{
	static const struct {
		const char *name, *system, *file, *path, *language;
	} cases[] = {
		{ "main", "main", "", "/bin/x", "C" },
		{ "ns::f(int)", "_ZN2ns1fEi", "", "/bin/x", "C++" },
		{ "core::fmt::write", "_ZN4core3fmt5write17h0123456789abcdefE", "", "/bin/x", "Rust" },
		{ "foo", "_RNvC3foo3foo", "", "/bin/x", "Rust" },
		{ "runtime.mallocgc", "", "", "/bin/x", "Go" },
		{ "net/http.(*conn).serve", "", "", "/bin/x", "Go" },
		{ "f.part.0", "", "", "/bin/x", "C" },
		{ "f", "", "/a/b.rs", "/bin/x", "Rust" },
		{ "std::sort<int*>", "", "/a/b.h", "/bin/x", "C++" },
		{ "max<int>", "", "/usr/include/c++/12/bits/stl_algo.h", "/bin/x", "C++" },
		{ "f", "", "/a/b.h", "/bin/x", "C" },
		{ "do_idle", "", "", "[kernel.kallsyms]", "C" },
		{ "LazyCompile:~f /a.js:1", "", "", "/tmp/perf-7.map", "JavaScript" },
		{ "py::f:/a.py", "", "", "/tmp/perf-7.map", "Python" },
		{ "Ljava/lang/String;::length", "", "", "/tmp/perf-7.map", "Java" },
		{ "[libc.so.6]", "", "", "/bin/x", "" },
	};
	struct profile *p = profile_create();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct profile_mapping m = { .path = strtab_add(&p->strings, cases[i].path),
					     .space = cases[i].path[0] == '[' ? SPACE_KERNEL : SPACE_USER };
		struct profile_function f = {
			.mapping = profile_mapping(p, &m),
			.name = strtab_add(&p->strings, cases[i].name),
			.system_name = strtab_add(&p->strings, cases[i].system),
			.file = strtab_add(&p->strings, cases[i].file),
		};
		assert_string_equal(language_of_function(p, &f), cases[i].language);
	}
	profile_destroy(p);
}

/* What threads did, beside the profile: tasks with gaps and lengths of their spans, wakeups in order, frames of stacks as text. */
static void charts_are_columns(void **state)
{
	struct profile *p = profile_create();
	struct time_chart c;
	struct unpacked u = {};
	time_chart_init(&c);
	c.first_ns = 1000;
	c.last_ns = 1500;
	c.cpus_nr = 2;
	struct time_stack *stack = time_chart_stack(&c, 2);
	stack->frames[0] = (struct time_frame){ .ip = 0xabc, .name = "" };
	stack->frames[1] = (struct time_frame){ .ip = 0xdef, .name = "main" };
	time_chart_name(&c, 5, "</script>");
	time_chart_task(&c, 5)->process = 4;
	time_chart_name(&c, 6, "b");
	const struct time_span spans[] = {
		{ .start_ns = 1010, .end_ns = 1100, .kind = TIME_SPAN_RUNNING, .cpu = 1, .stack = stack },
		{ .start_ns = 1100, .end_ns = 1400, .kind = TIME_SPAN_SLEEPING, .cpu = TIME_NO_CPU, .reason = "futex", .waits = 3 },
		{ .start_ns = 1450, .end_ns = 1500, .kind = TIME_SPAN_WAITING, .cpu = 0, .is_preempted = true },
	};
	for (size_t i = 0; i < 3; i++)
		vec_push(&time_task_row(time_chart_task(&c, 5))->spans, spans[i]);
	vec_push(&time_task_row(time_chart_task(&c, 6))->spans, spans[2]);
	vec_push(&c.wakes, ((struct time_wake){ .time_ns = 1400, .waker = 6, .wakee = 5, .stack = stack }));
	vec_push(&c.wakes, ((struct time_wake){ .time_ns = 1300, .waker = -1, .wakee = 6 }));
	vec_push(&c.wakes, ((struct time_wake){ .time_ns = 1350, .waker = 9, .wakee = 6 }));
	vec_push(&c.wakes, ((struct time_wake){ .time_ns = 1350, .waker = 6, .wakee = 9 })); /* is not shown */
	time_chart_show_all(&c);
	struct out out;
	out_init_mem(&out);
	assert_ok(view_html_data(p, &(struct html_options){ .chart = &c }, &out));
	unpack(&out, &u);
	assert_non_null(strstr(u.head, "\"chart\":{\"offsetNs\":0,\"ns\":500,\"isSampled\":false,\"cpus\":[0,1]}"));
	assert_int_equal(length(&u, "task.name"), 2);
	assert_string_equal(string(&u, number(&u, "task.name", 0)), "</script>");
	assert_int_equal(number(&u, "task.process", 0), 4);
	assert_int_equal(number(&u, "task.spans", 0), 3);
	static const int64_t gaps[] = { 10, 0, 50, 450 }, lengths[] = { 90, 300, 50, 50 };
	static const int64_t kinds[] = { 1, 4, 2, 2 }, cpus[] = { 2, 0, 1, 1 };
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(number(&u, "span.gap", i), gaps[i]);
		assert_int_equal(number(&u, "span.ns", i), lengths[i]);
		assert_int_equal(number(&u, "span.kind", i), kinds[i]);
		assert_int_equal(number(&u, "span.cpu", i), cpus[i]);
	}
	assert_string_equal(string(&u, number(&u, "span.reason", 1)), "futex");
	assert_int_equal(number(&u, "span.waits", 1), 3);
	assert_int_equal(number(&u, "span.stack", 0), 1);
	assert_int_equal(number(&u, "span.isPreempted", 2), 1);
	static const int64_t times[] = { 300, 350, 400 }, from[] = { 0, 1, 3 }, to[] = { 1, 1, 0 };
	assert_int_equal(length(&u, "wake.ns"), 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(number(&u, "wake.ns", i), times[i]);
		assert_int_equal(number(&u, "wake.from", i), from[i]);
		assert_int_equal(number(&u, "wake.to", i), to[i]);
	}
	assert_string_equal(string(&u, number(&u, "frame.text", 0)), "0xabc");
	assert_string_equal(string(&u, number(&u, "frame.text", 1)), "main");
	free(u.head);
	error_destroy(out_close(&out));
	time_chart_deinit(&c);
	profile_destroy(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_letters),
		cmocka_unit_test(numbers_keep_their_values),
		cmocka_unit_test(stacks_stand_in_preorder),
		cmocka_unit_test(siblings_of_one_function_are_one_box),
		cmocka_unit_test(code_without_symbols_has_its_objects_name),
		cmocka_unit_test(the_log_goes_with_its_rows),
		cmocka_unit_test(long_recordings_have_a_larger_unit),
		cmocka_unit_test(hostile_names_stay_data),
		cmocka_unit_test(an_empty_profile_is_a_page_too),
		cmocka_unit_test(the_event_with_most_samples_is_shown_first),
		cmocka_unit_test(a_number_0_of_others_is_0),
		cmocka_unit_test(symbols_have_a_language),
		cmocka_unit_test(charts_are_columns),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

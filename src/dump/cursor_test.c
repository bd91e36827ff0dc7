#include "base/testing.h"

#include "dump/cursor.h"
#include "perfdata/file_builder.h"

/* Six samples of one task, at 1 to 6 s on CPUs 0, 1, 0, 1 …: those at odd seconds in /lib/one, the others in /lib/two. */
static struct bytes_builder recording(void)
{
	struct file_builder f = build_file(false);
	build_event(&f, PERF_COUNT_SW_CPU_CLOCK, BUILD_PERIODIC, 71);
	build_map(&f, 10, 0x10000, "/lib/one", 1);
	build_map(&f, 10, 0x20000, "/lib/two", 1);
	for (uint64_t i = 0; i < 6; i++)
		build_periodic(&f, i % 2 ? 0x20010 : 0x10010, 10, (i + 1) * 1000000000, i % 2, 5);
	struct bytes_builder file = build_finish(&f);
	build_deinit(&f);
	return file;
}

struct fixture {
	struct bytes_builder file;
	struct record_source *source;
	struct resolver *resolver;
	struct dump_cursor *cursor;
	struct out out;
};

static void set_up(struct fixture *f, struct dump_choice choice, size_t less)
{
	struct dump_cursor_options options = { .choice = choice };
	*f = (struct fixture){ .file = recording() };
	assert_ok(reader_open_mem(f->file.bytes.data, f->file.bytes.len - less, &f->source));
	f->resolver = resolver_create(f->source, (struct symbols_options){ .ignore_vmlinux = true }, (struct resolve_options){});
	dump_fields_defaults(&options.dump.fields);
	assert_ok(dump_cursor_open(f->resolver, source_env(f->source), &options, &f->cursor));
	out_init_mem(&f->out);
}

static void tear_down(struct fixture *f)
{
	dump_cursor_close(f->cursor);
	resolver_destroy(f->resolver);
	source_destroy(f->source);
	bytes_deinit(&f->file);
	assert_ok(out_close(&f->out));
}

/* The next sample's text; NULL at the end. Until the next call. */
static const char *next_sample(struct fixture *f, struct dump_cursor_step *ret)
{
	size_t from, to;
	(void)out_mem(&f->out, &from);
	do
		assert_ok(dump_cursor_next(f->cursor, &f->out, ret));
	while (ret->kind == DUMP_CURSOR_RECORD);
	const char *text = out_mem(&f->out, &to);
	if (ret->kind == DUMP_CURSOR_END) {
		assert_int_equal(from, to);
		return NULL;
	}
	assert_true(to > from);
	assert_int_equal(text[to - 1], '\n');
	static char line[256];
	assert_true(to - from < sizeof(line));
	memcpy(line, text + from, to - from);
	line[to - from] = '\0';
	return line;
}

static void test_all(void **state)
{
	struct fixture f;
	struct dump_cursor_step step;
	set_up(&f, (struct dump_choice){}, 0);
	for (uint64_t i = 0; i < 6; i++) {
		const char *text = next_sample(&f, &step);
		assert_non_null(text);
		assert_non_null(strstr(text, i % 2 ? "(/lib/two)" : "(/lib/one)"));
		assert_int_equal(step.time_ns, (i + 1) * 1000000000);
		assert_int_equal(step.cpu, i % 2);
		assert_true(step.has_time && step.has_cpu);
		assert_int_equal(step.bytes, 48);
	}
	assert_null(next_sample(&f, &step));
	tear_down(&f);
}

/* By path and by name; an address of -S stands for itself, or for as many bytes as are said. */
static void test_chosen(void **state)
{
	static const char *const path[] = { "/lib/two" }, *const name[] = { "one", "none" }, *const other[] = { "three" };
	static const char *const at[] = { "0x10010" }, *const before[] = { "0x10000" };
	const struct {
		struct dump_choice choice;
		unsigned samples;
	} rows[] = {
		{ { .dsos = path, .dsos_nr = 1 }, 3 },
		{ { .dsos = name, .dsos_nr = 2 }, 3 },
		{ { .dsos = other, .dsos_nr = 1 }, 0 },
		{ { .symbols = at, .symbols_nr = 1 }, 3 },
		{ { .symbols = before, .symbols_nr = 1 }, 0 },
		{ { .symbols = before, .symbols_nr = 1, .addr_range = 0x10 }, 3 },
		{ { .symbols = at, .symbols_nr = 1, .dsos = path, .dsos_nr = 1 }, 0 },
	};
	struct fixture f;
	struct dump_cursor_step step;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		unsigned n = 0;
		set_up(&f, rows[i].choice, 0);
		while (next_sample(&f, &step))
			n++;
		assert_int_equal(n, rows[i].samples);
		tear_down(&f);
	}
}

/* A reader that has seen enough closes the cursor, and may open another. */
static void test_stops(void **state)
{
	struct fixture f;
	struct dump_cursor_step step;
	struct dump_cursor_options options = {};
	set_up(&f, (struct dump_choice){}, 0);
	assert_non_null(next_sample(&f, &step));
	dump_cursor_close(f.cursor);
	dump_fields_defaults(&options.dump.fields);
	assert_ok(dump_cursor_open(f.resolver, source_env(f.source), &options, &f.cursor));
	for (unsigned i = 0; i < 6; i++)
		assert_non_null(next_sample(&f, &step));
	assert_null(next_sample(&f, &step));
	tear_down(&f);
}

/* The last record is cut: five are printed, then the error is. */
static void test_damaged(void **state)
{
	struct fixture f;
	struct dump_cursor_step step;
	struct strobe_error *err = NULL;
	unsigned samples = 0;
	set_up(&f, (struct dump_choice){}, 8);
	do {
		err = dump_cursor_next(f.cursor, &f.out, &step);
		samples += step.kind == DUMP_CURSOR_SAMPLE;
	} while (!err && step.kind != DUMP_CURSOR_END);
	assert_non_null(err);
	assert_int_equal(err->code, ERROR_TRUNCATED);
	error_destroy(err);
	assert_int_equal(samples, 5);
	tear_down(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_chosen),
		cmocka_unit_test(test_stops),
		cmocka_unit_test(test_damaged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Samples and records of a recording as text, worked out by hand, and the files of --per-event-dump. */
#include "base/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "dump/dumper.h"
#include "dump/event_files.h"
#include "dump/script.h"
#include "perfdata/file_builder.h"
#include "perfdata/reader.h"

/* A task that is named "app" at 1 s; samples at 2 to 5 s on CPUs 0, 1, 0, 1 at 0x100, 0x101, 0x102, 0x103. */
static struct bytes_builder recording(void)
{
	struct file_builder f = build_file(false);
	build_event(&f, PERF_COUNT_SW_CPU_CLOCK, BUILD_PERIODIC, 71);
	build_task(&f, 10, "app", 1000000000, 0);
	for (uint64_t i = 0; i < 4; i++)
		build_periodic(&f, 0x100 + i, 10, (i + 2) * 1000000000, i % 2, 5);
	struct bytes_builder file = build_finish(&f);
	build_deinit(&f);
	return file;
}

static void assert_printed(const struct script_options *o, const char *expected)
{
	static const struct session_host host;
	struct bytes_builder file = recording();
	struct record_source *source;
	struct session session;
	struct out out;
	uint64_t misordered = 1;
	size_t n;
	assert_ok(reader_open_mem(file.bytes.data, file.bytes.len, &source));
	session_open_source(&session, &host, source, false);
	out_init_mem(&out);
	assert_ok(script_print(&session, o, &out, &misordered));
	assert_int_equal(misordered, 0);
	out_ch(&out, 0);
	assert_string_equal(out_mem(&out, &n), expected);
	error_destroy(out_close(&out));
	session_close(&session);
	bytes_deinit(&file);
}

static void samples_are_printed_by_chosen_fields(void **state)
{
	assert_printed(&(struct script_options){ .fields = { "comm,time" }, .fields_nr = 1 },
		       "             app     2.000000: \n             app     3.000000: \n"
		       "             app     4.000000: \n             app     5.000000: \n");
	assert_printed(&(struct script_options){ .fields = { "time,period" }, .fields_nr = 1, .cpus = "1" },
		       "    3.000000:          5 \n    5.000000:          5 \n");
	assert_printed(&(struct script_options){ .fields = { "time" }, .fields_nr = 1, .symbols = "0x102" }, "    4.000000: \n");
}

static void records_are_printed_where_they_are_chosen(void **state)
{
	assert_printed(&(struct script_options){ .fields = { "comm,time" }, .fields_nr = 1, .times = ",2", .show_task = true },
		       "             app     1.000000: PERF_RECORD_COMM: app:10/10\n             app     2.000000: \n");
}

static bool needs_frames(struct dump_fields fields)
{
	struct env *env = env_create();
	const struct env_event event = { .attr.type = PERF_TYPE_SOFTWARE };
	const struct resolved_sample sample = { .event = &event };
	struct dumper *d;
	assert_ok(dumper_create(env, NULL, NULL, (struct dump_options){ .fields = fields }, &d));
	bool needs = !dumper_knows_stack(d, &sample);
	dumper_destroy(d);
	env_destroy(env);
	return needs;
}

static void frames_are_looked_up_where_they_are_printed(void **state)
{
	struct dump_fields fields = { .of[PERF_TYPE_SOFTWARE] = DUMP_FIELD(COMM) | DUMP_FIELD(TIME) };
	assert_false(needs_frames(fields));
	fields.of[PERF_TYPE_SOFTWARE] |= DUMP_FIELD(IP);
	assert_true(needs_frames(fields));
	fields.of[PERF_TYPE_SOFTWARE] = DUMP_FIELD(SRCCODE);
	assert_true(needs_frames(fields));
}

/* Each event has a file; unfinished ones are gone: the directory is empty at the end. */
static void events_have_files_of_their_own(void **state)
{
	char dir[] = "/tmp/strobe-script-XXXXXX", path[64];
	struct event_files files = {};
	struct env *env = env_create();
	const uint64_t ids[] = { 1, 2 };
	struct perf_event_attr attr = { .size = sizeof(attr) };
	struct out out;
	size_t n;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/r", dir);
	env_add_event(env, &attr, sizeof(attr), "a", &ids[0], 1);
	assert_ok(event_files_open(&files, env, path));
	assert_null(event_files_sample(&files, 1));
	env_add_event(env, &attr, sizeof(attr), "b/c", &ids[1], 1);
	assert_ok(event_files_open(&files, env, path));
	out_str(event_files_sample(&files, 1), "text\n");
	out_init_mem(&out);
	assert_ok(event_files_finish(&files, "strobe", &out));
	event_files_deinit(&files);
	out_ch(&out, 0);
	assert_non_null(strstr(out_mem(&out, &n), "/r.b_c.dump (1 samples) ]\n"));
	error_destroy(out_close(&out));
	snprintf(path, sizeof(path), "%s/unfinished", dir);
	assert_ok(event_files_open(&files, env, path));
	event_files_deinit(&files);
	snprintf(path, sizeof(path), "%s/r.a.dump", dir);
	assert_int_equal(unlink(path), 0);
	snprintf(path, sizeof(path), "%s/r.b_c.dump", dir);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
	env_destroy(env);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_are_printed_by_chosen_fields),
		cmocka_unit_test(records_are_printed_where_they_are_chosen),
		cmocka_unit_test(frames_are_looked_up_where_they_are_printed),
		cmocka_unit_test(events_have_files_of_their_own),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Settings that follow from choices of a recording, and choices that exclude each other. */
#include "base/testing.h"

#include <string.h>

#include "recording/choice.h"

struct settings {
	struct recorder_choice choice;
	struct capture_options capture;
	struct recorder_options recorder;
};

static struct settings begin(void)
{
	struct settings s = {};
	capture_options_init(&s.capture);
	return s;
}

/* part: of the message, or NULL. */
static void check(const struct settings *s, bool is_system_wide, const char *part)
{
	struct event_list events = {};
	struct strobe_error *err = recorder_choice_check(&s->choice, &s->capture, &events, &s->recorder, is_system_wide);
	if (part) {
		assert_true(error_is(err, ERROR_USAGE));
		assert_non_null(strstr(err->message, part));
	} else {
		assert_null(err);
	}
	error_destroy(err);
}

static void choices_that_exclude_each_other(void **state)
{
	(void)state;
	struct settings s = begin();
	check(&s, false, NULL);
	s.choice.latency = true;
	check(&s, false, NULL);
	check(&s, true, "--latency works on commands");
	s = begin();
	s.choice.wall = s.choice.locks = true;
	check(&s, false, "specify one of them");
	s = begin();
	s.choice.off_cpu_thresh_set = true;
	check(&s, false, "--off-cpu-thresh requires");
	s.choice.off_cpu = true;
	check(&s, false, NULL);
	s.capture.no_time = true;
	check(&s, false, "require timestamps");
	s = begin();
	s.recorder.use_threads = s.recorder.switching.on = true;
	check(&s, false, "--threads and --switch-output");
	s = begin();
	s.capture.all_user = s.capture.all_kernel = true;
	check(&s, false, "--all-user and --all-kernel");
}

static void waits_are_sampled_as_often_as_what_runs(void **state)
{
	(void)state;
	struct settings s = begin();
	s.choice.wall = true;
	recorder_choice_settle(&s.choice, &s.capture, &s.recorder);
	assert_int_equal(s.recorder.waits, RECORDER_WALL);
	assert_int_equal(s.capture.freq_hz, 1000);
	assert_int_equal(s.recorder.wait_quantum_ns, 1000000);
	assert_int_equal(s.capture.callgraph.mode, CALLGRAPH_EH);
	s = begin();
	s.choice = (struct recorder_choice){ .off_cpu = true, .off_cpu_thresh_set = true, .off_cpu_thresh_ms = 3 };
	recorder_choice_settle(&s.choice, &s.capture, &s.recorder);
	assert_int_equal(s.recorder.waits, RECORDER_OFFCPU);
	assert_int_equal(s.recorder.wait_quantum_ns, 3000000);
	assert_int_equal(s.capture.callgraph.mode, begin().capture.callgraph.mode);
}

static void settings_of_the_user(void **state)
{
	struct settings s = begin();
	recorder_choice_set_buildids(&s.choice, NULL);
	assert_false(s.choice.no_buildid || s.choice.no_buildid_cache);
	recorder_choice_set_buildids(&s.choice, "no-cache");
	assert_true(s.choice.no_buildid_cache && !s.choice.no_buildid);
	s.choice = (struct recorder_choice){ .buildid_mmap = true };
	recorder_choice_set_buildids(&s.choice, "skip"); /* overridden by an option */
	assert_false(s.choice.no_buildid);
	s.choice = (struct recorder_choice){};
	recorder_choice_set_buildids(&s.choice, "skip");
	assert_true(s.choice.no_buildid);
	struct callgraph_options c = { .mode = CALLGRAPH_DEFAULT };
	assert_ok(recorder_callgraph_default(&c, NULL, "4096")); /* the size of dumps, of which there are none */
	assert_int_equal(c.mode, CALLGRAPH_DEFAULT);
	assert_ok(recorder_callgraph_default(&c, "dwarf", "4096"));
	assert_int_equal(c.mode, CALLGRAPH_DWARF);
	assert_int_equal(c.dump_bytes, 4096);
	assert_fails(recorder_callgraph_default(&c, "none at all", NULL), ERROR_USAGE);
}

static void sizes_periods_and_build_ids(void **state)
{
	(void)state;
	struct settings s = begin();
	s.recorder.max_bytes = 4000;
	s.recorder.switching = (struct recorder_switching){ .on = true, .bytes = 400 };
	s.capture.period_set = true;
	s.choice.buildid_all = true;
	recorder_choice_settle(&s.choice, &s.capture, &s.recorder);
	assert_int_equal(s.capture.rings_bytes_max, 100);
	assert_true(s.recorder.timestamp_filename);
	assert_int_equal(s.capture.freq_hz, 0);
	assert_true(s.recorder.keep_objects && s.recorder.keep_all_objects);
	s = begin();
	s.capture.period_set = s.capture.freq_set = true;
	s.capture.callgraph.mode = CALLGRAPH_DWARF;
	s.choice.no_buildid = true;
	recorder_choice_settle(&s.choice, &s.capture, &s.recorder);
	assert_false(s.capture.period_set); /* overridden by -F */
	assert_int_equal(s.capture.callgraph.dump_bytes, RECORDER_DUMP_BYTES);
	assert_false(s.recorder.keep_objects || s.capture.build_id_mmap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(choices_that_exclude_each_other),
		cmocka_unit_test(waits_are_sampled_as_often_as_what_runs),
		cmocka_unit_test(settings_of_the_user),
		cmocka_unit_test(sizes_periods_and_build_ids),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

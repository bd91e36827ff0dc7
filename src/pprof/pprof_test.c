#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "pprof/completion.h"
#include "pprof/prompt.h"
#include "pprof/report.h"
#include "view/view_testing.h"

/* Events "cycles" and "sched:sched_switch"; main has 2 itself, work 6, b+ 2. */
static struct profile *small_profile(void)
{
	static const struct test_sample samples[] = {
		{ "p", "main", 2 }, { "p", "main>work", 6 }, { "p", "main>b+", 2 },
	};
	return test_profile(samples, 3);
}

struct fixture {
	struct arena arena;
	struct profile *p;
	struct pprof_config config;
	struct pprof_prompt prompt;
	struct pprof_command command; /* of the last line */
	struct strbuf answer, problem;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	arena_init(&f->arena);
	f->p = small_profile();
	pprof_config_defaults(&f->config);
	f->prompt = (struct pprof_prompt){ &f->arena, f->p, &f->config };
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	profile_destroy(f->p);
	arena_deinit(&f->arena);
	strbuf_deinit(&f->answer);
	strbuf_deinit(&f->problem);
	free(f);
	return 0;
}

static void read_line(struct fixture *f, const char *line)
{
	struct out out;
	size_t n;
	out_init_mem(&out);
	strbuf_reset(&f->answer);
	strbuf_reset(&f->problem);
	struct strobe_error *err = pprof_prompt_line(&f->prompt, line, &out, &f->command);
	const char *text = out_mem(&out, &n);
	strbuf_add(&f->answer, text, n);
	if (err)
		strbuf_addstr(&f->problem, err->message);
	error_destroy(err);
	error_destroy(out_close(&out));
}

static void settings_are_set_by_name(void **state)
{
	struct fixture *f = *state;
	read_line(f, " nodecount = 7 //: a comment\n");
	assert_int_equal(f->config.node_count, 7);
	assert_null(f->command.kind);
	read_line(f, "lines");
	assert_string_equal(f->config.granularity, "lines");
	read_line(f, "trim=no");
	assert_false(f->config.trim);
	read_line(f, "trim");
	assert_true(f->config.trim);
	read_line(f, "focus=a b");
	assert_string_equal(f->config.select.focus, "a b");
	read_line(f, ":");
	assert_null(f->config.select.focus);
	read_line(f, "divide_by=0");
	assert_string_equal(strbuf_str(&f->problem), "cannot divide by 0");
	assert_true(f->config.divide_by == 1);
	read_line(f, "focus");
	assert_string_equal(strbuf_str(&f->answer), "please specify a value, e.g. focus=<val>\n");
	read_line(f, "sort=name");
	assert_string_equal(strbuf_str(&f->problem), "invalid \"sort\" value \"name\"");
}

static void values_are_selected_by_their_names(void **state)
{
	struct fixture *f = *state;
	read_line(f, "sample_index=0");
	assert_string_equal(f->config.sample_index, "cycles");
	read_line(f, "mean_sched:sched_switch");
	assert_string_equal(f->config.sample_index, "sched:sched_switch");
	assert_true(f->config.mean);
	read_line(f, "total_cycles");
	assert_string_equal(f->config.sample_index, "cycles");
	assert_false(f->config.mean);
}

static void commands_have_settings_of_their_own(void **state)
{
	struct fixture *f = *state;
	read_line(f, "top5 work b -main -cum >out");
	assert_string_equal(f->command.kind->name, "top");
	assert_int_equal(f->command.config.node_count, 5);
	assert_string_equal(f->command.config.select.focus, "work|b");
	assert_string_equal(f->command.config.select.ignore, "main");
	assert_string_equal(f->command.config.sort, "cum");
	assert_string_equal(f->command.config.output, "out");
	assert_null(f->config.select.focus);
	assert_int_equal(f->config.node_count, -1);
	read_line(f, "top");
	assert_int_equal(f->command.config.node_count, 10);
	read_line(f, "list main work");
	assert_string_equal(f->command.argument, "main");
	assert_string_equal(f->command.config.select.focus, "work");
	read_line(f, "tags comm");
	assert_string_equal(f->command.config.labels.focus, "comm");
	read_line(f, "list");
	assert_string_equal(strbuf_str(&f->problem), "command list requires an argument");
	assert_null(f->command.kind);
	read_line(f, "top >");
	assert_string_equal(strbuf_str(&f->problem), "unexpected end of line after >");
	read_line(f, "focus work");
	assert_string_equal(strbuf_str(&f->problem), "did you mean: focus=work");
	read_line(f, "tap");
	assert_string_equal(strbuf_str(&f->problem), "unrecognized command: \"tap\"");
	read_line(f, "help tap");
	assert_string_equal(strbuf_str(&f->answer), "Unknown command: tap\n");
	assert_false(f->command.is_exit);
	read_line(f, "quit");
	assert_true(f->command.is_exit);
	read_line(f, "");
	assert_false(f->command.is_exit);
}

static void add_word(void *ctx, const char *text)
{
	strbuf_addf(ctx, "%s ", text);
}

static void assert_completed(struct fixture *f, const char *before, const char *expected, size_t word_at)
{
	strbuf_reset(&f->answer);
	assert_int_equal(pprof_complete(f->p, before, add_word, &f->answer), word_at);
	assert_string_equal(strbuf_str(&f->answer), expected);
}

static void words_are_completed(void **state)
{
	struct fixture *f = *state;
	assert_completed(f, "nod", "nodecount= nodefraction= ", 0);
	assert_completed(f, " to", "top topproto ", 1);
	assert_completed(f, "help nodec", "nodecount ", 5);
	assert_completed(f, "top wo", "work ", 4);
	assert_completed(f, "top -or", "-work ", 4);
	assert_completed(f, "peek b", "b\\+ ", 5);
	assert_completed(f, "tags w", "", 5);
}

static void assert_top(struct fixture *f, const char *expected)
{
	const struct merged_profile merged = { .profile = f->p };
	const struct pprof_input in = { &(const struct session_host){}, &merged, false };
	struct out out;
	size_t n;
	out_init_mem(&out);
	assert_null(pprof_report(&in, &f->config, pprof_kind("top", 3), NULL, &out));
	const char *text = out_mem(&out, &n);
	strbuf_reset(&f->answer);
	strbuf_add(&f->answer, text, n);
	assert_string_equal(strbuf_str(&f->answer), expected);
	error_destroy(out_close(&out));
}

static void reports_select_and_leave_the_profile_as_it_is(void **state)
{
	struct fixture *f = *state;
	f->config.sample_index = "cycles";
	f->config.compact_labels = true;
	f->config.select.focus = "work";
	assert_top(f, "Active filters:\n   focus=work\n"
		      "Showing nodes accounting for 6, 60.00% of 10 total\n"
		      "      flat  flat%   sum%        cum   cum%\n"
		      "         6 60.00% 60.00%          6 60.00%  work\n"
		      "         0     0% 60.00%          6 60.00%  main\n");
	f->config.relative = true;
	f->config.select.focus = NULL;
	f->config.select.ignore = "work";
	assert_top(f, "Active filters:\n   ignore=work\n"
		      "Showing nodes accounting for 4, 100% of 4 total\n"
		      "      flat  flat%   sum%        cum   cum%\n"
		      "         2 50.00% 50.00%          2 50.00%  b+\n"
		      "         2 50.00%   100%          4   100%  main\n");
	assert_int_equal(f->p->rows.len, 3);
}

static void an_empty_profile_is_an_error_of_one_report(void **state)
{
	struct fixture *f = *state;
	struct merged_profile merged = { .profile = f->p };
	struct pprof_input in = { &(const struct session_host){}, &merged, false };
	struct out out;
	out_init_mem(&out);
	f->config.sample_index = "sched:sched_switch";
	struct strobe_error *err = pprof_report(&in, &f->config, pprof_kind("top", 3), NULL, &out);
	assert_true(error_is(err, ERROR_NOT_FOUND));
	error_destroy(err);
	in.may_be_empty = true;
	assert_null(pprof_report(&in, &f->config, pprof_kind("top", 3), NULL, &out));
	error_destroy(out_close(&out));
}

static void sources_are_read_as_far_as_needed(void **state)
{
	struct fixture *f = *state;
	struct profile_sources s = {};
	pprof_choose_sources(&f->config, NULL, &s);
	assert_null(s.value);
	assert_false(s.may_copy || s.may_stream);
	pprof_choose_sources(&f->config, pprof_kind("top", 3), &s);
	assert_string_equal(s.value, "");
	assert_true(s.may_stream);
	assert_false(s.may_copy || s.needs_labels || s.symbolize.names_only);
	s = (struct profile_sources){};
	f->config.no_inlines = true;
	pprof_choose_sources(&f->config, pprof_kind("svg", 3), &s);
	assert_true(s.may_stream && s.needs_labels && s.symbolize.names_only);
	s = (struct profile_sources){};
	pprof_choose_sources(&f->config, pprof_kind("proto", 5), &s);
	assert_null(s.value);
	assert_true(s.may_copy);
	f->config.labels.root = "comm";
	pprof_choose_sources(&f->config, pprof_kind("proto", 5), &s);
	assert_false(s.may_copy);
}

static void pages_begin_with_the_settings(void **state)
{
	struct fixture *f = *state;
	f->config.select.focus = "work";
	f->config.trim = false;
	const char *const *at = pprof_config_page(&f->config, &f->arena);
	for (; *at; at += 2)
		if (at[1])
			strbuf_addf(&f->answer, "%s=%s ", at[0], at[1]);
	assert_string_equal(strbuf_str(&f->answer), "f=work g=functions sort=flat n=0 nf=0 ef=0 ");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(settings_are_set_by_name),
		TEST(values_are_selected_by_their_names),
		TEST(commands_have_settings_of_their_own),
		TEST(words_are_completed),
		TEST(reports_select_and_leave_the_profile_as_it_is),
		TEST(an_empty_profile_is_an_error_of_one_report),
		TEST(sources_are_read_as_far_as_needed),
		TEST(pages_begin_with_the_settings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

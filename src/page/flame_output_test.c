#include "base/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "exchange/exchange.h"
#include "page/flame_output.h"

static const struct session_host host;

struct fixture {
	char path[40], base[40];
	struct flame_output_options o;
	struct flame_output f;
	struct strbuf text;
};

static void write_text(char path[static 40], const char *text)
{
	strcpy(path, "/tmp/strobe-flames-XXXXXX");
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static void set_up(struct fixture *f, const char *text)
{
	*f = (struct fixture){ .o = { .svg = flamegraph_defaults(), .input = f->path, .in.server.seconds = -1 } };
	write_text(f->path, text);
}

static void tear_down(struct fixture *f)
{
	flame_output_deinit(&f->f);
	strbuf_deinit(&f->text);
	unlink(f->path);
	if (*f->base)
		unlink(f->base);
}

static const char *written(struct fixture *f)
{
	struct out out;
	size_t n;
	out_init_mem(&out);
	assert_ok(flame_output_write(&f->f, &out));
	const char *text = out_mem(&out, &n);
	strbuf_add(&f->text, text, n);
	error_destroy(out_close(&out));
	return strbuf_str(&f->text);
}

static void folded_stacks_are_merged(void **state)
{
	struct fixture f;
	set_up(&f, "a;b_[k] 2\na;c 3\na;b_[k] 4\n");
	f.o.folded = true;
	assert_ok(flame_output_read(&f.f, &host, &f.o));
	assert_ok(flame_output_prepare(&f.f));
	assert_string_equal(written(&f), "a;b_[k] 6\na;c 3\n");
	tear_down(&f);
}

static void two_values_are_compared(void **state)
{
	struct fixture f;
	set_up(&f, "a;b 2 5\na;c 3 3\n");
	assert_ok(flame_output_read(&f.f, &host, &f.o));
	assert_ok(flame_output_prepare(&f.f));
	const struct profile *p = f.f.profile;
	assert_true(f.f.o.svg.has_base);
	assert_string_equal(profile_event_name(p, f.f.o.svg.base_event), FOLDED_BASE_EVENT);
	assert_string_equal(profile_event_name(p, f.f.o.svg.event), "samples");
	assert_non_null(strstr(written(&f), "<svg"));
	tear_down(&f);
}

static void a_base_is_joined(void **state)
{
	struct fixture f;
	set_up(&f, "a;b 2\n");
	write_text(f.base, "a;b 5\na;d 1\n");
	f.o.base = f.base;
	assert_ok(flame_output_read(&f.f, &host, &f.o));
	assert_ok(flame_output_prepare(&f.f));
	const struct profile *p = f.f.profile;
	assert_int_equal(p->events.len, 2);
	assert_string_equal(profile_event_name(p, f.f.o.svg.base_event), HTML_BASE_PREFIX "samples");
	assert_int_equal(p->events.data[f.f.o.svg.base_event].value, 6);
	assert_int_equal(f.f.in.profile->events.len, 1);
	tear_down(&f);
}

static void an_unknown_event_names_the_others(void **state)
{
	struct fixture f;
	set_up(&f, "a;b 2\n");
	f.o.event = "cycles";
	assert_ok(flame_output_read(&f.f, &host, &f.o));
	struct strobe_error *err = flame_output_prepare(&f.f);
	assert_true(error_is(err, ERROR_NOT_FOUND));
	assert_string_equal(err->message, "the recording has no event 'cycles'; its events: samples");
	error_destroy(err);
	tear_down(&f);
}

static void refuse(struct flame_output_options o, const char *part)
{
	struct strobe_error *err = flame_output_check(&o);
	assert_true(error_is(err, ERROR_USAGE));
	assert_non_null(strstr(err->message, part));
	error_destroy(err);
}

static void options_that_exclude_each_other(void **state)
{
	(void)state;
	struct flame_output_options plain = { .svg = flamegraph_defaults(), .folded = true }, o = plain;
	assert_ok(flame_output_check(&o));
	o.base = "base";
	refuse(o, "--diff-base cannot be combined with --folded");
	o.folded = false;
	assert_ok(flame_output_check(&o));
	o.colours_file = "palette.map";
	refuse(o, "--cp cannot be combined with --diff-base");
	o = plain;
	o.svg.in_time = true;
	refuse(o, "--flamechart");
	o = plain;
	o.svg.normalize = true;
	refuse(o, "--normalize");
}

static void pages_have_no_options_of_pictures(void **state)
{
	(void)state;
	struct flame_output_options o = { .svg = flamegraph_defaults() };
	assert_false(flame_output_has_picture_options(&o));
	o.svg.title = "title";
	assert_false(flame_output_has_picture_options(&o));
	o.svg.reverse = true;
	assert_true(flame_output_has_picture_options(&o));
	o = (struct flame_output_options){ .svg = flamegraph_defaults(), .folded = true };
	assert_true(flame_output_has_picture_options(&o));
	o = (struct flame_output_options){ .svg = flamegraph_defaults() };
	o.svg.width++;
	assert_true(flame_output_has_picture_options(&o));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folded_stacks_are_merged),
		cmocka_unit_test(two_values_are_compared),
		cmocka_unit_test(a_base_is_joined),
		cmocka_unit_test(an_unknown_event_names_the_others),
		cmocka_unit_test(options_that_exclude_each_other),
		cmocka_unit_test(pages_have_no_options_of_pictures),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Keys as they are typed, what they change, and what the terminal shows of it. */
#include "view/live/keys.h"

#include "base/testing.h"

static const struct live_key_event events[] = { { "cycles", false }, { "dummy:u", true }, { "page-faults", false } };

struct typing {
	struct live_display display;
	struct live_keys keys;
	struct out out;
};

static void begin(struct typing *t)
{
	*t = (struct typing){ .display.sampling.delay_s = 2 };
	t->keys = (struct live_keys){ .display = &t->display, .events = events, .events_nr = 3, .rows = 24, .columns = 80 };
	out_init_mem(&t->out);
}

/* All of the text; returns what the last key did. */
static enum live_key_result type(struct typing *t, const char *text)
{
	enum live_key_result result = LIVE_KEY_NONE;
	error_destroy(out_close(&t->out));
	out_init_mem(&t->out);
	for (; *text; text++)
		result = live_keys_take(&t->keys, *text, &t->out);
	return result;
}

static void assert_shown(const struct typing *t, const char *expected)
{
	size_t n;
	const char *p = out_mem(&t->out, &n);
	assert_non_null(memmem(p, n, expected, strlen(expected)));
}

static void end(struct typing *t)
{
	error_destroy(out_close(&t->out));
}

static void flags_turn_over_at_once(void **state)
{
	struct typing t;
	begin(&t);
	assert_int_equal(type(&t, "K"), LIVE_KEY_REFRESH);
	assert_true(t.display.sampling.hide_kernel);
	assert_false(t.display.sampling.hide_user);
	assert_int_equal(type(&t, "KUz"), LIVE_KEY_REFRESH);
	assert_false(t.display.sampling.hide_kernel);
	assert_true(t.display.sampling.hide_user);
	assert_true(t.display.sampling.last_only);
	assert_int_equal(type(&t, " "), LIVE_KEY_REFRESH);
	assert_int_equal(type(&t, "q"), LIVE_KEY_QUIT);
	assert_int_equal(type(&t, "Q"), LIVE_KEY_QUIT);
	end(&t);
}

static void values_are_typed(void **state)
{
	struct typing t;
	begin(&t);
	assert_int_equal(type(&t, "d0."), LIVE_KEY_NONE);
	assert_shown(&t, "\033[24;1H\033[Kseconds between refreshes: 0.");
	assert_int_equal(type(&t, "56\177\n"), LIVE_KEY_REFRESH);
	assert_true(t.display.sampling.delay_s == 0.5);
	assert_int_equal(type(&t, "d0\n"), LIVE_KEY_NONE); /* too fast */
	assert_true(t.display.sampling.delay_s == 0.5);
	assert_int_equal(type(&t, "d3\033"), LIVE_KEY_NONE);
	assert_true(t.display.sampling.delay_s == 0.5);
	assert_int_equal(type(&t, "e12\n"), LIVE_KEY_REFRESH);
	assert_int_equal(t.display.rows, 12);
	assert_int_equal(type(&t, "f7\r"), LIVE_KEY_REFRESH);
	assert_int_equal(t.display.samples_above, 7);
	assert_int_equal(type(&t, "F101\n"), LIVE_KEY_NONE);
	assert_int_equal(type(&t, "F10\n"), LIVE_KEY_REFRESH);
	assert_true(t.display.code_least_percent == 10);
	end(&t);
}

static void one_event_of_several(void **state)
{
	struct typing t;
	begin(&t);
	type(&t, "E");
	assert_shown(&t, "event (0 cycles, 2 page-faults, all): ");
	assert_int_equal(type(&t, "2\n"), LIVE_KEY_REFRESH);
	assert_int_equal(t.display.event, 3);
	assert_int_equal(type(&t, "E3\n"), LIVE_KEY_REFRESH); /* there is none: all */
	assert_int_equal(t.display.event, 0);
	end(&t);
}

static void code_of_a_function(void **state)
{
	struct typing t;
	begin(&t);
	assert_int_equal(type(&t, "s\n"), LIVE_KEY_NONE);
	assert_null(t.display.function);
	assert_int_equal(type(&t, "smain\n"), LIVE_KEY_REFRESH);
	assert_string_equal(t.display.function, "main");
	for (unsigned i = 0; i < 300; i++)
		type(&t, i ? "x" : "s");
	assert_int_equal(type(&t, "\n"), LIVE_KEY_REFRESH);
	assert_int_equal(strlen(t.display.function), 255);
	assert_int_equal(type(&t, "S"), LIVE_KEY_REFRESH);
	assert_null(t.display.function);
	end(&t);
}

static void other_keys_list_all(void **state)
{
	struct typing t;
	begin(&t);
	t.display.samples_above = 3;
	assert_int_equal(type(&t, "?"), LIVE_KEY_NONE);
	assert_true(t.keys.is_listed);
	assert_shown(&t, "  [d]     seconds between refreshes                (2)");
	assert_shown(&t, "  [e]     rows                                     (automatic)");
	assert_shown(&t, "  [f]     only rows with more samples than         (3)");
	assert_shown(&t, "  [K]     hide kernel samples                      (no)");
	assert_shown(&t, "  [Space] refresh at once\033[K\n");
	assert_int_equal(type(&t, "?"), LIVE_KEY_REFRESH); /* back to the report */
	assert_false(t.keys.is_listed);
	type(&t, "?");
	assert_int_equal(type(&t, "e"), LIVE_KEY_REFRESH);
	assert_false(t.keys.is_listed);
	assert_shown(&t, "rows (0: automatic): ");
	end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flags_turn_over_at_once),
		cmocka_unit_test(values_are_typed),
		cmocka_unit_test(one_event_of_several),
		cmocka_unit_test(code_of_a_function),
		cmocka_unit_test(other_keys_list_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

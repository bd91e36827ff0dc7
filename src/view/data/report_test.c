#include "view/view_testing.h"

#include <stdlib.h>

#include "view/data/data.h"

static const uint32_t first_event[] = { 0 };

/* One function called by another, and a name that needs quoting in both formats. */
static const struct test_sample samples[] = { { "a,b", "main>say\"hi\"", 30 }, { "c", "main", 10 } };

static char *written(void (*write)(struct out *, const struct report *), bool chains)
{
	struct profile *p = test_profile(samples, 2);
	struct hist_key keys[2] = { { .column = &columns[COLUMN_COMM] }, { .column = &columns[COLUMN_SYMBOL] } };
	struct hist_key fields[3] = { { .column = &columns[COLUMN_OVERHEAD] }, keys[0], keys[1] };
	for (int i = 0; i < 2; i++)
		hist_key_bind(&keys[i], p);
	for (int i = 0; i < 3; i++)
		hist_key_bind(&fields[i], p);
	struct hist *h = hist_create(p, (struct hist_options){ .events = first_event, .events_nr = 1, .keys = keys,
							       .keys_nr = 2, .callee_first = true });
	hist_sort(h, fields, 3, 0);
	struct report_part part = { .hist = h, .event_name = "cycles", .samples = 2, .period = 40, .has_chains = chains };
	struct report r = { .parts = &part, .parts_nr = 1, .fields = fields, .fields_nr = 3, .show_chains = chains,
			    .chains = { .mode = CALLTREE_GRAPH, .callee_first = true, .threads = 1 } };
	struct out o;
	size_t n;
	out_init_mem(&o);
	write(&o, &r);
	const char *text = out_mem(&o, &n);
	char *copy = strndup(text, n);
	assert_ok(out_close(&o));
	hist_destroy(h);
	profile_destroy(p);
	return copy;
}

static void csv(void **state)
{
	char *text = written(data_report_csv, false);
	assert_string_equal(text, "event,overhead,comm,symbol\n"
				  "cycles,75.0000,\"a,b\",\"say\"\"hi\"\"\"\n"
				  "cycles,25.0000,c,main\n");
	free(text);
}

/* The text without its blanks outside of strings. */
static void squeeze(char *text)
{
	char *to = text;
	bool inside = false;
	for (char *at = text; *at; at++) {
		if (*at == '"' && (at == text || at[-1] != '\\'))
			inside = !inside;
		if (inside || (*at != ' ' && *at != '\n'))
			*to++ = *at;
	}
	*to = '\0';
}

static void json(void **state)
{
	char *text = written(data_report_json, true);
	squeeze(text);
	assert_non_null(strstr(text, "{\"format\":\"strobe-report\",\"version\":1,\"lost_samples\":0,\"call_order\":\"callee\","
				     "\"events\":[{"
				     "\"name\":\"cycles\",\"samples\":2,\"period\":40,\"rows\":[{\"comm\":\"a,b\","
				     "\"symbol\":\"say\\\"hi\\\"\",\"values\":[{\"event\":\"cycles\",\"self\":{\"percent\":75,"
				     "\"period\":30,\"samples\":1},\"interval95\":["));
	assert_non_null(strstr(text, "\"calls\":[{\"frames\":[\"say\\\"hi\\\"\",\"main\"],\"percent\":75,\"period\":30,"
				     "\"samples\":1,\"self_period\":30}]"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(csv), cmocka_unit_test(json) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

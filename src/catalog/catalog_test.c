/* The catalog of a fake machine: the selection by a word, and entries as text, as data and as names. */
#include "base/testing.h"

#include <errno.h>

#include "catalog/catalog.h"
#include "sys/faked.h"
#include "view/data/table_data.h"
#include "view/text/table_text.h"

static const struct session_host nobody;

static struct sys_faked *machine(void)
{
	struct sys_faked *f = sys_faked_create();
	sys_faked_file(f, "/sys/bus/event_source/devices/cpu/type", "4\n");
	sys_faked_file(f, "/sys/bus/event_source/devices/cpu/format/event", "config:0-7\n");
	sys_faked_file(f, "/sys/bus/event_source/devices/cpu/events/mem-loads", "event=0x3c\n");
	sys_faked_file(f, "/sys/bus/event_source/devices/power/type", "9\n");
	sys_faked_file(f, "/sys/bus/event_source/devices/power/format/event", "config:0-7\n");
	sys_faked_file(f, "/sys/bus/event_source/devices/power/events/energy-pkg", "event=0x2\n");
	sys_faked_file(f, "/sys/bus/event_source/devices/power/events/energy-pkg.unit", "Joules\n");
	/* Of the software events only page faults are supported. */
	sys_faked_answer(f, (struct sys_faked_answer){ .match = MATCH_TYPE | MATCH_CONFIG, .type = PERF_TYPE_SOFTWARE,
						       .config = PERF_COUNT_SW_PAGE_FAULTS });
	sys_faked_answer(f, (struct sys_faked_answer){ .errnum = ENOENT });
	return f;
}

/* libpfm4 still detects the processor: the words match no vendor event (these have no '-', and none is a time). */
static void assert_text(struct catalog_settings settings, const char *word, const char *expected)
{
	struct sys_faked *f = machine();
	struct catalog c;
	struct out out;
	catalog_init(&c, &nobody, sys_faked_sys(f), &settings);
	catalog_add(&c, word);
	out_init_mem(&out);
	if (settings.form == CATALOG_NAMES)
		catalog_names(&c, &out);
	else if (settings.form == CATALOG_DATA)
		table_json_rows(&out, &c.table);
	else
		table_text(&out, &c.table, NULL);
	out_ch(&out, '\0');
	assert_string_equal(out.buf, expected);
	assert_ok(out_close(&out));
	catalog_deinit(&c);
	sys_faked_destroy(f);
}

static void words_select_kinds_or_match(void **state)
{
	static const char faults[] = "  page-faults OR faults                              [Software event]\n";
	static const char tools[] = "  duration_time                                      [Tool event]\n"
				    "  user_time                                          [Tool event]\n"
				    "  system_time                                        [Tool event]\n";
	static const char pmu[] = "  mem-loads OR cpu/mem-loads/                        [Kernel PMU event]\n"
				  "  power/energy-pkg/                                  [Kernel PMU event]\n";
	struct catalog_settings s = {};
	char software[sizeof(faults) + sizeof(tools)];
	strcpy(software, faults);
	strcat(software, tools);
	assert_text(s, "sw", software);
	assert_text(s, "tool", tools);
	assert_text(s, "pmu", pmu);
	assert_text(s, "PAGE-F", faults);
	assert_text(s, "hw", "");
	assert_text(s, "faults:u", "");
	s.unit = "power";
	assert_text(s, "pmu", strchr(pmu, '\n') + 1);
}

static void descriptions_and_encodings_stand_below(void **state)
{
	struct catalog_settings s = { .details = true };
	assert_text(s, "energy-pkg", "  power/energy-pkg/                                  [Kernel PMU event]\n"
				     "        power/event=0x2/\n");
	s = (struct catalog_settings){ .descriptions = true, .columns = 41 };
	assert_text(s, "duration_time", "  duration_time                                      [Tool event]\n"
					"       [Time from the beginning of the\n        count to its end, in\n        nanoseconds]\n");
}

static void data_have_the_keys_of_perf_or_ours(void **state)
{
	struct catalog_settings s = { .form = CATALOG_DATA };
	assert_text(s, "energy-pkg", "[\n  {\n    \"pmu\": \"power\",\n    \"event\": \"power/energy-pkg/\",\n    \"unit\": \"Joules\",\n"
				     "    \"type\": \"Kernel PMU event\",\n    \"encoding\": \"power/event=0x2/\"\n  }\n]\n");
	s.has_perf_keys = true;
	assert_text(s, "energy-pkg", "[\n  {\n    \"Unit\": \"power\",\n    \"EventName\": \"power/energy-pkg/\",\n"
				     "    \"ScaleUnit\": \"Joules\",\n"
				     "    \"EventType\": \"Kernel PMU event\",\n    \"Encoding\": \"power/event=0x2/\"\n  }\n]\n");
	assert_text(s, "metricgroup", "[]\n");
}

static void names_are_those_of_events(void **state)
{
	struct catalog_settings s = { .form = CATALOG_NAMES };
	assert_text(s, "pmu", "mem-loads power/energy-pkg/ \n");
	assert_text(s, "metric", "\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_select_kinds_or_match),
		cmocka_unit_test(descriptions_and_encodings_stand_below),
		cmocka_unit_test(data_have_the_keys_of_perf_or_ours),
		cmocka_unit_test(names_are_those_of_events),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

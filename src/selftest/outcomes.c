#include "selftest/outcomes.h"

static const struct {
	const char *word;
	enum table_mark mark;
} states[] = {
	[SELFTEST_OK] = { "Ok", TABLE_GOOD },
	[SELFTEST_SKIPPED] = { "Skip", TABLE_DIM },
	[SELFTEST_FAILED] = { "FAILED!", TABLE_BAD },
};

void selftest_line(struct out *out, size_t number, const struct selftest *t, const struct selftest_outcome *o, bool with_time)
{
	out_f(out, "%3zu: %-50s: %s", number, selftest_name(t), o ? states[o->state].word : "");
	if (o && *o->reason) {
		out_str(out, " (");
		out_text_str(out, o->reason);
		out_ch(out, ')');
	}
	if (o && with_time)
		out_f(out, "  %.3f s", o->seconds);
	out_ch(out, '\n');
	out_flush(out);
}

void selftest_table_add(struct table *t, size_t number, const struct selftest *test, const struct selftest_outcome *o)
{
	table_row(t);
	table_set_count(t, 0, number);
	table_set_text(t, 1, selftest_subject(test));
	table_set_text(t, 2, selftest_name(test));
	if (!o)
		return;
	table_set_text(t, 3, states[o->state].word);
	table_mark(t, 3, states[o->state].mark);
	if (*o->reason)
		table_set_text(t, 4, o->reason);
	table_set_number(t, 5, o->seconds);
}

void selftest_table_init(struct table *t)
{
	table_init(t, "strobe-test", 1);
	table_column(t, (struct table_column){ .key = "number", .type = TABLE_COUNT });
	table_column(t, (struct table_column){ .key = "subject" });
	table_column(t, (struct table_column){ .key = "name" });
	table_column(t, (struct table_column){ .key = "outcome" });
	table_column(t, (struct table_column){ .key = "reason" });
	table_column(t, (struct table_column){ .key = "seconds", .type = TABLE_NUMBER, .decimals = 3 });
}

#include "view/trace/summary.h"

#include "view/data/table_data.h"
#include "view/text/table_text.h"

/* After JSON lines: one more line, an object with one member that has the members of the document. */
static void write_line(struct out *out, const struct table *t)
{
	struct json j;
	json_init(&j, out, false);
	json_object(&j);
	json_key(&j, "summary");
	json_object(&j);
	table_json_members(&j, t);
	json_end(&j);
	json_end(&j);
	out_ch(out, '\n');
}

static void write_text(struct out *out, const struct syscall_stats *stats, struct syscall_stats_style style)
{
	out_str(out, "\n Summary of events:\n\n");
	for (size_t i = 0; i < stats->threads.len && !out_failed(out); i++) {
		struct table t;
		if (!stats->threads.data[i].rows.len)
			continue;
		syscall_stats_fill_block(&t, stats, &stats->threads.data[i], style);
		table_text(out, &t, NULL);
		table_deinit(&t);
	}
}

void trace_functions_write(struct out *out, const struct table *t, const struct trace_format *format, bool alone)
{
	if (format != &trace_format_json) {
		out_str(out, "\n Summary of functions:\n\n");
		table_text(out, t, NULL);
	} else if (alone) {
		table_json(out, t);
	} else {
		write_line(out, t);
	}
}

void trace_summary_write(struct out *out, const struct syscall_stats *stats, struct syscall_stats_style style,
			 const struct trace_format *format, bool alone)
{
	struct table t;
	if (format != &trace_format_json) {
		write_text(out, stats, style);
		return;
	}
	syscall_stats_fill_tree(&t, stats);
	if (alone)
		table_json(out, &t);
	else
		write_line(out, &t);
	table_deinit(&t);
}

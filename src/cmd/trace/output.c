#include "cmd/trace/output.h"

#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cmd/cmd.h"
#include "view/trace/summary.h"

/* Few large writes are faster than many small ones. */
#define OUTPUT_BYTES (256 << 10)

struct strobe_error *trace_output_open(struct trace_output *t, const struct trace_options *o)
{
	const char *file = o->output;
	t->o = o;
	/* As in strace, except for formats that programs read. */
	t->fd = o->display.format != &trace_format_text ? STDOUT_FILENO : STDERR_FILENO;
	if (file && !strcmp(file, "-")) {
		t->fd = STDOUT_FILENO;
	} else if (file) {
		t->fd = -1;
		TRY(file_open_output(file, false, &t->fd));
	}
	out_init_fd(&t->out, t->fd);
	out_reserve(&t->out, OUTPUT_BYTES);
	return NULL;
}

void trace_output_begin(struct trace_output *t, struct trace_tasks *tasks, const struct sys *sys, bool has_one_task)
{
	t->enums = sys ? enum_names_create(sys) : NULL;
	t->writer = (struct trace_writer){
		.display = &t->o->display,
		.out = &t->out,
		.tasks = tasks,
		.enums = t->enums,
		.no_task = has_one_task,
		.no_lines = t->o->summary.only,
	};
	trace_writer_begin(&t->writer);
}

void trace_output_end(struct trace_output *t, const struct syscall_stats *stats)
{
	const struct trace_options *o = t->o;
	struct syscall_stats_style style = { .errnos = o->summary.errnos, .histograms = o->histograms, .max_rows = o->max_summary };
	trace_writer_end(&t->writer);
	if (stats)
		trace_summary_write(&t->out, stats, style, o->display.format, o->summary.only);
}

struct strobe_error *trace_output_close(struct trace_output *t, struct strobe_error *err)
{
	const char *name = t->o && t->o->output ? t->o->output : "to standard error";
	trace_writer_end(&t->writer);
	enum_names_destroy(t->enums);
	struct strobe_error *write_error = t->fd >= 0 ? out_close_file(&t->out, name) : NULL;
	if (err)
		error_destroy(write_error);
	else
		err = write_error;
	if (t->fd > STDERR_FILENO)
		close(t->fd);
	return err;
}

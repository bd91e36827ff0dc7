#include "cmd/stat/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/terminal.h"
#include "cmd/cmd.h"

struct strobe_error *stat_output_open(struct stat_output *s, const struct stat_options *o)
{
	/* As in perf, except for documents that programs read. */
	*s = (struct stat_output){ .options = o, .fd = o->form.json_document ? STDOUT_FILENO : STDERR_FILENO };
	/* For stat record -o is the recording. */
	const char *file = o->record ? NULL : o->output;
	if (file && o->log_fd >= 0)
		return error_create(ERROR_USAGE, "-o and --log-fd exclude each other");
	if (o->append && !file)
		return error_create(ERROR_USAGE, "--append requires -o");
	if (file && strcmp(file, "-")) {
		TRY(file_open_output(file, o->append, &s->fd));
		s->owned = true;
	} else if (file) {
		s->fd = STDOUT_FILENO;
	} else if (o->log_fd >= 0) {
		if (fcntl((int)o->log_fd, F_GETFD) < 0)
			return error_create(ERROR_USAGE, "--log-fd %d: no such open descriptor", (int)o->log_fd);
		s->fd = (int)o->log_fd;
	}
	out_init_fd(&s->out, s->fd);
	bool plain = counts_form_is_text(&o->form);
	counts_writer_begin(&s->writer, &o->form, &s->out, plain && terminal_colour(COLOUR_AUTO, s->fd, false));
	if (s->owned && plain) {
		time_t now = time(NULL);
		char text[32] = "";
		out_f(&s->out, "# started on %s\n", ctime_r(&now, text) ? text : "\n");
	}
	return NULL;
}

struct strobe_error *stat_output_close(struct stat_output *s)
{
	counts_writer_end(&s->writer);
	struct strobe_error *err = out_close(&s->out);
	if (s->owned && close(s->fd) && !err)
		err = error_errno(errno, "cannot write %s", s->options->output);
	return err;
}

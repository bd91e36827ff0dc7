#include "cmd/stat/output.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/terminal.h"
#include "cmd/cmd.h"
#include "view/data/counts_csv.h"
#include "view/data/counts_json.h"
#include "view/data/table_data.h"
#include "view/text/table_text.h"

#define CLEAR_SCREEN "\033[H\033[2J"

/* The user's separator between groups of digits; the program itself stays in the C locale. */
static char *thousands_separator(void)
{
	locale_t locale = newlocale(LC_NUMERIC_MASK, "", (locale_t)0);
	if (!locale)
		return xstrdup("");
	char *separator = xstrdup(nl_langinfo_l(THOUSEP, locale));
	freelocale(locale);
	return separator;
}

struct strobe_error *stat_output_open(struct stat_output *s, const struct stat_options *o)
{
	/* As perf, unless it is for a program to read. */
	*s = (struct stat_output){ .options = o, .fd = o->json_document ? STDOUT_FILENO : STDERR_FILENO };
	/* The file of stat record is its recording. */
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
	bool plain = stat_options_is_plain(o);
	s->thousands = o->big_num && plain ? thousands_separator() : xstrdup("");
	s->text = (struct counts_text){
		.colour = plain && terminal_colour(COLOUR_AUTO, s->fd, false),
		.thousands = s->thousands,
		.clear = o->interval_clear ? CLEAR_SCREEN : NULL,
		.table = o->table,
	};
	if (s->owned && plain) {
		time_t now = time(NULL);
		char text[32] = "";
		out_f(&s->out, "# started on %s\n", ctime_r(&now, text) ? text : "\n");
	}
	return NULL;
}

void stat_output_show(void *ctx, struct counts *c)
{
	struct stat_output *s = ctx;
	const struct stat_options *o = s->options;
	if (o->quiet)
		return;
	if (o->json_document) {
		if (!s->json_begun)
			counts_json_begin(&s->json, &s->out, c->target);
		s->json_begun = true;
		counts_json_add(&s->json, c);
	} else if (o->json) {
		counts_json_lines(&s->out, c);
	} else if (o->separator) {
		counts_csv(&s->out, c, o->separator, o->no_csv_summary);
	} else {
		counts_text(&s->text, &s->out, c);
	}
	out_flush(&s->out);
}

void stat_output_table(struct stat_output *s, const struct table *t)
{
	const struct stat_options *o = s->options;
	if (o->json || o->json_document) {
		table_json(&s->out, t);
	} else if (o->separator) {
		table_csv(&s->out, t, o->separator);
	} else {
		out_str(&s->out, "\n Performance counter stats compared\n\n");
		table_text(&s->out, t, NULL);
		out_ch(&s->out, '\n');
	}
}

struct strobe_error *stat_output_close(struct stat_output *s)
{
	if (s->json_begun)
		counts_json_end(&s->json);
	struct strobe_error *err = out_close(&s->out);
	if (s->owned && close(s->fd) && !err)
		err = error_errno(errno, "cannot write %s", s->options->output);
	free(s->thousands);
	return err;
}

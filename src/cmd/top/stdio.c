/* top: one report after the other as text or JSON, on a terminal each over the last. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/color.h"
#include "cmd/top/run.h"
#include "view/text/text.h"

struct screen {
	struct out out;
	bool is_tty, has_keys;
	struct termios saved;
	const struct question *asked; /* what is being typed answers it */
	char typed[256];
	size_t typed_nr;
};

static bool take_delay(struct top_run *t, const char *text)
{
	double s;
	if (!text_to_f64(text, &s) || !top_delay_is_sane(s))
		return false;
	t->o->delay_s = s;
	return true;
}

static bool take_entries(struct top_run *t, const char *text)
{
	return text_to_u64(text, &t->o->entries);
}

static bool take_least(struct top_run *t, const char *text)
{
	return text_to_u64(text, &t->o->count_filter);
}

/* Costs of instructions come in from here on. */
static bool take_function(struct top_run *t, const char *text)
{
	if (!*text)
		return false;
	t->o->annotate = arena_strdup(&t->report.arena, text);
	t->report.tells_addresses = true;
	resolver_tell_addresses(t->report.resolver);
	return true;
}

/* What keys ask for, typed in the last line. */
static const struct question {
	char key;
	const char *text;
	bool (*take)(struct top_run *t, const char *text); /* false: that is no answer */
} questions[] = {
	{ 'd', "seconds between refreshes", take_delay },
	{ 'e', "rows (0: as there is room for)", take_entries },
	{ 'E', "rows (0: as there is room for)", take_entries },
	{ 'f', "only rows with more samples than", take_least },
	{ 's', "code of the function", take_function },
};

/* Keys come one by one and are not shown; Ctrl-C stays a signal. */
static void open_keys(struct screen *s)
{
	struct termios raw;
	if (!s->is_tty || !isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &s->saved))
		return;
	raw = s->saved;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	s->has_keys = !tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

/* The report as lines, no more of them than the terminal has, nor longer: what is beyond would push the top away. */
static void write_clipped(struct out *to, const char *text, size_t n, unsigned rows, unsigned columns)
{
	const char *end = text + n;
	for (unsigned row = 0; text < end && row + 1 < rows; row++) {
		const char *line_end = memchr(text, '\n', (size_t)(end - text));
		line_end = line_end ? line_end : end;
		unsigned at = 0;
		while (text < line_end) {
			const char *from = text;
			if (*text == '\033') { /* our own colours end with m, and take no room */
				const char *m = memchr(text, 'm', (size_t)(line_end - text));
				text = m ? m + 1 : line_end;
			} else {
				text++;
				while (text < line_end && ((unsigned char)*text & 0xc0) == 0x80)
					text++;
				if (at++ >= columns)
					continue;
			}
			out_write(to, from, (size_t)(text - from));
		}
		out_str(to, "\033[K\n");
		text = line_end + 1;
	}
	out_str(to, "\033[J");
}

static struct strobe_error *print_text(struct top_run *t, struct screen *s, struct report_built *b)
{
	struct report *report = &b->report;
	struct strobe_error *err = NULL;
	_cleanup_strbuf_ struct strbuf head = {};
	unsigned columns = terminal_columns(), rows = terminal_rows();
	struct out text;
	top_head(t, &head);
	out_init_mem(&text);
	out_write(&text, head.data, head.len);
	out_ch(&text, '\n');
	out_fill(&text, '-', s->is_tty ? columns : 80);
	out_ch(&text, '\n');
	report->tip = NULL;
	if (cmd_use_colour(t->ctx, t->o->report.colour)) {
		report->colour_high = colour_escape(true, COLOUR_HIGH);
		report->colour_medium = colour_escape(true, COLOUR_MEDIUM);
		report->colour_off = colour_escape(true, COLOUR_RESET);
	}
	if (t->o->annotate)
		err = top_print_code(t, b, &text);
	else
		text_report(&text, report);
	size_t n;
	const char *all = out_mem(&text, &n);
	if (s->is_tty) {
		out_str(&s->out, "\033[H");
		write_clipped(&s->out, all, n, rows, columns);
	} else {
		out_write(&s->out, all, n);
	}
	error_destroy(out_close(&text));
	return err;
}

static void show_question(struct screen *s)
{
	if (!s->asked)
		return;
	out_f(&s->out, "\033[%u;1H\033[K%s: ", terminal_rows(), s->asked->text);
	out_text(&s->out, s->typed, s->typed_nr);
	out_flush(&s->out);
}

static struct strobe_error *print(struct top_run *t, struct screen *s)
{
	struct report_built b = {};
	struct strobe_error *err = NULL;
	TRY(report_build(&t->report, &b));
	b.report.lost_samples = t->refresh.lost_total;
	/* The head takes eleven lines. */
	unsigned rows = s->is_tty ? terminal_rows() : 0;
	top_limit_rows(t, &b, t->o->entries ? t->o->entries : rows > 12 ? rows - 11 : rows);
	if (t->o->report.format == REPORT_JSON)
		data_refresh_json(&s->out, &t->refresh, &b.report);
	else
		err = print_text(t, s, &b);
	report_built_deinit(&t->report, &b);
	show_question(s);
	out_flush(&s->out);
	if (err)
		return err;
	return out_failed(&s->out) ? error_create(ERROR_STOPPED, "nobody reads") : NULL;
}

/* Enter takes the answer, Esc takes the question back. */
static void type_answer(struct top_run *t, struct screen *s, char key, bool *ret_refresh)
{
	if (key == '\n' || key == '\r') {
		s->typed[s->typed_nr] = '\0';
		*ret_refresh = s->asked->take(t, s->typed);
		s->asked = NULL;
	} else if (key == '\033') {
		s->asked = NULL;
	} else if (key == '\177' || key == '\b') {
		s->typed_nr -= s->typed_nr > 0;
	} else if ((unsigned char)key >= ' ' && s->typed_nr + 1 < sizeof(s->typed)) {
		s->typed[s->typed_nr++] = key;
	}
	if (!s->asked && !*ret_refresh)
		out_f(&s->out, "\033[%u;1H\033[K", terminal_rows());
	out_flush(&s->out);
	show_question(s);
}

static void ask(struct screen *s, char key)
{
	for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++)
		if (questions[i].key == key)
			s->asked = &questions[i];
	s->typed_nr = 0;
	show_question(s);
}

static void take_key(struct top_run *t, struct screen *s, char key, bool *ret_refresh)
{
	if (s->asked) {
		type_answer(t, s, key, ret_refresh);
		return;
	}
	*ret_refresh = true;
	switch (key) {
	case 'q':
	case 'Q':
		t->done = true;
		break;
	case 'z':
		t->o->zero = !t->o->zero;
		t->history.mode = t->o->zero ? HISTORY_LAST : HISTORY_FADE;
		break;
	case 'K':
		t->o->hide_kernel = !t->o->hide_kernel;
		top_set_filter(t);
		break;
	case 'U':
		t->o->hide_user = !t->o->hide_user;
		top_set_filter(t);
		break;
	case 'S':
		t->o->annotate = NULL;
		break;
	case ' ':
		break;
	default:
		*ret_refresh = false;
		ask(s, key);
	}
}

static struct strobe_error *wait_for_more(struct top_run *t, struct screen *s, uint64_t until_ns, bool *ret_refresh)
{
	struct pollfd fds[] = {
		{ .fd = t->signals.fd, .events = POLLIN },
		{ .fd = t->gone ? -1 : capture_poll_fd(t->capture, 0), .events = POLLIN },
		{ .fd = s->has_keys ? STDIN_FILENO : -1, .events = POLLIN },
	};
	if (poll(fds, 3, top_wait_ms(t, until_ns)) < 0 && errno != EINTR)
		return error_errno(errno, "cannot wait");
	char key;
	if (fds[2].revents && read(STDIN_FILENO, &key, 1) == 1)
		take_key(t, s, key, ret_refresh);
	top_look_around(t);
	return top_drain(t);
}

static struct strobe_error *loop(struct top_run *t, struct screen *s)
{
	uint64_t next_ns = t->last_ns + top_delay_ns(t);
	while (!t->done) {
		bool refresh = false;
		TRY(wait_for_more(t, s, next_ns, &refresh));
		if (!refresh && !t->gone && !t->done && top_now_ns(t) < next_ns)
			continue;
		next_ns = top_now_ns(t) + top_delay_ns(t);
		/* At its end there is something to be said only where somebody may have missed it. */
		if (t->done && t->refresh.number)
			return NULL;
		TRY(top_refresh(t));
		TRY(print(t, s));
		if (t->gone)
			return NULL;
		if (t->o->refreshes && t->refresh.number >= t->o->refreshes)
			t->done = true;
	}
	return NULL;
}

struct strobe_error *top_stdio(struct top_run *t)
{
	struct screen s = { .is_tty = t->o->report.format == REPORT_STDIO && isatty(STDOUT_FILENO) };
	out_init_fd(&s.out, STDOUT_FILENO);
	open_keys(&s);
	if (s.is_tty)
		out_str(&s.out, "\033[H\033[2J");
	struct strobe_error *err = loop(t, &s);
	struct strobe_error *closed = out_close(&s.out);
	if (s.has_keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &s.saved);
	if (t->gone)
		cmd_say(t->ctx, "everything that was watched has ended");
	if (!err)
		return closed;
	error_destroy(closed);
	return err;
}

/* top: one report after the other as text or JSON, on a terminal each over the last. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cmd/colours.h"
#include "cmd/top/run.h"
#include "view/text/text.h"

/* As much of a function as is worth its place on a terminal: lines with less are left out. */
#define CODE_LEAST_PERCENT 5

struct top_text {
	struct top_run *t;
	struct out out;
	bool is_tty, has_keys;
	struct termios saved;
	uint32_t event;            /* that alone is shown, from 1; 0: all of them */
	double code_least_percent;
	bool shows_keys;           /* what they do, in place of the report */
	const struct stdio_key *asked;   /* what is being typed answers it */
	char typed[256];
	size_t typed_nr;
};

/* ---- what keys do ---- */

static bool take_delay(struct top_text *s, const char *text)
{
	double v;
	if (!text_to_f64(text, &v) || !top_delay_is_sane(v))
		return false;
	s->t->o->delay_s = v;
	return true;
}

static bool take_entries(struct top_text *s, const char *text)
{
	return text_to_u64(text, &s->t->o->entries);
}

static bool take_least(struct top_text *s, const char *text)
{
	return text_to_u64(text, &s->t->o->count_filter);
}

/* A number as it stands in the question; anything else is none of them. */
static bool take_event(struct top_text *s, const char *text)
{
	uint64_t n;
	s->event = text_to_u64(text, &n) && n < capture_env(s->t->capture)->events.len ? (uint32_t)n + 1 : 0;
	return true;
}

static bool take_code_least(struct top_text *s, const char *text)
{
	double v;
	if (!text_to_f64(text, &v) || v < 0 || v > 100)
		return false;
	s->code_least_percent = v;
	return true;
}

static bool take_function(struct top_text *s, const char *text)
{
	struct top_run *t = s->t;
	if (!*text)
		return false;
	t->o->annotate = arena_strdup(&t->report.query.arena, text);
	top_tell_addresses(t);
	return true;
}

static void stop_code(struct top_text *s)
{
	s->t->o->annotate = NULL;
}

static void quit(struct top_text *s)
{
	s->t->done = true;
}

static void tell_delay(const struct top_text *s, struct strbuf *b)
{
	strbuf_addf(b, "%g", s->t->o->delay_s);
}

static void tell_entries(const struct top_text *s, struct strbuf *b)
{
	if (s->t->o->entries)
		strbuf_addf(b, "%llu", (unsigned long long)s->t->o->entries);
	else
		strbuf_addstr(b, "automatic");
}

static void tell_event(const struct top_text *s, struct strbuf *b)
{
	strbuf_addstr(b, s->event ? capture_env(s->t->capture)->events.data[s->event - 1].name : "all");
}

static void tell_least(const struct top_text *s, struct strbuf *b)
{
	strbuf_addf(b, "%llu", (unsigned long long)s->t->o->count_filter);
}

static void tell_code_least(const struct top_text *s, struct strbuf *b)
{
	strbuf_addf(b, "%g%%", s->code_least_percent);
}

static void tell_function(const struct top_text *s, struct strbuf *b)
{
	strbuf_addstr(b, s->t->o->annotate ? s->t->o->annotate : "none");
}

static void ask_event(const struct top_text *s, struct strbuf *b)
{
	const struct env *env = capture_env(s->t->capture);
	strbuf_addstr(b, "event (");
	for (size_t i = 0; i < env->events.len; i++)
		if (!s->t->events.events.data[i].is_dummy)
			strbuf_addf(b, "%zu %s, ", i, env->events.data[i].name);
	strbuf_addstr(b, "all)");
}

#define FLAG(field) offsetof(struct top_options, field)

/* Those that ask take what is typed in the last line; the others do what they do at once, and show what came of it. */
static const struct stdio_key {
	const char *keys, *what;
	size_t flag;                                              /* of the options, turned over by it; 0: none */
	void (*tell)(const struct top_text *s, struct strbuf *b); /* what it is now */
	void (*act)(struct top_text *s);
	bool (*take)(struct top_text *s, const char *text);       /* false: that is no answer */
	const char *question;                                     /* where that is not what it does */
	void (*ask)(const struct top_text *s, struct strbuf *b);  /* in place of it */
} all_keys[] = {
	{ "d", "seconds between refreshes", .tell = tell_delay, .take = take_delay },
	{ "e", "rows", .tell = tell_entries, .take = take_entries, .question = "rows (0: automatic)" },
	{ "E", "event", .tell = tell_event, .take = take_event, .ask = ask_event },
	{ "f", "only rows with more samples than", .tell = tell_least, .take = take_least },
	{ "F", "only code with at least this share", .tell = tell_code_least, .take = take_code_least,
	  .question = "only code with at least this percentage" },
	{ "s", "code of a function", .tell = tell_function, .take = take_function, .question = "code of the function" },
	{ "S", "stop showing code", .act = stop_code },
	{ "K", "hide kernel samples", FLAG(hide_kernel) },
	{ "U", "hide user samples", FLAG(hide_user) },
	{ "z", "only samples since the last refresh", FLAG(zero) },
	{ " ", "refresh at once" },
	{ "qQ", "quit", .act = quit },
};

static bool *flag_of(const struct top_text *s, const struct stdio_key *k)
{
	return (bool *)((char *)s->t->o + k->flag);
}

static void do_at_once(struct top_text *s, const struct stdio_key *k)
{
	struct top_run *t = s->t;
	if (k->act)
		k->act(s);
	if (!k->flag)
		return;
	*flag_of(s, k) = !*flag_of(s, k);
	top_set_filter(t);
	t->history.mode = t->o->zero ? HISTORY_LAST : HISTORY_FADE;
}

/* Whether there is anything to tell. */
static bool tell(const struct top_text *s, const struct stdio_key *k, struct strbuf *b)
{
	if (k->tell)
		k->tell(s, b);
	else if (k->flag)
		strbuf_addstr(b, *flag_of(s, k) ? "yes" : "no");
	return k->tell || k->flag;
}

/* Who is in the background has no terminal to set. */
static bool is_in_front(void)
{
	return tcgetpgrp(STDIN_FILENO) == getpgrp();
}

/*
 * Keys come one by one and are not shown; Ctrl-C stays a signal. Said again at each refresh: whoever was stopped and goes on has the
 * terminal as the shell had it.
 */
static void take_terminal(struct top_text *s)
{
	struct termios raw = s->saved;
	if (!s->has_keys || !is_in_front())
		return;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

static void open_keys(struct top_text *s)
{
	s->has_keys = s->is_tty && isatty(STDIN_FILENO) && !tcgetattr(STDIN_FILENO, &s->saved);
	take_terminal(s);
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

/* One event of several, as E has it. A report of events that have no samples may lack it. */
static struct report choose_event(const struct top_text *s, const struct report *r)
{
	struct report ret = *r;
	if (!s->event)
		return ret;
	const char *name = capture_env(s->t->capture)->events.data[s->event - 1].name;
	for (uint32_t i = 0; i < r->parts_nr; i++)
		if (!strcmp(r->parts[i].event_name, name)) {
			ret.parts = r->parts + i;
			ret.parts_nr = 1;
		}
	return ret;
}

/* The same for a pipe: a log of a busy machine, with call chains, would be of thousands of lines a refresh. */
static void write_first_lines(struct out *to, const char *text, size_t n, unsigned rows)
{
	const char *end = text + n;
	for (unsigned row = 0; text < end && row + 1 < rows; row++) {
		const char *line_end = memchr(text, '\n', (size_t)(end - text));
		size_t bytes = line_end ? (size_t)(line_end - text) + 1 : (size_t)(end - text);
		out_write(to, text, bytes);
		text += bytes;
	}
	if (text < end)
		out_ch(to, '\n');
}

static struct strobe_error *print_text(struct top_text *s, struct report_built *b)
{
	struct top_run *t = s->t;
	struct report report = choose_event(s, &b->report);
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
	struct report_text options = report_text(&t->report);
	options.tip = NULL;
	colour_report(t->ctx, t->o->colour, &options);
	if (t->o->annotate)
		err = top_print_code(t, &report, s->code_least_percent, &text);
	else
		text_report(&text, &report, &options);
	size_t n;
	const char *all = out_mem(&text, &n);
	if (s->is_tty) {
		out_str(&s->out, "\033[H");
		write_clipped(&s->out, all, n, rows, columns);
	} else if (t->o->entries || t->o->annotate) {
		out_write(&s->out, all, n);
	} else {
		write_first_lines(&s->out, all, n, rows);
	}
	error_destroy(out_close(&text));
	return err;
}

static void show_question(struct top_text *s)
{
	_cleanup_strbuf_ struct strbuf text = {};
	if (!s->asked)
		return;
	if (s->asked->ask)
		s->asked->ask(s, &text);
	else
		strbuf_addstr(&text, s->asked->question ? s->asked->question : s->asked->what);
	out_f(&s->out, "\033[%u;1H\033[K%s: ", terminal_rows(), strbuf_str(&text));
	out_text(&s->out, s->typed, s->typed_nr);
	out_flush(&s->out);
}

/* All keys, with what they have been set to: as the reference answers a key that means nothing. */
static void show_keys(struct top_text *s)
{
	struct out text;
	size_t n;
	out_init_mem(&text);
	out_str(&text, "Keys:\n");
	for (size_t i = 0; i < sizeof(all_keys) / sizeof(*all_keys); i++) {
		const struct stdio_key *k = &all_keys[i];
		_cleanup_strbuf_ struct strbuf now = {};
		bool has_value = tell(s, k, &now);
		out_f(&text, has_value ? "  [%s]%*s %-40s (%s)\n" : "  [%s]%*s %s\n", *k->keys == ' ' ? "Space" : k->keys,
		      *k->keys == ' ' ? 0 : 5 - (int)strlen(k->keys), "", k->what, strbuf_str(&now));
	}
	out_str(&text, "Any other key resumes\n");
	const char *all = out_mem(&text, &n);
	out_str(&s->out, "\033[H");
	write_clipped(&s->out, all, n, terminal_rows(), terminal_columns());
	error_destroy(out_close(&text));
	out_flush(&s->out);
}

static struct strobe_error *print(struct top_text *s)
{
	struct top_run *t = s->t;
	struct report_built b = {};
	struct strobe_error *err = NULL;
	take_terminal(s);
	if (s->shows_keys)
		return NULL;
	/* The head takes eleven lines. */
	unsigned rows = t->o->json ? 0 : terminal_rows();
	top_limit_rows(t, t->o->entries ? t->o->entries : rows > 12 ? rows - 11 : rows);
	TRY(report_build(&t->report, &b));
	b.report.lost_samples = t->refresh.lost_total;
	if (t->o->json)
		data_refresh_json(&s->out, &t->refresh, &b.report);
	else
		err = print_text(s, &b);
	report_built_deinit(&t->report, &b);
	show_question(s);
	out_flush(&s->out);
	if (err)
		return err;
	return out_failed(&s->out) ? error_create(ERROR_STOPPED, "the reader closed the pipe") : NULL;
}

/* Enter takes the answer, Esc takes the question back. */
static void type_answer(struct top_text *s, char key, bool *ret_refresh)
{
	if (key == '\n' || key == '\r') {
		s->typed[s->typed_nr] = '\0';
		*ret_refresh = s->asked->take(s, s->typed);
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

static void take_key(struct top_text *s, char key, bool *ret_refresh)
{
	const struct stdio_key *found = NULL;
	if (s->asked) {
		type_answer(s, key, ret_refresh);
		return;
	}
	for (size_t i = 0; key && i < sizeof(all_keys) / sizeof(*all_keys); i++)
		if (strchr(all_keys[i].keys, key))
			found = &all_keys[i];
	bool had_keys = s->shows_keys;
	s->shows_keys = !found && !had_keys;
	*ret_refresh = had_keys || (found && !found->take);
	if (s->shows_keys)
		show_keys(s);
	if (found && !found->take)
		do_at_once(s, found);
	if (!found || !found->take)
		return;
	s->asked = found;
	s->typed_nr = 0;
	show_question(s);
}

static struct strobe_error *wait_for_more(struct top_text *s, uint64_t until_ns, bool *ret_refresh)
{
	struct top_run *t = s->t;
	struct pollfd fds[] = {
		{ .fd = t->signals.fd, .events = POLLIN },
		{ .fd = t->gone ? -1 : capture_poll_fd(t->capture, 0), .events = POLLIN },
		{ .fd = s->has_keys ? STDIN_FILENO : -1, .events = POLLIN },
	};
	if (poll(fds, 3, top_wait_ms(t, until_ns)) < 0 && errno != EINTR)
		return error_errno(errno, "cannot wait");
	char key;
	if (fds[2].revents && read(STDIN_FILENO, &key, 1) == 1)
		take_key(s, key, ret_refresh);
	top_look_around(t);
	return top_drain(t);
}

static struct strobe_error *loop(struct top_text *s)
{
	struct top_run *t = s->t;
	uint64_t next_ns = t->last_ns + top_delay_ns(t);
	while (!t->done) {
		bool refresh = false;
		TRY(wait_for_more(s, next_ns, &refresh));
		if (!refresh && !t->gone && !t->done && top_now_ns(t) < next_ns)
			continue;
		next_ns = top_now_ns(t) + top_delay_ns(t);
		/* At its end there is something to be said only where somebody may have missed it. */
		if (t->done && t->refresh.number)
			return NULL;
		TRY(top_refresh(t));
		TRY(print(s));
		if (t->gone)
			return NULL;
		if (t->o->refreshes && t->refresh.number >= t->o->refreshes)
			t->done = true;
	}
	return NULL;
}

struct strobe_error *top_stdio(struct top_run *t)
{
	struct top_text s = { .t = t, .is_tty = !t->o->json && isatty(STDOUT_FILENO) };
	s.code_least_percent = s.is_tty ? CODE_LEAST_PERCENT : 0;
	out_init_fd(&s.out, STDOUT_FILENO);
	open_keys(&s);
	if (s.is_tty)
		out_str(&s.out, "\033[H\033[2J");
	struct strobe_error *err = loop(&s);
	struct strobe_error *closed = out_close(&s.out);
	if (s.has_keys && is_in_front())
		tcsetattr(STDIN_FILENO, TCSANOW, &s.saved);
	if (t->gone)
		cmd_say(t->ctx, "all targets have exited");
	if (!err)
		return closed;
	error_destroy(closed);
	return err;
}

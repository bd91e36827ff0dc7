/* top: one report after the other as text or JSON, on a terminal each over the last. */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "cmd/colours.h"
#include "cmd/top/run.h"
#include "view/live/keys.h"
#include "view/live/text.h"

/* As much of a function as is worth its place on a terminal: lines with less are left out. */
#define CODE_LEAST_PERCENT 5

struct top_text {
	struct top_run *t;
	struct out out;
	struct live_text text;
	struct live_keys keys;
	struct terminal_keys terminal;
};

static void measure_terminal(struct top_text *s)
{
	s->text.rows = s->keys.rows = terminal_rows();
	s->text.columns = s->keys.columns = terminal_columns();
}

static struct strobe_error *print(struct top_text *s)
{
	terminal_keys_take(&s->terminal); /* after SIGTSTP and SIGCONT the terminal has the settings of the shell */
	if (s->keys.is_listed)
		return NULL;
	measure_terminal(s);
	TRY(live_text(&s->out, &s->t->report, &s->t->o->display, &s->text));
	live_keys_print_question(&s->keys, &s->out);
	out_flush(&s->out);
	return out_failed(&s->out) ? error_create(ERROR_STOPPED, "the reader closed the pipe") : NULL;
}

static bool take_key(struct top_text *s)
{
	struct top_run *t = s->t;
	char key;
	if (read(STDIN_FILENO, &key, 1) != 1)
		return false;
	measure_terminal(s);
	enum live_key_result result = live_keys_take(&s->keys, key, &s->out);
	out_flush(&s->out);
	t->is_done |= result == LIVE_KEY_QUIT;
	live_apply(&t->report.live);
	if (t->o->display.function)
		live_report_separate_addresses(&t->report);
	return result == LIVE_KEY_REFRESH;
}

/* *ret_refresh: before it is due. */
static struct strobe_error *wait_for_more(struct top_text *s, uint64_t due_ns, bool *ret_refresh)
{
	struct live_session *l = &s->t->report.live;
	struct pollfd fds[] = {
		{ .fd = s->t->signals.fd, .events = POLLIN },
		{ .fd = l->has_ended ? -1 : live_poll_fd(l), .events = POLLIN },
		{ .fd = s->terminal.is_open ? STDIN_FILENO : -1, .events = POLLIN },
	};
	if (poll(fds, 3, live_wait_ms(l, due_ns)) < 0 && errno != EINTR)
		return error_errno(errno, "cannot wait");
	*ret_refresh = fds[2].revents && take_key(s);
	top_take_signals(s->t);
	live_look(l);
	return live_drain(l);
}

static struct strobe_error *loop(struct top_text *s)
{
	struct top_run *t = s->t;
	struct live_session *l = &t->report.live;
	uint64_t due_ns = l->last_ns + live_interval_ns(l);
	while (!t->is_done) {
		bool refresh;
		TRY(wait_for_more(s, due_ns, &refresh));
		if (!refresh && !l->has_ended && !t->is_done && live_now_ns(l) < due_ns)
			continue;
		due_ns = live_now_ns(l) + live_interval_ns(l);
		/* At the end there is something to print only where nothing was printed yet. */
		if (t->is_done && l->refresh.number)
			return NULL;
		TRY(live_refresh(l));
		TRY(print(s));
		if (l->has_ended)
			return NULL;
		if (t->o->refreshes && l->refresh.number >= t->o->refreshes)
			return NULL;
	}
	return NULL;
}

struct strobe_error *top_stdio(struct top_run *t)
{
	bool is_terminal = !t->o->json && isatty(STDOUT_FILENO);
	struct top_text s = { .t = t, .text = { .as_json = t->o->json, .is_terminal = is_terminal } };
	if (is_terminal)
		t->o->display.code_least_percent = CODE_LEAST_PERCENT;
	colour_listing(t->ctx, t->o->colour, &s.text.style);
	out_init_fd(&s.out, STDOUT_FILENO);
	live_keys_init(&s.keys, &t->report.live, &t->o->display);
	if (is_terminal) {
		terminal_keys_open(&s.terminal);
		out_str(&s.out, "\033[H\033[2J");
	}
	struct strobe_error *err = loop(&s);
	err = error_first(err, out_close(&s.out));
	terminal_keys_close(&s.terminal);
	live_keys_deinit(&s.keys);
	if (t->report.live.has_ended)
		cmd_say(t->ctx, "all targets have exited");
	return err;
}

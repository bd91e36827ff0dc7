#include "view/live/printing.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "cli/terminal.h"
#include "view/live/keys.h"

/* On a terminal, lines of a function with a smaller share are left out. */
#define CODE_LEAST_PERCENT 5

struct printing {
	struct live_report *report;
	const struct live_print_options *o;
	struct live_text text;
	struct live_keys keys;
	struct terminal_keys terminal;
	bool is_done;
};

static void measure_terminal(struct printing *p)
{
	p->text.rows = p->keys.rows = terminal_rows();
	p->text.columns = p->keys.columns = terminal_columns();
}

static struct strobe_error *print(struct printing *p)
{
	terminal_keys_take(&p->terminal); /* after SIGTSTP and SIGCONT the terminal has the settings of the shell */
	if (p->keys.is_listed)
		return NULL;
	measure_terminal(p);
	TRY(live_text(p->o->out, p->report, p->o->display, &p->text));
	live_keys_print_question(&p->keys, p->o->out);
	out_flush(p->o->out);
	return out_failed(p->o->out) ? error_create(ERROR_STOPPED, "the reader closed the pipe") : NULL;
}

static bool take_key(struct printing *p)
{
	char key;
	if (read(STDIN_FILENO, &key, 1) != 1)
		return false;
	measure_terminal(p);
	enum live_key_result result = live_keys_take(&p->keys, key, p->o->out);
	out_flush(p->o->out);
	p->is_done |= result == LIVE_KEY_QUIT;
	live_apply(&p->report->live);
	if (p->o->display->function)
		live_report_separate_addresses(p->report);
	return result == LIVE_KEY_REFRESH;
}

/* **ret_refresh: refresh before it is due. */
static struct strobe_error *wait_for_more(struct printing *p, uint64_t due_ns, bool *ret_refresh)
{
	struct live_session *l = &p->report->live;
	struct pollfd fds[] = {
		{ .fd = p->o->stop_fd, .events = POLLIN },
		{ .fd = l->has_ended ? -1 : live_poll_fd(l), .events = POLLIN },
		{ .fd = p->terminal.is_open ? STDIN_FILENO : -1, .events = POLLIN },
	};
	if (poll(fds, 3, live_wait_ms(l, due_ns)) < 0 && errno != EINTR)
		return error_errno(errno, "cannot wait");
	*ret_refresh = fds[2].revents && take_key(p);
	p->is_done |= p->o->is_stopped(p->o->ctx);
	live_look(l);
	return live_drain(l);
}

static struct strobe_error *loop(struct printing *p)
{
	struct live_session *l = &p->report->live;
	uint64_t due_ns = l->last_ns + live_interval_ns(l);
	while (!p->is_done) {
		bool refresh;
		TRY(wait_for_more(p, due_ns, &refresh));
		if (!refresh && !l->has_ended && !p->is_done && live_now_ns(l) < due_ns)
			continue;
		due_ns = live_now_ns(l) + live_interval_ns(l);
		/* At the end, print only if nothing was printed yet. */
		if (p->is_done && l->refresh.number)
			return NULL;
		TRY(live_refresh(l));
		TRY(print(p));
		if (l->has_ended)
			return NULL;
		if (p->o->refreshes && l->refresh.number >= p->o->refreshes)
			return NULL;
	}
	return NULL;
}

struct strobe_error *live_print(struct live_report *r, const struct live_print_options *options)
{
	struct printing p = { .report = r, .o = options, .text = options->text };
	live_keys_init(&p.keys, &r->live, options->display);
	if (p.text.is_terminal) {
		options->display->code_least_percent = CODE_LEAST_PERCENT;
		terminal_keys_open(&p.terminal);
		out_str(options->out, "\033[H\033[2J");
	}
	struct strobe_error *err = loop(&p);
	out_flush(options->out);
	terminal_keys_close(&p.terminal);
	live_keys_deinit(&p.keys);
	return err;
}

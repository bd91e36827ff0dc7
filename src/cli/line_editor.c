#include "cli/line_editor.h"

#include <config.h> /* of the build: this room has one of its own name */

void line_choices_add(struct line_choices *c, const char *text)
{
	vec_push(&c->texts, arena_strdup(&c->arena, text));
}

#if !HAVE_HISTEDIT
struct strobe_error *line_editor_create(const char *prompt, line_complete *complete, void *ctx, struct line_editor **ret)
{
	return error_create(ERROR_UNSUPPORTED, "built without libedit");
}

const char *line_editor_read(struct line_editor *e)
{
	return NULL;
}

void line_editor_destroy(struct line_editor *e)
{
}
#else
#include <histedit.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/library.h"
#include "base/mem.h"
#include "base/out.h"
#include "base/strbuf.h"
#include "cli/terminal.h"

#define HISTORY_LINES 1000
#define CHOICES_SHOWN 200
#define COMPLETE "strobe-complete"

struct calls {
	__typeof__(&el_init) init;
	__typeof__(&el_end) end;
	__typeof__(&el_set) set;
	__typeof__(&el_gets) gets;
	__typeof__(&el_line) line;
	__typeof__(&el_source) source;
	__typeof__(&el_insertstr) insert;
	__typeof__(&el_deletestr) delete;
	__typeof__(&history) history;
	__typeof__(&history_init) history_init;
	__typeof__(&history_end) history_end;
};

struct line_editor {
	struct calls call;
	EditLine *el;
	History *past;
	const char *prompt;
	line_complete *complete;
	void *ctx;
	struct strbuf line;
};

static const struct library library = { .files = { "libedit.so.2" }, .missing = "libedit is not installed (libedit2)" };

static struct strobe_error *load(struct calls *ret)
{
	const struct library_symbol symbols[] = {
		{ &ret->init, "el_init" },             { &ret->end, "el_end" },
		{ &ret->set, "el_set" },               { &ret->gets, "el_gets" },
		{ &ret->line, "el_line" },             { &ret->source, "el_source" },
		{ &ret->insert, "el_insertstr" },      { &ret->delete, "el_deletestr" },
		{ &ret->history, "history" },          { &ret->history_init, "history_init" },
		{ &ret->history_end, "history_end" },
	};
	return library_load(&library, symbols, sizeof(symbols) / sizeof(*symbols));
}

/* The library decodes characters by the user's locale; all else runs in the C locale. Free with leave_locale(). */
static char *enter_locale(void)
{
	char *before = xstrdup(setlocale(LC_CTYPE, NULL));
	setlocale(LC_CTYPE, "");
	return before;
}

static void leave_locale(char *before)
{
	setlocale(LC_CTYPE, before);
	free(before);
}

/* The editor of a callback, which the library stores. */
static struct line_editor *editor_of(EditLine *el)
{
	__typeof__(&el_get) get = NULL;
	struct line_editor *e = NULL;
	const struct library_symbol symbol = { &get, "el_get" };
	struct strobe_error *err = library_load(&library, &symbol, 1);
	if (!err)
		get(el, EL_CLIENTDATA, &e);
	error_destroy(err);
	return e;
}

static char *prompt_of(EditLine *el)
{
	const struct line_editor *e = editor_of(el);
	return (char *)(e ? e->prompt : "");
}

/* ---- completion ---- */

/* The length of the common prefix of all choices. */
static size_t common_bytes(const struct line_choices *c)
{
	const char *first = c->texts.data[0];
	size_t n = strlen(first);
	for (size_t i = 1; i < c->texts.len; i++) {
		size_t k = 0;
		while (k < n && c->texts.data[i][k] == first[k])
			k++;
		n = k;
	}
	while (n && (first[n] & 0xc0) == 0x80) /* do not split a character */
		n--;
	return n;
}

static int letters(const char *s, size_t n)
{
	int nr = 0;
	for (size_t i = 0; i < n; i++)
		nr += (s[i] & 0xc0) != 0x80;
	return nr;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Below the line, in columns; the library draws the line anew beneath them. */
static void show(const struct line_choices *c)
{
	size_t nr = c->texts.len < CHOICES_SHOWN ? c->texts.len : CHOICES_SHOWN, width = 1;
	struct out out;
	for (size_t i = 0; i < nr; i++)
		width = strlen(c->texts.data[i]) + 2 > width ? strlen(c->texts.data[i]) + 2 : width;
	size_t columns = terminal_columns() / width + !(terminal_columns() / width);
	fflush(stdout);
	out_init_fd(&out, STDOUT_FILENO);
	for (size_t i = 0; i < nr; i++) {
		size_t n = strlen(c->texts.data[i]);
		bool is_last = i % columns == columns - 1 || i == nr - 1;
		if (i % columns == 0)
			out_ch(&out, '\n');
		out_text(&out, c->texts.data[i], n);
		if (!is_last)
			out_f(&out, "%*s", (int)(width - n), "");
	}
	if (nr < c->texts.len)
		out_f(&out, "\n... and %zu more", c->texts.len - nr);
	out_ch(&out, '\n');
	error_destroy(out_close(&out));
}

/* Completes the common prefix of all choices; if that adds nothing, shows them. */
static unsigned char complete_with(struct line_editor *e, const char *word, struct line_choices *c)
{
	if (!c->texts.len)
		return CC_ERROR;
	size_t had = strlen(word), n = common_bytes(c);
	const char *first = c->texts.data[0];
	bool is_longer = n > had && !strncmp(first, word, had);
	if (c->texts.len > 1 && !is_longer) {
		qsort(c->texts.data, c->texts.len, sizeof(*c->texts.data), compare_texts);
		show(c);
		return CC_REDISPLAY;
	}
	bool is_open = c->texts.len > 1 || (n && first[n - 1] == '=');
	const char *text = arena_printf(&c->arena, "%.*s%s", (int)n, first, is_open ? "" : " ");
	e->call.delete(e->el, letters(word, had));
	return e->call.insert(e->el, text) ? CC_ERROR : CC_REFRESH;
}

static unsigned char on_tab(EditLine *el, int key)
{
	(void)key;
	struct line_editor *e = editor_of(el);
	if (!e)
		return CC_ERROR;
	const LineInfo *line = e->call.line(el);
	struct line_choices c = {};
	arena_init(&c.arena);
	const char *before = arena_strndup(&c.arena, line->buffer, (size_t)(line->cursor - line->buffer));
	e->complete(e->ctx, before, &c);
	unsigned char code = complete_with(e, before + c.word_at, &c);
	vec_deinit(&c.texts);
	arena_deinit(&c.arena);
	return code;
}

/* ---- lines ---- */

struct strobe_error *line_editor_create(const char *prompt, line_complete *complete, void *ctx, struct line_editor **ret)
{
	struct line_editor *e = xcalloc(1, sizeof(*e));
	HistEvent event;
	*e = (struct line_editor){ .prompt = prompt, .complete = complete, .ctx = ctx };
	*ret = NULL;
	struct strobe_error *err = load(&e->call);
	if (err) {
		free(e);
		return err;
	}
	char *locale = enter_locale();
	e->el = e->call.init("strobe", stdin, stdout, stderr);
	e->past = e->call.history_init();
	leave_locale(locale);
	if (!e->el || !e->past) {
		line_editor_destroy(e);
		return error_create(ERROR_UNSUPPORTED, "libedit does not know this terminal");
	}
	e->call.history(e->past, &event, H_SETSIZE, HISTORY_LINES);
	e->call.history(e->past, &event, H_SETUNIQUE, 1);
	e->call.set(e->el, EL_CLIENTDATA, e);
	e->call.set(e->el, EL_PROMPT, prompt_of);
	e->call.set(e->el, EL_EDITOR, "emacs");
	e->call.set(e->el, EL_SIGNAL, 1);
	e->call.set(e->el, EL_HIST, e->call.history, e->past);
	e->call.set(e->el, EL_ADDFN, COMPLETE, "complete the word", on_tab);
	e->call.set(e->el, EL_BIND, "^I", COMPLETE, NULL);
	e->call.set(e->el, EL_BIND, "^R", "em-inc-search-prev", NULL);
	e->call.source(e->el, NULL);
	*ret = e;
	return NULL;
}

const char *line_editor_read(struct line_editor *e)
{
	HistEvent event;
	int n = 0;
	char *locale = enter_locale();
	const char *typed = e->call.gets(e->el, &n);
	strbuf_reset(&e->line);
	if (typed && n > 0)
		strbuf_addstr(&e->line, typed);
	leave_locale(locale);
	if (!e->line.len)
		return NULL;
	const char *line = strbuf_str(&e->line);
	size_t bytes = strcspn(line, "\r\n");
	e->line.data[e->line.len = bytes] = 0;
	if (line[strspn(line, " \t")])
		e->call.history(e->past, &event, H_ENTER, line);
	return line;
}

void line_editor_destroy(struct line_editor *e)
{
	if (!e)
		return;
	if (e->el)
		e->call.end(e->el);
	if (e->past)
		e->call.history_end(e->past);
	strbuf_deinit(&e->line);
	free(e);
}
#endif

#include "scripting/bundled.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "scripting/exec_path.h"
#include "sys/process_files.h"

extern char **environ;

#define SHELL "/bin/sh"
#define HEAD_BYTES 4096 /* of the beginning of a report, which may describe it */

static const char record_suffix[] = "-record", report_suffix[] = "-report";

/* ---- finding them ---- */

/* What follows "# KEY:" on a line of the head; "": none. */
static const char *head_value(struct arena *arena, const char *head, const char *key)
{
	for (const char *line = head; line; line = strchr(line, '\n')) {
		line += strspn(line, "\n");
		const char *at = line + (*line == '#');
		at += strspn(at, " \t");
		if (*line != '#' || !text_has_prefix(at, key) || at[strlen(key)] != ':')
			continue;
		at += strlen(key) + 1;
		at += strspn(at, " \t");
		return arena_strndup(arena, at, strcspn(at, "\r\n"));
	}
	return "";
}

static void read_head(struct arena *arena, struct bundled_script *s)
{
	char head[HEAD_BYTES] = "";
	int fd = open(s->report, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, head, sizeof(head) - 1) : 0;
	head[n > 0 ? n : 0] = 0;
	s->arguments = head_value(arena, head, "args");
	s->description = head_value(arena, head, "description");
	if (fd >= 0)
		close(fd);
}

static struct bundled_script *named(struct bundled_scripts *s, size_t from, const char *name, size_t n)
{
	for (size_t i = from; i < s->list.len; i++)
		if (strlen(s->list.data[i].name) == n && !memcmp(s->list.data[i].name, name, n))
			return &s->list.data[i];
	vec_push(&s->list, ((struct bundled_script){ .name = arena_strndup(&s->arena, name, n), .arguments = "", .description = "" }));
	return &s->list.data[s->list.len - 1];
}

/* from: index of this folder's first script in the list. */
static void add_file(struct bundled_scripts *s, size_t from, const char *folder, const char *name)
{
	bool is_record = text_has_suffix(name, record_suffix);
	if (!is_record && !text_has_suffix(name, report_suffix))
		return;
	struct bundled_script *b = named(s, from, name, strlen(name) - sizeof(record_suffix) + 1);
	const char *path = arena_printf(&s->arena, "%s/%s", folder, name);
	if (is_record) {
		b->record = path;
		return;
	}
	b->report = path;
	read_head(&s->arena, b);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct bundled_script *)a)->name, ((const struct bundled_script *)b)->name);
}

static void add_language(struct bundled_scripts *s, const char *place, const char *language)
{
	size_t from = s->list.len;
	const char *folder = arena_printf(&s->arena, "%s/scripts/%s/bin", place, language);
	DIR *dir = opendir(folder);
	for (struct dirent *e; dir && (e = readdir(dir));)
		add_file(s, from, folder, e->d_name);
	if (dir)
		closedir(dir);
	for (size_t i = from; i < s->list.len; i++) {
		s->list.data[i].language = language;
		s->list.data[i].place = place;
	}
	if (s->list.len > from)
		qsort(s->list.data + from, s->list.len - from, sizeof(*s->list.data), by_name);
}

/* NULL if HOME is not set. */
static const char *user_place(struct arena *arena)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	if (xdg && *xdg)
		return arena_printf(arena, "%s/strobe", xdg);
	return home && *home ? arena_printf(arena, "%s/.config/strobe", home) : NULL;
}

void bundled_scripts_find(struct bundled_scripts *s)
{
	static const char *const languages[] = { "perl", "python" };
	*s = (struct bundled_scripts){};
	arena_init(&s->arena);
	const char *places[] = { user_place(&s->arena), script_exec_path() };
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		for (size_t j = 0; places[i] && j < sizeof(languages) / sizeof(*languages); j++)
			add_language(s, places[i], languages[j]);
}

void bundled_scripts_deinit(struct bundled_scripts *s)
{
	vec_deinit(&s->list);
	arena_deinit(&s->arena);
}

struct strobe_error *bundled_scripts_get(const struct bundled_scripts *s, const char *name, const struct bundled_script **ret)
{
	for (size_t i = 0; i < s->list.len; i++) {
		*ret = &s->list.data[i];
		if (!strcmp((*ret)->name, name))
			return NULL;
	}
	return error_create(ERROR_NOT_FOUND, "unknown script '%s': 'script -l' lists them; -s FILE runs a script file", name);
}

void bundled_scripts_table(const struct bundled_scripts *s, struct table *t)
{
	table_init(t, "strobe-scripts", 1);
	size_t name = table_column(t, (struct table_column){ .key = "name", .type = TABLE_TEXT, .data_only = true });
	size_t arguments = table_column(t, (struct table_column){ .key = "arguments", .type = TABLE_TEXT, .data_only = true });
	size_t shown = table_column(t, (struct table_column){ .key = "script", .type = TABLE_TEXT, .text_only = true,
								     .width = 36, .is_fixed = true });
	size_t description = table_column(t, (struct table_column){ .key = "description", .type = TABLE_TEXT, .is_fixed = true });
	size_t language = table_column(t, (struct table_column){ .key = "language", .type = TABLE_TEXT, .data_only = true });
	size_t records = table_column(t, (struct table_column){ .key = "records", .type = TABLE_BOOL, .data_only = true });
	t->layout = (struct table_layout){ .gap = " ", .has_no_titles = true, .has_blank_ends = true };
	table_head(t, "List of available trace scripts:");
	for (size_t i = 0; i < s->list.len; i++) {
		const struct bundled_script *b = &s->list.data[i];
		if (!b->report)
			continue;
		_cleanup_free_ char *usage = xasprintf("%s%s%s", b->name, *b->arguments ? " " : "", b->arguments);
		table_row(t);
		table_set_text(t, name, b->name);
		table_set_text(t, arguments, b->arguments);
		table_set_text(t, shown, usage);
		table_set_text(t, description, b->description);
		table_set_text(t, language, b->language);
		table_set_bool(t, records, b->record != NULL);
	}
}

/* ---- running them ---- */

struct strobe_error *bundled_report_words(const struct bundled_script *s, size_t words_nr, size_t *ret)
{
	*ret = 0;
	if (text_has_suffix(s->name, "top")) {
		*ret = words_nr;
		return NULL;
	}
	for (const char *p = s->arguments; *p; p++)
		*ret += *p == '<';
	if (*ret > words_nr)
		return error_create(ERROR_USAGE, "the script '%s' requires arguments: %s", s->name, s->arguments);
	return NULL;
}

/* A shell sources the script; its function perf runs this program. */
static const char shell_program[] = "perf() { \"$strobe\" \"$@\"; }; strobe=$1; shift; . \"$0\"";

struct command {
	VEC(char *) words;
	char *program; /* our own */
};

static void command_deinit(struct command *c)
{
	vec_deinit(&c->words);
	free(c->program);
}

#define _cleanup_command_ _cleanup_(command_deinit)

static void add(struct command *c, const char *word)
{
	vec_push(&c->words, (char *)word);
}

static void add_all(struct command *c, char *const *words, size_t most)
{
	for (size_t i = 0; words[i] && i < most; i++)
		add(c, words[i]);
}

static struct strobe_error *begin(struct command *c, const char *path)
{
	c->program = process_program();
	if (!c->program)
		return error_create(ERROR_OTHER, "cannot find the path of this program in /proc");
	const char *const words[] = { SHELL, "-c", shell_program, path, c->program };
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		add(c, words[i]);
	return NULL;
}

static struct strobe_error *replace_process(struct command *c)
{
	vec_push(&c->words, NULL);
	execv(SHELL, c->words.data);
	return error_errno(errno, "cannot run " SHELL);
}

static struct strobe_error *require(const char *path, const struct bundled_script *s, const char *what)
{
	setenv("PERF_EXEC_PATH", s->place, 1);
	return path ? NULL : error_create(ERROR_NOT_FOUND, "the script '%s' has nothing to %s", s->name, what);
}

/* Adds -a for record if no command is given. */
static struct strobe_error *add_target(struct command *c, const struct bundled_request *r, size_t from)
{
	bool has_command = false;
	if (from < r->words_nr)
		TRY(r->find_command(r->words + from, r->words_nr - from, &has_command));
	if (!has_command)
		add(c, "-a");
	return NULL;
}

static struct strobe_error *run_record(const struct bundled_script *s, const struct bundled_request *r)
{
	_cleanup_command_ struct command c = {};
	TRY(require(s->record, s, "record"));
	TRY(begin(&c, s->record));
	TRY(add_target(&c, r, 0));
	add_all(&c, r->words, SIZE_MAX);
	return replace_process(&c);
}

static struct strobe_error *run_report(const struct bundled_script *s, const struct bundled_request *r)
{
	_cleanup_command_ struct command c = {};
	TRY(require(s->report, s, "report"));
	TRY(begin(&c, s->report));
	add_all(&c, r->words, SIZE_MAX);
	return replace_process(&c);
}

/* Its output goes to the pipe. */
static struct strobe_error *start_recorder(struct command *c, int output)
{
	pid_t pid;
	posix_spawn_file_actions_t files;
	vec_push(&c->words, NULL);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
	int errnum = posix_spawn(&pid, SHELL, &files, NULL, c->words.data, environ);
	posix_spawn_file_actions_destroy(&files);
	return errnum ? error_errno(errnum, "cannot run " SHELL) : NULL;
}

static struct strobe_error *run_live(const struct bundled_script *s, const struct bundled_request *r)
{
	_cleanup_command_ struct command record = {}, report = {};
	static const char *const to_pipe[] = { "-q", "-o", "-" };
	int ends[2];
	size_t of_report;
	TRY(bundled_report_words(s, r->words_nr, &of_report));
	TRY(require(s->record, s, "record"));
	TRY(require(s->report, s, "report"));
	TRY(begin(&record, s->record));
	TRY(begin(&report, s->report));
	TRY(add_target(&record, r, of_report));
	for (size_t i = 0; i < sizeof(to_pipe) / sizeof(*to_pipe); i++)
		add(&record, to_pipe[i]);
	add_all(&record, r->words + of_report, SIZE_MAX);
	add_all(&report, r->words, of_report);
	add(&report, "-i");
	add(&report, "-");
	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_errno(errno, "cannot create a pipe");
	struct strobe_error *err = start_recorder(&record, ends[1]);
	if (!err && dup2(ends[0], STDIN_FILENO) < 0)
		err = error_errno(errno, "cannot read the pipe");
	close(ends[0]);
	close(ends[1]);
	return err ? err : replace_process(&report);
}

struct strobe_error *bundled_run(const struct bundled_script *s, const struct bundled_request *r)
{
	switch (r->action) {
	case BUNDLED_RECORD: return run_record(s, r);
	case BUNDLED_REPORT: return run_report(s, r);
	case BUNDLED_LIVE: break;
	}
	return run_live(s, r);
}

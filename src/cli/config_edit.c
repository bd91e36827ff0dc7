#include "cli/config_edit.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "cli/config_priv.h"

static bool is_name(const char *p, size_t n, const char *more)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)p[i]) && (!p[i] || !strchr(more, p[i])))
			return false;
	return n > 0;
}

struct strobe_error *config_change_parse(char *text, struct config_change *ret)
{
	char *equals = strchr(text, '=');
	size_t n = equals ? (size_t)(equals - text) : strlen(text);
	const char *dot = memrchr(text, '.', n), *first = memchr(text, '.', n);
	if (!dot || first == text)
		return error_create(ERROR_USAGE, "The config variable does not contain a section name: %s", text);
	if (dot + 1 == text + n)
		return error_create(ERROR_USAGE, "The config variable does not contain a variable name: %s", text);
	if (equals && !equals[1])
		return error_create(ERROR_USAGE, "The config variable does not contain a value: %s", text);
	if (!is_name(text, (size_t)(first - text), "-_") || !is_name(dot + 1, (size_t)(text + n - dot - 1), "-_"))
		return error_create(ERROR_USAGE, "'%.*s' is not a valid config variable: names have letters, digits, - and _",
				    (int)n, text);
	if (memchr(text, '\n', n))
		return error_create(ERROR_USAGE, "a config variable's name has no end of line");
	if (equals)
		*equals = '\0';
	*ret = (struct config_change){ text, equals ? equals + 1 : NULL };
	return NULL;
}

static void put_quoted(struct strbuf *out, const char *text, size_t n)
{
	strbuf_addch(out, '"');
	for (size_t i = 0; i < n; i++) {
		char c = text[i];
		if (c == '"' || c == '\\' || c == '\n')
			strbuf_addch(out, '\\');
		strbuf_addch(out, c == '\n' ? 'n' : c);
	}
	strbuf_addch(out, '"');
}

/* Quotes protect comment characters, escapes, and blanks at the ends. */
static void put_value(struct strbuf *out, const char *value)
{
	size_t n = strlen(value);
	if (!n || strpbrk(value, "#;\"\\\n\r") || isspace((unsigned char)*value) || isspace((unsigned char)value[n - 1]))
		put_quoted(out, value, n);
	else
		strbuf_add(out, value, n);
}

static void put_section(struct strbuf *out, const char *name, size_t n)
{
	const char *dot = memchr(name, '.', n);
	size_t head = dot ? (size_t)(dot - name) : n;
	strbuf_addf(out, "[%.*s", (int)head, name);
	if (dot) {
		strbuf_addch(out, ' ');
		put_quoted(out, dot + 1, n - head - 1);
	}
	strbuf_addstr(out, "]\n");
}

static void put_entry(struct strbuf *out, const char *name, const char *value)
{
	strbuf_addf(out, "\t%s = ", name);
	put_value(out, value);
	strbuf_addch(out, '\n');
}

static const struct config_entry *last_entry(const struct config *c, const char *key)
{
	for (size_t i = c->entries.len; i-- > 0;)
		if (!strcasecmp(c->entries.data[i].key, key))
			return &c->entries.data[i];
	return NULL;
}

static const struct config_section *last_section(const struct config *c, const char *name, size_t n)
{
	for (size_t i = c->sections.len; i-- > 0;)
		if (!strncasecmp(c->sections.data[i].name, name, n) && !c->sections.data[i].name[n])
			return &c->sections.data[i];
	return NULL;
}

static void replace_value(struct strbuf *ret, const char *text, size_t bytes, const struct config_entry *e, const char *value)
{
	strbuf_add(ret, text, e->value_at);
	if (e->is_bare)
		strbuf_addstr(ret, " = ");
	put_value(ret, value);
	strbuf_add(ret, text + e->value_end, bytes - e->value_end);
}

static void end_line(struct strbuf *text)
{
	if (text->len && text->data[text->len - 1] != '\n')
		strbuf_addch(text, '\n');
}

struct strobe_error *config_edit(const char *name, const char *text, size_t bytes, const struct config_change *change, struct strbuf *ret)
{
	_cleanup_config_ struct config *c = config_create();
	TRY(config_parse(c, name, text, bytes));
	const struct config_entry *entry = last_entry(c, change->key);
	if (entry) {
		replace_value(ret, text, bytes, entry, change->value);
		return NULL;
	}
	const char *dot = strrchr(change->key, '.');
	size_t section_bytes = (size_t)(dot - change->key), at = bytes;
	const struct config_section *section = last_section(c, change->key, section_bytes);
	if (section) {
		const char *newline = memchr(text + section->end, '\n', bytes - section->end);
		at = newline ? (size_t)(newline + 1 - text) : bytes;
	}
	strbuf_add(ret, text, at);
	end_line(ret);
	if (!section)
		put_section(ret, change->key, section_bytes);
	put_entry(ret, dot + 1, change->value);
	strbuf_add(ret, text + at, bytes - at);
	return NULL;
}

struct strobe_error *config_change_file(enum config_scope scope, const struct config_change *changes, size_t changes_nr)
{
	_cleanup_free_ char *path = config_path(scope);
	if (!path)
		return error_create(ERROR_NOT_FOUND, "no file for the settings: HOME is not set to an absolute path");
	struct stat st = { .st_mode = 0600 };
	_cleanup_strbuf_ struct strbuf text = {};
	if (stat(path, &st) == 0) {
		if (st.st_uid && st.st_uid != geteuid())
			return error_create(ERROR_PERMISSION, "%s belongs to neither you nor root", path);
		TRY(file_read(path, &text, CONFIG_FILE_MAX_BYTES));
	} else if (errno != ENOENT) {
		return error_errno(errno, "cannot read the settings in %s", path);
	}
	for (size_t i = 0; i < changes_nr; i++) {
		struct strbuf changed = {};
		struct strobe_error *err = config_edit(path, strbuf_str(&text), text.len, &changes[i], &changed);
		strbuf_deinit(&text);
		text = changed;
		if (err)
			return err;
	}
	/* a symbolic link is kept: its target is replaced */
	_cleanup_free_ char *target = realpath(path, NULL);
	return new_file_write(target ? target : path, strbuf_str(&text), text.len, st.st_mode & 0777);
}

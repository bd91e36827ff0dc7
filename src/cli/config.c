#include "cli/config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/vector.h"

#define FILE_MAX_BYTES (1 << 20)

struct entry {
	const char *key, *value;
};

struct config {
	struct arena arena;
	VEC(struct entry) entries;
};

struct config *config_create(void)
{
	struct config *c = xcalloc(1, sizeof(*c));
	arena_init(&c->arena);
	return c;
}

void config_destroy(struct config *c)
{
	if (!c)
		return;
	vec_deinit(&c->entries);
	arena_deinit(&c->arena);
	free(c);
}

struct scanner {
	const char *at, *end;
	const char *name; /* of the file */
	unsigned line;
	struct strbuf section;
};

static struct strobe_error *wrong(const struct scanner *s, const char *what)
{
	return error_create(ERROR_FORMAT, "%s:%u: %s", s->name, s->line, what);
}

static int peek(const struct scanner *s)
{
	return s->at < s->end ? (unsigned char)*s->at : -1;
}

static void skip_blanks(struct scanner *s)
{
	while (peek(s) == ' ' || peek(s) == '\t' || peek(s) == '\r')
		s->at++;
}

static void skip_line(struct scanner *s)
{
	while (peek(s) != -1 && peek(s) != '\n')
		s->at++;
}

static void skip_space(struct scanner *s)
{
	for (int c; (c = peek(s)) != -1 && (isspace(c) || c == '#' || c == ';');) {
		if (c == '#' || c == ';') {
			skip_line(s);
			continue;
		}
		s->line += c == '\n';
		s->at++;
	}
}

/* [name] or [name "sub"]: the sub-section keeps its case. */
static struct strobe_error *scan_section(struct scanner *s)
{
	strbuf_reset(&s->section);
	s->at++;
	for (int c; (c = peek(s)) != -1 && (isalnum(c) || c == '-' || c == '.' || c == '_'); s->at++)
		strbuf_addch(&s->section, (char)tolower(c));
	if (!s->section.len)
		return wrong(s, "a section needs a name: [name]");
	skip_blanks(s);
	if (peek(s) == '"') {
		strbuf_addch(&s->section, '.');
		for (s->at++; peek(s) != '"'; s->at++) {
			if (peek(s) == '\\')
				s->at++;
			if (peek(s) == -1 || peek(s) == '\n')
				return wrong(s, "a section's name has no closing quote");
			strbuf_addch(&s->section, (char)peek(s));
		}
		s->at++;
		skip_blanks(s);
	}
	if (peek(s) != ']')
		return wrong(s, "a section's name has no closing bracket");
	s->at++;
	return NULL;
}

static int unescape(int c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'b':
		return '\b';
	case '"':
	case '\\':
		return c;
	default:
		return -1;
	}
}

/* Up to the end of the line or a comment; quotes keep blanks, a backslash at the end joins lines. */
static struct strobe_error *scan_value(struct scanner *s, struct strbuf *value)
{
	bool quoted = false;
	size_t keep = 0; /* length up to the last character that is no trailing blank */
	skip_blanks(s);
	for (int c; (c = peek(s)) != -1 && c != '\n'; s->at++) {
		if (!quoted && (c == '#' || c == ';'))
			break;
		if (c == '"') {
			quoted = !quoted;
			keep = value->len;
			continue;
		}
		if (c == '\\') {
			s->at++;
			if (peek(s) == '\n') {
				s->line++;
				continue;
			}
			c = unescape(peek(s));
			if (c < 0)
				return wrong(s, "unknown escape in a value");
		}
		strbuf_addch(value, (char)c);
		if (quoted || !isspace(c))
			keep = value->len;
	}
	if (quoted)
		return wrong(s, "a value has no closing quote");
	skip_line(s);
	if (value->data) {
		value->len = keep;
		value->data[keep] = 0;
	}
	return NULL;
}

static struct strobe_error *scan_entry(struct scanner *s, struct config *c)
{
	_cleanup_strbuf_ struct strbuf key = {}, value = {};
	if (!s->section.len)
		return wrong(s, "a key precedes the first [section]");
	strbuf_addf(&key, "%s.", strbuf_str(&s->section));
	size_t start = key.len;
	for (int ch; (ch = peek(s)) != -1 && (isalnum(ch) || ch == '-' || ch == '_'); s->at++)
		strbuf_addch(&key, (char)tolower(ch));
	if (key.len == start)
		return wrong(s, "neither a [section] nor a key = value");
	skip_blanks(s);
	if (peek(s) == '=') {
		s->at++;
		TRY(scan_value(s, &value));
	} else if (peek(s) == '\n' || peek(s) == -1 || peek(s) == '#' || peek(s) == ';') {
		strbuf_addstr(&value, "true");
	} else {
		return wrong(s, "a key must be followed by = value");
	}
	vec_push(&c->entries, ((struct entry){ arena_strdup(&c->arena, strbuf_str(&key)),
					       arena_strdup(&c->arena, strbuf_str(&value)) }));
	return NULL;
}

struct strobe_error *config_parse(struct config *c, const char *name, const char *text, size_t bytes)
{
	struct scanner s = { .at = text, .end = text + bytes, .name = name, .line = 1 };
	if (bytes >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		s.at += 3;
	struct strobe_error *err = NULL;
	for (;;) {
		skip_space(&s);
		if (err || peek(&s) == -1)
			break;
		err = peek(&s) == '[' ? scan_section(&s) : scan_entry(&s, c);
	}
	strbuf_deinit(&s.section);
	return err;
}

/* A file that is not there is no error. */
static struct strobe_error *load_file(struct config *c, const char *path, bool check_owner)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || (check_owner && errno == EACCES)))
		return NULL;
	if (fd < 0)
		return error_errno(errno, "cannot read the settings in %s", path);
	struct stat st;
	if (fstat(fd, &st) < 0)
		return error_errno(errno, "cannot read the settings in %s", path);
	if (check_owner && st.st_uid && st.st_uid != geteuid()) {
		log_warn("%s belongs to neither you nor root and is ignored", path);
		return NULL;
	}
	_cleanup_strbuf_ struct strbuf text = {};
	TRY(file_read_fd(fd, path, &text, FILE_MAX_BYTES));
	return config_parse(c, path, strbuf_str(&text), text.len);
}

static struct strobe_error *load_home(struct config *c, const char *name)
{
	const char *home = getenv("HOME");
	if (!home || home[0] != '/')
		return NULL;
	_cleanup_strbuf_ struct strbuf path = {};
	strbuf_addf(&path, "%s/%s", home, name);
	return load_file(c, strbuf_str(&path), true);
}

static struct strobe_error *load_all(struct config *c)
{
	const char *only = getenv("STROBE_CONFIG");
	if (!only)
		only = getenv("PERF_CONFIG");
	if (only && *only)
		return load_file(c, only, false);
	TRY(load_file(c, "/etc/strobeconfig", false));
	TRY(load_home(c, ".perfconfig"));
	return load_home(c, ".strobeconfig");
}

struct strobe_error *config_load(struct config **ret)
{
	*ret = config_create();
	struct strobe_error *err = load_all(*ret);
	if (err) {
		config_destroy(*ret);
		*ret = NULL;
	}
	return err;
}

const char *config_get(const struct config *c, const char *key)
{
	for (size_t i = c->entries.len; i-- > 0;)
		if (!strcasecmp(c->entries.data[i].key, key))
			return c->entries.data[i].value;
	return NULL;
}

struct strobe_error *config_bool(const struct config *c, const char *key, bool fallback, bool *ret)
{
	static const char *const words[] = { "false", "true", "no", "yes", "off", "on", "0", "1" };
	const char *value = config_get(c, key);
	*ret = fallback;
	if (!value)
		return NULL;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcasecmp(value, words[i])) {
			*ret = i & 1;
			return NULL;
		}
	return error_create(ERROR_USAGE, "the setting %s is \"%s\"; it must be true or false", key, value);
}

size_t config_count(const struct config *c)
{
	return c->entries.len;
}

void config_at(const struct config *c, size_t i, const char **ret_key, const char **ret_value)
{
	*ret_key = c->entries.data[i].key;
	*ret_value = c->entries.data[i].value;
}
